/* fold.h - one rank adds up what several contribute, in an order that has a name. */
#ifndef ORDO_COMPILER_ALGORITHMS_DIRECT_FOLD_H
#define ORDO_COMPILER_ALGORITHMS_DIRECT_FOLD_H

#include "algorithm.h"

/* Items 0..nitem-1 of `count` slots each. One of them, `owner`, lies where the result belongs, each
 * other one in scratch of the same rank: the i-th of the others at scratch + i * stride. The sum
 * that contains the owner's item stays in its place, so that the result needs no further copy. */
struct ordo_fold {
	struct ordo_builder *b;
	struct ordo_at own; /* where the result belongs */
	uint32_t nitem, owner, count;
	uint32_t scratch, stride;
	uint32_t holder; /* the item that now lies at `own`; set by ordo_fold_up */
};

/* Where an item lies that is not the owner's. */
struct ordo_at ordo_fold_addend(const struct ordo_fold *fold, uint32_t item);
/* Adds them up; the result is at `own`. how: the value of a parameter, "dyadic", "folded",
 * "linear" or "own": the owner's first, then the others in ascending order. */
void ordo_fold_up(struct ordo_fold *fold, const char *how);

#endif
