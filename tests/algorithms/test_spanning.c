/* test_spanning.c - trees over the links of a topology, whatever these are. */
#include "compiling.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static struct ordo_topology *make(
	uint32_t nrank, uint32_t nswitch, const uint32_t (*links)[2], uint32_t nlink, bool both)
{
	struct ordo_topology *topology = ordo_topology_create("drawn", nrank, nswitch, 0, NULL);
	assert_non_null(topology);
	for (uint32_t i = 0; i < nlink; i++)
		for (int back = 0; back <= both; back++)
			assert_true(ordo_topology_add(
				topology, links[i][back], links[i][!back], "link", 1000, 10, NULL));
	assert_true(ordo_topology_finish(topology, NULL));
	return topology;
}

static struct ordo_request request_on(
	const struct ordo_topology *topology, enum ordo_operator op, uint32_t root)
{
	return (struct ordo_request){.problem = {.op = op,
					     .nrank = topology->nrank,
					     .root = root,
					     .chunks_per_block = 3},
		.algorithm = "tree(shape=spanning)",
		.topology = topology};
}

/* The steps of a schedule that is proved on the topology, and takes what the algorithm claims. */
static uint32_t steps_of(const struct ordo_request *request)
{
	ordo_schedule_destroy(compile_proved(request));
	assert_true(claims_hold(request));
	return (uint32_t)claims_of(request).steps;
}

static const uint32_t line[][2] = {{0, 1}, {1, 2}, {2, 3}, {3, 4}, {4, 5}, {5, 6}, {6, 7}, {7, 8}};

static void a_line_is_a_tree_from_every_rank(void **state)
{
	(void)state;
	struct ordo_topology *topology = make(9, 0, line, 8, true);
	for (uint32_t root = 0; root < 9; root++) {
		const uint32_t farthest = root > 4 ? root : 8 - root;
		struct ordo_request request = request_on(topology, ORDO_BROADCAST, root);
		assert_int_equal(steps_of(&request), farthest);
		request.problem.op = ORDO_REDUCE;
		assert_int_equal(steps_of(&request), farthest);
	}
	/* AllReduce goes through the rank in the middle. */
	const struct ordo_request request = request_on(topology, ORDO_ALLREDUCE, 0);
	assert_int_equal(steps_of(&request), 8);
	check_order(&request, "((((0+1)+2)+3)+(4+(5+(6+(7+8)))))");
	ordo_topology_destroy(topology);
}

/* 0, 1 and 2 at a switch, 3 behind 2, 4 and 5 at a second switch with 3. */
static const uint32_t switched[][2] = {{0, 6}, {1, 6}, {2, 6}, {2, 3}, {3, 7}, {4, 7}, {5, 7}};

static void switches_cost_no_step(void **state)
{
	(void)state;
	struct ordo_topology *topology = make(6, 2, switched, 7, true);
	struct ordo_request request = request_on(topology, ORDO_BROADCAST, 0);
	assert_int_equal(steps_of(&request), 3);
	request.problem.root = 2;
	assert_int_equal(steps_of(&request), 2);
	request = request_on(topology, ORDO_ALLREDUCE, 0);
	assert_int_equal(steps_of(&request), 4);
	ordo_topology_destroy(topology);
}

static void check_refusal(const struct ordo_request *request, const char *why)
{
	struct ordo_error error = {0};
	assert_null(ordo_compile(request, &error));
	assert_int_equal(error.code, ORDO_USAGE);
	if (!strstr(error.text, why))
		fail_msg("found \"%s\", wanted \"%s\"", error.text, why);
}

/* 0 -> 1 -> 2 -> 3 -> 0 */
static const uint32_t circle[][2] = {{0, 1}, {1, 2}, {2, 3}, {3, 0}};

static void all_ranks_are_joined_both_ways_or_it_is_refused(void **state)
{
	(void)state;
	struct ordo_topology *topology = make(4, 0, circle, 4, false);
	struct ordo_request request = request_on(topology, ORDO_BROADCAST, 1);
	check_refusal(&request, "no links join rank 1 and rank 0 in both directions");
	ordo_topology_destroy(topology);
	topology = make(4, 0, circle, 4, true);
	assert_true(ordo_topology_fail_link(topology, 0, 1, NULL));
	request = request_on(topology, ORDO_REDUCE, 1);
	assert_int_equal(steps_of(&request), 3);
	check_order(&request, "(((0+3)+2)+1)");
	assert_true(ordo_topology_fail_link(topology, 2, 3, NULL));
	request = request_on(topology, ORDO_ALLREDUCE, 0);
	check_refusal(&request, "no links join rank 0 and rank 1 in both directions");
	ordo_topology_destroy(topology);
}

