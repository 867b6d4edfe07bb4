/* recover.h - recovers the reduction tree of each output element from outputs alone.
 *
 * The machine is a black box with nleaf inputs and nelement outputs. If each output is the sum of
 * all inputs by a binary tree of additions rounded to nearest (and rounded once more, if computed
 * in a wider type), the trees are found, modulo commutativity of each addition. Otherwise the
 * result states what contradicts that. recover.c describes the method.
 *
 * Inputs and outputs are vectors, and a sum must not use another element, nor an earlier result. To
 * reveal that, every element has a colour, and in one run inputs differ from colour to colour; over
 * all runs each colour gets all inputs.
 */
#ifndef ORDO_TOOLS_RECOVER_H
#define ORDO_TOOLS_RECOVER_H

#include <ordo/element.h>

struct machine {
	uint32_t nleaf;
	uint64_t nelement;
	uint32_t ncolour;			   /* at least 1 */
	const uint8_t *colour_of;		   /* [nelement] */
	const struct ordo_type_facts *type;	   /* a float: that of inputs and outputs */
	const struct ordo_type_facts *accumulator; /* that of every addition; NULL: the same */
	/* leaves[ncolour][nleaf] -> elements[nelement]. false: it could not be run. */
	bool (*run)(
		void *closure, const double *leaves, double *elements, struct ordo_error *error);
	void *closure;
};

/* Elements with one tree; or elements that no run distinguished, without a tree. */
struct element_class {
	/* [2 * nleaf - 1] A leaf is (ORDO_NONE, input), a sum (left, right) with left < right <
	 * itself; the first nleaf nodes are the leaves, the last is the root. NULL: no tree
	 * explains the results, see `why`. */
	uint32_t (*nodes)[2];
	uint64_t first; /* of its elements */
	uint64_t nelement;
	char why[240];
};

struct recovered {
	uint64_t nrun;
	uint32_t *class_of;	       /* [nelement] */
	struct element_class *classes; /* [nclass] ordered by their first elements */
	uint32_t nclass;
};

/* What runs have in their inputs: one, and a number beside which ones are lost. `accumulator` as in
 * a machine. false: more inputs than the type can count (ORDO_USAGE). */
bool choose_mask_numbers(const struct ordo_type_facts *type,
	const struct ordo_type_facts *accumulator, uint32_t nleaf, double *one, double *large,
	struct ordo_error *error);
/* The number of runs: each input alone, and each pair of inputs. */
uint64_t count_mask_runs(uint32_t nleaf);
/* false: a run failed, no memory, or more inputs than the type can count (ORDO_USAGE). The caller
 * frees the result, also after false. */
bool recover_trees(
	const struct machine *machine, struct recovered *recovered, struct ordo_error *error);
void free_recovered(struct recovered *recovered);

#endif
