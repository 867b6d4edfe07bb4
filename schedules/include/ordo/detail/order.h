/* Internal: for the command and the tests. Exported for one release; may change or go after it. */
/* order.h - the order of every sum: trees of any number of schedules, compared, named, and told
 * apart by an input.
 *
 * A proof (verify.h) says which tree each output chunk is. A forest holds the trees of as many
 * proofs as wanted, each tree once, so that comparing two trees, of one schedule or of two, is
 * comparing two numbers. Trees are compared on two levels:
 *
 *   identical   the same id: the same additions, operand for operand. Same bits, always.
 *   same        the same ordo_tree_same: equal modulo commutativity of each addition. Same bits for
 *               all inputs too, NaNs included, since a reduction whose result is a NaN gives one
 *               and the same (element.h).
 *
 * Trees that are not the same differ in a bit for some input of floats, and `ordo_tree_witness` and
 * `ordo_contradict` make one. Integers (they wrap), minima and maxima are associative: there every
 * order has the same bits.
 *
 * Leaves are shards (without virtual shards: ranks). Everything here is linear in the nodes it
 * looks at, and nothing recurses, however deep a tree is. A forest is changed by one thread at a
 * time.
 */
#ifndef ORDO_ORDER_H
#define ORDO_ORDER_H

#include <ordo/element.h>
#include <ordo/verify.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Forests. */

/* What is known of a tree without looking at its nodes. */
struct ordo_tree_facts {
	/* at most ORDO_LIMIT are told apart; every leaf once: additions = leaves - 1 */
	uint32_t leaves;
	uint32_t depth;		    /* additions on the longest way from a leaf to the root */
	uint32_t smallest, largest; /* of its leaves */
};

struct ordo_forest {
	struct ordo_trees trees;	   /* nodes and ordo_tree_same: see verify.h */
	struct ordo_tree_facts *facts;	   /* [trees.nnode] */
	struct ordo_forest_growth *growth; /* private */
};

/* An empty forest; the caller destroys it. NULL: no memory. */
ORDO_API struct ordo_forest *ordo_forest_create(struct ordo_error *error);
ORDO_API void ordo_forest_destroy(struct ordo_forest *forest); /* takes NULL */

/* The tree that is one leaf, and the tree `left op right` (left is the operand that is
 * overwritten). What was there already keeps its id. ORDO_NONE: no memory, or 2^32-2 nodes are
 * reached. */
ORDO_API uint32_t ordo_forest_leaf(struct ordo_forest *forest, uint32_t leaf);
ORDO_API uint32_t ordo_forest_add(struct ordo_forest *forest, uint32_t left, uint32_t right);

/* Brings over trees of a proof: wanted[0..nwanted), ids of `from`, become ids of the forest. Linear
 * in the nodes below them, plus a pass over all nodes of `from`. false: no memory. */
ORDO_API bool ordo_forest_bring(struct ordo_forest *forest, const struct ordo_trees *from,
	uint32_t *wanted, size_t nwanted);

/* The trees that have names, over leaves 0..nleaf-1.
 *   dyadic   split at the largest power of two below the number of leaves: ((0+1)+(2+3))+(4+5)
 *   folded   with M that power: leaf j >= M onto leaf j-M, and so on: ((0+4)+2)+((1+5)+3)
 *   linear   ((0+1)+2)+3
 *   ring     the chain r, r+1, ..., r-1 (mod nleaf), or downwards r, r-1, ..., r+1
 */
enum ordo_tree_kind {
	ORDO_UNNAMED,
	ORDO_DYADIC,
	ORDO_FOLDED,
	ORDO_LINEAR,
	ORDO_RING_UP,
	ORDO_RING_DOWN
};
#define ORDO_NTREE_KIND 6
struct ordo_tree_name {
	enum ordo_tree_kind kind;
	uint32_t from; /* rings: the leaf the chain begins with; 0 otherwise */
};

/* Makes the tree of that name (not ORDO_UNNAMED) over leaves 0..nleaf-1, nleaf >= 1. ORDO_NONE: no
 * memory. */
ORDO_API uint32_t ordo_forest_named(
	struct ordo_forest *forest, struct ordo_tree_name name, uint32_t nleaf);
/* What a tree is called: the first kind of the list above whose tree is the same (modulo
 * commutativity), over leaves 0..leaves-1. A single leaf is dyadic; 0+1 is dyadic; ((0+1)+2) is
 * dyadic; ((0+2)+1) is folded. false: no memory. */
ORDO_API bool ordo_forest_name(
	struct ordo_forest *forest, uint32_t tree, struct ordo_tree_name *name);
