/* test_drifting.c - thousands of calls back to back, with ranks that drift: several calls under
 * way, started and waited for, tested or simply made; one communicator beside another with the same
 * collectives; and all ranks driven by one call now and then.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
/* cmocka wants those before it. */
#include "exchanges.h"
#include "rig.h"
#include <cmocka.h>
#include <ordo/communicator.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define WATCHDOG_S 300
#define NCALL 1000
#define NRANK 5
#define NLINE 4 /* calls of a rank in flight, each with buffers of its own */

/* What ranks do in turn: call k is that of number k mod NKIND, on the buffers of line k mod
 * NLINE. */
#define NKIND 5
/* Elements of a block. Second and last two are so few that every rank folds for itself; an odd
 * number of kinds lets them follow each other in every slot. */
static const uint64_t counts[NKIND] = {3000, 3, 40, 5, 20};
struct kind {
	struct ordo_schedule *schedule;
	struct ordo_collective *collective;
	struct rig rigs[NLINE];
};
static struct kind kinds[NKIND];

static int make_kinds(void **state)
{
	(void)state;
	struct ordo_schedule *const schedules[NKIND] = {exchange_ring(NRANK, false, true),
		exchange_alltoall(NRANK, 2), exchange_reduce_scatter(NRANK, 1, true),
		exchange_broadcast(NRANK, 3, 2, false), exchange_ring(NRANK, true, false)};
	for (int i = 0; i < NKIND; i++) {
		const struct ordo_plan_options options = {
			.type = ORDO_I32, .count = counts[i], .alignment = 1};
		kinds[i].schedule = schedules[i];
		kinds[i].collective = ordo_collective_create(schedules[i], &options, NULL);
		if (!kinds[i].collective)
			return -1;
	}
	return 0;
}

static void make_rigs(void)
{
	for (int i = 0; i < NKIND; i++)
		for (int line = 0; line < NLINE; line++)
			kinds[i].rigs[line] = rig_create(kinds[i].schedule,
				(struct ordo_plan_options){.type = ORDO_I32, .count = counts[i]});
}

static void destroy_rigs(void)
{
	for (int i = 0; i < NKIND; i++)
		for (int line = 0; line < NLINE; line++)
			rig_destroy(&kinds[i].rigs[line]);
}

static int destroy_kinds(void **state)
{
	(void)state;
	for (int i = 0; i < NKIND; i++) {
		ordo_collective_destroy(kinds[i].collective);
		ordo_schedule_destroy(kinds[i].schedule);
	}
	return 0;
}

static uint32_t draw(uint64_t *random)
{
	*random = *random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (uint32_t)(*random >> 40);
}

static void dawdle(uint64_t *random)
{
	const struct timespec pause = {0, draw(random) % 100000};
	const uint32_t how = draw(random) % 16;
	if (how == 0)
		nanosleep(&pause, NULL);
	else if (how < 4)
		sched_yield();
}

struct rank {
	pthread_t thread;
	struct ordo_communicator *communicator;
	uint32_t rank, ncall;
	uint64_t random;
	const char *wrong; /* NULL: nothing */
	struct ordo_error error;
	struct {
		bool under_way;
		struct ordo_ticket ticket;
	} lines[NLINE];
};

static const struct rig *rig_of(uint32_t call)
{
	return &kinds[call % NKIND].rigs[call / NKIND % NLINE];
}

static void look_at_result(struct rank *rank, uint32_t call)
{
	uint64_t element;
	const struct rig *rig = rig_of(call);
	if (!rig_is_right(rig, rank->rank, call, &element))
		rank->wrong = "a wrong result";
}

