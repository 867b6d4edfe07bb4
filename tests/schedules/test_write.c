/* test_write.c - canonical bytes, and files that appear whole or not at all. */
#include <dirent.h>
#include <errno.h>
#include <ordo/detail/schedules.h>
#include <ordo/document.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
/* cmocka needs the headers above. */
#include <cmocka.h>

/* Every kind of task and every optional key. */
static const char canonical[] =
	"{\"schema\": \"ordo/schedule/1\",\n"
	" \"operator\": \"Reduce\", \"algorithm\": \"by \\\"hand\\\"\", \"ranks\": 2, \"root\": 1, "
	"\"shards\": 4,\n"
	" \"chunks_per_block\": 10, \"scratch_slots\": 2147483647, \"in_place\": false,\n"
	" \"topology\": {\"name\": \"ring\", \"digest\": \"00112233445566778899aabbccddeeff\"},\n"
	" \"phases\": [\"sum\", \"line\\nend\"],\n"
	" \"x\": {\"made by\": [\"hand\", 1.50]},\n"
	" \"programs\": [\n"
	"  {\"rank\": 0, \"streams\": [\n"
	"   {\"name\": \"a\", \"tasks\": [\n"
	"    {\"task\": \"LocalCopy\", \"chunk\": 2, \"src\": [\"input\", 12], \"dst\": "
	"[\"scratch\", 100]},\n"
	"    {\"task\": \"LocalReduce\", \"chunk\": 0, \"count\": 3, \"src\": [\"input\", 0], "
	"\"dst\": [\"output\", 1234567890]},\n"
	"    {\"task\": \"Send\", \"peer\": 1, \"chunk\": 9, \"src\": [\"scratch\", 7], \"dst\": "
	"[\"scratch\", 0], \"phase\": 0},\n"
	"    {\"task\": \"SendReduce\", \"peer\": 1, \"chunk\": 1, \"count\": 2, \"src\": "
	"[\"output\", 99], \"dst\": [\"output\", 101], \"phase\": 1},\n"
	"    {\"task\": \"Notify\", \"peer\": 1, \"signal\": 2147483647},\n"
	"    {\"task\": \"Wait\", \"peer\": 0, \"signal\": 10, \"phase\": 1}\n"
	"   ]},\n"
	"   {\"name\": \"b\", \"via\": [3, 2147483647], \"class\": \"nv \\\"link\\\"\", "
	"\"tasks\": []},\n"
	"   {\"name\": \"c\", \"via\": [], \"class\": [\"x\"], \"tasks\": []},\n"
	"   {\"name\": \"d\", \"via\": [3, 2147483647], \"class\": [\"a\", \"b\", \"a\"], "
	"\"tasks\": []},\n"
	"   {\"name\": \"e\", \"via\": [3, 2147483647], \"class\": [\"a\", \"b\", \"c\"], "
	"\"tasks\": []}]},\n"
	"  {\"rank\": 1, \"streams\": []}]}\n";

static void add_ways(struct ordo_schedule *schedule, struct ordo_error *error)
{
	static const uint32_t switches[] = {3, ORDO_LIMIT};
	static const char *const one[] = {"x"}, *const some[] = {"a", "b", "a"},
				 *const others[] = {"a", "b", "c"};
	static const struct ordo_via ways[] = {{switches, 2, "nv \"link\"", NULL},
		{NULL, 0, NULL, one}, {switches, 2, NULL, some}, {switches, 2, NULL, others}};
	static const char *const names[] = {"b", "c", "d", "e"};
	for (uint32_t i = 0; i < 4; i++) {
		assert_true(ordo_schedule_begin_stream(schedule, 0, names[i], error));
		assert_true(ordo_schedule_set_via(schedule, i + 1, &ways[i], error));
	}
}

