/* Internal: for the command and the tests. Exported for one release; may change or go after it. */
/* accumulate.h - in which form sums are held while they grow.
 *
 * A schedule that accumulates (problem.accumulate) has scratch slots of another form, the
 * accumulator, while input and output hold the type itself:
 *
 *   from input or output into scratch   widened, without loss
 *   every reduction                     made in the accumulator, into scratch
 *   from scratch into input or output   rounded to the type once, to nearest, ties to even; a NaN
 *   becomes the positive quiet one without payload
 *
 * What is moved otherwise is copied as it is. So which of two NaNs that meet survives is seen in no
 * result. The verifier sees to it that a sum is rounded to the type once, when it is complete (R4).
 *
 *   f32      f16 and bf16 are added up in f32, which rounds every sum. f32 itself accumulates in
 *            f32 anyway
 *   exact    f16, f8e4m3 and f8e5m2: fixed point that is wide enough for every sum, so nothing is
 *            rounded before the end
 *   binned   bf16, f32 and f64: the two or three highest bins of a number, of those that the
 *            largest contribution decides
 *
 * Adding in exact and binned form is associative and commutative. Their complete sums depend on the
 * contributions alone, so G1 to G5 hold whatever the trees, if each contribution is in once (R11)
 * and the sum is rounded once (R4). For this a complete sum that was rounded must survive a way
 * through scratch: rounding what was widened gives the same number, also where bins cannot hold all
 * of its bits.
 *
 * To a single contribution (nshard is 1) nothing is added: scratch holds the type, and every move
 * is a copy, so that a NaN has the same bits whichever way it took.
 *
 * No form can be bound to other types: f64 would be rounded on the way to f32, integers have no
 * business there, and their sums have the same bits in any order.
 */
#ifndef ORDO_ACCUMULATE_H
#define ORDO_ACCUMULATE_H

#include <ordo/element.h>
#include <ordo/operator.h>
#include <ordo/topology.h>

