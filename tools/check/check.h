/* check.h - fills buffers from a seed, and compares results with the operator's reference result.
 *
 * The reference result of a chunk is its reduction tree, evaluated on the inputs (or, without a
 * reduction, the source's data). Trees come from the proof, if there is one; inputs are generated
 * again, tile by tile, so checking keeps no copy of any buffer.
 */
#ifndef ORDO_TOOLS_CHECK_H
#define ORDO_TOOLS_CHECK_H

#include "exact.h"
#include "places.h"
#include <ordo/verify.h>

struct trial {
	const struct ordo_problem *problem; /* in place if the buffers are */
	const struct ordo_proof *proof; /* has_one_order(proof); NULL: no order to compare with */
	struct values values;
	uint64_t count; /* elements of each block */
	/* of blocks of unequal sizes, instead of count; NULL: all have one */
	const struct places *places;
	void **inputs, **outputs; /* [nrank] */
	/* only the buffers of `rank` are here: its outputs are checked */
	bool is_one_rank;
	uint32_t rank;
};

struct check {
	/* equal to the reference result on every rank; without a proof see check() */
	bool bits_equal;
	bool within_bounds; /* of the error against the exact result */
	char text[512];	    /* the first difference; "" if none */
	uint64_t elements;  /* compared, over all ranks */
	uint64_t wrong;	    /* of these */
	struct distance far;
	uint32_t depth; /* of the deepest tree */
};

/* Where the elements of the trial lie. */
static inline struct places places_of(const struct trial *trial)
{
	return trial->places ? *trial->places
			     : (struct places){.problem = trial->problem, .count = trial->count};
}

/* The length of a chunk, in elements. */
static inline uint64_t chunk_length(const struct trial *trial, uint32_t chunk)
{
	const struct places places = places_of(trial);
	return length_of_chunk(&places, chunk);
}

static inline bool is_wrong(const struct check *check)
{
	return !check->bits_equal || !check->within_bounds;
}

/* Fills buffers without valid data: floats of these bytes are large enough to be visible in any
 * sum. */
enum { PATTERN = 0xEE };

/* Fills the inputs of all ranks; out of place the outputs get PATTERN. */
void fill(const struct trial *trial);
void fill_rank(const struct trial *trial, uint32_t rank);
/* Adds what another check of the same trial found. */
void merge_checks(struct check *result, const struct check *found);
/* Whether every copy of a chunk has the same tree in every run. */
bool has_one_order(const struct ordo_proof *proof);
/* Compares the outputs of all ranks. Without a proof, float sums and products are checked against
 * bounds that hold for every order, and everything else, which is the same in every order, bit for
 * bit. false: no memory. */
bool check(const struct trial *trial, struct check *result);

#endif
