/* compile_program.c - from a program that a caller writes to a proved schedule. */
#include "algorithms/registry.h"
#include "pipeline/pipeline.h"
#include <ordo/options.h>

/* An algorithm that is not in the table. */
struct caller {
	struct ordo_algorithm algorithm; /* first, so that one pointer is both */
	ordo_write_program *write;
	void *closure;
};

static void build(struct ordo_builder *b, const struct ordo_resolved_request *resolved)
{
	const struct caller *caller = (const void *)resolved->algorithm;
	caller->write(b, &resolved->problem, caller->closure);
}

static bool resolve(struct ordo_resolved_request *resolved, const struct ordo_request *request,
	const struct caller *caller, struct ordo_error *error)
{
	if (!request->algorithm)
		return ordo_fail(error, ORDO_USAGE, 0,
			"algorithm: found none, wanted a name for the schedule");
	if (!ordo_request_take_problem(resolved, request, error) ||
		!ordo_has_enough_shards(resolved, error))
		return false;
	resolved->registry = &ordo_registry;
	resolved->algorithm = &caller->algorithm;
	resolved->notation = request->algorithm;
	ordo_leave_shards_to_ranks(resolved);
	if (!resolved->problem.chunks_per_block)
		resolved->problem.chunks_per_block = 1;
	const struct ordo_problem whole = ordo_whole_problem(resolved);
	return ordo_check_problem(&whole, error);
}

struct ordo_schedule *ordo_compile_program_sized(size_t size, const struct ordo_request *request,
	ordo_write_program *write, void *closure, struct ordo_error *error)
{
	struct ordo_request own;
	if (!ordo_options_take(&own, sizeof own, request, size, error))
		return NULL;
	const struct caller caller = {
		.algorithm = {.facts = {.name = own.algorithm}, .build = build},
		.write = write,
		.closure = closure};
	struct ordo_resolved_request resolved = {0};
	struct ordo_schedule *schedule = NULL;
	if (resolve(&resolved, &own, &caller, error))
		schedule = ordo_compile_resolved(&own, &resolved, error);
	ordo_resolved_request_destroy(&resolved);
	return schedule;
}

struct ordo_schedule *(ordo_compile_program)(const struct ordo_request *request,
	ordo_write_program *write, void *closure, struct ordo_error *error)
{
	return ordo_compile_program_sized(
		ORDO_UP_TO(ordo_request, closure), request, write, closure, error);
}