/* "dyadic", "ring from 3", "ring from 3 downwards", "unnamed". Returns the length like snprintf. */
ORDO_API int ordo_tree_name_print(struct ordo_tree_name name, char *out, size_t size);
/* "dyadic", "folded", "linear", "ring" (from 0), "ring from 3", "ring from 3 downwards". */
ORDO_API bool ordo_tree_name_read(const char *text, struct ordo_tree_name *name);
/* Makes the tree over leaves 0..nleaf-1 that a text stands for: a name as above, or additions,
 * "((0+4)+(2+6))+((1+5)+(3+7))", as ordo_forest_print writes them. Without parentheses they begin
 * at the left. ORDO_NONE: the text is neither (ORDO_USAGE, with the position), or no memory. */
ORDO_API uint32_t ordo_forest_read(
	struct ordo_forest *forest, const char *text, uint32_t nleaf, struct ordo_error *error);

/* Prints a tree as ordo_tree_print does, but looks at its own nodes only. NULL: no memory. */
ORDO_API char *ordo_forest_print(const struct ordo_forest *forest, struct ordo_arena *arena,
	uint32_t tree, uint32_t max_leaves);

/* Sums are made in a type of their own, the accumulator, and rounded to the type at the end:
 * `accumulator` is what ordo_accumulator (accumulate.h) says, mostly the type itself. */

/* How far a result can be from the exact one, relative to the sum of the absolute values (sum), to
 * that divided (avg) or to the result (prod): (1+u)^n (1+v)^m - 1 with u = 2^-precision of the
 * accumulator, v = 2^-precision of the type; n = the depth, and for products all additions of the
 * tree, for each rounds the whole; m = 1 where the accumulator is another type, and one more for
 * averages. Sums without order: (1 + d)(1+v)^m - 1 with d = 0 for exact ones and
 * (leaves - 1) 2^(-28(b-1)) for binned ones of b words (accumulate.h). Holds whenever nothing
 * overflows (products: nor underflows). 0 where nothing rounds: integers, minima, maxima. */
ORDO_API double ordo_error_bound(enum ordo_type type, enum ordo_type accumulator,
	enum ordo_reduction reduction, const struct ordo_tree_facts *facts);

/* Telling trees apart. */

/* Why two trees over the same leaves are not the same: three leaves of which `first` adds a and b
 * before c comes in, `second` a and c before b. */
struct ordo_witness {
	/* of the first tree: a+b; of the second: where a and b meet, which is no earlier than c
	 * came in. The leaves of node[0] are the leaves of no node of the second tree, though those
	 * of both its operands are: the smallest node that differs */
	uint32_t node[2];
	uint32_t a, b, c; /* leaves */
};

/* first and second have the same leaves, each once, and are not the same. false: no memory, or they
 * are the same or have other leaves (ORDO_USAGE). */
ORDO_API bool ordo_tree_witness(const struct ordo_forest *forest, uint32_t first, uint32_t second,
	struct ordo_witness *witness, struct ordo_error *error);

/* One element of the output of one rank. */
struct ordo_element {
	uint32_t rank, chunk;
	uint64_t offset; /* in the chunk, in elements */
};

/* An input on which two elements differ although nothing but the order of their additions does:
 * every shard's vector is `rest` in these positions, but for three shards. Both trees were
 * evaluated on it. */
struct ordo_contradiction {
	enum ordo_type type, accumulator;
	enum ordo_reduction reduction;
	struct ordo_element element[2];
	uint32_t tree[2];
	struct ordo_witness witness;
	double value[3]; /* of shards witness.a, .b, .c */
	double rest;	 /* of all others */
	double result[2];
	uint64_t bits[2]; /* of the results, as that type has them */
};

/* Finds such an input for two trees; type and reduction must not be associative. Elements are
 * copied only. false: as ordo_tree_witness, ORDO_USAGE if the reduction is associative, or
 * ORDO_UNDECIDED if none was found, as for products of f16 in f32: three factors have 33 bits, of
 * which f32 keeps 24 whatever the order. */
ORDO_API bool ordo_contradict(const struct ordo_forest *forest, enum ordo_type type,
	enum ordo_type accumulator, enum ordo_reduction reduction,
	const struct ordo_element element[2], const uint32_t tree[2],
	struct ordo_contradiction *contradiction, struct ordo_error *error);

/* Evaluates a tree in software on values[leaf], each of them rounded to the type, each addition to
 * the accumulator and the result to the type (floats only). false: no memory. */
ORDO_API bool ordo_tree_evaluate(const struct ordo_forest *forest, uint32_t tree,
	enum ordo_type type, enum ordo_type accumulator, enum ordo_reduction reduction,
	const double *values, double *result, struct ordo_error *error);
/* The bits of a value as that type (floats only) has them. */
ORDO_API uint64_t ordo_type_bits(enum ordo_type type, double value);

/* Orders. */

/* All copies (an element of the output of some rank) whose trees are the same. */
struct ordo_class {
	uint32_t tree; /* of the first of them */
	uint32_t first_chunk, first_rank;
	uint32_t nchunk;     /* chunks of which some rank has such a copy */
	uint32_t nrank;	     /* ranks that have such a copy of some chunk */
	uint64_t ncopy;	     /* pairs of chunk and rank */
	uint32_t nidentical; /* trees among them that are not identical */
};

