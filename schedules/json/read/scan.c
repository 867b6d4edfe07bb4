/* scan.c - a strict scanner of JSON (RFC 8259) that tracks line and column. */
#include "scan.h"
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void ordo_cursor_begin(struct ordo_cursor *cursor, const char *text, size_t size, const char *file,
	struct ordo_error *error)
{
	*cursor = (struct ordo_cursor){.at = text,
		.end = text + size,
		.line_begin = text,
		.line = 1,
		.file = file,
		.error = error,
		.text = text};
}

void ordo_cursor_begin_source(struct ordo_cursor *cursor, const struct ordo_source *source,
	const char *file, struct ordo_error *error)
{
	ordo_cursor_begin(cursor, source->text, source->size, file, error);
	cursor->gaps = source->gaps;
	cursor->ngap = source->ngap;
}

__attribute__((format(printf, 4, 0))) static bool fail_with(const struct ordo_cursor *cursor,
	struct ordo_place place, int rule, const char *format, va_list arguments)
{
	struct ordo_error *error = cursor->error;
	if (!error)
		return false;
	*error = (struct ordo_error){
		.code = ORDO_BAD_INPUT, .rule = rule, .line = place.line, .column = place.column};
	snprintf(error->file, sizeof error->file, "%s", cursor->file);
	vsnprintf(error->text, sizeof error->text, format, arguments);
	return false;
}

bool ordo_fail_at(
	const struct ordo_cursor *cursor, struct ordo_place place, const char *format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	fail_with(cursor, place, 1, format, arguments);
	va_end(arguments);
	return false;
}

bool ordo_fail_rule_at(const struct ordo_cursor *cursor, struct ordo_place place, int rule,
	const char *format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	fail_with(cursor, place, rule, format, arguments);
	va_end(arguments);
	return false;
}

bool ordo_fail_found(const struct ordo_cursor *cursor, const char *wanted)
{
	struct ordo_place place = ordo_cursor_place(cursor);
	if (cursor->space.line)
		return ordo_fail_at(cursor, cursor->space,
			"found more than %d bytes of white space in a row, wanted %s",
			ORDO_SPACE_LIMIT, wanted);
	if (cursor->at == cursor->end) {
		ordo_fail_at(cursor, place, "found the end of the text, wanted %s", wanted);
		return ordo_hint(cursor->error, "the file may have been cut off");
	}
	unsigned char c = (unsigned char)*cursor->at;
	if (c > 0x20 && c < 0x7f)
		return ordo_fail_at(cursor, place, "found '%c', wanted %s", c, wanted);
	return ordo_fail_at(cursor, place, "found the byte 0x%02x, wanted %s", c, wanted);
}

/* Accounts for a gap in the kept white space: the cursor skips its bytes. */
static uint32_t skip_gap(struct ordo_cursor *cursor)
{
	const size_t offset = (size_t)(cursor->at - cursor->text);
	size_t first = 0, end = cursor->ngap;
	while (first < end) {
		const size_t middle = first + (end - first) / 2;
		if (cursor->gaps[middle].offset < offset)
			first = middle + 1;
		else
			end = middle;
	}
	if (first == cursor->ngap || cursor->gaps[first].offset != offset)
		return 0;
	const struct ordo_gap *gap = &cursor->gaps[first];
	cursor->line += gap->lines;
	if (gap->lines) {
		cursor->line_begin = cursor->at;
		cursor->cut = gap->column;
	} else {
		cursor->cut += gap->bytes;
	}
	return gap->bytes;
}

void ordo_skip_space(struct ordo_cursor *cursor)
{
	const char *begin = cursor->at, *end = cursor->end;
	if (cursor->space.line)
		return;
	if (end - begin > ORDO_SPACE_LIMIT)
		end = begin + ORDO_SPACE_LIMIT + 1;
	for (; cursor->at < end; cursor->at++) {
		char c = *cursor->at;
		if (c == '\n') {
			cursor->line++;
			cursor->line_begin = cursor->at + 1;
			cursor->cut = 0;
		} else if (c != ' ' && c != '\t' && c != '\r') {
			break;
		}
	}
	uint32_t length = (uint32_t)(cursor->at - begin);
	if (length == ORDO_SPACE_KEPT && cursor->ngap)
		length += skip_gap(cursor);
	if (length > ORDO_SPACE_LIMIT) {
		cursor->space = ordo_cursor_place(cursor);
		cursor->at--;
	}
}

