/* convert.h - converts f16 and bf16 to f32 and back, for sums held in f32
 * (ordo/detail/accumulate.h).
 *
 * The functions of half.h in loops, which compilers vectorize; so all forms have the same bits.
 * Narrowing turns any NaN into the canonical one, which hides which of two NaNs f32 kept, and the
 * sign a CPU gives a new one.
 */
#ifndef ORDO_KERNELS_CONVERT_H
#define ORDO_KERNELS_CONVERT_H

#include <ordo/detail/half.h>
#include <stddef.h>

#define CONVERSIONS(type, quiet_nan)                                                               \
	static void widen_##type(void *restrict wide, const void *restrict elements, size_t n)     \
	{                                                                                          \
		typedef float f32s_there __attribute__((aligned(1), may_alias));                   \
		typedef uint16_t halves_there __attribute__((aligned(1), may_alias));              \
		f32s_there *to = wide;                                                             \
		const halves_there *from = elements;                                               \
		for (size_t i = 0; i < n; i++)                                                     \
			to[i] = ordo_##type##_to_float(from[i]);                                   \
	}                                                                                          \
	static void narrow_##type(void *restrict elements, const void *restrict wide, size_t n)    \
	{                                                                                          \
		typedef float f32s_there __attribute__((aligned(1), may_alias));                   \
		typedef uint16_t halves_there __attribute__((aligned(1), may_alias));              \
		halves_there *to = elements;                                                       \
		const f32s_there *from = wide;                                                     \
		for (size_t i = 0; i < n; i++)                                                     \
			to[i] = (uint16_t)ordo_choose_bits(                                        \
				from[i] != from[i], quiet_nan, ordo_##type##_from_float(from[i])); \
	}
CONVERSIONS(f16, 0x7e00)
CONVERSIONS(bf16, 0x7fc0)

#endif
