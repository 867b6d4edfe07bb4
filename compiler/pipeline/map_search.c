/* map_search.c - finds places for ranks on a network, by backtracking and then by exchanges.
 *
 * Backtracking places the rank with the fewest places left, the lowest of equal ones, first where
 * its number is and then at the lowest place; a place leaves those that exchange something with
 * its rank only the places joined to it.
 */
#include "map_search.h"
#include <ordo/schedule.h>

enum { MOST_VISITS = 1 << 14, MOST_COSTS = 1 << 13 };

struct places {
	uint64_t open[ORDO_MOST_MAPPED]; /* where a rank may go */
	uint64_t placed;		 /* bits of ranks */
};

struct backtracking {
	const struct ordo_map_search *search;
	uint32_t *map, visits;
};

static uint32_t count_bits(uint64_t bits)
{
	return (uint32_t)__builtin_popcountll(bits);
}

static uint64_t bit(uint32_t i)
{
	return UINT64_C(1) << i;
}

/* The rank not yet placed with the fewest places. */
static uint32_t choose_rank(const struct ordo_map_search *search, const struct places *places)
{
	uint32_t best = ORDO_NONE;
	for (uint32_t i = 0; i < search->nrank; i++)
		if (!(places->placed & bit(i)) &&
			(best == ORDO_NONE ||
				count_bits(places->open[i]) < count_bits(places->open[best])))
			best = i;
	return best;
}

/* Rank i goes to a place. false: another rank has none left. */
static bool place(
	const struct ordo_map_search *search, struct places *places, uint32_t i, uint32_t at)
{
	places->placed |= bit(i);
	for (uint32_t j = 0; j < search->nrank; j++) {
		if (places->placed & bit(j))
			continue;
		places->open[j] &= ~bit(at);
		if (search->needs[i] & bit(j))
			places->open[j] &= search->joined[at];
		if (!places->open[j])
			return false;
	}
	return true;
}

static enum ordo_map_result search_from(struct backtracking *b, const struct places *places)
{
	const uint32_t i = choose_rank(b->search, places);
	if (i == ORDO_NONE)
		return ORDO_MAP_FOUND;
	uint64_t open = places->open[i];
	for (bool first = true; open; first = false) {
		const uint32_t lowest = (uint32_t)__builtin_ctzll(open),
			       at = first && open & bit(i) ? i : lowest;
		struct places next = *places;
		open &= ~bit(at);
		b->map[i] = at;
		if (++b->visits > MOST_VISITS)
			return ORDO_MAP_UNKNOWN;
		if (!place(b->search, &next, i, at))
			continue;
		const enum ordo_map_result result = search_from(b, &next);
		if (result != ORDO_MAP_NONE)
			return result;
	}
	return ORDO_MAP_NONE;
}

/* Every rank may go where enough others are joined. false: a rank may go nowhere. */
static bool open_places(const struct ordo_map_search *search, struct places *places)
{
	const uint32_t n = search->nrank;
	places->placed = 0;
	for (uint32_t i = 0; i < n; i++) {
		places->open[i] = 0;
		for (uint32_t at = 0; at < n; at++)
			if (count_bits(search->joined[at] & ~bit(at)) >=
				count_bits(search->needs[i]))
				places->open[i] |= bit(at);
		if (!places->open[i])
			return false;
	}
	return search->fixed == ORDO_NONE ||
	       (places->open[search->fixed] & bit(search->fixed) &&
		       place(search, places, search->fixed, search->fixed));
}

/* All that exchange something are joined. */
static bool fits(const struct ordo_map_search *search, const uint32_t *map)
{
	for (uint32_t i = 0; i < search->nrank; i++)
		for (uint32_t j = 0; j < search->nrank; j++)
			if (search->needs[i] & bit(j) && !(search->joined[map[i]] & bit(map[j])))
				return false;
	return true;
}

/* The times of the slowest messages of all phases, then all times. */
struct cost {
	uint64_t slowest, all;
};

static struct cost cost_of(const struct ordo_map_search *search, const uint32_t *map)
{
	struct cost cost = {0, 0};
	uint64_t slowest = 0;
	for (size_t i = 0; i < search->nload; i++) {
		const struct ordo_map_load *load = &search->loads[i];
		const size_t pair = (size_t)map[load->from] * search->nrank + map[load->to];
		const uint64_t time = search->latency[pair] + load->chunks * search->time[pair];
		slowest = time > slowest ? time : slowest;
		cost.all += time;
		if (i + 1 == search->nload || load[1].phase != load->phase) {
			cost.slowest += slowest;
			slowest = 0;
		}
	}
	return cost;
}

static bool is_less(struct cost a, struct cost b)
{
	return a.slowest < b.slowest || (a.slowest == b.slowest && a.all < b.all);
}

static void swap(uint32_t *map, uint32_t i, uint32_t j)
{
	const uint32_t at = map[i];
	map[i] = map[j];
	map[j] = at;
}

/* Takes every exchange that costs less, until there is none. */
static void improve(const struct ordo_map_search *search, uint32_t *map)
{
	struct cost least = cost_of(search, map);
	uint32_t ncost = 0;
	for (bool better = true; better;) {
		better = false;
		for (uint32_t i = 0; i < search->nrank; i++)
			for (uint32_t j = i + 1; j < search->nrank; j++) {
				if (i == search->fixed || j == search->fixed)
					continue;
				if (++ncost > MOST_COSTS)
					return;
				swap(map, i, j);
				const struct cost cost = cost_of(search, map);
				if (is_less(cost, least) && fits(search, map)) {
					least = cost;
					better = true;
				} else {
					swap(map, i, j);
				}
			}
	}
}

enum ordo_map_result ordo_map_search(const struct ordo_map_search *search, uint32_t *map)
{
	struct places places;
	struct backtracking backtracking = {search, map, 0};
	enum ordo_map_result result = ORDO_MAP_FOUND;
	for (uint32_t i = 0; i < search->nrank; i++)
		map[i] = i;
	if (!fits(search, map))
		result = open_places(search, &places) ? search_from(&backtracking, &places)
						      : ORDO_MAP_NONE;
	if (result == ORDO_MAP_FOUND)
		improve(search, map);
	return result;
}
