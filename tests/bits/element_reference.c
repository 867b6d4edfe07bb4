/* element_reference.c - what one operation on two elements is, spelled out by cases. */
#include "element_reference.h"
#include "half_reference.h"
#include <assert.h>
#include <math.h>
#include <string.h>

/* IEEE 754-2019, 9.6: minimum and maximum of numbers. By cases, not by bits. */
static double extreme(double a, double b, bool least)
{
	if (a == 0 && b == 0)
		return signbit(a) == signbit(b) ? a : least ? -0.0 : 0.0;
	return (a < b) == least ? a : b;
}

static void reference_f32(
	enum ordo_reduction reduction, unsigned char *dst, const unsigned char *src)
{
	const uint32_t plain = UINT32_C(0x7fc00000);
	float a, b, result;
	memcpy(&a, dst, sizeof a);
	memcpy(&b, src, sizeof b);
	if (ordo_reduction_adds(reduction))
		result = a + b;
	else if (reduction == ORDO_PROD)
		result = a * b;
	else
		result = isnan(a)   ? a
			 : isnan(b) ? b
				    : (float)extreme((double)a, (double)b, reduction == ORDO_MIN);
	memcpy(dst, &result, sizeof result);
	if (isnan(result))
		memcpy(dst, &plain, sizeof plain);
}

static void reference_f64(
	enum ordo_reduction reduction, unsigned char *dst, const unsigned char *src)
{
	const uint64_t plain = UINT64_C(0x7ff8000000000000);
	double a, b, result;
	memcpy(&a, dst, sizeof a);
	memcpy(&b, src, sizeof b);
	if (ordo_reduction_adds(reduction))
		result = a + b;
	else if (reduction == ORDO_PROD)
		result = a * b;
	else
		result = isnan(a) ? a : isnan(b) ? b : extreme(a, b, reduction == ORDO_MIN);
	memcpy(dst, &result, sizeof result);
	if (isnan(result))
		memcpy(dst, &plain, sizeof plain);
}

/* Integers of `size` bytes, as arithmetic modulo 2^(8 size) on little-endian numbers, byte by
 * byte. */
static void reference_integer(enum ordo_reduction reduction, size_t size, bool is_signed,
	unsigned char *dst, const unsigned char *src)
{
	uint64_t a = 0, b = 0, result = 0;
	assert(size > 0);
	for (size_t i = 0; i < size; i++) {
		a |= (uint64_t)dst[i] << 8 * i;
		b |= (uint64_t)src[i] << 8 * i;
	}
	/* Flipping the sign bit turns the order of signed numbers into that of unsigned ones. */
	const uint64_t flip = is_signed ? UINT64_C(1) << (8 * size - 1) : 0;
	switch (reduction) {
	case ORDO_SUM:
	case ORDO_AVG:
		result = a + b;
		break;
	case ORDO_PROD:
		for (size_t bit = 0; bit < 8 * size; bit++)
			result += b >> bit & 1 ? a << bit : 0;
		break;
	case ORDO_MIN:
		result = (a ^ flip) <= (b ^ flip) ? a : b;
		break;
	case ORDO_MAX:
		result = (a ^ flip) >= (b ^ flip) ? a : b;
		break;
	}
	for (size_t i = 0; i < size; i++)
		dst[i] = (unsigned char)(result >> 8 * i);
}

void element_reference(enum ordo_type type, enum ordo_reduction reduction, unsigned char *dst,
	const unsigned char *src)
{
	uint16_t a, b;
	switch (type) {
	case ORDO_F16:
	case ORDO_BF16:
		memcpy(&a, dst, sizeof a);
		memcpy(&b, src, sizeof b);
		a = half_reference(type, reduction, a, b);
		memcpy(dst, &a, sizeof a);
		break;
	case ORDO_F32:
		reference_f32(reduction, dst, src);
		break;
	case ORDO_F64:
		reference_f64(reduction, dst, src);
		break;
	case ORDO_I8:
	case ORDO_I32:
	case ORDO_I64:
	case ORDO_U8:
		reference_integer(reduction, ordo_type_size(type), type != ORDO_U8, dst, src);
		break;
	}
}

static const uint32_t special_f32[] = {0, 0x80000000, 0x7f800000, 0xff800000, 0x7fc00000,
	0xffc00001, 0x7f800001, 0xffbfffff, 1, 0x80000001, 0x007fffff, 0x807fffff, 0x00800000,
	0x7f7fffff, 0xff7fffff, 0x3f800000, 0xbf800000, 0x3f800001, 0x33800000, 0x40490fdb};
static const uint64_t special_f64[] = {0, 0x8000000000000000, 0x7ff0000000000000,
	0xfff0000000000000, 0x7ff8000000000000, 0xfff8000000000001, 0x7ff0000000000001,
	0xfff7ffffffffffff, 1, 0x8000000000000001, 0x000fffffffffffff, 0x0010000000000000,
	0x7fefffffffffffff, 0xffefffffffffffff, 0x3ff0000000000000, 0xbff0000000000000,
	0x3ff0000000000001, 0x3ca0000000000000};
static const uint16_t special_f16[] = {0, 0x8000, 0x7c00, 0xfc00, 0x7e00, 0xfe01, 0x7c01, 0xfdff, 1,
	0x8001, 0x03ff, 0x83ff, 0x0400, 0x7bff, 0xfbff, 0x3c00, 0xbc00, 0x3c01, 0x1000, 0x4248};
static const uint16_t special_bf16[] = {0, 0x8000, 0x7f80, 0xff80, 0x7fc0, 0xffc1, 0x7f81, 0xffbf,
	1, 0x8001, 0x007f, 0x807f, 0x0080, 0x7f7f, 0xff7f, 0x3f80, 0xbf80, 0x3f81, 0x3380, 0x4049};
static const uint32_t special_i32[] = {
	0, 1, 2, 3, 0x7fffffff, 0x80000000, 0x80000001, 0xffffffff, 0xfffffffe, 0x10000, 46341};
static const uint64_t special_i64[] = {0, 1, 2, 3, 0x7fffffffffffffff, 0x8000000000000000,
	0x8000000000000001, UINT64_MAX, UINT64_MAX - 1, 0x100000000, 3037000500};
static const uint8_t special_i8[] = {0, 1, 2, 3, 15, 16, 17, 127, 128, 129, 254, 255};
static const uint8_t special_u8[] = {0, 1, 2, 3, 15, 16, 17, 127, 128, 129, 254, 255};

const void *special_values(enum ordo_type type, size_t *count)
{
	static const struct {
		const void *values;
		size_t count;
	} specials[ORDO_NTYPE] = {
		[ORDO_F16] = {special_f16, sizeof special_f16 / sizeof *special_f16},
		[ORDO_BF16] = {special_bf16, sizeof special_bf16 / sizeof *special_bf16},
		[ORDO_F32] = {special_f32, sizeof special_f32 / sizeof *special_f32},
		[ORDO_F64] = {special_f64, sizeof special_f64 / sizeof *special_f64},
		[ORDO_I8] = {special_i8, sizeof special_i8 / sizeof *special_i8},
		[ORDO_I32] = {special_i32, sizeof special_i32 / sizeof *special_i32},
		[ORDO_I64] = {special_i64, sizeof special_i64 / sizeof *special_i64},
		[ORDO_U8] = {special_u8, sizeof special_u8 / sizeof *special_u8},
	};
	*count = specials[type].count;
	return specials[type].values;
}
