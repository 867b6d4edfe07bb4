/* orders.c - the guarantees and the order digest, of all chunks on all ranks, from what rank 0
 * has. */
#include "quotient.h"
#include "trees/digest.h"
#include "trees/tree_builder.h"
#include <ordo/arena.h>
#include <stdlib.h>
#include <string.h>

/* Nodes hashed for the digest, each for all ranks, at 10 ns each: half an hour. */
#define MOST_HASHES (UINT64_C(1) << 37)

static bool is_same(struct value a, struct value b)
{
	return a.node == b.node && a.by == b.by;
}

/* The tree of a chunk, of the first rank that holds it. */
static bool list_values(struct quotient *q)
{
	const uint32_t nchunk = ordo_nchunk(q->problem), K = q->problem->chunks_per_block;
	q->chunk_values = malloc(((size_t)nchunk + 1) * sizeof *q->chunk_values);
	if (!q->chunk_values)
		return ordo_fail_memory(q->findings.error);
	for (uint32_t chunk = 0; chunk < nchunk; chunk++)
		q->chunk_values[chunk] =
			q->problem->op == ORDO_ALLREDUCE
				? q->memory.cells[chunk].value
				: ordo_shift_value(&q->memory.forest,
					  q->memory.cells[chunk % K].value, chunk / K);
	return true;
}

/* AllReduce: rank r has for a chunk what rank 0 has for the chunk that r takes there, relabelled by
 * r. All ranks have the same if those have that generate the group; if not, the first rank that
 * differs is found. */
static bool differs(struct quotient *q, uint32_t rank)
{
	const struct shift back =
		ordo_shift_of(q->group, &q->symmetry->chunks, ordo_symmetry_negate(q->group, rank));
	for (uint32_t chunk = 0; chunk < ordo_nchunk(q->problem); chunk++) {
		const struct value value = ordo_shift_value(
			&q->memory.forest, q->chunk_values[shift_chunk(&back, chunk)], rank);
		if (is_same(value, q->chunk_values[chunk]))
			continue;
		q->unequal.chunk = chunk;
		q->unequal.rank = rank;
		q->unequal.value = value;
		return true;
	}
	return false;
}

static void compare_ranks(struct quotient *q)
{
	bool equal = true;
	q->unequal.chunk = ORDO_NONE;
	if (q->problem->op != ORDO_ALLREDUCE)
		return;
	for (uint32_t d = 0, stride = 1; equal && d < q->group->ndigit;
		stride *= q->group->radix[d++])
		equal = !differs(q, stride);
	for (uint32_t rank = 1; !equal && !differs(q, rank); rank++)
		continue;
}

/* Nodes that some chunk's tree has. */
static uint8_t *mark_nodes(const struct quotient *q)
{
	uint8_t *marks = calloc((size_t)q->memory.forest.nnode + 1, 1);
	for (uint32_t chunk = 0; marks && chunk < ordo_nchunk(q->problem); chunk++)
		marks[q->chunk_values[chunk].node] = 2;
	for (uint32_t i = q->memory.forest.nnode; marks && i-- > 1;)
		if (marks[i]) {
			marks[q->memory.forest.nodes[i].left] |= 1;
			marks[q->memory.forest.nodes[i].right] |= 1;
		}
	return marks;
}

/* hashes[node][r]: the name of the node's tree, relabelled by r. Nodes come after those they are
 * made of; an array is given back after its last use, so a chain keeps two of them, not as many as
 * it is long. */
struct hashing {
	XXH128_hash_t **hashes; /* [nnode] */
	uint32_t *last_use;	/* [nnode] */
};

static bool hash_node(const struct quotient *q, struct hashing *hashing, uint32_t i)
{
	const struct tree_node *node = &q->memory.forest.nodes[i];
	const uint32_t nrank = q->group->order;
	XXH128_hash_t *names = hashing->hashes[i] = malloc((size_t)nrank * sizeof *names);
	for (uint32_t r = 0; names && r < nrank; r++)
		names[r] = i == LEAF ? ordo_hash_leaf(r)
				     : ordo_hash_sum(hashing->hashes[node->left][r],
					       hashing->hashes[node->right][group_add(
						       q->group, r, node->shift)]);
	return names;
}

