/* trace_events.c - the events of a trace file, one after another.
 *
 * A trace may be larger than memory, and cJSON needs a complete text: so the outermost object and
 * its array are parsed here, and cJSON parses each value in them.
 */
#include "trace_events.h"
#include <errno.h>
#include <ordo/arena.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* Limits that no event of a trace reaches. */
enum { LONGEST_VALUE = 1 << 20, LONGEST_SPACE = 1 << 20 };

static bool fail_at(const struct events *events, struct ordo_error *error, uint32_t line,
	uint32_t column, const char *format, va_list arguments)
	__attribute__((format(printf, 5, 0)));
static bool fail_at(const struct events *events, struct ordo_error *error, uint32_t line,
	uint32_t column, const char *format, va_list arguments)
{
	char text[1024];
	vsnprintf(text, sizeof text, format, arguments);
	ordo_fail(error, ORDO_BAD_INPUT, 0, "%s", text);
	if (error) {
		snprintf(error->file, sizeof error->file, "%s", events->name);
		error->line = line;
		error->column = column;
	}
	return false;
}

static bool fail_here(const struct events *events, struct ordo_error *error, const char *format,
	...) __attribute__((format(printf, 3, 4)));
static bool fail_here(
	const struct events *events, struct ordo_error *error, const char *format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	fail_at(events, error, events->line, events->column, format, arguments);
	va_end(arguments);
	return false;
}

bool fail_event(const struct events *events, struct ordo_error *error, const char *format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	fail_at(events, error, events->event_line, events->event_column, format, arguments);
	va_end(arguments);
	return false;
}

static int read_letter(struct events *events)
{
	const int letter = getc(events->in);
	if (letter == '\n') {
		events->line++;
		events->column = 0;
	} else {
		events->column++;
	}
	return letter;
}

static bool is_space(int letter)
{
	return letter == ' ' || letter == '\t' || letter == '\n' || letter == '\r';
}

/* The next byte that is no white space; a space if there is too much of it. */
static int read_visible(struct events *events)
{
	int letter = read_letter(events);
	for (int n = 1; is_space(letter) && n <= LONGEST_SPACE; n++)
		letter = read_letter(events);
	return letter;
}

static bool fail_letter(
	const struct events *events, struct ordo_error *error, int letter, const char *wanted)
{
	if (letter == EOF && ferror(events->in))
		return fail_here(events, error, "cannot read it: %s", strerror(errno));
	if (letter == EOF)
		return fail_here(events, error, "found the end of the file, wanted %s", wanted);
	if (is_space(letter))
		return fail_here(events, error,
			"found more than %d bytes of white space in a row, wanted %s",
			LONGEST_SPACE, wanted);
	if (letter > ' ' && letter < 0x7f)
		return fail_here(events, error, "found '%c', wanted %s", letter, wanted);
	return fail_here(events, error, "found byte %d, wanted %s", letter, wanted);
}

static bool expect(struct events *events, int wanted, const char *what, struct ordo_error *error)
{
	const int letter = read_visible(events);
	return letter == wanted || fail_letter(events, error, letter, what);
}

static bool keep(struct events *events, int letter, struct ordo_error *error)
{
	if (events->length >= LONGEST_VALUE)
		return fail_event(
			events, error, "found a value of more than %d bytes", LONGEST_VALUE);
	if (!ordo_array_reserve(&events->text, &events->room, events->length + 2, 1))
		return ordo_fail_memory(error);
	events->text[events->length++] = (char)letter;
	events->text[events->length] = 0;
	return true;
}

/* Appends the rest of a string, after its quote. */
static bool keep_string(struct events *events, struct ordo_error *error)
{
	for (bool escaped = false;;) {
		const int letter = read_letter(events);
		if (letter == EOF)
			return fail_letter(events, error, letter, "the end of a string");
		if (!keep(events, letter, error))
			return false;
		if (letter == '"' && !escaped)
			return true;
		escaped = letter == '\\' && !escaped;
	}
}

/* Reads a value into events->text, from its first byte on. In objects and arrays it only tracks
 * brackets and strings. */
