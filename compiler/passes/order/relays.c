/* relays.c - two writers that have no link are ordered by the owner of the cell, in a stream where
 * that delays nothing. */
#include "order.h"

/* Does a relay between two moves order nothing else at the end of this stream? */
static bool can_relay(struct ordering *o, uint32_t lane, uint32_t from, uint32_t to)
{
	const uint32_t last = o->lanes[lane].last;
	if (last == ORDO_NONE)
		return true;
	if (last >= to)
		return false;
	return ordo_order_was_before(o, last, from) ||
	       (last < from ? ordo_order_implied(o, last, to)
			    : ordo_order_implied_already(o, last, to));
}

/* One more stream for a rank, called "relay", "relay 1", ... */
static uint32_t add_relaying_lane(struct ordering *o, uint32_t rank)
{
	struct ordo_sequence *sequence = o->sequence;
	for (;;) {
		const uint32_t number = o->ranks.nrelaying[rank]++,
			       label = ordo_label_id(sequence, &sequence->stream_labels, "relay",
				       number ? number : ORDO_NONE);
		if (label == ORDO_NONE) {
			o->no_memory = true;
			return ORDO_NONE;
		}
		/* An algorithm may have called one so. */
		if (ordo_map_get(&sequence->lane_ids, rank, label) == ORDO_NONE)
			return ordo_order_add_lane(o, rank, label);
	}
}

/* Finds a stream for the relay between two moves, and puts it first in the list of its rank, since
 * the next relay often goes there too. ORDO_NONE: no memory. */
static uint32_t relaying_lane(struct ordering *o, uint32_t rank, uint32_t from, uint32_t to)
{
	uint32_t *link = &o->ranks.lanes[rank];
	while (*link != ORDO_NONE && !can_relay(o, *link, from, to))
		link = &o->lanes[*link].beside;
	const uint32_t lane = *link;
	if (lane == ORDO_NONE)
		return add_relaying_lane(o, rank);
	*link = o->lanes[lane].beside;
	o->lanes[lane].beside = o->ranks.lanes[rank];
	return o->ranks.lanes[rank] = lane;
}

void ordo_order_relay(struct ordering *o, uint32_t from, uint32_t to)
{
	struct ordo_move *moves = o->sequence->moves;
	const uint32_t relay = to - 1;
	if (ordo_order_implied(o, from, to))
		return;
	if (moves[relay].stream == ORDO_NONE) {
		const uint32_t lane = relaying_lane(o, moves[relay].rank, from, to);
		if (lane == ORDO_NONE)
			return;
		moves[relay].stream = lane;
		o->lanes[lane].last = relay;
	}
	ordo_order_come_after(o, from, relay);
	o->newest_in[relay] = o->lanes[moves[relay].stream].newest_in;
	ordo_order_note_row(o, relay);
	if (!ordo_order_extend(o, relay, to))
		ordo_order_come_after(o, relay, to);
}
