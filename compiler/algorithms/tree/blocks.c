/* blocks.c - every rank's block up a tree to the root, or down it from there: whole subtrees at
 * once. */
#include "trees.h"
#include <ordo/arena.h>
#include <stdlib.h>

/* Subtrees as runs of an array. */
struct subtrees {
	uint32_t *nodes; /* [n] a node before those below it */
	uint32_t *begin; /* [n] where a node stands there */
	uint32_t *size;	 /* [n] how many nodes hang together there, with the node itself */
	uint32_t *next;	 /* [n] */
};

void ordo_tree_measure(const struct ordo_tree *tree, uint32_t *size)
{
	for (uint32_t node = 0; node < tree->n; node++)
		size[node] = 1;
	for (uint32_t i = tree->n - 1; i-- > 0;)
		size[tree->parent[tree->by_level[i]]] += size[tree->by_level[i]];
}

static bool find_subtrees(const struct ordo_tree *tree, struct subtrees *found)
{
	const size_t n = tree->n;
	*found = (struct subtrees){ordo_array_make(n, sizeof(uint32_t), 0),
		ordo_array_make(n, sizeof(uint32_t), 0), ordo_array_make(n, sizeof(uint32_t), 0),
		ordo_array_make(n, sizeof(uint32_t), 0)};
	if (!found->nodes || !found->begin || !found->size || !found->next)
		return false;
	ordo_tree_measure(tree, found->size);
	found->next[0] = 1;
	for (uint32_t i = 0; i + 1 < tree->n; i++) {
		const uint32_t node = tree->by_level[i], parent = tree->parent[node];
		found->begin[node] = found->next[parent];
		found->next[node] = found->begin[node] + 1;
		found->next[parent] += found->size[node];
		found->nodes[found->begin[node]] = node;
	}
	return true;
}

static void free_subtrees(struct subtrees *subtrees)
{
	free(subtrees->nodes);
	free(subtrees->begin);
	free(subtrees->size);
	free(subtrees->next);
}

static int compare_numbers(const void *a, const void *b)
{
	const uint32_t one = *(const uint32_t *)a, other = *(const uint32_t *)b;
	return (one > other) - (one < other);
}

/* The block of a rank goes between a node and its parent. */
static void move_block(struct ordo_builder *b, const struct ordo_tree_load *load, uint32_t node,
	uint32_t block, bool up)
{
	const uint32_t K = load->chunks.count, chunk = block * K, n = load->tree->n,
		       child = (load->root + node) % n,
		       parent = (load->root + load->tree->parent[node]) % n,
		       from = up ? child : parent, to = up ? parent : child;
	const bool ends = to == (up ? load->root : block);
	ordo_copy(b, ends ? ordo_output_of(b, to, chunk) : ordo_work(b, to, chunk),
		ordo_held(b, from, chunk), K);
}

/* In ascending order of ranks, so that neighbours go as one message. The subtree is sorted. */
static void move_subtree(struct ordo_builder *b, const struct ordo_tree_load *load,
	struct subtrees *subtrees, uint32_t node, bool up)
{
	const uint32_t n = load->tree->n, size = subtrees->size[node];
	uint32_t *ranks = subtrees->next;
	for (uint32_t i = 0; i < size; i++)
		ranks[i] = (load->root + subtrees->nodes[subtrees->begin[node] + i]) % n;
	qsort(ranks, size, sizeof *ranks, compare_numbers);
	for (uint32_t i = 0; i < size; i++)
		move_block(b, load, node, ranks[i], up);
}

bool ordo_tree_move_blocks(struct ordo_builder *b, const struct ordo_tree_load *load, bool up)
{
	const struct ordo_tree *tree = load->tree;
	struct subtrees subtrees;
	const bool worked = find_subtrees(tree, &subtrees);
	for (uint32_t step = 0; worked && step < tree->nlevel && !ordo_builder_failed(b); step++) {
		const uint32_t level = up ? tree->nlevel - step : step + 1;
		ordo_phase(b, up ? "gather" : "scatter", step);
		for (uint32_t i = tree->level_begin[level]; i < tree->level_begin[level + 1]; i++) {
			const uint32_t node = tree->by_level[i];
			ordo_stream(b, up ? "up" : "down",
				load->by_child && !up ? tree->sibling[node] : load->stream);
			move_subtree(b, load, &subtrees, node, up);
		}
	}
	free_subtrees(&subtrees);
	return worked;
}

uint64_t ordo_tree_most_blocks(const struct ordo_tree *tree, bool up)
{
	uint32_t *size = ordo_array_make(tree->n, sizeof *size, 0), most = 0;
	if (!size)
		return ORDO_UNCOUNTED;
	ordo_tree_measure(tree, size);
	for (uint32_t node = up ? 1 : 0; node < tree->n; node++) {
		const uint32_t sent = up ? size[node] : size[node] - 1;
		most = sent > most ? sent : most;
	}
	free(size);
	return most;
}
