/* test_birs.c - BIRS on one server and several, and its AllReduce. */
#include "compiling.h"

#include <ordo/arena.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static const enum ordo_operator ops[] = {ORDO_REDUCESCATTER, ORDO_ALLREDUCE};

static void birs_works_on_one_server_of_every_even_size(void **state)
{
	(void)state;
	for (size_t op = 0; op < 2; op++)
		for (uint32_t nrank = 4; nrank <= 16; nrank += 2)
			check_everywhere("birs", ops[op], nrank);
}

static void on_one_server_every_chunk_has_the_dyadic_tree(void **state)
{
	(void)state;
	for (uint32_t nrank = 4; nrank <= 32; nrank += 2)
		for (int form = 0; form < 4; form++) {
			struct ordo_arena arena = {0};
			const struct ordo_request request = {.problem = {.op = ops[form / 2],
								     .nrank = nrank,
								     .in_place = form % 2},
				.algorithm = "birs"};
			check_order(&request, print_dyadic(&arena, 0, nrank));
			ordo_arena_free(&arena);
		}
}

static void birs_works_on_several_servers_in_both_folds(void **state)
{
	(void)state;
	char notation[64];
	for (size_t op = 0; op < 2; op++)
		for (uint32_t servers = 2; servers <= 5; servers++)
			for (uint32_t ranks = 4; ranks <= 8; ranks += 2)
				for (int owner = 0; owner < 2; owner++) {
					if (servers * ranks > 24)
						continue;
					snprintf(notation, sizeof notation, "birs(servers=%u%s)",
						servers, owner ? ",fold=owner" : "");
					check_everywhere(notation, ops[op], servers * ranks);
				}
}

/* D(M) whose leaves are the trees D(R) of the servers. */
static const char *print_servers(
	struct ordo_arena *arena, uint32_t first, uint32_t n, uint32_t ranks)
{
	uint32_t half = 1;
	while (2 * half < n)
		half *= 2;
	if (n == 1)
		return print_dyadic(arena, first * ranks, ranks);
	return ordo_arena_format(arena, "(%s+%s)", print_servers(arena, first, half, ranks),
		print_servers(arena, first + half, n - half, ranks));
}

static void folded_by_absolute_server_every_chunk_has_one_tree(void **state)
{
	(void)state;
	char notation[64];
	for (size_t op = 0; op < 2; op++)
		for (uint32_t servers = 2; servers <= 5; servers++)
			for (uint32_t ranks = 4; ranks <= 8; ranks += 2) {
				struct ordo_arena arena = {0};
				snprintf(notation, sizeof notation, "birs(servers=%u)", servers);
				const struct ordo_request request = {
					.problem = {.op = ops[op], .nrank = servers * ranks},
					.algorithm = notation};
				const char *wanted = print_servers(&arena, 0, servers, ranks);
				check_order(&request, wanted);
				if (ranks == 4 || ranks == 8)
					assert_string_equal(
						wanted, print_dyadic(&arena, 0, servers * ranks));
				ordo_arena_free(&arena);
			}
}

static uint32_t count_trees(const char *algorithm, uint32_t nrank)
{
	const struct ordo_request request = {
		.problem = {.op = ORDO_REDUCESCATTER, .nrank = nrank}, .algorithm = algorithm};
	struct ordo_schedule *schedule = compile_proved(&request);
	struct ordo_proof *proof = ordo_verify(schedule, NULL, NULL);
	assert_non_null(proof);
	const uint32_t ntree = proof->ndistinct;
	assert_int_equal(proof->position_invariant, ntree == 1 ? ORDO_HOLDS : ORDO_DOES_NOT_HOLD);
	ordo_proof_destroy(proof);
	ordo_schedule_destroy(schedule);
	return ntree;
}

static void the_published_fold_over_servers_makes_several_trees(void **state)
{
	(void)state;
	assert_int_equal(count_trees("birs(servers=2,fold=owner)", 8), 1);
	assert_int_equal(count_trees("birs(servers=3,fold=owner)", 12), 3);
	assert_int_equal(count_trees("birs(servers=4,fold=owner)", 16), 2);
	assert_int_equal(count_trees("birs(servers=5,fold=owner)", 20), 5);
}

