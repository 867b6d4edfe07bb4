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

/* The lanes of two vectors, numbered one after the other, that lane(0), lane(1), ... name. */
#if defined(__AVX512BW__)
#define EACH_LANE(lane) lane(0), lane(1), lane(2), lane(3), lane(4), lane(5), lane(6), lane(7)
#elif defined(__AVX2__)
#define EACH_LANE(lane) lane(0), lane(1), lane(2), lane(3)
#else
#define EACH_LANE(lane) lane(0), lane(1)
#endif
#if defined(__clang__)
#define PICK(a, b, lane) __builtin_shufflevector(a, b, EACH_LANE(lane))
#else
#define PICK(a, b, lane) __builtin_shuffle(a, b, (u64s){EACH_LANE(lane)})
#endif

/* Lanes of two vectors of words of pairs, and back. */
#define EVEN(i) (2 * (i))
#define ODD(i) (2 * (i) + 1)
#define LOWER(i) ((i) % 2 * STATES_AT_ONCE + (i) / 2)
#define UPPER(i) ((i) % 2 * STATES_AT_ONCE + (STATES_AT_ONCE + (i)) / 2)
/* Of three vectors of triples, from the first two and then from that and the third. WORD: word k of
 * each; TRIPLES: vector k of what words were taken from. What the second step replaces is any. */
