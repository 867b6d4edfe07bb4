/* test_replay.c - interleavings that show what is wrong: they are found, written, read, carried
 * out, and they show it. */
#include "check/observed_run.h"

#include <ctype.h>
#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const struct values VALUES = {1, ORDO_F32, ORDO_SUM};

static struct ordo_schedule *read_case(const char *name)
{
	char path[4096];
	snprintf(path, sizeof path, "%s/%s", REJECT_FOLDER, name);
	return ordo_schedule_read(path, NULL, NULL);
}

static struct ordo_proof *judge(const struct ordo_schedule *schedule, bool atomic_reduce)
{
	const struct ordo_verify_options options = {
		.atomic_reduce = atomic_reduce, .max_findings = 1000};
	struct ordo_proof *proof = ordo_verify(schedule, &options, NULL);
	assert_non_null(proof);
	return proof;
}

/* The two tasks stand side by side, in this order or the other. */
static void assert_adjacent(const struct observed_run *run, bool exchanged)
{
	const uint64_t first = run->observations[exchanged].step,
		       second = run->observations[!exchanged].step;
	assert_int_equal(first + 1, second);
}

struct outcome {
	uint64_t ncompleted, nwrong, nleft_over, ndifferent;
};

static struct outcome carry_out(
	const struct ordo_schedule *schedule, const struct ordo_replay *replay)
{
	struct observed_run runs[2] = {{.outputs = NULL}, {.outputs = NULL}};
	struct ordo_error error;
	struct outcome outcome = {0};
	const uint64_t count = 8 * (uint64_t)schedule->problem.chunks_per_block +
			       (schedule->problem.op == ORDO_CUSTOM ? 0 : 3);
	const struct replay_data data = {VALUES, count, NULL};
	for (uint32_t i = 0; i < replay->ninterleaving; i++) {
		struct observed_run *run = &runs[i];
		if (!observe_run(run, schedule, replay, i, &data, &error))
			fail_msg("%s", error.text);
		if (!run->completed && run->error.code != ORDO_REFUTED)
			fail_msg("%s: %s", replay->shows, run->error.text);
		if (replay->ntask == 2)
			assert_adjacent(run, i == 1);
		outcome.ncompleted += run->completed;
		outcome.nwrong += run->wrong.count;
		outcome.nleft_over += run->left_over.nsignal;
	}
	if (outcome.ncompleted == 2)
		outcome.ndifferent = compare_observed_runs(schedule, replay, runs, &data).count;
	close_observed_run(&runs[0]);
	close_observed_run(&runs[1]);
	return outcome;
}

static void assert_shown(
	const struct ordo_replay *replay, const struct outcome *outcome, const char *name)
{
	const int rule = atoi(replay->shows + 1);
	bool shown = outcome->nwrong > 0;
	if (rule == 6)
		shown = outcome->nleft_over || !outcome->ncompleted;
	else if (rule == 7)
		shown = !outcome->ncompleted;
	else if (rule == 8 || rule == 9)
		shown = outcome->ndifferent || outcome->nwrong;
	if (!shown)
		fail_msg("%s: %s is not shown", name, replay->shows);
}

static char *print(const struct ordo_schedule *schedule, const struct ordo_replay *replay)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	assert_true(out && ordo_replay_print(schedule, replay, out, NULL) && !fclose(out));
	return text;
}

static void assert_reads_back(
	const struct ordo_schedule *schedule, const struct ordo_replay *replay)
{
	struct ordo_error error;
	char *text = print(schedule, replay);
	struct ordo_replay *again =
		ordo_replay_read_text(schedule, text, strlen(text), "memory", &error);
	if (!again)
		fail_msg("%s", error.text);
	char *text_again = print(schedule, again);
	assert_string_equal(text, text_again);
	ordo_replay_destroy(again);
	free(text);
	free(text_again);
}

/* Every finding of the rules about runs has an interleaving that shows it; findings of the others
 * have none. */
