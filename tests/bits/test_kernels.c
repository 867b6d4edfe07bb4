/* test_kernels.c - the loops over elements in every form this CPU has, against the meaning of one
 * element.
 *
 * A fold has operands of any alignment, may be in place, and may store past the caches; nothing but
 * its destinations may change.
 */
#include "element_reference.h"
#include "half_reference.h"
#include "kernels/kernels.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum {
	MOST_SOURCES = 9,
	MOST_DESTINATIONS = 5,
	MOST_ELEMENTS = 600,
	ROOM = (MOST_ELEMENTS + 64) * 16
};

static const struct ordo_kernels *forms[ORDO_NKERNEL_FORM];
static uint32_t nform;

static uint64_t state = 1;

static uint64_t next_random(void)
{
	state += UINT64_C(0x9e3779b97f4a7c15);
	uint64_t bits = (state ^ state >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	bits = (bits ^ bits >> 27) * UINT64_C(0x94d049bb133111eb);
	return bits ^ bits >> 31;
}

static uint32_t below(uint32_t end)
{
	return (uint32_t)(next_random() >> 32) % end;
}

/* Any bits, and special values as often. */
static void fill(enum ordo_type type, unsigned char *elements, size_t n)
{
	const size_t size = ordo_type_size(type);
	size_t nspecial;
	const unsigned char *specials = special_values(type, &nspecial);
	for (size_t i = 0; i < n; i++) {
		const uint64_t bits = next_random(), all[2] = {bits, next_random()};
		memcpy(elements + i * size,
			bits >> 63 ? (const void *)all
				   : specials + (size_t)(bits >> 32) % nspecial * size,
			size);
	}
}

/* Operands in one memory, each with room of its own and somewhere in it. */
struct arena {
	unsigned char memory[(MOST_SOURCES + MOST_DESTINATIONS) * ROOM];
};

struct test_case {
	enum ordo_type type;
	enum ordo_reduction reduction;
	uint32_t nsrc, ndst;
	size_t n;
	unsigned ways;
	size_t src[MOST_SOURCES], dst[MOST_DESTINATIONS]; /* bytes into the arena */
};

static size_t place(uint32_t operand, size_t size, bool aligned)
{
	const size_t skew = below(16) ? below(64) : 0;
	return (size_t)operand * ROOM + 64 + (aligned ? skew / size * size : skew);
}

static struct test_case random_case(
	enum ordo_type type, enum ordo_reduction reduction, uint32_t nsrc, uint32_t ndst, size_t n)
{
	struct test_case test = {
		.type = type, .reduction = reduction, .nsrc = nsrc, .ndst = ndst, .n = n};
	const size_t size = ordo_type_size(type);
	const bool aligned = below(2);
	test.ways = below(4);
	for (uint32_t i = 0; i < nsrc; i++)
		test.src[i] = place(i, size, aligned);
	for (uint32_t i = 0; i < ndst; i++)
		test.dst[i] = place(MOST_SOURCES + i, size, aligned);
	/* In place: destinations are sources, each of another one. */
	for (uint32_t i = 0; below(2) && i < ndst && i < nsrc; i++)
		test.dst[i] = test.src[nsrc - 1 - i];
	return test;
}

/* What element i of all destinations must be. */
static void wanted_element(
	const struct test_case *test, const struct arena *before, size_t i, unsigned char *wanted)
{
	const size_t size = ordo_type_size(test->type);
	const unsigned char *memory = before->memory;
	memcpy(wanted, memory + test->src[0] + i * size, size);
	for (uint32_t s = 1; s < test->nsrc; s++) {
		const unsigned char *next = memory + test->src[s] + i * size;
		element_reference(test->type, test->reduction, wanted, next);
	}
}

static void fail_element(
	const struct ordo_kernels *form, const struct test_case *test, uint32_t dst, size_t element)
{
	fail_msg("%s %s %s: element %zu of %zu in destination %u of %u, %u sources%s, %zu bytes "
		 "from alignment",
		form->name, ordo_type_name(test->type), ordo_reduction_name(test->reduction),
		element, test->n, dst, test->ndst, test->nsrc,
		test->ways & ORDO_STREAM ? ", streaming" : "", test->dst[dst] % 64);
}

static void compare_elements(const struct ordo_kernels *form, const struct test_case *test,
	const struct arena *wanted, const struct arena *found)
{
	const size_t size = ordo_type_size(test->type);
	for (uint32_t d = 0; d < test->ndst; d++)
		for (size_t i = 0; i < test->n; i++) {
			const unsigned char *a = wanted->memory + test->dst[d] + i * size,
					    *b = found->memory + test->dst[d] + i * size;
			if (memcmp(a, b, size) != 0)
				fail_element(form, test, d, i);
		}
}

/* Runs a case in every form; `before` is what memory holds, in all its rooms. */
static void run_case(const struct test_case *test, const struct arena *before)
{
	static struct arena wanted, found;
	const size_t size = ordo_type_size(test->type);
	wanted = *before;
	for (size_t i = 0; i < test->n; i++) {
		unsigned char element[16];
		wanted_element(test, before, i, element);
		for (uint32_t d = 0; d < test->ndst; d++)
			memcpy(wanted.memory + test->dst[d] + i * size, element, size);
	}
	for (uint32_t f = 0; f < nform; f++) {
		const void *src[MOST_SOURCES];
		void *dst[MOST_DESTINATIONS];
		found = *before;
		for (uint32_t i = 0; i < test->nsrc; i++)
			src[i] = found.memory + test->src[i];
		for (uint32_t i = 0; i < test->ndst; i++)
			dst[i] = found.memory + test->dst[i];
		forms[f]->fold[test->type][test->reduction](
			dst, test->ndst, src, test->nsrc, test->n, test->ways);
		compare_elements(forms[f], test, &wanted, &found);
		/* All else is as it was. */
		for (uint32_t d = 0; d < test->ndst; d++)
			memcpy(found.memory + test->dst[d], wanted.memory + test->dst[d],
				test->n * size);
		if (memcmp(&found, &wanted, sizeof found) != 0)
			fail_msg("%s %s %s of %zu elements wrote beside its destinations",
				forms[f]->name, ordo_type_name(test->type),
				ordo_reduction_name(test->reduction), test->n);
	}
}

static struct arena *fill_arena(enum ordo_type type)
{
	static struct arena arena;
	fill(type, arena.memory, sizeof arena / ordo_type_size(type));
	return &arena;
}

static void for_each_reduction(void (*check)(enum ordo_type type, enum ordo_reduction reduction))
{
	for (enum ordo_type type = ORDO_F16; type < ORDO_NTYPE; type++)
		for (enum ordo_reduction reduction = ORDO_SUM; reduction < ORDO_NREDUCTION;
			reduction++)
			if (ordo_has_reduction(type, reduction, NULL))
				check(type, reduction);
}

static void fold_every_number_of_elements(enum ordo_type type, enum ordo_reduction reduction)
{
	const struct arena *arena = fill_arena(type);
	for (size_t n = 0; n <= MOST_ELEMENTS; n += 1 + n / 70) {
		const struct test_case test = random_case(
			type, reduction, 1 + below(MOST_SOURCES), 1 + below(MOST_DESTINATIONS), n);
		run_case(&test, arena);
	}
}

static void every_number_of_elements_is_folded(void **unused)
{
	(void)unused;
	for_each_reduction(fold_every_number_of_elements);
}

static void fold_every_number_of_operands(enum ordo_type type, enum ordo_reduction reduction)
{
	const struct arena *arena = fill_arena(type);
	for (uint32_t nsrc = 1; nsrc <= MOST_SOURCES; nsrc++)
		for (uint32_t ndst = 1; ndst <= MOST_DESTINATIONS; ndst++) {
			const struct test_case test =
				random_case(type, reduction, nsrc, ndst, below(300));
			run_case(&test, arena);
		}
}

static void every_number_of_sources_and_destinations_is_folded(void **unused)
{
	(void)unused;
	for_each_reduction(fold_every_number_of_operands);
}

static void fold_special_values(enum ordo_type type, enum ordo_reduction reduction)
{
	const size_t size = ordo_type_size(type);
	size_t n;
	const unsigned char *values = special_values(type, &n);
	struct arena *arena = fill_arena(type);
	struct test_case test = {
		.type = type, .reduction = reduction, .nsrc = 2, .ndst = 1, .n = n * n};
	test.src[1] = ROOM;
	test.dst[0] = (size_t)ROOM * MOST_SOURCES;
	for (size_t i = 0; i < n * n; i++) {
		memcpy(arena->memory + i * size, values + i / n * size, size);
		memcpy(arena->memory + ROOM + i * size, values + i % n * size, size);
	}
	run_case(&test, arena);
}

static void every_pair_of_special_values_is_folded(void **unused)
{
	(void)unused;
	for_each_reduction(fold_special_values);
}

/* Folds a, b and c in three orders, or just a and b in two; to be the same. */
static void swap(const struct ordo_kernels *form, enum ordo_type type,
	enum ordo_reduction reduction, const unsigned char *a, const unsigned char *b,
	const unsigned char *c)
{
	const uint32_t nsrc = ordo_is_associative(type, reduction) ? 3 : 2;
	const void *const orders[3][3] = {{a, b, c}, {b, a, c}, {c, b, a}};
	unsigned char results[3][16] = {{0}};
	for (uint32_t i = 0; i < nsrc; i++) {
		void *to = results[i];
		form->fold[type][reduction](&to, 1, orders[i], nsrc, 1, 0);
		if (memcmp(results[0], results[i], sizeof results[i]) != 0)
			fail_msg("%s %s %s of special values depends on their order", form->name,
				ordo_type_name(type), ordo_reduction_name(reduction));
	}
}

static void swap_special_values(enum ordo_type type, enum ordo_reduction reduction)
{
	const size_t size = ordo_type_size(type);
	size_t n;
	const unsigned char *values = special_values(type, &n);
	for (uint32_t f = 0; f < nform; f++)
		for (size_t i = 0; i < n * n * n; i++)
			swap(forms[f], type, reduction, values + i % n * size,
				values + i / n % n * size, values + i / n / n * size);
}

static void operands_can_be_swapped(void **unused)
{
	(void)unused;
	for_each_reduction(swap_special_values);
}

/* In double, that is rounded once; of a NaN, the canonical one. */
static void quotient(enum ordo_type type, unsigned char *element, uint32_t divisor)
{
	const double number = ordo_element_get(type, element, 0);
	int64_t integer;
	if (divisor == 1)
		return;
	if (number != number)
		ordo_element_put(type, element, 0, (double)NAN);
	else if (type == ORDO_I64 || type == ORDO_U64) {
		memcpy(&integer, element, sizeof integer);
		integer = type == ORDO_I64 ? integer / (int64_t)divisor
					   : (int64_t)((uint64_t)integer / divisor);
		memcpy(element, &integer, sizeof integer);
	} else {
		const double exact = number / divisor;
		ordo_element_put(type, element, 0,
			ordo_type_facts(type)->is_float ? exact : (double)(int64_t)exact);
	}
}

static void compare_quotients(
	enum ordo_type type, const unsigned char *elements, size_t n, uint32_t divisor)
{
	const size_t size = ordo_type_size(type);
	unsigned char *found = malloc(n * size + 2), *wanted = malloc(n * size);
	assert_non_null(found);
	assert_non_null(wanted);
	memcpy(wanted, elements, n * size);
	const enum ordo_type part = ordo_type_facts(type)->part;
	for (size_t at = 0; at < n * size; at += ordo_type_size(part))
		quotient(part, wanted + at, divisor);
	for (uint32_t f = 0; f < nform; f++) {
		found[n * size + 1] = 0x5a;
		memcpy(found + 1, elements, n * size);
		forms[f]->divide[type](found + 1, n, divisor);
		assert_int_equal(found[n * size + 1], 0x5a);
		for (size_t i = 0; i < n; i++)
			if (memcmp(found + 1 + i * size, wanted + i * size, size) != 0)
				fail_msg("%s %s: element %zu of %zu divided by %u", forms[f]->name,
					ordo_type_name(type), i, n, divisor);
	}
	free(found);
	free(wanted);
}

static void quotients_are_rounded_or_truncated_once(void **unused)
{
	(void)unused;
	static const uint32_t divisors[] = {1, 2, 3, 5, 7, 10, 48, 127, 255, 1000, 4095, 4096, 4097,
		8195, 65791, ORDO_MOST_DIVISOR};
	static unsigned char elements[(1 << 16) * 16];
	for (enum ordo_type type = ORDO_F16; type < ORDO_NTYPE; type++)
		for (size_t i = ordo_has_reduction(type, ORDO_AVG, NULL)
					? 0
					: sizeof divisors / sizeof *divisors;
			i < sizeof divisors / sizeof *divisors; i++) {
			const bool all = ordo_type_size(type) == 2;
			const size_t n = all ? 1 << 16 : 5000;
			fill(type, elements, n);
			for (uint32_t half = 0; all && half < n; half++)
				memcpy(elements + 2 * (size_t)half, &(uint16_t){(uint16_t)half}, 2);
			compare_quotients(type, elements, n, divisors[i]);
			for (size_t few = 0; few < 70; few++)
				compare_quotients(type, elements + few, few, divisors[i]);
		}
}

static void the_best_form_is_chosen(void **unused)
{
	(void)unused;
	assert_ptr_equal(ordo_kernels(), forms[nform - 1]);
	assert_string_equal(forms[0]->name, "portable");
	for (uint32_t f = 1; f < nform; f++)
		print_message("beside the portable one: %s\n", forms[f]->name);
	const struct ordo_kernels *only;
	assert_int_equal(ordo_kernels_all(&only, 1), 1);
	assert_ptr_equal(only, forms[0]);
}

/* NaNs by their bits: a comparison of floats would say that none is equal. */
static uint32_t wide_reference(enum ordo_type type, uint16_t half)
{
	const uint32_t infinity = type == ORDO_F16 ? 0x7c00 : 0x7f80, magnitude = half & 0x7fff;
	const uint32_t sign = (uint32_t)(half & 0x8000) << 16;
	const float value = magnitude < infinity ? (float)half_value_reference(type, half) : 0;
	uint32_t bits;
	memcpy(&bits, &value, sizeof bits);
	return magnitude < infinity
		       ? bits
		       : sign | UINT32_C(0x7f800000) |
				 (magnitude & (infinity ^ 0x7fff)) << (type == ORDO_F16 ? 13 : 16);
}

static uint16_t narrow_reference(enum ordo_type type, uint32_t bits)
{
	if ((bits & 0x7fffffff) > 0x7f800000)
		return type == ORDO_F16 ? 0x7e00 : 0x7fc0;
	return half_from_float_reference(type, bits);
}

/* All halves; and all floats that agree with one of bf16 in their upper half, which rounds from
 * below, to and from above ties. */
static void compare_conversions(const struct ordo_kernels *form, enum ordo_type type, uint32_t low)
{
	enum { ALL = 1 << 16 };
	static uint16_t halves[ALL + 1];
	static unsigned char wide[4 * ALL + 5];
	uint32_t bits;
	for (uint32_t i = 0; i < ALL; i++)
		halves[i] = (uint16_t)i;
	/* Unaligned, and of every length modulo that of a vector. */
	const size_t n = ALL - low % 67;
	form->widen[ORDO_F32][type](wide + 1, halves, n);
	for (uint32_t i = 0; i < n; i++) {
		memcpy(&bits, wide + 1 + 4 * (size_t)i, sizeof bits);
		if (bits != wide_reference(type, (uint16_t)i))
			fail_msg("%s: %s %04x widened to %08x", form->name, ordo_type_name(type), i,
				bits);
		bits = i << 16 | low;
		memcpy(wide + 1 + 4 * (size_t)i, &bits, sizeof bits);
	}
	halves[n] = 0x5a5a;
	form->narrow[ORDO_F32][type](halves, wide + 1, n);
	assert_int_equal(halves[n], 0x5a5a);
	for (uint32_t i = 0; i < n; i++)
		if (halves[i] != narrow_reference(type, i << 16 | low))
			fail_msg("%s: %08x rounded to %s %04x", form->name, i << 16 | low,
				ordo_type_name(type), halves[i]);
}

static void halves_are_widened_exactly_and_rounded_once(void **unused)
{
	(void)unused;
	static const uint32_t lows[] = {0, 1, 0xfff, 0x1000, 0x1001, 0x1fff, 0x2000, 0x3000, 0x7fff,
		0x8000, 0x8001, 0xffff};
	for (uint32_t f = 0; f < nform; f++)
		for (enum ordo_type type = ORDO_F16; type <= ORDO_BF16; type++)
			for (size_t i = 0; i < sizeof lows / sizeof *lows; i++)
				compare_conversions(forms[f], type, lows[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_best_form_is_chosen),
		cmocka_unit_test(every_number_of_elements_is_folded),
		cmocka_unit_test(every_number_of_sources_and_destinations_is_folded),
		cmocka_unit_test(every_pair_of_special_values_is_folded),
		cmocka_unit_test(operands_can_be_swapped),
		cmocka_unit_test(quotients_are_rounded_or_truncated_once),
		cmocka_unit_test(halves_are_widened_exactly_and_rounded_once),
	};
	nform = ordo_kernels_all(forms, ORDO_NKERNEL_FORM);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
