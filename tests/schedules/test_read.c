/* test_read.c - documents read, and refused with a message that says where, what was found and what
 * was wanted. */
#include <fcntl.h>
#include <ordo/document.h>
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

struct refusal {
	const char *name; /* its first letters are the rule */
	uint32_t line, column;
	const char *text, *hint;
};

static const struct refusal refusals[] = {
	{"R1-unknown-key-in-the-head", 3, 25, "unknown key \"scratch_slot\" in a schedule",
		"did you mean \"scratch_slots\"?"},
	{"R1-unknown-key-in-a-task", 8, 27, "unknown key \"chnk\" in a task",
		"did you mean \"chunk\"?"},
	{"R1-unknown-key-like-no-other", 4, 2, "unknown key \"made_by\" in a schedule", ""},
	{"R1-key-in-other-case", 8, 27, "unknown key \"Chunk\" in a task",
		"did you mean \"chunk\"?"},
	{"R1-key-of-another-task", 9, 46, "the key \"chunk\" does not belong in a Wait", ""},
	{"R1-key-twice-in-the-head", 4, 2, "duplicate key \"ranks\" in a schedule", ""},
	{"R1-key-twice-in-a-task", 9, 46, "duplicate key \"peer\" in a task", ""},
	{"R1-key-twice-written-otherwise", 9, 46, "duplicate key \"peer\" in a task", ""},
	{"R1-key-twice-in-x", 4, 38, "duplicate key \"c\" in x", ""},
	{"R1-key-missing-in-the-head", 1, 1, "the key \"in_place\" is missing in a schedule", ""},
	{"R1-key-missing-in-a-task", 9, 5, "the key \"signal\" is missing in a task", ""},
	{"R1-key-missing-in-a-stream", 7, 4, "the key \"name\" is missing in a stream", ""},
	{"R1-root-missing", 2, 14, "the key \"root\" is missing: Broadcast has a root", ""},
	{"R1-root-where-there-is-none", 2, 68, "root: AllGather has no root", ""},
	{"R1-root-beyond-the-ranks", 2, 68, "root: found 2, wanted a rank of 0..1", ""},
	{"R1-operator-unknown", 2, 14,
		"operator: found \"broad-cast\", wanted AllReduce, Reduce, Broadcast, "
		"ReduceScatter, AllGather, Scatter, Gather, AllToAll or Custom",
		"did you mean \"Broadcast\"?"},
	{"R1-task-unknown", 8, 14,
		"task: found \"LocalCpy\", wanted LocalCopy, LocalReduce, Send, SendReduce, Notify "
		"or Wait",
		"did you mean \"LocalCopy\"?"},
	{"R1-buffer-unknown", 8, 47,
		"src: found \"scratchy\", wanted \"input\", \"output\" or \"scratch\"",
		"did you mean \"scratch\"?"},
	{"R1-slice-too-long", 8, 46, "src: found an array, wanted [buffer, first slot]", ""},
	{"R1-wrong-schema", 1, 12, "schema: found \"ordo/topology/1\", wanted \"ordo/schedule/1\"",
		"this is a topology: --topology FILE takes it"},
	{"R1-string-for-a-number", 2, 57, "ranks: found \"2\", wanted an integer of 1..2147483647",
		""},
	{"R1-number-for-a-string", 2, 40, "algorithm: found 7, wanted a string", ""},
	{"R1-number-for-a-boolean", 3, 57, "in_place: found 0, wanted true or false", ""},
	{"R1-object-for-an-array", 7, 30, "found '{', wanted an array of tasks", ""},
	{"R1-array-for-a-task", 11, 5, "a task: found an array, wanted an object", ""},
	{"R1-negative-number", 9, 30, "peer: found -1, wanted an integer of 0..2147483647", ""},
	{"R1-fraction", 9, 30, "peer: found 1.5, wanted an integer of 0..2147483647", ""},
	{"R1-whole-fraction", 9, 30, "peer: found 1.0, wanted an integer of 0..2147483647", ""},
	{"R1-exponent", 9, 30, "peer: found 1e0, wanted an integer of 0..2147483647", ""},
	{"R1-minus-zero", 9, 43, "signal: found -0, wanted an integer of 0..2147483647", ""},
	{"R1-leading-zero", 9, 31, "found '1', wanted no digit after a leading 0", ""},
	{"R1-plus-sign", 9, 30, "found '+', wanted a value", ""},
	{"R1-point-without-digits", 9, 32, "found ',', wanted a digit", ""},
	{"R1-number-of-2-to-31", 9, 30,
		"peer: found 2147483648, wanted an integer of 0..2147483647", ""},
	{"R1-number-of-2-to-32-and-one", 9, 30,
		"peer: found 4294967297, wanted an integer of 0..2147483647", ""},
	{"R1-number-past-2-to-64", 9, 30,
		"peer: found 18446744073709551617, wanted an integer of 0..2147483647", ""},
	{"R1-number-that-is-endless", 9, 30,
		"peer: found 1e999, wanted an integer of 0..2147483647", ""},
	{"R1-number-of-64-letters", 9, 30, "found a number of 76 letters, wanted at most 63", ""},
	{"R1-count-of-zero", 8, 48, "count: found 0, wanted an integer of 1..2147483647", ""},
	{"R1-no-ranks", 2, 57, "ranks: found 0, wanted an integer of 1..2147483647", ""},
	{"R1-too-many-chunks", 3, 22,
		"chunks_per_block: found 2147483648, wanted an integer of 1..2147483647", ""},
	{"R1-shards-without-a-reduction", 2, 81,
		"shards: Broadcast does not reduce, found 4, wanted 2 (the number of ranks)", ""},
	{"R1-accumulate-without-a-reduction", 3, 78,
		"accumulate: Broadcast does not reduce, so there is nothing to accumulate", ""},
	{"R1-custom-in-place", 3, 57, "in_place: Custom has no in-place form", ""},
	{"R1-custom-with-a-root", 2, 68, "root: Custom has no root", ""},
	{"R1-accumulate-in-four-bins", 3, 78,
		"accumulate: found \"binned(bins=4)\", wanted \"f32\", \"exact\", "
		"\"binned(bins=2)\" or \"binned(bins=3)\"",
		""},
	{"R1-accumulate-in-another-type", 3, 78,
		"accumulate: found \"f64\", wanted \"f32\", \"exact\", \"binned(bins=2)\" or "
		"\"binned(bins=3)\"",
		""},
	{"R1-phase-beyond-the-phases", 10, 5, "phase: found 1, wanted 0..0, the phases named", ""},
	{"R1-phase-without-phases", 9, 5, "phase: found 0, but the schedule names no phases", ""},
	{"R1-digest-too-short", 4, 41, "digest: found \"0123\", wanted 32 hexadecimal digits", ""},
	{"R1-comma-at-the-end", 12, 4, "found ']', wanted a value", ""},
	{"R1-comma-missing", 10, 5, "found '{', wanted a comma or ']'", ""},
	{"R1-two-tasks-without-a-comma", 8, 81, "found '{', wanted a comma or ']'", ""},
	{"R1-single-quotes", 2, 27, "found ''', wanted a key in quotes", ""},
	{"R1-comment", 4, 2, "found '/', wanted a key in quotes", ""},
	{"R1-not-a-number", 3, 42, "found 'N', wanted a value", ""},
	{"R1-control-character-in-a-string", 2, 43,
		"found the control character 0x09 in a string, wanted it escaped", ""},
	{"R1-escape-unknown", 2, 42,
		"found a backslash that begins no escape, wanted one of \\\" \\\\ \\/ \\b \\f \\n "
		"\\r \\t \\u",
		""},
	{"R1-escape-of-nul", 2, 43, "found \\u0000, wanted a string without it", ""},
	{"R1-half-a-surrogate-pair", 2, 41, "found a \\u escape that is not a character", ""},
	{"R1-invalid-utf-8", 2, 42, "found the byte 0xc0 in a string, wanted UTF-8", ""},
	{"R1-nested-too-deep", 4, 77, "found values nested more than 64 deep", ""},
	{"R1-something-after-the-document", 18, 1, "found '{', wanted nothing after the document",
		""},
	{"R1-truncated-in-a-task", 10, 99, "found the end of the text, wanted a comma or ']'",
		"the file may have been cut off"},
	{"R1-truncated-in-a-string", 2, 43, "found the end of the text, wanted the end of a string",
		"the file may have been cut off"},
	{"R1-empty", 1, 1, "found the end of the text, wanted a schedule, an object",
		"the file may have been cut off"},
	{"R1-byte-order-mark", 1, 1, "found the byte 0xef, wanted a schedule, an object", ""},
	{"R1-strings-among-programs", 13, 3, "programs: found a string, wanted a program as before",
		""},
	{"R1-classes-without-a-way", 6, 30, "class: found classes in a stream without \"via\"", ""},
	{"R1-classes-fewer-than-hops", 6, 45, "class: found 2 classes, wanted 3, one for each hop",
		""},
	{"R1-number-for-a-class", 6, 56, "class: found 2, wanted a string", ""},
	{"R1-class-without-a-way", 6, 30, "class: found \"nvlink\" in a stream without \"via\"",
		""},
	{"R1-number-for-a-way", 6, 28, "found '2', wanted an array of switches", ""},
	{"R1-text-for-a-switch", 6, 32, "via: found \"3\", wanted an integer of 0..2147483647", ""},
	{"R1-too-many-switches", 6, 1198, "via: found more than 255 switches", ""},
	{"R2-way-through-a-rank", 6, 28,
		"via: found rank 1, wanted switches, which are 2 and above", ""},
	{"R1-switch-twice", 6, 35, "via: found switch 2 twice", ""},
	{"R2-rank-twice", 13, 12, "rank 0 has a program already", ""},
	{"R2-rank-missing", 5, 14, "programs: rank 2 is missing; found 2 programs, wanted 3", ""},
	{"R2-rank-beyond", 13, 12, "rank: found 2, wanted 0..1", ""},
	{"R2-two-thousand-million-ranks", 5, 14,
		"programs: rank 2 is missing; found 2 programs, wanted 2147483647", ""},
};

