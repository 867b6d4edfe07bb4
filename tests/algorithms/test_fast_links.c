/* test_fast_links.c - a link that is slower than a way around it is no worse than one that is down.
 */
#include "compiling.h"
#include <ordo/detail/tune.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

/* A full mesh of 56 GB/s, but `gbs` from 0 to 1 and back. */
static struct ordo_topology *make(uint32_t nrank, double gbs)
{
	struct ordo_topology *topology = ordo_topology_create("uneven", nrank, 0, 0, NULL);
	assert_non_null(topology);
	for (uint32_t from = 0; from < nrank; from++)
		for (uint32_t to = 0; to < nrank; to++)
			if (from != to)
				assert_true(ordo_topology_add(topology, from, to, "link", 1000,
					from + to == 1 ? gbs : 56, NULL));
	assert_true(ordo_topology_finish(topology, NULL));
	return topology;
}

static bool uses_link(const struct ordo_schedule *schedule, uint32_t a, uint32_t b)
{
	for (uint32_t s = 0; s < schedule->nstream; s++)
		for (uint32_t i = schedule->streams[s].first; i < schedule->streams[s].end; i++) {
			const struct ordo_task *task = &schedule->tasks[i];
			if ((task->kind == ORDO_SEND || task->kind == ORDO_SEND_REDUCE) &&
				schedule->streams[s].rank == a && task->peer == b)
				return true;
		}
	return false;
}

static const char *const around[] = {"ring", "ring(directions=2)", "ring(links=fast)",
	"ring(directions=2,rings=3,links=fast)", "mesh(owners=auto,links=fast)",
	"packing(links=fast)", "tree(shape=spanning,links=fast)"};

static void links_of_less_than_half_the_speed_are_left_out(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof around / sizeof *around; i++) {
		struct ordo_topology *topology = make(8, 27);
		char digest[33];
		ordo_topology_digest(topology, digest);
		const struct ordo_request request = {.problem = {.op = ORDO_ALLREDUCE, .nrank = 8},
			.algorithm = around[i],
			.topology = topology};
		struct ordo_schedule *schedule = compile_proved(&request);
		assert_false(uses_link(schedule, 0, 1));
		assert_false(uses_link(schedule, 1, 0));
		assert_string_equal(schedule->algorithm, around[i]);
		assert_string_equal(schedule->topology_name, "uneven");
		assert_string_equal(schedule->topology_digest, digest);
		ordo_schedule_destroy(schedule);
		ordo_topology_destroy(topology);
	}
}

static void others_are_not(void **state)
{
	(void)state;
	struct ordo_topology *topology = make(8, 29);
	struct ordo_request request = {.problem = {.op = ORDO_ALLREDUCE, .nrank = 8},
		.algorithm = "mesh(links=fast)",
		.topology = topology};
	struct ordo_schedule *schedule = compile_proved(&request);
	assert_true(uses_link(schedule, 0, 1));
	ordo_schedule_destroy(schedule);
	ordo_topology_destroy(topology);
	/* Without a topology, or with two ranks, there is no way around. */
	request.topology = NULL;
	ordo_schedule_destroy(compile_proved(&request));
	topology = make(2, 1);
	request.topology = topology;
	request.problem.nrank = 2;
	ordo_schedule_destroy(compile_proved(&request));
	ordo_topology_destroy(topology);
}

static bool ring_uses_slow_link(
	const struct ordo_topology *topology, uint32_t nrank, const char *algorithm)
{
	const struct ordo_request request = {.problem = {.op = ORDO_ALLREDUCE, .nrank = nrank},
		.algorithm = algorithm,
		.topology = topology};
	struct ordo_schedule *schedule = compile_proved(&request);
	const bool uses = uses_link(schedule, 0, 1) || uses_link(schedule, 1, 0);
	ordo_schedule_destroy(schedule);
	return uses;
}

static void rings_take_slow_links_where_they_must_or_are_told_to(void **state)
{
	(void)state;
	struct ordo_topology *topology = make(8, 5.6);
	assert_false(ring_uses_slow_link(topology, 8, "ring"));
	assert_true(ring_uses_slow_link(topology, 8, "ring(links=all)"));
	assert_true(ring_uses_slow_link(topology, 8, "ring(order=[0,1,2,3,4,5,6,7])"));
	ordo_topology_destroy(topology);
	/* Three ranks have one ring, though there is a way around the link. */
	topology = make(3, 5.6);
	assert_true(ring_uses_slow_link(topology, 3, "ring"));
	ordo_topology_destroy(topology);
}

static void the_choice_is_as_fast_as_without_the_link(void **state)
{
	(void)state;
	double seconds[2];
	for (int down = 0; down < 2; down++) {
		struct ordo_topology *topology = make(8, 5.6);
		if (down)
			assert_true(ordo_topology_fail_link(topology, 0, 1, NULL));
		assert_true(ordo_topology_finish(topology, NULL));
		const struct ordo_tune_wish wish = {
			.selection = {.problem = {.op = ORDO_ALLREDUCE, .nrank = 8},
				.topology = topology,
				.machine = ordo_machine_usual(),
				.from_bytes = 1 << 20,
				.to_bytes = 1 << 20},
			.element_bytes = 4};
		struct ordo_tuning tuning;
		assert_true(ordo_tune(&wish, &tuning, NULL));
		seconds[down] = tuning.ranges[0].times.first;
		ordo_tuning_free(&tuning);
		ordo_topology_destroy(topology);
	}
	assert_true(seconds[0] <= seconds[1] * (1 + 1e-9));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(links_of_less_than_half_the_speed_are_left_out),
		cmocka_unit_test(others_are_not),
		cmocka_unit_test(rings_take_slow_links_where_they_must_or_are_told_to),
		cmocka_unit_test(the_choice_is_as_fast_as_without_the_link),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
