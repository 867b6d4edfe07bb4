/* search.h - orders whose chunks mix better than those of a given one. Private to compiler/. */
#ifndef ORDO_SYNTHESIS_PLACE_SEARCH_H
#define ORDO_SYNTHESIS_PLACE_SEARCH_H

#include "place.h"

/* Trees near a problem's and the best so far, for an AllReduce on few ranks that share additions.
 * *root, which is the problem's tree, becomes another of the forest if one is found whose rough mix
 * is faster; none is looked for within a little of the bound. The problem has no chunks. false: no
 * memory. */
bool ordo_place_search(struct ordo_forest *forest, uint32_t *root,
	const struct ordo_place_problem *problem, struct ordo_error *error);

#endif
