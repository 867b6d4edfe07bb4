/* two_stage.c - a sum in two stages: each side, a half of the ranks, sums its own inputs, then
 * makes its own outputs of both sums.
 *
 * Two cores act for a side each, and have in their caches what its ranks wrote and what they will
 * read. A fold of all inputs into all outputs reads half of its lines from the other core, and
 * writes half of them there. Where the proved tree is the sum of two, one of each side's inputs,
 * these two can cross in place of all that:
 *
 *   first    partial[s] = the subtree over the inputs of side s
 *   then     outputs of side s = partial[0] + partial[1]
 *
 * It is the same tree, so these are the same bits; no other tree is cut. In the second stage nobody
 * reads an input, so all of this may be in place.
 */
#include "fold.h"
#include "kernels/arithmetic.h"
#include <ordo/arena.h>
#include <stdlib.h>
#include <string.h>

/* Of so many inputs a side makes a sum; it takes as many lines that need not cross to be worth the
 * second stage. */
#define LEAST_INPUTS 4

enum { LOWER = 1, UPPER = 2, BOTH = 3 };

/* Of the inputs in a node. */
struct content {
	uint8_t sides;
	uint8_t ninput; /* at most LEAST_INPUTS: as many or more */
};

struct stager {
	struct folds *folds;
	const struct ordo_proof *proof;
	struct lowering *lowering;
	struct content *contents; /* [nnode] */
	/* Of the last fold, and of the next one. */
	struct root *roots[2]; /* [nrank + NPARTIAL] */
	uint32_t nroot;
	struct partial partials[NSIDE];
};

static const struct ordo_problem *problem_of(const struct stager *stager)
{
	return &stager->folds->layout->problem;
}

static struct content sum_of(struct content a, struct content b)
{
	const uint8_t n = a.ninput + b.ninput;
	return (struct content){a.sides | b.sides, n < LEAST_INPUTS ? n : LEAST_INPUTS};
}

static void find_contents(struct stager *stager)
{
	const struct ordo_trees *trees = &stager->proof->trees;
	struct content *contents = stager->contents;
	const uint32_t upper = ordo_first_shard(problem_of(stager), group_begin(stager->folds, 1));
	for (uint32_t i = 0; i < trees->nnode; i++) {
		const uint32_t *node = trees->nodes[i];
		contents[i] = node[0] == ORDO_NONE
				      ? (struct content){node[1] < upper ? LOWER : UPPER, 1}
				      : sum_of(contents[node[0]], contents[node[1]]);
	}
}

/* The tree of a chunk is the sum of these two, by side, and worth it. */
static bool find_partials(const struct stager *stager, uint32_t chunk, uint32_t nodes[NSIDE])
{
	const struct ordo_trees *trees = &stager->proof->trees;
	const uint32_t *root =
		trees->nodes[ordo_same_tree(trees, stager->proof->chunk_tree[chunk])];
	if (root[0] == ORDO_NONE)
		return false;
	for (int i = 0; i < NSIDE; i++) {
		const uint32_t node = ordo_same_tree(trees, root[i]);
		const struct content content = stager->contents[node];
		if (content.ninput < LEAST_INPUTS || content.sides == BOTH)
			return false;
		nodes[content.sides - 1] = node;
	}
	return true;
}

/* Ranks of a side that hold a chunk. */
struct holders {
	uint32_t first, n;
};

static struct holders find_holders(const struct stager *stager, uint32_t chunk, uint32_t side)
{
	const uint32_t lower = group_begin(stager->folds, side),
		       upper = group_begin(stager->folds, side + 1);
	uint32_t first, end;
	ordo_chunk_holders(problem_of(stager), chunk, &first, &end);
	first = first > lower ? first : lower;
	end = end < upper ? end : upper;
	return (struct holders){first, first < end ? end - first : 0};
}

/* A fold that makes the chunk for these roots, or more elements of the last fold. */
static bool append(struct stager *stager, uint32_t chunk, const struct root *roots, uint32_t nroot,
	const struct partial partials[NSIDE], struct ordo_error *error)
{
	if (stager->nroot == nroot && !memcmp(roots, stager->roots[0], nroot * sizeof *roots) &&
		!memcmp(partials, stager->partials, sizeof stager->partials) &&
		ordo_lowering_extend(stager->lowering, chunk))
		return true;
	stager->nroot = nroot;
	memcpy(stager->roots[0], roots, nroot * sizeof *roots);
	memcpy(stager->partials, partials, sizeof stager->partials);
	ordo_lowering_read_partials(stager->lowering, partials);
	return ordo_lowering_add(stager->lowering, roots, nroot, chunk, error);
}