static void give_back(struct hashing *hashing, uint32_t node, uint32_t user)
{
	if (hashing->last_use[node] != user)
		return;
	free(hashing->hashes[node]);
	hashing->hashes[node] = NULL;
}

static bool hash_nodes(const struct quotient *q, struct hashing *hashing, const uint8_t *marks)
{
	const struct tree_node *nodes = q->memory.forest.nodes;
	uint64_t nhash = 0;
	for (uint32_t i = 0; i < q->memory.forest.nnode; i++) {
		nhash += marks[i] ? q->group->order : 0;
		hashing->last_use[i] = marks[i] & 2 ? ORDO_NONE : i;
		if (i == LEAF || !marks[i])
			continue;
		if (!(marks[nodes[i].left] & 2))
			hashing->last_use[nodes[i].left] = i;
		if (!(marks[nodes[i].right] & 2))
			hashing->last_use[nodes[i].right] = i;
	}
	if (nhash > MOST_HASHES)
		return ordo_fail(q->findings.error, ORDO_UNDECIDED, 0,
			"the trees have %llu nodes in all; at most %llu are hashed",
			(unsigned long long)nhash, (unsigned long long)MOST_HASHES);
	for (uint32_t i = 0; i < q->memory.forest.nnode; i++) {
		if (!marks[i])
			continue;
		if (q->options->progress && !(i & 0xff))
			q->options->progress(
				q->options->closure, "digesting", i, q->memory.forest.nnode);
		if (!hash_node(q, hashing, i))
			return ordo_fail_memory(q->findings.error);
		if (i == LEAF)
			continue;
		give_back(hashing, nodes[i].left, i);
		if (nodes[i].left != nodes[i].right)
			give_back(hashing, nodes[i].right, i);
	}
	return true;
}

/* Nothing is added: a chunk's tree is the rank it comes from. */
static bool digest_sources(struct quotient *q, struct order_digest *digest)
{
	uint32_t before = ORDO_NONE;
	for (uint32_t chunk = 0; chunk < digest->nchunk; chunk++) {
		const uint32_t source = ordo_chunk_source(q->problem, chunk);
		if (source != before)
			ordo_digest_tree(digest, chunk, ordo_hash_leaf(source));
		before = source;
	}
	return true;
}

static bool digest_values(struct quotient *q, struct order_digest *digest)
{
	const size_t nnode = (size_t)q->memory.forest.nnode + 1;
	struct hashing hashing = {
		calloc(nnode, sizeof *hashing.hashes), malloc(nnode * sizeof(uint32_t))};
	uint8_t *marks = mark_nodes(q);
	bool worked = hashing.hashes && hashing.last_use && marks
			      ? hash_nodes(q, &hashing, marks)
			      : ordo_fail_memory(q->findings.error);
	for (uint32_t chunk = 0; worked && chunk < digest->nchunk; chunk++) {
		const struct value value = q->chunk_values[chunk];
		if (!chunk || !is_same(value, q->chunk_values[chunk - 1]))
			ordo_digest_tree(digest, chunk, hashing.hashes[value.node][value.by]);
	}
	for (uint32_t i = 0; hashing.hashes && i < q->memory.forest.nnode; i++)
		free(hashing.hashes[i]);
	free(hashing.hashes);
	free(hashing.last_use);
	free(marks);
	return worked;
}

static bool digest_order(struct quotient *q)
{
	struct order_digest digest;
	if (!ordo_digest_begin(&digest, q->problem))
		return ordo_fail_memory(q->findings.error);
	const bool worked =
		q->chunk_values ? digest_values(q, &digest) : digest_sources(q, &digest);
	ordo_digest_end(&digest, q->findings.proof->digest);
	return worked;
}

/* Writing trees out. */

