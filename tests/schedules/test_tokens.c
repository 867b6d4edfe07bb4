/* test_tokens.c - tokens in flight over any number of calls (R13): what they come to in schedules
 * written by hand, why B;B is not enough for a limit of two, and random schedules before the
 * verifier and before an oracle that walks through all interleavings of one, two and three calls.
 *
 * Argument: how many random schedules (400).
 */
#include "handmade.h"
#include "oracle.h"
#include "random_schedule.h"

#include <ordo/verify.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static uint64_t nrandom = 400;

/* Only the signals matter here: nothing is moved, so R11 is broken. */
static struct ordo_schedule *signals_only(uint32_t nrank, const char *lines)
{
	const struct ordo_problem p = {
		.op = ORDO_BROADCAST, .nrank = nrank, .chunks_per_block = 1, .nshard = nrank};
	return handmade(&p, 0, lines);
}

/* Over so many calls, 0: any number; limit: 0, none. */
static uint32_t count(const struct ordo_schedule *schedule, uint32_t calls, uint32_t limit)
{
	struct ordo_error error;
	struct ordo_proof *proof = ordo_verify(schedule,
		&(struct ordo_verify_options){.limits.tokens_in_flight = limit,
			.token_calls = calls,
			.max_findings = 100},
		&error);
	if (!proof)
		fail_msg("%s", error.text);
	const uint32_t tokens = proof->tokens_in_flight;
	bool found = false;
	for (uint32_t i = 0; i < proof->nfinding; i++)
		found = found || proof->findings[i].rule == 13;
	assert_int_equal(found, limit && tokens > limit);
	ordo_proof_destroy(proof);
	return tokens;
}

static uint32_t walk(const struct ordo_schedule *schedule, uint32_t calls)
{
	struct oracle_opinion opinion;
	oracle_calls(schedule, calls, 1u << 18, &opinion);
	assert_true(opinion.decided);
	return opinion.tokens_in_flight;
}

static void check_calls(struct ordo_schedule *schedule, const uint32_t tokens[3], uint32_t any)
{
	for (uint32_t calls = 1; calls <= 3; calls++) {
		assert_int_equal(walk(schedule, calls), tokens[calls - 1]);
		assert_int_equal(count(schedule, calls, 0), tokens[calls - 1]);
	}
	assert_int_equal(count(schedule, 0, 0), any);
	ordo_schedule_destroy(schedule);
}

static void a_signal_that_nothing_acknowledges_grows_with_every_call(void **state)
{
	(void)state;
	const char *lines = "rank 0\nNotify 1 signal 0\nrank 1\nWait 0 signal 0\n";
	check_calls(signals_only(2, lines), (const uint32_t[]){1, 2, 3}, ORDO_UNBOUNDED);
	/* B;B holds two tokens, and yet a limit of two is broken. */
	struct ordo_schedule *schedule = signals_only(2, lines);
	assert_true(count(schedule, 0, 2) > 2);
	assert_true(count(schedule, 0, 7) > 7);
	ordo_schedule_destroy(schedule);
}

static void an_acknowledgement_within_the_call_holds_for_all_calls(void **state)
{
	(void)state;
	check_calls(signals_only(2, "rank 0\nNotify 1 signal 0\nWait 1 signal 0\n"
				    "rank 1\nWait 0 signal 0\nNotify 0 signal 0\n"),
		(const uint32_t[]){1, 1, 1}, 1);
}

/* Both notify, then wait: a rank may begin its second call before the other has waited. */
static void an_exchange_is_one_call_ahead(void **state)
{
	(void)state;
	const char *lines = "rank 0\nNotify 1 signal 0\nWait 1 signal 0\n"
			    "rank 1\nNotify 0 signal 0\nWait 0 signal 0\n";
	check_calls(signals_only(2, lines), (const uint32_t[]){1, 2, 2}, 2);
	struct ordo_schedule *schedule = signals_only(2, lines);
	assert_true(count(schedule, 0, 1) > 1);
	assert_int_equal(count(schedule, 0, 2), 2);
	ordo_schedule_destroy(schedule);
}

