/* star.c - every rank has one port, connected to one central switch. */
#include "generator.h"

static bool add_links(struct ordo_topology *topology, struct ordo_error *error)
{
	uint32_t hub = topology->nrank;
	for (uint32_t rank = 0; rank < topology->nrank; rank++)
		if (!ordo_topology_add(topology, rank, hub, "RDMA", ORDO_RDMA_LATENCY_NS,
			    ORDO_RDMA_BANDWIDTH_GBS, error))
			return false;
	for (uint32_t rank = 0; rank < topology->nrank; rank++)
		if (!ordo_topology_add(topology, hub, rank, "RDMA", ORDO_RDMA_LATENCY_NS,
			    ORDO_RDMA_BANDWIDTH_GBS, error))
			return false;
	return true;
}

const struct ordo_topology_generator ordo_topology_star = {
	.facts = {.name = "star",
		.summary = "one switch in the middle, one port a rank",
		.ranks = "any",
		.how = "All ranks are attached to one switch; a rank drives one link at a time.",
		.where = "Ranks at one switch, with one port each.",
		.sample = "star"},
	.add_links = add_links,
	.nswitch = 1,
	.ports = 1,
};
