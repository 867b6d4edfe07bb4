/* trees.c - binomial, binary, k-nomial and k-ary trees, and moves along them. */
#include "trees.h"
#include "algorithms/direct/places.h"
#include <ordo/arena.h>

bool ordo_tree_reserve(
	struct ordo_resolved_request *request, struct ordo_tree *tree, uint32_t nlevel)
{
	const uint32_t n = request->problem.nrank;
	tree->n = n;
	tree->nlevel = nlevel;
	tree->parent = ordo_arena_alloc(&request->arena, n * sizeof *tree->parent);
	tree->nchild = ordo_arena_alloc(&request->arena, n * sizeof *tree->nchild);
	tree->sibling = ordo_arena_alloc(&request->arena, n * sizeof *tree->sibling);
	tree->depth = ordo_arena_alloc(&request->arena, n * sizeof *tree->depth);
	tree->by_level = ordo_arena_alloc(&request->arena, n * sizeof *tree->by_level);
	tree->level_begin =
		ordo_arena_alloc(&request->arena, ((size_t)nlevel + 2) * sizeof *tree->level_begin);
	return tree->parent && tree->nchild && tree->sibling && tree->depth && tree->by_level &&
	       tree->level_begin;
}

void ordo_tree_sort(struct ordo_tree *tree, const uint32_t *level)
{
	uint32_t *begin = tree->level_begin;
	for (uint32_t node = 1; node < tree->n; node++)
		begin[level[node] + 1]++;
	for (uint32_t l = 1; l <= tree->nlevel; l++)
		begin[l + 1] += begin[l];
	for (uint32_t node = 1; node < tree->n; node++)
		tree->by_level[begin[level[node]]++] = node;
	for (uint32_t l = tree->nlevel; l > 0; l--)
		begin[l] = l > 1 ? begin[l - 1] : 0;
	for (uint32_t i = 0; i + 1 < tree->n; i++) {
		const uint32_t node = tree->by_level[i], parent = tree->parent[node];
		tree->sibling[node] = tree->nchild[parent]++;
		tree->depth[node] = tree->depth[parent] + 1;
	}
}

static uint32_t lowest_bit(uint32_t x)
{
	return x & (0u - x);
}

bool ordo_tree_make_binomial(struct ordo_resolved_request *request, struct ordo_tree *tree)
{
	const uint32_t n = request->problem.nrank;
	uint32_t *level = ordo_arena_alloc(&request->arena, n * sizeof *level), q = 0;
	while ((uint64_t)1 << q < n)
		q++;
	if (!level || !ordo_tree_reserve(request, tree, q))
		return false;
	for (uint32_t node = 1; node < n; node++) {
		tree->parent[node] = node - lowest_bit(node);
		level[node] = q;
		for (uint32_t bit = 1; !(node & bit); bit *= 2)
			level[node]--;
	}
	ordo_tree_sort(tree, level);
	return true;
}

bool ordo_tree_make_k_nomial(
	struct ordo_resolved_request *request, struct ordo_tree *tree, uint32_t radix)
{
	const uint32_t n = request->problem.nrank;
	uint32_t *level = ordo_arena_alloc(&request->arena, n * sizeof *level), ndigit = 0;
	for (uint64_t power = 1; power < n; power *= radix)
		ndigit++;
	if (!level || !ordo_tree_reserve(request, tree, ndigit))
		return false;
	for (uint32_t node = 1; node < n; node++) {
		uint64_t unit = 1;
		for (level[node] = ndigit; node / unit % radix == 0; unit *= radix)
			level[node]--;
		tree->parent[node] = node - (uint32_t)(node / unit % radix * unit);
	}
	ordo_tree_sort(tree, level);
	return true;
}

bool ordo_tree_make_k_ary(
	struct ordo_resolved_request *request, struct ordo_tree *tree, uint32_t radix)
{
	const uint32_t n = request->problem.nrank;
	uint32_t *level = ordo_arena_alloc(&request->arena, n * sizeof *level);
	if (!level)
		return false;
	for (uint32_t node = 1; node < n; node++)
		level[node] = level[(node - 1) / radix] + 1;
	if (!ordo_tree_reserve(request, tree, level[n - 1]))
		return false;
	for (uint32_t node = 1; node < n; node++)
		tree->parent[node] = (node - 1) / radix;
	ordo_tree_sort(tree, level);
	return true;
}

/* In the binary tree in order over 1..last: one bit up, or, if that is beyond the end, straight up
 * to the left. 0 for the top. */
static uint32_t parent_in_order(uint32_t node, uint32_t last)
{
	const uint32_t bit = lowest_bit(node);
	const uint64_t up = (node ^ bit) | (uint64_t)bit << 1;
	return up <= last ? (uint32_t)up : node ^ bit;
}

/* Where node i of the first binary tree stands in the other one; the root stays. */
static uint32_t elsewhere(uint32_t i, uint32_t last)
{
	if (i == 0)
		return 0;
	return last % 2 ? i % last + 1 : last + 1 - i;
}

