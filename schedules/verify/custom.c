/* custom.c - what can be decided of Custom, whose results nobody has described: G1 to G3 between
 * the sums that are left in output slots, and the order digest. */
#include "trees/digest.h"
#include "verifier.h"
#include <ordo/arena.h>
#include <stdlib.h>
#include <string.h>

/* What is known of a tree. The 128 bits of a set are the sum of those of its leaves. */
struct tree_facts {
	XXH128_hash_t tree, by_rank;	   /* the tree; with ranks in place of chunks */
	XXH128_hash_t chunks, chunk_ranks; /* its leaves; their ranks */
	uint32_t leaves;		   /* at most ORDO_LIMIT + 1 */
};

/* A sum in an output slot. */
struct output {
	const struct tree_facts *facts;
	uint32_t rank, slot, tree;
};

struct custom {
	struct verifier *verifier;
	struct tree_facts *facts; /* [nnode] */
	struct output *outputs;	  /* that hold sums */
	size_t noutput;
};

static XXH128_hash_t join_sets(XXH128_hash_t left, XXH128_hash_t right)
{
	const uint64_t low = left.low64 + right.low64;
	return (XXH128_hash_t){low, left.high64 + right.high64 + (low < left.low64)};
}

static bool find_facts(struct custom *custom)
{
	const struct ordo_trees *trees = &custom->verifier->findings.proof->trees;
	const uint32_t K = custom->verifier->schedule->problem.chunks_per_block;
	for (uint32_t i = 0; i < trees->nnode; i++) {
		const uint32_t *node = trees->nodes[i];
		struct tree_facts *facts = &custom->facts[i];
		if (node[0] == ORDO_NONE) {
			const XXH128_hash_t chunk = ordo_hash_leaf(node[1]),
					    rank = ordo_hash_leaf(node[1] / K);
			*facts = (struct tree_facts){chunk, rank, chunk, rank, 1};
			continue;
		}
		const struct tree_facts *left = &custom->facts[node[0]],
					*right = &custom->facts[node[1]];
		const uint64_t leaves = (uint64_t)left->leaves + right->leaves;
		*facts = (struct tree_facts){ordo_hash_sum(left->tree, right->tree),
			ordo_hash_sum(left->by_rank, right->by_rank),
			join_sets(left->chunks, right->chunks),
			join_sets(left->chunk_ranks, right->chunk_ranks),
			leaves > ORDO_LIMIT ? ORDO_LIMIT + 1 : (uint32_t)leaves};
		if (leaves > ORDO_LIMIT)
			return ordo_fail(custom->verifier->findings.error, ORDO_UNDECIDED, 0,
				"a sum has more than %u contributions", ORDO_LIMIT);
	}
	return true;
}

/* Fills the outputs and the digest: what each output slot holds, or that nothing is written. */
static bool take_outputs(struct custom *custom)
{
	const struct ordo_problem *problem = &custom->verifier->schedule->problem;
	struct ordo_proof *proof = custom->verifier->findings.proof;
	const uint32_t K = problem->chunks_per_block;
	struct order_digest digest;
	uint8_t *seen = calloc((size_t)proof->trees.nnode + 1, 1);
	if (!seen || !ordo_digest_begin(&digest, problem)) {
		free(seen);
		return ordo_fail_memory(custom->verifier->findings.error);
	}
	for (uint32_t place = 0; place < ordo_nchunk(problem); place++) {
		const uint32_t rank = place / K, slot = place % K,
			       tree = ordo_output_tree(custom->verifier, rank, slot);
		if (tree == ORDO_NONE) {
			ordo_digest_tree(&digest, place, (XXH128_hash_t){0, 0});
			continue;
		}
		const uint32_t same = ordo_same_tree(&proof->trees, tree);
		proof->ndistinct += !seen[same];
		seen[same] = 1;
		ordo_digest_tree(&digest, place, custom->facts[tree].tree);
		if (custom->facts[tree].leaves > 1)
			custom->outputs[custom->noutput++] =
				(struct output){&custom->facts[tree], rank, slot, tree};
	}
	ordo_digest_end(&digest, proof->digest);
	free(seen);
	return true;
}

