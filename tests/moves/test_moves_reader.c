/* test_moves_reader.c - programs of moves from text: what is refused, at which place, and that what
 * was read is written the same. */
#include <ordo/moves.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
/* cmocka needs the four above. */
#include <cmocka.h>

/* Every key there is. */
static const char sound[] =
	"{\"schema\": \"ordo/moves/1\",\n"
	" \"operator\": \"Reduce\", \"algorithm\": \"a\", \"ranks\": 3, \"root\": 1, \"shards\": "
	"6,\n"
	" \"chunks_per_block\": 2, \"scratch_slots\": 2, \"in_place\": false, "
	"\"accumulate\": \"f32\",\n"
	" \"topology\": {\"name\": \"t\", \"digest\": \"0123456789abcdef0123456789abcdef\"},\n"
	" \"source\": \"a.py\",\n"
	" \"phases\": [\"p\", \"q\"],\n"
	" \"streams\": [\"s\", \"t\"],\n"
	" \"ways\": [\n"
	"  {\"rank\": 2, \"stream\": 1, \"via\": [4, 3], \"class\": [\"c\", \"d\", \"c\"]}],\n"
	" \"x\": {\"a\": 1.50},\n"
	" \"moves\": [\n"
	"  {\"move\": \"copy\", \"from\": [2, \"input\", 0], \"to\": [1, \"scratch\", 0], "
	"\"count\": 2, \"stream\": 1, \"phase\": 1, \"line\": 7},\n"
	"  {\"move\": \"reduce\", \"from\": [0, \"input\", 0], \"to\": [1, \"output\", 1], "
	"\"line\": 9}]}\n";

/* One change of the text, and what is said of it. */
struct change {
	const char *old, *new;
	uint32_t line, column;
	int rule;
	const char *text, *hint;
};

