/* test_reduce.c - the loops that add one array onto another, against the meaning of one element,
 * spelled out apart. */
#include "element_reference.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
/* cmocka wants those before it. */
#include <cmocka.h>
#include <math.h>
#include <ordo/runtime.h>
#include <stdlib.h>
#include <string.h>

static void compare_loops(enum ordo_type type, enum ordo_reduction reduction,
	const unsigned char *dst, const unsigned char *src, size_t n, size_t skew)
{
	const size_t size = ordo_type_size(type);
	unsigned char *memory = malloc(2 * (n * size + skew + 1)), *wanted = malloc(size), *to,
		      *from;
	assert_non_null(memory);
	assert_non_null(wanted);
	to = memory + skew;
	from = to + n * size + 1;
	memcpy(to, dst, n * size);
	to[n * size] = 0x5a;
	memcpy(from, src, n * size);
	ordo_reduce_elements(type, reduction, to, from, n);
	assert_memory_equal(from, src, n * size);
	assert_int_equal(to[n * size], 0x5a);
	for (size_t i = 0; i < n; i++) {
		memcpy(wanted, dst + i * size, size);
		element_reference(type, reduction, wanted, src + i * size);
		if (memcmp(wanted, to + i * size, size) != 0)
			fail_msg("%s %s: element %zu of %zu, skew %zu", ordo_type_name(type),
				ordo_reduction_name(reduction), i, n, skew);
	}
	free(memory);
	free(wanted);
}

static void every_pair_of_special_values_is_right(void **state)
{
	(void)state;
	for (int type = 0; type < ORDO_NTYPE; type++) {
		const size_t size = ordo_type_size((enum ordo_type)type);
		size_t n;
		const unsigned char *values = special_values((enum ordo_type)type, &n);
		unsigned char dst[MOST_SPECIAL_VALUES * MOST_SPECIAL_VALUES * 16], src[sizeof dst];
		for (size_t i = 0; i < n * n; i++) {
			memcpy(dst + i * size, values + i / n * size, size);
			memcpy(src + i * size, values + i % n * size, size);
		}
		for (int reduction = 0; reduction < ORDO_NREDUCTION; reduction++)
			if (ordo_has_reduction(
				    (enum ordo_type)type, (enum ordo_reduction)reduction, NULL))
				compare_loops((enum ordo_type)type, (enum ordo_reduction)reduction,
					dst, src, n * n, 0);
	}
}

static void every_length_and_alignment_is_right(void **state)
{
	(void)state;
	enum { MOST = 70 };
	unsigned char dst[MOST * 16], src[MOST * 16];
	uint64_t random = 1;
	for (size_t i = 0; i < sizeof dst; i++) {
		random = random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
		dst[i] = (unsigned char)(random >> 56);
		src[i] = (unsigned char)(random >> 48);
	}
	for (int type = 0; type < ORDO_NTYPE; type++)
		for (int reduction = 0; reduction < ORDO_NREDUCTION; reduction++) {
			const bool has = ordo_has_reduction(
				(enum ordo_type)type, (enum ordo_reduction)reduction, NULL);
			for (size_t n = 0; has && n <= MOST; n++)
				for (size_t skew = 0; skew < 4; skew++)
					compare_loops((enum ordo_type)type,
						(enum ordo_reduction)reduction, dst, src, n, skew);
		}
}

static void min_and_max_put_minus_zero_below_zero_and_keep_nans(void **state)
{
	(void)state;
	float dst[4] = {0.0f, -0.0f, 1.0f, NAN}, src[4] = {-0.0f, 0.0f, NAN, 1.0f};
	ordo_reduce_elements(ORDO_F32, ORDO_MIN, dst, src, 4);
	assert_true(signbit(dst[0]) && signbit(dst[1]) && isnan(dst[2]) && isnan(dst[3]));
	float most[4] = {0.0f, -0.0f, 1.0f, NAN};
	ordo_reduce_elements(ORDO_F32, ORDO_MAX, most, src, 4);
	assert_true(!signbit(most[0]) && !signbit(most[1]) && isnan(most[2]) && isnan(most[3]));
}