/* A broadcast between two ranks, as we write it. */
static const char sound[] =
	"{\"schema\": \"ordo/schedule/1\",\n"
	" \"operator\": \"Broadcast\", \"algorithm\": \"hand\", \"ranks\": 2, \"root\": 0,\n"
	" \"chunks_per_block\": 1, \"scratch_slots\": 0, \"in_place\": false,\n"
	" \"phases\": [\"send\"],\n"
	" \"programs\": [\n"
	"  {\"rank\": 0, \"streams\": [\n"
	"   {\"name\": \"main\", \"tasks\": [\n"
	"    {\"task\": \"LocalCopy\", \"chunk\": 0, \"src\": [\"input\", 0], \"dst\": "
	"[\"output\", 0]},\n"
	"    {\"task\": \"Wait\", \"peer\": 1, \"signal\": 0},\n"
	"    {\"task\": \"Send\", \"peer\": 1, \"chunk\": 0, \"src\": [\"input\", 0], \"dst\": "
	"[\"output\", 0], \"phase\": 0},\n"
	"    {\"task\": \"Notify\", \"peer\": 1, \"signal\": 0}\n"
	"   ]}]},\n"
	"  {\"rank\": 1, \"streams\": [\n"
	"   {\"name\": \"main\", \"tasks\": [\n"
	"    {\"task\": \"Notify\", \"peer\": 0, \"signal\": 0},\n"
	"    {\"task\": \"Wait\", \"peer\": 0, \"signal\": 0}\n"
	"   ]}]}]}\n";

