/* pipe_filter.c - bounds what is read from a pipe or a device while it arrives. */
#include "pipe_filter.h"
#include <ordo/arena.h>
#include <string.h>

/* Levels of brackets outside the values that readers parse as a whole (each of these may nest
 * ORDO_NESTING deep itself): more than any document has. */
enum { DEPTH_LIMIT = 2 * ORDO_NESTING };

enum kind { WRONG, PLAIN, SPACE, OPENS, CLOSES, PARTS, QUOTE };

/* The class of a byte outside a string. */
static enum kind kind_of(char c)
{
	if ((c >= '0' && c <= '9') || (c >= 'a' && c <= 'z'))
		return PLAIN;
	switch (c) {
	case ' ':
	case '\n':
	case '\t':
	case '\r':
		return SPACE;
	case '{':
	case '[':
		return OPENS;
	case '}':
	case ']':
		return CLOSES;
	case ',':
	case ':':
		return PARTS;
	case '"':
		return QUOTE;
	case '-':
	case '+':
	case '.':
	case 'E':
		return PLAIN;
	default:
		return WRONG;
	}
}

/* Is this space to be kept? */
static bool take_space(struct ordo_pipe_filter *filter, char c)
{
	filter->token = 0;
	filter->closed = ++filter->space > ORDO_SPACE_LIMIT;
	if (filter->space <= ORDO_SPACE_KEPT)
		return true;
	filter->gap.bytes++;
	filter->gap.lines += c == '\n';
	filter->gap.column = c == '\n' ? 0 : filter->gap.column + 1;
	return false;
}

/* Continues in a string. */
static size_t take_letters(
	struct ordo_pipe_filter *filter, const char *text, size_t at, size_t size)
{
	const size_t begin = at, most = at + ORDO_TOKEN_LIMIT + 1 - filter->token;
	for (; at < size && at < most && filter->in_string && !filter->closed; at++) {
		const unsigned char c = (unsigned char)text[at];
		if (c > '"' && c != '\\') { /* most of them */
			filter->escaped = false;
			continue;
		}
		filter->closed = c < 0x20;
		filter->in_string = filter->escaped || c != '"';
		filter->escaped = !filter->escaped && c == '\\';
	}
	filter->token += (uint32_t)(at - begin);
	filter->closed = filter->closed || filter->token > ORDO_TOKEN_LIMIT;
	return at;
}

static void take_plain(struct ordo_pipe_filter *filter, enum kind kind, char c)
{
	const bool outside = !filter->depth;
	filter->token = kind == PLAIN || kind == QUOTE ? filter->token + 1 : 0;
	filter->in_string = kind == QUOTE;
	filter->depth += kind == OPENS;
	filter->depth -= kind == CLOSES && filter->depth;
	filter->closed = kind == WRONG || (outside && (filter->begun || c != '{')) ||
			 filter->depth > DEPTH_LIMIT || filter->token > ORDO_TOKEN_LIMIT;
	filter->begun = true;
}

/* The gap is at that offset of the kept text. */
static bool end_space(struct ordo_pipe_filter *filter, size_t offset)
{
	const bool left_out = filter->space > ORDO_SPACE_KEPT;
	filter->space = 0;
	if (!left_out)
		return true;
	if (!ordo_array_reserve(
		    &filter->gaps, &filter->gap_room, filter->ngap + 1, sizeof *filter->gaps))
		return false;
	filter->gaps[filter->ngap] = filter->gap;
	filter->gaps[filter->ngap++].offset = offset;
	filter->gap = (struct ordo_gap){0};
	return true;
}

/* Appends text[from..at) to text[0..end). */
static size_t close_up(char *text, size_t end, size_t from, size_t at)
{
	if (end != from)
		memmove(text + end, text + from, at - from);
	return end + (at - from);
}

bool ordo_pipe_filter_take(struct ordo_pipe_filter *filter, char *text, size_t *kept, size_t size)
{
	size_t end = *kept, from = end, at = end; /* from..at: to be kept too */
	while (at < size && !filter->closed) {
		if (filter->in_string) {
			at = take_letters(filter, text, at, size);
			continue;
		}
		const enum kind kind = kind_of(text[at]);
		if (kind != SPACE) {
			if (filter->space && !end_space(filter, end + (at - from)))
				return false;
			take_plain(filter, kind, text[at]);
		} else if (!take_space(filter, text[at])) {
			end = close_up(text, end, from, at);
			from = at + 1;
		}
		at++;
	}
	*kept = close_up(text, end, from, at);
	return !filter->closed || end_space(filter, *kept);
}

bool ordo_pipe_filter_end(struct ordo_pipe_filter *filter, size_t kept)
{
	return end_space(filter, kept);
}
