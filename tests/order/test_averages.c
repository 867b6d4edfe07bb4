/* test_averages.c - averages of schedules that accumulate: the complete sum rounded to the type,
 * divided by the number of contributions, and rounded again, whatever the form, the algorithm and
 * the way they run.
 *
 * The oracle adds up elements as integers of 128 bits and rounds fractions of these, and uses
 * nothing of the code under test. So that no form drops or rounds anything on the way, the elements
 * of a sum in binned form or in f32 are integers times one power of two; those of exact sums are
 * any finite numbers.
 */
#include "compiling.h"
#include "rig.h"
#include <ordo/compiler.h>
#include <ordo/detail/accumulate.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

__extension__ typedef __int128 wide;

/* A float type: bits of the significand with the hidden one, the power of two of the least
 * subnormal, the bits of what is too large, and the number of bits. */
struct layout {
	int precision, least;
	uint64_t above;
	int width;
};

static struct layout layout_of(enum ordo_type type)
{
	switch ((int)type) {
	case ORDO_F8E4M3:
		return (struct layout){4, -9, 0x7e, 8};
	case ORDO_F8E5M2:
		return (struct layout){3, -16, 0x7b, 8};
	case ORDO_F16:
		return (struct layout){11, -24, 0x7c00, 16};
	case ORDO_BF16:
		return (struct layout){8, -133, 0x7f80, 16};
	case ORDO_F32:
		return (struct layout){24, -149, 0x7f800000, 32};
	default:
		return (struct layout){53, -1074, UINT64_C(0x7ff0000000000000), 64};
	}
}

/* The bits of top / bottom * 2^unit rounded to nearest, ties to even. |top| < 2^70, bottom is 1 to
 * 16, and 2^unit no less than the least subnormal. */
static uint64_t nearest(enum ordo_type type, wide top, uint32_t bottom, int unit)
{
	const struct layout to = layout_of(type);
	const uint64_t sign = (uint64_t)(top < 0) << (to.width - 1);
	const wide magnitude = top < 0 ? -top : top;
	/* As low as a quotient of so many bits needs it, with all 128 bits used. */
	int below = 60;
	while (magnitude >> (126 - below))
		below--;
	int last = to.least > unit - below ? to.least : unit - below;
	for (;; last++) {
		const wide over = last < unit ? magnitude << (unit - last) : magnitude,
			   under = last < unit ? (wide)bottom : (wide)bottom << (last - unit);
		const wide floor = over / under, rest = over % under;
		if (!magnitude)
			return sign;
		if (floor >> to.precision)
			continue;
		const uint64_t significand = (uint64_t)floor +
					     (2 * rest > under || (2 * rest == under && floor % 2)),
			       bits = ((uint64_t)(last - to.least) << (to.precision - 1)) +
				      significand;
		return (bits < to.above ? bits : to.above) | sign;
	}
}

/* A finite element as top * 2^unit. */
static wide read_number(enum ordo_type type, uint64_t bits, int *unit)
{
	const struct layout from = layout_of(type);
	const uint64_t magnitude = bits & ~(UINT64_C(1) << (from.width - 1)),
		       fraction = magnitude & ((UINT64_C(1) << (from.precision - 1)) - 1),
		       exponent = magnitude >> (from.precision - 1);
	const wide significand =
		(wide)(exponent ? fraction | UINT64_C(1) << (from.precision - 1) : fraction);
	*unit = from.least + (exponent ? (int)exponent - 1 : 0);
	return bits >> (from.width - 1) ? -significand : significand;
}

/* Of the complete sum. */
static uint64_t average(enum ordo_type type, wide top, int unit, uint32_t nshard)
{
	const struct layout layout = layout_of(type);
	const uint64_t sum = nearest(type, top, 1, unit),
		       sign = sum & UINT64_C(1) << (layout.width - 1);
	/* An infinity, which fp8 does not have. */
	if (layout.width > 8 && (sum ^ sign) == layout.above)
		return sum;
	int sum_unit;
	const wide rounded = read_number(type, sum, &sum_unit);
	return rounded ? nearest(type, rounded, nshard, sum_unit) : 0;
}

