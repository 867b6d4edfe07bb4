/* test_runtime.c - plans, the interpreter and the transports, on schedules made without the
 * compiler. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
/* cmocka wants those before it. */
#include "exchanges.h"
#include "rig.h"
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Runs one schedule in every way, with one plan. */
static void run_every_way(const struct ordo_schedule *schedule, struct ordo_plan_options options)
{
	struct rig rig = rig_create(schedule, options);
	uint32_t call = 0;
	for (int drive = 0; drive < NDRIVE; drive++)
		for (uint64_t seed = 0; seed < (drive == BY_SEED ? 3 : 1); seed++)
			rig_run(&rig, (enum drive)drive, seed, call++);
	rig_destroy(&rig);
}

static void run_all_counts(struct ordo_schedule *schedule)
{
	const uint64_t N = schedule->problem.nrank;
	const uint64_t counts[] = {0, 1, N - 1, N, N + 1, 100, 1000};
	for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
		run_every_way(schedule,
			(struct ordo_plan_options){.type = (enum ordo_type)(i % ORDO_F32_I32),
				.reduction = ORDO_SUM,
				.count = counts[i]});
	ordo_schedule_destroy(schedule);
}

static void a_ring_of_any_size_sums_every_count(void **state)
{
	(void)state;
	for (uint32_t n = 1; n <= 5; n++)
		for (int form = 0; form < 4; form++)
			run_all_counts(exchange_ring(n, form & 1, form & 2));
}

static void a_broadcast_reaches_every_rank_from_every_root(void **state)
{
	(void)state;
	for (uint32_t n = 1; n <= 4; n++)
		for (uint32_t root = 0; root < n; root++)
			for (int in_place = 0; in_place < 2; in_place++)
				run_all_counts(exchange_broadcast(n, root, 1 + root, in_place));
}

static void blocks_are_exchanged_gathered_and_scattered(void **state)
{
	(void)state;
	for (uint32_t n = 1; n <= 4; n++)
		for (uint32_t K = 1; K <= 3; K++) {
			run_all_counts(exchange_alltoall(n, K));
			for (int in_place = 0; in_place < 2; in_place++) {
				run_all_counts(exchange_allgather(n, K, in_place));
				run_all_counts(exchange_reduce_scatter(n, K, in_place));
			}
		}
}

static void every_type_and_reduction_runs(void **state)
{
	(void)state;
	struct ordo_schedule *schedule = exchange_ring(3, false, true);
	for (int type = 0; type < ORDO_NTYPE; type++)
		for (int reduction = 0; reduction < ORDO_NREDUCTION; reduction++) {
			if (!ordo_has_reduction(
				    (enum ordo_type)type, (enum ordo_reduction)reduction, NULL))
				continue;
			run_every_way(
				schedule, (struct ordo_plan_options){.type = (enum ordo_type)type,
						  .reduction = (enum ordo_reduction)reduction,
						  .count = 65});
		}
	ordo_schedule_destroy(schedule);
}

/* Every element is divided once: in rounds, in place, and not where nothing is added. */
static void averages_are_divided_once(void **state)
{
	(void)state;
	struct ordo_schedule *schedules[] = {exchange_ring(3, true, true),
		exchange_ring(1, true, false), exchange_reduce_scatter(4, 2, false),
		exchange_reduce_scatter(3, 1, true), exchange_allgather(3, 2, false),
		exchange_broadcast(3, 1, 2, true)};
	for (size_t s = 0; s < sizeof schedules / sizeof *schedules; s++) {
		for (int type = 0; type < ORDO_NTYPE; type++)
			for (uint64_t tile = 0; tile <= 64; tile += 64)
				if (ordo_has_reduction((enum ordo_type)type, ORDO_AVG, NULL))
					run_every_way(
						schedules[s], (struct ordo_plan_options){
								      .type = (enum ordo_type)type,
								      .reduction = ORDO_AVG,
								      .count = 201,
								      .tile_bytes = tile});
		ordo_schedule_destroy(schedules[s]);
	}
}

static void averages_of_more_than_2_to_the_24_are_refused(void **state)
{
	(void)state;
	struct ordo_plan_options options = {.type = ORDO_F32};
	for (uint32_t more = 0; more < 2; more++) {
		struct ordo_schedule *schedule =
			exchange_create((struct ordo_problem){.op = ORDO_ALLREDUCE,
						.nrank = 2,
						.nshard = (1u << 24) + more,
						.chunks_per_block = 1},
				0);
		for (int reduction = 0; reduction <= ORDO_AVG; reduction++) {
			struct ordo_error error = {0};
			options.reduction = (enum ordo_reduction)reduction;
			struct ordo_plan *plan = ordo_plan_create(schedule, &options, &error);
			const bool refused = more && reduction == ORDO_AVG;
			assert_true(!plan == refused);
			assert_int_equal(error.code, refused ? ORDO_USAGE : ORDO_OK);
			ordo_plan_destroy(plan);
		}
		ordo_schedule_destroy(schedule);
	}
}

