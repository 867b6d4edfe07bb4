/* states.h - loops over states of sums without order (ordo/detail/accumulate.h): elements
 * widened to states, states added, states rounded.
 *
 * The functions of accumulate.h in loops; all forms have the same bits, since these are integers.
 */
#ifndef ORDO_KERNELS_STATES_H
#define ORDO_KERNELS_STATES_H

#include "operations.h"
#include <ordo/detail/accumulate.h>

typedef uint64_t words_there __attribute__((aligned(1), may_alias));

/* X(sum, element, words, bits of an element): a type of state and what is added to it. */
#define STATES(X)                                                                                  \
	X(EXACT_F8E4M3, F8E4M3, 1, uint8_t)                                                        \
	X(EXACT_F8E5M2, F8E5M2, 1, uint8_t)                                                        \
	X(EXACT_F16, F16, 2, uint16_t)                                                             \
	X(BINNED2_F32, F32, 2, uint32_t)                                                           \
	X(BINNED3_F32, F32, 3, uint32_t)                                                           \
	X(BINNED2_F32, BF16, 2, uint16_t)                                                          \
	X(BINNED3_F32, BF16, 3, uint16_t)                                                          \
	X(BINNED2_F64, F64, 3, uint64_t)                                                           \
	X(BINNED3_F64, F64, 4, uint64_t)

/* A bf16 is the upper half of the f32 that it is. */
#define STATE_CONVERSIONS(sum, element, words, bits)                                               \
	static void widen_##element##_to_##sum(                                                    \
		void *restrict states, const void *restrict elements, size_t n)                    \
	{                                                                                          \
		typedef bits elements_there __attribute__((aligned(1), may_alias));                \
		words_there *to = states;                                                          \
		const elements_there *from = elements;                                             \
		const int is_bf16 = ORDO_##element == ORDO_BF16;                                   \
		for (size_t i = 0; i < n; i++) {                                                   \
			uint64_t state[words];                                                     \
			ordo_sum_of_one(ORDO_##sum, state, (uint64_t)from[i] << 16 * is_bf16);     \
			for (size_t k = 0; k < (words); k++)                                       \
				to[i * (words) + k] = state[k];                                    \
		}                                                                                  \
	}                                                                                          \
	static void round_##sum##_to_##element(                                                    \
		void *restrict elements, const void *restrict states, size_t n)                    \
	{                                                                                          \
		typedef bits elements_there __attribute__((aligned(1), may_alias));                \
		elements_there *to = elements;                                                     \
		const words_there *from = states;                                                  \
		for (size_t i = 0; i < n; i++) {                                                   \
			uint64_t state[words];                                                     \
			for (size_t k = 0; k < (words); k++)                                       \
				state[k] = from[i * (words) + k];                                  \
			to[i] = (bits)ordo_rounded_sum(ORDO_##sum, ORDO_##element, state);         \
		}                                                                                  \
	}
STATES(STATE_CONVERSIONS)

/* Exact sums are added word by word. */
static inline vector sum_word(vector a, vector b)
{
	const vector tags = (vector)((u64s){0} + ORDO_INFINITY_TAGS);
	return ((a & ~tags) + (b & ~tags)) | ((a | b) & tags);
}

/* So many binned sums at once: their words fill as many vectors as a state has words. */
enum { STATES_AT_ONCE = VECTOR_BYTES / 8 };

/* Where all sources have the same bins, and the same infinities and NaNs, words are added as they
 * are. false: they have not, and nothing was done. */
static ALWAYS_INLINE bool fold_alike(void *const *dst, uint32_t ndst, const void *const *src,
	uint32_t nsrc, size_t skip, size_t words)
{
	const vector tags = (vector)((u64s){0} + ORDO_BINNED_TAGS);
	vector sums[ORDO_MOST_STATE_WORDS], differ = {0};
	for (size_t k = 0; k < words; k++)
		sums[k] = load((const char *)src[0] + skip + k * VECTOR_BYTES);
	for (uint32_t i = 1; i < nsrc; i++)
		for (size_t k = 0; k < words; k++) {
			const vector other = load((const char *)src[i] + skip + k * VECTOR_BYTES);
			differ |= sums[k] ^ other;
			sums[k] += other & ~tags;
		}
	if (any(differ & tags))
		return false;
	for (uint32_t i = 0; i < ndst; i++)
		for (size_t k = 0; k < words; k++)
			store((char *)dst[i] + skip + k * VECTOR_BYTES, sums[k]);
	return true;
}

static ALWAYS_INLINE void fold_one(void *const *dst, uint32_t ndst, const void *const *src,
	uint32_t nsrc, size_t skip, size_t words)
{
	uint64_t sum[ORDO_MOST_STATE_WORDS], other[ORDO_MOST_STATE_WORDS];
	memcpy(sum, (const char *)src[0] + skip, words * sizeof *sum);
	for (uint32_t i = 1; i < nsrc; i++) {
		memcpy(other, (const char *)src[i] + skip, words * sizeof *other);
		ordo_binned_add(sum, other, (int)words);
	}
	for (uint32_t i = 0; i < ndst; i++)
		memcpy((char *)dst[i] + skip, sum, words * sizeof *sum);
}

static ALWAYS_INLINE void fold_binned(void *const *dst, uint32_t ndst, const void *const *src,
	uint32_t nsrc, size_t n, size_t words)
{
	const size_t size = words * sizeof(uint64_t);
	size_t at = 0;
	while (n - at >= STATES_AT_ONCE) {
		if (fold_alike(dst, ndst, src, nsrc, at * size, words)) {
			at += STATES_AT_ONCE;
			continue;
		}
		for (const size_t end = at + STATES_AT_ONCE; at < end; at++)
			fold_one(dst, ndst, src, nsrc, at * size, words);
	}
	for (; at < n; at++)
		fold_one(dst, ndst, src, nsrc, at * size, words);
}

#define SUM_BINNED(words)                                                                          \
	static void sum_all_binned_##words(void *const *dst, uint32_t ndst,                        \
		const void *const *src, uint32_t nsrc, size_t n, unsigned ways)                    \
	{                                                                                          \
		(void)ways;                                                                        \
		if (nsrc == 2 && ndst == 1)                                                        \
			fold_binned(dst, 1, src, 2, n, words);                                     \
		else                                                                               \
			fold_binned(dst, ndst, src, nsrc, n, words);                               \
	}
SUM_BINNED(2)
SUM_BINNED(3)
SUM_BINNED(4)

#endif
