/* test_runtime_memory.c - after binding, a run allocates nothing; making a plan survives every
 * allocation that fails; and what was made and destroyed ten thousand times leaves nothing behind.
 *
 * usage: test_runtime_memory [TIMES]
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
/* cmocka wants those before it. */
#include "exchanges.h"
#include "failing.h"
#include <cmocka.h>
#include <dirent.h>
#include <ordo/collectives.h>
#include <ordo/detail/trace.h>
#include <stdlib.h>
#include <time.h>

#define NRANK 4
#define COUNT 100

static void bind_all(struct ordo_plan *plan, float (*memory)[COUNT])
{
	for (uint32_t r = 0; r < NRANK; r++)
		assert_true(ordo_plan_bind(plan, r, memory[r], memory[NRANK + r], NULL));
}

static void runs_allocate_nothing(void **state)
{
	(void)state;
	float memory[2 * NRANK][COUNT] = {{0}};
	struct ordo_schedule *schedule = exchange_ring(NRANK, false, true);
	struct ordo_plan_options options = {.type = ORDO_F32, .count = COUNT, .tile_bytes = 64};
	failing_begin(UINT64_MAX, false);
	struct ordo_plan *plan = ordo_plan_create(schedule, &options, NULL);
	assert_true(failing_requests() > 0);
	bind_all(plan, memory);
	for (uint32_t nworker = 0; nworker <= 3; nworker++) {
		/* The first run starts the threads. */
		assert_true(ordo_plan_run_threads(plan, nworker, NULL));
		failing_begin(UINT64_MAX, false);
		for (int run = 0; run < 5; run++)
			assert_true(ordo_plan_run_threads(plan, nworker, NULL) &&
				    ordo_plan_run_seeded(plan, 1, NULL));
		assert_int_equal(failing_requests(), 0);
	}
	assert_true(ordo_plan_trace_begin(plan, 2, NULL));
	failing_begin(UINT64_MAX, false);
	assert_true(ordo_plan_run_threads(plan, 3, NULL) && ordo_plan_run_seeded(plan, 1, NULL));
	assert_int_equal(failing_requests(), 0);
	ordo_plan_destroy(plan);
	ordo_schedule_destroy(schedule);
}

static void a_trace_without_memory_is_an_error(void **state)
{
	(void)state;
	struct ordo_schedule *schedule = exchange_ring(NRANK, false, true);
	struct ordo_plan_options options = {.type = ORDO_F32, .count = COUNT};
	struct ordo_plan *plan = ordo_plan_create(schedule, &options, NULL);
	bool begun = false;
	uint64_t nfailed = 0;
	for (; !begun; nfailed += !begun) {
		struct ordo_error error = {0};
		failing_begin(nfailed, false);
		begun = ordo_plan_trace_begin(plan, 1, &error);
		failing_end();
		assert_true(begun || error.code == ORDO_ENVIRONMENT);
	}
	assert_true(nfailed >= 5);
	ordo_plan_destroy(plan);
	ordo_schedule_destroy(schedule);
}

static void a_plan_without_memory_is_an_error(void **state)
{
	(void)state;
	struct ordo_schedule *schedules[2] = {
		exchange_ring(NRANK, false, true), exchange_alltoall(3, 2)};
	const uint64_t block_count[9] = {1, 2, 3, 4, 5, 6, 7, 8, 9};
	for (int i = 0; i < 2; i++) {
		struct ordo_plan_options options = {
			.type = ORDO_F32, .count = COUNT, .block_count = i ? block_count : NULL};
		struct ordo_plan *plan = NULL;
		uint64_t nfailed = 0;
		for (; !plan; nfailed += !plan) {
			struct ordo_error error = {0};
			failing_begin(nfailed, true);
			plan = ordo_plan_create(schedules[i], &options, &error);
			failing_end();
			assert_true(plan || error.code == ORDO_ENVIRONMENT);
		}
		assert_true(nfailed >= 10);
		ordo_plan_destroy(plan);
		ordo_schedule_destroy(schedules[i]);
	}
}

static void threads_that_cannot_start_are_an_error(void **state)
{
	(void)state;
	float memory[2 * NRANK][COUNT] = {{0}};
	struct ordo_schedule *schedule = exchange_ring(NRANK, false, true);
	struct ordo_plan_options options = {.type = ORDO_F32, .count = COUNT};
	struct ordo_plan *plan = ordo_plan_create(schedule, &options, NULL);
	bind_all(plan, memory);
	for (uint64_t nfailed = 0; nfailed < 3; nfailed++) {
		struct ordo_error error = {0};
		failing_begin(nfailed, true);
		const bool worked = ordo_plan_run_threads(plan, 2, &error);
		failing_end();
		assert_false(worked);
		assert_int_equal(error.code, ORDO_ENVIRONMENT);
	}
	assert_true(ordo_plan_run_threads(plan, 2, NULL));
	ordo_plan_destroy(plan);
	ordo_schedule_destroy(schedule);
}

