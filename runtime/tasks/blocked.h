/* blocked.h - which streams wait for which in a run that makes no progress. Private to runtime/. */
#ifndef ORDO_RUNTIME_TASKS_BLOCKED_H
#define ORDO_RUNTIME_TASKS_BLOCKED_H

#include "plan.h"

/* Whether the stream's next task is a Wait whose signal has no token. */
bool ordo_is_waiting(const struct ordo_plan *plan, uint32_t stream);

/* Both return false. The run makes no progress: the error names who waits for whom. */
bool ordo_fail_blocked(const struct ordo_plan *plan, struct ordo_error *error);
/* A stream's next task would access memory that is not bound. */
bool ordo_fail_unbound(const struct ordo_plan *plan, uint32_t stream, struct ordo_error *error);

#endif
