/* test_checker.c - what the second checker says of documents that are wrong in one place, each refused for its reason.
 *
 * Faults that need a run of the whole, test_certificate.c puts into every schedule; these are the others: shapes, ranges, words.
 */
#include "second/checker.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <ordo/certificate.h>

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
	struct ordo_schedule *read =
		ordo_schedule_read_text(schedule, strlen(schedule), "sound-two-ranks.json", NULL, NULL);
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
	snprintf(out, 1 << 14, "%.*s%s%s", (int)(at - text), text, change->new, at + strlen(change->old));
}

static void expect(const char *one, const char *other, const struct change *change)
{
	char report[256];
	const enum verdict verdict = check_certificate(one, other, report);
	if (verdict != change->verdict || !strstr(report, change->message))
		fail_msg("%s -> %s: verdict %d, \"%s\", wanted %d, \"%s\"", change->old, change->new,
			(int)verdict, report, (int)change->verdict, change->message);
}

static void both_as_they_are_are_accepted(void **state)
{
	(void)state;
	const struct change nothing = {"", "", "proved: R1-R11, 14 tasks, ", ACCEPTED};
	expect(schedule, certificate, &nothing);
}

static void wrong_schedules_are_refused(void **state)
{
	(void)state;
	static const struct change changes[] = {
		{"{\"schema\"", "\"schema\"", "no JSON", UNREADABLE},
		{"ordo/schedule/1", "ordo/schedule/2", "an unknown word", UNREADABLE},
		{"AllReduce", "AllReduces", "an unknown word", UNREADABLE},
		{"\"ranks\": 2", "\"ranks\": 2.5", "a number", UNREADABLE},
		{"\"ranks\": 2", "\"ranks\": 0", "a number", UNREADABLE},
		{"\"ranks\": 2", "\"ranks\": -2", "a number", UNREADABLE},
		{"\"ranks\": 2", "\"ranks\": \"2\"", "a number", UNREADABLE},
		{"\"ranks\": 2", "\"rank\": 2", "a number", UNREADABLE},
		{"\"ranks\": 2", "\"ranks\": 3", "R2: there are not as many programs", REJECTED},
		{"\"scratch_slots\": 1", "\"scratch_slots\": 4294967296", "a number", UNREADABLE},
		{"\"scratch_slots\": 1", "\"scratch_slots\": 2000000000", "too many slots", UNREADABLE},
		{"\"scratch_slots\": 1", "\"scratch_slots\": 0", "R3", REJECTED},
		{"\"AllReduce\"", "\"AllToAll\", \"chunks_per_block\": 9999999", "too many chunks",
			UNREADABLE},
		{"\"chunks_per_block\": 1", "\"chunks_per_block\": 99999999", "too many slots", UNREADABLE},
		{"\"chunks_per_block\": 1", "\"chunks_per_block\": 2",
			"R11: an output slot does not hold its chunk", REJECTED},
		{"\"in_place\": false", "\"in_place\": 0", "in_place", UNREADABLE},
		{"\"in_place\": false", "\"in_place\": false, \"root\": 0", "the root", UNREADABLE},
		{"\"in_place\": false", "\"in_place\": false, \"accumulate\": \"f64\"", "an unknown word",
			UNREADABLE},
		{"\"in_place\": false", "\"in_place\": false, \"accumulate\": true", "an unknown word",
			UNREADABLE},
		{"\"in_place\": false", "\"in_place\": false, \"accumulate\": \"f32\"", "R4: rounds twice",
			REJECTED},
		{"\"AllReduce\"", "\"AllGather\", \"accumulate\": \"f32\"", "it does not reduce", UNREADABLE},
		{"\"AllReduce\"", "\"Reduce\", \"root\": 2", "the root", UNREADABLE},
		{"\"AllReduce\"", "\"AllGather\", \"shards\": 4", "it does not reduce", UNREADABLE},
		{"\"in_place\": false", "\"in_place\": true, \"shards\": 4", "there are no shards here",
			UNREADABLE},
		{"\"in_place\": false", "\"in_place\": false, \"shards\": 99999999", "too many slots",
			UNREADABLE},
		{"\"programs\": [", "\"programs\": 0, \"p\": [", "R2", REJECTED},
		{"\"streams\": [", "\"streams\": 0, \"s\": [", "an array is missing", UNREADABLE},
		{"\"tasks\": [", "\"tasks\": 0, \"t\": [", "an array is missing", UNREADABLE},
		{"\"rank\": 1", "\"rank\": 0", "R2: no rank, or one twice", REJECTED},
		{"\"rank\": 1", "\"rank\": 2", "R2: no rank, or one twice", REJECTED},
		{"\"task\": \"Notify\"", "\"task\": \"notify\"", "an unknown word", UNREADABLE},
		{"\"peer\": 1", "\"peer\": 2", "R2: the peer is no rank", REJECTED},
		{"\"Send\", \"peer\": 1", "\"Send\", \"peer\": 0", "R2: sends to its own rank", REJECTED},
		{"\"chunk\": 0", "\"chunk\": 1", "R3: chunks beyond the last", REJECTED},
		{"\"chunk\": 0", "\"chunk\": 0, \"count\": 0", "a number", UNREADABLE},
		{"\"chunk\": 0", "\"chunk\": 0, \"count\": 2", "R3: chunks beyond the last", REJECTED},
		{"[\"input\", 0]", "[\"input\", 1]", "R3", REJECTED},
		{"\"AllReduce\"", "\"ReduceScatter\"", "R3: not the slot of its chunk", REJECTED},
		{"\"LocalCopy\"", "\"LocalReduce\"", "R10: uses what is not its chunk", REJECTED},
		{"[\"input\", 0]", "[\"inputs\", 0]", "an unknown word", UNREADABLE},
		{"[\"input\", 0]", "[\"input\"]", "src or dst", UNREADABLE},
		{"[\"input\", 0]", "{\"a\": \"input\", \"b\": 0}", "src or dst", UNREADABLE},
		{"[\"scratch\", 0]}", "[\"input\", 0]}", "R4: writes input", REJECTED},
		{"{\"task\": \"LocalReduce\", \"chunk\": 0, \"src\": [\"scratch\", 0], \"dst\": [\"output\", "
		 "0]}",
			"{\"task\": \"Notify\", \"peer\": 1, \"signal\": 7}", "R6: tokens are left over",
			REJECTED},
		{"\"signal\": 1", "\"signal\": 0", "", REJECTED},
		{"\"operator\": \"AllReduce\"", "\"operator\": \"Broadcast\", \"root\": 0", "", REJECTED},
	};
	for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
		char text[1 << 14];
		changed(schedule, &changes[i], text);
		expect(text, certificate, &changes[i]);
	}
}

