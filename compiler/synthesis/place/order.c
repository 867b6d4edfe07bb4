/* order.c - the tree of sums for a topology, and its placement.
 *
 * Groups of ranks are merged, those with most bandwidth between them for their size first, so that
 * servers become clades; that tree, and some with the names that trees have, are placed, and the
 * fastest is kept.
 */
#include "order.h"
#include "prices.h"
#include <math.h>
#include <ordo/arena.h>
#include <ordo/detail/bound.h>
#include <stdlib.h>
#include <string.h>

/* A placement of all chunks takes about passes * chunks * ranks^3 steps of some nanoseconds. */
#define LATER 1.019
enum {
	EFFORT = 1200000,
	MOST_PASSES = 16,
	LEAST_PASSES = 2,
	MOST_UNITS = 64,
	MOST_TREES = 3,
	FEW_RANKS = 5
};

static uint32_t passes_of(uint32_t nrank, uint32_t nchunk)
{
	const uint64_t passes = EFFORT / ((uint64_t)nchunk * nrank * nrank * nrank);
	return nrank > FEW_RANKS && passes > MOST_PASSES ? MOST_PASSES
	       : passes > 4 * MOST_PASSES		 ? 4 * MOST_PASSES
	       : passes < LEAST_PASSES			 ? LEAST_PASSES
							 : (uint32_t)passes;
}

/* How much of the bandwidth whole chunks can use, if k chunks of a block (AllReduce: of the vector)
 * take the time of the bound. */
static double share_of(
	const struct ordo_capacities *graph, const uint64_t bound[2], bool spreads, uint32_t k)
{
	const double chunks =
		(double)bound[0] / (double)bound[1] * k * (spreads ? 1 : graph->nrank);
	double used = 0;
	for (uint32_t a = 0; a < graph->narc; a++) {
		const double room = chunks * (double)graph->arcs[a].units;
		used += (double)(uint64_t)(room * LATER) / room;
	}
	return graph->narc ? used / graph->narc : 1;
}

/* How many different chunks of a block (AllReduce: of the vector) are placed: the fewest that, in
 * little more than the time of the bound, can use nearly all of the bandwidth. With that little to
 * spare they are placed easily. */
static uint32_t units_of(const struct ordo_capacities *graph, const uint64_t bound[2], bool spreads)
{
	const uint32_t nrank = graph->nrank,
		       blocks = nrank > 8	    ? 2
				: nrank > FEW_RANKS ? 4
						    : 16,
		       vectors = nrank > 16 ? 2 * nrank : MOST_UNITS,
		       least = spreads ? 2 * nrank : blocks, most = spreads ? vectors : 2 * blocks;
	uint32_t best = least;
	double greatest = 0;
	for (uint32_t k = least; k <= most; k++) {
		const double share = share_of(graph, bound, spreads, k);
		if (share <= greatest + 1e-3)
			continue;
		greatest = share;
		best = k;
	}
	return best;
}

/* Bandwidth between two groups, both ways, along legs, for each pair of ranks. */
static double closeness(const struct ordo_place_network *network, const uint32_t *group_of,
	uint32_t one, uint32_t other)
{
	const struct ordo_capacities *graph = network->graph;
	double sum = 0;
	uint32_t pairs = 0;
	for (uint32_t i = 0; i < network->nrank * network->nrank; i++) {
		const struct ordo_leg *leg = &network->legs[i];
		double width = 0;
		if (group_of[i / network->nrank] != one || group_of[i % network->nrank] != other)
			continue;
		for (uint32_t a = leg->first; a < leg->end; a++) {
			const double units = (double)graph->arcs[network->arcs[a]].units;
			width = width == 0 || units < width ? units : width;
		}
		/* Longer ways are shared by more. */
		sum += leg->end > leg->first ? width / (leg->end - leg->first) : 0;
		pairs++;
	}
	return pairs ? sum / pairs : 0;
}

/* The two closest groups of the fewest ranks together; ties by number. */
static void find_closest(const struct ordo_place_network *network, const uint32_t *group_of,
	const uint32_t *sizes, uint32_t pair[2])
{
	double greatest = -1;
	for (uint32_t one = 0; one < network->nrank; one++)
		for (uint32_t other = one + 1; sizes[one] && other < network->nrank; other++) {
			if (!sizes[other])
				continue;
			const double close = closeness(network, group_of, one, other) +
					     closeness(network, group_of, other, one);
			const bool smaller =
				sizes[one] + sizes[other] < sizes[pair[0]] + sizes[pair[1]];
			if (close < greatest || (close == greatest && !smaller))
				continue;
			greatest = close;
			pair[0] = one;
			pair[1] = other;
		}
}

/* The tree of merged groups. ORDO_NONE: no memory. */
static uint32_t merge_groups(struct ordo_forest *forest, const struct ordo_place_network *network)
{
	const uint32_t nrank = network->nrank;
	uint32_t *group_of = ordo_array_make(nrank, sizeof *group_of, 0),
		 *sizes = ordo_array_make(nrank, sizeof *sizes, 0),
		 *trees = ordo_array_make(nrank, sizeof *trees, 0);
	bool worked = group_of && sizes && trees;
	for (uint32_t v = 0; worked && v < nrank; v++) {
		group_of[v] = v;
		sizes[v] = 1;
		worked = (trees[v] = ordo_forest_leaf(forest, v)) != ORDO_NONE;
	}
	for (uint32_t count = nrank; worked && count > 1; count--) {
		uint32_t pair[2] = {0, 0};
		find_closest(network, group_of, sizes, pair);
		trees[pair[0]] = ordo_forest_add(forest, trees[pair[0]], trees[pair[1]]);
		worked = trees[pair[0]] != ORDO_NONE;
		sizes[pair[0]] += sizes[pair[1]];
		sizes[pair[1]] = 0;
		for (uint32_t v = 0; v < nrank; v++)
			group_of[v] = group_of[v] == pair[1] ? pair[0] : group_of[v];
	}
	const uint32_t tree = worked ? trees[0] : ORDO_NONE;
	free(group_of);
	free(sizes);
	free(trees);
	return tree;
}

