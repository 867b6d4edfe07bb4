/* step.h - the interpreter: runs one task of one stream. Private to runtime/. */
#ifndef ORDO_RUNTIME_TASKS_STEP_H
#define ORDO_RUNTIME_TASKS_STEP_H

#include "plan.h"

enum step_result {
	STEP_MOVED,
	STEP_BLOCKED, /* parked on a signal: whoever adds a token to it makes the stream runnable */
	STEP_DONE,
	/* the peer's memory is not bound yet: only in a schedule that was not proved */
	STEP_UNBOUND,
};

/* Runs one task of a stream. *woken is a stream that was parked and is runnable now, or
 * ORDO_NONE. */
enum step_result ordo_step(struct ordo_plan *plan, uint32_t stream, uint32_t *woken);
/* Puts the streams of a rank at their heads, for a new round. */
void ordo_begin_round(struct ordo_plan *plan, uint32_t rank);
/* Makes averages of sums, when all streams of a rank have ended; from then on nobody else touches
 * its memory (R9). */
void ordo_end_round(const struct ordo_plan *plan, uint32_t rank);

#endif
