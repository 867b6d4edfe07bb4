/* order.c - removes the order from the sequence: what must still wait for what becomes a pair of a
 * Notify and a Wait.
 *
 * What must be ordered. Every two accesses of one cell (in place, both names of a slot are one
 * cell) of which one is a write stay in program order. It is enough to ask for consecutive ones: a
 * read after the last write, a write after the reads since the last write, or after the last write
 * if there were none. Entering and leaving the call are accesses too, writes of all the rank's
 * memory at the head and at the end of all its streams. From them come the handshake ("you have
 * entered, I may write into you") and the final wait ("you are done with my memory, I may leave").
 * Only remote writes ever ask for them: all other accesses are the rank's own.
 *
 * Which orderings need a pair. Those that stream order and the other pairs do not already imply.
 * Moves are taken in program order, what one move b must come after latest first. Every path into b
 * runs through earlier moves and the pairs into b from later dependencies, so when a -> b is looked
 * at, all of what could imply it is there: the pairs placed are the transitive reduction, and
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
 * - A search back from b over the pairs, never twice over the same part of a stream, and never past
 *   a: every path is increasing in program order. It is exact until search_visits are used up for
 *   the whole compilation, and then gives up after a few visits a question, answering no: the pair
 *   may then be superfluous, never missing.
 *
 * Relays. Two ranks that write to one cell of a third may have no link: then the owner passes the
 * word on (relay.c). What the owner's stream does before the relay holds up the second writer, and
 * what it does afterwards waits for the first. So a relay goes to a stream in which nothing follows
 * it but other relays, and nothing precedes it that is not before one of the two writers anyway; if
 * the owner has none, it gets one more. Hence no two moves are ordered that would not be with all
 * links there, and none begins later than it would then.
 *
 * One signal a stream pair. Of two pairs from stream s to stream t, the one with the later Wait has
 * the later Notify: with an earlier or the same one, what it demands would have been implied by the
 * other. So the j-th Wait takes the j-th Notify, as meant (R5).
 */
#include "passes.h"
#include <ordo/arena.h>
#include <stdlib.h>
#include <string.h>

enum { FEW_VISITS = 64, NRECENT = 8, FEW_DEPS = 16 };

struct reader {
	uint32_t move, next;
};

/* Two streams of which the second knows something of the first, or waits for its beginning or end.
 * The acquaintances of one stream that it has waited for in between are a list, the last one
 * first. */
struct acquaintance {
	uint32_t from_lane;
	/* the newest pair, except of a beginning or an end; ORDO_NONE: not in the list */
	uint32_t newest;
	uint32_t signal; /* ORDO_NONE: no pair yet */
	uint32_t shown_from,
		/* from move shown_to on, the second has been shown to know shown_from; ORDO_NONE */
		shown_to;
	uint32_t previous, next; /* ORDO_NONE at the ends of the list */
};

struct lane_state {
	/* the newest pair it waits for, except those from a beginning; ORDO_NONE */
	uint32_t newest_in;
	uint32_t newest_acquaintance; /* the first of its list; ORDO_NONE */
	/* the last move it notified after, except of a leaving rank; ORDO_NONE */
	uint32_t last_out;
	/* the last of these after which the one notified notified others; ORDO_NONE */
	uint32_t last_retold;
	/* of the pairs it waits for, the newest after which it notified others; ORDO_NONE */
	uint32_t retelling;
	uint32_t search;    /* the search that last came here, */
	uint32_t seen;	    /* and up to which move */
	uint32_t lately[2]; /* the acquaintances last looked for, the latest first; ORDO_NONE */
	uint32_t last;	    /* on a topology: its last move or relay; ORDO_NONE */
	uint32_t beside;    /* the next stream of the same rank; ORDO_NONE */
};

/* A stream up to a move, that a search has come to, and the newest pair it has waited for by
 * then. */
struct visit {
	uint32_t lane, position, newest_in;
};

static const struct acquaintance stranger = {
	ORDO_NONE, ORDO_NONE, ORDO_NONE, ORDO_NONE, ORDO_NONE, ORDO_NONE, ORDO_NONE};
