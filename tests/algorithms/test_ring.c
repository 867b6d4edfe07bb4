/* test_ring.c - the ring algorithm: proved for every kind of problem, at the volume and steps it
 * claims, in the order it claims. */
#include "compiling.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const enum ordo_operator operators[] = {ORDO_ALLREDUCE, ORDO_REDUCE, ORDO_BROADCAST,
	ORDO_REDUCESCATTER, ORDO_ALLGATHER, ORDO_SCATTER, ORDO_GATHER};
enum { NOPERATOR = sizeof operators / sizeof *operators };

static struct ordo_topology *make_topology(const char *name, uint32_t n)
{
	struct ordo_error error = {0};
	struct ordo_topology *topology = ordo_topology_make(name, n, &error);
	if (!topology)
		fail_msg("%s", error.text);
	return topology;
}

static void fail_link(struct ordo_topology *topology, uint32_t a, uint32_t b)
{
	struct ordo_error error = {0};
	assert_true(ordo_topology_fail_link(topology, a, b, &error));
	assert_true(ordo_topology_finish(topology, &error));
}

static struct ordo_problem problem_of(
	enum ordo_operator op, uint32_t n, uint32_t root, uint32_t K, bool in_place)
{
	return (struct ordo_problem){.op = op,
		.nrank = n,
		.root = ordo_operator_facts(op)->rooted ? root : 0,
		.chunks_per_block = K,
		.in_place = in_place};
}

/* The proof, which must be one. The caller destroys it. */
static struct ordo_proof *prove(
	const struct ordo_schedule *schedule, const struct ordo_topology *topology)
{
	struct ordo_verify_options options = {.topology = topology};
	struct ordo_error error = {0};
	struct ordo_proof *proof = ordo_verify(schedule, &options, &error);
	assert_non_null(proof);
	if (!proof->proved)
		fail_msg("%s", proof->findings[0].text);
	return proof;
}

static void holds_for_all_operators(
	uint32_t n, uint32_t K, const char *algorithm, const struct ordo_topology *topology)
{
	for (int o = 0; o < NOPERATOR; o++) {
		const struct ordo_operator_facts *facts = ordo_operator_facts(operators[o]);
		uint32_t roots[] = {0, n - 1, n / 2};
		for (uint32_t r = 0; r < (facts->rooted && n > 1 ? 3u : 1u); r++)
			for (int in_place = 0; in_place <= 1; in_place++) {
				struct ordo_request request = {.problem = problem_of(operators[o],
								       n, roots[r], K, in_place),
					.algorithm = algorithm,
					.topology = topology};
				assert_true(claims_hold(&request));
			}
	}
}

static void every_problem_is_solved_on_a_ring_of_links(void **unused)
{
	(void)unused;
	static const uint32_t Ks[] = {0, 1, 3, 7};
	for (uint32_t n = 1; n <= 12; n++) {
		struct ordo_topology *topology = make_topology("ring", n);
		for (int k = 0; k < 4; k++) {
			holds_for_all_operators(n, Ks[k], "ring", topology);
			holds_for_all_operators(n, Ks[k], "ring(directions=2)", topology);
		}
		ordo_topology_destroy(topology);
	}
}

static void several_rings_share_the_data(void **unused)
{
	(void)unused;
	static const uint32_t Ks[] = {0, 5};
	for (uint32_t n = 5; n <= 9; n++)
		for (uint32_t rings = 2; rings <= (n - 1) / 2; rings++)
			for (int directions = 1; directions <= 2; directions++) {
				char algorithm[64];
				snprintf(algorithm, sizeof algorithm,
					"ring(directions=%d,rings=%u)", directions, rings);
				for (int k = 0; k < 2; k++)
					holds_for_all_operators(n, Ks[k], algorithm, NULL);
			}
}

static void the_volume_is_the_least_there_is(void **unused)
{
	(void)unused;
	for (uint32_t n = 1; n <= 10; n++)
		for (int directions = 1; directions <= 2; directions++) {
			const char *algorithm = directions == 1 ? "ring" : "ring(directions=2)";
			static const enum ordo_operator least[] = {
				ORDO_ALLREDUCE, ORDO_REDUCESCATTER, ORDO_ALLGATHER};
			for (int o = 0; o < 3; o++) {
				struct ordo_request request = {
					.problem = problem_of(least[o], n, 0, 0, false),
					.algorithm = algorithm};
				struct ordo_schedule *schedule = compile_proved(&request);
				uint64_t K = schedule->problem.chunks_per_block;
				/* AllReduce: 2(N-1)/N of the vector; the others: N-1 blocks */
				uint64_t wanted = least[o] == ORDO_ALLREDUCE ? 2 * (n - 1) * K / n
									     : (n - 1) * K;
				assert_int_equal(measure(schedule).volume, wanted);
				assert_true(n > 1 ? K == (least[o] == ORDO_ALLREDUCE
									 ? n * (uint64_t)directions
									 : (uint64_t)directions)
						  : K >= 1);
				ordo_schedule_destroy(schedule);
			}
		}
}

