/* generators.h - the topologies that have a name: one file each, one line in the table of topologies.c.
 *
 * A generator makes the topology and adds its links, in ascending order; the caller finishes it. `parameters`
 * is the text after the ':' of the name, or NULL: none of today's generators takes any, and the table refuses
 * it for them. The latencies are assumptions of the right size, the bandwidths are those published for the
 * link classes.
 */
#ifndef ORDO_TOPOLOGY_GENERATORS_H
#define ORDO_TOPOLOGY_GENERATORS_H

#include <ordo/topology.h>

#define ORDO_HCCS_LATENCY_NS 1000.0
#define ORDO_HCCS_BANDWIDTH_GBS 56.0
#define ORDO_RDMA_LATENCY_NS 2500.0 /* half of the way: a rank's link to its switch */
#define ORDO_RDMA_BANDWIDTH_GBS 20.0

typedef struct ordo_topology *ordo_topology_generator(
	const char *name, uint32_t nrank, const char *parameters, struct ordo_error *error);

ordo_topology_generator ordo_full_mesh_make;
ordo_topology_generator ordo_ring_make;
ordo_topology_generator ordo_star_make;

#endif
