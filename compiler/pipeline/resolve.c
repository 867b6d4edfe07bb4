/* resolve.c - resolves a request by the table of algorithms, if it fits into memory. */
#include "algorithms/registry.h"
#include "find_map.h"
#include "map_search.h"
#include "pipeline.h"

/* The notation with the map that was found for the topology, in the arena of the request. */
static const char *find_map(struct ordo_resolved_request *resolved,
	const struct ordo_request *request, struct ordo_error *error)
{
	const struct ordo_topology *topology = resolved->fast ? resolved->fast : resolved->whole;
	struct ordo_request plain = *request;
	struct ordo_resolved_request built = {0};
	uint32_t map[ORDO_MOST_MAPPED];
	if (!topology)
		return resolved->unmapped;
	if (resolved->problem.nrank > ORDO_MOST_MAPPED) {
		ordo_fail(error, ORDO_USAGE, 0, "algorithm: map: found %u ranks, wanted up to %d",
			resolved->problem.nrank, ORDO_MOST_MAPPED);
		return NULL;
	}
	plain.algorithm = resolved->unmapped;
	plain.topology = NULL;
	const bool found = ordo_request_resolve(&built, &plain, error) &&
			   ordo_find_map(&built, topology, map, error);
	ordo_resolved_request_destroy(&built);
	const char *notation = found ? ordo_notation_with_map(resolved, map) : NULL;
	if (found && !notation)
		ordo_fail_memory(error);
	return notation;
}

/* Once more, with the map that map=auto means. */
static bool resolve_mapped(struct ordo_resolved_request *resolved,
	const struct ordo_request *request, struct ordo_error *error)
{
	struct ordo_resolved_request unmapped = *resolved;
	struct ordo_request mapped = *request;
	*resolved = (struct ordo_resolved_request){0};
	mapped.algorithm = find_map(&unmapped, request, error);
	const bool worked = mapped.algorithm && ordo_request_resolve(resolved, &mapped, error);
	ordo_resolved_request_destroy(&unmapped);
	return worked;
}

bool ordo_request_resolve(struct ordo_resolved_request *resolved,
	const struct ordo_request *request, struct ordo_error *error)
{
	if (!ordo_request_read(resolved, &ordo_registry, request, error))
		return false;
	return resolved->finds_map
		       ? resolve_mapped(resolved, request, error)
		       : ordo_fits_in_memory(resolved, request, error) &&
				 ordo_request_prepare(resolved, ordo_request_resolve, error);
}
