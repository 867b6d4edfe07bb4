/* pair_vector.h - minloc and maxloc of vectors of pairs (value, index).
 *
 * Every pair has a key: of minloc the value in the order of the numbers, with NaN first, then the
 * index; of maxloc the value in the opposite order, NaN first again. The pair with the lesser key
 * is chosen, as a whole; only pairs that are equal, but for what a NaN carries, have equal keys.
 * Pairs of 8 bytes are compared as one integer each; of 16 bytes one after another, for two lanes
 * of 64 bits have no comparison in common.
 */
#ifndef ORDO_KERNELS_PAIR_VECTOR_H
#define ORDO_KERNELS_PAIR_VECTOR_H

#include "vector.h"

#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "the value of a pair is taken to be the lower half of a lane"
#endif

#define UPPER_HALF UINT64_C(0xffffffff00000000)
#define LEAST_KEY (UINT64_C(1) << 63)

static inline vector is_pair_nan_f32(vector pairs)
{
	return (vector)((i64s)(pairs & UINT64_C(0x7fffffff)) > INT64_C(0x7f800000));
}

/* The value in the upper half, as a signed integer in the order of the numbers. */
static inline vector value_key_f32(vector pairs)
{
	const vector value = pairs << 32,
		     flip = (vector)((i64s)value < 0) & UINT64_C(0x7fffffff00000000);
	return value ^ flip;
}

static inline vector index_key(vector pairs)
{
	return (pairs >> 32) ^ UINT64_C(0x80000000);
}

static inline i64s key_f32_i32(vector pairs, uint64_t reversed)
{
	const vector key = value_key_f32(pairs) ^ reversed;
	return (i64s)(choose(is_pair_nan_f32(pairs), (vector){0} + LEAST_KEY, key) |
		      index_key(pairs));
}

static inline vector chosen_f32_i32(vector a, vector b, uint64_t reversed)
{
	const vector lesser =
		choose((vector)(key_f32_i32(a, reversed) <= key_f32_i32(b, reversed)), a, b);
	return choose(
		is_pair_nan_f32(lesser), (lesser & UPPER_HALF) | UINT64_C(0x7fc00000), lesser);
}

static inline i64s key_i32_i32(vector pairs, uint64_t reversed)
{
	return (i64s)(((pairs << 32) ^ reversed) | index_key(pairs));
}

static inline vector chosen_i32_i32(vector a, vector b, uint64_t reversed)
{
	return choose((vector)(key_i32_i32(a, reversed) <= key_i32_i32(b, reversed)), a, b);
}

/* The same for one value of 64 bits. `reversed` is 0 or all ones. */
static inline bool is_nan_bits(uint64_t bits)
{
	return (bits & ~LEAST_KEY) > UINT64_C(0x7ff0000000000000);
}

static inline int64_t value_key_f64(uint64_t bits, uint64_t reversed)
{
	const uint64_t key = bits ^ (bits >> 63 ? ~LEAST_KEY : 0);
	return (int64_t)(is_nan_bits(bits) ? LEAST_KEY : key ^ reversed);
}

static inline int64_t value_key_i64(uint64_t bits, uint64_t reversed)
{
	return (int64_t)(bits ^ reversed);
}

static inline uint64_t canonical_value_f64(uint64_t bits)
{
	return is_nan_bits(bits) ? UINT64_C(0x7ff8000000000000) : bits;
}

static inline uint64_t canonical_value_i64(uint64_t bits)
{
	return bits;
}

/* The index is the lower half of the second lane, and the rest of that becomes 0. */
#define LONG_PAIR(value)                                                                           \
	static inline vector chosen_##value##_i32(vector a, vector b, uint64_t reversed)           \
	{                                                                                          \
		vector chosen = {0};                                                               \
		for (unsigned i = 0; i < VECTOR_BYTES / sizeof(uint64_t); i += 2) {                \
			const int64_t first = value_key_##value(a[i], reversed),                   \
				      second = value_key_##value(b[i], reversed);                  \
			const bool is_first = first != second                                      \
						      ? first < second                             \
						      : (int32_t)a[i + 1] <= (int32_t)b[i + 1];    \
			chosen[i] = canonical_value_##value(is_first ? a[i] : b[i]);               \
			chosen[i + 1] = (uint32_t)(is_first ? a[i + 1] : b[i + 1]);                \
		}                                                                                  \
		return chosen;                                                                     \
	}
LONG_PAIR(f64)
LONG_PAIR(i64)

#define PAIR(type, reversed)                                                                       \
	static inline vector minloc_##type(vector a, vector b)                                     \
	{                                                                                          \
		return chosen_##type(a, b, 0);                                                     \
	}                                                                                          \
	static inline vector maxloc_##type(vector a, vector b)                                     \
	{                                                                                          \
		return chosen_##type(a, b, reversed);                                              \
	}
PAIR(f32_i32, UPPER_HALF)
PAIR(i32_i32, UPPER_HALF)
PAIR(f64_i32, UINT64_MAX)
PAIR(i64_i32, UINT64_MAX)

#endif
