/* prices.c - prices of links by their loads, the cheapest placement at them, and the bound that
 * they prove.
 *
 * With prices y of the links, a schedule of time t pays at most t * sum of b y, and at least the
 * cheapest placement for each block: so t is at least the one over the other, whatever the prices.
 *
 * source N. Garg and J. Koenemann, SIAM J. Comput. 37(2), 2007; R. C. Prim, 1957
 */
#include "prices.h"
#include <ordo/arena.h>
#include <stdlib.h>
#include <string.h>

bool ordo_prices_make(struct ordo_prices *prices, const struct ordo_place_network *network,
	const struct ordo_sum_tree *tree, struct ordo_error *error)
{
	const size_t nrank = network->nrank, narc = network->graph->narc,
		     nvertex = network->graph->nvertex;
	*prices = (struct ordo_prices){.network = network,
		.tree = tree,
		.spread_from = ORDO_NONE,
		.loads = ordo_array_make(narc + nrank, sizeof(uint64_t), 0),
		.prices = ordo_array_make(narc + nrank, sizeof(uint64_t), 0),
		.distances = ordo_array_make(nrank * nrank, sizeof(uint64_t), 0),
		.nexts = ordo_array_make(nrank * nrank, sizeof(uint16_t), 0),
		.legs = ordo_array_make(nrank * nrank, sizeof(uint64_t), 0),
		.entries = ordo_array_make(nrank, sizeof(uint64_t), 0),
		.all = ordo_array_make(nvertex * nvertex, sizeof(uint64_t), 0),
		.costs = ordo_array_make(tree->nnode * nrank, sizeof(uint64_t), 0),
		.places = ordo_array_make(tree->nnode * nrank, sizeof(uint16_t), 0),
		.longest = ordo_array_make(nrank, sizeof(uint64_t), 0),
		.shortest = ordo_array_make(nrank, sizeof(uint64_t), 0),
		.near = ordo_array_make(nrank, sizeof(uint64_t), 0),
		.parents = ordo_array_make(nrank, sizeof(uint16_t), 0),
		.order = ordo_array_make(nrank, sizeof(uint16_t), 0)};
	return (prices->loads && prices->prices && prices->distances && prices->nexts &&
		       prices->legs && prices->entries && prices->longest && prices->shortest &&
		       prices->all && prices->costs && prices->places && prices->near &&
		       prices->parents && prices->order) ||
	       ordo_fail_memory(error);
}

void ordo_prices_free(struct ordo_prices *prices)
{
	free(prices->loads);
	free(prices->prices);
	free(prices->distances);
	free(prices->nexts);
	free(prices->legs);
	free(prices->entries);
	free(prices->longest);
	free(prices->shortest);
	free(prices->all);
	free(prices->costs);
	free(prices->places);
	free(prices->near);
	free(prices->parents);
	free(prices->order);
}

/* 1024 * 2^(i/16) */
static const uint16_t powers[16] = {1024, 1069, 1117, 1166, 1218, 1272, 1328, 1387, 1448, 1512,
	1579, 1649, 1722, 1798, 1878, 1961};

/* Sharper prices are cut off below, so that the highest exponent is MOST_EXPONENT. */
enum { MOST_PRICE_BITS = 40, MOST_EXPONENT = 24 };

/* The load of an arc, or behind them of an adder, as a fraction: its time. */
static void time_of(const struct ordo_place_network *network, const uint64_t *loads, uint32_t one,
	uint64_t time[2])
{
	const struct ordo_capacities *graph = network->graph;
	const bool is_arc = one < graph->narc;
	time[0] = loads[one] * (is_arc ? 1 : network->adding);
	time[1] = is_arc ? (uint64_t)graph->arcs[one].units : ORDO_ADDING;
}

/* The longest of all times, in lowest terms. */
void ordo_loads_longest(
	const struct ordo_place_network *network, const uint64_t *loads, uint64_t time[2])
{
	time[0] = 0;
	time[1] = 1;
	for (uint32_t i = 0; i < network->graph->narc + network->nrank; i++) {
		uint64_t one[2];
		time_of(network, loads, i, one);
		if (!ordo_fraction_less(time, one))
			continue;
		time[0] = one[0];
		time[1] = one[1];
	}
	ordo_fraction_reduce(time);
}

bool ordo_load_is(const struct ordo_place_network *network, const uint64_t *loads, uint32_t one,
	const uint64_t time[2])
{
	uint64_t its[2];
	time_of(network, loads, one, its);
	return !ordo_fraction_less(its, time) && !ordo_fraction_less(time, its);
}

