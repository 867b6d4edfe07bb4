/* check.h - buffers filled from a seed, and compared with what the operator means.
 *
 * The sequential meaning of a chunk is its reduction tree, evaluated on the inputs (or, where
 * nothing is added, the source's data). Trees come from the proof, if there is one; inputs are made
 * again, a tile at a time; so checking keeps no copy of any buffer.
 */
#ifndef ORDO_TOOLS_CHECK_H
#define ORDO_TOOLS_CHECK_H

#include "exact.h"
#include <ordo/verify.h>

struct trial {
	const struct ordo_problem *problem; /* in place as the buffers are */
	const struct ordo_proof
		*proof; /* with one order (has_one_order); NULL: there is none to compare with */
	struct values values;
	uint64_t count;		  /* elements of each block */
	void **inputs, **outputs; /* [nrank] */
};

struct check {
	/* with the sequential meaning, on every rank; without a proof, where one is known: see
	 * check */
	bool bits_equal;
	bool within_bounds; /* of the exact result */
	char text[512];	    /* the first difference, if there is one */
	uint64_t elements;  /* compared, over all ranks */
	uint64_t wrong;	    /* of these */
	struct distance far;
	uint32_t depth; /* of the deepest tree */
};

static inline bool is_wrong(const struct check *check)
{
	return !check->bits_equal || !check->within_bounds;
}

/* Bytes that are no result: a float of them is so large that a sum with it shows it. */
enum { PATTERN = 0xEE };

/* Fills the inputs of all ranks; out of place the outputs get a pattern that is no result. */
void fill(const struct trial *trial);
void fill_rank(const struct trial *trial, uint32_t rank);
/* Whether every copy of a chunk is one and the same tree in every run. */
bool has_one_order(const struct ordo_proof *proof);
/* Compares the outputs of all ranks. Without a proof float sums and products are held against the
 * bounds that every order keeps, and everything else, which is the same in every order, bit for
 * bit. false: no memory. */
bool check(const struct trial *trial, struct check *result);

#endif
