/* observed_run.c - runs one interleaving, and observes every step. */
#include "observed_run.h"
#include <ordo/detail/accumulate.h>
#include <ordo/detail/trace.h>
#include <stdlib.h>
#include <string.h>

/* The state of the callbacks of a replay. */
struct observer {
	const struct ordo_schedule *schedule;
	const struct ordo_replay *replay;
	struct observed_run *run;
	struct ordo_plan *plan;
	struct buffers buffers;
	struct trial trial;
	struct places places;
	uint64_t *begins;   /* [nrank + 1] of a rank's outputs in those of a call, in bytes */
	void *exact, *part; /* [longest chunk] */
};

static struct values call_values(const struct values *values, uint32_t call)
{
	struct values those = *values;
	those.seed += call;
	return those;
}

static void on_enter(void *closure, uint32_t rank, uint32_t call)
{
	const struct observer *observer = closure;
	struct trial trial = observer->trial;
	trial.values = call_values(&trial.values, call);
	fill_rank(&trial, rank);
}

/* The exact result of a chunk. */
static void compute_exact(
	const struct observer *observer, const struct values *values, uint32_t chunk, size_t n)
{
	const struct ordo_problem *problem = &observer->schedule->problem;
	const uint64_t first = place_of_chunk(&observer->places, chunk);
	for (uint32_t shard = 0; shard < problem->nshard; shard++) {
		make_values(values, shard, first, n, observer->part);
		(shard ? add_exact : begin_exact)(values, observer->exact, observer->part, n);
	}
}

static void record_wrong(
	const struct observer *observer, struct element_difference at, const unsigned char *found)
{
	struct element_difference *wrong = &observer->run->wrong;
	const size_t size = ordo_type_size(observer->trial.values.type);
	if (wrong->count++)
		return;
	memcpy(at.values[0], found, size);
	at.count = wrong->count;
	*wrong = at;
}

static void check_sum(const struct observer *observer, const struct values *values,
	struct element_difference at, uint32_t chunk, const unsigned char *found, size_t n)
{
	const struct ordo_problem *problem = &observer->schedule->problem;
	const size_t size = ordo_type_size(values->type);
	struct distance far = {0};
	compute_exact(observer, values, chunk, n);
	for (size_t i = 0; i < n; i++) {
		const void *wanted = exact_at(values, observer->exact, i);
		if (compare_exact(values, ordo_accumulator(problem, values->type), wanted,
			    found + i * size, 1, problem->nshard, problem->nshard, &far))
			continue;
		at.element = i;
		round_exact(values, wanted, problem->nshard, at.values[1]);
		record_wrong(observer, at, found + i * size);
	}
}

static void check_copy(const struct observer *observer, const struct values *values,
	struct element_difference at, uint32_t chunk, const unsigned char *found, size_t n)
{
	const struct ordo_problem *problem = &observer->schedule->problem;
	const size_t size = ordo_type_size(values->type);
	make_values(values, ordo_chunk_source(problem, chunk),
		place_of_chunk(&observer->places, chunk), n, observer->part);
	for (size_t i = 0; i < n; i++) {
		const unsigned char *wanted = (const unsigned char *)observer->part + i * size;
		if (!memcmp(wanted, found + i * size, size))
			continue;
		at.element = i;
		memcpy(at.values[1], wanted, size);
		record_wrong(observer, at, found + i * size);
	}
}

static void on_leave(void *closure, uint32_t rank, uint32_t call)
{
	const struct observer *observer = closure;
	const struct ordo_problem *problem = &observer->schedule->problem;
	const struct values values = call_values(&observer->trial.values, call);
	unsigned char *kept = observer->run->outputs + call * observer->begins[problem->nrank] +
			      observer->begins[rank];
	for (uint32_t slot = 0; slot < ordo_output_slots(problem, rank); slot++) {
		const uint32_t chunk = ordo_output_chunk(problem, rank, slot);
		const size_t n = (size_t)chunk_length(&observer->trial, chunk);
		const unsigned char *found =
			ordo_plan_slot(observer->plan, rank, ORDO_OUTPUT, slot);
		const struct element_difference at = {.call = call, .rank = rank, .slot = slot};
		if (!n)
			continue;
		memcpy(kept, found, n * ordo_type_size(values.type));
		kept += n * ordo_type_size(values.type);
		if (problem->op == ORDO_CUSTOM)
			continue;
		(ordo_operator_facts(problem->op)->reduces ? check_sum : check_copy)(
			observer, &values, at, chunk, found, n);
	}
}

enum ordo_type observed_type(
	const struct ordo_schedule *schedule, const struct ordo_replay *replay, enum ordo_type type)
{
	return replay->memory_buffer == ORDO_SCRATCH ? ordo_accumulator(&schedule->problem, type)
						     : type;
}

static void on_step(void *closure, uint32_t call, uint32_t task, bool done)
{
	const struct observer *observer = closure;
	const struct ordo_replay *replay = observer->replay;
	struct observed_run *run = observer->run;
	for (uint32_t i = 0; i < replay->ntask; i++) {
		struct observation *observation = &run->observations[i];
		if (replay->tasks[i].task != task || replay->tasks[i].call != call)
			continue;
		observation->step = run->nstep;
		const void *slot = replay->memory_rank == ORDO_NONE
					   ? NULL
					   : ordo_plan_slot(observer->plan, replay->memory_rank,
						     replay->memory_buffer, replay->memory_slot);
		if (slot)
			memcpy(done ? observation->after : observation->before, slot,
				ordo_type_size(observed_type(
					observer->schedule, replay, observer->trial.values.type)));
	}
	run->nstep += done;
}

