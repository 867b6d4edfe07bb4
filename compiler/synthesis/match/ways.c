/* ways.c - finds the ways of single messages between ranks. */
#include "ways.h"
#include <ordo/schedule.h>

static bool is_better(const struct ordo_way *a, const struct ordo_way *b)
{
	return a->hops != b->hops ? a->hops < b->hops : a->bandwidth_gbs > b->bandwidth_gbs;
}

static struct ordo_way extend(
	const struct ordo_way *way, const struct ordo_topology *topology, uint32_t l)
{
	const struct ordo_link *link = &topology->links[l];
	const double most = way->bandwidth_gbs;
	return (struct ordo_way){.hops = way->hops + 1,
		.link = l,
		.latency_ns = way->latency_ns + link->latency_ns,
		.bandwidth_gbs = link->bandwidth_gbs < most ? link->bandwidth_gbs : most};
}

/* Returns whether a vertex was reached, or reached better. */
static bool go_on(const struct ordo_topology *topology, uint32_t vertex, struct ordo_way *ways)
{
	bool more = false;
	for (uint32_t l = topology->first_link[vertex]; l < topology->first_link[vertex + 1]; l++) {
		const struct ordo_link *link = &topology->links[l];
		if (link->down)
			continue;
		const struct ordo_way next = extend(&ways[vertex], topology, l);
		if (is_better(&next, &ways[link->to])) {
			ways[link->to] = next;
			more = true;
		}
	}
	return more;
}

void ordo_ways_from(const struct ordo_topology *topology, uint32_t rank, struct ordo_way *ways)
{
	const uint32_t nvertex = topology->nrank + topology->nswitch;
	for (uint32_t v = 0; v < nvertex; v++)
		ways[v] = (struct ordo_way){.hops = ORDO_NONE, .link = ORDO_NONE};
	ways[rank] = (struct ordo_way){.link = ORDO_NONE, .bandwidth_gbs = 1e300};
	bool more = go_on(topology, rank, ways);
	for (uint32_t hops = 1; more; hops++) {
		more = false;
		for (uint32_t v = topology->nrank; v < nvertex; v++)
			if (ways[v].hops == hops)
				more |= go_on(topology, v, ways);
	}
}

uint64_t ordo_way_time(const struct ordo_way *way, uint64_t bytes)
{
	const double time = way->latency_ns * 1e3 + (double)bytes * 1e3 / way->bandwidth_gbs;
	return time < 1 ? 1 : time > 1e15 ? (uint64_t)1e15 : (uint64_t)time;
}
