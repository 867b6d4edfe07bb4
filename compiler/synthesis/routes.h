/* routes.h - the links between pairs of ranks. Private to compiler/. */
#ifndef ORDO_SYNTHESIS_ROUTES_H
#define ORDO_SYNTHESIS_ROUTES_H

#include "split.h"

/* One of the ways of a pair of ranks. */
struct ordo_pair_way {
	uint32_t units[2];    /* of the logical links of sums, and of results */
	uint32_t first, narc; /* into way_arcs; the switches between are way_via[first]... */
	uint32_t next;	      /* another one of the pair; ORDO_NONE */
};

/* The links that a move between two ranks occupies: arcs[first[i]] to arcs[first[i + 1] - 1] of
 * `network` for pair i = from * nrank + to. With keeps_ways also all ways that logical links go. */
struct ordo_pair_routes {
	const struct ordo_capacities *network;
	uint32_t *first, *arcs; /* NULL: none yet */
	bool keeps_ways;
	struct ordo_pair_way *ways; /* [nway] */
	uint32_t nway, *first_way;  /* [nrank * nrank] into ways; ORDO_NONE. NULL: none kept */
	uint32_t *way_arcs, *way_via;
	size_t nway_arc, way_room, arc_room, via_room;
};

void ordo_pair_routes_free(struct ordo_pair_routes *routes);
/* Adds the routes of logical links, turned round if these are `backwards`, of pairs that have none
 * as short. false: no memory. */
bool ordo_pair_routes_add(struct ordo_pair_routes *routes, const struct ordo_logical_links *logical,
	bool backwards, struct ordo_error *error);

#endif
