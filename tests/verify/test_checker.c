/* test_checker.c - what the second checker says of documents that are wrong in one place, each
 * refused for its reason.
 *
 * Faults that need a run of the whole, test_certificate.c puts into every schedule; these are the
 * others: shapes, ranges, words.
 */
#include "few.h"
#include "second.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <dirent.h>
#include <fcntl.h>
#include <ordo/detail/certificate.h>

static char *schedule, *certificate;

static char *read_whole(const char *path)
{
	static char text[1 << 14];
	FILE *file = fopen(path, "r");
	assert_non_null(file);
	text[fread(text, 1, sizeof text - 1, file)] = '\0';
	fclose(file);
	return strdup(text);
}

static int make_documents(void **state)
{
	(void)state;
	size_t size;
	schedule = read_whole(REJECT_FOLDER "/sound-two-ranks.json");
	struct ordo_schedule *read = ordo_schedule_read_text(
		schedule, strlen(schedule), "sound-two-ranks.json", NULL, NULL);
	struct ordo_proof *proof = ordo_verify(read, NULL, NULL);
	FILE *out = open_memstream(&certificate, &size);
	assert_true(out && ordo_certificate_print(read, proof, out, NULL) && !fclose(out));
	ordo_proof_destroy(proof);
	ordo_schedule_destroy(read);
	return 0;
}

static int free_documents(void **state)
{
	(void)state;
	free(schedule);
	free(certificate);
	return 0;
}

struct change {
	const char *old, *new, *message;
	enum verdict verdict;
};

/* The first place where `old` stands. */
static void changed(const char *text, const struct change *change, char out[1 << 14])
{
	const char *at = strstr(text, change->old);
	if (!at)
		fail_msg("no %s in %s", change->old, text);
	snprintf(out, 1 << 14, "%.*s%s%s", (int)(at - text), text, change->new,
		at + strlen(change->old));
}

static void expect(const char *one, const char *other, const struct change *change)
{
	char report[256];
	const enum verdict verdict = check_texts(one, other, report);
	if (verdict != change->verdict || !strstr(report, change->message))
		fail_msg("%s -> %s: verdict %d, \"%s\", wanted %d, \"%s\"", change->old,
			change->new, (int)verdict, report, (int)change->verdict, change->message);
}

static void both_as_they_are_are_accepted(void **state)
{
	(void)state;
	const struct change nothing = {"", "", "proved: R1-R11, 14 tasks, ", ACCEPTED};
	expect(schedule, certificate, &nothing);
}

/* Each change alone, made in the schedule. */
static void expect_all_of_schedule(const struct change *changes, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		char text[1 << 14];
		changed(schedule, &changes[i], text);
		expect(text, certificate, &changes[i]);
	}
}

/* Each change alone, made in the certificate. */
static void expect_all_of_certificate(const struct change *changes, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		char text[1 << 14];
		changed(certificate, &changes[i], text);
		expect(schedule, text, &changes[i]);
	}
}

