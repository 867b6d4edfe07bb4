/* owners.c - finds the ranks that exchange data with all others directly. */
#include "owners.h"
#include <ordo/arena.h>

static bool exchanges_with_all(const struct ordo_topology *topology, uint32_t rank, uint32_t n)
{
	for (uint32_t other = 0; topology && other < n; other++)
		if (other != rank && (!ordo_topology_reaches(topology, rank, other) ||
					     !ordo_topology_reaches(topology, other, rank)))
			return false;
	return true;
}

struct ordo_owners *ordo_owners_find(
	struct ordo_resolved_request *request, struct ordo_error *error)
{
	const uint32_t n = request->problem.nrank;
	struct ordo_owners *owners = ordo_arena_alloc(&request->arena, sizeof *owners);
	uint32_t *places = ordo_arena_alloc(&request->arena, n * sizeof *places);
	if (!owners || !places) {
		(void)ordo_fail_memory(error);
		return NULL;
	}
	*owners = (struct ordo_owners){0, places};
	for (uint32_t rank = 0; rank < n; rank++)
		places[rank] = exchanges_with_all(request->topology, rank, n) ? owners->count++
									      : ORDO_NONE;
	if (!owners->count) {
		(void)ordo_fail(error, ORDO_USAGE, 0,
			"mesh: owners=auto finds no rank that has links to and from all others");
		return NULL;
	}
	return owners;
}

uint32_t ordo_owners_count(const struct ordo_topology *topology)
{
	uint32_t count = 0;
	for (uint32_t rank = 0; rank < topology->nrank; rank++)
		count += exchanges_with_all(topology, rank, topology->nrank);
	return count;
}
