/* routes.c - the links between pairs of ranks, as logical links go. */
#include "routes.h"
#include <ordo/arena.h>
#include <stdlib.h>
#include <string.h>

void ordo_pair_routes_free(struct ordo_pair_routes *routes)
{
	free(routes->first);
	free(routes->arcs);
	free(routes->ways);
	free(routes->first_way);
	free(routes->way_arcs);
	free(routes->way_via);
	*routes = (struct ordo_pair_routes){
		.network = routes->network, .keeps_ways = routes->keeps_ways};
}

/* Adds units to the way of a pair over these switches, which is added if it is new.
 * arcs: [nvia + 1]. false: no memory. */
static bool add_way(struct ordo_pair_routes *routes, uint32_t pair, const uint32_t *via,
	const uint32_t *arcs, const struct ordo_pair_way *way)
{
	uint32_t *link = &routes->first_way[pair];
	for (; *link != ORDO_NONE; link = &routes->ways[*link].next) {
		struct ordo_pair_way *kept = &routes->ways[*link];
		if (kept->narc != way->narc ||
			memcmp(routes->way_arcs + kept->first, arcs, way->narc * sizeof *arcs) != 0)
			continue;
		kept->units[0] += way->units[0];
		kept->units[1] += way->units[1];
		return true;
	}
	*link = routes->nway;
	const size_t narc = routes->nway_arc + way->narc;
	if (!ordo_array_reserve(&routes->ways, &routes->way_room, (size_t)routes->nway + 1,
		    sizeof *routes->ways) ||
		!ordo_array_reserve(
			&routes->way_arcs, &routes->arc_room, narc, sizeof *routes->way_arcs) ||
		!ordo_array_reserve(
			&routes->way_via, &routes->via_room, narc, sizeof *routes->way_via))
		return false;
	routes->ways[routes->nway] = *way;
	routes->ways[routes->nway++].first = (uint32_t)routes->nway_arc;
	memcpy(routes->way_arcs + routes->nway_arc, arcs, way->narc * sizeof *arcs);
	memcpy(routes->way_via + routes->nway_arc, via, (way->narc - 1) * sizeof *via);
	routes->nway_arc = narc;
	return true;
}

static void turn_round(uint32_t *items, uint32_t count)
{
	for (uint32_t i = 0; i < count / 2; i++) {
		const uint32_t item = items[i];
		items[i] = items[count - 1 - i];
		items[count - 1 - i] = item;
	}
}

/* Adds the ways of all logical links between ranks. room: [2][nvertex] */
static bool add_ways(struct ordo_pair_routes *routes, const struct ordo_logical_links *logical,
	bool backwards, uint32_t *room)
{
	const struct ordo_capacities *graph = routes->network;
	const uint32_t nrank = graph->nrank;
	uint32_t *arcs = room, *via = room + graph->nvertex;
	bool worked = true;
	if (!routes->first_way)
		routes->first_way =
			ordo_array_make((size_t)nrank * nrank, sizeof *routes->first_way, 0xff);
	for (uint32_t i = 0; worked && routes->first_way && i < logical->nlink; i++) {
		const struct ordo_logical_link *link = &logical->links[i];
		if (!link->units || link->from >= nrank || link->to >= nrank)
			continue;
		struct ordo_pair_way way = {.next = ORDO_NONE};
		way.units[!backwards] = link->units;
		way.narc = ordo_logical_arcs(logical, link, graph, backwards, arcs);
		if (link->nvia)
			memcpy(via, logical->via + link->first_via, link->nvia * sizeof *via);
		if (backwards) {
			turn_round(arcs, way.narc);
			turn_round(via, link->nvia);
		}
		worked = add_way(routes,
			backwards ? link->to * nrank + link->from : link->from * nrank + link->to,
			via, arcs, &way);
	}
	return worked && routes->first_way;
}

bool ordo_pair_routes_add(struct ordo_pair_routes *routes, const struct ordo_logical_links *logical,
	bool backwards, struct ordo_error *error)
{
	const struct ordo_capacities *graph = routes->network;
	const uint32_t npair = graph->nrank * graph->nrank;
	struct ordo_pair_routes now = {.network = graph};
	size_t room = 0;
	uint32_t *arcs = ordo_array_make(2 * (size_t)graph->nvertex, sizeof *arcs, 0);
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
	worked = worked && (!routes->keeps_ways || add_ways(routes, logical, backwards, arcs));
	free(arcs);
	free(routes->first);
	free(routes->arcs);
	routes->first = now.first;
	routes->arcs = now.arcs;
	return worked || ordo_fail_memory(error);
}
