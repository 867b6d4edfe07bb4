/* pipeline.h - from a request that names its algorithm to a proved schedule. */
#ifndef ORDO_COMPILER_PIPELINE_PIPELINE_H
#define ORDO_COMPILER_PIPELINE_PIPELINE_H

#include "request/request.h"

/* Resolves with the table of algorithms, and refuses what may not fit into memory. The caller
 * destroys it, also after false. */
bool ordo_request_resolve(struct ordo_resolved_request *resolved,
	const struct ordo_request *request, struct ordo_error *error);
/* Whether there may be memory to compile what was read, and to prove it. If not,
 * error->too_large. */
bool ordo_fits_in_memory(const struct ordo_resolved_request *resolved,
	const struct ordo_request *request, struct ordo_error *error);

/* The schedule of a resolved request, proved unless request->unproved; the caller destroys it.
 * NULL: see error. */
struct ordo_schedule *ordo_compile_resolved(const struct ordo_request *request,
	const struct ordo_resolved_request *resolved, struct ordo_error *error);
/* Unless request->unproved: the verifier accepts the schedule, independently of the compiler. */
bool ordo_prove_product(const struct ordo_request *request, const struct ordo_schedule *schedule,
	struct ordo_error *error);
/* The schedule of a request that names its algorithm, proved unless request->unproved; the caller
 * destroys it. NULL: see error. */
struct ordo_schedule *ordo_compile_named(
	const struct ordo_request *request, struct ordo_error *error);
/* Compiles and proves. The caller destroys both. NULL: *why is about what was asked for
 * (ordo_is_of_candidate), or ends every search. */
struct ordo_schedule *ordo_compile_proved(
	const struct ordo_request *request, struct ordo_proof **proof, struct ordo_error *why);
/* The proof of what was compiled without. NULL: there is none, and *why says so. */
struct ordo_proof *ordo_prove_compiled(const struct ordo_request *request,
	const struct ordo_schedule *schedule, struct ordo_error *why);

#endif
