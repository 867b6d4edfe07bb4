/* test_faults.c - a rank that does not come, comes late, dies, comes with something else, comes
 * twice or gives up: every other one is told who it was, in its time; nothing of a failed call was
 * touched; and afterwards all goes on as if nothing had been.
 *
 * A watchdog ends the test if anybody hangs. It waits for each party anew.
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
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define NRANK 4
#define ODD 2 /* the rank that is at fault */
/* Elements of a vector: all tests run with many, whose calls the last rank launches, and with few,
 * which every rank folds for itself. */
enum { MANY = 300, FEW = 20 };
static uint64_t count = MANY;
#define DEADLINE_MS 60
/* A loaded machine may be so late. */
#define SLACK_MS 20000
#define WATCHDOG_S 300

static uint64_t now_ms(void)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

static void pause_ms(uint32_t ms)
{
	const struct timespec pause = {ms / 1000, ms % 1000 * 1000000L};
	nanosleep(&pause, NULL);
}

/* A communicator, and a collective with its buffers. */
struct party {
	struct ordo_schedule *schedule;
	struct rig rig;
	struct ordo_collective *collective;
	struct ordo_communicator *communicator;
};

/* What one rank does in one call, on a thread of its own, and what came of it. */
struct guest {
	pthread_t thread;
	const struct party *party;
	uint32_t rank;
	bool stays_away;
	pthread_barrier_t *door; /* where all who come meet before; NULL: none */
	uint32_t delay_ms, deadline_ms;
	const struct ordo_collective *collective; /* NULL: the party's */
	bool starts_and_dies;			  /* starts the call, and the thread ends */

	bool worked;
	uint64_t took_ms;
	struct ordo_ticket ticket;
	struct ordo_error error;
};

static struct ordo_collective *make_collective(
	const struct ordo_schedule *schedule, struct ordo_plan_options options)
{
	struct ordo_error error;
	struct ordo_collective *collective = ordo_collective_create(schedule, &options, &error);
	if (!collective)
		fail_msg("%s", error.text);
	return collective;
}

static struct ordo_plan_options usual(void)
{
	return (struct ordo_plan_options){.type = ORDO_I32, .count = count};
}

static struct party begin_party(struct ordo_schedule *schedule, uint32_t nhelper)
{
	struct ordo_error error;
	const struct ordo_communicator_options options = {
		.nrank = NRANK, .nhelper = nhelper, .deadline_ms = DEADLINE_MS, .depth = 4};
	struct party party = {.schedule = schedule, .rig = rig_create(schedule, usual())};
	alarm(WATCHDOG_S);
	party.collective = make_collective(schedule, usual());
	party.communicator = ordo_communicator_create(&options, &error);
	if (!party.communicator)
		fail_msg("%s", error.text);
	return party;
}

static void end_party(struct party *party)
{
	ordo_communicator_destroy(party->communicator);
	ordo_collective_destroy(party->collective);
	rig_destroy(&party->rig);
	ordo_schedule_destroy(party->schedule);
}

static struct ordo_part part_of(const struct party *party, uint32_t rank)
{
	return (struct ordo_part){.collective = party->collective,
		.input = party->rig.inputs[rank],
		.output = party->rig.outputs[rank]};
}

static void *attend(void *argument)
{
	struct guest *guest = argument;
	const struct party *party = guest->party;
	struct ordo_part part = part_of(party, guest->rank);
	part.deadline_ms = guest->deadline_ms;
	if (guest->collective)
		part.collective = guest->collective;
	if (guest->door)
		pthread_barrier_wait(guest->door);
	pause_ms(guest->delay_ms);
	const uint64_t begin = now_ms();
	if (guest->starts_and_dies)
		guest->worked = ordo_communicator_start(
			party->communicator, guest->rank, &part, &guest->ticket, &guest->error);
	else
		guest->worked = ordo_communicator_run(
			party->communicator, guest->rank, &part, &guest->error);
	guest->took_ms = now_ms() - begin;
	return NULL;
}

