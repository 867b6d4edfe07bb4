/* fast_links.c - finds links that are slower than a way around them, or that lead one way only, and
 * takes them down.
 *
 * A link that is up but slow costs more than one that is down, where algorithms use all links
 * alike. And data that goes where signals cannot come back from cannot be sent at all.
 */
#include "fast_links.h"
#include <math.h>

/* Beyond, looking at all ways over a third rank takes longer than compiling. */
enum { MOST_RANKS = 512 };

/* GB/s of the fastest link from one rank to another; 0: none is up. */
static double speed(const struct ordo_topology *topology, uint32_t from, uint32_t to)
{
	uint32_t link;
	const uint32_t end = ordo_topology_links(topology, from, to, &link);
	double most = 0;
	for (; link < end; link++)
		if (!topology->links[link].down && topology->links[link].bandwidth_gbs > most)
			most = topology->links[link].bandwidth_gbs;
	return most;
}

/* Whether a way over a third rank is at least twice as fast. */
static bool is_slow(const struct ordo_topology *topology, const struct ordo_link *link)
{
	const double wanted = 2 * speed(topology, link->from, link->to);
	for (uint32_t i = topology->first_link[link->from];
		i < topology->first_link[link->from + 1]; i++) {
		const struct ordo_link *first = &topology->links[i];
		if (!first->down && first->to < topology->nrank && first->bandwidth_gbs >= wanted &&
			speed(topology, first->to, link->to) >= wanted)
			return true;
	}
	return false;
}

/* The first slow link from a place on; nlink: there is none. */
static uint32_t find_slow(const struct ordo_topology *topology, uint32_t begin)
{
	for (uint32_t i = begin; i < topology->nlink; i++) {
		const struct ordo_link *link = &topology->links[i];
		if (!link->down && link->from < topology->nrank && link->to < topology->nrank &&
			is_slow(topology, link))
			return i;
	}
	return topology->nlink;
}

/* Whether some link is so much faster than another that this may be slow. */
static bool is_unequal(const struct ordo_topology *topology)
{
	double least = HUGE_VAL, most = 0;
	for (uint32_t i = 0; i < topology->nlink; i++) {
		const double width = topology->links[i].bandwidth_gbs;
		if (topology->links[i].down)
			continue;
		least = width < least ? width : least;
		most = width > most ? width : most;
	}
	return most >= 2 * least;
}

bool ordo_has_slow_links(const struct ordo_topology *topology)
{
	return topology && topology->nrank <= MOST_RANKS && is_unequal(topology) &&
	       find_slow(topology, 0) < topology->nlink;
}

static bool leads_back(const struct ordo_topology *topology, const struct ordo_link *link)
{
	return speed(topology, link->to, link->from) > 0;
}

bool ordo_has_one_way_links(const struct ordo_topology *topology)
{
	for (uint32_t i = 0; topology && i < topology->nlink; i++)
		if (!topology->links[i].down && !leads_back(topology, &topology->links[i]))
			return true;
	return false;
}

/* Whether a link as wide as this one, of its class, is up the other way. */
static bool is_matched(const struct ordo_topology *topology, const struct ordo_link *link)
{
	uint32_t i;
	const uint32_t end = ordo_topology_links(topology, link->to, link->from, &i);
	for (; i < end; i++) {
		const struct ordo_link *back = &topology->links[i];
		if (!back->down && back->class_name == link->class_name &&
			back->bandwidth_gbs == link->bandwidth_gbs)
			return true;
	}
	return false;
}

bool ordo_has_unequal_directions(const struct ordo_topology *topology)
{
	for (uint32_t i = 0; topology && i < topology->nlink; i++)
		if (!topology->links[i].down && !is_matched(topology, &topology->links[i]))
			return true;
	return false;
}

/* All links; with `paired` those are down that are not up in both directions. Links that are down
 * stay, because whoever names their class on a path over them is refused. */
static struct ordo_topology *copy_links(
	const struct ordo_topology *topology, bool paired, struct ordo_error *error)
{
	struct ordo_topology *copy = ordo_topology_create(
		topology->name, topology->nrank, topology->nswitch, topology->ports, error);
	bool worked = copy;
	for (uint32_t i = 0; worked && i < topology->nlink; i++) {
		const struct ordo_link *link = &topology->links[i];
		worked = ordo_topology_add(copy, link->from, link->to,
			topology->class_names[link->class_name], link->latency_ns,
			link->bandwidth_gbs, error);
		if (worked)
			copy->links[i].down = link->down || (paired && !leads_back(topology, link));
	}
	if (worked && ordo_topology_finish(copy, error))
		return copy;
	ordo_topology_destroy(copy);
	return NULL;
}

struct ordo_topology *ordo_without_one_way_links(
	const struct ordo_topology *topology, struct ordo_error *error)
{
	return copy_links(topology, true, error);
}

struct ordo_topology *ordo_without_slow_links(
	const struct ordo_topology *topology, struct ordo_error *error)
{
	struct ordo_topology *copy = copy_links(topology, false, error);
	bool worked = copy;
	const bool looks = topology->nrank <= MOST_RANKS;
	for (uint32_t i = looks ? find_slow(topology, 0) : topology->nlink;
		worked && i < topology->nlink; i = find_slow(topology, i + 1))
		worked = ordo_topology_fail_link(
			copy, topology->links[i].from, topology->links[i].to, error);
	worked = worked && ordo_topology_finish(copy, error);
	if (worked)
		return copy;
	ordo_topology_destroy(copy);
	return NULL;
}
