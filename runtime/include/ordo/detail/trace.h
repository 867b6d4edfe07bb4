/* Internal: for the command and the tests. Exported for one release; may change or go after it. */
/* trace.h - records when each task of a run begins and ends, on which thread, and which Notify each
 * Wait waits for.
 *
 * A traced plan keeps its last calls. Tracing costs two clock readings and 24 bytes per task and
 * round; the memory is allocated when tracing begins, and written without a lock by the thread that
 * runs the task. The tasks of one stream never overlap in time, and no Wait ends before the Notify
 * whose token it takes has begun. Everything else (looking for a stream to run, the division of an
 * average) lies between tasks. A plan that is not traced pays one comparison per task.
 *
 * Long chunks are moved in rounds (tile_bytes), and every round runs every task once. Rounds are
 * counted from 0 since the plan was made: call c of a rank is its rounds c * rounds_per_call .. (c
 * + 1) * rounds_per_call - 1.
 */
#ifndef ORDO_TRACE_H
#define ORDO_TRACE_H

#include <ordo/detail/plans.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Starts recording runs of the plan, and keeps the last ncall calls (at least 1). Drops earlier
 * records, even if it fails. No run may be in progress. false: no memory. */
ORDO_API bool ordo_plan_trace_begin(
	struct ordo_plan *plan, uint32_t ncall, struct ordo_error *error);
/* Stops recording and frees the records; so does ordo_plan_destroy. No run may be in progress. */
ORDO_API void ordo_plan_trace_end(struct ordo_plan *plan);

/* The rounds kept: begin .. end - 1, those of the last calls that any rank has entered. */
struct ordo_trace_extent {
	uint64_t begin, end;
	uint64_t rounds_per_call;
};
ORDO_API struct ordo_trace_extent ordo_plan_trace_extent(const struct ordo_plan *plan);

/* One task in one round. Times are of CLOCK_MONOTONIC, in ns. */
struct ordo_traced_task {
	uint64_t begin_ns; /* a Wait: when its stream first looked for the token */
	/* a Wait: when it took the token; 0: the task did not end, because the run was aborted */
	uint64_t end_ns;
	/* the thread that ran it: in ordo_plan_run_rank the rank; in ordo_plan_run_threads 0 for
	 * the caller and 1, 2, ... for the others; otherwise 0 */
	uint32_t worker;
	/* a Wait: the Notify whose token it takes; otherwise, or if there is none: ORDO_NONE */
	uint32_t notify;
	/* its round: the same as the Wait's, if the schedule is balanced (R6) */
	uint64_t notify_round;
	uint64_t bytes; /* moved in this round */
};
/* Any number of threads may call, while no run is in progress. Accepts any round and task (an index
 * into the schedule's tasks). false: the task did not begin in that round, or the round is not
 * kept. */
ORDO_API bool ordo_plan_traced_task(const struct ordo_plan *plan, uint64_t round, uint32_t task,
	struct ordo_traced_task *traced);

#ifdef __cplusplus
}
#endif
#endif
