/* test_dyadic.c - the dyadic order for every chunk, at the bandwidth of the best. */
#include "compiling.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static const enum ordo_operator ops[] = {ORDO_REDUCESCATTER, ORDO_ALLREDUCE};

static void dyadic_works_for_any_number_of_ranks(void **state)
{
	(void)state;
	for (size_t op = 0; op < 2; op++)
		for (uint32_t nrank = 1; nrank <= 24; nrank++)
			check_everywhere("dyadic", ops[op], nrank);
}

static void every_chunk_has_the_dyadic_tree(void **state)
{
	(void)state;
	for (uint32_t nrank = 1; nrank <= 33; nrank++)
		for (int form = 0; form < 4; form++) {
			struct ordo_arena arena = {0};
			const struct ordo_request request = {.problem = {.op = ops[form / 2],
								     .nrank = nrank,
								     .in_place = form % 2},
				.algorithm = "dyadic"};
			check_order(&request, print_dyadic(&arena, 0, nrank));
			ordo_arena_free(&arena);
		}
}

/* All that any rank sends, whatever N: the claim of the algorithm's file, from the finished
 * schedule. */
static void every_rank_sends_all_blocks_but_its_own_once(void **state)
{
	(void)state;
	for (uint32_t nrank = 1; nrank <= 33; nrank++) {
		const struct ordo_request request = {
			.problem = {.op = ORDO_REDUCESCATTER, .nrank = nrank},
			.algorithm = "dyadic"};
		struct ordo_schedule *schedule = compile_proved(&request);
		uint32_t sent[33] = {0};
		for (uint32_t s = 0; s < schedule->nstream; s++)
			for (uint32_t t = schedule->streams[s].first; t < schedule->streams[s].end;
				t++)
				if (schedule->tasks[t].kind == ORDO_SEND ||
					schedule->tasks[t].kind == ORDO_SEND_REDUCE)
					sent[schedule->streams[s].rank] += schedule->tasks[t].count;
		for (uint32_t rank = 0; rank < nrank; rank++)
			assert_int_equal(sent[rank], nrank - 1);
		ordo_schedule_destroy(schedule);
	}
}

/* For N = 2^k every round of AllReduce is one task: what is kept is consecutive. */
static void allreduce_moves_each_round_in_few_tasks(void **state)
{
	(void)state;
	const struct ordo_request request = {
		.problem = {.op = ORDO_ALLREDUCE, .nrank = 32, .in_place = true},
		.algorithm = "dyadic"};
	struct ordo_schedule *schedule = compile_proved(&request);
	uint32_t nmove = 0;
	for (uint32_t t = 0; t < schedule->ntask; t++)
		nmove += ordo_task_moves(&schedule->tasks[t]);
	assert_int_equal(nmove, 32 * 5 * 2);
	ordo_schedule_destroy(schedule);
}

/* Though ReduceScatter moves every block in a task of its own. */
static void two_pairs_a_round_are_enough(void **state)
{
	(void)state;
	for (uint32_t rounds = 1; rounds <= 6; rounds++)
		for (size_t op = 0; op < 2; op++) {
			const uint32_t nrank = 1u << rounds;
			const struct ordo_request request = {
				.problem = {.op = ops[op], .nrank = nrank}, .algorithm = "dyadic"};
			struct ordo_schedule *schedule = compile_proved(&request);
			assert_true(count_pairs(schedule) <= 2 * rounds * nrank * (op + 1));
			ordo_schedule_destroy(schedule);
		}
}

static void for_powers_of_two_the_links_of_a_hypercube_are_enough(void **state)
{
	(void)state;
	for (uint32_t nrank = 1; nrank <= 16; nrank *= 2) {
		struct ordo_topology *topology = ordo_topology_make("hypercube", nrank, NULL);
		assert_non_null(topology);
		for (size_t op = 0; op < 2; op++) {
			const struct ordo_request request = {
				.problem = {.op = ops[op], .nrank = nrank},
				.algorithm = "dyadic",
				.topology = topology};
			struct ordo_schedule *schedule = compile_proved(&request);
			check_every_pair_is_needed(schedule, topology);
			ordo_schedule_destroy(schedule);
		}
		ordo_topology_destroy(topology);
	}
}

