/* half_vector.h - vectors of f16 and bf16: added and multiplied in float and rounded back, which
 * half.h proves to equal the operation rounded once.
 */
#ifndef ORDO_KERNELS_HALF_VECTOR_H
#define ORDO_KERNELS_HALF_VECTOR_H

#include "vector.h"

static inline vector is_half_nan(vector half, int16_t infinity)
{
	return (vector)((i16s)((u16s)half & 0x7fff) > infinity);
}

/* NaNs become the canonical one of operations.h, which rounding preserves. */
static inline f32s canonical_nan(f32s value)
{
	const vector canonical = (vector)((u32s){0} + UINT32_C(0x7fc00000));
	return (f32s)choose((vector)(value != value), canonical, (vector)value);
}

/* A key in the order of the numbers, with -0 below +0. */
static inline i16s order_key(vector half)
{
	return (i16s)half ^ (((i16s)half >> 15) & 0x7fff);
}

/* One vector of halves as two vectors of floats; which elements are "low" is free, as long as both
 * directions agree. */
#if defined(__AVX512BW__) && defined(__F16C__)
static inline f32s low_f16(vector half)
{
	return (f32s)_mm512_cvtph_ps(_mm512_castsi512_si256((__m512i)half));
}

static inline f32s high_f16(vector half)
{
	return (f32s)_mm512_cvtph_ps(_mm512_extracti64x4_epi64((__m512i)half, 1));
}

static inline vector round_to_f16(f32s low, f32s high)
{
	return (vector)_mm512_inserti64x4(
		_mm512_castsi256_si512(_mm512_cvtps_ph((__m512)low, _MM_FROUND_TO_NEAREST_INT)),
		_mm512_cvtps_ph((__m512)high, _MM_FROUND_TO_NEAREST_INT), 1);
}
#elif defined(__AVX2__) && defined(__F16C__)
static inline f32s low_f16(vector half)
{
	return (f32s)_mm256_cvtph_ps(_mm256_castsi256_si128((__m256i)half));
}

static inline f32s high_f16(vector half)
{
	return (f32s)_mm256_cvtph_ps(_mm256_extracti128_si256((__m256i)half, 1));
}

static inline vector round_to_f16(f32s low, f32s high)
{
	return (vector)_mm256_set_m128i(_mm256_cvtps_ph((__m256)high, _MM_FROUND_TO_NEAREST_INT),
		_mm256_cvtps_ph((__m256)low, _MM_FROUND_TO_NEAREST_INT));
}
#else
/* Lanes must be below 2^16; see ordo_f16_to_float. */
static inline f32s floats_of_f16(u32s half)
{
	const u32s magnitude = (half & 0x7fff) << 13, sign = (half & 0x8000) << 16;
	const vector normal = (vector)(magnitude + (UINT32_C(112) << 23)),
		     special = (vector)(magnitude + (UINT32_C(224) << 23)),
		     small = (vector)((f32s)(magnitude + (UINT32_C(113) << 23)) - 1.0f / 16384);
	const vector is_small = (vector)((i32s)magnitude < (1 << 23)),
		     is_special = (vector)((i32s)magnitude > (31 << 23) - 1);
	return (f32s)(choose(is_special, special, choose(is_small, small, normal)) | (vector)sign);
}

/* Returns lanes below 2^16; see ordo_f16_from_float. NaNs stay NaNs. */
static inline u32s f16_of_floats(f32s value)
{
	const u32s all = (u32s)value, magnitude = all & UINT32_C(0x7fffffff);
	const u32s rounded = magnitude + 0xfff + (magnitude >> 13 & 1) - (UINT32_C(112) << 23);
	const u32s small = (u32s)((f32s)magnitude + 0.5f) - (UINT32_C(126) << 23);
	const vector is_small = (vector)((i32s)magnitude < (113 << 23)),
		     is_large = (vector)((i32s)magnitude > (143 << 23) - 1),
		     is_nan = (vector)((i32s)magnitude > (255 << 23));
	vector half = choose(is_small, (vector)small, (vector)(rounded >> 13));
	half = choose(is_large, (vector)((u32s){0} + 0x7c00), half);
	half |= is_nan & (vector)((u32s){0} + 0x0200);
	return (u32s)half | (all >> 16 & 0x8000);
}

static inline f32s low_f16(vector half)
{
	return floats_of_f16((u32s)half & 0xffff);
}

static inline f32s high_f16(vector half)
{
	return floats_of_f16((u32s)half >> 16);
}

static inline vector round_to_f16(f32s low, f32s high)
{
	return (vector)(f16_of_floats(low) | f16_of_floats(high) << 16);
}
#endif

static inline f32s low_bf16(vector half)
{
	return (f32s)((u32s)half << 16);
}

static inline f32s high_bf16(vector half)
{
	return (f32s)((u32s)half & UINT32_C(0xffff0000));
}

/* Returns the result in the upper 16 bits; see ordo_bf16_from_float. Of NaNs, only the canonical
 * one is sure to stay a NaN. */
static inline u32s bf16_of_floats(f32s value)
{
	const u32s all = (u32s)value;
	return all + 0x7fff + (all >> 16 & 1);
}

static inline vector round_to_bf16(f32s low, f32s high)
{
	return (vector)(bf16_of_floats(low) >> 16 | (bf16_of_floats(high) & UINT32_C(0xffff0000)));
}

#endif
