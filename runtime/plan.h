/* plan.h - what a bound schedule is inside the runtime. Private to runtime/. */
#ifndef ORDO_PLAN_H
#define ORDO_PLAN_H

#include <ordo/runtime.h>
#include <stdalign.h>
#include <stdatomic.h>

#define CACHE_LINE 64

/* Where chunks lie, in elements. With chunks one after another in the order of their ids, chunk c begins at chunk_begin(c):
 *   EVEN    c * block                              K = 1, equal blocks
 *   BLOCKS  (c / K) * block + begin[c % K]         equal blocks
 *   TABLE   begin[c]                               one block, or blocks of different sizes
 */
struct layout {
	enum { EVEN, BLOCKS, TABLE } form;
	uint32_t chunks_per_block, nchunk;
	uint64_t block;
	uint64_t *begin;	/* [K + 1] or [nchunk + 1] */
	uint64_t *output_begin; /* AllToAll of different sizes: [nrank][nrank * K + 1] of output slots; else
				   NULL */
	uint64_t largest;	/* chunk */
	bool equal;		/* all chunks have one size */
	uint64_t stride;	/* from one scratch slot to the next */
	uint64_t tile;		/* of each chunk, moved in one round */
	uint64_t nround;	/* in one run */
};

/* One of a rank's buffers. Slot s of input and output holds chunk first + s, and begins chunk_begin(first +
 * s) - origin elements into the memory. */
struct region {
	_Atomic(unsigned char *) memory; /* NULL: not bound */
	uint32_t first, nslot;
	uint64_t origin;
	uint64_t nelement;
};

struct rank_state {
	alignas(CACHE_LINE) struct region regions[ORDO_NBUFFER];
	bool bound;
	uint64_t ncall;		       /* runs this rank has begun */
	uint64_t round;		       /* of the run under way */
	_Atomic uint32_t streams_left; /* in this round */
	_Atomic uint32_t rank_left;    /* 1 while this rank runs on its own thread */
};

struct stream_state {
	uint32_t at;   /* the next task */
	uint32_t next; /* in a list of runnable streams */
};

/* A signal of the schedule. Its word is (tokens ever added) * 2 + (1 if the waiting stream is parked), modulo
 * 2^32. */
struct signal {
	uint32_t from, to, number;
	uint32_t notifier, waiter; /* streams; ORDO_NONE */
};

/* Takes part in a run: a thread, with the streams that are runnable on it. */
struct member {
	alignas(CACHE_LINE) _Atomic uint32_t
		incoming; /* a list of streams others made runnable, EMPTY or ASLEEP */
	alignas(CACHE_LINE) _Atomic uint32_t stepping; /* may touch memory */
	_Atomic uint64_t moved;			       /* steps taken */
};

struct sent {
	uint32_t to;
	uint64_t bytes;
};

/* NOLINTNEXTLINE(clang-analyzer-optin.performance.Padding): the order is by use, and there are few plans */
struct ordo_plan {
	/* Looked at before every task, and written once at most, so it lies with what is never written. */
	_Atomic uint32_t stopped; /* enum stopped */
	const struct ordo_schedule *schedule;
	enum ordo_type type;
	enum ordo_reduction reduction;
	uint64_t element; /* bytes */
	uint32_t watchdog_ms;
	struct layout layout;

	struct rank_state *ranks; /* [nrank] */
	_Atomic uint32_t nunbound;
	struct stream_state *streams; /* [nstream] */
	unsigned char *scratch;
	uint64_t scratch_bytes; /* per rank */

	struct signal *signals; /* [nsignal] */
	uint32_t nsignal;
	uint32_t *signal_of;	 /* [ntask] for Notify and Wait */
	_Atomic uint32_t *words; /* [nsignal << word_shift] */
	uint32_t word_shift;	 /* each on a cache line of its own, unless there are very many */
	uint32_t *taken; /* [nsignal] tokens ever taken, modulo 2^31; only the waiting stream looks at it */

	uint32_t *first_sent; /* [nrank + 1] into sent, sorted by to */
	struct sent *sent;

	/* Runs on threads; see transports/threads.c. */
	struct member *members; /* [nrank] */
	uint32_t nmember;
	uint32_t ncore;	       /* of the machine */
	struct ordo_error why; /* the run was given up */
	struct crew *crew;

	uint32_t *runnable; /* [nstream] for transports/seeded.c */

	alignas(CACHE_LINE) _Atomic uint32_t awake; /* members */
	_Atomic uint32_t ranks_left;		    /* in a run on our threads */
};

enum stopped { RUNNING, STOPPING, STOPPED /* why is written */ };

/* Fills the layout; the tile is tile_bytes of each chunk. On failure, too, it is to be freed. */
bool ordo_layout_make(struct layout *layout, const struct ordo_problem *problem,
	const struct ordo_plan_options *options, uint64_t tile_bytes, struct ordo_error *error);
