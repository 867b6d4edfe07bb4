/* parallel.c - links of several classes between the same two vertices, told apart. */
#include "parallel.h"
#include <ordo/arena.h>
#include <ordo/detail/topologies.h>
#include <stdlib.h>
#include <string.h>

/* Whether a link that is up lies beside a better one. */
static bool is_beside(const struct ordo_topology *topology, uint32_t link)
{
	const struct ordo_link *it = &topology->links[link];
	return !it->down && ordo_topology_best_link(topology, it->from, it->to) != link;
}

bool ordo_has_parallel_links(const struct ordo_topology *topology)
{
	for (uint32_t i = 0; i < topology->nlink; i++)
		if (is_beside(topology, i))
			return true;
	return false;
}

/* The link of the same class that leads back and lies beside a better one; ORDO_NONE. */
static uint32_t find_reverse(const struct ordo_topology *topology, uint32_t link)
{
	const struct ordo_link *it = &topology->links[link];
	uint32_t first;
	const uint32_t end = ordo_topology_links(topology, it->to, it->from, &first);
	for (uint32_t i = first; i < end; i++)
		if (topology->links[i].class_name == it->class_name && is_beside(topology, i))
			return i;
	return ORDO_NONE;
}

/* The vertices of links: vertex_of[nlink], ORDO_NONE where they need none. */
static void number_vertices(struct ordo_parallel_links *links, uint32_t *vertex_of)
{
	const struct ordo_topology *topology = links->given;
	for (uint32_t i = 0; i < topology->nlink; i++) {
		vertex_of[i] = ORDO_NONE;
		if (!is_beside(topology, i))
			continue;
		const uint32_t back = find_reverse(topology, i);
		if (back < i) {
			vertex_of[i] = vertex_of[back];
			continue;
		}
		links->classes[links->count] = topology->links[i].class_name;
		vertex_of[i] = topology->nrank + links->count++;
	}
}

static uint32_t place_of(const struct ordo_parallel_links *links, uint32_t vertex)
{
	return vertex < links->given->nrank ? vertex : vertex + links->count;
}

/* Links and vertices of a topology in which all are apart. */
static bool put_apart(
	struct ordo_parallel_links *links, const uint32_t *vertex_of, struct ordo_error *error)
{
	const struct ordo_topology *topology = links->given;
	links->apart = ordo_topology_create(topology->name, topology->nrank,
		topology->nswitch + links->count, topology->ports, error);
	bool worked = links->apart;
	for (uint32_t i = 0; worked && i < topology->nlink; i++) {
		const struct ordo_link *link = &topology->links[i];
		const uint32_t from = place_of(links, link->from), to = place_of(links, link->to),
			       over = vertex_of[i];
		if (link->down)
			continue;
		worked = ordo_topology_add(links->apart, from, over == ORDO_NONE ? to : over, NULL,
				 link->latency_ns, link->bandwidth_gbs, error) &&
			 (over == ORDO_NONE || ordo_topology_add(links->apart, over, to, NULL, 0,
						       link->bandwidth_gbs, error));
	}
	return worked && ordo_topology_finish(links->apart, error);
}

bool ordo_parallel_links_make(struct ordo_parallel_links *links,
	const struct ordo_topology *topology, struct ordo_error *error)
{
	uint32_t *vertex_of = ordo_array_make(topology->nlink, sizeof *vertex_of, 0);
	*links = (struct ordo_parallel_links){.given = topology,
		.classes = ordo_array_make(topology->nlink, sizeof *links->classes, 0)};
	bool worked = (vertex_of && links->classes) || ordo_fail_memory(error);
	if (worked)
		number_vertices(links, vertex_of);
	worked = worked && (!links->count || put_apart(links, vertex_of, error));
	free(vertex_of);
	return worked;
}

void ordo_parallel_links_free(struct ordo_parallel_links *links)
{
	ordo_topology_destroy(links->apart);
	free(links->classes);
	*links = (struct ordo_parallel_links){.given = NULL};
}

/* Whether a vertex stands for a link beside a better one. */
static bool is_link(const struct ordo_parallel_links *links, uint32_t vertex)
{
	return vertex >= links->given->nrank && vertex < links->given->nrank + links->count;
}

/* The best link in `given` between two vertices of `apart`. */
static uint32_t best_between(const struct ordo_parallel_links *links, uint32_t from, uint32_t to)
{
	const uint32_t nrank = links->given->nrank;
	return ordo_topology_best_link(links->given, from < nrank ? from : from - links->count,
		to < nrank ? to : to - links->count);
}