static void every_reject_case_is_shown(void **state)
{
	(void)state;
	DIR *folder = opendir(REJECT_FOLDER);
	uint32_t nshown[12] = {0};
	assert_non_null(folder);
	for (const struct dirent *entry; (entry = readdir(folder));) {
		struct ordo_schedule *schedule =
			entry->d_name[0] == 'R' ? read_case(entry->d_name) : NULL;
		struct ordo_proof *proof = schedule ? judge(schedule, false) : NULL;
		for (uint32_t i = 0; proof && i < proof->nfinding; i++) {
			struct ordo_error error;
			const struct ordo_finding *finding = &proof->findings[i];
			struct ordo_replay *replay =
				ordo_replay_of_finding(schedule, finding, &error);
			const bool custom = schedule->problem.op == ORDO_CUSTOM;
			if (finding->rule < 6 || (custom && finding->rule > 9)) {
				assert_null(replay);
				assert_int_equal(error.code, ORDO_USAGE);
				continue;
			}
			if (!replay)
				fail_msg("%s: %s", entry->d_name, error.text);
			const struct outcome outcome = carry_out(schedule, replay);
			/* A task that overlaps itself has one order only; and values are those of
			 * one of many orders where there is a race. */
			const bool races = proof->findings[0].rule == 8 && finding->rule > 9;
			if (!races && (finding->rule != 8 || finding->ntask == 2))
				assert_shown(replay, &outcome, entry->d_name);
			assert_reads_back(schedule, replay);
			nshown[finding->rule]++;
			ordo_replay_destroy(replay);
		}
		ordo_proof_destroy(proof);
		ordo_schedule_destroy(schedule);
	}
	closedir(folder);
	for (int rule = 6; rule <= 11; rule++)
		assert_true(nshown[rule] > 0);
}

/* With --atomic-reduce nothing is wrong but the order. */
static void two_orders_of_a_sum_give_two_results(void **state)
{
	(void)state;
	struct ordo_schedule *schedule = read_case("R8-two-writers-unordered.json");
	struct ordo_proof *proof = judge(schedule, true);
	assert_true(proof->proved);
	assert_int_equal(proof->run_to_run, ORDO_DOES_NOT_HOLD);
	struct ordo_replay *replay =
		ordo_replay_of_order(schedule, proof->unordered, proof->run_to_run_why, NULL);
	assert_non_null(replay);
	assert_string_equal(replay->shows, "G2");
	const struct outcome outcome = carry_out(schedule, replay);
	assert_int_equal(outcome.nwrong, 0);
	assert_true(outcome.ndifferent > 0);
	assert_reads_back(schedule, replay);
	ordo_replay_destroy(replay);
	ordo_proof_destroy(proof);
	ordo_schedule_destroy(schedule);
}

static struct ordo_replay *replay_of_case(const char *name, struct ordo_schedule **schedule)
{
	*schedule = read_case(name);
	assert_non_null(*schedule);
	struct ordo_proof *proof = judge(*schedule, false);
	struct ordo_replay *replay = ordo_replay_of_finding(*schedule, &proof->findings[0], NULL);
	assert_non_null(replay);
	ordo_proof_destroy(proof);
	return replay;
}

/* Where in a text an error lies; columns count bytes. */
static const char *at_place(const char *text, const struct ordo_error *error)
{
	for (uint32_t line = 1; line < error->line; line++)
		text = strchr(text, '\n') + 1;
	return text + error->column - 1;
}

static void assert_refused(
	const struct ordo_schedule *schedule, const char *text, const char *message)
{
	struct ordo_error error = {0};
	struct ordo_replay *replay =
		ordo_replay_read_text(schedule, text, strlen(text), "bad", &error);
	assert_null(replay);
	assert_int_equal(error.code, ORDO_BAD_INPUT);
	assert_true(error.line > 0 && error.column > 0);
	assert_false(isspace((unsigned char)*at_place(text, &error)));
	if (!strstr(error.text, message))
		fail_msg("found \"%s\", wanted \"%s\"", error.text, message);
}

static size_t find_in(const char *text, const char *part)
{
	for (size_t at = 0; text[at]; at++)
		if (!strncmp(text + at, part, strlen(part)))
			return at;
	fail_msg("no %s in %s", part, text);
	return 0;
}

static void bad_documents_are_refused_with_their_place(void **state)
{
	(void)state;
	static const struct {
		const char *old, *new, *message;
	} cases[] = {
		{"ordo/replay/1", "ordo/replay/2", "schema"},
		{"\"schedule\": \"", "\"schedule\": \"0", "belongs to another"},
		{"\"shows\": \"R8\"", "\"shows\": \"R12\"", "R6 to R11, or G2"},
		{"\"calls\": 1", "\"calls\": 3", "calls"},
		{"\"calls\": 1,", "", "\"calls\" is missing"},
		{"\"call\": 0", "\"call\": 1", "found call 1"},
		{"\"stream\": ", "\"stream\": 99", "stream: found"},
		{"\"task\": ", "\"task\": 99", "task: found 992, stream 1 has 7 tasks"},
		{"\"rank\": ", "\"rank\": 99", "rank: found"},
		{"[\"scratch\"", "[\"scratches\"", "buffer: found scratches"},
		{"\"slot\": [\"scratch\", ", "\"slot\": [\"scratch\", 77", "slot: found"},
		{"\"interleavings\": [\n  [[", "\"interleavings\": [\n  [[9", "stream: found"},
		{"\"interleavings\": [\n  [[", "\"interleavings\": [[],[],\n  [[", "a third"},
		{"\n ]}\n", "\n ]}\n{}", "after"},
		{"\"text\"", "\"test\"", "\"test\""},
	};
	struct ordo_schedule *schedule;
	struct ordo_replay *replay = replay_of_case("R8-read-before-data.json", &schedule);
	char *text = print(schedule, replay);
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		char changed[8192];
		const size_t at = find_in(text, cases[i].old);
		snprintf(changed, sizeof changed, "%.*s%s%s", (int)at, text, cases[i].new,
			text + at + strlen(cases[i].old));
		assert_refused(schedule, changed, cases[i].message);
	}
	for (size_t length = 0; length + 2 < strlen(text); length++) {
		struct ordo_error error;
		assert_null(ordo_replay_read_text(schedule, text, length, "cut", &error));
	}
	assert_refused(schedule,
		"{\"schema\": \"ordo/replay/1\", \"shows\": \"R8\", \"calls\": 1, \"text\": \"\", "
		"\"tasks\": [], \"interleavings\": []}",
		"schedule");
	free(text);
	ordo_replay_destroy(replay);
	ordo_schedule_destroy(schedule);
}