/* The character at the cursor; 0 at the end, since no JSON text contains that byte. */
static char peek(const struct ordo_cursor *cursor)
{
	return cursor->at < cursor->end ? *cursor->at : 0;
}

bool ordo_skip_character(struct ordo_cursor *cursor, char character, const char *wanted)
{
	ordo_skip_space(cursor);
	if (cursor->at == cursor->end || *cursor->at != character)
		return ordo_fail_found(cursor, wanted);
	cursor->at++;
	return true;
}

static int hex_of(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return -1;
}

/* The four digits of \uXXXX; -1 if they are not all there. */
static int32_t code_unit(const char *at, const char *end)
{
	int32_t unit = 0;
	if (end - at < 4)
		return -1;
	for (int i = 0; i < 4; i++) {
		int digit = hex_of(at[i]);
		if (digit < 0)
			return -1;
		unit = unit * 16 + digit;
	}
	return unit;
}

/* The code point of the escape \u... at `at` (at its backslash), and its length in bytes; -1 if it
 * is none.
 */
static int32_t code_point(const char *at, const char *end, size_t *length)
{
	int32_t high = code_unit(at + 2, end);
	*length = 6;
	if (high < 0xd800 || high > 0xdfff)
		return high;
	if (high > 0xdbff || end - at < 12 || at[6] != '\\' || at[7] != 'u')
		return -1;
	int32_t low = code_unit(at + 8, end);
	*length = 12;
	return low < 0xdc00 || low > 0xdfff ? -1
					    : 0x10000 + (high - 0xd800) * 0x400 + (low - 0xdc00);
}

static bool skip_escape(struct ordo_cursor *cursor)
{
	size_t length = 2;
	char c = cursor->end - cursor->at < 2 ? 0 : cursor->at[1];
	if (c == 'u') {
		int32_t point = code_point(cursor->at, cursor->end, &length);
		if (point < 0)
			return ordo_fail_at(cursor, ordo_cursor_place(cursor),
				"found a \\u escape that is not a character");
		if (point == 0)
			return ordo_fail_at(cursor, ordo_cursor_place(cursor),
				"found \\u0000, wanted a string without it");
	} else if (!c || !strchr("\"\\/bfnrt", c)) {
		return ordo_fail_at(cursor, ordo_cursor_place(cursor),
			"found a backslash that begins no escape, wanted one of \\\" \\\\ \\/ \\b "
			"\\f \\n \\r \\t \\u");
	}
	cursor->at += length;
	return true;
}

/* The length of the UTF-8 character at `at`, 0 if it is none: no overlong forms, no surrogates, at
 * most U+10FFFF. */
static size_t character_length(const char *at, const char *end)
{
	const unsigned char *b = (const unsigned char *)at;
	size_t room = (size_t)(end - at);
	size_t length = b[0] >= 0xc2 && b[0] <= 0xdf   ? 2
			: b[0] >= 0xe0 && b[0] <= 0xef ? 3
			: b[0] >= 0xf0 && b[0] <= 0xf4 ? 4
						       : 0;
	if (!length || room < length)
		return 0;
	for (size_t i = 1; i < length; i++)
		if ((b[i] & 0xc0) != 0x80)
			return 0;
	if ((b[0] == 0xe0 && b[1] < 0xa0) || (b[0] == 0xed && b[1] > 0x9f) ||
		(b[0] == 0xf0 && b[1] < 0x90) || (b[0] == 0xf4 && b[1] > 0x8f))
		return 0;
	return length;
}