/* The order of one proved schedule. If G2 does not hold (only with atomic reduces), no order is
 * fixed: then chunk_tree, copies, classes and chunk_class are NULL and their counts 0. */
struct ordo_order {
	struct ordo_forest *forest; /* not owned */
	struct ordo_problem problem;
	uint32_t nchunk;
	/* [nchunk] of the first rank that holds the chunk; a tree of the forest */
	uint32_t *chunk_tree;
	/* [ncopy] by chunk, then rank: copies whose tree is not identical with chunk_tree; trees of
	 * the forest. None of them: the ranks agree */
	struct ordo_copy *copies;
	uint32_t ncopy;
	/* [nclass] by first_chunk, then first_rank. One: G3 and G1 hold */
	struct ordo_class *classes;
	uint32_t nclass;
	uint32_t *chunk_class;					      /* [nchunk] of chunk_tree */
	enum ordo_verdict rank_equal, run_to_run, position_invariant; /* G1..G3, of the proof */
	/* of the proof; NULL if G2 holds */
	char *run_to_run_why;
	char digest[33]; /* of the proof; empty unless G1 and G2 hold */
};

/* Adds the trees of a proof to the forest; linear in the nodes and chunks of the proof. The proof
 * may be destroyed afterwards, the forest must outlive the order, the caller destroys the order.
 * NULL: ORDO_REFUTED if the schedule is not proved (the text names the first rule broken); or no
 * memory. For operators that add nothing the trees are leaves. */
ORDO_API struct ordo_order *ordo_order_create(struct ordo_forest *forest,
	const struct ordo_schedule *schedule, const struct ordo_proof *proof,
	struct ordo_error *error);
ORDO_API void ordo_order_destroy(struct ordo_order *order); /* takes NULL */

/* The tree of one copy. rank must hold the chunk. O(log ncopy). */
ORDO_API uint32_t ordo_order_tree(const struct ordo_order *order, uint32_t chunk, uint32_t rank);

/* Chunks of two orders that have elements in common, when both cut the same vector: chunk c of n
 * is the part [c/n, (c+1)/n) of it (with the partition rule: of every block, whatever its size;
 * compare.h has the exception). Begin with {0}; while overlap.chunk[0] < nchunk of the first
 * there is an overlap. */
struct ordo_overlap {
	uint32_t chunk[2];
};
ORDO_API void ordo_overlap_next(const struct ordo_order *first, const struct ordo_order *second,
	struct ordo_overlap *overlap);

/* Guarantees. */

enum ordo_guarantee { ORDO_G1, ORDO_G2, ORDO_G3, ORDO_G4, ORDO_G5 };
#define ORDO_NGUARANTEE 5
ORDO_API const char *ordo_guarantee_name(enum ordo_guarantee guarantee);  /* "G1" */
ORDO_API const char *ordo_guarantee_title(enum ordo_guarantee guarantee); /* "rank-equal" */
/* what holds if it holds */
ORDO_API const char *ordo_guarantee_meaning(enum ordo_guarantee guarantee);
/* "G1", "g1", "rank-equal". */
ORDO_API bool ordo_guarantee_read(const char *text, enum ordo_guarantee *guarantee);

struct ordo_judgement {
	enum ordo_verdict verdict;
	/* why it holds trivially, is refuted, or does not apply; NULL if it simply holds */
	const char *why;

	/* G1 and G3, refuted: two elements, and an input that shows it, if one was found. */
	bool contradicted;
	struct ordo_contradiction contradiction;
	const char *tree[2]; /* both trees as text, */
	/* and contradiction.witness.node, what differs first; cut to 32 leaves */
	const char *node[2];
};

/* Does a guarantee hold for that type and reduction? Texts go to the arena. G4 and G5 compare
 * schedules and are ORDO_NOT_ASKED here. false: no memory. */
ORDO_API bool ordo_judge_guarantee(const struct ordo_order *order, enum ordo_guarantee guarantee,
	enum ordo_type type, enum ordo_reduction reduction, struct ordo_arena *arena,
	struct ordo_judgement *judgement, struct ordo_error *error);
/* The same, straight from a proof (which is proved), where no order is wanted otherwise: only trees
 * that contradict each other are looked at. contradiction.tree and .witness.node mean nothing then.
 * A proof that lists no trees (symmetry.h) is believed: it has verdicts and reasons, but no
 * contradictions. */
ORDO_API bool ordo_judge_proof(const struct ordo_problem *problem, const struct ordo_proof *proof,
	enum ordo_guarantee guarantee, enum ordo_type type, enum ordo_reduction reduction,
	struct ordo_arena *arena, struct ordo_judgement *judgement, struct ordo_error *error);

#ifdef __cplusplus
}
#endif
#endif
