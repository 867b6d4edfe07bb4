/* resolve.c - a request that was read gets what its algorithm prepares, and its K. */
#include "algorithm.h"

bool ordo_request_resolve(struct ordo_resolved_request *resolved,
	const struct ordo_request *request, struct ordo_error *error)
{
	if (!ordo_request_read(resolved, request, error) ||
		!ordo_fits_in_memory(resolved, request, error))
		return false;
	const struct ordo_algorithm *algorithm = resolved->algorithm;
	if (algorithm->prepare && !algorithm->prepare(resolved, error))
		return false;
	if (!resolved->problem.chunks_per_block)
		resolved->problem.chunks_per_block =
			algorithm->chunks ? algorithm->chunks(resolved) : 1;
	const struct ordo_problem whole = ordo_whole_problem(resolved);
	return ordo_check_problem(&whole, error);
}
