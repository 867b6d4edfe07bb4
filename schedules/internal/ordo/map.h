/* map.h - hash maps from pairs of 32-bit ids to a 32-bit id, which the floors share. */
#ifndef ORDO_MAP_H
#define ORDO_MAP_H

#include <ordo/hash_seed.h>
#include <ordo/operator.h>
#include <stddef.h>

struct ordo_map_entry {
	uint32_t a, b, value;
};

/* {0} is a valid empty map. Open addressing, at most 3/4 full; a free entry has the value
 * ORDO_NONE, so no key is kept with that value. */
struct ordo_map {
	struct ordo_map_entry *entries;
	uint32_t mask, used;
	struct ordo_hash_seed seed; /* if there are entries */
};

/* The value kept for (a, b), or ORDO_NONE. */
uint32_t ordo_map_get(const struct ordo_map *map, uint32_t a, uint32_t b);
/* Where the value for (a, b) is kept, until a key is added; NULL: it is not there. */
uint32_t *ordo_map_find(const struct ordo_map *map, uint32_t a, uint32_t b);
/* The same, and a new key is added: its value is ORDO_NONE, and to be set at once. NULL: no
 * memory. */
uint32_t *ordo_map_at(struct ordo_map *map, uint32_t a, uint32_t b);
/* Keeps a value for (a, b), whether it had one or not. false: no memory. */
bool ordo_map_put(struct ordo_map *map, uint32_t a, uint32_t b, uint32_t value);
void ordo_map_free(struct ordo_map *map);

/* A hash of a text, as the first id of keys: texts of one hash get second ids 0, 1, ... */
uint32_t ordo_map_hash(const char *text);

/* The same, where most first ids have one second id only: what each was first kept with lies in an
 * array by first ids, the others in a map. */
struct ordo_near_map {
	struct {
		uint32_t b, value; /* value + 1; 0: none */
	} * first;
	size_t room;
	struct ordo_map others;
};

/* First ids 0..n-1, as many as before at least. false: no memory. */
bool ordo_near_make(struct ordo_near_map *map, size_t n);
/* Keeps a value for (a, b), whether it had one or not. false: no memory. */
bool ordo_near_put(struct ordo_near_map *map, uint32_t a, uint32_t b, uint32_t value);
void ordo_near_free(struct ordo_near_map *map);

static inline uint32_t ordo_near_get(const struct ordo_near_map *map, uint32_t a, uint32_t b)
{
	if (!map->first[a].value)
		return ORDO_NONE;
	return map->first[a].b == b ? map->first[a].value - 1 : ordo_map_get(&map->others, a, b);
}

#endif