/* Every rank notifies the next and waits for the one before: word of a Wait comes round once a call
 * and rank, so N calls can be begun. */
static void word_that_goes_round_takes_a_call_for_each_rank(void **state)
{
	(void)state;
	const char *lines = "rank 0\nNotify 1 signal 0\nWait 3 signal 0\n"
			    "rank 1\nNotify 2 signal 0\nWait 0 signal 0\n"
			    "rank 2\nNotify 3 signal 0\nWait 1 signal 0\n"
			    "rank 3\nNotify 0 signal 0\nWait 2 signal 0\n";
	check_calls(signals_only(4, lines), (const uint32_t[]){1, 2, 3}, 4);
	struct ordo_schedule *schedule = signals_only(4, lines);
	assert_int_equal(walk(schedule, 4), 4);
	assert_int_equal(walk(schedule, 5), 4);
	for (uint32_t limit = 1; limit < 4; limit++)
		assert_true(count(schedule, 0, limit) > limit);
	assert_int_equal(count(schedule, 0, 4), 4);
	ordo_schedule_destroy(schedule);
}

/* What another stream of the rank has waited for is known in the next call, not in this one. */
static void the_streams_of_a_rank_meet_between_calls(void **state)
{
	(void)state;
	check_calls(
		signals_only(2, "rank 0\nNotify 1 signal 0\nNotify 1 signal 0\n"
				"rank 0\nWait 1 signal 0\n"
				"rank 1\nWait 0 signal 0\nWait 0 signal 0\nNotify 0 signal 0\n"),
		(const uint32_t[]){2, 2, 2}, 2);
}

static const struct random_shape shapes[] = {
	{.max_ranks = 2, .max_chunks = 1, .max_streams = 2},
	{.max_ranks = 3, .max_chunks = 1, .max_streams = 1},
	{.max_ranks = 3, .max_chunks = 2, .max_streams = 2},
};

static void all_interleavings_of_three_calls_agree(void **state)
{
	(void)state;
	uint64_t decided = 0, more = 0;
	for (uint64_t seed = 1; seed <= nrandom; seed++) {
		const struct random_shape *shape = &shapes[seed % 3];
		struct random_program program;
		random_program(&program, shape, seed);
		struct ordo_schedule *schedule = random_schedule(&program, shape, seed);
		uint32_t most = 0;
		for (uint32_t calls = 1; calls <= 3; calls++) {
			struct oracle_opinion opinion;
			oracle_calls(schedule, calls, 20000, &opinion);
			if (!opinion.decided)
				break;
			decided += calls == 3;
			more += calls > 1 && opinion.tokens_in_flight > most;
			most = opinion.tokens_in_flight;
			const uint32_t counted = count(schedule, calls, 0);
			if (counted != most)
				print_message(
					"seed %llu, %u calls\n", (unsigned long long)seed, calls);
			assert_int_equal(counted, most);
		}
		/* A limit that holds over limit + 1 calls holds over any number. */
		const uint32_t any = count(schedule, 0, 0);
		for (uint32_t limit = 1; limit <= 3; limit++)
			assert_int_equal(count(schedule, 0, limit) <= limit,
				any != ORDO_UNBOUNDED && any <= limit);
		ordo_schedule_destroy(schedule);
	}
	print_message("%llu random schedules walked through three calls; %llu calls held more "
		      "than the one before\n",
		(unsigned long long)decided, (unsigned long long)more);
	assert_true(decided > nrandom / 4 && more > nrandom / 20);
}

int main(int argc, char **argv)
{
	if (argc > 1)
		nrandom = strtoull(argv[1], NULL, 10);
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_signal_that_nothing_acknowledges_grows_with_every_call),
		cmocka_unit_test(an_acknowledgement_within_the_call_holds_for_all_calls),
		cmocka_unit_test(an_exchange_is_one_call_ahead),
		cmocka_unit_test(word_that_goes_round_takes_a_call_for_each_rank),
		cmocka_unit_test(the_streams_of_a_rank_meet_between_calls),
		cmocka_unit_test(all_interleavings_of_three_calls_agree),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
