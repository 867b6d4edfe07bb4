/* shortest_ways.h - the shortest ways from one vertex to all others. Private to synthesis/bound. */
#ifndef ORDO_SYNTHESIS_BOUND_SHORTEST_WAYS_H
#define ORDO_SYNTHESIS_BOUND_SHORTEST_WAYS_H

#include "synthesis/graph.h"

/* [nvertex] each; of vertices that are not reached only distances, UINT64_MAX, are set. */
struct ordo_shortest_ways {
	uint64_t *distances;
	uint32_t *arcs, /* the last one of a way; not of the first vertex */
		*order; /* the vertices that are reached, by distance, the first vertex first */
	bool *known;	/* for the search itself */
};

/* The caller frees them, also after false: no memory. */
bool ordo_shortest_ways_make(struct ordo_shortest_ways *ways, uint32_t nvertex);
void ordo_shortest_ways_free(struct ordo_shortest_ways *ways);

/* Returns how many vertices are reached. lengths: [narc] */
uint32_t ordo_shortest_ways_find(struct ordo_shortest_ways *ways,
	const struct ordo_capacities *graph, const uint32_t *lengths, uint32_t from);

#endif