void ordo_layout_free(struct layout *layout);
/* Signals of the schedule -> plan->signals, signal_of, words, taken. */
bool ordo_plan_number_signals(struct ordo_plan *plan, struct ordo_error *error);
/* Every rank is bound and no run was given up. */
bool ordo_plan_is_ready(struct ordo_plan *plan, struct ordo_error *error);

/* Errors; all return false. With the place of a task in front: */
bool ordo_fail_task(const struct ordo_schedule *schedule, uint32_t task, int rule, struct ordo_error *error,
	const char *format, ...) __attribute__((format(printf, 5, 6)));
/* Who waits for whom, when nothing moves: */
bool ordo_fail_stuck(const struct ordo_plan *plan, struct ordo_error *error);
/* A stream's next task would touch memory that is not bound: */
bool ordo_fail_unbound(const struct ordo_plan *plan, uint32_t stream, struct ordo_error *error);
/* An earlier run was given up, because of plan->why: */
bool ordo_fail_again(const struct ordo_plan *plan, struct ordo_error *error);

/* Does the stream stand before a Wait with no token to take? */
bool ordo_is_waiting(const struct ordo_plan *plan, uint32_t stream);

/* Nobody takes part in a run: one member a rank. */
void ordo_members_reset(struct ordo_plan *plan);
void ordo_crew_destroy(struct crew *crew); /* takes NULL */

enum step {
	STEP_MOVED,
	STEP_BLOCKED, /* parked on a signal: whoever adds a token to it makes the stream runnable */
	STEP_DONE,
	STEP_UNBOUND, /* the peer's memory is not bound yet: only in a schedule that was not proved */
};

/* Runs one task of a stream. *woken is a stream that was parked and is runnable now, or ORDO_NONE. */
enum step ordo_step(struct ordo_plan *plan, uint32_t stream, uint32_t *woken);
/* Puts the streams of a rank at their heads, for a new round. */
void ordo_begin_round(struct ordo_plan *plan, uint32_t rank);

static inline uint64_t chunk_begin(const struct layout *layout, uint32_t chunk)
{
	switch (layout->form) {
	case EVEN:
		return chunk * layout->block;
	case BLOCKS:
		return chunk / layout->chunks_per_block * layout->block +
		       layout->begin[chunk % layout->chunks_per_block];
	case TABLE:
		break;
	}
	return layout->begin[chunk];
}

static inline _Atomic uint32_t *signal_word(const struct ordo_plan *plan, uint32_t signal)
{
	return &plan->words[(size_t)signal << plan->word_shift];
}

/* Where a slot begins, in elements from the start of its buffer; also for the end of the last slot. */
static inline uint64_t slot_begin(
	const struct ordo_plan *plan, uint32_t rank, enum ordo_buffer buffer, uint32_t slot)
{
	const struct layout *layout = &plan->layout;
	const struct region *region = &plan->ranks[rank].regions[buffer];
	if (buffer == ORDO_SCRATCH)
		return slot * layout->stride;
	if (buffer == ORDO_OUTPUT && layout->output_begin) {
		uint64_t row = (uint64_t)region->nslot + 1;
		return layout->output_begin[rank * row + slot];
	}
	if (region->first + (uint64_t)slot <= layout->nchunk)
		return chunk_begin(layout, region->first + slot) - region->origin;
	/* Virtual shards: several vectors one after another. */
	return slot / layout->nchunk * chunk_begin(layout, layout->nchunk) +
	       chunk_begin(layout, slot % layout->nchunk);
}

/* Consecutive slots of a rank's buffer. */
struct slots {
	uint32_t rank;
	enum ordo_buffer buffer;
	uint32_t first;
};

/* Is a slot of input or output the one that the operator gives to the chunk? Then the next slots are those of the next chunks, as far as
 * there are any: modulo nchunk, because virtual shards lie one after another. */
static inline bool is_at_home(const struct ordo_plan *plan, struct slots slots, uint32_t chunk)
{
	if (slots.buffer == ORDO_SCRATCH ||
		(slots.buffer == ORDO_OUTPUT && plan->schedule->problem.op == ORDO_ALLTOALL))
		return false;
	return (plan->ranks[slots.rank].regions[slots.buffer].first + slots.first) % plan->layout.nchunk ==
	       chunk;
}

/* Do this chunk and the next ones lie in these slots without gaps? */
static inline bool are_packed(const struct ordo_plan *plan, struct slots slots, uint32_t chunk)
{
	const struct layout *layout = &plan->layout;
	if (slots.buffer == ORDO_SCRATCH)
		return layout->equal && layout->stride == layout->largest;
	return layout->equal || is_at_home(plan, slots, chunk);
}

#endif
