/* fold.c - adds up the items of one rank: dyadic, folded, linear, or the owner's first. */
#include "fold.h"
#include <string.h>

struct ordo_at ordo_fold_addend(const struct ordo_fold *fold, uint32_t item)
{
	return ordo_at(fold->own.rank, ORDO_SCRATCH,
		fold->scratch + (item < fold->owner ? item : item - 1) * fold->stride);
}

static struct ordo_at place_of(const struct ordo_fold *fold, uint32_t item)
{
	return item == fold->holder ? fold->own : ordo_fold_addend(fold, item);
}

/* Item i becomes item i + item j. */
static void combine(struct ordo_fold *fold, uint32_t i, uint32_t j)
{
	if (j == fold->holder) {
		ordo_reduce(fold->b, fold->own, place_of(fold, i), fold->count);
		fold->holder = i;
	} else {
		ordo_reduce(fold->b, place_of(fold, i), place_of(fold, j), fold->count);
	}
}

static void fold_dyadic(struct ordo_fold *fold)
{
	for (uint32_t stride = 1; stride < fold->nitem; stride *= 2)
		for (uint32_t i = 0; i + stride < fold->nitem; i += 2 * stride)
			combine(fold, i, i + stride);
}

static void fold_folded(struct ordo_fold *fold)
{
	uint32_t n = fold->nitem;
	while (n > 1) {
		uint32_t half = 1;
		while (2 * half < n)
			half *= 2;
		for (uint32_t j = half; j < n; j++)
			combine(fold, j - half, j);
		n = half;
	}
}

static void fold_linear(struct ordo_fold *fold)
{
	for (uint32_t j = 1; j < fold->nitem; j++)
		combine(fold, 0, j);
}

static void fold_own(struct ordo_fold *fold)
{
	for (uint32_t j = 0; j < fold->nitem; j++)
		if (j != fold->owner)
			combine(fold, fold->owner, j);
}

void ordo_fold_up(struct ordo_fold *fold, const char *how)
{
	fold->holder = fold->owner;
	if (!strcmp(how, "dyadic"))
		fold_dyadic(fold);
	else if (!strcmp(how, "folded"))
		fold_folded(fold);
	else if (!strcmp(how, "own"))
		fold_own(fold);
	else
		fold_linear(fold);
}
