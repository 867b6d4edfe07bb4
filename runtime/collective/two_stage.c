/* two_stage.c - sums in two stages: each side, one half of the ranks, sums its own inputs, then
 * computes its own outputs from both sums.
 *
 * Two cores act for one side each, and their caches hold the data of its ranks. A fold of all
 * inputs into all outputs reads half of its lines from the other core, and writes half of them
 * there. If the proved tree is the sum of two subtrees, one over the inputs of each side, only
 * these two partial sums need to cross:
 *
 *   first    partial[s] = the subtree over the inputs of side s
 *   then     outputs of side s = partial[0] + partial[1]
 *
 * The tree is unchanged, so the bits are too; other trees are not split. The second stage reads no
 * input, so calls may be in place.
 */
#include "fold.h"
#include "kernels/arithmetic.h"
#include <ordo/arena.h>
#include <stdlib.h>
#include <string.h>

/* Fewest inputs that a side must sum: with fewer, too few lines are saved from crossing to pay for
 * the second stage. */
#define MIN_INPUTS 4

enum { LOWER = 1, UPPER = 2, BOTH = 3 };

/* The inputs below a node. */
struct content {
	uint8_t sides;
	uint8_t ninput; /* saturates at MIN_INPUTS */
};

struct staging {
	struct folds *folds;
	const struct ordo_proof *proof;
	struct lowering *lowering;
	struct content *contents; /* [nnode] */
	/* of the last fold, and of the next one */
	struct root *roots[2]; /* [nrank + NPARTIAL] */
	uint32_t nroot;
	struct partial partials[NSIDE];
};

static const struct ordo_problem *problem_of(const struct staging *staging)
{
	return &staging->folds->layout->problem;
}

static struct content sum_of(struct content a, struct content b)
{
	const uint8_t n = a.ninput + b.ninput;
	return (struct content){a.sides | b.sides, n < MIN_INPUTS ? n : MIN_INPUTS};
}

static void find_contents(struct staging *staging)
{
	const struct ordo_trees *trees = &staging->proof->trees;
	struct content *contents = staging->contents;
	const uint32_t upper =
		ordo_first_shard(problem_of(staging), group_begin(staging->folds, 1));
	for (uint32_t i = 0; i < trees->nnode; i++) {
		const uint32_t *node = trees->nodes[i];
		contents[i] = node[0] == ORDO_NONE
				      ? (struct content){node[1] < upper ? LOWER : UPPER, 1}
				      : sum_of(contents[node[0]], contents[node[1]]);
	}
}

/* Whether the tree of a chunk is the sum of two subtrees, one per side (`nodes`), with enough
 * inputs each. */
static bool find_partials(const struct staging *staging, uint32_t chunk, uint32_t nodes[NSIDE])
{
	const struct ordo_trees *trees = &staging->proof->trees;
	const uint32_t *root =
		trees->nodes[ordo_same_tree(trees, staging->proof->chunk_tree[chunk])];
	if (root[0] == ORDO_NONE)
		return false;
	for (int i = 0; i < NSIDE; i++) {
		const uint32_t node = ordo_same_tree(trees, root[i]);
		const struct content content = staging->contents[node];
		if (content.ninput < MIN_INPUTS || content.sides == BOTH)
			return false;
		nodes[content.sides - 1] = node;
	}
	return true;
}

/* The ranks of a side that hold a chunk. */
struct holders {
	uint32_t first, n;
};

static struct holders find_holders(const struct staging *staging, uint32_t chunk, uint32_t side)
{
	const uint32_t lower = group_begin(staging->folds, side),
		       upper = group_begin(staging->folds, side + 1);
	uint32_t first, end;
	ordo_chunk_holders(problem_of(staging), chunk, &first, &end);
	first = first > lower ? first : lower;
	end = end < upper ? end : upper;
	return (struct holders){first, first < end ? end - first : 0};
}

/* Extends the last fold by the chunk, or appends a fold that computes it for these roots. */
static bool append(struct staging *staging, uint32_t chunk, const struct root *roots,
	uint32_t nroot, const struct partial partials[NSIDE], struct ordo_error *error)
{
	if (staging->nroot == nroot && !memcmp(roots, staging->roots[0], nroot * sizeof *roots) &&
		!memcmp(partials, staging->partials, sizeof staging->partials) &&
		ordo_lowering_extend(staging->lowering, chunk))
		return true;
	staging->nroot = nroot;
	memcpy(staging->roots[0], roots, nroot * sizeof *roots);
	memcpy(staging->partials, partials, sizeof staging->partials);
	ordo_lowering_read_partials(staging->lowering, partials);
	return ordo_lowering_add(staging->lowering, roots, nroot, chunk, error);
}

