/* divide.h - divides elements in place by the number of contributions, at most 2^24 and so exact in
 * f32.
 *
 * Integers narrower than i64 are divided as floats that hold them exactly, because CPUs have no
 * vector division of integers. Truncation is then exact: a quotient x / d is an integer or at least
 * 1 / d below the next one, and rounding moves it by less, |x / d| * 2^-24 for 8 or 16 bits in f32,
 * |x / d| * 2^-53 for 32 bits in f64.
 *
 * A quotient of halves, or of fp8, which has fewer bits, is computed in f32 and then rounded to p
 * bits. The result equals the quotient rounded once: unless it is exact, its relative distance from
 * a tie (a number of p + 1 bits) exceeds 1 / (2^(p+1) d), while f32 rounds by at most 2^-24 of it:
 * enough for d <= 2^12 and the 11 bits of f16. bf16 has 8 bits; where f32 is subnormal, with ties
 * at multiples of 2^-134, the distance is at least 2^-134 / d and the rounding at most 2^-150.
 * Larger divisors use f64, where the margins are far wider.
 */
#ifndef ORDO_KERNELS_DIVIDE_H
#define ORDO_KERNELS_DIVIDE_H

#include "operations.h"
#include <math.h>
#include <ordo/element.h>

enum { MAX_HALF_DIVISOR = 1 << 12 };

/* A NaN becomes the canonical one (operations.h). */
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
QUOTIENTS(i16, int16_t, float)
QUOTIENTS(u16, uint16_t, float)
QUOTIENTS(i32, int32_t, double)
QUOTIENTS(u32, uint32_t, double)
QUOTIENTS(i64, int64_t, int64_t)
QUOTIENTS(u64, uint64_t, uint64_t)

static void divide_c64(void *dst, size_t n, uint32_t divisor)
{
	divide_f32(dst, 2 * n, divisor);
}

static void divide_c128(void *dst, size_t n, uint32_t divisor)
{
	divide_f64(dst, 2 * n, divisor);
}

/* Rounds once: ordo_element_put rounds a double directly to the type. */
static void divide_in_double(
	enum ordo_type type, size_t size, void *dst, size_t n, uint32_t divisor)
{
	for (size_t i = 0; i < n; i++) {
		char *element = (char *)dst + i * size;
		const double number = ordo_element_get(type, element, 0);
		ordo_element_put(
			type, element, 0, isnan(number) ? (double)NAN : number / (double)divisor);
	}
}

typedef vector half_quotient(vector a, float divisor);

static ALWAYS_INLINE void divide_bytes(
	half_quotient *quotient, void *dst, size_t nbyte_all, float divisor)
{
	char *at = dst, *const end = at + nbyte_all;
	for (; end - at >= VECTOR_BYTES; at += VECTOR_BYTES)
		store(at, quotient(load(at), divisor));
	while (at < end) {
		const size_t nbyte = part_of((size_t)(end - at));
		store_part(at, quotient(load_part(at, nbyte), divisor), nbyte);
		at += nbyte;
	}
}

#define HALF_QUOTIENTS(type, enumerator, size)                                                     \
	static void divide_##type(void *dst, size_t n, uint32_t divisor)                           \
	{                                                                                          \
		if (divisor > MAX_HALF_DIVISOR)                                                    \
			divide_in_double(enumerator, size, dst, n, divisor);                       \
		else if (divisor > 1)                                                              \
			divide_bytes(quotient_##type, dst, n *(size), (float)divisor);             \
	}
HALF_QUOTIENTS(f16, ORDO_F16, 2)
HALF_QUOTIENTS(bf16, ORDO_BF16, 2)
HALF_QUOTIENTS(f8e4m3, ORDO_F8E4M3, 1)
HALF_QUOTIENTS(f8e5m2, ORDO_F8E5M2, 1)

#endif
