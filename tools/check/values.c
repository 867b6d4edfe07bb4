/* values.c - inputs made from a seed, by a hash of (seed, shard, element). */
#include "values.h"
#include <ordo/detail/half.h>
#include <ordo/mix.h>
#include <string.h>

static inline uint32_t mix(uint32_t x)
{
	x ^= x >> 16;
	x *= 0x21f0aaadu;
	x ^= x >> 15;
	x *= 0xd35a2d97u;
	return x ^ x >> 15;
}

/* 0.5..1 times 2^0..2^-7: every value is a multiple of 2^-31. */
static inline float float_summand(uint32_t hash)
{
	union {
		uint32_t bits;
		float value;
	} made = {(126u - (hash >> 29)) << 23 | (hash & 0x7fffffu)};
	return made.value;
}

/* The same, a multiple of 2^-60. */
static inline double double_summand(uint64_t hash)
{
	union {
		uint64_t bits;
		double value;
	} made = {(1022u - (hash >> 61)) << 52 | (hash & 0xfffffffffffffu)};
	return made.value;
}

/* The same with the bits that are left: multiples of 2^-18, and of 2^-15. */
static inline uint16_t f16_summand(uint32_t hash)
{
	return (uint16_t)((14u - (hash >> 29)) << 10 | (hash & 0x3ffu));
}

static inline uint16_t bf16_summand(uint32_t hash)
{
	return (uint16_t)((126u - (hash >> 29)) << 7 | (hash & 0x7fu));
}

static inline float float_factor(uint32_t hash)
{
	return 0.75f + (float)(hash >> 9) * 0x1p-24f;
}

static inline double double_factor(uint64_t hash)
{
	return 0.75 + (double)(hash >> 12) * 0x1p-53;
}

/* Both signs, and now and then a zero. */
static inline float float_candidate(uint32_t hash)
{
	float magnitude = hash % 64 ? float_summand(hash) : 0.0f;
	return hash & 0x1000000u ? -magnitude : magnitude;
}

static inline uint16_t half_candidate(uint32_t hash, uint16_t magnitude)
{
	return (uint16_t)((hash % 64 ? magnitude : 0) | (hash & 0x1000000u ? 0x8000u : 0));
}

static inline double double_candidate(uint64_t hash)
{
	double magnitude = hash % 64 ? double_summand(hash) : 0.0;
	return hash & (1ull << 56) ? -magnitude : magnitude;
}

/* NOLINTBEGIN(bugprone-macro-parentheses): a type takes none */
#define FILL(type, expression)                                                                     \
	do {                                                                                       \
		type *value = out;                                                                 \
		for (size_t i = 0; i < n; i++)                                                     \
			value[i] = (expression);                                                   \
	} while (0)
/* NOLINTEND(bugprone-macro-parentheses) */

/* The hash of element i of those that are made. */
#define HASH mix((first + (uint32_t)i) ^ key)

static void make_integers(enum ordo_type type, uint32_t key, uint32_t first, size_t n, void *out)
{
	if (type == ORDO_I32 || type == ORDO_U32)
		FILL(uint32_t, HASH);
	else if (type == ORDO_I16 || type == ORDO_U16)
		FILL(uint16_t, (uint16_t)(HASH >> 13));
	else
		FILL(uint8_t, (uint8_t)(HASH >> 13));
}

static void make_f16(
	enum ordo_reduction reduction, uint32_t key, uint32_t first, size_t n, void *out)
{
	if (ordo_reduction_adds(reduction))
		FILL(uint16_t, f16_summand(HASH));
	else if (reduction == ORDO_PROD)
		FILL(uint16_t, ordo_f16_from_float(float_factor(HASH)));
	else
		FILL(uint16_t, half_candidate(HASH, f16_summand(HASH)));
}

static void make_bf16(
	enum ordo_reduction reduction, uint32_t key, uint32_t first, size_t n, void *out)
{
	if (ordo_reduction_adds(reduction))
		FILL(uint16_t, bf16_summand(HASH));
	else if (reduction == ORDO_PROD)
		FILL(uint16_t, ordo_bf16_from_float(float_factor(HASH)));
	else
		FILL(uint16_t, half_candidate(HASH, bf16_summand(HASH)));
}

static void make_f32(
	enum ordo_reduction reduction, uint32_t key, uint32_t first, size_t n, void *out)
{
	if (ordo_reduction_adds(reduction))
		FILL(float, float_summand(HASH));
	else if (reduction == ORDO_PROD)
		FILL(float, float_factor(HASH));
	else
		FILL(float, float_candidate(HASH));
}

