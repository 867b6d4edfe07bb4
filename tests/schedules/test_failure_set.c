/* test_failure_set.c - failure sets read, refused, changed at random, and written. */
#include <ordo/detail/topologies.h>
#include <ordo/failure_sets.h>
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
	{"R1-algorithm-missing", 8, 3, "the key \"algorithm\" is missing in a state", ""},
	{"R1-algorithm-without-a-schedule", 11, 51,
		"algorithm: found in a state without a schedule, wanted none", ""},
	{"R1-bandwidth-0", 6, 65, "bound: found a bandwidth_gbs of 0, wanted more", ""},
	{"R1-bound-a-fraction", 6, 79,
		"numerator: found 2.5, wanted an integer of 0..9007199254740992, or a greater one "
		"up to 9223372036854775807 as a string",
		""},
	{"R1-bound-a-number", 6, 65, "found '0', wanted a bound, an object", ""},
	{"R1-bound-missing", 5, 3, "the key \"bound\" is missing in a state", ""},
	{"R1-bound-without-a-denominator", 6, 65, "the key \"denominator\" is missing in a bound",
		""},
	{"R1-bytes-negative", 3, 87,
		"bytes: found -1, wanted an integer of 0..9007199254740992, or a greater one up to "
		"9223372036854775807 as a string",
		""},
	{"R1-denominator-0", 6, 65, "bound: found a denominator of 0, wanted more", ""},
	{"R1-first-schedule-null", 5, 16,
		"schedule: found null in the first state, wanted a schedule", ""},
	{"R1-key-missing-in-the-head", 1, 1, "the key \"in_place\" is missing in a failure set",
		""},
	{"R1-key-twice-in-a-state", 10, 22, "duplicate key \"time_ns\" in a state", ""},
	{"R1-key-twice-in-the-head", 2, 39, "duplicate key \"ranks\" in a failure set", ""},
	{"R1-link-a-text", 11, 12, "found '\"', wanted an array of two vertices", ""},
	{"R1-link-in-the-first-state", 5, 12,
		"link: found [0, 1] in the first state, wanted none: it is the state without a "
		"failure",
		""},
	{"R1-link-of-one", 11, 12, "link: found fewer than two vertices, wanted two", ""},
	{"R1-link-of-texts", 11, 13, "link: found \"1\", wanted an integer of 0..2147483647", ""},
	{"R1-link-of-three", 11, 18, "link: found more than two vertices, wanted two", ""},
	{"R1-link-to-itself", 11, 12,
		"link: found [1, 1], wanted two vertices, the smaller one first", ""},
	{"R1-link-turned-round", 11, 12,
		"link: found [2, 1], wanted two vertices, the smaller one first", ""},
	{"R1-link-twice", 11, 12, "link: found [0, 1] twice", ""},
	{"R1-links-descend", 11, 12, "link: found [1, 2] after [1, 3], wanted ascending order", ""},
	{"R1-no-states", 4, 12, "states: found none, wanted at least one", ""},
	{"R1-operator-custom", 2, 14,
		"operator: found \"Custom\", wanted another; nothing says what it should compute",
		""},
	{"R1-operator-unknown", 2, 14,
		"operator: found \"all-gather\", wanted AllReduce, Reduce, Broadcast, "
		"ReduceScatter, AllGather, Scatter, Gather, AllToAll or Custom",
		"did you mean \"AllGather\"?"},
	{"R1-order-digest-in-capitals", 6, 20,
		"order_digest: found \"AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA\", wanted 32 hexadecimal "
		"digits",
		""},
	{"R1-order-digest-missing", 5, 3, "the key \"order_digest\" is missing in a state", ""},
	{"R1-order-digest-short", 6, 20,
		"order_digest: found \"0000\", wanted 32 hexadecimal digits", ""},
	{"R1-price-missing", 8, 3, "the key \"price\" is missing in a state", ""},
	{"R1-price-of-another-size", 7, 31,
		"price: found 1.5, wanted 1.49999856949, which is time_ns over the bound", ""},
	{"R1-price-too-low", 7, 31, "price: found 1, wanted 1.5, which is time_ns over the bound",
		""},
	{"R1-price-without-a-schedule", 11, 47,
		"price: found in a state without a schedule, wanted none", ""},
	{"R1-root-where-there-is-none", 2, 47, "root: AllGather has no root", ""},
	{"R1-schedule-a-number", 11, 32, "schedule: found 7, wanted a string", ""},
	{"R1-schedule-above", 5, 16,
		"schedule: found \"../failure-0.json\", wanted a name such as failure-0.json",
		"a set and its schedules are one folder"},
	{"R1-schedule-missing", 11, 3, "the key \"schedule\" is missing in a state", ""},
	{"R1-schedule-of-another-name", 5, 16,
		"schedule: found \"range-0.json\", wanted a name such as failure-0.json",
		"a set and its schedules are one folder"},
	{"R1-schedule-without-a-number", 5, 16,
		"schedule: found \"failure-.json\", wanted a name such as failure-0.json",
		"a set and its schedules are one folder"},
	{"R1-second-state-without-a-link", 8, 3,
		"link: missing, but only the first state is that without a failure", ""},
	{"R1-something-after-the-document", 13, 1, "found '{', wanted nothing after the document",
		""},
	{"R1-state-a-string", 11, 3, "found '\"', wanted a state, an object", ""},
	{"R1-states-an-object", 4, 12, "found '{', wanted an array of states", ""},
	{"R1-states-missing", 1, 1, "the key \"states\" is missing in a failure set", ""},
	{"R1-time-missing", 8, 3, "the key \"time_ns\" is missing in a state", ""},
	{"R1-time-negative", 7, 15, "time_ns: found -16000, wanted a number, not below 0", ""},
	{"R1-topology-a-string", 3, 14,
		"found '\"', wanted the name and digest of a topology, an object", ""},
	{"R1-topology-without-a-digest", 3, 14, "the key \"digest\" is missing in a topology", ""},
	{"R1-truncated", 12, 1, "found the end of the text, wanted a comma or ']'",
		"the file may have been cut off"},
	{"R1-unknown-key-in-a-state", 11, 4, "unknown key \"links\" in a state",
		"did you mean \"link\"?"},
	{"R1-unknown-key-in-the-head", 3, 78, "unknown key \"byte\" in a failure set",
		"did you mean \"bytes\"?"},
	{"R1-wrong-schema", 1, 12,
		"schema: found \"ordo/plan-set/1\", wanted \"ordo/failure-set/1\"",
		"this is a document of another kind or version"},
};

