/* ring_lanes.h - what the ring algorithm is cut into: one lane for each ring and direction.
 *
 * A lane carries its share of every block, in a stream of its own, along its order: positions
 * 0..n-1, modulo n. For a rooted operator position 0 is the root. The data of one position is its
 * slice: of AllReduce's only block the n-th part of the lane's share, of other operators the lane's
 * share of the block of the rank there. Private to the ring algorithm.
 */
#ifndef ORDO_COMPILER_ALGORITHMS_RING_RING_LANES_H
#define ORDO_COMPILER_ALGORITHMS_RING_RING_LANES_H

#include "algorithm.h"

/* Blocks on their way through a rank that has no other place for them lie in this many scratch
 * slots in turn: one arrives, one leaves, and one is made ready for the next arrival meanwhile. */
enum { ORDO_LANE_WINDOW = 3 };

struct ordo_ring_lane {
	uint32_t n;
	const uint32_t *order;		    /* [n] the rank at each position */
	const uint32_t *positions;	    /* [n] the position of each rank */
	uint32_t number;		    /* of the stream; ORDO_NONE if there is one lane only */
	const struct ordo_problem *problem; /* with K settled */
	struct ordo_slice share;	    /* chunks of each block */
	/* scratch: nwindow places of `width` slots from `window` on */
	uint32_t window, nwindow, width;
};

/* Position p may be anything that is not below -2n. */
static inline uint32_t ordo_lane_rank(const struct ordo_ring_lane *lane, int64_t p)
{
	return lane->order[(p + 2 * (int64_t)lane->n) % lane->n];
}

/* The chunks of a position. */
struct ordo_slice ordo_lane_slice(const struct ordo_ring_lane *lane, int64_t p);

/* Reserves the window for at most `arrivals` things of `width` chunks that a rank has on their way
 * at once.
 */
void ordo_lane_open_window(
	struct ordo_builder *b, struct ordo_ring_lane *lane, uint32_t arrivals, uint32_t width);
/* Where the a-th thing to arrive lies. */
struct ordo_at ordo_lane_window(const struct ordo_ring_lane *lane, uint32_t rank, uint32_t arrival);

/* ring_sum.c: chunks that are added up on their way. */
/* every slice to its position */
void ordo_lane_sum(struct ordo_builder *b, struct ordo_ring_lane *lane);
/* every chunk to position 0 */
void ordo_lane_sum_to_root(struct ordo_builder *b, struct ordo_ring_lane *lane);

/* ring_pass.c: chunks that are passed on as they are. */
void ordo_lane_spread(struct ordo_builder *b,
	struct ordo_ring_lane *lane); /* every slice from its position to all */
void ordo_lane_broadcast(struct ordo_builder *b,
	struct ordo_ring_lane *lane); /* every chunk from position 0 to all */
void ordo_lane_scatter(struct ordo_builder *b, struct ordo_ring_lane *lane);
void ordo_lane_gather(struct ordo_builder *b, struct ordo_ring_lane *lane);

#endif
