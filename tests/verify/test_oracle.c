/* test_oracle.c - the oracles themselves: what is sound is sound to both, and each fault is found
 * by its rule. */
#include "handmade.h"
#include "oracle.h"
#include "oracle_document.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

static struct ordo_problem problem(enum ordo_operator op, uint32_t nrank, uint32_t chunks)
{
	return (struct ordo_problem){
		.op = op, .nrank = nrank, .chunks_per_block = chunks, .nshard = nrank};
}

/* Both oracles must find exactly these rules broken. Destroys the schedule. */
static void judge_both(struct ordo_schedule *schedule, bool atomic_reduce, uint32_t broken)
{
	struct oracle_opinion walked, closed;
	oracle_interleavings(schedule, atomic_reduce, 1u << 18, &walked);
	oracle_closure(schedule, atomic_reduce, 4000, &closed);
	assert_true(walked.decided && closed.decided);
	if (walked.broken != broken || closed.broken != broken)
		fail_msg("wanted %x, interleavings found %x (%s), closure %x (%s)", broken,
			walked.broken, walked.why, closed.broken, closed.why);
	if (!broken) {
		assert_int_equal(walked.tokens_in_flight, closed.tokens_in_flight);
		assert_int_equal(walked.one_order, closed.one_order);
		if (walked.one_order) {
			assert_int_equal(walked.ntree, closed.ntree);
			assert_int_equal(walked.rank_equal, closed.rank_equal);
		}
	}
	ordo_schedule_destroy(schedule);
}

static void judge(
	const struct ordo_problem *p, uint32_t scratch_slots, uint32_t broken, const char *lines)
{
	judge_both(handmade(p, scratch_slots, lines), false, broken);
}

static void operators_mean_what_the_table_says(void **state)
{
	(void)state;
	for (int op = 0; op < ORDO_NOPERATOR; op++)
		for (uint32_t i = 0; i < 5 * 3 * 5 * 2; i++) {
			struct ordo_problem p =
				problem((enum ordo_operator)op, 1 + i % 5, 1 + i / 5 % 3);
			p.root = ordo_operator_facts(p.op)->rooted ? i / 15 % 5 % p.nrank : 0;
			p.in_place = i / 75;
			if (!ordo_problem_check(&p, NULL))
				continue;
			for (uint32_t r = 0; r < p.nrank; r++) {
				assert_int_equal(
					slots_in(&p, r, ORDO_INPUT, 9), ordo_input_slots(&p, r));
				assert_int_equal(
					slots_in(&p, r, ORDO_OUTPUT, 9), ordo_output_slots(&p, r));
				for (uint32_t slot = 0; slot < ordo_output_slots(&p, r); slot++)
					assert_int_equal(chunk_wanted(&p, r, slot),
						ordo_output_chunk(&p, r, slot));
				for (uint32_t slot = 0; slot < ordo_input_slots(&p, r); slot++) {
					uint32_t same = ordo_in_place_output_slot(&p, r, slot);
					assert_int_equal(chunk_given(&p, r, slot),
						ordo_input_chunk(&p, r, slot));
					assert_int_equal(shard_given(&p, r, slot),
						ordo_input_shard(&p, r, slot));
					for (uint32_t out = 0; out < ordo_output_slots(&p, r);
						out++)
						assert_int_equal(out == same,
							cell_in_rank(&p, r, ORDO_INPUT, slot) ==
								cell_in_rank(
									&p, r, ORDO_OUTPUT, out));
				}
			}
		}
}

static void a_ring_is_sound(void **state)
{
	(void)state;
	for (uint32_t n = 1; n <= 4; n++)
		for (int in_place = 0; in_place < 2; in_place++)
			judge_both(handmade_ring(n, in_place), false, 0);
}

static void a_chain_is_sound(void **state)
{
	(void)state;
	for (uint32_t n = 1; n <= 4; n++)
		judge_both(handmade_chain(n, n / 2, 3), false, 0);
}

static void a_ring_has_a_tree_for_each_chunk(void **state)
{
	(void)state;
	struct ordo_schedule *schedule = handmade_ring(6, false);
	struct oracle_opinion opinion;
	oracle_closure(schedule, false, 4000, &opinion);
	assert_true(opinion.rank_equal && opinion.one_order);
	assert_int_equal(opinion.ntree, 6);
	ordo_schedule_destroy(schedule);
}

static void shards_are_leaves(void **state)
{
	(void)state;
	struct ordo_problem p = problem(ORDO_ALLREDUCE, 1, 1);
	p.nshard = 3;
	judge(&p, 0, 0,
		"rank 0\nLocalCopy chunk 0 input 2 -> output 0\nLocalReduce chunk 0 input 0 -> "
		"output 0\n"
		"LocalReduce chunk 0 input 1 -> output 0\n");
	judge(&p, 0, 1u << 11,
		"rank 0\nLocalCopy chunk 0 input 2 -> output 0\nLocalReduce chunk 0 input 0 -> "
		"output 0\n"
		"LocalReduce chunk 0 input 0 -> output 0\n");
}

