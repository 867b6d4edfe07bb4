/* schedule.h - a schedule in memory: per rank streams of tasks, in compact arrays.
 *
 * tasks[stream.first .. stream.end) are the tasks of one stream, in order; the streams of one rank
 * are consecutive. Task and stream ids are 32-bit indices into these arrays. A schedule is plain
 * data: read it from any number of threads, change it from one.
 */
#ifndef ORDO_SCHEDULE_H
#define ORDO_SCHEDULE_H

#include <ordo/detail/owned.h>
#include <ordo/memory.h>
#include <ordo/operator.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

enum ordo_task_kind {
	ORDO_LOCAL_COPY,   /* dst = src, both on this rank */
	ORDO_LOCAL_REDUCE, /* dst = dst op src, both on this rank */
	ORDO_SEND,	   /* dst on the peer = src on this rank */
	ORDO_SEND_REDUCE,  /* dst on the peer = dst op src on this rank */
	ORDO_NOTIFY,	   /* adds one token to counter (this rank -> peer, signal) */
	/* takes one token from counter (peer -> this rank, signal), blocking until there is one */
	ORDO_WAIT,
};
#define ORDO_NTASK_KIND 6

#define ORDO_NO_PHASE ((1u << 25) - 1)

/* 24 bytes. Notify and Wait use kind, peer, signal and phase only; their other fields are 0. */
struct ordo_task {
	uint32_t kind : 3;	 /* enum ordo_task_kind */
	uint32_t src_buffer : 2; /* enum ordo_buffer */
	uint32_t dst_buffer : 2;
	uint32_t phase : 25; /* index into phases, or ORDO_NO_PHASE */
	uint32_t peer;	     /* Send, SendReduce, Notify, Wait; 0 otherwise */
	union {
		uint32_t chunk;	 /* first chunk moved */
		uint32_t signal; /* Notify, Wait */
	};
	uint32_t count; /* how many consecutive chunks, >= 1 */
	uint32_t src;	/* first slot */
	uint32_t dst;
};

struct ordo_stream {
	uint32_t rank;
	uint32_t first, end; /* its tasks */
	const char *name;    /* owned by the schedule */
};

/* The streams of one rank. */
struct ordo_program {
	uint32_t first_stream, end_stream;
};

/* Where in its file a task was read, from 1. */
struct ordo_place {
	uint32_t line, column;
};

struct ordo_schedule {
	struct ordo_problem problem;
	const char *algorithm;
	uint32_t scratch_slots; /* on every rank */

	const char **phases;
	uint32_t nphase;

	const char *topology_name;   /* NULL if the document names none */
	const char *topology_digest; /* 32 hex digits; NULL likewise */
	/* the text of the "x" object in canonical form; NULL if there is none */
	const char *extra;

	struct ordo_program *programs; /* [nrank] */
	struct ordo_stream *streams;   /* [nstream] */
	uint32_t nstream;
	struct ordo_task *tasks; /* [ntask] */
	uint32_t ntask;

	/* Only if it was read from text; NULL otherwise. */
	const char *file;	    /* the document's name */
	const char **program_files; /* [nrank], folder form; NULL in file form */
	struct ordo_place *places;  /* [ntask] */

	/* Private: growth and ownership. */
	size_t task_room, stream_room, place_room;
	struct ordo_arena arena;
};

/* An empty schedule of that problem (which must pass ordo_problem_check): no streams yet, no
 * phases, scratch
 * 0. The caller destroys it. NULL: no memory or a bad problem. */
ORDO_API struct ordo_schedule *ordo_schedule_create(
	const struct ordo_problem *problem, const char *algorithm, struct ordo_error *error);
ORDO_API void ordo_schedule_destroy(struct ordo_schedule *schedule); /* takes NULL */

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

/* A deep copy without places and files. NULL: no memory. */
ORDO_API struct ordo_schedule *ordo_schedule_copy(
	const struct ordo_schedule *schedule, struct ordo_error *error);

/* How much there is of it, for memory.h. */
ORDO_API struct ordo_size ordo_schedule_size(const struct ordo_schedule *schedule);

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
