/* cut.h - the sets of vertices that bound the time of an operator most. Private to synthesis/. */
#ifndef ORDO_SYNTHESIS_BOUND_CUT_H
#define ORDO_SYNTHESIS_BOUND_CUT_H

#include "synthesis/flow.h"
#include "synthesis/graph.h"

/* `crossing` is the bytes that must leave the set, in blocks, or in vectors where there are no
 * blocks; `units` is what leaves it. units == 0 < crossing: no schedule exists. */
struct ordo_cut_set {
	int64_t crossing, units;
	bool *inside; /* [graph->nvertex] of the caller */
};

/* Whether one cut gives a greater bound than the other. */
bool ordo_cut_greater(const struct ordo_cut_set *one, const struct ordo_cut_set *other);

/* sweep.c: the greatest bound over all sets S that hold some rank but not all. At least two ranks.
 * false: no memory. Crossing S must be the blocks of the ranks in S; the vector, if `root` is in S;
 * the blocks of the ranks outside, if `root` is in S. */
bool ordo_cut_allgather(
	const struct ordo_capacities *graph, struct ordo_cut_set *cut, struct ordo_error *error);
bool ordo_cut_broadcast(const struct ordo_capacities *graph, uint32_t root,
	struct ordo_cut_set *cut, struct ordo_error *error);
bool ordo_cut_scatter(const struct ordo_capacities *graph, uint32_t root, struct ordo_cut_set *cut,
	struct ordo_error *error);

/* The least units that leave a set of ranks with any switches, and such a set. */
struct ordo_least_cut {
	const struct ordo_capacities *graph;
	struct ordo_network network; /* a start joined to every rank */
	uint32_t *start_arcs;	     /* [nrank] */
};
/* The caller frees it, also after false: no memory. */
bool ordo_least_cut_make(struct ordo_least_cut *least, const struct ordo_capacities *graph,
	struct ordo_error *error);
void ordo_least_cut_free(struct ordo_least_cut *least);
/* set_of[rank] == set: the ranks of the set. inside: [nvertex], or NULL. -1: no memory. */
int64_t ordo_least_cut(
	struct ordo_least_cut *least, const uint32_t *set_of, uint32_t set, bool *inside);

/* alltoall.c: the greatest bound over all sets of up to 12 ranks (9 with switches), else over
 * single ranks, halves and blocks of adjacent ranks. *all: whether these are all sets. */
bool ordo_cut_alltoall(const struct ordo_capacities *graph, struct ordo_cut_set *cut, bool *all,
	struct ordo_error *error);

/* lengths.c: lengths of links; `crossing` is the sum of the shortest ways of all pairs of ranks,
 * `units` that of units times length. Filled only if the bound is greater than that of `cut` on
 * entry. lengths: [narc], set by the call, which the caller frees, also after false: no memory. */
struct ordo_cut_lengths {
	struct ordo_cut_set cut; /* without `inside` */
	uint32_t *lengths;
};
bool ordo_lengths_alltoall(const struct ordo_capacities *graph, struct ordo_cut_lengths *best,
	struct ordo_error *error);

/* even_ways.c: whether AllToAll reaches the bound of a cut, or of lengths, if the data of each pair
 * of ranks is shared evenly among all ways that are the shortest by these lengths (NULL: by links).
 * lengths: [narc]. At most 64 ranks. false: no memory. */
bool ordo_share_evenly(const struct ordo_capacities *graph, const uint32_t *lengths,
	const struct ordo_cut_set *cut, bool *reached, struct ordo_error *error);

/* partition.c: p sets of ranks, with the least units that leave them, over p - 1. set_of: [nrank],
 * numbered from 0 by the least rank in each. *exact: whether it is the least of all partitions. */
struct ordo_partition {
	int64_t units;
	uint32_t nset;
	uint32_t *set_of;
};
bool ordo_partition_find(const struct ordo_capacities *graph, struct ordo_partition *partition,
	bool *exact, struct ordo_error *error);

#endif