static void each_static_rule_is_found(void **state)
{
	(void)state;
	const struct ordo_problem p = problem(ORDO_BROADCAST, 2, 2);
	judge(&p, 1, 1u << 2, "rank 0\nSend 0 chunk 0 input 0 -> scratch 0\n");
	judge(&p, 1, 1u << 2, "rank 0\nNotify 2 signal 0\n");
	judge(&p, 1, 1u << 3, "rank 0\nLocalCopy chunk 2 input 1 -> scratch 0\n");
	judge(&p, 1, 1u << 3, "rank 0\nLocalCopy chunk 0 input 0 -> scratch 1\n");
	judge(&p, 1, 1u << 3, "rank 1\nLocalCopy chunk 0 input 0 -> scratch 0\n");
	judge(&p, 1, 1u << 3, "rank 0\nLocalCopy chunk 1 input 1 -> output 0\n");
	judge(&p, 1, 1u << 10 | 1u << 11, "rank 0\nLocalCopy chunk 1 input 0 -> output 1\n");
	judge(&p, 1, 1u << 8,
		"rank 0\nLocalCopy chunk 0 input 0 -> scratch 0\nLocalCopy chunk 0 scratch 0 -> "
		"scratch 0\n");
	judge(&p, 1, 1u << 4, "rank 0\nLocalCopy chunk 0 input 0 -> input 0\n");
	judge(&p, 1, 1u << 5,
		"rank 0\nNotify 1 signal 0\nrank 0\nNotify 1 signal 0\nrank 1\nWait 0 signal "
		"0\nWait 0 signal 0\n");
	judge(&p, 1, 1u << 5,
		"rank 0\nNotify 1 signal 0\nNotify 1 signal 0\nrank 1\nWait 0 signal 0\nrank "
		"1\nWait 0 signal 0\n");
	judge(&p, 1, 1u << 6, "rank 0\nNotify 1 signal 0\n");
	judge(&p, 1, 1u << 6, "rank 0\nNotify 1 signal 0\nrank 1\nWait 0 signal 1\n");
}

static void a_cycle_of_waits_is_a_deadlock(void **state)
{
	(void)state;
	const struct ordo_problem p = problem(ORDO_BROADCAST, 2, 1);
	judge(&p, 0, 1u << 7,
		"rank 0\nWait 1 signal 0\nNotify 1 signal 0\nrank 1\nWait 0 signal 0\nNotify 0 "
		"signal 0\n");
	judge(&p, 0, 1u << 7, "rank 0\nWait 0 signal 0\nNotify 0 signal 0\n");
}

#define ENTERED_AND_COPIED "rank 0\nLocalCopy chunk 0 input 0 -> output 0\n"

static void entering_and_leaving_are_writes(void **state)
{
	(void)state;
	const struct ordo_problem p = problem(ORDO_BROADCAST, 2, 1);
	judge(&p, 0, 0,
		ENTERED_AND_COPIED
		"Wait 1 signal 0\nSend 1 chunk 0 input 0 -> output 0\nNotify 1 signal 0\n"
		"rank 1\nNotify 0 signal 0\nWait 0 signal 0\n");
	judge(&p, 0, 1u << 9,
		ENTERED_AND_COPIED "Send 1 chunk 0 input 0 -> output 0\nNotify 1 signal 0\n"
				   "rank 1\nWait 0 signal 0\n");
	judge(&p, 0, 1u << 9,
		ENTERED_AND_COPIED
		"Wait 1 signal 0\nSend 1 chunk 0 input 0 -> output 0\nrank 1\nNotify 0 signal 0\n");
	judge(&p, 0, 1u << 9, ENTERED_AND_COPIED "Send 1 chunk 0 input 0 -> output 0\n");
	judge(&p, 0, 1u << 9,
		ENTERED_AND_COPIED
		"Wait 1 signal 0\nNotify 1 signal 0\nSend 1 chunk 0 input 0 -> output 0\n"
		"rank 1\nNotify 0 signal 0\nWait 0 signal 0\n");
}

