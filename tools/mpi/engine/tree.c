/* tree.c - evaluates a reduction tree, block by block, on a stack of blocks. */
#include "tree.h"
#include "call.h"
#include <ordo/arena.h>
#include <ordo/detail/accumulate.h>
#include <ordo/detail/fail.h>
#include <ordo/detail/interpreter.h>
#include <stdalign.h>
#include <stdlib.h>
#include <string.h>

/* Blocks stay in the cache of one core. */
enum { BLOCK_BYTES = 8192 };

struct writer {
	struct mpi_trees *trees;
	const struct ordo_trees *from;
	size_t room;
	bool no_memory;
};

static void push(struct writer *writer, uint32_t step)
{
	struct mpi_trees *trees = writer->trees;
	if (!ordo_array_reserve(
		    &trees->steps, &writer->room, (size_t)trees->nstep + 1, sizeof step))
		writer->no_memory = true;
	else
		trees->steps[trees->nstep++] = step;
}

/* Writes the tree of a node with an explicit stack: a chain of 10,000 ranks is as deep. A node is
 * visited twice: first its operands are scheduled, then it combines them. */
static bool write_tree(struct writer *writer, uint32_t root)
{
	const uint32_t done = UINT32_C(1) << 31; /* marks the second visit */
	uint32_t *stack = NULL;
	size_t room = 0, n = 0;
	bool worked = ordo_array_reserve(&stack, &room, 1, sizeof *stack);
	if (worked)
		stack[n++] = root;
	while (worked && n && !writer->no_memory) {
		const uint32_t top = stack[--n], node = top & ~done;
		const uint32_t *sides = writer->from->nodes[node];
		if (sides[0] == ORDO_NONE) {
			push(writer, sides[1]);
		} else if (top & done) {
			push(writer, ORDO_NONE);
		} else if ((worked = ordo_array_reserve(&stack, &room, n + 3, sizeof *stack))) {
			stack[n++] = node | done;
			stack[n++] = sides[1];
			stack[n++] = sides[0];
		}
	}
	free(stack);
	return worked && !writer->no_memory;
}

static uint32_t find_depth(const struct mpi_trees *trees)
{
	uint32_t now = 0, most = 0;
	for (uint32_t i = 0; i < trees->nstep; i++) {
		now += trees->steps[i] == ORDO_NONE ? UINT32_MAX : 1;
		most = now > most ? now : most;
	}
	return most;
}

bool ordo_mpi_tree_open(struct mpi_trees *trees, const struct ordo_trees *from, uint32_t root,
	struct ordo_error *error)
{
	struct writer writer = {.trees = trees, .from = from};
	*trees = (struct mpi_trees){0};
	if (!write_tree(&writer, root)) {
		ordo_mpi_trees_close(trees);
		return ordo_fail_memory(error);
	}
	trees->depth = find_depth(trees);
	return true;
}

bool ordo_mpi_trees_open(
	struct mpi_trees *trees, const struct ordo_proof *proof, struct ordo_error *error)
{
	if (proof->position_invariant != ORDO_HOLDS || proof->rank_equal != ORDO_HOLDS ||
		!proof->chunk_tree)
		return ordo_fail(
			error, ORDO_USAGE, 0, "the schedule has no single reduction tree (G1, G3)");
	return ordo_mpi_tree_open(trees, &proof->trees, proof->chunk_tree[0], error);
}

bool ordo_mpi_trees_named(
	struct mpi_trees *trees, enum ordo_tree_kind kind, uint32_t nrank, struct ordo_error *error)
{
	struct ordo_forest *forest = ordo_forest_create(error);
	const uint32_t root =
		forest ? ordo_forest_named(forest, (struct ordo_tree_name){kind, 0}, nrank)
		       : ORDO_NONE;
	const bool worked = root != ORDO_NONE
				    ? ordo_mpi_tree_open(trees, &forest->trees, root, error)
				    : ordo_fail_memory(error);
	ordo_forest_destroy(forest);
	return worked;
}

bool ordo_mpi_trees_copy(
	struct mpi_trees *trees, const struct mpi_trees *from, struct ordo_error *error)
{
	const size_t bytes = from->nstep * sizeof *from->steps;
	*trees = *from;
	trees->steps = malloc(bytes + 1);
	if (!trees->steps)
		return ordo_fail_memory(error);
	if (bytes)
		memcpy(trees->steps, from->steps, bytes);
	return true;
}

void ordo_mpi_trees_close(struct mpi_trees *trees)
{
	free(trees->steps);
	*trees = (struct mpi_trees){0};
}

/* A value on the stack: an input, or the block of its place. */
struct value {
	const unsigned char *at;
	unsigned char *block;
};

static int fold_block(const struct mpi_trees *trees, const struct mpi_arithmetic *arithmetic,
	const void *const *inputs, uint64_t skip, uint64_t n, struct value *stack, void *out)
{
	unsigned char *to = (unsigned char *)out + skip * arithmetic->extent;
	uint32_t top = 0;
	for (uint32_t i = 0; i < trees->nstep; i++) {
		const uint32_t step = trees->steps[i];
		if (step != ORDO_NONE) {
			stack[top++].at =
				(const unsigned char *)inputs[step] + skip * arithmetic->extent;
			continue;
		}
		struct value *left = &stack[--top - 1];
		unsigned char *dst = i + 1 == trees->nstep ? to : left->block;
		const int code =
			arithmetic->combine(arithmetic->closure, dst, left->at, stack[top].at, n);
		if (code != MPI_SUCCESS)
			return code;
		left->at = dst;
	}
	return stack[0].at == to ? MPI_SUCCESS
				 : arithmetic->copy(arithmetic->closure, to, stack[0].at, n);
}