static void path_of(const char *name, char path[4096])
{
	snprintf(path, 4096, "%s/failure-set/%s.json", reject_folder, name);
}

/* The sound example, as we write it; the caller frees it. */
static char *sound_text(size_t *size)
{
	char path[4096], *text = malloc(1 << 16);
	path_of("sound", path);
	FILE *file = fopen(path, "r");
	assert_true(text && file);
	*size = fread(text, 1, (1 << 16) - 1, file);
	text[*size] = 0;
	fclose(file);
	return text;
}

static char *written(const struct ordo_failure_set *set)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	assert_true(ordo_failure_set_print(set, out, NULL));
	fclose(out);
	return text;
}

static void every_reject_case_is_refused_at_its_place(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof refusals / sizeof *refusals; i++) {
		const struct refusal *wanted = &refusals[i];
		struct ordo_error error = {0};
		char path[4096];
		path_of(wanted->name, path);
		assert_null(ordo_failure_set_read(path, &error));
		if (error.code != ORDO_BAD_INPUT || error.rule != 1 ||
			strcmp(error.text, wanted->text) != 0 ||
			strcmp(error.hint, wanted->hint) != 0 || error.line != wanted->line ||
			error.column != wanted->column || strcmp(error.file, path) != 0)
			fail_msg("%s:%u:%u: error[R%d]: %s\nhint: %s", error.file, error.line,
				error.column, error.rule, error.text, error.hint);
	}
}

static void what_is_read_is_written_again(void **state)
{
	(void)state;
	size_t size;
	char *text = sound_text(&size);
	struct ordo_failure_set *set = ordo_failure_set_read_text(text, size, "sound", NULL);
	assert_non_null(set);
	char *again = written(set);
	assert_string_equal(again, text);
	assert_int_equal(set->nstate, 3);
	assert_int_equal(ordo_failure_set_find(set, ORDO_NONE, ORDO_NONE), 0);
	assert_int_equal(ordo_failure_set_find(set, 1, 0), 1);
	assert_int_equal(ordo_failure_set_find(set, 1, 2), 2);
	assert_int_equal(ordo_failure_set_find(set, 0, 2), ORDO_NONE);
	assert_int_equal(ordo_failure_set_first(set, 1), 0);
	assert_int_equal(ordo_failure_set_first(set, 2), 2);
	assert_null(set->states[2].schedule);
	free(again);
	free(text);
	ordo_failure_set_destroy(set);
}

