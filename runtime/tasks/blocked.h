/* blocked.h - who waits for whom in a run in which nothing moves. Private to runtime/. */
#ifndef ORDO_RUNTIME_TASKS_BLOCKED_H
#define ORDO_RUNTIME_TASKS_BLOCKED_H

#include "plan.h"

/* Does the stream stand before a Wait with no token to take? */
bool ordo_is_waiting(const struct ordo_plan *plan, uint32_t stream);

/* Errors; both return false. Who waits for whom, when nothing moves: */
bool ordo_fail_blocked(const struct ordo_plan *plan, struct ordo_error *error);
/* A stream's next task would touch memory that is not bound: */
bool ordo_fail_unbound(const struct ordo_plan *plan, uint32_t stream, struct ordo_error *error);

#endif
