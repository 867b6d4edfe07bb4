/* test_alltoall.c - AllToAll by partners and by binary digits. */
#include "compiling.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

/* The partners a rank sends to, and the most hops of a block. */
static void every_block_goes_once_in_pairwise_exchange(void **state)
{
	(void)state;
	for (uint32_t nrank = 1; nrank <= 16; nrank++)
		check_everywhere("alltoall", ORDO_ALLTOALL, nrank);
}

static void every_block_finds_its_way_by_binary_digits(void **state)
{
	(void)state;
	for (uint32_t nrank = 1; nrank <= 16; nrank++)
		check_everywhere("alltoall(method=bruck)", ORDO_ALLTOALL, nrank);
}

static uint32_t count_partners(const struct ordo_schedule *schedule, uint32_t rank)
{
	const struct ordo_program *program = &schedule->programs[rank];
	uint32_t npartner = 0;
	bool met[64] = {false};
	for (uint32_t s = program->first_stream; s < program->end_stream; s++)
		for (uint32_t t = schedule->streams[s].first; t < schedule->streams[s].end; t++)
			if (schedule->tasks[t].kind == ORDO_SEND && !met[schedule->tasks[t].peer]) {
				met[schedule->tasks[t].peer] = true;
				npartner++;
			}
	return npartner;
}

static uint32_t partners_of(const char *algorithm, uint32_t nrank)
{
	const struct ordo_request request = {
		.problem = {.op = ORDO_ALLTOALL, .nrank = nrank}, .algorithm = algorithm};
	struct ordo_schedule *schedule = compile_proved(&request);
	const uint32_t npartner = count_partners(schedule, nrank / 2);
	ordo_schedule_destroy(schedule);
	return npartner;
}

static void by_binary_digits_a_rank_has_few_partners(void **state)
{
	(void)state;
	for (uint32_t nrank = 2, rounds = 1; nrank <= 33; nrank++) {
		while (1u << rounds < nrank)
			rounds++;
		assert_int_equal(partners_of("alltoall(method=bruck)", nrank), rounds);
		assert_int_equal(partners_of("alltoall", nrank), nrank - 1);
	}
}

/* Though every block is a task: what a partner sends in a round is waited for once, and may begin
 * once. */
static void by_binary_digits_two_pairs_a_round_are_enough(void **state)
{
	(void)state;
	for (uint32_t nrank = 2, rounds = 1; nrank <= 65; nrank++) {
		while (1u << rounds < nrank)
			rounds++;
		const struct ordo_request request = {
			.problem = {.op = ORDO_ALLTOALL, .nrank = nrank},
			.algorithm = "alltoall(method=bruck)"};
		struct ordo_schedule *schedule = compile_proved(&request);
		assert_true(count_pairs(schedule) <= 2 * rounds * nrank);
		ordo_schedule_destroy(schedule);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_block_goes_once_in_pairwise_exchange),
		cmocka_unit_test(every_block_finds_its_way_by_binary_digits),
		cmocka_unit_test(by_binary_digits_a_rank_has_few_partners),
		cmocka_unit_test(by_binary_digits_two_pairs_a_round_are_enough),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