static void blocks_go_as_whole_subtrees(void **state)
{
	(void)state;
	struct ordo_topology *topology = make(6, 2, switched, 7, true);
	for (uint32_t root = 0; root < 6; root++) {
		struct ordo_request request = request_on(topology, ORDO_GATHER, root);
		const uint32_t steps = root == 2 || root == 3 ? 2 : 3;
		assert_int_equal(steps_of(&request), steps);
		request.problem.op = ORDO_SCATTER;
		assert_int_equal(steps_of(&request), steps);
	}
	/* 0 gets the blocks of 2, 3, 4, 5 from 2, and 1 sends its own; 2 and 3 send theirs from the
	 * input and those of others from scratch. */
	const struct ordo_request request = request_on(topology, ORDO_GATHER, 0);
	assert_int_equal(claims_of(&request).volume, 4 * 3);
	struct ordo_schedule *schedule = compile_proved(&request);
	uint32_t sent = 0;
	for (uint32_t i = 0; i < schedule->ntask; i++)
		sent += schedule->tasks[i].kind == ORDO_SEND;
	assert_int_equal(sent, 7);
	ordo_schedule_destroy(schedule);
	ordo_topology_destroy(topology);
}

/* Over each link of the line goes, each way, what is on that side, the nearest block first. */
static void all_blocks_go_over_every_link_once(void **state)
{
	(void)state;
	enum { N = 9, K = 3 };
	struct ordo_topology *topology = make(N, 0, line, N - 1, true);
	struct ordo_request request = request_on(topology, ORDO_ALLGATHER, 0);
	assert_int_equal(steps_of(&request), N - 1);
	assert_int_equal(claims_of(&request).volume, (N + 1) * K);
	struct ordo_schedule *schedule = compile_proved(&request);
	uint32_t sent[N][N] = {{0}}, next = (N - 1) * K;
	for (uint32_t s = 0; s < schedule->nstream; s++)
		for (uint32_t i = schedule->streams[s].first; i < schedule->streams[s].end; i++) {
			const struct ordo_task *task = &schedule->tasks[i];
			if (task->kind != ORDO_SEND)
				continue;
			sent[schedule->streams[s].rank][task->peer] += task->count;
			if (task->peer != N - 1)
				continue;
			next -= task->chunk % K ? 0 : K;
			assert_int_equal(task->chunk - task->chunk % K, next);
		}
	assert_int_equal(next, 0);
	assert_int_equal(schedule->nphase, 1 + (N - 1) * K);
	for (uint32_t from = 0; from < N; from++)
		for (uint32_t to = 0; to < N; to++)
			assert_int_equal(sent[from][to], to == from + 1	  ? (from + 1) * K
							 : from == to + 1 ? (N - from) * K
									  : 0);
	ordo_schedule_destroy(schedule);
	request.problem.op = ORDO_REDUCESCATTER;
	assert_int_equal(steps_of(&request), N - 1);
	assert_int_equal(claims_of(&request).volume, (N - 1) * K);
	ordo_topology_destroy(topology);
}

static void all_blocks_go_along_trees_of_any_shape(void **state)
{
	(void)state;
	static const char *const shapes[] = {"binomial", "k-nomial,radix=3", "k-ary,radix=2"};
	for (uint32_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
		for (uint32_t n = 1; n < 12; n++)
			for (uint32_t sums = 0; sums < 2; sums++) {
				char name[64];
				snprintf(name, sizeof name, "tree(shape=%s)", shapes[i]);
				struct ordo_request request = {.algorithm = name,
					.problem = {
						.op = sums ? ORDO_REDUCESCATTER : ORDO_ALLGATHER,
						.nrank = n,
						.in_place = n % 2,
						.chunks_per_block = 1 + n % 3}};
				steps_of(&request);
			}
}

static void two_trees_move_no_blocks(void **state)
{
	(void)state;
	const struct ordo_request request = {.problem = {.op = ORDO_GATHER, .nrank = 4},
		.algorithm = "tree(shape=double-binary)"};
	check_refusal(&request, "shape=double-binary is for AllReduce, Reduce and Broadcast, found "
				"Gather");
	struct ordo_request other = request;
	other.problem.op = ORDO_ALLGATHER;
	check_refusal(&other, "shape=double-binary is for AllReduce, Reduce and Broadcast, found "
			      "AllGather");
}

static void without_a_topology_all_are_next_to_the_root(void **state)
{
	(void)state;
	const struct ordo_request request = {.problem = {.op = ORDO_REDUCE, .nrank = 4, .root = 2},
		.algorithm = "tree(shape=spanning)"};
	assert_int_equal(steps_of(&request), 1);
	check_order(&request, "((0+(2+3))+1)");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_line_is_a_tree_from_every_rank),
		cmocka_unit_test(switches_cost_no_step),
		cmocka_unit_test(all_ranks_are_joined_both_ways_or_it_is_refused),
		cmocka_unit_test(blocks_go_as_whole_subtrees),
		cmocka_unit_test(all_blocks_go_over_every_link_once),
		cmocka_unit_test(all_blocks_go_along_trees_of_any_shape),
		cmocka_unit_test(two_trees_move_no_blocks),
		cmocka_unit_test(without_a_topology_all_are_next_to_the_root),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
