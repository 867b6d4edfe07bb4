/* map.c - runs an algorithm with its ranks renumbered, by the parameter `map`.
 *
 * Rank i of the algorithm is rank map[i] of the problem. The algorithm sees the topology and the
 * root by its own numbers; ordo_build turns its moves into those of the problem.
 */
#include "map.h"
#include <stdlib.h>
#include <string.h>

static const struct ordo_parameter map_parameter = {.name = "map",
	.values = "none|auto|[0,2,1,3]",
	.fallback = "none",
	.meaning = "the ranks in the order in which the algorithm numbers them; "
		   "auto: an order that needs no missing link, up to 64 ranks",
	.kind = ORDO_LISTS};

static const struct ordo_parameter via_parameter = {.name = "via",
	.values = "none|spread",
	.fallback = "none",
	.meaning = "spread: streams name the switches of their path, so that "
		   "parallel links share the load",
	.kind = ORDO_WORD};

uint32_t ordo_parameter_count(const struct ordo_algorithm_facts *facts)
{
	return facts->nparameter + 2;
}

const struct ordo_parameter *ordo_parameter_at(
	const struct ordo_algorithm_facts *facts, uint32_t index)
{
	if (index < facts->nparameter)
		return &facts->parameters[index];
	return index == facts->nparameter ? &via_parameter : &map_parameter;
}

static bool fail_map(const struct ordo_resolved_request *resolved, struct ordo_error *error)
{
	const uint32_t nrank = resolved->problem.nrank;
	return ordo_fail(error, ORDO_USAGE, 0,
		"algorithm: map: found %s, wanted %u different ranks of 0..%u",
		ordo_parameter_value(resolved, "map")->word, nrank, nrank - 1);
}

/* inverse[map[i]] becomes i. */
static bool invert(const struct ordo_resolved_request *resolved, const struct ordo_value *value,
	uint32_t *inverse)
{
	const uint32_t nrank = resolved->problem.nrank;
	if (value->nlist != 1 || value->ends[0] != nrank)
		return false;
	for (uint32_t i = 0; i < nrank; i++)
		inverse[i] = ORDO_NONE;
	for (uint32_t i = 0; i < nrank; i++) {
		if (value->items[i] >= nrank || inverse[value->items[i]] != ORDO_NONE)
			return false;
		inverse[value->items[i]] = i;
	}
	return true;
}

static struct ordo_topology *renumber_topology(
	const struct ordo_topology *topology, const uint32_t *inverse, struct ordo_error *error)
{
	struct ordo_topology *copy = ordo_topology_renumber(topology, inverse, error);
	if (copy && ordo_topology_finish(copy, error))
		return copy;
	ordo_topology_destroy(copy);
	return NULL;
}

static bool take_list(struct ordo_resolved_request *resolved, const struct ordo_value *value,
	struct ordo_error *error)
{
	const uint32_t nrank = resolved->problem.nrank;
	uint32_t *inverse =
		ordo_arena_alloc(&resolved->arena, ((size_t)nrank + 1) * sizeof *inverse);
	if (!inverse)
		return ordo_fail_memory(error);
	if (!invert(resolved, value, inverse))
		return fail_map(resolved, error);
	resolved->map = value->items;
	if (ordo_operator_facts(resolved->problem.op)->rooted)
		resolved->problem.root = inverse[resolved->problem.root];
	if (!resolved->topology)
		return true;
	resolved->topology = resolved->renumbered =
		renumber_topology(resolved->topology, inverse, error);
	return resolved->topology;
}

bool ordo_map_take(struct ordo_resolved_request *resolved, struct ordo_error *error)
{
	const struct ordo_value *value = ordo_parameter_value(resolved, "map");
	if (!strcmp(value->word, "none"))
		return true;
	if (resolved->nshard % resolved->problem.nrank)
		return ordo_fail(error, ORDO_USAGE, 0,
			"algorithm: map: found %u shards on %u ranks, wanted as many on each",
			resolved->nshard, resolved->problem.nrank);
	if (value->nlist)
		return take_list(resolved, value, error);
	resolved->finds_map = true;
	resolved->topology = NULL;
	return true;
}
