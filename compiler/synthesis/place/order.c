/* order.c - the tree of sums for a topology, and its placement.
 *
 * Groups of ranks are merged, those with most bandwidth between them for their size first, so that
 * servers become clades; that tree, and some with the names that trees have, are placed on trial.
 * In the fastest, subtrees change places while that helps, if that is asked for. The tree is then
 * placed in a few different chunks; and in as many as the document has, by the best shares of ways,
 * or each chunk for itself where that is no faster and the list schedule is shorter.
 */
#include "order.h"
#include "kept.h"
#include "list.h"
#include "mix.h"
#include "prices.h"
#include <math.h>
#include <ordo/arena.h>
#include <ordo/detail/bound.h>
#include <stdlib.h>
#include <string.h>

/* A placement of all chunks takes about passes * chunks * ranks^3 steps of some nanoseconds. */
#define LATER 1.019
enum {
	EFFORT = 4800000,
	EXCHANGES = 2000000,
	MOST_EXCHANGES = 8192,
	TRIAL_EXCHANGES = 16, /* on trial, so much less */
	TRIAL_CHUNKS = 256,   /* and where ranks are few, at least so many chunks */
	MOST_PASSES = 16,
	LEAST_PASSES = 2,
	MOST_UNITS = 64,
	MOST_TREES = 3,
	FEW_RANKS = 5,
	SMALL = 8, /* ranks, of a mesh of cards */
	MOST_PIECES = 4,
	USUAL_MOVES = 1 << 13,
	MOST_DIFFERENT = 1 << 13 /* chunks that are placed, times ranks */
};