static void invite(struct guest *guests, const struct party *party)
{
	for (uint32_t r = 0; r < NRANK; r++) {
		guests[r] = (struct guest){.party = party, .rank = r};
		rig_fill(&party->rig, r, 1);
	}
}

static void let_them_come(struct guest *guests)
{
	pthread_barrier_t door;
	uint32_t ncoming = 0;
	for (uint32_t r = 0; r < NRANK; r++) {
		guests[r].door = &door;
		ncoming += !guests[r].stays_away;
	}
	pthread_barrier_init(&door, NULL, ncoming);
	for (uint32_t r = 0; r < NRANK; r++)
		if (!guests[r].stays_away)
			assert_int_equal(
				pthread_create(&guests[r].thread, NULL, attend, &guests[r]), 0);
	for (uint32_t r = 0; r < NRANK; r++)
		if (!guests[r].stays_away)
			pthread_join(guests[r].thread, NULL);
	pthread_barrier_destroy(&door);
	for (uint32_t r = 0; r < NRANK; r++)
		guests[r].door = NULL;
}

static void expect_failure(const struct guest *guest, const char *words)
{
	if (guest->worked)
		fail_msg("rank %u: the call worked, though it had to say \"%s\"", guest->rank,
			words);
	if (!strstr(guest->error.text, words))
		fail_msg("rank %u says \"%s\", wanted \"%s\"", guest->rank, guest->error.text,
			words);
	const uint64_t deadline_ms = guest->deadline_ms ? guest->deadline_ms : DEADLINE_MS;
	if (guest->took_ms > deadline_ms + SLACK_MS)
		fail_msg("rank %u waited %llu ms, wanted %llu", guest->rank,
			(unsigned long long)guest->took_ms, (unsigned long long)deadline_ms);
}

static void expect_failure_everywhere(const struct guest *guests, const char *words)
{
	for (uint32_t r = 0; r < NRANK; r++)
		if (!guests[r].stays_away)
			expect_failure(&guests[r], words);
}

/* Inputs are as they were filled, outputs as they were spoilt. */
static void expect_untouched(const struct party *party)
{
	const struct rig *rig = &party->rig;
	for (uint32_t r = 0; r < NRANK; r++)
		for (uint64_t i = 0; i < count; i++) {
			const int found = (int)ordo_element_get(ORDO_I32, rig->inputs[r], i);
			if (found != rig_value(r, i, 1))
				fail_msg("the call failed, but input %llu of rank %u is not as it "
					 "was",
					(unsigned long long)i, r);
			if (!party->schedule->problem.in_place && rig->outputs[r][4 * i] != 0xa5)
				fail_msg("the call failed, but output %llu of rank %u was written",
					(unsigned long long)i, r);
		}
}

static void expect_right(const struct party *party)
{
	uint64_t element;
	for (uint32_t r = 0; r < NRANK; r++)
		if (!rig_is_right(&party->rig, r, 1, &element))
			fail_msg(
				"element %llu of rank %u is wrong", (unsigned long long)element, r);
}

static void call_well(const struct party *party)
{
	struct guest guests[NRANK];
	invite(guests, party);
	for (uint32_t r = 0; r < NRANK; r++)
		guests[r].deadline_ms = 20000;
	let_them_come(guests);
	for (uint32_t r = 0; r < NRANK; r++)
		if (!guests[r].worked)
			fail_msg("rank %u: %s", r, guests[r].error.text);
	expect_right(party);
}

/* After a failure: nothing was touched, all calls say the same, and after a reset all is well, more
 * often than there are slots. */
static void expect_recovery(const struct party *party, const char *words)
{
	struct guest guests[NRANK];
	struct ordo_error error;
	expect_untouched(party);
	invite(guests, party);
	let_them_come(guests);
	expect_failure_everywhere(guests, words);
	for (uint32_t r = 0; r < NRANK; r++)
		assert_true(ordo_communicator_reset(party->communicator, &error));
	for (int i = 0; i < 6; i++)
		call_well(party);
}

