/* divide.h - links of an AllReduce divided between sums and results. Private to synthesis/. */
#ifndef ORDO_SYNTHESIS_PACK_DIVIDE_H
#define ORDO_SYNTHESIS_PACK_DIVIDE_H

#include "synthesis/graph.h"

/* Sets of vertices that are entered by less than the roots outside have. */
struct ordo_short_sets {
	uint32_t count;
	bool *inside;	  /* [count][nvertex] */
	int64_t *missing; /* [count] */
};
/* The caller frees it, also after false: no memory. */
void ordo_short_sets_free(struct ordo_short_sets *sets);
/* Those that lack more than `ignored`, none with a rank of one before; there are none if no set
 * lacks more. leaving: of what leaves a set. capacities: [graph->narc]; roots: [graph->nrank] */
bool ordo_short_sets_find(struct ordo_short_sets *sets, const struct ordo_capacities *graph,
	bool leaving, const uint32_t *capacities, const uint32_t *roots, int64_t ignored);

/* What links carry of sums and of results, of the units in which the widest one carries `widest`:
 * trees from roots exist in the results, and likewise in the sums turned round. Switches let out
 * what they let in. */
struct ordo_divided_links {
	uint32_t *sums, *results; /* [narc] */
	uint32_t *roots;	  /* [nrank] */
	uint32_t widest;
};
/* lp.c: the greatest sum of roots, up to a 2048th. false without a code in `error`: the program is
 * too large. The caller frees the arrays, also after false. */
bool ordo_divide_links(struct ordo_divided_links *divided, const struct ordo_capacities *graph,
	struct ordo_error *error);

#endif
