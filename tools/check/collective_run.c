/* collective_run.c - runs a proved schedule as a collective on a communicator of its own: by one
 * call for all ranks, or by a thread per rank. */
#include "collective_run.h"
#include "base/clock.h"
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* The thread of a rank, for one run. */
struct caller {
	struct collective_run *run;
	const struct trial *trial; /* fill the buffers first; NULL: leave them */
	pthread_t thread;
	uint32_t rank;
	double began, ended;
	bool started, worked;
	struct ordo_error error;
};

static bool allocate_parts(struct collective_run *run, const struct buffers *buffers, bool callers,
	struct ordo_error *error)
{
	run->parts = calloc(run->nrank, sizeof *run->parts);
	if (callers)
		run->callers = calloc(run->nrank, sizeof *run->callers);
	if (!run->parts || (callers && !run->callers))
		return ordo_fail_memory(error);
	for (uint32_t rank = 0; rank < run->nrank; rank++)
		run->parts[rank] = (struct ordo_part){.collective = run->collective,
			.input = buffers->inputs[rank],
			.output = buffers->outputs[rank]};
	return true;
}

bool open_collective_run(struct collective_run *run, const struct ordo_schedule *schedule,
	const struct ordo_proof *proof, const struct ordo_plan_options *options,
	const struct buffers *buffers, uint32_t nworker, struct ordo_error *error)
{
	const struct ordo_communicator_options how = {
		.nrank = schedule->problem.nrank, .nhelper = nworker ? nworker - 1 : 0};
	*run = (struct collective_run){.nrank = how.nrank};
	run->collective = ordo_collective_create(schedule, options, error);
	if (!run->collective)
		return false;
	const char *digest = ordo_collective_digest(run->collective);
	if (proof && *digest && strcmp(digest, proof->digest) != 0)
		return ordo_fail(error, ORDO_REFUTED, 0,
			"the order of the collective: found %s, wanted %s, that of the proof",
			digest, proof->digest);
	run->communicator = ordo_communicator_create(&how, error);
	return run->communicator && allocate_parts(run, buffers, !nworker, error);
}

void close_collective_run(struct collective_run *run)
{
	ordo_communicator_destroy(run->communicator);
	ordo_collective_destroy(run->collective);
	free(run->parts);
	free(run->callers);
}

static void fill_visited(void *closure, uint32_t rank)
{
	fill_rank(closure, rank);
}

static bool run_by_one(struct collective_run *run, const struct trial *trial, bool again,
	double *seconds, struct ordo_error *error)
{
	struct trial filled = *trial;
	if (again)
		ordo_communicator_visit(run->communicator, fill_visited, &filled);
	const double began = clock_seconds();
	const bool worked = ordo_communicator_run_all(run->communicator, run->parts, error);
	*seconds = clock_seconds() - began;
	return worked;
}

static void *call_rank(void *argument)
{
	struct caller *caller = argument;
	struct collective_run *run = caller->run;
	if (caller->trial)
		fill_rank(caller->trial, caller->rank);
	caller->began = clock_seconds();
	caller->worked = ordo_communicator_run(
		run->communicator, caller->rank, &run->parts[caller->rank], &caller->error);
	caller->ended = clock_seconds();
	return NULL;
}

/* Aborts on behalf of a rank whose thread cannot start, so that the others return. */
static void start_callers(struct collective_run *run, const struct trial *trial)
{
	for (uint32_t rank = 0; rank < run->nrank; rank++) {
		struct caller *caller = &run->callers[rank];
		*caller = (struct caller){.run = run, .trial = trial, .rank = rank};
		caller->started = !pthread_create(&caller->thread, NULL, call_rank, caller);
		if (!caller->started)
			ordo_communicator_abort(
				run->communicator, rank, "its thread cannot be started");
	}
}

static bool run_by_callers(struct collective_run *run, const struct trial *trial, double *seconds,
	struct ordo_error *error)
{
	double began = 0, ended = 0;
	bool worked = true;
	start_callers(run, trial);
	for (uint32_t rank = 0; rank < run->nrank; rank++) {
		const struct caller *caller = &run->callers[rank];
		if (!caller->started)
			continue;
		pthread_join(caller->thread, NULL);
		began = caller->began > began ? caller->began : began;
		ended = caller->ended > ended ? caller->ended : ended;
		if (worked && !caller->worked)
			*error = caller->error;
		worked &= caller->worked;
	}
	*seconds = ended - began;
	return worked;
}

bool run_collective(struct collective_run *run, const struct trial *trial, bool again,
	double *seconds, struct ordo_error *error)
{
	return run->callers ? run_by_callers(run, again ? trial : NULL, seconds, error)
			    : run_by_one(run, trial, again, seconds, error);
}
