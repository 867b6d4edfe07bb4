/* shortest_paths.h - shortest ways over the links of a topology that are up. Private to
 * predict/. */
#ifndef ORDO_COMPILER_PREDICT_SHORTEST_PATHS_H
#define ORDO_COMPILER_PREDICT_SHORTEST_PATHS_H

#include <ordo/topology.h>

/* Targets are searched for together, each a bit of a word. */
enum { ORDO_NLANE = 64 };

/* The best link from one vertex to another. */
struct ordo_hop {
	uint32_t to, link;
	uint32_t in; /* its number among hops by end */
};

/* Of a vertex, for each target. */
struct ordo_lanes {
	uint64_t missing; /* it has no distance yet */
	uint64_t next;	  /* which is being found */
	uint64_t fresh;	  /* which was found last */
	uint64_t wanted;  /* a way from here, and none is found yet */
};

/* What one kind of search found for the targets. */
struct ordo_found {
	uint64_t *leads;   /* [nhop] by end: to which targets it is the begin of a shortest way */
	uint32_t *reached; /* [nvertex] */
	uint32_t nreached;
	uint32_t first_between; /* vertices from this one on may lie between */
};

struct ordo_ways {
	const struct ordo_topology *topology;
	/* Who goes to target t: sources[first[t]..first[t+1]). */
	const uint32_t *first, *sources;
	uint32_t *taken; /* [nlink] by how many pairs so far; NULL: there are no switches */

	struct ordo_hop *hops; /* by begin, then by end */
	uint32_t *first_hop, *first_in;
	uint32_t *in; /* [nhop] begins of hops by end */

	struct ordo_lanes *lanes;   /* [nvertex] */
	uint64_t *near;		    /* [nvertex] the targets to which a hop leads */
	uint32_t *wave, *found;	    /* [nvertex], [nvertex + 1] reached last, and being reached */
	struct ordo_found kinds[2]; /* through switches, through everything; as far as wanted */
	uint32_t nkind;

	/* [nrank] a target that was searched for */
	bool *had;
	uint32_t nhad;					 /* all below were, if anybody goes there */
	uint32_t targets[ORDO_NLANE], nleft[ORDO_NLANE]; /* sources that are not reached */
	uint32_t ntarget;
	uint64_t open; /* targets of which sources are not reached */
	uint32_t *way; /* [nvertex] the links of the one found last */
};

/* The link that leads there, up; of several the widest, of equally wide ones the one with the least
 * latency; ORDO_NONE. */
uint32_t ordo_ways_link(const struct ordo_topology *topology, uint32_t from, uint32_t to);

/* For pairs that no link joins, none twice. To be freed, also after false: no memory. */
bool ordo_ways_make(struct ordo_ways *ways, const struct ordo_topology *topology,
	bool through_ranks, const uint32_t *first, const uint32_t *sources,
	struct ordo_error *error);
void ordo_ways_free(struct ordo_ways *ways);

/* Looks for ways to some targets more, ways->targets; false: there are none. Where there are
 * switches targets come ascending, as the choice among equal ways depends on those before;
 * elsewhere those that are near each other come together, which takes fewer steps. */
bool ordo_ways_search(struct ordo_ways *ways);
/* The number of links on the way to targets[lane], ways->way, through switches, or else, if wanted,
 * through ranks; each is taken by one pair more. 0: nothing leads there. */
uint32_t ordo_ways_find(struct ordo_ways *ways, uint32_t from, uint32_t lane);

#endif