static void a_slot_used_again_too_early_is_a_race(void **state)
{
	(void)state;
	const struct ordo_problem p = problem(ORDO_BROADCAST, 1, 2);
	judge(&p, 1, 1u << 8,
		"rank 0\nLocalCopy chunk 0 input 0 -> scratch 0\nNotify 0 signal 0\nLocalCopy "
		"chunk 1 input 1 -> scratch 0\n"
		"LocalCopy chunk 1 scratch 0 -> output 1\nrank 0\nWait 0 signal 0\nLocalCopy chunk "
		"0 scratch 0 -> output 0\n");
	judge(&p, 1, 0,
		"rank 0\nLocalCopy chunk 0 input 0 -> scratch 0\nNotify 0 signal 0\nWait 0 signal "
		"1\n"
		"LocalCopy chunk 1 input 1 -> scratch 0\nLocalCopy chunk 1 scratch 0 -> output 1\n"
		"rank 0\nWait 0 signal 0\nLocalCopy chunk 0 scratch 0 -> output 0\nNotify 0 signal "
		"1\n");
}

static void an_undefined_or_other_chunk_is_not_read(void **state)
{
	(void)state;
	const struct ordo_problem p = problem(ORDO_BROADCAST, 1, 2);
	judge(&p, 1, 1u << 10 | 1u << 11,
		"rank 0\nLocalCopy chunk 0 scratch 0 -> output 0\nLocalCopy chunk 1 input 1 -> "
		"output 1\n");
	judge(&p, 1, 1u << 10 | 1u << 11,
		"rank 0\nLocalCopy chunk 0 input 0 -> scratch 0\nLocalCopy chunk 1 scratch 0 -> "
		"output 1\n"
		"LocalCopy chunk 0 input 0 -> output 0\n");
	judge(&p, 1, 1u << 11, "rank 0\nLocalCopy chunk 0 input 0 -> output 0\n");
}

static void unordered_adds_are_an_order_race(void **state)
{
	(void)state;
	struct ordo_problem p = problem(ORDO_REDUCE, 3, 1);
	const char *lines = "rank 0\nLocalCopy chunk 0 input 0 -> output 0\nNotify 1 signal "
			    "0\nNotify 2 signal 0\n"
			    "Wait 1 signal 0\nWait 2 signal 0\n"
			    "rank 1\nWait 0 signal 0\nSendReduce 0 chunk 0 input 0 -> output "
			    "0\nNotify 0 signal 0\n"
			    "rank 2\nWait 0 signal 0\nSendReduce 0 chunk 0 input 0 -> output "
			    "0\nNotify 0 signal 0\n";
	judge(&p, 0, 1u << 8, lines);
	struct ordo_schedule *schedule = handmade(&p, 0, lines);
	struct oracle_opinion opinion;
	oracle_interleavings(schedule, true, 1000, &opinion);
	assert_false(opinion.broken || opinion.one_order);
	judge_both(schedule, true, 0);
}

static void tokens_pile_up_as_far_as_nothing_takes_them(void **state)
{
	(void)state;
	struct ordo_schedule *chain = handmade_chain(2, 0, 4);
	struct oracle_opinion opinion;
	oracle_interleavings(chain, false, 10000, &opinion);
	assert_int_equal(opinion.tokens_in_flight, 1);
	ordo_schedule_destroy(chain);
	const struct ordo_problem p = problem(ORDO_BROADCAST, 1, 1);
	struct ordo_schedule *pile = handmade(&p, 0,
		"rank 0\nLocalCopy chunk 0 input 0 -> output 0\nNotify 0 signal 3\nNotify 0 signal "
		"3\nWait 0 signal 2\nNotify 0 signal 3\nrank 0\nWait 0 signal 3\nNotify 0 signal "
		"2\nWait 0 signal 3\nWait 0 signal 3\n");
	oracle_interleavings(pile, false, 10000, &opinion);
	assert_int_equal(opinion.tokens_in_flight, 2);
	judge_both(pile, false, 0);
}

static void too_many_states_are_undecided(void **state)
{
	(void)state;
	struct ordo_schedule *schedule = handmade_ring(4, false);
	struct oracle_opinion opinion;
	oracle_interleavings(schedule, false, 100, &opinion);
	assert_false(opinion.decided);
	oracle_closure(schedule, false, 10, &opinion);
	assert_false(opinion.decided);
	ordo_schedule_destroy(schedule);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(operators_mean_what_the_table_says),
		cmocka_unit_test(a_ring_is_sound),
		cmocka_unit_test(a_chain_is_sound),
		cmocka_unit_test(a_ring_has_a_tree_for_each_chunk),
		cmocka_unit_test(shards_are_leaves),
		cmocka_unit_test(each_static_rule_is_found),
		cmocka_unit_test(a_cycle_of_waits_is_a_deadlock),
		cmocka_unit_test(entering_and_leaving_are_writes),
		cmocka_unit_test(a_slot_used_again_too_early_is_a_race),
		cmocka_unit_test(an_undefined_or_other_chunk_is_not_read),
		cmocka_unit_test(unordered_adds_are_an_order_race),
		cmocka_unit_test(tokens_pile_up_as_far_as_nothing_takes_them),
		cmocka_unit_test(too_many_states_are_undecided),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