/* Ends the call that line has in flight. */
static void end_line(struct rank *rank, uint32_t call)
{
	enum ordo_call_state state = ORDO_UNDER_WAY;
	struct ordo_ticket *ticket = &rank->lines[call % NLINE].ticket;
	if (draw(&rank->random) % 2)
		state = ordo_communicator_wait(rank->communicator, ticket, &rank->error)
				? ORDO_OVER
				: ORDO_FAILED;
	for (; state == ORDO_UNDER_WAY; dawdle(&rank->random))
		state = ordo_communicator_test(rank->communicator, ticket, &rank->error);
	rank->lines[call % NLINE].under_way = false;
	if (state == ORDO_FAILED)
		rank->wrong = rank->error.text;
	else
		look_at_result(rank, call);
}

static struct ordo_part part_of(uint32_t rank, uint32_t call)
{
	const struct rig *rig = rig_of(call);
	return (struct ordo_part){.collective = kinds[call % NKIND].collective,
		.input = rig->inputs[rank],
		.output = rig->outputs[rank],
		.deadline_ms = 60000};
}

static void *call_often(void *argument)
{
	struct rank *rank = argument;
	uint32_t call = 0;
	for (; call < rank->ncall && !rank->wrong; call++) {
		if (call >= NLINE && rank->lines[call % NLINE].under_way)
			end_line(rank, call - NLINE);
		const struct ordo_part part = part_of(rank->rank, call);
		dawdle(&rank->random);
		rig_fill(rig_of(call), rank->rank, call);
		if (draw(&rank->random) % 2) {
			rank->lines[call % NLINE].under_way = true;
			if (!ordo_communicator_start(rank->communicator, rank->rank, &part,
				    &rank->lines[call % NLINE].ticket, &rank->error))
				rank->wrong = rank->error.text;
		} else if (ordo_communicator_run(
				   rank->communicator, rank->rank, &part, &rank->error)) {
			look_at_result(rank, call);
		} else {
			rank->wrong = rank->error.text;
		}
	}
	for (uint32_t last = call < NLINE ? 0 : call - NLINE; last < call && !rank->wrong; last++)
		if (rank->lines[last % NLINE].under_way)
			end_line(rank, last);
	return NULL;
}

static struct ordo_communicator *make_communicator(uint32_t nhelper, uint32_t depth)
{
	struct ordo_error error;
	const struct ordo_communicator_options options = {
		.nrank = NRANK, .nhelper = nhelper, .depth = depth};
	alarm(WATCHDOG_S); /* for each communicator anew */
	struct ordo_communicator *communicator = ordo_communicator_create(&options, &error);
	if (!communicator)
		fail_msg("%s", error.text);
	return communicator;
}

static void let_drift(struct rank *ranks, struct ordo_communicator *communicator, uint32_t ncall)
{
	for (uint32_t r = 0; r < NRANK; r++) {
		ranks[r] = (struct rank){.communicator = communicator,
			.rank = r,
			.ncall = ncall,
			.random = r + ncall};
		assert_int_equal(pthread_create(&ranks[r].thread, NULL, call_often, &ranks[r]), 0);
	}
}

static void expect_right(struct rank *ranks)
{
	for (uint32_t r = 0; r < NRANK; r++)
		pthread_join(ranks[r].thread, NULL);
	for (uint32_t r = 0; r < NRANK; r++)
		if (ranks[r].wrong)
			fail_msg("rank %u: %s", r, ranks[r].wrong);
}

static void ranks_drift(uint32_t nhelper, uint32_t depth)
{
	struct rank ranks[NRANK];
	struct ordo_communicator *communicator = make_communicator(nhelper, depth);
	make_rigs();
	let_drift(ranks, communicator, NCALL);
	expect_right(ranks);
	destroy_rigs();
	ordo_communicator_destroy(communicator);
}

static void ranks_drift_without_helpers(void **state)
{
	(void)state;
	ranks_drift(0, 16);
}

static void ranks_drift_with_helpers(void **state)
{
	(void)state;
	ranks_drift(1, 16);
	ranks_drift(3, 16);
}

/* Fewer calls may be in flight than the ranks would like: who starts one more waits for the
 * oldest. */