/* The same, said otherwise: keys in another order, other space, escapes, defaults written out,
 * ranks backwards. */
static const char sound_otherwise[] =
	"\t{ \"programs\" : [ "
	"{\"streams\":[{\"tasks\":[{\"signal\":0,\"peer\":0,\"task\":\"Notify\"},\r\n"
	"{\"task\":\"Wait\",\"peer\":0,\"signal\":0}],\"name\":\"m\\u0061in\"}],\"rank\":1},\n"
	"{\"rank\":0,\"streams\":[{\"name\":\"main\",\"tasks\":[\n"
	"{\"task\": \"LocalCopy\", \"count\": 1, \"chunk\": 0, \"src\": [ \"input\" , 0 ], "
	"\"dst\": [\"output\", 0]},{\"task\": \"Wait\", \"peer\": 1, \"signal\": 0},{\"phase\": 0, "
	"\"task\": \"Send\", \"peer\": 1, \"chunk\": 0, \"src\": [\"input\", 0], \"dst\": "
	"[\"output\", 0]},{\"task\": \"\\u004eotify\", \"peer\": 1, \"signal\": "
	"0}]}]}],\"phases\":[\"send\"],\"shards\":2,\"root\":0,\"ranks\":2,\"in_place\":false,"
	"\"chunks_per_block\":1,\"scratch_slots\":0,\"algorithm\":\"hand\",\"operator\":"
	"\"Broadcast\",\"schema\":\"ordo\\/schedule\\/1\"}";

