/* flat.h - one tree as an array, node before operands, left before right. Private to schedules/.
 *
 * The operands of node i are nodes i + 1 and i + 2 * leaves(left); the subtree of a node is the 2 *
 * leaves - 1 entries that begin with it. So walks need neither links nor recursion. */
#ifndef ORDO_FLAT_H
#define ORDO_FLAT_H

#include <ordo/detail/order.h>

struct flat {
	uint32_t *trees; /* [nnode] of the forest */
	uint32_t nnode;
};

/* Fails (ORDO_UNDECIDED) if the tree has too many leaves, which only one that adds leaves twice
 * has. The caller frees trees. */
bool ordo_flatten(const struct ordo_forest *forest, uint32_t tree, struct flat *flat,
	struct ordo_error *error);

static inline bool flat_is_leaf(
	const struct ordo_forest *forest, const struct flat *flat, uint32_t i)
{
	return forest->trees.nodes[flat->trees[i]][0] == ORDO_NONE;
}
static inline uint32_t flat_right(
	const struct ordo_forest *forest, const struct flat *flat, uint32_t i)
{
	return i + 2 * forest->facts[flat->trees[i + 1]].leaves;
}
/* One past the last node below i. */
static inline uint32_t flat_end(
	const struct ordo_forest *forest, const struct flat *flat, uint32_t i)
{
	return i + 2 * forest->facts[flat->trees[i]].leaves - 1;
}

#endif