/* All block sizes of one schedule: different, with empty ones, all empty, and equal. */
static void run_block_sizes(struct ordo_schedule *schedule)
{
	const uint32_t nblock = ordo_nblock(&schedule->problem);
	uint64_t block_count[64];
	assert_true(nblock <= 64);
	for (int form = 0; form < 4; form++) {
		for (uint32_t b = 0; b < nblock; b++)
			block_count[b] = form == 0   ? b * 7 % 11
					 : form == 1 ? (b % 3 ? 0 : 40 + b)
					 : form == 2 ? 0
						     : 17;
		for (uint64_t tile = 0; tile <= 64; tile += 64)
			run_every_way(schedule, (struct ordo_plan_options){.type = ORDO_I64,
							.block_count = block_count,
							.tile_bytes = tile});
	}
	ordo_schedule_destroy(schedule);
}

static void blocks_may_differ_in_size(void **state)
{
	(void)state;
	for (uint32_t n = 1; n <= 5; n += 2)
		for (uint32_t K = 1; K <= 3; K++) {
			run_block_sizes(exchange_alltoall(n, K));
			for (int in_place = 0; in_place < 2; in_place++) {
				run_block_sizes(exchange_allgather(n, K, in_place));
				run_block_sizes(exchange_reduce_scatter(n, K, in_place));
			}
		}
}

static void chunks_begin_at_multiples_of_the_alignment(void **state)
{
	(void)state;
	struct ordo_schedule *ring = exchange_ring(4, false, false),
			     *gather = exchange_allgather(3, 4, false);
	for (uint64_t alignment = 1; alignment <= 64; alignment *= 4)
		for (uint64_t count = 60; count <= 70; count += 5) {
			struct ordo_plan_options options = {
				.type = ORDO_F32, .count = count, .alignment = alignment};
			run_every_way(ring, options);
			run_every_way(gather, options);
		}
	/* 100 elements in 4 chunks cut at multiples of 48 are 48, 48, 0 and 4 elements; rank 0
	 * sends all twice but chunks 1 and 2. */
	struct rig rig = rig_create(
		ring, (struct ordo_plan_options){.type = ORDO_U8, .count = 100, .alignment = 48});
	uint64_t bytes = 0;
	for (uint32_t r = 0; r < 4; r++)
		bytes += ordo_plan_bytes_sent(rig.plan, r, (r + 1) % 4);
	assert_int_equal(bytes, 6 * 100);
	assert_int_equal(ordo_plan_bytes_sent(rig.plan, 0, 1), 2 * 100 - 48 - 0);
	assert_int_equal(ordo_plan_bytes_sent(rig.plan, 0, 2), 0);
	rig_destroy(&rig);
	ordo_schedule_destroy(ring);
	ordo_schedule_destroy(gather);
}

static void rounds_of_tiles_give_the_same_result(void **state)
{
	(void)state;
	enum { NSCHEDULE = 5 };
	struct ordo_schedule *schedules[NSCHEDULE] = {exchange_ring(4, false, true),
		exchange_ring(3, true, false), exchange_broadcast(3, 1, 2, false),
		exchange_alltoall(3, 2), exchange_reduce_scatter(3, 2, false)};
	for (size_t i = 0; i < NSCHEDULE; i++) {
		for (uint64_t tile = 1; tile <= 1024; tile *= 4)
			for (uint64_t count = 999; count <= 1001; count++)
				run_every_way(
					schedules[i], (struct ordo_plan_options){.type = ORDO_F64,
							      .count = count,
							      .tile_bytes = tile});
		ordo_schedule_destroy(schedules[i]);
	}
}