/* Bytes of a block of the stack, with its margins. */
static uint64_t block_bytes(const struct mpi_arithmetic *arithmetic, uint64_t block)
{
	return (block * arithmetic->extent + 2 * arithmetic->margin + 63) / 64 * 64;
}

static int fold_blocks(const struct mpi_trees *trees, const struct mpi_arithmetic *arithmetic,
	const void *const *inputs, uint64_t n, uint64_t block, unsigned char *memory,
	struct value *stack, void *out)
{
	int code = MPI_SUCCESS;
	for (uint32_t i = 0; i < trees->depth; i++)
		stack[i] = (struct value){
			NULL, memory + block_bytes(arithmetic, block) * i + arithmetic->margin};
	for (uint64_t skip = 0; code == MPI_SUCCESS && skip < n; skip += block)
		code = fold_block(trees, arithmetic, inputs, skip,
			n - skip < block ? n - skip : block, stack, out);
	return code;
}

/* Sums without order, of at most SUMMED numbers: the states of all ranks, added in any order and
 * rounded once. */
enum { SUMMED = 128 };
static void sum_states(const struct mpi_trees *trees, enum ordo_type type, enum ordo_type sum,
	const void *const *inputs, uint64_t skip, size_t n, void *out)
{
	uint64_t sums[SUMMED * ORDO_MOST_STATE_WORDS], states[SUMMED * ORDO_MOST_STATE_WORDS];
	const uint64_t begin = skip * ordo_type_size(type);
	bool is_first = true;
	for (uint32_t i = 0; i < trees->nstep; i++) {
		if (trees->steps[i] == ORDO_NONE)
			continue;
		const unsigned char *input = inputs[trees->steps[i]];
		ordo_widen_elements(type, sum, is_first ? sums : states, input + begin, n);
		if (!is_first)
			ordo_reduce_elements(sum, ORDO_SUM, sums, states, n);
		is_first = false;
	}
	ordo_narrow_elements(type, sum, (unsigned char *)out + begin, sums, n);
}

enum ordo_type ordo_mpi_trees_accumulator(const struct mpi_trees *trees, enum ordo_type type)
{
	const struct ordo_problem problem = {
		.op = ORDO_ALLREDUCE, .nshard = 2, .accumulate = trees->accumulate};
	return ordo_accumulator(&problem, type);
}

static int fold_states(const struct mpi_trees *trees, const struct mpi_arithmetic *arithmetic,
	const void *const *inputs, uint64_t n, void *out)
{
	const enum ordo_type sum = ordo_mpi_trees_accumulator(trees, arithmetic->type);
	const uint64_t all = n * arithmetic->per_element;
	for (uint64_t skip = 0; skip < all; skip += SUMMED)
		sum_states(trees, arithmetic->type, sum, inputs, skip,
			all - skip < SUMMED ? (size_t)(all - skip) : SUMMED, out);
	return MPI_SUCCESS;
}

/* Of a tree of FEW ranks at most, and so many bytes: most calls are of a number or two, and take
 * longer to prepare than to add. */
enum { FEW = 16, FEW_BYTES = 64, FEW_MARGIN = 64 };
static int fold_few(const struct mpi_trees *trees, const struct mpi_arithmetic *arithmetic,
	const void *const *inputs, uint64_t n, void *out)
{
	alignas(64) unsigned char blocks[FEW][FEW_BYTES + 2 * FEW_MARGIN];
	const void *stack[FEW];
	uint32_t top = 0;
	for (uint32_t i = 0; i < trees->nstep; i++) {
		const uint32_t step = trees->steps[i];
		if (step != ORDO_NONE) {
			stack[top++] = inputs[step];
			continue;
		}
		const uint32_t left = --top - 1;
		void *dst = i + 1 == trees->nstep ? out : blocks[left] + FEW_MARGIN;
		const int code =
			arithmetic->combine(arithmetic->closure, dst, stack[left], stack[top], n);
		if (code != MPI_SUCCESS)
			return code;
		stack[left] = dst;
	}
	return MPI_SUCCESS;
}

int ordo_mpi_trees_fold(const struct mpi_trees *trees, const struct mpi_arithmetic *arithmetic,
	const void *const *inputs, uint64_t n, void *out)
{
	enum { SOME_BYTES = 4096 };
	if (trees->accumulate)
		return fold_states(trees, arithmetic, inputs, n, out);
	if (trees->nstep > 1 && trees->depth <= FEW && n <= FEW_BYTES &&
		n * arithmetic->extent <= FEW_BYTES && arithmetic->margin <= FEW_MARGIN)
		return fold_few(trees, arithmetic, inputs, n, out);
	const uint64_t fits = BLOCK_BYTES / (arithmetic->extent ? arithmetic->extent : 1),
		       most = fits ? fits : 1, block = n < most ? n : most,
		       bytes = block_bytes(arithmetic, block) * trees->depth;
	if (bytes <= SOME_BYTES && trees->depth <= FEW) {
		alignas(64) unsigned char memory[SOME_BYTES];
		struct value stack[FEW];
		return fold_blocks(trees, arithmetic, inputs, n, block, memory, stack, out);
	}
	unsigned char *memory = aligned_alloc(64, bytes + 64);
	struct value *stack = malloc((size_t)trees->depth * sizeof *stack + 1);
	const int code = memory && stack ? fold_blocks(trees, arithmetic, inputs, n, block, memory,
						   stack, out)
					 : MPI_ERR_NO_MEM;
	free(stack);
	free(memory);
	return code;
}
