/* Internal: for the command and the tests. Exported for one release; may change or go after it. */
/* compare.h - two schedules for one vector: where their sums are made in the same order, and where
 * not.
 *
 * Comparable are schedules of one operator that sum as many shards (without virtual shards: ranks),
 * both accumulating in f32 or neither. How a
 * schedule cuts the vector does not matter: positions are fractions of it, and chunk c of n is the
 * part [c/n, (c+1)/n). What ordo_compare finds to be the same has equal order digests, and the
 * other way round.
 *
 * Where that part ends in elements is a matter of the fraction alone, but for one case:
 * ReduceScatter for other numbers of ranks, whose blocks are cut at multiples of the alignment
 * (runtime.h), each from its own beginning. Their bits are the same if blocks are multiples of the
 * alignment; 1 always is one.
 */
#ifndef ORDO_COMPARE_H
#define ORDO_COMPARE_H

#include <ordo/detail/order.h>

#ifdef __cplusplus
extern "C" {
#endif

/* of/whole of the vector, in lowest terms. */
struct ordo_position {
	uint64_t of, whole;
};

/* A part of the vector, as long as may be, all of whose elements are one pair of trees (modulo
 * commutativity of each addition). */
struct ordo_vector_part {
	struct ordo_position begin, end;
	uint32_t chunk[2]; /* the first of each schedule in it */
	uint32_t tree[2];  /* of these chunks */
	bool same;	   /* the two trees are the same */
};

struct ordo_comparison {
	struct ordo_vector_part *parts; /* [npart] one after another; they cover the vector */
	uint32_t npart;
	uint32_t ndiffering; /* parts that are not the same; 0: bit-interchangeable */
	uint32_t first;	     /* the first of those; ORDO_NONE: none */
	size_t room;	     /* private */
};

/* Compares two orders of one forest; linear in their chunks. The caller frees the parts with
 * ordo_comparison_free, also after false: ORDO_USAGE if they are not comparable, ORDO_REFUTED if
 * one of them has no one order (G1 or G2 does not hold), or no memory. */
ORDO_API bool ordo_compare(const struct ordo_order *first, const struct ordo_order *second,
	struct ordo_comparison *comparison, struct ordo_error *error);
ORDO_API void ordo_comparison_free(struct ordo_comparison *comparison);

/* What a comparison says of the guarantees that need two schedules. G4 is asked of schedules for as
 * many ranks whose documents name other topologies (one down link makes another one), G5 of
 * schedules for other numbers of ranks. `why` says what was compared, or why there was nothing to
 * ask; it goes to the arena. NULL in `why`: no memory. */
struct ordo_pair_judgement {
	enum ordo_verdict verdict;
	const char *why;
};
ORDO_API struct ordo_pair_judgement ordo_judge_pair(enum ordo_guarantee guarantee,
	const struct ordo_schedule *first, const struct ordo_schedule *second, bool same,
	struct ordo_arena *arena);

#ifdef __cplusplus
}
#endif
#endif
