/* facts.h - leaves and depth of every tree, kept beside its nodes. Private to schedules/. */
#ifndef ORDO_FACTS_H
#define ORDO_FACTS_H

#include <ordo/detail/order.h>

/* The facts of one node, from those of its operands. */
static inline struct ordo_tree_facts measure_tree(
	const struct ordo_trees *trees, const struct ordo_tree_facts *facts, uint32_t tree)
{
	const uint32_t left = trees->nodes[tree][0], right = trees->nodes[tree][1];
	if (left == ORDO_NONE)
		return (struct ordo_tree_facts){1, 0, right, right};
	const struct ordo_tree_facts *a = &facts[left], *b = &facts[right];
	const uint32_t leaves = a->leaves + b->leaves;
	return (struct ordo_tree_facts){leaves < ORDO_LIMIT ? leaves : ORDO_LIMIT,
		(a->depth > b->depth ? a->depth : b->depth) + 1,
		a->smallest < b->smallest ? a->smallest : b->smallest,
		a->largest > b->largest ? a->largest : b->largest};
}

/* The text of a tree in the arena, from the facts of all its nodes; NULL: no memory. */
char *ordo_print_tree(struct ordo_arena *arena, const struct ordo_trees *trees,
	const struct ordo_tree_facts *facts, uint32_t tree, uint32_t max_leaves);
/* Like ordo_tree_print, for a tree that may add a leaf twice: omitted parts are never printed as a
 * range. */
char *ordo_print_broken_tree(struct ordo_arena *arena, const struct ordo_trees *trees,
	uint32_t tree, uint32_t max_leaves);

#endif
