/* test_orders.c - how many different reduction trees each ReduceScatter makes, and which of them
 * have names: the table of the field.
 *
 * ring N; NHR and NB N, or N/2 for a power of two; circulant the odd part of N; halving, RHD, BIRS,
 * dyadic and the mesh by absolute rank 1; the mesh that begins with its own part N-1. From 3 ranks
 * on: two can be added in one way only.
 */
#include "compiling.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

enum { LARGEST = 64 };

typedef uint32_t rule(uint32_t n);

static bool is_power_of_two(uint32_t n)
{
	return !(n & (n - 1));
}

static uint32_t all(uint32_t n)
{
	return n;
}

static uint32_t half_if_power_of_two(uint32_t n)
{
	return is_power_of_two(n) ? n / 2 : n;
}

static uint32_t odd_part(uint32_t n)
{
	while (n % 2 == 0)
		n /= 2;
	return n;
}

static uint32_t one(uint32_t n)
{
	(void)n;
	return 1;
}

static uint32_t one_if_power_of_two(uint32_t n)
{
	return is_power_of_two(n) ? 1 : 0;
}

static uint32_t one_if_even_from_4(uint32_t n)
{
	return n >= 4 && n % 2 == 0 ? 1 : 0;
}

static uint32_t all_but_one(uint32_t n)
{
	return n - 1;
}

/* The rule says 0 where the algorithm does not apply. */
static const struct {
	const char *algorithm;
	rule *trees;
} rows[] = {
	{"ring", all},
	{"nhr", half_if_power_of_two},
	{"nb", half_if_power_of_two},
	{"circulant", odd_part},
	{"halving-doubling", one_if_power_of_two},
	{"halving-doubling(masks=near)", one_if_power_of_two},
	{"rhd", one},
	{"birs", one_if_even_from_4},
	{"mesh(fold=own)", all_but_one},
	{"mesh(fold=dyadic)", one},
	{"mesh(fold=folded)", one},
	{"mesh(fold=linear)", one},
	{"dyadic", one},
};

static struct ordo_proof *prove(
	enum ordo_operator op, uint32_t n, const char *algorithm, struct ordo_schedule **schedule)
{
	struct ordo_error error = {0};
	const struct ordo_request request = {.problem = {.op = op, .nrank = n, .nshard = n},
		.algorithm = algorithm,
		.unproved = true};
	*schedule = ordo_compile(&request, &error);
	if (!*schedule && error.code != ORDO_USAGE)
		fail_msg("%s, %u ranks: %s", algorithm, n, error.text);
	struct ordo_proof *proof = *schedule ? ordo_verify(*schedule, NULL, &error) : NULL;
	assert_true(!*schedule || (proof && proof->proved));
	return proof;
}

static void every_reduce_scatter_has_the_trees_it_should(void **state)
{
	(void)state;
	for (size_t row = 0; row < sizeof rows / sizeof *rows; row++)
		for (uint32_t n = 3; n <= LARGEST; n++) {
			struct ordo_schedule *schedule;
			struct ordo_proof *proof =
				prove(ORDO_REDUCESCATTER, n, rows[row].algorithm, &schedule);
			const uint32_t found = proof ? proof->ndistinct : 0,
				       wanted = rows[row].trees(n);
			if (found != wanted)
				fail_msg("%s, %u ranks: %u trees, wanted %u", rows[row].algorithm,
					n, found, wanted);
			ordo_proof_destroy(proof);
			ordo_schedule_destroy(schedule);
		}
}

/* Equal digests: bit-interchangeable. */
static void check_same(
	enum ordo_operator op, uint32_t n, const char *first, const char *second, bool same)
{
	struct ordo_schedule *schedules[2];
	struct ordo_proof *proofs[2] = {
		prove(op, n, first, &schedules[0]), prove(op, n, second, &schedules[1])};
	assert_true(proofs[0] && proofs[1]);
	if (!strcmp(proofs[0]->digest, proofs[1]->digest) != same)
		fail_msg("%u ranks: %s and %s %s", n, first, second,
			same ? "differ" : "are the same");
	for (int i = 0; i < 2; i++) {
		ordo_proof_destroy(proofs[i]);
		ordo_schedule_destroy(schedules[i]);
	}
}

static void birs_dyadic_small_nhr_and_the_dyadic_mesh_make_d_of_n(void **state)
{
	(void)state;
	struct ordo_arena arena = {0};
	for (uint32_t n = 2; n <= LARGEST; n++) {
		const char *wanted = print_dyadic(&arena, 0, n);
		static const char *const scatters[] = {"dyadic", "mesh", "birs"};
		for (int i = 0; i < (one_if_even_from_4(n) ? 3 : 2); i++)
			check_order(&(struct ordo_request){.problem = {.op = ORDO_REDUCESCATTER,
								   .nrank = n,
								   .nshard = n},
					    .algorithm = scatters[i]},
				wanted);
		check_order(
			&(struct ordo_request){
				.problem = {.op = ORDO_ALLREDUCE, .nrank = n, .nshard = n},
				.algorithm = "nhr(data=small)"},
			wanted);
	}
	ordo_arena_free(&arena);
}

static void the_two_groups_of_powers_of_two_agree_within_and_differ_between(void **state)
{
	(void)state;
	for (uint32_t n = 4; n <= LARGEST; n *= 2) {
		check_same(ORDO_REDUCESCATTER, n, "rhd", "mesh(fold=folded)", true);
		check_same(ORDO_REDUCESCATTER, n, "rhd", "halving-doubling", true);
		check_same(ORDO_REDUCESCATTER, n, "birs", "dyadic", true);
		check_same(ORDO_REDUCESCATTER, n, "birs", "mesh", true);
		check_same(ORDO_REDUCESCATTER, n, "halving-doubling(masks=near)", "dyadic", true);
		check_same(ORDO_ALLREDUCE, n, "nhr(data=small)", "dyadic", true);
		check_same(ORDO_REDUCESCATTER, n, "rhd", "dyadic", false);
	}
}

static void recursive_doubling_adds_as_rhd_does(void **state)
{
	(void)state;
	for (uint32_t n = 3; n <= LARGEST; n++) {
		check_same(ORDO_ALLREDUCE, n, "recursive-doubling", "rhd", true);
		check_same(ORDO_ALLREDUCE, n, "recursive-doubling(masks=near)", "rhd(masks=near)",
			true);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_reduce_scatter_has_the_trees_it_should),
		cmocka_unit_test(birs_dyadic_small_nhr_and_the_dyadic_mesh_make_d_of_n),
		cmocka_unit_test(the_two_groups_of_powers_of_two_agree_within_and_differ_between),
		cmocka_unit_test(recursive_doubling_adds_as_rhd_does),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
