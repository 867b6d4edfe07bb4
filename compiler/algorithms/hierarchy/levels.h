/* levels.h - ranks in levels: in a server, between servers, between pods.
 *
 * A rank is a number whose digits are its places in each level, the innermost level first:
 * rank = digit 0 + size 0 * (digit 1 + size 1 * (digit 2 + ...)). A group of a level are the ranks
 * that differ in its digit alone. Levels of one rank are left out, for there is nothing to do in
 * them.
 */
#ifndef ORDO_COMPILER_ALGORITHMS_HIERARCHY_LEVELS_H
#define ORDO_COMPILER_ALGORITHMS_HIERARCHY_LEVELS_H

#include "algorithm.h"

enum { ORDO_MAX_LEVELS = 8 };

/* A set of levels: bit (1 << level). */
typedef uint32_t ordo_level_set;

struct ordo_level {
	uint32_t number; /* as the user counts, with those of one rank */
	uint32_t size, stride;
};

struct ordo_levels {
	uint32_t nrank, count;
	struct ordo_level at[ORDO_MAX_LEVELS];
};

/* `count` levels: of the sizes given, innermost first; else of those in the topology's name,
 * `servers:4x8`; else, for two, the ranks of a server are those that links join without a switch;
 * else, where nothing tells ranks apart, of sizes as near to each other as may be. */
bool ordo_levels_make(const struct ordo_resolved_request *request, uint32_t count,
	const struct ordo_value *sizes, struct ordo_levels *levels, struct ordo_error *error);

/* The sizes in a topology's name, `servers:4x8,spines=2`, innermost first: how many. 0: there are
 * none, or more than there is room for in sizes[ORDO_MAX_LEVELS]. */
uint32_t ordo_levels_named(const char *name, uint32_t *sizes);

ordo_level_set ordo_levels_all(const struct ordo_levels *levels);
uint32_t ordo_level_digit(const struct ordo_levels *levels, uint32_t level, uint32_t rank);
/* The rank with the digits of a set of levels alone, 0 in the others. */
uint32_t ordo_levels_keep(const struct ordo_levels *levels, ordo_level_set set, uint32_t rank);
/* How many ranks have 0 in all levels but those of a set, and the i-th of them. */
uint32_t ordo_levels_count(const struct ordo_levels *levels, ordo_level_set set);
uint32_t ordo_levels_nth(const struct ordo_levels *levels, ordo_level_set set, uint32_t i);

/* A group of the level as a topology of its own: the links that all its groups have. The caller
 * destroys it. */
struct ordo_topology *ordo_level_topology(const struct ordo_levels *levels, uint32_t level,
	const struct ordo_topology *topology, struct ordo_error *error);

#endif
