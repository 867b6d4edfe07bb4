/* Internal: for the command and the tests. Exported for one release; may change or go after it. */
/* slots.h - which chunk lies in which slot, for problems that pass ordo_problem_check; and what
 * size blocks have together that have each a count of its own.
 *
 * The V operators (AllToAllV, AllGatherV, ReduceScatterV, GatherV, ScatterV) are the operators that
 * they are named after, with one count of elements for each block. A schedule speaks of chunks
 * only, so it serves any counts; they appear when it is bound or predicted.
 */
#ifndef ORDO_SLOTS_H
#define ORDO_SLOTS_H

#include <ordo/operator.h>

#ifdef __cplusplus
extern "C" {
#endif

ORDO_API uint32_t ordo_nblock(const struct ordo_problem *problem);
ORDO_API uint32_t ordo_nchunk(const struct ordo_problem *problem); /* nblock * K */
ORDO_API uint32_t ordo_first_shard(
	const struct ordo_problem *problem, uint32_t rank); /* rank may be N: then V */

/* Contributions that sums may have: shards, chunks for Custom, else ranks. */
ORDO_API uint32_t ordo_ncontribution(const struct ordo_problem *problem);
ORDO_API uint32_t ordo_input_slots(const struct ordo_problem *problem, uint32_t rank);
ORDO_API uint32_t ordo_output_slots(const struct ordo_problem *problem, uint32_t rank);
/* The chunk that lies in (or must be delivered to) a slot; slot < ordo_*_slots. An output slot of
 * Custom may hold any: its place is that of the returned one. */
ORDO_API uint32_t ordo_input_chunk(
	const struct ordo_problem *problem, uint32_t rank, uint32_t slot);
ORDO_API uint32_t ordo_output_chunk(
	const struct ordo_problem *problem, uint32_t rank, uint32_t slot);
/* The slot of a chunk, or ORDO_NONE if that rank has none. Input: the slot of the rank's first
 * shard. */
ORDO_API uint32_t ordo_input_slot(
	const struct ordo_problem *problem, uint32_t rank, uint32_t chunk);
ORDO_API uint32_t ordo_output_slot(
	const struct ordo_problem *problem, uint32_t rank, uint32_t chunk);
/* The contributor whose data lies in an input slot: the shard for reducing operators, the chunk for
 * Custom, else the rank itself. */
ORDO_API uint32_t ordo_input_shard(
	const struct ordo_problem *problem, uint32_t rank, uint32_t slot);
/* Operators that do not reduce: the rank whose input holds the chunk. */
ORDO_API uint32_t ordo_chunk_source(const struct ordo_problem *problem, uint32_t chunk);
/* The ranks whose output holds a chunk: first..end-1, never none. */
ORDO_API void ordo_chunk_holders(
	const struct ordo_problem *problem, uint32_t chunk, uint32_t *first, uint32_t *end);
/* In place: the output slot that is the same memory as this input slot, or ORDO_NONE. Always
 * ORDO_NONE out of place. */
ORDO_API uint32_t ordo_in_place_output_slot(
	const struct ordo_problem *problem, uint32_t rank, uint32_t input_slot);

/* Where chunk k of a block of n elements begins, in elements; k = 0..K, chunk k is [begin(k),
 * begin(k+1)). begin(k) = min(n, A * ceil(ceil(k*n/K) / A)), A = alignment in elements >= 1. Exact
 * for every n < 2^63. */
ORDO_API uint64_t ordo_chunk_begin(uint64_t n, uint32_t K, uint32_t k, uint64_t alignment);

/* Elements of the chunks [first, first + count), of equal blocks of n elements, not aligned. */
static inline uint64_t ordo_chunks_elements(
	const struct ordo_problem *problem, uint64_t n, uint32_t first, uint32_t count)
{
	const uint32_t K = problem->chunks_per_block, end = first + count;
	return (end / K - first / K) * n + ordo_chunk_begin(n, K, end % K, 1) -
	       ordo_chunk_begin(n, K, first % K, 1);
}

/* Blocks of unequal sizes. */

/* The most elements of all blocks together: their bytes fit a size (plan_set.h), whatever the
 * type. */
#define ORDO_COUNTS_LIMIT (((uint64_t)1 << 59) - 1)

/* The size of a problem with these blocks, in elements: those of the largest buffer of any rank, or
 * of a shard. All blocks together; of AllToAll the most that any rank sends or receives.
 * block_count: [nblock]. false: all blocks together exceed ORDO_COUNTS_LIMIT. */
ORDO_API bool ordo_blocks_size(
	const struct ordo_problem *problem, const uint64_t *block_count, uint64_t *elements);

/* The same proportions at a size of at most `elements`: a block of n elements gets floor(n *
 * elements / size). So an empty block stays empty, and equal blocks are equal. Of blocks that are
 * all empty none gets any. scaled: [nblock]; may be block_count. false: a limit is exceeded. */
ORDO_API bool ordo_blocks_scale(const struct ordo_problem *problem, const uint64_t *block_count,
	uint64_t elements, uint64_t *scaled);

#ifdef __cplusplus
}
#endif
#endif
