/* ring_sum.c - passes chunks round the ring while every rank adds its part.
 *
 * A rank's own part waits where the sum will arrive: in the output if the chunk ends there, in
 * place in the input, else in the window.
 */
#include "ring_lanes.h"

static struct ordo_at sum_place(struct ordo_builder *b, const struct ordo_ring_lane *lane,
	uint32_t rank, uint32_t chunk, uint32_t arrival)
{
	if (ordo_has_output(b, rank, chunk))
		return ordo_output_of(b, rank, chunk);
	if (lane->problem->in_place)
		return ordo_input_of(b, rank, chunk);
	return ordo_lane_window(lane, rank, arrival);
}

/* The rank gets its own part of a slice ready for the sum that will arrive. */
static void contribute(struct ordo_builder *b, const struct ordo_ring_lane *lane, uint32_t rank,
	struct ordo_slice slice, uint32_t arrival)
{
	if (slice.count)
		ordo_copy(b, sum_place(b, lane, rank, slice.first, arrival),
			ordo_input_of(b, rank, slice.first), slice.count);
}

/* What arrived at `from` as number arrival-1 (0: it begins there) goes on to `to` as number
 * `arrival`. */
static void add_on(struct ordo_builder *b, const struct ordo_ring_lane *lane, uint32_t from,
	uint32_t to, struct ordo_slice slice, uint32_t came_as, uint32_t arrival)
{
	if (!slice.count)
		return;
	struct ordo_at partial = came_as == ORDO_NONE
					 ? ordo_input_of(b, from, slice.first)
					 : sum_place(b, lane, from, slice.first, came_as);
	ordo_reduce(b, sum_place(b, lane, to, slice.first, arrival), partial, slice.count);
}

/* AllReduce: every slice has its place in the output. The slice that begins at a rank is sent from
 * the input and needs no copy. The slice needed first is copied last, so that one handshake covers
 * all copies. */
static void contribute_all(struct ordo_builder *b, const struct ordo_ring_lane *lane)
{
	struct ordo_slice share = lane->share;
	for (uint32_t p = 0; p < lane->n; p++) {
		struct ordo_slice begins = ordo_lane_slice(lane, (int64_t)p - 1);
		struct ordo_slice before = {share.first, begins.first - share.first};
		struct ordo_slice after = {
			begins.first + begins.count, share.count - before.count - begins.count};
		contribute(b, lane, ordo_lane_rank(lane, p), after, 0);
		contribute(b, lane, ordo_lane_rank(lane, p), before, 0);
	}
}

/* ReduceScatter: the first arrivals have their places in the window, the last one in the output.
 * Again what is needed first comes last. */
static void contribute_first(struct ordo_builder *b, struct ordo_ring_lane *lane)
{
	uint32_t n = lane->n;
	ordo_lane_open_window(b, lane, n - 2, lane->share.count);
	for (uint32_t p = 0; p < n; p++) {
		uint32_t rank = ordo_lane_rank(lane, p);
		contribute(b, lane, rank, ordo_lane_slice(lane, p), n - 2);
		for (uint32_t a = lane->nwindow; a-- > 0;)
			contribute(b, lane, rank, ordo_lane_slice(lane, (int64_t)p - 2 - a), a);
	}
}

/* The place of the arrival just sent on is free for a later one. */
static void contribute_next(
	struct ordo_builder *b, const struct ordo_ring_lane *lane, uint32_t sent)
{
	uint32_t arrival = sent + lane->nwindow;
	for (uint32_t p = 0; arrival < lane->n - 2 && p < lane->n; p++)
		contribute(b, lane, ordo_lane_rank(lane, p),
			ordo_lane_slice(lane, (int64_t)p - 2 - arrival), arrival);
}

/* In step s the rank at position p adds the slice of position p-1-s on; it began at the position
 * behind its own, so it ends there after n-1 steps. */
void ordo_lane_sum(struct ordo_builder *b, struct ordo_ring_lane *lane)
{
	bool to_all = lane->problem->op == ORDO_ALLREDUCE,
	     windowed = !to_all && !lane->problem->in_place;
	ordo_phase(b, "reduce-scatter", 0);
	if (to_all)
		contribute_all(b, lane);
	else if (windowed)
		contribute_first(b, lane);
	for (uint32_t step = 0; step + 1 < lane->n; step++) {
		ordo_phase(b, "reduce-scatter", step);
		for (uint32_t p = 0; p < lane->n; p++)
			add_on(b, lane, ordo_lane_rank(lane, p),
				ordo_lane_rank(lane, (int64_t)p + 1),
				ordo_lane_slice(lane, (int64_t)p - 1 - step),
				step ? step - 1 : ORDO_NONE, step);
		if (windowed && step)
			contribute_next(b, lane, step - 1);
	}
}

/* Chunk number k of the share leaves position 1 in step k and is at position p, from 2 on, one step
 * later each, last at the root: position n. */
void ordo_lane_sum_to_root(struct ordo_builder *b, struct ordo_ring_lane *lane)
{
	uint32_t n = lane->n, nchunk = lane->share.count;
	bool windowed = !lane->problem->in_place;
	if (n < 2 || !nchunk)
		return;
	ordo_phase(b, "reduce", 0);
	if (windowed && n > 2)
		ordo_lane_open_window(b, lane, nchunk, 1);
	for (uint32_t p = 2; windowed && p < n; p++)
		for (uint32_t k = 0; k < lane->nwindow; k++)
			contribute(b, lane, ordo_lane_rank(lane, p),
				(struct ordo_slice){lane->share.first + k, 1}, k);
	contribute(b, lane, ordo_lane_rank(lane, 0), lane->share, 0);
	for (uint32_t step = 0; step < nchunk + n - 2; step++) {
		ordo_phase(b, "reduce", step);
		for (uint32_t p = n - 1; p >= 1; p--) {
			uint32_t k = step - (p - 1), next = k + lane->nwindow;
			if (step < p - 1 || k >= nchunk)
				continue;
			add_on(b, lane, ordo_lane_rank(lane, p),
				ordo_lane_rank(lane, (int64_t)p + 1),
				(struct ordo_slice){lane->share.first + k, 1},
				p == 1 ? ORDO_NONE : k, k);
			if (windowed && p > 1 && next < nchunk)
				contribute(b, lane, ordo_lane_rank(lane, p),
					(struct ordo_slice){lane->share.first + next, 1}, next);
		}
	}
}
