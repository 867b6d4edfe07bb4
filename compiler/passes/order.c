/* order.c - removes the order from the sequence: what must still wait for what becomes a
 * synchronisation edge: a Notify and its Wait.
 *
 * What must be ordered. Every two accesses of one cell (in place, both names of a slot are one
 * cell) of which one is a write stay in program order. It is enough to ask for consecutive ones: a
 * read after the last write, a write after the reads since the last write, or after the last write
 * if there were none. Entering and leaving the call are accesses too, writes of all the rank's
 * memory at the head and at the end of all its streams. From them come the handshake ("you have
 * entered, I may write into you") and the final wait ("you are done with my memory, I may leave").
 * Only remote writes ever ask for them: all other accesses are the rank's own.
 *
 * Which orderings need an edge. Those that stream order and the other edges do not already imply.
 * Moves are taken in program order, what one move b must come after latest first. Every path into b
 * runs through earlier moves and the edges into b from later dependencies, so when a -> b is looked
 * at, all of what could imply it is there: the edges placed are the transitive reduction, and
 * dropping any one loses an ordering that must be.
 *
 * "Is a -> b implied?", in this order:
 * - Same stream; or b's stream has been shown before to know a or something later of a's stream.
 * - Those streams that have waited for something at or after a in a's stream have not notified
 *   anybody since: no, exactly.
 * - a lies on the chain of a dependency of b already dealt with. Chains are paths of data: each
 *   move continues the chain of the move that wrote what it reads, if it is the first to do so. On
 *   a ring the reader a of a chunk reaches the write b that replaces it only by the chunk's own way
 *   round, which is one chain: O(1) instead of N - 1 hops.
 * - A search back from b over the edges, never twice over the same part of a stream, and never past
 *   a: every path is increasing in program order. It is exact until search_visits are used up for
 *   the whole compilation, and then gives up after a few visits a question, answering no: the edge
 *   may then be superfluous, never missing.
 *
 * Relays. Two ranks that write to one cell of a third may have no link: then the owner passes the
 * word on (relay.c). What the owner's stream does before the relay holds up the second writer, and
 * what it does afterwards waits for the first. So a relay goes to a stream in which nothing follows
 * it but other relays, and nothing precedes it that is not before one of the two writers anyway; if
 * the owner has none, it gets one more. Hence no two moves are ordered that would not be with all
 * links there, and none begins later than it would then.
 *
 * One signal a pair of streams. Of two edges from stream s to stream t, the one with the later
 * Wait has the later Notify: with an earlier or the same one, what it demands would have been
 * implied by the other. So the j-th Wait takes the j-th Notify, as meant (R5).
 */
#include "passes.h"
#include <ordo/arena.h>
#include <stdlib.h>
#include <string.h>

enum { FEW_VISITS = 64, NRECENT = 8, FEW_DEPS = 16 };

struct reader {
	uint32_t move, next;
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

struct lane_state {
	/* the newest edge it waits for, except those from a beginning; ORDO_NONE */
	uint32_t newest_in;
	uint32_t newest_entry; /* the first of its list; ORDO_NONE */
	/* the last move it notified after, except of a leaving rank; ORDO_NONE */
	uint32_t last_out;
	/* the last of these after which the one notified notified others; ORDO_NONE */
	uint32_t last_passed_on;
	/* of the edges it waits for, the newest after which it notified others; ORDO_NONE */
	uint32_t newest_passed_on;
	uint32_t search;    /* the search that last came here, */
	uint32_t seen;	    /* and up to which move */
	uint32_t lately[2]; /* the clock entries last looked for, the latest first; ORDO_NONE */
	uint32_t last;	    /* on a topology: its last move or relay; ORDO_NONE */
	uint32_t beside;    /* the next stream of the same rank; ORDO_NONE */
};

/* A stream up to a move, that a search has come to, and the newest edge it has waited for by
 * then. */
struct visit {
	uint32_t lane, position, newest_in;
};

static const struct clock_entry no_clock_entry = {
	ORDO_NONE, ORDO_NONE, ORDO_NONE, ORDO_NONE, ORDO_NONE, ORDO_NONE, ORDO_NONE};
static const struct lane_state no_state = {.newest_in = ORDO_NONE,
	.newest_entry = ORDO_NONE,
	.last_out = ORDO_NONE,
	.last_passed_on = ORDO_NONE,
	.newest_passed_on = ORDO_NONE,
	.lately = {ORDO_NONE, ORDO_NONE},
	.last = ORDO_NONE,
	.beside = ORDO_NONE};

/* More than 25 fields: one pass over the moves uses all of them at every move. */
struct order {
	struct ordo_sequence *sequence;
	struct ordo_sync_edges *edges;
	struct ordo_cells cells;
	uint32_t *writer; /* [cells.nwritable] the last write, or ORDO_NONE */
	/* [cells.nwritable] the reads since then: a list in reader_pool, or ORDO_NONE */
	uint32_t *readers;
	struct reader *reader_pool;
	uint32_t nreader, free_reader;
	size_t reader_room;