#ifdef __cplusplus
extern "C" {
#endif

/* "f32", "exact", "binned(bins=2)", "binned(bins=3)", as in documents; of the type itself "none",
 * which no document has. */
ORDO_API const char *ordo_accumulation_name(enum ordo_accumulation accumulation);
/* A document's name; "none" is none. */
ORDO_API bool ordo_accumulation_from_name(const char *name, enum ordo_accumulation *accumulation);

/* Sums in exact or binned form have no order: adding is associative and commutative. */
ORDO_API bool ordo_is_order_free(const struct ordo_problem *problem);
/* The type that is meant where none is named: f32, or, of exact sums, f16. */
ORDO_API enum ordo_type ordo_usual_type(const struct ordo_problem *problem);

/* The type that scratch slots hold, and in which sums are made: that of the form where the problem
 * has one and more than one contribution, else the type. */
ORDO_API enum ordo_type ordo_accumulator(const struct ordo_problem *problem, enum ordo_type type);
/* How many times as long a byte of a sum takes to add as one that the adder's rate is of, by the
 * rates of the topology (NULL: there is none; reduce_gbs is the rate where it has none). 1 where it
 * says none of this form: with AVX-512 and vectors of 6 MiB it is 0.97 for exact sums and 0.95 to
 * 0.97 for binned ones of normally distributed numbers of deviation 1, most of which are in one
 * bin, and 1.7 to 2.2 with deviation 0.01, which lie on both sides of a boundary of bins. */
ORDO_API double ordo_adding_cost(const struct ordo_topology *topology, double reduce_gbs,
	const struct ordo_problem *problem, enum ordo_type type);
/* May the problem be bound to that type? If not, ORDO_USAGE. */
ORDO_API bool ordo_accumulates(
	const struct ordo_problem *problem, enum ordo_type type, struct ordo_error *error);
/* And to that type with that reduction, if it reduces? Exact and binned forms hold sums and
 * averages only. */
ORDO_API bool ordo_can_reduce(const struct ordo_problem *problem, enum ordo_type type,
	enum ordo_reduction reduction, struct ordo_error *error);

/* States of sums without order: one element to a state, two states added, a state rounded.
 *
 * A state is 1 to 4 words of 64 bits. A word is a number, its upper 62 or 61 bits, and a tag, its
 * lower 2 or 3. The numbers are integers in two's complement, which are added without a carry from
 * one word to the next: so adding states is commutative and associative in every bit. All words
 * zero is the empty sum. Nothing here computes in floating point.
 *
 * Exact sums (f8e4m3, f8e5m2, f16). One unit is the least subnormal of the type, 2^-9, 2^-16 or
 * 2^-24: every finite element is an integer of 18, 32 or 40 bits and a sign. For fp8 the state is
 * that sum, one word. For f16 an element v is 2^20 * floor(v / 2^20) + (v mod 2^20), and the state
 * holds the sums of both parts. The value of the state is the sum itself, and it is rounded once.
 *
 * Binned sums (f32, bf16, which is a part of f32, and f64) with K = 2 or 3 bins. Idea: Demmel and
 * Nguyen, "Parallel Reproducible Summation", IEEE Transactions on Computers 64(7), 2015; Ahrens,
 * Demmel and Nguyen, "Algorithms for Efficient Reproducible Floating Point Summation", ACM
 * Transactions on Mathematical Software 46(3), 2020. The positions of bits, from that of the least
 * subnormal on, are divided into bins of W = 28. An element is cut at the boundaries of bins into
 * parts, each with the sign of the element. A state holds the sums of the parts in the W-bit bin
 * in which the greatest element begins and in the bins below it, m in all; of lower bins it holds
 * nothing. m = K for f32 and K + 1 for f64, so that all parts of one element fit: 53 bits lie in
 * up to three bins. Two states are added bin by bin; of the one whose bins are lower, those below
 * the other's are dropped. What is dropped of an element depends on it and on the greatest element
 * only; so the state is a function of the multiset of the elements.
 *
 *   f32 K = 2  2 words   f32 K = 3  3 words   f64 K = 2  3 words   f64 K = 3  4 words
 *
 * Error. Let n elements x have the sum S and the greatest magnitude M. The greatest element has a
 * bit in its highest bin, so that bin begins at or below M, and the lowest bin that is kept at or
 * below M * 2^(-W(m-1)). What is dropped of an element is below the latter, and of the greatest
 * one nothing; nor of any where the lowest bin is 0 or below, since no element has bits there. So
 * the value of the state is S + d, |d| <= (n - 1) * 2^(-W(m-1)) * M, and the result is S + d
 * rounded once, to nearest, ties to even. ReproBLAS has W = 13 for f32 and 40 for f64, and by
 * Demmel and Nguyen an error of at most n * 2^(W(1-K)) * M + 7 u |S|; here the first factor is
 * 2^-28 instead of 2^-13, 2^-56 of 2^-26, and for f64 2^-56 of 2^-40 and 2^-84 of 2^-80.
 *
 * How many. |number| < 2^60 (2^61) holds as long as a sum of f8e5m2 has 2^29 elements at most, and
 * any other 2^32 (ORDO_MOST_SUMMED).
 *
 * Not numbers. The two lowest bits of the first word say that +infinity and -infinity were added,
 * and both that a NaN was, or both infinities: the result is that infinity (f8e5m2, which
 * saturates, has 57344 instead), or the positive quiet NaN without payload. A sum of zero is +0.
 * A sum that is too large is infinity, or for fp8 the largest number; sums on the way do not
 * overflow.
 *
 * Tags of a binned sum: bit 2 of the first word, then bits 0 to 2 of the next ones, are the number
 * of the highest bin, lowest bit first.
 */
#define ORDO_MOST_STATE_WORDS 4
/* Elements in one sum, at most. */
#define ORDO_MOST_SUMMED(type) (UINT64_C(1) << ((type) == ORDO_F8E5M2 ? 29 : 32))

#define ORDO_BIN_WIDTH 28
#define ORDO_BIN_MASK ((UINT64_C(1) << ORDO_BIN_WIDTH) - 1)
#define ORDO_INFINITY_TAGS UINT64_C(3) /* 1: +infinity, 2: -infinity, 3: NaN */
#define ORDO_BINNED_TAGS UINT64_C(7)

/* magnitude or its negative; `negative` is 0 or 1. */
static inline uint64_t ordo_signed_word(uint64_t magnitude, uint64_t negative)
{
	return (magnitude ^ (UINT64_C(0) - negative)) + negative;
}

/* The tag of what is not finite; 0 for what is. */
static inline uint64_t ordo_infinity_tag(int is_nan, int is_infinite, uint64_t negative)
{
	return (uint64_t)is_nan * 3 | (uint64_t)is_infinite * (1 + negative);
}

/* An element of f8e4m3: sign, 4 bits of exponent, 3 of the significand; in units of 2^-9. */
static inline uint64_t ordo_exact_f8e4m3(uint8_t element)
{
	const uint64_t negative = element >> 7, exponent = element >> 3 & 15,
		       normal = exponent != 0, is_nan = (element & 0x7f) == 0x7f;
	const uint64_t magnitude = ((element & 7) | normal << 3) << (exponent - normal);
	return ordo_signed_word(magnitude & (is_nan - 1), negative) << 2 | (is_nan | is_nan << 1);
}

/* Of f8e5m2: 5 bits of exponent, 2 of the significand; in units of 2^-16. */
static inline uint64_t ordo_exact_f8e5m2(uint8_t element)
{
	const uint64_t negative = element >> 7, exponent = element >> 2 & 31,
		       normal = exponent != 0, finite = exponent != 31;
	const uint64_t magnitude = ((element & 3) | normal << 2) << (exponent - normal);
	return ordo_signed_word(magnitude & (UINT64_C(0) - finite), negative) << 2 |
	       ordo_infinity_tag(!finite & !!(element & 3), !finite & !(element & 3), negative);
}

/* Of f16: 5 bits of exponent, 10 of the significand; in units of 2^-24. Two words. */
static inline void ordo_exact_f16(uint64_t *state, uint16_t element)
{
	const uint64_t negative = element >> 15, exponent = element >> 10 & 31,
		       normal = exponent != 0, finite = exponent != 31;
	const uint64_t magnitude = ((element & 0x3ff) | normal << 10) << (exponent - normal);
	const uint64_t value = ordo_signed_word(magnitude & (UINT64_C(0) - finite), negative),
		       low = value & 0xfffff;
	/* value - low is a multiple of 2^20; divided by it and times 4, for the tag */
	const int64_t high = (int64_t)(value - low) >> 18;
	state[0] = (uint64_t)high | ordo_infinity_tag(!finite & !!(element & 0x3ff),
					    !finite & !(element & 0x3ff), negative);
	state[1] = low << 2;
}

/* position / ORDO_BIN_WIDTH, of a position of f64: (28 * 37450 - 2^20) * 2073 / 2^20 < 1. */
static inline uint64_t ordo_bins_below(uint64_t position)
{
	return position * 37450 >> 20;
}

/* The bits of an f32, as a state of m = 2 or 3 words. Shifted by e, the exponent, its significand
 * begins at bit e + 23, in bin b = (e + 23) / 28; the window of bins b and b - 1 is 56 bits, and
 * the significand lies in it e - 28b + 28 = 5 to 32 bits above its end. A subnormal begins below,
 * but in the same bin 0. */
static inline void ordo_binned_f32(uint64_t *state, int m, uint32_t bits)
{
	const uint64_t negative = bits >> 31, exponent = bits >> 23 & 255, normal = exponent != 0,
		       finite = UINT64_C(0) - (uint64_t)(exponent != 255);
	const uint64_t fraction = bits & 0x7fffff, e = exponent - normal,
		       bin = ordo_bins_below(e + 23), kept = finite & bin;
	const uint64_t window = ((fraction | normal << 23) & finite)
				<< (e + ORDO_BIN_WIDTH - ORDO_BIN_WIDTH * bin);
	state[0] = ordo_signed_word(window >> ORDO_BIN_WIDTH, negative) << 3 | (kept & 1) << 2 |
		   ordo_infinity_tag(!finite & (fraction != 0), !finite & !fraction, negative);
	state[1] = ordo_signed_word(window & ORDO_BIN_MASK, negative) << 3 | kept >> 1;
	if (m > 2)
		state[2] = 0;
}

/* The bits of an f64, as a state of m = 3 or 4 words. The number in the tag is that of the bin
 * below the highest: b = (e + 24) / 28, where the highest bin, number b + 1, has the first bit of a
 * normal number, e + 52. The window of three bins ends at bin b - 1, e - 28b + 28 = 4 to 31 bits
 * below the significand. Subnormals have b = 0 too, and all their bits in bins 1 and 0. */
static inline void ordo_binned_f64(uint64_t *state, int m, uint64_t bits)
{
	const uint64_t negative = bits >> 63, exponent = bits >> 52 & 2047, normal = exponent != 0,
		       finite = UINT64_C(0) - (uint64_t)(exponent != 2047);
	const uint64_t fraction = bits & ((UINT64_C(1) << 52) - 1), e = exponent - normal,
		       bin = ordo_bins_below(e + 24), kept = finite & bin,
		       above = e + ORDO_BIN_WIDTH - ORDO_BIN_WIDTH * bin;
	const uint64_t significand = (fraction | normal << 52) & finite;
	state[0] = ordo_signed_word(significand >> (2 * ORDO_BIN_WIDTH - above), negative) << 3 |
		   (kept & 1) << 2 |
		   ordo_infinity_tag(!finite & (fraction != 0), !finite & !fraction, negative);
	state[1] = ordo_signed_word(significand << 4 >> (32 - above) & ORDO_BIN_MASK, negative)
			   << 3 |
		   (kept >> 1 & 7);
	state[2] =
		ordo_signed_word(significand << above & ORDO_BIN_MASK, negative) << 3 | kept >> 4;
	if (m > 3)
		state[3] = 0;
}

/* The number in the tags. */
static inline unsigned ordo_binned_bin(const uint64_t *state, int m)
{
	return (unsigned)((state[0] >> 2 & 1) | (state[1] & 7) << 1 |
			  (m > 2 ? (state[2] & 7) << 4 : 0));
}

/* All ones if a == b, else 0, for numbers below 2^63. */
static inline uint64_t ordo_same_mask(uint64_t a, uint64_t b)
{
	return UINT64_C(0) - (((a ^ b) - 1) >> 63);
}

/* state += other, of m words. Without a branch and without an index that depends on the bins, so
 * that a loop over states becomes one over vectors: where bins differ, they do so at random, and a
 * branch that is predicted wrongly costs more than all of this. */
static inline void ordo_binned_add(uint64_t *state, const uint64_t *other, int m)
{
	const uint64_t ahead = (uint64_t)ordo_binned_bin(state, m) - ordo_binned_bin(other, m),
		       swapped = UINT64_C(0) - (ahead >> 63), apart = (ahead ^ swapped) - swapped,
		       infinities = (state[0] | other[0]) & ORDO_INFINITY_TAGS;
	uint64_t high[ORDO_MOST_STATE_WORDS], low[ORDO_MOST_STATE_WORDS];
	for (int i = 0; i < m; i++) {
		const uint64_t exchanged = (state[i] ^ other[i]) & swapped;
		high[i] = state[i] ^ exchanged;
		low[i] = (other[i] ^ exchanged) & ~ORDO_BINNED_TAGS;
	}
	for (int i = 0; i < m; i++) {
		state[i] = high[i];
		for (int down = 0; down <= i; down++)
			state[i] += low[i - down] & ordo_same_mask(apart, (uint64_t)down);
	}
	state[0] |= infinities;
}

/* A float type as rounding needs it. */
struct ordo_rounding {
	int precision;	/* bits of the significand, the hidden one included */
	int least;	/* the least subnormal is 2^least */
	uint64_t above; /* the bits of what is too large: infinity, or the largest number */
	uint64_t nan;	/* the bits of the positive quiet NaN without payload */
	int sign;	/* which bit the sign is */
};

static inline struct ordo_rounding ordo_rounding_of(enum ordo_type type)
{
	static const struct ordo_rounding f8e4m3 = {4, -9, 0x7e, 0x7f, 7},
					  f8e5m2 = {3, -16, 0x7b, 0x7e, 7},
					  f16 = {11, -24, 0x7c00, 0x7e00, 15},
					  bf16 = {8, -133, 0x7f80, 0x7fc0, 15},
					  f32 = {24, -149, 0x7f800000, 0x7fc00000, 31},
					  f64 = {53, -1074, UINT64_C(0x7ff0000000000000),
						  UINT64_C(0x7ff8000000000000), 63};
	return type == ORDO_F8E4M3   ? f8e4m3
	       : type == ORDO_F8E5M2 ? f8e5m2
	       : type == ORDO_F16    ? f16
	       : type == ORDO_BF16   ? bf16
	       : type == ORDO_F32    ? f32
				     : f64;
}

static inline int ordo_bit_length(uint64_t x)
{
#if defined(__GNUC__)
	return x ? 64 - __builtin_clzll(x) : 0;
#else
	int length = 0;
	for (; x; x >>= 1)
		length++;
	return length;
#endif
}

/* The bits of magnitude * 2^exponent rounded to nearest, ties to even, without the sign. inexact:
 * less than one more in the magnitude, which then has 64 bits. Subnormals and normal numbers are
 * one row of bits: a carry out of the significand is the next exponent. */
static inline uint64_t ordo_rounded_magnitude(
	const struct ordo_rounding *to, uint64_t magnitude, int exponent, int inexact)
{
	if (!magnitude)
		return 0;
	int last = exponent + ordo_bit_length(magnitude) - to->precision;
	last = last > to->least ? last : to->least;
	const int dropped = last - exponent;
	if (dropped > 64)
		return 0;
	uint64_t significand = dropped <= 0   ? magnitude << -dropped
			       : dropped < 64 ? magnitude >> dropped
					      : 0;
	if (dropped > 0) {
		const uint64_t half = UINT64_C(1) << (dropped - 1),
			       rest = magnitude & (half | (half - 1));
		significand += rest > half || (rest == half && (inexact || significand & 1));
	}
	const uint64_t bits = ((uint64_t)(last - to->least) << (to->precision - 1)) + significand;
	return bits < to->above ? bits : to->above;
}

/* The bits of a state's value, rounded to the type once: of `count` numbers, the first the most
 * significant, `width` bits apart, the last in units of 2^unit; and of the state's infinities. */
static inline uint64_t ordo_rounded_state(
	enum ordo_type type, const uint64_t *state, int count, int tag_bits, int width, int unit)
{
	const struct ordo_rounding to = ordo_rounding_of(type);
	const uint64_t infinities = state[0] & ORDO_INFINITY_TAGS;
	if (infinities == 3)
		return to.nan;
	if (infinities)
		return to.above | (infinities >> 1) << to.sign;
	int64_t numbers[ORDO_MOST_STATE_WORDS];
	uint64_t digits[ORDO_MOST_STATE_WORDS], negative = 0;
	for (int i = 0; i < count; i++)
		numbers[i] = (int64_t)state[i] >> tag_bits;
	/* Carries, so that all but the first are digits; once more if the whole is negative. */
	for (int pass = 0; pass < 2; pass++) {
		int64_t carry = 0;
		for (int i = count - 1; i > 0; i--) {
			const int64_t sum = numbers[i] + carry;
			carry = sum >> width;
			digits[i] = (uint64_t)sum & ((UINT64_C(1) << width) - 1);
		}
		const int64_t first = numbers[0] + carry;
		digits[0] = (uint64_t)first;
		if (first >= 0)
			break;
		negative = 1;
		for (int i = 0; i < count; i++)
			numbers[i] = -numbers[i];
	}
	/* The first 64 bits, from the first that is set. */
	uint64_t magnitude = digits[0];
	int exponent = unit + (count - 1) * width, inexact = 0;
	for (int i = 1; i < count; i++) {
		const int room = 64 - ordo_bit_length(magnitude),
			  taken = room < width ? room : width, left = width - taken;
		magnitude = (taken ? magnitude << taken : magnitude) | digits[i] >> left;
		inexact |= (digits[i] & ((UINT64_C(1) << left) - 1)) != 0;
		exponent -= taken;
	}
	return ordo_rounded_magnitude(&to, magnitude, exponent, inexact) | negative << to.sign;
}

/* The bits of a sum of m words of f32 (`f64` is 0) or f64, rounded to the type once. */
static inline uint64_t ordo_rounded_binned(
	enum ordo_type type, int f64, const uint64_t *state, int m)
{
	const int lowest = (int)ordo_binned_bin(state, m) + f64 - (m - 1);
	return ordo_rounded_state(
		type, state, m, 3, ORDO_BIN_WIDTH, lowest * ORDO_BIN_WIDTH - (f64 ? 1074 : 149));
}

/* The same for any type of state, from and to the bits of an element: of `type`, which may be bf16
 * where the state is one of f32. Loops over elements have the functions above. */
static inline void ordo_sum_of_one(enum ordo_type sum, uint64_t *state, uint64_t bits)
{
	if (sum == ORDO_EXACT_F8E4M3)
		state[0] = ordo_exact_f8e4m3((uint8_t)bits);
	else if (sum == ORDO_EXACT_F8E5M2)
		state[0] = ordo_exact_f8e5m2((uint8_t)bits);
	else if (sum == ORDO_EXACT_F16)
		ordo_exact_f16(state, (uint16_t)bits);
	else if (sum == ORDO_BINNED2_F32 || sum == ORDO_BINNED3_F32)
		ordo_binned_f32(state, sum == ORDO_BINNED2_F32 ? 2 : 3, (uint32_t)bits);
	else
		ordo_binned_f64(state, sum == ORDO_BINNED2_F64 ? 3 : 4, bits);
}

static inline uint64_t ordo_rounded_sum(
	enum ordo_type sum, enum ordo_type type, const uint64_t *state)
{
	if (sum == ORDO_EXACT_F8E4M3)
		return ordo_rounded_state(type, state, 1, 2, 0, -9);
	if (sum == ORDO_EXACT_F8E5M2)
		return ordo_rounded_state(type, state, 1, 2, 0, -16);
	if (sum == ORDO_EXACT_F16)
		return ordo_rounded_state(type, state, 2, 2, 20, -24);
	if (sum == ORDO_BINNED2_F32 || sum == ORDO_BINNED3_F32)
		return ordo_rounded_binned(type, 0, state, sum == ORDO_BINNED2_F32 ? 2 : 3);
	return ordo_rounded_binned(type, 1, state, sum == ORDO_BINNED2_F64 ? 3 : 4);
}

#ifdef __cplusplus
}
#endif
#endif
