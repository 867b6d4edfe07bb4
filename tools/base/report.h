/* report.h - how commands report: notes, errors, and a result that is described once and becomes
 * text for people or, with --json, members of an object.
 *
 * A format is that of printf. A name in angle brackets after a conversion makes its value a member:
 *
 *	report_line(&report, "signals",
 *		"%u<signals>, at most %u<tokens_in_flight> in flight", 5, 3);
 *
 * prints `  signals                 5, at most 3 in flight`, or adds "signals": 5 and
 * "tokens_in_flight": 3. What has no name is text alone.
 *
 * 	%d<name?>	a truth: true or false
 * 	%s<name>	a text; NULL is null
 * 	%x, %a		a text, since JSON has no such numbers
 * 	%g<name:time>	prints seconds as `1.5 ms`; the member is a number
 * 	%g<name:bytes>	prints bytes as `1.5 MiB`
 * 	%g<name:rate>	prints bytes a second as `1.5 GB/s`
 * 	%g<:time>	text alone
 * 	%s<>		an item of the list that the report is of
 */
#ifndef ORDO_TOOLS_BASE_REPORT_H
#define ORDO_TOOLS_BASE_REPORT_H

#include "command.h"
#include <ordo/units.h>

/* The destinations of a result. Copies share them. */
struct report {
	FILE *text;  /* NULL: no text */
	cJSON *json; /* an object or a list, owned by the call; NULL: no members */
	int width;   /* width of a label, in columns */
};

/* Text on `out`, or members of the answer with --json. */
struct report report_of(const struct call *call, FILE *out);

/* Text and members. */
void report_text(const struct report *report, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
/* The same, as a line: two blanks, the label padded to the width, the text, a line end. */
void report_line(const struct report *report, const char *label, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
/* The beginning of such a line. */
void report_label(const struct report *report, const char *label);
/* Members alone: only the named conversions of the format count. */
void report_members(const struct report *report, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* The member of that name, or the next item of a list: an object, or a list. Its text goes to the
 * stream of the report. */
struct report report_object(const struct report *report, const char *name);
struct report report_list(const struct report *report, const char *name);
struct report report_item(const struct report *list);

/* For %s: the text, or NULL (null in JSON) if it is empty or NULL. */
const char *text_or_null(const char *text);
/* "" for one, "s" for any other number. */
const char *plural(uint64_t count);

/* Replaces control characters, which a terminal would execute, by question marks; line ends too,
 * unless `lines`. */
void tame(char *text, bool lines);
/* Prints to stdout; nothing with --json. */
void say(struct call *call, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Prints a note beside the result: to stderr, or into "notes" with --json. */
void note(struct call *call, const char *format, ...) __attribute__((format(printf, 2, 3)));
void warn(struct call *call, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Reports why the command failed and returns its exit code. */
int fail(struct call *call, const struct ordo_error *error);
/* hint NULL: see --help. */
int fail_usage(struct call *call, const char *hint, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
/* The same for callers that return bool: sets call->status to the exit code, and returns false. */
bool refuse(struct call *call, int status);
bool refuse_error(struct call *call, const struct ordo_error *error);
bool refuse_usage(struct call *call, const char *hint, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
bool refuse_memory(struct call *call);

/* The reader of stdout has ended, such as `head` after its lines: no error, and nothing more is
 * printed. Known only after a failed write. */
bool reader_left(void);

/* Members of an object, or the next item of a list; nothing if json is NULL. Counts are integers of
 * any size; a number that is not finite, and a NULL text, is null. */
void add_count(cJSON *json, const char *name, uint64_t count);
void add_text(cJSON *json, const char *name, const char *text);
void add_number(cJSON *json, const char *name, double number);
void add_truth(cJSON *json, const char *name, bool truth);
/* An error as an object of its own; for rooms that build their JSON themselves. */
cJSON *error_json(const struct ordo_error *error);
/* The members of an error: its code, rule, place, text and hint. */
void report_error(const struct report *report, const struct ordo_error *error);
/* Prints an error to a stream, coloured if that is a terminal. */
void print_error(FILE *out, const struct ordo_error *error);

enum colour { PLAIN, BOLD, DIM, RED, GREEN, YELLOW };
/* The escape sequence of a colour; "" unless the stream is a terminal and NO_COLOR is unset, and if
 * out is NULL. */
const char *paint(FILE *out, enum colour colour);

/* Whether memory ran out while the answer was made: cJSON drops members silently, so allocations
 * are watched from the first of these calls on. */
void watch_json_memory(void);
bool is_json_incomplete(void);
/* Code that prints text calls this when it has to leave something out. */
void set_incomplete(void);
bool is_incomplete(void);

#endif
