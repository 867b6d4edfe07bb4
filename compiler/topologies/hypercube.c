/* hypercube.c - 2^k ranks, each with a link to every rank whose number differs in one binary
 * digit. */
#include "generator.h"

static bool check_ranks(uint32_t nrank, struct ordo_error *error)
{
	return !(nrank & (nrank - 1)) ||
	       ordo_fail(error, ORDO_USAGE, 0,
		       "topology hypercube: found %u ranks, wanted a power of two", nrank);
}

static bool add_links(struct ordo_topology *topology, struct ordo_error *error)
{
	for (uint32_t rank = 0; rank < topology->nrank; rank++)
		for (uint32_t digit = 1; digit < topology->nrank; digit *= 2)
			if (!ordo_add_hccs(topology, rank, rank ^ digit, error))
				return false;
	return true;
}

const struct ordo_topology_generator ordo_topology_hypercube = {
	.facts = {.name = "hypercube",
		.summary = "links to the ranks that differ in one binary digit",
		.ranks = "2^k",
		.how = "Every two ranks whose numbers differ in one binary digit have a link.",
		.where = "A power of two of ranks. Algorithms: halving-doubling, dyadic.",
		.sample = "hypercube"},
	.check_ranks = check_ranks,
	.add_links = add_links,
};