/* By the set of chunks, or of ranks, then by place. */
static int compare_places(const struct output *left, const struct output *right)
{
	if (left->rank != right->rank)
		return left->rank < right->rank ? -1 : 1;
	return left->slot < right->slot ? -1 : left->slot > right->slot;
}

static int compare_chunks(const void *a, const void *b)
{
	const struct output *left = a, *right = b;
	const int order = XXH128_cmp(&left->facts->chunks, &right->facts->chunks);
	return order ? order : compare_places(left, right);
}

static int compare_ranks(const void *a, const void *b)
{
	const struct output *left = a, *right = b;
	const int order = XXH128_cmp(&left->facts->chunk_ranks, &right->facts->chunk_ranks);
	return order ? order : compare_places(left, right);
}

/* Two sums over one set in different orders. `by_rank`: over the chunks of the same ranks. NULL
 * with found false: there are none. */
static const char *find_difference(struct custom *custom, bool by_rank, bool *found)
{
	struct ordo_proof *proof = custom->verifier->findings.proof;
	qsort(custom->outputs, custom->noutput, sizeof *custom->outputs,
		by_rank ? compare_ranks : compare_chunks);
	*found = false;
	for (size_t i = 1; i < custom->noutput; i++) {
		const struct output *one = &custom->outputs[i - 1], *other = &custom->outputs[i];
		const struct tree_facts *a = one->facts, *b = other->facts;
		if (by_rank ? !XXH128_isEqual(a->chunk_ranks, b->chunk_ranks) ||
					XXH128_isEqual(a->by_rank, b->by_rank)
			    : !XXH128_isEqual(a->chunks, b->chunks) ||
					XXH128_isEqual(a->tree, b->tree))
			continue;
		*found = true;
		const char *first = ordo_tree_print(&proof->arena, &proof->trees, one->tree, 32);
		const char *second = ordo_tree_print(&proof->arena, &proof->trees, other->tree, 32);
		return first && second
			       ? ordo_arena_format(&proof->arena,
					 "output slot %u of rank %u is %s but output slot %u of "
					 "rank %u is %s",
					 one->slot, one->rank, first, other->slot, other->rank,
					 second)
			       : NULL;
	}
	return NULL;
}

static bool decide(
	struct custom *custom, bool by_rank, enum ordo_verdict *verdict, const char **why)
{
	bool found;
	*why = find_difference(custom, by_rank, &found);
	*verdict = found ? ORDO_DOES_NOT_HOLD : ORDO_HOLDS;
	return !found || *why ? true : ordo_fail_memory(custom->verifier->findings.error);
}

static bool decide_all(struct custom *custom)
{
	struct ordo_proof *proof = custom->verifier->findings.proof;
	const struct ordo_problem *problem = &custom->verifier->schedule->problem;
	custom->facts = ordo_array_make((size_t)proof->trees.nnode + 1, sizeof *custom->facts, 0);
	custom->outputs =
		ordo_array_make((size_t)ordo_nchunk(problem) + 1, sizeof *custom->outputs, 0);
	if (!custom->facts || !custom->outputs)
		return ordo_fail_memory(custom->verifier->findings.error);
	if (!find_facts(custom) || !take_outputs(custom))
		return false;
	if (!custom->noutput)
		return true;
	proof->run_to_run = ORDO_HOLDS;
	return decide(custom, false, &proof->rank_equal, &proof->rank_equal_why) &&
	       decide(custom, true, &proof->position_invariant, &proof->position_why);
}

bool ordo_verify_custom(struct verifier *verifier)
{
	struct custom custom = {.verifier = verifier};
	const bool worked = decide_all(&custom);
	free(custom.facts);
	free(custom.outputs);
	return worked;
}