static void tiles_need_less_scratch(void **state)
{
	(void)state;
	struct ordo_schedule *schedule = exchange_reduce_scatter(4, 1, false);
	struct ordo_plan_options options = {
		.type = ORDO_F32, .count = 1 << 20, .tile_bytes = UINT64_MAX};
	struct ordo_plan *whole = ordo_plan_create(schedule, &options, NULL);
	options.tile_bytes = 4096;
	struct ordo_plan *tiled = ordo_plan_create(schedule, &options, NULL);
	assert_int_equal(ordo_plan_scratch_bytes(whole), UINT64_C(4) * (4 << 20));
	assert_int_equal(ordo_plan_scratch_bytes(tiled), 4 * 4096);
	ordo_plan_destroy(tiled);
	/* Slots begin on cache lines. */
	options.count = 1;
	tiled = ordo_plan_create(schedule, &options, NULL);
	assert_int_equal(ordo_plan_scratch_bytes(tiled), 4 * 64);
	ordo_plan_destroy(whole);
	ordo_plan_destroy(tiled);
	ordo_schedule_destroy(schedule);
}

/* Two ranks add to one vector of virtual shards: rank 0 has one, rank 1 two. */
static void a_rank_may_have_several_shards(void **state)
{
	(void)state;
	struct ordo_schedule *schedule = exchange_create(
		(struct ordo_problem){
			.op = ORDO_REDUCE, .nrank = 2, .nshard = 3, .chunks_per_block = 2},
		0);
	exchange_stream(schedule, 0, "main");
	exchange_move(schedule, ORDO_LOCAL_COPY, 0, 0, 2, ORDO_INPUT, 0, ORDO_OUTPUT, 0);
	exchange_signal(schedule, ORDO_NOTIFY, 1, 0);
	exchange_signal(schedule, ORDO_WAIT, 1, 1);
	exchange_stream(schedule, 1, "main");
	exchange_signal(schedule, ORDO_WAIT, 0, 0);
	exchange_move(schedule, ORDO_SEND_REDUCE, 0, 0, 2, ORDO_INPUT, 0, ORDO_OUTPUT, 0);
	exchange_move(schedule, ORDO_SEND_REDUCE, 0, 0, 1, ORDO_INPUT, 2, ORDO_OUTPUT, 0);
	exchange_move(schedule, ORDO_SEND_REDUCE, 0, 1, 1, ORDO_INPUT, 3, ORDO_OUTPUT, 1);
	exchange_signal(schedule, ORDO_NOTIFY, 0, 1);
	struct ordo_plan_options options = {.type = ORDO_I32, .count = 3};
	struct ordo_plan *plan = ordo_plan_create(schedule, &options, NULL);
	int32_t one[3] = {1, 2, 3}, two[6] = {10, 20, 30, 100, 200, 300}, sum[3];
	assert_int_equal(ordo_plan_input_bytes(plan, 1), sizeof two);
	assert_true(ordo_plan_bind(plan, 0, one, sum, NULL) &&
		    ordo_plan_bind(plan, 1, two, NULL, NULL));
	for (int drive = 0; drive < NDRIVE; drive++) {
		memset(sum, 0, sizeof sum);
		assert_true(run_plan(plan, (enum drive)drive, 1, NULL));
		assert_int_equal(sum[0], 111);
		assert_int_equal(sum[1], 222);
		assert_int_equal(sum[2], 333);
	}
	ordo_plan_destroy(plan);
	ordo_schedule_destroy(schedule);
}

/* Chunks that came into scratch or strange slots together leave them one by one. With 4 elements
 * the chunks have 2, 1 and 1. */
static void where_a_slot_lies_does_not_depend_on_how_many_are_moved(void **state)
{
	(void)state;
	struct ordo_schedule *schedule = exchange_create(
		(struct ordo_problem){.op = ORDO_ALLREDUCE, .nrank = 1, .chunks_per_block = 3}, 4);
	exchange_stream(schedule, 0, "main");
	exchange_move(schedule, ORDO_LOCAL_COPY, 0, 1, 2, ORDO_INPUT, 1, ORDO_OUTPUT, 0);
	exchange_move(schedule, ORDO_LOCAL_COPY, 0, 2, 1, ORDO_OUTPUT, 1, ORDO_SCRATCH, 0);
	exchange_move(schedule, ORDO_LOCAL_COPY, 0, 1, 1, ORDO_OUTPUT, 0, ORDO_SCRATCH, 3);
	exchange_move(schedule, ORDO_LOCAL_COPY, 0, 2, 1, ORDO_SCRATCH, 0, ORDO_OUTPUT, 2);
	exchange_move(schedule, ORDO_LOCAL_COPY, 0, 0, 2, ORDO_INPUT, 0, ORDO_SCRATCH, 1);
	exchange_move(schedule, ORDO_LOCAL_COPY, 0, 1, 1, ORDO_SCRATCH, 2, ORDO_OUTPUT, 1);
	exchange_move(schedule, ORDO_LOCAL_COPY, 0, 0, 1, ORDO_SCRATCH, 1, ORDO_OUTPUT, 0);
	for (uint64_t count = 3; count <= 4; count++)
		for (int type = 0; type < ORDO_F32_I32; type++)
			run_every_way(
				schedule, (struct ordo_plan_options){
						  .type = (enum ordo_type)type, .count = count});
	ordo_schedule_destroy(schedule);
}

