/* pairs.c - a hash table from two ids to one. */
#include "pairs.h"
#include <ordo/arena.h>
#include <ordo/operator.h>
#include <stdlib.h>

#define EMPTY UINT64_MAX /* no pair of ids: both would be ORDO_NONE */

static uint64_t key_of(uint32_t a, uint32_t b)
{
	return (uint64_t)a << 32 | b;
}

static uint64_t place_of(uint64_t key, uint64_t room)
{
	key *= 0x9e3779b97f4a7c15u;
	key ^= key >> 32;
	key *= 0xd6e8feb86659fd93u;
	return (key ^ key >> 32) & (room - 1);
}

uint32_t pair_get(const struct pair_map *map, uint32_t a, uint32_t b)
{
	if (!map->room)
		return ORDO_NONE;
	uint64_t key = key_of(a, b);
	for (uint64_t i = place_of(key, map->room);; i = (i + 1) & (map->room - 1)) {
		if (map->keys[i] == key)
			return map->values[i];
		if (map->keys[i] == EMPTY)
			return ORDO_NONE;
	}
}

static void place(struct pair_map *map, uint64_t key, uint32_t value)
{
	uint64_t i = place_of(key, map->room);
	while (map->keys[i] != EMPTY)
		i = (i + 1) & (map->room - 1);
	map->keys[i] = key;
	map->values[i] = value;
}

static bool grow(struct pair_map *map)
{
	struct pair_map larger = {.room = map->room ? map->room * 2 : 64, .used = map->used};
	larger.keys = ordo_array_make(larger.room, sizeof *larger.keys, 0xff);
	larger.values = ordo_array_make(larger.room, sizeof *larger.values, 0);
	if (!larger.keys || !larger.values) {
		pair_free(&larger);
		return false;
	}
	for (uint64_t i = 0; i < map->room; i++)
		if (map->keys[i] != EMPTY)
			place(&larger, map->keys[i], map->values[i]);
	pair_free(map);
	*map = larger;
	return true;
}

bool pair_put(struct pair_map *map, uint32_t a, uint32_t b, uint32_t value)
{
	if (map->used * 3 >= map->room * 2 && !grow(map))
		return false;
	place(map, key_of(a, b), value);
	map->used++;
	return true;
}

void pair_free(struct pair_map *map)
{
	free(map->keys);
	free(map->values);
	*map = (struct pair_map){0};
}
