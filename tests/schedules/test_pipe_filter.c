/* test_pipe_filter.c - documents as they come from a pipe, of which long white space is left out,
 * are the documents that are there: the same schedules, and the same errors at the same places.
 */
#include "base/pipe_filter.h"
#include <ordo/document.h>
#include <ordo/memory.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
/* cmocka needs four of the above. */
#include <cmocka.h>

static const char document[] =
	"{\"schema\": \"ordo/schedule/1\",\n"
	" \"operator\": \"AllGather\", \"algorithm\": \"by [hand] \\\" \\\\.\", \"ranks\": 2,\n"
	" \"chunks_per_block\": 1, \"scratch_slots\": 0, \"in_place\": false,\n"
	" \"phases\": [\"own\", \"ex  change\"], \"x\": {\"a\": [1.5e3, -2, null, true], \"b\": "
	"{}},\n"
	" \"programs\": [\n"
	"  {\"rank\": 0, \"streams\": [\n"
	"   {\"name\": \"main\", \"tasks\": [\n"
	"    {\"task\": \"Notify\", \"peer\": 1, \"signal\": 0},\n"
	"    {\"task\": \"LocalCopy\", \"chunk\": 0, \"src\": [\"input\", 0], \"dst\": "
	"[\"output\", 0], \"phase\": 0},\n"
	"    {\"task\": \"Wait\", \"peer\": 1, \"signal\": 0}\n"
	"   ]}]},\n"
	"  {\"rank\": 1, \"streams\": []}]}\n";

static uint32_t state;

static uint32_t below(uint32_t n)
{
	state = state * 1664525u + 1013904223u;
	return (state >> 8) % n;
}

/* The document with more white space between some tokens; *size is its length. For free(). */
static char *stretched(size_t *size, uint32_t most)
{
	char *text = malloc(sizeof document * (size_t)(most + 1));
	bool in_string = false;
	*size = 0;
	assert_non_null(text);
	for (const char *at = document; *at; at++) {
		const bool quote = *at == '"' && at[-1] != '\\';
		const bool between = !in_string && strchr(",:{}[]\" \n", *at) && !below(6);
		for (uint32_t n = between ? below(most) : 0; n; n--)
			text[(*size)++] = "  \t \r   \n"[below(9)];
		text[(*size)++] = *at;
		in_string ^= quote;
	}
	return text;
}

/* A thread that writes a text into a pipe. */
struct writer {
	pthread_t thread;
	const char *text;
	size_t size;
	int ends[2];
};

static void *write_all(void *argument)
{
	const struct writer *w = argument;
	const char *text = w->text;
	size_t size = w->size;
	for (ssize_t n; size && (n = write(w->ends[1], text, size)) > 0; size -= (size_t)n)
		text += n;
	close(w->ends[1]);
	return NULL;
}

/* path is the end to read. */
static void pour(struct writer *w, char path[32])
{
	assert_int_equal(pipe(w->ends), 0);
	assert_int_equal(pthread_create(&w->thread, NULL, write_all, w), 0);
	snprintf(path, 32, "/dev/fd/%d", w->ends[0]);
}

/* A text that was not read to its end ends here: the writer gets an error, no signal. */
static void stop_pouring(struct writer *w)
{
	close(w->ends[0]);
	assert_int_equal(pthread_join(w->thread, NULL), 0);
}

static void assert_same(const struct ordo_schedule *one, const struct ordo_schedule *other)
{
	assert_int_equal(!one, !other);
	if (!one || !other)
		return;
	assert_int_equal(one->ntask, other->ntask);
	assert_memory_equal(one->places, other->places, one->ntask * sizeof *one->places);
	assert_memory_equal(one->tasks, other->tasks, one->ntask * sizeof *one->tasks);
	assert_string_equal(one->algorithm, other->algorithm);
	assert_string_equal(one->extra, other->extra);
	assert_int_equal(one->nphase, other->nphase);
	for (uint32_t i = 0; i < one->nphase; i++)
		assert_string_equal(one->phases[i], other->phases[i]);
}

/* Through the filter and without it: the text given is taken as it is. */
static bool read_both(const char *text, size_t size)
{
	char path[32];
	struct ordo_error through = {0}, whole = {0};
	struct writer writer = {.text = text, .size = size};
	pour(&writer, path);
	struct ordo_schedule *one = ordo_schedule_read(path, NULL, &through);
	struct ordo_schedule *other = ordo_schedule_read_text(text, size, path, NULL, &whole);
	stop_pouring(&writer);
	assert_same(one, other);
	assert_string_equal(through.text, whole.text);
	assert_int_equal(through.line, whole.line);
	assert_int_equal(through.column, whole.column);
	const bool worked = one;
	ordo_schedule_destroy(one);
	ordo_schedule_destroy(other);
	return worked;
}

static void white_space_changes_nothing(void **unused)
{
	(void)unused;
	for (uint32_t seed = 1; seed <= 200; seed++) {
		state = seed;
		size_t size;
		char *text = stretched(&size, 300);
		assert_true(read_both(text, size));
		free(text);
	}
}

/* One byte is another, or the end is missing: mostly an error. */
static void errors_are_where_they_are(void **unused)
{
	(void)unused;
	int refused = 0;
	for (uint32_t seed = 1; seed <= 1000; seed++) {
		state = seed;
		size_t size;
		char *text = stretched(&size, 200);
		if (below(8))
			text[below((uint32_t)size)] = "{}[],:\"0a\\-\n \x01"[below(14)];
		else
			size = below((uint32_t)size);
		refused += !read_both(text, size);
		free(text);
	}
	assert_true(refused > 500);
}

