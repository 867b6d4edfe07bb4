/* Internal: for the command and the tests. Exported for one release; may change or go after it. */
/* half.h - f16 (IEEE 754 binary16) and bf16 (the upper half of a binary32), stored as uint16_t, and
 * the two formats of 8 bits: to float and back, without the types or the instructions of any CPU.
 *
 * Every f16 and bf16 is a float, so the way there is exact. The way back rounds to nearest, ties to
 * even, once: overflow gives infinity, small numbers become subnormal, and a NaN keeps its sign and
 * its uppermost payload bits and is made quiet. No branch depends on the value, so that loops
 * become vector code.
 *
 * One operation on f16 (or bf16) operands, made in float and rounded back, is the operation rounded
 * once. For +, -, * a result of q bits rounded again to p <= (q - 2) / 2 bits is the exact one
 * rounded to p bits (Figueroa, "When is double rounding innocuous?", SIGNUM Newsletter 30(3),
 * 1995); a float has 24 = 2 * 11 + 2 bits for the 11 of f16, and 24 >= 2 * 8 + 2 for the 8 of bf16.
 * Where results are small it holds too: sums are multiples of the smallest operand there is, so in
 * that range they are exact; products of f16 have 22 bits and are at least 2^-48, exact in float;
 * products of bf16 have 16 bits, so one of at least 2^-134 (half of the least bf16) is a multiple
 * of 2^-149, exact in float, and one below rounds to zero whether or not float rounds it up to
 * 2^-134, which is a tie and goes to even. And what overflows in float overflows in either.
 */
#ifndef ORDO_HALF_H
#define ORDO_HALF_H

#include <stdint.h>
#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

static inline float ordo_float_of_bits(uint32_t bits)
{
	float value;
	memcpy(&value, &bits, sizeof value);
	return value;
}

static inline uint32_t ordo_bits_of_float(float value)
{
	uint32_t bits;
	memcpy(&bits, &value, sizeof bits);
	return bits;
}

/* By masks: with `?:` compilers make branches of what is added for one case only, and no
 * vectors. */
static inline uint32_t ordo_choose_bits(int first, uint32_t a, uint32_t b)
{
	const uint32_t mask = -(uint32_t)first;
	return (a & mask) | (b & ~mask);
}

/* Exponents are 112 = 127 - 15 apart. A subnormal m * 2^-24 is the float (2^-14 + m * 2^-24) -
 * 2^-14. */
static inline float ordo_f16_to_float(uint16_t half)
{
	const uint32_t magnitude = (uint32_t)(half & 0x7fff) << 13, sign = (uint32_t)(half & 0x8000)
									   << 16;
	const uint32_t normal = magnitude + (UINT32_C(112) << 23);
	const uint32_t special = magnitude + (UINT32_C(224) << 23); /* infinity and NaN */
	const uint32_t small = ordo_bits_of_float(
		ordo_float_of_bits(magnitude + (UINT32_C(113) << 23)) - 1.0f / 16384);
	uint32_t bits = ordo_choose_bits(magnitude < UINT32_C(1) << 23, small, normal);
	bits = ordo_choose_bits(magnitude >= UINT32_C(31) << 23, special, bits);
	return ordo_float_of_bits(bits | sign);
}

/* Below 2^-14 the last place that stays is 2^-24, which is that of 1/2 in float: adding 1/2 rounds
 * there. Above, half of the last place that stays is added, a little less if that place is even,
 * and the rest dropped. */
static inline uint16_t ordo_f16_from_float(float value)
{
	const uint32_t all = ordo_bits_of_float(value), magnitude = all & UINT32_C(0x7fffffff);
	const uint32_t rounded = magnitude + 0xfff + (magnitude >> 13 & 1) - (UINT32_C(112) << 23);
	const uint32_t small =
		ordo_bits_of_float(ordo_float_of_bits(magnitude) + 0.5f) - ordo_bits_of_float(0.5f);
	const uint32_t nan = 0x7e00 | (magnitude >> 13 & 0x3ff);
	uint32_t half = ordo_choose_bits(
		magnitude < ordo_bits_of_float(1.0f / 16384), small, rounded >> 13);
	/* What is below was rounded up to infinity from 65520 on, a tie. */
	half = ordo_choose_bits(magnitude >= ordo_bits_of_float(65536.0f), 0x7c00, half);
	half = ordo_choose_bits(magnitude > UINT32_C(255) << 23, nan, half);
	return (uint16_t)(half | (all >> 16 & 0x8000));
}