static void the_order_of_keys_does_not_matter(void **state)
{
	(void)state;
	size_t size;
	char *text = sound_text(&size), turned[4096];
	char *states = strstr(text, " \"states\""), *topology = strstr(text, " \"topology\"");
	assert_true(states && topology && states > topology);
	snprintf(turned, sizeof turned, "%.*s%.*s,\n%.*s}\n", (int)(topology - text), text,
		(int)(strlen(states) - 2), states, (int)(states - topology - 2), topology);
	struct ordo_error error = {0};
	struct ordo_failure_set *set =
		ordo_failure_set_read_text(turned, strlen(turned), "turned", &error);
	if (!set)
		fail_msg("%u:%u: %s\n%s", error.line, error.column, error.text, turned);
	char *again = written(set);
	assert_string_equal(again, text);
	/* A price is checked then too. */
	strstr(turned, "1048576")[6] = '7';
	assert_null(ordo_failure_set_read_text(turned, strlen(turned), "turned", &error));
	assert_non_null(strstr(error.text, "price: found 1.5, wanted 1.49999"));
	assert_int_equal(error.line, 4);
	free(again);
	free(text);
	ordo_failure_set_destroy(set);
}

static void a_cut_document_is_refused_wherever_it_is_cut(void **state)
{
	(void)state;
	size_t whole;
	char *text = sound_text(&whole);
	for (size_t size = 0; size < whole - 1; size++) {
		struct ordo_error error = {0};
		assert_null(ordo_failure_set_read_text(text, size, "cut", &error));
		assert_int_equal(error.rule, 1);
		assert_true(error.line && error.column);
	}
	free(text);
}

/* Reads a changed document: refused with its place, or written as something that reads the same.
 * Returns whether it was refused. */
static bool refuses_or_keeps(const char *text, size_t size)
{
	struct ordo_error error = {0};
	struct ordo_failure_set *set = ordo_failure_set_read_text(text, size, "changed", &error);
	if (!set) {
		assert_true(error.rule == 1 && error.line && error.column && error.text[0]);
		return true;
	}
	char *once = written(set);
	struct ordo_failure_set *again =
		ordo_failure_set_read_text(once, strlen(once), "again", &error);
	assert_non_null(again);
	char *twice = written(again);
	assert_string_equal(once, twice);
	for (uint32_t i = 0; i < set->nstate; i++)
		assert_true(!set->states[i].schedule ||
			    !strncmp(set->states[i].schedule, "failure-", 8));
	free(once);
	free(twice);
	ordo_failure_set_destroy(set);
	ordo_failure_set_destroy(again);
	return false;
}

static void a_changed_document_is_refused_or_keeps_its_meaning(void **state)
{
	(void)state;
	static const char bytes[] = "0123456789{}[],:\" -.eEnulf\\\x01\xff";
	size_t size;
	char *text = sound_text(&size);
	uint32_t seed = 1, refused = 0, kept = 0;
	for (int round = 0; round < 20000; round++) {
		char changed[4096];
		memcpy(changed, text, size);
		for (int i = 0; i <= round % 3; i++) {
			seed = seed * 1664525 + 1013904223;
			const size_t at = (seed >> 8) % size;
			seed = seed * 1664525 + 1013904223;
			changed[at] = bytes[(seed >> 8) % (sizeof bytes - 1)];
		}
		if (refuses_or_keeps(changed, size))
			refused++;
		else
			kept++;
	}
	assert_true(refused > 10000 && kept > 50);
	free(text);
}

/* A line of three ranks; digest is its own. */
static struct ordo_topology *make_line(bool longer, char digest[33])
{
	struct ordo_topology *topology = ordo_topology_create("line", 3, 0, 0, NULL);
	assert_non_null(topology);
	for (uint32_t i = 0; i < 2; i++)
		assert_true(ordo_topology_add(topology, i, i + 1, NULL, 1, 1, NULL) &&
			    ordo_topology_add(topology, i + 1, i, NULL, 1, 1, NULL));
	if (longer)
		assert_true(ordo_topology_add(topology, 0, 2, NULL, 1, 1, NULL));
	assert_true(ordo_topology_finish(topology, NULL));
	ordo_topology_digest(topology, digest);
	return topology;
}