static void the_three_streams_are_used(void **state)
{
	(void)state;
	const struct ordo_request request = {
		.problem = {.op = ORDO_REDUCESCATTER, .nrank = 8}, .algorithm = "birs"};
	struct ordo_schedule *schedule = compile_proved(&request);
	assert_int_equal(schedule->nstream, 3 * 8);
	for (uint32_t s = 0; s < schedule->nstream; s++) {
		const struct ordo_stream *stream = &schedule->streams[s];
		for (uint32_t t = stream->first; t < stream->end; t++) {
			const struct ordo_task *task = &schedule->tasks[t];
			if (task->kind == ORDO_SEND_REDUCE) {
				assert_string_equal(stream->name, "sio");
				assert_int_equal(task->peer, stream->rank ^ 1);
			} else if (task->kind == ORDO_SEND) {
				assert_string_equal(stream->name, "hccs");
				assert_int_equal(task->peer % 2, stream->rank % 2);
			} else if (ordo_task_moves(task)) {
				assert_string_equal(stream->name, "copy");
			}
		}
	}
	ordo_schedule_destroy(schedule);
}

/* R12 then demands that every move goes over a link of the topology. */
static void check_on_links(const char *topology_name, const char *algorithm, uint32_t nrank)
{
	struct ordo_topology *topology = ordo_topology_make(topology_name, nrank, NULL);
	assert_non_null(topology);
	for (int form = 0; form < 4; form++) {
		const struct ordo_request request = {
			.problem = {.op = ops[form / 2], .nrank = nrank, .in_place = form % 2},
			.algorithm = algorithm,
			.topology = topology};
		ordo_schedule_destroy(compile_proved(&request));
	}
	ordo_topology_destroy(topology);
}

static void birs_needs_no_links_but_those_of_a3(void **state)
{
	(void)state;
	for (uint32_t nrank = 4; nrank <= 16; nrank += 2)
		check_on_links("a3", "birs", nrank);
	check_on_links("a3:2x8", "birs(servers=2)", 16);
	check_on_links("a3:3x6", "birs(servers=3,fold=owner)", 18);
	check_on_links("servers:3x6", "birs(servers=3)", 18);
}

static void refused(const char *algorithm, uint32_t nrank, const char *text)
{
	const struct ordo_request request = {
		.problem = {.op = ORDO_REDUCESCATTER, .nrank = nrank}, .algorithm = algorithm};
	struct ordo_error error = {0};
	assert_null(ordo_compile(&request, &error));
	assert_int_equal(error.code, ORDO_USAGE);
	assert_string_equal(error.text, text);
}

static void ranks_that_birs_cannot_pair_are_refused(void **state)
{
	(void)state;
	refused("birs", 1, "birs: found 1 rank, wanted an even number, at least 4");
	refused("birs", 2, "birs: found 2 ranks, wanted an even number, at least 4");
	refused("birs", 7, "birs: found 7 ranks, wanted an even number, at least 4");
	refused("birs(servers=3)", 8,
		"birs: found 8 ranks on 3 servers, wanted an even number of ranks on each, at "
		"least 4");
	refused("birs(servers=4)", 8,
		"birs: found 8 ranks on 4 servers, wanted an even number of ranks on each, at "
		"least 4");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(birs_works_on_one_server_of_every_even_size),
		cmocka_unit_test(on_one_server_every_chunk_has_the_dyadic_tree),
		cmocka_unit_test(birs_works_on_several_servers_in_both_folds),
		cmocka_unit_test(folded_by_absolute_server_every_chunk_has_one_tree),
		cmocka_unit_test(the_published_fold_over_servers_makes_several_trees),
		cmocka_unit_test(the_three_streams_are_used),
		cmocka_unit_test(birs_needs_no_links_but_those_of_a3),
		cmocka_unit_test(ranks_that_birs_cannot_pair_are_refused),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
