/* tree_builder.h - builds hash-consed trees. Private to schedules/. */
#ifndef ORDO_SCHEDULES_TREES_TREE_BUILDER_H
#define ORDO_SCHEDULES_TREES_TREE_BUILDER_H

#include <ordo/map.h>
#include <ordo/verify.h>

/* The indices for adding to trees; {0} for empty trees. */
struct ordo_tree_builder {
	size_t node_room, same_room, parent_room;
	/* [nnode] the first tree whose larger operand has this representative; ORDO_NONE */
	uint32_t *parent_of;
	/* representatives of the operands, the smaller first -> the first such tree, if not in
	 * parent_of */
	struct ordo_map node_of;
	/* left, right -> the tree, where node_of has another that is the same */
	struct ordo_map other_of;
};

/* Adds a leaf; the caller makes sure that it is new. */
uint32_t ordo_build_leaf(
	struct ordo_trees *trees, struct ordo_tree_builder *builder, uint32_t leaf);
/* left + right, which is not commuted; new or there already. ORDO_NONE: no memory, or too many
 * nodes. */
uint32_t ordo_build_tree(
	struct ordo_trees *trees, struct ordo_tree_builder *builder, uint32_t left, uint32_t right);
/* Gives the trees representatives, if they have none: `same` may be written for any node then.
 * false: no memory. */
bool ordo_begin_same(struct ordo_trees *trees, struct ordo_tree_builder *builder);
/* The trees stay. */
void ordo_tree_builder_free(struct ordo_tree_builder *builder);

#endif
