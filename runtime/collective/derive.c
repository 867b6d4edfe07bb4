/* derive.c - derives folds from a proof: finds the ranks that hold the same tree of a chunk, and
 * merges chunks that are adjacent in every operand. */
#include "fold.h"
#include "kernels/arithmetic.h"
#include <ordo/arena.h>
#include <stdlib.h>

/* The proof's copies whose tree differs from the chunk's first one, by chunk. */
struct copies {
	uint32_t *first;	  /* [nchunk + 1] into sorted */
	struct ordo_copy *sorted; /* [ncopy] */
};

static bool sort_copies(struct copies *copies, const struct ordo_proof *proof, uint32_t nchunk,
	struct ordo_error *error)
{
	copies->first = calloc((size_t)nchunk + 2, sizeof *copies->first);
	copies->sorted = malloc(((size_t)proof->ncopy + 1) * sizeof *copies->sorted);
	if (!copies->first || !copies->sorted)
		return ordo_fail_memory(error);
	uint32_t *next = copies->first + 1;
	for (uint32_t i = 0; i < proof->ncopy; i++)
		next[proof->copies[i].chunk + 1]++;
	for (uint32_t c = 0; c < nchunk; c++)
		next[c + 1] += next[c];
	/* next[c] advances from the first copy of chunk c to the end, so first[c + 1] ends up
	 * right. */
	for (uint32_t i = 0; i < proof->ncopy; i++)
		copies->sorted[next[proof->copies[i].chunk]++] = proof->copies[i];
	return true;
}

static int compare_roots(const void *left, const void *right)
{
	const struct root *a = left, *b = right;
	if (a->tree != b->tree)
		return a->tree < b->tree ? -1 : 1;
	return (a->rank > b->rank) - (a->rank < b->rank);
}

/* Ranks [begin, end). */
struct ranks {
	uint32_t begin, end;
};

/* Lists the ranks that hold the chunk, with its tree on each. Returns how many. */
static uint32_t list_roots(const struct ordo_problem *problem, const struct ordo_proof *proof,
	const struct copies *copies, uint32_t chunk, struct ranks ranks, struct root *roots)
{
	uint32_t first, end;
	ordo_chunk_holders(problem, chunk, &first, &end);
	first = first > ranks.begin ? first : ranks.begin;
	end = end < ranks.end ? end : ranks.end;
	if (first >= end)
		return 0;
	const uint32_t usual = ordo_same_tree(&proof->trees, proof->chunk_tree[chunk]);
	for (uint32_t r = first; r < end; r++)
		roots[r - first] = (struct root){usual, r};
	bool differs = false;
	for (uint32_t i = copies->first[chunk]; i < copies->first[chunk + 1]; i++) {
		const struct ordo_copy *copy = &copies->sorted[i];
		const uint32_t tree = ordo_same_tree(&proof->trees, copy->tree);
		if (copy->rank < first || copy->rank >= end)
			continue;
		roots[copy->rank - first].tree = tree;
		differs |= tree != usual;
	}
	if (differs)
		qsort(roots, end - first, sizeof *roots, compare_roots);
	return end - first;
}

static bool are_same(const struct root *a, uint32_t na, const struct root *b, uint32_t nb)
{
	for (uint32_t i = 0; na == nb && i < na; i++)
		if (a[i].tree != b[i].tree || a[i].rank != b[i].rank)
			return false;
	return na == nb;
}

/* Appends the folds that write to these ranks. */
static bool derive_chunks(struct lowering *lowering, const struct layout *layout,
	const struct ordo_proof *proof, const struct copies *copies, struct ranks ranks,
	struct root *roots[2], struct ordo_error *error)
{
	uint32_t nbefore = 0, now = 0;
	for (uint32_t chunk = 0; chunk < layout->nchunk; chunk++) {
		if (chunk_begin(layout, chunk) == chunk_begin(layout, chunk + 1))
			continue;
		const uint32_t nroot =
			list_roots(&layout->problem, proof, copies, chunk, ranks, roots[now]);
		if (nroot &&
			!(are_same(roots[now], nroot, roots[!now], nbefore) &&
				ordo_lowering_extend(lowering, chunk)) &&
			!ordo_lowering_add(lowering, roots[now], nroot, chunk, error))
			return false;
		nbefore = nroot;
		now = !now;
	}
	return true;
}

static bool derive_groups(struct lowering *lowering, const struct folds *folds,
	const struct ordo_proof *proof, const struct copies *copies, struct root *roots[2],
	struct ordo_error *error)
{
	for (uint32_t g = 0; g < folds->ngroup; g++)
		if (!derive_chunks(lowering, folds->layout, proof, copies,
			    (struct ranks){group_begin(folds, g), group_begin(folds, g + 1)}, roots,
			    error))
			return false;
	return true;
}

void ordo_folds_begin(
	struct folds *folds, const struct layout *layout, const struct ordo_plan_options *options)
{
	folds->layout = layout;
	folds->type = options->type;
	folds->reduction = options->reduction;
	folds->widens = layout->accumulator != layout->type;
	folds->element = ordo_type_size(layout->accumulator);
	folds->fold = ordo_kernels()->fold[layout->accumulator][options->reduction];
	folds->copy = ordo_kernels()->fold[ORDO_U8][ORDO_SUM];
	/* states (accumulate.h) are not averaged */
	folds->divide =
		(unsigned)options->type < ORDO_NTYPE ? ordo_kernels()->divide[options->type] : NULL;
	folds->divisor = ordo_divisor(&layout->problem, options->reduction);
}

bool ordo_folds_derive(struct folds *folds, const struct layout *layout,
	const struct ordo_plan_options *options, const struct ordo_proof *proof, uint32_t ngroup,
	struct ordo_error *error)
{
	const uint32_t nrank = layout->problem.nrank;
	struct copies copies = {NULL, NULL};
	struct root *roots[2] = {
		malloc(nrank * sizeof *roots[0]), malloc(nrank * sizeof *roots[1])};
	ordo_folds_begin(folds, layout, options);
	folds->ngroup = ngroup ? ngroup : ordo_folds_count_groups(folds);
	struct lowering *lowering = ordo_lowering_create(folds, &proof->trees, error);
	bool worked = lowering && (roots[0] && roots[1] ? true : ordo_fail_memory(error));
	worked = worked && sort_copies(&copies, proof, layout->nchunk, error) &&
		 derive_groups(lowering, folds, proof, &copies, roots, error) &&
		 ordo_folds_partition(folds, error);
	ordo_lowering_destroy(lowering);
	free(copies.first);
	free(copies.sorted);
	free(roots[0]);
	free(roots[1]);
	return worked;
}

void ordo_folds_free(struct folds *folds)
{
	free(folds->operands);
	free(folds->steps);
	free(folds->list);
	free(folds->items);
}
