/* divide.h - elements divided in place by a number of contributions, which is at most 2^24 and so a
 * number of f32.
 *
 * Integers narrower than i64 are divided as floats that hold them exactly, because CPUs have no
 * vectors of integer quotients. What is cut off then is right: a quotient x / d is a whole number
 * or at least 1 / d below the next one, and rounding moves it by less, |x / d| * 2^-24 for 8 bits
 * in f32, |x / d| * 2^-53 for 32 bits in f64.
 *
 * A quotient of halves is made in f32 and rounded to p bits from there. That is the quotient
 * rounded once: it is no tie itself but when it is exact, and away from a tie, of p + 1 bits, by
 * more than 1 / (2^(p+1) d) of it, while f32 rounds by at most 2^-24 of it: enough for d <= 2^12
 * and the 11 bits of f16. bf16 has 8, and where f32 is subnormal, with ties at multiples of 2^-134,
 * the distance is at least 2^-134 / d and the rounding at most 2^-150. Larger divisors divide in
 * f64, where the same is true by far.
 */
#ifndef ORDO_KERNELS_DIVIDE_H
#define ORDO_KERNELS_DIVIDE_H

#include "operations.h"
#include <math.h>
#include <ordo/element.h>

enum { MOST_HALF_DIVISOR = 1 << 12 };

/* A NaN becomes the plain one, as everywhere (operations.h). */
#define FLOAT_QUOTIENTS(type, element)                                                             \
	static void divide_##type(void *dst, size_t n, uint32_t divisor)                           \
	{                                                                                          \
		typedef element elements __attribute__((aligned(1), may_alias));                   \
		elements *quotients = dst;                                                         \
		for (size_t i = 0; i < n && divisor > 1; i++) {                                    \
			const element quotient = quotients[i] / (element)divisor;                  \
			quotients[i] = quotient == quotient ? quotient : (element)NAN;             \
		}                                                                                  \
	}
FLOAT_QUOTIENTS(f32, float)
FLOAT_QUOTIENTS(f64, double)

#define QUOTIENTS(type, element, wide)                                                             \
	static void divide_##type(void *dst, size_t n, uint32_t divisor)                           \
	{                                                                                          \
		typedef element elements __attribute__((aligned(1), may_alias));                   \
		elements *quotient = dst;                                                          \
		for (size_t i = 0; i < n && divisor > 1; i++)                                      \
			quotient[i] = (element)((wide)quotient[i] / (wide)divisor);                \
	}
QUOTIENTS(i8, int8_t, float)
QUOTIENTS(u8, uint8_t, float)
QUOTIENTS(i32, int32_t, double)
QUOTIENTS(i64, int64_t, int64_t)

/* ordo_element_put rounds a double once. */
static void divide_halves_in_double(enum ordo_type type, int16_t infinity, uint16_t plain,
	void *dst, size_t n, uint32_t divisor)
{
	for (size_t i = 0; i < n; i++) {
		uint16_t half;
		memcpy(&half, (char *)dst + i * sizeof half, sizeof half);
		if ((half & 0x7fff) > infinity)
			half = plain;
		else
			ordo_element_put(
				type, &half, 0, ordo_element_get(type, &half, 0) / (double)divisor);
		memcpy((char *)dst + i * sizeof half, &half, sizeof half);
	}
}

typedef vector half_quotient(vector a, float divisor);

static ALWAYS_INLINE void divide_halves(half_quotient *quotient, void *dst, size_t n, float divisor)
{
	char *at = dst, *const end = at + n * sizeof(uint16_t);
	for (; end - at >= VECTOR_BYTES; at += VECTOR_BYTES)
		store(at, quotient(load(at), divisor));
	while (at < end) {
		const size_t nbyte = part_of((size_t)(end - at));
		store_part(at, quotient(load_part(at, nbyte), divisor), nbyte);
		at += nbyte;
	}
}

#define HALF_QUOTIENTS(type, enumerator, infinity, plain)                                          \
	static void divide_##type(void *dst, size_t n, uint32_t divisor)                           \
	{                                                                                          \
		if (divisor > MOST_HALF_DIVISOR)                                                   \
			divide_halves_in_double(enumerator, infinity, plain, dst, n, divisor);     \
		else if (divisor > 1)                                                              \
			divide_halves(quotient_##type, dst, n, (float)divisor);                    \
	}
HALF_QUOTIENTS(f16, ORDO_F16, 0x7c00, 0x7e00)
HALF_QUOTIENTS(bf16, ORDO_BF16, 0x7f80, 0x7fc0)

#endif