static struct ordo_schedule *read_text(const char *text, bool only_cjson)
{
	struct ordo_error error = {0};
	struct ordo_read_options options = {.only_cjson = only_cjson};
	struct ordo_schedule *schedule =
		ordo_schedule_read_text(text, strlen(text), "text", &options, &error);
	if (!schedule)
		fail_msg("%u:%u: %s", error.line, error.column, error.text);
	return schedule;
}

/* The document that a schedule is written as; the caller frees it. */
static char *print(const struct ordo_schedule *schedule)
{
	char *text = NULL;
	size_t size;
	struct ordo_error error;
	FILE *out = open_memstream(&text, &size);
	assert_true(ordo_schedule_print(schedule, out, &error));
	fclose(out);
	return text;
}

static void expect_refusal(
	const struct refusal *wanted, const struct ordo_error *found, const char *path)
{
	if (found->code != ORDO_BAD_INPUT || found->rule != atoi(wanted->name + 1) ||
		found->line != wanted->line || found->column != wanted->column ||
		strcmp(found->text, wanted->text) != 0 || strcmp(found->hint, wanted->hint) != 0 ||
		strcmp(found->file, path) != 0)
		fail_msg("%s: %s:%u:%u: error[R%d]: %s, hint: %s", wanted->name, found->file,
			found->line, found->column, found->rule, found->text, found->hint);
}

static void every_reject_case_says_what_is_wrong_and_where(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof refusals / sizeof *refusals; i++)
		for (int only_cjson = 0; only_cjson < 2; only_cjson++) {
			char path[4096];
			struct ordo_error error = {0};
			struct ordo_read_options options = {.only_cjson = only_cjson};
			snprintf(path, sizeof path, "%s/%s.json", reject_folder, refusals[i].name);
			assert_null(ordo_schedule_read(path, &options, &error));
			expect_refusal(&refusals[i], &error, path);
		}
}

static void what_is_read_is_what_is_written(void **state)
{
	(void)state;
	for (int only_cjson = 0; only_cjson < 2; only_cjson++) {
		struct ordo_schedule *schedule = read_text(sound, only_cjson);
		char *again = print(schedule);
		assert_string_equal(again, sound);
		free(again);
		ordo_schedule_destroy(schedule);
	}
}

static void order_space_and_escapes_do_not_matter(void **state)
{
	(void)state;
	struct ordo_schedule *schedule = read_text(sound_otherwise, false);
	char *again = print(schedule);
	assert_string_equal(again, sound);
	free(again);
	ordo_schedule_destroy(schedule);
}

static void tasks_know_their_places(void **state)
{
	(void)state;
	for (int only_cjson = 0; only_cjson < 2; only_cjson++) {
		struct ordo_schedule *schedule = read_text(sound, only_cjson);
		static const uint32_t lines[] = {8, 9, 10, 11, 15, 16};
		assert_int_equal(schedule->ntask, 6);
		assert_string_equal(schedule->file, "text");
		for (uint32_t i = 0; i < 6; i++) {
			assert_int_equal(schedule->places[i].line, lines[i]);
			assert_int_equal(schedule->places[i].column, 5);
		}
		ordo_schedule_destroy(schedule);
	}
	struct ordo_read_options options = {.no_places = true};
	struct ordo_schedule *schedule =
		ordo_schedule_read_text(sound, strlen(sound), "text", &options, NULL);
	assert_non_null(schedule);
	assert_null(schedule->places);
	ordo_schedule_destroy(schedule);
}

