/* dead_ends.c - switches of a topology that lead nowhere. */
#include "dead_ends.h"
#include <ordo/arena.h>
#include <stdlib.h>

/* The only vertex on one side of a switch, or: */
#define SEVERAL (ORDO_NONE - 1)

static void meet(uint32_t *neighbour, uint32_t vertex)
{
	if (*neighbour != vertex)
		*neighbour = *neighbour == ORDO_NONE ? vertex : SEVERAL;
}

/* From and to whom a vertex has links, but for switches that are known to be dead ends. */
static void find_neighbours(
	const struct ordo_topology *topology, const bool *dead, uint32_t *before, uint32_t *after)
{
	for (uint32_t v = 0; v < topology->nrank + topology->nswitch; v++)
		before[v] = after[v] = ORDO_NONE;
	for (uint32_t i = 0; i < topology->nlink; i++) {
		const struct ordo_link *link = &topology->links[i];
		if (dead[link->from] || dead[link->to])
			continue;
		meet(&before[link->to], link->from);
		meet(&after[link->from], link->to);
	}
}

uint32_t count_dead_ends(const struct ordo_topology *topology, uint32_t *first)
{
	const uint32_t nvertex = topology->nrank + topology->nswitch;
	bool *dead = calloc(nvertex, sizeof *dead);
	uint32_t *before = calloc(nvertex, sizeof *before), *after = calloc(nvertex, sizeof *after),
		 count = 0, known;
	const bool worked = dead && before && after;
	do {
		known = count;
		if (worked)
			find_neighbours(topology, dead, before, after);
		for (uint32_t v = topology->nrank; worked && v < nvertex; v++) {
			const bool leads = before[v] != ORDO_NONE && after[v] != ORDO_NONE &&
					   (before[v] != after[v] || before[v] == SEVERAL);
			if (dead[v] || leads)
				continue;
			dead[v] = true;
			count++;
		}
	} while (count > known);
	for (*first = topology->nrank; worked && *first < nvertex && !dead[*first]; ++*first)
		;
	free(dead);
	free(before);
	free(after);
	return worked ? count : ORDO_NONE;
}
