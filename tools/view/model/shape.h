/* shape.h - what a topology looks like, whatever its name: known by which ranks its links join. */
#ifndef ORDO_TOOLS_VIEW_MODEL_SHAPE_H
#define ORDO_TOOLS_VIEW_MODEL_SHAPE_H

#include <ordo/topology.h>

enum shape_kind {
	SHAPE_NONE,
	/* sizes[0] x sizes[1] x sizes[2] ranks, each joined to the next in a dimension, round it or
	 * not */
	SHAPE_GRID,
	SHAPE_HYPERCUBE, /* ranks that differ in one binary digit */
	/* sizes[0] servers of sizes[1] ranks: a full mesh in each; outside, ranks of one number, or
	 * switches */
	SHAPE_SERVERS,
	SHAPE_PAIRS /* ranks 2i and 2i+1 are joined, and all even ones, and all odd ones */
};

struct shape {
	enum shape_kind kind;
	uint32_t sizes[3];
};

/* Links may be missing, some of them, but none may be too many. About ranks times dimensions, and
 * links for each way to divide the ranks. */
struct shape find_shape(const struct ordo_topology *topology);

#endif
