/* programs.h - finds and runs other programs. */
#ifndef ORDO_TOOLS_DOCTOR_PROGRAMS_H
#define ORDO_TOOLS_DOCTOR_PROGRAMS_H

#include <stdbool.h>
#include <stddef.h>

/* The path of an executable of that name in PATH, in at most `room` bytes with its NUL. */
bool find_program(const char *name, char *path, size_t room);
/* Runs a program with `input` (may be NULL) as its standard input; the beginning of its output and
 * errors goes to text, cut to fit. argv ends with NULL. false: it could not be run, failed, or
 * exceeded the time limit. */
bool ask_program(
	const char *const *argv, const char *input, double most_seconds, char *text, size_t room);
/* The rest of the first line with `mark` in it, after the mark and without blanks around. false: no
 * line has it. */
bool find_line(const char *text, const char *mark, char *line, size_t room);

#endif
