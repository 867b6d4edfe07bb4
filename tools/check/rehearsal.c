/* rehearsal.c - an interleaving carried out, watched step by step. */
#include "rehearsal.h"
#include <ordo/detail/accumulate.h>
#include <ordo/detail/trace.h>
#include <stdlib.h>
#include <string.h>

/* What the run is watched by. */
struct stage {
	const struct ordo_schedule *schedule;
	const struct ordo_replay *replay;
	struct rehearsal *rehearsal;
	struct ordo_plan *plan;
	struct buffers buffers;
	struct trial trial;
	uint64_t *begins;   /* [nrank + 1] of a rank's outputs in those of a call, in bytes */
	void *exact, *part; /* [longest chunk] */
};

static uint64_t chunk_length(const struct trial *trial, uint32_t chunk)
{
	const uint32_t K = trial->problem->chunks_per_block, k = chunk % K;
	return ordo_chunk_begin(trial->count, K, k + 1, 1) -
	       ordo_chunk_begin(trial->count, K, k, 1);
}

static struct values values_of_call(const struct values *values, uint32_t call)
{
	struct values those = *values;
	those.seed += call;
	return those;
}

static void on_entering(void *closure, uint32_t rank, uint32_t call)
{
	const struct stage *stage = closure;
	struct trial trial = stage->trial;
	trial.values = values_of_call(&trial.values, call);
	fill_rank(&trial, rank);
}

/* The exact result of a chunk. */
static void make_exact(
	const struct stage *stage, const struct values *values, uint32_t chunk, size_t n)
{
	const struct ordo_problem *problem = &stage->schedule->problem;
	const uint64_t first = element_of_slot(problem, stage->trial.count, chunk);
	for (uint32_t shard = 0; shard < problem->nshard; shard++) {
		make_values(values, shard, first, n, stage->part);
		(shard ? add_exact : begin_exact)(values, stage->exact, stage->part, n);
	}
}

static void note_wrong(const struct stage *stage, struct odd_element at, const unsigned char *found)
{
	struct odd_element *wrong = &stage->rehearsal->wrong;
	const size_t size = ordo_type_size(stage->trial.values.type);
	if (wrong->count++)
		return;
	memcpy(at.values[0], found, size);
	at.count = wrong->count;
	*wrong = at;
}

static void judge_sum(const struct stage *stage, const struct values *values, struct odd_element at,
	uint32_t chunk, const unsigned char *found, size_t n)
{
	const struct ordo_problem *problem = &stage->schedule->problem;
	const size_t size = ordo_type_size(values->type);
	struct distance far = {0};
	make_exact(stage, values, chunk, n);
	for (size_t i = 0; i < n; i++) {
		const void *wanted = exact_at(values, stage->exact, i);
		if (compare_exact(values, ordo_accumulator(problem, values->type), wanted,
			    found + i * size, 1, problem->nshard, problem->nshard, &far))
			continue;
		at.element = i;
		round_exact(values, wanted, problem->nshard, at.values[1]);
		note_wrong(stage, at, found + i * size);
	}
}

static void judge_copy(const struct stage *stage, const struct values *values,
	struct odd_element at, uint32_t chunk, const unsigned char *found, size_t n)
{
	const struct ordo_problem *problem = &stage->schedule->problem;
	const size_t size = ordo_type_size(values->type);
	make_values(values, ordo_chunk_source(problem, chunk),
		element_of_slot(problem, stage->trial.count, chunk), n, stage->part);
	for (size_t i = 0; i < n; i++) {
		const unsigned char *wanted = (const unsigned char *)stage->part + i * size;
		if (!memcmp(wanted, found + i * size, size))
			continue;
		at.element = i;
		memcpy(at.values[1], wanted, size);
		note_wrong(stage, at, found + i * size);
	}
}

static void on_leaving(void *closure, uint32_t rank, uint32_t call)
{
	const struct stage *stage = closure;
	const struct ordo_problem *problem = &stage->schedule->problem;
	const struct values values = values_of_call(&stage->trial.values, call);
	unsigned char *kept = stage->rehearsal->outputs + call * stage->begins[problem->nrank] +
			      stage->begins[rank];
	for (uint32_t slot = 0; slot < ordo_output_slots(problem, rank); slot++) {
		const uint32_t chunk = ordo_output_chunk(problem, rank, slot);
		const size_t n = (size_t)chunk_length(&stage->trial, chunk);
		const unsigned char *found = ordo_plan_slot(stage->plan, rank, ORDO_OUTPUT, slot);
		const struct odd_element at = {.call = call, .rank = rank, .slot = slot};
		if (!n)
			continue;
		memcpy(kept, found, n * ordo_type_size(values.type));
		kept += n * ordo_type_size(values.type);
		(ordo_operator_facts(problem->op)->reduces ? judge_sum : judge_copy)(
			stage, &values, at, chunk, found, n);
	}
}

enum ordo_type sight_type(
	const struct ordo_schedule *schedule, const struct ordo_replay *replay, enum ordo_type type)
{
	return replay->memory_buffer == ORDO_SCRATCH ? ordo_accumulator(&schedule->problem, type)
						     : type;
}

static void on_step(void *closure, uint32_t call, uint32_t task, bool done)
{
	const struct stage *stage = closure;
	const struct ordo_replay *replay = stage->replay;
	struct rehearsal *rehearsal = stage->rehearsal;
	for (uint32_t i = 0; i < replay->ntask; i++) {
		struct sight *sight = &rehearsal->sights[i];
		if (replay->tasks[i].task != task || replay->tasks[i].call != call)
			continue;
		sight->step = rehearsal->nstep;
		const void *slot = replay->memory_rank == ORDO_NONE
					   ? NULL
					   : ordo_plan_slot(stage->plan, replay->memory_rank,
						     replay->memory_buffer, replay->memory_slot);
		if (slot)
			memcpy(done ? sight->after : sight->before, slot,
				ordo_type_size(sight_type(
					stage->schedule, replay, stage->trial.values.type)));
	}
	rehearsal->nstep += done;
}

