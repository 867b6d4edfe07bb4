/* search.c - an order whose chunks share links and adders better.
 *
 * Each tree that is mixed leaves prices of links and adders, and a tree takes at least what its
 * cheapest chunk costs at any prices, over what all links and adders earn. Of the trees near the
 * best so far, one subtree moved or two exchanged, the next to be mixed is the one for which all
 * prices so far promise most.
 *
 * source D. Swofford and G. Olsen, in Molecular Systematics, 1990 (subtrees that are moved)
 */
#include "search.h"
#include "chunk.h"
#include "mix.h"
#include <ordo/arena.h>
#include <stdlib.h>
#include <string.h>

enum {
	/* No search where the first tree takes no longer than such a part more than the bound. */
	SLOW = 56,
	NEARLY = 128,	 /* and so near to it the search ends */
	MOST_MIXED = 40, /* trees */
	PATIENCE = 12,	 /* so many that are no faster than the best end it too */
	FINALISTS = 4,	 /* are mixed finely, and with them the first */
	GAIN = 400,	 /* by such a part of its time one must be faster to be taken */
	ROUGH = 128,	 /* sharpness of mixes */
	FINE = 1024
};

/* A tree near the best. */
struct near_tree {
	uint32_t root;
	uint64_t least[2]; /* no mix of it is much faster: chunks are spread along a good tree, not
			    * always the cheapest */
	uint32_t priced;   /* by how many of the prices */
};

struct search {
	struct ordo_forest *forest;
	const struct ordo_place_network *network;
	const struct ordo_place_problem *problem;
	uint64_t enough[2]; /* a little more than the bound */
	uint64_t *prices;   /* [MOST_MIXED][nload] */
	uint32_t roots[MOST_MIXED], nmixed;
	uint64_t times[MOST_MIXED][2]; /* of their rough mixes */
	uint32_t best, nbest;	       /* the fastest, and how many were mixed by then */
	uint64_t time[2];	       /* of it */
	struct near_tree *trees;
	uint32_t ntree;
	size_t room;
};

static uint32_t nload(const struct search *search)
{
	return search->network->graph->narc + search->network->nrank;
}

/* The sum of two trees, the one with the first rank at the left, so that equal orders are one. */
static uint32_t add(struct search *search, uint32_t one, uint32_t other)
{
	if (one == ORDO_NONE || other == ORDO_NONE)
		return ORDO_NONE;
	const struct ordo_tree_facts *facts = search->forest->facts;
	const bool first = facts[one].smallest < facts[other].smallest;
	return ordo_forest_add(search->forest, first ? one : other, first ? other : one);
}

/* How a tree is changed: `cut` goes to where `onto` is, beside it, or in exchange. */
struct change {
	uint32_t cut, onto;
	bool exchanges;
};

static uint32_t changed(struct search *search, const struct ordo_sum_tree *tree, uint32_t node,
	const struct change *change);

static uint32_t unchanged(struct search *search, const struct ordo_sum_tree *tree, uint32_t node)
{
	return changed(search, tree, node, &(struct change){ORDO_NONE, ORDO_NONE, false});
}

/* The tree below a node after a change. ORDO_NONE: no memory. */
static uint32_t changed(struct search *search, const struct ordo_sum_tree *tree, uint32_t node,
	const struct change *change)
{
	uint32_t made;
	if (change->exchanges && (node == change->cut || node == change->onto))
		return unchanged(search, tree, node == change->cut ? change->onto : change->cut);
	if (node < tree->nleaf) {
		made = ordo_forest_leaf(search->forest, node);
	} else {
		const uint32_t *children = tree->children[node];
		const uint32_t cut = change->exchanges ? ORDO_NONE : change->cut;
		if (children[0] == cut || children[1] == cut)
			made = changed(search, tree, children[children[0] == cut], change);
		else
			made = add(search, changed(search, tree, children[0], change),
				changed(search, tree, children[1], change));
	}
	return node == change->onto && !change->exchanges
		       ? add(search, made, unchanged(search, tree, change->cut))
		       : made;
}

