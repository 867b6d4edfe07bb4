/* torus.c - the dimensions of a torus, and the way along them. */
#include "torus.h"
#include <ordo/arena.h>
#include <ordo/plural.h>

/* false: the sizes have another product. */
static bool take_sizes(
	struct ordo_torus *torus, const uint32_t *sizes, uint32_t count, uint32_t nrank)
{
	uint64_t product = 1;
	for (uint32_t i = 0; i < count && product <= nrank; i++) {
		if (sizes[i] > 1)
			torus->at[torus->count++] =
				(struct ordo_level){i, sizes[i], (uint32_t)product};
		product *= sizes[i];
	}
	return product == nrank;
}

struct ordo_torus *ordo_torus_make(struct ordo_resolved_request *request, struct ordo_error *error)
{
	const struct ordo_value *given = ordo_parameter_value(request, "sizes");
	const char *name = request->algorithm->facts.name;
	const uint32_t N = request->problem.nrank;
	uint32_t named[ORDO_MAX_LEVELS], count = 0;
	struct ordo_torus *torus = ordo_arena_alloc(&request->arena, sizeof *torus);
	if (!torus) {
		ordo_fail_memory(error);
		return NULL;
	}
	if (given->nlist > 1 || (given->nlist && given->ends[0] > ORDO_MAX_LEVELS)) {
		ordo_fail(error, ORDO_USAGE, 0,
			"%s: found sizes=%s, wanted one list of at most %d dimensions", name,
			given->word, ORDO_MAX_LEVELS);
		return NULL;
	}
	if (!given->nlist && request->topology && request->topology->name)
		count = ordo_levels_named(request->topology->name, named);
	const uint32_t *sizes = given->nlist ? given->items : count ? named : &N;
	if (take_sizes(torus, sizes, given->nlist ? given->ends[0] : count ? count : 1, N))
		return torus;
	ordo_fail(error, ORDO_USAGE, 0, "%s: found %u rank%s, wanted the product of the dimensions",
		name, N, ordo_plural(N));
	ordo_hint(error, "give the sizes, those of neighbouring ranks first: sizes=[4,2]");
	return NULL;
}

uint32_t ordo_torus_digit(const struct ordo_level *level, uint32_t rank)
{
	return rank / level->stride % level->size;
}

uint32_t ordo_torus_along(const struct ordo_level *level, uint32_t rank, uint32_t steps)
{
	const uint32_t at = ordo_torus_digit(level, rank);
	return rank + ((at + steps) % level->size) * level->stride - at * level->stride;
}

uint32_t ordo_torus_cube(const struct ordo_torus *torus, uint32_t *size)
{
	for (uint32_t i = 0; i < torus->count; i++)
		if (torus->at[i].size != torus->at[0].size)
			return 0;
	*size = torus->count ? torus->at[0].size : 1;
	return torus->count;
}
