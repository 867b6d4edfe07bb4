/* test_plan_set.c - plan sets read, refused, written, and what they say of sizes. */
#include <fcntl.h>
#include <ordo/plan_set.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
/* cmocka needs the headers above. */
#include <cmocka.h>

/* The folder of the reject cases, the program's argument. */
static const char *reject_folder;

static const struct refusal {
	const char *name;
	uint32_t line, column;
	const char *text, *hint;
} refusals[] = {
	{"R1-accumulate-without-a-reduction", 2, 72,
		"accumulate: AllGather does not reduce, so there is nothing to accumulate", ""},
	{"R1-empty-range", 5, 37,
		"to_bytes: found 16384, wanted at least from_bytes, 16385: the range is empty",
		"both ends belong to a range: {\"from_bytes\": 16385, \"to_bytes\": 16385} is one "
		"size"},
	{"R1-endless-range-not-last", 6, 18,
		"from_bytes: found 1048577, but the range before it, from 16385, has no end",
		"only the last range may leave out to_bytes"},
	{"R1-gap", 5, 18,
		"from_bytes: found 16386, wanted 16385: there is a gap, no schedule for size 16385",
		"both ends belong to a range; the next one begins one byte further"},
	{"R1-in-place-where-there-is-none", 2, 50, "in_place: AllToAll has no in-place form", ""},
	{"R1-inner-overlap", 5, 18,
		"from_bytes: found 100, wanted 16385: ranges overlap, two schedules for sizes "
		"100..200",
		"both ends belong to a range; the next one begins one byte further"},
	{"R1-key-missing-in-a-range", 5, 3, "the key \"schedule\" is missing in a range", ""},
	{"R1-key-missing-in-the-head", 1, 1, "the key \"in_place\" is missing in a plan set", ""},
	{"R1-key-twice-in-a-range", 5, 73, "duplicate key \"schedule\" in a range", ""},
	{"R1-key-twice-in-the-head", 3, 2, "duplicate key \"ranks\" in a plan set", ""},
	{"R1-key-twice-written-otherwise", 5, 73, "duplicate key \"schedule\" in a range", ""},
	{"R1-no-ranges", 3, 12, "ranges: found none, wanted at least one", ""},
	{"R1-no-ranks", 2, 36, "ranks: found 0, wanted an integer of 1..2147483647", ""},
	{"R1-operator-unknown", 2, 14,
		"operator: found \"all-gather\", wanted AllReduce, Reduce, Broadcast, "
		"ReduceScatter, AllGather, Scatter, Gather, AllToAll or Custom",
		"did you mean \"AllGather\"?"},
	{"R1-overlap", 5, 18,
		"from_bytes: found 16384, wanted 16385: ranges overlap, two schedules for size "
		"16384",
		"both ends belong to a range; the next one begins one byte further"},
	{"R1-range-a-string", 4, 3, "found '\"', wanted a range, an object", ""},
	{"R1-ranges-an-object", 3, 12, "found '{', wanted an array of ranges", ""},
	{"R1-ranges-missing", 1, 1, "the key \"ranges\" is missing in a plan set", ""},
	{"R1-root-beyond-the-ranks", 2, 44, "root: found 2, wanted a rank of 0..1", ""},
	{"R1-root-missing", 2, 14, "the key \"root\" is missing: Gather has a root", ""},
	{"R1-root-where-there-is-none", 2, 47, "root: AllGather has no root", ""},
	{"R1-schedule-a-number", 4, 52, "schedule: found 7, wanted a string", ""},
	{"R1-schedule-a-set-by-name", 4, 52,
		"schedule: found \"plan-set.json\", which is the name of a set, wanted a schedule",
		""},
	{"R1-schedule-above", 4, 52,
		"schedule: found \"../small.json\", wanted the plain name of a file or folder "
		"beside the set",
		"no slash, no backslash, no dot in front: a set and its schedules stay together"},
	{"R1-schedule-anywhere", 4, 52,
		"schedule: found \"/small.json\", wanted the plain name of a file or folder beside "
		"the set",
		"no slash, no backslash, no dot in front: a set and its schedules stay together"},
	{"R1-schedule-below", 4, 52,
		"schedule: found \"folder/small.json\", wanted the plain name of a file or folder "
		"beside the set",
		"no slash, no backslash, no dot in front: a set and its schedules stay together"},
	{"R1-schedule-hidden", 4, 52,
		"schedule: found \".small.json\", wanted the plain name of a file or folder beside "
		"the set",
		"no slash, no backslash, no dot in front: a set and its schedules stay together"},
	{"R1-schedule-without-a-name", 4, 52,
		"schedule: found \"\", wanted the plain name of a file or folder beside the set",
		"no slash, no backslash, no dot in front: a set and its schedules stay together"},
	{"R1-schedule-with-a-wide-escape", 4, 52,
		"schedule: found control characters in a name, wanted none", ""},
	{"R1-schedule-with-an-escape", 4, 52,
		"schedule: found control characters in a name, wanted none", ""},
	{"R1-shards-without-a-reduction", 2, 49,
		"shards: AllGather does not reduce, found 4, wanted 2 (the number of ranks)", ""},
	{"R1-size-a-fraction", 4, 18,
		"from_bytes: found 1.5, wanted an integer of 0..9007199254740992, or a greater one "
		"up to 9223372036854775807 as a string",
		""},
	{"R1-size-as-a-short-string", 4, 18,
		"from_bytes: found \"1\", wanted an integer of 0..9007199254740992, or a greater "
		"one up to 9223372036854775807 as a string",
		""},
	{"R1-size-negative", 4, 18,
		"from_bytes: found -1, wanted an integer of 0..9007199254740992, or a greater one "
		"up to 9223372036854775807 as a string",
		""},
	{"R1-size-past-2-to-64", 5, 37,
		"to_bytes: found \"18446744073709551617\", wanted an integer of "
		"0..9007199254740992, or a greater one up to 9223372036854775807 as a string",
		""},
	{"R1-size-past-the-limit", 5, 37,
		"to_bytes: found \"9223372036854775808\", wanted an integer of "
		"0..9007199254740992, or a greater one up to 9223372036854775807 as a string",
		""},
	{"R1-size-too-wide-for-a-number", 5, 37,
		"to_bytes: found 9007199254740993, wanted an integer of 0..9007199254740992, or a "
		"greater one up to 9223372036854775807 as a string",
		""},
	{"R1-size-with-a-leading-zero", 5, 37,
		"to_bytes: found \"09007199254740993\", wanted an integer of 0..9007199254740992, "
		"or a greater one up to 9223372036854775807 as a string",
		""},
	{"R1-size-with-a-unit", 5, 37,
		"to_bytes: found \"1MiB\", wanted an integer of 0..9007199254740992, or a greater "
		"one up to 9223372036854775807 as a string",
		""},
	{"R1-size-with-an-exponent", 4, 18,
		"from_bytes: found 1e0, wanted an integer of 0..9007199254740992, or a greater one "
		"up to 9223372036854775807 as a string",
		""},
	{"R1-something-after-the-document", 8, 1, "found '{', wanted nothing after the document",
		""},
	{"R1-truncated", 7, 3, "found the end of the text, wanted a comma or '}'",
		"the file may have been cut off"},
	{"R1-unknown-key-in-a-range", 4, 21, "unknown key \"to_byte\" in a range",
		"did you mean \"to_bytes\"?"},
	{"R1-unknown-key-in-the-head", 2, 27, "unknown key \"nranks\" in a plan set",
		"did you mean \"ranks\"?"},
	{"R1-unsorted", 5, 18,
		"from_bytes: found 1 after a range from 4, wanted ranges in ascending order",
		"the next range here begins at 16385"},
	{"R1-wide-gap", 5, 18,
		"from_bytes: found 20000, wanted 16385: there is a gap, no schedule for sizes "
		"16385..19999",
		"both ends belong to a range; the next one begins one byte further"},
	{"R1-wrong-schema", 1, 12, "schema: found \"ordo/schedule/1\", wanted \"ordo/plan-set/1\"",
		"this is a document of another kind or version"},
};