/* With the collective in every form, with and without helpers, and with calls before. */
static void at_every_party(void (*happen)(const struct party *party))
{
	for (int in_place = 0; in_place < 2; in_place++)
		for (uint32_t nhelper = 0; nhelper <= 2; nhelper += 2)
			for (int nbefore = 0; nbefore <= 5; nbefore += 5) {
				struct party party =
					begin_party(exchange_ring(NRANK, in_place, false), nhelper);
				for (int i = 0; i < nbefore; i++)
					call_well(&party);
				happen(&party);
				end_party(&party);
			}
}

static void stay_away(const struct party *party)
{
	struct guest guests[NRANK];
	invite(guests, party);
	guests[ODD].stays_away = true;
	let_them_come(guests);
	expect_failure_everywhere(guests, "rank 2 did not enter");
	expect_recovery(party, "rank 2 did not enter");
}

static void a_rank_that_never_comes_is_named(void **state)
{
	(void)state;
	at_every_party(stay_away);
}

static void two_ranks_that_never_come_are_named(void **state)
{
	(void)state;
	struct party party = begin_party(exchange_ring(NRANK, false, false), 0);
	struct guest guests[NRANK];
	invite(guests, &party);
	guests[0].stays_away = guests[ODD].stays_away = true;
	let_them_come(guests);
	expect_failure_everywhere(guests, "ranks 0, 2 did not enter");
	expect_recovery(&party, "ranks 0, 2 did not enter");
	end_party(&party);
}

/* When the others have gone. */
static void come_late(const struct party *party)
{
	struct guest guests[NRANK];
	invite(guests, party);
	guests[ODD].stays_away = true;
	let_them_come(guests);
	guests[ODD].stays_away = false;
	attend(&guests[ODD]);
	expect_failure_everywhere(guests, "rank 2 did not enter");
	if (guests[ODD].took_ms > SLACK_MS)
		fail_msg("who is late waits once more");
	expect_recovery(party, "rank 2 did not enter");
}

static void a_rank_that_comes_late_is_told_so(void **state)
{
	(void)state;
	at_every_party(come_late);
}

/* The shortest deadline counts, and each may have its own. */
static void every_rank_has_its_deadline(void **state)
{
	(void)state;
	struct party party = begin_party(exchange_ring(NRANK, false, false), 0);
	struct guest guests[NRANK];
	invite(guests, &party);
	guests[ODD].stays_away = true;
	for (uint32_t r = 0; r < NRANK; r++)
		guests[r].deadline_ms = r == 3 ? 40 : 60000;
	const uint64_t begin = now_ms();
	let_them_come(guests);
	assert_true(now_ms() - begin < 40 + SLACK_MS);
	for (uint32_t r = 0; r < NRANK; r++)
		if (r != ODD &&
			(guests[r].worked || !strstr(guests[r].error.text, "rank 2 did not enter")))
			fail_msg("rank %u: %s", r, guests[r].error.text);
	expect_recovery(&party, "rank 2 did not enter");
	end_party(&party);
}

/* Its part of the call it started is done by others; of the next one it is missing. */
static void die_after_start(const struct party *party)
{
	struct guest guests[NRANK];
	invite(guests, party);
	guests[ODD].starts_and_dies = true;
	let_them_come(guests);
	for (uint32_t r = 0; r < NRANK; r++)
		if (!guests[r].worked)
			fail_msg("rank %u: %s", r, guests[r].error.text);
	/* Whoever asks about its call, its output is there when that is over. */
	assert_true(ordo_communicator_wait(party->communicator, &guests[ODD].ticket, NULL));
	expect_right(party);
	stay_away(party);
	/* The ticket is from before. */
	struct ordo_error error;
	assert_false(ordo_communicator_wait(party->communicator, &guests[ODD].ticket, &error));
	assert_non_null(strstr(error.text, "ticket"));
}

static void a_rank_that_dies_harms_no_call_it_came_to(void **state)
{
	(void)state;
	at_every_party(die_after_start);
}

