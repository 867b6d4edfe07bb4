/* test_execution.c - a schedule run in either form of buffers, and what the check says of an output
 * that is spoilt afterwards. */
#include "check/execution.h"
#include <ordo/compiler.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

enum { NRANK = 3, COUNT = 2 * NRANK * 2048 + 5 };

struct bench {
	struct ordo_schedule *schedule;
	struct ordo_proof *proof;
	struct execution execution;
};

static void open_bench(struct bench *bench, const struct ordo_problem *problem, bool with_proof,
	const struct execution_options *args)
{
	const struct ordo_request request = {.problem = *problem, .algorithm = "ring"};
	assert_non_null(bench->schedule = ordo_compile(&request, NULL));
	assert_non_null(bench->proof = ordo_verify(bench->schedule, NULL, NULL));
	assert_true(execute(
		&bench->execution, bench->schedule, with_proof ? bench->proof : NULL, args, NULL));
}

static void close_bench(struct bench *bench)
{
	close_execution(&bench->execution);
	ordo_proof_destroy(bench->proof);
	ordo_schedule_destroy(bench->schedule);
}

/* Whether the first and the last byte of a rank's smaller buffer lie in its larger one. */
static bool is_one_memory(const struct bench *bench, uint32_t rank)
{
	const struct ordo_problem *problem = &bench->schedule->problem;
	const size_t size = sizeof(float);
	const char *input = bench->execution.buffers.inputs[rank],
		   *output = bench->execution.buffers.outputs[rank];
	const uint64_t input_size = size * element_of_slot(
						   problem, COUNT, ordo_input_slots(problem, rank)),
		       output_size = size * element_of_slot(problem, COUNT,
						    ordo_output_slots(problem, rank));
	return input_size < output_size
		       ? input >= output && input + input_size <= output + output_size
		       : output >= input && output + output_size <= input + input_size;
}

static void every_form_is_the_form_it_says(void **state)
{
	static const enum ordo_operator operators[] = {
		ORDO_ALLREDUCE, ORDO_REDUCESCATTER, ORDO_ALLGATHER};
	(void)state;
	for (uint32_t i = 0; i < 3 * 2 * 2 * 2; i++) {
		const struct ordo_problem problem = {
			.op = operators[i / 8], .nrank = NRANK, .in_place = i & 1};
		const struct execution_options args = {.type = ORDO_F32,
			.count = COUNT,
			.folded = true,
			.other_form = i & 2,
			.nworker = i & 4 ? 2 : 0,
			.warmup = 2,
			.repeat = 2,
			.check = true};
		struct bench bench;
		open_bench(&bench, &problem, true, &args);
		for (uint32_t rank = 0; rank < NRANK; rank++)
			assert_int_equal(
				is_one_memory(&bench, rank), problem.in_place != args.other_form);
		assert_int_equal(bench.execution.ntimed, 2);
		assert_false(is_wrong(&bench.execution.check));
		assert_int_equal(bench.execution.check.wrong, 0);
		assert_true(bench.execution.check.elements >= NRANK * (uint64_t)COUNT);
		close_bench(&bench);
	}
}

/* Spoils some elements of one rank's output, by turning bits, and returns how many the check finds
 * wrong. */
static uint64_t count_wrong(enum ordo_type type, bool with_proof, unsigned char bits)
{
	static const uint64_t spoilt[] = {0, 1, 2047, 2048, COUNT / 2, COUNT - 1};
	const struct ordo_problem problem = {.op = ORDO_ALLREDUCE, .nrank = NRANK};
	const struct execution_options args = {
		.type = type, .count = COUNT, .nworker = 1, .repeat = 1};
	const size_t size = ordo_type_size(type);
	struct bench bench;
	struct check found;
	open_bench(&bench, &problem, with_proof, &args);
	assert_true(check(&bench.execution.trial, &found));
	assert_true(!is_wrong(&found) && found.wrong == 0);
	for (uint32_t i = 0; i < sizeof spoilt / sizeof *spoilt; i++)
		((unsigned char *)bench.execution.buffers
				.outputs[1])[spoilt[i] * size + (bits >= 16 ? size - 1 : 0)] ^=
			bits;
	assert_true(check(&bench.execution.trial, &found));
	assert_int_equal(is_wrong(&found), found.wrong > 0);
	if (found.wrong)
		assert_non_null(strstr(found.text, "rank 1, "));
	close_bench(&bench);
	return found.wrong;
}

static void what_is_spoilt_is_counted(void **state)
{
	(void)state;
	for (int type = 0; type < ORDO_NTYPE; type++) {
		if (!ordo_has_reduction((enum ordo_type)type, ORDO_SUM, NULL))
			continue;
		/* The last bit of one element of six: wrong by the order, and where all orders are
		 * one. */
		assert_int_equal(count_wrong((enum ordo_type)type, true, 1), 6);
		if (ordo_is_associative((enum ordo_type)type, ORDO_SUM))
			assert_int_equal(count_wrong((enum ordo_type)type, false, 1), 6);
		/* The sign is wrong whatever the order. */
		assert_int_equal(count_wrong((enum ordo_type)type, false, 0x80), 6);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_form_is_the_form_it_says),
		cmocka_unit_test(what_is_spoilt_is_counted),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
