/* choose.c - the first algorithm whose schedule, compiled and proved, suits.
 *
 * What an algorithm claims orders the candidates (candidates.c); whether one suits is asked of the
 * proof alone.
 */
#include "algorithm.h"
#include <ordo/arena.h>
#include <ordo/options.h>
#include <string.h>

struct ordo_proof *ordo_prove_compiled(const struct ordo_request *request,
	const struct ordo_schedule *schedule, struct ordo_error *why)
{
	const struct ordo_verify_options options = {.topology = request->topology,
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
	struct ordo_schedule *schedule = ordo_compile(&wish, why);
	*proof = schedule ? ordo_prove_compiled(request, schedule, why) : NULL;
	if (*proof)
		return schedule;
	ordo_schedule_destroy(schedule);
	return NULL;
}

bool ordo_is_of_candidate(const struct ordo_error *why)
{
	return why->code == ORDO_USAGE || why->code == ORDO_REFUTED ||
	       why->code == ORDO_UNDECIDED || why->too_large;
}

/* Compiled, proved, and suiting; or NULL, and `why` says what kept it. */
static struct ordo_schedule *try_candidate(const struct ordo_request *request,
	const struct ordo_candidate *candidate, ordo_suits *suits, void *closure,
	struct ordo_proof **proof, struct ordo_error *why)
{
	struct ordo_request wish = *request;
	wish.algorithm = candidate->algorithm;
	struct ordo_schedule *schedule = ordo_compile_proved(&wish, proof, why);
	if (!schedule || suits(schedule, *proof, closure, why))
		return schedule;
	ordo_proof_destroy(*proof);
	*proof = NULL;
	ordo_schedule_destroy(schedule);
	return NULL;
}

static struct ordo_schedule *choose(const struct ordo_request *request, ordo_suits *suits,
	void *closure, struct ordo_candidates *refused, struct ordo_proof **proof,
	struct ordo_error *error)
{
	struct ordo_candidates candidates;
	struct ordo_schedule *schedule = NULL;
	*proof = NULL;
	bool worked =
		ordo_candidates_make(&candidates, &request->problem, request->topology, error);
	for (uint32_t i = 0; worked && !schedule && i < candidates.count; i++) {
		struct ordo_error why = {0};
		schedule =
			try_candidate(request, &candidates.items[i], suits, closure, proof, &why);
		if (schedule)
			break;
		worked = ordo_is_of_candidate(&why);
		if (!worked && error)
			*error = why;
		worked = worked && ordo_refuse_candidate(
					   &candidates, candidates.items[i].algorithm, &why, error);
	}
	if (worked && !schedule)
		ordo_fail(error, ORDO_REFUTED, 0, "no algorithm suits, of %u that have %s",
			candidates.nrefused, ordo_operator_facts(request->problem.op)->name);
	if (refused)
		*refused = candidates;
	else
		ordo_candidates_free(&candidates);
	return schedule;
}

struct ordo_schedule *ordo_choose_sized(size_t size, const struct ordo_request *request,
	ordo_suits *suits, void *closure, struct ordo_candidates *refused,
	struct ordo_proof **proof, struct ordo_error *error)
{
	struct ordo_request own;
	*proof = NULL;
	return ordo_options_take(&own, sizeof own, request, size, error)
		       ? choose(&own, suits, closure, refused, proof, error)
		       : NULL;
}

struct ordo_schedule *(ordo_choose)(const struct ordo_request *request, ordo_suits *suits,
	void *closure, struct ordo_candidates *refused, struct ordo_proof **proof,
	struct ordo_error *error)
{
	return ordo_choose_sized(
		ORDO_UP_TO(ordo_request, closure), request, suits, closure, refused, proof, error);
}

static const char *list_suiting(const struct ordo_request *request, ordo_suits *suits,
	void *closure, uint32_t most, struct ordo_arena *arena, struct ordo_error *error)
{
	struct ordo_candidates candidates;
	const char *list = "";
	bool worked =
		ordo_candidates_make(&candidates, &request->problem, request->topology, error);
	for (uint32_t i = 0, found = 0; worked && i < candidates.count && found < most; i++) {
		struct ordo_error why = {0};
		struct ordo_proof *proof = NULL;
		struct ordo_schedule *schedule =
			try_candidate(request, &candidates.items[i], suits, closure, &proof, &why);
		ordo_proof_destroy(proof);
		ordo_schedule_destroy(schedule);
		if (schedule) {
			list = ordo_arena_format(arena, "%s%s%s", list, found++ ? ", " : "",
				candidates.items[i].algorithm);
			worked = list ? true : ordo_fail_memory(error);
		} else if (!ordo_is_of_candidate(&why)) {
			worked = false;
			if (error)
				*error = why;
		}
	}
	ordo_candidates_free(&candidates);
	return worked ? list : NULL;
}

const char *ordo_list_suiting_sized(size_t size, const struct ordo_request *request,
	ordo_suits *suits, void *closure, uint32_t most, struct ordo_arena *arena,
	struct ordo_error *error)
{
	struct ordo_request own;
	return ordo_options_take(&own, sizeof own, request, size, error)
		       ? list_suiting(&own, suits, closure, most, arena, error)
		       : NULL;
}

const char *(ordo_list_suiting)(const struct ordo_request *request, ordo_suits *suits,
	void *closure, uint32_t most, struct ordo_arena *arena, struct ordo_error *error)
{
	return ordo_list_suiting_sized(
		ORDO_UP_TO(ordo_request, closure), request, suits, closure, most, arena, error);
}
