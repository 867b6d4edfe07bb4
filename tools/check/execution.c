/* execution.c - a schedule bound to buffers of its own, run some times, and checked. */
#include "execution.h"
#include <inttypes.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>

static double now(void)
{
	struct timespec time;
	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

enum { SMALL_ALIGNMENT = 64, LARGE_ALIGNMENT = 2 << 20 };

/* NULL for no bytes, and for no memory. */
static void *allocate(uint64_t size)
{
	size_t alignment = size >= LARGE_ALIGNMENT ? LARGE_ALIGNMENT : SMALL_ALIGNMENT;
	if (!size || size > SIZE_MAX - alignment)
		return NULL;
	size_t rounded = ((size_t)size + alignment - 1) / alignment * alignment;
	void *memory = aligned_alloc(alignment, rounded);
	/* Large pages make the first touch of a gigabyte bearable; it is no loss if there are none. */
	if (memory && alignment == LARGE_ALIGNMENT)
		madvise(memory, rounded, MADV_HUGEPAGE);
	return memory;
}

static uint64_t slot_bytes(const struct trial *trial, uint32_t slot)
{
	uint32_t K = trial->schedule->problem.chunks_per_block;
	return (slot / K * trial->count + ordo_chunk_begin(trial->count, K, slot % K, 1)) *
	       ordo_type_size(trial->values.type);
}

/* In place the smaller buffer lies inside the larger one. */
static void nest(const struct trial *trial, uint32_t rank, void *memory, bool output_larger)
{
	const struct ordo_problem *problem = &trial->schedule->problem;
	uint32_t ninput = ordo_input_slots(problem, rank);
	char *input = memory, *output = memory;
	for (uint32_t slot = 0; slot < ninput; slot++) {
		uint32_t same = ordo_in_place_output_slot(problem, rank, slot);
		if (same == ORDO_NONE)
			continue;
		if (output_larger)
			input = output + slot_bytes(trial, same) - slot_bytes(trial, slot);
		else
			output = input + slot_bytes(trial, slot) - slot_bytes(trial, same);
		break;
	}
	trial->inputs[rank] = input;
	trial->outputs[rank] = output;
}

static bool give_memory(struct execution *execution, uint32_t rank)
{
	const struct trial *trial = &execution->trial;
	uint64_t input = ordo_plan_input_bytes(execution->plan, rank),
		 output = ordo_plan_output_bytes(execution->plan, rank);
	void **memory = &execution->memory[2 * (size_t)rank];
	if (trial->schedule->problem.in_place) {
		memory[0] = allocate(input > output ? input : output);
		nest(trial, rank, memory[0], output > input);
		return memory[0] || !(input || output);
	}
	memory[0] = trial->inputs[rank] = allocate(input);
	memory[1] = trial->outputs[rank] = allocate(output);
	return (memory[0] || !input) && (memory[1] || !output);
}

static bool give_buffers(struct execution *execution, struct ordo_error *error)
{
	uint32_t nrank = execution->trial.schedule->problem.nrank;
	execution->memory = calloc((size_t)nrank * 2, sizeof *execution->memory);
	execution->trial.inputs = calloc(nrank, sizeof *execution->trial.inputs);
	execution->trial.outputs = calloc(nrank, sizeof *execution->trial.outputs);
	if (!execution->memory || !execution->trial.inputs || !execution->trial.outputs)
		return ordo_fail_memory(error);
	for (uint32_t rank = 0; rank < nrank; rank++) {
		if (!give_memory(execution, rank))
			return ordo_fail(error, ORDO_ENVIRONMENT, 0,
				"out of memory for the buffers of rank %" PRIu32 " of %" PRIu32, rank, nrank);
		void *input =
			ordo_plan_input_bytes(execution->plan, rank) ? execution->trial.inputs[rank] : NULL;
		void *output =
			ordo_plan_output_bytes(execution->plan, rank) ? execution->trial.outputs[rank] : NULL;
		if (!ordo_plan_bind(execution->plan, rank, input, output, error))
			return false;
	}
	return true;
}

static void fill_buffers(struct execution *execution)
{
	double began = now();
	fill(&execution->trial);
	execution->fill += now() - began;
}

static bool run_once(struct execution *execution, const struct execution_wish *wish, uint32_t turn,
	struct ordo_error *error)
{
	double began = now();
	bool worked = wish->seeded ? ordo_plan_run_seeded(execution->plan, wish->seed + turn, error)
				   : ordo_plan_run_threads(execution->plan, wish->nworker, error);
	double seconds = now() - began;
	execution->total += seconds;
	if (!turn || seconds < execution->best)
		execution->best = seconds;
	return worked;
}

/* In place a run eats its input, and a checked run must not find the last one's result: both are filled
 * again. */
static bool run_all(struct execution *execution, const struct execution_wish *wish, struct ordo_error *error)
{
	bool again = wish->check || execution->trial.schedule->problem.in_place;
	for (uint32_t turn = 0; turn < wish->repeat; turn++) {
		if (!turn || again)
			fill_buffers(execution);
		if (!run_once(execution, wish, turn, error))
			return false;
		if (!wish->check)
			continue;
		double began = now();
		if (!check(&execution->trial, &execution->check))
			return ordo_fail_memory(error);
		execution->checking += now() - began;
		if (!execution->check.bits_equal || !execution->check.within_bounds)
			return true;
	}
	return true;
}

bool execute(struct execution *execution, const struct ordo_schedule *schedule,
	const struct ordo_proof *proof, const struct execution_wish *wish, struct ordo_error *error)
{
	const struct ordo_plan_options options = {
		.type = wish->type, .reduction = wish->reduction, .count = wish->count};
	*execution = (struct execution){.trial = {.schedule = schedule,
						.proof = proof,
						.values = {wish->seed, wish->type, wish->reduction},
						.count = wish->count}};
	execution->plan = ordo_plan_create(schedule, &options, error);
	return execution->plan && give_buffers(execution, error) && run_all(execution, wish, error);
}

void close_execution(struct execution *execution)
{
	ordo_plan_destroy(execution->plan);
	for (size_t i = 0; execution->memory && i < 2 * (size_t)execution->trial.schedule->problem.nrank; i++)
		free(execution->memory[i]);
	free(execution->memory);
	free(execution->trial.inputs);
	free(execution->trial.outputs);
}

uint64_t bytes_sent(const struct execution *execution)
{
	uint32_t nrank = execution->trial.schedule->problem.nrank;
	uint64_t sum = 0;
	for (uint32_t from = 0; from < nrank; from++)
		for (uint32_t to = 0; to < nrank; to++)
			sum += ordo_plan_bytes_sent(execution->plan, from, to);
	return sum;
}
