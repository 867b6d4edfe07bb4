/* step.h - the interpreter: runs one task of one stream. Private to runtime/. */
#ifndef ORDO_RUNTIME_TASKS_STEP_H
#define ORDO_RUNTIME_TASKS_STEP_H

#include "plan.h"

enum step_result {
	STEP_MOVED,
	STEP_BLOCKED, /* parked on a signal: the stream that adds a token makes it runnable */
	STEP_DONE,
	/* the peer's memory is not bound: possible only in a schedule that was not proved */
	STEP_UNBOUND,
};

/* Runs one task of a stream. *woken: a stream that was parked and is now runnable, or ORDO_NONE. */
enum step_result ordo_step(struct ordo_plan *plan, uint32_t stream, uint32_t *woken);
/* Divides the sums of a round into averages after all streams of a rank have ended it, when no
 * other rank accesses what it has written there (R9). */
void ordo_divide_round(const struct ordo_plan *plan, uint32_t rank, uint64_t round);

#endif