/* As we write it. */
static const char sound[] =
	"{\"schema\": \"ordo/plan-set/1\",\n"
	" \"operator\": \"AllGather\", \"ranks\": 2, \"in_place\": false,\n"
	" \"ranges\": [\n"
	"  {\"from_bytes\": 1, \"to_bytes\": 16384, \"schedule\": \"small.json\"},\n"
	"  {\"from_bytes\": 16385, \"to_bytes\": 1048576, \"schedule\": \"middle.json\"},\n"
	"  {\"from_bytes\": 1048577, \"schedule\": \"small.json\"}\n"
	" ]}\n";

static struct ordo_plan_set *read_text(const char *text)
{
	struct ordo_error error = {0};
	struct ordo_plan_set *set = ordo_plan_set_read_text(text, strlen(text), "text", &error);
	if (!set)
		fail_msg("%u:%u: error[R%d]: %s", error.line, error.column, error.rule, error.text);
	return set;
}

static char *print(const struct ordo_plan_set *set)
{
	char *text = NULL;
	size_t size;
	struct ordo_error error;
	FILE *out = open_memstream(&text, &size);
	assert_true(ordo_plan_set_print(set, out, &error));
	fclose(out);
	return text;
}

static void expect_again(const char *text, const char *wanted)
{
	struct ordo_plan_set *set = read_text(text);
	char *again = print(set);
	assert_string_equal(again, wanted);
	free(again);
	ordo_plan_set_destroy(set);
}