	uint32_t *chain;     /* [nmove] */
	uint32_t *chain_end; /* [nmove] by chain: its last move */
	/* [nmove] by chain: the last move of which a dependency lies on it, + 1 */
	uint32_t *chain_mark;
	uint32_t *newest_in; /* [nmove] the newest edge its stream has waited for when it runs */

	struct lane_state *lanes; /* [nlane] */
	size_t lane_room;
	/* [nedge] the previous edge of the same waiting stream, or of the same leaving rank */
	uint32_t *before;
	size_t before_room;
	/* [nedge] the previous edge of the same two streams, except of their beginnings and ends */
	uint32_t *same;
	size_t same_room;
	uint32_t *leaving;     /* [nrank] the newest edge a rank waits for when it leaves */
	uint32_t *some_lane;   /* [nrank] its first stream, or ORDO_NONE */
	uint32_t *lanes_of;    /* [nrank] a list of its streams, that of the latest relay first */
	uint32_t *nrelaying;   /* [nrank] how many streams it got for relays */
	bool *settled;	       /* [nmove] the rank it writes to knows that it is done */
	bool *waited_for_rank; /* [nrank] some stream has waited for it */

	struct ordo_near_map clock_entry_ids; /* (to, from) streams -> index into clock_entries */
	struct clock_entry *clock_entries;
	uint32_t nclock_entry;
	size_t clock_entry_room;
	struct ordo_map signals; /* (rank, rank) -> number of signals */
	/* (stream, rank) -> a move from which on the stream knows that the rank has entered */
	struct ordo_near_map entered;
	/* (rank, peer) -> the first stream of the rank that moves something to the peer */
	struct ordo_map talks_to;
	bool talks_noted;