static void wrong_certificates_are_refused(void **state)
{
	(void)state;
	static const struct change changes[] = {
		{"{\"schema\"", "\"schema\"", "no JSON", UNREADABLE},
		{"ordo/certificate/1", "ordo/schedule/1", "an unknown word", UNREADABLE},
		{"\"order\": [", "\"order\": 0, \"o\": [", "an array is missing", UNREADABLE},
		{"\"routes\": [", "\"routes\": 0, \"r\": [", "an array is missing", UNREADABLE},
		{"\"routes\": [", "\"routes\": [[99]", "a hop that is no task", REJECTED},
		{"\"routes\": [", "\"routes\": [[0]", "a hop that took no token", REJECTED},
		{"\"routes\": [", "\"routes\": [[1, 1]", "a hop not behind the last", REJECTED},
		{"\"paths\": [", "\"paths\": 0, \"p\": [", "an array is missing", UNREADABLE},
		{"\"paths\": [", "\"paths\": [[0, 1],", "a hop that took no token", REJECTED},
		{"\"paths\": [", "\"paths\": [[0],", "a path has no hops", REJECTED},
		{"\"paths\": [", "\"paths\": [[0, [0, 0]],", "no part of a route", REJECTED},
		{"\"paths\": [", "\"paths\": [[0, [0, 0, 0]],", "a number", UNREADABLE},
		{"\"routes\": [],\n \"paths\": [\n  [9, 8]",
			"\"routes\": [[8], [1]], \"paths\": [[9, [0, 1]]", "a part of two routes", REJECTED},
		{"[13, 12]]", "[13, 12], [99, 1]]", "a path leads to a task that is not there", REJECTED},
		{"[2, 1], ", "", "R9: a rank may enter after it", REJECTED},
		{"[1, 12]]", "[1, 12]], \"x\": [[0]]", "proved", ACCEPTED},
		{", [13, 12]", "", "R8: a race", REJECTED},
		{", [1, 12]", "", "R9: a rank may leave before it", REJECTED},
		{"[6, 5]", "[6, 8]", "a path leads elsewhere", REJECTED},
		{"[6, 5]", "[6, 5], [5, 5]", "", REJECTED},
		{"\"paths\": [", "\"paths\": [[99, 1],", "", REJECTED},
		{"\"leaving\": [", "\"leaving\": 0, \"l\": [", "an array is missing", UNREADABLE},
		{"\"leaving\": [", "\"leaving\": [[0, 12],", "a path leads elsewhere", REJECTED},
		{"\"order\": [[", "\"order\": [[0, 1, 1], [", "a run is not [stream, count]", UNREADABLE},
		{"\"order\": [[", "\"order\": [[7, 1], [", "the order goes beyond the end of a stream",
			REJECTED},
		{"\"order\": [[", "\"order\": [[0, 99], [", "R7: waits for a token", REJECTED},
		{"\"order\": [[", "\"order\": [], \"o\": [[", "R7: the order ends too soon", REJECTED},
		{"\"trees\": 1", "\"trees\": 2", "the number of trees", REJECTED},
		{"\"G1\": true", "\"G1\": false", "G1 is not as claimed", REJECTED},
		{"\"G1\": true, ", "", "G1 is not as claimed", REJECTED},
		{"\"G3\": true", "\"G3\": null", "G3 is not as claimed", REJECTED},
		{"\"claims\"", "\"claim\"", "a number", UNREADABLE},
	};
	for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
		char text[1 << 14];
		changed(certificate, &changes[i], text);
		expect(schedule, text, &changes[i]);
	}
}

