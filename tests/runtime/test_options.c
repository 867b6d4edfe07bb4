/* test_options.c - programs that were compiled for other options than the library's: for shorter
 * ones, of which nothing more is read, and for longer ones, which must ask for nothing that is not
 * known.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
/* cmocka wants those before it. */
#include <cmocka.h>
#include <ordo/collectives.h>
#include <ordo/compiler.h>
#include <ordo/detail/tune.h>
#include <ordo/options.h>
#include <ordo/predict.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { NRANK = 4 };
static const struct ordo_request request = {
	.problem = {.op = ORDO_ALLREDUCE, .nrank = NRANK}, .algorithm = "ring"};
static struct ordo_schedule *schedule;

/* So many bytes of options, and no byte more: behind them is memory that must not be read. One at a
 * time. */
static void *at_the_end(const void *options, size_t size)
{
	static unsigned char *page;
	const size_t page_size = (size_t)sysconf(_SC_PAGESIZE);
	if (!page) {
		page = mmap(NULL, 2 * page_size, PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		assert_true(page != MAP_FAILED);
		assert_int_equal(mprotect(page + page_size, page_size, PROT_NONE), 0);
	}
	memset(page, 0xff, page_size);
	return memcpy(page + page_size - size, options, size);
}

static void shorter_ones_are_read_no_further(void **state)
{
	(void)state;
	struct ordo_error error;
	const struct ordo_plan_options options = {
		.type = ORDO_F32, .count = 100, .watchdog_ms = 12345, .tile_bytes = 7};
	struct ordo_plan_options taken;
	assert_true(ordo_options_take(&taken, sizeof taken,
		at_the_end(&options, ORDO_UP_TO(ordo_plan_options, alignment)),
		ORDO_UP_TO(ordo_plan_options, alignment), &error));
	assert_true(taken.count == 100 && taken.watchdog_ms == 0 && taken.tile_bytes == 0);
	assert_true(ordo_options_take(&taken, sizeof taken, NULL, sizeof taken, &error));
	assert_true(taken.count == 0 && taken.type == 0);
}

static bool suits(const struct ordo_schedule *one, const struct ordo_proof *proof, void *closure,
	struct ordo_error *error)
{
	(void)closure;
	(void)error;
	return one && proof;
}

/* The same of the functions that take options: in a program that knew fewer members. */
static void functions_take_shorter_ones(void **state)
{
	(void)state;
	struct ordo_error error;
	char *text = NULL;
	size_t length = 0;
	FILE *out = open_memstream(&text, &length);
	assert_true(out && ordo_schedule_print(schedule, out, &error) && !fclose(out));
	const size_t read_size = ORDO_UP_TO(ordo_read_options, no_places);
	const struct ordo_read_options read_options = {.no_places = true};
	struct ordo_schedule *read = ordo_schedule_read_text_sized(
		read_size, text, length, "text", at_the_end(&read_options, read_size), &error);
	assert_true(read && !read->places);
	ordo_schedule_destroy(read);
	free(text);

	const struct ordo_verify_options verify_options = {
		.limits = {.streams = 9}, .max_findings = 3};
	const size_t verify_size = ORDO_UP_TO(ordo_verify_options, max_findings);
	struct ordo_proof *proof = ordo_verify_sized(
		verify_size, schedule, at_the_end(&verify_options, verify_size), &error);
	assert_true(proof && proof->proved);
	ordo_proof_destroy(proof);

	const size_t compile_size = ORDO_UP_TO(ordo_request, topology);
	struct ordo_schedule *compiled =
		ordo_compile_sized(compile_size, at_the_end(&request, compile_size), &error);
	assert_non_null(compiled);
	ordo_schedule_destroy(compiled);
	struct ordo_cost cost;
	assert_true(ordo_cost_of_sized(
		compile_size, at_the_end(&request, compile_size), &cost, &error));
	struct ordo_shard_price price;
	assert_true(ordo_shard_price_sized(
		compile_size, at_the_end(&request, compile_size), &price, &error));
	compiled = ordo_choose_sized(compile_size, at_the_end(&request, compile_size), suits, NULL,
		NULL, &proof, &error);
	assert_non_null(compiled);
	ordo_schedule_destroy(compiled);
	ordo_proof_destroy(proof);

	const struct ordo_predict_options predict_options = {
		.machine = ordo_machine_usual(), .bytes = 1000};
	const size_t predict_size = ORDO_UP_TO(ordo_predict_options, through_ranks);
	struct ordo_prediction *prediction = ordo_predict_sized(
		predict_size, schedule, at_the_end(&predict_options, predict_size), &error);
	assert_non_null(prediction);
	ordo_prediction_destroy(prediction);
}

static void run_by_name(struct ordo_communicator *communicator)
{
	static float in[NRANK] = {1, 2, 3, 4}, out[NRANK];
	const void *inputs[NRANK] = {&in[0], &in[1], &in[2], &in[3]};
	void *outputs[NRANK] = {&out[0], &out[1], &out[2], &out[3]};
	assert_non_null(communicator);
	assert_true(ordo_communicator_bind(communicator, schedule, NULL));
	assert_true(ordo_allreduce_all(communicator, inputs, outputs, 1, ORDO_F32, ORDO_SUM, NULL));
	assert_true(out[0] == 10 && out[3] == 10);
	ordo_communicator_destroy(communicator);
}

/* The runtime's, by size and by the names that the first version had. */
static void the_runtime_takes_shorter_ones(void **state)
{
	(void)state;
	struct ordo_error error;
	const struct ordo_communicator_options crowd = {.nrank = NRANK, .depth = 4, .nkept = 1};
	const size_t crowd_size = ORDO_UP_TO(ordo_communicator_options, depth);
	run_by_name(
		ordo_communicator_create_sized(crowd_size, at_the_end(&crowd, crowd_size), &error));
	run_by_name((ordo_communicator_create)(at_the_end(&crowd, crowd_size), &error));
	run_by_name(ordo_communicator_create_sized(
		sizeof crowd.nrank, at_the_end(&crowd, sizeof crowd.nrank), &error));

	const struct ordo_plan_options options = {.type = ORDO_F32, .count = 1};
	const size_t plan_size = ORDO_UP_TO(ordo_plan_options, count);
	struct ordo_plan *plan = ordo_plan_create_sized(
		plan_size, schedule, at_the_end(&options, plan_size), &error);
	assert_non_null(plan);
	ordo_plan_destroy(plan);
	struct ordo_collective *collective = ordo_collective_create_sized(
		plan_size, schedule, at_the_end(&options, plan_size), &error);
	assert_non_null(collective);
	struct ordo_communicator *communicator = ordo_communicator_create(&crowd, &error);
	float in[NRANK] = {1, 2, 3, 4}, out[NRANK];
	struct ordo_part parts[NRANK];
	for (int r = 0; r < NRANK; r++)
		parts[r] = (struct ordo_part){
			.collective = collective, .input = &in[r], .output = &out[r]};
	assert_true(
		(ordo_communicator_run_all)(communicator, at_the_end(parts, sizeof parts), &error));
	assert_true(out[2] == 10);
	struct ordo_ticket tickets[NRANK];
	const size_t part_size = ORDO_UP_TO(ordo_part, output);
	for (uint32_t r = 0; r < NRANK; r++)
		assert_true(ordo_communicator_start_sized(part_size, communicator, r,
			at_the_end(&parts[r], part_size), &tickets[r], &error));
	for (uint32_t r = 0; r < NRANK; r++)
		assert_true(ordo_communicator_wait(communicator, &tickets[r], &error));
	assert_false(ordo_communicator_run_all_sized(part_size, communicator, parts, &error));
	assert_int_equal(error.code, ORDO_USAGE);
	ordo_communicator_destroy(communicator);
	ordo_collective_destroy(collective);
}

/* A newer program's. */
static void longer_ones_must_ask_for_nothing_unknown(void **state)
{
	(void)state;
	struct ordo_error error;
	struct {
		struct ordo_communicator_options known;
		uint32_t later[3];
	} crowd = {.known = {.nrank = NRANK}};
	run_by_name(ordo_communicator_create_sized(
		sizeof crowd, at_the_end(&crowd, sizeof crowd), &error));
	crowd.later[2] = 1;
	assert_null(ordo_communicator_create_sized(
		sizeof crowd, at_the_end(&crowd, sizeof crowd), &error));
	assert_int_equal(error.code, ORDO_USAGE);
	assert_string_equal(
		error.hint, "the program was compiled for a newer libordo than the one that runs");

	struct {
		struct ordo_part known;
		uint64_t later;
	} parts[NRANK];
	const struct ordo_plan_options options = {.type = ORDO_F32, .count = 1};
	struct ordo_collective *collective = ordo_collective_create(schedule, &options, &error);
	struct ordo_communicator *communicator = ordo_communicator_create(&crowd.known, &error);
	float in[NRANK] = {1, 2, 3, 4}, out[NRANK] = {0};
	memset(parts, 0, sizeof parts);
	for (int r = 0; r < NRANK; r++)
		parts[r].known = (struct ordo_part){
			.collective = collective, .input = &in[r], .output = &out[r]};
	assert_true(ordo_communicator_run_all_sized(
		sizeof parts[0], communicator, &parts[0].known, &error));
	assert_true(out[0] == 10 && out[3] == 10);
	parts[3].later = 1;
	assert_false(ordo_communicator_run_all_sized(
		sizeof parts[0], communicator, &parts[0].known, &error));
	assert_int_equal(error.code, ORDO_USAGE);
	assert_false(ordo_communicator_run_sized(
		sizeof parts[0], communicator, 3, &parts[3].known, &error));
	assert_int_equal(error.code, ORDO_USAGE);
	ordo_communicator_destroy(communicator);
	ordo_collective_destroy(collective);
}

/* What is to be freed after a failure is empty, also if the options were not even looked at. */
static void what_is_freed_is_empty(void **state)
{
	(void)state;
	struct ordo_error error;
	struct {
		struct ordo_tune_wish known;
		uint64_t later;
	} wish = {.later = 1};
	struct ordo_tuning tuning;
	struct ordo_selection selection;
	struct {
		struct ordo_selection_wish known;
		uint64_t later;
	} less = {.later = 1};
	memset(&tuning, 0xff, sizeof tuning);
	memset(&selection, 0xff, sizeof selection);
	assert_false(ordo_tune_sized(sizeof wish, &wish.known, &tuning, &error));
	ordo_tuning_free(&tuning);
	assert_false(ordo_select_sized(sizeof less, &less.known, &selection, &error));
	ordo_selection_free(&selection);
}

static int compile_one(void **state)
{
	(void)state;
	schedule = ordo_compile(&request, NULL);
	return schedule ? 0 : -1;
}

static int destroy_one(void **state)
{
	(void)state;
	ordo_schedule_destroy(schedule);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(shorter_ones_are_read_no_further),
		cmocka_unit_test(functions_take_shorter_ones),
		cmocka_unit_test(the_runtime_takes_shorter_ones),
		cmocka_unit_test(longer_ones_must_ask_for_nothing_unknown),
		cmocka_unit_test(what_is_freed_is_empty),
	};
	return cmocka_run_group_tests(tests, compile_one, destroy_one);
}
