/* map.h - runs an algorithm with its ranks renumbered. Private to compiler/. */
#ifndef ORDO_COMPILER_REQUEST_MAP_H
#define ORDO_COMPILER_REQUEST_MAP_H

#include "algorithm.h"

/* The parameter `map` of the request: renumbers the topology and the root that the algorithm sees,
 * and sets resolved->map; for `auto` only takes the topology away, and sets resolved->finds_map.
 * Needs resolved->topology as the algorithm would see it. */
bool ordo_map_take(struct ordo_resolved_request *resolved, struct ordo_error *error);

#endif