static inline float ordo_bf16_to_float(uint16_t half)
{
	return ordo_float_of_bits((uint32_t)half << 16);
}

/* The carry out of a significand is the next exponent, and out of the largest the infinity. */
static inline uint16_t ordo_bf16_from_float(float value)
{
	const uint32_t all = ordo_bits_of_float(value), magnitude = all & UINT32_C(0x7fffffff);
	const uint32_t rounded = (all + 0x7fff + (all >> 16 & 1)) >> 16, nan = all >> 16 | 0x40;
	return (uint16_t)ordo_choose_bits(magnitude > UINT32_C(255) << 23, nan, rounded);
}

/* f8e4m3 and f8e5m2 are the formats of OCP's 8-bit floating point specification (OFP8), stored as
 * uint8_t. E4M3 has a bias of 7, no infinity, and NaN where all bits but the sign are set; E5M2 is
 * the upper half of an f16. Every one of them is a float. The way back rounds to nearest, ties to
 * even, in the saturating mode of the specification (its table of conversions): what exceeds the
 * largest finite number, an infinity too, gives that number with its sign; a NaN gives the positive
 * one, 7f or 7e.
 *
 * One operation made in float and rounded back is the operation rounded once, by the same theorem:
 * a float has more than 2 * 4 + 2 bits; and where results are small, sums and products are exact in
 * float, for all operands are multiples of 2^-9 (2^-16) and below 2^9 (2^16).
 */

/* As for f16: exponents are 120 = 127 - 7 apart, or 112; subnormals are made by a subtraction. */
static inline float ordo_f8e4m3_to_float(uint8_t byte)
{
	const uint32_t magnitude = (uint32_t)(byte & 0x7f) << 20, sign = (uint32_t)(byte & 0x80)
									 << 24;
	const uint32_t small = ordo_bits_of_float(
		ordo_float_of_bits(magnitude + (UINT32_C(121) << 23)) - 1.0f / 64);
	uint32_t bits = ordo_choose_bits(
		magnitude < UINT32_C(1) << 23, small, magnitude + (UINT32_C(120) << 23));
	bits = ordo_choose_bits((byte & 0x7f) == 0x7f, UINT32_C(0x7fc00000), bits);
	return ordo_float_of_bits(bits | sign);
}

static inline float ordo_f8e5m2_to_float(uint8_t byte)
{
	return ordo_f16_to_float((uint16_t)(byte << 8));
}

/* Rounds as ordo_f16_from_float does, with so many bits of the fraction dropped, a bias so much
 * less, and the place of subnormals rounded by adding 2^23 times it. */
static inline uint8_t ordo_fp8_from_float(
	float value, uint32_t dropped, uint32_t bias, float place, uint32_t largest, uint32_t nan)
{
	const uint32_t all = ordo_bits_of_float(value), magnitude = all & UINT32_C(0x7fffffff);
	const uint32_t even = magnitude >> dropped & 1,
		       rounded = (magnitude + (UINT32_C(1) << (dropped - 1)) - 1 + even -
					 (bias << 23)) >>
				 dropped;
	const uint32_t small = ordo_bits_of_float(ordo_float_of_bits(magnitude) + place) -
			       ordo_bits_of_float(place);
	uint32_t byte = ordo_choose_bits(magnitude < (bias + 1) << 23, small, rounded);
	byte = ordo_choose_bits(magnitude >= UINT32_C(144) << 23 || byte > largest, largest, byte);
	byte |= all >> 24 & 0x80;
	return (uint8_t)ordo_choose_bits(magnitude > UINT32_C(255) << 23, nan, byte);
}

static inline uint8_t ordo_f8e4m3_from_float(float value)
{
	return ordo_fp8_from_float(value, 20, 120, 16384.0f, 0x7e, 0x7f);
}

static inline uint8_t ordo_f8e5m2_from_float(float value)
{
	return ordo_fp8_from_float(value, 21, 112, 128.0f, 0x7b, 0x7e);
}

#ifdef __cplusplus
}
#endif
#endif