static void every_reject_case_says_what_is_wrong_and_where(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof refusals / sizeof *refusals; i++) {
		const struct refusal *wanted = &refusals[i];
		char path[4096];
		struct ordo_error error = {0};
		snprintf(path, sizeof path, "%s/plan-set/%s.json", reject_folder, wanted->name);
		assert_null(ordo_plan_set_read(path, &error));
		if (error.code != ORDO_BAD_INPUT || error.rule != 1 ||
			strcmp(error.text, wanted->text) != 0 ||
			strcmp(error.hint, wanted->hint) != 0 || error.line != wanted->line ||
			error.column != wanted->column || strcmp(error.file, path) != 0)
			fail_msg("%s:%u:%u: error[R%d]: %s\nhint: %s", error.file, error.line,
				error.column, error.rule, error.text, error.hint);
	}
}

static void what_is_read_is_what_is_written(void **state)
{
	(void)state;
	char path[4096];
	struct ordo_error error;
	expect_again(sound, sound);
	snprintf(path, sizeof path, "%s/plan-set/sound.json", reject_folder);
	struct ordo_plan_set *set = ordo_plan_set_read(path, &error);
	assert_non_null(set);
	char *again = print(set);
	assert_string_equal(again, sound);
	free(again);
	ordo_plan_set_destroy(set);
	/* Everything that may be there. */
	static const char full[] =
		"{\"schema\": \"ordo/plan-set/1\",\n"
		" \"operator\": \"Reduce\", \"ranks\": 3, \"root\": 2, \"shards\": 6, "
		"\"in_place\": false,\n"
		" \"x\": {\"by\": [1.50, null]},\n"
		" \"ranges\": [\n"
		"  {\"from_bytes\": 0, \"to_bytes\": 9007199254740992, \"schedule\": \"a\"},\n"
		"  {\"from_bytes\": \"9007199254740993\", \"to_bytes\": \"9223372036854775807\", "
		"\"schedule\": \"b \\\"c\\\"\"}\n"
		" ]}\n";
	expect_again(full, full);
}

/* `null`: the library's own choice. */
static const char own_choice[] =
	"{\"schema\": \"ordo/plan-set/1\",\n"
	" \"operator\": \"AllGather\", \"ranks\": 2, \"in_place\": false,\n"
	" \"ranges\": [\n"
	"  {\"from_bytes\": 0, \"to_bytes\": 9, \"schedule\": null},\n"
	"  {\"from_bytes\": 10, \"to_bytes\": 99, \"schedule\": \"a\"},\n"
	"  {\"from_bytes\": 100, \"schedule\": null}\n"
	" ]}\n";

