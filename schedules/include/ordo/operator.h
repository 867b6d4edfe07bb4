/* operator.h - what each collective operator means: which chunk lies in which slot, and what it
 * must hold at the end.
 *
 * An operator moves blocks; a block is cut into K = chunks_per_block chunks with global ids. Input
 * and output slots of a rank count from 0 in ascending chunk order (AllToAll: see the table). N =
 * nrank, V = nshard.
 *
 *   operator       blocks  input slots of rank r                     output slots of rank r
 *   AllReduce      1       all                                       all
 *   Reduce         1       all                                       all at the root, none
 *                  elsewhere
 *   Broadcast      1       all at the root, none elsewhere           all
 *   ReduceScatter  N       all                                       rK..rK+K-1
 *   AllGather      N       rK..rK+K-1                                all
 *   Scatter        N       all at the root, none elsewhere           rK..rK+K-1
 *   Gather         N       rK..rK+K-1                                all at the root, none
 *                  elsewhere
 *   AllToAll       N*N     slot jK+k holds chunk (rN+j)K+k           slot iK+k holds chunk
 *                  (iN+r)K+k
 *
 * Virtual shards (AllReduce, ReduceScatter, Reduce, V != N): rank r contributes the shards
 * first..last-1 with first = floor(rV/N), last = floor((r+1)V/N), and input slot (v-first)*M + j is
 * shard v's part of chunk j, M = the chunks of one vector. Such a problem has no in-place form.
 */
#ifndef ORDO_OPERATOR_H
#define ORDO_OPERATOR_H

#include <ordo/error.h>

#ifdef __cplusplus
extern "C" {
#endif

/* "No such thing": a chunk, slot, rank, phase or name that is not there. */
#define ORDO_NONE UINT32_MAX
/* Every rank, chunk id, slot, count and signal is at most this. */
#define ORDO_LIMIT 0x7fffffffu

enum ordo_operator {
	ORDO_ALLREDUCE,
	ORDO_REDUCE,
	ORDO_BROADCAST,
	ORDO_REDUCESCATTER,
	ORDO_ALLGATHER,
	ORDO_SCATTER,
	ORDO_GATHER,
	ORDO_ALLTOALL,
};
#define ORDO_NOPERATOR 8

enum ordo_buffer { ORDO_INPUT, ORDO_OUTPUT, ORDO_SCRATCH };
#define ORDO_NBUFFER 3

/* What is to be done, without saying how. */
struct ordo_problem {
	enum ordo_operator op;
	uint32_t nrank;
	uint32_t root;		   /* rooted operators; 0 otherwise */
	uint32_t chunks_per_block; /* K >= 1 */
	uint32_t nshard;	   /* V; equal to nrank unless shards are virtual */
	bool in_place;
	bool accumulate_f32; /* reducing operators: scratch holds f32, see accumulate.h */
};

struct ordo_operator_facts {
	const char *name; /* "AllReduce", as in documents */
	bool reduces;	  /* outputs are sums over shards */
	bool rooted;
	bool has_in_place;
	const char *meaning; /* one line */
};

ORDO_API const struct ordo_operator_facts *ordo_operator_facts(enum ordo_operator op);
/* Exact document name ("AllReduce") -> operator. */
ORDO_API bool ordo_operator_from_name(const char *name, enum ordo_operator *op);
/* As people type it: case, hyphens and underscores do not count ("all-reduce", "ALLREDUCE"). */
ORDO_API bool ordo_operator_from_typed(const char *name, enum ordo_operator *op);
/* "input", "output", "scratch". */
ORDO_API const char *ordo_buffer_name(enum ordo_buffer buffer);

/* Checks ranges: nrank, K, V >= 1, root < nrank, everything within ORDO_LIMIT, in_place only where
 * it exists, V != N and accumulate_f32 only for reducing operators. Fails with R1. All functions
 * below expect a problem that passed. */
ORDO_API bool ordo_problem_check(const struct ordo_problem *problem, struct ordo_error *error);

ORDO_API uint32_t ordo_nblock(const struct ordo_problem *problem);
ORDO_API uint32_t ordo_nchunk(const struct ordo_problem *problem); /* nblock * K */
ORDO_API uint32_t ordo_first_shard(
	const struct ordo_problem *problem, uint32_t rank); /* rank may be N: then V */

ORDO_API uint32_t ordo_input_slots(const struct ordo_problem *problem, uint32_t rank);
ORDO_API uint32_t ordo_output_slots(const struct ordo_problem *problem, uint32_t rank);
/* The chunk that lies in (or must be delivered to) a slot; slot < ordo_*_slots. */
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
/* The contributor whose data lies in an input slot: the shard for reducing operators, else the rank
 * itself.
 */
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

#ifdef __cplusplus
}
#endif
#endif
