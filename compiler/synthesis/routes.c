/* routes.c - the links between pairs of ranks, as logical links go. */
#include "routes.h"
#include <ordo/arena.h>
#include <stdlib.h>

void ordo_pair_routes_free(struct ordo_pair_routes *routes)
{
	free(routes->first);
	free(routes->arcs);
	routes->first = routes->arcs = NULL;
}

bool ordo_pair_routes_add(struct ordo_pair_routes *routes, const struct ordo_logical_links *logical,
	bool backwards, struct ordo_error *error)
{
	const struct ordo_capacities *graph = routes->network;
	const uint32_t npair = graph->nrank * graph->nrank;
	struct ordo_pair_routes now = {.network = graph};
	size_t room = 0;
	uint32_t *arcs = ordo_array_make(graph->nvertex, sizeof *arcs, 0);
	now.first = ordo_array_make((size_t)npair + 1, sizeof *now.first, 0);
	bool worked = arcs && now.first;
	for (uint32_t pair = 0; worked && pair < npair; pair++) {
		const uint32_t before =
			routes->first ? routes->first[pair + 1] - routes->first[pair] : 0;
		uint32_t count;
		ordo_logical_route(logical, pair / graph->nrank, pair % graph->nrank, graph,
			backwards, arcs, &count);
		const bool keeps = before && (!count || before <= count);
		const uint32_t *from = keeps ? routes->arcs + routes->first[pair] : arcs;
		count = keeps ? before : count;
		worked = ordo_array_reserve(
			&now.arcs, &room, (size_t)now.first[pair] + count + 1, sizeof *now.arcs);
		now.first[pair + 1] = now.first[pair] + count;
		for (uint32_t i = 0; worked && i < count; i++)
			now.arcs[now.first[pair] + i] = from[i];
	}
	free(arcs);
	ordo_pair_routes_free(routes);
	*routes = now;
	return worked || ordo_fail_memory(error);
}
