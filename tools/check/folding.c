/* folding.c - a proved schedule run as a collective on a communicator of its own: by one call for
 * all ranks, or by a thread for each. */
#include "folding.h"
#include "clock.h"
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* A rank's own thread, for one run. */
struct caller {
	struct folding *folding;
	const struct trial *trial; /* to be filled first; NULL: as it is */
	pthread_t thread;
	uint32_t rank;
	double began, ended;
	bool started, worked;
	struct ordo_error error;
};

static bool give_parts(struct folding *folding, const struct buffers *buffers, bool callers,
	struct ordo_error *error)
{
	folding->parts = calloc(folding->nrank, sizeof *folding->parts);
	if (callers)
		folding->callers = calloc(folding->nrank, sizeof *folding->callers);
	if (!folding->parts || (callers && !folding->callers))
		return ordo_fail_memory(error);
	for (uint32_t rank = 0; rank < folding->nrank; rank++)
		folding->parts[rank] = (struct ordo_part){.collective = folding->collective,
			.input = buffers->inputs[rank],
			.output = buffers->outputs[rank]};
	return true;
}

bool open_folding(struct folding *folding, const struct ordo_schedule *schedule,
	const struct ordo_proof *proof, const struct ordo_plan_options *options,
	const struct buffers *buffers, uint32_t nworker, struct ordo_error *error)
{
	const struct ordo_communicator_options how = {
		.nrank = schedule->problem.nrank, .nhelper = nworker ? nworker - 1 : 0};
	*folding = (struct folding){.nrank = how.nrank};
	folding->collective = ordo_collective_create(schedule, options, error);
	if (!folding->collective)
		return false;
	const char *digest = ordo_collective_digest(folding->collective);
	if (proof && *digest && strcmp(digest, proof->digest) != 0)
		return ordo_fail(error, ORDO_REFUTED, 0,
			"the collective has the order %s, its proof %s", digest, proof->digest);
	folding->communicator = ordo_communicator_create(&how, error);
	return folding->communicator && give_parts(folding, buffers, !nworker, error);
}

void close_folding(struct folding *folding)
{
	ordo_communicator_destroy(folding->communicator);
	ordo_collective_destroy(folding->collective);
	free(folding->parts);
	free(folding->callers);
}

static void fill_visited(void *closure, uint32_t rank)
{
	fill_rank(closure, rank);
}

static bool run_by_one(struct folding *folding, const struct trial *trial, bool again,
	double *seconds, struct ordo_error *error)
{
	struct trial filled = *trial;
	if (again)
		ordo_communicator_visit(folding->communicator, fill_visited, &filled);
	const double began = clock_seconds();
	const bool worked = ordo_communicator_run_all(folding->communicator, folding->parts, error);
	*seconds = clock_seconds() - began;
	return worked;
}

static void *call_rank(void *argument)
{
	struct caller *caller = argument;
	struct folding *folding = caller->folding;
	if (caller->trial)
		fill_rank(caller->trial, caller->rank);
	caller->began = clock_seconds();
	caller->worked = ordo_communicator_run(
		folding->communicator, caller->rank, &folding->parts[caller->rank], &caller->error);
	caller->ended = clock_seconds();
	return NULL;
}

/* A rank that gets no thread lets the others go. */
static void start_callers(struct folding *folding, const struct trial *trial)
{
	for (uint32_t rank = 0; rank < folding->nrank; rank++) {
		struct caller *caller = &folding->callers[rank];
		*caller = (struct caller){.folding = folding, .trial = trial, .rank = rank};
		caller->started = !pthread_create(&caller->thread, NULL, call_rank, caller);
		if (!caller->started)
			ordo_communicator_abort(
				folding->communicator, rank, "its thread cannot be started");
	}
}

static bool run_by_callers(struct folding *folding, const struct trial *trial, double *seconds,
	struct ordo_error *error)
{
	double began = 0, ended = 0;
	bool worked = true;
	start_callers(folding, trial);
	for (uint32_t rank = 0; rank < folding->nrank; rank++) {
		const struct caller *caller = &folding->callers[rank];
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

bool run_folding(struct folding *folding, const struct trial *trial, bool again, double *seconds,
	struct ordo_error *error)
{
	return folding->callers ? run_by_callers(folding, again ? trial : NULL, seconds, error)
				: run_by_one(folding, trial, again, seconds, error);
}
