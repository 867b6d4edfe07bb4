/* generator.h - a named topology: its facts and its generator. One file for each, and a line in
 * table.h.
 *
 * Latencies are assumptions of a realistic magnitude; bandwidths are those published for the link
 * classes.
 */
#ifndef ORDO_TOPOLOGY_GENERATOR_H
#define ORDO_TOPOLOGY_GENERATOR_H

#include <ordo/compiler.h>
#include <ordo/topology.h>

#define ORDO_HCCS_LATENCY_NS 1000.0
#define ORDO_HCCS_BANDWIDTH_GBS 56.0
#define ORDO_SIO_LATENCY_NS 500.0
#define ORDO_SIO_BANDWIDTH_GBS 204.0
#define ORDO_A3_HCCS_BANDWIDTH_GBS 18.3
#define ORDO_RDMA_LATENCY_NS 2500.0 /* half of the way: a rank's link to its switch */
#define ORDO_RDMA_BANDWIDTH_GBS 20.0

struct ordo_topology_generator {
	struct ordo_topology_facts facts;
	/* Makes the topology and adds its links; the caller finishes and destroys it. nrank is 0
	 * only with parameters, and means as many ranks as these say. parameters: the text after
	 * the ':' of the name, or NULL. */
	struct ordo_topology *(*make)(
		const char *name, uint32_t nrank, const char *parameters, struct ordo_error *error);
	bool takes_parameters; /* false: parameters are refused before `make` is called */
};

#endif
