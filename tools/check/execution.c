/* execution.c - binds a schedule to buffers of its own, runs it repeatedly, and checks the
 * results. */
#include "execution.h"
#include "base/clock.h"
#include <ordo/detail/trace.h>

/* Flags: a run has about so many rounds, which are calls back to back. */
enum { FLAG_ROUNDS = 8 };

static bool run_tasks(struct execution *execution, const struct execution_options *args,
	uint32_t turn, bool again, double *elapsed, struct ordo_error *error)
{
	if (again)
		fill(&execution->trial);
	const double began = clock_seconds();
	const bool worked =
		args->flags    ? ordo_plan_run_flags(execution->plan, args->seed + turn, error)
		: args->seeded ? ordo_plan_run_seeded(execution->plan, args->seed + turn, error)
			       : ordo_plan_run_threads(execution->plan, args->nworker, error);
	*elapsed = clock_seconds() - began;
	return worked;
}

static bool run_by_transport(struct execution *execution, const struct execution_options *args,
	uint32_t turn, bool again, double *elapsed, struct ordo_error *error)
{
	const struct trial *trial = &execution->trial;
	if (args->folded)
		return run_collective(&execution->collective, trial, again, elapsed, error);
	if (args->world)
		return run_messages(&execution->messages, trial, again, elapsed, error);
	return run_tasks(execution, args, turn, again, elapsed, error);
}

/* The first `warmup` runs are not timed. */
static bool run_once(struct execution *execution, const struct execution_options *args,
	uint32_t turn, bool again, struct ordo_error *error)
{
	double elapsed;
	struct check *found = &execution->check;
	if (!run_by_transport(execution, args, turn, again, &elapsed, error))
		return false;
	if (args->check && !check(&execution->trial, found))
		return ordo_fail_memory(error);
	if (args->world && !share_result(args->world, &elapsed, found))
		return ordo_fail_memory(error);
	if (turn < args->warmup)
		return true;
	execution->total += elapsed;
	if (!execution->ntimed++ || elapsed < execution->best)
		execution->best = elapsed;
	return true;
}

/* Refills the buffers where needed: in place a run overwrites its input, and a checked run must not
 * find the previous result. */
static bool run_all(
	struct execution *execution, const struct execution_options *args, struct ordo_error *error)
{
	const bool always = args->check || args->fresh || execution->problem.in_place;
	for (uint32_t turn = 0; turn < args->warmup + args->repeat; turn++) {
		if (args->progress)
			args->progress(args->closure, "running", turn, args->warmup + args->repeat);
		if (!run_once(execution, args, turn, !turn || always, error))
			return false;
		if (args->check && is_wrong(&execution->check))
			return true;
	}
	return true;
}

static bool open_tasks(struct execution *execution, const struct execution_options *args,
	const struct ordo_plan_options *options, struct ordo_error *error)
{
	struct ordo_plan_options wish = *options;
	const uint64_t chunk = args->count * ordo_type_size(args->type) /
			       execution->schedule->problem.chunks_per_block;
	wish.staging_bytes = args->staging_bytes;
	wish.overlapping_rounds = args->overlap;
	if (args->flags && !args->staging_bytes)
		wish.tile_bytes = chunk / FLAG_ROUNDS + 1;
	execution->plan = ordo_plan_create(execution->schedule, &wish, error);
	return execution->plan &&
	       allocate_and_bind(
		       &execution->buffers, execution->plan, &execution->problem, options, error) &&
	       (!args->trace || ordo_plan_trace_begin(execution->plan, 1, error));
}

static bool open_messages(struct execution *execution, const struct execution_options *args,
	const struct ordo_plan_options *options, struct ordo_error *error)
{
	execution->trial.is_one_rank = true;
	execution->trial.rank = args->world->rank;
	return allocate_rank_buffers(&execution->buffers, &execution->problem, options,
		       args->world->rank, error) &&
	       open_message_run(
		       &execution->messages, args->world, execution->schedule, options, error);
}

static bool open_collective(struct execution *execution, const struct ordo_proof *proof,
	const struct execution_options *args, const struct ordo_plan_options *options,
	struct ordo_error *error)
{
	return allocate_buffers(&execution->buffers, &execution->problem, options, error) &&
	       open_collective_run(&execution->collective, execution->schedule, proof, options,
		       &execution->buffers, args->nworker, error);
}

bool execute(struct execution *execution, const struct ordo_schedule *schedule,
	const struct ordo_proof *proof, const struct execution_options *args,
	struct ordo_error *error)
{
	const struct ordo_plan_options options = {.type = args->type,
		.reduction = args->reduction,
		.count = args->count,
		.block_count = args->block_count};
	*execution = (struct execution){.schedule = schedule,
		.problem = schedule->problem,
		.trial = {.problem = &execution->problem,
			.proof = proof && has_one_order(proof) ? proof : NULL,
			.values = {args->seed, args->type, args->reduction},
			.count = args->count}};
	execution->problem.in_place ^= args->other_form;
	if (!make_places(
		    &execution->places, &execution->problem, args->count, args->block_count, error))
		return false;
	if (args->block_count)
		execution->trial.places = &execution->places;
	if (!(args->folded	  ? open_collective(execution, proof, args, &options, error)
		    : args->world ? open_messages(execution, args, &options, error)
				  : open_tasks(execution, args, &options, error)))
		return false;
	execution->trial.inputs = execution->buffers.inputs;
	execution->trial.outputs = execution->buffers.outputs;
	return run_all(execution, args, error);
}

void close_execution(struct execution *execution)
{
	ordo_plan_destroy(execution->plan);
	close_message_run(&execution->messages);
	close_collective_run(&execution->collective);
	free_buffers(&execution->buffers);
	free_places(&execution->places);
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
