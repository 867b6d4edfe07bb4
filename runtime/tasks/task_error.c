/* task_error.c - an error that begins with the location of a task. */
#include "task_error.h"
#include <stdarg.h>
#include <stdio.h>

bool ordo_fail_task(const struct ordo_schedule *schedule, uint32_t task, int rule,
	struct ordo_error *error, const char *format, ...)
{
	char where[256], text[512];
	ordo_task_locate(schedule, task, where, sizeof where);
	va_list arguments;
	va_start(arguments, format);
	vsnprintf(text, sizeof text, format, arguments);
	va_end(arguments);
	ordo_fail(error, rule ? ORDO_REFUTED : ORDO_USAGE, rule, "%s: %s", where, text);
	if (!error)
		return false;
	const char *file = schedule->file;
	if (schedule->program_files)
		file = schedule->program_files[schedule->streams[ordo_stream_of(schedule, task)]
						       .rank];
	if (file)
		snprintf(error->file, sizeof error->file, "%s", file);
	if (schedule->places) {
		error->line = schedule->places[task].line;
		error->column = schedule->places[task].column;
	}
	return false;
}