static void wrong_heads_of_schedules_are_refused(void **state)
{
	(void)state;
	static const struct change changes[] = {
		{"{\"schema\"", "\"schema\"", "something behind the document", UNREADABLE},
		{"ordo/schedule/1", "ordo/schedule/2", "an unknown word", UNREADABLE},
		{"AllReduce", "AllReduces", "an unknown word", UNREADABLE},
		{"\"ranks\": 2", "\"ranks\": 2.5", "a number", UNREADABLE},
		{"\"ranks\": 2", "\"ranks\": 0", "a number", UNREADABLE},
		{"\"ranks\": 2", "\"ranks\": -2", "a number", UNREADABLE},
		{"\"ranks\": 2", "\"ranks\": \"2\"", "a number", UNREADABLE},
		{"\"ranks\": 2", "\"rank\": 2", "an unknown key", UNREADABLE},
		{"\"ranks\": 2,", "", "a key is missing", UNREADABLE},
		{"\"ranks\": 2", "\"ranks\": 3", "R2: there are not as many programs", REJECTED},
		{"\"scratch_slots\": 1", "\"scratch_slots\": 4294967296", "a number", UNREADABLE},
		{"\"scratch_slots\": 1", "\"scratch_slots\": 2000000000", "too many slots",
			UNREADABLE},
		{"\"scratch_slots\": 1", "\"scratch_slots\": 0", "R3", REJECTED},
		{"\"chunks_per_block\": 1", "\"chunks_per_block\": 99999999",
			"too many chunks for this program", UNREADABLE},
		{"\"chunks_per_block\": 1", "\"chunks_per_block\": 2",
			"R11: an output slot does not hold its chunk", REJECTED},
		{"\"in_place\": false", "\"in_place\": 0", "wanted true or false", UNREADABLE},
		{"\"in_place\": false", "\"in_place\": false, \"root\": 0", "the root", UNREADABLE},
		{"\"in_place\": false", "\"in_place\": false, \"accumulate\": \"f64\"",
			"an unknown word", UNREADABLE},
		{"\"in_place\": false", "\"in_place\": false, \"accumulate\": true",
			"wanted a string", UNREADABLE},
		{"\"in_place\": false", "\"in_place\": false, \"accumulate\": \"f32\"",
			"R4: rounds twice", REJECTED},
		{"\"AllReduce\"", "\"AllGather\", \"accumulate\": \"f32\"", "it does not reduce",
			UNREADABLE},
		{"\"AllReduce\"", "\"Reduce\", \"root\": 2", "the root", UNREADABLE},
		{"\"AllReduce\"", "\"AllGather\", \"shards\": 4", "it does not reduce", UNREADABLE},
		{"\"in_place\": false", "\"in_place\": true, \"shards\": 4",
			"no in-place form with shards", UNREADABLE},
		{"\"in_place\": false", "\"in_place\": false, \"shards\": 99999999",
			"too many slots", UNREADABLE},
	};
	expect_all_of_schedule(changes, sizeof changes / sizeof *changes);
}

static void wrong_tasks_are_refused(void **state)
{
	(void)state;
	static const struct change changes[] = {
		{"\"programs\": [", "\"programs\": [0, ", "wanted an object", UNREADABLE},
		{"\"programs\": [", "\"programs\": [\"a\", ",
			"programs and names of files are mixed", UNREADABLE},
		{"\"streams\": [", "\"streams\": 0, \"s\": [", "an unknown key", UNREADABLE},
		{"\"tasks\": [", "\"tasks\": [], \"tasks\": [", "a duplicate key", UNREADABLE},
		{"\"rank\": 1", "\"rank\": 0", "R2: no such rank, or a duplicate", REJECTED},
		{"\"rank\": 1", "\"rank\": 2", "R2: no such rank, or a duplicate", REJECTED},
		{"\"task\": \"Notify\"", "\"task\": \"notify\"", "an unknown word", UNREADABLE},
		{"\"peer\": 1", "\"peer\": 2", "R2: the peer is not a rank", REJECTED},
		{"\"Send\", \"peer\": 1", "\"Send\", \"peer\": 0", "R2: sends to its own rank",
			REJECTED},
		{"\"chunk\": 0", "\"chunk\": 1", "R3: chunks beyond the last", REJECTED},
		{"\"chunk\": 0", "\"chunk\": 0, \"count\": 0", "a number", UNREADABLE},
		{"\"chunk\": 0", "\"chunk\": 0, \"count\": 2", "R3: chunks beyond the last",
			REJECTED},
		{"[\"input\", 0]", "[\"input\", 1]", "R3", REJECTED},
		{"\"AllReduce\"", "\"ReduceScatter\"", "R3: not the slot of its chunk", REJECTED},
		{"\"LocalCopy\"", "\"LocalReduce\"", "R10: uses what is not its chunk", REJECTED},
		{"[\"input\", 0]", "[\"inputs\", 0]", "an unknown word", UNREADABLE},
		{"[\"input\", 0]", "[\"input\"]", "wanted [buffer, first slot]", UNREADABLE},
		{"[\"input\", 0]", "{\"a\": \"input\", \"b\": 0}", "wanted [buffer, first slot]",
			UNREADABLE},
		{"[\"scratch\", 0]}", "[\"input\", 0]}", "R4: writes input", REJECTED},
		{"{\"task\": \"LocalReduce\", \"chunk\": 0, \"src\": [\"scratch\", 0], \"dst\": "
		 "[\"output\", 0]}",
			"{\"task\": \"Notify\", \"peer\": 1, \"signal\": 7}",
			"R6: tokens are left over", REJECTED},
		{"\"signal\": 1", "\"signal\": 0", "", REJECTED},
		{"\"operator\": \"AllReduce\"", "\"operator\": \"Broadcast\", \"root\": 0", "",
			REJECTED},
	};
	expect_all_of_schedule(changes, sizeof changes / sizeof *changes);
}