/* Summands in four binades, so that a few of them neither lose all bits nor saturate: multiples of
 * 2^-7 for f8e4m3, and of 2^-6. */
static void make_fp8(enum ordo_type type, enum ordo_reduction reduction, uint32_t key,
	uint32_t first, size_t n, void *out)
{
	const uint32_t bits = type == ORDO_F8E4M3 ? 3 : 2, one = type == ORDO_F8E4M3 ? 7 : 15;
	const uint32_t fraction = (1u << bits) - 1;
#define SUMMAND(hash) ((one - 1 - ((hash) >> 30)) << bits | ((hash)&fraction))
	if (ordo_reduction_adds(reduction))
		FILL(uint8_t, (uint8_t)SUMMAND(HASH));
	else if (reduction == ORDO_PROD)
		FILL(uint8_t, type == ORDO_F8E4M3 ? ordo_f8e4m3_from_float(float_factor(HASH))
						  : ordo_f8e5m2_from_float(float_factor(HASH)));
	else
		FILL(uint8_t, (uint8_t)((HASH % 64 ? SUMMAND(HASH) : 0) |
					(HASH & 0x1000000u ? 0x80u : 0)));
#undef SUMMAND
}

/* Elements whose numbers agree above the lowest 32 bits. */
static void make_narrow(enum ordo_type type, enum ordo_reduction reduction, uint32_t key,
	uint32_t first, size_t n, void *out)
{
	if (type == ORDO_F16)
		make_f16(reduction, key, first, n, out);
	else if (type == ORDO_BF16)
		make_bf16(reduction, key, first, n, out);
	else if (type == ORDO_F8E4M3 || type == ORDO_F8E5M2)
		make_fp8(type, reduction, key, first, n, out);
	else if (type == ORDO_F32)
		make_f32(reduction, key, first, n, out);
	else
		make_integers(type, key, first, n, out);
}

static void make_wide(enum ordo_type type, enum ordo_reduction reduction, uint64_t key,
	uint64_t first, size_t n, void *out)
{
	if (type == ORDO_I64 || type == ORDO_U64)
		FILL(uint64_t, ordo_mix((first + i) ^ key));
	else if (ordo_reduction_adds(reduction))
		FILL(double, double_summand(ordo_mix((first + i) ^ key)));
	else if (reduction == ORDO_PROD)
		FILL(double, double_factor(ordo_mix((first + i) ^ key)));
	else
		FILL(double, double_candidate(ordo_mix((first + i) ^ key)));
}

/* Pairs of few values and any index, so that many values are equal; both zeros are among them. */
static void make_pairs(enum ordo_type type, uint64_t key, uint64_t first, size_t n, void *out)
{
	const enum ordo_type part = ordo_type_facts(type)->part;
	const size_t size = ordo_type_size(type), value_size = ordo_type_size(part);
	for (size_t i = 0; i < n; i++) {
		const uint64_t hash = ordo_mix((first + i) ^ key);
		const int32_t index = (int32_t)(hash >> 32);
		const double magnitude = (double)(hash % 8);
		char *pair = (char *)out + i * size;
		ordo_element_put(type, pair, 0, hash & 8 ? -magnitude : magnitude);
		memcpy(pair + value_size, &index, sizeof index);
	}
}

void make_values(const struct values *values, uint32_t shard, uint64_t first, size_t n, void *out)
{
	const struct ordo_type_facts *facts = ordo_type_facts(values->type);
	if (facts->kind == ORDO_COMPLEX) {
		make_values(&(struct values){values->seed, facts->part, values->reduction}, shard,
			2 * first, 2 * n, out);
		return;
	}
	uint64_t key = ordo_mix(ordo_mix(values->seed + 0x9e3779b97f4a7c15u) + shard);
	if (facts->kind == ORDO_PAIR) {
		make_pairs(values->type, key, first, n, out);
		return;
	}
	if (facts->size == 8) {
		make_wide(values->type, values->reduction, key, first, n, out);
		return;
	}
	for (size_t done = 0; done < n;) {
		uint64_t high = (first + done) >> 32, left = ((high + 1) << 32) - (first + done);
		size_t part = n - done < left ? n - done : (size_t)left;
		make_narrow(values->type, values->reduction, (uint32_t)ordo_mix(key + high),
			(uint32_t)(first + done), part,
			(char *)out + done * ordo_type_size(values->type));
		done += part;
	}
}