static bool is_below(const struct ordo_sum_tree *tree, uint32_t node, uint32_t above)
{
	while (node != above && node != ORDO_NONE)
		node = tree->parents[node];
	return node == above;
}

/* Whether a change makes another tree. */
static bool is_change(const struct ordo_sum_tree *tree, const struct change *change)
{
	const uint32_t cut = change->cut, onto = change->onto, parent = tree->parents[cut];
	if (is_below(tree, onto, cut) || tree->parents[onto] == parent)
		return false;
	return change->exchanges ? cut < onto && !is_below(tree, cut, onto) : onto != parent;
}

/* A tree that is not known yet. */
static bool add_tree(struct search *search, uint32_t root)
{
	for (uint32_t i = 0; i < search->nmixed; i++)
		if (search->roots[i] == root)
			return true;
	for (uint32_t i = 0; i < search->ntree; i++)
		if (search->trees[i].root == root)
			return true;
	if (root == ORDO_NONE || !ordo_array_reserve(&search->trees, &search->room,
					 search->ntree + 1, sizeof *search->trees))
		return false;
	search->trees[search->ntree++] = (struct near_tree){root, {0, 1}, 0};
	return true;
}

/* All that one change makes of the best tree. */
static bool look_around(struct search *search, struct ordo_error *error)
{
	struct ordo_sum_tree tree;
	bool worked = ordo_sum_tree_make(&tree, search->forest, search->best, error);
	const uint32_t nnode = worked ? tree.nnode : 0;
	search->ntree = 0;
	for (uint32_t i = 0; worked && i < 2 * nnode * nnode; i++) {
		const struct change change = {i / 2 % nnode, i / 2 / nnode, i % 2};
		if (change.cut == nnode - 1 || !is_change(&tree, &change))
			continue;
		worked = add_tree(search, changed(search, &tree, nnode - 1, &change)) ||
			 ordo_fail_memory(error);
	}
	ordo_sum_tree_free(&tree);
	return worked;
}

/* What all links and adders earn at these prices in one unit of time. */
static ordo_wide earned(const struct search *search, const uint64_t *prices)
{
	const struct ordo_capacities *graph = search->network->graph;
	ordo_wide arcs = 0, adders = 0;
	for (uint32_t a = 0; a < graph->narc; a++)
		arcs += (ordo_wide)prices[a] * (uint64_t)graph->arcs[a].units;
	for (uint32_t v = 0; v < search->network->nrank; v++)
		adders += prices[graph->narc + v];
	return arcs + adders * ORDO_ADDING / search->network->adding;
}

/* Raises what a tree takes at least by the prices that it has not met yet. */
static bool price_tree(struct search *search, struct near_tree *one, struct ordo_error *error)
{
	struct ordo_sum_tree tree;
	struct ordo_prices prices = {0};
	const bool worked = ordo_sum_tree_make(&tree, search->forest, one->root, error) &&
			    ordo_prices_make(&prices, search->network, &tree, error);
	for (; worked && one->priced < search->nmixed; one->priced++) {
		const uint64_t *these = search->prices + (size_t)one->priced * nload(search);
		ordo_wide paid = earned(search, these);
		memcpy(prices.prices, these, nload(search) * sizeof *these);
		uint64_t least[2];
		ordo_prices_measure(&prices);
		ordo_prices_place(&prices, true);
		ordo_place_cheapest_root(&prices, true, 0, &least[0]);
		for (; paid >> 62; paid /= 2)
			least[0] /= 2;
		least[1] = (uint64_t)paid;
		if (least[1] && ordo_fraction_less(one->least, least))
			memcpy(one->least, least, sizeof least);
	}
	ordo_prices_free(&prices);
	ordo_sum_tree_free(&tree);
	return worked;
}

static bool is_over(const struct search *search)
{
	return search->nmixed == MOST_MIXED || search->nmixed - search->nbest == PATIENCE ||
	       ordo_place_reaches(search->network, search->enough, search->time);
}