static void ranks_drift_at_little_depth(void **state)
{
	(void)state;
	ranks_drift(1, 1);
	ranks_drift(0, 2);
}

/* Two crowds on communicators of their own, which know nothing of each other, with the same
 * collectives. */
struct crowd {
	pthread_t thread;
	struct ordo_communicator *communicator;
	uint32_t nwrong, nfailed;
};

static void *call_together(void *argument)
{
	struct crowd *crowd = argument;
	for (uint32_t call = 0; call < NCALL; call++) {
		const struct kind *kind = &kinds[call % NKIND];
		struct rig rig = rig_create(kind->schedule, kind->rigs[0].options);
		struct ordo_part parts[NRANK];
		for (uint32_t r = 0; r < NRANK; r++) {
			rig_fill(&rig, r, call);
			parts[r] = (struct ordo_part){
				kind->collective, rig.inputs[r], rig.outputs[r], 0};
		}
		crowd->nfailed += !ordo_communicator_run_all(crowd->communicator, parts, NULL);
		uint64_t element;
		for (uint32_t r = 0; r < NRANK; r++)
			crowd->nwrong += !rig_is_right(&rig, r, call, &element);
		rig_destroy(&rig);
	}
	return NULL;
}

static void crowds_share_collectives(void **state)
{
	(void)state;
	struct crowd crowds[3];
	struct rank ranks[NRANK];
	struct ordo_communicator *communicator = make_communicator(1, 16);
	make_rigs();
	for (uint32_t i = 0; i < 3; i++) {
		crowds[i] = (struct crowd){.communicator = make_communicator(i, 16)};
		assert_int_equal(
			pthread_create(&crowds[i].thread, NULL, call_together, &crowds[i]), 0);
	}
	let_drift(ranks, communicator, NCALL / 4);
	expect_right(ranks);
	for (uint32_t i = 0; i < 3; i++) {
		pthread_join(crowds[i].thread, NULL);
		assert_int_equal(crowds[i].nfailed, 0);
		assert_int_equal(crowds[i].nwrong, 0);
		ordo_communicator_destroy(crowds[i].communicator);
	}
	destroy_rigs();
	ordo_communicator_destroy(communicator);
}

/* One thread starts the calls of all ranks, many of them, and waits for them in any order. */
static void one_thread_starts_them_all(void **state)
{
	(void)state;
	struct ordo_communicator *communicator = make_communicator(1, NLINE);
	make_rigs();
	for (uint32_t round = 0; round < NCALL / NLINE; round++) {
		struct ordo_ticket tickets[NLINE][NRANK];
		struct ordo_error error;
		for (uint32_t r = 0; r < NRANK; r++)
			for (uint32_t line = 0; line < NLINE; line++) {
				const uint32_t call = round * NLINE + line;
				const struct ordo_part part = part_of(r, call);
				rig_fill(rig_of(call), r, call);
				if (!ordo_communicator_start(
					    communicator, r, &part, &tickets[line][r], &error))
					fail_msg("%s", error.text);
			}
		for (uint32_t i = 0; i < NLINE * NRANK; i++) {
			const uint32_t line = NLINE - 1 - i % NLINE, r = i / NLINE;
			if (!ordo_communicator_wait(communicator, &tickets[line][r], &error))
				fail_msg("%s", error.text);
		}
		uint64_t element;
		for (uint32_t i = 0; i < NLINE * NRANK; i++)
			assert_true(rig_is_right(rig_of(round * NLINE + i % NLINE), i / NLINE,
				round * NLINE + i % NLINE, &element));
	}
	destroy_rigs();
	ordo_communicator_destroy(communicator);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ranks_drift_without_helpers),
		cmocka_unit_test(ranks_drift_with_helpers),
		cmocka_unit_test(ranks_drift_at_little_depth),
		cmocka_unit_test(crowds_share_collectives),
		cmocka_unit_test(one_thread_starts_them_all),
	};
	return cmocka_run_group_tests(tests, make_kinds, destroy_kinds);
}
