/* packing.c - a list of trees, and times of links. */
#include "pack.h"
#include <ordo/arena.h>
#include <stdlib.h>
#include <string.h>

bool ordo_link_time_less(struct ordo_link_time one, struct ordo_link_time other)
{
	return one.load * other.units < other.load * one.units;
}

struct ordo_link_time ordo_busiest_link(
	const struct ordo_capacities *graph, const uint64_t *loads, uint64_t trees)
{
	struct ordo_link_time most = {0, 1};
	for (uint32_t i = 0; i < graph->narc; i++) {
		struct ordo_link_time here = {loads[i], (uint64_t)graph->arcs[i].units};
		here.units *= trees;
		most = ordo_link_time_less(most, here) ? here : most;
	}
	return most;
}

void ordo_packing_free(struct ordo_packing *packing)
{
	free(packing->trees);
	free(packing->parents);
	*packing = (struct ordo_packing){0};
}

/* depths: [nrank], 0: not known yet; links to the root and one. */
static uint32_t height_of(const uint32_t *parents, uint32_t *depths, uint32_t nrank)
{
	uint32_t most = 1;
	for (uint32_t rank = 0; rank < nrank; rank++) {
		uint32_t steps = 0, v = rank;
		for (; !depths[v] && parents[v] != v; v = parents[v])
			steps++;
		uint32_t depth = (depths[v] ? depths[v] : 1) + steps;
		most = depth > most ? depth : most;
		for (v = rank; !depths[v]; v = parents[v])
			depths[v] = depth--;
	}
	return most - 1;
}

bool ordo_packing_add(
	struct ordo_packing *packing, uint32_t root, uint32_t units, const uint32_t *parents)
{
	const size_t nrank = packing->nrank;
	uint32_t *depths = ordo_array_make(nrank, sizeof *depths, 0);
	const uint32_t height = depths ? height_of(parents, depths, packing->nrank) : 0;
	free(depths);
	if (!depths ||
		!ordo_array_reserve(&packing->trees, &packing->tree_room,
			(size_t)packing->ntree + 1, sizeof *packing->trees) ||
		!ordo_array_reserve(&packing->parents, &packing->parent_room,
			(packing->ntree + (size_t)1) * nrank, sizeof *packing->parents))
		return false;
	memcpy(packing->parents + packing->ntree * nrank, parents, nrank * sizeof *parents);
	packing->trees[packing->ntree++] = (struct ordo_packed_tree){root, units, height};
	return true;
}
