/* execution.c - a schedule bound to buffers of its own, run some times, and checked. */
#include "execution.h"
#include <ordo/trace.h>
#include <time.h>

static double now(void)
{
	struct timespec time;
	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* The runs that are not timed come first. */
static bool run_once(struct execution *execution, const struct execution_wish *wish, uint32_t turn,
	struct ordo_error *error)
{
	const double began = now();
	const bool worked = wish->seeded ? ordo_plan_run_seeded(execution->plan, wish->seed + turn, error)
					 : ordo_plan_run_threads(execution->plan, wish->nworker, error);
	const double seconds = now() - began;
	if (turn < wish->warmup)
		return worked;
	execution->total += seconds;
	if (!execution->ntimed++ || seconds < execution->best)
		execution->best = seconds;
	return worked;
}

/* In place a run eats its input, and a checked run must not find the last one's result: both are filled
 * again. */
static bool run_all(struct execution *execution, const struct execution_wish *wish, struct ordo_error *error)
{
	const bool again = wish->check || wish->fresh || execution->trial.problem->in_place;
	for (uint32_t turn = 0; turn < wish->warmup + wish->repeat; turn++) {
		if (!turn || again)
			fill(&execution->trial);
		if (!run_once(execution, wish, turn, error))
			return false;
		if (!wish->check)
			continue;
		if (!check(&execution->trial, &execution->check))
			return ordo_fail_memory(error);
		if (is_wrong(&execution->check))
			return true;
	}
	return true;
}

bool execute(struct execution *execution, const struct ordo_schedule *schedule,
	const struct ordo_proof *proof, const struct execution_wish *wish, struct ordo_error *error)
{
	const struct ordo_plan_options options = {
		.type = wish->type, .reduction = wish->reduction, .count = wish->count};
	*execution = (struct execution){.schedule = schedule,
		.trial = {.problem = &schedule->problem,
			.proof = proof && has_one_order(proof) ? proof : NULL,
			.values = {wish->seed, wish->type, wish->reduction},
			.count = wish->count}};
	execution->plan = ordo_plan_create(schedule, &options, error);
	if (!execution->plan ||
		!give_buffers(&execution->buffers, execution->plan, &schedule->problem, &options, error))
		return false;
	if (wish->trace && !ordo_plan_trace_begin(execution->plan, 1, error))
		return false;
	execution->trial.inputs = execution->buffers.inputs;
	execution->trial.outputs = execution->buffers.outputs;
	return run_all(execution, wish, error);
}

void close_execution(struct execution *execution)
{
	ordo_plan_destroy(execution->plan);
	free_buffers(&execution->buffers);
}

uint64_t bytes_sent(const struct execution *execution)
{
	uint32_t nrank = execution->schedule->problem.nrank;
	uint64_t sum = 0;
	for (uint32_t from = 0; from < nrank; from++)
		for (uint32_t to = 0; to < nrank; to++)
			sum += ordo_plan_bytes_sent(execution->plan, from, to);
	return sum;
}