/* Writes a set with those links for a line into `folder`. */
static void write_set(const char *folder, bool longer, const char *digest,
	const uint32_t (*links)[2], uint32_t nlink)
{
	struct ordo_error error = {0};
	char own[33];
	struct ordo_topology *topology = make_line(longer, own);
	const struct ordo_problem problem = {
		.op = ORDO_ALLGATHER, .nrank = 3, .nshard = 3, .chunks_per_block = 1};
	struct ordo_schedule *schedule = ordo_schedule_create(&problem, "none", &error);
	const struct ordo_schedule *schedules[] = {schedule, NULL, NULL, NULL};
	struct ordo_failure_set *set =
		ordo_failure_set_create(&problem, "line", digest ? digest : own, 8, &error);
	struct ordo_failure_state state = {.a = ORDO_NONE,
		.b = ORDO_NONE,
		.schedule = "failure-0.json",
		.algorithm = "none",
		.order_digest = own,
		.denominator = 1,
		.bandwidth_gbs = 1};
	assert_true(set && ordo_failure_set_add(set, &state, &error));
	for (uint32_t i = 0; i < nlink; i++) {
		const struct ordo_failure_state parts = {.a = links[i][0], .b = links[i][1]};
		assert_true(ordo_failure_set_add(set, &parts, &error));
	}
	if (!ordo_failure_set_write(set, topology, schedules, folder, &error))
		fail_msg("%s", error.text);
	ordo_failure_set_destroy(set);
	ordo_schedule_destroy(schedule);
	ordo_topology_destroy(topology);
}

static void a_set_has_the_links_of_its_topology(void **state)
{
	(void)state;
	static const uint32_t all[][2] = {{0, 1}, {1, 2}}, other[][2] = {{0, 1}, {0, 2}, {1, 2}};
	static const char wrong[] = "0123456789abcdef0123456789abcdef";
	static const struct {
		bool longer;
		const char *digest;
		const uint32_t (*links)[2];
		uint32_t nlink;
		const char *text; /* NULL: sound */
		uint32_t line;
	} cases[] = {{false, NULL, all, 2, NULL, 0}, {true, NULL, other, 3, NULL, 0},
		{false, NULL, all, 1, "states: found none for the link [1, 2] of the topology", 4},
		{true, NULL, all, 2, "states: found none for the link [0, 2] of the topology", 4},
		{false, NULL, other, 3, "link: found [0, 2], but the topology has no such link", 9},
		{false, wrong, all, 2,
			"topology: found 3 ranks and 0123456789abcdef0123456789abcdef, but", 3}};
	char folder[] = "/tmp/ordo-failure-set-XXXXXX", path[64];
	assert_non_null(mkdtemp(folder));
	snprintf(path, sizeof path, "%s/set", folder);
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct ordo_error error = {0};
		write_set(path, cases[i].longer, cases[i].digest, cases[i].links, cases[i].nlink);
		assert_true(ordo_is_failure_set(path));
		struct ordo_failure_set *set = ordo_failure_set_read(path, &error);
		assert_non_null(set);
		struct ordo_topology *topology = ordo_failure_set_topology(set, &error);
		assert_true(!topology == (cases[i].text != NULL));
		if (!topology && (strncmp(error.text, cases[i].text, strlen(cases[i].text)) != 0 ||
					 error.line != cases[i].line || error.rule != 1))
			fail_msg("%zu: %u:%u: %s", i, error.line, error.column, error.text);
		ordo_topology_destroy(topology);
		ordo_failure_set_destroy(set);
	}
	static const char *const names[] = {"failure-set.json", "topology.json", "failure-0.json"};
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		char file[96];
		snprintf(file, sizeof file, "%s/%s", path, names[i]);
		assert_int_equal(unlink(file), 0);
	}
	assert_int_equal(rmdir(path), 0);
	assert_int_equal(rmdir(folder), 0);
}

int main(int argc, char **argv)
{
	if (argc != 2)
		return EXIT_FAILURE;
	reject_folder = argv[1];
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_reject_case_is_refused_at_its_place),
		cmocka_unit_test(what_is_read_is_written_again),
		cmocka_unit_test(the_order_of_keys_does_not_matter),
		cmocka_unit_test(a_cut_document_is_refused_wherever_it_is_cut),
		cmocka_unit_test(a_changed_document_is_refused_or_keeps_its_meaning),
		cmocka_unit_test(a_set_has_the_links_of_its_topology),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
