/* run.c - evaluates folds on the buffers of a call. */
#include "fold.h"
#include <stdalign.h>
#include <string.h>

/* Copies shorter than this use memcpy. */
#define SHORT_BYTES 256

/* The addresses of one step's operands, for a part of its elements. */
struct places {
	const void *src[MAX_OPERANDS];
	void *dst[MAX_OPERANDS];
};

static void resolve_operands(const struct folds *folds, const struct step *step,
	const struct ends *ends, unsigned char *temps, uint64_t skip, struct places *places)
{
	const uint64_t temp = folds->block * folds->element;
	const struct operand *src = &folds->operands[step->src], *dst = &folds->operands[step->dst];
	for (uint32_t i = 0; i < step->nsrc; i++)
		places->src[i] = src[i].rank == ORDO_NONE
					 ? temps + src[i].temp * temp
					 : ends[src[i].rank].input + src[i].begin + skip;
	for (uint32_t i = 0; i < step->ndst; i++)
		places->dst[i] = dst[i].rank == ORDO_NONE
					 ? temps + dst[i].temp * temp
					 : ends[dst[i].rank].output + dst[i].begin + skip;
}

/* Removes the destinations that equal the source, as in place they may. */
static uint32_t drop_source(void **dst, uint32_t ndst, const void *src)
{
	uint32_t n = 0;
	for (uint32_t i = 0; i < ndst; i++)
		if (dst[i] != src)
			dst[n++] = dst[i];
	return n;
}

/* For a few bytes to one destination, setting up the kernel would dominate. */
static void copy(const struct folds *folds, void *const *dst, uint32_t ndst, const void *const *src,
	uint64_t nbyte, unsigned ways)
{
	if (ndst == 1 && nbyte < SHORT_BYTES)
		memcpy(dst[0], src[0], nbyte);
	else
		folds->copy(dst, ndst, src, 1, nbyte, ways);
}

static void run_step(const struct folds *folds, const struct step *step, const struct ends *ends,
	unsigned char *temps, uint64_t begin, uint64_t n, unsigned ways)
{
	struct places places;
	uint32_t ndst;
	resolve_operands(folds, step, ends, temps, begin * folds->layout->element, &places);
	switch (step->kind) {
	case FOLD:
		if (step->nsrc > 1)
			folds->fold(places.dst, step->ndst, places.src, step->nsrc, n, ways);
		else if ((ndst = drop_source(places.dst, step->ndst, places.src[0])))
			copy(folds, places.dst, ndst, places.src, n * folds->layout->element, ways);
		return;
	case DIVIDE:
		folds->divide(places.dst[0], n, folds->divisor);
		return;
	case WIDEN:
		ordo_widen_elements(
			folds->type, folds->layout->accumulator, places.dst[0], places.src[0], n);
		return;
	case NARROW:
		ordo_narrow_elements(
			folds->type, folds->layout->accumulator, places.dst[0], places.src[0], n);
		return;
	}
}

static void run_fold(const struct folds *folds, const struct fold *fold, const struct ends *ends,
	uint64_t begin, uint64_t n, unsigned ways)
{
	alignas(CACHE_LINE) unsigned char temps[TEMP_BYTES];
	const struct step *steps = &folds->steps[fold->first_step];
	ways |= fold->takes ? ORDO_TAKE : 0;
	if (fold->nstep == 1) {
		run_step(folds, steps, ends, temps, begin, n, ways);
		return;
	}
	for (const uint64_t end = begin + n; begin < end; begin += folds->block) {
		const uint64_t part = end - begin < folds->block ? end - begin : folds->block;
		for (uint32_t s = 0; s < fold->nstep; s++) {
			const bool leaves = folds->operands[steps[s].dst].rank != ORDO_NONE;
			run_step(folds, &steps[s], ends, temps, begin, part,
				leaves ? ways : ways & ~ORDO_STREAM);
		}
	}
}

/* Fast path of a fold that only copies a few bytes: AllToAll of short messages has no others. */
static bool copy_at_once(
	const struct folds *folds, const struct fold *fold, const struct ends *ends)
{
	const struct step *step = &folds->steps[fold->first_step];
	const uint64_t nbyte = fold->nelement * folds->layout->element;
	if (fold->nstep != 1 || step->nsrc != 1 || step->ndst != 1 || nbyte >= SHORT_BYTES)
		return false;
	const struct operand *src = &folds->operands[step->src], *dst = &folds->operands[step->dst];
	const unsigned char *from = ends[src->rank].input + src->begin;
	unsigned char *to = ends[dst->rank].output + dst->begin;
	if (from != to)
		memcpy(to, from, nbyte);
	return true;
}

void ordo_fold_item(
	const struct folds *folds, const struct item *item, const struct ends *ends, bool in_place)
{
	/* The destination of an in-place sum was just read, so it is in the cache; a copy never
	 * writes to its own source. */
	const bool reduces = ordo_operator_facts(folds->layout->problem.op)->reduces;
	const unsigned ways = folds->streaming && !(in_place && reduces) ? ORDO_STREAM : 0;
	if (item->nfold == 1) {
		run_fold(folds, &folds->list[item->fold], ends, item->begin, item->n, ways);
		return;
	}
	for (uint32_t f = item->fold; f < item->fold + item->nfold; f++)
		if (!copy_at_once(folds, &folds->list[f], ends))
			run_fold(folds, &folds->list[f], ends, 0, folds->list[f].nelement, ways);
}
