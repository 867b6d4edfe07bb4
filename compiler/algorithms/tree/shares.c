/* shares.c - what pairs of ranks load on the links between them, and what each gets of a link that
 * several share: in proportion to their loads. */
#include "packed.h"
#include <ordo/arena.h>
#include <stdlib.h>

__extension__ typedef unsigned __int128 wide;

void ordo_packed_loads(const struct ordo_packed *packed, struct ordo_logical_link *links)
{
	const uint32_t nrank = packed->graph.nrank;
	for (uint32_t phase = 0; phase < 2; phase++) {
		const struct ordo_packing *packing = phase ? &packed->down : &packed->up,
					  *other = phase ? &packed->up : &packed->down;
		for (uint32_t i = 0; i < packing->ntree * nrank; i++) {
			const uint32_t v = i % nrank, parent = packing->parents[i],
				       units = packing->trees[i / nrank].units *
					       (other->k ? other->k : 1);
			if (v == parent)
				continue;
			if (phase || packed->spanning)
				links[parent * nrank + v].units += units;
			if (!phase || packed->spanning)
				links[v * nrank + parent].units += units;
		}
	}
}

/* What a load gets of the links of its way, if all share them by their loads: of the widest link
 * ORDO_WIDEST_SHARE. on_links: [graph.narc] loads */
static uint64_t share_of_way(const struct ordo_packed *packed, int64_t widest,
	const uint32_t *links, uint32_t count, uint64_t load, const uint64_t *on_links)
{
	uint64_t least = ORDO_WIDEST_SHARE;
	for (uint32_t i = 0; load && i < count; i++) {
		const wide share = (wide)packed->graph.arcs[links[i]].units * load *
				   ORDO_WIDEST_SHARE / (wide)widest / on_links[links[i]];
		least = share < least ? (uint64_t)share : least;
	}
	return load ? least : 0;
}

/* The first way of a pair that streams name; ORDO_NONE: its data takes its route. */
static uint32_t first_way(const struct ordo_packed *packed, uint32_t pair)
{
	return packed->routes.first_way ? packed->routes.first_way[pair] : ORDO_NONE;
}

/* What a way carries of the load of its pair, by its units. */
static uint64_t load_of_way(const struct ordo_packed *packed, uint32_t pair,
	const struct ordo_pair_way *way, uint64_t load)
{
	uint64_t all[2] = {0, 0};
	for (uint32_t i = first_way(packed, pair); i != ORDO_NONE; i = packed->routes.ways[i].next)
		for (uint32_t phase = 0; phase < 2; phase++)
			all[phase] += packed->routes.ways[i].units[phase];
	const wide part = (wide)way->units[0] * (all[1] ? all[1] : 1) +
			  (wide)way->units[1] * (all[0] ? all[0] : 1),
		   whole = (wide)(all[0] ? all[0] : 1) * (all[1] ? all[1] : 1) *
			   (all[0] && all[1] ? 2 : 1);
	return (uint64_t)(load * part / whole);
}

/* What a pair of ranks gets of the links on its route or its ways. */
static uint32_t share_of(const struct ordo_packed *packed, int64_t widest, uint32_t pair,
	uint64_t load, const uint64_t *on_links)
{
	const struct ordo_pair_routes *routes = &packed->routes;
	uint64_t share = 0;
	for (uint32_t i = first_way(packed, pair); i != ORDO_NONE; i = routes->ways[i].next) {
		const struct ordo_pair_way *way = &routes->ways[i];
		share += share_of_way(packed, widest, routes->way_arcs + way->first, way->narc,
			load_of_way(packed, pair, way, load), on_links);
	}
	if (first_way(packed, pair) == ORDO_NONE)
		share = share_of_way(packed, widest, routes->arcs + routes->first[pair],
			routes->first[pair + 1] - routes->first[pair], load, on_links);
	return share ? (uint32_t)share : 1;
}

/* Adds the loads of all pairs up on the links between them. on_links: [graph.narc] */
static void load_links(
	const struct ordo_packed *packed, const struct ordo_logical_link *pairs, uint64_t *on_links)
{
	const uint32_t nrank = packed->graph.nrank;
	const struct ordo_pair_routes *routes = &packed->routes;
	for (uint32_t pair = 0; pair < nrank * nrank; pair++) {
		for (uint32_t i = first_way(packed, pair); i != ORDO_NONE;
			i = routes->ways[i].next) {
			const struct ordo_pair_way *way = &routes->ways[i];
			const uint64_t load = load_of_way(packed, pair, way, pairs[pair].units);
			for (uint32_t k = 0; k < way->narc; k++)
				on_links[routes->way_arcs[way->first + k]] += load;
		}
		if (first_way(packed, pair) != ORDO_NONE)
			continue;
		if (routes->first)
			for (uint32_t i = routes->first[pair]; i < routes->first[pair + 1]; i++)
				on_links[routes->arcs[i]] += pairs[pair].units;
		else if (pairs[pair].units)
			on_links[ordo_capacities_arc(&packed->graph, pair / nrank, pair % nrank)] +=
				pairs[pair].units;
	}
}

bool ordo_packed_share(struct ordo_packed *packed, struct ordo_error *error)
{
	const uint32_t nrank = packed->graph.nrank, npair = nrank * nrank;
	uint64_t *on_links = ordo_array_make(packed->graph.narc, sizeof *on_links, 0);
	struct ordo_logical_links pairs = {
		.nlink = npair, .links = ordo_array_make(npair, sizeof *pairs.links, 0)};
	bool worked = on_links && pairs.links;
	for (uint32_t i = 0; worked && i < npair; i++) {
		pairs.links[i].from = i / nrank;
		pairs.links[i].to = i % nrank;
	}
	const int64_t widest = ordo_capacities_widest(&packed->graph);
	if (worked) {
		ordo_packed_loads(packed, pairs.links);
		load_links(packed, pairs.links, on_links);
	}
	for (uint32_t pair = 0; worked && pair < npair; pair++)
		if (pairs.links[pair].units)
			pairs.links[pair].units =
				share_of(packed, widest, pair, pairs.links[pair].units, on_links);
	worked = worked ? ordo_logical_graph_make(&packed->pairs, &pairs, nrank, error)
			: ordo_fail_memory(error);
	free(on_links);
	ordo_logical_links_free(&pairs);
	return worked;
}

bool ordo_packed_busiest(const struct ordo_packed *packed, struct ordo_link_time *busiest)
{
	const struct ordo_capacities *graph = &packed->graph;
	const uint32_t nrank = graph->nrank;
	const uint64_t trees = packed->spanning ? packed->down.k
						: (uint64_t)packed->up.k * packed->down.k *
							  (packed->divided ? 1 : nrank);
	uint64_t *on_links = ordo_array_make(graph->narc, sizeof *on_links, 0);
	struct ordo_logical_link *pairs = ordo_array_make((size_t)nrank * nrank, sizeof *pairs, 0);
	if (on_links && pairs) {
		ordo_packed_loads(packed, pairs);
		load_links(packed, pairs, on_links);
		*busiest = ordo_busiest_link(graph, on_links, trees);
	}
	const bool worked = on_links && pairs;
	free(on_links);
	free(pairs);
	return worked;
}
