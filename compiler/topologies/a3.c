/* a3.c - servers of columns and lanes: rank r has an SIO link to r^1 and HCCS links to all of its
 * lane, that is all of its server that are odd or even with it. Several servers: ranks of the same
 * number meet at a switch.
 *
 * `a3:8` is one server, `a3:2x8` two of eight ranks; `a3` one of all ranks.
 */
#include "generator.h"
#include "sizes.h"
#include <ordo/plural.h>

enum { MAX_RANKS = 8192 };

static bool join(
	struct ordo_topology *topology, uint32_t from, uint32_t to, struct ordo_error *error)
{
	if (to == (from ^ 1))
		return ordo_topology_add(topology, from, to, "SIO", ORDO_SIO_LATENCY_NS,
			ORDO_SIO_BANDWIDTH_GBS, error);
	if (from == to || (from ^ to) & 1)
		return true;
	return ordo_topology_add(topology, from, to, "HCCS", ORDO_HCCS_LATENCY_NS,
		ORDO_A3_HCCS_BANDWIDTH_GBS, error);
}

static bool add_links(struct ordo_topology *topology, uint32_t ranks, struct ordo_error *error)
{
	for (uint32_t rank = 0; rank < topology->nrank; rank++) {
		const uint32_t first = rank / ranks * ranks;
		for (uint32_t other = first; other < first + ranks; other++)
			if (!join(topology, rank, other, error))
				return false;
		if (topology->nswitch &&
			!ordo_join(topology, rank, topology->nrank + rank % ranks, "RDMA",
				ORDO_RDMA_LATENCY_NS, ORDO_RDMA_BANDWIDTH_GBS, error))
			return false;
	}
	return true;
}

static struct ordo_topology *make(
	const char *name, uint32_t nrank, const char *parameters, struct ordo_error *error)
{
	struct ordo_sizes sizes = {.count = 1, .at = {nrank}};
	const char *rest =
		parameters ? ordo_sizes_read(name, parameters, nrank, 1, 2, &sizes, error) : "";
	if (!rest)
		return NULL;
	const uint32_t servers = sizes.count == 2 ? sizes.at[0] : 1,
		       ranks = sizes.at[sizes.count - 1];
	if (*rest || ranks % 2 || ranks > MAX_RANKS) {
		ordo_fail(error, ORDO_USAGE, 0,
			"topology %.200s: found %u rank%s a server%s%.200s, wanted an even number "
			"up to %d",
			name, ranks, ordo_plural(ranks), *rest ? " and then " : "", rest,
			MAX_RANKS);
		ordo_hint(error, "a3:8 is one server of eight ranks, a3:2x8 are two");
		return NULL;
	}
	struct ordo_topology *topology =
		ordo_topology_create(name, servers * ranks, servers > 1 ? ranks : 0, 0, error);
	if (topology && !add_links(topology, ranks, error)) {
		ordo_topology_destroy(topology);
		return NULL;
	}
	return topology;
}

const struct ordo_topology_generator ordo_topology_a3 = {
	.facts = {.name = "a3",
		.summary = "SIO pairs and HCCS lanes in each server, a switch for each rank number "
			   "between them: a3:8, a3:2x8",
		.ranks = "even in a server",
		.how = "Each server consists of pairs and lanes: ranks r and r^1 share a SIO "
		       "link, and the ranks of one lane are fully connected by HCCS. Between "
		       "servers, ranks of the same number meet at a switch.",
		.where = "A3 servers: a3:8 is one server of 8 ranks, a3:2x8 is two.",
		.sample = "a3:8"},
	.make = make,
};