#define HEAD(operator)                                                                                       \
	"{\"schema\": \"ordo/schedule/1\", \"operator\": \""                                                 \
	operator"\", \"algorithm\": \"\", \"ranks\": 1, "                                                    \
		"\"chunks_per_block\": 1, \"scratch_slots\": 0, \"in_place\": false, \"programs\": "         \
		"[{\"rank\": 0, \"streams\": ["
#define COPY "{\"task\": \"LocalCopy\", \"chunk\": 0, \"src\": [\"input\", 0], \"dst\": [\"output\", 0]}"
#define REDUCE "{\"task\": \"LocalReduce\", \"chunk\": 0, \"src\": [\"input\", 0], \"dst\": [\"output\", 0]}"
#define STREAM(tasks) "{\"name\": \"a\", \"tasks\": [" tasks "]}"
#define CERTIFICATE(order, truth)                                                                            \
	"{\"schema\": \"ordo/certificate/1\", \"order\": [" order                                            \
	"], \"routes\": [], \"paths\": [], \"leaving\": [], "                                                \
	"\"claims\": {\"trees\": 1, \"G1\": " truth ", \"G3\": " truth "}}"
#define TOKEN(kind) "{\"task\": \"" kind "\", \"peer\": 0, \"signal\": 3}"

static void what_no_single_change_makes_is_refused(void **state)
{
	(void)state;
	static const struct {
		const char *schedule, *certificate, *message;
		enum verdict verdict;
	} cases[] = {
		{HEAD("AllReduce") STREAM(COPY) "]}]}", CERTIFICATE("[0, 1]", "true"), "proved", ACCEPTED},
		{HEAD("AllGather") STREAM(COPY) "]}]}", CERTIFICATE("[0, 1]", "null"), "proved", ACCEPTED},
		{HEAD("AllGather") STREAM(COPY) "]}]}", CERTIFICATE("[0, 1]", "true"), "G1", REJECTED},
		{HEAD("AllGather") STREAM(COPY ", " REDUCE) "]}]}", CERTIFICATE("[0, 2]", "null"),
			"R11: an output is of another rank", REJECTED},
		{HEAD("AllReduce") STREAM(COPY ", " REDUCE) "]}]}", CERTIFICATE("[0, 2]", "true"),
			"R11: an output has not every contribution once", REJECTED},
		{HEAD("AllReduce") STREAM(COPY ", " TOKEN("Notify")) ", " STREAM(TOKEN("Wait")) "]}]}",
			CERTIFICATE("[0, 2], [1, 1]", "true"), "proved", ACCEPTED},
		{HEAD("AllReduce") STREAM(COPY ", " TOKEN("Notify")) ", " STREAM(TOKEN("Notify")) ", " STREAM(
			 TOKEN("Wait") ", " TOKEN("Wait")) "]}]}",
			CERTIFICATE("[0, 2], [1, 1], [2, 2]", "true"), "R5", REJECTED},
		{HEAD("AllReduce") STREAM(COPY ", " TOKEN("Notify") ", " TOKEN("Notify")) ", " STREAM(
			 TOKEN("Wait")) ", " STREAM(TOKEN("Wait")) "]}]}",
			CERTIFICATE("[0, 3], [1, 1], [2, 1]", "true"), "R5", REJECTED},
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
		expect(cases[i].schedule, cases[i].certificate,
			&(struct change){"case", cases[i].message, cases[i].message, cases[i].verdict});
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(both_as_they_are_are_accepted),
		cmocka_unit_test(wrong_schedules_are_refused),
		cmocka_unit_test(wrong_certificates_are_refused),
		cmocka_unit_test(what_no_single_change_makes_is_refused),
	};
	return cmocka_run_group_tests(tests, make_documents, free_documents);
}
