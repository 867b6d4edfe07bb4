/* shortest_ways.c - the shortest ways from one vertex to all others (Dijkstra), in the time of the
 * square of the vertices. */
#include "shortest_ways.h"
#include <ordo/arena.h>
#include <stdlib.h>
#include <string.h>

bool ordo_shortest_ways_make(struct ordo_shortest_ways *ways, uint32_t nvertex)
{
	*ways = (struct ordo_shortest_ways){
		.distances = ordo_array_make(nvertex, sizeof *ways->distances, 0),
		.arcs = ordo_array_make(nvertex, sizeof *ways->arcs, 0),
		.order = ordo_array_make(nvertex, sizeof *ways->order, 0),
		.known = ordo_array_make(nvertex, sizeof *ways->known, 0)};
	return ways->distances && ways->arcs && ways->order && ways->known;
}

void ordo_shortest_ways_free(struct ordo_shortest_ways *ways)
{
	free(ways->distances);
	free(ways->arcs);
	free(ways->order);
	free(ways->known);
}

/* The nearest vertex that is not known yet; ORDO_NONE. */
static uint32_t find_nearest(const struct ordo_shortest_ways *ways, uint32_t nvertex)
{
	uint32_t nearest = ORDO_NONE;
	for (uint32_t v = 0; v < nvertex; v++)
		if (!ways->known[v] && ways->distances[v] != UINT64_MAX &&
			(nearest == ORDO_NONE || ways->distances[v] < ways->distances[nearest]))
			nearest = v;
	return nearest;
}

uint32_t ordo_shortest_ways_find(struct ordo_shortest_ways *ways,
	const struct ordo_capacities *graph, const uint32_t *lengths, uint32_t from)
{
	uint32_t count = 0;
	memset(ways->known, 0, graph->nvertex * sizeof *ways->known);
	memset(ways->distances, 0xff, graph->nvertex * sizeof *ways->distances);
	ways->distances[from] = 0;
	for (uint32_t v; (v = find_nearest(ways, graph->nvertex)) != ORDO_NONE;
		ways->order[count++] = v) {
		ways->known[v] = true;
		for (uint32_t i = graph->first[v]; i < graph->first[v + 1]; i++) {
			const uint64_t distance = ways->distances[v] + lengths[i];
			if (distance >= ways->distances[graph->arcs[i].to])
				continue;
			ways->distances[graph->arcs[i].to] = distance;
			ways->arcs[graph->arcs[i].to] = i;
		}
	}
	return count;
}
