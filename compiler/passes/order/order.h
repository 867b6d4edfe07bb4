/* order.h - the state of one ordering, by what it is about, and the steps of it. Private to
 * passes/order/; the argument is in order.c. */
#ifndef ORDO_COMPILER_PASSES_ORDER_ORDER_H
#define ORDO_COMPILER_PASSES_ORDER_ORDER_H

#include "passes.h"
#include <ordo/arena.h>

struct reader {
	uint32_t move, next;
};

/* The last accesses of each cell. */
struct accesses {
	struct ordo_cells cells;
	/* [cells.nwritable] the last write; the reads since then, a list in pool; or ORDO_NONE */
	uint32_t *writer, *readers;
	struct reader *pool;
	uint32_t npool, free; /* free: a list in pool, or ORDO_NONE */
	size_t room;
};

/* Paths of data: each move continues the chain of the move that wrote what it reads. */
struct data_chains {
	uint32_t *of;	/* [nmove] */
	uint32_t *end;	/* [nmove] by chain: its last move */
	uint32_t *mark; /* [nmove] by chain: the last move of which a dependency lies on it, + 1 */
};

/* An entry of a stream's vector clock: what it knows of another stream, and what it waits for of
 * its beginning or end. Those entries of a stream that come from a Wait in between are a list, the
 * last one first. */
struct clock_entry {
	uint32_t from_lane;
	/* the newest edge, except of a beginning or an end; ORDO_NONE: not in the list */
	uint32_t newest;
	uint32_t signal; /* ORDO_NONE: no edge yet */
	uint32_t shown_from,
		/* from move shown_to on, the second has been shown to know shown_from; ORDO_NONE */
		shown_to;
	uint32_t previous, next; /* ORDO_NONE at the ends of the list */
};

struct clocks {
	struct ordo_near_map ids; /* (to, from) streams -> index into entries */
	struct clock_entry *entries;
	uint32_t count;
	size_t room;
};

struct lane_state {
	/* the newest edge it waits for, except those from a beginning; ORDO_NONE */
	uint32_t newest_in;
	uint32_t newest_out;   /* the newest edge after which it notifies; ORDO_NONE */
	uint32_t newest_entry; /* the first of its list; ORDO_NONE */
	/* the last move it notified after, except of a leaving rank; ORDO_NONE */
	uint32_t last_out;
	/* the last of these after which the one notified notified others; ORDO_NONE */
	uint32_t last_passed_on;
	/* of the edges it waits for, the newest after which it notified others; ORDO_NONE */
	uint32_t newest_passed_on;
	uint32_t search;    /* the search that last came here, */
	uint32_t seen;	    /* and up to which move */
	uint32_t reaching;  /* the search that last came here forwards, */
	uint32_t knows;	    /* and the move from which on the stream knows */
	uint32_t lately[2]; /* the clock entries last looked for, the latest first; ORDO_NONE */
	uint32_t last;	    /* on a topology: its last move or relay; ORDO_NONE */
	uint32_t beside;    /* the next stream of the same rank; ORDO_NONE */
};

/* Edges linked to earlier ones, and what their signals are numbered by. */
struct edge_lists {
	/* [nedge] the previous edge of the same waiting stream, or of the same leaving rank */
	uint32_t *before;
	size_t before_room;
	/* [nedge] the previous edge of the same notifying stream */
	uint32_t *beside;
	size_t beside_room;
	/* [nedge] the previous edge of the same two streams, except of their beginnings and ends */
	uint32_t *same;
	size_t same_room;
	struct ordo_map signals; /* (rank, rank) -> number of signals */
};

struct rank_states {
	uint32_t *leaving;   /* [nrank] the newest edge a rank waits for when it leaves */
	uint32_t *some_lane; /* [nrank] its first stream, or ORDO_NONE */
	uint32_t *lanes;     /* [nrank] a list of its streams, that of the latest relay first */
	uint32_t *nrelaying; /* [nrank] how many streams it got for relays */
	bool *waited_for;    /* [nrank] some stream has waited for it */
	/* (stream, rank) -> a move from which on the stream knows that the rank has entered */
	struct ordo_near_map entered;
	/* (rank, peer) -> the first stream of the rank that moves something to the peer */
	struct ordo_map sends_to;
	bool has_senders; /* sends_to is filled */
};

/* What the move at hand must come after. */
struct dependencies {
	uint32_t *moves;
	uint32_t count;
	size_t room;
};

/* A stream up to a move, that a search has come to, and the newest edge it has waited for by
 * then. */
struct visit {
	uint32_t lane, position, newest_in;
};

/* A stream that knows a move from a position on, and the next edge to look at. */
struct reached {
	uint32_t lane, position, edge;
};

struct search {
	struct visit *visits;
	uint32_t nvisit;
	size_t room;
	struct reached *reached; /* forwards */
	uint32_t nreached, first;
	size_t reached_room;
	uint32_t number; /* of this search */
	uint64_t most_visits;
};

