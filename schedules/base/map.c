/* map.c - tables from two ids to one. */
#include "map.h"
#include <ordo/arena.h>
#include <stdlib.h>

/* No value is ORDO_NONE: that is a free entry. */
struct pair_entry {
	uint32_t a, b, value;
};

/* Where the key is, or would be. */
static struct pair_entry *find(const struct pair_map *map, uint32_t a, uint32_t b)
{
	uint64_t i = ordo_spread(&map->seed, a, b) & (map->room - 1);
	while (map->entries[i].value != ORDO_NONE &&
		(map->entries[i].a != a || map->entries[i].b != b))
		i = ORDO_NEXT_PLACE(i, map->room - 1);
	return &map->entries[i];
}

uint32_t pair_get(const struct pair_map *map, uint32_t a, uint32_t b)
{
	return map->room ? find(map, a, b)->value : ORDO_NONE;
}

uint32_t *pair_at(struct pair_map *map, uint32_t a, uint32_t b)
{
	struct pair_entry *entry = map->room ? find(map, a, b) : NULL;
	return entry && entry->value != ORDO_NONE ? &entry->value : NULL;
}

static bool grow(struct pair_map *map)
{
	struct pair_map larger = {.room = map->room ? map->room * 2 : 64,
		.used = map->used,
		.seed = map->room ? map->seed : ordo_seed()};
	larger.entries = ordo_array_make(larger.room, sizeof *larger.entries, 0xff);
	if (!larger.entries)
		return false;
	for (uint64_t i = 0; i < map->room; i++)
		if (map->entries[i].value != ORDO_NONE)
			*find(&larger, map->entries[i].a, map->entries[i].b) = map->entries[i];
	pair_free(map);
	*map = larger;
	return true;
}

bool pair_put(struct pair_map *map, uint32_t a, uint32_t b, uint32_t value)
{
	if (map->used * 3 >= map->room * 2 && !grow(map))
		return false;
	*find(map, a, b) = (struct pair_entry){a, b, value};
	map->used++;
	return true;
}

void pair_free(struct pair_map *map)
{
	free(map->entries);
	*map = (struct pair_map){0};
}

bool near_make(struct near_map *map, size_t n)
{
	map->first = ordo_array_make(n, sizeof *map->first, 0);
	return map->first;
}

bool near_put(struct near_map *map, uint32_t a, uint32_t b, uint32_t value)
{
	if (map->first[a].value)
		return pair_put(&map->others, a, b, value);
	map->first[a].b = b;
	map->first[a].value = value + 1;
	return true;
}

void near_free(struct near_map *map)
{
	free(map->first);
	pair_free(&map->others);
	*map = (struct near_map){0};
}
