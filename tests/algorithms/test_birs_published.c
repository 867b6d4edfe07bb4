/* test_birs_published.c - the published synchronisation of BIRS is refuted, by R9 and nothing
 * else. */
#include "birs_published.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <ordo/compiler.h>

enum { MOST_RANKS = 24 };

static struct ordo_proof *judge(const struct ordo_schedule *schedule)
{
	const struct ordo_verify_options options = {.max_findings = 100000};
	struct ordo_proof *proof = ordo_verify(schedule, &options, NULL);
	assert_non_null(proof);
	assert_true(proof->complete);
	return proof;
}

/* All rules were looked at: with no finding but R9, one call alone has no race, ends, and has the
 * right sums. */
static void from_six_ranks_on_calls_in_a_row_race_and_nothing_else_is_wrong(void **state)
{
	(void)state;
	for (uint32_t nrank = 6; nrank <= MOST_RANKS; nrank += 2) {
		struct ordo_schedule *schedule = birs_published(nrank, THE_DESTINATION);
		struct ordo_proof *proof = judge(schedule);
		assert_false(proof->proved);
		assert_true(proof->nfinding >= nrank);
		for (uint32_t i = 0; i < proof->nfinding; i++) {
			const struct ordo_task *task =
				&schedule->tasks[proof->findings[i].tasks[0]];
			assert_int_equal(proof->findings[i].rule, 9);
			assert_int_equal(task->kind, ORDO_SEND);
			assert_true(task->dst >= nrank / 2); /* B */
		}
		ordo_proof_destroy(proof);
		ordo_schedule_destroy(schedule);
	}
}

static void check_proved(uint32_t nrank, enum acknowledges whom)
{
	struct ordo_schedule *schedule = birs_published(nrank, whom);
	struct ordo_proof *proof = judge(schedule);
	if (proof->nfinding)
		fail_msg("%s", proof->findings[0].text);
	assert_true(proof->proved);
	assert_int_equal(proof->ndistinct, 1);
	ordo_proof_destroy(proof);
	ordo_schedule_destroy(schedule);
}

static void with_four_ranks_source_and_destination_are_one(void **state)
{
	(void)state;
	check_proved(4, THE_DESTINATION);
}

static void acknowledged_towards_the_source_it_is_proved(void **state)
{
	(void)state;
	for (uint32_t nrank = 4; nrank <= MOST_RANKS; nrank += 2)
		check_proved(nrank, THE_SOURCE);
}

/* The hand-written sums put right and the derived schedule are bit-interchangeable. */
static void the_derived_schedule_is_proved_and_adds_in_the_same_order(void **state)
{
	(void)state;
	for (uint32_t nrank = 4; nrank <= MOST_RANKS; nrank += 2) {
		const struct ordo_request request = {
			.problem = {.op = ORDO_REDUCESCATTER, .nrank = nrank}, .algorithm = "birs"};
		struct ordo_schedule *derived = ordo_compile(&request, NULL);
		struct ordo_schedule *written = birs_published(nrank, THE_SOURCE);
		assert_non_null(derived);
		struct ordo_proof *one = judge(derived), *other = judge(written);
		assert_string_equal(one->digest, other->digest);
		ordo_proof_destroy(one);
		ordo_proof_destroy(other);
		ordo_schedule_destroy(derived);
		ordo_schedule_destroy(written);
	}
}

static void the_example_is_this_schedule_and_its_witness_can_be_read(void **state)
{
	(void)state;
	struct ordo_error error = {0};
	struct ordo_schedule *example = ordo_schedule_read(EXAMPLE, NULL, &error);
	if (!example)
		fail_msg("%s", error.text);
	struct ordo_schedule *made = birs_published(6, THE_DESTINATION);
	char *texts[2] = {NULL, NULL};
	const struct ordo_schedule *both[] = {example, made};
	for (int i = 0; i < 2; i++) {
		size_t size;
		FILE *out = open_memstream(&texts[i], &size);
		assert_non_null(out);
		assert_true(ordo_schedule_print(both[i], out, NULL));
		fclose(out);
	}
	assert_string_equal(texts[0], texts[1]);
	struct ordo_proof *proof = judge(example);
	assert_int_equal(proof->nfinding, 6);
	assert_string_equal(proof->findings[0].text,
		"rank 0, stream \"hccs\", task 3 (Send 2 chunk 2 scratch 1 -> scratch 3) touches "
		"the memory of rank 2, which may not have entered the call yet");
	ordo_proof_destroy(proof);
	ordo_schedule_destroy(example);
	ordo_schedule_destroy(made);
	free(texts[0]);
	free(texts[1]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(from_six_ranks_on_calls_in_a_row_race_and_nothing_else_is_wrong),
		cmocka_unit_test(with_four_ranks_source_and_destination_are_one),
		cmocka_unit_test(acknowledged_towards_the_source_it_is_proved),
		cmocka_unit_test(the_derived_schedule_is_proved_and_adds_in_the_same_order),
		cmocka_unit_test(the_example_is_this_schedule_and_its_witness_can_be_read),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
