/* pool.c - the sets of vertices that are known to decide which arcs a tree may take, as a column of
 * bits for each vertex. */
#include "pool.h"
#include <ordo/arena.h>
#include <stdlib.h>
#include <string.h>

bool ordo_cut_pool_make(struct ordo_cut_pool *pool, uint32_t nvertex)
{
	*pool = (struct ordo_cut_pool){.nvertex = nvertex, .room = 1};
	pool->columns = ordo_array_make(nvertex, sizeof *pool->columns, 0);
	pool->slack = ordo_array_make(64, sizeof *pool->slack, 0);
	pool->met = ordo_array_make(1, sizeof *pool->met, 0);
	return pool->columns && pool->slack && pool->met;
}

void ordo_cut_pool_free(struct ordo_cut_pool *pool)
{
	free(pool->columns);
	free(pool->slack);
	free(pool->met);
	*pool = (struct ordo_cut_pool){0};
}

/* Room for twice as many sets. */
static bool widen(struct ordo_cut_pool *pool)
{
	const uint32_t old = pool->room, room = 2 * old;
	uint64_t *columns = ordo_array_make((size_t)pool->nvertex * room, sizeof *columns, 0),
		 *met = ordo_array_make(room, sizeof *met, 0);
	int64_t *slack = ordo_array_make((size_t)64 * room, sizeof *slack, 0);
	if (!columns || !met || !slack) {
		free(columns);
		free(met);
		free(slack);
		return false;
	}
	for (uint32_t v = 0; v < pool->nvertex; v++)
		memcpy(columns + (size_t)v * room, pool->columns + (size_t)v * old,
			old * sizeof *columns);
	memcpy(met, pool->met, old * sizeof *met);
	memcpy(slack, pool->slack, (size_t)64 * old * sizeof *slack);
	free(pool->columns);
	free(pool->met);
	free(pool->slack);
	pool->columns = columns;
	pool->met = met;
	pool->slack = slack;
	pool->room = room;
	return true;
}

bool ordo_cut_pool_add(struct ordo_cut_pool *pool, const bool *inside, int64_t slack)
{
	if (pool->nset == 64 * pool->room && !widen(pool))
		return false;
	const uint32_t word = pool->nset / 64;
	const uint64_t bit = UINT64_C(1) << pool->nset % 64;
	for (uint32_t v = 0; v < pool->nvertex; v++)
		if (inside[v])
			pool->columns[(size_t)v * pool->room + word] |= bit;
	pool->slack[pool->nset++] = slack;
	pool->nword = word + 1;
	return true;
}

void ordo_cut_pool_begin(struct ordo_cut_pool *pool)
{
	memset(pool->met, 0, pool->room * sizeof *pool->met);
}

static const uint64_t *column(const struct ordo_cut_pool *pool, uint32_t vertex)
{
	return pool->columns + (size_t)vertex * pool->room;
}

void ordo_cut_pool_reach(struct ordo_cut_pool *pool, uint32_t vertex)
{
	const uint64_t *sets = column(pool, vertex);
	for (uint32_t word = 0; word < pool->nword; word++)
		pool->met[word] |= sets[word];
}

/* The sets of one word that the tree at hand would enter again. */
static uint64_t again(
	const struct ordo_cut_pool *pool, const uint64_t *from, const uint64_t *to, uint32_t word)
{
	return to[word] & ~from[word] & pool->met[word];
}

uint32_t ordo_cut_pool_most(
	const struct ordo_cut_pool *pool, uint32_t x, uint32_t y, uint32_t units)
{
	const uint64_t *from = column(pool, x), *to = column(pool, y);
	int64_t most = units;
	for (uint32_t word = 0; word < pool->nword && most > 0; word++)
		for (uint64_t sets = again(pool, from, to, word); sets; sets &= sets - 1) {
			const int64_t slack =
				pool->slack[64 * word + (uint32_t)__builtin_ctzll(sets)];
			most = slack < most ? slack : most;
		}
	return most > 0 ? (uint32_t)most : 0;
}

void ordo_cut_pool_take(struct ordo_cut_pool *pool, uint32_t x, uint32_t y, uint32_t units)
{
	const uint64_t *from = column(pool, x), *to = column(pool, y);
	for (uint32_t word = 0; word < pool->nword; word++)
		for (uint64_t sets = again(pool, from, to, word); sets; sets &= sets - 1)
			pool->slack[64 * word + (uint32_t)__builtin_ctzll(sets)] -= units;
	ordo_cut_pool_reach(pool, y);
}
