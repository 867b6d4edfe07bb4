/* edges.c - placing an edge, and what its streams know by it. */
#include "order.h"
#include <stdlib.h>

const struct lane_state ordo_order_new_lane = {.newest_in = ORDO_NONE,
	.newest_out = ORDO_NONE,
	.newest_entry = ORDO_NONE,
	.last_out = ORDO_NONE,
	.last_passed_on = ORDO_NONE,
	.newest_passed_on = ORDO_NONE,
	.lately = {ORDO_NONE, ORDO_NONE},
	.last = ORDO_NONE,
	.beside = ORDO_NONE};

struct clock_entry *ordo_order_place(
	struct ordering *o, struct ordo_sync_edge edge, uint32_t *before)
{
	struct ordo_sync_edges *edges = o->edges;
	struct clock_entry *entry = ordo_order_make_clock(o, edge.from_lane, edge.to_lane);
	if (entry && entry->signal == ORDO_NONE) {
		uint32_t *next = ordo_map_at(
			&o->lists.signals, rank_of(o, edge.from_lane), rank_of(o, edge.to_lane));
		if (next) {
			entry->signal = *next == ORDO_NONE ? 0 : *next;
			*next = entry->signal + 1;
		}
	}
	if (!entry || entry->signal == ORDO_NONE || edges->count >= ORDO_LIMIT ||
		!ordo_array_reserve(&edges->items, &edges->room, (size_t)edges->count + 1,
			sizeof *edges->items) ||
		!ordo_array_reserve(&o->lists.before, &o->lists.before_room,
			(size_t)edges->count + 1, sizeof *o->lists.before) ||
		!ordo_array_reserve(&o->lists.same, &o->lists.same_room, (size_t)edges->count + 1,
			sizeof *o->lists.same) ||
		!ordo_array_reserve(&o->lists.beside, &o->lists.beside_room,
			(size_t)edges->count + 1, sizeof *o->lists.beside)) {
		o->no_memory = true;
		return NULL;
	}
	edge.signal = entry->signal;
	o->lists.same[edges->count] = ORDO_NONE;
	o->lists.beside[edges->count] = o->lanes[edge.from_lane].newest_out;
	o->lanes[edge.from_lane].newest_out = edges->count;
	o->lists.before[edges->count] = before ? *before : ORDO_NONE;
	if (before)
		*before = edges->count;
	edges->items[edges->count++] = edge;
	return entry;
}

static void raise_to(uint32_t *last, uint32_t move)
{
	if (*last == ORDO_NONE || *last < move)
		*last = move;
}

/* A stream notifies after move `from`: what it has waited for until then, it passes on. Each edge
 * is passed on once. */
static void pass_on(struct ordering *o, uint32_t from)
{
	struct lane_state *state = &o->lanes[lane_of(o, from)];
	const uint32_t newest_in = o->newest_in[from], done = state->newest_passed_on;
	for (uint32_t p = newest_in; p != ORDO_NONE && (done == ORDO_NONE || p > done);
		p = o->lists.before[p])
		raise_to(&o->lanes[o->edges->items[p].from_lane].last_passed_on,
			o->edges->items[p].from);
	if (newest_in != ORDO_NONE)
		raise_to(&state->newest_passed_on, newest_in);
	raise_to(&state->last_out, from);
}

/* The edge placed last is the newest between two streams: they go to the front of the list of the
 * one that waits. */
static void move_to_front(struct ordering *o, struct clock_entry *entry)
{
	const uint32_t edge = o->edges->count - 1;
	struct lane_state *state = &o->lanes[o->edges->items[edge].to_lane];
	const uint32_t id = (uint32_t)(entry - o->clocks.entries), first = state->newest_entry;
	o->lists.same[edge] = entry->newest;
	entry->newest = edge;
	if (first == id)
		return;
	if (entry->previous != ORDO_NONE)
		o->clocks.entries[entry->previous].next = entry->next;
	if (entry->next != ORDO_NONE)
		o->clocks.entries[entry->next].previous = entry->previous;
	entry->previous = ORDO_NONE;
	entry->next = first;
	if (first != ORDO_NONE)
		o->clocks.entries[first].previous = id;
	state->newest_entry = id;
}

