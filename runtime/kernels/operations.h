/* operations.h - one operation on all elements of a vector, for each type and reduction.
 *
 * Integers are computed unsigned, where wrapping is defined, and compared signed. Minima and maxima are those of IEEE 754-2019: a NaN wins,
 * and -0 is less than +0. They are chosen by bits, so that no compiler may swap operands. Where NaNs are chosen here - minima and maxima,
 * and all reductions of f16 and bf16 - a NaN is made quiet, and of two the one wins whose bits, made quiet, are larger as an unsigned
 * number: so a op b and b op a have the same bits, and minima and maxima the same in every order. NaNs are looked for in a whole vector, and
 * are not in the way where there is none.
 */
#ifndef ORDO_KERNELS_OPERATIONS_H
#define ORDO_KERNELS_OPERATIONS_H

#include "half_vector.h"
#include "vector.h"

#define INTEGER(type, unsigned_lanes, lanes)                                                                 \
	static inline vector sum_##type(vector a, vector b)                                                  \
	{                                                                                                    \
		return (vector)((unsigned_lanes)a + (unsigned_lanes)b);                                      \
	}                                                                                                    \
	static inline vector prod_##type(vector a, vector b)                                                 \
	{                                                                                                    \
		return (vector)((unsigned_lanes)a * (unsigned_lanes)b);                                      \
	}                                                                                                    \
	static inline vector min_##type(vector a, vector b)                                                  \
	{                                                                                                    \
		return choose((vector)((lanes)a < (lanes)b), a, b);                                          \
	}                                                                                                    \
	static inline vector max_##type(vector a, vector b)                                                  \
	{                                                                                                    \
		return choose((vector)((lanes)a > (lanes)b), a, b);                                          \
	}
INTEGER(i8, u8s, i8s)
INTEGER(u8, u8s, u8s)
INTEGER(i32, u32s, i32s)
INTEGER(i64, u64s, i64s)

#define FLOAT(type, lanes, bits, quiet)                                                                      \
	static inline vector sum_##type(vector a, vector b)                                                  \
	{                                                                                                    \
		return (vector)((lanes)a + (lanes)b);                                                        \
	}                                                                                                    \
	static inline vector prod_##type(vector a, vector b)                                                 \
	{                                                                                                    \
		return (vector)((lanes)a * (lanes)b);                                                        \
	}                                                                                                    \
	static NOINLINE vector winning_nan_##type(vector a, vector b, vector chosen)                         \
	{                                                                                                    \
		const vector a_is_nan = (vector)((lanes)a != (lanes)a),                                      \
			     b_is_nan = (vector)((lanes)b != (lanes)b);                                      \
		const bits x = ((bits)a | (quiet)) & (bits)a_is_nan,                                         \
			   y = ((bits)b | (quiet)) & (bits)b_is_nan;                                         \
		return choose(a_is_nan | b_is_nan, choose((vector)(x > y), (vector)x, (vector)y), chosen);   \
	}                                                                                                    \
	static inline vector min_##type(vector a, vector b)                                                  \
	{                                                                                                    \
		const vector less = choose((vector)((lanes)a < (lanes)b), a, b),                             \
			     least = choose((vector)((lanes)a == (lanes)b), a | b, less);                    \
		return UNLIKELY(any_nan_##type((lanes)a, (lanes)b)) ? winning_nan_##type(a, b, least)        \
								    : least;                                 \
	}                                                                                                    \
	static inline vector max_##type(vector a, vector b)                                                  \
	{                                                                                                    \
		const vector more = choose((vector)((lanes)a > (lanes)b), a, b),                             \
			     most = choose((vector)((lanes)a == (lanes)b), a & b, more);                     \
		return UNLIKELY(any_nan_##type((lanes)a, (lanes)b)) ? winning_nan_##type(a, b, most) : most; \
	}
FLOAT(f32, f32s, u32s, UINT32_C(1) << 22)
FLOAT(f64, f64s, u64s, UINT64_C(1) << 51)

/* Made in float, where a result is a NaN if an operand is one, and rounded back. */
#define HALF(type, infinity, quiet)                                                                          \
	static NOINLINE vector nan_made_##type(vector a, vector b, f32s low, f32s high)                      \
	{                                                                                                    \
		const vector result = round_to_##type(plain_nan(low), plain_nan(high));                      \
		return choose(                                                                               \
			is_half_nan(result, infinity), winning_half_nan(a, b, infinity, quiet), result);     \
	}                                                                                                    \
	static NOINLINE vector nan_given_##type(vector a, vector b, vector chosen)                           \
	{                                                                                                    \
		return choose(is_half_nan(a, infinity) | is_half_nan(b, infinity),                           \
			winning_half_nan(a, b, infinity, quiet), chosen);                                    \
	}                                                                                                    \
	static inline vector rounded_##type(vector a, vector b, f32s low, f32s high)                         \
	{                                                                                                    \
		return UNLIKELY(any_nan_f32(low, high)) ? nan_made_##type(a, b, low, high)                   \
							: round_to_##type(low, high);                        \
	}                                                                                                    \
	static inline vector chosen_##type(vector a, vector b, vector chosen)                                \
	{                                                                                                    \
		return UNLIKELY(any(is_half_nan(a, infinity) | is_half_nan(b, infinity)))                    \
			       ? nan_given_##type(a, b, chosen)                                              \
			       : chosen;                                                                     \
	}                                                                                                    \
	static inline vector sum_##type(vector a, vector b)                                                  \
	{                                                                                                    \
		return rounded_##type(a, b, low_##type(a) + low_##type(b), high_##type(a) + high_##type(b)); \
	}                                                                                                    \
	static inline vector prod_##type(vector a, vector b)                                                 \
	{                                                                                                    \
		return rounded_##type(a, b, low_##type(a) * low_##type(b), high_##type(a) * high_##type(b)); \
	}                                                                                                    \
	static inline vector min_##type(vector a, vector b)                                                  \
	{                                                                                                    \
		return chosen_##type(a, b, choose((vector)(rank_of(a) < rank_of(b)), a, b));                 \
	}                                                                                                    \
	static inline vector max_##type(vector a, vector b)                                                  \
	{                                                                                                    \
		return chosen_##type(a, b, choose((vector)(rank_of(a) > rank_of(b)), a, b));                 \
	}                                                                                                    \
	static inline vector quotient_##type(vector a, float divisor)                                        \
	{                                                                                                    \
		return rounded_##type(a, a, low_##type(a) / divisor, high_##type(a) / divisor);              \
	}
HALF(f16, 0x7c00, 0x0200)
HALF(bf16, 0x7f80, 0x0040)

#endif