/* Started, and the last rank never comes: tests and waits fail in time as well. */
static void a_started_call_fails_in_time(void **state)
{
	(void)state;
	struct party party = begin_party(exchange_ring(NRANK, false, false), 0);
	struct guest guests[NRANK];
	for (int waits = 0; waits < 2; waits++) {
		invite(guests, &party);
		const uint64_t begin = now_ms();
		for (uint32_t r = 0; r < NRANK; r++) {
			const struct ordo_part part = part_of(&party, r);
			if (r != ODD)
				assert_true(ordo_communicator_start(
					party.communicator, r, &part, &guests[r].ticket, NULL));
		}
		for (uint32_t r = 0; r < NRANK; r++) {
			struct ordo_error error = {0};
			enum ordo_call_state found = ORDO_UNDER_WAY;
			if (r == ODD)
				continue;
			if (waits)
				assert_false(ordo_communicator_wait(
					party.communicator, &guests[r].ticket, &error));
			while (!waits && (found = ordo_communicator_test(party.communicator,
						  &guests[r].ticket, &error)) == ORDO_UNDER_WAY)
				pause_ms(1);
			assert_true(waits || found == ORDO_FAILED);
			assert_non_null(strstr(error.text, "rank 2 did not enter"));
		}
		assert_true(now_ms() - begin < DEADLINE_MS + SLACK_MS);
		expect_recovery(&party, "rank 2 did not enter");
	}
	end_party(&party);
}

/* One rank passes something else: who it was, and what. */
static void come_with(
	const struct party *party, const struct ordo_collective *other, const char *words)
{
	for (uint32_t odd = 0; odd < NRANK; odd++) {
		char who[32];
		struct guest guests[NRANK];
		snprintf(who, sizeof who, "rank %u passed", odd);
		invite(guests, party);
		guests[odd].collective = other;
		let_them_come(guests);
		expect_failure_everywhere(guests, who);
		expect_failure_everywhere(guests, words);
		expect_recovery(party, who);
	}
}

static void a_rank_with_something_else_is_named(void **state)
{
	(void)state;
	struct party party = begin_party(exchange_ring(NRANK, false, false), 1);
	struct ordo_schedule *gather = exchange_allgather(NRANK, 1, false),
			     *another_ring = exchange_ring(NRANK, true, true);
	const struct {
		const struct ordo_schedule *schedule;
		struct ordo_plan_options options;
		const char *words;
	} others[] = {
		{party.schedule, {.type = ORDO_I32, .count = count - 1},
			count == MANY ? "299 i32" : "19 i32"},
		{party.schedule, {.type = ORDO_F32, .count = count},
			count == MANY ? "300 f32" : "20 f32"},
		/* One that every rank folds for itself, among others that the last rank launches;
		 * buffers would be too short for the other way round. */
		{party.schedule, {.type = ORDO_I32, .count = FEW / 2}, "10 i32"},
		{party.schedule, {.type = ORDO_I32, .reduction = ORDO_MAX, .count = count}, "max"},
		{gather, {.type = ORDO_I32, .count = count / NRANK}, "AllGather"},
	};
	for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
		struct ordo_collective *other =
			make_collective(others[i].schedule, others[i].options);
		come_with(&party, other, others[i].words);
		ordo_collective_destroy(other);
	}
	/* Another schedule that adds in the same order does the same. */
	struct ordo_collective *same = make_collective(another_ring, usual());
	struct guest guests[NRANK];
	invite(guests, &party);
	guests[ODD].collective = same;
	let_them_come(guests);
	for (uint32_t r = 0; r < NRANK; r++)
		assert_true(guests[r].worked);
	expect_right(&party);
	ordo_collective_destroy(same);
	end_party(&party);
	ordo_schedule_destroy(gather);
	ordo_schedule_destroy(another_ring);
}

/* Of floats another order is other bits. */
static void a_rank_with_another_order_is_named(void **state)
{
	(void)state;
	struct ordo_schedule *ring = exchange_ring(NRANK, false, false);
	struct ordo_schedule *all = exchange_reduce_scatter(NRANK, 1, false);
	struct party party = begin_party(ring, 0);
	struct ordo_collective *collective = make_collective(
				       ring, (struct ordo_plan_options){.type = ORDO_F32,
						     .count = count}),
			       *other = make_collective(
				       all, (struct ordo_plan_options){
						    .type = ORDO_F32, .count = count / NRANK});
	struct guest guests[NRANK];
	invite(guests, &party);
	for (uint32_t r = 0; r < NRANK; r++)
		guests[r].collective = r == ODD ? other : collective;
	/* Their vectors are the party's, whatever the operator wants of them: nobody touches
	 * them. */
	let_them_come(guests);
	expect_failure_everywhere(guests, "rank 2 passed ReduceScatter");
	expect_recovery(&party, "rank 2 passed");
	ordo_collective_destroy(collective);
	ordo_collective_destroy(other);
	end_party(&party);
	ordo_schedule_destroy(all);
}

