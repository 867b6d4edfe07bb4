/* map.h - tables from two ids to one. Private to schedules/. */
#ifndef ORDO_SCHEDULES_BASE_MAP_H
#define ORDO_SCHEDULES_BASE_MAP_H

#include <ordo/hash_seed.h>
#include <ordo/operator.h>
#include <stddef.h>

/* (u32, u32) -> u32, open addressing. */
struct pair_map {
	struct pair_entry *entries;
	uint64_t room; /* a power of two, or 0 */
	uint64_t used;
	struct ordo_seed seed; /* if there is room */
};

uint32_t pair_get(const struct pair_map *map, uint32_t a, uint32_t b); /* ORDO_NONE: not there */
/* its value, to be changed; NULL: not there */
uint32_t *pair_at(struct pair_map *map, uint32_t a, uint32_t b);
bool pair_put(struct pair_map *map, uint32_t a, uint32_t b,
	uint32_t value); /* false: no memory; the key must be new */
void pair_free(struct pair_map *map);

/* The same for first ids 0..n-1, of which most have one second id only: the first that each was put
 * with lies in an array, the others in a table. */
struct near_map {
	struct {
		uint32_t b, value; /* value + 1; 0: none */
	} * first;
	struct pair_map others;
};

bool near_make(struct near_map *map, size_t n); /* false: no memory */
bool near_put(struct near_map *map, uint32_t a, uint32_t b, uint32_t value);
void near_free(struct near_map *map);

static inline uint32_t near_get(const struct near_map *map, uint32_t a, uint32_t b)
{
	if (!map->first[a].value)
		return ORDO_NONE;
	return map->first[a].b == b ? map->first[a].value - 1 : pair_get(&map->others, a, b);
}

#endif
