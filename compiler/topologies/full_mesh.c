/* full_mesh.c - every rank has a link of its own to every other rank. */
#include "generator.h"

/* 67 million links: memory runs out before 32-bit ids. */
enum { MAX_RANKS = 8192 };

static bool add_links(struct ordo_topology *topology, struct ordo_error *error)
{
	for (uint32_t from = 0; from < topology->nrank; from++)
		for (uint32_t to = 0; to < topology->nrank; to++)
			if (from != to &&
				!ordo_topology_add(topology, from, to, "HCCS", ORDO_HCCS_LATENCY_NS,
					ORDO_HCCS_BANDWIDTH_GBS, error))
				return false;
	return true;
}

static struct ordo_topology *make(
	const char *name, uint32_t nrank, const char *parameters, struct ordo_error *error)
{
	(void)parameters;
	if (nrank > MAX_RANKS) {
		ordo_fail(error, ORDO_USAGE, 0, "topology full-mesh: found %u ranks, wanted 1..%d",
			nrank, MAX_RANKS);
		return NULL;
	}
	struct ordo_topology *topology = ordo_topology_create(name, nrank, 0, 0, error);
	if (topology && !add_links(topology, error)) {
		ordo_topology_destroy(topology);
		return NULL;
	}
	return topology;
}

const struct ordo_topology_generator ordo_topology_full_mesh = {
	.facts = {.name = "full-mesh",
		.summary = "a link between every two ranks",
		.ranks = "any",
		.how = "A link in each direction between every two ranks.",
		.where = "Servers whose processors are all directly connected. It is assumed when "
			 "only --fail-link is given.",
		.sample = "full-mesh"},
	.make = make,
};
