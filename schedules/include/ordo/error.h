/* error.h - what a function says when it did not work.
 *
 * The caller owns the error, passes it last, and reads it only after the function returned false
 * (or NULL). Nothing in it needs to be freed. An error may be NULL where the caller does not care
 * why.
 */
#ifndef ORDO_ERROR_H
#define ORDO_ERROR_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#define ORDO_API __attribute__((visibility("default")))

#ifdef __cplusplus
extern "C" {
#endif

/* What went wrong, and the exit code of the command. */
enum ordo_code {
	ORDO_OK = 0,
	ORDO_REFUTED = 1,     /* the document breaks a rule, or two things differ */
	ORDO_USAGE = 2,	      /* the request makes no sense, or does not apply */
	ORDO_BAD_INPUT = 3,   /* a document cannot be read */
	ORDO_UNDECIDED = 4,   /* a limit was reached before an answer */
	ORDO_ENVIRONMENT = 5, /* memory, files, threads */
};

struct ordo_error {
	enum ordo_code code;
	int rule;	       /* 1..13 for R1..R13, 0 for none */
	char file[512];	       /* empty if there is no file */
	uint32_t line, column; /* from 1; 0 if unknown */
	char text[2048];       /* what, found, wanted */
	char hint[512];	       /* what to do about it; may be empty */
	bool too_large;	       /* refused before it was begun, for what it would take (memory.h) */
};

/* Fills `error` (if not NULL) with no position and no hint. Always returns false, so that `return
 * ordo_fail(...)` reads well. */
ORDO_API bool ordo_fail(struct ordo_error *error, enum ordo_code code, int rule, const char *format,
	...) __attribute__((format(printf, 4, 5)));

/* Sets the hint of an error already filled. Always returns false. */
ORDO_API bool ordo_hint(struct ordo_error *error, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* `ordo_fail` for memory that could not be had. */
ORDO_API bool ordo_fail_memory(struct ordo_error *error);

/* Writes the error as people read it: `file:line:col: error[R8]: text` and, if there is one, a line
 * `hint: ...`. Returns the length it has, like snprintf; no newline at the end. */
ORDO_API int ordo_error_print(const struct ordo_error *error, char *out, unsigned long size);

/* Prints the error as the command does: what ordo_error_print writes, with `?` for control
 * characters (names of files may hold them), and a newline. Nothing if `error` is NULL. */
ORDO_API void ordo_error_write(const struct ordo_error *error, FILE *out);

#ifdef __cplusplus
}
#endif
#endif
