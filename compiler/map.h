/* map.h - a hash map from pairs of 32-bit ids to 32-bit values. */
#ifndef ORDO_MAP_H
#define ORDO_MAP_H

#include <ordo/operator.h>
#include <stddef.h>

struct ordo_map_entry {
	uint32_t a, b, value;
};

/* {0} is a valid empty map. Open addressing, at most 3/4 full; a free entry has the value ORDO_NONE. */
struct ordo_map {
	struct ordo_map_entry *entries;
	uint32_t mask, used;
};

/* The value kept for (a, b), or ORDO_NONE. */
uint32_t ordo_map_get(const struct ordo_map *map, uint32_t a, uint32_t b);
/* Where the value for (a, b) is kept, until the map is next asked for a new one; ORDO_NONE if it is new, and
 * to be set at once. NULL: no memory. */
uint32_t *ordo_map_at(struct ordo_map *map, uint32_t a, uint32_t b);
void ordo_map_free(struct ordo_map *map);

#endif
