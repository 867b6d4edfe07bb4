/* divided.c - trees of an AllReduce on links that a linear program divides between sums and
 * results.
 *
 * Switches are split off what each of the two gets. Then, for each number k of trees, the roots and
 * the shares of pairs of ranks are rounded to whole trees: shares down, and sweeps add what sets
 * lack, where the busiest link is the least busy. The k of the least time is packed: from each root
 * as many trees of sums as of results.
 */
#include "divide.h"
#include "pack.h"
#include "synthesis/routes.h"
#include <ordo/arena.h>
#include <stdlib.h>
#include <string.h>

__extension__ typedef unsigned __int128 wide;

/* A greater number of trees must be faster by this part. */
enum { LEAST_GAIN = 512 };

/* Sums, turned round, or results, on links between ranks. */
struct side {
	struct ordo_capacities graph; /* its units as divided */
	uint32_t *units;	      /* [graph.narc] rounded */
};

struct rounding {
	const struct ordo_capacities *graph;
	const struct ordo_pair_routes *routes;
	struct side sides[2]; /* sums, results */
	const uint32_t *shares;
	uint64_t all;	 /* the sum of shares[nrank] */
	uint32_t *roots; /* [nrank] rounded */
	uint64_t *loads; /* [graph->narc] */
};

/* The pair of ranks, from and to, of an arc of a side. */
static uint32_t pair_of(const struct rounding *it, uint32_t side, uint32_t arc)
{
	const struct ordo_arc *ends = &it->sides[side].graph.arcs[arc];
	return side ? ends->from * it->graph->nrank + ends->to
		    : ends->to * it->graph->nrank + ends->from;
}

static void add_units(struct rounding *it, uint32_t side, uint32_t arc, uint32_t units)
{
	const uint32_t pair = pair_of(it, side, arc);
	it->sides[side].units[arc] += units;
	for (uint32_t i = it->routes->first[pair]; i < it->routes->first[pair + 1]; i++)
		it->loads[it->routes->arcs[i]] += units;
}

/* The busiest link of a pair if an arc of a side had one unit more. */
static struct ordo_link_time time_with(const struct rounding *it, uint32_t side, uint32_t arc)
{
	const uint32_t pair = pair_of(it, side, arc);
	struct ordo_link_time most = {0, 1};
	for (uint32_t i = it->routes->first[pair]; i < it->routes->first[pair + 1]; i++) {
		const uint32_t link = it->routes->arcs[i];
		const struct ordo_link_time here = {
			it->loads[link] + 1, (uint64_t)it->graph->arcs[link].units};
		most = ordo_link_time_less(most, here) ? here : most;
	}
	return most;
}

/* k trees of all roots, by their shares: those that lose most by rounding down get one more. */
static void round_roots(struct rounding *it, uint32_t k)
{
	const uint32_t nrank = it->graph->nrank;
	uint32_t left = k;
	for (uint32_t rank = 0; rank < nrank; rank++)
		left -= it->roots[rank] = (uint32_t)(k * (uint64_t)it->shares[rank] / it->all);
	for (; left; left--) {
		uint32_t best = 0;
		int64_t most = INT64_MIN;
		for (uint32_t rank = 0; rank < nrank; rank++) {
			const int64_t lost = (int64_t)(k * (uint64_t)it->shares[rank]) -
					     (int64_t)(it->roots[rank] * it->all);
			best = lost > most ? rank : best;
			most = lost > most ? lost : most;
		}
		it->roots[best]++;
	}
}

/* Adds as many units as a set lacks. */
static void add_missing(struct rounding *it, uint32_t side, const bool *inside, int64_t missing)
{
	const struct ordo_capacities *graph = &it->sides[side].graph;
	for (; missing > 0; missing--) {
		struct ordo_link_time least = {1, 0};
		uint32_t best = ORDO_NONE;
		for (uint32_t i = 0; i < graph->narc; i++) {
			if (inside[graph->arcs[i].from] || !inside[graph->arcs[i].to])
				continue;
			const struct ordo_link_time here = time_with(it, side, i);
			if (best == ORDO_NONE || ordo_link_time_less(here, least)) {
				least = here;
				best = i;
			}
		}
		add_units(it, side, best, 1);
	}
}

/* Rounds to k trees, unless that takes as long as `limit`; their time. false: no memory. */
static bool round_all(
	struct rounding *it, uint32_t k, struct ordo_link_time limit, struct ordo_link_time *time)
{
	bool worked = true;
	round_roots(it, k);
	memset(it->loads, 0, it->graph->narc * sizeof *it->loads);
	for (uint32_t side = 0; side < 2; side++) {
		const struct ordo_capacities *graph = &it->sides[side].graph;
		memset(it->sides[side].units, 0, graph->narc * sizeof(uint32_t));
		for (uint32_t i = 0; i < graph->narc; i++)
			add_units(it, side, i,
				(uint32_t)(k * (uint64_t)graph->arcs[i].units / it->all));
	}
	*time = ordo_busiest_link(it->graph, it->loads, k);
	for (uint32_t side = 0; worked && side < 2; side++)
		for (bool any = true; worked && any && ordo_link_time_less(*time, limit);) {
			const struct ordo_capacities *graph = &it->sides[side].graph;
			struct ordo_short_sets sets;
			worked = ordo_short_sets_find(
				&sets, graph, false, it->sides[side].units, it->roots, 0);
			any = worked && sets.count;
			for (uint32_t i = 0; any && i < sets.count; i++)
				add_missing(it, side, sets.inside + (size_t)i * graph->nvertex,
					sets.missing[i]);
			*time = ordo_busiest_link(it->graph, it->loads, k);
			ordo_short_sets_free(&sets);
		}
	return worked;
}

