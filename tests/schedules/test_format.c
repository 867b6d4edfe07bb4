/* test_format.c - the examples of FORMAT.md are read, are canonical, and are proved. */
#include <ordo/detail/answers.h>
#include <ordo/detail/certificate.h>
#include <ordo/detail/input.h>
#include <ordo/failure_sets.h>
#include <ordo/moves.h>
#include <ordo/plan_set.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
/* cmocka needs the four above. */
#include <cmocka.h>

static const char *format_file; /* the program's argument */

/* The text of the n-th block of JSON, malloc'd. */
static char *take_example(int n)
{
	static char text[1 << 16];
	FILE *file = fopen(format_file, "r");
	assert_non_null(file);
	size_t size = fread(text, 1, sizeof text - 1, file);
	fclose(file);
	text[size] = '\0';
	const char *at = text;
	for (int i = 0; i <= n; i++) {
		at = strstr(at, "```json\n");
		assert_non_null(at);
		at += strlen("```json\n");
	}
	return strndup(at, (size_t)(strstr(at, "```") - at));
}

static void the_schedule_is_canonical_and_proved(void **state)
{
	(void)state;
	struct ordo_error error = {0};
	char *example = take_example(0), *again = NULL;
	size_t size;
	struct ordo_schedule *schedule =
		ordo_schedule_read_text(example, strlen(example), "FORMAT.md", NULL, &error);
	if (!schedule)
		fail_msg("%u:%u: %s", error.line, error.column, error.text);
	FILE *out = open_memstream(&again, &size);
	assert_true(ordo_schedule_print(schedule, out, &error));
	fclose(out);
	assert_string_equal(again, example);
	struct ordo_proof *proof = ordo_verify(schedule, NULL, &error);
	assert_non_null(proof);
	assert_true(proof->proved);
	ordo_proof_destroy(proof);
	ordo_schedule_destroy(schedule);
	free(again);
	free(example);
}

/* The schedule is the first example, the certificate the sixth. */
static void the_certificate_is_that_of_the_schedule(void **state)
{
	(void)state;
	struct ordo_error error = {0};
	char *example = take_example(0), *wanted = take_example(5), *found = NULL;
	size_t size;
	struct ordo_schedule *schedule =
		ordo_schedule_read_text(example, strlen(example), "FORMAT.md", NULL, &error);
	struct ordo_proof *proof = ordo_verify(schedule, NULL, &error);
	FILE *out = open_memstream(&found, &size);
	assert_true(ordo_certificate_print(schedule, proof, out, &error));
	fclose(out);
	assert_string_equal(found, wanted);
	ordo_proof_destroy(proof);
	ordo_schedule_destroy(schedule);
	free(found);
	free(wanted);
	free(example);
}

static void the_topology_is_canonical(void **state)
{
	(void)state;
	struct ordo_error error = {0};
	char *example = take_example(1), *again = NULL;
	size_t size;
	struct ordo_topology *topology =
		ordo_topology_read_text(example, strlen(example), "FORMAT.md", &error);
	if (!topology)
		fail_msg("%u:%u: %s", error.line, error.column, error.text);
	FILE *out = open_memstream(&again, &size);
	assert_true(ordo_topology_print(topology, out, &error));
	fclose(out);
	assert_string_equal(again, example);
	ordo_topology_destroy(topology);
	free(again);
	free(example);
}

static void the_failure_set_is_canonical(void **state)
{
	(void)state;
	struct ordo_error error = {0};
	char *example = take_example(7), *again = NULL;
	size_t size;
	struct ordo_failure_set *set =
		ordo_failure_set_read_text(example, strlen(example), "FORMAT.md", &error);
	if (!set)
		fail_msg("%u:%u: %s", error.line, error.column, error.text);
	FILE *out = open_memstream(&again, &size);
	assert_true(ordo_failure_set_print(set, out, &error));
	fclose(out);
	assert_string_equal(again, example);
	ordo_failure_set_destroy(set);
	free(again);
	free(example);
}

static void the_plan_set_is_canonical(void **state)
{
	(void)state;
	struct ordo_error error = {0};
	char *example = take_example(2), *again = NULL;
	size_t size;
	struct ordo_plan_set *set =
		ordo_plan_set_read_text(example, strlen(example), "FORMAT.md", &error);
	if (!set)
		fail_msg("%u:%u: %s", error.line, error.column, error.text);
	FILE *out = open_memstream(&again, &size);
	assert_true(ordo_plan_set_print(set, out, &error));
	fclose(out);
	assert_string_equal(again, example);
	ordo_plan_set_destroy(set);
	free(again);
	free(example);
}

static void the_input_is_canonical(void **state)
{
	(void)state;
	struct ordo_error error = {0};
	char *example = take_example(4), *again = NULL;
	size_t size;
	struct ordo_input *input =
		ordo_input_read_text(example, strlen(example), "FORMAT.md", &error);
	if (!input)
		fail_msg("%u:%u: %s", error.line, error.column, error.text);
	FILE *out = open_memstream(&again, &size);
	assert_true(ordo_input_print(input, out, &error));
	fclose(out);
	assert_string_equal(again, example);
	ordo_input_destroy(input);
	free(again);
	free(example);
}

/* The seventh example. */
static void the_answers_can_be_read(void **state)
{
	(void)state;
	struct ordo_error error = {0};
	char *example = take_example(6);
	struct ordo_answers *answers =
		ordo_answers_read_text(example, strlen(example), "FORMAT.md", &error);
	if (!answers)
		fail_msg("%u:%u: %s", error.line, error.column, error.text);
	assert_int_equal(answers->nrun, 3);
	assert_true(ordo_answer(answers, &answers->sizes[0], 0, 0, 0) == 1);
	assert_true(ordo_answer(answers, &answers->sizes[0], 0, 1, 1) == 0);
	ordo_answers_destroy(answers);
	free(example);
}

/* The ninth example. */
static void the_moves_are_canonical(void **state)
{
	(void)state;
	struct ordo_error error = {0};
	char *example = take_example(8), *again = NULL;
	size_t size;
	struct ordo_moves *moves =
		ordo_moves_read_text(example, strlen(example), "FORMAT.md", &error);
	if (!moves)
		fail_msg("%u:%u: %s", error.line, error.column, error.text);
	FILE *out = open_memstream(&again, &size);
	assert_true(ordo_moves_print(moves, out, &error));
	fclose(out);
	assert_string_equal(again, example);
	ordo_moves_destroy(moves);
	free(again);
	free(example);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_schedule_is_canonical_and_proved),
		cmocka_unit_test(the_answers_can_be_read),
		cmocka_unit_test(the_certificate_is_that_of_the_schedule),
		cmocka_unit_test(the_topology_is_canonical),
		cmocka_unit_test(the_plan_set_is_canonical),
		cmocka_unit_test(the_failure_set_is_canonical),
		cmocka_unit_test(the_input_is_canonical),
		cmocka_unit_test(the_moves_are_canonical),
	};
	if (argc != 2)
		return 2;
	format_file = argv[1];
	return cmocka_run_group_tests(tests, NULL, NULL);
}
