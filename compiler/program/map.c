/* map.c - a hash map from pairs of 32-bit ids to 32-bit values. */
#include "map.h"
#include <ordo/arena.h>
#include <stdlib.h>
#include <string.h>

static struct ordo_map_entry *find(const struct ordo_map *map, uint32_t a, uint32_t b)
{
	uint32_t at = ordo_spread(&map->seed, a, b) & map->mask;
	while (map->entries[at].value != ORDO_NONE &&
		(map->entries[at].a != a || map->entries[at].b != b))
		at = ORDO_NEXT_PLACE(at, map->mask);
	return &map->entries[at];
}

uint32_t ordo_map_get(const struct ordo_map *map, uint32_t a, uint32_t b)
{
	return map->entries ? find(map, a, b)->value : ORDO_NONE;
}

static bool grow(struct ordo_map *map)
{
	struct ordo_map larger = {.mask = map->entries ? map->mask * 2 + 1 : 63,
		.used = map->used,
		.seed = map->entries ? map->seed : ordo_seed()};
	size_t size = ((size_t)larger.mask + 1) * sizeof *larger.entries;
	larger.entries = larger.mask < ORDO_LIMIT ? ordo_array_make(size, 1, 0xff) : NULL;
	if (!larger.entries)
		return false;
	for (size_t i = 0; map->entries && i <= map->mask; i++)
		if (map->entries[i].value != ORDO_NONE)
			*find(&larger, map->entries[i].a, map->entries[i].b) = map->entries[i];
	free(map->entries);
	*map = larger;
	return true;
}

uint32_t *ordo_map_at(struct ordo_map *map, uint32_t a, uint32_t b)
{
	if (!map->entries || map->used >= map->mask / 4 * 3)
		if (!grow(map))
			return NULL;
	struct ordo_map_entry *entry = find(map, a, b);
	if (entry->value == ORDO_NONE) {
		map->used++;
		entry->a = a;
		entry->b = b;
	}
	return &entry->value;
}

void ordo_map_free(struct ordo_map *map)
{
	free(map->entries);
	*map = (struct ordo_map){0};
}

bool ordo_near_make(struct ordo_near *near, size_t n)
{
	const size_t old = near->room;
	if (!ordo_array_reserve(&near->first, &near->room, n, sizeof *near->first))
		return false;
	if (near->room > old)
		memset(near->first + old, 0xff, (near->room - old) * sizeof *near->first);
	return true;
}

uint32_t ordo_near_get(const struct ordo_near *near, uint32_t a, uint32_t b)
{
	if (near->first[a].value == ORDO_NONE || near->first[a].b == b)
		return near->first[a].value;
	return ordo_map_get(&near->others, a, b);
}

uint32_t *ordo_near_at(struct ordo_near *near, uint32_t a, uint32_t b)
{
	if (near->first[a].value != ORDO_NONE && near->first[a].b != b)
		return ordo_map_at(&near->others, a, b);
	near->first[a].b = b;
	return &near->first[a].value;
}

void ordo_near_free(struct ordo_near *near)
{
	free(near->first);
	ordo_map_free(&near->others);
	*near = (struct ordo_near){0};
}