/* A side's own sum, once for itself and once for the other side. */
static bool append_partial(
	struct stager *stager, uint32_t side, uint32_t chunk, struct ordo_error *error)
{
	const uint32_t nrank = problem_of(stager)->nrank;
	const struct partial none[NSIDE] = {{ORDO_NONE, ORDO_NONE}, {ORDO_NONE, ORDO_NONE}};
	uint32_t nodes[NSIDE];
	find_partials(stager, chunk, nodes);
	const struct root roots[] = {
		{nodes[side], nrank + side}, {nodes[side], nrank + NSIDE + side}};
	return append(stager, chunk, roots, 2, none, error);
}

/* The outputs of a side. */
static bool append_outputs(
	struct stager *stager, uint32_t side, uint32_t chunk, struct ordo_error *error)
{
	const uint32_t nrank = problem_of(stager)->nrank;
	const uint32_t tree =
		ordo_same_tree(&stager->proof->trees, stager->proof->chunk_tree[chunk]);
	const struct holders holders = find_holders(stager, chunk, side);
	uint32_t nodes[NSIDE];
	find_partials(stager, chunk, nodes);
	const struct partial partials[NSIDE] = {
		{nodes[!side], nrank + !side}, {nodes[side], nrank + NSIDE + side}};
	for (uint32_t i = 0; i < holders.n; i++)
		stager->roots[1][i] = (struct root){tree, holders.first + i};
	return append(stager, chunk, stager->roots[1], holders.n, partials, error);
}

/* What a side does in a stage: one item. */
static bool append_item(struct stager *stager, int stage, uint32_t side, struct ordo_error *error)
{
	struct folds *folds = stager->folds;
	const struct layout *layout = folds->layout;
	const uint32_t first = (uint32_t)folds->nfold;
	for (uint32_t chunk = 0; chunk < layout->nchunk; chunk++)
		if (chunk_begin(layout, chunk) < chunk_begin(layout, chunk + 1) &&
			!(stage == 0 ? append_partial : append_outputs)(stager, side, chunk, error))
			return false;
	const uint32_t nfold = (uint32_t)folds->nfold - first;
	return !nfold ||
	       ordo_folds_append_item(
		       folds, (struct item){first, nfold, 0, folds->list[first].nelement}, error);
}

/* Are all chunks such sums, and outputs of both sides? What only one side wants crosses once as it
 * is, and is there as soon as a sum of it would be. */
static bool are_two_sums(const struct stager *stager)
{
	uint32_t nodes[NSIDE];
	for (uint32_t chunk = 0; chunk < stager->folds->layout->nchunk; chunk++)
		if (!find_partials(stager, chunk, nodes) || !find_holders(stager, chunk, 0).n ||
			!find_holders(stager, chunk, 1).n)
			return false;
	return true;
}

static bool derive(struct stager *stager, struct ordo_error *error)
{
	struct folds *folds = stager->folds;
	find_contents(stager);
	if (!are_two_sums(stager))
		return true;
	for (int stage = 0; stage < 2; stage++) {
		folds->nfirst = folds->nitem;
		for (uint32_t side = 0; side < NSIDE; side++)
			if (!append_item(stager, stage, side, error))
				return false;
	}
	ordo_folds_measure(folds);
	return true;
}

bool ordo_folds_derive_two_stage(struct folds *folds, const struct layout *layout,
	const struct ordo_plan_options *options, const struct ordo_proof *proof,
	struct ordo_error *error)
{
	const struct ordo_problem *problem = &layout->problem;
	ordo_folds_begin(folds, layout, options);
	folds->ngroup = NSIDE;
	/* An accumulator is longer than the elements that would cross in place of it. */
	if (!ordo_operator_facts(problem->op)->reduces || folds->widens ||
		proof->rank_equal != ORDO_HOLDS)
		return true;
	struct stager stager = {.folds = folds, .proof = proof};
	stager.contents = malloc(((size_t)proof->trees.nnode + 1) * sizeof *stager.contents);
	for (int i = 0; i < 2; i++)
		stager.roots[i] = malloc((problem->nrank + NPARTIAL) * sizeof *stager.roots[i]);
	stager.lowering = ordo_lowering_create(folds, &proof->trees, error);
	const bool has_memory = stager.contents && stager.roots[0] && stager.roots[1];
	const bool worked =
		stager.lowering && (has_memory ? derive(&stager, error) : ordo_fail_memory(error));
	ordo_lowering_destroy(stager.lowering);
	free(stager.contents);
	free(stager.roots[0]);
	free(stager.roots[1]);
	return worked;
}
