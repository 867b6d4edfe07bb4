/* ways.h - the ways between two ranks over switches. Private to compiler/. */
#ifndef ORDO_COMPILER_WAYS_WAYS_H
#define ORDO_COMPILER_WAYS_WAYS_H

#include <ordo/topology.h>

enum {
	ORDO_MOST_WAYS = 16,  /* between two ranks */
	ORDO_MOST_HOPS = 16,  /* links of a way */
	ORDO_MOST_FABRICS = 4 /* bandwidths from which on links are looked at by themselves */
};

struct ordo_way {
	uint32_t nlink;
	uint32_t links[ORDO_MOST_HOPS]; /* of the topology, from the one rank to the other */
};

/* The search for ways. A fabric is the topology without links below a bandwidth: the shortest way
 * of all may be a slow one. */
struct ordo_ways {
	const struct ordo_topology *topology;
	uint32_t nfabric;
	double least[ORDO_MOST_FABRICS]; /* bandwidth, GB/s */
	/* [nfabric][nswitch][nrank] links from a switch to a rank through switches; UINT8_MAX:
	 * ORDO_MOST_HOPS or more, or none */
	uint8_t *hops;
};

/* The caller frees it, also after false: more than 2^26 pairs of a switch and a rank (ORDO_USAGE),
 * or no memory. */
bool ordo_ways_make(
	struct ordo_ways *ways, const struct ordo_topology *topology, struct ordo_error *error);
void ordo_ways_free(struct ordo_ways *ways);

/* Whether some rank has several ways to another, of any length: of all ranks where they are few,
 * else of rank 0. topology: may be NULL. false: as above. */
bool ordo_has_ways(const struct ordo_topology *topology, bool *several, struct ordo_error *error);

/* The shortest ways between two ranks in each fabric, each once, up to ORDO_MOST_WAYS, in found.
 * Of links side by side, each hop takes the best. Returns how many there are. */
uint32_t ordo_ways_between(const struct ordo_ways *ways, uint32_t from, uint32_t to,
	struct ordo_way found[ORDO_MOST_WAYS]);

#endif