/* However the bytes come, the same is kept. */
static void pieces_of_any_size_make_one_text(void **unused)
{
	(void)unused;
	size_t size, kept = 0;
	state = 5;
	char *text = stretched(&size, 400), *whole = malloc(size), *parts = malloc(size);
	struct ordo_pipe_filter filter = {0};
	memcpy(whole, text, size);
	assert_true(ordo_pipe_filter_take(&filter, whole, &kept, size));
	assert_true(filter.ngap && kept < size);
	for (size_t step = 1; step < 70; step++) {
		struct ordo_pipe_filter again = {0};
		size_t end = 0, length;
		for (size_t at = 0; at < size; at += length) {
			length = at + step < size ? step : size - at;
			memcpy(parts + end, text + at, length);
			assert_true(ordo_pipe_filter_take(&again, parts, &end, end + length));
		}
		assert_int_equal(end, kept);
		assert_memory_equal(parts, whole, kept);
		assert_int_equal(again.ngap, filter.ngap);
		assert_memory_equal(again.gaps, filter.gaps, filter.ngap * sizeof *filter.gaps);
		free(again.gaps);
	}
	free(filter.gaps);
	free(parts);
	free(whole);
	free(text);
}

static void white_space_takes_no_memory(void **unused)
{
	(void)unused;
	struct ordo_pipe_filter filter = {0};
	size_t kept = 0;
	char *text = malloc((size_t)2 << 20);
	assert_non_null(text);
	enum { NGAP = 50 };
	for (int i = 0; i < NGAP; i++) {
		text[kept] = i ? ',' : '{';
		memset(text + kept + 1, ' ', 1 << 20);
		assert_true(ordo_pipe_filter_take(&filter, text, &kept, kept + 1 + (1 << 20)));
		assert_false(filter.closed);
	}
	assert_int_equal(kept, NGAP * (1 + ORDO_SPACE_KEPT));
	assert_true(ordo_pipe_filter_end(&filter, kept));
	assert_int_equal(filter.ngap, NGAP);
	free(filter.gaps);
	free(text);
}

/* What begins so and goes on for ever with `more` is no document after at most so many bytes. */
static void closes(const char *begin, const char *more, size_t most)
{
	struct ordo_pipe_filter filter = {0};
	const size_t room = 3 << 20;
	char *text = malloc(room);
	size_t size = strlen(begin), kept = 0;
	assert_non_null(text);
	memcpy(text, begin, size);
	while (size + strlen(more) <= room) {
		memcpy(text + size, more, strlen(more));
		size += strlen(more);
	}
	assert_true(ordo_pipe_filter_take(&filter, text, &kept, size));
	assert_true(filter.closed);
	if (kept > most)
		fail_msg("of %s%s... %zu bytes are kept", begin, more, kept);
	free(filter.gaps);
	free(text);
}

static void what_is_no_document_is_not_read_on(void **unused)
{
	(void)unused;
	closes("", "\x01", 1);
	closes("", "[", 1);
	closes("", "0", 1);
	closes("  \n", "\xef\xbb\xbf", 4);
	closes("", " ", ORDO_SPACE_KEPT);
	closes("{\"a\": ", "\r\n", 6 + ORDO_SPACE_KEPT);
	closes("{\"", "a", ORDO_TOKEN_LIMIT + 2);
	closes("{\"", "\\\"", ORDO_TOKEN_LIMIT + 3);
	closes("{\"", "\n", 3);
	closes("{\"a\": ", "1", ORDO_TOKEN_LIMIT + 8);
	closes("", "{\"a\": ", 1000);
	closes("{\"a\": ", "[", 1000);
	closes("{}", " {", 4);
	closes("{}", " ", 2 + ORDO_SPACE_KEPT);
	closes("{\"a\": ", "A", 7);
}

static void a_mebibyte_of_white_space_is_the_most(void **unused)
{
	(void)unused;
	const size_t length = strlen(document), most = 1 << 20,
		     at = 29; /* behind the first comma, before a line end and a space */
	char *text = malloc(length + most + 1);
	assert_true(text && !memcmp(document + at, "\n ", 2) && document[at + 2] == '"');
	for (size_t more = 0; more < 2; more++) {
		const size_t added = most + more - 2;
		memcpy(text, document, at);
		memset(text + at, ' ', added);
		memcpy(text + at + added, document + at, length - at);
		assert_true(read_both(text, length + added) == !more);
	}
	free(text);
}

static void more_than_the_limit_is_not_read(void **unused)
{
	(void)unused;
	char path[32];
	struct ordo_error error = {0};
	struct writer writer = {.text = document, .size = strlen(document)};
	pour(&writer, path);
	ordo_set_memory_limit(1000);
	assert_null(ordo_schedule_read(path, NULL, &error));
	assert_int_equal(error.code, ORDO_ENVIRONMENT);
	assert_string_equal(error.text, "reading it takes about 1 MiB of memory, there is 1000 B");
	assert_string_equal(error.file, path);
	ordo_set_memory_limit(UINT64_MAX);
	struct ordo_schedule *schedule = ordo_schedule_read(path, NULL, &error);
	assert_non_null(schedule);
	ordo_schedule_destroy(schedule);
	stop_pouring(&writer);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(white_space_changes_nothing),
		cmocka_unit_test(errors_are_where_they_are),
		cmocka_unit_test(pieces_of_any_size_make_one_text),
		cmocka_unit_test(white_space_takes_no_memory),
		cmocka_unit_test(what_is_no_document_is_not_read_on),
		cmocka_unit_test(a_mebibyte_of_white_space_is_the_most),
		cmocka_unit_test(more_than_the_limit_is_not_read),
	};
	signal(SIGPIPE, SIG_IGN);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