void ordo_loads_time(const struct ordo_place_network *network, const uint64_t *loads,
	uint32_t nchunk, uint64_t time[2])
{
	ordo_loads_longest(network, loads, time);
	time[1] *= nchunk;
	ordo_fraction_reduce(time);
}

/* Mostly the dividend has 64 bits, which is several times faster. */
static ordo_wide divide(ordo_wide dividend, ordo_wide by)
{
	return (dividend | by) >> 64 ? dividend / by : (uint64_t)dividend / (uint64_t)by;
}

/* In sixteenths, at most those of MOST_EXPONENT for the longest time. */
static uint64_t exponent_of(const uint64_t time[2], const uint64_t longest[2], uint32_t sharpness)
{
	const uint64_t cut = sharpness > MOST_EXPONENT ? 16 * (sharpness - MOST_EXPONENT) : 0,
		       exponent = longest[0] ? (uint64_t)divide((ordo_wide)time[0] * longest[1] *
									16 * sharpness,
						       (ordo_wide)longest[0] * time[1])
					     : 0;
	return exponent > cut ? exponent - cut : 0;
}

enum { MOST_WEIGHT = 100 * 16 };

ordo_wide ordo_loads_weight(const struct ordo_place_network *network, const uint64_t *loads,
	const uint64_t longest[2], uint32_t sharpness)
{
	ordo_wide sum = 0;
	for (uint32_t i = 0; i < network->graph->narc + network->nrank; i++) {
		uint64_t time[2];
		time_of(network, loads, i, time);
		const uint64_t exponent = exponent_of(time, longest, sharpness),
			       kept = exponent < MOST_WEIGHT ? exponent : MOST_WEIGHT;
		sum += (ordo_wide)powers[kept % 16] << kept / 16;
	}
	return sum;
}

void ordo_prices_set(struct ordo_prices *prices, uint32_t sharpness)
{
	const struct ordo_place_network *network = prices->network;
	const struct ordo_capacities *graph = network->graph;
	uint64_t widest = 1, longest[2];
	for (uint32_t a = 0; a < graph->narc; a++) {
		const uint64_t units = (uint64_t)graph->arcs[a].units;
		widest = units > widest ? units : widest;
	}
	ordo_loads_longest(network, prices->loads, longest);
	for (uint32_t i = 0; i < graph->narc + network->nrank; i++) {
		uint64_t time[2];
		time_of(network, prices->loads, i, time);
		const uint64_t exponent = exponent_of(time, longest, sharpness);
		const ordo_wide whole = (ordo_wide)powers[exponent % 16] << exponent / 16,
				scaled = whole * widest * (i < graph->narc ? 1 : network->adding),
				price = divide(scaled, time[1]);
		prices->prices[i] =
			price >> MOST_PRICE_BITS ? UINT64_C(1) << MOST_PRICE_BITS : (uint64_t)price;
	}
}

/* The legs from a rank, and at first nothing shorter. */
static void measure_legs(struct ordo_prices *prices, uint32_t from)
{
	const struct ordo_place_network *network = prices->network;
	const uint32_t nrank = network->nrank;
	uint64_t longest = 0, shortest = ORDO_UNREACHED;
	for (uint32_t to = 0; to < nrank; to++) {
		const uint32_t i = from * nrank + to;
		const struct ordo_leg *leg = &network->legs[i];
		uint64_t sum = to == from || leg->first < leg->end ? 0 : ORDO_UNREACHED;
		for (uint32_t a = leg->first; a < leg->end; a++)
			sum += prices->prices[network->arcs[a]];
		prices->distances[i] = prices->legs[i] = sum;
		prices->nexts[i] = (uint16_t)to;
		longest = sum > longest ? sum : longest;
		if (to == from)
			continue;
		shortest = sum < shortest ? sum : shortest;
		prices->entries[to] = sum < prices->entries[to] ? sum : prices->entries[to];
	}
	prices->longest[from] = longest;
	prices->shortest[from] = shortest;
}

/* Ways from a rank over another one, where they are cheaper. */
static void go_over(struct ordo_prices *prices, uint32_t from, uint32_t over)
{
	const uint32_t nrank = prices->network->nrank;
	uint64_t *distances = prices->distances + (size_t)from * nrank;
	uint16_t *nexts = prices->nexts + (size_t)from * nrank;
	const uint64_t *rest = prices->distances + (size_t)over * nrank, first = distances[over];
	const uint16_t next = nexts[over];
	if (first + prices->shortest[over] >= prices->longest[from])
		return;
	for (uint32_t to = 0; to < nrank; to++)
		if (first + rest[to] < distances[to]) {
			distances[to] = first + rest[to];
			nexts[to] = next;
		}
}

