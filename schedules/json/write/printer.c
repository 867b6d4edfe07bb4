/* printer.c - JSON text into a stream. */
#include "printer.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

void ordo_printer_begin(struct ordo_printer *printer, FILE *out)
{
	printer->out = out;
	printer->failure = 0;
	printer->at = printer->bytes;
}

static void hand_over(struct ordo_printer *printer, const char *text, size_t length)
{
	if (printer->failure)
		return;
	errno = 0;
	if (fwrite(text, 1, length, printer->out) < length)
		printer->failure = errno ? errno : EIO;
}

static void empty_buffer(struct ordo_printer *printer)
{
	hand_over(printer, printer->bytes, (size_t)(printer->at - printer->bytes));
	printer->at = printer->bytes;
}

bool ordo_printer_end(struct ordo_printer *printer)
{
	empty_buffer(printer);
	if (!printer->failure && fflush(printer->out))
		printer->failure = errno;
	errno = printer->failure;
	return !printer->failure;
}

void ordo_printer_room(struct ordo_printer *printer)
{
	if (printer->bytes + sizeof printer->bytes - printer->at < ORDO_PRINTER_ROOM)
		empty_buffer(printer);
}

void ordo_printer_put(struct ordo_printer *printer, const char *text, size_t length)
{
	size_t room = (size_t)(printer->bytes + sizeof printer->bytes - printer->at);
	if (length > room) {
		empty_buffer(printer);
		if (length > sizeof printer->bytes) {
			hand_over(printer, text, length);
			return;
		}
	}
	memcpy(printer->at, text, length);
	printer->at += length;
}

void ordo_printer_text(struct ordo_printer *printer, const char *text)
{
	ordo_printer_put(printer, text, strlen(text));
}

char *ordo_put_number(char *at, uint32_t number)
{
	static const char pairs[] =
		"0001020304050607080910111213141516171819202122232425262728293031323334353637383940"
		"4142434445464748495051525354555657585960616263646566676869707172737475767778798081"
		"828384858687888990919293949596979899";
	if (number < 10) {
		*at = (char)('0' + number);
		return at + 1;
	}
	char digits[10], *first = digits + sizeof digits;
	for (; number >= 10; number /= 100)
		memcpy(first -= 2, pairs + number % 100 * 2, 2);
	if (number)
		*--first = (char)('0' + number);
	size_t length = (size_t)(digits + sizeof digits - first);
	memcpy(at, first, length);
	return at + length;
}

void ordo_printer_number(struct ordo_printer *printer, uint32_t number)
{
	ordo_printer_room(printer);
	printer->at = ordo_put_number(printer->at, number);
}

/* The program's locale may write the decimal point otherwise, even in several bytes. */
static void put_point(char *text)
{
	char *to = text;
	for (const char *from = text; *from; from++) {
		if (strchr("0123456789+-e", *from))
			*to++ = *from;
		else if (to == text || to[-1] != '.')
			*to++ = '.';
	}
	*to = '\0';
}

void ordo_printer_real(struct ordo_printer *printer, double number)
{
	if (number >= 0 && number <= UINT32_MAX && number == (double)(uint32_t)number) {
		ordo_printer_number(printer, (uint32_t)number);
		return;
	}
	char text[48];
	for (int precision = 1; precision <= 17; precision++) {
		snprintf(text, sizeof text, "%.*g", precision, number);
		if (strtod(text, NULL) == number)
			break;
	}
	put_point(text);
	ordo_printer_text(printer, text);
}

/* The letter after the backslash for the characters that have one; 0 for others. */
static char short_escape(unsigned char c)
{
	switch (c) {
	case '"':
	case '\\':
		return (char)c;
	case '\b':
		return 'b';
	case '\f':
		return 'f';
	case '\n':
		return 'n';
	case '\r':
		return 'r';
	case '\t':
		return 't';
	default:
		return 0;
	}
}

void ordo_printer_string(struct ordo_printer *printer, const char *text)
{
	ordo_printer_put(printer, "\"", 1);
	while (*text) {
		size_t plain = 0;
		while ((unsigned char)text[plain] >= 0x20 && text[plain] != '"' &&
			text[plain] != '\\')
			plain++;
		ordo_printer_put(printer, text, plain);
		text += plain;
		if (!*text)
			break;
		unsigned char c = (unsigned char)*text++;
		char escape[8] = {'\\', short_escape(c)};
		if (!escape[1])
			snprintf(escape, sizeof escape, "\\u%04x", c);
		ordo_printer_text(printer, escape);
	}
	ordo_printer_put(printer, "\"", 1);
}
