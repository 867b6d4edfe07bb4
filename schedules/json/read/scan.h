/* scan.h - a strict scanner of JSON (RFC 8259) that tracks line and column. Private to schedules/.
 *
 * Stricter than the RFC in six points, so that a text has one meaning and takes bounded memory:
 * text is UTF-8 throughout, strings hold no U+0000 and have at most ORDO_TOKEN_LIMIT bytes, values
 * nest at most ORDO_NESTING deep, a number is written in at most ORDO_NUMBER_LENGTH letters (cJSON
 * cuts longer ones), and between two tokens stand at most ORDO_SPACE_LIMIT bytes of white space.
 * All errors are R1.
 */
#ifndef ORDO_SCHEDULES_JSON_READ_SCAN_H
#define ORDO_SCHEDULES_JSON_READ_SCAN_H

#include "base/source.h"
#include <ordo/schedule.h>

enum { ORDO_NUMBER_LENGTH = 63 };

struct ordo_cursor {
	const char *at, *end;
	const char *line_begin;
	uint32_t line;
	uint32_t cut;	  /* bytes of this line that were left out */
	const char *file; /* for messages */
	struct ordo_error *error;
	const char *text;
	const struct ordo_gap *gaps; /* [ngap] white space that was left out of the text; NULL */
	size_t ngap;
	struct ordo_arena *arena; /* where texts of values go */
	void *reader;		  /* of the document, for the readers of its values */
	struct ordo_place space;  /* where white space grows too long: the walk ends there */
};

/* A piece of the text: a value, or a key with its quotes. */
struct ordo_piece {
	const char *text;
	size_t length;
	struct ordo_place place;
};

enum ordo_item { ORDO_ITEM_FAILED, ORDO_ITEM_END, ORDO_ITEM_FOUND };

void ordo_cursor_begin(struct ordo_cursor *cursor, const char *text, size_t size, const char *file,
	struct ordo_error *error);

/* The same through a source, of which white space may have been left out. */
void ordo_cursor_begin_source(struct ordo_cursor *cursor, const struct ordo_source *source,
	const char *file, struct ordo_error *error);

static inline struct ordo_place ordo_cursor_place(const struct ordo_cursor *cursor)
{
	return (struct ordo_place){
		cursor->line, (uint32_t)(cursor->at - cursor->line_begin) + cursor->cut + 1};
}

/* Fail with R1 at a place of the cursor's file, or at a place and with another rule. Always
 * false. */
bool ordo_fail_at(const struct ordo_cursor *cursor, struct ordo_place place, const char *format,
	...) __attribute__((format(printf, 3, 4)));
bool ordo_fail_rule_at(const struct ordo_cursor *cursor, struct ordo_place place, int rule,
	const char *format, ...) __attribute__((format(printf, 4, 5)));
/* Fails for an unexpected character at the cursor. Always false. */
bool ordo_fail_found(const struct ordo_cursor *cursor, const char *wanted);

/* Afterwards the cursor is at a space if and only if there are more than ORDO_SPACE_LIMIT: then
 * every call that expects something else fails. */
void ordo_skip_space(struct ordo_cursor *cursor);
/* Space, and then that character. */
bool ordo_skip_character(struct ordo_cursor *cursor, char character, const char *wanted);
/* Space, and then one whole value, which is checked and returned as a piece. */
bool ordo_skip_value(struct ordo_cursor *cursor, struct ordo_piece *value);
/* Space, and then a string. */
bool ordo_skip_string(struct ordo_cursor *cursor, const char *wanted, struct ordo_piece *string);
/* Nothing but space may follow. */
bool ordo_skip_rest(struct ordo_cursor *cursor);

/* Inside an object whose `{` was skipped: the next key and its colon, or the end, skipped too.
 * `first` is true before the first call, and false after it. */
enum ordo_item ordo_next_member(struct ordo_cursor *cursor, bool *first, struct ordo_piece *key);
/* Inside an array: puts the cursor before the next element, or behind the end. */
enum ordo_item ordo_next_element(struct ordo_cursor *cursor, bool *first);

/* Decodes a checked string, truncated to out[size] with its NUL. Returns its whole length.
 */
size_t ordo_decode(const struct ordo_piece *string, char *out, size_t size);

#endif
