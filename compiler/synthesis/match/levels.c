/* levels.c - keeps chunks by the number of ranks that have them.
 *
 * A pair takes the rarest chunk. Levels only rise, so no chunk that it may take has a lower level
 * than the last one it found, except those that came to its sender since; from there it looks
 * upwards, at words of 64 chunks that are not empty.
 */
#include "levels.h"
#include <ordo/arena.h>
#include <ordo/schedule.h>
#include <stdlib.h>

static void set_bit(uint64_t *bits, uint32_t i)
{
	bits[i / 64] |= UINT64_C(1) << i % 64;
}

static void clear_bit(uint64_t *bits, uint32_t i)
{
	bits[i / 64] &= ~(UINT64_C(1) << i % 64);
}

bool ordo_match_levels_make(
	struct ordo_match_levels *levels, uint32_t nrank, uint32_t nchunk, uint32_t npair)
{
	const uint32_t nword = nchunk / 64 + 1, nfilled = nword / 64 + 1;
	const size_t nlevel = (size_t)nrank + 1;
	*levels = (struct ordo_match_levels){
		.nword = nword,
		.nfilled = nfilled,
		.has = ordo_array_make((size_t)nrank * nword, sizeof *levels->has, 0),
		.claimed = ordo_array_make((size_t)nrank * nword, sizeof *levels->claimed, 0),
		.level = ordo_array_make(nchunk, sizeof *levels->level, 0),
		.chunks = ordo_array_make(nlevel * nword, sizeof *levels->chunks, 0),
		.filled = ordo_array_make(nlevel * nfilled, sizeof *levels->filled, 0),
		.least = ordo_array_make(npair, sizeof *levels->least, 0),
	};
	return levels->has && levels->claimed && levels->level && levels->chunks &&
	       levels->filled && levels->least;
}

void ordo_match_levels_free(struct ordo_match_levels *levels)
{
	free(levels->has);
	free(levels->claimed);
	free(levels->level);
	free(levels->chunks);
	free(levels->filled);
	free(levels->least);
}

void ordo_match_claim(struct ordo_match_levels *levels, uint32_t rank, uint32_t chunk)
{
	const uint32_t before = levels->level[chunk]++, now = before + 1, word = chunk / 64;
	uint64_t *bits = levels->chunks + (size_t)before * levels->nword;
	set_bit(levels->claimed + (size_t)rank * levels->nword, chunk);
	clear_bit(bits, chunk);
	if (!bits[word])
		clear_bit(levels->filled + (size_t)before * levels->nfilled, word);
	set_bit(levels->chunks + (size_t)now * levels->nword, chunk);
	set_bit(levels->filled + (size_t)now * levels->nfilled, word);
}

void ordo_match_give(struct ordo_match_levels *levels, uint32_t rank, uint32_t chunk)
{
	set_bit(levels->has + (size_t)rank * levels->nword, chunk);
}

void ordo_match_offer(struct ordo_match_levels *levels, uint32_t pair, uint32_t chunk)
{
	if (levels->level[chunk] < levels->least[pair])
		levels->least[pair] = levels->level[chunk];
}

bool ordo_match_has(const struct ordo_match_levels *levels, uint32_t rank, uint32_t chunk)
{
	return levels->has[(size_t)rank * levels->nword + chunk / 64] >> chunk % 64 & 1;
}

/* The bits of chunks that one rank has and the other has not claimed. */
static uint64_t wanted(
	const struct ordo_match_levels *levels, uint32_t from, uint32_t to, uint32_t word)
{
	return levels->has[(size_t)from * levels->nword + word] &
	       ~levels->claimed[(size_t)to * levels->nword + word];
}

static uint32_t first_of_level(
	const struct ordo_match_levels *levels, uint32_t level, uint32_t from, uint32_t to)
{
	const uint64_t *chunks = levels->chunks + (size_t)level * levels->nword,
		       *filled = levels->filled + (size_t)level * levels->nfilled;
	for (uint32_t i = 0; i < levels->nfilled; i++)
		for (uint64_t words = filled[i]; words; words &= words - 1) {
			const uint32_t word = i * 64 + (uint32_t)__builtin_ctzll(words);
			const uint64_t bits = wanted(levels, from, to, word) & chunks[word];
			if (bits)
				return word * 64 + (uint32_t)__builtin_ctzll(bits);
		}
	return ORDO_NONE;
}

uint32_t ordo_match_rarest(
	struct ordo_match_levels *levels, uint32_t pair, uint32_t from, uint32_t to)
{
	uint32_t word = 0, chunk;
	while (word < levels->nword && !wanted(levels, from, to, word))
		word++;
	if (word == levels->nword)
		return ORDO_NONE;
	while ((chunk = first_of_level(levels, levels->least[pair], from, to)) == ORDO_NONE)
		levels->least[pair]++;
	return chunk;
}
