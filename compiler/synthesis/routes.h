/* routes.h - the links between pairs of ranks. Private to compiler/. */
#ifndef ORDO_SYNTHESIS_ROUTES_H
#define ORDO_SYNTHESIS_ROUTES_H

#include "split.h"

/* The links that a move between two ranks occupies: arcs[first[i]] to arcs[first[i + 1] - 1] of
 * `network` for pair i = from * nrank + to. */
struct ordo_pair_routes {
	const struct ordo_capacities *network;
	uint32_t *first, *arcs; /* NULL: none yet */
};

void ordo_pair_routes_free(struct ordo_pair_routes *routes);
/* Adds the routes of logical links, turned round if these are `backwards`, of pairs that have none
 * as short. false: no memory. */
bool ordo_pair_routes_add(struct ordo_pair_routes *routes, const struct ordo_logical_links *logical,
	bool backwards, struct ordo_error *error);

#endif
