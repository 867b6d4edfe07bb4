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
 *   Custom         N       rK..rK+K-1                                K slots for any chunks or sums
 *
 * Custom is a collective whose results nobody has described: every rank has a block of input and as
 * much output, no contents are required, and chunks may be added to others. Nothing is compiled for
 * it, so ORDO_NOPERATOR does not count it.
 *
 * Virtual shards (AllReduce, ReduceScatter, Reduce, V != N): rank r contributes the shards
 * first..last-1 with first = floor(rV/N), last = floor((r+1)V/N), and input slot (v-first)*M + j is
 * shard v's part of chunk j, M = the chunks of one vector. Such a problem has no in-place form.
 */
#ifndef ORDO_OPERATOR_H
#define ORDO_OPERATOR_H

#include <ordo/error.h>

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
	ORDO_CUSTOM, /* see above */
};
#define ORDO_NOPERATOR 8 /* operators with required contents: all but Custom */

enum ordo_buffer { ORDO_INPUT, ORDO_OUTPUT, ORDO_SCRATCH };
#define ORDO_NBUFFER 3

/* In which form sums are held in scratch until they are complete: see accumulate.h. */
enum ordo_accumulation {
	ORDO_ACCUMULATE_NONE, /* the type itself: every addition rounds to it */
	ORDO_ACCUMULATE_F32,
	ORDO_ACCUMULATE_EXACT,	 /* fixed point that is wide enough: nothing rounds */
	ORDO_ACCUMULATE_BINNED2, /* the two highest bins of a number, */
	ORDO_ACCUMULATE_BINNED3, /* or the three highest: no order has other bits */
};
#define ORDO_NACCUMULATION 5

/* What is to be done, without saying how. */
struct ordo_problem {
	enum ordo_operator op;
	uint32_t nrank;
	uint32_t root;		   /* rooted operators; 0 otherwise */
	uint32_t chunks_per_block; /* K >= 1 */
	uint32_t nshard;	   /* V; equal to nrank unless shards are virtual */
	bool in_place;
	enum ordo_accumulation accumulate; /* of sums; reducing operators only */
};

#endif

/* Internal functions, declared here for one release; <ordo/ordo.h> leaves them out. */
#ifndef ORDO_EMBEDDER
#include <ordo/detail/operators.h>
#include <ordo/detail/slots.h>
#endif
