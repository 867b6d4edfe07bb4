/* build.c - the sequential program of a request: what its algorithm moves, after ranks have folded
 * their shards. */
#include "program/build.h"
#include "passes.h"
#include "program/renumber.h"
#include "program/shards.h"
#include "request/request.h"
#include <stdio.h>
#include <string.h>

/* A move needs a link that the topology does not have. */
static void hint_detours(const struct ordo_resolved_request *request, struct ordo_error *error)
{
	const struct ordo_registry *registry = request->registry;
	const enum ordo_operator op = request->problem.op;
	char names[256] = "";
	size_t length = 0;
	for (uint32_t i = 0; registry && i < registry->nalgorithm; i++) {
		const struct ordo_algorithm *other = registry->algorithms[i];
		if (!other->around_links || !strcmp(other->around_links, request->notation) ||
			!(other->facts.operators >> op & 1) || length >= sizeof names)
			continue;
		int more = snprintf(names + length, sizeof names - length, "%s%s",
			length ? ", " : "", other->around_links);
		length += more > 0 ? (size_t)more : 0;
	}
	if (length)
		ordo_hint(error, "algorithms that look for a way around missing links: %s%s", names,
			request->map ? "" : "; or map=auto, which renumbers the ranks");
	else
		ordo_hint(error, "no algorithm for %s avoids links; choose another topology",
			ordo_operator_facts(op)->name);
}

bool ordo_build(const struct ordo_resolved_request *request, struct ordo_sequence *sequence,
	struct ordo_error *error)
{
	*sequence = (struct ordo_sequence){.problem = ordo_whole_problem(request)};
	const struct ordo_building building = {request->notation, request->topology, request->map,
		request->nshard != request->problem.nshard, request->most_moves};
	struct ordo_builder *b = ordo_builder_create(&building, sequence, error);
	if (!b)
		return false;
	if (building.folds_shards)
		ordo_fold_ranks(b, &sequence->problem);
	ordo_builder_begin_algorithm(b);
	request->algorithm->build(b, request);
	const bool lacks_link = ordo_builder_lacks_link(b), worked = ordo_builder_finish(b, error);
	if (lacks_link)
		hint_detours(request, error);
	return worked && (!request->map || ordo_sequence_renumber(sequence, request->map, error));
}