/* A string, at its first quote. */
static bool skip_string(struct ordo_cursor *cursor)
{
	const struct ordo_place place = ordo_cursor_place(cursor);
	const char *begin = cursor->at;
	for (cursor->at++; cursor->at < cursor->end;) {
		unsigned char c = (unsigned char)*cursor->at;
		if (cursor->at - begin >= ORDO_TOKEN_LIMIT)
			return ordo_fail_at(cursor, place, "found a string of more than %d bytes",
				ORDO_TOKEN_LIMIT);
		if (c == '"') {
			cursor->at++;
			return true;
		}
		if (c == '\\') {
			if (!skip_escape(cursor))
				return false;
		} else if (c < 0x20) {
			return ordo_fail_at(cursor, ordo_cursor_place(cursor),
				"found the control character 0x%02x in a string, wanted it escaped",
				c);
		} else if (c < 0x80) {
			cursor->at++;
		} else {
			size_t length = character_length(cursor->at, cursor->end);
			if (!length)
				return ordo_fail_at(cursor, ordo_cursor_place(cursor),
					"found the byte 0x%02x in a string, wanted UTF-8", c);
			cursor->at += length;
		}
	}
	return ordo_fail_found(cursor, "the end of a string");
}

static bool skip_digits(struct ordo_cursor *cursor)
{
	if (peek(cursor) < '0' || peek(cursor) > '9')
		return ordo_fail_found(cursor, "a digit");
	while (peek(cursor) >= '0' && peek(cursor) <= '9')
		cursor->at++;
	return true;
}

static bool skip_number_of_any_length(struct ordo_cursor *cursor)
{
	if (peek(cursor) == '-')
		cursor->at++;
	if (peek(cursor) == '0')
		cursor->at++;
	else if (!skip_digits(cursor))
		return false;
	if (peek(cursor) >= '0' && peek(cursor) <= '9')
		return ordo_fail_found(cursor, "no digit after a leading 0");
	if (peek(cursor) == '.') {
		cursor->at++;
		if (!skip_digits(cursor))
			return false;
	}
	if (peek(cursor) == 'e' || peek(cursor) == 'E') {
		cursor->at++;
		if (peek(cursor) == '+' || peek(cursor) == '-')
			cursor->at++;
		return skip_digits(cursor);
	}
	return true;
}

static bool skip_number(struct ordo_cursor *cursor)
{
	struct ordo_place place = ordo_cursor_place(cursor);
	const char *begin = cursor->at;
	if (!skip_number_of_any_length(cursor))
		return false;
	if (cursor->at - begin > ORDO_NUMBER_LENGTH)
		return ordo_fail_at(cursor, place,
			"found a number of %td letters, wanted at most %d", cursor->at - begin,
			ORDO_NUMBER_LENGTH);
	return true;
}

static bool skip_word(struct ordo_cursor *cursor, const char *word)
{
	size_t length = strlen(word);
	if ((size_t)(cursor->end - cursor->at) < length || memcmp(cursor->at, word, length) != 0)
		return ordo_fail_found(cursor, "a value");
	cursor->at += length;
	return true;
}

static bool skip_nested(struct ordo_cursor *cursor, int depth);

static bool skip_object(struct ordo_cursor *cursor, int depth)
{
	struct ordo_piece key;
	enum ordo_item step;
	bool first = true;
	cursor->at++;
	while ((step = ordo_next_member(cursor, &first, &key)) == ORDO_ITEM_FOUND)
		if (!skip_nested(cursor, depth + 1))
			return false;
	return step == ORDO_ITEM_END;
}

static bool skip_array(struct ordo_cursor *cursor, int depth)
{
	enum ordo_item step;
	bool first = true;
	cursor->at++;
	while ((step = ordo_next_element(cursor, &first)) == ORDO_ITEM_FOUND)
		if (!skip_nested(cursor, depth + 1))
			return false;
	return step == ORDO_ITEM_END;
}

static bool skip_nested(struct ordo_cursor *cursor, int depth)
{
	ordo_skip_space(cursor);
	if (depth > ORDO_NESTING)
		return ordo_fail_at(cursor, ordo_cursor_place(cursor),
			"found values nested more than %d deep", ORDO_NESTING);
	switch (peek(cursor)) {
	case '{':
		return skip_object(cursor, depth);
	case '[':
		return skip_array(cursor, depth);
	case '"':
		return skip_string(cursor);
	case 't':
		return skip_word(cursor, "true");
	case 'f':
		return skip_word(cursor, "false");
	case 'n':
		return skip_word(cursor, "null");
	default:
		if (peek(cursor) == '-' || (peek(cursor) >= '0' && peek(cursor) <= '9'))
			return skip_number(cursor);
		return ordo_fail_found(cursor, "a value");
	}
}

