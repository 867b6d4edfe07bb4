/* shortest_paths.h - shortest paths over the links of a topology that are up. Private to
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

/* The state of a vertex, a bit for each target. */
struct ordo_lanes {
	uint64_t missing; /* no distance yet */
	uint64_t next;	  /* found in this step */
	uint64_t fresh;	  /* found in the last step */
	uint64_t wanted;  /* a path from here is wanted, and not found yet */
};

/* The result of one kind of search. */
struct ordo_found {
	/* [nhop] by end: the targets to which a shortest path begins with this hop */
	uint64_t *leads;
	uint32_t *reached; /* [nvertex] */
	uint32_t nreached;
	uint32_t first_between; /* vertices from this one on may be intermediate */
};

struct ordo_shortest_paths {
	const struct ordo_topology *topology;
	/* The sources of target t: sources[first[t]..first[t+1]). */
	const uint32_t *first, *sources;
	uint32_t *taken; /* [nlink] number of pairs routed over it so far; NULL: no switches */

	struct ordo_hop *hops; /* by begin, then by end */
	uint32_t *first_hop, *first_in;
	uint32_t *in; /* [nhop] begins of hops by end */

	struct ordo_lanes *lanes;   /* [nvertex] */
	uint64_t *near;		    /* [nvertex] the targets to which a hop leads */
	uint32_t *wave, *found;	    /* [nvertex], [nvertex + 1] reached last, and being reached */
	struct ordo_found kinds[2]; /* through switches only; through ranks too */
	uint32_t nkind;

	/* [nrank] already searched as a target */
	bool *had;
	uint32_t nhad;					 /* all targets below this one are done */
	uint32_t targets[ORDO_NLANE], nleft[ORDO_NLANE]; /* sources not reached yet */
	uint32_t ntarget;
	uint64_t open; /* targets with sources not reached yet */
	uint32_t *way; /* [nvertex] the links of the last path found */
};

/* For distinct pairs without a link. The caller frees it, also after false: no memory. */
bool ordo_paths_make(struct ordo_shortest_paths *paths, const struct ordo_topology *topology,
	bool through_ranks, const uint32_t *first, const uint32_t *sources,
	struct ordo_error *error);
void ordo_paths_free(struct ordo_shortest_paths *paths);

/* Searches the next targets, paths->targets; false: none is left. With switches, targets ascend,
 * because the choice among equal paths depends on earlier ones; otherwise targets near each other
 * are searched together, which takes fewer steps. */
bool ordo_paths_search(struct ordo_shortest_paths *paths);
/* The number of links on the path to targets[lane], which paths->way lists: through switches, or
 * else, if wanted, through ranks. Counts the links as taken. 0: there is no path. */
uint32_t ordo_paths_find(struct ordo_shortest_paths *paths, uint32_t from, uint32_t lane);

#endif