static struct ordo_schedule *make(struct ordo_error *error)
{
	static const char *const phases[] = {"sum", "line\nend"};
	static const struct ordo_task tasks[] = {
		{.kind = ORDO_LOCAL_COPY,
			.phase = ORDO_NO_PHASE,
			.chunk = 2,
			.count = 1,
			.src = 12,
			.dst_buffer = ORDO_SCRATCH,
			.dst = 100},
		{.kind = ORDO_LOCAL_REDUCE,
			.phase = ORDO_NO_PHASE,
			.count = 3,
			.dst_buffer = ORDO_OUTPUT,
			.dst = 1234567890},
		{.kind = ORDO_SEND,
			.phase = 0,
			.peer = 1,
			.chunk = 9,
			.count = 1,
			.src_buffer = ORDO_SCRATCH,
			.src = 7,
			.dst_buffer = ORDO_SCRATCH},
		{.kind = ORDO_SEND_REDUCE,
			.phase = 1,
			.peer = 1,
			.chunk = 1,
			.count = 2,
			.src_buffer = ORDO_OUTPUT,
			.src = 99,
			.dst_buffer = ORDO_OUTPUT,
			.dst = 101},
		{.kind = ORDO_NOTIFY, .phase = ORDO_NO_PHASE, .peer = 1, .signal = ORDO_LIMIT},
		{.kind = ORDO_WAIT, .phase = 1, .peer = 0, .signal = 10},
	};
	struct ordo_problem problem = {
		.op = ORDO_REDUCE, .nrank = 2, .root = 1, .nshard = 4, .chunks_per_block = 10};
	struct ordo_schedule *schedule = ordo_schedule_create(&problem, "by \"hand\"", error);
	assert_non_null(schedule);
	assert_true(ordo_schedule_set_phases(schedule, phases, 2, error));
	schedule->scratch_slots = ORDO_LIMIT;
	schedule->topology_name = "ring";
	schedule->topology_digest = "00112233445566778899aabbccddeeff";
	schedule->extra = "{\"made by\": [\"hand\", 1.50]}";
	assert_true(ordo_schedule_begin_stream(schedule, 0, "a", error));
	for (size_t i = 0; i < sizeof tasks / sizeof *tasks; i++)
		assert_true(ordo_schedule_append(schedule, &tasks[i], error));
	add_ways(schedule, error);
	return schedule;
}

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

/* A folder that is made for one test. */
static char folder[64];
static char path[128];

static int make_folder(void **state)
{
	(void)state;
	snprintf(folder, sizeof folder, "/tmp/ordo-test-write-XXXXXX");
	return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state)
{
	(void)state;
	char command[128];
	snprintf(command, sizeof command, "rm -rf %s", folder);
	return system(command);
}

static const char *inside(const char *name)
{
	snprintf(path, sizeof path, "%s/%s", folder, name);
	return path;
}

/* How many entries, hidden ones too. */
static int count_entries(const char *name)
{
	DIR *entries = opendir(name);
	int count = -2;
	assert_non_null(entries);
	while (readdir(entries))
		count++;
	closedir(entries);
	return count;
}

static void expect_file(const char *name, const char *text)
{
	char found[4096];
	FILE *file = fopen(inside(name), "r");
	assert_non_null(file);
	size_t size = fread(found, 1, sizeof found - 1, file);
	fclose(file);
	found[size] = '\0';
	assert_string_equal(found, text);
}

static void the_same_schedule_gives_these_bytes(void **state)
{
	(void)state;
	struct ordo_error error;
	struct ordo_schedule *schedule = make(&error);
	char *text = print(schedule);
	assert_string_equal(text, canonical);
	free(text);
	ordo_schedule_destroy(schedule);
}

static void the_bytes_read_back_and_print_again(void **state)
{
	(void)state;
	struct ordo_error error = {0};
	struct ordo_schedule *schedule =
		ordo_schedule_read_text(canonical, strlen(canonical), "text", NULL, &error);
	if (!schedule)
		fail_msg("%u:%u: %s", error.line, error.column, error.text);
	char *text = print(schedule);
	assert_string_equal(text, canonical);
	free(text);
	ordo_schedule_destroy(schedule);
}

