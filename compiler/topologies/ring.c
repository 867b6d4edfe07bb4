/* ring.c - rank r has links to r-1 and r+1, both ways; with two ranks these are one neighbour and
 * one pair of links. */
#include "generator.h"

static bool add_links(struct ordo_topology *topology, struct ordo_error *error)
{
	uint32_t n = topology->nrank;
	for (uint32_t rank = 0; rank < n && n > 1; rank++) {
		uint32_t right = rank + 1 < n ? rank + 1 : 0, left = rank ? rank - 1 : n - 1;
		uint32_t low = left < right ? left : right, high = left < right ? right : left;
		if (!ordo_add_hccs(topology, rank, low, error))
			return false;
		if (low != high && !ordo_add_hccs(topology, rank, high, error))
			return false;
	}
	return true;
}

const struct ordo_topology_generator ordo_topology_ring = {
	.facts = {.name = "ring",
		.summary = "links between rank r and rank r+1, and between the last and the first",
		.ranks = "any",
		.how = "Each rank has links to and from the next one, and the last rank to and "
		       "from the first.",
		.where = "Cards connected in a circle. Algorithm: ring.",
		.sample = "ring"},
	.add_links = add_links,
};
