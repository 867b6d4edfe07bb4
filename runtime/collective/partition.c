/* partition.c - partitions folds into items, the units of work of threads. */
#include "fold.h"
#include <ordo/arena.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A few items per core balance the load; an item moves enough bytes to amortize claiming it, and no
 * more than needed for long runs of its operands. */
#define ITEMS_PER_CORE 4
#define MIN_ITEM_BYTES (UINT64_C(32) << 10)
#define MAX_ITEM_BYTES (UINT64_C(1) << 20)
/* Limit on the number of items, which takes precedence. */
#define MAX_ITEMS 65536
/* A call that moves more than the caches hold gains by non-temporal stores. */
#define STREAMING_BYTES (UINT64_C(64) << 20)
/* Two stages pay for vectors that take longer than waking the other core, and that fit into the
 * caches of both cores. */
#define MIN_STAGED_BYTES (UINT64_C(4) << 10)
#define MAX_STAGED_BYTES (UINT64_C(128) << 10)
/* A temp is read again at once, and should fit into the first-level cache. */
#define MAX_TEMP_BYTES 4096

static uint32_t count_cores(void)
{
	const long ncore = sysconf(_SC_NPROCESSORS_ONLN);
	return ncore > 0 ? (uint32_t)ncore : 1;
}

/* Data copied to several ranks is best read once per core, and written by the core of each rank:
 * reading another core's line is one transfer, writing it is two, because its owner fetches it
 * back. A sum is computed once for all ranks. A call of one thread, or with non-temporal stores,
 * reads its data once. */
uint32_t ordo_folds_count_groups(const struct folds *folds)
{
	const struct ordo_problem *problem = &folds->layout->problem;
	uint64_t bytes = 0;
	for (uint32_t r = 0; r < problem->nrank; r++)
		bytes += region_bytes(folds->layout, r, ORDO_OUTPUT);
	if (ordo_operator_facts(problem->op)->reduces || bytes < MIN_ITEM_BYTES ||
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

/* Splits a long fold into items of equal length, on cache line boundaries. */
static bool split_fold(
	struct folds *folds, uint32_t f, uint64_t item_bytes, struct ordo_error *error)
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
	const uint64_t bytes = share < MIN_ITEM_BYTES	? MIN_ITEM_BYTES
			       : share > MAX_ITEM_BYTES ? MAX_ITEM_BYTES
							: share;
	return bytes > traffic / MAX_ITEMS ? bytes : traffic / MAX_ITEMS;
}

/* The rank whose output the last step of a fold writes. */
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

/* Sorts folds by the rank they write to, so that adjacent items write to adjacent ranks. */
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
	folds->block = (temp < MAX_TEMP_BYTES ? temp : MAX_TEMP_BYTES) / folds->element;
}

bool ordo_folds_partition(struct folds *folds, struct ordo_error *error)
{
	if (!sort_folds(folds, error))
		return false;
	ordo_folds_measure(folds);
	const uint64_t item_bytes = choose_item_bytes(folds->traffic);
	uint64_t gathered = item_bytes; /* bytes in the last item, if it may hold several folds */
	for (uint32_t f = 0; f < folds->nfold; f++) {
		const uint64_t bytes = bytes_of(folds, &folds->list[f]);
		if (bytes > item_bytes) {
			gathered = item_bytes;
			if (!split_fold(folds, f, item_bytes, error))
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
	return count_cores() == NSIDE && bytes >= MIN_STAGED_BYTES && bytes <= MAX_STAGED_BYTES;
}
