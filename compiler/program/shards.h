/* shards.h - virtual shards: the subtrees of D(V) that a rank has whole, and what it folds by
 * itself.
 *
 * D(V) splits its leaves at the largest power of two below their number, and so do its subtrees:
 * they are the ranges [s, min(s + 2^k, V)) with s a multiple of 2^k. A rank's shards are a row of
 * leaves; the largest subtrees in it are its forest: one tree if V = N 2^i or N = 1, else up to
 * about 2 log2(V/N).
 */
#ifndef ORDO_COMPILER_PROGRAM_SHARDS_H
#define ORDO_COMPILER_PROGRAM_SHARDS_H

#include <ordo/builder.h>

/* The largest subtree of D(nshard) that begins at leaf `first` and ends at or before `end`; first <
 * end. */
struct ordo_slice ordo_subtree_at(uint32_t nshard, uint32_t first, uint32_t end);
/* How many trees a rank's forest has. */
uint32_t ordo_forest_size(const struct ordo_problem *problem, uint32_t rank);
/* Is V = N 2^i, or N = 1? Then every forest is one tree, and D(N) over the ranks' sums is D(V). */
bool ordo_shards_align(uint32_t nshard, uint32_t nrank);

/* Reserves the scratch that any rank's folds take, log2(V/N) - 1 vectors, and returns the first
 * slot. */
uint32_t ordo_fold_scratch(struct ordo_builder *b, const struct ordo_problem *problem);
/* The vector at `to` becomes D(leaves) of shards of that rank. spare: what ordo_fold_scratch
 * returned. */
void ordo_fold_to(struct ordo_builder *b, const struct ordo_problem *problem, struct ordo_at to,
	struct ordo_slice leaves, uint32_t spare);
/* The same at the rank's work places. */
void ordo_fold_to_work(struct ordo_builder *b, const struct ordo_problem *problem, uint32_t rank,
	struct ordo_slice leaves, uint32_t spare);

/* In stream and phase "shards": every rank's sum of all its shards gets to its work places. */
void ordo_fold_ranks(struct ordo_builder *b, const struct ordo_problem *problem);

#endif
