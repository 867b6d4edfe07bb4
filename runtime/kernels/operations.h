/* operations.h - one operation on all elements of a vector, for each type and reduction.
 *
 * Integers are computed unsigned, where wrapping is defined, and compared signed. Minima and maxima
 * are those of IEEE 754-2019: a NaN wins, and -0 is less than +0. They are selected by bit masks,
 * so that no compiler may swap operands.
 *
 * Every operation whose result is a NaN gives the canonical one: positive, quiet, without payload.
 * So a op b and b op a have the same bits, NaN or not, on every CPU. Sums and products of f32 and
 * f64 defer that to the end of a fold (`finished`), because a NaN operand always gives a NaN. Whole
 * vectors are tested for NaNs at once, so data without NaNs pays one branch.
 */
#ifndef ORDO_KERNELS_OPERATIONS_H
#define ORDO_KERNELS_OPERATIONS_H

#include "fp8_vector.h"
#include "half_vector.h"
#include "pair_vector.h"
#include "vector.h"

#define INTEGER(type, unsigned_lanes, lanes)                                                       \
	static inline vector sum_##type(vector a, vector b)                                        \
	{                                                                                          \
		return (vector)((unsigned_lanes)a + (unsigned_lanes)b);                            \
	}                                                                                          \
	static inline vector prod_##type(vector a, vector b)                                       \
	{                                                                                          \
		return (vector)((unsigned_lanes)a * (unsigned_lanes)b);                            \
	}                                                                                          \
	static inline vector min_##type(vector a, vector b)                                        \
	{                                                                                          \
		return choose((vector)((lanes)a < (lanes)b), a, b);                                \
	}                                                                                          \
	static inline vector max_##type(vector a, vector b)                                        \
	{                                                                                          \
		return choose((vector)((lanes)a > (lanes)b), a, b);                                \
	}
INTEGER(i8, u8s, i8s)
INTEGER(u8, u8s, u8s)
INTEGER(i16, u16s, i16s)
INTEGER(u16, u16s, u16s)
INTEGER(i32, u32s, i32s)
INTEGER(u32, u32s, u32s)
INTEGER(i64, u64s, i64s)
INTEGER(u64, u64s, u64s)

static inline vector band_u8(vector a, vector b)
{
	return a & b;
}

static inline vector bor_u8(vector a, vector b)
{
	return a | b;
}

static inline vector bxor_u8(vector a, vector b)
{
	return a ^ b;
}

/* The last step over the results of a fold, for four vectors or for one. */
struct four {
	vector a, b, c, d;
};

#define FINISHED(reduction, type)                                                                  \
	static ALWAYS_INLINE struct four finished_four_##reduction##_##type(struct four four)      \
	{                                                                                          \
		return four;                                                                       \
	}                                                                                          \
	static ALWAYS_INLINE vector finished_##reduction##_##type(vector a)                        \
	{                                                                                          \
		return a;                                                                          \
	}
#define FINISHED_ALL(type)                                                                         \
	FINISHED(sum, type) FINISHED(prod, type) FINISHED(min, type) FINISHED(max, type)
FINISHED_ALL(i8)
FINISHED_ALL(u8)
FINISHED_ALL(i16)
FINISHED(min, u16)
FINISHED(max, u16)
FINISHED_ALL(i32)
FINISHED(min, u32)
FINISHED(max, u32)
FINISHED_ALL(i64)
FINISHED(min, u64)
FINISHED(max, u64)
FINISHED(band, u8)
FINISHED(bor, u8)
FINISHED(bxor, u8)
FINISHED_ALL(f16)
FINISHED_ALL(bf16)
FINISHED_ALL(f8e4m3)
FINISHED_ALL(f8e5m2)
#define FINISHED_PAIR(type) FINISHED(minloc, type) FINISHED(maxloc, type)
FINISHED_PAIR(f32_i32)
FINISHED_PAIR(f64_i32)
FINISHED_PAIR(i32_i32)
FINISHED_PAIR(i64_i32)
FINISHED(min, f32)
FINISHED(max, f32)
FINISHED(min, f64)
FINISHED(max, f64)

