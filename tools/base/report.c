/* report.c - a result described once, as text for people or as members of an object. */
#include "report.h"
#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <ordo/plural.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum { LABEL_WIDTH = 23 };

/* The length of the UTF-8 sequence at text; 0: it is not valid. */
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

/* Command lines and file names may hold any bytes; JSON is UTF-8. */
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

/* Deletes a value that cannot be added. */
static bool add(cJSON *json, const char *name, cJSON *value)
{
	const bool added = cJSON_IsArray(json) ? cJSON_AddItemToArray(json, value)
					       : cJSON_AddItemToObject(json, name, value);
	if (!added)
		cJSON_Delete(value);
	return added;
}

void add_count(cJSON *json, const char *name, uint64_t count)
{
	char digits[24];
	snprintf(digits, sizeof digits, "%" PRIu64, count);
	if (json)
		add(json, name, cJSON_CreateRaw(digits));
}

void add_text(cJSON *json, const char *name, const char *text)
{
	if (json)
		add(json, name, text ? json_text(text) : cJSON_CreateNull());
}

void add_number(cJSON *json, const char *name, double number)
{
	char digits[32];
	if (!json)
		return;
	/* The fewest digits that read back as this number; cJSON accepts an approximation. */
	for (int n = 15; n <= 17; n++) {
		snprintf(digits, sizeof digits, "%.*g", n, number);
		if (strtod(digits, NULL) == number)
			break;
	}
	add(json, name, isfinite(number) ? cJSON_CreateRaw(digits) : cJSON_CreateNull());
}

void add_truth(cJSON *json, const char *name, bool truth)
{
	if (json)
		add(json, name, cJSON_CreateBool(truth));
}

/* One conversion of a format, and the contents of the brackets after it. */
struct conversion {
	bool plus, zero;
	int width;     /* negative: aligned left */
	int precision; /* negative: none */
	char length;   /* 0, 'l', 'L' for ll, 'z' */
	char letter;   /* 'u' */
	bool named;
	char name[48];
	enum { AS_IT_IS, TRUTH, TIME, BYTES, RATE } form;
};

/* In a struct, so that functions can share the arguments. */
struct arguments {
	va_list list;
};

static void read_form(struct conversion *one)
{
	static const struct {
		const char *word;
		int form;
	} forms[] = {{":time", TIME}, {":bytes", BYTES}, {":rate", RATE}, {"?", TRUTH}};
	for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
		char *at = strstr(one->name, forms[i].word);
		if (!at)
			continue;
		one->named = at > one->name;
		one->form = forms[i].form;
		*at = 0;
	}
}

/* Digits or an asterisk. */
static const char *read_number(const char *at, struct arguments *arguments, int *number)
{
	char *end;
	if (*at == '*') {
		*number = va_arg(arguments->list, int);
		return at + 1;
	}
	*number = (int)strtol(at, &end, 10);
	return end;
}

/* Reads a conversion from its percent sign; returns the text after it. */
static const char *read_conversion(
	const char *at, struct arguments *arguments, struct conversion *one)
{
	bool left = false;
	*one = (struct conversion){.precision = -1};
	for (at++; strchr("-+0", *at); at++) {
		left |= *at == '-';
		one->plus |= *at == '+';
		one->zero |= *at == '0';
	}
	at = read_number(at, arguments, &one->width);
	one->width = left ? -one->width : one->width;
	if (*at == '.')
		at = read_number(at + 1, arguments, &one->precision);
	for (; *at == 'l' || *at == 'z'; at++)
		one->length = (char)(one->length == 'l' ? 'L' : *at);
	one->letter = *at++;
	const char *end = *at == '<' ? strchr(at, '>') : NULL;
	if (!end)
		return at;
	assert((size_t)(end - at) <= sizeof one->name);
	one->named = true;
	memcpy(one->name, at + 1, (size_t)(end - at) - 1);
	read_form(one);
	return end + 1;
}

static unsigned long long take_unsigned(struct arguments *arguments, char length)
{
	return length == 'L'   ? va_arg(arguments->list, unsigned long long)
	       : length == 'l' ? va_arg(arguments->list, unsigned long)
	       : length == 'z' ? va_arg(arguments->list, size_t)
			       : va_arg(arguments->list, unsigned);
}

static long long take_signed(struct arguments *arguments, char length)
{
	return length == 'L'   ? va_arg(arguments->list, long long)
	       : length == 'l' ? va_arg(arguments->list, long)
			       : va_arg(arguments->list, int);
}

static void pad(const struct report *report, const struct conversion *one, const char *text)
{
	if (report->text)
		fprintf(report->text, "%*s", one->width, text);
}

