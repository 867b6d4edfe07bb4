/* all_blocks.c - every rank's block to all others along a tree, or the sums of every block to its
 * rank.
 *
 * Blocks go up from where they are, and down everywhere else: over each link of the tree, each way,
 * goes what is on that side, so no schedule on these links moves less. A link takes in each step
 * the chunk that has waited longest. Sums go the same ways backwards.
 */
#include "algorithms/direct/places.h"
#include "trees.h"
#include <ordo/arena.h>
#include <stdlib.h>

/* Link 2 node leads up from a node, link 2 node + 1 down to it. */
struct flood {
	const struct ordo_tree_load *load;
	uint32_t *first_child, *children; /* [n + 1]; [n] */
	/* Chunks in the order in which a link takes them: queue[begin[link]] and so on. */
	size_t *begin; /* [2 n] */
	uint32_t *queue;
	uint32_t *count, *sent, *ready; /* [2 n] ready: those that were there when the step began */
	struct crossing *crossings;
	size_t ncrossing;
	uint32_t nstep;
};

struct crossing {
	uint32_t link, chunk, step;
};

static uint32_t rank_of(const struct flood *flood, uint32_t node)
{
	return (uint32_t)(((uint64_t)flood->load->root + node) % flood->load->tree->n);
}

static void push(struct flood *flood, uint32_t link, uint32_t chunk)
{
	flood->queue[flood->begin[link] + flood->count[link]++] = chunk;
}

/* A node has a chunk, which came from another node, or (ORDO_NONE) is its own. */
static void pass_on(struct flood *flood, uint32_t node, uint32_t came_from, uint32_t chunk)
{
	if (node && flood->load->tree->parent[node] != came_from)
		push(flood, 2 * node, chunk);
	for (uint32_t i = flood->first_child[node]; i < flood->first_child[node + 1]; i++)
		if (flood->children[i] != came_from)
			push(flood, 2 * flood->children[i] + 1, chunk);
}

/* Each link takes what has waited longest. false: nothing waits. */
static bool take_step(struct flood *flood)
{
	const struct ordo_tree *tree = flood->load->tree;
	const size_t before = flood->ncrossing;
	for (uint32_t link = 2; link < 2 * tree->n; link++)
		flood->ready[link] = flood->count[link];
	for (uint32_t link = 2; link < 2 * tree->n; link++) {
		if (flood->sent[link] == flood->ready[link])
			continue;
		const uint32_t chunk = flood->queue[flood->begin[link] + flood->sent[link]++],
			       node = link / 2, parent = tree->parent[node];
		flood->crossings[flood->ncrossing++] = (struct crossing){link, chunk, flood->nstep};
		if (link % 2)
			pass_on(flood, node, parent, chunk);
		else
			pass_on(flood, parent, node, chunk);
	}
	flood->nstep += flood->ncrossing > before;
	return flood->ncrossing > before;
}

/* Lays out children and queues: over a link goes what is on the side from which it leads. */
static bool make_flood(struct flood *flood)
{
	const struct ordo_tree *tree = flood->load->tree;
	const size_t n = tree->n, K = flood->load->chunks.count, all = n * (n - 1) * K;
	uint32_t *size = ordo_array_make(n, sizeof *size, 0);
	flood->first_child = ordo_array_make(n + 1, sizeof *flood->first_child, 0);
	flood->children = ordo_array_make(n, sizeof *flood->children, 0);
	flood->begin = ordo_array_make(2 * n, sizeof *flood->begin, 0);
	flood->count = ordo_array_make(2 * n, sizeof *flood->count, 0);
	flood->sent = ordo_array_make(2 * n, sizeof *flood->sent, 0);
	flood->ready = ordo_array_make(2 * n, sizeof *flood->ready, 0);
	flood->queue = ordo_array_make(all, sizeof *flood->queue, 0);
	flood->crossings = ordo_array_make(all, sizeof *flood->crossings, 0);
	const bool worked = size && flood->first_child && flood->children && flood->begin &&
			    flood->count && flood->sent && flood->ready && flood->queue &&
			    flood->crossings;
	if (worked) {
		ordo_tree_measure(tree, size);
		for (uint32_t node = 0; node < n; node++)
			flood->first_child[node + 1] =
				flood->first_child[node] + tree->nchild[node];
		size_t begin = 0;
		for (uint32_t node = 1; node < n; node++) {
			flood->children[flood->first_child[tree->parent[node]] +
					tree->sibling[node]] = node;
			flood->begin[2 * node] = begin;
			flood->begin[2 * node + 1] = begin + size[node] * K;
			begin += n * K;
		}
	}
	free(size);
	return worked;
}