static void a_thousand_ranks_run_on_two_workers(void **state)
{
	(void)state;
	struct ordo_schedule *schedule = exchange_broadcast(1024, 511, 2, false);
	struct rig rig =
		rig_create(schedule, (struct ordo_plan_options){.type = ORDO_I32, .count = 5});
	for (uint32_t call = 0; call < 10; call++)
		rig_run(&rig, BY_2_WORKERS, 0, call);
	rig_run(&rig, BY_SEED, 7, 10);
	rig_destroy(&rig);
	ordo_schedule_destroy(schedule);
	schedule = exchange_ring(128, false, true);
	rig = rig_create(schedule, (struct ordo_plan_options){.type = ORDO_I32, .count = 200});
	for (uint32_t call = 0; call < 3; call++)
		rig_run(&rig, call < 2 ? BY_2_WORKERS : BY_RANK_THREADS, 0, call);
	rig_destroy(&rig);
	ordo_schedule_destroy(schedule);
}

/* Ranks 0 and 1 write one slot of rank 2, and nothing orders them. */
static struct ordo_schedule *create_race(void)
{
	struct ordo_schedule *schedule = exchange_create(
		(struct ordo_problem){.op = ORDO_ALLGATHER, .nrank = 3, .chunks_per_block = 1}, 1);
	for (uint32_t r = 0; r < 2; r++) {
		exchange_stream(schedule, r, "main");
		exchange_move(schedule, ORDO_SEND, 2, r, 1, ORDO_INPUT, 0, ORDO_OUTPUT, 0);
	}
	return schedule;
}

static void the_seed_alone_decides_the_interleaving(void **state)
{
	(void)state;
	struct ordo_schedule *schedule = create_race();
	struct ordo_plan_options options = {.type = ORDO_U8, .count = 1};
	struct ordo_plan *plan = ordo_plan_create(schedule, &options, NULL);
	uint8_t input[3] = {0, 1, 2}, output[3][3] = {{0}};
	for (uint32_t r = 0; r < 3; r++)
		assert_true(ordo_plan_bind(plan, r, &input[r], output[r], NULL));
	int nwon[2] = {0};
	for (uint64_t seed = 0; seed < 100; seed++) {
		assert_true(ordo_plan_run_seeded(plan, seed, NULL));
		const uint8_t winner = output[2][0];
		nwon[winner]++;
		assert_true(ordo_plan_run_seeded(plan, seed, NULL));
		assert_int_equal(output[2][0], winner);
	}
	assert_true(nwon[0] > 25 && nwon[1] > 25);
	ordo_plan_destroy(plan);
	ordo_schedule_destroy(schedule);
}

/* Runs a schedule that deadlocks, on every transport, and looks for texts in the error, up to a
 * NULL. */
static void expect_deadlock(struct ordo_schedule *schedule, const char *const *texts)
{
	for (int drive = 0; drive < NDRIVE; drive++) {
		struct rig rig = rig_create(
			schedule, (struct ordo_plan_options){.type = ORDO_F32, .count = 8});
		struct ordo_error error = {0}, again = {0};
		assert_false(run_plan(rig.plan, (enum drive)drive, 3, &error));
		assert_int_equal(error.code, ORDO_REFUTED);
		assert_int_equal(error.rule, 7);
		for (const char *const *text = texts; *text; text++)
			if (!strstr(error.text, *text))
				fail_msg("\"%s\" is not in the error: %s", *text, error.text);
		assert_false(run_plan(rig.plan, (enum drive)((drive + 1) % NDRIVE), 3, &again));
		assert_string_equal(again.text, error.text);
		assert_false(ordo_plan_run_rank(rig.plan, 0, &again));
		assert_string_equal(again.text, error.text);
		rig_destroy(&rig);
	}
	ordo_schedule_destroy(schedule);
}

static void remove_task(struct ordo_schedule *schedule, uint32_t task)
{
	memmove(&schedule->tasks[task], &schedule->tasks[task + 1],
		(schedule->ntask - task - 1) * sizeof *schedule->tasks);
	schedule->ntask--;
	for (uint32_t s = 0; s < schedule->nstream; s++) {
		schedule->streams[s].first -= schedule->streams[s].first > task;
		schedule->streams[s].end -= schedule->streams[s].end > task;
	}
}