static struct ordo_place_effort effort_of(uint32_t nrank, uint32_t nchunk, bool trial)
{
	const uint64_t one = (uint64_t)nrank * nrank * nrank, passes = EFFORT / (nchunk * one),
		       exchanges = EXCHANGES / one;
	if (trial)
		return (struct ordo_place_effort){
			1, nrank > FEW_RANKS ? (uint32_t)exchanges / TRIAL_EXCHANGES : 0};
	return (struct ordo_place_effort){nrank > FEW_RANKS && passes > MOST_PASSES ? MOST_PASSES
					  : passes > 4 * MOST_PASSES ? 4 * MOST_PASSES
					  : passes < LEAST_PASSES    ? LEAST_PASSES
								     : (uint32_t)passes,
		exchanges < MOST_EXCHANGES ? (uint32_t)exchanges : MOST_EXCHANGES};
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

/* What is asked for, and how: as many different chunks of a block as are placed. */
struct wish {
	bool spreads, trial;
	uint32_t different;
	struct ordo_kept_placements *kept;
};

/* Places one tree: with as many chunks as blocks if that is enough, else with more. */
static bool place(struct ordo_placement *placement, const struct ordo_placed_order *placed,
	const struct ordo_sum_tree *tree, const struct wish *wish, struct ordo_error *error)
{
	const uint32_t nrank = placed->graph.nrank;
	struct ordo_place_problem problem = {.network = &placed->network,
		.tree = tree,
		.nchunk = nrank,
		.spreads = wish->spreads,
		.bound = {placed->bound[0], placed->bound[1]}};
	if (!ordo_place_once(wish->kept, placement, &problem, error))
		return false;
	if (reaches(placed, placement))
		return true;
	ordo_placement_free(placement);
	problem.nchunk = wish->different * (wish->spreads ? 1 : nrank);
	problem.effort = effort_of(nrank, problem.nchunk, wish->trial);
	return ordo_place_once(wish->kept, placement, &problem, error);
}

/* Places one tree, and keeps it if it is faster than what there is. */
static bool try_tree(struct ordo_placed_order *placed, uint32_t root, const struct wish *wish,
	struct ordo_error *error)
{
	struct ordo_sum_tree tree;
	struct ordo_placement placement = {0};
	const bool worked = ordo_sum_tree_make(&tree, placed->forest, root, error) &&
			    place(&placement, placed, &tree, wish, error);
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

/* A tree in which two subtrees have changed places. ORDO_NONE: no memory. */
static uint32_t swapped(struct ordo_forest *forest, const struct ordo_sum_tree *tree, uint32_t node,
	const uint32_t pair[2])
{
	const uint32_t there = node == pair[0] ? pair[1] : node == pair[1] ? pair[0] : node;
	if (there < tree->nleaf)
		return ordo_forest_leaf(forest, there);
	const uint32_t left = swapped(forest, tree, tree->children[there][0], pair),
		       right = left == ORDO_NONE
				       ? ORDO_NONE
				       : swapped(forest, tree, tree->children[there][1], pair);
	return right == ORDO_NONE ? ORDO_NONE : ordo_forest_add(forest, left, right);
}

static bool is_below(const struct ordo_sum_tree *tree, uint32_t node, uint32_t above)
{
	while (node != above && node != ORDO_NONE)
		node = tree->parents[node];
	return node == above;
}

/* Of a leaf 0. */
static uint32_t height_of(const struct ordo_sum_tree *tree, uint32_t node)
{
	if (node < tree->nleaf)
		return 0;
	const uint32_t left = height_of(tree, tree->children[node][0]),
		       right = height_of(tree, tree->children[node][1]);
	return 1 + (left > right ? left : right);
}

/* Within so much of what no order beats, another order is not looked for. */
enum { NEARLY = 64, MOST_SWAPS = 32 };

static bool is_near(const struct ordo_placed_order *placed)
{
	const uint64_t near[2] = {placed->bound[0] * (NEARLY + 1), placed->bound[1] * NEARLY};
	return ordo_place_reaches(&placed->network, near, placed->placement.time);
}

/* Two subtrees of the best tree so far change places, again and again, and the new tree is kept if
 * it is faster. Of equal heights, since a higher tree takes more time until its first result, which
 * prices do not show. */
static bool try_swaps(
	struct ordo_placed_order *placed, const struct wish *wish, struct ordo_error *error)
{
	const uint64_t nrank = placed->graph.nrank,
		       chunks = wish->different * (wish->spreads ? 1 : nrank),
		       swaps = 4 * EFFORT / (chunks * nrank * nrank * nrank);
	uint64_t noise = 1;
	for (uint32_t i = 0; i < swaps && i < MOST_SWAPS && !is_near(placed); i++) {
		const struct ordo_sum_tree *tree = &placed->tree;
		uint32_t pair[2];
		for (uint32_t k = 0; k < 2; k++) {
			noise = noise * 48271 % 0x7fffffff;
			pair[k] = (uint32_t)(noise % (tree->nnode - 1));
		}
		if (is_below(tree, pair[0], pair[1]) || is_below(tree, pair[1], pair[0]) ||
			tree->parents[pair[0]] == tree->parents[pair[1]] ||
			height_of(tree, pair[0]) != height_of(tree, pair[1]))
			continue;
		const uint32_t other = swapped(placed->forest, tree, tree->nnode - 1, pair);
		if (other == ORDO_NONE)
			return ordo_fail_memory(error);
		if (!try_tree(placed, other, wish, error))
			return false;
	}
	return true;
}

/* Dyadic, folded, and merged groups, on trial. Those that come first are kept where others are no
 * faster. */
static bool try_trees(
	struct ordo_placed_order *placed, const struct wish *wish, struct ordo_error *error)
{
	for (uint32_t i = 0; i < MOST_TREES; i++) {
		const struct ordo_tree_name name = {i ? ORDO_FOLDED : ORDO_DYADIC, 0};
		const uint32_t tree =
			i < 2 ? ordo_forest_named(placed->forest, name, placed->graph.nrank)
			      : merge_groups(placed->forest, &placed->network);
		if (tree == ORDO_NONE)
			return ordo_fail_memory(error);
		if (!try_tree(placed, tree, wish, error))
			return false;
		if (reaches(placed, &placed->placement))
			return true;
	}
	return true;
}

/* Another tree that mixes faster, where few ranks share additions. */
static bool try_mixes(struct ordo_placed_order *placed, const struct wish *wish, uint64_t adding,
	struct ordo_error *error)
{
	const struct ordo_place_problem problem = {.network = &placed->network,
		.tree = &placed->tree,
		.spreads = true,
		.bound = {placed->bound[0], placed->bound[1]}};
	placed->network.adding = adding;
	const bool worked =
		ordo_place_search_once(wish->kept, placed->forest, &placed->root, &problem, error);
	placed->network.adding = 0;
	return worked;
}

/* Fails where neither subtrees that change places nor another mix make a tree faster. */
static bool search(struct ordo_placed_order *placed, const struct wish *wish, uint64_t adding,
	struct ordo_error *error)
{
	const uint32_t named = placed->root;
	const bool mixes = adding && wish->spreads && placed->graph.nrank > FEW_RANKS &&
			   placed->graph.nrank <= SMALL;
	/* Where legs share ports, prices do not show how streams share them. */
	if (!placed->network.shares && !try_swaps(placed, wish, error))
		return false;
	if (!placed->network.shares && mixes && !try_mixes(placed, wish, adding, error))
		return false;
	return placed->root != named ||
	       ordo_fail(error, ORDO_USAGE, 0,
		       "placed: found no order that is faster than order=auto");
}

/* Links alone choose the tree of order=auto, so it is the same whatever adding costs; and each tree
 * is the same with any number of chunks. */
static bool choose(struct ordo_placed_order *placed, const struct ordo_placed_wish *asked,
	bool searches, struct ordo_error *error)
{
	const uint32_t nrank = placed->graph.nrank, units = placed->units,
		       least = nrank > SMALL || nrank <= FEW_RANKS
				       ? 1
				       : TRIAL_CHUNKS / (asked->spreads ? 1 : nrank);
	const uint64_t adding = placed->network.adding;
	const struct wish wish = {asked->spreads, true, units > least ? units : least, asked->kept};
	placed->network.adding = 0;
	const bool worked = try_trees(placed, &wish, error) &&
			    (!searches || search(placed, &wish, adding, error));
	placed->network.adding = adding;
	ordo_placement_free(&placed->placement);
	return worked;
}

/* How many chunks of a block are placed in any case, if not as many as blocks are enough. */
static uint32_t usual_units(const struct ordo_placed_order *placed, bool spreads)
{
	const uint32_t nrank = placed->graph.nrank,
		       finer = placed->network.adding && spreads && nrank <= 2 * SMALL
				       ? nrank > SMALL ? 2 : 4
				       : 1;
	return finer * placed->units;
}

/* Each of the placed chunks in up to four pieces that follow each other. */
static uint32_t usual_pieces(uint32_t nchunk, uint32_t nrank)
{
	uint32_t pieces = MOST_PIECES;
	while (pieces > 1 && (uint64_t)pieces * nchunk * nrank > USUAL_MOVES)
		pieces /= 2;
	return pieces;
}

/* How many of a document's chunks of a block are placed each for itself: all, or a half, and so
 * on. */
static uint32_t different_of(
	const struct ordo_placed_order *placed, bool spreads, uint32_t units, uint32_t chunks)
{
	const uint32_t nrank = placed->graph.nrank,
		       most = MOST_DIFFERENT / nrank / (spreads ? 1 : nrank);
	uint32_t different = chunks;
	while (different % 2 == 0 && different > most)
		different /= 2;
	return different > most || different < units ? units : different;
}

/* The time of the list schedule of so many chunks, which are placed like these in turn. */
static bool list_time(const struct ordo_placed_order *placed,
	const struct ordo_placement *placement, uint32_t count, uint64_t *time,
	struct ordo_error *error)
{
	const struct ordo_place_chunk **ways = ordo_array_make(count, sizeof *ways, 0);
	struct ordo_place_move *moves = NULL;
	size_t nmove;
	for (uint32_t i = 0; ways && i < count; i++)
		ways[i] = &placement->chunks[i % placement->nchunk];
	const bool worked = ways && ordo_place_list(&moves, &nmove, time, &placed->network,
					    &placed->tree, ways, count);
	free(ways);
	free(moves);
	return worked || ordo_fail_memory(error);
}

/* Places the tree that is chosen as finely as the document allows, if that is faster: as it is
 * listed, and in the limit of many pieces. */
static bool place_finely(struct ordo_placed_order *placed, const struct wish *wish, uint32_t count,
	struct ordo_error *error)
{
	struct ordo_placement fine;
	uint64_t times[2];
	const bool worked = place(&fine, placed, &placed->tree, wish, error) &&
			    list_time(placed, &placed->placement, count, &times[0], error) &&
			    list_time(placed, &fine, count, &times[1], error);
	if (worked && times[1] < times[0] &&
		!ordo_fraction_less(placed->placement.time, fine.time)) {
		ordo_placement_free(&placed->placement);
		placed->placement = fine;
		return true;
	}
	ordo_placement_free(&fine);
	return worked;
}

/* A mix that is not faster by this part of the time is not worth a list with more detours. */
enum { GAIN = 128 };

/* So many chunks in the best shares of ways to place them, if that is faster. */
static bool place_mixed(struct ordo_placed_order *placed, const struct wish *wish, uint32_t count,
	bool *faster, struct ordo_error *error)
{
	struct ordo_place_problem problem = {.network = &placed->network,
		.tree = &placed->tree,
		.spreads = true,
		.bound = {placed->bound[0], placed->bound[1]},
		.few = &placed->placement};
	struct ordo_placement mixed, divided = {0};
	bool worked = ordo_place_once(wish->kept, &mixed, &problem, error);
	problem.nchunk = count;
	problem.few = &mixed;
	worked = worked && ordo_place_divide(&divided, &problem, error);
	ordo_placement_free(&mixed);
	const uint64_t much[2] = {divided.time[0] * (GAIN + 1), divided.time[1] * GAIN};
	*faster = worked && ordo_fraction_less(much, placed->placement.time);
	if (*faster) {
		ordo_placement_free(&placed->placement);
		placed->placement = divided;
		placed->network.mixed = true;
		return true;
	}
	ordo_placement_free(&divided);
	return worked;
}

/* Many chunks, if that is faster: each for itself, or mixed if they are too many for that, for
 * AllReduce on few ranks that share additions. */
static bool place_many(struct ordo_placed_order *placed, const struct wish *wish, uint32_t count,
	struct ordo_error *error)
{
	bool faster = false;
	if (wish->spreads && placed->network.adding && placed->graph.nrank <= 2 * SMALL &&
		wish->different < count && !place_mixed(placed, wish, count, &faster, error))
		return false;
	return faster || place_finely(placed, wish, count, error);
}

/* Places the tree that is chosen. */
static bool place_chosen(struct ordo_placed_order *placed, const struct ordo_placed_wish *asked,
	struct ordo_error *error)
{
	const uint32_t usual = usual_units(placed, asked->spreads), nrank = placed->graph.nrank,
		       blocks = asked->spreads ? 1 : nrank,
		       units = asked->chunks && asked->chunks < usual ? asked->chunks : usual;
	struct wish wish = {asked->spreads, false, units, asked->kept};
	if (!try_tree(placed, placed->root, &wish, error))
		return false;
	const bool enough = placed->placement.nchunk == nrank;
	const uint32_t turns = (usual * blocks - 1) / nrank + 1, nchunk = !enough ? usual * blocks
									  : placed->parallel
										  ? turns * nrank
										  : nrank;
	placed->chunks = nchunk / blocks * usual_pieces(nchunk, nrank);
	const uint32_t chunks = asked->chunks ? asked->chunks : placed->chunks;
	placed->network.keeps_order = placed->network.shares || chunks < placed->chunks;
	wish.different = different_of(placed, asked->spreads, units, chunks);
	return placed->network.keeps_order || reaches(placed, &placed->placement) ||
	       wish.different == units || place_many(placed, &wish, chunks * blocks, error);
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

/* Finds the number of units, where every link carries whole ones: also those side by side. */
static bool find_units(struct ordo_placed_order *placed, const struct ordo_topology *topology,
	bool spreads, struct ordo_error *error)
{
	struct ordo_parallel_links parallel;
	struct ordo_capacities apart = {0};
	bool worked =
		ordo_parallel_links_make(&parallel, topology, error) &&
		(!parallel.apart || ordo_capacities_make(&apart, parallel.apart, false, error));
	placed->parallel = parallel.apart;
	if (worked)
		placed->units =
			units_of(parallel.apart ? &apart : &placed->graph, placed->bound, spreads);
	ordo_capacities_free(&apart);
	ordo_parallel_links_free(&parallel);
	return worked;
}

bool ordo_placed_order_make(struct ordo_placed_order *placed, const struct ordo_topology *topology,
	const struct ordo_placed_wish *asked, struct ordo_error *error)
{
	const bool searches = strcmp(asked->order, "searched") == 0,
		   chosen = searches || strcmp(asked->order, "auto") == 0;
	*placed = (struct ordo_placed_order){.forest = ordo_forest_create(error)};
	if (!placed->forest)
		return false;
	if (!chosen) {
		placed->root =
			ordo_forest_read(placed->forest, asked->order, topology->nrank, error);
		if (placed->root == ORDO_NONE)
			return false;
	}
	if (!find_bound(placed, topology, asked->spreads, error) ||
		!ordo_capacities_make(&placed->graph, topology, false, error) ||
		!ordo_place_network_make(&placed->network, &placed->graph, error) ||
		!find_units(placed, topology, asked->spreads, error))
		return false;
	if (asked->adding_gbs > 0)
		placed->network.adding = 1 + (uint64_t)((double)placed->graph.unit *
							pow(10, -placed->graph.unit_digits) /
							asked->adding_gbs * ORDO_ADDING);
	return (!chosen || choose(placed, asked, searches, error)) &&
	       place_chosen(placed, asked, error);
}

void ordo_placed_order_free(struct ordo_placed_order *placed)
{
	ordo_placement_free(&placed->placement);
	ordo_sum_tree_free(&placed->tree);
	ordo_place_network_free(&placed->network);
	ordo_capacities_free(&placed->graph);
	ordo_forest_destroy(placed->forest);
}
