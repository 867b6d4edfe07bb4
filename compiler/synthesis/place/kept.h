/* kept.h - placements, and orders, that requests of one choice share. Private to compiler/. */
#ifndef ORDO_SYNTHESIS_PLACE_KEPT_H
#define ORDO_SYNTHESIS_PLACE_KEPT_H

#include "place.h"

/* NULL: no memory. One thread at a time. */
struct ordo_kept_placements *ordo_kept_placements_create(struct ordo_error *error);
void ordo_kept_placements_destroy(struct ordo_kept_placements *kept);

/* As ordo_place; what was found for an equal problem before is found at once.
 *
 *   kept   NULL: nothing is kept */
bool ordo_place_once(struct ordo_kept_placements *kept, struct ordo_placement *placement,
	const struct ordo_place_problem *problem, struct ordo_error *error);

/* As ordo_place_search, in the same way. */
bool ordo_place_search_once(struct ordo_kept_placements *kept, struct ordo_forest *forest,
	uint32_t *root, const struct ordo_place_problem *problem, struct ordo_error *error);

#endif