static void a_missing_notify_is_named(void **state)
{
	(void)state;
	struct ordo_schedule *schedule = exchange_broadcast(3, 0, 1, false);
	remove_task(schedule, schedule->streams[2].first);
	expect_deadlock(schedule, (const char *const[]){"deadlock: 2 streams wait",
					  "rank 0, stream \"main\", task 4 (Wait 2 signal 0) waits "
					  "for signal 0 of rank 2, which nobody notifies",
					  NULL});
	schedule = exchange_ring(3, false, true);
	remove_task(schedule, schedule->streams[1].end - 2); /* rank 0's last Notify */
	expect_deadlock(schedule,
		(const char *const[]){"rank 1, stream \"ring\", task 14 (Wait 0 signal 1) waits "
				      "for rank 0, stream \"ring\", which has ended",
			NULL});
}

static void a_circle_of_waiting_streams_is_named(void **state)
{
	(void)state;
	struct ordo_schedule *schedule = exchange_create(
		(struct ordo_problem){.op = ORDO_ALLREDUCE, .nrank = 3, .chunks_per_block = 1}, 0);
	for (uint32_t r = 0; r < 3; r++) {
		exchange_stream(schedule, r, "one");
		exchange_signal(schedule, ORDO_WAIT, (r + 1) % 3, 5);
		exchange_signal(schedule, ORDO_NOTIFY, (r + 2) % 3, 5);
	}
	expect_deadlock(
		schedule, (const char *const[]){"3 streams wait",
				  "rank 0, stream \"one\", task 0 (Wait 1 signal 5) waits for "
				  "rank 1, stream \"one\", task 0 (Wait 2 signal 5)",
				  "rank 1, stream \"one\", task 0 (Wait 2 signal 5) waits for "
				  "rank 2, stream \"one\", task 0 (Wait 0 signal 5)",
				  "rank 2, stream \"one\", task 0 (Wait 0 signal 5) waits for "
				  "rank 0, stream \"one\", task 0 (Wait 1 signal 5)",
				  NULL});
}

static void a_notify_that_comes_too_late_is_named(void **state)
{
	(void)state;
	struct ordo_schedule *schedule = exchange_create(
		(struct ordo_problem){.op = ORDO_ALLREDUCE, .nrank = 2, .chunks_per_block = 1}, 0);
	for (uint32_t r = 0; r < 2; r++) {
		exchange_stream(schedule, r, "one");
		exchange_signal(schedule, ORDO_NOTIFY, 1 - r, 0);
		for (uint32_t i = 0; i <= r; i++)
			exchange_signal(schedule, ORDO_WAIT, 1 - r, 0);
		exchange_stream(schedule, r, "two");
		exchange_signal(schedule, ORDO_NOTIFY, r, 1);
		exchange_stream(schedule, r, "three");
		exchange_signal(schedule, ORDO_WAIT, r, 1);
	}
	expect_deadlock(
		schedule, (const char *const[]){"1 stream waits",
				  "rank 1, stream \"one\", task 2 (Wait 0 signal 0) waits for "
				  "rank 0, stream \"one\", which has ended",
				  NULL});
}

static void a_rank_that_does_not_enter_is_named(void **state)
{
	(void)state;
	struct ordo_schedule *schedule = exchange_ring(3, false, false);
	struct rig rig = rig_create(schedule,
		(struct ordo_plan_options){.type = ORDO_F32, .count = 8, .watchdog_ms = 20});
	struct ordo_error error = {0};
	assert_false(ordo_plan_run_rank(rig.plan, 1, &error));
	assert_int_equal(error.code, ORDO_ENVIRONMENT);
	assert_non_null(
		strstr(error.text, "rank 1, stream \"copy\", task 2 (Wait 2 signal 0) waits for "
				   "rank 2, stream \"copy\", which has not entered the call"));
	assert_false(ordo_plan_run_rank(rig.plan, 2, &error));
	rig_destroy(&rig);
	ordo_schedule_destroy(schedule);
}