/* As ncclAvg and MPI_MINLOC have it, by hand. */
static void averages_of_integers_are_truncated_and_pairs_are_ordered(void **state)
{
	(void)state;
	int16_t sums[] = {-7, 7, -32768, 32767};
	uint64_t wide[] = {UINT64_MAX, 7};
	ordo_divide_elements(ORDO_I16, sums, 4, 2);
	ordo_divide_elements(ORDO_U64, wide, 2, 2);
	assert_true(sums[0] == -3 && sums[1] == 3 && sums[2] == -16384 && sums[3] == 16383);
	assert_true(wide[0] == INT64_MAX && wide[1] == 3);
	struct pair {
		float value;
		int32_t index;
	} dst[] = {{1, 5}, {2, 3}, {0.0f, 1}, {1, 9}},
	  src[] = {{1, 4}, {1, 9}, {-0.0f, 2}, {NAN, 7}}, most[4];
	memcpy(most, dst, sizeof dst);
	ordo_reduce_elements(ORDO_F32_I32, ORDO_MINLOC, dst, src, 4);
	ordo_reduce_elements(ORDO_F32_I32, ORDO_MAXLOC, most, src, 4);
	assert_true(dst[0].index == 4 && dst[1].index == 9 && dst[2].index == 2 &&
		    signbit(dst[2].value) && dst[3].index == 7 && isnan(dst[3].value));
	assert_true(most[0].index == 4 && most[1].index == 3 && most[2].index == 1 &&
		    !signbit(most[2].value) && most[3].index == 7 && isnan(most[3].value));
}

/* What kind of type has what, and what it says otherwise. */
static void reductions_are_refused_of_types_that_lack_them(void **state)
{
	(void)state;
	static const struct {
		enum ordo_type type;
		enum ordo_reduction reduction;
		const char *why;
	} refused[] = {
		{ORDO_F32, ORDO_BAND, "found band of f32, wanted sum, prod, min, max or avg"},
		{ORDO_F8E4M3, ORDO_BXOR, "found bxor of f8e4m3"},
		{ORDO_C64, ORDO_MIN, "found min of c64, wanted sum or avg"},
		{ORDO_C128, ORDO_PROD, "found prod of c128"}, {ORDO_C64, ORDO_BOR, "bor of c64"},
		{ORDO_I32, ORDO_MINLOC, "found minloc of i32, wanted sum, prod, min, max, avg, "},
		{ORDO_F64_I32, ORDO_SUM, "found sum of f64_i32, wanted minloc or maxloc"},
		{ORDO_I32_I32, ORDO_AVG, "found avg of i32_i32"}};
	for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
		struct ordo_error error = {0};
		assert_false(ordo_has_reduction(refused[i].type, refused[i].reduction, &error));
		assert_int_equal(error.code, ORDO_USAGE);
		if (!strstr(error.text, refused[i].why))
			fail_msg("%s", error.text);
	}
	assert_true(ordo_is_associative(ORDO_F64_I32, ORDO_MAXLOC) &&
		    ordo_is_associative(ORDO_U16, ORDO_BXOR) &&
		    !ordo_is_associative(ORDO_C64, ORDO_SUM) &&
		    !ordo_is_associative(ORDO_F8E5M2, ORDO_AVG));
}

static void names_are_read_as_they_are_written(void **state)
{
	(void)state;
	for (int i = 0; i < ORDO_NTYPE; i++) {
		enum ordo_type type = (enum ordo_type)(ORDO_NTYPE - 1 - i);
		assert_true(ordo_type_from_name(ordo_type_name((enum ordo_type)i), &type));
		assert_int_equal(type, i);
	}
	for (int i = 0; i < ORDO_NREDUCTION; i++) {
		enum ordo_reduction reduction = (enum ordo_reduction)(ORDO_NREDUCTION - 1 - i);
		assert_true(ordo_reduction_from_name(
			ordo_reduction_name((enum ordo_reduction)i), &reduction));
		assert_int_equal(reduction, i);
	}
	enum ordo_type type;
	enum ordo_reduction reduction;
	assert_false(ordo_type_from_name("f33", &type));
	assert_false(ordo_reduction_from_name("average", &reduction));
	assert_string_equal(ordo_type_name(ORDO_F32), "f32");
	assert_int_equal(ordo_type_size(ORDO_I64), 8);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_pair_of_special_values_is_right),
		cmocka_unit_test(every_length_and_alignment_is_right),
		cmocka_unit_test(min_and_max_put_minus_zero_below_zero_and_keep_nans),
		cmocka_unit_test(averages_of_integers_are_truncated_and_pairs_are_ordered),
		cmocka_unit_test(reductions_are_refused_of_types_that_lack_them),
		cmocka_unit_test(names_are_read_as_they_are_written),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
