/* bench_accuracy.c - how far sums are from the exact ones: in order, by pairs, without order.
 *
 * A million elements: of [0, 1), of [-1, 1), of sizes 2^-20 to 2^20 and either sign, and numbers up
 * to 2^20 with their opposites, among some up to 2^-20, whose sum remains. What is printed is
 * |result - sum| / |sum|, with the sum exact (wide_number.h): 2^-24 = 6.0e-08 is one rounding of
 * f32, 2^-53 = 1.1e-16 of f64, 2^-11 = 4.9e-04 of f16.
 */
#include "wide_number.h"
#include <math.h>
#include <ordo/detail/interpreter.h>
#include <ordo/exact.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N = 1 << 20, NCASE = 4 };
static const char *const cases[NCASE] = {
	"[0, 1)", "[-1, 1)", "2^-20 to 2^20, both signs", "2^20 cancels, 2^-20 remains"};

static uint64_t mix(uint64_t x)
{
	x *= UINT64_C(0x9e3779b97f4a7c15);
	x = (x ^ x >> 29) * UINT64_C(0xbf58476d1ce4e5b9);
	return x ^ x >> 32;
}

/* A permutation of 0..N-1 in which no pattern of i remains. */
static uint64_t shuffled(uint64_t i)
{
	for (int round = 0; round < 3; round++)
		i = (i ^ i >> 11) * 640321 % N;
	return i;
}

/* Of f16 2^-4 times as large, and of sizes 2^-10 to 2^2, or sums would overflow. */
static double draw(enum ordo_type type, int which, uint64_t i)
{
	const bool small = type == ORDO_F16;
	const uint64_t at = shuffled(i), hash = mix(which == 3 ? at % (N / 2) : at);
	const double unit = (double)(hash >> 11) * 0x1p-53;
	if (which < 2)
		return ldexp(which ? 2 * unit - 1 : unit, small ? -4 : 0);
	if (which == 2)
		return ldexp(hash & 1 ? unit : -unit,
			small ? (int)(mix(hash) % 12) - 10 : (int)(mix(hash) % 40) - 20);
	/* Each number and its opposite, but small ones of one sign. */
	return hash % 16 ? ldexp(at < N / 2 ? unit : -unit, small ? 4 : 20)
			 : ldexp(unit, small ? -10 : -20);
}

static double error_of(enum ordo_type type, const void *result, const struct wide_number *sum)
{
	struct wide_number value = {{0}};
	wide_add(&value, ordo_element_get(type, result, 0), 0);
	const struct wide_number error = wide_difference(&value, sum);
	return fabs(wide_value(&error)) / fabs(wide_value(sum));
}

/* Of N elements the second half is added to the first, until one is left; which is what is called
 * pairwise. */
static void add_pairwise(enum ordo_type type, void *elements)
{
	for (size_t half = N / 2; half; half /= 2)
		ordo_reduce_elements(type, ORDO_SUM, elements,
			(char *)elements + half * ordo_type_size(type), half);
}

static void add_in_order(enum ordo_type type, void *elements)
{
	for (size_t i = 1; i < N; i++)
		ordo_reduce_elements(
			type, ORDO_SUM, elements, (char *)elements + i * ordo_type_size(type), 1);
}

static double without_order(
	enum ordo_type type, uint32_t bins, const void *elements, const struct wide_number *sum)
{
	uint64_t state[4] = {0}, result = 0;
	enum ordo_type states;
	if (!ordo_exact_type(type, bins, &states, NULL))
		return (double)NAN;
	ordo_exact_add_all(type, states, state, elements, N, NULL);
	ordo_exact_round(type, states, &result, state, 1, NULL);
	return error_of(type, &result, sum);
}

static void print_row(enum ordo_type type, int which, char *elements, char *copy)
{
	const size_t nbyte = N * ordo_type_size(type);
	struct wide_number sum = {{0}};
	for (size_t i = 0; i < N; i++) {
		ordo_element_put(type, elements, i, draw(type, which, i));
		wide_add(&sum, ordo_element_get(type, elements, i), 0);
	}
	memcpy(copy, elements, nbyte);
	add_in_order(type, copy);
	const double in_order = error_of(type, copy, &sum);
	memcpy(copy, elements, nbyte);
	add_pairwise(type, copy);
	printf("| %s | %s | %.1e | %.1e |", ordo_type_name(type), cases[which], in_order,
		error_of(type, copy, &sum));
	for (uint32_t bins = 0; bins < 4; bins += bins ? 1 : 2) {
		const double error = without_order(type, bins, elements, &sum);
		if (isnan(error))
			printf(" - |");
		else
			printf(" %.1e |", error);
	}
	printf("\n");
}

int main(void)
{
	static const enum ordo_type types[] = {ORDO_F16, ORDO_BF16, ORDO_F32, ORDO_F64};
	char *elements = malloc(8 * N), *copy = malloc(8 * N);
	if (!elements || !copy)
		return EXIT_FAILURE;
	printf("| type | elements | in order | pairwise | exact | binned, 2 | binned, 3 |\n"
	       "|---|---|---|---|---|---|---|\n");
	for (size_t t = 0; t < sizeof types / sizeof *types; t++)
		for (int which = 0; which < NCASE; which++)
			print_row(types[t], which, elements, copy);
	free(elements);
	free(copy);
	return EXIT_SUCCESS;
}