static const struct change changes[] = {
	{"moves/1", "moves/2", 1, 12, 1, "schema: found \"ordo/moves/2\", wanted \"ordo/moves/1\"",
		"this is a document of another kind or version"},
	{"\"Reduce\"", "\"reduce\"", 2, 14, 1, "operator: found \"reduce\", wanted AllReduce",
		"did you mean \"Reduce\"?"},
	{"\"Reduce\"", "\"Custom\"", 2, 62, 1, "root: Custom has no root", ""},
	{"\"root\": 1, ", "", 2, 14, 1, "the key \"root\" is missing: Reduce has a root", ""},
	{"\"root\": 1", "\"root\": 3", 2, 62, 1, "root: found 3, wanted a rank of 0..2", ""},
	{"\"ranks\": 3", "\"ranks\": 4294967297", 2, 51, 1,
		"ranks: found 4294967297, wanted an integer of 1..2147483647", ""},
	{"\"ranks\": 3", "\"ranks\": \"3\"", 2, 51, 1,
		"ranks: found \"3\", wanted an integer of 1..2147483647", ""},
	{"\"chunks_per_block\": 2", "\"chunks_per_block\": 4294967296", 3, 22, 1,
		"chunks_per_block: found 4294967296, wanted an integer of 1..2147483647", ""},
	{"\"in_place\"", "\"inplace\"", 3, 45, 1, "unknown key \"inplace\" in a program of moves",
		"did you mean \"in_place\"?"},
	{"false", "0", 3, 57, 1, "in_place: found 0, wanted true or false", ""},
	{"\"f32\"", "\"f64\"", 3, 78, 1, "accumulate: found \"f64\", wanted \"f32\"", ""},
	{"0123456789abcdef\"", "\"", 4, 38, 1, "digest: found \"0123456789abcdef\", wanted 32", ""},
	{" \"source\": \"a.py\",\n", "", 11, 3, 1,
		"line: found 7, but the program names no \"source\"", ""},
	{", \"line\": 9", "", 13, 3, 1,
		"the key \"line\" is missing in a move: the program names its source", ""},
	{"[\"p\", \"q\"]", "[\"p\", 1]", 6, 18, 1, "phases: found 1, wanted a string", ""},
	{"\"rank\": 2", "\"rank\": 3", 9, 3, 2, "rank: found 3, wanted 0..2", ""},
	{"\"stream\": 1, \"via\"", "\"stream\": 2, \"via\"", 9, 3, 1,
		"stream: found 2, wanted 0..1, the streams named", ""},
	{"[4, 3]", "[4, 2]", 9, 3, 2, "via: found rank 2, wanted switches, which are 3 and above",
		""},
	{"[4, 3]", "[4, 4]", 9, 39, 1, "via: found switch 4 twice", ""},
	{"[4, 3]", "[4]", 9, 49, 1, "class: found 3 classes, wanted 2, one for each hop", ""},
	{"[\"c\", \"d\", \"c\"]", "[]", 9, 52, 1,
		"class: found 0 classes, wanted 3, one for each hop", ""},
	{"\"d\"", "3", 9, 58, 1, "class: found 3, wanted a string", ""},
	{"\"copy\"", "\"send\"", 12, 12, 1, "move: found \"send\", wanted \"copy\" or \"reduce\"",
		""},
	{"\"copy\"", "\"cop\"", 12, 12, 1, "move: found \"cop\", wanted \"copy\" or \"reduce\"",
		"did you mean \"copy\"?"},
	{"\"copy\"", "1", 12, 12, 1, "move: found 1, wanted a string", ""},
	{"[2, \"input\", 0]", "2", 12, 28, 1, "from: found 2, wanted [rank, buffer, first slot]",
		""},
	{"[2, \"input\", 0]", "[2, \"input\"]", 12, 28, 1,
		"from: found an array of 2, wanted [rank, buffer, first slot]", ""},
	{"[2, \"input\", 0]", "[2, \"input\", 0, 1]", 12, 28, 1,
		"from: found an array of 4, wanted [rank, buffer, first slot]", ""},
	{"[2, \"input\", 0]", "[2, \"inptu\", 0]", 12, 32, 1,
		"from: found \"inptu\", wanted \"input\", \"output\" or \"scratch\"",
		"did you mean \"input\"?"},
	{"[2, \"input\", 0]", "[-2, \"input\", 0]", 12, 29, 1,
		"from: found -2, wanted an integer of 0..2147483647", ""},
	{"[2, \"input\", 0]", "[3, \"input\", 0]", 12, 3, 2, "from: found rank 3, wanted 0..2", ""},
	{"[1, \"scratch\", 0]", "[7, \"scratch\", 0]", 12, 3, 2, "to: found rank 7, wanted 0..2",
		""},
	{"\"count\": 2", "\"count\": 0", 12, 79, 1,
		"count: found 0, wanted an integer of 1..2147483647", ""},
	{"\"stream\": 1, \"phase\"", "\"stream\": 2, \"phase\"", 12, 3, 1,
		"stream: found 2, wanted 0..1, the streams named", ""},
	{"\"phase\": 1", "\"phase\": 2", 12, 3, 1, "phase: found 2, wanted 0..1, the phases named",
		""},
	{" \"phases\": [\"p\", \"q\"],\n", "", 11, 3, 1,
		"phase: found 1, but the program names no phases", ""},
	{"\"count\": 2", "\"peer\": 2", 12, 70, 1, "unknown key \"peer\" in a move", ""},
	{"\"count\": 2", "\"move\": \"copy\"", 12, 70, 1, "duplicate key \"move\" in a move", ""},
	{", \"to\": [1, \"output\", 1]", "", 13, 3, 1, "the key \"to\" is missing in a move", ""},
	{" \"moves\": [", " \"move\": [", 11, 2, 1, "unknown key \"move\" in a program of moves",
		"did you mean \"moves\"?"},
	{"]}\n", "]}}\n", 13, 83, 1, "found '}', wanted nothing after the document", ""},
};

/* The text with one change; the caller frees it. */
static char *changed(const struct change *change)
{
	const char *at = strstr(sound, change->old);
	assert_non_null(at);
	char *text = malloc(sizeof sound + strlen(change->new));
	assert_non_null(text);
	sprintf(text, "%.*s%s%s", (int)(at - sound), sound, change->new, at + strlen(change->old));
	return text;
}

