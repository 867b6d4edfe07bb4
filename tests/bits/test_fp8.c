/* test_fp8.c - f8e4m3 and f8e5m2 against integer arithmetic: conversions of all numbers, and all
 * operations on all 2^16 pairs of them, in every form that this CPU has; what overflows gives the
 * largest number.
 */
#include "half_reference.h"
#include "kernels/kernels.h"
#include <math.h>
#include <ordo/detail/half.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

enum { ALL = 1 << 8, PAIRS = ALL * ALL };

static const struct ordo_kernels *forms[ORDO_NKERNEL_FORM];
static uint32_t nform;

static const enum ordo_type types[] = {ORDO_F8E4M3, ORDO_F8E5M2};

static float to_float(enum ordo_type type, uint8_t byte)
{
	return type == ORDO_F8E4M3 ? ordo_f8e4m3_to_float(byte) : ordo_f8e5m2_to_float(byte);
}

static uint8_t from_float(enum ordo_type type, float value)
{
	return type == ORDO_F8E4M3 ? ordo_f8e4m3_from_float(value) : ordo_f8e5m2_from_float(value);
}

static void every_number_is_a_float_and_comes_back(void **unused)
{
	(void)unused;
	for (int t = 0; t < 2; t++)
		for (uint32_t byte = 0; byte < ALL; byte++) {
			const float value = to_float(types[t], (uint8_t)byte);
			const uint8_t back = from_float(types[t], value),
				      last = types[t] == ORDO_F8E4M3 ? 0x7e : 0x7c,
				      magnitude = byte & 0x7f;
			assert_true(!signbit(value) == !(byte >> 7));
			assert_true((double)value == ordo_element_get(types[t], &byte, 0) ||
				    isnan(value));
			if (magnitude > last) {
				assert_true(isnan(value));
				assert_int_equal(back, types[t] == ORDO_F8E4M3 ? 0x7f : 0x7e);
			} else if (types[t] == ORDO_F8E5M2 && magnitude == last) {
				assert_true(isinf(value));
				assert_int_equal(back, byte - 1);
			} else {
				assert_true((double)value ==
					    half_value_reference(types[t], (uint16_t)byte));
				assert_int_equal(back, byte);
			}
		}
}

/* All signs and exponents, and all bits that are kept, with what lies around ties. */
static void floats_round_to_the_nearest_and_saturate(void **unused)
{
	(void)unused;
	static const uint32_t lows[] = {0, 1, 0x7fff, 0x8000, 0xffff};
	for (uint32_t high = 0; high < 1 << 16; high++)
		for (size_t i = 0; i < sizeof lows / sizeof *lows; i++)
			for (int t = 0; t < 2; t++) {
				const uint32_t bits = high << 16 | lows[i];
				const float value = ordo_float_of_bits(bits);
				const uint8_t found = from_float(types[t], value);
				const uint16_t wanted = half_from_float_reference(types[t], bits);
				uint8_t element;
				ordo_element_put(types[t], &element, 0, (double)value);
				if (found != wanted || element != wanted)
					fail_msg("%s of float %08x: found %02x and %02x, wanted "
						 "%02x",
						ordo_type_name(types[t]), bits, found, element,
						wanted);
			}
	assert_int_equal(ordo_f8e4m3_from_float(464.0f), 0x7e);
	assert_int_equal(ordo_f8e4m3_from_float(-(float)INFINITY), 0xfe);
	assert_int_equal(ordo_f8e5m2_from_float((float)INFINITY), 0x7b);
	assert_int_equal(ordo_f8e5m2_from_float(-1e30f), 0xfb);
}

static void compare_pairs(enum ordo_type type, enum ordo_reduction reduction)
{
	static uint8_t left[PAIRS], right[PAIRS], found[PAIRS];
	const void *const operands[] = {left, right};
	void *to = found;
	for (uint32_t i = 0; i < PAIRS; i++) {
		left[i] = (uint8_t)(i >> 8);
		right[i] = (uint8_t)i;
	}
	for (uint32_t f = 0; f < nform; f++) {
		forms[f]->fold[type][reduction](&to, 1, operands, 2, PAIRS, 0);
		for (uint32_t i = 0; i < PAIRS; i++) {
			const uint16_t wanted = half_reference(type, reduction, left[i], right[i]);
			if (found[i] != wanted)
				fail_msg("%s %s of %02x and %02x: found %02x by %s, wanted %02x",
					ordo_type_name(type), ordo_reduction_name(reduction),
					left[i], right[i], found[i], forms[f]->name, wanted);
		}
	}
}

static void all_pairs_are_rounded_once(void **unused)
{
	(void)unused;
	for (int t = 0; t < 2; t++)
		for (enum ordo_reduction reduction = ORDO_SUM; reduction <= ORDO_AVG; reduction++)
			compare_pairs(types[t], reduction);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_number_is_a_float_and_comes_back),
		cmocka_unit_test(floats_round_to_the_nearest_and_saturate),
		cmocka_unit_test(all_pairs_are_rounded_once),
	};
	nform = ordo_kernels_all(forms, ORDO_NKERNEL_FORM);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
