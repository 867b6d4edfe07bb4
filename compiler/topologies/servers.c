/* servers.c - servers with rails: a full mesh in each server, the ranks of one number joined by a
 * leaf switch, the leaves by spines.
 *
 * `servers:4x8` is four servers of eight ranks; `servers:4x8,spines=2,oversubscription=4` says how
 * many spines, and how much more the ranks of a leaf can send than the leaf to the spines. In the
 * server it is one hop, over the rail two, over a spine four. `servers` alone makes servers of
 * eight, or one of all ranks.
 */
#include "generator.h"
#include "sizes.h"
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_RANKS = 8192 };

struct rails {
	uint32_t servers, ranks; /* ranks of each server, and as many leaves */
	uint32_t spines, oversubscription;
};

static bool join_servers(
	struct ordo_topology *topology, const struct rails *rails, struct ordo_error *error)
{
	const double uplink_gbs = ORDO_RDMA_BANDWIDTH_GBS * rails->servers /
				  ((double)rails->spines * rails->oversubscription);
	const uint32_t leaves = topology->nrank, spines = leaves + rails->ranks;
	for (uint32_t rank = 0; rank < topology->nrank; rank++)
		if (!ordo_join(topology, rank, leaves + rank % rails->ranks, "RDMA",
			    ORDO_RDMA_LATENCY_NS, ORDO_RDMA_BANDWIDTH_GBS, error))
			return false;
	for (uint32_t leaf = 0; leaf < rails->ranks; leaf++)
		for (uint32_t spine = 0; spine < rails->spines; spine++)
			if (!ordo_join(topology, leaves + leaf, spines + spine, "RDMA",
				    ORDO_RDMA_LATENCY_NS, uplink_gbs, error))
				return false;
	return true;
}

static bool add_links(
	struct ordo_topology *topology, const struct rails *rails, struct ordo_error *error)
{
	for (uint32_t rank = 0; rank < topology->nrank; rank++) {
		const uint32_t first = rank / rails->ranks * rails->ranks;
		for (uint32_t other = first; other < first + rails->ranks; other++)
			if (other != rank && !ordo_add_hccs(topology, rank, other, error))
				return false;
	}
	return rails->servers == 1 || join_servers(topology, rails, error);
}

/* `,spines=2,oversubscription=4`, either or none. */
static bool read_settings(const char *text, struct rails *rails)
{
	while (*text) {
		const size_t length = strcspn(text + 1, "=");
		uint32_t *setting = NULL;
		if (*text == ',' && !strncmp(text + 1, "spines=", length + 1))
			setting = &rails->spines;
		else if (*text == ',' && !strncmp(text + 1, "oversubscription=", length + 1))
			setting = &rails->oversubscription;
		if (!setting || !isdigit((unsigned char)text[length + 2]))
			return false;
		char *end;
		const unsigned long value = strtoul(text + length + 2, &end, 10);
		if (value < 1 || value > MAX_RANKS)
			return false;
		*setting = (uint32_t)value;
		text = end;
	}
	return true;
}

static bool read_rails(const char *name, uint32_t nrank, const char *parameters,
	struct rails *rails, struct ordo_error *error)
{
	struct ordo_sizes sizes;
	*rails = (struct rails){1, nrank, 2, 1};
	if (!parameters && nrank % 8 == 0)
		*rails = (struct rails){nrank / 8, 8, 2, 1};
	if (parameters) {
		const char *rest = ordo_sizes_read(name, parameters, nrank, 2, 2, &sizes, error);
		if (!rest)
			return false;
		rails->servers = sizes.at[0];
		rails->ranks = sizes.at[1];
		if (!read_settings(rest, rails)) {
			ordo_fail(error, ORDO_USAGE, 0,
				"topology %.200s: found \"%.200s\", wanted ,spines=1.. or "
				",oversubscription=1..",
				name, rest);
			return ordo_hint(
				error, "for example servers:4x8,spines=2,oversubscription=4");
		}
	}
	if (rails->ranks <= MAX_RANKS)
		return true;
	return ordo_fail(error, ORDO_USAGE, 0,
		"topology %.200s: found %u ranks a server, wanted up to %d", name, rails->ranks,
		MAX_RANKS);
}

static struct ordo_topology *make(
	const char *name, uint32_t nrank, const char *parameters, struct ordo_error *error)
{
	struct rails rails;
	if (!read_rails(name, nrank, parameters, &rails, error))
		return NULL;
	if (rails.ranks == 1)
		rails.spines = 0;
	struct ordo_topology *topology = ordo_topology_create(name, rails.servers * rails.ranks,
		rails.servers > 1 ? rails.ranks + rails.spines : 0, 0, error);
	if (topology && !add_links(topology, &rails, error)) {
		ordo_topology_destroy(topology);
		return NULL;
	}
	return topology;
}

const struct ordo_topology_generator ordo_topology_servers = {
	.facts = {.name = "servers",
		.summary = "a full mesh in each server, rails over leaf and spine switches: "
			   "servers:4x8, servers:4x8,spines=2,oversubscription=4",
		.ranks = "any",
		.how = "A full mesh in each server. The ranks of the same number in all servers "
		       "meet at a leaf switch (a rail), and spine switches connect the leaf "
		       "switches.",
		.where = "Clusters with rails: servers:4x8,spines=2,oversubscription=4.",
		.sample = "servers:2x4"},
	.make = make,
};