static void a_reduce_scatter_adds_in_as_many_orders_as_there_are_ranks(void **unused)
{
	(void)unused;
	for (uint32_t n = 4; n <= 9; n++) {
		struct ordo_request request = {
			.problem = problem_of(ORDO_REDUCESCATTER, n, 0, 0, false),
			.algorithm = "ring"};
		struct ordo_schedule *schedule = compile_proved(&request);
		struct ordo_proof *proof = prove(schedule, NULL);
		assert_int_equal(proof->ndistinct, n);
		assert_int_equal(proof->position_invariant, ORDO_DOES_NOT_HOLD);
		/* the block of rank 0 begins at rank 1 and goes round to rank 0 */
		char *tree =
			ordo_tree_print(&proof->arena, &proof->trees, proof->chunk_tree[0], 64);
		char wanted[64] = "", next[64];
		snprintf(wanted, sizeof wanted, "1");
		for (uint32_t i = 2; i <= n; i++) {
			snprintf(next, sizeof next, i == n ? "(0+%s)" : "(%s+%u)", wanted, i);
			memcpy(wanted, next, sizeof wanted);
		}
		assert_string_equal(tree, wanted);
		ordo_proof_destroy(proof);
		ordo_schedule_destroy(schedule);
	}
}

static void a_reduce_adds_all_chunks_in_one_order(void **unused)
{
	(void)unused;
	struct ordo_request request = {
		.problem = problem_of(ORDO_REDUCE, 6, 2, 0, false), .algorithm = "ring"};
	struct ordo_schedule *schedule = compile_proved(&request);
	struct ordo_proof *proof = prove(schedule, NULL);
	assert_int_equal(proof->ndistinct, 1);
	assert_int_equal(proof->position_invariant, ORDO_HOLDS);
	ordo_proof_destroy(proof);
	ordo_schedule_destroy(schedule);
}

static void scratch_is_three_blocks_at_most(void **unused)
{
	(void)unused;
	for (uint32_t n = 1; n <= 12; n++)
		for (int o = 0; o < NOPERATOR; o++)
			for (int in_place = 0; in_place <= 1; in_place++) {
				struct ordo_request request = {
					.problem = problem_of(operators[o], n, 0, 4, in_place),
					.algorithm = "ring"};
				struct ordo_schedule *schedule = compile_proved(&request);
				bool passes = operators[o] == ORDO_SCATTER ||
					      operators[o] == ORDO_GATHER,
				     sums = operators[o] == ORDO_REDUCESCATTER ||
					    operators[o] == ORDO_REDUCE;
				uint32_t most = !(passes || (sums && !in_place)) ? 0
						: operators[o] == ORDO_REDUCE	 ? 3
										 : 3 * 4;
				assert_true(schedule->scratch_slots <= most);
				ordo_schedule_destroy(schedule);
			}
}

/* Each of the 2(N-1) things that come to a rank is announced once, and each rank says once that it
 * is ready. */
static void an_all_reduce_has_one_handshake_a_rank(void **unused)
{
	(void)unused;
	for (uint32_t n = 3; n <= 12; n++)
		for (int in_place = 0; in_place <= 1; in_place++) {
			struct ordo_request request = {
				.problem = problem_of(ORDO_ALLREDUCE, n, 0, 0, in_place),
				.algorithm = "ring"};
			struct ordo_schedule *schedule = compile_proved(&request);
			uint32_t nnotify = 0;
			for (uint32_t t = 0; t < schedule->ntask; t++)
				nnotify += schedule->tasks[t].kind == ORDO_NOTIFY;
			assert_int_equal(nnotify, n * (2 * (n - 1) + 1));
			ordo_schedule_destroy(schedule);
		}
}

static void no_byte_goes_over_the_dead_link_of_the_published_case(void **unused)
{
	(void)unused;
	static const char *const algorithms[] = {"ring", "ring(directions=2)", "ring(rings=3)",
		"ring(directions=2,rings=3)", "ring(order=[1,2,3,4,5,6,0,7])",
		"ring(directions=2,order=[[0,2,1,3,4,5,6,7],[0,3,2,4,6,1,7,5],[0,4,1,5,2,7,3,6]])"};
	struct ordo_topology *topology = make_topology("full-mesh", 8);
	fail_link(topology, 0, 1);
	for (size_t a = 0; a < sizeof algorithms / sizeof *algorithms; a++)
		for (int o = 0; o < NOPERATOR; o++) {
			struct ordo_request request = {
				.problem = problem_of(operators[o], 8, 0, 0, false),
				.algorithm = algorithms[a],
				.topology = topology};
			assert_true(claims_hold(&request));
		}
	ordo_topology_destroy(topology);
}