static void blocks_work_for_any_number_of_ranks(void **state)
{
	(void)state;
	for (uint32_t nrank = 1; nrank <= 24; nrank++)
		check_everywhere("binary-blocks", ORDO_ALLREDUCE, nrank);
}

static void blocks_have_the_dyadic_tree_for_every_chunk(void **state)
{
	(void)state;
	for (uint32_t nrank = 1; nrank <= 64; nrank++)
		for (int in_place = 0; in_place < 2; in_place++) {
			struct ordo_arena arena = {0};
			const struct ordo_request request = {.problem = {.op = ORDO_ALLREDUCE,
								     .nrank = nrank,
								     .in_place = in_place},
				.algorithm = "binary-blocks"};
			check_order(&request, print_dyadic(&arena, 0, nrank));
			ordo_arena_free(&arena);
		}
}

/* As large ones as ranks can have, without compiling all sizes in between. */
static void blocks_tree_and_dyadic_have_one_digest(void **state)
{
	(void)state;
	static const char *const algorithms[] = {"dyadic", "tree", "binary-blocks"};
	static const uint32_t sizes[] = {65, 96, 100, 127, 129, 192, 255, 257, 320};
	for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
		char digests[3][33];
		for (int a = 0; a < 3; a++) {
			const struct ordo_request request = {
				.problem = {.op = ORDO_ALLREDUCE, .nrank = sizes[i]},
				.algorithm = algorithms[a]};
			struct ordo_schedule *schedule = compile_proved(&request);
			struct ordo_proof *proof = ordo_verify(schedule, NULL, NULL);
			assert_non_null(proof);
			assert_true(proof->proved);
			snprintf(digests[a], sizeof digests[a], "%s", proof->digest);
			ordo_proof_destroy(proof);
			ordo_schedule_destroy(schedule);
		}
		assert_string_equal(digests[0], digests[1]);
		assert_string_equal(digests[0], digests[2]);
	}
}

/* Of 100 ranks, 64 + 32 + 4: each rank of the last block serves 8 of the one before. */
static void blocks_send_few_messages(void **state)
{
	(void)state;
	const struct ordo_request request = {
		.problem = {.op = ORDO_ALLREDUCE, .nrank = 100}, .algorithm = "binary-blocks"};
	struct ordo_schedule *schedule = compile_proved(&request);
	const uint32_t K = schedule->problem.chunks_per_block;
	for (uint32_t rank = 0; rank < 100; rank++) {
		uint32_t messages = 0, chunks = 0;
		for (uint32_t s = schedule->programs[rank].first_stream;
			s < schedule->programs[rank].end_stream; s++)
			for (uint32_t t = schedule->streams[s].first; t < schedule->streams[s].end;
				t++)
				if (schedule->tasks[t].kind == ORDO_SEND ||
					schedule->tasks[t].kind == ORDO_SEND_REDUCE) {
					messages++;
					chunks += schedule->tasks[t].count;
				}
		assert_int_equal(messages, rank < 64   ? 2 * 6 + 1
					   : rank < 96 ? 2 * 5 + 2 + 1
						       : 2 * 2 + 8);
		assert_true(chunks <= 2 * K);
	}
	ordo_schedule_destroy(schedule);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(dyadic_works_for_any_number_of_ranks),
		cmocka_unit_test(every_chunk_has_the_dyadic_tree),
		cmocka_unit_test(every_rank_sends_all_blocks_but_its_own_once),
		cmocka_unit_test(allreduce_moves_each_round_in_few_tasks),
		cmocka_unit_test(two_pairs_a_round_are_enough),
		cmocka_unit_test(for_powers_of_two_the_links_of_a_hypercube_are_enough),
		cmocka_unit_test(blocks_work_for_any_number_of_ranks),
		cmocka_unit_test(blocks_have_the_dyadic_tree_for_every_chunk),
		cmocka_unit_test(blocks_tree_and_dyadic_have_one_digest),
		cmocka_unit_test(blocks_send_few_messages),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