static void changes_are_refused_at_their_place(void **state)
{
	(void)state;
	int wrong = 0;
	for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
		const struct change *change = &changes[i];
		struct ordo_error error = {0};
		char *text = changed(change);
		struct ordo_moves *moves =
			ordo_moves_read_text(text, strlen(text), "sound", &error);
		if (moves || error.line != change->line || error.column != change->column ||
			error.rule != change->rule || error.code != ORDO_BAD_INPUT ||
			!strstr(error.text, change->text) || strcmp(error.hint, change->hint)) {
			print_message("%s -> %s: %u:%u: R%d: %s (%s)\n", change->old, change->new,
				error.line, error.column, error.rule, error.text, error.hint);
			wrong++;
		}
		ordo_moves_destroy(moves);
		free(text);
	}
	assert_int_equal(wrong, 0);
}

static char *written(const struct ordo_moves *moves)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	assert_true(ordo_moves_print(moves, out, NULL));
	fclose(out);
	return text;
}

static void what_was_read_is_written_the_same(void **state)
{
	(void)state;
	struct ordo_error error = {0};
	struct ordo_moves *moves = ordo_moves_read_text(sound, strlen(sound), "sound", &error);
	if (!moves)
		fail_msg("%u:%u: %s", error.line, error.column, error.text);
	char *text = written(moves);
	assert_string_equal(text, sound);
	assert_int_equal(moves->nitem, 2);
	assert_int_equal(moves->places[1].line, 13);
	assert_int_equal(moves->places[1].column, 3);
	free(text);
	ordo_moves_destroy(moves);
}

static void what_is_left_out_has_its_usual_value(void **state)
{
	(void)state;
	static const char text[] =
		"{\"moves\": [{\"to\": [1, \"output\", 0], \"move\": \"copy\", \"from\": "
		"[0, \"input\", 0]}],\n\"ranks\": 2, \"algorithm\": \"a\", \"operator\": "
		"\"AllReduce\", \"schema\": \"ordo/moves/1\"}";
	struct ordo_error error = {0};
	struct ordo_moves *moves = ordo_moves_read_text(text, strlen(text), "few", &error);
	if (!moves)
		fail_msg("%u:%u: %s", error.line, error.column, error.text);
	assert_int_equal(moves->problem.chunks_per_block, 1);
	assert_int_equal(moves->problem.nshard, 2);
	assert_int_equal(moves->scratch_slots, 0);
	assert_false(moves->problem.in_place);
	assert_int_equal(moves->nstream, 1);
	assert_string_equal(moves->streams[0], "main");
	assert_int_equal(moves->items[0].count, 1);
	ordo_moves_destroy(moves);
}

static void a_cut_document_is_refused_wherever_it_is_cut(void **state)
{
	(void)state;
	for (size_t size = 0; size < strlen(sound) - 2; size++) {
		struct ordo_error error = {0};
		assert_null(ordo_moves_read_text(sound, size, "cut", &error));
		assert_int_equal(error.rule, 1);
		assert_true(error.line && error.column);
	}
}

static void put(const char *path, const char *text)
{
	FILE *file = fopen(path, "w");
	assert_non_null(file);
	assert_true(fputs(text, file) >= 0);
	assert_int_equal(fclose(file), 0);
}

/* What is recognised can be read. */
static void a_file_of_moves_is_recognised_and_no_other(void **state)
{
	(void)state;
	char folder[] = "/tmp/ordo-moves-XXXXXX", path[64];
	assert_non_null(mkdtemp(folder));
	snprintf(path, sizeof path, "%s/moves.json", folder);
	assert_false(ordo_is_moves(path));
	put(path, sound);
	assert_true(ordo_is_moves(path));
	struct ordo_moves *moves = ordo_moves_read(path, NULL);
	assert_non_null(moves);
	ordo_moves_destroy(moves);
	assert_false(ordo_is_moves(folder));
	assert_null(ordo_moves_read(folder, NULL));
	put(path, "{\"schema\": \"ordo/schedule/1\"}");
	assert_false(ordo_is_moves(path));
	put(path, "");
	assert_false(ordo_is_moves(path));
	assert_false(ordo_is_moves("-"));
	assert_false(ordo_is_moves("/dev/null"));
	unlink(path);
	rmdir(folder);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(changes_are_refused_at_their_place),
		cmocka_unit_test(what_was_read_is_written_the_same),
		cmocka_unit_test(what_is_left_out_has_its_usual_value),
		cmocka_unit_test(a_cut_document_is_refused_wherever_it_is_cut),
		cmocka_unit_test(a_file_of_moves_is_recognised_and_no_other),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
