/* alltoall.c - cuts that bound AllToAll: each rank in a set has a block for each rank outside.
 *
 * Flows of many pairs have no cut that proves their greatest rate, so this bounds it only. */
#include "cut.h"
#include <ordo/arena.h>
#include <stdlib.h>
#include <string.h>

/* The effort of all cuts together, in arcs. */
enum { MOST_EFFORT = 1 << 26, ALL_CUTS = 12, ALL_CUTS_THROUGH_SWITCHES = 9, MOST_BLOCKS = 32 };

struct comparing {
	const struct ordo_capacities *graph;
	struct ordo_least_cut least;
	struct ordo_cut_set *best;
	uint32_t *set_of; /* [nrank] 0: in the set */
	bool *inside;	  /* [nvertex] */
	uint64_t effort;
};

/* Keeps the set of set_of if it gives a greater bound. false: no memory. */
static bool compare_set(struct comparing *comparing)
{
	const struct ordo_capacities *graph = comparing->graph;
	int64_t count = 0;
	for (uint32_t rank = 0; rank < graph->nrank; rank++)
		count += !comparing->set_of[rank];
	struct ordo_cut_set cut = {.crossing = count * (graph->nrank - count)};
	if (!cut.crossing || comparing->effort > MOST_EFFORT)
		return true;
	comparing->effort += graph->narc + graph->nvertex;
	cut.units = ordo_least_cut(&comparing->least, comparing->set_of, 0, comparing->inside);
	if (cut.units < 0)
		return false;
	if (ordo_cut_greater(&cut, comparing->best)) {
		comparing->best->crossing = cut.crossing;
		comparing->best->units = cut.units;
		memcpy(comparing->best->inside, comparing->inside,
			graph->nvertex * sizeof *comparing->inside);
	}
	return true;
}

static bool compare_all(struct comparing *comparing)
{
	bool worked = true;
	for (uint32_t set = 1; worked && set < (1u << comparing->graph->nrank) - 1; set++) {
		for (uint32_t rank = 0; rank < comparing->graph->nrank; rank++)
			comparing->set_of[rank] = set >> rank & 1;
		worked = compare_set(comparing);
	}
	return worked;
}

/* The ranks with (rank / stride) mod size in first..end-1, and the others. */
static bool compare_stripe(
	struct comparing *comparing, uint32_t stride, uint32_t size, uint32_t first, uint32_t end)
{
	bool worked = true;
	for (uint32_t side = 0; worked && side < 2; side++) {
		for (uint32_t rank = 0; rank < comparing->graph->nrank; rank++)
			comparing->set_of[rank] = (rank / stride % size >= first &&
							  rank / stride % size < end) == side;
		worked = compare_set(comparing);
	}
	return worked;
}

/* Single ranks; halves along every possible dimension; and blocks of adjacent ranks. */
static bool compare_some(struct comparing *comparing)
{
	const uint32_t nrank = comparing->graph->nrank;
	bool worked = true;
	for (uint32_t stride = 1; worked && stride < nrank; stride++) {
		if (nrank % stride)
			continue;
		const uint32_t nblock = nrank / stride;
		worked = compare_stripe(comparing, stride, nblock, 0, nblock / 2);
		for (uint32_t i = 0; worked && i < nblock && i < MOST_BLOCKS; i++)
			worked = compare_stripe(comparing, stride, nblock, i, i + 1);
		for (uint32_t size = 2; worked && size < nblock; size++)
			worked = nblock % size ||
				 compare_stripe(comparing, stride, size, 0, size / 2);
	}
	return worked;
}

bool ordo_cut_alltoall(const struct ordo_capacities *graph, struct ordo_cut_set *cut, bool *all,
	struct ordo_error *error)
{
	struct comparing comparing = {.graph = graph,
		.best = cut,
		.set_of = ordo_array_make(graph->nrank, sizeof *comparing.set_of, 0),
		.inside = ordo_array_make(graph->nvertex, sizeof *comparing.inside, 0)};
	*all = graph->nrank <=
	       (graph->nvertex > graph->nrank ? ALL_CUTS_THROUGH_SWITCHES : ALL_CUTS);
	cut->crossing = 0;
	cut->units = 1;
	const bool worked = ordo_least_cut_make(&comparing.least, graph, error) &&
			    comparing.set_of && comparing.inside &&
			    (*all ? compare_all(&comparing) : compare_some(&comparing));
	ordo_least_cut_free(&comparing.least);
	free(comparing.set_of);
	free(comparing.inside);
	return worked || ordo_fail_memory(error);
}
