/* check.h - buffers filled from a seed, and compared with what the operator means.
 *
 * The sequential meaning of a chunk is its reduction tree, evaluated on the inputs (or, where nothing is
 * added, the source's data). Trees come from the proof; inputs are made again, a tile at a time; so checking
 * keeps no copy of any buffer.
 */
#ifndef ORDO_TOOLS_CHECK_H
#define ORDO_TOOLS_CHECK_H

#include "exact.h"
#include <ordo/verify.h>

struct trial {
	const struct ordo_schedule *schedule;
	const struct ordo_proof *proof; /* proved */
	struct values values;
	uint64_t count;		  /* elements of each block */
	void **inputs, **outputs; /* [nrank] */
};

struct check {
	bool bits_equal;    /* with the sequential meaning, on every rank */
	bool within_bounds; /* of the exact result */
	char text[512];	    /* the first difference, if there is one */
	uint64_t elements;  /* compared, over all ranks */
	struct distance far;
	uint32_t depth; /* of the deepest tree */
};

/* Bytes that are no result: a float of them is so large that a sum with it shows it. */
enum { PATTERN = 0xEE };

/* Fills the inputs of all ranks; out of place the outputs get a pattern that is no result. */
void fill(const struct trial *trial);
void fill_rank(const struct trial *trial, uint32_t rank);
/* Compares the outputs of all ranks. false: no memory. */
bool check(const struct trial *trial, struct check *result);

#endif