void ordo_prices_measure(struct ordo_prices *prices)
{
	const uint32_t nrank = prices->network->nrank;
	for (uint32_t v = 0; v < nrank; v++)
		prices->entries[v] = ORDO_UNREACHED;
	prices->spread_from = ORDO_NONE;
	for (uint32_t from = 0; from < nrank; from++)
		measure_legs(prices, from);
	for (uint32_t over = 0; over < nrank; over++)
		for (uint32_t from = 0; from < nrank; from++)
			go_over(prices, from, over);
}

/* The cost of a child's value at a rank, and where it is computed for that: there, if no worse. */
static void place_child(struct ordo_prices *prices, uint32_t child)
{
	const uint32_t nrank = prices->network->nrank;
	uint64_t *costs = prices->costs + (size_t)child * nrank, *near = prices->near;
	uint16_t *places = prices->places + (size_t)child * nrank;
	for (uint32_t w = 0; w < nrank; w++) {
		near[w] = costs[w];
		places[w] = (uint16_t)w;
	}
	for (uint32_t from = 0; from < nrank; from++) {
		const uint64_t *distances = prices->distances + (size_t)from * nrank,
			       there = costs[from];
		for (uint32_t w = 0; w < nrank; w++) {
			const bool is_less = there + distances[w] < near[w];
			near[w] = is_less ? there + distances[w] : near[w];
			places[w] = is_less ? (uint16_t)from : places[w];
		}
	}
	memcpy(costs, near, nrank * sizeof *costs);
}

/* A leaf's value comes from its rank. */
static void place_leaf(struct ordo_prices *prices, uint32_t leaf)
{
	const uint32_t nrank = prices->network->nrank;
	uint64_t *costs = prices->costs + (size_t)leaf * nrank;
	uint16_t *places = prices->places + (size_t)leaf * nrank;
	for (uint32_t w = 0; w < nrank; w++) {
		const uint64_t distance = prices->distances[(size_t)leaf * nrank + w];
		costs[w] = distance < ORDO_UNREACHED ? distance : ORDO_UNREACHED;
		places[w] = (uint16_t)(distance < ORDO_UNREACHED ? leaf : w);
	}
}

void ordo_prices_place(struct ordo_prices *prices, bool with_sums)
{
	const struct ordo_sum_tree *tree = prices->tree;
	const uint32_t nrank = prices->network->nrank;
	const uint64_t *adders = with_sums ? prices->prices + prices->network->graph->narc : NULL;
	for (uint32_t leaf = 0; leaf < tree->nleaf; leaf++)
		place_leaf(prices, leaf);
	for (uint32_t node = tree->nleaf; node < tree->nnode; node++) {
		uint64_t *costs = prices->costs + (size_t)node * nrank;
		const uint64_t *left = prices->costs + (size_t)tree->children[node][0] * nrank,
			       *right = prices->costs + (size_t)tree->children[node][1] * nrank;
		for (uint32_t w = 0; w < nrank; w++)
			costs[w] = left[w] + right[w] + (adders ? adders[w] : 0);
		if (node + 1 < tree->nnode)
			place_child(prices, node);
	}
}

uint64_t ordo_prices_spread_least(const struct ordo_prices *prices, uint32_t root)
{
	uint64_t sum = 0;
	for (uint32_t v = 0; v < prices->network->nrank; v++)
		sum += v == root ? 0 : prices->entries[v];
	return sum;
}

