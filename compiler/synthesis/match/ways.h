/* ways.h - the ways of single messages between ranks. Private to compiler/. */
#ifndef ORDO_SYNTHESIS_MATCH_WAYS_H
#define ORDO_SYNTHESIS_MATCH_WAYS_H

#include <ordo/topology.h>

/* From one rank to a vertex through switches: the fewest hops, and of such ways the one of the most
 * bandwidth. */
struct ordo_way {
	uint32_t hops; /* ORDO_NONE: there is none */
	uint32_t link; /* of the topology: the last one; ORDO_NONE of the rank itself */
	double latency_ns, bandwidth_gbs;
};

/* ways: [nrank + nswitch] */
void ordo_ways_from(const struct ordo_topology *topology, uint32_t rank, struct ordo_way *ways);

/* Picoseconds that bytes take on a way, at least 1; the ends of the range are cut off. */
uint64_t ordo_way_time(const struct ordo_way *way, uint64_t bytes);

#endif