static void an_unproved_send_to_an_unbound_rank_is_an_error(void **state)
{
	(void)state;
	struct ordo_schedule *schedule = create_race();
	struct ordo_plan_options options = {.type = ORDO_U8, .count = 1};
	struct ordo_plan *plan = ordo_plan_create(schedule, &options, NULL);
	uint8_t input = 0, output[3];
	struct ordo_error error = {0};
	assert_true(ordo_plan_bind(plan, 0, &input, output, NULL));
	assert_false(ordo_plan_run_rank(plan, 0, &error));
	assert_int_equal(error.rule, 9);
	assert_non_null(strstr(error.text, "rank 0, stream \"main\", task 0 (Send 2 chunk 0 input "
					   "0 -> output 0): rank 2 has no buffers"));
	assert_false(ordo_plan_run_seeded(plan, 0, &error));
	ordo_plan_destroy(plan);
	ordo_schedule_destroy(schedule);
}

static void a_plan_wants_buffers_that_fit(void **state)
{
	(void)state;
	unsigned char memory[400];
	struct ordo_error error;
	struct ordo_plan_options options = {.type = ORDO_U8, .count = 100};
	struct ordo_schedule *schedule = exchange_ring(2, false, false);
	struct ordo_plan *plan = ordo_plan_create(schedule, &options, NULL);
	assert_false(ordo_plan_bind(plan, 2, memory, memory + 100, &error));
	assert_non_null(strstr(error.text, "there is no rank 2"));
	assert_false(ordo_plan_bind(plan, 1, memory, NULL, &error));
	assert_non_null(strstr(error.text, "rank 1: the output is NULL, wanted 100 bytes"));
	assert_false(ordo_plan_bind(plan, 1, memory, memory + 99, &error));
	assert_non_null(strstr(error.text, "input and output overlap"));
	assert_true(ordo_plan_bind(plan, 0, memory, memory + 100, &error));
	assert_false(ordo_plan_run_seeded(plan, 0, &error));
	assert_non_null(strstr(error.text, "rank 1 has no buffers"));
	assert_false(ordo_plan_run_threads(plan, 2, &error));
	assert_false(ordo_plan_run_rank(plan, 1, &error));
	ordo_plan_destroy(plan);
	ordo_schedule_destroy(schedule);

	schedule = exchange_reduce_scatter(2, 1, true);
	plan = ordo_plan_create(schedule, &options, NULL);
	assert_int_equal(ordo_plan_input_bytes(plan, 1), 200);
	assert_int_equal(ordo_plan_output_bytes(plan, 1), 100);
	assert_false(ordo_plan_bind(plan, 1, memory, memory, &error));
	assert_non_null(strstr(
		error.text, "its output is not the memory 100 bytes after the start of its input"));
	assert_false(ordo_plan_bind(plan, 1, NULL, memory, &error));
	assert_true(ordo_plan_bind(plan, 1, memory, memory + 100, &error));
	assert_true(ordo_plan_bind(plan, 1, memory, NULL, &error));
	ordo_plan_destroy(plan);
	ordo_schedule_destroy(schedule);
}

/* Creates a plan that must not be, and looks at the rule and the text. */
static void expect_refused(struct ordo_schedule *schedule, int rule, const char *text)
{
	struct ordo_error error = {0};
	struct ordo_plan_options options = {.type = ORDO_F32, .count = 5};
	assert_null(ordo_plan_create(schedule, &options, &error));
	if (error.rule != rule || !strstr(error.text, text))
		fail_msg("wanted R%d \"%s\", found R%d \"%s\"", rule, text, error.rule, error.text);
	ordo_schedule_destroy(schedule);
}

static struct ordo_schedule *create_allreduce(void)
{
	struct ordo_schedule *schedule = exchange_create(
		(struct ordo_problem){.op = ORDO_ALLREDUCE, .nrank = 2, .chunks_per_block = 3}, 2);
	exchange_stream(schedule, 0, "main");
	return schedule;
}

static void expect_move_refused(enum ordo_task_kind kind, uint32_t peer, uint32_t chunk,
	uint32_t count, enum ordo_buffer src_buffer, uint32_t src, enum ordo_buffer dst_buffer,
	uint32_t dst, int rule, const char *text)
{
	struct ordo_schedule *schedule = create_allreduce();
	exchange_move(schedule, kind, peer, chunk, count, src_buffer, src, dst_buffer, dst);
	expect_refused(schedule, rule, text);
}

