/* fp8_vector.h - vectors of f8e4m3 and f8e5m2: to floats and back, as half.h does it for a number.
 * A vector of bytes is four vectors of floats: those k bits up in each lane of 32, for k = 0, 8, 16
 * and 24.
 */
#ifndef ORDO_KERNELS_FP8_VECTOR_H
#define ORDO_KERNELS_FP8_VECTOR_H

#include "vector.h"

static inline vector is_fp8_nan(vector bytes, int8_t last)
{
	return (vector)((i8s)((u8s)bytes & 0x7f) > last);
}

/* A key in the order of the numbers, with -0 below +0. */
static inline i8s fp8_key(vector bytes)
{
	return (i8s)bytes ^ (((i8s)bytes >> 7) & 0x7f);
}

/* A magnitude of `bias` less in the exponent, and what is NaN or infinite among them: `special`. */
static inline f32s fp8_floats(
	u32s magnitude, u32s sign, uint32_t bias, vector is_special, u32s special)
{
	const u32s offset = (u32s){0} + ((bias + 1) << 23);
	const vector small = (vector)((f32s)(magnitude + offset) - (f32s)offset),
		     normal = (vector)(magnitude + (bias << 23)),
		     is_small = (vector)((i32s)magnitude < (1 << 23));
	return (f32s)(choose(is_special, (vector)special, choose(is_small, small, normal)) |
		      (vector)sign);
}

static inline f32s to_floats_f8e4m3(vector bytes, unsigned k)
{
	const u32s byte = (u32s)bytes >> k;
	return fp8_floats((byte & 0x7f) << 20, (byte & 0x80) << 24, 120,
		(vector)((i32s)(byte & 0x7f) > 0x7e), (u32s){0} + UINT32_C(0x7fc00000));
}

static inline f32s to_floats_f8e5m2(vector bytes, unsigned k)
{
	const u32s byte = (u32s)bytes >> k, magnitude = (byte & 0x7f) << 21;
	return fp8_floats(magnitude, (byte & 0x80) << 24, 112, (vector)((i32s)(byte & 0x7f) > 0x7b),
		magnitude + (UINT32_C(224) << 23));
}

/* Lanes below 2^8; the arguments are those of ordo_fp8_from_float. */
static inline u32s fp8_of_floats(
	f32s value, uint32_t dropped, uint32_t bias, float place, uint32_t largest, uint32_t nan)
{
	const u32s all = (u32s)value, magnitude = all & UINT32_C(0x7fffffff);
	const u32s rounded = (magnitude + ((UINT32_C(1) << (dropped - 1)) - 1) +
				     (magnitude >> dropped & 1) - (bias << 23)) >>
			     dropped;
	const f32s places = (f32s){0} + place;
	const u32s small = (u32s)((f32s)magnitude + places) - (u32s)places;
	const vector is_small = (vector)((i32s)magnitude < (int32_t)((bias + 1) << 23)),
		     is_nan = (vector)((i32s)magnitude > (255 << 23));
	u32s byte = (u32s)choose(is_small, (vector)small, (vector)rounded);
	const vector is_large = (vector)((i32s)magnitude > (144 << 23) - 1) |
				(vector)((i32s)byte > (int32_t)largest);
	byte = (u32s)choose(is_large, (vector)((u32s){0} + largest), (vector)byte);
	byte |= all >> 24 & 0x80;
	return (u32s)choose(is_nan, (vector)((u32s){0} + nan), (vector)byte);
}

static inline u32s from_floats_f8e4m3(f32s value)
{
	return fp8_of_floats(value, 20, 120, 16384.0f, 0x7e, 0x7f);
}

static inline u32s from_floats_f8e5m2(f32s value)
{
	return fp8_of_floats(value, 21, 112, 128.0f, 0x7b, 0x7e);
}

#endif