static void assert_cannot_run(
	const struct ordo_schedule *schedule, struct ordo_replay *replay, const char *message)
{
	struct observed_run run;
	assert_true(observe_run(
		&run, schedule, replay, 0, &(struct replay_data){VALUES, 8, NULL}, NULL));
	assert_false(run.completed);
	assert_int_equal(run.error.code, ORDO_BAD_INPUT);
	if (!strstr(run.error.text, message))
		fail_msg("found \"%s\", wanted \"%s\"", run.error.text, message);
	close_observed_run(&run);
}

/* The two ranks wait for each other with their last task. */
static void steps_that_cannot_be_taken_are_named(void **state)
{
	(void)state;
	struct ordo_schedule *schedule = read_case("sound-two-ranks.json");
	assert_non_null(schedule);
	const uint32_t length = schedule->streams[0].end;
	struct ordo_run whole[] = {{0, length}, {1, length}}, none[] = {{7, 1}},
			half[] = {{0, 1}, {1, 1}},
			twice[] = {{0, 1}, {1, length - 2}, {0, length - 1}, {1, 2}, {0, 1}};
	struct ordo_replay replay = {
		.ncall = 1, .memory_rank = ORDO_NONE, .ninterleaving = 1, .shows = "R8"};
	replay.interleavings[0] = (struct ordo_interleaving){whole, 2, 2};
	assert_cannot_run(schedule, &replay, "waits for a token that has not been notified yet");
	replay.interleavings[0] = (struct ordo_interleaving){none, 1, 1};
	assert_cannot_run(schedule, &replay, "there is no stream 7");
	replay.interleavings[0] = (struct ordo_interleaving){half, 2, 2};
	assert_cannot_run(schedule, &replay, "could continue where the interleaving ends");
	replay.interleavings[0] = (struct ordo_interleaving){twice, 5, 5};
	assert_cannot_run(schedule, &replay, "has no task left");
	replay.interleavings[0].nrun = 4;
	struct observed_run run;
	assert_true(observe_run(
		&run, schedule, &replay, 0, &(struct replay_data){VALUES, 8, NULL}, NULL));
	assert_true(run.completed && !run.wrong.count);
	close_observed_run(&run);
	ordo_schedule_destroy(schedule);
}

/* The digest sees everything a schedule does, and nothing else. */
static void the_digest_is_of_what_is_done(void **state)
{
	(void)state;
	char digest[33], other[33];
	struct ordo_schedule *schedule = read_case("sound-two-ranks.json"),
			     *copy = ordo_schedule_copy(schedule, NULL);
	assert_true(ordo_schedule_digest(schedule, digest, NULL) &&
		    ordo_schedule_digest(copy, other, NULL));
	assert_string_equal(digest, other);
	copy->algorithm = "another name";
	copy->streams[0].name = "another";
	assert_true(ordo_schedule_digest(copy, other, NULL));
	assert_string_equal(digest, other);
	for (uint32_t t = 0; t < copy->ntask; t++) {
		copy->tasks[t].peer ^= 1;
		assert_true(ordo_schedule_digest(copy, other, NULL));
		assert_string_not_equal(digest, other);
		copy->tasks[t].peer ^= 1;
	}
	copy->scratch_slots++;
	assert_true(ordo_schedule_digest(copy, other, NULL));
	assert_string_not_equal(digest, other);
	ordo_schedule_destroy(copy);
	ordo_schedule_destroy(schedule);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_reject_case_is_shown),
		cmocka_unit_test(two_orders_of_a_sum_give_two_results),
		cmocka_unit_test(bad_documents_are_refused_with_their_place),
		cmocka_unit_test(steps_that_cannot_be_taken_are_named),
		cmocka_unit_test(the_digest_is_of_what_is_done),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
