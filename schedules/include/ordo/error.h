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

/* Fills an error, as the functions of the library do: without a place and without a hint.
 *
 *   error    overwritten; NULL: nothing is done
 *   code     what went wrong; not ORDO_OK
 *   rule     1..13 for a broken rule R1..R13; 0: none
 *   format   as of printf, with its arguments; what does not fit into error->text is cut off
 *
 * Always returns false, so that `return ordo_fail(...)` reads well. */
ORDO_API bool ordo_fail(struct ordo_error *error, enum ordo_code code, int rule, const char *format,
	...) __attribute__((format(printf, 4, 5)));

/* Prints an error into memory: `file:line:col: error[R8]: text`, and the hint in a line of its
 * own.
 *
 *   error   one that a function filled; not NULL
 *   out     [size] receives the text, cut off where it does not fit, and a NUL; no newline at the
 *           end
 *   size    bytes of out; 0: nothing is written, and out may be NULL
 *
 * Returns the length of the whole text without its NUL, as snprintf does. */
ORDO_API int ordo_error_print(const struct ordo_error *error, char *out, unsigned long size);

/* Prints an error to a stream, as the command does: the text of ordo_error_print and a newline.
 *
 *   error   one that a function filled; NULL: nothing is printed
 *   out     a stream, such as stderr
 *
 * Control characters, which names of files may hold, are printed as `?`. */
ORDO_API void ordo_error_write(const struct ordo_error *error, FILE *out);

#ifdef __cplusplus
}
#endif
#endif

/* Internal functions, declared here for one release; <ordo/ordo.h> leaves them out. */
#ifndef ORDO_EMBEDDER
#include <ordo/detail/fail.h>
#endif