/* What only concerns the caller is told at once, and harms nobody. */
static void a_bad_part_is_refused(void **state)
{
	(void)state;
	struct party party = begin_party(exchange_ring(NRANK, false, false), 0);
	struct ordo_schedule *six = exchange_ring(6, false, false);
	struct ordo_collective *of_six = make_collective(six, usual());
	struct ordo_error error;
	struct ordo_part part = part_of(&party, 0);
	assert_false(ordo_communicator_run(party.communicator, NRANK, &part, &error));
	assert_non_null(strstr(error.text, "no rank 4"));
	part.collective = NULL;
	assert_false(ordo_communicator_run(party.communicator, 0, &part, &error));
	assert_non_null(strstr(error.text, "NULL"));
	part.collective = of_six;
	assert_false(ordo_communicator_run(party.communicator, 0, &part, &error));
	assert_non_null(strstr(error.text, "6 ranks"));
	part = part_of(&party, 0);
	part.input = part.output = NULL;
	assert_false(ordo_communicator_run(party.communicator, 0, &part, &error));
	assert_int_equal(error.code, ORDO_USAGE);
	part.input = party.rig.inputs[0];
	part.output = (unsigned char *)party.rig.inputs[0] + 4;
	assert_false(ordo_communicator_run(party.communicator, 0, &part, &error));
	assert_int_equal(error.code, ORDO_USAGE);
	call_well(&party);
	ordo_collective_destroy(of_six);
	end_party(&party);
	ordo_schedule_destroy(six);
}

/* A collective may be destroyed and another one lie where it was. */
static void what_was_checked_of_one_collective_is_not_believed_of_another(void **state)
{
	(void)state;
	const struct ordo_communicator_options options = {
		.nrank = NRANK, .deadline_ms = DEADLINE_MS};
	struct ordo_schedule *gather = exchange_allgather(NRANK, 1, true);
	struct ordo_communicator *communicator = ordo_communicator_create(&options, NULL);
	assert_non_null(communicator);
	for (uint64_t nelement = 100; nelement > 0; nelement -= 4) {
		int32_t memory[NRANK][NRANK * 100];
		struct ordo_part parts[NRANK];
		struct ordo_error error;
		struct ordo_collective *collective = make_collective(
			gather, (struct ordo_plan_options){.type = ORDO_I32, .count = nelement});
		memset(memory, 0x5a, sizeof memory);
		for (uint32_t r = 0; r < NRANK; r++) {
			parts[r] =
				(struct ordo_part){.collective = collective, .output = memory[r]};
			for (uint64_t i = 0; i < nelement; i++)
				memory[r][r * nelement + i] = (int32_t)(r * 1000 + i);
		}
		if (!ordo_communicator_run_all(communicator, parts, &error))
			fail_msg("%s", error.text);
		for (uint32_t r = 0; r < NRANK; r++)
			for (uint64_t i = 0; i < NRANK * nelement; i++)
				assert_int_equal(memory[r][i], i / nelement * 1000 + i % nelement);
		ordo_collective_destroy(collective);
	}
	ordo_communicator_destroy(communicator);
	ordo_schedule_destroy(gather);
}

/* While one thread is inside for a rank, no other may act for it; it learns so at once, and the
 * call goes on. */
