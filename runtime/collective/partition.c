/* partition.c - cuts folds into items: as much as a thread should do at a time. */
#include "fold.h"
#include <ordo/arena.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* There are a few items for every core, so that all threads end together; but an item moves enough
 * bytes that claiming it costs little, and no more than makes the runs of its operands long. */
#define ITEMS_PER_CORE 4
#define LEAST_ITEM_BYTES (UINT64_C(32) << 10)
#define MOST_ITEM_BYTES (UINT64_C(1) << 20)
/* But there are no more items than that. */
#define MOST_ITEMS 65536
/* A call that moves more than caches hold gains by stores that go past them. */
#define STREAMING_BYTES (UINT64_C(64) << 20)
/* Two stages pay for vectors that are neither done before the other core has noticed, nor more than
 * the caches of both cores hold. */
#define LEAST_STAGED_BYTES (UINT64_C(4) << 10)
#define MOST_STAGED_BYTES (UINT64_C(128) << 10)
/* A temp is read again at once, and should still be in the nearest cache. */
#define MOST_TEMP_BYTES 4096

static uint32_t count_cores(void)
{
	const long ncore = sysconf(_SC_NPROCESSORS_ONLN);
	return ncore > 0 ? (uint32_t)ncore : 1;
}

/* What is copied to several ranks is best read once for each core that has some of them, and
 * written there: a read of another core's line is one transfer, a write into it is two, for its
 * owner will fetch it back. A sum is made once for all of them. What one thread does by itself, or
 * what goes past the caches, is read once. */
uint32_t ordo_folds_count_groups(const struct folds *folds)
{
	const struct ordo_problem *problem = &folds->layout->problem;
	uint64_t bytes = 0;
	for (uint32_t r = 0; r < problem->nrank; r++)
		bytes += region_bytes(folds->layout, r, ORDO_OUTPUT);
	if (ordo_operator_facts(problem->op)->reduces || bytes < LEAST_ITEM_BYTES ||
		bytes > STREAMING_BYTES)
		return 1;
	return problem->nrank < count_cores() ? problem->nrank : count_cores();
}

/* Bytes read and written for one element of a fold. */
static uint64_t bytes_per_element(const struct folds *folds, const struct fold *fold)
{
	uint64_t noperand = 0;
	for (uint32_t s = fold->first_step; s < fold->first_step + fold->nstep; s++)
		noperand += (uint64_t)folds->steps[s].nsrc + folds->steps[s].ndst;
	return noperand * folds->layout->element;
}

static uint64_t bytes_of(const struct folds *folds, const struct fold *fold)
{
	return fold->nelement * bytes_per_element(folds, fold);
}

bool ordo_folds_append_item(struct folds *folds, struct item item, struct ordo_error *error)
{
	if (!ordo_array_reserve(
		    &folds->items, &folds->room.items, folds->nitem + 1, sizeof *folds->items))
		return ordo_fail_memory(error);
	folds->items[folds->nitem++] = item;
	return true;
}

/* A long fold becomes several items of equal length, on boundaries of lines. */
static bool cut_fold(struct folds *folds, uint32_t f, uint64_t item_bytes, struct ordo_error *error)
{
	const uint64_t n = folds->list[f].nelement, line = CACHE_LINE / folds->layout->element;
	const uint64_t each = bytes_per_element(folds, &folds->list[f]),
		       most = item_bytes / each > line ? item_bytes / each : line;
	const uint64_t npart = (n + most - 1) / most,
		       part = round_up((n + npart - 1) / npart, line);
	for (uint64_t begin = 0; begin < n; begin += part)
		if (!ordo_folds_append_item(folds,
			    (struct item){f, 1, begin, n - begin < part ? n - begin : part}, error))
			return false;
	return true;
}

static uint64_t choose_item_bytes(uint64_t traffic)
{
	const uint64_t share = traffic / count_cores() / ITEMS_PER_CORE;
	const uint64_t bytes = share < LEAST_ITEM_BYTES	 ? LEAST_ITEM_BYTES
			       : share > MOST_ITEM_BYTES ? MOST_ITEM_BYTES
							 : share;
	return bytes > traffic / MOST_ITEMS ? bytes : traffic / MOST_ITEMS;
}

/* The rank whose output a fold writes last. */
static uint32_t rank_of(const struct folds *folds, const struct fold *fold)
{
	const struct step *step = &folds->steps[fold->first_step + fold->nstep - 1];
	return folds->operands[step->dst].rank;
}

uint32_t *ordo_folds_index(const struct folds *folds, struct ordo_error *error)
{
	const uint32_t nrank = folds->layout->problem.nrank;
	uint32_t *first = calloc((size_t)nrank + 1, sizeof *first);
	if (!first) {
		ordo_fail_memory(error);
		return NULL;
	}
	for (size_t f = 0; f < folds->nfold; f++)
		first[rank_of(folds, &folds->list[f]) + 1]++;
	for (uint32_t r = 0; r < nrank; r++)
		first[r + 1] += first[r];
	return first;
}

/* By the rank they write to, so that items that lie together write to ranks that lie together. */
static bool sort_folds(struct folds *folds, struct ordo_error *error)
{
	uint32_t *next = ordo_folds_index(folds, error);
	struct fold *sorted = malloc((folds->nfold + 1) * sizeof *sorted);
	bool worked = next && sorted ? true : ordo_fail_memory(error);
	for (size_t f = 0; worked && f < folds->nfold; f++)
		sorted[next[rank_of(folds, &folds->list[f])]++] = folds->list[f];
	if (worked && folds->nfold)
		memcpy(folds->list, sorted, folds->nfold * sizeof *sorted);
	free(next);
	free(sorted);
	return worked;
}

void ordo_folds_measure(struct folds *folds)
{
	folds->traffic = 0;
	for (size_t f = 0; f < folds->nfold; f++)
		folds->traffic += bytes_of(folds, &folds->list[f]);
	folds->streaming = folds->traffic > STREAMING_BYTES;
	const uint64_t temp =
		folds->ntemp ? TEMP_BYTES / folds->ntemp / CACHE_LINE * CACHE_LINE : CACHE_LINE;
	folds->block = (temp < MOST_TEMP_BYTES ? temp : MOST_TEMP_BYTES) / folds->element;
}

bool ordo_folds_partition(struct folds *folds, struct ordo_error *error)
{
	if (!sort_folds(folds, error))
		return false;
	ordo_folds_measure(folds);
	const uint64_t item_bytes = choose_item_bytes(folds->traffic);
	uint64_t gathered = item_bytes; /* in the last item, if that is of several folds */
	for (uint32_t f = 0; f < folds->nfold; f++) {
		const uint64_t bytes = bytes_of(folds, &folds->list[f]);
		if (bytes > item_bytes) {
			gathered = item_bytes;
			if (!cut_fold(folds, f, item_bytes, error))
				return false;
		} else if (gathered + bytes <= item_bytes) {
			gathered += bytes;
			folds->items[folds->nitem - 1].nfold++;
		} else {
			gathered = bytes;
			if (!ordo_folds_append_item(
				    folds, (struct item){f, 1, 0, folds->list[f].nelement}, error))
				return false;
		}
	}
	folds->nfirst = folds->nitem;
	return true;
}

bool ordo_two_stage_pays(const struct layout *layout)
{
	const uint64_t bytes = vector_bytes(layout);
	return count_cores() == NSIDE && bytes >= LEAST_STAGED_BYTES && bytes <= MOST_STAGED_BYTES;
}
