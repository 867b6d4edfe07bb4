/* compile.c - from a request to a proved schedule, by the algorithm that it names or by the
 * fastest. */
#include "pipeline/pipeline.h"
#include <ordo/detail/tune.h>
#include <ordo/options.h>

/* What `ordo compile` chooses for, if it is not told. Up to so many ranks every candidate is
 * simulated. */
enum { USUAL_BYTES = 1 << 20, USUAL_ELEMENT_BYTES = 4, MOST_RANKS_FOR_ALL = 64 };

/* Proved by the choice. */
static struct ordo_schedule *compile_fastest(
	const struct ordo_request *request, struct ordo_error *error)
{
	const struct ordo_tune_wish wish = {.selection = {.problem = request->problem,
						    .topology = request->topology,
						    .machine = ordo_machine_usual(),
						    .from_bytes = USUAL_BYTES,
						    .to_bytes = USUAL_BYTES,
						    .progress = request->progress,
						    .progress_closure = request->closure,
						    .max_tokens = request->max_tokens,
						    .staging_slots = request->staging_slots},
		.element_bytes = USUAL_ELEMENT_BYTES,
		.scratch_element_bytes = USUAL_ELEMENT_BYTES,
		.lazily = request->problem.nrank > MOST_RANKS_FOR_ALL};
	struct ordo_tuning tuning;
	struct ordo_error why = {0};
	struct ordo_schedule *schedule = NULL;
	if (ordo_tune(&wish, &tuning, &why)) {
		schedule = tuning.selection.ranges[0].schedule;
		tuning.selection.ranges[0].schedule = NULL;
	} else if (why.code == ORDO_REFUTED) {
		ordo_fail(error, ORDO_USAGE, 0, "no algorithm applies: %s on %u ranks%s%s",
			ordo_operator_facts(request->problem.op)->name, request->problem.nrank,
			request->topology ? ", topology " : "",
			request->topology ? request->topology->name : "");
	} else if (error) {
		*error = why;
	}
	ordo_tuning_free(&tuning);
	return schedule;
}

static struct ordo_schedule *compile(const struct ordo_request *request, struct ordo_error *error)
{
	return request->algorithm ? ordo_compile_named(request, error)
				  : compile_fastest(request, error);
}

struct ordo_schedule *ordo_compile_sized(
	size_t size, const struct ordo_request *request, struct ordo_error *error)
{
	struct ordo_request own;
	return ordo_options_take(&own, sizeof own, request, size, error) ? compile(&own, error)
									 : NULL;
}

struct ordo_schedule *(ordo_compile)(const struct ordo_request *request, struct ordo_error *error)
{
	return ordo_compile_sized(ORDO_UP_TO(ordo_request, closure), request, error);
}