/* Calls on a communicator allocate nothing, whoever makes them. */
static void calls_allocate_nothing(void **state)
{
	(void)state;
	static float memory[2 * NRANK][COUNT];
	struct ordo_schedule *schedule = exchange_ring(NRANK, false, true);
	const struct ordo_plan_options options = {.type = ORDO_F32, .count = COUNT};
	const struct ordo_communicator_options crowd = {.nrank = NRANK, .nhelper = 1};
	struct ordo_collective *collective = ordo_collective_create(schedule, &options, NULL);
	struct ordo_communicator *communicator = ordo_communicator_create(&crowd, NULL);
	struct ordo_part parts[NRANK];
	struct ordo_ticket tickets[NRANK];
	assert_true(collective && communicator);
	for (uint32_t r = 0; r < NRANK; r++)
		parts[r] = (struct ordo_part){collective, memory[r], memory[NRANK + r], 0};
	failing_begin(UINT64_MAX, false);
	for (int call = 0; call < 40; call++) {
		assert_true(ordo_communicator_run_all(communicator, parts, NULL));
		for (uint32_t r = 0; r < NRANK; r++)
			assert_true(ordo_communicator_start(
				communicator, r, &parts[r], &tickets[r], NULL));
		for (uint32_t r = 0; r < NRANK; r++)
			assert_true(ordo_communicator_wait(communicator, &tickets[r], NULL));
	}
	ordo_communicator_abort(communicator, 0, "enough");
	assert_true(ordo_communicator_reset(communicator, NULL));
	assert_int_equal(failing_requests(), 0);
	ordo_communicator_destroy(communicator);
	ordo_collective_destroy(collective);
	ordo_schedule_destroy(schedule);
}

/* Nor do calls by name, of kinds that were called before. */
static void calls_by_name_allocate_nothing(void **state)
{
	(void)state;
	static float memory[2 * NRANK][COUNT];
	struct ordo_schedule *schedule = exchange_ring(NRANK, false, true);
	const struct ordo_communicator_options crowd = {.nrank = NRANK};
	struct ordo_communicator *communicator = ordo_communicator_create(&crowd, NULL);
	const void *in[NRANK];
	void *out[NRANK];
	assert_true(ordo_communicator_bind(communicator, schedule, NULL));
	for (uint32_t r = 0; r < NRANK; r++) {
		in[r] = memory[r];
		out[r] = memory[NRANK + r];
	}
	for (uint64_t call = 0; call < 200; call++) {
		if (call == 0 || call == 50)
			failing_begin(UINT64_MAX, false);
		assert_true(ordo_allreduce_all(
			communicator, in, out, 1 + call % 50, ORDO_F32, ORDO_SUM, NULL));
		assert_true(call != 49 || failing_requests() >= 50);
	}
	assert_int_equal(failing_requests(), 0);
	ordo_communicator_destroy(communicator);
	ordo_schedule_destroy(schedule);
}

/* Binding and the first call survive every allocation that fails, and work when there is memory
 * again. */
static void calls_by_name_without_memory_are_errors(void **state)
{
	(void)state;
	static float memory[2][COUNT];
	const void *in[1] = {memory[0]};
	void *out[1] = {memory[1]};
	struct ordo_schedule *schedule = exchange_ring(1, false, false);
	const struct ordo_communicator_options crowd = {.nrank = 1};
	const struct held before = failing_held();
	struct ordo_communicator *communicator = ordo_communicator_create(&crowd, NULL);
	assert_true(communicator && schedule);
	for (int for_good = 0; for_good < 2; for_good++) {
		bool worked = false;
		uint64_t nfailed = 0;
		for (; !worked; nfailed += !worked) {
			struct ordo_error error = {0};
			failing_begin(nfailed, for_good);
			worked = ordo_communicator_bind(communicator, schedule, &error) &&
				 ordo_allreduce_all(
					 communicator, in, out, COUNT, ORDO_F32, ORDO_SUM, &error);
			failing_end();
			assert_true(worked || error.code == ORDO_ENVIRONMENT);
		}
		assert_true(nfailed >= 20);
	}
	assert_true(ordo_allreduce_all(communicator, in, out, COUNT, ORDO_F32, ORDO_SUM, NULL));
	ordo_communicator_destroy(communicator);
	assert_int_equal(failing_held().pieces, before.pieces);
	ordo_schedule_destroy(schedule);
}