static void wrong_ways_of_streams_are_refused(void **state)
{
	(void)state;
	static const struct change changes[] = {
		{"\"tasks\": [", "\"via\": [3, 2], \"class\": \"a\", \"tasks\": [",
			"proved: R1-R11", ACCEPTED},
		{"\"tasks\": [", "\"via\": [], \"tasks\": [", "proved: R1-R11", ACCEPTED},
		{"\"tasks\": [", "\"class\": \"a\", \"tasks\": [", "a class without a way",
			UNREADABLE},
		{"\"tasks\": [", "\"via\": [3, 2], \"class\": [\"a\", \"b\", \"a\"], \"tasks\": [",
			"proved: R1-R11", ACCEPTED},
		{"\"tasks\": [", "\"via\": [3, 2], \"class\": [\"a\", \"b\"], \"tasks\": [",
			"a class without a way or a hop", UNREADABLE},
		{"\"tasks\": [", "\"via\": [], \"class\": [], \"tasks\": [",
			"a class without a way or a hop", UNREADABLE},
		{"\"tasks\": [", "\"via\": [], \"class\": [7], \"tasks\": [", "wanted a string",
			UNREADABLE},
		{"\"tasks\": [", "\"via\": [1], \"tasks\": [", "a number", UNREADABLE},
		{"\"tasks\": [", "\"via\": [3, 2, 3], \"tasks\": [", "every switch once",
			UNREADABLE},
		{"\"tasks\": [", "\"via\": 2, \"tasks\": [", "wanted an array", UNREADABLE},
		{"\"tasks\": [", "\"via\": [2], \"class\": 7, \"tasks\": [", "wanted a string",
			UNREADABLE},
	};
	expect_all_of_schedule(changes, sizeof changes / sizeof *changes);
}

static void wrong_routes_and_paths_are_refused(void **state)
{
	(void)state;
	static const struct change changes[] = {
		{"{\"schema\"", "\"schema\"", "the certificate: something behind the document",
			UNREADABLE},
		{"ordo/certificate/1", "ordo/schedule/1", "an unknown word", UNREADABLE},
		{"\"order\": [", "\"o\": [", "an unknown key", UNREADABLE},
		{"\"routes\": []", "\"routes\": 0", "wanted an array", UNREADABLE},
		{"\"routes\": [],", "", "a key is missing", UNREADABLE},
		{"\"routes\": []", "\"routes\": [], \"routes\": []", "a duplicate key", UNREADABLE},
		{"\"routes\": [", "\"routes\": [[99]", "a hop that is not a task", REJECTED},
		{"\"routes\": [", "\"routes\": [[0]", "a hop that took no token", REJECTED},
		{"\"routes\": [", "\"routes\": [[1, 1]", "a hop not behind the last", REJECTED},
		{"\"paths\": [", "\"p\": [", "an unknown key", UNREADABLE},
		{"\"paths\": [", "\"paths\": [[0, 1],", "a hop that took no token", REJECTED},
		{"\"paths\": [", "\"paths\": [[0],", "a path has no hops", REJECTED},
		{"\"paths\": [", "\"paths\": [[0, [0, 0]],", "no part of a route", REJECTED},
		{"\"paths\": [", "\"paths\": [[0, [0, 0, 0]],", "wanted a task, or a part",
			UNREADABLE},
		{"\"routes\": [],\n \"paths\": [\n  [9, 8]",
			"\"routes\": [[8], [1]], \"paths\": [[9, [0, 1]]", "a part of two routes",
			REJECTED},
		{"[13, 12]]", "[13, 12], [99, 1]]", "a path leads to a task that is not there",
			REJECTED},
		{"[2, 1], ", "", "R9: a rank may enter after it", REJECTED},
		{"[1, 12]]", "[1, 12]], \"x\": [[0]]", "an unknown key", UNREADABLE},
		{", [13, 12]", "", "R8: a race", REJECTED},
		{", [1, 12]", "", "R9: a rank may leave before it", REJECTED},
		{"[6, 5]", "[6, 8]", "a path leads elsewhere", REJECTED},
		{"[6, 5]", "[6, 5], [5, 5]", "", REJECTED},
		{"\"paths\": [", "\"paths\": [[99, 1],", "", REJECTED},
	};
	expect_all_of_certificate(changes, sizeof changes / sizeof *changes);
}

