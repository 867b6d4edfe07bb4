/* full_mesh.c - every rank has a link of its own to every other rank. */
#include "generator.h"

/* 67 million links: memory runs out before 32-bit ids. */
enum { MAX_RANKS = 8192 };

static bool check_ranks(uint32_t nrank, struct ordo_error *error)
{
	return nrank <= MAX_RANKS ||
	       ordo_fail(error, ORDO_USAGE, 0, "topology full-mesh: found %u ranks, wanted 1..%d",
		       nrank, MAX_RANKS);
}

static bool add_links(struct ordo_topology *topology, struct ordo_error *error)
{
	for (uint32_t from = 0; from < topology->nrank; from++)
		for (uint32_t to = 0; to < topology->nrank; to++)
			if (from != to && !ordo_add_hccs(topology, from, to, error))
				return false;
	return true;
}

const struct ordo_topology_generator ordo_topology_full_mesh = {
	.facts = {.name = "full-mesh",
		.summary = "a link between every two ranks",
		.ranks = "any",
		.how = "Every two ranks have a link in each direction.",
		.where = "Servers whose processors are all directly connected. It is assumed when "
			 "only --fail-link is given.",
		.sample = "full-mesh"},
	.check_ranks = check_ranks,
	.add_links = add_links,
};
