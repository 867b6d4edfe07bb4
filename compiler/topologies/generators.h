/* generators.h - the topologies that have a name: one file each, one line in the table of
 * topologies.c.
 *
 * A generator makes the topology and adds its links; the caller finishes it. `parameters` is the
 * text after the ':' of the name, or NULL; for those that take none the table refuses it. nrank is
 * 0 only with parameters, and means as many ranks as these say. The latencies are assumptions of
 * the right size, the bandwidths are those published for the link classes.
 */
#ifndef ORDO_TOPOLOGY_GENERATORS_H
#define ORDO_TOPOLOGY_GENERATORS_H

#include <ordo/topology.h>

#define ORDO_HCCS_LATENCY_NS 1000.0
#define ORDO_HCCS_BANDWIDTH_GBS 56.0
#define ORDO_SIO_LATENCY_NS 500.0
#define ORDO_SIO_BANDWIDTH_GBS 204.0
#define ORDO_A3_HCCS_BANDWIDTH_GBS 18.3
#define ORDO_RDMA_LATENCY_NS 2500.0 /* half of the way: a rank's link to its switch */
#define ORDO_RDMA_BANDWIDTH_GBS 20.0

typedef struct ordo_topology *ordo_topology_generator(
	const char *name, uint32_t nrank, const char *parameters, struct ordo_error *error);

ordo_topology_generator ordo_full_mesh_make;
ordo_topology_generator ordo_ring_make;
ordo_topology_generator ordo_star_make;
ordo_topology_generator ordo_a3_make;
ordo_topology_generator ordo_servers_make;
ordo_topology_generator ordo_dgx_a100_make;
ordo_topology_generator ordo_dgx_h100_make;
ordo_topology_generator ordo_mi300x_make;
ordo_topology_generator ordo_torus_make;
ordo_topology_generator ordo_hypercube_make;

#endif
