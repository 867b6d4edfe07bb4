/* Internal: for the command and the tests. Exported for one release; may change or go after it. */
/* schedules.h - schedules built in memory, copied, and described for messages. */
#ifndef ORDO_SCHEDULES_H
#define ORDO_SCHEDULES_H

#include <ordo/detail/memory_size.h>
#include <ordo/schedule.h>
#include <ordo/topology.h>

#ifdef __cplusplus
extern "C" {
#endif

/* An empty schedule of that problem (which must pass ordo_problem_check): no streams yet, no
 * phases, scratch
 * 0. The caller destroys it. NULL: no memory or a bad problem. */
ORDO_API struct ordo_schedule *ordo_schedule_create(
	const struct ordo_problem *problem, const char *algorithm, struct ordo_error *error);

/* Building. Ranks may come in any order, but all streams of a rank are begun one after another, and
 * tasks go to the stream begun last. Nothing is judged here: what is built may break every rule.
 * false: no memory, or more than 2^32-2 tasks. */
ORDO_API bool ordo_schedule_reserve(
	struct ordo_schedule *schedule, uint32_t nstream, uint32_t ntask, struct ordo_error *error);
ORDO_API bool ordo_schedule_begin_stream(
	struct ordo_schedule *schedule, uint32_t rank, const char *name, struct ordo_error *error);
ORDO_API bool ordo_schedule_append(
	struct ordo_schedule *schedule, const struct ordo_task *task, struct ordo_error *error);
/* So many tasks at once, for the caller to fill in: those up to schedule->ntask. */
ORDO_API bool ordo_schedule_extend(
	struct ordo_schedule *schedule, uint32_t ntask, struct ordo_error *error);
/* Sets the phase names; copies them. */
ORDO_API bool ordo_schedule_set_phases(struct ordo_schedule *schedule, const char *const *phases,
	uint32_t nphase, struct ordo_error *error);

/* The way of a stream; copied. */
ORDO_API bool ordo_schedule_set_via(struct ordo_schedule *schedule, uint32_t stream,
	const struct ordo_via *via, struct ordo_error *error);
/* The way that a stream names; NULL: none. */
static inline const struct ordo_via *ordo_via_of(
	const struct ordo_schedule *schedule, uint32_t stream)
{
	return schedule->vias ? schedule->vias[stream] : NULL;
}

/* Ways over switches. */

/* Most switches that a way may name. */
#define ORDO_MOST_VIA 255

/* A copy in an arena; NULL: no memory. */
ORDO_API const struct ordo_via *ordo_via_copy(struct ordo_arena *arena, const struct ordo_via *via);

/* Whether two streams name the same way; NULL: none. */
ORDO_API bool ordo_via_same(const struct ordo_via *one, const struct ordo_via *other);

/* A way in words: `switches 8, 9 (nvlink)`. Returns the length like snprintf. */
ORDO_API int ordo_via_print(const struct ordo_via *via, char *out, size_t size);

/* How many streams name their way. */
ORDO_API uint32_t ordo_count_vias(const struct ordo_schedule *schedule);

/* The name of a stream, and behind it its way, for pictures: `to 3, via 8 9`. Returns the length
 * like snprintf. */
ORDO_API int ordo_stream_title(
	const struct ordo_schedule *schedule, uint32_t stream, char *out, size_t size);

/* The links of a way from a rank to a peer: on every hop the one of the hop's class; or that of
 * the one named class if there is one, else the best that is up.
 *
 *   links   [nswitch + 1] filled; NULL: only checked
 *   why     [size] what is wrong, if the result is false
 *
 * false: a switch that the topology does not have, a hop without a link that is up, or without one
 * of its class, or no hop with a link of the one class. After ordo_topology_finish; any thread. */
ORDO_API bool ordo_via_links(const struct ordo_via *via, const struct ordo_topology *topology,
	uint32_t from, uint32_t to, uint32_t *links, char *why, size_t size);

/* A deep copy without places and files, to be changed while the original stays. NULL: no memory. */
ORDO_API struct ordo_schedule *ordo_schedule_copy(
	const struct ordo_schedule *schedule, struct ordo_error *error);

/* How much there is of it, for memory.h. */
ORDO_API struct ordo_size ordo_schedule_size(const struct ordo_schedule *schedule);

/* One past the highest scratch slot that the tasks name. */
ORDO_API uint32_t ordo_scratch_end(const struct ordo_task *tasks, uint32_t ntask);

/* The stream a task belongs to. O(log nstream). */
ORDO_API uint32_t ordo_stream_of(const struct ordo_schedule *schedule, uint32_t task);

ORDO_API const char *ordo_task_kind_name(enum ordo_task_kind kind); /* "LocalCopy", ... */
static inline bool ordo_task_moves(const struct ordo_task *task)
{
	return task->kind <= ORDO_SEND_REDUCE;
}
static inline bool ordo_task_reduces(const struct ordo_task *task)
{
	return task->kind == ORDO_LOCAL_REDUCE || task->kind == ORDO_SEND_REDUCE;
}
static inline bool ordo_task_crosses(const struct ordo_task *task) /* has a peer */
{
	return task->kind >= ORDO_SEND;
}

/* The task as one line of text for people and messages, without a newline: the canonical text form,
 * e.g. `Send 1 chunk 3 input 3 -> scratch 1` or `Wait 1 signal 0`. Returns the length like
 * snprintf. */
ORDO_API int ordo_task_print(const struct ordo_task *task, char *out, size_t size);
/* Where a task stands, for messages: `rank 2, stream "ring", task 5 (SendReduce ...)`. Returns the
 * length like snprintf. */
ORDO_API int ordo_task_locate(
	const struct ordo_schedule *schedule, uint32_t task, char *out, size_t size);

#ifdef __cplusplus
}
#endif
#endif