/* Made, used and destroyed, again and again. */

static uint32_t ntime = 10000;

static uint32_t count_threads(void)
{
	uint32_t count = 0;
	DIR *tasks = opendir("/proc/self/task");
	while (tasks && readdir(tasks))
		count++;
	if (tasks)
		closedir(tasks);
	return count;
}

/* A thread that was joined may be listed a moment longer. */
static void expect_as_before(struct held before, uint32_t nthread)
{
	const struct timespec moment = {0, 10000000};
	for (int i = 0; i < 500 && count_threads() != nthread; i++)
		nanosleep(&moment, NULL);
	const struct held after = failing_held();
	assert_int_equal(count_threads(), nthread);
	assert_int_equal(after.pieces, before.pieces);
	assert_int_equal(after.files, before.files);
}

static void plans_leave_nothing_behind(void **state)
{
	(void)state;
	static float memory[2 * NRANK][COUNT];
	struct ordo_schedule *schedule = exchange_ring(NRANK, false, true);
	const struct ordo_plan_options options = {.type = ORDO_F32, .count = COUNT};
	const struct held before = failing_held();
	const uint32_t nthread = count_threads();
	for (uint32_t i = 0; i < ntime; i++) {
		struct ordo_plan *plan = ordo_plan_create(schedule, &options, NULL);
		assert_non_null(plan);
		bind_all(plan, memory);
		assert_true(ordo_plan_run_threads(plan, i % 4 == 0 ? 3 : 1, NULL));
		assert_true(i % 8 || ordo_plan_trace_begin(plan, 1, NULL));
		ordo_plan_destroy(plan);
	}
	expect_as_before(before, nthread);
	ordo_schedule_destroy(schedule);
}

static void communicators_leave_nothing_behind(void **state)
{
	(void)state;
	static float memory[2 * NRANK][COUNT];
	struct ordo_schedule *schedule = exchange_ring(NRANK, false, true);
	const struct ordo_plan_options options = {.type = ORDO_F32, .count = COUNT};
	const struct held before = failing_held();
	const uint32_t nthread = count_threads();
	for (uint32_t i = 0; i < ntime; i++) {
		const struct ordo_communicator_options crowd = {
			.nrank = NRANK, .nhelper = i % 3, .nkept = 2};
		struct ordo_communicator *communicator = ordo_communicator_create(&crowd, NULL);
		struct ordo_group *group = ordo_group_of_schedule(schedule, NULL);
		const struct ordo_collective *collective =
			ordo_group_collective(group, &options, NULL);
		struct ordo_part parts[NRANK];
		const void *in[NRANK];
		void *out[NRANK];
		assert_true(communicator && collective);
		for (uint32_t r = 0; r < NRANK; r++) {
			in[r] = memory[r];
			out[r] = memory[NRANK + r];
			parts[r] = (struct ordo_part){collective, memory[r], memory[NRANK + r], 0};
		}
		assert_true(ordo_communicator_run_all(communicator, parts, NULL));
		/* Bound, and bound again, with more kinds of calls than are kept. */
		for (uint64_t count = 0; i % 16 == 0 && count < 6; count++) {
			assert_true(
				count % 3 || ordo_communicator_bind(communicator, schedule, NULL));
			assert_true(ordo_allreduce_all(
				communicator, in, out, 1 + count, ORDO_F32, ORDO_SUM, NULL));
		}
		/* Some are destroyed broken. */
		if (i % 5 == 0)
			ordo_communicator_abort(communicator, 1, "enough");
		ordo_communicator_destroy(communicator);
		ordo_group_destroy(group);
	}
	expect_as_before(before, nthread);
	ordo_schedule_destroy(schedule);
}

int main(int argc, char **argv)
{
	if (argc > 1)
		ntime = (uint32_t)strtoul(argv[1], NULL, 10);
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(runs_allocate_nothing),
		cmocka_unit_test(a_plan_without_memory_is_an_error),
		cmocka_unit_test(a_trace_without_memory_is_an_error),
		cmocka_unit_test(threads_that_cannot_start_are_an_error),
		cmocka_unit_test(calls_allocate_nothing),
		cmocka_unit_test(calls_by_name_allocate_nothing),
		cmocka_unit_test(calls_by_name_without_memory_are_errors),
		cmocka_unit_test(plans_leave_nothing_behind),
		cmocka_unit_test(communicators_leave_nothing_behind),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
