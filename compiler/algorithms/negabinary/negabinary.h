/* negabinary.h - a flow in which step s goes (1-(-2)^(s+1))/3 = 1, -1, 3, -5, 11, ... ranks along a
 * ring of 2^q: even ranks forwards, odd ones backwards.
 *
 * Every step pairs the ranks, and each rank reaches each other one by just one choice of steps, so
 * it is a butterfly; but the way is shorter than 2^s, because every other step goes back. A torus
 * has such steps in each dimension, the near ones of all dimensions before the far ones; a lane
 * begins with a dimension of its own, and every second lane is a mirror image.
 *
 * So it is for any even number of ranks in ceil(log2 m) steps, but several choices may lead to one
 * rank. Then the one counts whose first step is latest, which leaves a tree for each owner: A_s,
 * the ranks that have its slice before step s, is A_{s+1} and the peers of that; who is in A_s only
 * sends in step s, and so once. Whole vectors need powers of two.
 *
 * The far steps from q-1 down to any s lead from a rank round a set of ranks that is the same
 * wherever in it one begins; the near ones from 0 up do not. So:
 *
 *   near first   what a rank still has to send halves to such a set; in that order slices lie
 *                together. The trees of sums differ: max(1, N/4) in a ring
 *   far first    one tree for all slices, and for whole vectors on all ranks
 */
#ifndef ORDO_COMPILER_ALGORITHMS_NEGABINARY_NEGABINARY_H
#define ORDO_COMPILER_ALGORITHMS_NEGABINARY_NEGABINARY_H

#include "algorithms/flow/flow.h"
#include "algorithms/ring/torus.h"

/* Makes the flow of request->prepared. Each dimension of the torus has an even number of ranks; the
 * torus lives as long as the request. With one dimension the flow has Scatter and Gather. */
struct ordo_flow *ordo_negabinary_make(struct ordo_resolved_request *request,
	const struct ordo_torus *torus, uint32_t nlane, bool far_first);

/* Where a topology has no link to some peer of a step, but all those along its dimension, messages
 * go from neighbour to neighbour: sets hops and via of the flow. */
void ordo_negabinary_relay(const struct ordo_resolved_request *request, struct ordo_flow *flow);

/* The peer of a member in a step of the flow's lane. */
uint32_t ordo_negabinary_peer(const struct ordo_flow *flow, uint32_t step, uint32_t member);

/* The steps that lead from a member to another, which is reached by just these; bit s: step s, in
 * this order. With one dimension only. */
uint32_t ordo_negabinary_way(const struct ordo_flow *flow, uint32_t from, uint32_t to);

/* AllReduce of whole vectors: every member exchanges all it has in every step. Its claims: the
 * longest chain of moves, and how many chunks the busiest rank sends. */
void ordo_negabinary_exchange(struct ordo_builder *b, const struct ordo_resolved_request *request);
uint64_t ordo_negabinary_exchange_steps(const struct ordo_resolved_request *request);
uint64_t ordo_negabinary_exchange_volume(const struct ordo_resolved_request *request);

#endif