bool ordo_tree_make_binary(
	struct ordo_resolved_request *request, struct ordo_tree *tree, bool other)
{
	const uint32_t n = request->problem.nrank, last = n - 1;
	uint32_t *level = ordo_arena_alloc(&request->arena, n * sizeof *level), deepest = 0;
	if (!level)
		return false;
	for (uint32_t node = 1; node < n; node++) {
		const uint32_t at = other ? elsewhere(node, last) : node;
		for (uint32_t up = node; up; up = parent_in_order(up, last))
			level[at]++;
		deepest = level[at] > deepest ? level[at] : deepest;
	}
	if (!ordo_tree_reserve(request, tree, deepest))
		return false;
	for (uint32_t node = 1; node < n; node++) {
		const uint32_t parent = parent_in_order(node, last);
		tree->parent[other ? elsewhere(node, last) : node] =
			other ? elsewhere(parent, last) : parent;
	}
	ordo_tree_sort(tree, level);
	return true;
}

static uint32_t rank_of(const struct ordo_tree_load *load, uint32_t node)
{
	return (uint32_t)(((uint64_t)load->root + node) % load->tree->n);
}

static uint32_t count_units(const struct ordo_tree_load *load)
{
	return load->chunks.count / load->unit + (load->chunks.count % load->unit > 0);
}

static struct ordo_slice unit_of(const struct ordo_tree_load *load, uint32_t i)
{
	const uint32_t begin = i * load->unit, left = load->chunks.count - begin;
	return (struct ordo_slice){
		load->chunks.first + begin, left < load->unit ? left : load->unit};
}

static void sum_level(struct ordo_builder *b, const struct ordo_tree_load *load, uint32_t level,
	struct ordo_slice unit)
{
	const struct ordo_tree *tree = load->tree;
	const uint32_t begin = tree->level_begin[level], end = tree->level_begin[level + 1];
	ordo_stream(b, "copy", ORDO_NONE);
	for (uint32_t i = begin; i < end; i++)
		ordo_make_ready(b, rank_of(load, tree->parent[tree->by_level[i]]), unit, false);
	ordo_stream(b, "up", load->stream);
	for (uint32_t i = begin; i < end; i++) {
		const uint32_t node = tree->by_level[i];
		ordo_add_on(b, rank_of(load, tree->parent[node]), rank_of(load, node), unit, true);
	}
}

void ordo_tree_sum(struct ordo_builder *b, const struct ordo_tree_load *load)
{
	const uint32_t nunit = count_units(load), nlevel = load->tree->nlevel;
	for (uint32_t step = 0;
		nunit && nlevel && step < nunit + nlevel - 1 && !ordo_builder_failed(b); step++) {
		ordo_phase(b, "reduce", step);
		for (uint32_t i = step < nlevel ? 0 : step - nlevel + 1; i < nunit && i <= step;
			i++)
			sum_level(b, load, nlevel - (step - i), unit_of(load, i));
	}
}

static void pass_to(struct ordo_builder *b, const struct ordo_tree_load *load, uint32_t node,
	struct ordo_slice unit, bool summed)
{
	const struct ordo_tree *tree = load->tree;
	ordo_stream(b, "down", load->by_child ? tree->sibling[node] : load->stream);
	ordo_pass_on(
		b, rank_of(load, node), rank_of(load, tree->parent[node]), unit, summed, false);
}

void ordo_tree_spread(struct ordo_builder *b, const struct ordo_tree_load *load, bool summed)
{
	const struct ordo_tree *tree = load->tree;
	const uint32_t nunit = count_units(load), nlevel = tree->nlevel;
	for (uint32_t step = 0;
		nunit && nlevel && step < nunit + nlevel - 1 && !ordo_builder_failed(b); step++) {
		ordo_phase(b, "broadcast", step);
		for (uint32_t i = step < nlevel ? 0 : step - nlevel + 1; i < nunit && i <= step;
			i++) {
			const uint32_t level = step - i + 1;
			for (uint32_t k = tree->level_begin[level];
				k < tree->level_begin[level + 1]; k++)
				pass_to(b, load, tree->by_level[k], unit_of(load, i), summed);
		}
	}
}

struct ordo_tree_load ordo_tree_whole(const struct ordo_resolved_request *request)
{
	const uint32_t K = request->problem.chunks_per_block;
	return (struct ordo_tree_load){
		.tree = request->prepared,
		.root = request->problem.root,
		.chunks = {0, K},
		.unit = K,
		.stream = ORDO_NONE,
	};
}

void ordo_tree_build(
	struct ordo_builder *b, enum ordo_operator op, const struct ordo_tree_load *load)
{
	if (op != ORDO_BROADCAST)
		ordo_tree_sum(b, load);
	if (op != ORDO_REDUCE)
		ordo_tree_spread(b, load, op == ORDO_ALLREDUCE);
}

static uint32_t height_of(const struct ordo_tree *tree)
{
	uint32_t most = 0;
	for (uint32_t node = 1; node < tree->n; node++)
		most = tree->depth[node] > most ? tree->depth[node] : most;
	return most;
}

uint64_t ordo_tree_steps(enum ordo_operator op, const struct ordo_tree_load *load)
{
	const uint64_t height = load->chunks.count ? height_of(load->tree) : 0;
	return op == ORDO_ALLREDUCE ? 2 * height : height;
}

uint64_t ordo_tree_sent(enum ordo_operator op, const struct ordo_tree_load *load, uint32_t rank)
{
	const uint32_t n = load->tree->n, node = (uint32_t)(((uint64_t)rank + n - load->root) % n);
	const uint64_t up = op != ORDO_BROADCAST && node,
		       down = op != ORDO_REDUCE ? load->tree->nchild[node] : 0;
	return (up + down) * load->chunks.count;
}
