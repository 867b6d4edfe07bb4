/* named.c - compiles and proves a request that names its algorithm. */
#include "pipeline.h"

struct ordo_schedule *ordo_compile_named(
	const struct ordo_request *request, struct ordo_error *error)
{
	struct ordo_resolved_request resolved = {0};
	struct ordo_schedule *schedule = NULL;
	if (request->progress)
		request->progress(request->closure, "compiling", 0, 100);
	if (ordo_request_resolve(&resolved, request, error))
		schedule = ordo_compile_resolved(request, &resolved, error);
	else if (request->progress)
		request->progress(request->closure, "compiling", 100, 100);
	ordo_resolved_request_destroy(&resolved);
	return schedule;
}

struct ordo_proof *ordo_prove_compiled(const struct ordo_request *request,
	const struct ordo_schedule *schedule, struct ordo_error *why)
{
	const struct ordo_verify_options options = {.topology = request->topology,
		.limits.tokens_in_flight = request->max_tokens,
		.max_findings = 1,
		.progress = request->progress,
		.closure = request->closure};
	struct ordo_proof *proof = ordo_verify(schedule, &options, why);
	if (!proof || proof->proved)
		return proof;
	ordo_finding_error(schedule, &proof->findings[0], why);
	why->code = ORDO_ENVIRONMENT; /* of the compiler, not of what was asked for */
	ordo_hint(
		why, "this is a bug of the compiler, by %s; please report it", request->algorithm);
	ordo_proof_destroy(proof);
	return NULL;
}

struct ordo_schedule *ordo_compile_proved(
	const struct ordo_request *request, struct ordo_proof **proof, struct ordo_error *why)
{
	struct ordo_request wish = *request;
	wish.unproved = true; /* proved here, and the proof kept */
	struct ordo_schedule *schedule = ordo_compile_named(&wish, why);
	*proof = schedule ? ordo_prove_compiled(request, schedule, why) : NULL;
	if (*proof)
		return schedule;
	ordo_schedule_destroy(schedule);
	return NULL;
}
