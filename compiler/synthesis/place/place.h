/* place.h - where a fixed tree of sums is computed, chunk by chunk. Private to compiler/. */
#ifndef ORDO_SYNTHESIS_PLACE_H
#define ORDO_SYNTHESIS_PLACE_H

#include "synthesis/graph.h"
#include <ordo/detail/order.h>

/* Nodes 0..nleaf-1 are the ranks' own values; the others are sums, children first, the last node is
 * the result. */
struct ordo_sum_tree {
	uint32_t nleaf, nnode;
	uint32_t (*children)[2]; /* [nnode] of sums */
	uint32_t *parents;	 /* [nnode]; ORDO_NONE for the last */
};
/* The caller frees it, also after false: no memory. */
bool ordo_sum_tree_make(struct ordo_sum_tree *tree, const struct ordo_forest *forest, uint32_t root,
	struct ordo_error *error);
void ordo_sum_tree_free(struct ordo_sum_tree *tree);

/* From one rank to another without a rank between: a link, or the fewest through switches. */
struct ordo_leg {
	uint32_t first, end; /* into arcs of the network; equal: there is none */
};

struct ordo_place_network {
	const struct ordo_capacities *graph;
	uint32_t nrank;
	struct ordo_leg *legs; /* [nrank][nrank] */
	uint32_t *arcs;	       /* of the graph */
	bool shares;	       /* some arcs are of several legs, as those at a switch */
	/* Chunks are better begun in their order: because streams share arcs, or chunks are so few
	 * that latencies count. */
	bool keeps_order;
	bool mixed; /* many chunks are placed like few, with additions at ranks */
	/* The time of an addition at a rank over that of a chunk on an arc of one unit, in parts of
	 * ORDO_ADDING; 0: sums cost nothing. */
	uint64_t adding;
};

enum { ORDO_ADDING = 1 << 20 };

/* The caller frees it, also after false: no memory. */
bool ordo_place_network_make(struct ordo_place_network *network,
	const struct ordo_capacities *graph, struct ordo_error *error);
void ordo_place_network_free(struct ordo_place_network *network);

/* A value goes from one rank to another, over one leg. */
struct ordo_place_hop {
	uint16_t from, to, node;
	bool result; /* the finished result on its way to a rank that has it not */
};

/* One chunk: where each sum is computed, and how its values go there. Hops of one value in order,
 * children before their parent. */
struct ordo_place_chunk {
	uint16_t target; /* where the result must be, or is sent from */
	uint16_t *at;	 /* [nnode] */
	struct ordo_place_hop *hops;
	uint32_t nhop;
	size_t room;
};

/* Times are load / (chunks * units), of a vector, and of adders load * adding / chunks. */
struct ordo_placement {
	struct ordo_place_chunk *chunks; /* [nchunk] */
	uint32_t nchunk, nnode;
	uint32_t *
		shares; /* [nchunk] how many of many chunks go like each; NULL: they are one each */
	/* time of the busiest link or adder, and what links let no placement of this tree beat: in
	 * vectors over units of the graph */
	uint64_t time[2], least[2]; /* numerator, denominator; lowest terms */
};
void ordo_placement_free(struct ordo_placement *placement);

/* How much is tried. */
struct ordo_place_effort {
	uint32_t passes;    /* how often every chunk is placed anew, at most */
	uint32_t exchanges; /* how many chunks on the fullest links are then, at most */
};

/* What is to be placed. */
struct ordo_place_problem {
	const struct ordo_place_network *network;
	const struct ordo_sum_tree *tree;
	uint32_t nchunk;
	/* the result goes from chunk i's root to all ranks, and the root is free; otherwise the
	 * result of chunk i is wanted at rank i % nrank */
	bool spreads;
	/* numerator, denominator: what no order can beat, in the units of `time`; a placement that
	 * reaches it is the last that is looked at */
	uint64_t bound[2];
	struct ordo_place_effort effort;
	const struct ordo_placement *few; /* ways that are to be mixed, as mix.h does; NULL */
};

/* Places the tree. The caller frees it, also after false: no memory, or a rank that another cannot
 * reach. */
bool ordo_place(struct ordo_placement *placement, const struct ordo_place_problem *problem,
	struct ordo_error *error);
/* false: no memory. */
bool ordo_placement_copy(struct ordo_placement *to, const struct ordo_placement *from);

/* Whether a time is no more than what links, or additions that all ranks share, let no order
 * beat. */
bool ordo_place_reaches(
	const struct ordo_place_network *network, const uint64_t bound[2], const uint64_t time[2]);

/* The time of the busiest link if nchunk chunks are placed as these, in turn. false: no memory. */
bool ordo_placement_time(const struct ordo_placement *placement,
	const struct ordo_place_network *network, uint32_t nchunk, uint64_t time[2]);

/* a < b of fractions. */
bool ordo_fraction_less(const uint64_t a[2], const uint64_t b[2]);

#endif