static const struct kind {
	enum ordo_type type;
	enum ordo_accumulation form;
} kinds[] = {{ORDO_F8E4M3, ORDO_ACCUMULATE_EXACT}, {ORDO_F8E5M2, ORDO_ACCUMULATE_EXACT},
	{ORDO_F16, ORDO_ACCUMULATE_EXACT}, {ORDO_BF16, ORDO_ACCUMULATE_BINNED2},
	{ORDO_BF16, ORDO_ACCUMULATE_BINNED3}, {ORDO_F32, ORDO_ACCUMULATE_BINNED2},
	{ORDO_F32, ORDO_ACCUMULATE_BINNED3}, {ORDO_F64, ORDO_ACCUMULATE_BINNED2},
	{ORDO_F64, ORDO_ACCUMULATE_BINNED3}, {ORDO_F16, ORDO_ACCUMULATE_F32},
	{ORDO_BF16, ORDO_ACCUMULATE_F32}};
enum { NKIND = sizeof kinds / sizeof *kinds, MOST_SHARDS = 12, COUNT = 211 };

static uint64_t mix(uint64_t x)
{
	x *= UINT64_C(0x9e3779b97f4a7c15);
	x = (x ^ x >> 29) * UINT64_C(0xbf58476d1ce4e5b9);
	return x ^ x >> 32;
}

/* The unit of element i of all contributions: the least subnormal, one by which the greatest
 * numbers are near the largest there are, or one between. Of sums in f32, which may not overflow on
 * the way, never the largest. */
static int unit_of(const struct kind *kind, uint64_t i)
{
	const struct layout layout = layout_of(kind->type);
	const int greatest = layout.least + (int)(layout.above >> (layout.precision - 1)) - 2;
	const int between = layout.least + (int)(mix(i) % (uint64_t)(greatest - layout.least - 8));
	return i % 4 == 0					 ? layout.least
	       : i % 4 == 1 && kind->form != ORDO_ACCUMULATE_F32 ? greatest
								 : between;
}

/* Bits of element i of a contribution. */
static uint64_t draw(const struct kind *kind, uint32_t shard, uint64_t i)
{
	const struct layout layout = layout_of(kind->type);
	const uint64_t hash = mix(mix(shard + 1) + i);
	if (kind->form == ORDO_ACCUMULATE_EXACT && i % 2) {
		const uint64_t magnitude = (hash >> 1) % (layout.above + (layout.width == 8));
		return magnitude | (hash & 1) << (layout.width - 1);
	}
	/* Of some elements all contributions have one sign, and some are few. */
	const uint64_t negative = i % 3 ? hash & 1 : i / 3 & 1,
		       significand = (hash >> 1) & ((UINT64_C(1) << layout.precision) - 1);
	const wide number = (wide)(i % 5 ? significand : significand & 3);
	return nearest(kind->type, negative ? -number : number, 1, unit_of(kind, i));
}

static void put(void *to, size_t size, uint64_t i, uint64_t bits)
{
	/* the low bytes: a little-endian machine, as the vectors of the loops are */
	memcpy((unsigned char *)to + i * size, &bits, size);
}

static void find_wanted(const struct kind *kind, uint32_t nshard, void *wanted)
{
	const size_t size = ordo_type_size(kind->type);
	for (uint64_t i = 0; i < COUNT; i++) {
		int unit = 4096; /* no number has more, and zero has none */
		wide sum = 0;
		for (uint32_t shard = 0; shard < nshard; shard++) {
			int here;
			if (read_number(kind->type, draw(kind, shard, i), &here) && here < unit)
				unit = here;
		}
		for (uint32_t shard = 0; shard < nshard; shard++) {
			int here;
			const wide number = read_number(kind->type, draw(kind, shard, i), &here);
			sum += number ? number * ((wide)1 << (here - unit)) : 0;
		}
		put(wanted, size, i, sum ? average(kind->type, sum, unit, nshard) : 0);
	}
}

static void expect_bits(const struct rig *rig, const struct kind *kind, const char *algorithm,
	const void *wanted, const char *how)
{
	const size_t size = ordo_type_size(kind->type);
	for (uint32_t rank = 0; rank < rig->schedule->problem.nrank; rank++)
		for (uint64_t i = 0; i < COUNT; i++) {
			uint64_t found = 0, there = 0;
			memcpy(&found, rig->outputs[rank] + i * size, size);
			memcpy(&there, (const unsigned char *)wanted + i * size, size);
			if (found != there)
				fail_msg("%s in %s on %u ranks of %u contributions by %s, %s: "
					 "element %llu of rank %u: found %llx, wanted %llx",
					ordo_type_name(kind->type),
					ordo_accumulation_name(kind->form),
					rig->schedule->problem.nrank, rig->schedule->problem.nshard,
					algorithm, how, (unsigned long long)i, rank,
					(unsigned long long)found, (unsigned long long)there);
		}
}

