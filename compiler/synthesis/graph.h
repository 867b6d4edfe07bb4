/* graph.h - a topology as a directed graph of integer capacities. Private to synthesis/. */
#ifndef ORDO_SYNTHESIS_GRAPH_H
#define ORDO_SYNTHESIS_GRAPH_H

#include "ways/parallel.h"

struct ordo_arc {
	uint32_t from, to;
	int64_t units; /* > 0; bandwidth, parallel links added up */
};

/* Vertices 0..nrank-1 are ranks, up to nplace-1 switches, as in the topology. A rank with more
 * links than it drives at once sends through a vertex of its own, whose capacity is that of its
 * fastest links, and receives through another: they are nplace..nvertex-1.
 *
 * A unit is unit / 10^unit_digits GB/s, the greatest common divisor of all bandwidths. A bandwidth
 * is the shortest decimal that reads back as its double (decimal.h), as it stood in the document if
 * that had at most 15 digits; else the reader says what it is taken as. 16 * nrank * total < 2^63,
 * so that sums and products of the algorithms fit. */
struct ordo_capacities {
	uint32_t nrank, nplace, nvertex, narc;
	struct ordo_arc *arcs; /* [narc] sorted by (from, to) */
	uint32_t *first;       /* [nvertex+1] into arcs */
	uint32_t *rank_of;     /* [nvertex] of a port; ORDO_NONE */
	int64_t total;	       /* of all arcs */
	uint64_t unit;
	int unit_digits; /* less than 0 only if rounded */
	bool backwards;	 /* every arc turned round */
	bool rounded;	 /* bandwidths have too many digits and were rounded up */
	/* Whose `apart` it was made of, set by the caller; NULL: no links lie side by side, or they
	 * are added up. */
	const struct ordo_parallel_links *parallel;
};

/* The links of a topology that are up. The caller frees it, also after false: no memory.
 *
 * backwards: every arc turned round */
bool ordo_capacities_make(struct ordo_capacities *graph, const struct ordo_topology *topology,
	bool backwards, struct ordo_error *error);
void ordo_capacities_free(struct ordo_capacities *graph);

/* Units of the arcs that leave a set of vertices. in_set: [nvertex] */
int64_t ordo_capacities_leaving(const struct ordo_capacities *graph, const bool *in_set);

/* The number of the arc between two vertices, which exists. */
uint32_t ordo_capacities_arc(const struct ordo_capacities *graph, uint32_t from, uint32_t to);

/* The units of the widest arc; 1 where there is none. */
int64_t ordo_capacities_widest(const struct ordo_capacities *graph);
/* What may keep every schedule from a bound. Arcs that are on no way from a rank to a rank do not
 * count. */
struct ordo_obstacles {
	uint32_t unbalanced; /* the first switch with other bandwidth in than out; ORDO_NONE */
	int64_t in, out;     /* of that switch, in units */
	/* the first arc without one back, so that no Notify can answer what goes over it; else both
	 * ORDO_NONE */
	uint32_t one_way[2];
};
/* graphs: forwards, and backwards. false: no memory. */
bool ordo_capacities_obstacles(const struct ordo_capacities graphs[2], struct ordo_obstacles *found,
	struct ordo_error *error);
/* Whether as much goes from u to v as from v to u, for all u and v, and every rank has as many
 * ports as links. */
bool ordo_capacities_symmetric(const struct ordo_capacities *graph);

#endif