static struct ordo_piece begin_piece(struct ordo_cursor *cursor)
{
	ordo_skip_space(cursor);
	return (struct ordo_piece){.text = cursor->at, .place = ordo_cursor_place(cursor)};
}

bool ordo_skip_value(struct ordo_cursor *cursor, struct ordo_piece *value)
{
	*value = begin_piece(cursor);
	if (!skip_nested(cursor, 0))
		return false;
	value->length = (size_t)(cursor->at - value->text);
	return true;
}

bool ordo_skip_string(struct ordo_cursor *cursor, const char *wanted, struct ordo_piece *string)
{
	*string = begin_piece(cursor);
	if (peek(cursor) != '"')
		return ordo_fail_found(cursor, wanted);
	if (!skip_string(cursor))
		return false;
	string->length = (size_t)(cursor->at - string->text);
	return true;
}

bool ordo_skip_rest(struct ordo_cursor *cursor)
{
	ordo_skip_space(cursor);
	return cursor->at == cursor->end ? true
					 : ordo_fail_found(cursor, "nothing after the document");
}

/* To the next item of an object or array, past the comma, or behind the bracket that closes it. */
static enum ordo_item next_item(
	struct ordo_cursor *cursor, bool *first, char close, const char *wanted)
{
	ordo_skip_space(cursor);
	if (cursor->at < cursor->end && *cursor->at == close) {
		cursor->at++;
		return ORDO_ITEM_END;
	}
	if (!*first && !ordo_skip_character(cursor, ',', wanted))
		return ORDO_ITEM_FAILED;
	*first = false;
	return ORDO_ITEM_FOUND;
}

enum ordo_item ordo_next_member(struct ordo_cursor *cursor, bool *first, struct ordo_piece *key)
{
	enum ordo_item step = next_item(cursor, first, '}', "a comma or '}'");
	if (step != ORDO_ITEM_FOUND)
		return step;
	if (!ordo_skip_string(cursor, "a key in quotes", key) ||
		!ordo_skip_character(cursor, ':', "a colon after the key"))
		return ORDO_ITEM_FAILED;
	return ORDO_ITEM_FOUND;
}

enum ordo_item ordo_next_element(struct ordo_cursor *cursor, bool *first)
{
	return next_item(cursor, first, ']', "a comma or ']'");
}

static size_t encode(int32_t point, char out[4])
{
	if (point < 0x80) {
		out[0] = (char)point;
		return 1;
	}
	size_t length = point < 0x800 ? 2 : point < 0x10000 ? 3 : 4;
	for (size_t i = length - 1; i; i--) {
		out[i] = (char)(0x80 | (point & 0x3f));
		point >>= 6;
	}
	out[0] = (char)((0xf00 >> length & 0xff) | point);
	return length;
}

/* The character of an escape, and the length of the escape in bytes. */
static int32_t escaped(const char *at, const char *end, size_t *length)
{
	static const char letters[] = "bfnrt", meanings[] = "\b\f\n\r\t";
	if (at[1] == 'u')
		return code_point(at, end, length);
	const char *letter = strchr(letters, at[1]);
	*length = 2;
	return letter ? meanings[letter - letters] : at[1];
}

size_t ordo_decode(const struct ordo_piece *string, char *out, size_t size)
{
	const char *at = string->text + 1, *end = string->text + string->length - 1;
	size_t length = 0;
	while (at < end) {
		char bytes[4] = {*at};
		size_t taken = 1, made = 1;
		if (*at == '\\')
			made = encode(escaped(at, end, &taken), bytes);
		for (size_t i = 0; i < made; i++, length++)
			if (length + 1 < size)
				out[length] = bytes[i];
		at += taken;
	}
	if (size)
		out[length < size ? length : size - 1] = '\0';
	return length;
}
