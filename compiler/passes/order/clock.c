/* clock.c - vector clocks: what a stream knows of another by what it has waited for. */
#include "order.h"

static const struct clock_entry no_clock_entry = {
	ORDO_NONE, ORDO_NONE, ORDO_NONE, ORDO_NONE, ORDO_NONE, ORDO_NONE, ORDO_NONE};

void ordo_order_note_entered(struct ordering *o, uint32_t lane, uint32_t rank, uint32_t move)
{
	if (ordo_near_get(&o->ranks.entered, lane, rank) == ORDO_NONE &&
		!ordo_near_put(&o->ranks.entered, lane, rank, move))
		o->no_memory = true;
}

static void note_used(struct lane_state *state, uint32_t clock_entry)
{
	state->lately[1] = state->lately[0];
	state->lately[0] = clock_entry;
}

/* NULL: the one knows nothing of the other. */
static struct clock_entry *find_clock(struct ordering *o, uint32_t from_lane, uint32_t to_lane)
{
	struct clock_entry *entry = ordo_order_last_used(o, from_lane, to_lane);
	if (entry)
		return entry;
	const uint32_t id = ordo_near_get(&o->clocks.ids, to_lane, from_lane);
	if (id == ORDO_NONE)
		return NULL;
	note_used(&o->lanes[to_lane], id);
	return &o->clocks.entries[id];
}

struct clock_entry *ordo_order_look_up_clock(
	struct ordering *o, uint32_t from_lane, uint32_t to_lane)
{
	uint32_t id = ordo_near_get(&o->clocks.ids, to_lane, from_lane);
	if (id == ORDO_NONE) {
		id = o->clocks.count;
		if (!ordo_array_reserve(&o->clocks.entries, &o->clocks.room, (size_t)id + 1,
			    sizeof *o->clocks.entries) ||
			!ordo_near_put(&o->clocks.ids, to_lane, from_lane, id)) {
			o->no_memory = true;
			return NULL;
		}
		o->clocks.entries[id] = no_clock_entry;
		o->clocks.entries[id].from_lane = from_lane;
		o->clocks.count++;
	}
	note_used(&o->lanes[to_lane], id);
	return &o->clocks.entries[id];
}

uint32_t ordo_order_waited_for(
	struct ordering *o, const struct clock_entry *entry, uint32_t position)
{
	uint32_t edge = entry->newest;
	for (; edge != ORDO_NONE && o->edges->items[edge].to > position; edge = o->lists.same[edge])
		o->edges->visits++;
	return edge;
}

bool ordo_order_knows(struct ordering *o, uint32_t lane, uint32_t position, uint32_t move)
{
	const struct clock_entry *entry = find_clock(o, lane_of(o, move), lane);
	if (!entry)
		return false;
	if (entry->shown_from != ORDO_NONE && entry->shown_from >= move &&
		entry->shown_to <= position)
		return true;
	const uint32_t edge = ordo_order_waited_for(o, entry, position);
	return edge != ORDO_NONE && o->edges->items[edge].from >= move;
}