static const struct lane_state no_state = {.newest_in = ORDO_NONE,
	.newest_acquaintance = ORDO_NONE,
	.last_out = ORDO_NONE,
	.last_retold = ORDO_NONE,
	.retelling = ORDO_NONE,
	.lately = {ORDO_NONE, ORDO_NONE},
	.last = ORDO_NONE,
	.beside = ORDO_NONE};

struct order {
	struct ordo_sequence *sequence;
	struct ordo_pairs *pairs;
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
	uint32_t *newest_in; /* [nmove] the newest pair its stream has waited for when it runs */

	struct lane_state *lanes; /* [nlane] */
	size_t lane_room;
	/* [npair] the previous pair of the same waiting stream, or of the same leaving rank */
	uint32_t *before;
	size_t before_room;
	/* [npair] the previous pair of the same two streams, except of their beginnings and ends */
	uint32_t *same;
	size_t same_room;
	uint32_t *leaving;   /* [nrank] the newest pair a rank waits for when it leaves */
	uint32_t *some_lane; /* [nrank] its first stream, or ORDO_NONE */
	uint32_t *lanes_of;  /* [nrank] a list of its streams, that of the latest relay first */
	uint32_t *nrelaying; /* [nrank] how many streams it got for relays */
	bool *settled;	     /* [nmove] the rank it writes to knows that it is done */
	bool *heard_of;	     /* [nrank] some stream has waited for it */

