/* levels.c - divides ranks into levels. */
#include "levels.h"
#include "servers.h"
#include <ctype.h>
#include <ordo/plural.h>
#include <stdlib.h>
#include <string.h>

ordo_level_set ordo_levels_all(const struct ordo_levels *levels)
{
	return (1u << levels->count) - 1;
}

uint32_t ordo_level_digit(const struct ordo_levels *levels, uint32_t level, uint32_t rank)
{
	return rank / levels->at[level].stride % levels->at[level].size;
}

uint32_t ordo_levels_keep(const struct ordo_levels *levels, ordo_level_set set, uint32_t rank)
{
	uint32_t kept = 0;
	for (uint32_t l = 0; l < levels->count; l++)
		if (set >> l & 1)
			kept += ordo_level_digit(levels, l, rank) * levels->at[l].stride;
	return kept;
}

uint32_t ordo_levels_count(const struct ordo_levels *levels, ordo_level_set set)
{
	uint32_t count = 1;
	for (uint32_t l = 0; l < levels->count; l++)
		count *= set >> l & 1 ? levels->at[l].size : 1;
	return count;
}

uint32_t ordo_levels_nth(const struct ordo_levels *levels, ordo_level_set set, uint32_t i)
{
	uint32_t rank = 0;
	for (uint32_t l = 0; l < levels->count; l++)
		if (set >> l & 1) {
			rank += i % levels->at[l].size * levels->at[l].stride;
			i /= levels->at[l].size;
		}
	return rank;
}

static bool lay_levels(struct ordo_levels *levels, uint32_t count, const uint32_t *sizes)
{
	uint64_t product = 1;
	for (uint32_t i = 0; i < count; i++) {
		if (sizes[i] > 1 && product <= ORDO_LIMIT)
			levels->at[levels->count++] =
				(struct ordo_level){i, sizes[i], (uint32_t)product};
		product = product > ORDO_LIMIT ? product : product * sizes[i];
	}
	if (!levels->count)
		levels->at[levels->count++] = (struct ordo_level){count - 1, 1, 1};
	return product == levels->nrank;
}

static bool take_given(struct ordo_levels *levels, uint32_t count, const struct ordo_value *sizes,
	struct ordo_error *error)
{
	if (sizes->nlist != 1)
		return ordo_fail(error, ORDO_USAGE, 0,
			"hierarchical: found sizes=%s, wanted one list, the innermost level first",
			sizes->word);
	if (sizes->ends[0] != count)
		return ordo_fail(error, ORDO_USAGE, 0,
			"hierarchical: found %u sizes for %u levels: sizes=%s", sizes->ends[0],
			count, sizes->word);
	if (lay_levels(levels, count, sizes->items))
		return true;
	ordo_fail(error, ORDO_USAGE, 0,
		"hierarchical: found %u rank%s, wanted the product of the levels, sizes=%s",
		levels->nrank, ordo_plural(levels->nrank), sizes->word);
	return ordo_hint(error, "every group of a level has the same number of ranks");
}

uint32_t ordo_levels_named(const char *name, uint32_t *sizes)
{
	uint32_t count = 0;
	const char *at = strchr(name, ':');
	while (at && isdigit((unsigned char)at[1]) && count + 1 < ORDO_MAX_LEVELS) {
		char *end;
		const unsigned long size = strtoul(at + 1, &end, 10);
		memmove(sizes + 1, sizes, count++ * sizeof *sizes);
		sizes[0] = size <= ORDO_LIMIT ? (uint32_t)size : 0;
		if (!*end || *end == ',')
			return count;
		at = *end == 'x' ? end : NULL;
	}
	return 0;
}

static bool check_servers(const struct ordo_topology *topology, const uint32_t *lowest,
	uint32_t size, struct ordo_error *error)
{
	for (uint32_t rank = 0; rank < topology->nrank; rank++)
		if (lowest[rank] != rank / size * size || topology->nrank % size) {
			ordo_fail(error, ORDO_USAGE, 0,
				"hierarchical: topology \"%s\" joins ranks 0..%u to one server, "
				"and rank %u to none of the same size; levels of unequal size are "
				"not composed",
				topology->name, size - 1, rank);
			return ordo_hint(
				error, "asymmetric and aggregated take servers of different sizes");
		}
	return true;
}

/* Two levels: within servers, whose ranks are linked, and between them. *size 0: the topology has
 * no such servers. */
static bool find_servers(
	const struct ordo_topology *topology, uint32_t *size, struct ordo_error *error)
{
	uint32_t *lowest = malloc(((size_t)topology->nrank + topology->nswitch) * sizeof *lowest);
	if (!lowest)
		return ordo_fail_memory(error);
	ordo_ranks_join(topology, 0, false, lowest);
	for (*size = 1; *size < topology->nrank && !lowest[*size];)
		++*size;
	bool worked = true;
	if (*size == topology->nrank || *size == 1)
		*size = 0;
	else
		worked = check_servers(topology, lowest, *size, error);
	free(lowest);
	return worked;
}

