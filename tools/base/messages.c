/* messages.c - notes, warnings and errors, on stderr or as members of the answer. */
#include "report.h"
#include <ordo/error_marks.h>
#include <poll.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void say(struct call *call, const char *format, ...)
{
	if (call->json)
		return;
	va_list arguments;
	va_start(arguments, format);
	vprintf(format, arguments);
	va_end(arguments);
}

void tame(char *text, bool lines)
{
	ordo_tame(text, lines);
}

static void add_note(struct call *call, const char *text)
{
	cJSON *notes = cJSON_GetObjectItemCaseSensitive(call->answer, "notes");
	if (!notes)
		notes = cJSON_AddArrayToObject(call->answer, "notes");
	add_text(notes, NULL, text);
}

void note(struct call *call, const char *format, ...)
{
	char text[2048];
	va_list arguments;
	va_start(arguments, format);
	vsnprintf(text, sizeof text, format, arguments);
	va_end(arguments);
	tame(text, true);
	if (call->json)
		add_note(call, text);
	else
		fprintf(stderr, "%s\n", text);
}

void warn(struct call *call, const char *format, ...)
{
	char text[2048];
	va_list arguments;
	va_start(arguments, format);
	vsnprintf(text, sizeof text, format, arguments);
	va_end(arguments);
	tame(text, true);
	if (call->json)
		add_note(call, text);
	else
		fprintf(stderr, "%swarning:%s %s\n", paint(stderr, YELLOW), paint(stderr, PLAIN),
			text);
}

bool reader_left(void)
{
	struct pollfd out = {.fd = STDOUT_FILENO, .events = POLLOUT};
	return ferror(stdout) && poll(&out, 1, 0) == 1 && out.revents & (POLLERR | POLLHUP);
}

int fail(struct call *call, const struct ordo_error *error)
{
	if (error->code == ORDO_ENVIRONMENT && reader_left())
		return (int)error->code;
	const struct report answer = report_of(call, stderr);
	const struct report one = report_object(&answer, "error");
	report_error(&one, error);
	if (!call->json)
		print_error(stderr, error);
	return (int)error->code;
}

bool refuse(struct call *call, int status)
{
	call->status = status;
	return false;
}

bool refuse_error(struct call *call, const struct ordo_error *error)
{
	return refuse(call, fail(call, error));
}

bool refuse_memory(struct call *call)
{
	struct ordo_error error;
	ordo_fail_memory(&error);
	return refuse_error(call, &error);
}

__attribute__((format(printf, 3, 0))) static int fail_with_hint(
	struct call *call, const char *hint, const char *format, va_list arguments)
{
	struct ordo_error error = {.code = ORDO_USAGE};
	vsnprintf(error.text, sizeof error.text, format, arguments);
	if (hint)
		ordo_hint(&error, "%s", hint);
	else
		ordo_hint(&error, "see `ordo%s%s --help`", call->command ? " " : "",
			call->command ? call->command->name : "");
	return fail(call, &error);
}

int fail_usage(struct call *call, const char *hint, const char *format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	const int status = fail_with_hint(call, hint, format, arguments);
	va_end(arguments);
	return status;
}

bool refuse_usage(struct call *call, const char *hint, const char *format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	call->status = fail_with_hint(call, hint, format, arguments);
	va_end(arguments);
	return false;
}

void report_error(const struct report *report, const struct ordo_error *error)
{
	static const char *const names[] = {
		"ok", "refuted", "usage", "bad input", "undecided", "environment"};
	char rule[8];
	snprintf(rule, sizeof rule, "R%d", error->rule);
	report_members(report, "%s<code> %s<rule> %s<file> %u<line> %u<column> %s<text> %s<hint>",
		names[error->code], text_or_null(error->rule ? rule : ""),
		text_or_null(error->file), error->line, error->column, error->text,
		text_or_null(error->hint));
}

cJSON *error_json(const struct ordo_error *error)
{
	const struct report one = {.json = cJSON_CreateObject()};
	report_error(&one, error);
	return one.json;
}

void print_error(FILE *out, const struct ordo_error *error)
{
	const struct ordo_error_marks marks = {
		paint(out, BOLD), paint(out, RED), paint(out, PLAIN)};
	ordo_error_write_marked(error, out, &marks);
}

const char *paint(FILE *out, enum colour colour)
{
	static const char *const codes[] = {
		"\033[0m", "\033[1m", "\033[2m", "\033[1;31m", "\033[1;32m", "\033[1;33m"};
	const char *without = getenv("NO_COLOR"), *terminal = getenv("TERM");
	if ((without && *without) || (terminal && !strcmp(terminal, "dumb")) || !out ||
		!isatty(fileno(out)))
		return "";
	return codes[colour];
}

static bool incomplete, json_incomplete;

void set_incomplete(void)
{
	incomplete = true;
}

bool is_json_incomplete(void)
{
	return json_incomplete;
}

bool is_incomplete(void)
{
	return incomplete;
}

static void *allocate(size_t size)
{
	void *memory = malloc(size);
	json_incomplete = json_incomplete || !memory;
	return memory;
}

void watch_json_memory(void)
{
	cJSON_InitHooks(&(cJSON_Hooks){allocate, free});
}