static void tasks_that_leave_their_buffers_are_refused(void **state)
{
	(void)state;
	const uint32_t huge = UINT32_MAX - 1;
	expect_move_refused(
		ORDO_SEND, 2, 0, 1, ORDO_INPUT, 0, ORDO_OUTPUT, 0, 2, "there are only 2 ranks");
	expect_move_refused(
		ORDO_SEND, 0, 0, 1, ORDO_INPUT, 0, ORDO_OUTPUT, 0, 2, "does not send to itself");
	expect_move_refused(
		ORDO_LOCAL_COPY, 0, 3, 1, ORDO_INPUT, 0, ORDO_OUTPUT, 0, 3, "there are 3 chunks");
	expect_move_refused(ORDO_LOCAL_COPY, 0, 2, huge, ORDO_INPUT, 0, ORDO_OUTPUT, 0, 3,
		"there are 3 chunks");
	expect_move_refused(
		ORDO_LOCAL_COPY, 0, 0, 0, ORDO_INPUT, 0, ORDO_OUTPUT, 0, 3, "at least one");
	expect_move_refused(ORDO_LOCAL_COPY, 0, 0, 2, ORDO_INPUT, 2, ORDO_OUTPUT, 0, 3,
		"input of rank 0 has 3 slots");
	expect_move_refused(ORDO_SEND, 1, 0, 2, ORDO_INPUT, 0, ORDO_OUTPUT, huge, 3,
		"output of rank 1 has 3 slots");
	expect_move_refused(ORDO_LOCAL_COPY, 0, 0, 1, ORDO_INPUT, 0, ORDO_SCRATCH, 2, 3,
		"scratch of rank 0 has 2 slots");
	expect_move_refused(
		ORDO_LOCAL_COPY, 0, 0, 1, ORDO_OUTPUT, 0, ORDO_INPUT, 0, 4, "input is written");
	expect_move_refused((enum ordo_task_kind)6, 0, 0, 1, ORDO_INPUT, 0, ORDO_OUTPUT, 0, 1,
		"there is no kind 6");
	expect_move_refused(ORDO_LOCAL_COPY, 0, 0, 1, (enum ordo_buffer)3, 0, ORDO_OUTPUT, 0, 1,
		"no such buffer");
	expect_move_refused(ORDO_LOCAL_COPY, 0, 0, 1, ORDO_INPUT, 0, ORDO_OUTPUT, 2, 0,
		"rank 0, stream \"main\", task 0 (LocalCopy chunk 0 input 0 -> output 2): chunk 0 "
		"has 2 elements with these counts, output 2 of rank 0 only 1");
	struct ordo_schedule *schedule = create_allreduce();
	exchange_signal(schedule, ORDO_NOTIFY, 2, 0);
	expect_refused(schedule, 2, "there are only 2 ranks");
}

static void signals_of_two_streams_are_refused(void **state)
{
	(void)state;
	struct ordo_schedule *schedule = create_allreduce();
	exchange_signal(schedule, ORDO_NOTIFY, 1, 7);
	exchange_stream(schedule, 0, "other");
	exchange_signal(schedule, ORDO_NOTIFY, 1, 7);
	expect_refused(schedule, 5,
		"rank 0, stream \"other\", task 0 (Notify 1 signal 7): stream \"main\" of this "
		"rank notifies");
	schedule = create_allreduce();
	exchange_signal(schedule, ORDO_WAIT, 1, 7);
	exchange_stream(schedule, 0, "other");
	exchange_signal(schedule, ORDO_WAIT, 1, 7);
	expect_refused(schedule, 5, "stream \"main\" of this rank waits for the same signal");
}

static void streams_of_a_rank_must_stand_together(void **state)
{
	(void)state;
	struct ordo_schedule *schedule = create_allreduce();
	exchange_stream(schedule, 1, "main");
	exchange_stream(schedule, 0, "again");
	expect_refused(schedule, 2, "the streams of rank 0: found one of rank 1 among them");
}

static void requests_that_make_no_sense_are_refused(void **state)
{
	(void)state;
	struct ordo_schedule *schedule = create_allreduce();
	struct ordo_error error;
	struct ordo_plan_options options = {.type = ORDO_F64, .count = UINT64_C(1) << 60};
	assert_null(ordo_plan_create(schedule, &options, &error));
	assert_int_equal(error.code, ORDO_USAGE);
	assert_non_null(strstr(error.text, "2^60 bytes"));
	options = (struct ordo_plan_options){.type = (enum ordo_type)ORDO_NTYPE_AND_STATE};
	assert_null(ordo_plan_create(schedule, &options, &error));
	ordo_schedule_destroy(schedule);
	schedule = exchange_alltoall(2, 1);
	const uint64_t block_count[4] = {1, UINT64_MAX - 2, 1, 1};
	options = (struct ordo_plan_options){.type = ORDO_U8, .block_count = block_count};
	assert_null(ordo_plan_create(schedule, &options, &error));
	assert_non_null(strstr(error.text, "2^60 bytes"));
	ordo_schedule_destroy(schedule);
}

