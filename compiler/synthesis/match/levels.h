/* levels.h - which ranks have which chunks, and the rarest of those that a pair may take. Private
 * to this room. */
#ifndef ORDO_SYNTHESIS_MATCH_LEVELS_H
#define ORDO_SYNTHESIS_MATCH_LEVELS_H

#include <stdbool.h>
#include <stdint.h>

/* The level of a chunk is the number of ranks that have it or are about to get it. */
struct ordo_match_levels {
	uint32_t nword, nfilled;
	uint64_t *has;	   /* [nrank * nword] bits of chunks that are there */
	uint64_t *claimed; /* [nrank * nword] are there or on their way there */
	uint32_t *level;   /* [nchunk] */
	uint64_t *chunks;  /* [(nrank + 1) * nword] bits of the chunks of each level */
	uint64_t *filled;  /* [(nrank + 1) * nfilled] bits of the words of a level that are not 0 */
	uint32_t *least;   /* [npair] no chunk that the pair may take has a lower level */
};

/* Nobody has anything. The caller frees it, also after false: no memory. */
bool ordo_match_levels_make(
	struct ordo_match_levels *levels, uint32_t nrank, uint32_t nchunk, uint32_t npair);
void ordo_match_levels_free(struct ordo_match_levels *levels);

/* A rank is about to get a chunk, and no other pair takes it there. */
void ordo_match_claim(struct ordo_match_levels *levels, uint32_t rank, uint32_t chunk);
/* It has the chunk, which it claimed before. ordo_match_offer follows for each pair that begins
 * there. */
void ordo_match_give(struct ordo_match_levels *levels, uint32_t rank, uint32_t chunk);
void ordo_match_offer(struct ordo_match_levels *levels, uint32_t pair, uint32_t chunk);
bool ordo_match_has(const struct ordo_match_levels *levels, uint32_t rank, uint32_t chunk);

/* A chunk of the lowest level that `from` has and `to` has not claimed, the first of several;
 * ORDO_NONE: there is none. pair: from one to the other */
uint32_t ordo_match_rarest(
	struct ordo_match_levels *levels, uint32_t pair, uint32_t from, uint32_t to);

#endif
