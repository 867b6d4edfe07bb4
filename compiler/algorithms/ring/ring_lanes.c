/* ring_lanes.c - positions, slices and windows of a lane. */
#include "ring_lanes.h"

struct ordo_slice ordo_lane_slice(const struct ordo_ring_lane *lane, int64_t p)
{
	uint32_t position = (uint32_t)((p + 2 * (int64_t)lane->n) % lane->n);
	if (lane->problem->op == ORDO_ALLREDUCE) {
		struct ordo_slice slice = ordo_slice_of(lane->share.count, lane->n, position);
		slice.first += lane->share.first;
		return slice;
	}
	uint32_t block = lane->order[position];
	return (struct ordo_slice){
		block * lane->problem->chunks_per_block + lane->share.first, lane->share.count};
}

void ordo_lane_open_window(
	struct ordo_builder *b, struct ordo_ring_lane *lane, uint32_t arrivals, uint32_t width)
{
	lane->width = width;
	lane->nwindow = arrivals < ORDO_LANE_WINDOW ? arrivals : ORDO_LANE_WINDOW;
	lane->window = ordo_scratch(b, lane->nwindow * width);
}

struct ordo_at ordo_lane_window(const struct ordo_ring_lane *lane, uint32_t rank, uint32_t arrival)
{
	return ordo_at(rank, ORDO_SCRATCH, lane->window + arrival % lane->nwindow * lane->width);
}