static void three_rings_both_ways_give_each_link_a_sixth_of_the_data(void **unused)
{
	(void)unused;
	struct ordo_topology *topology = make_topology("full-mesh", 8);
	fail_link(topology, 0, 1);
	struct ordo_request request = {.problem = problem_of(ORDO_ALLREDUCE, 8, 0, 0, false),
		.algorithm = "ring(directions=2,rings=3)",
		.topology = topology};
	struct ordo_schedule *schedule = compile_proved(&request);
	uint64_t sent[8][8] = {{0}};
	for (uint32_t s = 0; s < schedule->nstream; s++)
		for (uint32_t t = schedule->streams[s].first; t < schedule->streams[s].end; t++)
			if (ordo_task_moves(&schedule->tasks[t]) &&
				ordo_task_crosses(&schedule->tasks[t]))
				sent[schedule->streams[s].rank][schedule->tasks[t].peer] +=
					schedule->tasks[t].count;
	uint32_t busy = 0;
	assert_int_equal(schedule->problem.chunks_per_block, 8 * 6);
	for (int a = 0; a < 8; a++)
		for (int b = 0; b < 8; b++) {
			busy += sent[a][b] != 0;
			assert_true(sent[a][b] == 0 ||
				    sent[a][b] == 2 * 7); /* 2(N-1)/N of a sixth of 48 chunks */
		}
	assert_int_equal(busy, 8 * 6);
	assert_true(!sent[0][1] && !sent[1][0]);
	ordo_schedule_destroy(schedule);
	ordo_topology_destroy(topology);
}

static void refused(enum ordo_operator op, uint32_t n, const char *algorithm,
	const struct ordo_topology *topology, const char *says)
{
	struct ordo_request request = {.problem = problem_of(op, n, 0, 0, false),
		.algorithm = algorithm,
		.topology = topology};
	struct ordo_error error = {0};
	assert_null(ordo_compile(&request, &error));
	assert_int_equal(error.code, ORDO_USAGE);
	if (!strstr(error.text, says))
		fail_msg("found \"%s\", wanted \"%s\"", error.text, says);
}

static void what_cannot_be_a_ring_is_refused_with_the_reason(void **unused)
{
	(void)unused;
	struct ordo_topology *ring = make_topology("ring", 6),
			     *mesh = make_topology("full-mesh", 8);
	fail_link(ring, 2, 3);
	fail_link(mesh, 0, 1);
	fail_link(mesh, 0, 2);
	refused(ORDO_ALLREDUCE, 6, "ring", ring, "rank 2 has 1 neighbour");
	refused(ORDO_ALLREDUCE, 8, "ring(rings=3)", mesh,
		"rank 0 has 5 neighbours, wanted 6 or more");
	refused(ORDO_ALLREDUCE, 8, "ring(rings=4)", NULL, "rings=4, wanted 1..3");
	refused(ORDO_ALLREDUCE, 8, "ring(order=[0,1,2,3,4,5,6,7])", mesh, "0-1 (neither way)");
	refused(ORDO_ALLREDUCE, 4, "ring(order=[0,1,2])", NULL, "rank 3 is missing");
	refused(ORDO_ALLREDUCE, 4, "ring(order=[0,1,2,2])", NULL, "rank 2 appears twice");
	refused(ORDO_ALLREDUCE, 5, "ring(order=[[0,1,2,3,4],[0,2,1,4,3]])", NULL,
		"is in two rings");
	refused(ORDO_ALLREDUCE, 5, "ring(order=[0,1,2,3,4],rings=2)", NULL,
		"order gives 1 ring, rings asks for 2");
	refused(ORDO_ALLTOALL, 4, "ring", NULL, "AllToAll");
	ordo_topology_destroy(ring);
	ordo_topology_destroy(mesh);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_problem_is_solved_on_a_ring_of_links),
		cmocka_unit_test(several_rings_share_the_data),
		cmocka_unit_test(the_volume_is_the_least_there_is),
		cmocka_unit_test(a_reduce_scatter_adds_in_as_many_orders_as_there_are_ranks),
		cmocka_unit_test(a_reduce_adds_all_chunks_in_one_order),
		cmocka_unit_test(scratch_is_three_blocks_at_most),
		cmocka_unit_test(an_all_reduce_has_one_handshake_a_rank),
		cmocka_unit_test(no_byte_goes_over_the_dead_link_of_the_published_case),
		cmocka_unit_test(three_rings_both_ways_give_each_link_a_sixth_of_the_data),
		cmocka_unit_test(what_cannot_be_a_ring_is_refused_with_the_reason),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
