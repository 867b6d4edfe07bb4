/* json.c - parses a text into values that point into it.
 *
 * Stricter than RFC 8259 as schedules/FORMAT.md says: UTF-8 throughout, no U+0000 in strings,
 * numbers of at most 63 letters, strings and white space of at most 1 MiB, values nested at most 64
 * deep in `x`, which stands one deep itself.
 */
#include "json.h"
#include <stdlib.h>
#include <string.h>

enum {
	DEEPEST = 65,
	LONGEST_NUMBER = 63,
	LONGEST_STRING = 1 << 20,
	MOST_SPACE = 1 << 20,
	BLOCK = 4000
};
static const uint32_t no_letter = UINT32_MAX;

struct block {
	struct block *next;
	size_t used;
	struct value values[BLOCK];
};

static bool fail(struct json *json, const char *wrong)
{
	json->wrong = json->wrong ? json->wrong : wrong;
	return false;
}

static struct value *new_value(struct json *json)
{
	struct block *block = json->blocks;
	if (!block || block->used == BLOCK) {
		block = malloc(sizeof *block);
		if (!block)
			return NULL;
		block->next = json->blocks;
		block->used = 0;
		json->blocks = block;
	}
	struct value *value = &block->values[block->used++];
	*value = (struct value){0};
	return value;
}

/* The four digits of \uXXXX. */
static uint32_t take_unit(const char **at, const char *end)
{
	uint32_t unit = 0;
	for (int i = 0; i < 4; i++) {
		static const char digits[] = "0123456789abcdefABCDEF";
		const char *digit = *at < end && **at ? strchr(digits, *(*at)++) : NULL;
		if (!digit)
			return no_letter;
		unit = unit << 4 | (uint32_t)(digit - digits - (digit - digits > 15 ? 6 : 0));
	}
	return unit;
}

/* Behind the backslash. */
static uint32_t take_escape(const char **at, const char *end)
{
	static const char letters[] = "\"\\/bfnrt", meanings[] = "\"\\/\b\f\n\r\t";
	const char letter = *at < end ? *(*at)++ : '\0';
	const char *known = letter ? strchr(letters, letter) : NULL;
	if (known)
		return (unsigned char)meanings[known - letters];
	const uint32_t unit = letter == 'u' ? take_unit(at, end) : no_letter;
	if (unit < 0xd800 || unit > 0xdfff)
		return unit ? unit : no_letter;
	if (unit > 0xdbff || end - *at < 2 || (*at)[0] != '\\' || (*at)[1] != 'u')
		return no_letter;
	*at += 2;
	const uint32_t low = take_unit(at, end);
	return low < 0xdc00 || low > 0xdfff ? no_letter
					    : 0x10000 + (unit - 0xd800) * 0x400 + (low - 0xdc00);
}

/* The next letter of a string, *at before `end`; no_letter: control, half a pair, no UTF-8. */
static uint32_t take_letter(const char **at, const char *end)
{
	static const uint32_t least[] = {0, 0x80, 0x800, 0x10000};
	const unsigned char first = (unsigned char)*(*at)++;
	if (first == '\\')
		return take_escape(at, end);
	if (first < 0x80)
		return first < ' ' ? no_letter : first;
	const int more = first < 0xe0 ? 1 : first < 0xf0 ? 2 : 3;
	if (first < 0xc0 || first > 0xf7 || end - *at < more)
		return no_letter;
	uint32_t letter = first & (0x3fu >> more);
	for (int i = 0; i < more; i++) {
		const unsigned char byte = (unsigned char)*(*at)++;
		if ((byte & 0xc0) != 0x80)
			return no_letter;
		letter = letter << 6 | (byte & 0x3f);
	}
	const bool whole =
		letter >= least[more] && letter <= 0x10ffff && (letter < 0xd800 || letter > 0xdfff);
	return whole ? letter : no_letter;
}

int json_compare(const struct value *one, const struct value *other)
{
	const char *a = one->key + 1, *b = other->key + 1;
	while (*a != '"' && *b != '"') {
		const uint32_t letter = take_letter(&a, one->end),
			       beside = take_letter(&b, other->end);
		if (letter != beside)
			return letter < beside ? -1 : 1;
	}
	return (*a != '"') - (*b != '"');
}

bool json_is(const char *string, const char *end, const char *letters)
{
	string++;
	while (*string != '"' && *letters)
		if (take_letter(&string, end) != (unsigned char)*letters++)
			return false;
	return *string == '"' && !*letters;
}

