/* kept.c - keeps each placement, and each order, that was found with all that it depends on, in
 * words of 64 bits.
 *
 * A choice resolves one candidate several times: for its claims, then for every number of chunks.
 * Most of these ask for the same placements, and each takes longer than all else of a candidate.
 */
#include "kept.h"
#include "mix.h"
#include "search.h"
#include <ordo/arena.h>
#include <stdlib.h>
#include <string.h>

struct kept {
	uint64_t *problem; /* [nword] */
	size_t nword;
	struct ordo_placement placement;
	struct ordo_sum_tree tree; /* of a search; else {0} */
};

struct ordo_kept_placements {
	struct kept *items; /* [count] */
	size_t count, room;
};

struct ordo_kept_placements *ordo_kept_placements_create(struct ordo_error *error)
{
	struct ordo_kept_placements *kept = calloc(1, sizeof *kept);
	if (!kept)
		ordo_fail_memory(error);
	return kept;
}

void ordo_kept_placements_destroy(struct ordo_kept_placements *kept)
{
	if (!kept)
		return;
	for (size_t i = 0; i < kept->count; i++) {
		free(kept->items[i].problem);
		ordo_placement_free(&kept->items[i].placement);
		ordo_sum_tree_free(&kept->items[i].tree);
	}
	free(kept->items);
	free(kept);
}

/* All that a placement depends on; ways follow from arcs. NULL: no memory. */
static uint64_t *write_problem(const struct ordo_place_problem *problem, size_t *nword)
{
	const struct ordo_capacities *graph = problem->network->graph;
	const struct ordo_sum_tree *tree = problem->tree;
	const uint64_t numbers[] = {graph->nrank, graph->nplace, graph->nvertex, graph->narc,
		problem->network->adding, problem->nchunk, problem->spreads, problem->bound[0],
		problem->bound[1], problem->effort.passes, problem->effort.exchanges, tree->nleaf,
		tree->nnode, problem->few ? problem->few->nchunk : 0};
	const size_t nnumber = sizeof numbers / sizeof *numbers;
	*nword = nnumber + 2 * (size_t)graph->narc + tree->nnode - tree->nleaf;
	uint64_t *words = ordo_array_make(*nword, sizeof *words, 0), *next = words;
	if (!words)
		return NULL;
	for (size_t i = 0; i < nnumber; i++)
		*next++ = numbers[i];
	for (uint32_t a = 0; a < graph->narc; a++) {
		*next++ = (uint64_t)graph->arcs[a].from << 32 | graph->arcs[a].to;
		*next++ = (uint64_t)graph->arcs[a].units;
	}
	for (uint32_t node = tree->nleaf; node < tree->nnode; node++)
		*next++ = (uint64_t)tree->children[node][0] << 32 | tree->children[node][1];
	return words;
}

static const struct kept *find(
	const struct ordo_kept_placements *kept, const uint64_t *words, size_t nword)
{
	for (size_t i = 0; i < kept->count; i++)
		if (kept->items[i].nword == nword &&
			!memcmp(kept->items[i].problem, words, nword * sizeof *words))
			return &kept->items[i];
	return NULL;
}

/* Takes the words. NULL: no memory. */
static struct kept *add(struct ordo_kept_placements *kept, uint64_t *words, size_t nword)
{
	if (!ordo_array_reserve(&kept->items, &kept->room, kept->count + 1, sizeof *kept->items)) {
		free(words);
		return NULL;
	}
	struct kept *item = &kept->items[kept->count++];
	*item = (struct kept){.problem = words, .nword = nword};
	return item;
}

/* Takes the words. */
static bool keep(struct ordo_kept_placements *kept, uint64_t *words, size_t nword,
	const struct ordo_placement *placement)
{
	struct kept *item = add(kept, words, nword);
	return item && ordo_placement_copy(&item->placement, placement);
}

static bool place(struct ordo_placement *placement, const struct ordo_place_problem *problem,
	struct ordo_error *error)
{
	return problem->few ? ordo_place_mix(placement, problem, error)
			    : ordo_place(placement, problem, error);
}

/* What is kept of a problem. NULL: nothing yet, and *words is the problem; or NULL, no memory. */
static const struct kept *look_up(const struct ordo_kept_placements *kept,
	const struct ordo_place_problem *problem, uint64_t **words, size_t *nword)
{
	*words = write_problem(problem, nword);
	const struct kept *found = *words ? find(kept, *words, *nword) : NULL;
	if (found) {
		free(*words);
		*words = NULL;
	}
	return found;
}

bool ordo_place_once(struct ordo_kept_placements *kept, struct ordo_placement *placement,
	const struct ordo_place_problem *problem, struct ordo_error *error)
{
	size_t nword;
	uint64_t *words;
	*placement = (struct ordo_placement){0};
	if (!kept)
		return place(placement, problem, error);
	const struct kept *found = look_up(kept, problem, &words, &nword);
	if (found)
		return ordo_placement_copy(placement, &found->placement) || ordo_fail_memory(error);
	if (!words)
		return ordo_fail_memory(error);
	if (place(placement, problem, error))
		return keep(kept, words, nword, placement) || ordo_fail_memory(error);
	free(words);
	return false;
}

/* The tree in a forest. ORDO_NONE: no memory. */
static uint32_t write_tree(struct ordo_forest *forest, const struct ordo_sum_tree *tree)
{
	uint32_t *ids = ordo_array_make(tree->nnode, sizeof *ids, 0), root = ORDO_NONE;
	for (uint32_t node = 0; ids && node < tree->nnode; node++) {
		const uint32_t *children = tree->children[node];
		root = ids[node] = node < tree->nleaf ? ordo_forest_leaf(forest, node)
						      : ordo_forest_add(forest, ids[children[0]],
								ids[children[1]]);
		if (root == ORDO_NONE)
			break;
	}
	free(ids);
	return root;
}

bool ordo_place_search_once(struct ordo_kept_placements *kept, struct ordo_forest *forest,
	uint32_t *root, const struct ordo_place_problem *problem, struct ordo_error *error)
{
	size_t nword;
	uint64_t *words;
	if (!kept)
		return ordo_place_search(forest, root, problem, error);
	const struct kept *found = look_up(kept, problem, &words, &nword);
	if (found) {
		*root = write_tree(forest, &found->tree);
		return *root != ORDO_NONE || ordo_fail_memory(error);
	}
	if (!words)
		return ordo_fail_memory(error);
	struct ordo_sum_tree tree = {0};
	if (!ordo_place_search(forest, root, problem, error) ||
		!ordo_sum_tree_make(&tree, forest, *root, error)) {
		ordo_sum_tree_free(&tree);
		free(words);
		return false;
	}
	struct kept *item = add(kept, words, nword);
	if (item)
		item->tree = tree;
	else
		ordo_sum_tree_free(&tree);
	return item || ordo_fail_memory(error);
}