static void a_range_may_have_no_schedule(void **state)
{
	struct ordo_error error = {0};
	(void)state;
	expect_again(own_choice, own_choice);
	struct ordo_plan_set *set = read_text(own_choice);
	assert_null(set->ranges[0].schedule);
	assert_string_equal(set->ranges[1].schedule, "a");
	assert_int_equal(ordo_plan_set_find(set, 5), 0);
	for (uint32_t i = 0; i < 3; i++)
		assert_int_equal(ordo_plan_set_first(set, i), i % 2);
	assert_null(ordo_plan_set_open(set, 2, NULL, &error));
	assert_int_equal(error.code, ORDO_BAD_INPUT);
	assert_string_equal(
		error.text, "schedule: found null, the library's own choice, wanted a schedule");
	assert_int_equal(error.line, 6);
	assert_int_equal(error.column, 35);
	ordo_plan_set_destroy(set);
	static const char *const wrong[] = {"nul", "Null", "true", "0", "[null]", "\"\"", ""};
	for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
		char text[512];
		const char *at = strstr(own_choice, "null");
		snprintf(text, sizeof text, "%.*s%s%s", (int)(at - own_choice), own_choice,
			wrong[i], at + 4);
		assert_null(ordo_plan_set_read_text(text, strlen(text), "wrong", &error));
		assert_int_equal(error.rule, 1);
		assert_int_equal(error.line, 4);
	}
}

static void order_space_and_escapes_do_not_matter(void **state)
{
	(void)state;
	expect_again("{ "
		     "\"ranges\":[{\"schedule\":\"small.json\",\"to_bytes\":16384,\"from_bytes\":1}"
		     ",{\"from_bytes\":16385,\"to_bytes\":1048576,\"sch\\u0065dule\":"
		     "\"middle\\u002ejson\"},{\"from_bytes\":1048577,\"schedule\":\"small.json\"}],"
		     "\t\"in_place\":false,\r\n"
		     "\"ranks\":2,\"operator\":\"AllGather\",\"schema\":\"ordo/plan-set\\/1\"}",
		sound);
}

static void a_cut_document_is_refused_wherever_it_is_cut(void **state)
{
	(void)state;
	for (size_t size = 0; size < strlen(sound) - 1; size++) {
		struct ordo_error error = {0};
		assert_null(ordo_plan_set_read_text(sound, size, "cut", &error));
		assert_int_equal(error.rule, 1);
		assert_true(error.line && error.column);
	}
}

static void a_size_finds_its_range(void **state)
{
	(void)state;
	static const struct {
		uint64_t bytes;
		uint32_t range;
	} cases[] = {{0, ORDO_NONE}, {1, 0}, {2, 0}, {16384, 0}, {16385, 1}, {1048576, 1},
		{1048577, 2}, {ORDO_BYTES_LIMIT, 2}};
	struct ordo_plan_set *set = read_text(sound);
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
		assert_int_equal(ordo_plan_set_find(set, cases[i].bytes), cases[i].range);
	/* The third range has the schedule of the first. */
	assert_int_equal(ordo_plan_set_first(set, 0), 0);
	assert_int_equal(ordo_plan_set_first(set, 1), 1);
	assert_int_equal(ordo_plan_set_first(set, 2), 0);
	ordo_plan_set_destroy(set);
}

static void sizes_beyond_the_last_range_have_none(void **state)
{
	(void)state;
	struct ordo_error error;
	const struct ordo_problem problem = {.op = ORDO_ALLGATHER, .nrank = 2, .nshard = 2};
	struct ordo_plan_set *set = ordo_plan_set_create(&problem, &error);
	assert_int_equal(ordo_plan_set_find(set, 1), ORDO_NONE);
	for (uint64_t size = 10; size < 30; size++)
		assert_true(ordo_plan_set_add(set, size, size, size % 2 ? "odd" : "even", &error));
	for (uint64_t size = 0; size < 50; size++)
		assert_int_equal(ordo_plan_set_find(set, size),
			size < 10 || size >= 30 ? ORDO_NONE : (uint32_t)size - 10);
	assert_false(ordo_plan_set_add(set, UINT64_C(1) << 63, ORDO_ENDLESS, "a", &error));
	assert_string_equal(error.text,
		"from_bytes: found 9223372036854775808, wanted at most 9223372036854775807");
	ordo_plan_set_destroy(set);
}

static void a_set_without_ranges_is_not_written(void **state)
{
	(void)state;
	struct ordo_error error;
	struct ordo_problem problem = {.op = ORDO_ALLGATHER, .nrank = 2, .nshard = 2};
	struct ordo_plan_set *set = ordo_plan_set_create(&problem, &error);
	assert_false(ordo_plan_set_print(set, stdout, &error));
	assert_int_equal(error.code, ORDO_USAGE);
	ordo_plan_set_destroy(set);
	problem.nrank = 0;
	assert_null(ordo_plan_set_create(&problem, &error));
}

