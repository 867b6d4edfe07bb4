/* trace_read.h - reads the timeline of a run from the trace that `ordo run --trace` wrote. */
#ifndef ORDO_TOOLS_RUN_TRACE_READ_H
#define ORDO_TOOLS_RUN_TRACE_READ_H

#include <ordo/timeline.h>
#include <stdio.h>

#define LATEST_CALL UINT64_MAX
#define MIDDLE_ROUND UINT64_MAX

/* One round of a trace: every task runs once in every round of every call. */
struct traced {
	struct ordo_timeline *timeline;
	bool *absent; /* [ntask] tasks that never began; NULL: all did */
	uint32_t nabsent, nunfinished;
	uint64_t call, round;
	uint64_t ncall, nround; /* calls in the trace, and rounds of the call */
	uint64_t first_call, last_call;
	bool replayed; /* the trace has several interleavings; this is the first */
	double call_seconds;
};

/* Reads a trace, from where the file stands, against the schedule that was run: every event must be
 * a task of it. Times are from the begin of the round. The cause of a task is what ended last of:
 * the task before it, the Notify whose token it took, what its thread did before. call LATEST_CALL:
 * the last one in it. round MIDDLE_ROUND: of the call's the one with the median length. `name` is
 * for messages. The caller ends it, also after false: unreadable, no trace, of another schedule, or
 * there is no such call or round (ORDO_USAGE). */
bool read_traced(FILE *in, const char *name, const struct ordo_schedule *schedule, uint64_t call,
	uint64_t round, struct traced *traced, struct ordo_error *error);
void end_traced(struct traced *traced);

#endif