static void a_rank_that_comes_twice_at_a_time_is_refused(void **state)
{
	(void)state;
	struct party party = begin_party(exchange_ring(NRANK, false, false), 0);
	struct guest guests[NRANK], twin;
	invite(guests, &party);
	for (uint32_t r = 0; r < NRANK; r++)
		guests[r].deadline_ms = 20000;
	twin = guests[ODD];
	assert_int_equal(pthread_create(&guests[ODD].thread, NULL, attend, &guests[ODD]), 0);
	pause_ms(50);
	assert_int_equal(pthread_create(&twin.thread, NULL, attend, &twin), 0);
	for (uint32_t r = 0; r < NRANK; r++)
		if (r != ODD) {
			guests[r].delay_ms = 100;
			assert_int_equal(
				pthread_create(&guests[r].thread, NULL, attend, &guests[r]), 0);
		}
	for (uint32_t r = 0; r < NRANK; r++)
		pthread_join(guests[r].thread, NULL);
	pthread_join(twin.thread, NULL);
	for (uint32_t r = 0; r < NRANK; r++)
		if (r != ODD && !guests[r].worked)
			fail_msg("rank %u: %s", r, guests[r].error.text);
	/* On a loaded machine the twin may be first. */
	const struct guest *first = twin.worked ? &twin : &guests[ODD],
			   *second = twin.worked ? &guests[ODD] : &twin;
	assert_true(first->worked);
	expect_failure(second, "rank 2 is inside a call on another thread");
	expect_right(&party);
	call_well(&party);
	end_party(&party);
}

/* One call more than the others: the others are who is missing. */
static void a_rank_that_calls_once_too_often_waits_in_vain(void **state)
{
	(void)state;
	struct party party = begin_party(exchange_ring(NRANK, false, false), 0);
	struct guest guests[NRANK];
	call_well(&party);
	invite(guests, &party);
	for (uint32_t r = 0; r < NRANK; r++)
		guests[r].stays_away = r != ODD;
	let_them_come(guests);
	expect_failure_everywhere(guests, "ranks 0, 1, 3 did not enter");
	expect_recovery(&party, "did not enter");
	end_party(&party);
}

static void *abort_soon(void *argument)
{
	const struct party *party = argument;
	pause_ms(50);
	ordo_communicator_abort(party->communicator, ODD, "its disk is full");
	return NULL;
}

/* Those who wait are told at once, those who come later too. */
static void give_up(const struct party *party)
{
	struct guest guests[NRANK];
	pthread_t thread;
	invite(guests, party);
	guests[ODD].stays_away = true;
	guests[3].delay_ms = 100;
	for (uint32_t r = 0; r < NRANK; r++)
		guests[r].deadline_ms = 60000;
	const uint64_t begin = now_ms();
	assert_int_equal(pthread_create(&thread, NULL, abort_soon, (void *)(uintptr_t)party), 0);
	let_them_come(guests);
	pthread_join(thread, NULL);
	assert_true(now_ms() - begin < SLACK_MS);
	expect_failure_everywhere(guests, "rank 2 aborted: its disk is full");
	expect_recovery(party, "rank 2 aborted: its disk is full");
}

static void a_rank_that_gives_up_is_named(void **state)
{
	(void)state;
	at_every_party(give_up);
}

/* The reason need not be there, nor be short. */
static void any_reason_will_do(void **state)
{
	(void)state;
	struct party party = begin_party(exchange_ring(NRANK, false, false), 0);
	char reason[8000];
	struct guest guests[NRANK];
	memset(reason, 'x', sizeof reason);
	reason[sizeof reason - 1] = 0;
	for (int i = 0; i < 2; i++) {
		ordo_communicator_abort(party.communicator, ODD, i ? reason : NULL);
		invite(guests, &party);
		let_them_come(guests);
		expect_failure_everywhere(guests, i ? "rank 2 aborted: xxxx" : "rank 2 aborted");
		expect_recovery(&party, "rank 2 aborted");
	}
	end_party(&party);
}