static bool reaches(const struct ordo_placed_order *placed, const struct ordo_placement *placement)
{
	return ordo_place_reaches(&placed->network, placed->bound, placement->time);
}

/* Places one tree: with as many chunks as blocks if that is enough, else with more. */
static bool place(struct ordo_placement *placement, const struct ordo_placed_order *placed,
	const struct ordo_sum_tree *tree, bool spreads, bool trial, struct ordo_error *error)
{
	const uint32_t nrank = placed->graph.nrank,
		       finer = placed->network.adding && spreads && nrank <= 16 ? nrank > 8 ? 2 : 4
										: 1,
		       units = finer * units_of(&placed->graph, placed->bound, spreads),
		       nchunk = spreads ? units : units * nrank;
	if (!ordo_place(placement, &placed->network, tree, spreads, nrank, placed->bound, 0, error))
		return false;
	if (reaches(placed, placement))
		return true;
	ordo_placement_free(placement);
	return ordo_place(placement, &placed->network, tree, spreads, nchunk, placed->bound,
		trial ? 1 : passes_of(nrank, nchunk), error);
}

/* Places one tree, and keeps it if it is faster than what there is. */
static bool try_tree(struct ordo_placed_order *placed, uint32_t root, bool spreads, bool trial,
	struct ordo_error *error)
{
	struct ordo_sum_tree tree;
	struct ordo_placement placement = {0};
	const bool worked = ordo_sum_tree_make(&tree, placed->forest, root, error) &&
			    place(&placement, placed, &tree, spreads, trial, error);
	if (worked && (!placed->placement.chunks ||
			      ordo_fraction_less(placement.time, placed->placement.time))) {
		ordo_sum_tree_free(&placed->tree);
		ordo_placement_free(&placed->placement);
		placed->tree = tree;
		placed->placement = placement;
		placed->root = root;
		return true;
	}
	ordo_sum_tree_free(&tree);
	ordo_placement_free(&placement);
	return worked;
}

/* Dyadic, folded, and merged groups, on trial. Those that come first are kept where others are no
 * faster. */
static bool try_trees(struct ordo_placed_order *placed, bool spreads, struct ordo_error *error)
{
	for (uint32_t i = 0; i < MOST_TREES; i++) {
		const struct ordo_tree_name name = {i ? ORDO_FOLDED : ORDO_DYADIC, 0};
		const uint32_t tree =
			i < 2 ? ordo_forest_named(placed->forest, name, placed->graph.nrank)
			      : merge_groups(placed->forest, &placed->network);
		if (tree == ORDO_NONE)
			return ordo_fail_memory(error);
		if (!try_tree(placed, tree, spreads, true, error))
			return false;
		if (reaches(placed, &placed->placement))
			return true;
	}
	return true;
}

/* Links alone choose the tree, so it is the same whatever adding costs. */
static bool choose(struct ordo_placed_order *placed, bool spreads, struct ordo_error *error)
{
	const uint64_t adding = placed->network.adding;
	placed->network.adding = 0;
	const bool worked = try_trees(placed, spreads, error);
	placed->network.adding = adding;
	if (!worked)
		return false;
	if (!adding)
		return reaches(placed, &placed->placement) ||
		       try_tree(placed, placed->root, spreads, false, error);
	ordo_placement_free(&placed->placement);
	return try_tree(placed, placed->root, spreads, false, error);
}

static bool find_bound(struct ordo_placed_order *placed, const struct ordo_topology *topology,
	bool spreads, struct ordo_error *error)
{
	struct ordo_wire_bound *bound = ordo_wire_bound_make(
		spreads ? ORDO_ALLREDUCE : ORDO_REDUCESCATTER, 0, topology, false, error);
	if (!bound)
		return false;
	placed->bound[0] = bound->numerator;
	placed->bound[1] = bound->denominator;
	ordo_wire_bound_destroy(bound);
	return true;
}

bool ordo_placed_order_make(struct ordo_placed_order *placed, const struct ordo_topology *topology,
	const char *order, bool spreads, double adding_gbs, struct ordo_error *error)
{
	*placed = (struct ordo_placed_order){.forest = ordo_forest_create(error)};
	if (!placed->forest)
		return false;
	if (strcmp(order, "auto") != 0) {
		placed->root = ordo_forest_read(placed->forest, order, topology->nrank, error);
		if (placed->root == ORDO_NONE)
			return false;
	}
	if (!find_bound(placed, topology, spreads, error) ||
		!ordo_capacities_make(&placed->graph, topology, false, error) ||
		!ordo_place_network_make(&placed->network, &placed->graph, error))
		return false;
	if (adding_gbs > 0)
		placed->network.adding = 1 + (uint64_t)((double)placed->graph.unit *
							pow(10, -placed->graph.unit_digits) /
							adding_gbs * ORDO_ADDING);
	return (strcmp(order, "auto") != 0 ? try_tree(placed, placed->root, spreads, false, error)
					   : choose(placed, spreads, error));
}

void ordo_placed_order_free(struct ordo_placed_order *placed)
{
	ordo_placement_free(&placed->placement);
	ordo_sum_tree_free(&placed->tree);
	ordo_place_network_free(&placed->network);
	ordo_capacities_free(&placed->graph);
	ordo_forest_destroy(placed->forest);
}
