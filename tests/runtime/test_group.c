/* test_group.c - a group picks the schedule of a size, makes each collective once, and says what it
 * cannot do. */
#include "compiling.h"
#include <ordo/communicator.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

enum { NRANK = 4, NRANGE = 3 };

/* A set of two schedules, the first for the sizes on both sides of the second, in memory and in a
 * folder. */
static struct ordo_plan_set *set;
static struct ordo_schedule *own[2];
static const struct ordo_schedule *schedules[NRANGE];
static char folder[] = "/tmp/ordo-test-group-XXXXXX";

static int make_set(void **state)
{
	struct ordo_error error;
	struct ordo_request request = {
		.problem = {.op = ORDO_ALLREDUCE, .nrank = NRANK, .nshard = NRANK},
		.algorithm = "ring"};
	(void)state;
	own[0] = compile_proved(&request);
	request.algorithm = "dyadic";
	own[1] = compile_proved(&request);
	set = ordo_plan_set_create(&request.problem, &error);
	if (!set || !ordo_plan_set_add(set, 1, 399, "range-0.json", &error) ||
		!ordo_plan_set_add(set, 400, 800, "range-1.json", &error) ||
		!ordo_plan_set_add(set, 801, 4000, "range-0.json", &error))
		return -1;
	for (int i = 0; i < NRANGE; i++)
		schedules[i] = own[i == 1];
	return mkdtemp(folder) && !rmdir(folder) &&
			       ordo_plan_set_write(set, schedules, folder, &error)
		       ? 0
		       : -1;
}

static int remove_set(void **state)
{
	char command[128];
	(void)state;
	ordo_plan_set_destroy(set);
	ordo_schedule_destroy(own[0]);
	ordo_schedule_destroy(own[1]);
	snprintf(command, sizeof command, "rm -rf %s %s-own", folder, folder);
	return system(command);
}

static struct ordo_group *read_group(void)
{
	struct ordo_error error;
	struct ordo_plan_set *read = ordo_plan_set_read(folder, &error);
	assert_non_null(read);
	struct ordo_group *group = ordo_group_create(read, &error);
	ordo_plan_set_destroy(read);
	return group;
}

static const struct ordo_collective *collective_of(struct ordo_group *group, uint64_t count)
{
	struct ordo_error error;
	const struct ordo_plan_options options = {
		.type = ORDO_F32, .reduction = ORDO_SUM, .count = count};
	const struct ordo_collective *collective = ordo_group_collective(group, &options, &error);
	assert_non_null(collective);
	return collective;
}

/* Sizes of four bytes each; both ends of a range belong to it. */
static void check_choice(struct ordo_group *group)
{
	const uint64_t counts[] = {1, 99, 100, 200, 201, 1000};
	char digests[2][33];
	for (int i = 0; i < 2; i++) {
		struct ordo_proof *proof = ordo_verify(own[i], NULL, NULL);
		assert_non_null(proof);
		memcpy(digests[i], proof->digest, sizeof digests[i]);
		ordo_proof_destroy(proof);
	}
	assert_string_not_equal(digests[0], digests[1]);
	for (int i = 0; i < 6; i++)
		assert_string_equal(ordo_collective_digest(collective_of(group, counts[i])),
			digests[counts[i] >= 100 && counts[i] <= 200]);
}

static void the_size_chooses(void **state)
{
	struct ordo_error error;
	(void)state;
	struct ordo_group *groups[] = {
		ordo_group_of_schedules(set, schedules, &error), read_group()};
	for (int i = 0; i < 2; i++) {
		assert_non_null(groups[i]);
		check_choice(groups[i]);
		assert_ptr_equal(collective_of(groups[i], 99), collective_of(groups[i], 99));
		ordo_group_destroy(groups[i]);
	}
}

static void sizes_outside_are_refused(void **state)
{
	struct ordo_error error;
	struct ordo_plan_options options = {.type = ORDO_F32, .reduction = ORDO_SUM, .count = 1001};
	(void)state;
	struct ordo_group *group = ordo_group_of_schedules(set, schedules, &error);
	assert_null(ordo_group_collective(group, &options, &error));
	assert_int_equal(error.code, ORDO_USAGE);
	assert_string_equal(
		error.text, "4004 bytes: the plan set has schedules for 1 to 4000 bytes");
	ordo_group_destroy(group);
}

