/* search.c - is an ordering implied by stream order and the edges placed so far? */
#include "order.h"

/* Steps of a search one way, and then the other. Forwards, few streams know the move for long, and
 * a step looks at one edge; backwards, a stream knows of most others at once. */
enum { FEW_VISITS = 64, NRECENT = 8, FORWARD_STEPS = 64, BACKWARD_STEPS = 16 };

void ordo_order_start_search(struct ordering *o)
{
	o->search.number++;
	o->search.nvisit = 0;
}

void ordo_order_search_from(
	struct ordering *o, uint32_t lane, uint32_t position, uint32_t newest_in)
{
	struct lane_state *state = &o->lanes[lane];
	if (state->search == o->search.number && state->seen >= position)
		return;
	state->search = o->search.number;
	state->seen = position;
	if (newest_in == ORDO_NONE)
		return;
	if (!ordo_array_reserve(&o->search.visits, &o->search.room, (size_t)o->search.nvisit + 1,
		    sizeof *o->search.visits))
		o->no_memory = true;
	else
		o->search.visits[o->search.nvisit++] = (struct visit){lane, position, newest_in};
}

/* false: the search, begun after so many visits, must be given up. */
static bool may_go_on(struct ordering *o, uint64_t begun)
{
	if (o->no_memory)
		return false;
	if (o->edges->visits <= o->search.most_visits || o->edges->visits <= begun + FEW_VISITS)
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

static struct clock_scan start_scan(const struct ordering *o, struct visit at, uint32_t after)
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
static uint32_t next_recent(struct ordering *o, struct clock_scan *scan)
{
	for (; scan->edge != ORDO_NONE && scan->nrecent < NRECENT && scan->step < 2 * NRECENT;
		scan->step++) {
		const struct ordo_sync_edge edge = o->edges->items[scan->edge];
		scan->edge = edge.to <= scan->after ? ORDO_NONE : o->lists.before[scan->edge];
		o->edges->visits++;
		if (edge.to > scan->after && !is_recent(scan, edge.from_lane)) {
			scan->recent[scan->nrecent++] = edge.from_lane;
			return edge.from;
		}
	}
	return ORDO_NONE;
}

/* The next last move, or ORDO_NONE. */
static uint32_t next_in_scan(struct ordering *o, struct clock_scan *scan)
{
	const uint32_t recent = next_recent(o, scan);
	if (recent != ORDO_NONE || scan->edge == ORDO_NONE)
		return recent;
	while (scan->clock_entry != ORDO_NONE) {
		const struct clock_entry *entry = &o->clocks.entries[scan->clock_entry];
		const struct ordo_sync_edge *newest = &o->edges->items[entry->newest];
		scan->clock_entry = newest->to <= scan->after ? ORDO_NONE : entry->next;
		o->edges->visits++;
		if (newest->to <= scan->after || is_recent(scan, newest->from_lane))
			continue;
		const uint32_t edge = ordo_order_waited_for(o, entry, scan->at.position);
		if (edge != ORDO_NONE)
			return o->edges->items[edge].from;
	}
	return ORDO_NONE;
}

bool ordo_order_is_before(struct ordering *o, uint32_t move, uint32_t from)
{
	const uint32_t lane = lane_of(o, from), newest_in = o->newest_in[from];
	if (lane == lane_of(o, move) || o->chains.of[from] == o->chains.of[move])
		return true;
	if (newest_in == ORDO_NONE || o->edges->items[newest_in].to <= move)
		return false;
	if (ordo_order_knows(o, lane, from, move))
		return true;
	const enum ordo_answer answer = ordo_order_ask(o, lane, from, move);
	if (answer == ORDO_UNKNOWN)
		ordo_order_search_from(o, lane, from, newest_in);
	return answer == ORDO_YES;
}

/* Of each stream that a stream has learnt of, only the last move it learnt of matters. */
bool ordo_order_search(struct ordering *o, uint32_t move)
{
	const uint64_t begun = o->edges->visits;
	for (uint32_t i = 0; i < o->search.nvisit; i++) {
		struct clock_scan scan = start_scan(o, o->search.visits[i], move);
		for (uint32_t from; (from = next_in_scan(o, &scan)) != ORDO_NONE;) {
			if (!may_go_on(o, begun))
				return false;
			if (from >= move && ordo_order_is_before(o, move, from))
				return true;
		}
	}
	return false;
}

/* Has the search forwards shown that a move comes after the one that it began at? */
static bool is_reached(const struct ordering *o, uint32_t move)
{
	const struct lane_state *state = &o->lanes[lane_of(o, move)];
	return state->reaching == o->search.number && state->knows <= move;
}

/* A search forwards comes to a stream that knows the move from this position on. */
static void reach(struct ordering *o, uint32_t lane, uint32_t position)
{
	struct lane_state *state = &o->lanes[lane];
	if (state->reaching == o->search.number && state->knows <= position)
		return;
	state->reaching = o->search.number;
	state->knows = position;
	if (!ordo_array_reserve(&o->search.reached, &o->search.reached_room,
		    (size_t)o->search.nreached + 1, sizeof *o->search.reached))
		o->no_memory = true;
	else
		o->search.reached[o->search.nreached++] =
			(struct reached){lane, position, state->newest_out};
}

/* Goes on forwards over some edges: to those after which streams that know the move notify others.
 * No: none is left. Yes: `lane` knows it. Edges of a stream are by the moves that wait, so that
 * none is missed which comes after a position. */
static enum ordo_answer search_forwards(struct ordering *o, uint32_t lane, uint32_t to)
{
	for (uint32_t step = 0; step < FORWARD_STEPS; step++) {
		if (o->search.first == o->search.nreached)
			return ORDO_NO;
		struct reached *at = &o->search.reached[o->search.first];
		const struct ordo_sync_edge *edge =
			at->edge == ORDO_NONE ? NULL : &o->edges->items[at->edge];
		o->edges->visits++;
		if (!edge || edge->to < at->position || o->lanes[at->lane].knows < at->position) {
			o->search.first++;
			continue;
		}
		at->edge = o->lists.beside[at->edge];
		if (edge->from == ORDO_NONE || edge->from < at->position)
			continue;
		/* Where the search backwards has been, all is before `to`. */
		const struct lane_state *known = &o->lanes[edge->to_lane];
		if (known->search == o->search.number && edge->to <= known->seen)
			return ORDO_YES;
		const enum ordo_answer answer =
			edge->to_lane == lane ? ORDO_NO : ordo_order_ask(o, lane, to, edge->to);
		if (answer == ORDO_YES)
			return ORDO_YES;
		if (answer == ORDO_UNKNOWN)
			reach(o, edge->to_lane, edge->to);
	}
	return ORDO_UNKNOWN;
}

/* Whether move `from` is before the places that the search goes on from, which are those of move
 * `to`: forwards from `from` and backwards from there in turn, until one of them is done. */
static bool search_both_ways(struct ordering *o, uint32_t from, uint32_t to)
{
	const uint64_t begun = o->edges->visits;
	uint32_t steps = 0;
	o->search.first = o->search.nreached = 0;
	reach(o, lane_of(o, from), from);
	const enum ordo_answer soon = search_forwards(o, lane_of(o, to), to);
	if (soon != ORDO_UNKNOWN)
		return soon == ORDO_YES;
	for (uint32_t i = 0; i < o->search.nvisit; i++) {
		struct clock_scan scan = start_scan(o, o->search.visits[i], from);
		for (uint32_t at; (at = next_in_scan(o, &scan)) != ORDO_NONE;) {
			if (!may_go_on(o, begun))
				return false;
			if (at >= from && (is_reached(o, at) || ordo_order_is_before(o, from, at)))
				return true;
			if (++steps % BACKWARD_STEPS)
				continue;
			const enum ordo_answer answer = search_forwards(o, lane_of(o, to), to);
			if (answer != ORDO_UNKNOWN)
				return answer == ORDO_YES;
		}
	}
	return false;
}

/* Has a stream that waited for `move`, or for something later of its stream, notified others since?
 * false: nobody knows the move but by waiting for it. */
static bool is_passed_on(const struct ordering *o, uint32_t move)
{
	const uint32_t last = o->lanes[lane_of(o, move)].last_passed_on;
	return last != ORDO_NONE && last >= move;
}

bool ordo_order_was_before(struct ordering *o, uint32_t earlier, uint32_t move)
{
	if (earlier > move)
		return false;
	ordo_order_start_search(o);
	return ordo_order_is_before(o, earlier, move) ||
	       (is_passed_on(o, earlier) && search_both_ways(o, earlier, move));
}

/* Is anything of `rank` before them? */
static bool search_rank(struct ordering *o, uint32_t rank)
{
	const uint64_t begun = o->edges->visits;
	for (uint32_t i = 0; i < o->search.nvisit; i++) {
		struct clock_scan scan = start_scan(o, o->search.visits[i], 0);
		for (uint32_t from; (from = next_in_scan(o, &scan)) != ORDO_NONE;) {
			const uint32_t lane = lane_of(o, from),
				       entered = ordo_near_get(&o->ranks.entered, lane, rank);
			if (!may_go_on(o, begun))
				return false;
			if (rank_of(o, lane) == rank || (entered != ORDO_NONE && entered <= from))
				return true;
			ordo_order_search_from(o, lane, from, o->newest_in[from]);
		}
	}
	return false;
}

/* on_chain: by a chain of data that a dependency of `to` lies on. */
static bool is_implied(struct ordering *o, uint32_t from, uint32_t to, bool on_chain)
{
	const uint32_t lane = lane_of(o, to);
	if (lane_of(o, from) == lane)
		return true;
	if (ordo_order_knows(o, lane, to, from))
		return true;
	if (!on_chain && !is_passed_on(o, from))
		return false;
	const enum ordo_answer answer = on_chain ? ORDO_YES : ordo_order_ask(o, lane, to, from);
	bool yes = answer == ORDO_YES;
	if (answer == ORDO_UNKNOWN) {
		ordo_order_start_search(o);
		ordo_order_search_from(o, lane, to, o->lanes[lane].newest_in);
		yes = search_both_ways(o, from, to);
	}
	struct clock_entry *entry = yes ? ordo_order_make_clock(o, lane_of(o, from), lane) : NULL;
	if (entry) {
		entry->shown_from = from;
		entry->shown_to = to;
	}
	return yes;
}

bool ordo_order_implied(struct ordering *o, uint32_t from, uint32_t to)
{
	return is_implied(o, from, to, o->chains.mark[o->chains.of[from]] == to + 1);
}

bool ordo_order_implied_already(struct ordering *o, uint32_t move, uint32_t to)
{
	return is_implied(o, move, to, false);
}

bool ordo_order_entering_implied(struct ordering *o, uint32_t rank, uint32_t to)
{
	const uint32_t lane = lane_of(o, to);
	if (rank_of(o, lane) == rank || ordo_near_get(&o->ranks.entered, lane, rank) != ORDO_NONE)
		return true;
	if (!o->ranks.waited_for[rank])
		return false;
	ordo_order_start_search(o);
	ordo_order_search_from(o, lane, to, o->lanes[lane].newest_in);
	const bool yes = search_rank(o, rank);
	if (yes)
		ordo_order_note_entered(o, lane, rank, to);
	return yes;
}
