/* order.h - a placement for a request: its tree of sums, given or chosen for the topology. Private
 * to compiler/. */
#ifndef ORDO_SYNTHESIS_PLACE_ORDER_H
#define ORDO_SYNTHESIS_PLACE_ORDER_H

#include "place.h"

/* All that is found for one request. */
struct ordo_placed_order {
	struct ordo_capacities graph;
	struct ordo_place_network network;
	struct ordo_forest *forest;
	uint32_t root; /* of the forest: the tree */
	struct ordo_sum_tree tree;
	struct ordo_placement placement;
	uint64_t bound[2]; /* without the demand for one order; as placement.time */
	uint32_t units;	   /* of a block or the vector that use nearly all of the bandwidth */
	bool parallel;	   /* links of several classes lie side by side, and share chunks */
	uint32_t chunks;   /* of a block, where the request says nothing */
};

struct ordo_placed_wish {
	/* as ordo_forest_read; "auto": chosen; "searched": one that is faster than that, where
	 * links are no ports that legs share, else an error */
	const char *order;
	bool spreads; /* AllReduce; else ReduceScatter */
	/* how fast a rank adds, where ranks are to share the sums; 0: links alone matter */
	double adding_gbs;
	uint32_t chunks; /* of a block in the document; 0: the request says nothing */
	struct ordo_kept_placements *kept; /* by other requests of one choice; NULL: none are */
};

/* Chooses the tree, unless it is given, and places it: the same tree for any number of chunks. The
 * caller frees it, also after false: the text is no order, a rank cannot be reached, or no memory.
 */
bool ordo_placed_order_make(struct ordo_placed_order *placed, const struct ordo_topology *topology,
	const struct ordo_placed_wish *asked, struct ordo_error *error);
void ordo_placed_order_free(struct ordo_placed_order *placed);

/* placed.c: of a resolved request. NULL: it is for another algorithm, or for one rank. */
struct ordo_resolved_request;
const struct ordo_placed_order *ordo_placed_order_of(const struct ordo_resolved_request *resolved);

#endif