/* In memory, and from a folder. */
static void sizes_of_the_library_are_refused(void **state)
{
	struct ordo_error error;
	struct ordo_plan_options options = {.type = ORDO_F32, .reduction = ORDO_SUM, .count = 100};
	const struct ordo_schedule *const some[] = {own[0], NULL};
	char path[sizeof folder + 8];
	(void)state;
	struct ordo_plan_set *partial = ordo_plan_set_create(&set->problem, &error);
	assert_true(ordo_plan_set_add(partial, 1, 399, "range-0.json", &error) &&
		    ordo_plan_set_add(partial, 400, ORDO_ENDLESS, NULL, &error));
	snprintf(path, sizeof path, "%s-own", folder);
	assert_true(ordo_plan_set_write(partial, some, path, &error));
	struct ordo_plan_set *read = ordo_plan_set_read(path, &error);
	struct ordo_group *groups[] = {
		ordo_group_of_schedules(partial, some, &error), ordo_group_create(read, &error)};
	for (int i = 0; i < 2; i++) {
		assert_non_null(groups[i]);
		collective_of(groups[i], 99);
		assert_null(ordo_group_collective(groups[i], &options, &error));
		assert_int_equal(error.code, ORDO_USAGE);
		assert_string_equal(error.text, "400 bytes: the plan set has no schedule for this "
						"size: it leaves it to the "
						"library");
		ordo_group_destroy(groups[i]);
	}
	ordo_plan_set_destroy(read);
	ordo_plan_set_destroy(partial);
}

/* Threads that ask for the same collectives, each beginning with another. */
enum { NASKER = 6, NCOUNT = 40 };
struct asker {
	pthread_t thread;
	struct ordo_group *group;
	pthread_barrier_t *begin;
	uint32_t first;
	const struct ordo_collective *found[NCOUNT];
};

static void *ask(void *argument)
{
	struct asker *asker = argument;
	pthread_barrier_wait(asker->begin);
	for (uint32_t i = 0; i < NCOUNT; i++) {
		const uint32_t which = (asker->first + i) % NCOUNT;
		const struct ordo_plan_options options = {
			.type = ORDO_F32, .count = 20 * (uint64_t)which + 1};
		asker->found[which] = ordo_group_collective(asker->group, &options, NULL);
	}
	return NULL;
}

static void ask_together(void)
{
	struct ordo_error error;
	struct asker askers[NASKER];
	pthread_barrier_t begin;
	pthread_barrier_init(&begin, NULL, NASKER);
	struct ordo_group *group = ordo_group_of_schedules(set, schedules, &error);
	assert_non_null(group);
	for (uint32_t i = 0; i < NASKER; i++) {
		askers[i] = (struct asker){
			.group = group, .begin = &begin, .first = i * NCOUNT / NASKER};
		assert_int_equal(pthread_create(&askers[i].thread, NULL, ask, &askers[i]), 0);
	}
	for (uint32_t i = 0; i < NASKER; i++)
		pthread_join(askers[i].thread, NULL);
	for (uint32_t c = 0; c < NCOUNT; c++) {
		assert_non_null(askers[0].found[c]);
		assert_int_equal(
			ordo_collective_input_bytes(askers[0].found[c], 0), 4 * (20 * c + 1));
		for (uint32_t i = 1; i < NASKER; i++)
			assert_ptr_equal(askers[i].found[c], askers[0].found[c]);
	}
	pthread_barrier_destroy(&begin);
	ordo_group_destroy(group);
}

static void all_threads_get_the_same(void **state)
{
	(void)state;
	for (int round = 0; round < 20; round++)
		ask_together();
}

static void a_missing_schedule_leaves_no_group(void **state)
{
	struct ordo_error error;
	char path[128];
	(void)state;
	struct ordo_plan_set *read = ordo_plan_set_read(folder, &error);
	snprintf(path, sizeof path, "%s/range-1.json", folder);
	assert_int_equal(unlink(path), 0);
	assert_null(ordo_group_create(read, &error));
	assert_non_null(strstr(error.text, "range-1.json"));
	ordo_plan_set_destroy(read);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_size_chooses),
		cmocka_unit_test(sizes_outside_are_refused),
		cmocka_unit_test(sizes_of_the_library_are_refused),
		cmocka_unit_test(all_threads_get_the_same),
		cmocka_unit_test(a_missing_schedule_leaves_no_group),
	};
	return cmocka_run_group_tests(tests, make_set, remove_set);
}
