/* message_run.c - runs one rank's part of a schedule by the messages of MPI. */
#include "message_run.h"
#include <ordo/detail/accumulate.h>
#include <ordo/detail/fail.h>
#include <stdlib.h>
#include <string.h>

bool open_message_run(struct message_run *run, const struct message_world *world,
	const struct ordo_schedule *schedule, const struct ordo_plan_options *options,
	struct ordo_error *error)
{
	struct ordo_levels *levels = ordo_levels_create(schedule, error);
	*run = (struct message_run){.world = world};
	if (levels)
		run->part = ordo_part_create(levels, world->rank, error);
	ordo_levels_destroy(levels);
	if (!run->part || !(run->bound = ordo_part_bind(run->part, options, NULL, error)))
		return false;
	run->messenger = world->mpi->make_messenger(ordo_part_requests(run->part), options->type,
		ordo_accumulator(&schedule->problem, options->type), world->synchronous);
	return run->messenger ? true : ordo_fail_memory(error);
}

void close_message_run(struct message_run *run)
{
	if (run->world)
		run->world->mpi->free_messenger(run->messenger);
	ordo_bound_part_destroy(run->bound);
	ordo_part_destroy(run->part);
}

bool run_messages(struct message_run *run, const struct trial *trial, bool again, double *elapsed,
	struct ordo_error *error)
{
	const struct ordo_mpi_transport *mpi = run->world->mpi;
	const uint32_t rank = run->world->rank;
	if (again)
		fill_rank(trial, rank);
	mpi->barrier();
	const double began = mpi->seconds();
	const bool worked = ordo_bound_part_run(
		run->bound, trial->inputs[rank], trial->outputs[rank], run->messenger, error);
	*elapsed = mpi->seconds() - began;
	return worked;
}

struct result {
	double elapsed;
	struct check check;
};

bool share_result(const struct message_world *world, double *elapsed, struct check *check)
{
	struct result own = {*elapsed, *check}, *all = NULL;
	if (!world->rank && !(all = calloc(world->nrank, sizeof *all)))
		return false;
	world->mpi->gather(&own, sizeof own, all);
	for (uint32_t r = 1; all && r < world->nrank; r++) {
		own.elapsed = all[r].elapsed > own.elapsed ? all[r].elapsed : own.elapsed;
		merge_checks(&own.check, &all[r].check);
	}
	free(all);
	world->mpi->broadcast(&own, sizeof own, 0);
	*elapsed = own.elapsed;
	*check = own.check;
	return true;
}
