/* map.h - a hash map from pairs of 32-bit ids to 32-bit values. */
#ifndef ORDO_COMPILER_PROGRAM_MAP_H
#define ORDO_COMPILER_PROGRAM_MAP_H

#include <ordo/hash_seed.h>
#include <ordo/operator.h>
#include <stddef.h>

struct ordo_map_entry {
	uint32_t a, b, value;
};

/* {0} is a valid empty map. Open addressing, at most 3/4 full; a free entry has the value
 * ORDO_NONE. */
struct ordo_map {
	struct ordo_map_entry *entries;
	uint32_t mask, used;
	struct ordo_seed seed; /* if there are entries */
};

/* The value kept for (a, b), or ORDO_NONE. */
uint32_t ordo_map_get(const struct ordo_map *map, uint32_t a, uint32_t b);
/* Where the value for (a, b) is kept, until the map is next asked for a new one; ORDO_NONE if it is
 * new, and to be set at once. NULL: no memory. */
uint32_t *ordo_map_at(struct ordo_map *map, uint32_t a, uint32_t b);
void ordo_map_free(struct ordo_map *map);

/* The same, where most first ids have one second id only: what each was first kept with lies in an
 * array by first ids, the others in a map. */
struct ordo_near {
	struct {
		uint32_t b, value; /* value ORDO_NONE: none */
	} * first;
	size_t room;
	struct ordo_map others;
};

/* First ids 0..n-1, as many as before at least. false: no memory. */
bool ordo_near_make(struct ordo_near *near, size_t n);
uint32_t ordo_near_get(const struct ordo_near *near, uint32_t a, uint32_t b);
uint32_t *ordo_near_at(struct ordo_near *near, uint32_t a, uint32_t b);
void ordo_near_free(struct ordo_near *near);

#endif
