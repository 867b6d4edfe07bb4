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
	case ORDO_BAND:
		result = a & b;
		break;
	case ORDO_BOR:
		result = a | b;
		break;
	case ORDO_BXOR:
		result = (a | b) & ~(a & b);
		break;
	case ORDO_MINLOC: /* no reductions of integers */
	case ORDO_MAXLOC:
		assert(false);
	}
	for (size_t i = 0; i < size; i++)
		dst[i] = (unsigned char)(result >> 8 * i);
}

/* By cases: is the first pair to be taken? */
static bool is_first_pair(enum ordo_type part, enum ordo_reduction reduction,
	const unsigned char *dst, const unsigned char *src, int32_t i, int32_t k)
{
	int64_t m, n;
	if (ordo_type_facts(part)->is_float) {
		const double a = ordo_element_get(part, dst, 0), b = ordo_element_get(part, src, 0);
		if (isnan(a) || isnan(b))
			return isnan(a) && isnan(b) ? i <= k : isnan(a);
		if (a == b && signbit(a) == signbit(b))
			return i <= k;
		const double least = extreme(a, b, reduction == ORDO_MINLOC);
		return a == least && signbit(a) == signbit(least);
	}
	m = n = 0;
	if (part == ORDO_I64) {
		memcpy(&m, dst, sizeof m);
		memcpy(&n, src, sizeof n);
	} else {
		m = (int64_t)ordo_element_get(part, dst, 0);
		n = (int64_t)ordo_element_get(part, src, 0);
	}
	return m == n ? i <= k : (m < n) == (reduction == ORDO_MINLOC);
}

static void reference_pair(enum ordo_type type, enum ordo_reduction reduction, unsigned char *dst,
	const unsigned char *src)
{
	const enum ordo_type part = ordo_type_facts(type)->part;
	const size_t size = ordo_type_size(part);
	int32_t i, k;
	memcpy(&i, dst + size, sizeof i);
	memcpy(&k, src + size, sizeof k);
	if (!is_first_pair(part, reduction, dst, src, i, k)) {
		memcpy(dst, src, size);
		i = k;
	}
	if (ordo_type_facts(part)->is_float && isnan(ordo_element_get(part, dst, 0)))
		ordo_element_put(part, dst, 0, (double)NAN);
	memset(dst + size, 0, ordo_type_size(type) - size);
	memcpy(dst + size, &i, sizeof i);
}

