/* test_tracing.c - what a traced plan remembers, on every transport. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
/* cmocka wants those before it. */
#include "exchanges.h"
#include "rig.h"
#include <cmocka.h>
#include <ordo/detail/trace.h>
#include <pthread.h>

enum { NKEPT = 2, NCALL = 5 };

/* Is everything there, in the order it must have been in? */
static void look_at_stream(const struct rig *rig, const struct ordo_trace_extent *extent,
	const struct ordo_stream *stream)
{
	uint64_t last = 0;
	struct ordo_traced_task traced, notify;
	for (uint64_t round = extent->begin; round < extent->end; round++)
		for (uint32_t t = stream->first; t < stream->end; t++) {
			assert_true(ordo_plan_traced_task(rig->plan, round, t, &traced));
			assert_true(last <= traced.begin_ns && traced.begin_ns <= traced.end_ns);
			last = traced.end_ns;
			if (rig->schedule->tasks[t].kind != ORDO_WAIT) {
				assert_int_equal(traced.notify, ORDO_NONE);
				continue;
			}
			assert_int_equal(traced.notify_round, round);
			assert_true(
				ordo_plan_traced_task(rig->plan, round, traced.notify, &notify));
			assert_true(notify.begin_ns <= traced.end_ns);
			assert_int_equal(rig->schedule->tasks[traced.notify].signal,
				rig->schedule->tasks[t].signal);
		}
}

/* After so many calls, of which the last ones are kept. */
static void look_at_all(const struct rig *rig, uint64_t ncall)
{
	const struct ordo_trace_extent extent = ordo_plan_trace_extent(rig->plan);
	const uint64_t nkept = ncall < NKEPT ? ncall : NKEPT;
	struct ordo_traced_task traced;
	assert_int_equal(extent.end, ncall * extent.rounds_per_call);
	assert_int_equal(extent.begin, (ncall - nkept) * extent.rounds_per_call);
	for (uint32_t s = 0; s < rig->schedule->nstream; s++)
		look_at_stream(rig, &extent, &rig->schedule->streams[s]);
	assert_false(ordo_plan_traced_task(rig->plan, extent.end, 0, &traced));
	assert_false(ordo_plan_traced_task(rig->plan, extent.begin - 1, 0, &traced));
	assert_false(ordo_plan_traced_task(rig->plan, extent.begin, rig->schedule->ntask, &traced));
}

static void trace_every_way(struct ordo_schedule *schedule, uint64_t tile_bytes)
{
	struct rig rig = rig_create(
		schedule, (struct ordo_plan_options){
				  .type = ORDO_I32, .count = 1001, .tile_bytes = tile_bytes});
	assert_true(ordo_plan_trace_begin(rig.plan, NKEPT, NULL));
	assert_int_equal(ordo_plan_trace_extent(rig.plan).end, 0);
	uint32_t call = 0;
	for (int drive = 0; drive < NDRIVE; drive++) {
		rig_run(&rig, (enum drive)drive, 1, call++);
		look_at_all(&rig, call);
	}
	rig_destroy(&rig);
	ordo_schedule_destroy(schedule);
}

static void the_last_calls_are_kept_on_every_transport(void **state)
{
	(void)state;
	for (uint64_t tile = 0; tile <= 256; tile += 256) {
		trace_every_way(exchange_ring(4, false, true), tile);
		trace_every_way(exchange_reduce_scatter(3, 2, false), tile);
		trace_every_way(exchange_alltoall(4, 2), tile);
	}
}

struct caller {
	pthread_t thread;
	const struct rig *rig;
	uint32_t rank;
	bool failed;
};

static void *call_often(void *argument)
{
	struct caller *caller = argument;
	for (uint32_t call = 0; call < NCALL && !caller->failed; call++)
		caller->failed = !ordo_plan_run_rank(caller->rig->plan, caller->rank, NULL);
	return NULL;
}

static void every_rank_may_have_a_thread_of_its_own(void **state)
{
	(void)state;
	enum { NRANK = 4 };
	struct ordo_schedule *schedule = exchange_ring(NRANK, false, true);
	struct rig rig = rig_create(schedule,
		(struct ordo_plan_options){.type = ORDO_I32, .count = 1001, .tile_bytes = 128});
	struct caller callers[NRANK];
	struct ordo_traced_task traced;
	assert_true(ordo_plan_trace_begin(rig.plan, NKEPT, NULL));
	for (uint32_t r = 0; r < NRANK; r++) {
		rig_fill(&rig, r, 0);
		callers[r] = (struct caller){.rig = &rig, .rank = r};
		assert_int_equal(
			pthread_create(&callers[r].thread, NULL, call_often, &callers[r]), 0);
	}
	for (uint32_t r = 0; r < NRANK; r++) {
		pthread_join(callers[r].thread, NULL);
		assert_false(callers[r].failed);
	}
	look_at_all(&rig, NCALL);
	for (uint32_t s = 0; s < schedule->nstream; s++) {
		assert_true(ordo_plan_traced_task(rig.plan, ordo_plan_trace_extent(rig.plan).begin,
			schedule->streams[s].first, &traced));
		assert_int_equal(traced.worker, schedule->streams[s].rank);
	}
	rig_destroy(&rig);
	ordo_schedule_destroy(schedule);
}

static void tracing_can_begin_again_and_end(void **state)
{
	(void)state;
	struct ordo_schedule *schedule = exchange_ring(3, false, false);
	struct rig rig =
		rig_create(schedule, (struct ordo_plan_options){.type = ORDO_F32, .count = 100});
	struct ordo_traced_task traced;
	struct ordo_error error;
	assert_false(ordo_plan_traced_task(rig.plan, 0, 0, &traced));
	assert_false(ordo_plan_trace_begin(rig.plan, 0, &error));
	assert_int_equal(error.code, ORDO_USAGE);
	rig_run(&rig, BY_SEED, 1, 0);
	assert_true(ordo_plan_trace_begin(rig.plan, 1, NULL));
	assert_false(ordo_plan_traced_task(rig.plan, 0, 0, &traced));
	rig_run(&rig, BY_SEED, 1, 1);
	assert_true(ordo_plan_traced_task(rig.plan, 1, 0, &traced));
	assert_true(ordo_plan_trace_begin(rig.plan, 3, NULL));
	assert_false(ordo_plan_traced_task(rig.plan, 1, 0, &traced));
	rig_run(&rig, BY_2_WORKERS, 1, 2);
	assert_true(ordo_plan_traced_task(rig.plan, 2, 0, &traced));
	ordo_plan_trace_end(rig.plan);
	assert_false(ordo_plan_traced_task(rig.plan, 2, 0, &traced));
	rig_run(&rig, BY_2_WORKERS, 1, 3);
	rig_destroy(&rig);
	ordo_schedule_destroy(schedule);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_last_calls_are_kept_on_every_transport),
		cmocka_unit_test(every_rank_may_have_a_thread_of_its_own),
		cmocka_unit_test(tracing_can_begin_again_and_end),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
