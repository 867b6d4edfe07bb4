/* test_no_solver.c - what a build without GLPK says when a linear program is asked for. */
#include "synthesis/pack/divide.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
/* cmocka needs the four above. */
#include <cmocka.h>

static void test_it_is_refused(void **state)
{
	(void)state;
	struct ordo_divided_links divided;
	struct ordo_error error = {0};
	assert_false(ordo_divide_links(&divided, NULL, &error));
	assert_int_equal(error.code, ORDO_ENVIRONMENT);
	assert_non_null(strstr(error.text, "needs GLPK"));
	assert_non_null(strstr(error.hint, "libglpk-dev"));
	free(divided.sums);
	free(divided.results);
	free(divided.roots);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_it_is_refused)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
