/* packed_trees.c - how many trees `packing` takes on a topology. */
#include "pipeline/pipeline.h"
#include "synthesis/pack/pack.h"
#include <ordo/detail/packed_trees.h>

bool ordo_packed_trees(const struct ordo_request *request, struct ordo_packed_trees *trees,
	struct ordo_error *error)
{
	struct ordo_resolved_request resolved = {0};
	*trees = (struct ordo_packed_trees){0};
	const bool worked = ordo_request_resolve(&resolved, request, error) &&
			    (ordo_packed_trees_of(&resolved, trees, error) ||
				    ordo_fail(error, ORDO_USAGE, 0, "%s packs no trees",
					    resolved.algorithm->facts.name));
	ordo_resolved_request_destroy(&resolved);
	return worked;
}
