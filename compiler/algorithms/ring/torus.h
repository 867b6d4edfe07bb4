/* torus.h - the dimensions of a torus, for algorithms that go along them. */
#ifndef ORDO_COMPILER_ALGORITHMS_RING_TORUS_H
#define ORDO_COMPILER_ALGORITHMS_RING_TORUS_H

#include "algorithms/hierarchy/levels.h"

struct ordo_torus {
	uint32_t count;
	struct ordo_level at[ORDO_MAX_LEVELS]; /* the dimensions, but for those of one rank */
};

/* From the parameter `sizes`; else from the topology's name, torus:4x4; else one ring of all ranks.
 * In request->arena. */
struct ordo_torus *ordo_torus_make(struct ordo_resolved_request *request, struct ordo_error *error);

/* The place of a rank in a dimension. */
uint32_t ordo_torus_digit(const struct ordo_level *level, uint32_t rank);
/* The rank `steps` further on in a dimension. */
uint32_t ordo_torus_along(const struct ordo_level *level, uint32_t rank, uint32_t steps);
/* How many dimensions there are, all of *size ranks; 0: they differ, or there is one rank. */
uint32_t ordo_torus_cube(const struct ordo_torus *torus, uint32_t *size);

/* The parameter `sizes`. */
#define ORDO_TORUS_SIZES                                                                           \
	{                                                                                          \
		.name = "sizes", .values = "auto|[4,4]", .fallback = "auto",                       \
		.meaning = "ranks of each dimension, the one with consecutive numbers "            \
			   "first; auto: from the topology's name, such as torus:4x4, else "       \
			   "one ring of all ranks",                                                \
		.kind = ORDO_LISTS                                                                 \
	}

#endif