static void wrong_orders_and_claims_are_refused(void **state)
{
	(void)state;
	static const struct change changes[] = {
		{"\"leaving\": [", "\"l\": [", "an unknown key", UNREADABLE},
		{"\"leaving\": [", "\"leaving\": [[0, 12],", "a path leads elsewhere", REJECTED},
		{"\"order\": [[", "\"order\": [[0, 1, 1], [", "wanted [stream, count]", UNREADABLE},
		{"\"order\": [[", "\"order\": [[7, 1], [",
			"the order goes beyond the end of a stream", REJECTED},
		{"\"order\": [[", "\"order\": [[0, 99], [", "R7: waits for a token", REJECTED},
		{", [1, 2]],\n \"routes\"", ", [1, 1]],\n \"routes\"",
			"R7: the order ends too soon", REJECTED},
		{"\"trees\": 1", "\"trees\": 2", "the number of trees", REJECTED},
		{"\"G1\": true", "\"G1\": false", "G1 is not as claimed", REJECTED},
		{"\"G1\": true, ", "", "a key is missing", UNREADABLE},
		{"\"G3\": true", "\"G3\": null", "G3 is not as claimed", REJECTED},
		{"\"claims\"", "\"claim\"", "an unknown key", UNREADABLE},
	};
	expect_all_of_certificate(changes, sizeof changes / sizeof *changes);
}

#define HEAD(operator)                                                                             \
	"{\"schema\": \"ordo/schedule/1\", \"operator\": \""                                       \
	operator"\", \"algorithm\": \"\", \"ranks\": 1, "                                          \
		"\"chunks_per_block\": 1, \"scratch_slots\": 0, \"in_place\": false, "             \
		"\"programs\": "                                                                   \
		"[{\"rank\": 0, \"streams\": ["
#define COPY                                                                                       \
	"{\"task\": \"LocalCopy\", \"chunk\": 0, \"src\": [\"input\", 0], \"dst\": [\"output\", "  \
	"0]}"
#define REDUCE                                                                                     \
	"{\"task\": \"LocalReduce\", \"chunk\": 0, \"src\": [\"input\", 0], \"dst\": "             \
	"[\"output\", 0]}"
#define STREAM(tasks) "{\"name\": \"a\", \"tasks\": [" tasks "]}"
#define CERTIFICATE(order, truth)                                                                  \
	"{\"schema\": \"ordo/certificate/1\", \"order\": [" order                                  \
	"], \"routes\": [], \"paths\": [], \"leaving\": [], "                                      \
	"\"claims\": {\"trees\": 1, \"G1\": " truth ", \"G3\": " truth "}}"
#define TOKEN(kind) "{\"task\": \"" kind "\", \"peer\": 0, \"signal\": 3}"