/* Of each stream, rows of the last moves that waited: the last move of every stream, or of every
 * rank, that it can know, + 1; 0: none. */
struct horizons {
	uint32_t nlane; /* streams that have rows; 0: there are none */
	uint32_t width; /* streams, or ranks, in a row */
	bool by_rank;
	uint32_t *rows;	 /* [nlane][ROWS][width] */
	uint32_t *since; /* [nlane][ROWS] the move that waited */
	uint8_t *newest; /* [nlane] row */
};

/* How many moves of each stream that moves data, from the first on, a stream knows from one move
 * that waited until the next. */
struct known_row {
	uint16_t *counts; /* [width] */
	uint32_t lane;
	uint32_t since; /* the move that waited; of a free row: the next free one */
	uint32_t until; /* the next move that waited; ORDO_NONE: none yet */
	uint32_t nheld; /* by how many cells its stream may still be asked for what it knew then */
	bool exact;	/* false: it may know more */
};

struct knowledge {
	uint32_t width;	   /* streams in a row: those there are at first; 0: there are no rows */
	uint16_t *numbers; /* [nmove] of a move in its stream, from 1; of a relay 0 */
	uint32_t *row_of;  /* [nmove] the row of its stream when it ran; ORDO_NONE */
	struct known_row *rows; /* [nrow] */
	uint32_t nrow, free;	/* free: a list of rows, or ORDO_NONE */
	size_t row_room;
	uint16_t *nothing; /* [width] a row of 0 */
	uint32_t *newest;  /* [nlane] row of a stream; ORDO_NONE: it has not waited */
	uint32_t nlane;
	size_t room;
	uint64_t bytes_left; /* that rows may still take */
	/* [cells.nwritable] the last move that writes a cell, and the last that reads or writes it,
	 * + 1; 0: none */
	uint32_t *last_write, *last_access;
	uint8_t *after_read; /* [nmove] what comes after the move at the cells that it reads */
};

enum ordo_answer { ORDO_NO, ORDO_YES, ORDO_UNKNOWN };

struct ordering {
	struct ordo_sequence *sequence;
	struct ordo_sync_edges *edges;
	uint32_t *newest_in; /* [nmove] the newest edge its stream has waited for when it runs */
	bool *settled;	     /* [nmove] the rank it writes to knows that it is done */
	struct lane_state *lanes; /* [nlane] */
	size_t lane_room;
	struct accesses accesses;
	struct data_chains chains;
	struct clocks clocks;
	struct horizons horizons;
	struct knowledge knowledge;
	struct edge_lists lists;
	struct rank_states ranks;
	struct dependencies deps;
	struct search search;
	bool no_memory;
};

static inline uint32_t rank_of(const struct ordering *o, uint32_t lane)
{
	return o->sequence->lanes[lane].rank;
}

static inline uint32_t lane_of(const struct ordering *o, uint32_t move)
{
	return o->sequence->moves[move].stream;
}

/* count + 1 times ORDO_NONE. NULL: no memory. */
static inline uint32_t *ordo_order_nones(uint32_t count)
{
	return ordo_array_make((size_t)count + 1, sizeof(uint32_t), 0xff);
}

/* A stream that has neither waited nor notified. */
extern const struct lane_state ordo_order_new_lane;

/* clock.c */

/* From this move on, at the latest, the stream knows that the rank has entered. */
void ordo_order_note_entered(struct ordering *o, uint32_t lane, uint32_t rank, uint32_t move);
/* A stream has to do with few others at a time: those last looked for need no table. NULL: another
 * one. */
static inline struct clock_entry *ordo_order_last_used(
	struct ordering *o, uint32_t from_lane, uint32_t to_lane)
{
	const struct lane_state *state = &o->lanes[to_lane];
	for (int i = 0; i < 2; i++)
		if (state->lately[i] != ORDO_NONE &&
			o->clocks.entries[state->lately[i]].from_lane == from_lane)
			return &o->clocks.entries[state->lately[i]];
	return NULL;
}
/* The entry of from_lane in to_lane's clock, made if there is none. NULL: no memory. */
struct clock_entry *ordo_order_look_up_clock(
	struct ordering *o, uint32_t from_lane, uint32_t to_lane);
static inline struct clock_entry *ordo_order_make_clock(
	struct ordering *o, uint32_t from_lane, uint32_t to_lane)
{
	struct clock_entry *entry = ordo_order_last_used(o, from_lane, to_lane);
	return entry ? entry : ordo_order_look_up_clock(o, from_lane, to_lane);
}

/* The newest edge between two streams that the second has waited for when it comes to move
 * `position`. */
uint32_t ordo_order_waited_for(
	struct ordering *o, const struct clock_entry *entry, uint32_t position);
/* Does `lane`, when it has come to move `position`, know `move` by something waited for or
 * shown? */
