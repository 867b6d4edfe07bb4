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

struct ordo_box;

/* It has one of `add_links`, `box` and `make`; with the first its name takes no parameters. */
struct ordo_topology_generator {
	struct ordo_topology_facts facts;
	/* Whether there is one of so many ranks; NULL: of any number. */
	bool (*check_ranks)(uint32_t nrank, struct ordo_error *error);
	/* Adds the links between the ranks and `nswitch` switches. */
	bool (*add_links)(struct ordo_topology *topology, struct ordo_error *error);
	uint32_t nswitch, ports;
	const struct ordo_box *box;
	/* Makes the topology and adds its links; the caller finishes and destroys it. nrank is 0
	 * only with parameters, and means as many ranks as these say. parameters: the text after
	 * the ':' of the name, or NULL. */
	struct ordo_topology *(*make)(
		const char *name, uint32_t nrank, const char *parameters, struct ordo_error *error);
};

/* A link of HCCS in one direction. */
static inline bool ordo_add_hccs(
	struct ordo_topology *topology, uint32_t from, uint32_t to, struct ordo_error *error)
{
	return ordo_topology_add(
		topology, from, to, "HCCS", ORDO_HCCS_LATENCY_NS, ORDO_HCCS_BANDWIDTH_GBS, error);
}

/* Links in both directions. */
static inline bool ordo_join(struct ordo_topology *topology, uint32_t a, uint32_t b,
	const char *class_name, double latency_ns, double bandwidth_gbs, struct ordo_error *error)
{
	return ordo_topology_add(topology, a, b, class_name, latency_ns, bandwidth_gbs, error) &&
	       ordo_topology_add(topology, b, a, class_name, latency_ns, bandwidth_gbs, error);
}

#endif
