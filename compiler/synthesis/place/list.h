/* list.h - the moves of placed chunks as a list schedule in time. Private to compiler/. */
#ifndef ORDO_SYNTHESIS_PLACE_LIST_H
#define ORDO_SYNTHESIS_PLACE_LIST_H

#include "place.h"

/* A hop of a chunk; or the sum of two values that are at one rank (hop ORDO_NONE), named by its
 * node. */
struct ordo_place_move {
	uint32_t way, hop, node;
};

/* The child in whose memory the sum is made: that with the rank's own value, else one that is
 * computed there, else the first. The other is added to it. */
uint32_t ordo_place_kept(
	const struct ordo_sum_tree *tree, const struct ordo_place_chunk *chunk, uint32_t node);

/* All moves by the time at which they begin. A leg carries one chunk after another; the first
 * chunks have the right of way. If sums cost something in the network, every sum is a move, and a
 * rank makes one after another; else a value is added by its last hop. The caller frees *moves
 * [*nmove]. time: in which all are done, in the same parts for the same number of ways. false: no
 * memory. */
bool ordo_place_list(struct ordo_place_move **moves, size_t *nmove, uint64_t *time,
	const struct ordo_place_network *network, const struct ordo_sum_tree *tree,
	const struct ordo_place_chunk *const *ways, uint32_t nway);

#endif