static void random_numbers_survive(void **state)
{
	(void)state;
	struct ordo_error error;
	struct ordo_problem problem = {
		.op = ORDO_ALLREDUCE, .nrank = 1, .nshard = 1, .chunks_per_block = 1};
	struct ordo_schedule *schedule = ordo_schedule_create(&problem, "random", &error);
	assert_true(ordo_schedule_begin_stream(schedule, 0, "only", &error));
	uint64_t seed = 7;
	for (int i = 0; i < 20000; i++) {
		struct ordo_task task = {.kind = ORDO_SEND, .phase = ORDO_NO_PHASE};
		uint32_t *fields[] = {&task.peer, &task.chunk, &task.count, &task.src, &task.dst};
		for (int f = 0; f < 5; f++) {
			seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407;
			*fields[f] = (uint32_t)(seed >> 33) >> (seed >> 20) % 31;
		}
		task.count += !task.count;
		assert_true(ordo_schedule_append(schedule, &task, &error));
	}
	char *text = print(schedule);
	for (int only_cjson = 0; only_cjson < 2; only_cjson++) {
		struct ordo_read_options options = {.only_cjson = only_cjson};
		struct ordo_schedule *again =
			ordo_schedule_read_text(text, strlen(text), "text", &options, &error);
		assert_non_null(again);
		assert_int_equal(again->ntask, schedule->ntask);
		assert_memory_equal(
			again->tasks, schedule->tasks, schedule->ntask * sizeof *schedule->tasks);
		ordo_schedule_destroy(again);
	}
	free(text);
	ordo_schedule_destroy(schedule);
}

static void a_file_and_a_folder_hold_the_same_schedule(void **state)
{
	(void)state;
	struct ordo_error error = {0};
	struct ordo_schedule *schedule = make(&error);
	assert_true(ordo_schedule_write(schedule, inside("one.json"), NULL, NULL, &error));
	expect_file("one.json", canonical);
	for (int twice = 0; twice < 2; twice++) {
		if (!ordo_schedule_write(schedule, inside("many/"), NULL, NULL, &error))
			fail_msg("%s", error.text);
		assert_int_equal(count_entries(inside("many")), 3);
		expect_file("many/rank-1.json", "{\"rank\": 1, \"streams\": []}\n");
		struct ordo_schedule *again = ordo_schedule_read(inside("many"), NULL, &error);
		if (!again)
			fail_msg("%s:%u:%u: %s", error.file, error.line, error.column, error.text);
		char *text = print(again);
		assert_string_equal(text, canonical);
		free(text);
		ordo_schedule_destroy(again);
	}
	ordo_schedule_destroy(schedule);
	assert_int_equal(count_entries(folder), 2);
}

static void a_folder_with_other_things_is_left_alone(void **state)
{
	(void)state;
	struct ordo_error error;
	struct ordo_schedule *schedule = make(&error);
	assert_int_equal(mkdir(inside("mine"), 0700), 0);
	FILE *file = fopen(inside("mine/thesis.txt"), "w");
	assert_non_null(file);
	fclose(file);
	assert_false(ordo_schedule_write(schedule, inside("mine"), NULL, NULL, &error));
	assert_int_equal(error.code, ORDO_USAGE);
	assert_non_null(
		strstr(error.text, "contains \"thesis.txt\", which is not part of a schedule"));
	assert_int_equal(count_entries(inside("mine")), 1);
	assert_int_equal(unlink(inside("mine/thesis.txt")), 0);
	assert_true(ordo_schedule_write(schedule, inside("mine"), NULL, NULL, &error));
	assert_int_equal(count_entries(inside("mine")), 3);
	ordo_schedule_destroy(schedule);
}

static void a_link_stays_a_link(void **state)
{
	(void)state;
	struct ordo_error error;
	struct ordo_schedule *schedule = make(&error);
	struct stat facts;
	char target[128];
	snprintf(target, sizeof target, "%s/target.json", folder);
	FILE *file = fopen(target, "w");
	assert_non_null(file);
	fclose(file);
	assert_int_equal(symlink(target, inside("link.json")), 0);
	assert_true(ordo_schedule_write(schedule, inside("link.json"), NULL, NULL, &error));
	assert_int_equal(lstat(inside("link.json"), &facts), 0);
	assert_true(S_ISLNK(facts.st_mode));
	expect_file("target.json", canonical);
	ordo_schedule_destroy(schedule);
}

