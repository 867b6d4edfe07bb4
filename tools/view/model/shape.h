/* shape.h - recognises the shape of a topology from its links, whatever its name. */
#ifndef ORDO_TOOLS_VIEW_MODEL_SHAPE_H
#define ORDO_TOOLS_VIEW_MODEL_SHAPE_H

#include <ordo/topology.h>

enum shape_kind {
	SHAPE_NONE,
	/* sizes[0] x sizes[1] x sizes[2] ranks, each joined to the next in a dimension, with or
	 * without wrap-around */
	SHAPE_GRID,
	SHAPE_HYPERCUBE, /* ranks that differ in one binary digit */
	/* sizes[0] servers of sizes[1] ranks: a full mesh in each; between servers, ranks of equal
	 * number, or switches */
	SHAPE_SERVERS,
	SHAPE_PAIRS /* ranks 2i and 2i+1 are joined, and all even ones, and all odd ones */
};

struct shape {
	enum shape_kind kind;
	uint32_t sizes[3];
};

/* Some links may be missing, but there may be no others. Time: about ranks times dimensions, and
 * links for each way to factor the number of ranks. */
struct shape find_shape(const struct ordo_topology *topology);

#endif
