/* rejected.c - reports the rejected algorithms, and those that could replace a failed one. */
#include "rejected.h"
#include "base/progress.h"
#include "topologies/loss.h"
#include <ordo/detail/bound.h>
#include <ordo/detail/topologies.h>
#include <stdlib.h>
#include <string.h>

bool refuse_with_others(struct call *call, const struct ordo_request *request,
	const struct conditions *wanted, struct ordo_error *error)
{
	enum { MOST_RANKS = 64, MOST = 12, MOST_IF_LARGE = 2 };
	struct ordo_arena arena = {0};
	struct ordo_error trouble = {0};
	struct ordo_request anywhere = *request;
	struct conditions conditions = *wanted;
	const uint32_t most = request->problem.nrank > MOST_RANKS ? MOST_IF_LARGE : MOST;
	const char *others =
		ordo_list_suiting(request, meets_conditions, &conditions, most, &arena, &trouble);
	const bool elsewhere = others && !*others && request->topology;
	anywhere.topology = NULL;
	if (elsewhere)
		others = ordo_list_suiting(
			&anywhere, meets_conditions, &conditions, most, &arena, &trouble);
	if (!others)
		*error = trouble;
	else if (*others)
		ordo_hint(error, "%s: %.400s",
			elsewhere ? "with a link between every two ranks these would apply"
				  : "these do",
			others);
	hide_progress(request->closure);
	ordo_arena_free(&arena);
	return refuse_error(call, error);
}

/* Is there a candidate that exceeds the memory limit? */
static bool takes_too_much(const struct ordo_request *request)
{
	struct ordo_candidates candidates;
	bool found = false;
	if (ordo_candidates_make(&candidates, request, NULL))
		for (uint32_t i = 0; i < candidates.nrefused; i++)
			found = found || candidates.refused[i].too_large;
	ordo_candidates_free(&candidates);
	return found;
}

bool lacks_a_way(const struct ordo_request *request, struct ordo_error *error)
{
	/* What one rank has all others get: then signals go both ways too. */
	const enum ordo_operator operators[] = {request->problem.op, ORDO_ALLGATHER};
	const struct ordo_topology *topology = request->topology;
	struct ordo_error why = {0};
	for (int i = 0; i < 2 && topology && request->problem.op != ORDO_CUSTOM; i++) {
		struct ordo_wire_bound *bound = ordo_wire_bound_make(
			operators[i], request->problem.root, topology, false, &why);
		ordo_wire_bound_destroy(bound);
		if (bound || why.code != ORDO_USAGE)
			continue;
		const bool apart = !is_in_one_part(topology, NULL, 0, NULL);
		ordo_fail(error, ORDO_USAGE, 0, "topology %.64s%s: %.400s", topology->name,
			apart ? ": the network is in parts" : "", why.text);
		ordo_hint(error, "%s",
			i ? "data needs no such path, but signals do: a rank that is written to "
			    "says "
			    "first that it is ready"
			  : "--fail-rank R for each rank that is cut off leaves the others");
		return true;
	}
	return false;
}

/* A rank that rank 0 is not joined to by steps between ranks that reach each other; ORDO_NONE:
 * there is none, or no memory to look. */
static uint32_t unanswered_rank(const struct ordo_topology *topology)
{
	const uint32_t nrank = topology->nrank;
	uint32_t *joined = calloc(nrank, sizeof *joined);
	bool *seen = calloc(nrank, sizeof *seen);
	const bool looked = joined && seen;
	uint32_t count = 1, apart = 0;
	if (looked)
		seen[0] = true;
	for (uint32_t i = 0; looked && i < count; i++)
		for (uint32_t other = 0; other < nrank; other++)
			if (!seen[other] && ordo_topology_reaches(topology, joined[i], other) &&
				ordo_topology_reaches(topology, other, joined[i])) {
				joined[count++] = other;
				seen[other] = true;
			}
	while (looked && apart < nrank && seen[apart])
		apart++;
	free(joined);
	free(seen);
	return looked && apart < nrank ? apart : ORDO_NONE;
}

bool lacks_answers(const struct ordo_request *request, struct ordo_error *error)
{
	const struct ordo_topology *topology = request->topology;
	if (lacks_a_way(request, error))
		return true;
	const uint32_t apart = topology ? unanswered_rank(topology) : ORDO_NONE;
	if (apart == ORDO_NONE || request->problem.op == ORDO_CUSTOM)
		return false;
	ordo_fail(error, ORDO_USAGE, 0,
		"topology %.64s: every path between rank 0 and rank %u has links that lead one "
		"way only",
		topology->name, apart);
	ordo_hint(error, "a Notify answers a move directly or over switches; few schedules can do "
			 "without");
	return true;
}

bool refuse_all(struct call *call, const struct ordo_request *request,
	const struct conditions *wanted, struct ordo_error *error)
{
	char conditions[128];
	print_conditions(wanted, conditions, sizeof conditions);
	ordo_fail(error, *conditions ? ORDO_REFUTED : ORDO_USAGE, 0, "%s %s%s: %s on %u ranks%s%s",
		request->algorithm ? request->algorithm : "no algorithm",
		request->algorithm ? *conditions ? "does not hold " : "does not apply"
		: *conditions	   ? "holds "
				   : "applies",
		conditions, ordo_operator_facts(request->problem.op)->name, request->problem.nrank,
		request->topology ? ", topology " : "",
		request->topology ? request->topology->name : "");
	if (takes_too_much(request))
		ordo_hint(error, "other algorithms need too much memory: use fewer ranks, or allow "
				 "more with --memory-limit SIZE");
	return refuse_with_others(call, request, wanted, error);
}

const char *without_name(const struct ordo_refusal *refused)
{
	const char *const names[] = {"algorithm", refused->algorithm};
	for (int i = 0; i < 2; i++) {
		const size_t length = strlen(names[i]);
		if (!strncmp(refused->why, names[i], length) &&
			!strncmp(refused->why + length, ": ", 2))
			return refused->why + length + 2;
	}
	return refused->why;
}

void report_passed_over(struct call *call, const struct ordo_candidates *passed)
{
	enum { SHOWN = 3, MOST_LETTERS = 160 };
	const struct report report = report_of(call, stderr),
			    list = report_list(&report, "passed_over");
	for (uint32_t i = 0; i < passed->nrefused; i++) {
		const struct ordo_refusal *refused = &passed->refused[i];
		const char *why = without_name(refused);
		const struct report one = report_item(&list);
		report_members(&one, "%s<algorithm> %s<why>", refused->algorithm, refused->why);
		if (!call->json && i < SHOWN)
			note(call, "  not %s: %.*s%s", refused->algorithm, MOST_LETTERS, why,
				strlen(why) > MOST_LETTERS ? "..." : "");
	}
	if (!call->json && passed->nrefused > SHOWN)
		note(call, "  nor %u others; --json has the reasons", passed->nrefused - SHOWN);
}