/* A reset of what is not broken does nothing, also while calls are in flight. */
static void a_reset_of_what_is_whole_does_nothing(void **state)
{
	(void)state;
	struct party party = begin_party(exchange_ring(NRANK, false, false), 0);
	struct ordo_ticket ticket;
	struct guest guests[NRANK];
	invite(guests, &party);
	const struct ordo_part part = part_of(&party, ODD);
	assert_true(ordo_communicator_start(party.communicator, ODD, &part, &ticket, NULL));
	assert_true(ordo_communicator_reset(party.communicator, NULL));
	guests[ODD].stays_away = true;
	let_them_come(guests);
	assert_true(ordo_communicator_wait(party.communicator, &ticket, NULL));
	expect_right(&party);
	end_party(&party);
}

/* Ranks fail and come again until a call works, at any time before, while and after others reset:
 * no rank is lost for ever. */
#define NROUND 200
struct stubborn {
	pthread_t thread;
	const struct party *party;
	uint32_t rank, nfailed;
	bool wrong, nameless;
};

static void *come_until_it_works(void *argument)
{
	struct stubborn *stubborn = argument;
	const struct party *party = stubborn->party;
	struct ordo_part part = part_of(party, stubborn->rank);
	uint64_t random = stubborn->rank + 1;
	uint32_t nabort = 10;
	part.deadline_ms = 2;
	for (uint32_t nworked = 0; nworked < NROUND;) {
		random = random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
		pause_ms(random >> 60 == 0 ? (uint32_t)(random >> 32 & 7) : 0);
		if (stubborn->rank == ODD && nworked == nabort) {
			ordo_communicator_abort(party->communicator, ODD, "now and then");
			nabort += 10;
		}
		rig_fill(&party->rig, stubborn->rank, nworked);
		struct ordo_error error;
		if (!ordo_communicator_run(party->communicator, stubborn->rank, &part, &error)) {
			stubborn->nameless |= strstr(error.text, "rank  did") != NULL;
			stubborn->nfailed++;
			ordo_communicator_reset(party->communicator, NULL);
			/* The longer, the more often it failed, so that on a slow machine too it
			 * ends. */
			part.deadline_ms += stubborn->nfailed % 4 == 0;
			continue;
		}
		uint64_t element;
		stubborn->wrong |= !rig_is_right(&party->rig, stubborn->rank, nworked, &element);
		nworked++;
	}
	return NULL;
}

static void whoever_comes_again_meets_the_others(void **state)
{
	(void)state;
	struct party party = begin_party(exchange_ring(NRANK, false, false), 1);
	struct stubborn stubborns[NRANK];
	uint32_t nfailed = 0;
	for (uint32_t r = 0; r < NRANK; r++) {
		stubborns[r] = (struct stubborn){.party = &party, .rank = r};
		assert_int_equal(pthread_create(&stubborns[r].thread, NULL, come_until_it_works,
					 &stubborns[r]),
			0);
	}
	for (uint32_t r = 0; r < NRANK; r++) {
		pthread_join(stubborns[r].thread, NULL);
		nfailed += stubborns[r].nfailed;
		assert_false(stubborns[r].wrong);
		assert_false(stubborns[r].nameless);
	}
	assert_true(nfailed > 0);
	end_party(&party);
}

/* A rank that starts calls while others reset: after each reset its first call is call 0, and the
 * next one the next. */
#define NRESET 1000
struct starter {
	const struct party *party;
	struct ordo_communicator *communicator;
	_Atomic bool stops;
	_Atomic uint64_t nstarted;
	uint64_t nastray;
};

static void *start_all_the_time(void *argument)
{
	struct starter *starter = argument;
	const struct ordo_part part = part_of(starter->party, ODD);
	struct ordo_ticket last = {.epoch = UINT32_MAX}, ticket;
	while (!starter->stops) {
		if (!ordo_communicator_start(starter->communicator, ODD, &part, &ticket, NULL))
			continue;
		starter->nastray += ticket.call != (ticket.epoch == last.epoch ? last.call + 1 : 0);
		starter->nstarted++;
		last = ticket;
	}
	return NULL;
}

