/* leaving.c - a rank leaves after the last write of every other stream into its memory. */
#include "order.h"
#include <stdlib.h>

/* Does some stream of the rank know, when all have ended, that `move` is done? */
static bool leaving_implied(struct ordering *o, uint32_t rank, uint32_t move,
	const uint32_t *rank_lanes, uint32_t nlane)
{
	const struct lane_state *source = &o->lanes[lane_of(o, move)];
	if (o->settled[move])
		return true;
	if (source->last_out == ORDO_NONE || source->last_out < move)
		return false;
	ordo_order_start_search(o);
	for (uint32_t p = o->ranks.leaving[rank]; p != ORDO_NONE; p = o->lists.before[p])
		if (o->edges->items[p].from > move &&
			ordo_order_is_before(o, move, o->edges->items[p].from))
			return true;
	for (uint32_t i = 0; i < nlane; i++)
		ordo_order_search_from(
			o, rank_lanes[i], ORDO_NONE, o->lanes[rank_lanes[i]].newest_in);
	return ordo_order_search(o, move);
}

static void leave_after(
	struct ordering *o, uint32_t move, const uint32_t *rank_lanes, const uint32_t *first_lane)
{
	const uint32_t rank = o->sequence->moves[move].peer, from_lane = lane_of(o, move);
	if (leaving_implied(o, rank, move, rank_lanes + first_lane[rank],
		    first_lane[rank + 1] - first_lane[rank]))
		return;
	const uint32_t to_lane = ordo_order_signalling_lane(o, rank, from_lane);
	if (to_lane != ORDO_NONE)
		ordo_order_place(o, (struct ordo_sync_edge){from_lane, to_lane, move, ORDO_NONE, 0},
			&o->ranks.leaving[rank]);
}

/* The streams by rank: rank_lanes[first_lane[r]] .. rank_lanes[first_lane[r + 1] - 1]. */
static void sort_lanes(const struct ordering *o, uint32_t *first_lane, uint32_t *rank_lanes)
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
static bool is_last(struct ordering *o, const struct ordo_move *move, struct ordo_near_map *asked,
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

bool ordo_order_leaving(struct ordering *o)
{
	const struct ordo_sequence *sequence = o->sequence;
	/* Streams may still be added, but only to ranks that have none: these write to nobody. */
	uint32_t *first_lane = calloc((size_t)sequence->problem.nrank + 2, sizeof *first_lane),
		 *rank_lanes = calloc((size_t)sequence->nlane + 1, sizeof *rank_lanes),
		 *last_peer = ordo_order_nones(sequence->nlane);
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
