/* tree_builder.c - builds hash-consed trees.
 *
 * A partial sum is usually sent on to one place, so most nodes are the operand of one sum only: the
 * first tree whose larger operand is a node is found by an array, the others by a hash table. Most
 * schedules never add the same two trees in both orders, so representatives are recorded only from
 * the first tree with exchanged operands on.
 */
#include "tree_builder.h"
#include <ordo/arena.h>
#include <stdlib.h>

/* Two ids are reserved: ORDO_NONE, and one below for a wrong value (verifier.h). */
#define MOST_NODES (ORDO_NONE - 1)

static uint32_t new_node(
	struct ordo_trees *trees, struct ordo_tree_builder *builder, uint32_t left, uint32_t right)
{
	const uint32_t node = trees->nnode;
	if (node >= MOST_NODES ||
		!ordo_array_reserve(&trees->nodes, &builder->node_room, (size_t)node + 1,
			sizeof *trees->nodes) ||
		!ordo_array_reserve(&builder->parent_of, &builder->parent_room, (size_t)node + 1,
			sizeof *builder->parent_of))
		return ORDO_NONE;
	builder->parent_of[node] = ORDO_NONE;
	if (trees->same) {
		if (!ordo_array_reserve(&trees->same, &builder->same_room, (size_t)node + 1,
			    sizeof *trees->same))
			return ORDO_NONE;
		trees->same[node] = node;
	}
	trees->nodes[node][0] = left;
	trees->nodes[node][1] = right;
	trees->nnode++;
	return node;
}

bool ordo_begin_same(struct ordo_trees *trees, struct ordo_tree_builder *builder)
{
	if (trees->same)
		return true;
	if (!ordo_array_reserve(
		    &trees->same, &builder->same_room, trees->nnode, sizeof *trees->same))
		return false;
	for (uint32_t i = 0; i < trees->nnode; i++)
		trees->same[i] = i;
	return true;
}

/* Adds the newest node to a table; ORDO_NONE without memory, for a node in no table would be built
 * twice. */
static uint32_t put_node(
	struct ordo_trees *trees, struct ordo_map *table, uint32_t a, uint32_t b, uint32_t node)
{
	if (ordo_map_put(table, a, b, node))
		return node;
	trees->nnode--;
	return ORDO_NONE;
}

/* The same as `first`, with operands in other order, here or further down. */
static uint32_t build_other(struct ordo_trees *trees, struct ordo_tree_builder *builder,
	uint32_t left, uint32_t right, uint32_t first)
{
	uint32_t tree = ordo_map_get(&builder->other_of, left, right);
	if (tree != ORDO_NONE)
		return tree;
	if (!ordo_begin_same(trees, builder))
		return ORDO_NONE;
	tree = new_node(trees, builder, left, right);
	if (tree == ORDO_NONE)
		return ORDO_NONE;
	trees->same[tree] = first;
	return put_node(trees, &builder->other_of, left, right, tree);
}

uint32_t ordo_build_leaf(struct ordo_trees *trees, struct ordo_tree_builder *builder, uint32_t leaf)
{
	return new_node(trees, builder, ORDO_NONE, leaf);
}

static uint32_t build_first(
	struct ordo_trees *trees, struct ordo_tree_builder *builder, uint32_t left, uint32_t right)
{
	const uint32_t a = ordo_same_tree(trees, left), b = ordo_same_tree(trees, right);
	const uint32_t smaller = a < b ? a : b, larger = a < b ? b : a;
	const uint32_t tree = new_node(trees, builder, left, right);
	if (tree == ORDO_NONE)
		return ORDO_NONE;
	if (builder->parent_of[larger] == ORDO_NONE)
		builder->parent_of[larger] = tree;
	else
		return put_node(trees, &builder->node_of, smaller, larger, tree);
	return tree;
}

/* The first tree of these operands, given by their representatives, in either order; ORDO_NONE:
 * there is none. */
static uint32_t first_tree(const struct ordo_trees *trees, const struct ordo_tree_builder *builder,
	uint32_t a, uint32_t b)
{
	const uint32_t smaller = a < b ? a : b, larger = a < b ? b : a,
		       parent = builder->parent_of[larger];
	if (parent == ORDO_NONE)
		return ORDO_NONE;
	const uint32_t left = ordo_same_tree(trees, trees->nodes[parent][0]),
		       right = ordo_same_tree(trees, trees->nodes[parent][1]);
	return (left < right ? left : right) == smaller
		       ? parent
		       : ordo_map_get(&builder->node_of, smaller, larger);
}

uint32_t ordo_build_tree(
	struct ordo_trees *trees, struct ordo_tree_builder *builder, uint32_t left, uint32_t right)
{
	const uint32_t first = first_tree(
		trees, builder, ordo_same_tree(trees, left), ordo_same_tree(trees, right));
	if (first == ORDO_NONE)
		return build_first(trees, builder, left, right);
	const uint32_t *node = trees->nodes[first];
	return node[0] == left && node[1] == right
		       ? first
		       : build_other(trees, builder, left, right, first);
}

void ordo_tree_builder_free(struct ordo_tree_builder *builder)
{
	free(builder->parent_of);
	ordo_map_free(&builder->node_of);
	ordo_map_free(&builder->other_of);
}
