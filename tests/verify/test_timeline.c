/* test_timeline.c - whose token a Wait takes, and the chain of causes that ends last. */
#include "handmade.h"
#include <ordo/timeline.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka needs the four above. */
#include <cmocka.h>

static struct ordo_timeline *timeline_of(const char *lines)
{
	const struct ordo_problem problem = {
		.op = ORDO_ALLGATHER, .nrank = 3, .nshard = 3, .chunks_per_block = 1};
	struct ordo_timeline *timeline = ordo_timeline_create(handmade(&problem, 0, lines), NULL);
	assert_non_null(timeline);
	return timeline;
}

static void destroy(struct ordo_timeline *timeline)
{
	struct ordo_schedule *schedule = (struct ordo_schedule *)(uintptr_t)timeline->schedule;
	ordo_timeline_destroy(timeline);
	ordo_schedule_destroy(schedule);
}

static void the_jth_wait_takes_the_jth_notify_of_its_own_signal(void **state)
{
	(void)state;
	struct ordo_timeline *timeline = timeline_of("rank 0\n"
						     "Wait 2 signal 0\n" /* 0 */
						     "Wait 1 signal 7\n"
						     "Wait 1 signal 0\n"
						     "Wait 1 signal 7\n"
						     "rank 1\n"
						     "Notify 0 signal 7\n" /* 4 */
						     "Notify 0 signal 0\n"
						     "Notify 2 signal 0\n"
						     "Notify 0 signal 7\n"
						     "rank 2\n"
						     "Wait 1 signal 0\n" /* 8 */
						     "Wait 1 signal 0\n"
						     "Notify 0 signal 0\n"
						     "Notify 0 signal 0\n");
	static const uint32_t wanted[] = {10, 4, 5, 7, ORDO_NONE, ORDO_NONE, ORDO_NONE, ORDO_NONE,
		6, ORDO_NONE, ORDO_NONE, ORDO_NONE};
	timeline->tasks[4].notify = 3;
	assert_true(ordo_timeline_pair(timeline, NULL));
	for (uint32_t i = 0; i < sizeof wanted / sizeof *wanted; i++)
		assert_int_equal(timeline->tasks[i].notify, wanted[i]);
	destroy(timeline);
}

static void the_token_for_a_rank_that_does_not_exist_is_nobody_elses(void **state)
{
	(void)state;
	const struct ordo_problem problem = {
		.op = ORDO_ALLGATHER, .nrank = 2, .nshard = 2, .chunks_per_block = 1};
	const char *lines = "rank 0\n"
			    "Notify 2 signal 0\n"
			    "Wait 1 signal 0\n"
			    "rank 1\n"
			    "Wait 7 signal 0\n"
			    "Notify 7 signal 0\n";
	struct ordo_timeline *timeline = ordo_timeline_create(handmade(&problem, 0, lines), NULL);
	assert_non_null(timeline);
	assert_true(ordo_timeline_pair(timeline, NULL));
	assert_int_equal(timeline->tasks[1].notify, ORDO_NONE);
	assert_int_equal(timeline->tasks[2].notify, ORDO_NONE);
	destroy(timeline);
}

static void the_path_leads_by_causes_to_what_ended_last(void **state)
{
	(void)state;
	struct ordo_timeline *timeline = timeline_of("rank 0\n"
						     "Notify 1 signal 0\n"
						     "Notify 1 signal 0\n"
						     "rank 1\n"
						     "Wait 0 signal 0\n"
						     "Wait 0 signal 0\n");
	static const struct ordo_timed_task times[] = {{0, 0, 1, ORDO_NONE, ORDO_NONE},
		{1, 1, 3, 0, ORDO_NONE}, {0, 1, 1, 0, 0}, {1, 3, 3.5, 1, 1}};
	for (uint32_t i = 0; i < 4; i++)
		timeline->tasks[i] = times[i];
	uint32_t path[4];
	assert_int_equal(ordo_timeline_path(timeline, path), 3);
	assert_int_equal(path[0], 0);
	assert_int_equal(path[1], 1);
	assert_int_equal(path[2], 3);
	destroy(timeline);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_jth_wait_takes_the_jth_notify_of_its_own_signal),
		cmocka_unit_test(the_token_for_a_rank_that_does_not_exist_is_nobody_elses),
		cmocka_unit_test(the_path_leads_by_causes_to_what_ended_last),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
