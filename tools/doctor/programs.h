/* programs.h - asks other programs what they are. */
#ifndef ORDO_TOOLS_DOCTOR_PROGRAMS_H
#define ORDO_TOOLS_DOCTOR_PROGRAMS_H

#include <stdbool.h>
#include <stddef.h>

/* Where PATH has a program of that name that may be run; at most room letters with the end. */
bool find_program(const char *name, char *path, size_t room);
/* Runs a program with `input` (may be NULL) as its standard input; the beginning of what it prints,
 * also as errors, goes to text, cut and ended to fit. argv ends with NULL. false: it could not be
 * run, failed, or was ended because it took longer than that. */
bool ask_program(
	const char *const *argv, const char *input, double most_seconds, char *text, size_t room);
/* The line of a text that has `mark` in it, from the mark's end on, without blanks around. false:
 * no line has. */
bool find_line(const char *text, const char *mark, char *line, size_t room);

#endif
