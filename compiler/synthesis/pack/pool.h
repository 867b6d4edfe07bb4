/* pool.h - the sets of vertices that are known to decide which arcs a tree may take. Private to
 * synthesis/. */
#ifndef ORDO_SYNTHESIS_PACK_POOL_H
#define ORDO_SYNTHESIS_PACK_POOL_H

#include <stdbool.h>
#include <stdint.h>

/* A set of bits, one for each set of vertices in the pool. */
struct ordo_cut_pool {
	uint32_t nvertex, nset, nword; /* words of a column that are used */
	uint32_t room;		       /* words of a column that there are */
	uint64_t *columns;	       /* [nvertex][room] the sets that hold a vertex */
	/* [64 room] capacity into a set that its trees can do without */
	int64_t *slack;
	uint64_t *met; /* [room] the sets that the tree at hand has reached */
};

/* The caller frees it, also after false: no memory. */
bool ordo_cut_pool_make(struct ordo_cut_pool *pool, uint32_t nvertex);
void ordo_cut_pool_free(struct ordo_cut_pool *pool);
/* Adds a set, by whether it holds each vertex. false: no memory. */
bool ordo_cut_pool_add(struct ordo_cut_pool *pool, const bool *inside, int64_t slack);

/* Another tree is at hand, which has reached nothing. */
void ordo_cut_pool_begin(struct ordo_cut_pool *pool);
/* The tree at hand reaches a vertex. */
void ordo_cut_pool_reach(struct ordo_cut_pool *pool, uint32_t vertex);
/* Up to `units`, as many as the tree at hand may send from x, which it has reached, to y: a set
 * that it enters a second time must have as much slack. */
uint32_t ordo_cut_pool_most(
	const struct ordo_cut_pool *pool, uint32_t x, uint32_t y, uint32_t units);
/* It does send them, and reaches y. */
void ordo_cut_pool_take(struct ordo_cut_pool *pool, uint32_t x, uint32_t y, uint32_t units);

#endif
