/* build.c - the sequential program of a request: what its algorithm moves, after ranks have folded
 * their shards. */
#include "build.h"
#include "passes.h"
#include "shards.h"

bool ordo_build(const struct ordo_resolved_request *request, struct ordo_sequence *sequence,
	struct ordo_error *error)
{
	*sequence = (struct ordo_sequence){.problem = ordo_whole_problem(request)};
	struct ordo_builder *b = ordo_builder_create(request, sequence, error);
	if (!b)
		return false;
	if (ordo_folds_shards(request))
		ordo_fold_ranks(b, &sequence->problem);
	ordo_builder_begin_algorithm(b);
	request->algorithm->build(b, request);
	return ordo_builder_finish(b, error);
}
