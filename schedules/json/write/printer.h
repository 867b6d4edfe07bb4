/* printer.h - JSON text into a stream, fast: a buffer, integers formatted by hand, strings escaped
 * one way. Private to schedules/. */
#ifndef ORDO_SCHEDULES_JSON_WRITE_PRINTER_H
#define ORDO_SCHEDULES_JSON_WRITE_PRINTER_H

#include <ordo/error.h>
#include <stddef.h>
#include <stdio.h>

/* The bytes that ordo_printer_room guarantees. */
enum { ORDO_PRINTER_ROOM = 512 };

struct ordo_printer {
	FILE *out;
	int failure; /* errno of the first write that failed; then nothing more is written */
	char *at;    /* where the next byte goes */
	char bytes[64 * 1024];
};

void ordo_printer_begin(struct ordo_printer *printer, FILE *out);
/* Writes the buffer to the stream and flushes it. false: writing failed, errno is set. */
bool ordo_printer_end(struct ordo_printer *printer);

/* Makes sure that ORDO_PRINTER_ROOM bytes can be put at `at`. */
void ordo_printer_room(struct ordo_printer *printer);
void ordo_printer_put(struct ordo_printer *printer, const char *text, size_t length);
void ordo_printer_text(struct ordo_printer *printer, const char *text);
void ordo_printer_number(struct ordo_printer *printer, uint32_t number);
/* The shortest decimal that reads back as the same number. The number is finite. */
void ordo_printer_real(struct ordo_printer *printer, double number);
/* A JSON string with its quotes: only what must be escaped is, in the shortest way. The text is
 * UTF-8. */
void ordo_printer_string(struct ordo_printer *printer, const char *text);

/* The digits of a number at `at`; returns where they end (at most 10 further). */
char *ordo_put_number(char *at, uint32_t number);

#endif
