/* test_float_mode.c - whoever computes in a mode that changes bits is told so, before anything is
 * computed. */
#include "exchanges.h"
#include <fenv.h>
#include <ordo/communicator.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#if defined(__SSE2__)
#include <xmmintrin.h>
#endif

#include <cmocka.h>

enum { NRANK = 2, COUNT = 8 };

static const struct ordo_plan_options options = {.type = ORDO_F32, .count = COUNT};

/* The modes that this CPU can be put in here, and what is said of them. */
static void set_mode(int mode)
{
	fesetenv(FE_DFL_ENV);
#if defined(__SSE2__)
	if (mode == 3)
		_mm_setcsr(_mm_getcsr() | 0x8000); /* FTZ */
	if (mode == 4)
		_mm_setcsr(_mm_getcsr() | 0x0040); /* DAZ */
#endif
	if (mode < 3)
		fesetround((const int[]){FE_TOWARDZERO, FE_UPWARD, FE_DOWNWARD}[mode]);
}

#if defined(__SSE2__)
enum { NMODE = 5 };
#else
enum { NMODE = 3 };
#endif

/* Puts the thread back in order before anything can fail. */
static void expect_refused(bool worked, const struct ordo_error *error, int mode)
{
	fesetenv(FE_DFL_ENV);
	assert_false(worked);
	assert_int_equal(error->code, ORDO_ENVIRONMENT);
	if (!strstr(error->text,
		    mode < 3 ? "does not round to nearest" : "flushes subnormals to zero"))
		fail_msg("mode %d: %s", mode, error->text);
	assert_non_null(strstr(error->hint, "FE_DFL_ENV"));
}

static void every_other_mode_is_told(void **unused)
{
	(void)unused;
	for (int mode = 0; mode < NMODE; mode++) {
		struct ordo_error error = {0};
		set_mode(mode);
		const bool standard = ordo_float_mode_check(&error);
		expect_refused(standard, &error, mode);
		/* What the hint says. */
		assert_true(ordo_float_mode_check(&error));
		set_mode(mode);
		assert_false(ordo_float_mode_check(NULL));
		fesetenv(FE_DFL_ENV);
	}
}

/* Exceptions that were raised or are trapped change no bit. */
static void flags_are_no_mode(void **unused)
{
	(void)unused;
	feraiseexcept(FE_ALL_EXCEPT);
	assert_true(ordo_float_mode_check(NULL));
	feclearexcept(FE_ALL_EXCEPT);
}

static void *check_here(void *worked)
{
	*(bool *)worked = ordo_float_mode_check(NULL);
	return NULL;
}

/* Threads of the library have the mode of the thread that was asked. */
static void threads_inherit_the_mode(void **unused)
{
	(void)unused;
	bool worked[2];
	for (int i = 0; i < 2; i++) {
		pthread_t thread;
		if (i)
			set_mode(0);
		const int failed = pthread_create(&thread, NULL, check_here, &worked[i]);
		fesetenv(FE_DFL_ENV);
		assert_int_equal(failed, 0);
		pthread_join(thread, NULL);
	}
	assert_true(worked[0]);
	assert_false(worked[1]);
}

static float inputs[NRANK][COUNT], outputs[NRANK][COUNT];

static struct ordo_plan *bind(const struct ordo_schedule *schedule)
{
	struct ordo_error error;
	struct ordo_plan *plan = ordo_plan_create(schedule, &options, &error);
	assert_non_null(plan);
	for (uint32_t r = 0; r < NRANK; r++)
		assert_true(ordo_plan_bind(plan, r, inputs[r], outputs[r], &error));
	return plan;
}

static bool run(struct ordo_plan *plan, int how, struct ordo_error *error)
{
	static const struct ordo_interleaving nothing;
	switch (how) {
	case 0:
		return ordo_plan_run_rank(plan, 0, error);
	case 1:
		return ordo_plan_run_threads(plan, 1, error);
	case 2:
		return ordo_plan_run_seeded(plan, 1, error);
	default:
		return ordo_plan_run_replay(plan, &nothing, 1, NULL, error);
	}
}

static void plans_are_neither_made_nor_run(void **unused)
{
	(void)unused;
	struct ordo_schedule *schedule = exchange_ring(NRANK, false, true);
	struct ordo_plan *plan = bind(schedule);
	struct ordo_error error = {0};
	for (int how = 0; how < 4; how++) {
		set_mode(NMODE - 1);
		const bool worked = run(plan, how, &error);
		expect_refused(worked, &error, NMODE - 1);
	}
	/* Nothing happened, so that the plan is as good as before. */
	assert_true(ordo_plan_run_threads(plan, 2, &error));
	ordo_plan_destroy(plan);
	set_mode(1);
	plan = ordo_plan_create(schedule, &options, &error);
	expect_refused(plan != NULL, &error, 1);
	ordo_schedule_destroy(schedule);
}

static void communicators_are_neither_made_nor_called(void **unused)
{
	(void)unused;
	struct ordo_schedule *schedule = exchange_ring(NRANK, false, true);
	const struct ordo_communicator_options wish = {.nrank = NRANK};
	struct ordo_error error = {0};
	set_mode(1);
	struct ordo_collective *collective = ordo_collective_create(schedule, &options, &error);
	expect_refused(collective != NULL, &error, 1);
	set_mode(1);
	struct ordo_communicator *communicator = ordo_communicator_create(&wish, &error);
	expect_refused(communicator != NULL, &error, 1);
	collective = ordo_collective_create(schedule, &options, &error);
	communicator = ordo_communicator_create(&wish, &error);
	assert_true(collective && communicator);
	struct ordo_part parts[NRANK];
	for (uint32_t r = 0; r < NRANK; r++)
		parts[r] = (struct ordo_part){
			.collective = collective, .input = inputs[r], .output = outputs[r]};
	struct ordo_ticket ticket;
	for (int how = 0; how < 3; how++) {
		set_mode(1);
		const bool worked =
			how == 0   ? ordo_communicator_run(communicator, 0, &parts[0], &error)
			: how == 1 ? ordo_communicator_start(
					     communicator, 0, &parts[0], &ticket, &error)
				   : ordo_communicator_run_all(communicator, parts, &error);
		expect_refused(worked, &error, 1);
	}
	assert_true(ordo_communicator_run_all(communicator, parts, &error));
	/* Calls that were started remain in flight, for a thread that computes as it should. */
	for (uint32_t r = NRANK; r > 0; r--)
		assert_true(ordo_communicator_start(
			communicator, r - 1, &parts[r - 1], &ticket, &error));
	set_mode(1);
	expect_refused(ordo_communicator_wait(communicator, &ticket, &error), &error, 1);
	set_mode(1);
	expect_refused(
		ordo_communicator_test(communicator, &ticket, &error) != ORDO_FAILED, &error, 1);
	assert_true(ordo_communicator_wait(communicator, &ticket, &error));
	ordo_communicator_destroy(communicator);
	ordo_collective_destroy(collective);
	ordo_schedule_destroy(schedule);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_other_mode_is_told),
		cmocka_unit_test(flags_are_no_mode),
		cmocka_unit_test(threads_inherit_the_mode),
		cmocka_unit_test(plans_are_neither_made_nor_run),
		cmocka_unit_test(communicators_are_neither_made_nor_called),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