static void a_cut_document_is_refused_wherever_it_is_cut(void **state)
{
	(void)state;
	/* Without its line end it is whole. */
	for (size_t size = 0; size + 1 < strlen(sound); size++) {
		struct ordo_error one, other;
		struct ordo_read_options options = {.only_cjson = true};
		/* exactly as long, so that reading beyond it is seen */
		char *text = malloc(size + 1);
		memcpy(text, sound, size);
		assert_null(ordo_schedule_read_text(text, size, "text", NULL, &one));
		assert_null(ordo_schedule_read_text(text, size, "text", &options, &other));
		assert_int_equal(one.rule, 1);
		assert_string_equal(one.text, other.text);
		assert_int_equal(one.column, other.column);
		free(text);
	}
}

static void file_names_need_a_folder(void **state)
{
	(void)state;
	const char *begin = strstr(sound, "  {\"rank\": 0");
	char text[1024];
	struct ordo_error error;
	snprintf(text, sizeof text, "%.*s  \"rank-0.json\"]}", (int)(begin - sound), sound);
	assert_null(ordo_schedule_read_text(text, strlen(text), "text", NULL, &error));
	assert_string_equal(error.text, "programs: found \"rank-0.json\", wanted a program itself: "
					"there is no folder here");
}

static void extras_keep_every_digit(void **state)
{
	(void)state;
	const char *begin = strstr(sound, " \"programs\"");
	char text[4096];
	snprintf(text, sizeof text,
		"%.*s \"x\": {\"b\":[1,2.50,1e400, 123456789012345678901234567890 ],\n\"a\\u0062\" "
		": {}, \"s\":\"\\/\\u00e9\\ud83d\\ude00\\n\\u0001\", \"t\":[true,false,null]},\n%s",
		(int)(begin - sound), sound, begin);
	struct ordo_schedule *schedule = read_text(text, false);
	assert_string_equal(schedule->extra,
		"{\"b\": [1, 2.50, 1e400, 123456789012345678901234567890], \"ab\": {}, \"s\": "
		"\"/\xc3\xa9\xf0\x9f\x98\x80\\n\\u0001\", \"t\": [true, false, null]}");
	char *once = print(schedule);
	ordo_schedule_destroy(schedule);
	schedule = read_text(once, false);
	char *twice = print(schedule);
	assert_string_equal(once, twice);
	free(once);
	free(twice);
	ordo_schedule_destroy(schedule);
}

static void a_pipe_is_read_to_its_end(void **state)
{
	(void)state;
	int ends[2];
	char path[64];
	struct ordo_error error;
	assert_int_equal(pipe(ends), 0);
	assert_int_equal(write(ends[1], sound, strlen(sound)), (ssize_t)strlen(sound));
	close(ends[1]);
	snprintf(path, sizeof path, "/dev/fd/%d", ends[0]);
	struct ordo_schedule *schedule = ordo_schedule_read(path, NULL, &error);
	close(ends[0]);
	assert_non_null(schedule);
	char *again = print(schedule);
	assert_string_equal(again, sound);
	free(again);
	ordo_schedule_destroy(schedule);
}

/* A folder that is made for one test. */
static char folder[64];

static int make_folder(void **state)
{
	(void)state;
	snprintf(folder, sizeof folder, "/tmp/ordo-test-read-XXXXXX");
	return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state)
{
	(void)state;
	char command[128];
	snprintf(command, sizeof command, "rm -rf %s", folder);
	return system(command);
}

static void put(const char *name, const char *text, size_t length)
{
	char path[256];
	snprintf(path, sizeof path, "%s/%s", folder, name);
	FILE *file = fopen(path, "w");
	assert_non_null(file);
	assert_int_equal(fwrite(text, 1, length, file), length);
	assert_int_equal(fclose(file), 0);
}

