/* verify.h - the judge: does a schedule do what its operator means, in every interleaving?
 *
 * It reads only the schedule (as read from its document) and the meaning of the operator; it knows
 * no compiler and no algorithm. Rules R1..R13 are listed in schedules/FORMAT.md; why one run proves
 * all is written in schedules/verify/verify.c.
 */
#ifndef ORDO_VERIFY_H
#define ORDO_VERIFY_H

#include <ordo/document.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Tokens in flight: every call adds to them. */
#define ORDO_UNBOUNDED UINT32_MAX

/* R13: limits asked for; 0 = not limited. */
struct ordo_limits {
	uint32_t streams;	/* per rank */
	uint32_t scratch_slots; /* per rank */
	uint32_t signals;	/* a rank takes part in, notifying or waiting */
	/* per signal, in any interleaving of any number of calls; 1 = flags that are set and
	 * cleared */
	uint32_t tokens_in_flight;
};

struct ordo_verify_options {
	const struct ordo_topology *topology; /* R12; NULL: every rank reaches every other */
	/* ranks pass on what is not for them: R12 asks for links that lead there */
	bool through_ranks;
	/* unordered reduces into one slot are sound, but refute G2 where sums have an order */
	bool atomic_reduce;
	struct ordo_limits limits;
	/* stop looking after that many, except for a deadlock; 0 = 16 */
	uint32_t max_findings;
	ordo_progress *progress;
	void *closure;
	/* tokens are counted over at most so many calls back to back; 0 = any number of calls */
	uint32_t token_calls;
};

/* One broken rule, with its witness. */
struct ordo_finding {
	int rule;
	uint32_t ntask;
	/* R7: the whole cycle, each waiting for the next; R8, R9: the two accesses; others: the
	 * task, if there is one */
	const uint32_t *tasks;
	const char *text; /* what, found, wanted; may have several lines */
	const char *hint; /* may be NULL */
};

enum ordo_verdict {
	ORDO_HOLDS,
	ORDO_DOES_NOT_HOLD,
	ORDO_NOT_ASKED,	    /* the operator adds nothing, or it was not reached */
	ORDO_NOT_APPLICABLE /* of judgements (detail/order.h): the operator adds nothing */
};

/* The reduction trees, hash-consed: identical trees, operand for operand, have one id. A node is a
 * leaf (left == ORDO_NONE, right = shard), or left + right as dst + src were added, both less than
 * the node's own id. */
struct ordo_trees {
	uint32_t (*nodes)[2];
	uint32_t *same; /* [nnode] see ordo_same_tree; NULL: every node stands for itself */
	uint32_t nnode;
};

/* The node that stands for all trees that are equal modulo commutativity of each addition: two
 * trees are equal in this sense if the result is the same for both.
 *
 *   trees   of one proof
 *   tree    a node, less than trees->nnode */
static inline uint32_t ordo_same_tree(const struct ordo_trees *trees, uint32_t tree)
{
	return trees->same ? trees->same[tree] : tree;
}

/* A rank's copy of a chunk. */
struct ordo_copy {
	uint32_t chunk, rank, tree;
};

struct ordo_proof {
	/* no finding. Of Custom R11 was not checked: see contents_unjudged */
	bool proved;
	struct ordo_finding *findings;
	uint32_t nfinding;
	/* every rule was looked at: R1..R6 and R12 broken keep the others from being asked */
	bool complete;

	/* Measures. */
	uint32_t nsignal, nmove;
	/* Largest over all signals, and all interleavings of any number of calls; ORDO_UNBOUNDED if
	 * it grows with every call; 0 if not known. With a limit: of limit + 1 calls, which decide
	 * it. */
	uint32_t tokens_in_flight;
	/* pairs asked for; those that needed the exact sweep */
	uint64_t order_questions, order_swept;

	/* Orders, when proved; see design section 7. */
	enum ordo_verdict rank_equal, run_to_run, position_invariant; /* G1, G2, G3 */
	const char *rank_equal_why, *run_to_run_why,
		*position_why; /* the witness if it does not hold; else NULL */
	/* two reduces in no fixed order, so that G2 does not hold, unless sums have no order
	 * (accumulate.h); else ORDO_NONE */
	uint32_t unordered[2];
	struct ordo_trees trees;
	/* [nchunk] tree of each chunk (of the first rank that holds it); NULL unless proved, and
	 * for Custom */
	uint32_t *chunk_tree;
	/* [ncopy] by rank, then chunk: those that are not identical with chunk_tree */
	struct ordo_copy *copies;
	uint32_t ncopy;
	uint32_t ndistinct; /* different trees among chunk_tree, modulo commutativity of each add */
	/* The order digest; empty unless proved. Equal digests: bit-interchangeable
	 * (detail/compare.h says when ReduceScatter for other numbers of ranks is not). */
	char digest[33];

	struct ordo_arena arena; /* private */

	/* The operator is Custom: what the outputs hold at the end (R11) was not judged. */
	bool contents_unjudged;
};

/* Proves that a schedule does what its operator means, in every interleaving, or finds what is
 * wrong.
 *
 *   schedule   must outlive the proof
 *   options    NULL: {0}, all rules but R12 and R13
 *   error      filled if the result is NULL; may be NULL
 *
 * Returns a proof that the caller destroys; proof->proved is the answer. A refuted schedule is a
 * proof with findings, not an error. NULL: no memory, or more than ordo_set_memory_limit allows
 * (ORDO_ENVIRONMENT). Any number of threads may verify at the same time, also the same schedule.
 * How one execution proves all: schedules/verify/verify.c. */
ORDO_API struct ordo_proof *ordo_verify(const struct ordo_schedule *schedule,
	const struct ordo_verify_options *options, struct ordo_error *error);

/* Frees a proof, with its findings, trees and texts.
 *
 *   proof   NULL: nothing is done */
ORDO_API void ordo_proof_destroy(struct ordo_proof *proof);

/* Makes an error of a finding, for printing: its text, hint and rule, and the place of its first
 * task if the schedule was read from a document.
 *
 *   schedule   that was verified
 *   finding    of its proof
 *   error      filled, with the code ORDO_REFUTED; NULL: nothing is done */
ORDO_API void ordo_finding_error(const struct ordo_schedule *schedule,
	const struct ordo_finding *finding, struct ordo_error *error);

/* Prints a reduction tree as text, `((0+1)+(2+3))`, children in the order of their smallest
 * leaf.
 *
 *   arena        owns the text; free it with ordo_arena_free. One thread at a time
 *   trees        of a proof: &proof->trees
 *   tree         a node of them, such as proof->chunk_tree[chunk]
 *   max_leaves   a larger tree is cut at a depth that keeps this many ends: `[4..7]` is some sum of
 *                the leaves 4 to 7, `...` of others
 *
 * Returns the text. NULL: no memory. */
ORDO_API char *ordo_tree_print(struct ordo_arena *arena, const struct ordo_trees *trees,
	uint32_t tree, uint32_t max_leaves);

/* The calls above pass the size of the options that they are compiled with, so that options can
 * grow (version.h). */
ORDO_API struct ordo_proof *ordo_verify_sized(size_t size, const struct ordo_schedule *schedule,
	const struct ordo_verify_options *options, struct ordo_error *error);
#define ordo_verify(...) ordo_verify_sized(sizeof(struct ordo_verify_options), __VA_ARGS__)

#ifdef __cplusplus
}
#endif
#endif
