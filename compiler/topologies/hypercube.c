/* hypercube.c - 2^k ranks, each with a link to every rank whose number differs in one binary
 * digit. */
#include "generator.h"

static bool add_links(struct ordo_topology *topology, struct ordo_error *error)
{
	for (uint32_t rank = 0; rank < topology->nrank; rank++)
		for (uint32_t digit = 1; digit < topology->nrank; digit *= 2)
			if (!ordo_topology_add(topology, rank, rank ^ digit, "HCCS",
				    ORDO_HCCS_LATENCY_NS, ORDO_HCCS_BANDWIDTH_GBS, error))
				return false;
	return true;
}

static struct ordo_topology *make(
	const char *name, uint32_t nrank, const char *parameters, struct ordo_error *error)
{
	(void)parameters;
	if (nrank & (nrank - 1)) {
		ordo_fail(error, ORDO_USAGE, 0,
			"topology hypercube: found %u ranks, wanted a power of two", nrank);
		return NULL;
	}
	struct ordo_topology *topology = ordo_topology_create(name, nrank, 0, 0, error);
	if (topology && !add_links(topology, error)) {
		ordo_topology_destroy(topology);
		return NULL;
	}
	return topology;
}

const struct ordo_topology_generator ordo_topology_hypercube = {
	.facts = {.name = "hypercube",
		.summary = "links to the ranks that differ in one binary digit",
		.ranks = "2^k",
		.how = "A link between every two ranks whose numbers differ in one binary digit.",
		.where = "A power of two of ranks. Algorithms: halving-doubling, dyadic.",
		.sample = "hypercube"},
	.make = make,
};