/* A folder that is made for one test. */
static char folder[64];

static int make_folder(void **state)
{
	(void)state;
	snprintf(folder, sizeof folder, "/tmp/ordo-test-plan-set-XXXXXX");
	return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state)
{
	(void)state;
	char command[128];
	snprintf(command, sizeof command, "rm -rf %s", folder);
	return system(command);
}

static const char *in_folder(const char *name)
{
	static char path[256];
	snprintf(path, sizeof path, "%s/%s", folder, name);
	return path;
}

static void put(const char *name, const char *text)
{
	FILE *file = fopen(in_folder(name), "w");
	assert_non_null(file);
	fputs(text, file);
	assert_int_equal(fclose(file), 0);
}

/* A schedule that does nothing, of that many ranks, in place or not. */
static struct ordo_schedule *make_schedule(
	enum ordo_operator op, uint32_t nrank, uint32_t root, bool in_place)
{
	struct ordo_error error;
	const struct ordo_problem problem = {.op = op,
		.nrank = nrank,
		.root = root,
		.chunks_per_block = 3,
		.nshard = nrank,
		.in_place = in_place};
	struct ordo_schedule *schedule = ordo_schedule_create(&problem, "none", &error);
	assert_non_null(schedule);
	return schedule;
}

static void put_schedule(
	const char *name, enum ordo_operator op, uint32_t nrank, uint32_t root, bool in_place)
{
	struct ordo_error error = {0};
	struct ordo_schedule *schedule = make_schedule(op, nrank, root, in_place);
	if (!ordo_schedule_write(schedule, in_folder(name), NULL, NULL, &error))
		fail_msg("%s", error.text);
	ordo_schedule_destroy(schedule);
}

static struct ordo_plan_set *read_path(const char *name)
{
	struct ordo_error error = {0};
	struct ordo_plan_set *set = ordo_plan_set_read(in_folder(name), &error);
	if (!set)
		fail_msg("%s:%u:%u: %s", error.file, error.line, error.column, error.text);
	return set;
}

static void schedules_lie_beside_the_set_as_files_or_folders(void **state)
{
	(void)state;
	struct ordo_error error = {0};
	put("set.json", sound);
	put_schedule("small.json", ORDO_ALLGATHER, 2, 0, false);
	put_schedule("middle", ORDO_ALLGATHER, 2, 0, false);
	char from[256];
	snprintf(from, sizeof from, "%s", in_folder("middle"));
	assert_int_equal(rename(from, in_folder("middle.json")), 0);
	struct ordo_plan_set *set = read_path("set.json");
	for (uint32_t range = 0; range < 3; range++) {
		struct ordo_schedule *schedule = ordo_plan_set_open(set, range, NULL, &error);
		if (!schedule)
			fail_msg("%s: %s", error.file, error.text);
		assert_int_equal(schedule->program_files != NULL, range == 1);
		ordo_schedule_destroy(schedule);
	}
	ordo_plan_set_destroy(set);
	/* A folder is a set by its plan-set.json. */
	put("plan-set.json", sound);
	set = ordo_plan_set_read(folder, &error);
	assert_non_null(set);
	struct ordo_schedule *schedule = ordo_plan_set_open(set, 1, NULL, &error);
	assert_non_null(schedule);
	ordo_schedule_destroy(schedule);
	ordo_plan_set_destroy(set);
}

/* Opening the second range, whose schedule is called middle.json, fails so. */
static void expect_refusal(const char *text)
{
	struct ordo_error error = {0};
	struct ordo_plan_set *set = read_path("set.json");
	assert_null(ordo_plan_set_open(set, 1, NULL, &error));
	if (error.code != ORDO_BAD_INPUT || strcmp(error.text, text) != 0 || error.line != 5 ||
		error.column != 58 || strcmp(error.file, in_folder("set.json")) != 0)
		fail_msg("%s:%u:%u: %s, wanted %s", error.file, error.line, error.column,
			error.text, text);
	ordo_plan_set_destroy(set);
}

