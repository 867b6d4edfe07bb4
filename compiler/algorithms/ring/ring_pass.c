/* ring_pass.c - passes chunks along the ring unchanged.
 *
 * A rank passes a chunk on from its input if the chunk begins there, from its output if the rank
 * keeps it, and otherwise from the window.
 */
#include "ring_lanes.h"

static void pass_on(
	struct ordo_builder *b, struct ordo_at to, struct ordo_at from, struct ordo_slice slice)
{
	ordo_copy(b, to, from, slice.count);
}

/* In step s the rank at position p passes the slice of position p-s on. After a sum it lies in the
 * output from the beginning. */
void ordo_lane_spread(struct ordo_builder *b, struct ordo_ring_lane *lane)
{
	bool summed = lane->problem->op == ORDO_ALLREDUCE;
	for (uint32_t step = 0; step + 1 < lane->n; step++) {
		ordo_phase(b, "all-gather", step);
		for (uint32_t p = 0; p < lane->n; p++) {
			uint32_t from = ordo_lane_rank(lane, p),
				 to = ordo_lane_rank(lane, (int64_t)p + 1);
			struct ordo_slice slice = ordo_lane_slice(lane, (int64_t)p - step);
			if (slice.count)
				pass_on(b, ordo_output_of(b, to, slice.first),
					step || summed ? ordo_output_of(b, from, slice.first)
						       : ordo_input_of(b, from, slice.first),
					slice);
		}
	}
}

/* Chunk number k of the share leaves the root in step k, and position p in step k+p. */
void ordo_lane_broadcast(struct ordo_builder *b, struct ordo_ring_lane *lane)
{
	uint32_t n = lane->n, nchunk = lane->share.count;
	for (uint32_t step = 0; n > 1 && nchunk && step < nchunk + n - 2; step++) {
		ordo_phase(b, "broadcast", step);
		for (uint32_t p = n - 1; p-- > 0;) {
			struct ordo_slice slice = {lane->share.first + step - p, 1};
			uint32_t from = ordo_lane_rank(lane, p),
				 to = ordo_lane_rank(lane, (int64_t)p + 1);
			if (step >= p && step - p < nchunk)
				pass_on(b, ordo_output_of(b, to, slice.first),
					p ? ordo_output_of(b, from, slice.first)
					  : ordo_input_of(b, from, slice.first),
					slice);
		}
	}
}

/* The root sends the farthest position's slice first; the i-th slice ends at position n-1-i. */
void ordo_lane_scatter(struct ordo_builder *b, struct ordo_ring_lane *lane)
{
	uint32_t n = lane->n;
	if (n < 2 || !lane->share.count)
		return;
	ordo_lane_open_window(b, lane, n - 2, lane->share.count);
	for (uint32_t step = 0; step + 1 < n; step++) {
		ordo_phase(b, "scatter", step);
		for (uint32_t p = step + 1; p-- > 0;) {
			uint32_t i = step - p, ends = n - 1 - i, from = ordo_lane_rank(lane, p),
				 to = ordo_lane_rank(lane, (int64_t)p + 1);
			struct ordo_slice slice = ordo_lane_slice(lane, ends);
			pass_on(b,
				p + 1 == ends ? ordo_output_of(b, to, slice.first)
					      : ordo_lane_window(lane, to, i),
				p ? ordo_lane_window(lane, from, i)
				  : ordo_input_of(b, from, slice.first),
				slice);
		}
	}
}

/* In step s the rank at position p > s passes the slice of position p-s on, towards the root:
 * position n. */
void ordo_lane_gather(struct ordo_builder *b, struct ordo_ring_lane *lane)
{
	uint32_t n = lane->n;
	if (n < 2 || !lane->share.count)
		return;
	ordo_lane_open_window(b, lane, n - 2, lane->share.count);
	for (uint32_t step = 0; step + 1 < n; step++) {
		ordo_phase(b, "gather", step);
		for (uint32_t p = n - 1; p > step; p--) {
			uint32_t from = ordo_lane_rank(lane, p),
				 to = ordo_lane_rank(lane, (int64_t)p + 1);
			struct ordo_slice slice = ordo_lane_slice(lane, (int64_t)p - step);
			pass_on(b,
				p + 1 == n ? ordo_output_of(b, to, slice.first)
					   : ordo_lane_window(lane, to, step),
				step ? ordo_lane_window(lane, from, step - 1)
				     : ordo_input_of(b, from, slice.first),
				slice);
		}
	}
}