static void put_text(const struct report *report, const struct conversion *one, const char *text)
{
	if (report->text && text)
		fprintf(report->text, "%*.*s", one->width, one->precision, text);
	if (one->named)
		add_text(report->json, one->name, text);
}

static void put_signed(const struct report *report, const struct conversion *one, long long number)
{
	char text[32];
	snprintf(text, sizeof text, one->plus ? "%+lld" : "%lld", number);
	pad(report, one, text);
	if (one->named && one->form == TRUTH)
		add_truth(report->json, one->name, number);
	else if (one->named)
		add_number(report->json, one->name, (double)number);
}

static void put_unsigned(
	const struct report *report, const struct conversion *one, unsigned long long number)
{
	char text[32];
	if (one->named && one->letter == 'u')
		add_count(report->json, one->name, number);
	if (!report->text && one->letter == 'u')
		return;
	snprintf(text, sizeof text, one->letter == 'x' ? "%0*llx" : "%0*llu",
		one->zero ? one->width : 1, number);
	pad(report, one, text);
	if (one->named && one->letter == 'x')
		add_text(report->json, one->name, text);
}

static const char *real_text(char text[64], const struct conversion *one, double number)
{
	if (one->form == TIME)
		return ordo_time_text(text, number);
	if (one->form == BYTES)
		return ordo_bytes_text(text, number);
	if (one->form == RATE)
		return ordo_rate_text(text, number);
	if (one->letter == 'a')
		snprintf(text, 64, "%.*a", one->precision, number);
	else if (one->letter == 'g')
		snprintf(text, 64, "%.*g", one->precision, number);
	else
		snprintf(text, 64, one->plus ? "%+.*f" : "%.*f", one->precision, number);
	return text;
}

static void put_real(const struct report *report, const struct conversion *one, double number)
{
	char text[64];
	if (one->named && one->letter != 'a')
		add_number(report->json, one->name, number);
	if (!report->text && one->letter != 'a')
		return;
	pad(report, one, real_text(text, one, number));
	if (one->named && one->letter == 'a')
		add_text(report->json, one->name, text);
}

static void put(const struct report *report, const char *format, struct arguments *arguments)
{
	while (*format) {
		const size_t plain = strcspn(format, "%");
		struct conversion one;
		if (report->text)
			fwrite(format, 1, plain, report->text);
		format += plain;
		if (!*format)
			break;
		format = read_conversion(format, arguments, &one);
		if (one.letter == '%' && report->text)
			fputc('%', report->text);
		else if (one.letter == 's')
			put_text(report, &one, va_arg(arguments->list, const char *));
		else if (one.letter == 'd')
			put_signed(report, &one, take_signed(arguments, one.length));
		else if (one.letter == 'u' || one.letter == 'x')
			put_unsigned(report, &one, take_unsigned(arguments, one.length));
		else if (one.letter != '%')
			put_real(report, &one, va_arg(arguments->list, double));
	}
}

void report_text(const struct report *report, const char *format, ...)
{
	struct arguments arguments;
	va_start(arguments.list, format);
	put(report, format, &arguments);
	va_end(arguments.list);
}

void report_label(const struct report *report, const char *label)
{
	if (report->text)
		fprintf(report->text, "  %-*s ", report->width, label);
}

void report_line(const struct report *report, const char *label, const char *format, ...)
{
	struct arguments arguments;
	report_label(report, label);
	va_start(arguments.list, format);
	put(report, format, &arguments);
	va_end(arguments.list);
	if (report->text)
		fputc('\n', report->text);
}

void report_members(const struct report *report, const char *format, ...)
{
	struct arguments arguments;
	if (!report->json)
		return;
	va_start(arguments.list, format);
	put(&(struct report){.json = report->json}, format, &arguments);
	va_end(arguments.list);
}

struct report report_of(const struct call *call, FILE *out)
{
	return (struct report){
		call->json ? NULL : out, call->json ? call->answer : NULL, LABEL_WIDTH};
}

/* With the stream and the label width of the report. */
static struct report report_into(const struct report *report, const char *name, cJSON *json)
{
	struct report one = *report;
	one.json = json && add(report->json, name, json) ? json : NULL;
	return one;
}

struct report report_object(const struct report *report, const char *name)
{
	return report_into(report, name, report->json ? cJSON_CreateObject() : NULL);
}

struct report report_list(const struct report *report, const char *name)
{
	return report_into(report, name, report->json ? cJSON_CreateArray() : NULL);
}

struct report report_item(const struct report *list)
{
	return report_object(list, NULL);
}

const char *plural(uint64_t count)
{
	return ordo_plural(count);
}

const char *text_or_null(const char *text)
{
	return text && *text ? text : NULL;
}
