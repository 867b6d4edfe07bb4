/* Internal: for the command and the tests. Exported for one release; may change or go after it. */
/* communicators.h - what a collective is bound to, and ranks visited by their threads. */
#ifndef ORDO_COMMUNICATORS_H
#define ORDO_COMMUNICATORS_H

#include <ordo/communicator.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What a collective is bound to. */
ORDO_API const struct ordo_problem *ordo_collective_problem(
	const struct ordo_collective *collective);
ORDO_API enum ordo_type ordo_collective_type(const struct ordo_collective *collective);
ORDO_API enum ordo_reduction ordo_collective_reduction(const struct ordo_collective *collective);

/* A group of one schedule for all sizes; the schedule must outlive it. As ordo_group_create. */
ORDO_API struct ordo_group *ordo_group_of_schedule(
	const struct ordo_schedule *schedule, struct ordo_error *error);

/* Calls visit(closure, rank) once for every rank, on the caller's thread and the helpers'. Each
 * thread visits the same contiguous ranks every time, so this is where to write their buffers first
 * (first touch) and to work on them between calls. Returns when all visits have returned. No call
 * may be in progress. */
ORDO_API void ordo_communicator_visit(struct ordo_communicator *communicator,
	void (*visit)(void *closure, uint32_t rank), void *closure);

#ifdef __cplusplus
}
#endif
#endif