uint64_t ordo_prices_spread(struct ordo_prices *prices, uint32_t root, uint64_t enough)
{
	const uint32_t nrank = prices->network->nrank;
	uint64_t sum = ordo_prices_spread_least(prices, root);
	uint32_t last = root, count = 1;
	if (prices->spread_from == root)
		return prices->spread;
	if (sum >= enough)
		return sum;
	for (uint32_t v = 0; v < nrank; v++) {
		prices->near[v] = ORDO_UNREACHED;
		prices->parents[v] = (uint16_t)v;
	}
	prices->near[root] = UINT64_MAX;
	prices->order[0] = (uint16_t)root;
	for (; count < nrank && sum < enough; count++) {
		uint32_t best = ORDO_NONE;
		for (uint32_t v = 0; v < nrank; v++) {
			const uint64_t price = prices->legs[last * nrank + v];
			if (prices->near[v] == UINT64_MAX)
				continue;
			if (price < prices->near[v]) {
				prices->near[v] = price;
				prices->parents[v] = (uint16_t)last;
			}
			if (best == ORDO_NONE || prices->near[v] < prices->near[best])
				best = v;
		}
		sum += prices->near[best] - prices->entries[best];
		prices->near[best] = UINT64_MAX;
		prices->order[count] = (uint16_t)best;
		last = best;
	}
	prices->spread_from = count == nrank ? root : ORDO_NONE;
	return prices->spread = sum;
}

/* The cheapest ways over all vertices, become the distances. */
static void measure_all(struct ordo_prices *prices)
{
	const struct ordo_capacities *graph = prices->network->graph;
	const uint32_t nvertex = graph->nvertex, nrank = graph->nrank;
	uint64_t *all = prices->all;
	for (uint32_t i = 0; i < nvertex * nvertex; i++)
		all[i] = i % nvertex == i / nvertex ? 0 : ORDO_UNREACHED;
	for (uint32_t a = 0; a < graph->narc; a++)
		all[graph->arcs[a].from * nvertex + graph->arcs[a].to] = prices->prices[a];
	for (uint32_t over = 0; over < nvertex; over++)
		for (uint32_t i = 0; i < nvertex * nvertex; i++) {
			const uint64_t sum = all[i / nvertex * nvertex + over] +
					     all[over * nvertex + i % nvertex];
			all[i] = sum < all[i] ? sum : all[i];
		}
	for (uint32_t from = 0; from < nrank; from++)
		for (uint32_t to = 0; to < nrank; to++)
			prices->distances[from * nrank + to] = all[from * nvertex + to];
}

/* The cheapest sum with the least that every other rank pays to be given the last of what it needs;
 * or, for each rank, the cheapest sum there. */
static uint64_t least_cost(const struct ordo_prices *prices, bool spreads)
{
	const uint32_t nrank = prices->network->nrank;
	const uint64_t *costs = prices->costs + (size_t)(prices->tree->nnode - 1) * nrank;
	uint64_t least = UINT64_MAX, sum = 0, all_near = 0;
	for (uint32_t w = 0; w < nrank; w++) {
		uint64_t near = UINT64_MAX, there = UINT64_MAX;
		for (uint32_t u = 0; u < nrank; u++) {
			const uint64_t distance = prices->distances[u * nrank + w];
			if (u != w && distance < near)
				near = distance;
			if (costs[u] + distance < there)
				there = costs[u] + distance;
		}
		prices->near[w] = near;
		all_near += near;
		sum += there;
	}
	for (uint32_t w = 0; w < nrank; w++)
		if (costs[w] + all_near - prices->near[w] < least)
			least = costs[w] + all_near - prices->near[w];
	return spreads ? least : sum;
}

void ordo_prices_bound(struct ordo_prices *prices, bool spreads, uint64_t least[2])
{
	const struct ordo_capacities *graph = prices->network->graph;
	ordo_wide paid = 0;
	measure_all(prices);
	ordo_prices_place(prices, false);
	for (uint32_t a = 0; a < graph->narc; a++)
		paid += (ordo_wide)prices->prices[a] * (uint64_t)graph->arcs[a].units;
	paid *= spreads ? 1 : graph->nrank;
	uint64_t cost = least_cost(prices, spreads);
	/* Rounded so that the bound is no greater. */
	for (; paid >> 63; paid = paid / 2 + 1)
		cost /= 2;
	if (!paid)
		return;
	uint64_t fraction[2] = {cost, (uint64_t)paid};
	ordo_fraction_reduce(fraction);
	if (!ordo_fraction_less(least, fraction))
		return;
	least[0] = fraction[0];
	least[1] = fraction[1];
}

void ordo_fraction_reduce(uint64_t fraction[2])
{
	uint64_t a = fraction[0], b = fraction[1];
	while (b) {
		const uint64_t rest = a % b;
		a = b;
		b = rest;
	}
	for (uint32_t i = 0; a && i < 2; i++)
		fraction[i] /= a;
}

bool ordo_fraction_less(const uint64_t a[2], const uint64_t b[2])
{
	return (ordo_wide)a[0] * b[1] < (ordo_wide)b[0] * a[1];
}
