/* shares.c - what pairs of ranks load on the links between them, and what each gets of a link that
 * several share. */
#include "packed.h"
#include <ordo/arena.h>
#include <stdlib.h>

__extension__ typedef unsigned __int128 wide;

void ordo_packed_loads(
	const struct ordo_packed *packed, enum ordo_phases phases, struct ordo_logical_link *links)
{
	const uint32_t nrank = packed->graph.nrank;
	for (uint32_t phase = 0; phase < 2; phase++) {
		const struct ordo_packing *packing = phase ? &packed->down : &packed->up,
					  *other = phase ? &packed->up : &packed->down;
		if (!(phases >> phase & 1) && !packed->spanning)
			continue;
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

/* What is loaded on links, in parts. */
struct link_loads {
	enum ordo_phases phases; /* whose loads these are */
	uint64_t *units;	 /* [graph.narc] */
	uint32_t *counts;	 /* [graph.narc] pairs or ways that load a link; NULL: not wanted */
	struct ordo_link_time busiest;
};

/* What a load gets of the links of its way, of the widest link ORDO_WIDEST_SHARE: its part by load;
 * but of links that are not full no more than if all loads had equal parts, as streams do, or than
 * it needs to end with the busiest link. If moves were listed faster than links carry them, others
 * would be listed too early, and wait: a ReduceScatter with a NIC down took 1.045 of its bound.
 * With paths=turns it is the part by load in any case: on some networks that is faster, and a
 * choice tries both. */
static uint64_t share_of_way(const struct ordo_packed *packed, int64_t widest,
	const uint32_t *links, uint32_t count, uint64_t load, const struct link_loads *loads)
{
	wide least = ORDO_WIDEST_SHARE, equal = ORDO_WIDEST_SHARE;
	if (!load)
		return 0;
	for (uint32_t i = 0; i < count; i++) {
		const wide width = (wide)packed->graph.arcs[links[i]].units * ORDO_WIDEST_SHARE,
			   by_load = width * load / (wide)widest / loads->units[links[i]],
			   by_count = width / (wide)widest / loads->counts[links[i]];
		least = by_load < least ? by_load : least;
		equal = by_count < equal ? by_count : equal;
	}
	const wide need = (wide)load * loads->busiest.units * ORDO_WIDEST_SHARE / (wide)widest /
			  loads->busiest.load,
		   most = need > equal ? need : equal;
	return (uint64_t)(least < most || packed->turns ? least : most);
}

/* The first way of a pair that streams name; ORDO_NONE: its data takes its route. */
static uint32_t first_way(const struct ordo_packed *packed, uint32_t pair)
{
	return packed->routes.first_way ? packed->routes.first_way[pair] : ORDO_NONE;
}

/* Loads of links are in such parts: a tree may be shared by ways. */
enum { PARTS = 1 << 10 };

/* What a way carries of the load of its pair, by its units, in parts. */
static uint64_t load_of_way(const struct ordo_packed *packed, enum ordo_phases phases,
	uint32_t pair, const struct ordo_pair_way *way, uint64_t load)
{
	uint64_t all[2] = {0, 0}, units[2] = {0, 0};
	for (uint32_t phase = 0; phase < 2; phase++) {
		if (!(phases >> phase & 1))
			continue;
		units[phase] = way->units[phase];
		for (uint32_t i = first_way(packed, pair); i != ORDO_NONE;
			i = packed->routes.ways[i].next)
			all[phase] += packed->routes.ways[i].units[phase];
	}
	const wide part = (wide)units[0] * (all[1] ? all[1] : 1) +
			  (wide)units[1] * (all[0] ? all[0] : 1),
		   whole = (wide)(all[0] ? all[0] : 1) * (all[1] ? all[1] : 1) *
			   (all[0] && all[1] ? 2 : 1);
	return (uint64_t)(PARTS * load * part / whole);
}

/* What a pair of ranks gets of the links on its route or its ways. */
static uint32_t share_of(const struct ordo_packed *packed, int64_t widest, uint32_t pair,
	uint64_t load, const struct link_loads *loads)
{
	const struct ordo_pair_routes *routes = &packed->routes;
	uint64_t share = 0;
	for (uint32_t i = first_way(packed, pair); i != ORDO_NONE; i = routes->ways[i].next) {
		const struct ordo_pair_way *way = &routes->ways[i];
		share += share_of_way(packed, widest, routes->way_arcs + way->first, way->narc,
			load_of_way(packed, loads->phases, pair, way, load), loads);
	}
	if (first_way(packed, pair) == ORDO_NONE)
		share = share_of_way(packed, widest, routes->arcs + routes->first[pair],
			routes->first[pair + 1] - routes->first[pair], PARTS * load, loads);
	return share ? (uint32_t)share : 1;
}

static void load_way(struct link_loads *loads, const uint32_t *links, uint32_t count, uint64_t load)
{
	for (uint32_t i = 0; load && i < count; i++) {
		loads->units[links[i]] += load;
		if (loads->counts)
			loads->counts[links[i]]++;
	}
}

/* Adds the loads of all pairs up on the links between them. */
static void load_links(const struct ordo_packed *packed, const struct ordo_logical_link *pairs,
	struct link_loads *loads)
{
	const uint32_t nrank = packed->graph.nrank;
	const struct ordo_pair_routes *routes = &packed->routes;
	for (uint32_t pair = 0; pair < nrank * nrank; pair++) {
		for (uint32_t i = first_way(packed, pair); i != ORDO_NONE;
			i = routes->ways[i].next) {
			const struct ordo_pair_way *way = &routes->ways[i];
			load_way(loads, routes->way_arcs + way->first, way->narc,
				load_of_way(packed, loads->phases, pair, way, pairs[pair].units));
		}
		if (first_way(packed, pair) != ORDO_NONE)
			continue;
		const uint64_t load = (uint64_t)PARTS * pairs[pair].units;
		if (routes->first)
			load_way(loads, routes->arcs + routes->first[pair],
				routes->first[pair + 1] - routes->first[pair], load);
		else if (pairs[pair].units)
			load_way(loads,
				(const uint32_t[]){ordo_capacities_arc(
					&packed->graph, pair / nrank, pair % nrank)},
				1, load);
	}
}

bool ordo_packed_share(const struct ordo_packed *packed, enum ordo_phases phases,
	struct ordo_capacities *shares, struct ordo_error *error)
{
	const uint32_t nrank = packed->graph.nrank, npair = nrank * nrank,
		       narc = packed->graph.narc;
	struct link_loads loads = {.phases = phases,
		.units = ordo_array_make(narc, sizeof *loads.units, 0),
		.counts = ordo_array_make(narc, sizeof *loads.counts, 0)};
	struct ordo_logical_links pairs = {
		.nlink = npair, .links = ordo_array_make(npair, sizeof *pairs.links, 0)};
	bool worked = loads.units && loads.counts && pairs.links;
	for (uint32_t i = 0; worked && i < npair; i++) {
		pairs.links[i].from = i / nrank;
		pairs.links[i].to = i % nrank;
	}
	const int64_t widest = ordo_capacities_widest(&packed->graph);
	if (worked) {
		ordo_packed_loads(packed, phases, pairs.links);
		load_links(packed, pairs.links, &loads);
		loads.busiest = ordo_busiest_link(&packed->graph, loads.units, 1);
	}
	for (uint32_t pair = 0; worked && pair < npair; pair++)
		if (pairs.links[pair].units)
			pairs.links[pair].units =
				share_of(packed, widest, pair, pairs.links[pair].units, &loads);
	worked = worked ? ordo_logical_graph_make(shares, &pairs, nrank, error)
			: ordo_fail_memory(error);
	free(loads.units);
	free(loads.counts);
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
	struct link_loads loads = {.phases = ORDO_BOTH_PHASES,
		.units = ordo_array_make(graph->narc, sizeof *loads.units, 0)};
	struct ordo_logical_link *pairs = ordo_array_make((size_t)nrank * nrank, sizeof *pairs, 0);
	if (loads.units && pairs) {
		ordo_packed_loads(packed, ORDO_BOTH_PHASES, pairs);
		load_links(packed, pairs, &loads);
		*busiest = ordo_busiest_link(graph, loads.units, trees);
	}
	const bool worked = loads.units && pairs;
	free(loads.units);
	free(pairs);
	return worked;
}
