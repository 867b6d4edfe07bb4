/* task.h - the general reader of one task. Private to schedules/. */
#ifndef ORDO_SCHEDULES_JSON_READ_TASK_H
#define ORDO_SCHEDULES_JSON_READ_TASK_H

#include "fields.h"

/* The task at the cursor, in any form that JSON allows. */
bool ordo_read_task(struct ordo_cursor *cursor, struct ordo_task *task);

#endif
