/* quotient.h - the shared state of the proof from one program. Private to schedules/symmetry/. */
#ifndef ORDO_SCHEDULES_SYMMETRY_QUOTIENT_H
#define ORDO_SCHEDULES_SYMMETRY_QUOTIENT_H

#include "canonical.h"
#include "values.h"
#include "verify/findings.h"

/* The counters from rank r to rank r + offset with that number, one for every r: rank 0's notifies
 * are for the one to rank `offset`, its waits for the one from rank -offset. */
struct orbit {
	uint32_t offset, number;
	uint32_t notifier, waiter; /* streams; ORDO_NONE: none yet */
	uint32_t nnotify, nwait;
	uint32_t first_wait;	/* its waits in quotient.waits, in order */
	uint32_t posted, taken; /* of this run */
	uint32_t oldest;	/* token, ORDO_NONE: none; */
	uint32_t newest;
};

/* The vector clock of a stream of rank 0: rows[t][r] is the latest preceding Notify of stream t of
 * rank r, + 1; no row: none. */
struct clock {
	uint32_t **rows; /* [nstream] */
};

/* A token in flight, with the clock of its notifier. */
struct token {
	struct clock clock;
	uint32_t next; /* of the same orbit, or free */
};

/* A stream's moves that touch one other rank's memory. */
struct touch {
	uint32_t first, last; /* tasks */
	bool entered;
};

/* One chunk's worth of rank 0's memory. */
struct cell {
	struct value value; /* node ORDO_NONE: undefined */
	uint32_t chunk;
	uint32_t writer, writer_rank; /* ORDO_NONE: none yet */
	uint32_t reader,
		/* reads since then, all by rank 0: the latest, and a list of those of other
		 * streams */
		more;
};

struct reader {
	uint32_t task, next;
};

#define UNDEFINED ORDO_NONE
#define POISONED (ORDO_NONE - 1)

/* Every orbit once, in the order in which rank 0's program names it. */
struct orbit_table {
	struct orbit *items;
	size_t room;
	uint32_t count;
	uint32_t *waits;
	uint32_t fullest; /* the Notify after which an orbit's counters hold most tokens */
	uint32_t unknown; /* tokens.c: a Notify that knows nothing of who waits; ORDO_NONE */
};

struct clock_table {
	struct clock *of_stream; /* [nstream] */
	uint32_t **free_rows;	 /* all rows are as long as there are ranks */
	size_t free_row_room;
	uint32_t nrow, nfree_row;
	uint64_t work;
	uint32_t base; /* of the clocks of this call: tokens.c */
	struct token *tokens;
	size_t token_room;
	uint32_t ntoken, free_token;
};

struct touch_table {
	struct touch *items;
	size_t room;
	uint32_t count;
	struct ordo_map of; /* (stream, rank) -> items */
};

struct memory {
	struct forest forest;
	struct cell *cells;
	uint32_t noutput, nscratch;
	struct reader *readers; /* index 0 is the empty list */
	size_t reader_room;
	uint32_t nreader, free_reader;
};

/* A rank that holds another tree of a chunk than the first that holds it (G1). */
struct unequal {
	uint32_t chunk, rank;
	struct value value;
};

struct quotient {
	const struct ordo_programs *programs;
	const struct ordo_problem *problem;
	const struct ordo_symmetry *symmetry;
	const struct ordo_symmetry_group *group;
	const struct ordo_verify_options *options;
	struct findings findings;

	struct ordo_rank_program program; /* rank 0's */
	uint32_t *stream_of;		  /* [ntask] */
	uint32_t *link;			  /* [ntask] of Notify and Wait: the orbit */

	struct orbit_table orbits;
	struct clock_table clocks;
	struct touch_table touches;
	struct memory memory;

	/* [nchunk], once proved, of the first rank that holds it; NULL: nothing is added */
	struct value *chunk_values;
	struct unequal unequal;
};

/* where.c */
struct where ordo_quotient_where(const struct quotient *q, uint32_t task);

/* orbits.c: R5, R6, R12, R13 as far as it is about signals. */
bool ordo_quotient_number_orbits(struct quotient *q);
bool ordo_quotient_verify_links(struct quotient *q);

/* clocks.c */
bool ordo_quotient_open_clocks(struct quotient *q);
void ordo_quotient_close_clocks(struct quotient *q);
bool ordo_quotient_notify(struct quotient *q, uint32_t task);
/* There must be a token. */
bool ordo_quotient_wait(struct quotient *q, uint32_t task);
/* The latest Notify of stream `of` of that rank that precedes the current point of the stream of
 * rank 0, + 1; 0: none. */
uint32_t ordo_quotient_known(const struct quotient *q, uint32_t stream, uint32_t of, uint32_t rank);
/* What rank 0 knows when it enters a call is what each of its streams knows; entered: [nstream *
 * order], by stream and rank. */
bool ordo_quotient_enter(struct quotient *q, const uint32_t *entered);
/* Adds what it knows when it leaves, at clock `end`, to left: [nstream * order]. */
void ordo_quotient_leave(struct quotient *q, uint32_t end, uint32_t *left);
/* Is task a, done by rank `by`, before what stream `stream` of rank `at` does next? Exact. */
bool ordo_quotient_is_before(
	const struct quotient *q, uint32_t a, uint32_t by, uint32_t stream, uint32_t at);
/* Does the entry of a rank precede the current point of that stream of rank 0? */
bool ordo_quotient_has_entered(const struct quotient *q, uint32_t stream, uint32_t rank);

/* tokens.c: counts tokens in flight if there is a limit on them or it is cheap; after the run,
 * whose clocks are gone then. */
bool ordo_quotient_count_tokens(struct quotient *q);

/* memory.c */
bool ordo_quotient_open_memory(struct quotient *q);
bool ordo_quotient_access(struct quotient *q, uint32_t task);
bool ordo_quotient_verify_touches(struct quotient *q);
bool ordo_quotient_verify_outputs(struct quotient *q);

/* Does a task of rank 0. false: see error. */
typedef bool ordo_quotient_step(struct quotient *q, uint32_t task);
/* quotient.c: does every task of a schedule without deadlock, in an order in which all ranks can at
 * once. false: no memory, or a step failed. */
bool ordo_quotient_run(struct quotient *q, ordo_quotient_step *step);

/* orders.c: the guarantees and the digest. */
bool ordo_quotient_verify_orders(struct quotient *q);

#endif
