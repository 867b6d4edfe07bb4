/* gate.c - what is read from a pipe or a device, while it comes. */
#include "gate.h"
#include "json/scan.h"
#include <ordo/arena.h>
#include <string.h>

/* Brackets around the values that the readers take whole, each of which has ORDO_NESTING of its
 * own: more of them than any document has. */
enum { DEPTH_LIMIT = 2 * ORDO_NESTING };

enum kind { WRONG, PLAIN, SPACE, OPENS, CLOSES, PARTS, QUOTE };

/* What a byte outside a string is. */
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

/* Whether the space is one to keep. */
static bool take_space(struct ordo_gate *gate, char c)
{
	gate->token = 0;
	gate->closed = ++gate->space > ORDO_SPACE_LIMIT;
	if (gate->space <= ORDO_SPACE_KEPT)
		return true;
	gate->gap.bytes++;
	gate->gap.lines += c == '\n';
	gate->gap.column = c == '\n' ? 0 : gate->gap.column + 1;
	return false;
}

/* Goes on in a string. */
static size_t take_letters(struct ordo_gate *gate, const char *text, size_t at, size_t size)
{
	const size_t begin = at, most = at + ORDO_TOKEN_LIMIT + 1 - gate->token;
	for (; at < size && at < most && gate->in_string && !gate->closed; at++) {
		const unsigned char c = (unsigned char)text[at];
		if (c > '"' && c != '\\') { /* most of them */
			gate->escaped = false;
			continue;
		}
		gate->closed = c < 0x20;
		gate->in_string = gate->escaped || c != '"';
		gate->escaped = !gate->escaped && c == '\\';
	}
	gate->token += (uint32_t)(at - begin);
	gate->closed = gate->closed || gate->token > ORDO_TOKEN_LIMIT;
	return at;
}

static void take_plain(struct ordo_gate *gate, enum kind kind, char c)
{
	const bool outside = !gate->depth;
	gate->token = kind == PLAIN || kind == QUOTE ? gate->token + 1 : 0;
	gate->in_string = kind == QUOTE;
	gate->depth += kind == OPENS;
	gate->depth -= kind == CLOSES && gate->depth;
	gate->closed = kind == WRONG || (outside && (gate->begun || c != '{')) ||
		       gate->depth > DEPTH_LIMIT || gate->token > ORDO_TOKEN_LIMIT;
	gate->begun = true;
}

/* What was left out goes on at that offset of what is kept. */
static bool end_space(struct ordo_gate *gate, size_t offset)
{
	const bool left_out = gate->space > ORDO_SPACE_KEPT;
	gate->space = 0;
	if (!left_out)
		return true;
	if (!ordo_array_reserve(&gate->gaps, &gate->gap_room, gate->ngap + 1, sizeof *gate->gaps))
		return false;
	gate->gaps[gate->ngap] = gate->gap;
	gate->gaps[gate->ngap++].offset = offset;
	gate->gap = (struct ordo_gap){0};
	return true;
}

/* Appends text[from..at) to text[0..end). */
static size_t close_up(char *text, size_t end, size_t from, size_t at)
{
	if (end != from)
		memmove(text + end, text + from, at - from);
	return end + (at - from);
}

bool ordo_gate_take(struct ordo_gate *gate, char *text, size_t *kept, size_t size)
{
	size_t end = *kept, from = end, at = end; /* from..at: to be kept too */
	while (at < size && !gate->closed) {
		if (gate->in_string) {
			at = take_letters(gate, text, at, size);
			continue;
		}
		const enum kind kind = kind_of(text[at]);
		if (kind != SPACE) {
			if (gate->space && !end_space(gate, end + (at - from)))
				return false;
			take_plain(gate, kind, text[at]);
		} else if (!take_space(gate, text[at])) {
			end = close_up(text, end, from, at);
			from = at + 1;
		}
		at++;
	}
	*kept = close_up(text, end, from, at);
	return !gate->closed || end_space(gate, *kept);
}

bool ordo_gate_end(struct ordo_gate *gate, size_t kept)
{
	return end_space(gate, kept);
}
