/* test_multiplying.c - recursive multiplying: claims, factors, orders, the time that its formula
 * says. */
#include "compiling.h"

#include <math.h>
#include <ordo/predict.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static const uint32_t radices[] = {2, 3, 4, 5, 8, 64};
enum { NRADIX = sizeof radices / sizeof *radices };

static const char *form(char *text, size_t room, uint32_t radix)
{
	snprintf(text, room, "recursive-multiplying(radix=%u)", radix);
	return text;
}

static bool is_product(uint32_t n, uint32_t radix)
{
	for (uint32_t factor = 2; factor <= radix; factor++)
		while (n % factor == 0)
			n /= factor;
	return n == 1;
}

static void each_is_proved_and_keeps_its_claims(void **state)
{
	(void)state;
	char text[40];
	for (uint32_t nrank = 1; nrank <= 33; nrank += nrank < 14 ? 1 : 3)
		for (int i = 0; i < NRADIX; i++) {
			const char *algorithm = form(text, sizeof text, radices[i]);
			if (nrank > 14 && i % 3)
				continue;
			check_everywhere(algorithm, ORDO_ALLREDUCE, nrank);
			if (!is_product(nrank, radices[i]))
				continue;
			check_everywhere(algorithm, ORDO_REDUCESCATTER, nrank);
			check_everywhere(algorithm, ORDO_ALLGATHER, nrank);
		}
}

static struct measured claims(enum ordo_operator op, uint32_t nrank, uint32_t radix)
{
	char text[40];
	const struct ordo_request request = {
		.problem = {.op = op, .nrank = nrank}, .algorithm = form(text, sizeof text, radix)};
	return claims_of(&request);
}

/* Powers of the radix, and of numbers beside them. */
static void claims_follow_the_formulas(void **state)
{
	(void)state;
	for (uint32_t radix = 3; radix <= 8; radix++)
		for (uint32_t nrank = radix, m = 1; nrank < 600; nrank *= radix, m++) {
			const struct measured all = claims(ORDO_ALLREDUCE, nrank, radix),
					      gather = claims(ORDO_ALLGATHER, nrank, radix);
			assert_int_equal(all.steps, m);
			assert_int_equal(all.volume, m * (radix - 1));
			assert_int_equal(gather.steps, m);
			assert_int_equal(gather.volume, nrank - 1);
		}
	/* 7 = 6 + 1 ranks, 3 and 2: one joins and gets the sum. 4 + 4 + 3 would be 11 = 9 + 2. */
	struct measured odd = claims(ORDO_ALLREDUCE, 7, 3);
	assert_int_equal(odd.steps, 3);
	assert_int_equal(odd.volume, 2 + 1 + 1);
	odd = claims(ORDO_ALLREDUCE, 11, 3);
	assert_int_equal(odd.steps, 3);
	assert_int_equal(odd.volume, 2 + 2 + 1);
	/* Joined ranks that differ in every digit make the longest chain. */
	odd = claims(ORDO_ALLREDUCE, 7, 2);
	assert_int_equal(odd.steps, 4);
	assert_int_equal(odd.volume, 2 + 1);
}

static void powers_of_two_are_added_in_the_dyadic_order_by_any_radix(void **state)
{
	(void)state;
	char text[40];
	for (uint32_t nrank = 1; nrank <= 64; nrank *= 2)
		for (int i = 0; i < 2 * NRADIX; i++) {
			struct ordo_arena arena = {0};
			const struct ordo_request request = {
				.problem = {.op = i % 2 ? ORDO_ALLREDUCE : ORDO_REDUCESCATTER,
					.nrank = nrank},
				.algorithm = form(text, sizeof text, radices[i / 2])};
			check_order(&request, print_dyadic(&arena, 0, nrank));
			ordo_arena_free(&arena);
		}
	const struct ordo_request six = {.problem = {.op = ORDO_ALLREDUCE, .nrank = 7},
		.algorithm = "recursive-multiplying(radix=3)"};
	check_order(&six, "((((0+6)+1)+2)+((3+4)+5))");
}

/* On links to all: m steps (2 more with ranks that join), in AllReduce the vector in each, in
 * AllGather what a rank has. */
static void times_are_the_closed_form(void **state)
{
	(void)state;
	static const struct {
		uint32_t nrank, radix;
		double steps, vectors, added, blocks;
	} cases[] = {{2, 4, 1, 1, 1, 1}, {4, 4, 1, 1, 3, 1}, {16, 4, 2, 2, 6, 5},
		{12, 4, 2, 2, 5, 5}, {27, 3, 3, 3, 6, 13}, {64, 8, 2, 2, 14, 9},
		{11, 3, 4, 4, 5, 0}, {7, 2, 4, 4, 3, 0}};
	const struct ordo_machine machine = {
		.latency_ns = 1300, .bandwidth_gbs = 47, .reduce_bandwidth_gbs = 171};
	const double a = machine.latency_ns, b = 1 / machine.bandwidth_gbs,
		     g = 1 / machine.reduce_bandwidth_gbs;
	char text[40];
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
		for (int gathers = 0; gathers < (cases[i].blocks > 0 ? 2 : 1); gathers++) {
			const uint32_t p = cases[i].nrank;
			const struct ordo_request request = {
				.problem = {.op = gathers ? ORDO_ALLGATHER : ORDO_ALLREDUCE,
					.nrank = p},
				.algorithm = form(text, sizeof text, cases[i].radix)};
			struct ordo_schedule *schedule = compile_proved(&request);
			for (double n = 8.0 * p; n < 1e8; n *= 1000) {
				const struct ordo_predict_options options = {
					.machine = machine, .bytes = (uint64_t)n};
				struct ordo_prediction *prediction =
					ordo_predict(schedule, &options, NULL);
				assert_non_null(prediction);
				const double found = prediction->timeline->total,
					     sent = gathers ? cases[i].blocks / p
							    : cases[i].vectors,
					     added = gathers ? 0 : cases[i].added,
					     wanted = 1e-9 * (cases[i].steps * a +
								     n * (sent * b + added * g));
				if (fabs(found - wanted) > 1e-12 * wanted)
					fail_msg("%u ranks, radix %u: found %.17g, wanted %.17g", p,
						cases[i].radix, found, wanted);
				ordo_prediction_destroy(prediction);
			}
			ordo_schedule_destroy(schedule);
		}
}

static void refused(const char *algorithm, uint32_t nrank, const char *text)
{
	const struct ordo_request request = {
		.problem = {.op = ORDO_ALLGATHER, .nrank = nrank}, .algorithm = algorithm};
	struct ordo_error error = {0};
	assert_null(ordo_compile(&request, &error));
	assert_int_equal(error.code, ORDO_USAGE);
	if (!strstr(error.text, text))
		fail_msg("found: %s", error.text);
}

static void what_does_not_apply_is_refused(void **state)
{
	(void)state;
	refused("recursive-multiplying", 7, "of radix 4 found 7 ranks for AllGather");
	refused("recursive-multiplying(radix=1)", 4, "2..64");
	refused("recursive-multiplying(radix=65)", 4, "2..64");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_is_proved_and_keeps_its_claims),
		cmocka_unit_test(claims_follow_the_formulas),
		cmocka_unit_test(powers_of_two_are_added_in_the_dyadic_order_by_any_radix),
		cmocka_unit_test(times_are_the_closed_form),
		cmocka_unit_test(what_does_not_apply_is_refused),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