/* Appends a side's partial sum, stored once for itself and once for the other side. */
static bool append_partial(
	struct staging *staging, uint32_t side, uint32_t chunk, struct ordo_error *error)
{
	const uint32_t nrank = problem_of(staging)->nrank;
	const struct partial none[NSIDE] = {{ORDO_NONE, ORDO_NONE}, {ORDO_NONE, ORDO_NONE}};
	uint32_t nodes[NSIDE];
	find_partials(staging, chunk, nodes);
	const struct root roots[] = {
		{nodes[side], nrank + side}, {nodes[side], nrank + NSIDE + side}};
	return append(staging, chunk, roots, 2, none, error);
}

/* Appends the outputs of a side. */
static bool append_outputs(
	struct staging *staging, uint32_t side, uint32_t chunk, struct ordo_error *error)
{
	const uint32_t nrank = problem_of(staging)->nrank;
	const uint32_t tree =
		ordo_same_tree(&staging->proof->trees, staging->proof->chunk_tree[chunk]);
	const struct holders holders = find_holders(staging, chunk, side);
	uint32_t nodes[NSIDE];
	find_partials(staging, chunk, nodes);
	const struct partial partials[NSIDE] = {
		{nodes[!side], nrank + !side}, {nodes[side], nrank + NSIDE + side}};
	for (uint32_t i = 0; i < holders.n; i++)
		staging->roots[1][i] = (struct root){tree, holders.first + i};
	return append(staging, chunk, staging->roots[1], holders.n, partials, error);
}

/* Appends the work of a side in a stage, as one item. */
static bool append_item(struct staging *staging, int stage, uint32_t side, struct ordo_error *error)
{
	struct folds *folds = staging->folds;
	const struct layout *layout = folds->layout;
	const uint32_t first = (uint32_t)folds->nfold;
	for (uint32_t chunk = 0; chunk < layout->nchunk; chunk++)
		if (chunk_begin(layout, chunk) < chunk_begin(layout, chunk + 1) &&
			!(stage == 0 ? append_partial : append_outputs)(
				staging, side, chunk, error))
			return false;
	const uint32_t nfold = (uint32_t)folds->nfold - first;
	return !nfold ||
	       ordo_folds_append_item(
		       folds, (struct item){first, nfold, 0, folds->list[first].nelement}, error);
}

/* Whether all chunks are such sums, and outputs of both sides. Inputs for outputs on one side only
 * cross once anyway, as soon as a partial sum would. */
static bool are_two_sums(const struct staging *staging)
{
	uint32_t nodes[NSIDE];
	for (uint32_t chunk = 0; chunk < staging->folds->layout->nchunk; chunk++)
		if (!find_partials(staging, chunk, nodes) || !find_holders(staging, chunk, 0).n ||
			!find_holders(staging, chunk, 1).n)
			return false;
	return true;
}

static bool derive(struct staging *staging, struct ordo_error *error)
{
	struct folds *folds = staging->folds;
	find_contents(staging);
	if (!are_two_sums(staging))
		return true;
	for (int stage = 0; stage < 2; stage++) {
		folds->nfirst = folds->nitem;
		for (uint32_t side = 0; side < NSIDE; side++)
			if (!append_item(staging, stage, side, error))
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
	/* A widened partial sum is longer than the elements it replaces. */
	if (!ordo_operator_facts(problem->op)->reduces || folds->widens ||
		proof->rank_equal != ORDO_HOLDS)
		return true;
	struct staging staging = {.folds = folds, .proof = proof};
	staging.contents = malloc(((size_t)proof->trees.nnode + 1) * sizeof *staging.contents);
	for (int i = 0; i < 2; i++)
		staging.roots[i] = malloc((problem->nrank + NPARTIAL) * sizeof *staging.roots[i]);
	staging.lowering = ordo_lowering_create(folds, &proof->trees, error);
	const bool has_memory = staging.contents && staging.roots[0] && staging.roots[1];
	const bool worked = staging.lowering &&
			    (has_memory ? derive(&staging, error) : ordo_fail_memory(error));
	ordo_lowering_destroy(staging.lowering);
	free(staging.contents);
	free(staging.roots[0]);
	free(staging.roots[1]);
	return worked;
}
