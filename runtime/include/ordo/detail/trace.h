/* trace.h - when each task of a run began and ended, on which thread, and for whose token it
 * waited.
 *
 * A plan that is traced remembers its last calls: two readings of the clock and 24 bytes a task and
 * round, allocated when tracing begins, written without a lock by whoever runs the task. The tasks
 * of one stream never overlap in time, and no Wait ends before the Notify whose token it takes has
 * begun. What is no task (looking for a stream to run, the division of an average) lies between
 * them. A plan that is not traced pays a comparison a task.
 *
 * Long chunks are moved in rounds (tile_bytes), and every round runs every task once. Rounds are
 * counted from 0 since the plan was made: call c of a rank is its rounds c * rounds_per_call .. (c
 * + 1) * rounds_per_call - 1.
 */
/* Internal: for the command and the tests. Installed for programs of this release; may change or
 * go with the next. */
#ifndef ORDO_TRACE_H
#define ORDO_TRACE_H

#include <ordo/runtime.h>

#ifdef __cplusplus
extern "C" {
#endif

/* From now on runs of the plan are recorded, and the last ncall calls (at least 1) are kept. No run
 * may be under way. What was recorded before is dropped, also if this fails. false: no memory. */
ORDO_API bool ordo_plan_trace_begin(
	struct ordo_plan *plan, uint32_t ncall, struct ordo_error *error);
/* Records no more and frees what was recorded; so does ordo_plan_destroy. No run may be under
 * way. */
ORDO_API void ordo_plan_trace_end(struct ordo_plan *plan);

/* What is kept: rounds begin .. end - 1, those of the last calls that any rank has entered. */
struct ordo_trace_extent {
	uint64_t begin, end;
	uint64_t rounds_per_call;
};
ORDO_API struct ordo_trace_extent ordo_plan_trace_extent(const struct ordo_plan *plan);

/* One task in one round. Times are of CLOCK_MONOTONIC, in ns. */
struct ordo_traced_task {
	uint64_t begin_ns; /* a Wait: when its stream first looked for the token */
	/* a Wait: when it had the token; 0: the task did not end, because the run was given up */
	uint64_t end_ns;
	/* the thread that ran it: the rank in ordo_plan_run_rank; 0 is the caller and others count
	 * on in ordo_plan_run_threads; 0 otherwise */
	uint32_t worker;
	/* a Wait: the task whose token it takes; otherwise, or if there is none: ORDO_NONE */
	uint32_t notify;
	uint64_t notify_round; /* and its round: the same one, if the schedule is balanced (R6) */
	uint64_t bytes;	       /* moved in this round */
};
/* Any number of threads may ask, while no run is under way. round and task (an index into the
 * schedule's tasks) may be any. false: the task did not begin in that round, or that is not
 * kept. */
ORDO_API bool ordo_plan_traced_task(const struct ordo_plan *plan, uint64_t round, uint32_t task,
	struct ordo_traced_task *traced);

#ifdef __cplusplus
}
#endif
#endif
