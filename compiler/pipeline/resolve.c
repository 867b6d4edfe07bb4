/* resolve.c - resolves a request by the table of algorithms, if it fits into memory. */
#include "algorithms/registry.h"
#include "pipeline.h"

bool ordo_request_resolve(struct ordo_resolved_request *resolved,
	const struct ordo_request *request, struct ordo_error *error)
{
	return ordo_request_read(resolved, &ordo_registry, request, error) &&
	       ordo_fits_in_memory(resolved, request, error) &&
	       ordo_request_prepare(resolved, ordo_request_resolve, error);
}
