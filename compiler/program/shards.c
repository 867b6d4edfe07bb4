/* shards.c - what a rank that has several shards folds by itself. */
#include "shards.h"

/* The largest power of two below n; n > 1. */
static uint32_t split(uint32_t n)
{
	uint32_t half = 1;
	while (half < n - half)
		half *= 2;
	return half;
}

struct ordo_slice ordo_subtree_at(uint32_t nshard, uint32_t first, uint32_t end)
{
	struct ordo_slice largest = {first, 1};
	for (uint64_t size = 2; first % size == 0 && size / 2 < nshard; size *= 2) {
		const uint64_t last = first + size < nshard ? first + size : nshard;
		if (last > end)
			break;
		largest.count = (uint32_t)(last - first);
	}
	return largest;
}

uint32_t ordo_forest_size(const struct ordo_problem *problem, uint32_t rank)
{
	const uint32_t end = ordo_first_shard(problem, rank + 1);
	uint32_t count = 0;
	for (uint32_t shard = ordo_first_shard(problem, rank); shard < end; count++)
		shard += ordo_subtree_at(problem->nshard, shard, end).count;
	return count;
}

bool ordo_shards_align(uint32_t nshard, uint32_t nrank)
{
	const uint32_t each = nshard / nrank;
	return nrank == 1 || (nshard % nrank == 0 && !(each & (each - 1)));
}

/* T(n) = max(T(left), 1 + T(right)), where a leaf and a pair take nothing: floor(log2 n) - 1, as
 * right <= left. */
static uint32_t fold_depth(uint32_t n)
{
	uint32_t depth = 0;
	for (; n >= 4; n /= 2)
		depth++;
	return depth;
}

uint32_t ordo_fold_scratch(struct ordo_builder *b, const struct ordo_problem *problem)
{
	const uint32_t most = (problem->nshard - 1) / problem->nrank + 1;
	const uint64_t slots = (uint64_t)fold_depth(most) * ordo_nchunk(problem);
	if (slots <= ORDO_LIMIT)
		return ordo_scratch(b, (uint32_t)slots);
	ordo_builder_fail(
		b, "folding %u shards takes more scratch slots than %u", most, ORDO_LIMIT);
	return 0;
}

/* One rank's fold, for some of the chunks. */
struct fold {
	struct ordo_builder *b;
	const struct ordo_problem *problem;
	uint32_t rank, spare;
	struct ordo_slice chunks;
};

static struct ordo_at input_at(const struct fold *fold, uint32_t shard)
{
	return ordo_shard_of(fold->b, fold->rank, shard, fold->chunks.first);
}

static struct ordo_at spare_at(const struct fold *fold, uint32_t depth)
{
	return ordo_at(fold->rank, ORDO_SCRATCH,
		fold->spare + depth * ordo_nchunk(fold->problem) + fold->chunks.first);
}

/* The leaves to the right are folded beside those to the left, and added to them. The recursion is
 * log2 of their number deep. */
static void fold_into(
	const struct fold *fold, struct ordo_at to, struct ordo_slice leaves, uint32_t depth)
{
	if (ordo_builder_failed(fold->b))
		return;
	if (leaves.count == 1) {
		ordo_copy(fold->b, to, input_at(fold, leaves.first), fold->chunks.count);
		return;
	}
	const uint32_t half = split(leaves.count);
	const struct ordo_slice left = {leaves.first, half},
				right = {leaves.first + half, leaves.count - half};
	fold_into(fold, to, left, depth);
	if (right.count > 1)
		fold_into(fold, spare_at(fold, depth), right, depth + 1);
	ordo_builder_reduce(fold->b, to,
		right.count > 1 ? spare_at(fold, depth) : input_at(fold, right.first),
		fold->chunks.count);
}

void ordo_fold_to(struct ordo_builder *b, const struct ordo_problem *problem, struct ordo_at to,
	struct ordo_slice leaves, uint32_t spare)
{
	const struct fold fold = {b, problem, to.rank, spare, {0, ordo_nchunk(problem)}};
	fold_into(&fold, to, leaves, 0);
}

/* How many chunks have their work places one behind the other. */
static uint32_t count_together(struct ordo_builder *b, uint32_t rank, uint32_t first, uint32_t end)
{
	const struct ordo_at at = ordo_work(b, rank, first);
	uint32_t count = 1;
	for (; first + count < end; count++) {
		const struct ordo_at next = ordo_work(b, rank, first + count);
		if (next.buffer != at.buffer || next.slot != at.slot + count)
			break;
	}
	return count;
}

void ordo_fold_to_work(struct ordo_builder *b, const struct ordo_problem *problem, uint32_t rank,
	struct ordo_slice leaves, uint32_t spare)
{
	struct fold fold = {b, problem, rank, spare, {0, 0}};
	for (const uint32_t end = ordo_nchunk(problem); fold.chunks.first < end;
		fold.chunks.first += fold.chunks.count) {
		fold.chunks.count = count_together(b, rank, fold.chunks.first, end);
		fold_into(&fold, ordo_work(b, rank, fold.chunks.first), leaves, 0);
	}
}

void ordo_fold_ranks(struct ordo_builder *b, const struct ordo_problem *problem)
{
	const uint32_t spare = ordo_fold_scratch(b, problem);
	ordo_stream(b, "shards", ORDO_NONE);
	ordo_phase(b, "reduce shards", ORDO_NONE);
	for (uint32_t rank = 0; rank < problem->nrank; rank++) {
		const uint32_t first = ordo_first_shard(problem, rank),
			       end = ordo_first_shard(problem, rank + 1);
		ordo_fold_to_work(b, problem, rank, (struct ordo_slice){first, end - first}, spare);
	}
}
