/* check.h - checks of a schedule before it may run. Private to runtime/. */
#ifndef ORDO_RUNTIME_TASKS_CHECK_H
#define ORDO_RUNTIME_TASKS_CHECK_H

#include "plan.h"

/* Every stream belongs to one rank (R2). Needs no layout. */
bool ordo_check_streams(const struct ordo_schedule *schedule, struct ordo_error *error);
/* Every task accesses only memory of bound buffers (R1 to R4), with the plan's layout. */
bool ordo_plan_check_tasks(const struct ordo_plan *plan, struct ordo_error *error);

#endif
