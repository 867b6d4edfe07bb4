/* task_error.h - an error that begins with the location of a task. Private to runtime/. */
#ifndef ORDO_RUNTIME_TASKS_TASK_ERROR_H
#define ORDO_RUNTIME_TASKS_TASK_ERROR_H

#include <ordo/schedule.h>

/* Returns false. */
bool ordo_fail_task(const struct ordo_schedule *schedule, uint32_t task, int rule,
	struct ordo_error *error, const char *format, ...) __attribute__((format(printf, 5, 6)));

#endif