static void on_left_over(
	void *closure, uint32_t from, uint32_t to, uint32_t signal, uint32_t ntoken)
{
	struct rehearsal *rehearsal = ((const struct stage *)closure)->rehearsal;
	if (rehearsal->left_over.nsignal++)
		return;
	rehearsal->left_over.from = from;
	rehearsal->left_over.to = to;
	rehearsal->left_over.number = signal;
	rehearsal->left_over.ntoken = ntoken;
}

static bool give_outputs(struct stage *stage, struct ordo_error *error)
{
	const struct ordo_problem *problem = &stage->schedule->problem;
	const size_t size = ordo_type_size(stage->trial.values.type);
	uint64_t longest = 1;
	stage->begins = calloc((size_t)problem->nrank + 1, sizeof *stage->begins);
	if (!stage->begins)
		return ordo_fail_memory(error);
	for (uint32_t rank = 0; rank < problem->nrank; rank++) {
		uint64_t n = 0;
		for (uint32_t slot = 0; slot < ordo_output_slots(problem, rank); slot++) {
			const uint64_t length =
				chunk_length(&stage->trial, ordo_output_chunk(problem, rank, slot));
			n += length;
			longest = length > longest ? length : longest;
		}
		stage->begins[rank + 1] = stage->begins[rank] + n * size;
	}
	stage->rehearsal->size = stage->replay->ncall * stage->begins[problem->nrank];
	stage->rehearsal->outputs = calloc(stage->rehearsal->size + 1, 1);
	stage->exact = malloc(longest * EXACT_SIZE);
	stage->part = malloc(longest * ELEMENT_SIZE);
	return stage->rehearsal->outputs && stage->exact && stage->part ? true
									: ordo_fail_memory(error);
}

/* What lies there before anybody entered is nobody's promise. */
static void spoil(const struct stage *stage)
{
	for (uint32_t rank = 0; rank < stage->buffers.nrank; rank++) {
		const uint64_t input = ordo_plan_input_bytes(stage->plan, rank),
			       output = ordo_plan_output_bytes(stage->plan, rank);
		if (input)
			memset(stage->buffers.inputs[rank], PATTERN, input);
		if (output)
			memset(stage->buffers.outputs[rank], PATTERN, output);
	}
}

static bool set_up(struct stage *stage, struct ordo_error *error)
{
	const struct ordo_plan_options options = {.type = stage->trial.values.type,
		.reduction = stage->trial.values.reduction,
		.count = stage->trial.count,
		.tile_bytes = UINT64_MAX};
	stage->plan = stage->rehearsal->plan = ordo_plan_create(stage->schedule, &options, error);
	if (!stage->plan || !ordo_plan_trace_begin(stage->plan, stage->replay->ncall, error) ||
		!give_buffers(
			&stage->buffers, stage->plan, &stage->schedule->problem, &options, error))
		return false;
	stage->trial.inputs = stage->buffers.inputs;
	stage->trial.outputs = stage->buffers.outputs;
	spoil(stage);
	return give_outputs(stage, error);
}

bool rehearse(struct rehearsal *rehearsal, const struct ordo_schedule *schedule,
	const struct ordo_replay *replay, uint32_t which, const struct values *values,
	uint64_t count, struct ordo_error *error)
{
	*rehearsal = (struct rehearsal){.sights = {{.step = UINT64_MAX}, {.step = UINT64_MAX}}};
	struct stage stage = {.schedule = schedule,
		.replay = replay,
		.rehearsal = rehearsal,
		.trial = {.problem = &schedule->problem, .values = *values, .count = count}};
	const struct ordo_watch watch = {&stage, on_entering, on_leaving, on_step, on_left_over};
	const bool ready = set_up(&stage, error);
	if (ready)
		rehearsal->completed = ordo_plan_run_replay(stage.plan,
			&replay->interleavings[which], replay->ncall, &watch, &rehearsal->error);
	free_buffers(&stage.buffers);
	free(stage.begins);
	free(stage.exact);
	free(stage.part);
	return ready;
}

void close_rehearsal(struct rehearsal *rehearsal)
{
	ordo_plan_destroy(rehearsal->plan);
	free(rehearsal->outputs);
	rehearsal->plan = NULL;
	rehearsal->outputs = NULL;
}

struct odd_element compare_rehearsals(const struct ordo_schedule *schedule,
	const struct ordo_replay *replay, const struct rehearsal rehearsals[2],
	const struct values *values, uint64_t count)
{
	const struct ordo_problem *problem = &schedule->problem;
	const struct trial trial = {
		.problem = &schedule->problem, .values = *values, .count = count};
	const size_t size = ordo_type_size(values->type);
	const unsigned char *one = rehearsals[0].outputs, *other = rehearsals[1].outputs;
	struct odd_element odd = {0};
	for (uint32_t call = 0; call < replay->ncall; call++)
		for (uint32_t rank = 0; rank < problem->nrank; rank++)
			for (uint32_t slot = 0; slot < ordo_output_slots(problem, rank); slot++) {
				const uint64_t n = chunk_length(
					&trial, ordo_output_chunk(problem, rank, slot));
				for (uint64_t i = 0; i < n; i++, one += size, other += size) {
					if (!memcmp(one, other, size) || odd.count++)
						continue;
					odd = (struct odd_element){
						odd.count, call, rank, slot, i, {{0}}};
					memcpy(odd.values[0], one, size);
					memcpy(odd.values[1], other, size);
				}
			}
	return odd;
}