static void on_left_over(
	void *closure, uint32_t from, uint32_t to, uint32_t signal, uint32_t ntoken)
{
	struct observed_run *run = ((const struct observer *)closure)->run;
	if (run->left_over.nsignal++)
		return;
	run->left_over.from = from;
	run->left_over.to = to;
	run->left_over.number = signal;
	run->left_over.ntoken = ntoken;
}

static bool allocate_outputs(struct observer *observer, struct ordo_error *error)
{
	const struct ordo_problem *problem = &observer->schedule->problem;
	const size_t size = ordo_type_size(observer->trial.values.type);
	uint64_t longest = 1;
	observer->begins = calloc((size_t)problem->nrank + 1, sizeof *observer->begins);
	if (!observer->begins)
		return ordo_fail_memory(error);
	for (uint32_t rank = 0; rank < problem->nrank; rank++) {
		uint64_t n = 0;
		for (uint32_t slot = 0; slot < ordo_output_slots(problem, rank); slot++) {
			const uint64_t length = chunk_length(
				&observer->trial, ordo_output_chunk(problem, rank, slot));
			n += length;
			longest = length > longest ? length : longest;
		}
		observer->begins[rank + 1] = observer->begins[rank] + n * size;
	}
	observer->run->size = observer->replay->ncall * observer->begins[problem->nrank];
	observer->run->outputs = calloc(observer->run->size + 1, 1);
	observer->exact = malloc(longest * EXACT_SIZE);
	observer->part = malloc(longest * ELEMENT_SIZE);
	return observer->run->outputs && observer->exact && observer->part
		       ? true
		       : ordo_fail_memory(error);
}

/* Buffers are undefined before any rank enters. */
static void fill_with_pattern(const struct observer *observer)
{
	for (uint32_t rank = 0; rank < observer->buffers.nrank; rank++) {
		const uint64_t input = ordo_plan_input_bytes(observer->plan, rank),
			       output = ordo_plan_output_bytes(observer->plan, rank);
		if (input)
			memset(observer->buffers.inputs[rank], PATTERN, input);
		if (output)
			memset(observer->buffers.outputs[rank], PATTERN, output);
	}
}

static bool set_up(struct observer *observer, struct ordo_error *error)
{
	const struct ordo_plan_options options = {.type = observer->trial.values.type,
		.reduction = observer->trial.values.reduction,
		.count = observer->places.count,
		.block_count = observer->places.block_count,
		.tile_bytes = UINT64_MAX};
	observer->plan = observer->run->plan =
		ordo_plan_create(observer->schedule, &options, error);
	if (!observer->plan ||
		!ordo_plan_trace_begin(observer->plan, observer->replay->ncall, error) ||
		!allocate_and_bind(&observer->buffers, observer->plan, &observer->schedule->problem,
			&options, error))
		return false;
	observer->trial.inputs = observer->buffers.inputs;
	observer->trial.outputs = observer->buffers.outputs;
	fill_with_pattern(observer);
	return allocate_outputs(observer, error);
}

bool observe_run(struct observed_run *run, const struct ordo_schedule *schedule,
	const struct ordo_replay *replay, uint32_t which, const struct replay_data *data,
	struct ordo_error *error)
{
	*run = (struct observed_run){.observations = {{.step = UINT64_MAX}, {.step = UINT64_MAX}}};
	struct observer observer = {.schedule = schedule,
		.replay = replay,
		.run = run,
		.trial = {.problem = &schedule->problem,
			.values = data->values,
			.count = data->count,
			.places = &observer.places}};
	const struct ordo_watch watch = {&observer, on_enter, on_leave, on_step, on_left_over};
	const bool ready = make_places(&observer.places, &schedule->problem, data->count,
				   data->block_count, error) &&
			   set_up(&observer, error);
	if (ready)
		run->completed = ordo_plan_run_replay(observer.plan, &replay->interleavings[which],
			replay->ncall, &watch, &run->error);
	free_buffers(&observer.buffers);
	free_places(&observer.places);
	free(observer.begins);
	free(observer.exact);
	free(observer.part);
	return ready;
}

void close_observed_run(struct observed_run *run)
{
	ordo_plan_destroy(run->plan);
	free(run->outputs);
	run->plan = NULL;
	run->outputs = NULL;
}

struct element_difference compare_observed_runs(const struct ordo_schedule *schedule,
	const struct ordo_replay *replay, const struct observed_run runs[2],
	const struct replay_data *data)
{
	const struct ordo_problem *problem = &schedule->problem;
	/* lengths need no begins of blocks */
	const struct places places = {
		.problem = problem, .count = data->count, .block_count = data->block_count};
	const size_t size = ordo_type_size(data->values.type);
	const unsigned char *one = runs[0].outputs, *other = runs[1].outputs;
	struct element_difference odd = {0};
	for (uint32_t call = 0; call < replay->ncall; call++)
		for (uint32_t rank = 0; rank < problem->nrank; rank++)
			for (uint32_t slot = 0; slot < ordo_output_slots(problem, rank); slot++) {
				const uint64_t n = length_of_chunk(
					&places, ordo_output_chunk(problem, rank, slot));
				for (uint64_t i = 0; i < n; i++, one += size, other += size) {
					if (!memcmp(one, other, size) || odd.count++)
						continue;
					odd = (struct element_difference){
						odd.count, call, rank, slot, i, {{0}}};
					memcpy(odd.values[0], one, size);
					memcpy(odd.values[1], other, size);
				}
			}
	return odd;
}