/* The best number of trees, or the one that is given. false: no memory. */
static bool choose_trees(
	struct rounding *it, const struct ordo_divided_links *divided, uint32_t *k, uint32_t most)
{
	const uint32_t given = *k;
	/* Where no unit is lost by rounding. */
	const struct ordo_link_time least = {(uint64_t)divided->widest * (LEAST_GAIN + 1),
		(wide)ordo_capacities_widest(it->graph) * it->all * LEAST_GAIN};
	struct ordo_link_time best = {1, 0}, time;
	for (uint32_t one = given ? given : 1; one <= (given ? given : most); one++) {
		struct ordo_link_time limit = best;
		if (best.units) {
			limit.load *= LEAST_GAIN - 1;
			limit.units *= LEAST_GAIN;
		}
		if (!round_all(it, one, limit, &time))
			return false;
		if (ordo_link_time_less(time, limit)) {
			best = time;
			*k = one;
		}
		if (ordo_link_time_less(best, least))
			break;
	}
	return round_all(it, *k, (struct ordo_link_time){1, 0}, &time);
}

/* Splits the switches off a side; its links between ranks, and the routes of pairs. */
static bool make_side(struct rounding *it, uint32_t side, const struct ordo_capacities *graph,
	const uint32_t *capacities, struct ordo_pair_routes *routes, struct ordo_error *error)
{
	struct ordo_logical_links logical;
	struct side *made = &it->sides[side];
	bool worked = ordo_split_switches(&logical, graph, capacities, it->shares, error) &&
		      ordo_pair_routes_add(routes, &logical, !side, error) &&
		      ordo_logical_graph_make(&made->graph, &logical, graph->nrank, error);
	if (worked) {
		made->units = ordo_array_make(made->graph.narc, sizeof *made->units, 0);
		worked = made->units || ordo_fail_memory(error);
	}
	ordo_logical_links_free(&logical);
	return worked;
}

/* Capacities of the arcs of a graph that was turned round, in its order. */
static void turn(const struct ordo_capacities *graph, const uint32_t *capacities,
	const struct ordo_capacities *turned, uint32_t *result)
{
	for (uint32_t i = 0; i < turned->narc; i++)
		result[i] = capacities[ordo_capacities_arc(
			graph, turned->arcs[i].to, turned->arcs[i].from)];
}

static bool make_rounding(struct rounding *it, const struct ordo_divided_links *divided,
	const struct ordo_capacities *turned, struct ordo_pair_routes *routes,
	struct ordo_error *error)
{
	const struct ordo_capacities *graph = it->graph;
	uint32_t *sums = ordo_array_make(graph->narc, sizeof *sums, 0);
	it->roots = ordo_array_make(graph->nrank, sizeof *it->roots, 0);
	it->loads = ordo_array_make(graph->narc, sizeof *it->loads, 0);
	it->shares = divided->roots;
	for (uint32_t rank = 0; rank < graph->nrank; rank++)
		it->all += it->shares[rank];
	bool worked = (sums && it->roots && it->loads) || ordo_fail_memory(error);
	if (worked)
		turn(graph, divided->sums, turned, sums);
	worked = worked && it->all && make_side(it, 0, turned, sums, routes, error) &&
		 make_side(it, 1, graph, divided->results, routes, error);
	free(sums);
	return worked;
}

static void free_rounding(struct rounding *it)
{
	for (uint32_t side = 0; side < 2; side++) {
		ordo_capacities_free(&it->sides[side].graph);
		free(it->sides[side].units);
	}
	free(it->roots);
	free(it->loads);
}

bool ordo_pack_divided(struct ordo_divided_trees *trees, const struct ordo_capacities *graph,
	const struct ordo_capacities *turned, uint32_t k, uint32_t most, bool names_ways,
	struct ordo_error *error)
{
	struct ordo_divided_links divided;
	*trees = (struct ordo_divided_trees){
		.routes.network = graph, .routes.keeps_ways = names_ways};
	struct rounding it = {.graph = graph, .routes = &trees->routes};
	bool worked = ordo_divide_links(&divided, graph, error) &&
		      make_rounding(&it, &divided, turned, &trees->routes, error);
	if (worked)
		worked = choose_trees(&it, &divided, &k, most) || ordo_fail_memory(error);
	for (uint32_t side = 0; worked && side < 2; side++) {
		struct ordo_packing *packing = side ? &trees->results : &trees->sums;
		worked = ordo_pack_from_roots(
			packing, &it.sides[side].graph, it.sides[side].units, it.roots, error);
		packing->k = k;
	}
	free_rounding(&it);
	free(divided.sums);
	free(divided.results);
	free(divided.roots);
	return worked;
}

void ordo_divided_trees_free(struct ordo_divided_trees *trees)
{
	ordo_packing_free(&trees->sums);
	ordo_packing_free(&trees->results);
	ordo_pair_routes_free(&trees->routes);
}