/* schedule.json with these programs, as JSON, and the two programs in files of these names. */
static void put_schedule(const char *programs, const char *first, const char *second)
{
	const char *one = strstr(sound, "{\"rank\": 0"), *other = strstr(sound, "{\"rank\": 1");
	char text[1024];
	snprintf(text, sizeof text, "%.*s  %s]}\n", (int)(one - 2 - sound), sound, programs);
	put("schedule.json", text, strlen(text));
	put(first, one, (size_t)(other - one) - strlen(",\n  "));
	put(second, other, strlen(other) - strlen("]}\n"));
}

static void expect_folder_refusal(const char *programs, int rule, const char *part)
{
	char path[128];
	struct ordo_error error = {0};
	put_schedule(programs, "rank-0.json", "rank-1.json");
	assert_null(ordo_schedule_read(folder, NULL, &error));
	if (error.rule != rule || !strstr(error.text, part))
		fail_msg("%s:%u:%u: error[R%d]: %s", error.file, error.line, error.column,
			error.rule, error.text);
	snprintf(path, sizeof path, "%s/schedule.json", folder);
	if (rule == 1)
		assert_string_equal(error.file, path);
}

static void a_folder_reads_as_the_file_does(void **state)
{
	(void)state;
	struct ordo_error error;
	put_schedule("\"b.json\", \"a\"", "a", "b.json");
	struct ordo_schedule *schedule = ordo_schedule_read(folder, NULL, &error);
	assert_non_null(schedule);
	char *again = print(schedule), path[128];
	assert_string_equal(again, sound);
	snprintf(path, sizeof path, "%s/b.json", folder);
	assert_string_equal(schedule->program_files[1], path);
	assert_int_equal(
		schedule->places[schedule->streams[schedule->programs[1].first_stream].first].line,
		3);
	free(again);
	ordo_schedule_destroy(schedule);

	snprintf(path, sizeof path, "%s/schedule.json", folder);
	schedule = ordo_schedule_read(path, NULL, &error);
	assert_non_null(schedule);
	ordo_schedule_destroy(schedule);
}

static void names_that_leave_the_folder_are_refused(void **state)
{
	(void)state;
	static const char *const names[] = {
		"../rank-0.json", "/etc/passwd", "a/rank-0.json", "..", ".", "", "a\\\\b"};
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		char programs[64], part[128];
		snprintf(programs, sizeof programs, "\"%s\", \"rank-1.json\"", names[i]);
		snprintf(part, sizeof part,
			"programs: found \"%s\", wanted the plain name of a file in the same "
			"folder",
			names[i]);
		expect_folder_refusal(programs, 1, part);
	}
}

static void only_ordinary_files_of_the_folder_are_read(void **state)
{
	(void)state;
	char path[128];
	snprintf(path, sizeof path, "%s/link.json", folder);
	assert_int_equal(symlink("/etc/passwd", path), 0);
	expect_folder_refusal("\"link.json\", \"rank-1.json\"", 2,
		"cannot read the program \"link.json\": it is not a regular file in the folder");
	snprintf(path, sizeof path, "%s/pipe.json", folder);
	assert_int_equal(mkfifo(path, 0600), 0);
	expect_folder_refusal(
		"\"pipe.json\", \"rank-1.json\"", 2, "it is not a regular file in the folder");
	snprintf(path, sizeof path, "%s/folder.json", folder);
	assert_int_equal(mkdir(path, 0700), 0);
	expect_folder_refusal(
		"\"folder.json\", \"rank-1.json\"", 2, "it is not a regular file in the folder");
}

static void a_missing_file_is_named(void **state)
{
	(void)state;
	expect_folder_refusal("\"rank-0.json\", \"rank-2.json\"", 2,
		"cannot read the program \"rank-2.json\": No such file or directory");
}

static void a_missing_program_is_named(void **state)
{
	(void)state;
	expect_folder_refusal(
		"\"rank-1.json\"", 2, "programs: rank 0 is missing; found 1 programs, wanted 2");
}

static void a_file_named_often_is_refused_at_once(void **state)
{
	(void)state;
	expect_folder_refusal("\"rank-1.json\", \"rank-1.json\", \"nothing.json\"", 2,
		"rank 1 has a program already");
}