void element_reference(enum ordo_type type, enum ordo_reduction reduction, unsigned char *dst,
	const unsigned char *src)
{
	const struct ordo_type_facts *facts = ordo_type_facts(type);
	uint16_t a = 0, b = 0;
	if (facts->kind == ORDO_PAIR) {
		reference_pair(type, reduction, dst, src);
	} else if (facts->kind == ORDO_SIGNED || facts->kind == ORDO_UNSIGNED) {
		reference_integer(reduction, facts->size, facts->kind == ORDO_SIGNED, dst, src);
	} else if (facts->part == ORDO_F32) {
		for (size_t at = 0; at < facts->size; at += sizeof(float))
			reference_f32(reduction, dst + at, src + at);
	} else if (facts->part == ORDO_F64) {
		for (size_t at = 0; at < facts->size; at += sizeof(double))
			reference_f64(reduction, dst + at, src + at);
	} else { /* one and two bytes; states have tests of their own, test_states.c */
		memcpy(&a, dst, facts->size);
		memcpy(&b, src, facts->size);
		a = half_reference(type, reduction, a, b);
		memcpy(dst, &a, facts->size);
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

static const uint16_t special_i16[] = {
	0, 1, 2, 3, 181, 182, 256, 0x7fff, 0x8000, 0x8001, 0xfffe, 0xffff};
static const uint8_t special_f8e4m3[] = {0, 0x80, 1, 0x81, 7, 0x87, 8, 0x37, 0x38, 0xb8, 0x39, 0x77,
	0x78, 0x7d, 0x7e, 0xfe, 0x7f, 0xff};
static const uint8_t special_f8e5m2[] = {0, 0x80, 1, 0x81, 3, 4, 0x3b, 0x3c, 0xbc, 0x3d, 0x77, 0x7a,
	0x7b, 0xfb, 0x7c, 0xfc, 0x7d, 0x7e, 0xff};
static const uint32_t special_c64[] = {0, 0x80000000, 0x7f800000, 0xff800000, 0x7fc00000, 1,
	0x3f800000, 0xffc00001, 0x7f7fffff, 0x7f7fffff, 0xbf800000, 0x3f800001};
static const uint64_t special_c128[] = {0, 0x8000000000000000, 0x7ff0000000000000,
	0xfff0000000000000, 0x7ff8000000000000, 1, 0x3ff0000000000000, 0xfff8000000000001};
static const uint32_t special_f32_i32[] = {0, 1, 0x80000000, 1, 0, 0x80000000, 0x7fc00000, 5,
	0xffc00001, 5, 0xff800001, 4, 0x7f800000, 2, 0xff800000, 2, 1, 0, 0x80000001, 0x7fffffff,
	0x3f800000, 3, 0x3f800000, 0xffffffff};
static const uint64_t special_f64_i32[] = {0, 1, 0x8000000000000000, 1, 0,
	UINT64_C(0xdead000080000000), 0x7ff8000000000000, 5, 0xfff8000000000001,
	UINT64_C(0x100000005), 0xfff0000000000001, 4, 0x7ff0000000000000, 2, 0xfff0000000000000, 2,
	0x3ff0000000000000, 3, 0x3ff0000000000000, 0xffffffff};
static const uint32_t special_i32_i32[] = {0, 1, 0, 0xffffffff, 0x80000000, 1, 0x7fffffff, 1,
	0xffffffff, 7, 0xffffffff, 6, 5, 0x80000000, 5, 0x7fffffff};
static const uint64_t special_i64_i32[] = {0, 1, 0, 0xffffffff, 0x8000000000000000, 1,
	0x7fffffffffffffff, 1, UINT64_MAX, 7, UINT64_MAX, 6, 5, 0x80000000, 5, 0x7fffffff};

const void *special_values(enum ordo_type type, size_t *count)
{
#define SPECIALS(name)                                                                             \
	{                                                                                          \
		special_##name, sizeof special_##name                                              \
	}
	static const struct {
		const void *values;
		size_t bytes;
	} specials[ORDO_NTYPE] = {
		[ORDO_F16] = SPECIALS(f16),
		[ORDO_BF16] = SPECIALS(bf16),
		[ORDO_F32] = SPECIALS(f32),
		[ORDO_F64] = SPECIALS(f64),
		[ORDO_I8] = SPECIALS(i8),
		[ORDO_I32] = SPECIALS(i32),
		[ORDO_I64] = SPECIALS(i64),
		[ORDO_U8] = SPECIALS(u8),
		[ORDO_I16] = SPECIALS(i16),
		[ORDO_U16] = SPECIALS(i16),
		[ORDO_U32] = SPECIALS(i32),
		[ORDO_U64] = SPECIALS(i64),
		[ORDO_F8E4M3] = SPECIALS(f8e4m3),
		[ORDO_F8E5M2] = SPECIALS(f8e5m2),
		[ORDO_C64] = SPECIALS(c64),
		[ORDO_C128] = SPECIALS(c128),
		[ORDO_F32_I32] = SPECIALS(f32_i32),
		[ORDO_F64_I32] = SPECIALS(f64_i32),
		[ORDO_I32_I32] = SPECIALS(i32_i32),
		[ORDO_I64_I32] = SPECIALS(i64_i32),
	};
#undef SPECIALS
	*count = specials[type].bytes / ordo_type_size(type);
	return specials[type].values;
}
