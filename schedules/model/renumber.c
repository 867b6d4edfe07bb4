/* renumber.c - a topology whose ranks have other numbers, or are gone. */
#include <ordo/arena.h>
#include <ordo/topology.h>
#include <string.h>

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

struct ordo_topology *ordo_topology_renumber(
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