static bool keep_value(struct events *events, int letter, struct ordo_error *error)
{
	events->event_line = events->line;
	events->event_column = events->column;
	events->length = 0;
	if (letter == EOF || strchr(",:]} \t\r\n", letter))
		return fail_letter(events, error, letter, "a value");
	for (size_t depth = 0;; letter = read_letter(events)) {
		if (letter == EOF)
			return fail_letter(events, error, letter, "the end of a value");
		if (!depth && events->length && strchr(",]} \t\r\n", letter)) {
			if (letter == '\n')
				events->line--;
			else
				events->column--;
			ungetc(letter, events->in);
			return true;
		}
		if (!keep(events, letter, error) || (letter == '"' && !keep_string(events, error)))
			return false;
		depth += letter == '{' || letter == '[';
		depth -= depth && (letter == '}' || letter == ']');
		if (!depth && strchr("\"}]", letter))
			return true;
	}
}

static cJSON *parse_value(struct events *events, struct ordo_error *error)
{
	cJSON *value = cJSON_ParseWithLengthOpts(events->text, events->length + 1, NULL, true);
	if (!value)
		fail_event(events, error, "this is not JSON");
	return value;
}

static bool read_about(struct events *events, struct ordo_error *error)
{
	if (events->about)
		return fail_event(events, error, "found \"otherData\" twice");
	events->about = parse_value(events, error);
	return events->about;
}

/* Only white space may follow the outermost object. */
static bool read_nothing(struct events *events, struct ordo_error *error)
{
	const int letter = read_visible(events);
	events->ended = true;
	return letter == EOF || fail_letter(events, error, letter, "the end of the file");
}

/* Members of the outermost object, up to the events or its end. `letter` is the first of a key, or
 * the end. */
static bool read_members(struct events *events, int letter, struct ordo_error *error)
{
	for (;; letter = read_visible(events)) {
		if (letter != '"')
			return fail_letter(events, error, letter, "a key");
		if (!keep_value(events, letter, error))
			return false;
		const bool is_events = !strcmp(events->text, "\"traceEvents\""),
			   is_about = !strcmp(events->text, "\"otherData\"");
		if (!expect(events, ':', "':'", error))
			return false;
		if (is_events && events->begun)
			return fail_here(events, error, "found \"traceEvents\" twice");
		if (is_events) {
			events->begun = true;
			return expect(events, '[', "the array of events", error);
		}
		if (!keep_value(events, read_visible(events), error) ||
			(is_about && !read_about(events, error)))
			return false;
		letter = read_visible(events);
		if (letter == '}')
			return read_nothing(events, error);
		if (letter != ',')
			return fail_letter(events, error, letter, "',' or '}'");
	}
}

bool open_events(struct events *events, FILE *in, const char *name, struct ordo_error *error)
{
	*events = (struct events){.in = in, .name = name, .line = 1};
	return expect(events, '{', "an object with \"traceEvents\"", error) &&
	       read_members(events, read_visible(events), error) &&
	       (events->begun || fail_here(events, error, "found no \"traceEvents\""));
}

void close_events(struct events *events)
{
	free(events->text);
	cJSON_Delete(events->about);
	*events = (struct events){.in = NULL};
}

/* Reads what follows the events. */
static bool read_end(struct events *events, struct ordo_error *error)
{
	const int letter = read_visible(events);
	if (letter == ',')
		return read_members(events, read_visible(events), error);
	return letter == '}' ? read_nothing(events, error)
			     : fail_letter(events, error, letter, "',' or '}'");
}

cJSON *next_event(struct events *events, struct ordo_error *error)
{
	*error = (struct ordo_error){.code = ORDO_OK};
	if (events->ended)
		return NULL;
	const int letter = read_visible(events);
	if (letter == ']') {
		read_end(events, error);
		events->ended = true;
		return NULL;
	}
	const bool first = !events->event_count++;
	if (!first && letter != ',') {
		fail_letter(events, error, letter, "',' or ']'");
		return NULL;
	}
	return keep_value(events, first ? letter : read_visible(events), error)
		       ? parse_value(events, error)
		       : NULL;
}
