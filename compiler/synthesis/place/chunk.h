/* chunk.h - one placed chunk. Private to synthesis/place/. */
#ifndef ORDO_SYNTHESIS_PLACE_CHUNK_H
#define ORDO_SYNTHESIS_PLACE_CHUNK_H

#include "prices.h"

/* NULL: no memory. */
struct ordo_place_chunk *ordo_place_chunks_make(uint32_t nchunk, uint32_t nnode);
void ordo_place_chunks_free(struct ordo_place_chunk *chunks, uint32_t nchunk);
/* count: chunks, nodes. false: no memory. */
bool ordo_place_chunks_copy(
	struct ordo_place_chunk *to, const struct ordo_place_chunk *from, const uint32_t count[2]);

const struct ordo_leg *ordo_place_leg(
	const struct ordo_place_network *network, const struct ordo_place_hop *hop);
/* Writes the hops of a chunk whose places are known, on the ways that were measured. false: no
 * memory. */
bool ordo_place_lay_hops(struct ordo_prices *prices, bool spreads, struct ordo_place_chunk *chunk);
/* Where the result of a chunk of this number is computed, for a rank that wants it or (spreads) for
 * all, and what the chunk costs there, after ordo_prices_place. */
uint32_t ordo_place_cheapest_root(
	struct ordo_prices *prices, bool spreads, uint32_t number, uint64_t *least);
/* The cheapest chunk of this number, of what ordo_prices_place found. false: no memory. */
bool ordo_place_cheapest(
	struct ordo_prices *prices, bool spreads, uint32_t number, struct ordo_place_chunk *chunk);
/* Adds `times` (or takes away) a chunk's hops to the loads of arcs, and its sums to those of
 * adders; one without hops is not placed. */
void ordo_place_load(const struct ordo_place_network *network, const struct ordo_place_chunk *chunk,
	uint64_t times, uint64_t *loads);

#endif
