/* trees.h - sums up a tree and copies down a tree, chunk after chunk. */
#ifndef ORDO_COMPILER_ALGORITHMS_TREE_TREES_H
#define ORDO_COMPILER_ALGORITHMS_TREE_TREES_H

#include "algorithm.h"

/* Nodes 0..n-1; node 0 is the root, node i is rank (root + i) mod n. */
struct ordo_tree {
	uint32_t n, nlevel;    /* levels 1..nlevel; the root is in none */
	uint32_t *parent;      /* [n] parent[0] = 0 */
	uint32_t *nchild;      /* [n] */
	uint32_t *sibling;     /* [n] a node's number among the children of its parent */
	uint32_t *depth;       /* [n] links to the root */
	uint32_t *by_level;    /* [n-1] the nodes but the root, level after level */
	uint32_t *level_begin; /* [nlevel+2] where a level begins in by_level */
};

/* From request->arena. false: no memory. */

/* Makes room for n nodes; the caller writes parents. */
bool ordo_tree_reserve(
	struct ordo_resolved_request *request, struct ordo_tree *tree, uint32_t nlevel);
/* Fills the rest, from parents and levels. level: [n] of nodes 1..n-1, 1..nlevel, above that of the
 * parent */
void ordo_tree_sort(struct ordo_tree *tree, const uint32_t *level);

/* The parent of a node is the node without its lowest bit; its level is the step in which it
 * receives from the parent. */
bool ordo_tree_make_binomial(struct ordo_resolved_request *request, struct ordo_tree *tree);
/* The parent of a node is the node without its lowest digit other than 0, in base `radix` (2:
 * binomial). */
bool ordo_tree_make_k_nomial(
	struct ordo_resolved_request *request, struct ordo_tree *tree, uint32_t radix);
/* The children of node i are radix*i + 1 .. radix*i + radix. */
bool ordo_tree_make_k_ary(
	struct ordo_resolved_request *request, struct ordo_tree *tree, uint32_t radix);
/* A binary tree in order over the nodes but the root, whose top hangs on the root: leaves have odd
 * numbers. The other one of the pair is mirrored (n odd) or shifted by one (n even), so that inner
 * nodes are leaves of the first: each node sends half of the data at most twice. */
bool ordo_tree_make_binary(
	struct ordo_resolved_request *request, struct ordo_tree *tree, bool other);

/* spanning.c: breadth-first along the links of the topology, switches included, between ranks that
 * are joined both ways; its level is a node's depth. From the operator's root, or, where it has
 * none, from a rank in the middle, in *root. false: no memory, or the links do not join all ranks;
 * the error says which. Without a topology every rank is next to the root. */
bool ordo_tree_make_spanning(struct ordo_resolved_request *request, struct ordo_tree *tree,
	uint32_t *root, struct ordo_error *error);

/* What goes through a tree: `chunks` of the only block, `unit` of them at once, each unit a step
 * behind the one before; in streams `up` and `down` with that number. */
struct ordo_tree_load {
	const struct ordo_tree *tree;
	uint32_t root; /* rank */
	struct ordo_slice chunks;
	uint32_t unit, stream;
	bool by_child; /* a stream `down` for each child of a rank, instead of that number */
};
/* The whole vector of a request through the tree that it prepared, in one unit. */
struct ordo_tree_load ordo_tree_whole(const struct ordo_resolved_request *request);
void ordo_tree_sum(struct ordo_builder *b, const struct ordo_tree_load *load);
/* summed: after ordo_tree_sum. */
void ordo_tree_spread(struct ordo_builder *b, const struct ordo_tree_load *load, bool summed);
/* Both, or one of them: AllReduce, Reduce, Broadcast. */
void ordo_tree_build(
	struct ordo_builder *b, enum ordo_operator op, const struct ordo_tree_load *load);

/* Every rank's block to the root (Gather: up), or from it (Scatter). chunks: those of one block.
 * false: no memory. */
bool ordo_tree_move_blocks(struct ordo_builder *b, const struct ordo_tree_load *load, bool up);
/* How many blocks the busiest rank sends then. ORDO_UNCOUNTED: no memory. */
uint64_t ordo_tree_most_blocks(const struct ordo_tree *tree, bool up);

/* How many nodes hang together at each: size[n]. */
void ordo_tree_measure(const struct ordo_tree *tree, uint32_t *size);

/* all_blocks.c: every rank's block to all others (AllGather), or the sums of every block to its
 * rank (ReduceScatter). chunks: those of one block. false: no memory. */
bool ordo_tree_flood(struct ordo_builder *b, const struct ordo_tree_load *load, bool sums);
/* How many blocks the busiest rank sends then, and how many links the longest way has.
 * ORDO_UNCOUNTED: no memory. */
uint64_t ordo_tree_most_flooded(const struct ordo_tree *tree, bool sums);
uint64_t ordo_tree_diameter(const struct ordo_tree *tree);

/* The claims for one tree and operator: the longest chain, and what a rank sends. */
uint64_t ordo_tree_steps(enum ordo_operator op, const struct ordo_tree_load *load);
uint64_t ordo_tree_sent(enum ordo_operator op, const struct ordo_tree_load *load, uint32_t rank);

#endif