static uint32_t nrun;

static void expect_averages(
	const struct kind *kind, uint32_t nrank, uint32_t nshard, const char *algorithm)
{
	const struct ordo_request request = {.problem = {.op = ORDO_ALLREDUCE,
						     .nrank = nrank,
						     .nshard = nshard,
						     .accumulate = kind->form},
		.algorithm = algorithm};
	const size_t size = ordo_type_size(kind->type);
	static unsigned char wanted[COUNT * 8];
	struct ordo_error error;
	struct ordo_schedule *schedule = ordo_compile(&request, &error);
	if (!schedule && error.code == ORDO_USAGE)
		return;
	if (!schedule)
		fail_msg("%s", error.text);
	struct rig rig = rig_create(schedule, (struct ordo_plan_options){.type = kind->type,
						      .reduction = ORDO_AVG,
						      .count = COUNT,
						      .tile_bytes = nrank == 4 ? 128 : 0});
	for (uint32_t shard = 0; shard < nshard; shard++) {
		const uint32_t each = nshard / nrank;
		unsigned char *vector = rig.inputs[shard / each] + shard % each * COUNT * size;
		for (uint64_t i = 0; i < COUNT; i++)
			put(vector, size, i, draw(kind, shard, i));
	}
	find_wanted(kind, nshard, wanted);
	assert_true(run_plan(rig.plan, BY_SEED, nrank, &error));
	expect_bits(&rig, kind, algorithm, wanted, "tasks by a seed");
	assert_true(run_plan(rig.plan, BY_2_WORKERS, 1, &error));
	expect_bits(&rig, kind, algorithm, wanted, "tasks on two threads");
	rig_run_folded(&rig);
	expect_bits(&rig, kind, algorithm, wanted, "outputs from inputs");
	rig_destroy(&rig);
	ordo_schedule_destroy(schedule);
	nrun++;
}

static void averages_are_sums_rounded_and_divided(void **unused)
{
	(void)unused;
	static const char *const algorithms[] = {
		"ring", "mesh(shots=1,fold=linear)", "recursive-doubling", "binomial-tree"};
	static const uint32_t sizes[][2] = {
		{2, 2}, {3, 3}, {4, 12}, {5, 5}, {6, 12}, {7, 7}, {11, 11}};
	for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
		for (size_t a = 0; a < sizeof algorithms / sizeof *algorithms; a++)
			for (const struct kind *kind = kinds; kind < kinds + NKIND; kind++)
				expect_averages(kind, sizes[s][0], sizes[s][1], algorithms[a]);
	assert_true(nrun > 14 * NKIND);
}

/* The oracle, on numbers that anybody can check. */
static void fractions_are_rounded_to_nearest(void **unused)
{
	(void)unused;
	assert_int_equal(nearest(ORDO_F32, 1, 1, 0), 0x3f800000);
	assert_int_equal(nearest(ORDO_F32, -3, 2, 0), 0xbfc00000);
	assert_int_equal(nearest(ORDO_F32, 1, 3, 0), 0x3eaaaaab);
	assert_int_equal(nearest(ORDO_F16, 2049, 1, 0), 0x6800); /* a tie, to even */
	assert_int_equal(nearest(ORDO_F16, 2051, 1, 0), 0x6802);
	assert_int_equal(nearest(ORDO_F16, 65520, 1, 0), 0x7c00);
	assert_int_equal(nearest(ORDO_F16, 1, 2, -24), 0); /* half the least subnormal */
	assert_int_equal(nearest(ORDO_F16, -3, 2, -24), 0x8002);
	assert_int_equal(nearest(ORDO_F8E4M3, 1000, 1, 0), 0x7e);
	assert_int_equal(nearest(ORDO_F64, 1, 10, 0), UINT64_C(0x3fb999999999999a));
	/* 2049 is rounded to 2048 before it is divided. */
	assert_int_equal(average(ORDO_F16, 2049, 0, 3), nearest(ORDO_F16, 2048, 3, 0));
	assert_int_equal(average(ORDO_F32, 0, 0, 3), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(fractions_are_rounded_to_nearest),
		cmocka_unit_test(averages_are_sums_rounded_and_divided),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
