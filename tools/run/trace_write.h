/* trace_write.h - writes runs as Chrome trace-event JSON, for Perfetto (ui.perfetto.dev) and
 * chrome://tracing. */
#ifndef ORDO_TOOLS_RUN_TRACE_WRITE_H
#define ORDO_TOOLS_RUN_TRACE_WRITE_H

#include "base/report.h"
#include <ordo/runtime.h>

/* Checks that a trace can be written to the path; NULL (no trace) passes. false: call->status. */
bool accept_trace(struct call *call, const char *path);

/* Writes the records of the last calls of plans of the schedule (each from time 0), after a run
 * with exit code `status`, successful or not. Ranks are processes, streams are threads, tasks are
 * slices with the phase as category, and an arrow leads from every Notify to the Wait that took its
 * token. A file at the path is replaced only by a complete trace. Path NULL: does nothing. Returns
 * the exit code of both. */
int deliver_trace(struct call *call, const char *path, const struct ordo_schedule *schedule,
	const struct ordo_plan *const *plans, uint32_t nplan, int status);

#endif