/* Whether the best link between two vertices is taken by who names this class. */
static bool takes_best(
	const struct ordo_parallel_links *links, uint32_t from, uint32_t to, uint32_t class_name)
{
	const struct ordo_topology *topology = links->given;
	const uint32_t best = best_between(links, from, to);
	const struct ordo_link *link = &topology->links[best];
	uint32_t first;
	const uint32_t end = ordo_topology_links(topology, link->from, link->to, &first);
	for (uint32_t i = first; i < end; i++)
		if (topology->links[i].class_name == class_name)
			return i == best;
	return true;
}

bool ordo_parallel_links_nameable(const struct ordo_parallel_links *links,
	const struct ordo_apart_way *way, const char **class_name)
{
	uint32_t named = ORDO_NONE;
	bool answer = true;
	*class_name = NULL;
	for (uint32_t i = 0; links && answer && i < way->nvia; i++) {
		if (!is_link(links, way->via[i]))
			continue;
		const uint32_t here = links->classes[way->via[i] - links->given->nrank];
		answer = named == ORDO_NONE || named == here;
		named = here;
	}
	if (named == ORDO_NONE || !answer)
		return answer;
	*class_name = links->given->class_names[named];
	for (uint32_t i = 0; answer && i <= way->nvia; i++) {
		const uint32_t a = i ? way->via[i - 1] : way->from,
			       z = i < way->nvia ? way->via[i] : way->to;
		answer = is_link(links, a) || is_link(links, z) ||
			 (way->backwards ? takes_best(links, z, a, named)
					 : takes_best(links, a, z, named));
	}
	return answer;
}

uint32_t ordo_parallel_links_classes(const struct ordo_parallel_links *links,
	const struct ordo_apart_way *way, const char **classes)
{
	const struct ordo_topology *topology = links->given;
	uint32_t count = 0, at = way->from;
	for (uint32_t i = 0; i <= way->nvia; i++) {
		const uint32_t next = i < way->nvia ? way->via[i] : way->to;
		uint32_t class_name = ORDO_NONE;
		if (is_link(links, next))
			class_name = links->classes[next - topology->nrank];
		else if (!is_link(links, at))
			class_name = topology->links[best_between(links, at, next)].class_name;
		if (class_name != ORDO_NONE)
			classes[count++] = topology->class_names[class_name];
		at = next;
	}
	return count;
}

uint32_t ordo_parallel_links_switches(const struct ordo_parallel_links *links, const uint32_t *via,
	uint32_t nvia, uint32_t *switches)
{
	uint32_t count = 0;
	for (uint32_t i = 0; i < nvia; i++)
		if (!links || !is_link(links, via[i]))
			switches[count++] = via[i] - (links ? links->count : 0);
	return count;
}

/* The bandwidth of a path if a class is named (ORDO_NONE: none); 0: it cannot be. */
static double width_along(const struct ordo_topology *topology, const uint32_t *path,
	uint32_t count, uint32_t class_name)
{
	double least = 0;
	for (uint32_t i = 0; i + 1 < count; i++) {
		uint32_t link = ordo_topology_best_link(topology, path[i], path[i + 1]), first;
		const uint32_t end = ordo_topology_links(topology, path[i], path[i + 1], &first);
		for (uint32_t k = first; k < end; k++)
			if (topology->links[k].class_name == class_name)
				link = k;
		if (link == ORDO_NONE || topology->links[link].down)
			return 0;
		const double here = topology->links[link].bandwidth_gbs;
		least = i && least < here ? least : here;
	}
	return least;
}

uint32_t ordo_classes_along(const struct ordo_topology *topology, const uint32_t *path,
	uint32_t count, struct ordo_class_lane lanes[ORDO_MOST_CLASSES])
{
	uint32_t nlane = 1;
	lanes[0] = (struct ordo_class_lane){NULL, width_along(topology, path, count, ORDO_NONE), 0};
	for (uint32_t i = 0; i + 1 < count; i++) {
		uint32_t first;
		const uint32_t end = ordo_topology_links(topology, path[i], path[i + 1], &first);
		for (uint32_t k = first; k < end && nlane < ORDO_MOST_CLASSES; k++) {
			const uint32_t class_name = topology->links[k].class_name;
			const char *name = topology->class_names[class_name];
			const double width = width_along(topology, path, count, class_name);
			bool known = !is_beside(topology, k) || !(width > 0);
			for (uint32_t l = 1; !known && l < nlane; l++)
				known = lanes[l].class_name == name;
			if (!known)
				lanes[nlane++] = (struct ordo_class_lane){name, width, 0};
		}
	}
	return nlane;
}

uint32_t ordo_next_class(const struct ordo_class_lane *lanes, uint32_t count)
{
	uint32_t best = 0;
	for (uint32_t i = 1; i < count; i++)
		if ((double)(lanes[i].sent + 1) * lanes[best].width_gbs <
			(double)(lanes[best].sent + 1) * lanes[i].width_gbs)
			best = i;
	return best;
}
