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

/* ORDO_NONE: the vertex is gone. Switches keep their order after the ranks. */
static uint32_t new_number(const struct ordo_topology *topology, const uint32_t *renumbered,
	uint32_t nleft, uint32_t vertex)
{
	return vertex < topology->nrank ? renumbered[vertex] : vertex - topology->nrank + nleft;
}

static bool copy_links(const struct ordo_topology *topology, const uint32_t *renumbered,
	struct ordo_topology *left, struct ordo_error *error)
{
	for (uint32_t i = 0; i < topology->nlink; i++) {
		const struct ordo_link *link = &topology->links[i];
		const uint32_t from = new_number(topology, renumbered, left->nrank, link->from),
			       to = new_number(topology, renumbered, left->nrank, link->to);
		if (from == ORDO_NONE || to == ORDO_NONE)
			continue;
		if (!ordo_topology_add(left, from, to, topology->class_names[link->class_name],
			    link->latency_ns, link->bandwidth_gbs, error))
			return false;
		left->links[left->nlink - 1].down = link->down;
		left->links[left->nlink - 1].reduce_gbs = link->reduce_gbs;
	}
	return true;
}

struct ordo_topology *topology_without(
	const struct ordo_topology *topology, const uint32_t *renumbered, struct ordo_error *error)
{
	uint32_t nleft = 0;
	for (uint32_t i = 0; i < topology->nrank; i++)
		nleft += renumbered[i] != ORDO_NONE;
	struct ordo_topology *left = ordo_topology_create(
		topology->name, nleft, topology->nswitch, topology->ports, error);
	if (!left)
		return NULL;
	left->cores = topology->cores;
	left->task_ns = topology->task_ns;
	left->reduce_gbs = topology->reduce_gbs;
	left->copy_gbs = topology->copy_gbs;
	memcpy(left->sum_gbs, topology->sum_gbs, sizeof left->sum_gbs);
	bool worked = true;
	if (topology->extra) {
		left->extra =
			ordo_arena_text(&left->arena, topology->extra, strlen(topology->extra));
		worked = left->extra ? true : ordo_fail_memory(error);
	}
	if (worked && copy_links(topology, renumbered, left, error))
		return left;
	ordo_topology_destroy(left);
	return NULL;
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
