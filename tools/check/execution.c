/* execution.c - binds a schedule to buffers of its own, runs it repeatedly, and checks the
 * results. */
#include "execution.h"
#include "base/clock.h"
#include <ordo/detail/trace.h>

static bool run_tasks(struct execution *execution, const struct execution_wish *wish, uint32_t turn,
	bool again, double *elapsed, struct ordo_error *error)
{
	if (again)
		fill(&execution->trial);
	const double began = clock_seconds();
	const bool worked =
		wish->seeded ? ordo_plan_run_seeded(execution->plan, wish->seed + turn, error)
			     : ordo_plan_run_threads(execution->plan, wish->nworker, error);
	*elapsed = clock_seconds() - began;
	return worked;
}

static bool run_by_transport(struct execution *execution, const struct execution_wish *wish,
	uint32_t turn, bool again, double *elapsed, struct ordo_error *error)
{
	const struct trial *trial = &execution->trial;
	if (wish->folded)
		return run_collective(&execution->collective, trial, again, elapsed, error);
	if (wish->world)
		return run_messages(&execution->messages, trial, again, elapsed, error);
	return run_tasks(execution, wish, turn, again, elapsed, error);
}

/* The first `warmup` runs are not timed. */
static bool run_once(struct execution *execution, const struct execution_wish *wish, uint32_t turn,
	bool again, struct ordo_error *error)
{
	double elapsed;
	struct check *found = &execution->check;
	if (!run_by_transport(execution, wish, turn, again, &elapsed, error))
		return false;
	if (wish->check && !check(&execution->trial, found))
		return ordo_fail_memory(error);
	if (wish->world && !share_result(wish->world, &elapsed, found))
		return ordo_fail_memory(error);
	if (turn < wish->warmup)
		return true;
	execution->total += elapsed;
	if (!execution->ntimed++ || elapsed < execution->best)
		execution->best = elapsed;
	return true;
}

/* Refills the buffers where needed: in place a run overwrites its input, and a checked run must not
 * find the previous result. */
static bool run_all(
	struct execution *execution, const struct execution_wish *wish, struct ordo_error *error)
{
	const bool always = wish->check || wish->fresh || execution->problem.in_place;
	for (uint32_t turn = 0; turn < wish->warmup + wish->repeat; turn++) {
		if (wish->progress)
			wish->progress(wish->closure, "running", turn, wish->warmup + wish->repeat);
		if (!run_once(execution, wish, turn, !turn || always, error))
			return false;
		if (wish->check && is_wrong(&execution->check))
			return true;
	}
	return true;
}

static bool open_tasks(struct execution *execution, const struct execution_wish *wish,
	const struct ordo_plan_options *options, struct ordo_error *error)
{
	execution->plan = ordo_plan_create(execution->schedule, options, error);
	return execution->plan &&
	       allocate_and_bind(
		       &execution->buffers, execution->plan, &execution->problem, options, error) &&
	       (!wish->trace || ordo_plan_trace_begin(execution->plan, 1, error));
}

static bool open_messages(struct execution *execution, const struct execution_wish *wish,
	const struct ordo_plan_options *options, struct ordo_error *error)
{
	execution->trial.is_one_rank = true;
	execution->trial.rank = wish->world->rank;
	return allocate_rank_buffers(&execution->buffers, &execution->problem, options,
		       wish->world->rank, error) &&
	       open_message_run(
		       &execution->messages, wish->world, execution->schedule, options, error);
}

static bool open_collective(struct execution *execution, const struct ordo_proof *proof,
	const struct execution_wish *wish, const struct ordo_plan_options *options,
	struct ordo_error *error)
{
	return allocate_buffers(&execution->buffers, &execution->problem, options, error) &&
	       open_collective_run(&execution->collective, execution->schedule, proof, options,
		       &execution->buffers, wish->nworker, error);
}

bool execute(struct execution *execution, const struct ordo_schedule *schedule,
	const struct ordo_proof *proof, const struct execution_wish *wish, struct ordo_error *error)
{
	const struct ordo_plan_options options = {
		.type = wish->type, .reduction = wish->reduction, .count = wish->count};
	*execution = (struct execution){.schedule = schedule,
		.problem = schedule->problem,
		.trial = {.problem = &execution->problem,
			.proof = proof && has_one_order(proof) ? proof : NULL,
			.values = {wish->seed, wish->type, wish->reduction},
			.count = wish->count}};
	execution->problem.in_place ^= wish->other_form;
	if (!(wish->folded	  ? open_collective(execution, proof, wish, &options, error)
		    : wish->world ? open_messages(execution, wish, &options, error)
				  : open_tasks(execution, wish, &options, error)))
		return false;
	execution->trial.inputs = execution->buffers.inputs;
	execution->trial.outputs = execution->buffers.outputs;
	return run_all(execution, wish, error);
}

void close_execution(struct execution *execution)
{
	ordo_plan_destroy(execution->plan);
	close_message_run(&execution->messages);
	close_collective_run(&execution->collective);
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