#define FLAT(i, k) (3 * (i) + (k))
#define WORD_OF_TWO(i, k) (FLAT(i, k) < 2 * STATES_AT_ONCE ? FLAT(i, k) : 0)
#define WORD_OF_THREE(i, k) (FLAT(i, k) < 2 * STATES_AT_ONCE ? (i) : FLAT(i, k) - STATES_AT_ONCE)
#define PLACE(i, k) (STATES_AT_ONCE * (k) + (i))
#define TRIPLES_OF_TWO(i, k) (PLACE(i, k) % 3 % 2 * STATES_AT_ONCE + PLACE(i, k) / 3)
#define TRIPLES_OF_THREE(i, k) (PLACE(i, k) % 3 < 2 ? (i) : STATES_AT_ONCE + PLACE(i, k) / 3)
#define WORD_OF_TWO_0(i) WORD_OF_TWO(i, 0)
#define WORD_OF_TWO_1(i) WORD_OF_TWO(i, 1)
#define WORD_OF_TWO_2(i) WORD_OF_TWO(i, 2)
#define WORD_OF_THREE_0(i) WORD_OF_THREE(i, 0)
#define WORD_OF_THREE_1(i) WORD_OF_THREE(i, 1)
#define WORD_OF_THREE_2(i) WORD_OF_THREE(i, 2)
#define TRIPLES_OF_TWO_0(i) TRIPLES_OF_TWO(i, 0)
#define TRIPLES_OF_TWO_1(i) TRIPLES_OF_TWO(i, 1)
#define TRIPLES_OF_TWO_2(i) TRIPLES_OF_TWO(i, 2)
#define TRIPLES_OF_THREE_0(i) TRIPLES_OF_THREE(i, 0)
#define TRIPLES_OF_THREE_1(i) TRIPLES_OF_THREE(i, 1)
#define TRIPLES_OF_THREE_2(i) TRIPLES_OF_THREE(i, 2)
#define PICK_OF_THREE(v, lane, k)                                                                  \
	PICK(PICK((v)[0], (v)[1], lane##_OF_TWO_##k), (v)[2], lane##_OF_THREE_##k)

/* states[words] as they are in memory, to vectors of the first, the second, ... words. */
static ALWAYS_INLINE void split_words(vector *split, const vector *states, size_t words)
{
	if (words == 2) {
		split[0] = PICK(states[0], states[1], EVEN);
		split[1] = PICK(states[0], states[1], ODD);
	} else if (words == 3) {
		split[0] = PICK_OF_THREE(states, WORD, 0);
		split[1] = PICK_OF_THREE(states, WORD, 1);
		split[2] = PICK_OF_THREE(states, WORD, 2);
	} else {
		const vector even[] = {
			PICK(states[0], states[1], EVEN), PICK(states[2], states[3], EVEN)};
		const vector odd[] = {
			PICK(states[0], states[1], ODD), PICK(states[2], states[3], ODD)};
		split[0] = PICK(even[0], even[1], EVEN);
		split[1] = PICK(odd[0], odd[1], EVEN);
		split[2] = PICK(even[0], even[1], ODD);
		split[3] = PICK(odd[0], odd[1], ODD);
	}
}

static ALWAYS_INLINE void join_words(vector *states, const vector *split, size_t words)
{
	if (words == 2) {
		states[0] = PICK(split[0], split[1], LOWER);
		states[1] = PICK(split[0], split[1], UPPER);
	} else if (words == 3) {
		states[0] = PICK_OF_THREE(split, TRIPLES, 0);
		states[1] = PICK_OF_THREE(split, TRIPLES, 1);
		states[2] = PICK_OF_THREE(split, TRIPLES, 2);
	} else {
		const vector even[] = {
			PICK(split[0], split[2], LOWER), PICK(split[0], split[2], UPPER)};
		const vector odd[] = {
			PICK(split[1], split[3], LOWER), PICK(split[1], split[3], UPPER)};
		states[0] = PICK(even[0], odd[0], LOWER);
		states[1] = PICK(even[0], odd[0], UPPER);
		states[2] = PICK(even[1], odd[1], LOWER);
		states[3] = PICK(even[1], odd[1], UPPER);
	}
}

static inline vector lanes_of(uint64_t word)
{
	return (vector){0} + word;
}

/* 4 times the number of the bin that the tags have. */
static ALWAYS_INLINE vector four_bins(const vector *state, size_t words)
{
	const vector bin = (state[0] & lanes_of(4)) | (state[1] & lanes_of(7)) << 3;
	return words > 2 ? bin | (state[2] & lanes_of(7)) << 6 : bin;
}

/* Some lanes, as the CPU names them: chosen from two vectors, and added to alone. */
#if defined(__AVX512BW__)
typedef __mmask8 some_lanes;

static inline vector absolute_lanes(vector a)
{
	return (vector)_mm512_abs_epi64((__m512i)a);
}

static inline some_lanes negative_lanes(vector a)
{
	return _mm512_movepi64_mask((__m512i)a);
}

static inline some_lanes equal_lanes(vector a, vector b)
{
	return _mm512_cmpeq_epi64_mask((__m512i)a, (__m512i)b);
}

static inline vector choose_lanes(some_lanes lanes, vector a, vector b)
{
	return (vector)_mm512_mask_blend_epi64(lanes, (__m512i)b, (__m512i)a);
}

static inline vector add_to_lanes(some_lanes lanes, vector a, vector b)
{
	return (vector)_mm512_mask_add_epi64((__m512i)a, lanes, (__m512i)a, (__m512i)b);
}
#else
typedef vector some_lanes;

static inline vector absolute_lanes(vector a)
{
	const vector sign = (vector)((i64s)a < 0);
	return (a ^ sign) - sign;
}

static inline some_lanes negative_lanes(vector a)
{
	return (vector)((i64s)a < 0);
}

static inline some_lanes equal_lanes(vector a, vector b)
{
	return (vector)(a == b);
}

static inline vector choose_lanes(some_lanes lanes, vector a, vector b)
{
	return choose(lanes, a, b);
}

static inline vector add_to_lanes(some_lanes lanes, vector a, vector b)
{
	return a + (b & lanes);
}
#endif

/* ordo_binned_add of every lane, without a branch: where bins differ, they do so at random, and a
 * branch that is predicted wrongly costs more than all of this. */
static ALWAYS_INLINE void add_apart(vector *state, const vector *other, size_t words)
{
	const vector ahead = four_bins(state, words) - four_bins(other, words),
		     infinities = (state[0] | other[0]) & lanes_of(ORDO_INFINITY_TAGS);
	const vector apart = absolute_lanes(ahead);
	const some_lanes swapped = negative_lanes(ahead);
	vector high[ORDO_MOST_STATE_WORDS], low[ORDO_MOST_STATE_WORDS];
	for (size_t k = 0; k < words; k++) {
		high[k] = choose_lanes(swapped, other[k], state[k]);
		low[k] = choose_lanes(swapped, state[k], other[k]) & ~lanes_of(ORDO_BINNED_TAGS);
	}
	for (size_t down = 0; down < words; down++) {
		const some_lanes so_far = equal_lanes(apart, lanes_of(4 * down));
		for (size_t k = down; k < words; k++)
			high[k] = add_to_lanes(so_far, high[k], low[k - down]);
	}
	for (size_t k = 0; k < words; k++)
		state[k] = high[k];
	state[0] |= infinities;
}

struct states {
	vector words[ORDO_MOST_STATE_WORDS];
};

static ALWAYS_INLINE struct states load_states(const void *from, size_t skip, size_t words)
{
	struct states states = {{{0}}};
	for (size_t k = 0; k < words; k++)
		states.words[k] = load((const char *)from + skip + k * VECTOR_BYTES);
	return states;
}

static ALWAYS_INLINE void store_states(
	void *const *dst, uint32_t ndst, size_t skip, const struct states *states, size_t words)
{
	for (uint32_t i = 0; i < ndst; i++)
		for (size_t k = 0; k < words; k++)
			store((char *)dst[i] + skip + k * VECTOR_BYTES, states->words[k]);
}

/* Where all sources have the same bins, and the same infinities and NaNs, words are added as they
 * are. false: they have not, and nothing was done. */
static ALWAYS_INLINE bool fold_alike(void *const *dst, uint32_t ndst, const void *const *src,
	uint32_t nsrc, size_t skip, size_t words)
{
	const vector tags = lanes_of(ORDO_BINNED_TAGS);
	struct states sums = load_states(src[0], skip, words);
	vector differ = {0};
	for (uint32_t i = 1; i < nsrc; i++) {
		const struct states other = load_states(src[i], skip, words);
		for (size_t k = 0; k < words; k++) {
			differ |= sums.words[k] ^ other.words[k];
			sums.words[k] += other.words[k] & ~tags;
		}
	}
	if (any(differ & tags))
		return false;
	store_states(dst, ndst, skip, &sums, words);
	return true;
}

static ALWAYS_INLINE void fold_apart(void *const *dst, uint32_t ndst, const void *const *src,
	uint32_t nsrc, size_t skip, size_t words)
{
	vector sums[ORDO_MOST_STATE_WORDS], other[ORDO_MOST_STATE_WORDS];
	struct states states = load_states(src[0], skip, words);
	split_words(sums, states.words, words);
	for (uint32_t i = 1; i < nsrc; i++) {
		states = load_states(src[i], skip, words);
		split_words(other, states.words, words);
		add_apart(sums, other, words);
	}
	join_words(states.words, sums, words);
	store_states(dst, ndst, skip, &states, words);
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
	for (; n - at >= STATES_AT_ONCE; at += STATES_AT_ONCE)
		if (!fold_alike(dst, ndst, src, nsrc, at * size, words))
			fold_apart(dst, ndst, src, nsrc, at * size, words);
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
