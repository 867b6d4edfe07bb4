/* map_search.h - finds places for ranks on a network. Private to compiler/. */
#ifndef ORDO_COMPILER_PIPELINE_MAP_SEARCH_H
#define ORDO_COMPILER_PIPELINE_MAP_SEARCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { ORDO_MOST_MAPPED = 64 };

/* What one rank sends another in one phase. */
struct ordo_map_load {
	uint32_t phase, from, to, chunks;
};

struct ordo_map_search {
	uint32_t nrank; /* at most ORDO_MOST_MAPPED */
	uint32_t fixed; /* a rank that keeps its number; ORDO_NONE */
	/* [nrank] bit j of needs[i]: ranks i and j exchange something; of joined[i]: i and j reach
	 * each other */
	const uint64_t *needs, *joined;
	const struct ordo_map_load *loads; /* [nload] by phase */
	size_t nload;
	/* [nrank * nrank] from i to j at i * nrank + j, in ps: latency, and per chunk */
	const uint64_t *latency, *time;
};

enum ordo_map_result {
	ORDO_MAP_FOUND,
	ORDO_MAP_NONE,	 /* there is none */
	ORDO_MAP_UNKNOWN /* the search gave up */
};

/* map[i] becomes the place of rank i, such that all that exchange something are joined: i, if that
 * does; then ranks change places while that takes less time, phase after phase. Deterministic. */
enum ordo_map_result ordo_map_search(const struct ordo_map_search *search, uint32_t *map);

#endif
