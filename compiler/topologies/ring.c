/* ring.c - rank r has links to r-1 and r+1, both ways; with two ranks these are one neighbour and
 * one pair of links. */
#include "generator.h"

static bool add_link(
	struct ordo_topology *topology, uint32_t from, uint32_t to, struct ordo_error *error)
{
	return ordo_topology_add(
		topology, from, to, "HCCS", ORDO_HCCS_LATENCY_NS, ORDO_HCCS_BANDWIDTH_GBS, error);
}

static bool add_links(struct ordo_topology *topology, struct ordo_error *error)
{
	uint32_t n = topology->nrank;
	for (uint32_t rank = 0; rank < n && n > 1; rank++) {
		uint32_t right = rank + 1 < n ? rank + 1 : 0, left = rank ? rank - 1 : n - 1;
		uint32_t low = left < right ? left : right, high = left < right ? right : left;
		if (!add_link(topology, rank, low, error))
			return false;
		if (low != high && !add_link(topology, rank, high, error))
			return false;
	}
	return true;
}

static struct ordo_topology *make(
	const char *name, uint32_t nrank, const char *parameters, struct ordo_error *error)
{
	(void)parameters;
	struct ordo_topology *topology = ordo_topology_create(name, nrank, 0, 0, error);
	if (topology && !add_links(topology, error)) {
		ordo_topology_destroy(topology);
		return NULL;
	}
	return topology;
}

const struct ordo_topology_generator ordo_topology_ring = {
	.facts = {.name = "ring",
		.summary = "links between rank r and rank r+1, and between the last and the first",
		.ranks = "any",
		.how = "Links between each rank and the next, in both directions, and between the "
		       "last rank and the first.",
		.where = "Cards connected in a circle. Algorithm: ring.",
		.sample = "ring"},
	.make = make,
};
