/* test_runtime_memory.c - after binding, a run allocates nothing; and making a plan survives every allocation
 * that fails. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
/* cmocka wants those before it. */
#include "exchanges.h"
#include "failing.h"
#include <cmocka.h>
#include <ordo/trace.h>
#include <stdlib.h>

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
	struct ordo_schedule *schedules[2] = {exchange_ring(NRANK, false, true), exchange_alltoall(3, 2)};
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(runs_allocate_nothing),
		cmocka_unit_test(a_plan_without_memory_is_an_error),
		cmocka_unit_test(a_trace_without_memory_is_an_error),
		cmocka_unit_test(threads_that_cannot_start_are_an_error),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