void ordo_order_come_after(struct ordering *o, uint32_t from, uint32_t to)
{
	const uint32_t from_lane = lane_of(o, from), to_lane = lane_of(o, to);
	if (!ordo_order_implied(o, from, to)) {
		const struct ordo_sync_edge edge = {from_lane, to_lane, from, to, 0};
		struct clock_entry *entry = ordo_order_place(o, edge, &o->lanes[to_lane].newest_in);
		const bool first = entry && entry->newest == ORDO_NONE;
		pass_on(o, from);
		if (!entry)
			return;
		move_to_front(o, entry);
		ordo_order_learn(o, from, to);
		o->ranks.waited_for[rank_of(o, from_lane)] = true;
		if (first && rank_of(o, from_lane) != rank_of(o, to_lane))
			ordo_order_note_entered(o, to_lane, rank_of(o, from_lane), to);
	}
	o->chains.mark[o->chains.of[from]] = to + 1;
	if (o->sequence->moves[from].peer == rank_of(o, to_lane))
		o->settled[from] = true;
}

bool ordo_order_extend(struct ordering *o, uint32_t relay, uint32_t to)
{
	struct clock_entry *entry = ordo_order_make_clock(o, lane_of(o, relay), lane_of(o, to));
	struct ordo_sync_edge *edge =
		entry && entry->newest != ORDO_NONE ? &o->edges->items[entry->newest] : NULL;
	if (!edge || edge->to != to)
		return false;
	edge->from = relay;
	ordo_order_learn(o, relay, to);
	pass_on(o, relay);
	return true;
}

/* Collects, the first time it is asked for, who talks to whom. A stream mostly moves to the peer
 * that it last moved to: then there is nothing new. */
static uint32_t first_sender(struct ordering *o, uint32_t rank, uint32_t peer)
{
	const struct ordo_sequence *sequence = o->sequence;
	uint32_t *last_peer = o->ranks.has_senders ? NULL : ordo_order_nones(sequence->nlane);
	o->no_memory = o->no_memory || !(o->ranks.has_senders || last_peer);
	for (uint32_t i = 0; last_peer && i < sequence->nmove; i++) {
		const struct ordo_move *move = &sequence->moves[i];
		if (move->peer == move->rank || last_peer[move->stream] == move->peer)
			continue;
		last_peer[move->stream] = move->peer;
		uint32_t *first = ordo_map_at(&o->ranks.sends_to, move->rank, move->peer);
		o->no_memory = o->no_memory || !first;
		if (first && *first == ORDO_NONE)
			*first = move->stream;
	}
	free(last_peer);
	o->ranks.has_senders = true;
	return ordo_map_get(&o->ranks.sends_to, rank, peer);
}

uint32_t ordo_order_add_lane(struct ordering *o, uint32_t rank, uint32_t label)
{
	struct ordo_sequence *sequence = o->sequence;
	const uint32_t lane = ordo_lane_id(sequence, rank, label);
	if (lane == ORDO_NONE ||
		!ordo_array_reserve(&o->lanes, &o->lane_room, sequence->nlane, sizeof *o->lanes) ||
		!ordo_near_make(&o->clocks.ids, sequence->nlane) ||
		!ordo_near_make(&o->ranks.entered, sequence->nlane) ||
		(sequence->nlane > o->horizons.nlane && o->horizons.nlane &&
			!ordo_order_widen_horizons(o, 2 * sequence->nlane)) ||
		!ordo_order_add_knowledge(o)) {
		o->no_memory = true;
		return ORDO_NONE;
	}
	o->lanes[lane] = ordo_order_new_lane;
	o->lanes[lane].beside = o->ranks.lanes[rank];
	o->ranks.lanes[rank] = lane;
	if (o->ranks.some_lane[rank] == ORDO_NONE)
		o->ranks.some_lane[rank] = lane;
	return lane;
}

uint32_t ordo_order_signalling_lane(struct ordering *o, uint32_t rank, uint32_t other)
{
	struct ordo_sequence *sequence = o->sequence;
	uint32_t lane = ordo_map_get(&sequence->lane_ids, rank, sequence->lanes[other].label);
	if (lane == ORDO_NONE)
		lane = first_sender(o, rank, rank_of(o, other));
	if (lane == ORDO_NONE)
		lane = o->ranks.some_lane[rank];
	if (lane != ORDO_NONE)
		return lane;
	return ordo_order_add_lane(o, rank, sequence->lanes[other].label);
}

void ordo_order_come_after_entering(struct ordering *o, uint32_t rank, uint32_t to)
{
	if (ordo_order_entering_implied(o, rank, to))
		return;
	const uint32_t to_lane = lane_of(o, to),
		       from_lane = ordo_order_signalling_lane(o, rank, to_lane);
	if (from_lane == ORDO_NONE)
		return;
	ordo_order_place(o, (struct ordo_sync_edge){from_lane, to_lane, ORDO_NONE, to, 0}, NULL);
	o->ranks.waited_for[rank] = true;
	ordo_order_note_entered(o, to_lane, rank, to);
}
