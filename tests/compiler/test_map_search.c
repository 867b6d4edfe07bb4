/* test_map_search.c - places for ranks on random networks: found if and only if one of all orders
 * has all links, and never slower than where the ranks are. */
#include "pipeline/map_search.h"
#include <ordo/schedule.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
/* cmocka needs the four above. */
#include <cmocka.h>

enum { MOST = 6 };

struct drawn {
	uint64_t needs[MOST], joined[MOST], latency[MOST * MOST], time[MOST * MOST];
	struct ordo_map_load loads[MOST * MOST];
	struct ordo_map_search search;
};

static uint64_t seed = 1;

static uint32_t draw(uint32_t below)
{
	seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407u;
	return (uint32_t)(seed >> 33) % below;
}

static bool has(const uint64_t *sets, uint32_t i, uint32_t j)
{
	return sets[i] >> j & 1;
}

static void join(uint64_t *sets, uint32_t i, uint32_t j)
{
	sets[i] |= UINT64_C(1) << j;
	sets[j] |= UINT64_C(1) << i;
}

static void draw_all(struct drawn *drawn)
{
	const uint32_t n = 2 + draw(MOST - 1), links = 1 + draw(8), pairs = 1 + draw(8);
	*drawn = (struct drawn){0};
	drawn->search = (struct ordo_map_search){.nrank = n,
		.fixed = draw(3) ? ORDO_NONE : draw(n),
		.needs = drawn->needs,
		.joined = drawn->joined,
		.loads = drawn->loads,
		.latency = drawn->latency,
		.time = drawn->time};
	for (uint32_t i = 0; i < n; i++)
		for (uint32_t j = 0; j < n; j++) {
			if (i < j && draw(9) < links)
				join(drawn->joined, i, j);
			drawn->latency[i * n + j] = draw(100);
			drawn->time[i * n + j] = draw(10);
		}
	for (uint32_t phase = 0; phase < 2; phase++)
		for (uint32_t i = 0; i < n; i++)
			for (uint32_t j = i + 1; j < n; j++) {
				if (draw(16) >= pairs)
					continue;
				join(drawn->needs, i, j);
				drawn->loads[drawn->search.nload++] =
					(struct ordo_map_load){phase, i, j, 1 + draw(4)};
			}
}

static bool fits(const struct ordo_map_search *search, const uint32_t *map)
{
	for (uint32_t i = 0; i < search->nrank; i++)
		for (uint32_t j = 0; j < search->nrank; j++)
			if (has(search->needs, i, j) && !has(search->joined, map[i], map[j]))
				return false;
	return search->fixed == ORDO_NONE || map[search->fixed] == search->fixed;
}

/* Tries all orders of the places from `first` on. */
static bool any_fits(const struct ordo_map_search *search, uint32_t *map, uint32_t first)
{
	if (first == search->nrank)
		return fits(search, map);
	for (uint32_t i = first; i < search->nrank; i++) {
		const uint32_t one = map[first], other = map[i];
		map[first] = other;
		map[i] = one;
		const bool found = any_fits(search, map, first + 1);
		map[first] = one;
		map[i] = other;
		if (found)
			return true;
	}
	return false;
}

/* The slowest message of each phase. */
static uint64_t time_of(const struct ordo_map_search *search, const uint32_t *map)
{
	uint64_t slowest[2] = {0, 0};
	for (size_t i = 0; i < search->nload; i++) {
		const struct ordo_map_load *load = &search->loads[i];
		const uint32_t pair = map[load->from] * search->nrank + map[load->to];
		const uint64_t time = search->latency[pair] + load->chunks * search->time[pair];
		if (time > slowest[load->phase])
			slowest[load->phase] = time;
	}
	return slowest[0] + slowest[1];
}

static void check_order(const struct ordo_map_search *search, const uint32_t *map)
{
	uint64_t used = 0;
	for (uint32_t i = 0; i < search->nrank; i++)
		used |= UINT64_C(1) << map[i];
	assert_true(used == (UINT64_C(1) << search->nrank) - 1);
	assert_true(fits(search, map));
}

static void a_map_is_found_if_and_only_if_there_is_one(void **state)
{
	(void)state;
	uint32_t nfound = 0, nnone = 0, nmoved = 0;
	for (int i = 0; i < 3000; i++) {
		struct drawn drawn;
		uint32_t map[MOST], again[MOST], order[MOST];
		draw_all(&drawn);
		for (uint32_t rank = 0; rank < MOST; rank++)
			order[rank] = rank;
		const enum ordo_map_result result = ordo_map_search(&drawn.search, map);
		const bool fitted = fits(&drawn.search, order);
		assert_int_equal(result == ORDO_MAP_FOUND, any_fits(&drawn.search, order, 0));
		assert_int_equal(result, ordo_map_search(&drawn.search, again));
		if (result != ORDO_MAP_FOUND) {
			assert_int_equal(result, ORDO_MAP_NONE);
			nnone++;
			continue;
		}
		nfound++;
		check_order(&drawn.search, map);
		assert_memory_equal(map, again, drawn.search.nrank * sizeof *map);
		if (fitted) {
			const uint64_t before = time_of(&drawn.search, order),
				       after = time_of(&drawn.search, map);
			assert_true(after <= before);
			nmoved += after < before;
		}
	}
	assert_true(nfound > 500 && nnone > 500 && nmoved > 100);
}

/* Without a link between two ranks each, 64 ranks still have a hypercube. */
static void places_for_64_ranks(void **state)
{
	(void)state;
	uint64_t needs[64] = {0}, joined[64];
	static uint64_t nothing[64 * 64];
	const struct ordo_map_search search = {.nrank = 64,
		.fixed = ORDO_NONE,
		.needs = needs,
		.joined = joined,
		.latency = nothing,
		.time = nothing};
	uint32_t map[64];
	for (uint32_t i = 0; i < 64; i++) {
		joined[i] = ~(UINT64_C(1) << (i ^ 1));
		for (uint32_t step = 1; step < 64; step *= 2)
			needs[i] |= UINT64_C(1) << (i ^ step);
	}
	assert_int_equal(ordo_map_search(&search, map), ORDO_MAP_FOUND);
	assert_true(fits(&search, map));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_map_is_found_if_and_only_if_there_is_one),
		cmocka_unit_test(places_for_64_ranks),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