/* The time of a tree, and the prices that it leaves. */
static bool measure(struct search *search, uint32_t root, uint32_t sharpness, uint64_t time[2],
	uint64_t *prices, struct ordo_error *error)
{
	struct ordo_sum_tree tree;
	struct ordo_place_problem problem = *search->problem;
	problem.tree = &tree;
	problem.nchunk = search->network->nrank;
	const bool worked =
		ordo_sum_tree_make(&tree, search->forest, root, error) &&
		ordo_place_mix_alone(&problem, sharpness, search->enough, time, prices, error);
	ordo_sum_tree_free(&tree);
	return worked;
}

/* Mixes a tree, and keeps it if it is the fastest. */
static bool mix(struct search *search, uint32_t root, struct ordo_error *error)
{
	uint64_t *time = search->times[search->nmixed],
		 *prices = search->prices + (size_t)search->nmixed * nload(search);
	if (!measure(search, root, ROUGH, time, prices, error))
		return false;
	search->roots[search->nmixed++] = root;
	if (search->nmixed > 1 && !ordo_fraction_less(time, search->time))
		return true;
	search->best = root;
	search->nbest = search->nmixed;
	memcpy(search->time, time, sizeof search->time);
	return is_over(search) || look_around(search, error);
}

/* The tree that promises most, out of the list. ORDO_NONE: none promises to be faster. */
static bool take_next(struct search *search, uint32_t *root, struct ordo_error *error)
{
	uint32_t next = 0;
	*root = ORDO_NONE;
	for (uint32_t i = 0; i < search->ntree; i++) {
		if (!price_tree(search, &search->trees[i], error))
			return false;
		if (ordo_fraction_less(search->trees[i].least, search->trees[next].least))
			next = i;
	}
	if (!search->ntree || !ordo_fraction_less(search->trees[next].least, search->time))
		return true;
	*root = search->trees[next].root;
	search->trees[next] = search->trees[--search->ntree];
	return true;
}

/* Mixes trees while some promise to be faster. */
static bool mix_all(struct search *search, uint32_t root, struct ordo_error *error)
{
	const uint64_t *bound = search->problem->bound;
	uint32_t next = root;
	search->enough[0] = bound[0] * (SLOW + 1);
	search->enough[1] = bound[1] * SLOW;
	while (next != ORDO_NONE) {
		if (!mix(search, next, error))
			return false;
		next = ORDO_NONE;
		if (is_over(search))
			return true;
		search->enough[0] = bound[0] * (NEARLY + 1);
		search->enough[1] = bound[1] * NEARLY;
		if (!take_next(search, &next, error))
			return false;
	}
	return true;
}

/* Of the trees whose rough mixes are fastest, the one whose fine mix is, if that is faster than the
 * first tree's. */
static bool decide(struct search *search, uint32_t *root, struct ordo_error *error)
{
	uint64_t fastest[2], time[2], *prices = search->prices;
	search->enough[0] = 0;
	if (!measure(search, *root, FINE, fastest, prices, error))
		return false;
	fastest[0] *= GAIN;
	fastest[1] *= GAIN + 1;
	for (uint32_t k = 0; k < FINALISTS; k++) {
		uint32_t next = 0;
		for (uint32_t i = 1; i < search->nmixed; i++)
			if (ordo_fraction_less(search->times[i], search->times[next]))
				next = i;
		if (!next)
			return true;
		if (!measure(search, search->roots[next], FINE, time, prices, error))
			return false;
		if (ordo_fraction_less(time, fastest)) {
			*root = search->roots[next];
			memcpy(fastest, time, sizeof fastest);
		}
		search->times[next][1] = 0; /* longer than any */
	}
	return true;
}

bool ordo_place_search(struct ordo_forest *forest, uint32_t *root,
	const struct ordo_place_problem *problem, struct ordo_error *error)
{
	struct search search = {.forest = forest, .network = problem->network, .problem = problem};
	search.prices =
		ordo_array_make((size_t)MOST_MIXED * nload(&search), sizeof *search.prices, 0);
	const bool worked = (search.prices || ordo_fail_memory(error)) &&
			    mix_all(&search, *root, error) &&
			    (search.nmixed == 1 || decide(&search, root, error));
	free(search.prices);
	free(search.trees);
	return worked;
}
