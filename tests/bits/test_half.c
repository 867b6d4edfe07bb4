/* test_half.c - f16 and bf16 against integer arithmetic: conversions of all numbers, and operations
 * on pairs of them.
 *
 * Operations in every form that this CPU has.
 *
 * usage: test_half [STRIDE]: every so manieth first operand with all second ones; 1 takes all 2^32
 * pairs.
 */
#include "half_reference.h"
#include "kernels/kernels.h"
#include <math.h>
#include <ordo/detail/half.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { ALL = 1 << 16 };
static uint32_t stride = 997;

static const struct ordo_kernels *forms[ORDO_NKERNEL_FORM];
static uint32_t nform;

static const enum ordo_type types[] = {ORDO_F16, ORDO_BF16};

static bool is_finite(enum ordo_type type, uint16_t half)
{
	return (half & 0x7fff) < (type == ORDO_F16 ? 0x7c00 : 0x7f80);
}

static void every_number_is_a_float_and_comes_back(void **unused)
{
	(void)unused;
	for (int t = 0; t < 2; t++)
		for (uint32_t half = 0; half < ALL; half++) {
			const uint16_t given = (uint16_t)half;
			const float value = types[t] == ORDO_F16 ? ordo_f16_to_float(given)
								 : ordo_bf16_to_float(given);
			const uint16_t back = types[t] == ORDO_F16 ? ordo_f16_from_float(value)
								   : ordo_bf16_from_float(value);
			const uint16_t quiet = types[t] == ORDO_F16 ? 0x0200 : 0x0040;
			assert_int_equal(back, isnan(value) ? given | quiet : given);
			assert_true(isnan(value) || !signbit(value) == !(half >> 15));
			if (is_finite(types[t], given))
				assert_true((double)value == half_value_reference(types[t], given));
			else
				assert_true(isinf(value) || isnan(value));
		}
}

static void check_float(uint32_t bits)
{
	const float value = ordo_float_of_bits(bits);
	for (int t = 0; t < 2; t++) {
		const uint16_t wanted = half_from_float_reference(types[t], bits);
		const uint16_t found = types[t] == ORDO_F16 ? ordo_f16_from_float(value)
							    : ordo_bf16_from_float(value);
		if (found != wanted)
			fail_msg("%s of float %08x: found %04x, wanted %04x",
				ordo_type_name(types[t]), bits, found, wanted);
		uint16_t element;
		ordo_element_put(types[t], &element, 0, (double)value);
		if (!isnan(value) && element != wanted)
			fail_msg("%s of double %a: found %04x, wanted %04x",
				ordo_type_name(types[t]), (double)value, element, wanted);
	}
}

/* All signs and exponents with what lies around ties, and many others. */
static void floats_round_to_the_nearest(void **unused)
{
	(void)unused;
	for (uint32_t high = 0; high < ALL; high++) {
		static const uint32_t lows[] = {0, 1, 0x0fff, 0x1000, 0x1001, 0x2fff, 0x3000,
			0x3001, 0x7fff, 0x8000, 0x8001, 0xffff};
		for (size_t i = 0; i < sizeof lows / sizeof *lows; i++)
			check_float(high << 16 | lows[i]);
	}
	for (uint64_t bits = 0; bits <= UINT32_MAX; bits += (uint64_t)stride * 97)
		check_float((uint32_t)bits);
}

static void numbers_are_rounded_once_from_double_too(void **unused)
{
	(void)unused;
	/* By way of a float, the first would be a tie that goes to even, the second infinity. */
	uint16_t half;
	ordo_element_put(ORDO_F16, &half, 0, 1 + 0x1p-11 + 0x1p-40);
	assert_int_equal(half, 0x3c01);
	ordo_element_put(ORDO_F16, &half, 0, 65520 - 0x1p-30);
	assert_int_equal(half, 0x7bff);
	ordo_element_put(ORDO_F16, &half, 0, 65520);
	assert_int_equal(half, 0x7c00);
	ordo_element_put(ORDO_BF16, &half, 0, -0x1.01p-133);
	assert_int_equal(half, 0x8001);
	assert_true(ordo_type_round(ORDO_F32, 0x1.000001p0 + 0x1p-50) == 0x1.000002p0);
	assert_true(ordo_type_round(ORDO_F32, 0x1p-150) == 0 &&
		    ordo_type_round(ORDO_F32, 0x1.8p-150) == 0x1p-149);
	assert_true(isinf(ordo_type_round(ORDO_F32, 1e300)) &&
		    ordo_type_round(ORDO_F64, 1e300) == 1e300);
}

static void compare_row(enum ordo_type type, enum ordo_reduction reduction, uint16_t a)
{
	static uint16_t left[ALL], right[ALL], wanted[ALL], found[ALL];
	const void *const operands[] = {left, right};
	void *to = found;
	for (uint32_t b = 0; b < ALL; b++) {
		left[b] = a;
		right[b] = (uint16_t)b;
		wanted[b] = half_reference(type, reduction, a, (uint16_t)b);
	}
	for (uint32_t f = 0; f < nform; f++) {
		forms[f]->fold[type][reduction](&to, 1, operands, 2, ALL, 0);
		for (uint32_t b = 0; b < ALL; b++)
			if (found[b] != wanted[b])
				fail_msg("%s %s of %04x and %04x: found %04x by %s, wanted %04x",
					ordo_type_name(type), ordo_reduction_name(reduction), a, b,
					found[b], forms[f]->name, wanted[b]);
	}
}

static void operations_are_rounded_once(void **unused)
{
	(void)unused;
	static const uint16_t always[] = {0, 0x8000, 1, 0x8001, 0x03ff, 0x0400, 0x3c00, 0x3c01,
		0x7bff, 0x7c00, 0xfc00, 0x7c01, 0x7e00, 0xfe12, 0x007f, 0x0080, 0x3f80, 0x3f81,
		0x7f7f, 0x7f80, 0xff80, 0x7f81, 0x7fc0, 0xffd1};
	for (int t = 0; t < 2; t++)
		for (int r = 0; r < ORDO_AVG; r++) {
			for (size_t i = 0; i < sizeof always / sizeof *always; i++)
				compare_row(types[t], (enum ordo_reduction)r, always[i]);
			for (uint32_t a = (uint32_t)r; a < ALL; a += stride)
				compare_row(types[t], (enum ordo_reduction)r, (uint16_t)a);
			if (stride > 1)
				continue;
			for (uint32_t a = 0; a < (uint32_t)r; a++)
				compare_row(types[t], (enum ordo_reduction)r, (uint16_t)a);
		}
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_number_is_a_float_and_comes_back),
		cmocka_unit_test(floats_round_to_the_nearest),
		cmocka_unit_test(numbers_are_rounded_once_from_double_too),
		cmocka_unit_test(operations_are_rounded_once),
	};
	nform = ordo_kernels_all(forms, ORDO_NKERNEL_FORM);
	if (argc > 1)
		stride = (uint32_t)strtoul(argv[1], NULL, 10);
	return stride ? cmocka_run_group_tests(tests, NULL, NULL) : 2;
}
