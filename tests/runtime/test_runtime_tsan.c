/* test_runtime_tsan.c - ranks on threads of their own, that come and go as they like; meant for the
 * thread sanitizer, and true without it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
/* cmocka wants those before it. */
#include "exchanges.h"
#include "rig.h"
#include <cmocka.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define NCALL 50

struct caller {
	pthread_t thread;
	const struct rig *rig;
	uint32_t rank;
	bool failed, wrong;
	struct ordo_error error;
};

/* Sometimes at once, sometimes after the others long wait. */
static void dawdle(uint64_t *random)
{
	*random = *random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	const uint32_t draw = (uint32_t)(*random >> 40);
	const struct timespec pause = {0, (draw >> 2) % 200000};
	if (draw % 4 == 0)
		nanosleep(&pause, NULL);
	else if (draw % 4 == 1)
		sched_yield();
}

/* Enters, checks on leaving, and overwrites its buffers before the next call, of which no one else
 * knows. */
static void *call_often(void *argument)
{
	struct caller *caller = argument;
	const struct rig *rig = caller->rig;
	uint64_t random = caller->rank * 77 + 1;
	for (uint32_t call = 0; call < NCALL && !caller->failed; call++) {
		dawdle(&random);
		rig_fill(rig, caller->rank, call);
		caller->failed = !ordo_plan_run_rank(rig->plan, caller->rank, &caller->error);
		uint64_t element;
		caller->wrong |=
			!caller->failed && !rig_is_right(rig, caller->rank, call, &element);
		memset(rig->outputs[caller->rank], 0xee,
			ordo_plan_output_bytes(rig->plan, caller->rank));
		memset(rig->inputs[caller->rank], 0xdd,
			ordo_plan_input_bytes(rig->plan, caller->rank));
	}
	return NULL;
}

static void run_callers(struct ordo_schedule *schedule, struct ordo_plan_options options)
{
	const uint32_t nrank = schedule->problem.nrank;
	struct rig rig = rig_create(schedule, options);
	struct caller *callers = calloc(nrank, sizeof *callers);
	assert_non_null(callers);
	for (uint32_t r = 0; r < nrank; r++) {
		callers[r].rig = &rig;
		callers[r].rank = r;
		assert_int_equal(
			pthread_create(&callers[r].thread, NULL, call_often, &callers[r]), 0);
	}
	for (uint32_t r = 0; r < nrank; r++)
		pthread_join(callers[r].thread, NULL);
	for (uint32_t r = 0; r < nrank; r++)
		if (callers[r].failed)
			fail_msg("rank %u: %s", r, callers[r].error.text);
	for (uint32_t r = 0; r < nrank; r++)
		if (callers[r].wrong)
			fail_msg("rank %u left with a wrong result", r);
	free(callers);
	rig_destroy(&rig);
	ordo_schedule_destroy(schedule);
}

static void ranks_come_and_go_in_a_ring(void **state)
{
	(void)state;
	for (uint32_t n = 1; n <= 6; n++) {
		run_callers(exchange_ring(n, false, false),
			(struct ordo_plan_options){.type = ORDO_F32, .count = 50});
		run_callers(exchange_ring(n, true, false),
			(struct ordo_plan_options){.type = ORDO_I32, .count = 7});
		run_callers(exchange_ring(n, false, true),
			(struct ordo_plan_options){.type = ORDO_I64, .count = 50});
	}
}

static void ranks_come_and_go_between_rounds(void **state)
{
	(void)state;
	run_callers(exchange_ring(4, false, true),
		(struct ordo_plan_options){.type = ORDO_I32, .count = 1000, .tile_bytes = 128});
	run_callers(exchange_reduce_scatter(3, 2, false),
		(struct ordo_plan_options){.type = ORDO_I32, .count = 500, .tile_bytes = 128});
}

static void ranks_come_and_go_in_exchanges(void **state)
{
	(void)state;
	run_callers(exchange_broadcast(5, 2, 2, false),
		(struct ordo_plan_options){.type = ORDO_U8, .count = 33});
	run_callers(
		exchange_alltoall(4, 2), (struct ordo_plan_options){.type = ORDO_I32, .count = 9});
	run_callers(exchange_reduce_scatter(4, 2, true),
		(struct ordo_plan_options){.type = ORDO_I32, .count = 9});
	run_callers(exchange_allgather(4, 1, true),
		(struct ordo_plan_options){.type = ORDO_F64, .count = 9});
}

static void workers_share_all_streams(void **state)
{
	(void)state;
	enum { NSCHEDULE = 3 };
	struct ordo_schedule *schedules[NSCHEDULE] = {exchange_ring(6, false, true),
		exchange_alltoall(6, 2), exchange_reduce_scatter(5, 1, false)};
	for (size_t i = 0; i < NSCHEDULE; i++) {
		struct rig rig = rig_create(
			schedules[i], (struct ordo_plan_options){
					      .type = ORDO_I32, .count = 100, .tile_bytes = 64});
		uint32_t call = 0;
		for (; call < NCALL; call++)
			rig_run(&rig, BY_RANK_THREADS + call % 4, call, call);
		rig_destroy(&rig);
		ordo_schedule_destroy(schedules[i]);
	}
}

/* One rank of three never enters; the others find out, and none of them touches memory after
 * that. */
static void *call_once(void *argument)
{
	struct caller *caller = argument;
	caller->failed = !ordo_plan_run_rank(caller->rig->plan, caller->rank, &caller->error);
	memset(caller->rig->outputs[caller->rank], 0xee,
		ordo_plan_output_bytes(caller->rig->plan, caller->rank));
	return NULL;
}

static void stuck_ranks_leave_together(void **state)
{
	(void)state;
	struct ordo_schedule *schedule = exchange_ring(3, false, false);
	struct rig rig = rig_create(schedule,
		(struct ordo_plan_options){.type = ORDO_F32, .count = 8, .watchdog_ms = 20});
	struct caller callers[2];
	for (uint32_t r = 0; r < 2; r++) {
		callers[r] = (struct caller){.rig = &rig, .rank = r};
		assert_int_equal(
			pthread_create(&callers[r].thread, NULL, call_once, &callers[r]), 0);
	}
	for (uint32_t r = 0; r < 2; r++)
		pthread_join(callers[r].thread, NULL);
	assert_true(callers[0].failed && callers[1].failed);
	assert_string_equal(callers[0].error.text, callers[1].error.text);
	assert_non_null(strstr(
		callers[0].error.text, "rank 2, stream \"copy\", which has not entered the call"));
	rig_destroy(&rig);
	ordo_schedule_destroy(schedule);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ranks_come_and_go_in_a_ring),
		cmocka_unit_test(ranks_come_and_go_between_rounds),
		cmocka_unit_test(ranks_come_and_go_in_exchanges),
		cmocka_unit_test(workers_share_all_streams),
		cmocka_unit_test(stuck_ranks_leave_together),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
