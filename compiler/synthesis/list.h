/* list.h - the moves of chunks along trees, as a list schedule in time. Private to compiler/. */
#ifndef ORDO_SYNTHESIS_LIST_H
#define ORDO_SYNTHESIS_LIST_H

#include "graph.h"
#include "routes.h"

/* A chunk goes up a tree, is summed on its way, and then down a tree from the same root; either
 * tree may be NULL. [nrank] parents; the root is its own. Chunks that come first in the list have
 * the right of way. */
struct ordo_chunk_way {
	uint32_t chunk, root;
	const uint32_t *up, *down;
};

enum ordo_listed_kind {
	ORDO_LISTED_RESULT,
	ORDO_LISTED_SUM, /* an operand of `to`; it is added at once, but where sums are apart */
	ORDO_LISTED_ADD	 /* sums apart: `to` adds what came from `from` */
};

struct ordo_listed_move {
	uint32_t from, to, way; /* index of the chunk's way */
	enum ordo_listed_kind kind;
};

/* Sums apart from the links: a rank adds one operand after another, and no more than `slots` from
 * one other rank have come and are not added yet. */
struct ordo_listed_adders {
	uint32_t slots;
	double time; /* of an addition, if the widest arc takes 1 for a chunk */
};

/* All moves by the time at which they begin, if a link carries one chunk after another, in time
 * that is inverse to its bandwidth, and two sums into one slot do not overlap. The caller frees
 * *moves [*nmove]. false: no memory.
 *
 *   graph    ranks, with an arc for each pair that moves anything
 *   routes   NULL: each arc is a link
 *   adders   NULL: sums take no time, and are no moves of their own */
bool ordo_list_moves(struct ordo_listed_move **moves, size_t *nmove,
	const struct ordo_capacities *graph, const struct ordo_pair_routes *routes,
	const struct ordo_listed_adders *adders, const struct ordo_chunk_way *ways, uint32_t nway,
	struct ordo_error *error);

#endif