static void what_no_single_change_makes_is_refused(void **state)
{
	(void)state;
	static const struct {
		const char *schedule, *certificate, *message;
		enum verdict verdict;
	} cases[] = {
		{HEAD("AllReduce") STREAM(COPY) "]}]}", CERTIFICATE("[0, 1]", "true"), "proved",
			ACCEPTED},
		{HEAD("AllGather") STREAM(COPY) "]}]}", CERTIFICATE("[0, 1]", "null"), "proved",
			ACCEPTED},
		{HEAD("AllGather") STREAM(COPY) "]}]}", CERTIFICATE("[0, 1]", "true"), "G1",
			REJECTED},
		{HEAD("AllGather") STREAM(COPY ", " REDUCE) "]}]}", CERTIFICATE("[0, 2]", "null"),
			"R11: an output is of another rank", REJECTED},
		{HEAD("AllReduce") STREAM(COPY ", " REDUCE) "]}]}", CERTIFICATE("[0, 2]", "true"),
			"R11: an output has not every contribution once", REJECTED},
		{HEAD("AllReduce")
				STREAM(COPY ", " TOKEN("Notify")) ", " STREAM(TOKEN("Wait")) "]}]}",
			CERTIFICATE("[0, 2], [1, 1]", "true"), "proved", ACCEPTED},
		{HEAD("AllReduce") STREAM(COPY ", " TOKEN("Notify")) ", " STREAM(
			 TOKEN("Notify")) ", " STREAM(TOKEN("Wait") ", " TOKEN("Wait")) "]}]}",
			CERTIFICATE("[0, 2], [1, 1], [2, 2]", "true"), "R5", REJECTED},
		{HEAD("AllReduce") STREAM(COPY ", " TOKEN("Notify") ", " TOKEN(
			 "Notify")) ", " STREAM(TOKEN("Wait")) ", " STREAM(TOKEN("Wait")) "]}]}",
			CERTIFICATE("[0, 3], [1, 1], [2, 1]", "true"), "R5", REJECTED},
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
		expect(cases[i].schedule, cases[i].certificate,
			&(struct change){
				"case", cases[i].message, cases[i].message, cases[i].verdict});
}

/* What R1 says of a text is what the reader says. */

static struct {
	uint32_t refused, read;
} tally;

static void compare(const char *text, size_t size, const char *what)
{
	char report[256];
	struct ordo_error error = {0};
	struct ordo_schedule *read = ordo_schedule_read_text(text, size, "text", NULL, &error);
	const bool refused = refuses_shape(text, size, report);
	if (read ? refused : error.rule == 1 && !refused && !strstr(report, "R2: "))
		fail_msg("%s: the reader %s, the checker says \"%s\", of\n%.*s", what,
			read ? "takes it" : error.text, report, (int)size, text);
	tally.read += read != NULL;
	tally.refused += !read && error.rule == 1 && refused;
	ordo_schedule_destroy(read);
}

static void every_file_that_R1_refuses_is_refused_by_R1(void **state)
{
	(void)state;
	DIR *folder = opendir(REJECT_FOLDER);
	uint32_t count = 0;
	assert_non_null(folder);
	for (const struct dirent *entry; (entry = readdir(folder));) {
		char path[4096], report[256];
		if (strncmp(entry->d_name, "R1-", 3) != 0)
			continue;
		snprintf(path, sizeof path, REJECT_FOLDER "/%s", entry->d_name);
		size_t size;
		char *text = read_file(AT_FDCWD, path, false, &size);
		assert_non_null(text);
		compare(text, size, entry->d_name);
		if (!refuses_shape(text, size, report))
			fail_msg("%s: \"%s\"", path, report);
		free(text);
		count++;
	}
	closedir(folder);
	assert_true(count >= 60);
}

/* Sound, with all there is to be written, in another order than we write it. */
static const char everything[] =
	"{\"algorithm\": \"caf\u00e9 \\ud83d\\ude00 \\n\", \"schema\": \"ordo/schedule/1\",\r\n"
	"\t\"operator\": \"Reduce\", \"ranks\": 2, \"root\": 1, \"shards\": 3, \"in_place\": "
	"false, \"scratch_slots\": 2,\n \"accumulate\": \"f32\", \"chunks_per_block\": 2,\n"
	" \"topology\": {\"digest\": \"0123456789abcdef0123456789abcdef\", \"name\": \"a\"},\n"
	" \"x\": {\"a\": [-0, 1.5e-7, true, null, {}], \"b\": {\"a\": \"\", \"\": 4.0}, \"B\": "
	"[[[]]]},\n"
	" \"programs\": [{\"streams\": [], \"rank\": 1},\n"
	"  {\"rank\": 0, \"streams\": [{\"tasks\": [\n"
	"    {\"task\": \"LocalCopy\", \"chunk\": 0, \"count\": 2, \"src\": [\"input\", 0], "
	"\"dst\": [\"scratch\", 0], \"phase\": 1},\n"
	"    {\"phase\": 0, \"task\": \"Send\", \"peer\": 1, \"chunk\": 0, \"src\": [\"scratch\", "
	"0], \"dst\": [\"output\", 0]},\n"
	"    {\"task\": \"Notify\", \"peer\": 1, \"signal\": 2147483647},\n"
	"    {\"task\": \"\\u0057ait\", \"peer\": 1, \"signal\": 0}], \"name\": \"m\", "
	"\"class\": \"fast\", \"via\": [9, 2]}]}],\n"
	" \"phases\": [\"in\", \"out\"]}\n";

static const char *const pieces[] = {"-", "+", "0", "7", ".", ".0", "e1", "e", ",", ":", "[", "]",
	"{", "}", "\"", "\\", "\\u0041", "\\u0000", "\\ud800", "\\x", " ", "\t", "\n", "\v", "\x01",
	"\x7f", "\x80", "\xff", "\xc3\xa9", "\xc0\xaf", "\xed\xa0\x80", "\xef\xbb\xbf",
	"\xf4\x90\x80\x80", "/", "'", "a", "true", "null", "99999999999", "\"a\": 0, ",
	"\"x\": {}, ", "\"rank\": 0, ", "\"count\": 1, ", "{}, ", "[], "};
enum { NPIECE = sizeof pieces / sizeof *pieces };

/* In place of `old` bytes at a place, others. */
static void with(
	const char *text, size_t size, size_t at, size_t old, const char *piece, size_t length)
{
	static char changed_text[1 << 14];
	if (at + old > size || (old == length && !memcmp(text + at, piece, length)))
		return;
	memcpy(changed_text, text, at);
	memcpy(changed_text + at, piece, length);
	memcpy(changed_text + at + length, text + at + old, size - at - old);
	/* Exactly as long as the text, so that a sanitizer sees any step beyond it. */
	const size_t all = size - old + length;
	char *exact = malloc(all + !all);
	assert_non_null(exact);
	memcpy(exact, changed_text, all);
	compare(exact, all, "changed");
	free(exact);
}

static void change_everywhere(const char *text)
{
	const size_t size = strlen(text);
	compare(text, size, "as it is");
	for (size_t at = 0; at <= size; at += FEW ? 3 : 1) {
		with(text, size, at, 1, "", 0);
		with(text, size, at, 2, "", 0);
		with(text, size, at, size - at, "", 0);
		with(text, size, at, 0, "\0", 1);
		with(text, size, at, 1, "\0", 1);
		if (at < size)
			with(text, size, at, 0, text + at, 1);
		for (int i = 0; i < NPIECE; i++) {
			with(text, size, at, 0, pieces[i], strlen(pieces[i]));
			with(text, size, at, 1, pieces[i], strlen(pieces[i]));
		}
	}
	/* A piece between two quotes or commas, once more, left out, or put elsewhere. */
	for (const char *from = text; (from = strpbrk(from, ",\"")); from++)
		for (const char *to = from + 1; to < from + 80 && (to = strpbrk(to, ",\"}]"));
			to++) {
			with(text, size, (size_t)(from - text), (size_t)(to - from), "", 0);
			with(text, size, (size_t)(to - text), 0, from, (size_t)(to - from));
			with(text, size, (size_t)(to - text) + 1, 0, from, (size_t)(to - from) + 1);
			with(text, size, 1, 0, from, (size_t)(to - from) + 1);
		}
}

static void bytes_changed_anywhere_are_refused_as_the_reader_refuses_them(void **state)
{
	(void)state;
	tally.read = tally.refused = 0;
	change_everywhere(everything);
	change_everywhere(schedule);
	print_message("# %u refused by R1, %u taken by both\n", tally.refused, tally.read);
	assert_true(tally.refused > (FEW ? 30000 : 100000) && tally.read > (FEW ? 1500 : 5000));
}

/* `middle`, n times, between two others. */
static void repeated(const char *before, const char *middle, size_t n, const char *after)
{
	const size_t length = strlen(middle);
	char *text = malloc(strlen(before) + n * length + strlen(after) + 1), *at = text;
	assert_non_null(text);
	at += sprintf(at, "%s", before);
	for (size_t i = 0; i < n; i++, at += length)
		memcpy(at, middle, length);
	at += sprintf(at, "%s", after);
	compare(text, (size_t)(at - text), middle);
	free(text);
}

static void limits_are_those_of_the_reader(void **state)
{
	(void)state;
	tally.read = tally.refused = 0;
	static const char head[] =
		"{\"schema\": \"ordo/schedule/1\", \"operator\": \"AllToAll\", \"ranks\": 1, "
		"\"chunks_per_block\": 1, \"scratch_slots\": 0, \"in_place\": false, \"programs\": "
		"[{\"rank\": 0, \"streams\": [{\"name\": \"\", \"tasks\": [";
	static const char rest[] = "]}]}], \"algorithm\": \"\"}";
	char long_name[512], nested[512], task[512];
	snprintf(long_name, sizeof long_name, "%s]}]}], \"algorithm\": \"", head);
	snprintf(nested, sizeof nested, "%s]}]}], \"algorithm\": \"\", \"x\": {\"a\": ", head);
	snprintf(task, sizeof task, "%s{\"task\": \"Wait\", \"peer\": 0, \"signal\": 0", head);
	for (size_t more = 0; more < 4; more++) {
		repeated(long_name, "a", 65533 + more, "\"}");
		repeated(long_name, "\\u0041", 10922 + more, "\"}");
		repeated(task, " ", 65536 - strlen(task) + strlen(head) - 3 + more,
			"}]}]}], \"algorithm\": \"\"}");
		repeated(nested, "9", 62 + more, "}}");
		repeated(nested, "[", 62 + more, "}}");
	}
	for (size_t depth = 62; depth < 67; depth++) {
		char close[512] = "";
		for (size_t i = 0; i < depth; i++)
			strcat(close, "]");
		strcat(close, "}}");
		repeated(nested, "[", depth, close);
		memmove(close + 1, close, strlen(close) + 1);
		close[0] = '0';
		repeated(nested, "[", depth, close);
	}
	repeated(head, "", 0, rest);
	assert_true(tally.read >= 10 && tally.refused >= 10);
}

/* The numbers of the head, alone and together, at their ends. */
static void problems_are_refused_as_the_reader_refuses_them(void **state)
{
	(void)state;
	static const char *const operators[] = {"AllReduce", "Reduce", "Broadcast", "ReduceScatter",
		"AllGather", "Scatter", "Gather", "AllToAll"};
	static const uint32_t sizes[] = {1, 2, 3, 46340, 46341, 65536, 2147483647};
	enum { NSIZE = sizeof sizes / sizeof *sizes };
	tally.read = tally.refused = 0;
	for (uint32_t i = 0; i < 8u * NSIZE * NSIZE * NSIZE * 12; i += FEW ? 5 : 1) {
		uint32_t rest = i / 8;
		const uint32_t ranks = sizes[rest % NSIZE], chunks = sizes[(rest /= NSIZE) % NSIZE],
			       shards = sizes[(rest /= NSIZE) % NSIZE], form = rest / NSIZE;
		char text[1024], root[32] = "";
		if (form % 3)
			snprintf(root, sizeof root, ", \"root\": %u", form % 3 == 1 ? 0 : ranks);
		snprintf(text, sizeof text,
			"{\"schema\": \"ordo/schedule/1\", \"operator\": \"%s\", \"algorithm\": "
			"\"\", \"ranks\": %u, \"chunks_per_block\": %u, \"shards\": %u, "
			"\"scratch_slots\": 0, \"in_place\": %s%s%s, \"programs\": []}",
			operators[i % 8], ranks, chunks, shards, form / 3 % 2 ? "true" : "false",
			root, form / 6 ? ", \"accumulate\": \"f32\"" : "");
		compare(text, strlen(text), "a problem");
	}
	assert_true(tally.refused > (FEW ? 2000 : 10000));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(both_as_they_are_are_accepted),
		cmocka_unit_test(wrong_heads_of_schedules_are_refused),
		cmocka_unit_test(wrong_tasks_are_refused),
		cmocka_unit_test(wrong_ways_of_streams_are_refused),
		cmocka_unit_test(wrong_routes_and_paths_are_refused),
		cmocka_unit_test(wrong_orders_and_claims_are_refused),
		cmocka_unit_test(what_no_single_change_makes_is_refused),
		cmocka_unit_test(every_file_that_R1_refuses_is_refused_by_R1),
		cmocka_unit_test(bytes_changed_anywhere_are_refused_as_the_reader_refuses_them),
		cmocka_unit_test(limits_are_those_of_the_reader),
		cmocka_unit_test(problems_are_refused_as_the_reader_refuses_them),
	};
	return cmocka_run_group_tests(tests, make_documents, free_documents);
}