/* Slots of scratch begin on cache lines, so that chunks of few elements have gaps between them
 * there. */
static void a_replay_moves_chunks_between_gaps_in_every_call(void **state)
{
	(void)state;
	enum { COUNT = 10, NCALL = 2 };
	struct ordo_schedule *schedule = exchange_create(
		(struct ordo_problem){.op = ORDO_BROADCAST, .nrank = 2, .chunks_per_block = 2}, 2);
	exchange_stream(schedule, 0, "send");
	exchange_signal(schedule, ORDO_WAIT, 1, 0);
	exchange_move(schedule, ORDO_SEND, 1, 0, 2, ORDO_INPUT, 0, ORDO_SCRATCH, 0);
	exchange_signal(schedule, ORDO_NOTIFY, 1, 0);
	exchange_move(schedule, ORDO_LOCAL_COPY, 0, 0, 2, ORDO_INPUT, 0, ORDO_OUTPUT, 0);
	exchange_stream(schedule, 1, "receive");
	exchange_signal(schedule, ORDO_NOTIFY, 0, 0);
	exchange_signal(schedule, ORDO_WAIT, 0, 0);
	exchange_move(schedule, ORDO_LOCAL_COPY, 0, 0, 2, ORDO_SCRATCH, 0, ORDO_OUTPUT, 0);
	struct ordo_run steps[] = {{1, 1}, {0, 4}, {1, 2}, {1, 1}, {0, 4}, {1, 2}};
	const struct ordo_interleaving interleaving = {
		.runs = steps, .nrun = sizeof steps / sizeof *steps};
	struct ordo_error error = {0};
	struct ordo_plan *plan = ordo_plan_create(schedule,
		&(struct ordo_plan_options){
			.type = ORDO_F32, .count = COUNT, .tile_bytes = UINT64_MAX},
		&error);
	assert_non_null(plan);
	float input[COUNT], outputs[2][COUNT] = {{0}};
	for (int i = 0; i < COUNT; i++)
		input[i] = (float)i + 1;
	assert_true(ordo_plan_bind(plan, 0, input, outputs[0], &error));
	assert_true(ordo_plan_bind(plan, 1, NULL, outputs[1], &error));
	if (!ordo_plan_run_replay(plan, &interleaving, NCALL, NULL, &error))
		fail_msg("%s", error.text);
	assert_memory_equal(outputs[0], input, sizeof input);
	assert_memory_equal(outputs[1], input, sizeof input);
	ordo_plan_destroy(plan);
	ordo_schedule_destroy(schedule);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_replay_moves_chunks_between_gaps_in_every_call),
		cmocka_unit_test(a_ring_of_any_size_sums_every_count),
		cmocka_unit_test(a_broadcast_reaches_every_rank_from_every_root),
		cmocka_unit_test(blocks_are_exchanged_gathered_and_scattered),
		cmocka_unit_test(every_type_and_reduction_runs),
		cmocka_unit_test(averages_are_divided_once),
		cmocka_unit_test(averages_of_more_than_2_to_the_24_are_refused),
		cmocka_unit_test(blocks_may_differ_in_size),
		cmocka_unit_test(chunks_begin_at_multiples_of_the_alignment),
		cmocka_unit_test(rounds_of_tiles_give_the_same_result),
		cmocka_unit_test(tiles_need_less_scratch),
		cmocka_unit_test(a_rank_may_have_several_shards),
		cmocka_unit_test(where_a_slot_lies_does_not_depend_on_how_many_are_moved),
		cmocka_unit_test(a_thousand_ranks_run_on_two_workers),
		cmocka_unit_test(the_seed_alone_decides_the_interleaving),
		cmocka_unit_test(a_missing_notify_is_named),
		cmocka_unit_test(a_circle_of_waiting_streams_is_named),
		cmocka_unit_test(a_notify_that_comes_too_late_is_named),
		cmocka_unit_test(a_rank_that_does_not_enter_is_named),
		cmocka_unit_test(an_unproved_send_to_an_unbound_rank_is_an_error),
		cmocka_unit_test(a_plan_wants_buffers_that_fit),
		cmocka_unit_test(tasks_that_leave_their_buffers_are_refused),
		cmocka_unit_test(signals_of_two_streams_are_refused),
		cmocka_unit_test(streams_of_a_rank_must_stand_together),
		cmocka_unit_test(requests_that_make_no_sense_are_refused),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