/* Whether size to the power of count is at least nrank. */
static bool reaches(uint32_t size, uint32_t count, uint32_t nrank)
{
	uint64_t power = 1;
	for (uint32_t i = 0; i < count && power < nrank; i++)
		power *= size;
	return power >= nrank;
}

/* As near to each other as the divisors of nrank allow: each size the smallest that leaves the
 * levels further out nothing larger. Looked for among the sizes below the root, and then among
 * what divides into at most as many. */
static void divide_evenly(uint32_t nrank, uint32_t count, uint32_t *sizes)
{
	for (uint32_t l = 0; l < count; l++) {
		uint32_t root = l + 1 < count ? 1 : nrank;
		while (!reaches(root, count - l, nrank))
			root++;
		uint32_t others = nrank / root;
		while (nrank % others)
			others--;
		sizes[l] = nrank / others;
		nrank = others;
	}
}

/* In a server of A3 the two ranks of a SIO pair are a level of their own, if there is one more than
 * the name has: `a3:2x8` is also 2 servers of 4 pairs. */
static bool split_pairs(const char *name, uint32_t count, uint32_t named, uint32_t *sizes)
{
	if (strncmp(name, "a3:", 3) != 0 || !named || count != named + 1 || sizes[0] % 2)
		return false;
	memmove(sizes + 1, sizes, named * sizeof *sizes);
	sizes[0] = 2;
	sizes[1] /= 2;
	return true;
}

/* The sizes in the topology's name, or those its links suggest. */
static bool find_sizes(const struct ordo_resolved_request *request, uint32_t count, uint32_t *sizes,
	struct ordo_error *error)
{
	const struct ordo_topology *topology = request->topology;
	const uint32_t nrank = request->problem.nrank;
	uint32_t size = 0, named = 0;
	if (topology && topology->name)
		named = ordo_levels_named(topology->name, sizes);
	if (named == count || (named && split_pairs(topology->name, count, named, sizes)))
		return true;
	if (named > 1) {
		ordo_fail(error, ORDO_USAGE, 0,
			"hierarchical: topology \"%.200s\" has %u levels, the algorithm %u",
			topology->name, named, count);
		return ordo_hint(error, "give the sizes, the innermost level first: sizes=[8,4]");
	}
	if (topology && count == 2 && !find_servers(topology, &size, error))
		return false;
	if (size) {
		sizes[0] = size;
		sizes[1] = nrank / size;
	} else {
		divide_evenly(nrank, count, sizes);
	}
	return true;
}

bool ordo_levels_make(const struct ordo_resolved_request *request, uint32_t count,
	const struct ordo_value *sizes, struct ordo_levels *levels, struct ordo_error *error)
{
	uint32_t found[ORDO_MAX_LEVELS] = {0};
	*levels = (struct ordo_levels){.nrank = request->problem.nrank};
	if (count > ORDO_MAX_LEVELS)
		return ordo_fail(error, ORDO_USAGE, 0,
			"hierarchical: found %u levels, wanted 1..%d", count, ORDO_MAX_LEVELS);
	if (sizes->nlist)
		return take_given(levels, count, sizes, error);
	if (!find_sizes(request, count, found, error))
		return false;
	if (lay_levels(levels, count, found))
		return true;
	ordo_fail(error, ORDO_USAGE, 0,
		"hierarchical: topology \"%.200s\" is named for other than %u ranks",
		request->topology->name, levels->nrank);
	return ordo_hint(error, "give the sizes, the innermost level first: sizes=[8,4]");
}

/* Whether all groups of the level have a path from their rank i to their rank j. */
static bool all_reach(const struct ordo_levels *levels, uint32_t level,
	const struct ordo_topology *topology, uint32_t i, uint32_t j)
{
	const struct ordo_level *at = &levels->at[level];
	const ordo_level_set others = ordo_levels_all(levels) & ~(1u << level);
	for (uint32_t g = 0; g < levels->nrank / at->size; g++) {
		const uint32_t base = ordo_levels_nth(levels, others, g);
		if (!ordo_topology_reaches(topology, base + i * at->stride, base + j * at->stride))
			return false;
	}
	return true;
}

static bool add_links(const struct ordo_levels *levels, uint32_t level,
	const struct ordo_topology *topology, struct ordo_topology *group, struct ordo_error *error)
{
	for (uint32_t i = 0; i < group->nrank; i++)
		for (uint32_t j = 0; j < group->nrank; j++)
			if (i != j && all_reach(levels, level, topology, i, j) &&
				!ordo_topology_add(group, i, j, NULL, 0, 1, error))
				return false;
	return ordo_topology_finish(group, error);
}

struct ordo_topology *ordo_level_topology(const struct ordo_levels *levels, uint32_t level,
	const struct ordo_topology *topology, struct ordo_error *error)
{
	struct ordo_topology *group =
		ordo_topology_create(topology->name, levels->at[level].size, 0, 0, error);
	if (!group || add_links(levels, level, topology, group, error))
		return group;
	ordo_topology_destroy(group);
	return NULL;
}