	struct ordo_near_map acquainted; /* (to, from) streams -> index into acquaintances */
	struct acquaintance *acquaintances;
	uint32_t nacquaintance;
	size_t acquaintance_room;
	struct ordo_map signals; /* (rank, rank) -> number of signals */
	/* (stream, rank) -> a move from which on the stream knows that the rank has entered */
	struct ordo_near_map met;
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
static void meet(struct order *o, uint32_t lane, uint32_t rank, uint32_t move)
{
	if (ordo_near_get(&o->met, lane, rank) == ORDO_NONE &&
		!ordo_near_put(&o->met, lane, rank, move))
		o->no_memory = true;
}

static void remember(struct lane_state *state, uint32_t acquaintance)
{
	state->lately[1] = state->lately[0];
	state->lately[0] = acquaintance;
}

/* A stream has to do with few others at a time: those last looked for need no table. */
static struct acquaintance *recall(struct order *o, uint32_t from_lane, uint32_t to_lane)
{
	const struct lane_state *state = &o->lanes[to_lane];
	for (int i = 0; i < 2; i++)
		if (state->lately[i] != ORDO_NONE &&
			o->acquaintances[state->lately[i]].from_lane == from_lane)
			return &o->acquaintances[state->lately[i]];
	return NULL;
}

/* What two streams know of each other, or NULL. */
static struct acquaintance *find_acquaintance(struct order *o, uint32_t from_lane, uint32_t to_lane)
{
	struct acquaintance *both = recall(o, from_lane, to_lane);
	if (both)
		return both;
	const uint32_t id = ordo_near_get(&o->acquainted, to_lane, from_lane);
	if (id == ORDO_NONE)
		return NULL;
	remember(&o->lanes[to_lane], id);
	return &o->acquaintances[id];
}

/* The same, made if they are new to each other. NULL: no memory. */
static struct acquaintance *acquaint(struct order *o, uint32_t from_lane, uint32_t to_lane)
{
	struct acquaintance *both = recall(o, from_lane, to_lane);
	if (both)
		return both;
	uint32_t id = ordo_near_get(&o->acquainted, to_lane, from_lane);
	if (id == ORDO_NONE) {
		id = o->nacquaintance;
		if (!ordo_array_reserve(&o->acquaintances, &o->acquaintance_room, (size_t)id + 1,
			    sizeof *o->acquaintances) ||
			!ordo_near_put(&o->acquainted, to_lane, from_lane, id)) {
			o->no_memory = true;
			return NULL;
		}
		o->acquaintances[id] = stranger;
		o->acquaintances[id].from_lane = from_lane;
		o->nacquaintance++;
	}
	remember(&o->lanes[to_lane], id);
	return &o->acquaintances[id];
}

/* The newest pair between two streams that the second has waited for when it comes to move
 * `position`. */
static uint32_t waited_for(struct order *o, const struct acquaintance *both, uint32_t position)
{
	uint32_t pair = both->newest;
	for (; pair != ORDO_NONE && o->pairs->items[pair].to > position; pair = o->same[pair])
		o->pairs->visits++;
	return pair;
}

/* Does `lane`, when it has come to move `position`, know `move` by something waited for or
 * shown? */
static bool knows(struct order *o, uint32_t lane, uint32_t position, uint32_t move)
{
	const struct acquaintance *both = find_acquaintance(o, lane_of(o, move), lane);
	if (!both)
		return false;
	if (both->shown_from != ORDO_NONE && both->shown_from >= move && both->shown_to <= position)
		return true;
	const uint32_t pair = waited_for(o, both, position);
	return pair != ORDO_NONE && o->pairs->items[pair].from >= move;
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
	if (o->pairs->visits <= o->search_visits || o->pairs->visits <= begun + FEW_VISITS)
		return true;
	o->pairs->guessed++;
	return false;
}

/* Goes through the streams that one has waited for until it came to a move, by their last moves
 * waited for. The most recent are found from the newest pair back; the others in the list of
 * acquaintances, which may have to be taken back from today to that move. So neither a long history
 * nor a late question costs much. */
struct hearing {
	struct visit at;
	uint32_t after; /* pairs waited for at this move or before do not count */
	uint32_t pair, step;
	uint32_t recent[NRECENT], nrecent; /* streams */
	uint32_t acquaintance;
};

static struct hearing listen(const struct order *o, struct visit at, uint32_t after)
{
	return (struct hearing){.at = at,
		.after = after,
		.pair = at.newest_in,
		.acquaintance = o->lanes[at.lane].newest_acquaintance};
}

static bool is_recent(const struct hearing *hearing, uint32_t lane)
{
	for (uint32_t i = 0; i < hearing->nrecent; i++)
		if (hearing->recent[i] == lane)
			return true;
	return false;
}

/* The next of the most recent ones, or ORDO_NONE. */
static uint32_t hear_recent(struct order *o, struct hearing *hearing)
{
	for (; hearing->pair != ORDO_NONE && hearing->nrecent < NRECENT &&
		hearing->step < 2 * NRECENT;
		hearing->step++) {
		const struct ordo_pair pair = o->pairs->items[hearing->pair];
		hearing->pair = pair.to <= hearing->after ? ORDO_NONE : o->before[hearing->pair];
		o->pairs->visits++;
		if (pair.to > hearing->after && !is_recent(hearing, pair.from_lane)) {
			hearing->recent[hearing->nrecent++] = pair.from_lane;
			return pair.from;
		}
	}
	return ORDO_NONE;
}

/* The next last move, or ORDO_NONE. */
static uint32_t hear(struct order *o, struct hearing *hearing)
{
	const uint32_t recent = hear_recent(o, hearing);
	if (recent != ORDO_NONE || hearing->pair == ORDO_NONE)
		return recent;
	while (hearing->acquaintance != ORDO_NONE) {
		const struct acquaintance *both = &o->acquaintances[hearing->acquaintance];
		const struct ordo_pair *newest = &o->pairs->items[both->newest];
		hearing->acquaintance = newest->to <= hearing->after ? ORDO_NONE : both->next;
		o->pairs->visits++;
		if (newest->to <= hearing->after || is_recent(hearing, newest->from_lane))
			continue;
		const uint32_t pair = waited_for(o, both, hearing->at.position);
		if (pair != ORDO_NONE)
			return o->pairs->items[pair].from;
	}
	return ORDO_NONE;
}

/* Is `move` before `from`, which is no earlier in the program? Yes, or it remains to be seen. */
static bool is_before(struct order *o, uint32_t move, uint32_t from)
{
	const uint32_t lane = lane_of(o, from), newest_in = o->newest_in[from];
	if (lane == lane_of(o, move) || o->chain[from] == o->chain[move])
		return true;
	if (newest_in == ORDO_NONE || o->pairs->items[newest_in].to <= move)
		return false;
	if (knows(o, lane, from, move))
		return true;
	come_to(o, lane, from, newest_in);
	return false;
}

/* Is `move` before any of the places that start_search and come_to have set out from? Of each
 * stream that a stream has heard of, only the last it heard matters. */
static bool reaches_back_to(struct order *o, uint32_t move)
{
	const uint64_t begun = o->pairs->visits;
	for (uint32_t i = 0; i < o->nvisit; i++) {
		struct hearing hearing = listen(o, o->visits[i], move);
		for (uint32_t from; (from = hear(o, &hearing)) != ORDO_NONE;) {
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
	const uint64_t begun = o->pairs->visits;
	for (uint32_t i = 0; i < o->nvisit; i++) {
		struct hearing hearing = listen(o, o->visits[i], 0);
		for (uint32_t from; (from = hear(o, &hearing)) != ORDO_NONE;) {
			const uint32_t lane = lane_of(o, from),
				       met = ordo_near_get(&o->met, lane, rank);
			if (!may_go_on(o, begun))
				return false;
			if (rank_of(o, lane) == rank || (met != ORDO_NONE && met <= from))
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
	if (!yes && (source->last_retold == ORDO_NONE || source->last_retold < from))
		return false;
	if (!yes) {
		start_search(o);
		come_to(o, lane, to, o->lanes[lane].newest_in);
		yes = reaches_back_to(o, from);
	}
	struct acquaintance *both = yes ? acquaint(o, lane_of(o, from), lane) : NULL;
	if (both) {
		both->shown_from = from;
		both->shown_to = to;
	}
	return yes;
}

static bool entering_implied(struct order *o, uint32_t rank, uint32_t to)
{
	const uint32_t lane = lane_of(o, to);
	if (rank_of(o, lane) == rank || ordo_near_get(&o->met, lane, rank) != ORDO_NONE)
		return true;
	if (!o->heard_of[rank])
		return false;
	start_search(o);
	come_to(o, lane, to, o->lanes[lane].newest_in);
	const bool yes = reaches_back_to_rank(o, rank);
	if (yes)
		meet(o, lane, rank, to);
	return yes;
}

/* Placing. */

/* Appends a pair, and gives it the signal of its two streams. */
static struct acquaintance *place(struct order *o, struct ordo_pair pair, uint32_t *before)
{
	struct ordo_pairs *pairs = o->pairs;
	struct acquaintance *both = acquaint(o, pair.from_lane, pair.to_lane);
	if (both && both->signal == ORDO_NONE) {
		uint32_t *next = ordo_map_at(
			&o->signals, rank_of(o, pair.from_lane), rank_of(o, pair.to_lane));
		if (next) {
			both->signal = *next == ORDO_NONE ? 0 : *next;
			*next = both->signal + 1;
		}
	}
	if (!both || both->signal == ORDO_NONE || pairs->count >= ORDO_LIMIT ||
		!ordo_array_reserve(&pairs->items, &pairs->room, (size_t)pairs->count + 1,
			sizeof *pairs->items) ||
		!ordo_array_reserve(
			&o->before, &o->before_room, (size_t)pairs->count + 1, sizeof *o->before) ||
		!ordo_array_reserve(
			&o->same, &o->same_room, (size_t)pairs->count + 1, sizeof *o->same)) {
		o->no_memory = true;
		return NULL;
	}
	pair.signal = both->signal;
	o->same[pairs->count] = ORDO_NONE;
	o->before[pairs->count] = before ? *before : ORDO_NONE;
	if (before)
		*before = pairs->count;
	pairs->items[pairs->count++] = pair;
	return both;
}

static void raise(uint32_t *last, uint32_t move)
{
	if (*last == ORDO_NONE || *last < move)
		*last = move;
}

/* A stream notifies after move `from`: what it has waited for until then, it retells. Each pair is
 * retold once. */
static void retell(struct order *o, uint32_t from)
{
	struct lane_state *state = &o->lanes[lane_of(o, from)];
	const uint32_t newest_in = o->newest_in[from], done = state->retelling;
	for (uint32_t p = newest_in; p != ORDO_NONE && (done == ORDO_NONE || p > done);
		p = o->before[p])
		raise(&o->lanes[o->pairs->items[p].from_lane].last_retold, o->pairs->items[p].from);
	if (newest_in != ORDO_NONE)
		raise(&state->retelling, newest_in);
	raise(&state->last_out, from);
}

/* The pair placed last is the newest between two streams: they go to the front of the list of the
 * one that waits. */
static void meet_again(struct order *o, struct acquaintance *both)
{
	const uint32_t pair = o->pairs->count - 1;
	struct lane_state *state = &o->lanes[o->pairs->items[pair].to_lane];
	const uint32_t id = (uint32_t)(both - o->acquaintances), first = state->newest_acquaintance;
	o->same[pair] = both->newest;
	both->newest = pair;
	if (first == id)
		return;
	if (both->previous != ORDO_NONE)
		o->acquaintances[both->previous].next = both->next;
	if (both->next != ORDO_NONE)
		o->acquaintances[both->next].previous = both->previous;
	both->previous = ORDO_NONE;
	both->next = first;
	if (first != ORDO_NONE)
		o->acquaintances[first].previous = id;
	state->newest_acquaintance = id;
}

static void come_after(struct order *o, uint32_t from, uint32_t to)
{
	const uint32_t from_lane = lane_of(o, from), to_lane = lane_of(o, to);
	if (!implied(o, from, to)) {
		const struct ordo_pair pair = {from_lane, to_lane, from, to, 0};
		struct acquaintance *both = place(o, pair, &o->lanes[to_lane].newest_in);
		const bool first = both && both->newest == ORDO_NONE;
		retell(o, from);
		if (!both)
			return;
		meet_again(o, both);
		o->heard_of[rank_of(o, from_lane)] = true;
		if (first && rank_of(o, from_lane) != rank_of(o, to_lane))
			meet(o, to_lane, rank_of(o, from_lane), to);
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
		!ordo_near_make(&o->acquainted, sequence->nlane) ||
		!ordo_near_make(&o->met, sequence->nlane)) {
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
	place(o, (struct ordo_pair){from_lane, to_lane, ORDO_NONE, to, 0}, NULL);
	o->heard_of[rank] = true;
	meet(o, to_lane, rank, to);
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
		if (o->pairs->items[p].from > move && is_before(o, move, o->pairs->items[p].from))
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
		place(o, (struct ordo_pair){from_lane, to_lane, move, ORDO_NONE, 0},
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
	o->heard_of = calloc(nrank, sizeof *o->heard_of);
	o->settled = ordo_array_make((size_t)nmove + 1, sizeof *o->settled, 0);
	o->free_reader = ORDO_NONE;
	if (!o->writer || !o->readers || !o->chain || !o->chain_end || !o->chain_mark ||
		!o->newest_in || !o->leaving || !o->some_lane || !o->lanes_of || !o->nrelaying ||
		!o->heard_of || !o->settled ||
		!ordo_array_reserve(
			&o->lanes, &o->lane_room, (size_t)sequence->nlane + 1, sizeof *o->lanes) ||
		!ordo_near_make(&o->acquainted, sequence->nlane) ||
		!ordo_near_make(&o->met, sequence->nlane))
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
	free(o->heard_of);
	free(o->acquaintances);
	free(o->same);
	free(o->deps);
	free(o->visits);
	ordo_near_free(&o->acquainted);
	ordo_map_free(&o->signals);
	ordo_near_free(&o->met);
	free(o->settled);
	ordo_map_free(&o->talks_to);
}

bool ordo_order_moves(struct ordo_sequence *sequence, uint64_t search_visits,
	struct ordo_pairs *pairs, struct ordo_error *error)
{
	*pairs = (struct ordo_pairs){0};
	struct order o = {.sequence = sequence, .pairs = pairs, .search_visits = search_visits};
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
