/* loss.c - topologies that lost switches or ranks. */
#include "loss.h"
#include <ordo/arena.h>
#include <stdlib.h>
#include <string.h>

static bool refuse_vertex(
	const struct ordo_topology *topology, uint32_t vertex, struct ordo_error *error)
{
	const uint32_t first = topology->nrank, last = first + topology->nswitch - 1;
	if (!topology->nswitch)
		ordo_fail(error, ORDO_USAGE, 0, "--fail-switch: found %u, but %s has no switch",
			vertex, topology->name);
	else if (topology->nswitch == 1)
		ordo_fail(error, ORDO_USAGE, 0,
			"--fail-switch: found %u, wanted %u, the only switch of %s", vertex, first,
			topology->name);
	else
		ordo_fail(error, ORDO_USAGE, 0,
			"--fail-switch: found %u, wanted a switch of %s, %u..%u", vertex,
			topology->name, first, last);
	return vertex < first ? ordo_hint(error, "%u is a rank: --fail-rank %u", vertex, vertex)
			      : ordo_hint(error, "switches are numbered after the ranks, as in the "
						 "links of a topology document");
}

bool fail_switch(struct ordo_topology *topology, uint32_t vertex, struct ordo_error *error)
{
	if (vertex < topology->nrank || vertex - topology->nrank >= topology->nswitch)
		return refuse_vertex(topology, vertex, error);
	for (uint32_t i = 0; i < topology->nlink; i++)
		if (topology->links[i].from == vertex || topology->links[i].to == vertex)
			topology->links[i].down = true;
	return true;
}

static uint32_t root_of(uint32_t *parents, uint32_t vertex)
{
	while (parents[vertex] != vertex)
		vertex = parents[vertex] = parents[parents[vertex]];
	return vertex;
}

static uint32_t old_number(uint32_t rank, const uint32_t *renumbered, uint32_t old)
{
	for (uint32_t i = 0; renumbered && i < old; i++)
		if (renumbered[i] == rank)
			return i;
	return rank;
}

bool is_in_one_part(const struct ordo_topology *topology, const uint32_t *renumbered, uint32_t old,
	struct ordo_error *error)
{
	const uint32_t nvertex = topology->nrank + topology->nswitch;
	uint32_t *parents = calloc(nvertex, sizeof *parents);
	if (!parents)
		return ordo_fail_memory(error);
	for (uint32_t v = 0; v < nvertex; v++)
		parents[v] = v;
	for (uint32_t i = 0; i < topology->nlink; i++)
		if (!topology->links[i].down)
			parents[root_of(parents, topology->links[i].from)] =
				root_of(parents, topology->links[i].to);
	uint32_t apart = 1;
	while (apart < topology->nrank && root_of(parents, apart) == root_of(parents, 0))
		apart++;
	free(parents);
	if (apart >= topology->nrank)
		return true;
	ordo_fail(error, ORDO_USAGE, 0,
		"%s: the network is in parts: no path between rank %u and rank %u is left",
		topology->name, old_number(0, renumbered, old), old_number(apart, renumbered, old));
	return ordo_hint(error, "--fail-rank R for each rank that is cut off leaves the others");
}