static void what_a_set_names_must_be_a_schedule_of_its_problem(void **state)
{
	(void)state;
	put("set.json", sound);
	expect_refusal("schedule \"middle.json\": cannot be read: No such file or directory");
	put_schedule("middle.json", ORDO_ALLGATHER, 3, 0, false);
	expect_refusal("schedule \"middle.json\": found AllGather on 3 ranks, wanted AllGather on "
		       "2 ranks, as in the set");
	put_schedule("middle.json", ORDO_ALLGATHER, 2, 0, true);
	expect_refusal("schedule \"middle.json\": found AllGather on 2 ranks, in place, wanted "
		       "AllGather on 2 ranks, as in the set");
	put_schedule("middle.json", ORDO_SCATTER, 2, 1, false);
	expect_refusal("schedule \"middle.json\": found Scatter on 2 ranks, root 1, wanted "
		       "AllGather on 2 ranks, as in the set");
}

/* sound for Reduce, with what stands after the ranks. */
static void put_reduce_set(const char *more)
{
	char text[1024];
	const char *at = strstr(sound, "\"AllGather\", \"ranks\": 2"),
		   *rest = at + strlen("\"AllGather\", \"ranks\": 2");
	snprintf(text, sizeof text, "%.*s\"Reduce\", \"ranks\": 2%s%s", (int)(at - sound), sound,
		more, rest);
	put("set.json", text);
}

static void roots_and_shards_must_agree_too(void **state)
{
	(void)state;
	put_reduce_set(", \"root\": 0");
	put_schedule("middle.json", ORDO_REDUCE, 2, 1, false);
	expect_refusal("schedule \"middle.json\": found Reduce on 2 ranks, root 1, wanted Reduce "
		       "on 2 ranks, root 0, as in the set");
	put_reduce_set(", \"root\": 1, \"shards\": 4");
	expect_refusal("schedule \"middle.json\": found Reduce on 2 ranks, root 1, wanted Reduce "
		       "on 2 ranks, root 1, 4 shards, as in the set");
}

static void links_and_pipes_are_no_schedules(void **state)
{
	(void)state;
	put("set.json", sound);
	assert_int_equal(symlink("/etc/passwd", in_folder("middle.json")), 0);
	expect_refusal(
		"schedule \"middle.json\": cannot be read: it is not a regular file or folder");
	unlink(in_folder("middle.json"));
	assert_int_equal(mkfifo(in_folder("middle.json"), 0600), 0);
	expect_refusal(
		"schedule \"middle.json\": cannot be read: it is not a regular file or folder");
}

static void a_set_that_names_itself_or_a_set_is_refused(void **state)
{
	(void)state;
	struct ordo_error error = {0};
	put("middle.json", sound);
	assert_null(ordo_plan_set_read(in_folder("middle.json"), &error));
	assert_string_equal(error.text,
		"schedule: found \"middle.json\", which is this set itself, wanted a schedule");
	assert_int_equal(error.line, 5);
	assert_int_equal(error.column, 58);
	/* Another set. */
	put("set.json", sound);
	struct ordo_plan_set *set = read_path("set.json");
	assert_null(ordo_plan_set_open(set, 1, NULL, &error));
	assert_string_equal(error.file, in_folder("middle.json"));
	assert_string_equal(
		error.text, "schema: found \"ordo/plan-set/1\", wanted \"ordo/schedule/1\"");
	ordo_plan_set_destroy(set);
}

static void an_unreadable_schedule_is_shown_where_it_is_unreadable(void **state)
{
	(void)state;
	struct ordo_error error = {0};
	put("set.json", sound);
	put("middle.json", "{\"schema\": \"ordo/schedule/1\",\n \"operator\": 7}");
	struct ordo_plan_set *set = read_path("set.json");
	assert_null(ordo_plan_set_open(set, 1, NULL, &error));
	assert_string_equal(error.file, in_folder("middle.json"));
	assert_int_equal(error.line, 2);
	assert_string_equal(error.text, "operator: found 7, wanted a string");
	ordo_plan_set_destroy(set);
}

static void without_a_folder_there_are_no_schedules(void **state)
{
	(void)state;
	struct ordo_error error = {0};
	struct ordo_plan_set *set = read_text(sound);
	assert_null(ordo_plan_set_open(set, 0, NULL, &error));
	assert_string_equal(
		error.text, "schedule \"small.json\": cannot be read: there is no folder here");
	assert_int_equal(error.line, 4);
	ordo_plan_set_destroy(set);
}