/* The tree as its own nodes: operands first, without recursion. NULL: no memory. */
static const char *print_value(struct quotient *q, struct value value)
{
	struct ordo_trees trees = {0};
	struct ordo_tree_builder builder = {0};
	const uint32_t nrank = q->group->order;
	/* A node to be visited, or (node ORDO_NONE) two that are done to be added. */
	struct value *stack = malloc((2 * (size_t)nrank + 2) * sizeof *stack);
	uint32_t *done = malloc(((size_t)nrank + 1) * sizeof *done), depth = 0, ndone = 0;
	bool worked = stack && done;
	if (worked)
		stack[depth++] = value;
	while (worked && depth) {
		const struct value top = stack[--depth];
		uint32_t tree;
		if (top.node == ORDO_NONE) {
			ndone -= 2;
			tree = ordo_build_tree(&trees, &builder, done[ndone], done[ndone + 1]);
		} else if (top.node == LEAF) {
			tree = ordo_build_leaf(&trees, &builder, top.by);
		} else {
			const struct tree_node *node = &q->memory.forest.nodes[top.node];
			stack[depth++] = (struct value){ORDO_NONE, 0};
			stack[depth++] = (struct value){
				node->right, group_add(q->group, top.by, node->shift)};
			stack[depth++] = (struct value){node->left, top.by};
			continue;
		}
		worked = tree != ORDO_NONE;
		done[ndone++] = tree;
	}
	const char *text =
		worked ? ordo_tree_print(&q->findings.proof->arena, &trees, done[0], 32) : NULL;
	ordo_tree_builder_free(&builder);
	free(trees.nodes);
	free(trees.same);
	free(stack);
	free(done);
	return text;
}

static const char *explain_ranks(struct quotient *q)
{
	const char *first = print_value(q, q->chunk_values[q->unequal.chunk]),
		   *second = print_value(q, q->unequal.value);
	return first && second ? ordo_arena_format(&q->findings.proof->arena,
					 "chunk %u is %s on rank 0 but %s on rank %u",
					 q->unequal.chunk, first, second, q->unequal.rank)
			       : NULL;
}

static const char *explain_positions(struct quotient *q, uint32_t chunk)
{
	const char *first = print_value(q, q->chunk_values[0]),
		   *second = print_value(q, q->chunk_values[chunk]);
	return first && second ? ordo_arena_format(&q->findings.proof->arena,
					 "chunk 0 is %s but chunk %u is %s", first, chunk, second)
			       : NULL;
}

/* How many trees there are, and the first chunk whose tree is not that of chunk 0. */
static bool count_trees(struct quotient *q, uint32_t *other)
{
	struct ordo_map seen = {0};
	bool worked = true;
	for (uint32_t chunk = 0; worked && chunk < ordo_nchunk(q->problem); chunk++) {
		const struct value value = q->chunk_values[chunk];
		if (*other == ORDO_NONE && !is_same(value, q->chunk_values[0]))
			*other = chunk;
		if (chunk && is_same(value, q->chunk_values[chunk - 1]))
			continue;
		if (ordo_map_get(&seen, value.node, value.by) == ORDO_NONE) {
			worked = ordo_map_put(&seen, value.node, value.by, 0);
			q->findings.proof->ndistinct++;
		}
	}
	ordo_map_free(&seen);
	return worked ? true : ordo_fail_memory(q->findings.error);
}

bool ordo_quotient_verify_orders(struct quotient *q)
{
	struct ordo_proof *proof = q->findings.proof;
	uint32_t other = ORDO_NONE;
	if (!ordo_operator_facts(q->problem->op)->reduces) {
		proof->ndistinct = q->group->order;
		return digest_order(q);
	}
	if (!list_values(q) || !count_trees(q, &other))
		return false;
	compare_ranks(q);
	const bool equal = q->unequal.chunk == ORDO_NONE;
	proof->run_to_run = ORDO_HOLDS;
	proof->rank_equal = equal ? ORDO_HOLDS : ORDO_DOES_NOT_HOLD;
	proof->rank_equal_why = equal ? NULL : explain_ranks(q);
	proof->position_invariant = other == ORDO_NONE ? ORDO_HOLDS : ORDO_DOES_NOT_HOLD;
	proof->position_why = other == ORDO_NONE ? NULL : explain_positions(q, other);
	if ((!equal && !proof->rank_equal_why) || (other != ORDO_NONE && !proof->position_why))
		return ordo_fail_memory(q->findings.error);
	return !equal || digest_order(q);
}