/* Writing fails after so many bytes, as on a full disk. */
static void limit_files(rlim_t size)
{
	struct rlimit limit;
	signal(SIGXFSZ, SIG_IGN);
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &limit), 0);
	limit.rlim_cur = size;
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

static void a_failed_write_leaves_what_was_there(void **state)
{
	(void)state;
	struct ordo_error error;
	struct ordo_schedule *schedule = make(&error);
	assert_true(ordo_schedule_write(schedule, inside("old.json"), NULL, NULL, &error));
	assert_true(ordo_schedule_write(schedule, inside("old"), NULL, NULL, &error));
	int before = count_entries(folder);
	schedule->algorithm = "new";
	limit_files(300);
	bool file_written = ordo_schedule_write(schedule, inside("old.json"), NULL, NULL, &error);
	struct ordo_error file_error = error;
	bool folder_written = ordo_schedule_write(schedule, inside("old"), NULL, NULL, &error);
	limit_files(RLIM_INFINITY);
	assert_false(file_written);
	assert_false(folder_written);
	assert_int_equal(file_error.code, ORDO_ENVIRONMENT);
	assert_string_equal(file_error.text, "cannot write: File too large");
	assert_string_equal(file_error.file, inside("old.json"));
	assert_string_equal(error.text, "cannot write: File too large");
	expect_file("old.json", canonical);
	struct ordo_schedule *old = ordo_schedule_read(inside("old"), NULL, &error);
	assert_non_null(old);
	assert_string_equal(old->algorithm, "by \"hand\"");
	ordo_schedule_destroy(old);
	assert_int_equal(count_entries(folder), before);
	assert_int_equal(count_entries(inside("old")), 3);
	ordo_schedule_destroy(schedule);
}

static void a_full_device_is_an_error(void **state)
{
	(void)state;
	struct ordo_error error;
	struct ordo_schedule *schedule = make(&error);
	FILE *full = fopen("/dev/full", "w");
	assert_non_null(full);
	assert_false(ordo_schedule_print(schedule, full, &error));
	assert_int_equal(error.code, ORDO_ENVIRONMENT);
	assert_string_equal(error.text, "cannot write: No space left on device");
	fclose(full);
	full = fopen("/dev/full", "w");
	assert_false(ordo_schedule_print_text(schedule, full, &error));
	assert_string_equal(error.text, "cannot write: No space left on device");
	fclose(full);
	/* Written in place, never replaced. */
	assert_int_equal(symlink("/dev/full", inside("full.json")), 0);
	int before = count_entries(folder);
	assert_false(ordo_schedule_write(schedule, inside("full.json"), NULL, NULL, &error));
	assert_string_equal(error.text, "cannot write: No space left on device");
	assert_int_equal(access("/dev/full", F_OK), 0);
	assert_int_equal(count_entries(folder), before);
	ordo_schedule_destroy(schedule);
}

static void a_missing_folder_is_an_error(void **state)
{
	(void)state;
	struct ordo_error error;
	struct ordo_schedule *schedule = make(&error);
	assert_false(ordo_schedule_write(schedule, inside("none/a.json"), NULL, NULL, &error));
	assert_string_equal(error.text, "cannot write beside it: No such file or directory");
	assert_false(ordo_schedule_write(schedule, inside("none/a"), NULL, NULL, &error));
	assert_string_equal(error.text, "cannot write beside it: No such file or directory");
	FILE *file = fopen(inside("taken"), "w");
	assert_non_null(file);
	fclose(file);
	assert_false(ordo_schedule_write(schedule, inside("taken"), NULL, NULL, &error));
	assert_string_equal(error.text, "cannot write a folder there: Not a directory");
	ordo_schedule_destroy(schedule);
}