bool json_decode(const struct value *string, char *out, size_t size)
{
	const char *at = string->text + 1;
	for (size_t length = 0; length + 5 < size;) {
		if (at == string->end - 1) {
			out[length] = '\0';
			return true;
		}
		const uint32_t letter = take_letter(&at, string->end);
		const int more = letter < 0x80 ? 0 : letter < 0x800 ? 1 : letter < 0x10000 ? 2 : 3;
		const uint32_t firsts[] = {0, 0xc0, 0xe0, 0xf0};
		out[length++] = (char)(firsts[more] | letter >> 6 * more);
		for (int i = more - 1; i >= 0; i--)
			out[length++] = (char)(0x80 | (letter >> 6 * i & 0x3f));
	}
	return false;
}

/* The byte behind white space; 0 at the end, which begins nothing. */
static char look(struct json *json)
{
	const char *at = json->at;
	while (at < json->end && (*at == ' ' || *at == '\n' || *at == '\t' || *at == '\r'))
		at++;
	const bool good = at - json->at <= MOST_SPACE ||
			  fail(json, "more than 1 MiB of white space in a row");
	json->at = at;
	return good && at < json->end ? *at : '\0';
}

static bool skip(struct json *json, char byte, const char *wanted)
{
	if (look(json) != byte)
		return fail(json, wanted);
	json->at++;
	return true;
}

static bool read_string(struct json *json)
{
	if (!skip(json, '"', "no string"))
		return false;
	const char *from = json->at - 1;
	while (json->at < json->end && *json->at != '"') {
		const char *at = json->at;
		if (take_letter(&at, json->end) == no_letter)
			return fail(json, "an invalid character in a string");
		json->at = at;
	}
	if (json->at == json->end)
		return fail(json, "a string that does not end");
	json->at++;
	return json->at - from <= LONGEST_STRING ? true : fail(json, "a string of more than 1 MiB");
}

static size_t skip_digits(struct json *json)
{
	const char *from = json->at;
	while (json->at < json->end && *json->at >= '0' && *json->at <= '9')
		json->at++;
	return (size_t)(json->at - from);
}

/* Steps over one of two bytes, if it is there. */
static bool skip_one(struct json *json, char one, char other)
{
	const bool there = json->at < json->end && (*json->at == one || *json->at == other);
	json->at += there;
	return there;
}

static bool read_number(struct json *json)
{
	const char *from = json->at;
	skip_one(json, '-', '-');
	const char *digits = json->at;
	bool good = skip_digits(json) && (*digits != '0' || json->at == digits + 1);
	if (good && skip_one(json, '.', '.'))
		good = skip_digits(json);
	if (good && skip_one(json, 'e', 'E')) {
		skip_one(json, '+', '-');
		good = skip_digits(json);
	}
	return good && json->at - from <= LONGEST_NUMBER ? true
							 : fail(json, "no number, or one too long");
}

static bool read_word(struct json *json, const char *word)
{
	const size_t length = strlen(word);
	if ((size_t)(json->end - json->at) < length || memcmp(json->at, word, length) != 0)
		return fail(json, "no value");
	json->at += length;
	return true;
}

static struct value *read_value(struct json *json, int depth);

/* The members or elements of what begins here. */
static bool read_items(struct json *json, struct value *value, int depth)
{
	struct value **next = &value->child;
	const bool object = *json->at++ == '{';
	const char close = object ? '}' : ']';
	if (look(json) == close)
		return skip(json, close, "");
	do {
		const char *key = look(json) ? json->at : NULL;
		if (object && (!read_string(json) || !skip(json, ':', "no colon behind a key")))
			return false;
		struct value *item = read_value(json, depth + 1);
		if (!item)
			return false;
		item->key = object ? key : NULL;
		*next = item;
		next = &item->next;
	} while (look(json) == ',' && json->at++);
	return skip(json, close, "no comma, or no end of an array or object");
}

static struct value *read_value(struct json *json, int depth)
{
	const char first = look(json);
	struct value *value = new_value(json);
	bool good = (value ? true : fail(json, "out of memory")) &&
		    (depth <= DEEPEST ? true : fail(json, "values nested too deep"));
	if (!good)
		return NULL;
	value->text = json->at;
	if (first == '{' || first == '[')
		good = read_items(json, value, depth);
	else if (first == '"')
		good = read_string(json);
	else if (first == 't' || first == 'f' || first == 'n')
		good = read_word(json, first == 't' ? "true" : first == 'f' ? "false" : "null");
	else if (first == '-' || (first >= '0' && first <= '9'))
		good = read_number(json);
	else
		good = fail(json, "no value");
	value->end = json->at;
	return good ? value : NULL;
}

bool json_read(struct json *json, const char *text, size_t size)
{
	*json = (struct json){.begin = text, .end = text + size, .at = text};
	json->root = read_value(json, 0);
	if (json->root && (look(json) || json->at < json->end))
		fail(json, "something behind the document");
	return !json->wrong;
}

void json_free(struct json *json)
{
	for (struct block *block = json->blocks, *next; block; block = next) {
		next = block->next;
		free(block);
	}
	json->blocks = NULL;
}
