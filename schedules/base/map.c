/* map.c - hash maps from pairs of 32-bit ids to a 32-bit id. */
#include <ordo/arena.h>
#include <ordo/map.h>
#include <stdlib.h>
#include <string.h>

/* The slot of the key, or the free slot where it would go. */
static struct ordo_map_entry *find(const struct ordo_map *map, uint32_t a, uint32_t b)
{
	uint32_t at = ordo_hash_pair(&map->seed, a, b) & map->mask;
	while (map->entries[at].value != ORDO_NONE &&
		(map->entries[at].a != a || map->entries[at].b != b))
		at = ORDO_NEXT_PLACE(at, map->mask);
	return &map->entries[at];
}

uint32_t ordo_map_get(const struct ordo_map *map, uint32_t a, uint32_t b)
{
	return map->entries ? find(map, a, b)->value : ORDO_NONE;
}

uint32_t *ordo_map_find(const struct ordo_map *map, uint32_t a, uint32_t b)
{
	struct ordo_map_entry *entry = map->entries ? find(map, a, b) : NULL;
	return entry && entry->value != ORDO_NONE ? &entry->value : NULL;
}

static bool grow(struct ordo_map *map)
{
	struct ordo_map larger = {.mask = map->entries ? map->mask * 2 + 1 : 63,
		.used = map->used,
		.seed = map->entries ? map->seed : ordo_hash_seed()};
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

bool ordo_map_put(struct ordo_map *map, uint32_t a, uint32_t b, uint32_t value)
{
	uint32_t *kept = ordo_map_at(map, a, b);
	if (kept)
		*kept = value;
	return kept;
}

void ordo_map_free(struct ordo_map *map)
{
	free(map->entries);
	*map = (struct ordo_map){0};
}

bool ordo_near_make(struct ordo_near_map *map, size_t n)
{
	const size_t old = map->room;
	if (!old) { /* pages that are never written are never allocated */
		map->first = ordo_array_make(n, sizeof *map->first, 0);
		map->room = map->first ? n : 0;
		return map->first;
	}
	if (!ordo_array_reserve(&map->first, &map->room, n, sizeof *map->first))
		return false;
	memset(map->first + old, 0, (map->room - old) * sizeof *map->first);
	return true;
}

bool ordo_near_put(struct ordo_near_map *map, uint32_t a, uint32_t b, uint32_t value)
{
	if (map->first[a].value && map->first[a].b != b)
		return ordo_map_put(&map->others, a, b, value);
	map->first[a].b = b;
	map->first[a].value = value + 1;
	return true;
}

void ordo_near_free(struct ordo_near_map *map)
{
	free(map->first);
	ordo_map_free(&map->others);
	*map = (struct ordo_near_map){0};
}

uint32_t ordo_map_hash(const char *text)
{
	const struct ordo_hash_seed seed = ordo_hash_seed();
	uint32_t hash = 0;
	for (; *text; text++)
		hash = ordo_hash_pair(&seed, hash, (unsigned char)*text);
	return hash;
}
