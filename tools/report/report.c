/* report.c - how commands answer: for people, or as one JSON object. */
#include "check/clock.h"
#include "command.h"
#include <inttypes.h>
#include <math.h>
#include <ordo/error_marks.h>
#include <poll.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
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

/* The length of the UTF-8 sequence at text; 0: there is none. */
static size_t sequence(const unsigned char *text)
{
	if (text[0] < 0x80)
		return 1;
	size_t length = text[0] < 0xc2	 ? 0
			: text[0] < 0xe0 ? 2
			: text[0] < 0xf0 ? 3
			: text[0] < 0xf5 ? 4
					 : 0;
	for (size_t i = 1; i < length; i++)
		if ((text[i] & 0xc0) != 0x80)
			return 0;
	bool overlong = (text[0] == 0xe0 && text[1] < 0xa0) || (text[0] == 0xf0 && text[1] < 0x90);
	bool outside = (text[0] == 0xed && text[1] >= 0xa0) || (text[0] == 0xf4 && text[1] >= 0x90);
	return overlong || outside ? 0 : length;
}

/* Words of the command line and names of files are any bytes; JSON is UTF-8. */
static cJSON *json_text(const char *text)
{
	char *valid = cJSON_malloc(strlen(text) + 1);
	if (!valid)
		return NULL;
	strcpy(valid, text);
	size_t length;
	for (unsigned char *at = (unsigned char *)valid; *at; at += length ? length : 1) {
		length = sequence(at);
		if (!length)
			*at = '?';
	}
	cJSON *string = cJSON_CreateString(valid);
	cJSON_free(valid);
	return string;
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
	cJSON_AddItemToArray(notes, json_text(text));
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
	if (call->json)
		cJSON_AddItemToObject(call->answer, "error", error_json(error));
	else
		print_error(stderr, error);
	return (int)error->code;
}

int fail_usage(struct call *call, const char *hint, const char *format, ...)
{
	struct ordo_error error = {.code = ORDO_USAGE};
	va_list arguments;
	va_start(arguments, format);
	vsnprintf(error.text, sizeof error.text, format, arguments);
	va_end(arguments);
	if (hint)
		ordo_hint(&error, "%s", hint);
	else
		ordo_hint(&error, "see `ordo%s%s --help`", call->command ? " " : "",
			call->command ? call->command->name : "");
	return fail(call, &error);
}

void add_count(cJSON *object, const char *name, uint64_t count)
{
	char digits[24];
	snprintf(digits, sizeof digits, "%" PRIu64, count);
	cJSON_AddRawToObject(object, name, digits);
}

void add_text(cJSON *object, const char *name, const char *text)
{
	if (text)
		cJSON_AddItemToObject(object, name, json_text(text));
	else
		cJSON_AddNullToObject(object, name);
}

void add_number(cJSON *object, const char *name, double number)
{
	/* The fewest digits that are this number; cJSON takes one that is nearly so. */
	char digits[32];
	if (!isfinite(number)) {
		cJSON_AddNullToObject(object, name);
		return;
	}
	for (int n = 15; n <= 17; n++) {
		snprintf(digits, sizeof digits, "%.*g", n, number);
		if (strtod(digits, NULL) == number)
			break;
	}
	cJSON_AddRawToObject(object, name, digits);
}

void add_truth(cJSON *object, const char *name, bool truth)
{
	cJSON_AddBoolToObject(object, name, truth);
}

cJSON *error_json(const struct ordo_error *error)
{
	static const char *const names[] = {
		"ok", "refuted", "usage", "bad input", "undecided", "environment"};
	char rule[8];
	snprintf(rule, sizeof rule, "R%d", error->rule);
	cJSON *object = cJSON_CreateObject();
	add_text(object, "code", names[error->code]);
	add_text(object, "rule", error->rule ? rule : NULL);
	add_text(object, "file", error->file[0] ? error->file : NULL);
	add_count(object, "line", error->line);
	add_count(object, "column", error->column);
	add_text(object, "text", error->text);
	add_text(object, "hint", error->hint[0] ? error->hint : NULL);
	return object;
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
	if ((without && *without) || (terminal && !strcmp(terminal, "dumb")) ||
		!isatty(fileno(out)))
		return "";
	return codes[colour];
}

double seconds(void)
{
	return clock_seconds();
}

uint64_t peak_bytes(void)
{
	struct rusage usage;
	getrusage(RUSAGE_SELF, &usage);
	return (uint64_t)usage.ru_maxrss * 1024;
}

void print_bytes(FILE *out, double bytes)
{
	static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
	int unit = 0;
	while (bytes >= 1024 && unit < 4) {
		bytes /= 1024;
		unit++;
	}
	fprintf(out, unit && bytes < 100 ? "%.4g %s" : "%.0f %s", bytes, units[unit]);
}

/* Three digits at most, and never an exponent. */
static void print_measure(FILE *out, double number, const char *unit)
{
	int decimals = number < 10 ? 2 : number < 100 ? 1 : 0;
	if (number < 0.095)
		fprintf(out, "%.2g %s", number < 1e-4 ? 0 : number, unit);
	else
		fprintf(out, "%.*f %s", decimals, number, unit);
}

void print_seconds(FILE *out, double seconds_taken)
{
	if (seconds_taken < 1)
		print_measure(out, seconds_taken * 1e3, "ms");
	else
		print_measure(out, seconds_taken, "s");
}

void print_rate(FILE *out, double bytes_per_second)
{
	if (bytes_per_second < 1e8)
		print_measure(out, bytes_per_second * 1e-6, "MB/s");
	else
		print_measure(out, bytes_per_second * 1e-9, "GB/s");
}
