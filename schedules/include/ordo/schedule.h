/* schedule.h - a schedule in memory: per rank streams of tasks, in compact arrays.
 *
 * tasks[stream.first .. stream.end) are the tasks of one stream, in order; the streams of one rank
 * are consecutive. Task and stream ids are 32-bit indices into these arrays. A schedule is plain
 * data: read it from any number of threads, change it from one.
 */
#ifndef ORDO_SCHEDULE_H
#define ORDO_SCHEDULE_H

#include <ordo/memory.h>
#include <ordo/operator.h>
#include <ordo/owned.h>
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

/* The way that the Sends and SendReduces of one stream take: from its rank over these switches to
 * the peer. */
struct ordo_via {
	/* [nswitch] vertices of the topology, each once, in their order */
	const uint32_t *switches;
	uint32_t nswitch; /* 0: over a link from rank to rank */
	/* where links of several classes join two vertices, the one of this class is taken; NULL:
	 * the fastest that is up */
	const char *class_name;
	/* [nswitch + 1] the class of each hop, none NULL, in place of class_name; NULL: there is
	 * one for all hops, or none */
	const char *const *hop_classes;
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
	/* other ranks touch scratch only: no Send or SendReduce has an end in input or output
	 * (R3) */
	bool staging;

	const char **phases;
	uint32_t nphase;

	const char *topology_name;   /* NULL if the document names none */
	const char *topology_digest; /* 32 hex digits; NULL likewise */
	/* the text of the "x" object in canonical form; NULL if there is none */
	const char *extra;

	struct ordo_program *programs; /* [nrank] */
	struct ordo_stream *streams;   /* [nstream] */
	uint32_t nstream;
	/* [nstream] the way that a stream names, NULL where it names none; NULL: no stream does */
	const struct ordo_via **vias;
	struct ordo_task *tasks; /* [ntask] */
	uint32_t ntask;

	/* Only if it was read from text; NULL otherwise. */
	const char *file;	    /* the document's name */
	const char **program_files; /* [nrank], folder form; NULL in file form */
	struct ordo_place *places;  /* [ntask] */

	/* Private: growth and ownership. */
	size_t task_room, stream_room, via_room, place_room;
	struct ordo_arena arena;
};

/* Frees a schedule that was read, compiled or opened.
 *
 *   schedule   not used by any thread; no proof, prediction, group or communicator still refers to
 *              it. NULL: nothing is done */
ORDO_API void ordo_schedule_destroy(struct ordo_schedule *schedule);

#ifdef __cplusplus
}
#endif
#endif

/* Internal functions, declared here for one release; <ordo/ordo.h> leaves them out. */
#ifndef ORDO_EMBEDDER
#include <ordo/detail/schedules.h>
#endif