static void a_set_is_known_by_its_schema(void **state)
{
	(void)state;
	put("a", sound);
	put("b", "{\"x\": {\"schema\": \"ordo/schedule/1\"}, \"sch\\u0065ma\": "
		 "\"ordo/plan-set/1\", cut");
	put("c", "{\"schema\": \"ordo/schedule/1\"}");
	put("d", "{\"schema\": 7}");
	put("e", "");
	assert_true(ordo_is_plan_set(in_folder("a")));
	assert_true(ordo_is_plan_set(in_folder("b")));
	assert_false(ordo_is_plan_set(in_folder("c")));
	assert_false(ordo_is_plan_set(in_folder("d")));
	assert_false(ordo_is_plan_set(in_folder("e")));
	assert_false(ordo_is_plan_set(in_folder("none")));
	assert_false(ordo_is_plan_set("-"));
	assert_false(ordo_is_plan_set(folder));
	put("plan-set.json", sound);
	assert_true(ordo_is_plan_set(folder));
	/* A folder's set may be damaged: it is read all the same, and says where. */
	static const char *const damaged[] = {"", "{\"schema\"", "{\"schema\": 7}", "\xff"};
	for (size_t i = 0; i < sizeof damaged / sizeof *damaged; i++) {
		struct ordo_error error = {0};
		put("plan-set.json", damaged[i]);
		assert_true(ordo_is_plan_set(folder));
		assert_null(ordo_plan_set_read(folder, &error));
		assert_int_equal(error.code, ORDO_BAD_INPUT);
		assert_string_equal(error.file, in_folder("plan-set.json"));
	}
}

/* A folder is read as its set, so a range that names it names a set, whatever else is in there. */
static void a_folder_with_a_set_is_no_schedule_of_a_set(void **state)
{
	(void)state;
	put("set.json", sound);
	put_schedule("middle.json", ORDO_ALLGATHER, 2, 0, false);
	struct ordo_plan_set *set = read_path("set.json");
	struct ordo_error error = {0};
	struct ordo_schedule *schedule = ordo_plan_set_open(set, 1, NULL, &error);
	assert_non_null(schedule);
	ordo_schedule_destroy(schedule);
	ordo_plan_set_destroy(set);
	assert_int_equal(unlink(in_folder("middle.json")), 0);
	assert_int_equal(mkdir(in_folder("middle.json"), 0777), 0);
	put("middle.json/plan-set.json", sound);
	expect_refusal("schedule \"middle.json\": found a plan set, wanted a schedule");
	put_schedule("middle.json/schedule.json", ORDO_ALLGATHER, 2, 0, false);
	expect_refusal("schedule \"middle.json\": found a plan set, wanted a schedule");
	put("middle.json/plan-set.json", "");
	expect_refusal("schedule \"middle.json\": found a plan set, wanted a schedule");
}

static struct ordo_plan_set *make_set(const char *second)
{
	struct ordo_error error;
	const struct ordo_problem problem = {.op = ORDO_ALLGATHER, .nrank = 2, .nshard = 2};
	struct ordo_plan_set *set = ordo_plan_set_create(&problem, &error);
	assert_true(ordo_plan_set_add(set, 1, 9, "range-0.json", &error));
	assert_true(ordo_plan_set_add(set, 10, 99, second, &error));
	assert_true(ordo_plan_set_add(set, 100, ORDO_ENDLESS, "range-0.json", &error));
	return set;
}

static void a_folder_of_a_set_appears_whole_and_is_replaced_whole(void **state)
{
	(void)state;
	struct ordo_error error = {0};
	struct ordo_schedule *schedule = make_schedule(ORDO_ALLGATHER, 2, 0, false);
	const struct ordo_schedule *const schedules[] = {schedule, schedule, schedule};
	struct ordo_plan_set *set = make_set("range-1.json");
	for (int time = 0; time < 2; time++) {
		if (!ordo_plan_set_write(set, schedules, in_folder("set"), &error))
			fail_msg("%s", error.text);
		struct ordo_plan_set *again = read_path("set");
		assert_int_equal(again->nrange, 3);
		for (uint32_t range = 0; range < 3; range++) {
			struct ordo_schedule *one = ordo_plan_set_open(again, range, NULL, &error);
			assert_non_null(one);
			ordo_schedule_destroy(one);
		}
		char *once = print(set), *twice = print(again);
		assert_string_equal(once, twice);
		free(once);
		free(twice);
		ordo_plan_set_destroy(again);
	}
	/* Anything else in it, and it stays. */
	put("set/notes", "mine");
	assert_false(ordo_plan_set_write(set, schedules, in_folder("set"), &error));
	assert_int_equal(error.code, ORDO_USAGE);
	assert_int_equal(access(in_folder("set/notes"), F_OK), 0);
	ordo_plan_set_destroy(set);
	ordo_schedule_destroy(schedule);
}