static void errors_in_a_program_name_its_file(void **state)
{
	(void)state;
	struct ordo_error error;
	char path[128];
	put_schedule("\"rank-0.json\", \"rank-1.json\"", "rank-0.json", "rank-1.json");
	put("rank-1.json", "{\"rank\": 1,\n \"streams\": [}", 26);
	assert_null(ordo_schedule_read(folder, NULL, &error));
	snprintf(path, sizeof path, "%s/rank-1.json", folder);
	assert_string_equal(error.file, path);
	assert_int_equal(error.line, 2);
	assert_int_equal(error.column, 14);
	put("rank-1.json", "{\"rank\": 1, \"streams\": []} {}", 29);
	assert_null(ordo_schedule_read(folder, NULL, &error));
	assert_string_equal(error.text, "found '{', wanted nothing after the document");
}

static void a_path_that_cannot_be_read_is_named(void **state)
{
	(void)state;
	struct ordo_error error;
	char path[128];
	snprintf(path, sizeof path, "%s/none.json", folder);
	assert_null(ordo_schedule_read(path, NULL, &error));
	assert_int_equal(error.code, ORDO_ENVIRONMENT);
	assert_string_equal(error.file, path);
	assert_string_equal(error.text, "cannot read: No such file or directory");
	/* A folder without its document. */
	snprintf(path, sizeof path, "%s/schedule.json", folder);
	unlink(path);
	assert_null(ordo_schedule_read(folder, NULL, &error));
	assert_string_equal(error.file, path);
	assert_string_equal(error.text, "cannot read: No such file or directory");
	assert_null(ordo_topology_read(path, &error));
	assert_string_equal(error.text, "cannot read: No such file or directory");
	assert_null(ordo_topology_read(folder, &error));
	assert_string_equal(error.text, "cannot read: Is a directory");
}

static const char topology_text[] =
	"{\"schema\": \"ordo/topology/1\",\n"
	" \"name\": \"pair\", \"ranks\": 2, \"switches\": 1, \"ports\": 1, \"cores\": 2, "
	"\"task_ns\": 12.5, \"reduce_gbs\": 195, \"copy_gbs\": 290, \"exact_gbs\": 180, "
	"\"binned2_gbs\": 90.5, \"binned3_gbs\": 70,\n"
	" \"x\": {\"rack\": 7},\n"
	" \"links\": [\n"
	"  {\"from\": 0, \"to\": 1, \"class\": \"fast\", \"latency_ns\": 0.1, \"bandwidth_gbs\": "
	"18.3},\n"
	"  {\"from\": 0, \"to\": 1, \"latency_ns\": 1000, \"bandwidth_gbs\": 25, \"down\": true},\n"
	"  {\"from\": 0, \"to\": 2, \"latency_ns\": 1000, \"bandwidth_gbs\": 25, \"reduce_gbs\": "
	"7.25}\n"
	" ]}\n";

static void a_topology_is_written_as_it_is_read(void **state)
{
	(void)state;
	struct ordo_error error = {0};
	struct ordo_topology *topology =
		ordo_topology_read_text(topology_text, strlen(topology_text), "text", &error);
	if (!topology)
		fail_msg("%u:%u: %s", error.line, error.column, error.text);
	assert_true(ordo_topology_reaches(topology, 0, 1));
	assert_false(ordo_topology_reaches(topology, 1, 0));
	assert_int_equal(topology->cores, 2);
	assert_true(topology->task_ns == 12.5);
	assert_true(topology->reduce_gbs == 195);
	assert_true(topology->copy_gbs == 290);
	assert_true(topology->sum_gbs[ORDO_ACCUMULATE_EXACT] == 180);
	assert_true(topology->sum_gbs[ORDO_ACCUMULATE_BINNED2] == 90.5);
	assert_true(topology->sum_gbs[ORDO_ACCUMULATE_BINNED3] == 70);
	assert_true(topology->links[2].reduce_gbs == 7.25);
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	assert_true(ordo_topology_print(topology, out, &error));
	fclose(out);
	assert_string_equal(text, topology_text);
	free(text);
	ordo_topology_destroy(topology);
}

