/* tree_builder.h - builds trees, each once. Private to schedules/. */
#ifndef ORDO_SCHEDULES_TREES_TREE_BUILDER_H
#define ORDO_SCHEDULES_TREES_TREE_BUILDER_H

#include <ordo/map.h>
#include <ordo/verify.h>

/* What is needed to add to trees, beside them; {0} for empty trees. */
struct ordo_tree_builder {
	size_t node_room, same_room, parent_room;
	/* [nnode] the first tree of which this stands for the larger operand; ORDO_NONE */
	uint32_t *parent_of;
	/* operands, the smaller first, each by what stands for it -> the first such tree, where it
	 * is not parent_of */
	struct ordo_map node_of;
	/* left, right -> the tree, where node_of has another that is the same */
	struct ordo_map other_of;
};

/* A new leaf: not looked for. */
uint32_t ordo_build_leaf(
	struct ordo_trees *trees, struct ordo_tree_builder *builder, uint32_t leaf);
/* left + right, which is not commuted; new or there already. ORDO_NONE: no memory, or too many
 * nodes. */
uint32_t ordo_build_tree(
	struct ordo_trees *trees, struct ordo_tree_builder *builder, uint32_t left, uint32_t right);
/* The trees stay. */
void ordo_tree_builder_free(struct ordo_tree_builder *builder);

#endif
