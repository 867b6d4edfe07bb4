/* lanes.h - the streams of packed trees between two ranks: one for each way. Private to
 * algorithms/tree. */
#ifndef ORDO_COMPILER_ALGORITHMS_TREE_LANES_H
#define ORDO_COMPILER_ALGORITHMS_TREE_LANES_H

#include "packed.h"
#include "synthesis/list.h"

/* A stream that carries what a rank sends to another, over one of their ways. */
struct ordo_lane {
	const struct ordo_pair_way *way; /* NULL: lanes take turns; it is chosen later */
	uint64_t sent[2];		 /* chunks, of sums and of results */
};

/* The streams between each two ranks. */
struct ordo_lanes {
	const struct ordo_packed *packed;
	uint32_t nrank, *first; /* [nrank * nrank + 1] into items. NULL: one stream each */
	struct ordo_lane *items;
	/* [graph.nvertex] room for those of a way */
	uint32_t *switches;
	const char **classes;
};

/* The name of the stream, below 16: "to", "2nd to", ... */
const char *ordo_lane_name(uint32_t lane);

/* A lane for each way between two ranks, up to 16, or up to 4 that take turns. The caller frees it,
 * also after false: no memory. `packed` must outlive it. */
bool ordo_lanes_make(struct ordo_lanes *lanes, const struct ordo_packed *packed);
void ordo_lanes_free(struct ordo_lanes *lanes);
/* The stream that carries a move is at hand: of those between its ranks the one that is next. */
void ordo_take_lane(
	struct ordo_builder *b, struct ordo_lanes *lanes, const struct ordo_listed_move *move);

#endif