static void a_range_without_a_schedule_has_no_file(void **state)
{
	(void)state;
	struct ordo_error error = {0};
	struct ordo_schedule *schedule = make_schedule(ORDO_ALLGATHER, 2, 0, false);
	const struct ordo_schedule *const schedules[] = {schedule, NULL, schedule};
	struct ordo_plan_set *set = make_set(NULL);
	if (!ordo_plan_set_write(set, schedules, in_folder("set"), &error))
		fail_msg("%s", error.text);
	struct ordo_plan_set *again = read_path("set");
	for (uint32_t range = 0; range < 3; range++) {
		struct ordo_schedule *one = ordo_plan_set_open(again, range, NULL, &error);
		assert_int_equal(one != NULL, range != 1);
		ordo_schedule_destroy(one);
	}
	ordo_plan_set_destroy(again);
	ordo_plan_set_destroy(set);
	ordo_schedule_destroy(schedule);
}

static void what_could_not_be_replaced_later_is_not_written(void **state)
{
	(void)state;
	static const char *const names[] = {
		"ring.json", "range-.json", "range-1", "rank-1.json", "range-1.json5"};
	struct ordo_schedule *schedule = make_schedule(ORDO_ALLGATHER, 2, 0, false);
	const struct ordo_schedule *const schedules[] = {schedule, schedule, schedule};
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		struct ordo_error error = {0};
		struct ordo_plan_set *set = make_set(names[i]);
		assert_false(ordo_plan_set_write(set, schedules, in_folder("set"), &error));
		assert_int_equal(error.code, ORDO_USAGE);
		assert_int_equal(access(in_folder("set"), F_OK), -1);
		ordo_plan_set_destroy(set);
	}
	ordo_schedule_destroy(schedule);
}

#define IN_A_FOLDER(test) cmocka_unit_test_setup_teardown(test, make_folder, remove_folder)

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_reject_case_says_what_is_wrong_and_where),
		cmocka_unit_test(what_is_read_is_what_is_written),
		cmocka_unit_test(a_range_may_have_no_schedule),
		cmocka_unit_test(order_space_and_escapes_do_not_matter),
		cmocka_unit_test(a_cut_document_is_refused_wherever_it_is_cut),
		cmocka_unit_test(a_size_finds_its_range),
		cmocka_unit_test(sizes_beyond_the_last_range_have_none),
		cmocka_unit_test(a_set_without_ranges_is_not_written),
		IN_A_FOLDER(schedules_lie_beside_the_set_as_files_or_folders),
		IN_A_FOLDER(what_a_set_names_must_be_a_schedule_of_its_problem),
		IN_A_FOLDER(roots_and_shards_must_agree_too),
		IN_A_FOLDER(links_and_pipes_are_no_schedules),
		IN_A_FOLDER(a_set_that_names_itself_or_a_set_is_refused),
		IN_A_FOLDER(an_unreadable_schedule_is_shown_where_it_is_unreadable),
		cmocka_unit_test(without_a_folder_there_are_no_schedules),
		IN_A_FOLDER(a_set_is_known_by_its_schema),
		IN_A_FOLDER(a_folder_with_a_set_is_no_schedule_of_a_set),
		IN_A_FOLDER(a_folder_of_a_set_appears_whole_and_is_replaced_whole),
		IN_A_FOLDER(a_range_without_a_schedule_has_no_file),
		IN_A_FOLDER(what_could_not_be_replaced_later_is_not_written),
	};
	if (argc != 2)
		return 2;
	reject_folder = argv[1];
	return cmocka_run_group_tests(tests, NULL, NULL);
}
