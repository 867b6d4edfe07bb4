/* error_marks.h - errors on a terminal: the command paints what ordo_error_write prints plainly. */
#ifndef ORDO_ERROR_MARKS_H
#define ORDO_ERROR_MARKS_H

#include <ordo/error.h>

/* Text before the place, before the word "error", and after it. */
struct ordo_error_marks {
	const char *place, *word, *plain;
};
void ordo_error_write_marked(
	const struct ordo_error *error, FILE *out, const struct ordo_error_marks *marks);

/* Replaces control characters by `?`; with `lines`, newlines stay. */
void ordo_tame(char *text, bool lines);

#endif
