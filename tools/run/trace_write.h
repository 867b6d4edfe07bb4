/* trace_write.h - runs as Chrome trace-event JSON, which Perfetto (ui.perfetto.dev) and
 * chrome://tracing open. */
#ifndef ORDO_TOOLS_RUN_TRACE_WRITE_H
#define ORDO_TOOLS_RUN_TRACE_WRITE_H

#include "base/report.h"
#include <ordo/runtime.h>

/* Is the path one a trace can be written to? NULL is: no trace is wanted. false: call->status. */
bool accept_trace(struct call *call, const char *path);

/* At the end of a run with exit code `status`, whether it worked or not: writes what plans of the
 * schedule recorded of their last calls (each from time 0), and says so. Ranks are processes,
 * streams are threads, tasks are slices with the phase as category, and an arrow leads from every
 * Notify to the Wait that took its token. What was at the path stays until the trace is whole. Path
 * NULL: does nothing. Returns the exit code of both. */
int deliver_trace(struct call *call, const char *path, const struct ordo_schedule *schedule,
	const struct ordo_plan *const *plans, uint32_t nplan, int status);

#endif