static void what_no_document_can_say_is_not_written(void **state)
{
	(void)state;
	struct ordo_error error;
	static const struct ordo_task wrong[] = {
		{.kind = 6, .phase = ORDO_NO_PHASE, .count = 1},
		{.kind = ORDO_SEND, .phase = ORDO_NO_PHASE, .count = 1, .src_buffer = 3},
		{.kind = ORDO_SEND, .phase = ORDO_NO_PHASE, .count = 0},
		{.kind = ORDO_WAIT, .phase = 2},
		{.kind = ORDO_WAIT, .phase = ORDO_NO_PHASE, .signal = ORDO_LIMIT + 1u},
	};
	for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
		struct ordo_schedule *schedule = make(&error);
		assert_true(ordo_schedule_append(schedule, &wrong[i], &error));
		assert_false(
			ordo_schedule_write(schedule, inside("wrong.json"), NULL, NULL, &error));
		assert_non_null(strstr(error.text, "cannot be written"));
		assert_int_equal(access(inside("wrong.json"), F_OK), -1);
		ordo_schedule_destroy(schedule);
	}
	static const uint32_t a_rank[] = {1}, twice[] = {2, 3, 2};
	static const struct ordo_via ways[] = {{a_rank, 1, NULL, NULL}, {twice, 3, NULL, NULL}};
	for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
		struct ordo_schedule *schedule = make(&error);
		assert_true(ordo_schedule_set_via(schedule, 2, &ways[i], &error));
		assert_false(
			ordo_schedule_write(schedule, inside("wrong.json"), NULL, NULL, &error));
		assert_non_null(strstr(error.text, "stream \"c\" of rank 0 cannot be written"));
		assert_int_equal(access(inside("wrong.json"), F_OK), -1);
		ordo_schedule_destroy(schedule);
	}
}

static void a_copy_goes_the_same_ways(void **state)
{
	(void)state;
	struct ordo_error error;
	struct ordo_schedule *schedule = make(&error), *copy = ordo_schedule_copy(schedule, &error);
	assert_non_null(copy);
	char *copied = print(copy);
	assert_string_equal(copied, canonical);
	free(copied);
	ordo_schedule_destroy(copy);
	ordo_schedule_destroy(schedule);
}

static void the_text_form_reads_aloud(void **state)
{
	(void)state;
	struct ordo_error error;
	struct ordo_schedule *schedule = make(&error);
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	schedule->phases[1] = "gather";
	assert_true(ordo_schedule_print_text(schedule, out, &error));
	fclose(out);
	assert_string_equal(text,
		"Reduce by by \"hand\", ranks 2, root 1, shards 4, chunks per block 10, scratch "
		"slots 2147483647\n"
		"topology ring, digest 00112233445566778899aabbccddeeff\n"
		"rank 0\n"
		"  stream a\n"
		"    LocalCopy chunk 2 input 12 -> scratch 100\n"
		"    LocalReduce chunks 0..2 input 0 -> output 1234567890\n"
		"    Send 1 chunk 9 scratch 7 -> scratch 0                        # sum\n"
		"    SendReduce 1 chunks 1..2 output 99 -> output 101             # gather\n"
		"    Notify 1 signal 2147483647\n"
		"    Wait 0 signal 10                                             # gather\n"
		"  stream b, via 3 2147483647 nv \"link\"\n"
		"  stream c, via x\n"
		"  stream d, via 3 2147483647 a/b/a\n"
		"  stream e, via 3 2147483647 a/b/c\n"
		"rank 1\n");
	free(text);
	ordo_schedule_destroy(schedule);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_same_schedule_gives_these_bytes),
		cmocka_unit_test(the_bytes_read_back_and_print_again),
		cmocka_unit_test(random_numbers_survive),
		cmocka_unit_test_setup_teardown(
			a_file_and_a_folder_hold_the_same_schedule, make_folder, remove_folder),
		cmocka_unit_test_setup_teardown(
			a_folder_with_other_things_is_left_alone, make_folder, remove_folder),
		cmocka_unit_test_setup_teardown(a_link_stays_a_link, make_folder, remove_folder),
		cmocka_unit_test_setup_teardown(
			a_failed_write_leaves_what_was_there, make_folder, remove_folder),
		cmocka_unit_test_setup_teardown(
			a_full_device_is_an_error, make_folder, remove_folder),
		cmocka_unit_test_setup_teardown(
			a_missing_folder_is_an_error, make_folder, remove_folder),
		cmocka_unit_test_setup_teardown(
			what_no_document_can_say_is_not_written, make_folder, remove_folder),
		cmocka_unit_test(a_copy_goes_the_same_ways),
		cmocka_unit_test(the_text_form_reads_aloud),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
