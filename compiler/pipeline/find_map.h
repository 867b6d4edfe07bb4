/* find_map.h - finds an order of ranks for an algorithm on a topology. Private to compiler/. */
#ifndef ORDO_COMPILER_PIPELINE_FIND_MAP_H
#define ORDO_COMPILER_PIPELINE_FIND_MAP_H

#include "request/request.h"

/* map[i], of [nrank <= ORDO_MOST_MAPPED], becomes the rank that the algorithm's rank i is, such
 * that it needs no missing link. plain: resolved without topology and map, with chunks. false:
 * there is no such order (ORDO_USAGE), or no memory. */
bool ordo_find_map(const struct ordo_resolved_request *plain, const struct ordo_topology *topology,
	uint32_t *map, struct ordo_error *error);

#endif
