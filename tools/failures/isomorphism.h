/* isomorphism.h - numbers of ranks in which two topologies are one. */
#ifndef ORDO_TOOLS_FAILURES_ISOMORPHISM_H
#define ORDO_TOOLS_FAILURES_ISOMORPHISM_H

#include <ordo/topology.h>

/* Compares links that are up, by class, latency, bandwidth and adding. Both topologies have as many
 * ranks and switches; `fixed` keeps its number, ORDO_NONE: no rank must. map[i], of [nrank],
 * becomes the rank of `other` that rank i of `one` is. false: there are no such numbers, the search
 * would take too long, or no memory. */
bool find_isomorphism(const struct ordo_topology *one, const struct ordo_topology *other,
	uint32_t fixed, uint32_t *map);

/* *key becomes equal for topologies between which there is an isomorphism. false: no memory. */
bool find_isomorphism_key(const struct ordo_topology *topology, uint32_t fixed, uint64_t *key);

#endif
