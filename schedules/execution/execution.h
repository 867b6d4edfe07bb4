/* execution.h - interleavings of one or more calls, in any order that the caller wants. Private to
 * schedules/.
 *
 * Every stream goes through its tasks once for each call; step p of a stream of L tasks is task p %
 * L of call p / L. Needs R1..R5; R6 may be broken.
 */
#ifndef ORDO_SCHEDULES_EXECUTION_EXECUTION_H
#define ORDO_SCHEDULES_EXECUTION_EXECUTION_H

#include <ordo/detail/replay.h>
#include <ordo/greedy.h>
#include <ordo/signals.h>

struct ordo_execution {
	const struct ordo_schedule *schedule;
	struct ordo_error *error;
	uint32_t ncall;
	struct ordo_pairing pairing; /* within one call */
	struct ordo_greedy greedy;   /* of the call that each rank is in */
	uint32_t *want;		     /* [nstream] steps to be taken at most */
	uint32_t *call;		     /* [nrank] the call that the rank is in */
	/* [nrank] streams of the rank that have not ended its current call */
	uint32_t *unfinished;
	struct ordo_interleaving *out; /* what is run is written here */
};

/* false: no memory, or R5 is broken (ORDO_USAGE). Close it in any case. */
bool ordo_execution_open(struct ordo_execution *execution, const struct ordo_schedule *schedule,
	uint32_t ncall, struct ordo_error *error);
void ordo_execution_close(struct ordo_execution *execution);
/* Starts again, with nothing done and nothing wanted. */
void ordo_execution_begin(struct ordo_execution *execution, struct ordo_interleaving *out);

/* Steps of a stream in all calls, and those taken. */
uint32_t ordo_execution_length(const struct ordo_execution *execution, uint32_t stream);
uint32_t ordo_execution_done(const struct ordo_execution *execution, uint32_t stream);
/* Wants the predecessors of that step, not the step itself. false: the step waits for a token that
 * is never posted, or no memory (execution.error). */
bool ordo_execution_want_before(struct ordo_execution *execution, uint32_t stream, uint32_t step);
void ordo_execution_want_all(struct ordo_execution *execution);
/* Runs as far as wanted and possible. */
bool ordo_execution_run(struct ordo_execution *execution);
/* Takes the next step of that stream. false: it cannot be taken (ORDO_OK), or there is no
 * memory. */
bool ordo_execution_step(struct ordo_execution *execution, uint32_t stream);

/* The stream and the step of a task of a call. */
struct ordo_step_place {
	uint32_t stream, step;
};
struct ordo_step_place ordo_execution_place(
	const struct ordo_execution *execution, uint32_t task, uint32_t call);

#endif
