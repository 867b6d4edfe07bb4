/* test_star.c - everything through one hub. */
#include "compiling.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static const enum ordo_operator ops[] = {
	ORDO_BROADCAST, ORDO_REDUCE, ORDO_SCATTER, ORDO_GATHER, ORDO_ALLREDUCE};

static void a_star_works_around_every_hub_and_for_every_root(void **state)
{
	(void)state;
	char notation[32];
	for (size_t op = 0; op < sizeof ops / sizeof *ops; op++)
		for (uint32_t nrank = 1; nrank <= 7; nrank++)
			for (uint32_t hub = 0; hub < nrank; hub++) {
				snprintf(notation, sizeof notation, "star(hub=%u)", hub);
				check_everywhere(notation, ops[op], nrank);
			}
}

static void the_hub_is_the_root_if_none_is_named(void **state)
{
	(void)state;
	for (size_t op = 0; op < sizeof ops / sizeof *ops; op++)
		for (uint32_t nrank = 1; nrank <= 16; nrank++)
			check_everywhere("star", ops[op], nrank);
}

/* Links between one rank and all others, and no switch. */
static struct ordo_topology *make_spokes(uint32_t nrank, uint32_t hub)
{
	struct ordo_topology *topology = ordo_topology_create("spokes", nrank, 0, 0, NULL);
	assert_non_null(topology);
	for (uint32_t rank = 0; rank < nrank; rank++)
		if (rank != hub) {
			assert_true(ordo_topology_add(topology, rank, hub, NULL, 1, 1, NULL));
			assert_true(ordo_topology_add(topology, hub, rank, NULL, 1, 1, NULL));
		}
	assert_true(ordo_topology_finish(topology, NULL));
	return topology;
}

/* Not even to say whose turn it is: R12 asks for a link for every Notify too. */
static void nobody_deals_with_anybody_but_the_hub(void **state)
{
	(void)state;
	struct ordo_topology *topology = make_spokes(9, 5);
	for (size_t op = 0; op < sizeof ops / sizeof *ops; op++)
		for (uint32_t root = 0; root < (ops[op] == ORDO_ALLREDUCE ? 1 : 9); root++)
			for (int in_place = 0; in_place < 2; in_place++) {
				const struct ordo_request request = {.problem = {.op = ops[op],
									     .nrank = 9,
									     .root = root,
									     .chunks_per_block = 2,
									     .in_place = in_place},
					.algorithm = "star(hub=5)",
					.topology = topology};
				struct ordo_schedule *schedule = compile_proved(&request);
				check_every_pair_is_needed(schedule, topology);
				ordo_schedule_destroy(schedule);
			}
	ordo_topology_destroy(topology);
}

static void a_star_adds_the_hub_first_and_the_others_in_order(void **state)
{
	(void)state;
	struct ordo_request request = {
		.problem = {.op = ORDO_ALLREDUCE, .nrank = 5, .chunks_per_block = 3},
		.algorithm = "star(hub=2)"};
	check_order(&request, "((((0+2)+1)+3)+4)");
	request.algorithm = "star";
	check_order(&request, "((((0+1)+2)+3)+4)");
	request.problem.op = ORDO_REDUCE;
	request.problem.root = 3;
	check_order(&request, "((((0+3)+1)+2)+4)");
}

static void refused(const char *algorithm, const char *text)
{
	const struct ordo_request request = {
		.problem = {.op = ORDO_ALLREDUCE, .nrank = 5}, .algorithm = algorithm};
	struct ordo_error error = {0};
	assert_null(ordo_compile(&request, &error));
	assert_int_equal(error.code, ORDO_USAGE);
	assert_string_equal(error.text, text);
}

static void a_hub_that_is_no_rank_is_refused(void **state)
{
	(void)state;
	refused("star(hub=5)", "star: found hub=5, wanted 0..4");
	refused("star(hub=0..)", "algorithm: hub of star: found \"0..\", wanted root|0..");
	refused("star(hub=rot)", "algorithm: hub of star: found \"rot\", wanted root|0..");
}

static void the_fallback_is_a_word_and_left_out_of_the_notation(void **state)
{
	(void)state;
	const struct ordo_request request = {
		.problem = {.op = ORDO_ALLREDUCE, .nrank = 5}, .algorithm = "star(hub=root)"};
	struct ordo_schedule *schedule = compile_proved(&request);
	assert_string_equal(schedule->algorithm, "star");
	ordo_schedule_destroy(schedule);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_star_works_around_every_hub_and_for_every_root),
		cmocka_unit_test(the_hub_is_the_root_if_none_is_named),
		cmocka_unit_test(nobody_deals_with_anybody_but_the_hub),
		cmocka_unit_test(a_star_adds_the_hub_first_and_the_others_in_order),
		cmocka_unit_test(a_hub_that_is_no_rank_is_refused),
		cmocka_unit_test(the_fallback_is_a_word_and_left_out_of_the_notation),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
