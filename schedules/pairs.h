/* pairs.h - a hash table from two ids to one. Private to schedules/. */
#ifndef ORDO_PAIRS_H
#define ORDO_PAIRS_H

#include <stdbool.h>
#include <stdint.h>

/* (u32, u32) -> u32, open addressing. */
struct pair_map {
	uint64_t *keys;
	uint32_t *values;
	uint64_t room; /* a power of two, or 0 */
	uint64_t used;
};

uint32_t pair_get(const struct pair_map *map, uint32_t a, uint32_t b); /* ORDO_NONE: not there */
bool pair_put(struct pair_map *map, uint32_t a, uint32_t b,
	uint32_t value); /* false: no memory; the key must be new */
void pair_free(struct pair_map *map);

#endif
