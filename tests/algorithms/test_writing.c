/* test_writing.c - the algorithm that compiler/WRITING.md builds step by step, taken from that text
 * as it stands. */
#include "pipeline/pipeline.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static struct ordo_schedule *compile(const struct ordo_problem *problem, const char *algorithm)
{
	struct ordo_error error = {0};
	const struct ordo_request request = {.problem = *problem, .algorithm = algorithm};
	struct ordo_schedule *schedule = ordo_compile(&request, &error);
	if (!schedule)
		fail_msg("N=%u root=%u K=%u in_place=%d %s: %s", problem->nrank, problem->root,
			problem->chunks_per_block, problem->in_place, algorithm, error.text);
	return schedule;
}

static void what_the_text_builds_is_proved(void **state)
{
	(void)state;
	static const char *const algorithms[] = {"chain", "chain(way=down)"};
	for (uint32_t n = 1; n <= 9; n++)
		for (uint32_t root = 0; root < n; root++)
			for (uint32_t form = 0; form < 12; form++) {
				const struct ordo_problem problem = {ORDO_BROADCAST, n, root,
					form / 4 * (n + 1) / 2, n, form & 1, false};
				ordo_schedule_destroy(compile(&problem, algorithms[form >> 1 & 1]));
			}
}

static void its_claims_are_true(void **state)
{
	(void)state;
	const struct ordo_request request = {
		.problem = {.op = ORDO_BROADCAST, .nrank = 5, .root = 2, .nshard = 5},
		.algorithm = "chain"};
	struct ordo_resolved_request resolved = {0};
	struct ordo_error error;
	assert_true(ordo_request_resolve(&resolved, &request, &error));
	assert_int_equal(resolved.problem.chunks_per_block, 5);
	assert_int_equal(resolved.algorithm->steps(&resolved), 4);
	struct ordo_schedule *schedule = compile(&resolved.problem, "chain");
	uint64_t busiest = 0;
	for (uint32_t rank = 0; rank < 5; rank++) {
		uint64_t sent = 0;
		for (uint32_t s = schedule->programs[rank].first_stream;
			s < schedule->programs[rank].end_stream; s++)
			for (uint32_t t = schedule->streams[s].first; t < schedule->streams[s].end;
				t++)
				sent += schedule->tasks[t].kind == ORDO_SEND
						? schedule->tasks[t].count
						: 0;
		busiest = sent > busiest ? sent : busiest;
	}
	assert_int_equal(busiest, resolved.algorithm->volume(&resolved));
	ordo_schedule_destroy(schedule);
	ordo_resolved_request_destroy(&resolved);
}

static void its_parameter_is_checked(void **state)
{
	(void)state;
	const struct ordo_request request = {
		.problem = {.op = ORDO_BROADCAST, .nrank = 4, .chunks_per_block = 1, .nshard = 4},
		.algorithm = "chain(way=sideways)"};
	struct ordo_error error;
	assert_null(ordo_compile(&request, &error));
	assert_int_equal(error.code, ORDO_USAGE);
	assert_non_null(strstr(error.text, "up|down"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_the_text_builds_is_proved),
		cmocka_unit_test(its_claims_are_true),
		cmocka_unit_test(its_parameter_is_checked),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
