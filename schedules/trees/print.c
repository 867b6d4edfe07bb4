/* print.c - trees as text. */
#include "facts.h"
#include <inttypes.h>
#include <ordo/arena.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A growing text; a failure is sticky. */
struct text {
	char *bytes;
	size_t used, room;
	bool failed;
};

static void append(struct text *text, const char *part)
{
	size_t length = strlen(part);
	if (text->failed ||
		!ordo_array_reserve(&text->bytes, &text->room, text->used + length + 1, 1)) {
		text->failed = true;
		return;
	}
	memcpy(text->bytes + text->used, part, length + 1);
	text->used += length;
}

/* A node to be printed, at its depth; or a mark. */
struct pending {
	uint32_t tree, depth;
	enum { NODE, PLUS, CLOSE } what;
};

/* An omitted subtree: `[4..7]` if its leaves are 4 to 7, `...` otherwise. */
static void say_cut(struct text *text, const struct ordo_tree_facts *facts)
{
	char range[32];
	snprintf(
		range, sizeof range, "[%" PRIu32 "..%" PRIu32 "]", facts->smallest, facts->largest);
	append(text, facts->largest - facts->smallest == facts->leaves - 1 ? range : "...");
}

/* Prints with a stack of its own, since a tree can be as deep as it has leaves: at most four
 * entries a level. */
static bool say_tree(struct text *text, const struct ordo_trees *trees,
	const struct ordo_tree_facts *facts, uint32_t tree, uint32_t max_depth)
{
	struct pending *stack = NULL;
	size_t room = 0, height = 0;
	bool worked = ordo_array_reserve(&stack, &room, 4, sizeof *stack);
	if (worked)
		stack[height++] = (struct pending){tree, 0, NODE};
	while (worked && height) {
		const struct pending top = stack[--height];
		const uint32_t *node = trees->nodes[top.tree];
		char number[16];
		if (top.what != NODE) {
			append(text, top.what == PLUS ? "+" : ")");
		} else if (node[0] == ORDO_NONE) {
			snprintf(number, sizeof number, "%" PRIu32, node[1]);
			append(text, number);
		} else if (top.depth == max_depth) {
			say_cut(text, &facts[top.tree]);
		} else if ((worked = ordo_array_reserve(
				    &stack, &room, height + 4, sizeof *stack))) {
			const bool swapped = facts[node[1]].smallest < facts[node[0]].smallest;
			append(text, "(");
			stack[height++] = (struct pending){top.tree, 0, CLOSE};
			stack[height++] = (struct pending){node[!swapped], top.depth + 1, NODE};
			stack[height++] = (struct pending){top.tree, 0, PLUS};
			stack[height++] = (struct pending){node[swapped], top.depth + 1, NODE};
		}
	}
	free(stack);
	return worked && !text->failed;
}

char *ordo_print_tree(struct ordo_arena *arena, const struct ordo_trees *trees,
	const struct ordo_tree_facts *facts, uint32_t tree, uint32_t max_leaves)
{
	struct text text = {0};
	/* A tree cut at depth log2(max_leaves) cannot have more ends than that. */
	uint32_t max_depth = ORDO_NONE;
	if (facts[tree].leaves > max_leaves)
		for (max_depth = 0; max_leaves >> (max_depth + 1); max_depth++)
			continue;
	char *result = say_tree(&text, trees, facts, tree, max_depth)
			       ? ordo_arena_text(arena, text.bytes, text.used)
			       : NULL;
	free(text.bytes);
	return result;
}

/* With facts, omitted subtrees are printed as ranges; facts may be NULL. */
static char *measure_and_print(struct ordo_arena *arena, const struct ordo_trees *trees,
	uint32_t tree, uint32_t max_leaves, bool ranges)
{
	struct ordo_tree_facts *facts = malloc(((size_t)tree + 1) * sizeof *facts);
	if (!facts)
		return NULL;
	for (uint32_t i = 0; i <= tree; i++)
		facts[i] = measure_tree(trees, facts, i);
	for (uint32_t i = 0; !ranges && i <= tree; i++)
		facts[i].largest = facts[i].smallest;
	char *result = ordo_print_tree(arena, trees, facts, tree, max_leaves);
	free(facts);
	return result;
}

char *ordo_tree_print(struct ordo_arena *arena, const struct ordo_trees *trees, uint32_t tree,
	uint32_t max_leaves)
{
	return measure_and_print(arena, trees, tree, max_leaves, true);
}

char *ordo_print_broken_tree(struct ordo_arena *arena, const struct ordo_trees *trees,
	uint32_t tree, uint32_t max_leaves)
{
	return measure_and_print(arena, trees, tree, max_leaves, false);
}