#define CANONICAL(reduction, type, lanes)                                                          \
	static ALWAYS_INLINE struct four finished_four_##reduction##_##type(struct four four)      \
	{                                                                                          \
		return UNLIKELY(any_nan_in_four_##type(                                            \
			       (lanes)four.a, (lanes)four.b, (lanes)four.c, (lanes)four.d))        \
			       ? canonical_four_##type(four)                                       \
			       : four;                                                             \
	}                                                                                          \
	static ALWAYS_INLINE vector finished_##reduction##_##type(vector a)                        \
	{                                                                                          \
		return canonical_##type(a);                                                        \
	}

#define FLOAT(type, lanes, bits, canonical)                                                        \
	static inline vector sum_##type(vector a, vector b)                                        \
	{                                                                                          \
		return (vector)((lanes)a + (lanes)b);                                              \
	}                                                                                          \
	static inline vector prod_##type(vector a, vector b)                                       \
	{                                                                                          \
		return (vector)((lanes)a * (lanes)b);                                              \
	}                                                                                          \
	static inline vector canonical_if_##type(vector is_nan, vector a)                          \
	{                                                                                          \
		return choose(is_nan, (vector)((bits){0} + (canonical)), a);                       \
	}                                                                                          \
	static inline vector canonical_##type(vector a)                                            \
	{                                                                                          \
		return canonical_if_##type((vector)((lanes)a != (lanes)a), a);                     \
	}                                                                                          \
	static ALWAYS_INLINE struct four canonical_four_##type(struct four four)                   \
	{                                                                                          \
		return (struct four){canonical_##type(four.a), canonical_##type(four.b),           \
			canonical_##type(four.c), canonical_##type(four.d)};                       \
	}                                                                                          \
	CANONICAL(sum, type, lanes)                                                                \
	CANONICAL(prod, type, lanes)                                                               \
	static NOINLINE vector nan_given_##type(vector a, vector b, vector chosen)                 \
	{                                                                                          \
		return canonical_if_##type(                                                        \
			(vector)((lanes)a != (lanes)a) | (vector)((lanes)b != (lanes)b), chosen);  \
	}                                                                                          \
	static inline vector min_##type(vector a, vector b)                                        \
	{                                                                                          \
		const vector less = choose((vector)((lanes)a < (lanes)b), a, b),                   \
			     least = choose((vector)((lanes)a == (lanes)b), a | b, less);          \
		return UNLIKELY(any_nan_##type((lanes)a, (lanes)b))                                \
			       ? nan_given_##type(a, b, least)                                     \
			       : least;                                                            \
	}                                                                                          \
	static inline vector max_##type(vector a, vector b)                                        \
	{                                                                                          \
		const vector more = choose((vector)((lanes)a > (lanes)b), a, b),                   \
			     most = choose((vector)((lanes)a == (lanes)b), a & b, more);           \
		return UNLIKELY(any_nan_##type((lanes)a, (lanes)b)) ? nan_given_##type(a, b, most) \
								    : most;                        \
	}
FLOAT(f32, f32s, u32s, UINT32_C(0x7fc00000))
FLOAT(f64, f64s, u64s, UINT64_C(0x7ff8000000000000))

/* Computed in float, where a NaN operand gives a NaN, and rounded back. */
#define HALF(type, infinity, canonical)                                                            \
	static NOINLINE vector nan_made_##type(f32s low, f32s high)                                \
	{                                                                                          \
		return round_to_##type(canonical_nan(low), canonical_nan(high));                   \
	}                                                                                          \
	static NOINLINE vector nan_given_##type(vector a, vector b, vector chosen)                 \
	{                                                                                          \
		return choose(is_half_nan(a, infinity) | is_half_nan(b, infinity),                 \
			(vector)((u16s){0} + (uint16_t)(canonical)), chosen);                      \
	}                                                                                          \
	static inline vector rounded_##type(f32s low, f32s high)                                   \
	{                                                                                          \
		return UNLIKELY(any_nan_f32(low, high)) ? nan_made_##type(low, high)               \
							: round_to_##type(low, high);              \
	}                                                                                          \
	static inline vector chosen_##type(vector a, vector b, vector chosen)                      \
	{                                                                                          \
		return UNLIKELY(any(is_half_nan(a, infinity) | is_half_nan(b, infinity)))          \
			       ? nan_given_##type(a, b, chosen)                                    \
			       : chosen;                                                           \
	}                                                                                          \
	static inline vector sum_##type(vector a, vector b)                                        \
	{                                                                                          \
		return rounded_##type(                                                             \
			low_##type(a) + low_##type(b), high_##type(a) + high_##type(b));           \
	}                                                                                          \
	static inline vector prod_##type(vector a, vector b)                                       \
	{                                                                                          \
		return rounded_##type(                                                             \
			low_##type(a) * low_##type(b), high_##type(a) * high_##type(b));           \
	}                                                                                          \
	static inline vector min_##type(vector a, vector b)                                        \
	{                                                                                          \
		return chosen_##type(a, b, choose((vector)(order_key(a) < order_key(b)), a, b));   \
	}                                                                                          \
	static inline vector max_##type(vector a, vector b)                                        \
	{                                                                                          \
		return chosen_##type(a, b, choose((vector)(order_key(a) > order_key(b)), a, b));   \
	}                                                                                          \
	static inline vector quotient_##type(vector a, float divisor)                              \
	{                                                                                          \
		return rounded_##type(low_##type(a) / divisor, high_##type(a) / divisor);          \
	}
HALF(f16, 0x7c00, 0x7e00)
HALF(bf16, 0x7f80, 0x7fc0)

/* Four floats of every lane of 32 bits; rounding makes NaNs canonical. The last code that is no NaN
 * is `infinity`, or the largest number. */
#define FP8(type, infinity, canonical)                                                             \
	static ALWAYS_INLINE vector sum_##type(vector a, vector b)                                 \
	{                                                                                          \
		u32s result = {0};                                                                 \
		for (unsigned k = 0; k < 32; k += 8)                                               \
			result |= from_floats_##type(                                              \
					  to_floats_##type(a, k) + to_floats_##type(b, k))         \
				  << k;                                                            \
		return (vector)result;                                                             \
	}                                                                                          \
	static ALWAYS_INLINE vector prod_##type(vector a, vector b)                                \
	{                                                                                          \
		u32s result = {0};                                                                 \
		for (unsigned k = 0; k < 32; k += 8)                                               \
			result |= from_floats_##type(                                              \
					  to_floats_##type(a, k) * to_floats_##type(b, k))         \
				  << k;                                                            \
		return (vector)result;                                                             \
	}                                                                                          \
	static inline vector chosen_##type(vector a, vector b, vector chosen)                      \
	{                                                                                          \
		return choose(is_fp8_nan(a, infinity) | is_fp8_nan(b, infinity),                   \
			(vector)((u8s){0} + (uint8_t)(canonical)), chosen);                        \
	}                                                                                          \
	static inline vector min_##type(vector a, vector b)                                        \
	{                                                                                          \
		return chosen_##type(a, b, choose((vector)(fp8_key(a) < fp8_key(b)), a, b));       \
	}                                                                                          \
	static inline vector max_##type(vector a, vector b)                                        \
	{                                                                                          \
		return chosen_##type(a, b, choose((vector)(fp8_key(a) > fp8_key(b)), a, b));       \
	}                                                                                          \
	static ALWAYS_INLINE vector quotient_##type(vector a, float divisor)                       \
	{                                                                                          \
		u32s result = {0};                                                                 \
		for (unsigned k = 0; k < 32; k += 8)                                               \
			result |= from_floats_##type(to_floats_##type(a, k) / divisor) << k;       \
		return (vector)result;                                                             \
	}
FP8(f8e4m3, 0x7e, 0x7f)
FP8(f8e5m2, 0x7c, 0x7e)

#endif