static void a_reset_takes_every_rank_along(void **state)
{
	(void)state;
	struct party party = begin_party(exchange_ring(NRANK, false, false), 0);
	const struct ordo_communicator_options options = {.nrank = NRANK, .depth = 256};
	struct starter starter = {
		.party = &party, .communicator = ordo_communicator_create(&options, NULL)};
	pthread_t thread;
	assert_non_null(starter.communicator);
	assert_int_equal(pthread_create(&thread, NULL, start_all_the_time, &starter), 0);
	/* The thread may come late, and meet a broken communicator again and again. */
	for (int i = 0; i < NRESET || !starter.nstarted; i++) {
		ordo_communicator_abort(starter.communicator, 0, "again");
		assert_true(ordo_communicator_reset(starter.communicator, NULL));
		sched_yield();
	}
	starter.stops = true;
	/* It may have started as many as there may be, and wait. */
	ordo_communicator_abort(starter.communicator, 0, "for good");
	pthread_join(thread, NULL);
	assert_int_equal(starter.nastray, 0);
	ordo_communicator_destroy(starter.communicator);
	end_party(&party);
}

/* Whatever an abort meets: after a reset that nobody disturbs the communicator works. */
static void *abort_all_the_time(void *argument)
{
	struct starter *starter = argument;
	while (!starter->stops) {
		const struct timespec moment = {0, 20000};
		ordo_communicator_abort(starter->communicator, ODD, "once more");
		nanosleep(&moment, NULL);
	}
	return NULL;
}

static void an_abort_meets_a_reset(void **state)
{
	(void)state;
	struct party party = begin_party(exchange_ring(NRANK, false, false), 0);
	const struct ordo_communicator_options options = {
		.nrank = NRANK, .nhelper = 1, .depth = 1024};
	struct starter starter = {.communicator = ordo_communicator_create(&options, NULL)};
	struct ordo_part parts[NRANK];
	assert_non_null(starter.communicator);
	for (uint32_t r = 0; r < NRANK; r++)
		parts[r] = part_of(&party, r);
	for (int round = 0; round < 5; round++) {
		struct guest guests[NRANK];
		struct ordo_error error;
		pthread_t thread;
		starter.stops = false;
		assert_int_equal(pthread_create(&thread, NULL, abort_all_the_time, &starter), 0);
		for (uint32_t nbroken = 0; nbroken < 10;) {
			assert_true(ordo_communicator_reset(starter.communicator, NULL));
			if (ordo_communicator_run_all(starter.communicator, parts, NULL))
				sched_yield();
			else
				nbroken++;
		}
		starter.stops = true;
		pthread_join(thread, NULL);
		assert_true(ordo_communicator_reset(starter.communicator, NULL));
		invite(guests, &party);
		if (!ordo_communicator_run_all(starter.communicator, parts, &error))
			fail_msg("%s", error.text);
		expect_right(&party);
	}
	ordo_communicator_destroy(starter.communicator);
	end_party(&party);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_rank_that_never_comes_is_named),
		cmocka_unit_test(two_ranks_that_never_come_are_named),
		cmocka_unit_test(a_rank_that_comes_late_is_told_so),
		cmocka_unit_test(every_rank_has_its_deadline),
		cmocka_unit_test(a_rank_that_dies_harms_no_call_it_came_to),
		cmocka_unit_test(a_started_call_fails_in_time),
		cmocka_unit_test(a_rank_with_something_else_is_named),
		cmocka_unit_test(a_rank_with_another_order_is_named),
		cmocka_unit_test(a_bad_part_is_refused),
		cmocka_unit_test(what_was_checked_of_one_collective_is_not_believed_of_another),
		cmocka_unit_test(a_rank_that_comes_twice_at_a_time_is_refused),
		cmocka_unit_test(a_rank_that_calls_once_too_often_waits_in_vain),
		cmocka_unit_test(a_rank_that_gives_up_is_named),
		cmocka_unit_test(any_reason_will_do),
		cmocka_unit_test(a_reset_of_what_is_whole_does_nothing),
		cmocka_unit_test(whoever_comes_again_meets_the_others),
		cmocka_unit_test(a_reset_takes_every_rank_along),
		cmocka_unit_test(an_abort_meets_a_reset),
	};
	const int nfailed = cmocka_run_group_tests(tests, NULL, NULL);
	count = FEW;
	return nfailed + cmocka_run_group_tests(tests, NULL, NULL);
}