static void topologies_are_refused_with_reasons(void **state)
{
	(void)state;
	static const struct {
		const char *old, *put;
		uint32_t line, column;
		const char *text;
	} cases[] = {
		{"\"to\": 2", "\"to\": 3", 7, 3,
			"link 0 -> 3: wanted vertices of 0..2 (2 ranks, 1 switches)"},
		{"\"to\": 2", "\"to\": 0", 7, 3, "link 0 -> 0: leads from a vertex to itself"},
		{"\"class\": \"fast\", ", "", 6, 3, "duplicate link 0 -> 1 of class \"link\""},
		{"18.3", "0", 5, 3, "bandwidth_gbs: found 0, wanted more"},
		{"12.5", "-1", 2, 80, "task_ns: found -1, wanted a number, not below 0"},
		{"18.3", "-1", 5, 77, "bandwidth_gbs: found -1, wanted a number, not below 0"},
		{"18.3", "1e999", 5, 77,
			"bandwidth_gbs: found 1e999, wanted a number, not below 0"},
		{"18.3", "\"fast\"", 5, 77,
			"bandwidth_gbs: found \"fast\", wanted a number, not below 0"},
		{"\"ranks\": 2", "\"ranks\": 4194305", 2, 27,
			"ranks: found 4194305, wanted 1..4194304"},
		{"\"switches\": 1", "\"switches\": 2147483647", 2, 42,
			"switches: found 2147483647 beside 2 ranks, wanted at most 4194304 "
			"vertices in all"},
		{"\"latency_ns\": 0.1, ", "", 5, 3, "the key \"latency_ns\" is missing in a link"},
		{"\"class\"", "\"clas\"", 5, 24, "unknown key \"clas\" in a link"},
		{"\"down\": true", "\"down\": 1", 6, 73, "down: found 1, wanted true or false"},
		{"ordo/topology/1", "ordo/topology/2", 1, 12,
			"schema: found \"ordo/topology/2\", wanted \"ordo/topology/1\""},
		{" ]}\n", " ]", 8, 3, "found the end of the text, wanted a comma or '}'"},
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		char text[2048];
		const char *at = strstr(topology_text, cases[i].old);
		struct ordo_error error = {0};
		assert_non_null(at);
		snprintf(text, sizeof text, "%.*s%s%s", (int)(at - topology_text), topology_text,
			cases[i].put, at + strlen(cases[i].old));
		assert_null(ordo_topology_read_text(text, strlen(text), "text", &error));
		if (strcmp(error.text, cases[i].text) != 0 || error.line != cases[i].line ||
			error.column != cases[i].column || error.rule != 1)
			fail_msg("%u:%u: error[R%d]: %s", error.line, error.column, error.rule,
				error.text);
	}
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_reject_case_says_what_is_wrong_and_where),
		cmocka_unit_test(what_is_read_is_what_is_written),
		cmocka_unit_test(order_space_and_escapes_do_not_matter),
		cmocka_unit_test(tasks_know_their_places),
		cmocka_unit_test(a_cut_document_is_refused_wherever_it_is_cut),
		cmocka_unit_test(file_names_need_a_folder),
		cmocka_unit_test(extras_keep_every_digit),
		cmocka_unit_test(a_pipe_is_read_to_its_end),
		cmocka_unit_test(a_folder_reads_as_the_file_does),
		cmocka_unit_test(names_that_leave_the_folder_are_refused),
		cmocka_unit_test(only_ordinary_files_of_the_folder_are_read),
		cmocka_unit_test(a_missing_file_is_named),
		cmocka_unit_test(a_missing_program_is_named),
		cmocka_unit_test(a_file_named_often_is_refused_at_once),
		cmocka_unit_test(errors_in_a_program_name_its_file),
		cmocka_unit_test(a_path_that_cannot_be_read_is_named),
		cmocka_unit_test(a_topology_is_written_as_it_is_read),
		cmocka_unit_test(topologies_are_refused_with_reasons),
	};
	if (argc != 2)
		return 2;
	reject_folder = argv[1];
	return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
