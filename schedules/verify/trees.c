/* trees.c - the leaves of the reduction trees, the guarantees, and the order digest. */
#include "trees/digest.h"
#include "verifier.h"
#include <ordo/arena.h>
#include <ordo/detail/accumulate.h>
#include <stdlib.h>

/* More leaves than any machine has ranks; a bound against documents that name absurd numbers. */
#define MOST_LEAVES (1u << 24)

bool ordo_prepare_trees(struct verifier *verifier)
{
	const struct ordo_problem *problem = &verifier->schedule->problem;
	struct ordo_trees *trees = &verifier->findings.proof->trees;
	const uint32_t nleaf = ordo_ncontribution(problem);
	if (nleaf > MOST_LEAVES)
		return ordo_fail(verifier->findings.error, ORDO_UNDECIDED, 0,
			"%u contributions are added; at most %u can be followed", nleaf,
			MOST_LEAVES);
	for (uint32_t leaf = 0; leaf < nleaf; leaf++)
		if (ordo_build_leaf(trees, &verifier->tree_builder, leaf) == ORDO_NONE)
			return ordo_fail_memory(verifier->findings.error);
	return true;
}

/* Complete sums without order (accumulate.h) are one value, whichever way they were added up: the
 * tree of the first chunk stands for all. */
static bool join_trees(struct verifier *verifier)
{
	struct ordo_proof *proof = verifier->findings.proof;
	const uint32_t nchunk = ordo_nchunk(&verifier->schedule->problem);
	if (!ordo_begin_same(&proof->trees, &verifier->tree_builder))
		return ordo_fail_memory(verifier->findings.error);
	for (uint32_t chunk = 0; chunk < nchunk; chunk++)
		proof->trees.same[proof->chunk_tree[chunk]] = proof->chunk_tree[0];
	for (uint32_t i = 0; i < proof->ncopy; i++)
		proof->trees.same[proof->copies[i].tree] = proof->chunk_tree[0];
	verifier->unequal.chunk = ORDO_NONE;
	return true;
}

static bool digest_order(struct verifier *verifier)
{
	struct ordo_proof *proof = verifier->findings.proof;
	const struct ordo_trees *trees = &proof->trees;
	const struct ordo_problem *problem = &verifier->schedule->problem;
	struct order_digest digest;
	XXH128_hash_t *hashes = ordo_array_make((size_t)trees->nnode + 1, sizeof *hashes, 0);
	if (!hashes || !ordo_digest_begin(&digest, problem)) {
		free(hashes);
		return ordo_fail_memory(verifier->findings.error);
	}
	for (uint32_t i = 0; i < trees->nnode; i++) {
		const uint32_t *node = trees->nodes[i];
		hashes[i] = node[0] == ORDO_NONE ? ordo_hash_leaf(node[1])
						 : ordo_hash_sum(hashes[node[0]], hashes[node[1]]);
	}
	const uint32_t nchunk = ordo_is_order_free(problem) ? 0 : ordo_nchunk(problem);
	for (uint32_t chunk = 0; chunk < nchunk; chunk++) {
		const uint32_t *tree = &proof->chunk_tree[chunk];
		if (!chunk || ordo_same_tree(trees, tree[0]) != ordo_same_tree(trees, tree[-1]))
			ordo_digest_tree(&digest, chunk, hashes[*tree]);
	}
	ordo_digest_end(&digest, proof->digest);
	free(hashes);
	return true;
}

/* The reason why there is more than one tree, or more than one order. NULL: no memory. */

static const char *explain_ranks(struct verifier *verifier)
{
	struct ordo_arena *arena = &verifier->findings.proof->arena;
	const struct ordo_trees *trees = &verifier->findings.proof->trees;
	const char *first = ordo_tree_print(arena, trees, verifier->unequal.trees[0], 32);
	const char *second = ordo_tree_print(arena, trees, verifier->unequal.trees[1], 32);
	return first && second
		       ? ordo_arena_format(arena, "chunk %u is %s on rank %u but %s on rank %u",
				 verifier->unequal.chunk, first, verifier->unequal.ranks[0], second,
				 verifier->unequal.ranks[1])
		       : NULL;
}

static const char *explain_positions(struct verifier *verifier, uint32_t chunk)
{
	struct ordo_arena *arena = &verifier->findings.proof->arena;
	const struct ordo_proof *proof = verifier->findings.proof;
	const char *first = ordo_tree_print(arena, &proof->trees, proof->chunk_tree[0], 32);
	const char *second = ordo_tree_print(arena, &proof->trees, proof->chunk_tree[chunk], 32);
	return first && second ? ordo_arena_format(arena, "chunk 0 is %s but chunk %u is %s", first,
					 chunk, second)
			       : NULL;
}

static const char *explain_timing(struct verifier *verifier)
{
	return ordo_arena_format(&verifier->findings.proof->arena,
		"%s and %s reduce into one slot in no fixed order",
		ordo_where_is(verifier, verifier->unordered[0]).text,
		ordo_where_is(verifier, verifier->unordered[1]).text);
}

static bool count_trees(struct verifier *verifier, uint32_t *other)
{
	struct ordo_proof *proof = verifier->findings.proof;
	uint8_t *seen = calloc((size_t)proof->trees.nnode + 1, 1);
	if (!seen)
		return ordo_fail_memory(verifier->findings.error);
	for (uint32_t chunk = 0; chunk < ordo_nchunk(&verifier->schedule->problem); chunk++) {
		uint32_t tree = ordo_same_tree(&proof->trees, proof->chunk_tree[chunk]);
		if (*other == ORDO_NONE &&
			tree != ordo_same_tree(&proof->trees, proof->chunk_tree[0]))
			*other = chunk;
		proof->ndistinct += !seen[tree];
		seen[tree] = 1;
	}
	free(seen);
	return true;
}

bool ordo_verify_guarantees(struct verifier *verifier)
{
	struct ordo_proof *proof = verifier->findings.proof;
	const enum ordo_operator op = verifier->schedule->problem.op;
	const bool free_order = ordo_is_order_free(&verifier->schedule->problem);
	uint32_t other = ORDO_NONE;
	if (op == ORDO_CUSTOM && verifier->unordered[0] == ORDO_NONE)
		return ordo_verify_custom(verifier);
	if (free_order && !join_trees(verifier))
		return false;
	if (op != ORDO_CUSTOM && !count_trees(verifier, &other))
		return false;
	if (op != ORDO_CUSTOM && !ordo_operator_facts(op)->reduces)
		return digest_order(verifier);
	if (verifier->unordered[0] != ORDO_NONE && !free_order) {
		proof->run_to_run = ORDO_DOES_NOT_HOLD;
		proof->run_to_run_why = explain_timing(verifier);
		return proof->run_to_run_why ? true : ordo_fail_memory(verifier->findings.error);
	}
	bool equal = verifier->unequal.chunk == ORDO_NONE;
	proof->run_to_run = ORDO_HOLDS;
	proof->rank_equal = equal ? ORDO_HOLDS : ORDO_DOES_NOT_HOLD;
	proof->rank_equal_why = equal ? NULL : explain_ranks(verifier);
	proof->position_invariant = other == ORDO_NONE ? ORDO_HOLDS : ORDO_DOES_NOT_HOLD;
	proof->position_why = other == ORDO_NONE ? NULL : explain_positions(verifier, other);
	if ((!equal && !proof->rank_equal_why) || (other != ORDO_NONE && !proof->position_why))
		return ordo_fail_memory(verifier->findings.error);
	return !equal || digest_order(verifier);
}