bool ordo_order_knows(struct ordering *o, uint32_t lane, uint32_t position, uint32_t move);

/* horizon.c */

/* Rows for so many streams, if there is room for them; at first also how long they are. false: no
 * memory. */
bool ordo_order_widen_horizons(struct ordering *o, uint32_t width);
void ordo_order_free_horizons(struct ordering *o);
/* Move `to` waits for what is done with move `from`. */
void ordo_order_learn(struct ordering *o, uint32_t from, uint32_t to);
/* Whether a stream, when it has come to move `position`, knows a move of another one. */
enum ordo_answer ordo_order_ask(
	const struct ordering *o, uint32_t lane, uint32_t position, uint32_t move);

/* knowledge.c */

/* Rows instead of horizons, if there are relays and room for rows; and of one more stream. false:
 * no memory. */
bool ordo_order_begin_knowledge(struct ordering *o);
bool ordo_order_add_knowledge(struct ordering *o);
void ordo_order_free_knowledge(struct ordering *o);
/* As ordo_order_learn and ordo_order_ask, which call them; there are rows. */
void ordo_order_add_to_knowledge(struct ordering *o, uint32_t from, uint32_t to);
enum ordo_answer ordo_order_ask_knowledge(
	const struct ordering *o, uint32_t lane, uint32_t position, uint32_t move);
/* A move has waited for all that it must. */
void ordo_order_note_row(struct ordering *o, uint32_t move);
/* A move has become, or is no longer, a reader or the writer of a cell: what its stream knew is
 * kept meanwhile, if anything will come after it there. */
void ordo_order_hold_row(struct ordering *o, uint32_t cell, uint32_t move, bool writes);
void ordo_order_drop_row(struct ordering *o, uint32_t cell, uint32_t move, bool writes);
/* Whether nothing reads what a move reads once more before it is written. */
bool ordo_order_is_last_read(const struct ordering *o, uint32_t move);

/* search.c */

void ordo_order_start_search(struct ordering *o);
/* The search goes on, later, with what a stream has learnt up to move `position`, unless it was
 * there already. */
void ordo_order_search_from(
	struct ordering *o, uint32_t lane, uint32_t position, uint32_t newest_in);
/* Is `move` before `from`, which is no earlier in the program? true: yes; false: the search goes on
 * from there. */
bool ordo_order_is_before(struct ordering *o, uint32_t move, uint32_t from);
/* Is `move` before any of the places that the search goes on from? */
bool ordo_order_search(struct ordering *o, uint32_t move);
/* Is `earlier` before `move`, which has been dealt with? */
bool ordo_order_was_before(struct ordering *o, uint32_t earlier, uint32_t move);
/* Do stream order and the edges placed so far imply that `to` comes after `from`, or after the rank
 * has entered? The dependencies of `to` that are later than `from` have been dealt with. */
bool ordo_order_implied(struct ordering *o, uint32_t from, uint32_t to);
/* The same of any earlier move, at any time. */
bool ordo_order_implied_already(struct ordering *o, uint32_t move, uint32_t to);
bool ordo_order_entering_implied(struct ordering *o, uint32_t rank, uint32_t to);

/* edges.c */

/* Appends an edge, and gives it the signal of its two streams. before: the newest edge of the list
 * that it goes into, or NULL. NULL: no memory. */
struct clock_entry *ordo_order_place(
	struct ordering *o, struct ordo_sync_edge edge, uint32_t *before);
/* Places an edge from a move to a later one, or from the entering of a rank, unless it is
 * implied. */
void ordo_order_come_after(struct ordering *o, uint32_t from, uint32_t to);
void ordo_order_come_after_entering(struct ordering *o, uint32_t rank, uint32_t to);
/* If the stream of a relay already signals to `to`, after an earlier move or the relay itself: it
 * does so after the relay, and passes on what it has waited for by then. */
bool ordo_order_extend(struct ordering *o, uint32_t relay, uint32_t to);
/* One more stream for a rank, with a label that none of its streams has. ORDO_NONE: no memory. */
uint32_t ordo_order_add_lane(struct ordering *o, uint32_t rank, uint32_t label);
/* The stream of `rank` that signals to stream `other` of another rank, or waits for it, when any
 * would do: the one of the same name, else the one that sends there, else the first. A rank that
 * does nothing gets one. */
uint32_t ordo_order_signalling_lane(struct ordering *o, uint32_t rank, uint32_t other);

/* dependencies.c */

/* Places the edges that the move needs; it is the last reader and writer of its cells then. */
void ordo_order_move(struct ordering *o, uint32_t id);

/* relays.c */

/* Two ranks that have no link write to a third one in turn: they are ordered by the relay before
 * the second move, unless that is implied. */
void ordo_order_relay(struct ordering *o, uint32_t from, uint32_t to);

/* leaving.c */

/* Every rank leaves after the last write of every other rank's stream into its memory; latest
 * first. */
bool ordo_order_leaving(struct ordering *o);

#endif
