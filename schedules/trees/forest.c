/* forest.c - the trees of many schedules, hash-consed. */
#include "facts.h"
#include "tree_builder.h"
#include <ordo/arena.h>
#include <stdlib.h>

/* In addition to the builder, a map from shards to leaves: in a proof leaf i is node i, in a forest
 * leaves come in any order. */
struct ordo_forest_growth {
	struct ordo_tree_builder builder;
	size_t fact_room;
	uint32_t *leaf_of; /* [leaf_room] by shard; ORDO_NONE: not there yet */
	size_t leaf_room;
};

struct ordo_forest *ordo_forest_create(struct ordo_error *error)
{
	struct ordo_forest *forest = calloc(1, sizeof *forest);
	if (forest)
		forest->growth = calloc(1, sizeof *forest->growth);
	if (forest && forest->growth)
		return forest;
	free(forest);
	ordo_fail_memory(error);
	return NULL;
}

void ordo_forest_destroy(struct ordo_forest *forest)
{
	if (!forest)
		return;
	ordo_tree_builder_free(&forest->growth->builder);
	free(forest->growth->leaf_of);
	free(forest->growth);
	free(forest->trees.nodes);
	free(forest->trees.same);
	free(forest->facts);
	free(forest);
}

/* Reserves the facts of one more node before it is added, so that every node has facts. */
static bool prepare_facts(struct ordo_forest *forest)
{
	return ordo_array_reserve(&forest->facts, &forest->growth->fact_room,
		(size_t)forest->trees.nnode + 1, sizeof *forest->facts);
}

/* Sets the facts of a node that is new. */
static uint32_t note_facts(struct ordo_forest *forest, uint32_t before, uint32_t tree)
{
	if (tree >= before && tree != ORDO_NONE)
		forest->facts[tree] = measure_tree(&forest->trees, forest->facts, tree);
	return tree;
}

uint32_t ordo_forest_leaf(struct ordo_forest *forest, uint32_t leaf)
{
	struct ordo_forest_growth *growth = forest->growth;
	const uint32_t before = forest->trees.nnode;
	const size_t known = growth->leaf_room;
	if (!prepare_facts(forest) || !ordo_array_reserve(&growth->leaf_of, &growth->leaf_room,
					      (size_t)leaf + 1, sizeof *growth->leaf_of))
		return ORDO_NONE;
	for (size_t i = known; i < growth->leaf_room; i++)
		growth->leaf_of[i] = ORDO_NONE;
	if (growth->leaf_of[leaf] == ORDO_NONE)
		growth->leaf_of[leaf] = note_facts(
			forest, before, ordo_build_leaf(&forest->trees, &growth->builder, leaf));
	return growth->leaf_of[leaf];
}

uint32_t ordo_forest_add(struct ordo_forest *forest, uint32_t left, uint32_t right)
{
	const uint32_t before = forest->trees.nnode;
	if (!prepare_facts(forest))
		return ORDO_NONE;
	return note_facts(forest, before,
		ordo_build_tree(&forest->trees, &forest->growth->builder, left, right));
}

bool ordo_forest_bring(
	struct ordo_forest *forest, const struct ordo_trees *from, uint32_t *wanted, size_t nwanted)
{
	/* Operands come before their node: one pass down marks what is needed, one up brings it
	 * over. */
	const uint32_t needed = ORDO_NONE - 1;
	uint32_t *to = malloc(((size_t)from->nnode + 1) * sizeof *to);
	bool worked = to;
	for (uint32_t i = 0; worked && i < from->nnode; i++)
		to[i] = ORDO_NONE;
	for (size_t i = 0; worked && i < nwanted; i++)
		to[wanted[i]] = needed;
	for (uint32_t i = from->nnode; worked && i-- > 0;)
		if (to[i] == needed && from->nodes[i][0] != ORDO_NONE)
			to[from->nodes[i][0]] = to[from->nodes[i][1]] = needed;
	for (uint32_t i = 0; worked && i < from->nnode; i++) {
		const uint32_t *node = from->nodes[i];
		if (to[i] != needed)
			continue;
		to[i] = node[0] == ORDO_NONE ? ordo_forest_leaf(forest, node[1])
					     : ordo_forest_add(forest, to[node[0]], to[node[1]]);
		worked = to[i] != ORDO_NONE;
	}
	for (size_t i = 0; worked && i < nwanted; i++)
		wanted[i] = to[wanted[i]];
	free(to);
	return worked;
}

char *ordo_forest_print(const struct ordo_forest *forest, struct ordo_arena *arena, uint32_t tree,
	uint32_t max_leaves)
{
	return ordo_print_tree(arena, &forest->trees, forest->facts, tree, max_leaves);
}