	uint32_t *deps; /* what the move at hand must come after */
	uint32_t ndep;
	size_t dep_room;
	struct visit *visits;
	uint32_t nvisit;
	size_t visit_room;
	uint32_t search;
	uint64_t search_visits;
	bool no_memory;
};

static uint32_t *nones(uint32_t count)
{
	return ordo_array_make((size_t)count + 1, sizeof(uint32_t), 0xff);
}

static uint32_t rank_of(const struct order *o, uint32_t lane)
{
	return o->sequence->lanes[lane].rank;
}

static uint32_t lane_of(const struct order *o, uint32_t move)
{
	return o->sequence->moves[move].stream;
}

/* From this move on, at the latest, the stream knows that the rank has entered. */
static void learn_entered(struct order *o, uint32_t lane, uint32_t rank, uint32_t move)
{
	if (ordo_near_get(&o->entered, lane, rank) == ORDO_NONE &&
		!ordo_near_put(&o->entered, lane, rank, move))
		o->no_memory = true;
}

static void remember(struct lane_state *state, uint32_t clock_entry)
{
	state->lately[1] = state->lately[0];
	state->lately[0] = clock_entry;
}

/* A stream has to do with few others at a time: those last looked for need no table. */
static struct clock_entry *find_lately_used(struct order *o, uint32_t from_lane, uint32_t to_lane)
{
	const struct lane_state *state = &o->lanes[to_lane];
	for (int i = 0; i < 2; i++)
		if (state->lately[i] != ORDO_NONE &&
			o->clock_entries[state->lately[i]].from_lane == from_lane)
			return &o->clock_entries[state->lately[i]];
	return NULL;
}

/* What two streams know of each other, or NULL. */
static struct clock_entry *find_clock_entry(struct order *o, uint32_t from_lane, uint32_t to_lane)
{
	struct clock_entry *entry = find_lately_used(o, from_lane, to_lane);
	if (entry)
		return entry;
	const uint32_t id = ordo_near_get(&o->clock_entry_ids, to_lane, from_lane);
	if (id == ORDO_NONE)
		return NULL;
	remember(&o->lanes[to_lane], id);
	return &o->clock_entries[id];
}

/* The same, made if they are new to each other. NULL: no memory. */
static struct clock_entry *make_clock_entry(struct order *o, uint32_t from_lane, uint32_t to_lane)
{
	struct clock_entry *entry = find_lately_used(o, from_lane, to_lane);
	if (entry)
		return entry;
	uint32_t id = ordo_near_get(&o->clock_entry_ids, to_lane, from_lane);
	if (id == ORDO_NONE) {
		id = o->nclock_entry;
		if (!ordo_array_reserve(&o->clock_entries, &o->clock_entry_room, (size_t)id + 1,
			    sizeof *o->clock_entries) ||
			!ordo_near_put(&o->clock_entry_ids, to_lane, from_lane, id)) {
			o->no_memory = true;
			return NULL;
		}
		o->clock_entries[id] = no_clock_entry;
		o->clock_entries[id].from_lane = from_lane;
		o->nclock_entry++;
	}
	remember(&o->lanes[to_lane], id);
	return &o->clock_entries[id];
}

/* The newest edge between two streams that the second has waited for when it comes to move
 * `position`. */
static uint32_t waited_for(struct order *o, const struct clock_entry *entry, uint32_t position)
{
	uint32_t edge = entry->newest;
	for (; edge != ORDO_NONE && o->edges->items[edge].to > position; edge = o->same[edge])
		o->edges->visits++;
	return edge;
}

/* Does `lane`, when it has come to move `position`, know `move` by something waited for or
 * shown? */
static bool knows(struct order *o, uint32_t lane, uint32_t position, uint32_t move)
{
	const struct clock_entry *entry = find_clock_entry(o, lane_of(o, move), lane);
	if (!entry)
		return false;
	if (entry->shown_from != ORDO_NONE && entry->shown_from >= move &&
		entry->shown_to <= position)
		return true;
	const uint32_t edge = waited_for(o, entry, position);
	return edge != ORDO_NONE && o->edges->items[edge].from >= move;
}

/* Searching. */

static void start_search(struct order *o)
{
	o->search++;
	o->nvisit = 0;
}

/* Goes on, later, with what a stream has learnt up to move `position`, unless that was done. */
static void come_to(struct order *o, uint32_t lane, uint32_t position, uint32_t newest_in)
{
	struct lane_state *state = &o->lanes[lane];
	if (state->search == o->search && state->seen >= position)
		return;
	state->search = o->search;
	state->seen = position;
	if (newest_in == ORDO_NONE)
		return;
	if (!ordo_array_reserve(
		    &o->visits, &o->visit_room, (size_t)o->nvisit + 1, sizeof *o->visits))
		o->no_memory = true;
	else
		o->visits[o->nvisit++] = (struct visit){lane, position, newest_in};
}

/* false: the search, begun after so many visits, must be given up. */
static bool may_go_on(struct order *o, uint64_t begun)
{
	if (o->no_memory)
		return false;
	if (o->edges->visits <= o->search_visits || o->edges->visits <= begun + FEW_VISITS)
		return true;
	o->edges->guessed++;
	return false;
}

/* Goes through the streams that one has waited for until it came to a move, by their last moves
 * waited for. The most recent are found from the newest edge back; the others in the list of
 * the clock, which may have to be taken back from today to that move. So neither a long history
 * nor a late question costs much. */
struct clock_scan {
	struct visit at;
	uint32_t after; /* edges waited for at this move or before do not count */
	uint32_t edge, step;
	uint32_t recent[NRECENT], nrecent; /* streams */
	uint32_t clock_entry;
};

static struct clock_scan start_scan(const struct order *o, struct visit at, uint32_t after)
{
	return (struct clock_scan){.at = at,
		.after = after,
		.edge = at.newest_in,
		.clock_entry = o->lanes[at.lane].newest_entry};
}

static bool is_recent(const struct clock_scan *scan, uint32_t lane)
{
	for (uint32_t i = 0; i < scan->nrecent; i++)
		if (scan->recent[i] == lane)
			return true;
	return false;
}

/* The next of the most recent ones, or ORDO_NONE. */
static uint32_t next_recent(struct order *o, struct clock_scan *scan)
{
	for (; scan->edge != ORDO_NONE && scan->nrecent < NRECENT && scan->step < 2 * NRECENT;
		scan->step++) {
		const struct ordo_sync_edge edge = o->edges->items[scan->edge];
		scan->edge = edge.to <= scan->after ? ORDO_NONE : o->before[scan->edge];
		o->edges->visits++;
		if (edge.to > scan->after && !is_recent(scan, edge.from_lane)) {
			scan->recent[scan->nrecent++] = edge.from_lane;
			return edge.from;
		}
	}
	return ORDO_NONE;
}

/* The next last move, or ORDO_NONE. */
static uint32_t next_in_scan(struct order *o, struct clock_scan *scan)
{
	const uint32_t recent = next_recent(o, scan);
	if (recent != ORDO_NONE || scan->edge == ORDO_NONE)
		return recent;
	while (scan->clock_entry != ORDO_NONE) {
		const struct clock_entry *entry = &o->clock_entries[scan->clock_entry];
		const struct ordo_sync_edge *newest = &o->edges->items[entry->newest];
		scan->clock_entry = newest->to <= scan->after ? ORDO_NONE : entry->next;
		o->edges->visits++;
		if (newest->to <= scan->after || is_recent(scan, newest->from_lane))
			continue;
		const uint32_t edge = waited_for(o, entry, scan->at.position);
		if (edge != ORDO_NONE)
			return o->edges->items[edge].from;
	}
	return ORDO_NONE;
}

/* Is `move` before `from`, which is no earlier in the program? Yes, or it remains to be seen. */
static bool is_before(struct order *o, uint32_t move, uint32_t from)
{
	const uint32_t lane = lane_of(o, from), newest_in = o->newest_in[from];
	if (lane == lane_of(o, move) || o->chain[from] == o->chain[move])
		return true;
	if (newest_in == ORDO_NONE || o->edges->items[newest_in].to <= move)
		return false;
	if (knows(o, lane, from, move))
		return true;
	come_to(o, lane, from, newest_in);
	return false;
}

/* Is `move` before any of the places that start_search and come_to have set out from? Of each
 * stream that a stream has learnt of, only the last it learnt of matters. */
static bool reaches_back_to(struct order *o, uint32_t move)
{
	const uint64_t begun = o->edges->visits;
	for (uint32_t i = 0; i < o->nvisit; i++) {
		struct clock_scan scan = start_scan(o, o->visits[i], move);
		for (uint32_t from; (from = next_in_scan(o, &scan)) != ORDO_NONE;) {
			if (!may_go_on(o, begun))
				return false;
			if (from >= move && is_before(o, move, from))
				return true;
		}
	}
	return false;
}

/* Is anything of `rank` before them? */
static bool reaches_back_to_rank(struct order *o, uint32_t rank)
{
	const uint64_t begun = o->edges->visits;
	for (uint32_t i = 0; i < o->nvisit; i++) {
		struct clock_scan scan = start_scan(o, o->visits[i], 0);
		for (uint32_t from; (from = next_in_scan(o, &scan)) != ORDO_NONE;) {
			const uint32_t lane = lane_of(o, from),
				       entered = ordo_near_get(&o->entered, lane, rank);
			if (!may_go_on(o, begun))
				return false;
			if (rank_of(o, lane) == rank || (entered != ORDO_NONE && entered <= from))
				return true;
			come_to(o, lane, from, o->newest_in[from]);
		}
	}
	return false;
}

static bool implied(struct order *o, uint32_t from, uint32_t to)
{
	const uint32_t lane = lane_of(o, to);
	const struct lane_state *source = &o->lanes[lane_of(o, from)];
	if (lane_of(o, from) == lane)
		return true;
	if (knows(o, lane, to, from))
		return true;
	bool yes = o->chain_mark[o->chain[from]] == to + 1;
	if (!yes && (source->last_passed_on == ORDO_NONE || source->last_passed_on < from))
		return false;
	if (!yes) {
		start_search(o);
		come_to(o, lane, to, o->lanes[lane].newest_in);
		yes = reaches_back_to(o, from);
	}
	struct clock_entry *entry = yes ? make_clock_entry(o, lane_of(o, from), lane) : NULL;
	if (entry) {
		entry->shown_from = from;
		entry->shown_to = to;
	}
	return yes;
}

static bool entering_implied(struct order *o, uint32_t rank, uint32_t to)
{
	const uint32_t lane = lane_of(o, to);
	if (rank_of(o, lane) == rank || ordo_near_get(&o->entered, lane, rank) != ORDO_NONE)
		return true;
	if (!o->waited_for_rank[rank])
		return false;
	start_search(o);
	come_to(o, lane, to, o->lanes[lane].newest_in);
	const bool yes = reaches_back_to_rank(o, rank);
	if (yes)
		learn_entered(o, lane, rank, to);
	return yes;
}

/* Placing. */

/* Appends an edge, and gives it the signal of its two streams. */
static struct clock_entry *place(struct order *o, struct ordo_sync_edge edge, uint32_t *before)
{
	struct ordo_sync_edges *edges = o->edges;
	struct clock_entry *entry = make_clock_entry(o, edge.from_lane, edge.to_lane);
	if (entry && entry->signal == ORDO_NONE) {
		uint32_t *next = ordo_map_at(
			&o->signals, rank_of(o, edge.from_lane), rank_of(o, edge.to_lane));
		if (next) {
			entry->signal = *next == ORDO_NONE ? 0 : *next;
			*next = entry->signal + 1;
		}
	}
	if (!entry || entry->signal == ORDO_NONE || edges->count >= ORDO_LIMIT ||
		!ordo_array_reserve(&edges->items, &edges->room, (size_t)edges->count + 1,
			sizeof *edges->items) ||
		!ordo_array_reserve(
			&o->before, &o->before_room, (size_t)edges->count + 1, sizeof *o->before) ||
		!ordo_array_reserve(
			&o->same, &o->same_room, (size_t)edges->count + 1, sizeof *o->same)) {
		o->no_memory = true;
		return NULL;
	}
	edge.signal = entry->signal;
	o->same[edges->count] = ORDO_NONE;
	o->before[edges->count] = before ? *before : ORDO_NONE;
	if (before)
		*before = edges->count;
	edges->items[edges->count++] = edge;
	return entry;
}

static void raise(uint32_t *last, uint32_t move)
{
	if (*last == ORDO_NONE || *last < move)
		*last = move;
}

/* A stream notifies after move `from`: what it has waited for until then, it passes on. Each edge
 * is passed on once. */
static void pass_on(struct order *o, uint32_t from)
{
	struct lane_state *state = &o->lanes[lane_of(o, from)];
	const uint32_t newest_in = o->newest_in[from], done = state->newest_passed_on;
	for (uint32_t p = newest_in; p != ORDO_NONE && (done == ORDO_NONE || p > done);
		p = o->before[p])
		raise(&o->lanes[o->edges->items[p].from_lane].last_passed_on,
			o->edges->items[p].from);
	if (newest_in != ORDO_NONE)
		raise(&state->newest_passed_on, newest_in);
	raise(&state->last_out, from);
}

/* The edge placed last is the newest between two streams: they go to the front of the list of the
 * one that waits. */
static void move_to_front(struct order *o, struct clock_entry *entry)
{
	const uint32_t edge = o->edges->count - 1;
	struct lane_state *state = &o->lanes[o->edges->items[edge].to_lane];
	const uint32_t id = (uint32_t)(entry - o->clock_entries), first = state->newest_entry;
	o->same[edge] = entry->newest;
	entry->newest = edge;
	if (first == id)
		return;
	if (entry->previous != ORDO_NONE)
		o->clock_entries[entry->previous].next = entry->next;
	if (entry->next != ORDO_NONE)
		o->clock_entries[entry->next].previous = entry->previous;
	entry->previous = ORDO_NONE;
	entry->next = first;
	if (first != ORDO_NONE)
		o->clock_entries[first].previous = id;
	state->newest_entry = id;
}

static void come_after(struct order *o, uint32_t from, uint32_t to)
{
	const uint32_t from_lane = lane_of(o, from), to_lane = lane_of(o, to);
	if (!implied(o, from, to)) {
		const struct ordo_sync_edge edge = {from_lane, to_lane, from, to, 0};
		struct clock_entry *entry = place(o, edge, &o->lanes[to_lane].newest_in);
		const bool first = entry && entry->newest == ORDO_NONE;
		pass_on(o, from);
		if (!entry)
			return;
		move_to_front(o, entry);
		o->waited_for_rank[rank_of(o, from_lane)] = true;
		if (first && rank_of(o, from_lane) != rank_of(o, to_lane))
			learn_entered(o, to_lane, rank_of(o, from_lane), to);
	}
	o->chain_mark[o->chain[from]] = to + 1;
	if (o->sequence->moves[from].peer == rank_of(o, to_lane))
		o->settled[from] = true;
}

/* Collects, the first time it is asked for, who talks to whom. A stream mostly moves to the peer
 * that it last moved to: then there is nothing new. */
static uint32_t talker(struct order *o, uint32_t rank, uint32_t peer)
{
	const struct ordo_sequence *sequence = o->sequence;
	uint32_t *last_peer = o->talks_noted ? NULL : nones(sequence->nlane);
	o->no_memory = o->no_memory || !(o->talks_noted || last_peer);
	for (uint32_t i = 0; last_peer && i < sequence->nmove; i++) {
		const struct ordo_move *move = &sequence->moves[i];
		if (move->peer == move->rank || last_peer[move->stream] == move->peer)
			continue;
		last_peer[move->stream] = move->peer;
		uint32_t *first = ordo_map_at(&o->talks_to, move->rank, move->peer);
		o->no_memory = o->no_memory || !first;
		if (first && *first == ORDO_NONE)
			*first = move->stream;
	}
	free(last_peer);
	o->talks_noted = true;
	return ordo_map_get(&o->talks_to, rank, peer);
}

/* One more stream for a rank, with a label that none of its streams has. ORDO_NONE: no memory. */
static uint32_t add_lane(struct order *o, uint32_t rank, uint32_t label)
{
	struct ordo_sequence *sequence = o->sequence;
	const uint32_t lane = ordo_lane_id(sequence, rank, label);
	if (lane == ORDO_NONE ||
		!ordo_array_reserve(&o->lanes, &o->lane_room, sequence->nlane, sizeof *o->lanes) ||
		!ordo_near_make(&o->clock_entry_ids, sequence->nlane) ||
		!ordo_near_make(&o->entered, sequence->nlane)) {
		o->no_memory = true;
		return ORDO_NONE;
	}
	o->lanes[lane] = no_state;
	o->lanes[lane].beside = o->lanes_of[rank];
	o->lanes_of[rank] = lane;
	if (o->some_lane[rank] == ORDO_NONE)
		o->some_lane[rank] = lane;
	return lane;
}

/* Which stream of `rank` speaks with stream `other` of another rank when any would do: the one of
 * the same name, else the one that sends there, else the first. A rank that does nothing gets
 * one. */
static uint32_t speaker(struct order *o, uint32_t rank, uint32_t other)
{
	struct ordo_sequence *sequence = o->sequence;
	uint32_t lane = ordo_map_get(&sequence->lane_ids, rank, sequence->lanes[other].label);
	if (lane == ORDO_NONE)
		lane = talker(o, rank, rank_of(o, other));
	if (lane == ORDO_NONE)
		lane = o->some_lane[rank];
	if (lane != ORDO_NONE)
		return lane;
	return add_lane(o, rank, sequence->lanes[other].label);
}

static void come_after_entering(struct order *o, uint32_t rank, uint32_t to)
{
	if (entering_implied(o, rank, to))
		return;
	const uint32_t to_lane = lane_of(o, to), from_lane = speaker(o, rank, to_lane);
	if (from_lane == ORDO_NONE)
		return;
	place(o, (struct ordo_sync_edge){from_lane, to_lane, ORDO_NONE, to, 0}, NULL);
	o->waited_for_rank[rank] = true;
	learn_entered(o, to_lane, rank, to);
}

/* Dependencies. */

/* A cell mostly asks for the same as the one before: few at a time are repeated, and need not be
 * sorted. */
static void depend(struct order *o, uint32_t move)
{
	for (uint32_t back = 1; back <= 4 && back <= o->ndep; back++)
		if (o->deps[o->ndep - back] == move)
			return;
	if (ordo_array_reserve(&o->deps, &o->dep_room, (size_t)o->ndep + 1, sizeof *o->deps))
		o->deps[o->ndep++] = move;
	else
		o->no_memory = true;
}

/* Collects into o->deps what a move must come after. true: also the entering of the rank it writes
 * to, as far as its cells are concerned. */
static bool collect(struct order *o, const struct ordo_move *move)
{
	const uint32_t src = ordo_cell(&o->cells, move->rank, move->src_buffer, move->src);
	const uint32_t dst = ordo_cell(&o->cells, move->peer, move->dst_buffer, move->dst);
	const bool given = src >= o->cells.nwritable;
	bool entering = false;
	o->ndep = 0;
	for (uint32_t i = 0; i < move->count; i++) {
		if (!given && o->writer[src + i] != ORDO_NONE)
			depend(o, o->writer[src + i]);
		for (uint32_t reader = o->readers[dst + i]; reader != ORDO_NONE;
			reader = o->reader_pool[reader].next)
			depend(o, o->reader_pool[reader].move);
		if (o->readers[dst + i] != ORDO_NONE)
			continue;
		if (o->writer[dst + i] != ORDO_NONE)
			depend(o, o->writer[dst + i]);
		else
			entering = true;
	}
	return entering && move->peer != move->rank;
}

static int latest_first(const void *a, const void *b)
{
	uint32_t x, y;
	memcpy(&x, a, sizeof x);
	memcpy(&y, b, sizeof y);
	return (x < y) - (x > y);
}

/* Nearly always there are two or three. */
static void sort_deps(struct order *o)
{
	if (o->ndep > FEW_DEPS) {
		qsort(o->deps, o->ndep, sizeof *o->deps, latest_first);
		return;
	}
	for (uint32_t i = 1; i < o->ndep; i++) {
		const uint32_t dep = o->deps[i];
		uint32_t j = i;
		for (; j && o->deps[j - 1] < dep; j--)
			o->deps[j] = o->deps[j - 1];
		o->deps[j] = dep;
	}
}

/* The move goes on with the chain of what it reads, else of what it adds to, else begins its
 * own. */
static void put_on_chain(struct order *o, uint32_t id)
{
	const struct ordo_move *move = &o->sequence->moves[id];
	const uint32_t src = ordo_cell(&o->cells, move->rank, move->src_buffer, move->src);
	const uint32_t dst = ordo_cell(&o->cells, move->peer, move->dst_buffer, move->dst);
	const uint32_t parents[2] = {src < o->cells.nwritable ? o->writer[src] : ORDO_NONE,
		move->reduces ? o->writer[dst] : ORDO_NONE};
	o->chain[id] = id;
	for (int i = 0; i < 2; i++)
		if (parents[i] != ORDO_NONE && o->chain_end[o->chain[parents[i]]] == parents[i]) {
			o->chain[id] = o->chain[parents[i]];
			break;
		}
	o->chain_end[o->chain[id]] = id;
}

static void add_reader(struct order *o, uint32_t cell, uint32_t move)
{
	const uint32_t newest = o->readers[cell];
	if (newest != ORDO_NONE && lane_of(o, o->reader_pool[newest].move) == lane_of(o, move)) {
		o->reader_pool[newest].move = move;
		return;
	}
	uint32_t reader = o->free_reader;
	if (reader != ORDO_NONE)
		o->free_reader = o->reader_pool[reader].next;
	else if (ordo_array_reserve(&o->reader_pool, &o->reader_room, (size_t)o->nreader + 1,
			 sizeof *o->reader_pool))
		reader = o->nreader++;
	else {
		o->no_memory = true;
		return;
	}
	o->reader_pool[reader] = (struct reader){move, newest};
	o->readers[cell] = reader;
}

static void forget_readers(struct order *o, uint32_t cell)
{
	while (o->readers[cell] != ORDO_NONE) {
		const uint32_t reader = o->readers[cell];
		o->readers[cell] = o->reader_pool[reader].next;
		o->reader_pool[reader].next = o->free_reader;
		o->free_reader = reader;
	}
}

static void access_cells(struct order *o, uint32_t id)
{
	const struct ordo_move *move = &o->sequence->moves[id];
	const uint32_t src = ordo_cell(&o->cells, move->rank, move->src_buffer, move->src);
	const uint32_t dst = ordo_cell(&o->cells, move->peer, move->dst_buffer, move->dst);
	for (uint32_t i = 0; i < move->count; i++) {
		if (src < o->cells.nwritable)
			add_reader(o, src + i, id);
		forget_readers(o, dst + i);
		o->writer[dst + i] = id;
	}
}

/* Relays. */

/* Is `earlier` before `move`, which has been dealt with? */
static bool was_before(struct order *o, uint32_t earlier, uint32_t move)
{
	if (earlier > move)
		return false;
	start_search(o);
	return is_before(o, earlier, move) || reaches_back_to(o, earlier);
}

/* Does a relay between two moves order nothing else at the end of this stream? */
static bool can_relay(struct order *o, uint32_t lane, uint32_t from, uint32_t to)
{
	const uint32_t last = o->lanes[lane].last;
	if (last == ORDO_NONE)
		return true;
	return last < to && (was_before(o, last, from) || implied(o, last, to));
}

/* One more stream for a rank, called "relay", "relay 1", ... */
static uint32_t add_relaying_lane(struct order *o, uint32_t rank)
{
	struct ordo_sequence *sequence = o->sequence;
	for (;;) {
		const uint32_t number = o->nrelaying[rank]++,
			       label = ordo_label_id(sequence, &sequence->stream_labels, "relay",
				       number ? number : ORDO_NONE);
		if (label == ORDO_NONE) {
			o->no_memory = true;
			return ORDO_NONE;
		}
		/* An algorithm may have called one so. */
		if (ordo_map_get(&sequence->lane_ids, rank, label) == ORDO_NONE)
			return add_lane(o, rank, label);
	}
}

/* Finds a stream for the relay between two moves, and puts it first in the list of its rank, since
 * the next relay often goes there too. ORDO_NONE: no memory. */
static uint32_t relaying_lane(struct order *o, uint32_t rank, uint32_t from, uint32_t to)
{
	uint32_t *link = &o->lanes_of[rank];
	while (*link != ORDO_NONE && !can_relay(o, *link, from, to))
		link = &o->lanes[*link].beside;
	const uint32_t lane = *link;
	if (lane == ORDO_NONE)
		return add_relaying_lane(o, rank);
	*link = o->lanes[lane].beside;
	o->lanes[lane].beside = o->lanes_of[rank];
	return o->lanes_of[rank] = lane;
}

/* Two ranks that have no link, and write to a third one in turn, are ordered by the relay before
 * the second's move. */
static void come_after_over_relay(struct order *o, uint32_t from, uint32_t to)
{
	struct ordo_move *moves = o->sequence->moves;
	const uint32_t relay = to - 1;
	if (!to || !moves[relay].relays ||
		ordo_topology_reaches(o->sequence->topology, moves[from].rank, moves[to].rank)) {
		come_after(o, from, to);
		return;
	}
	if (implied(o, from, to))
		return;
	if (moves[relay].stream == ORDO_NONE) {
		const uint32_t lane = relaying_lane(o, moves[relay].rank, from, to);
		if (lane == ORDO_NONE)
			return;
		moves[relay].stream = lane;
		o->lanes[lane].last = relay;
	}
	come_after(o, from, relay);
	o->newest_in[relay] = o->lanes[moves[relay].stream].newest_in;
	come_after(o, relay, to);
}

static void order_move(struct order *o, uint32_t id)
{
	const struct ordo_move *move = &o->sequence->moves[id];
	if (move->relays) {
		o->chain_end[o->chain[id] = id] = id;
		return;
	}
	const bool entering = collect(o, move);
	sort_deps(o);
	for (uint32_t i = 0; i < o->ndep && !o->no_memory; i++)
		if (!i || o->deps[i] != o->deps[i - 1])
			come_after_over_relay(o, o->deps[i], id);
	if (entering)
		come_after_entering(o, move->peer, id);
	o->newest_in[id] = o->lanes[move->stream].newest_in;
	put_on_chain(o, id);
	access_cells(o, id);
}

/* Leaving. */

/* Does some stream of the rank know, when all have ended, that `move` is done? */
static bool leaving_implied(
	struct order *o, uint32_t rank, uint32_t move, const uint32_t *rank_lanes, uint32_t nlane)
{
	const struct lane_state *source = &o->lanes[lane_of(o, move)];
	if (o->settled[move])
		return true;
	if (source->last_out == ORDO_NONE || source->last_out < move)
		return false;
	start_search(o);
	for (uint32_t p = o->leaving[rank]; p != ORDO_NONE; p = o->before[p])
		if (o->edges->items[p].from > move && is_before(o, move, o->edges->items[p].from))
			return true;
	for (uint32_t i = 0; i < nlane; i++)
		come_to(o, rank_lanes[i], ORDO_NONE, o->lanes[rank_lanes[i]].newest_in);
	return reaches_back_to(o, move);
}

static void leave_after(
	struct order *o, uint32_t move, const uint32_t *rank_lanes, const uint32_t *first_lane)
{
	const uint32_t rank = o->sequence->moves[move].peer, from_lane = lane_of(o, move);
	if (leaving_implied(o, rank, move, rank_lanes + first_lane[rank],
		    first_lane[rank + 1] - first_lane[rank]))
		return;
	const uint32_t to_lane = speaker(o, rank, from_lane);
	if (to_lane != ORDO_NONE)
		place(o, (struct ordo_sync_edge){from_lane, to_lane, move, ORDO_NONE, 0},
			&o->leaving[rank]);
}

/* The streams by rank: rank_lanes[first_lane[r]] .. rank_lanes[first_lane[r + 1] - 1]. */
static void sort_lanes(const struct order *o, uint32_t *first_lane, uint32_t *rank_lanes)
{
	const uint32_t nrank = o->sequence->problem.nrank, nlane = o->sequence->nlane;
	for (uint32_t i = 0; i < nlane; i++)
		first_lane[rank_of(o, i) + 2]++;
	for (uint32_t i = 2; i < nrank + 2; i++)
		first_lane[i] += first_lane[i - 1];
	for (uint32_t i = 0; i < nlane; i++)
		rank_lanes[first_lane[rank_of(o, i) + 1]++] = i;
}

/* Is this the last move of its stream to that peer, as moves are gone through backwards? */
static bool is_last(struct order *o, const struct ordo_move *move, struct ordo_near_map *asked,
	uint32_t *last_peer)
{
	if (move->peer == move->rank || last_peer[move->stream] == move->peer)
		return false;
	last_peer[move->stream] = move->peer;
	if (ordo_near_get(asked, move->stream, move->peer) != ORDO_NONE)
		return false;
	if (ordo_near_put(asked, move->stream, move->peer, 0))
		return true;
	o->no_memory = true;
	return false;
}

/* Every rank leaves after the last write of every other rank's stream into its memory; latest
 * first. */
static bool order_leaving(struct order *o)
{
	const struct ordo_sequence *sequence = o->sequence;
	/* Streams may still be added, but only to ranks that have none: these write to nobody. */
	uint32_t *first_lane = calloc((size_t)sequence->problem.nrank + 2, sizeof *first_lane),
		 *rank_lanes = calloc((size_t)sequence->nlane + 1, sizeof *rank_lanes),
		 *last_peer = nones(sequence->nlane);
	struct ordo_near_map asked = {0};
	o->no_memory = o->no_memory || !first_lane || !rank_lanes || !last_peer ||
		       !ordo_near_make(&asked, sequence->nlane);
	if (!o->no_memory)
		sort_lanes(o, first_lane, rank_lanes);
	for (uint32_t id = sequence->nmove; id-- > 0 && !o->no_memory;)
		if (is_last(o, &sequence->moves[id], &asked, last_peer))
			leave_after(o, id, rank_lanes, first_lane);
	free(first_lane);
	free(rank_lanes);
	free(last_peer);
	ordo_near_free(&asked);
	return !o->no_memory;
}

/* Beginning and end. */

static bool begin(struct order *o, struct ordo_error *error)
{
	const struct ordo_sequence *sequence = o->sequence;
	const uint32_t nmove = sequence->nmove, nrank = sequence->problem.nrank;
	if (!ordo_cells_make(&o->cells, &sequence->problem, sequence->scratch_slots, error))
		return false;
	o->writer = nones(o->cells.nwritable);
	o->readers = nones(o->cells.nwritable);
	o->chain = nones(nmove);
	o->chain_end = nones(nmove);
	o->chain_mark = nones(nmove);
	o->newest_in = nones(nmove);
	o->leaving = nones(nrank);
	o->some_lane = nones(nrank);
	o->lanes_of = nones(nrank);
	o->nrelaying = calloc(nrank, sizeof *o->nrelaying);
	o->waited_for_rank = calloc(nrank, sizeof *o->waited_for_rank);
	o->settled = ordo_array_make((size_t)nmove + 1, sizeof *o->settled, 0);
	o->free_reader = ORDO_NONE;
	if (!o->writer || !o->readers || !o->chain || !o->chain_end || !o->chain_mark ||
		!o->newest_in || !o->leaving || !o->some_lane || !o->lanes_of || !o->nrelaying ||
		!o->waited_for_rank || !o->settled ||
		!ordo_array_reserve(
			&o->lanes, &o->lane_room, (size_t)sequence->nlane + 1, sizeof *o->lanes) ||
		!ordo_near_make(&o->clock_entry_ids, sequence->nlane) ||
		!ordo_near_make(&o->entered, sequence->nlane))
		return ordo_fail_memory(error);
	for (uint32_t i = sequence->nlane; i-- > 0;) {
		const uint32_t rank = rank_of(o, i);
		o->lanes[i] = no_state;
		o->lanes[i].beside = o->lanes_of[rank];
		o->lanes_of[rank] = o->some_lane[rank] = i;
	}
	for (uint32_t i = 0; sequence->topology && i < nmove; i++)
		if (!sequence->moves[i].relays)
			o->lanes[lane_of(o, i)].last = i;
	return true;
}

static void end(struct order *o)
{
	ordo_cells_free(&o->cells);
	free(o->writer);
	free(o->readers);
	free(o->reader_pool);
	free(o->chain);
	free(o->chain_end);
	free(o->chain_mark);
	free(o->newest_in);
	free(o->lanes);
	free(o->before);
	free(o->leaving);
	free(o->some_lane);
	free(o->lanes_of);
	free(o->nrelaying);
	free(o->waited_for_rank);
	free(o->clock_entries);
	free(o->same);
	free(o->deps);
	free(o->visits);
	ordo_near_free(&o->clock_entry_ids);
	ordo_map_free(&o->signals);
	ordo_near_free(&o->entered);
	free(o->settled);
	ordo_map_free(&o->talks_to);
}

bool ordo_order_moves(struct ordo_sequence *sequence, uint64_t search_visits,
	struct ordo_sync_edges *edges, struct ordo_error *error)
{
	*edges = (struct ordo_sync_edges){0};
	struct order o = {.sequence = sequence, .edges = edges, .search_visits = search_visits};
	bool worked = begin(&o, error);
	for (uint32_t i = 0; worked && i < sequence->nmove && !o.no_memory; i++) {
		order_move(&o, i);
		if (sequence->progress && i % 65536 == 0)
			sequence->progress(sequence->closure, "ordering", i, sequence->nmove);
	}
	worked = worked && order_leaving(&o);
	if (o.no_memory)
		ordo_fail_memory(error);
	end(&o);
	return worked;
}
