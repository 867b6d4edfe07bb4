/* packing.c - a list of trees. */
#include "pack.h"
#include <ordo/arena.h>
#include <stdlib.h>
#include <string.h>

void ordo_packing_free(struct ordo_packing *packing)
{
	free(packing->trees);
	free(packing->parents);
	*packing = (struct ordo_packing){0};
}

static uint32_t height_of(const uint32_t *parents, uint32_t nrank)
{
	uint32_t most = 0;
	for (uint32_t rank = 0; rank < nrank; rank++) {
		uint32_t depth = 0;
		for (uint32_t v = rank; parents[v] != v; v = parents[v])
			depth++;
		most = depth > most ? depth : most;
	}
	return most;
}

bool ordo_packing_add(
	struct ordo_packing *packing, uint32_t root, uint32_t units, const uint32_t *parents)
{
	const size_t nrank = packing->nrank;
	if (!ordo_array_reserve(&packing->trees, &packing->tree_room, (size_t)packing->ntree + 1,
		    sizeof *packing->trees) ||
		!ordo_array_reserve(&packing->parents, &packing->parent_room,
			(packing->ntree + (size_t)1) * nrank, sizeof *packing->parents))
		return false;
	memcpy(packing->parents + packing->ntree * nrank, parents, nrank * sizeof *parents);
	packing->trees[packing->ntree++] =
		(struct ordo_packed_tree){root, units, height_of(parents, packing->nrank)};
	return true;
}
