/* test_error.c - errors as they are printed, and which library it is that prints them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
/* cmocka wants those before it. */
#include <cmocka.h>
#include <ordo/version.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void check_written(const struct ordo_error *error, const char *wanted)
{
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);
	assert_non_null(out);
	ordo_error_write(error, out);
	assert_int_equal(fclose(out), 0);
	assert_string_equal(text, wanted);
	free(text);
}

static void an_error_is_written_with_all_it_has(void **state)
{
	(void)state;
	check_written(&(struct ordo_error){.text = "out of memory"}, "error: out of memory\n");
	check_written(&(struct ordo_error){.file = "error.json", .text = "empty"},
		"error.json: error: empty\n");
	check_written(&(struct ordo_error){.rule = 8,
			      .file = "a.json",
			      .line = 12,
			      .column = 3,
			      .text = "two writers",
			      .hint = "order them"},
		"a.json:12:3: error[R8]: two writers\nhint: order them\n");
	check_written(NULL, "");
}

static void control_characters_stay_out(void **state)
{
	(void)state;
	check_written(
		&(struct ordo_error){
			.file = "a\033[31m\n.json", .text = "one\ntwo\t\177", .hint = "\302\233K"},
		"a?[31m\n.json: error: one\ntwo??\nhint: ??K\n");
}

/* As long as an error can be: nothing is cut off. */
static void long_errors_are_written_whole(void **state)
{
	(void)state;
	struct ordo_error error = {.rule = 13, .line = UINT32_MAX, .column = UINT32_MAX};
	static char wanted[sizeof error + 100];
	memset(error.file, 'f', sizeof error.file - 1);
	memset(error.text, 't', sizeof error.text - 1);
	memset(error.hint, 'h', sizeof error.hint - 1);
	snprintf(wanted, sizeof wanted, "%s:4294967295:4294967295: error[R13]: %s\nhint: %s\n",
		error.file, error.text, error.hint);
	check_written(&error, wanted);
	const size_t length = strlen(wanted) - 1;
	char printed[sizeof wanted];
	assert_int_equal(ordo_error_print(&error, printed, sizeof printed), length);
	assert_memory_equal(printed, wanted, length);
}

static void the_version_is_one(void **state)
{
	(void)state;
	char numbers[40];
	snprintf(numbers, sizeof numbers, "%d.%d.%d", ORDO_VERSION_MAJOR, ORDO_VERSION_MINOR,
		ORDO_VERSION_PATCH);
	assert_string_equal(numbers, ORDO_VERSION);
	assert_string_equal(ordo_version(), ORDO_VERSION);
	assert_string_equal(PROJECT_VERSION, ORDO_VERSION);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_error_is_written_with_all_it_has),
		cmocka_unit_test(control_characters_stay_out),
		cmocka_unit_test(long_errors_are_written_whole),
		cmocka_unit_test(the_version_is_one),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