static void free_flood(struct flood *flood)
{
	free(flood->first_child);
	free(flood->children);
	free(flood->begin);
	free(flood->queue);
	free(flood->count);
	free(flood->sent);
	free(flood->ready);
	free(flood->crossings);
}

static void run(struct flood *flood)
{
	const uint32_t n = flood->load->tree->n, K = flood->load->chunks.count;
	for (uint32_t node = 0; node < n; node++)
		for (uint32_t k = 0; k < K; k++)
			pass_on(flood, node, ORDO_NONE, rank_of(flood, node) * K + k);
	while (take_step(flood))
		;
}

static void choose_stream(struct ordo_builder *b, const struct flood *flood, uint32_t node, bool up)
{
	const struct ordo_tree_load *load = flood->load;
	ordo_stream(b, up ? "up" : "down",
		load->by_child && !up ? load->tree->sibling[node] : load->stream);
}

static void gather(struct ordo_builder *b, const struct flood *flood, const struct crossing *it)
{
	const uint32_t node = it->link / 2, child = rank_of(flood, node),
		       parent = rank_of(flood, flood->load->tree->parent[node]);
	const bool up = it->link % 2 == 0;
	ordo_phase(b, "all-gather", it->step);
	choose_stream(b, flood, node, up);
	ordo_copy(b, ordo_output_of(b, up ? parent : child, it->chunk),
		ordo_held(b, up ? child : parent, it->chunk), 1);
}

/* Backwards: what went up comes down. */
static void sum(struct ordo_builder *b, const struct flood *flood, const struct crossing *it)
{
	const uint32_t node = it->link / 2, child = rank_of(flood, node),
		       parent = rank_of(flood, flood->load->tree->parent[node]);
	const bool up = it->link % 2 == 1;
	const struct ordo_slice chunk = {it->chunk, 1};
	ordo_phase(b, "reduce-scatter", flood->nstep - 1 - it->step);
	ordo_stream(b, "copy", ORDO_NONE);
	ordo_make_ready(b, up ? parent : child, chunk, false);
	choose_stream(b, flood, node, up);
	ordo_add_on(b, up ? parent : child, up ? child : parent, chunk, false);
}

bool ordo_tree_flood(struct ordo_builder *b, const struct ordo_tree_load *load, bool sums)
{
	struct flood flood = {.load = load};
	const bool worked = make_flood(&flood);
	if (worked)
		run(&flood);
	for (size_t i = 0; worked && i < flood.ncrossing && !ordo_builder_failed(b); i++)
		if (sums)
			sum(b, &flood, &flood.crossings[flood.ncrossing - 1 - i]);
		else
			gather(b, &flood, &flood.crossings[i]);
	free_flood(&flood);
	return worked;
}

uint64_t ordo_tree_most_flooded(const struct ordo_tree *tree, bool sums)
{
	uint64_t *sent = ordo_array_make(tree->n, sizeof *sent, 0), most = 0;
	uint32_t *size = ordo_array_make(tree->n, sizeof *size, 0);
	const bool worked = sent && size;
	if (worked)
		ordo_tree_measure(tree, size);
	for (uint32_t node = 1; worked && node < tree->n; node++) {
		const uint32_t below = size[node], above = tree->n - size[node];
		sent[node] += sums ? above : below;
		sent[tree->parent[node]] += sums ? below : above;
	}
	for (uint32_t node = 0; worked && node < tree->n; node++)
		most = sent[node] > most ? sent[node] : most;
	free(sent);
	free(size);
	return worked ? most : ORDO_UNCOUNTED;
}

uint64_t ordo_tree_diameter(const struct ordo_tree *tree)
{
	uint32_t *height = ordo_array_make(tree->n, sizeof *height, 0), most = 0;
	for (uint32_t i = tree->n - 1; height && i-- > 0;) {
		const uint32_t node = tree->by_level[i], parent = tree->parent[node],
			       here = height[node] + 1;
		most = height[parent] + here > most ? height[parent] + here : most;
		height[parent] = here > height[parent] ? here : height[parent];
	}
	free(height);
	return height ? most : ORDO_UNCOUNTED;
}
