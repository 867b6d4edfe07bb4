/* request.c - reads and checks a request: problem, topology, algorithm and its parameters. */
#include "request.h"
#include "fast_links.h"
#include "map.h"
#include <assert.h>
#include <ordo/plural.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

bool ordo_error_in(struct ordo_error *error, const char *format, ...)
{
	static const char said[] = "algorithm: ";
	if (!error || error->code != ORDO_USAGE)
		return false;
	char where[256], what[sizeof error->text];
	va_list arguments;
	va_start(arguments, format);
	vsnprintf(where, sizeof where, format, arguments);
	va_end(arguments);
	const bool begins = !strncmp(error->text, said, strlen(said));
	snprintf(what, sizeof what, "%s", error->text + (begins ? strlen(said) : 0));
	snprintf(error->text, sizeof error->text, "algorithm: %s: %.1700s", where, what);
	return false;
}

bool ordo_check_problem(const struct ordo_problem *problem, struct ordo_error *error)
{
	if (ordo_problem_check(problem, error))
		return true;
	if (error && error->code == ORDO_BAD_INPUT) {
		error->code = ORDO_USAGE;
		error->rule = 0;
	}
	return false;
}

bool ordo_has_enough_shards(const struct ordo_resolved_request *resolved, struct ordo_error *error)
{
	const uint32_t nrank = resolved->problem.nrank;
	return resolved->nshard >= nrank ||
	       ordo_fail(error, ORDO_USAGE, 0,
		       "shards: found %u shard%s on %u rank%s, wanted at least one a rank: %u or "
		       "more",
		       resolved->nshard, ordo_plural(resolved->nshard), nrank, ordo_plural(nrank),
		       nrank);
}

bool ordo_request_take_problem(struct ordo_resolved_request *resolved,
	const struct ordo_request *request, struct ordo_error *error)
{
	struct ordo_problem *problem = &resolved->problem;
	*problem = request->problem;
	if (!problem->nshard)
		problem->nshard = problem->nrank;
	if (!problem->chunks_per_block)
		problem->chunks_per_block = 1;
	if (!ordo_check_problem(problem, error))
		return false;
	if (problem->op == ORDO_CUSTOM)
		return ordo_fail(error, ORDO_USAGE, 0,
			"Custom: nothing says what it should compute, so nothing is compiled for "
			"it");
	resolved->nshard = problem->nshard;
	resolved->most_moves = request->most_moves;
	resolved->kept_placements = request->kept_placements;
	resolved->kept_phases = request->kept_phases;
	problem->chunks_per_block = request->problem.chunks_per_block;
	resolved->topology = resolved->whole = request->topology;
	if (resolved->topology && resolved->topology->nrank != problem->nrank)
		return ordo_fail(error, ORDO_USAGE, 0,
			"topology: \"%s\" has %u rank%s, the problem has %u",
			resolved->topology->name, resolved->topology->nrank,
			ordo_plural(resolved->topology->nrank), problem->nrank);
	return true;
}

void ordo_leave_shards_to_ranks(struct ordo_resolved_request *resolved)
{
	struct ordo_problem *problem = &resolved->problem;
	if (resolved->algorithm->takes_shards || resolved->nshard == problem->nrank)
		return;
	problem->nshard = problem->nrank;
	problem->in_place = true;
}

struct ordo_problem ordo_whole_problem(const struct ordo_resolved_request *resolved)
{
	struct ordo_problem whole = resolved->problem;
	whole.nshard = resolved->nshard;
	whole.in_place = whole.in_place && resolved->nshard == resolved->problem.nshard;
	return whole;
}

/* With links=fast the algorithm sees a topology without slow links, with links=paired one without
 * links that lead one way only. */
static bool choose_links(struct ordo_resolved_request *resolved, struct ordo_error *error)
{
	const struct ordo_algorithm_facts *facts = &resolved->algorithm->facts;
	const char *links = "all";
	for (uint32_t i = 0; i < facts->nparameter; i++)
		if (!strcmp("links", facts->parameters[i].name))
			links = resolved->values[i].word;
	if ((strcmp(links, "fast") != 0 && strcmp(links, "paired") != 0) || !resolved->topology)
		return true;
	resolved->topology = resolved->fast =
		(strcmp(links, "fast") != 0 ? ordo_without_one_way_links : ordo_without_slow_links)(
			resolved->topology, error);
	return resolved->topology;
}

bool ordo_request_read(struct ordo_resolved_request *resolved, const struct ordo_registry *registry,
	const struct ordo_request *request, struct ordo_error *error)
{
	*resolved = (struct ordo_resolved_request){.registry = registry, .order = request->order};
	if (!request->algorithm)
		return ordo_fail(error, ORDO_USAGE, 0, "algorithm: found none, wanted its name");
	if (!ordo_request_take_problem(resolved, request, error) ||
		!ordo_has_enough_shards(resolved, error) ||
		!ordo_notation_read(resolved, request->algorithm, error) ||
		!ordo_has_operator(resolved, error) || !choose_links(resolved, error) ||
		!ordo_map_take(resolved, error))
		return false;
	ordo_leave_shards_to_ranks(resolved);
	return !resolved->algorithm->applicable || resolved->algorithm->applicable(resolved, error);
}

bool ordo_request_prepare(
	struct ordo_resolved_request *resolved, ordo_resolve *resolve, struct ordo_error *error)
{
	resolved->resolve = resolve;
	const struct ordo_algorithm *algorithm = resolved->algorithm;
	if (algorithm->prepare && !algorithm->prepare(resolved, error))
		return false;
	if (!resolved->problem.chunks_per_block)
		resolved->problem.chunks_per_block =
			algorithm->chunks ? algorithm->chunks(resolved) : 1;
	const struct ordo_problem whole = ordo_whole_problem(resolved);
	return ordo_check_problem(&whole, error);
}

void ordo_resolved_request_destroy(struct ordo_resolved_request *resolved)
{
	if (resolved->algorithm && resolved->algorithm->release)
		resolved->algorithm->release(resolved);
	ordo_topology_destroy(resolved->fast);
	ordo_topology_destroy(resolved->renumbered);
	ordo_arena_free(&resolved->arena);
	*resolved = (struct ordo_resolved_request){0};
}

const struct ordo_value *ordo_parameter_value(
	const struct ordo_resolved_request *resolved, const char *name)
{
	const struct ordo_algorithm_facts *facts = &resolved->algorithm->facts;
	for (uint32_t i = 0; i < ordo_parameter_count(facts); i++)
		if (!strcmp(name, ordo_parameter_at(facts, i)->name))
			return &resolved->values[i];
	assert(!"a parameter of the algorithm");
	return NULL;
}

bool ordo_parameter_is(
	const struct ordo_resolved_request *resolved, const char *name, const char *word)
{
	return !strcmp(ordo_parameter_value(resolved, name)->word, word);
}

uint32_t ordo_parameter_number(const struct ordo_resolved_request *resolved, const char *name)
{
	return ordo_parameter_value(resolved, name)->number;
}

bool ordo_claims_of(const struct ordo_resolved_request *resolved, struct ordo_claims *claims,
	struct ordo_error *error)
{
	*claims = (struct ordo_claims){
		resolved->algorithm->steps(resolved), resolved->algorithm->volume(resolved)};
	return claims->steps != ORDO_UNCOUNTED && claims->volume != ORDO_UNCOUNTED
		       ? true
		       : ordo_fail_memory(error);
}
