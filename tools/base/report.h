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

/* Where a result goes. Copies write to the same places. */
struct report {
	FILE *text;  /* NULL: no text */
	cJSON *json; /* an object or a list, of the call; NULL: no members */
	int width;   /* columns of a label */
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
/* Members alone: nothing but names counts in the format. */
void report_members(const struct report *report, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* The member of that name, or the next item of a list: an object, or a list. Text goes where the
 * text of the report goes. */
struct report report_object(const struct report *report, const char *name);
struct report report_list(const struct report *report, const char *name);
struct report report_item(const struct report *list);

/* For %s: text, or NULL, which is null, if it is empty or NULL. */
const char *text_or_null(const char *text);
/* "" for one, "s" for any other number. */
const char *plural(uint64_t count);

/* Replaces control characters, which a terminal would obey, by question marks; line ends too,
 * unless `lines`. */
void tame(char *text, bool lines);
/* Prints to stdout, for people only: nothing with --json. */
void say(struct call *call, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Says something beside the result: to stderr for people, into "notes" with --json. */
void note(struct call *call, const char *format, ...) __attribute__((format(printf, 2, 3)));
void warn(struct call *call, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Reports why the command did not work and returns its exit code. */
int fail(struct call *call, const struct ordo_error *error);
/* hint NULL: see --help. */
int fail_usage(struct call *call, const char *hint, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
/* The same where a caller only wants to know that it did not work: sets call->status to the exit
 * code, and returns false. */
bool refuse(struct call *call, int status);
bool refuse_error(struct call *call, const struct ordo_error *error);
bool refuse_usage(struct call *call, const char *hint, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
bool refuse_memory(struct call *call);

/* Whoever read stdout is gone, as `head` is once it has its lines: no error of ours, and nothing is
 * left to be said. Known once something could not be written. */
bool reader_left(void);

/* Members of an object, or the next item of a list; nothing where json is NULL. Counts are written
 * as integers, whatever their size; what is no finite number, and a NULL text, is null. */
void add_count(cJSON *json, const char *name, uint64_t count);
void add_text(cJSON *json, const char *name, const char *text);
void add_number(cJSON *json, const char *name, double number);
void add_truth(cJSON *json, const char *name, bool truth);
/* An error as an object by itself; for rooms that make their JSON by hand. */
cJSON *error_json(const struct ordo_error *error);
/* The members of an error: its code, rule, place, text and hint. */
void report_error(const struct report *report, const struct ordo_error *error);
/* Prints an error to a stream, coloured if that is a terminal. */
void print_error(FILE *out, const struct ordo_error *error);

enum colour { PLAIN, BOLD, DIM, RED, GREEN, YELLOW };
/* The escape sequence of a colour, or "" unless the stream is a terminal and NO_COLOR is not
 * set; "" if out is NULL, too. */
const char *paint(FILE *out, enum colour colour);

/* An answer in which something is missing for want of memory is none. cJSON leaves out what it has
 * no memory for: from the first of these calls on that is remembered. */
void watch_json_memory(void);
bool is_json_incomplete(void);
/* What prints text calls this where it has to leave something out. */
void set_incomplete(void);
bool is_incomplete(void);

#endif
