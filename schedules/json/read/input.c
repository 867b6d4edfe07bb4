/* input.c - inputs from JSON. */
#include "base/source.h"
#include "problem.h"
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <ordo/arena.h>
#include <ordo/detail/input.h>
#include <stdlib.h>
#include <string.h>

/* The fields of an element and of a value, in the order of their places. */
enum spot_key { WHO, CHUNK, OFFSET, VALUE, NSPOT_KEY };

/* A position in a vector and a number as text, as read: their meaning depends on keys that may come
 * later. */
struct spot {
	uint32_t who, chunk, offset;
	const char *number;
	struct ordo_place places[NSPOT_KEY];
	uint64_t position;
};

struct spots {
	struct spot *items;
	size_t count, room;
};

struct reader {
	struct ordo_error *error;
	struct ordo_arena arena;
	struct ordo_place places[ORDO_FIELD_LIMIT];
	struct ordo_problem problem;
	enum ordo_type type;
	enum ordo_reduction reduction;
	uint32_t count;
	const char *rest;
	struct spots elements, values;
};

static bool read_type(struct ordo_cursor *cursor, const struct ordo_field *field, void *type)
{
	const struct ordo_place place = ordo_cursor_place(cursor);
	const char *name;
	if (!ordo_read_string(cursor, field, &name))
		return false;
	if (!ordo_type_from_name(name, type))
		return ordo_fail_at(
			cursor, place, "type: found \"%.40s\", wanted " ORDO_TYPE_NAMES, name);
	return ordo_type_facts(*(enum ordo_type *)type)->part == *(enum ordo_type *)type
		       ? true
		       : ordo_fail_at(cursor, place,
				 "type: found \"%.40s\", wanted one of plain numbers: an input has "
				 "neither complex numbers nor pairs",
				 name);
}

static bool read_reduction(
	struct ordo_cursor *cursor, const struct ordo_field *field, void *reduction)
{
	const struct ordo_place place = ordo_cursor_place(cursor);
	const char *name;
	if (!ordo_read_string(cursor, field, &name))
		return false;
	return ordo_reduction_from_name(name, reduction)
		       ? true
		       : ordo_fail_at(cursor, place,
				 "reduction: found \"%.40s\", wanted " ORDO_REDUCTION_NAMES, name);
}

#define AT(member) offsetof(struct spot, member)
static const struct ordo_field element_fields[] = {
	{"rank", ordo_read_integer, AT(who), .most = ORDO_LIMIT},
	{"chunk", ordo_read_integer, AT(chunk), .most = ORDO_LIMIT},
	{"offset", ordo_read_integer, AT(offset), .most = ORDO_LIMIT},
};
static const struct ordo_object element_object =
	ORDO_OBJECT("an element", "an element", element_fields);
static const struct ordo_field value_fields[] = {
	{"shard", ordo_read_integer, AT(who), .most = ORDO_LIMIT},
	{"chunk", ordo_read_integer, AT(chunk), .most = ORDO_LIMIT},
	{"offset", ordo_read_integer, AT(offset), .most = ORDO_LIMIT},
	{"value", ordo_read_string, .offset = AT(number)},
};
#undef AT
static const struct ordo_object value_object = ORDO_OBJECT("a value", "a value", value_fields);

static bool read_spot(
	struct ordo_cursor *cursor, const struct ordo_object *object, struct spots *spots)
{
	struct spot spot = {0};
	if (!ordo_read_object(cursor, object, &spot, spot.places))
		return false;
	if (!ordo_array_reserve(
		    &spots->items, &spots->room, spots->count + 1, sizeof *spots->items))
		return ordo_fail_memory(cursor->error);
	spots->items[spots->count++] = spot;
	return true;
}

static bool read_element(struct ordo_cursor *cursor, const struct ordo_field *field, void *elements)
{
	(void)field;
	return read_spot(cursor, &element_object, elements);
}

static bool read_value(struct ordo_cursor *cursor, const struct ordo_field *field, void *values)
{
	(void)field;
	return read_spot(cursor, &value_object, values);
}

#define AT(member) offsetof(struct reader, member)
static const struct ordo_field head_fields[] = {
	{"schema", ordo_read_schema, .wanted = "ordo/input/1"},
	{"operator", ordo_read_operator, .offset = AT(problem.op)},
	{"ranks", ordo_read_integer, AT(problem.nrank), 1, .most = ORDO_LIMIT},
	{"root", ordo_read_integer, AT(problem.root), .most = ORDO_LIMIT, .optional = true},
	{"shards", ordo_read_integer, AT(problem.nshard), 1, .most = ORDO_LIMIT, .optional = true},
	{"chunks_per_block", ordo_read_integer, AT(problem.chunks_per_block), 1,
		.most = ORDO_LIMIT},
	{"type", read_type, .offset = AT(type)},
	{"reduction", read_reduction, .offset = AT(reduction)},
	{"count", ordo_read_integer, AT(count), 1, .most = ORDO_LIMIT},
	{"elements", ordo_read_array, AT(elements), .wanted = "an array", .element = read_element},
	{"rest", ordo_read_string, .offset = AT(rest)},
	{"values", ordo_read_array, AT(values), .wanted = "an array", .element = read_value},
};
#undef AT
static const struct ordo_object head = ORDO_OBJECT("an input", "an input, an object", head_fields);

/* Checks that need the whole document. */

static bool check_problem(struct reader *reader, const struct ordo_cursor *cursor)
{
	if (!ordo_check_read_problem(cursor, &reader->problem, &head, reader->places))
		return false;
	const struct ordo_operator_facts *facts = ordo_operator_facts(reader->problem.op);
	if (!facts->reduces)
		return ordo_fail_at(cursor, ordo_place_of(&head, reader->places, "operator"),
			"operator: found \"%s\", wanted one that reduces", facts->name);
	struct ordo_error why;
	return ordo_has_reduction(reader->type, reader->reduction, &why)
		       ? true
		       : ordo_fail_at(cursor, ordo_place_of(&head, reader->places, "reduction"),
				 "%s", why.text);
}

/* `-0x1.8p+3`: a sign if it is negative, 0x, and an exponent; nothing but a number of that type. */
static bool parse_real(const char *text, enum ordo_type type, double *number)
{
	const char *digits = text + (*text == '-');
	char *end;
	if (strncmp(digits, "0x", 2) != 0 ||
		digits[2 + strspn(digits + 2, "0123456789abcdefp.+-")] || !strchr(digits, 'p'))
		return false;
	*number = strtod(text, &end);
	return !*end && isfinite(*number) && ordo_type_round(type, *number) == *number;
}

/* Of a u64, up to 2^63-1. */
static bool parse_integer(const char *text, enum ordo_type type, int64_t *number)
{
	const char *digits = text + (*text == '-');
	const bool is_signed = ordo_type_facts(type)->kind == ORDO_SIGNED;
	const unsigned bits = 8 * (unsigned)ordo_type_size(type) - (is_signed || type == ORDO_U64);
	const int64_t most = (int64_t)(UINT64_MAX >> (64 - bits)),
		      least = is_signed ? -most - 1 : 0;
	if (!*digits || digits[strspn(digits, "0123456789")] || (*digits == '0' && text[1]))
		return false;
	errno = 0;
	*number = strtoll(text, NULL, 10);
	return !errno && *number >= least && *number <= most;
}

static bool parse_number(const struct reader *reader, const struct ordo_cursor *cursor,
	const char *key, const char *text, struct ordo_place place, union ordo_number *number)
{
	const bool real = ordo_type_facts(reader->type)->is_float;
	if (real ? parse_real(text, reader->type, &number->real)
		 : parse_integer(text, reader->type, &number->integer))
		return true;
	return ordo_fail_at(cursor, place,
		"%s: found \"%.60s\", wanted a%s such as \"%s\" that %s can hold", key, text,
		real ? " hexadecimal number" : " whole number", real ? "0x1.8p+3" : "5",
		ordo_type_name(reader->type));
}

/* Do the chunk and this element of it exist? */
static bool place_spot(
	const struct reader *reader, const struct ordo_cursor *cursor, struct spot *spot)
{
	const struct ordo_problem *problem = &reader->problem;
	const uint32_t nchunk = ordo_nchunk(problem), K = problem->chunks_per_block;
	if (spot->chunk >= nchunk)
		return ordo_fail_at(cursor, spot->places[CHUNK],
			"chunk: found %" PRIu32 ", wanted 0..%" PRIu32, spot->chunk, nchunk - 1);
	const uint64_t begin = ordo_chunk_begin(reader->count, K, spot->chunk % K, 1),
		       end = ordo_chunk_begin(reader->count, K, spot->chunk % K + 1, 1);
	if (spot->offset >= end - begin)
		return ordo_fail_at(cursor, spot->places[OFFSET],
			"offset: found %" PRIu32 ", but chunk %" PRIu32 " has %" PRIu64 " elements",
			spot->offset, spot->chunk, end - begin);
	spot->position = ordo_position_of(problem, reader->count, spot->chunk, spot->offset);
	return true;
}

static bool fill_elements(
	struct reader *reader, const struct ordo_cursor *cursor, struct ordo_input *input)
{
	if (!reader->elements.count || reader->elements.count > 2)
		return ordo_fail_at(cursor, ordo_place_of(&head, reader->places, "elements"),
			"elements: found %zu, wanted 1 or 2", reader->elements.count);
	for (uint32_t i = 0; i < reader->elements.count; i++) {
		struct spot *spot = &reader->elements.items[i];
		uint32_t first, end;
		if (!place_spot(reader, cursor, spot))
			return false;
		ordo_chunk_holders(&reader->problem, spot->chunk, &first, &end);
		if (spot->who < first || spot->who >= end)
			return ordo_fail_at(cursor, spot->places[WHO],
				"rank: found %" PRIu32 ", but chunk %" PRIu32
				" is an output of rank%s %" PRIu32 "..%" PRIu32,
				spot->who, spot->chunk, end - first > 1 ? "s" : "", first, end - 1);
		input->elements[i] = (struct ordo_output_element){spot->who, spot->position};
	}
	input->nelement = (uint32_t)reader->elements.count;
	return true;
}

static int compare_spots(const void *one, const void *other)
{
	const struct spot *a = one, *b = other;
	if (a->who != b->who)
		return a->who < b->who ? -1 : 1;
	if (a->position != b->position)
		return a->position < b->position ? -1 : 1;
	const struct ordo_place *p = &a->places[WHO], *q = &b->places[WHO];
	return p->line != q->line ? (p->line < q->line ? -1 : 1)
				  : (p->column > q->column) - (p->column < q->column);
}

static bool fill_values(
	struct reader *reader, const struct ordo_cursor *cursor, struct ordo_input *input)
{
	struct spots *values = &reader->values;
	for (size_t i = 0; i < values->count; i++) {
		struct spot *spot = &values->items[i];
		if (spot->who >= reader->problem.nshard)
			return ordo_fail_at(cursor, spot->places[WHO],
				"shard: found %" PRIu32 ", wanted 0..%" PRIu32, spot->who,
				reader->problem.nshard - 1);
		if (!place_spot(reader, cursor, spot))
			return false;
	}
	if (values->count)
		qsort(values->items, values->count, sizeof *values->items, compare_spots);
	for (size_t i = 0; i < values->count; i++) {
		const struct spot *spot = &values->items[i];
		union ordo_number number;
		if (i && spot[-1].who == spot->who && spot[-1].position == spot->position)
			return ordo_fail_at(cursor, spot->places[WHO],
				"shard %" PRIu32 ", chunk %" PRIu32 ", offset %" PRIu32
				" has a value already",
				spot->who, spot->chunk, spot->offset);
		if (!parse_number(
			    reader, cursor, "value", spot->number, spot->places[VALUE], &number) ||
			!ordo_input_add(input, spot->who, spot->position, number, reader->error))
			return false;
	}
	return true;
}

static struct ordo_input *build(struct reader *reader, const struct ordo_cursor *cursor)
{
	if (!check_problem(reader, cursor))
		return NULL;
	struct ordo_input *input = ordo_input_create(
		&reader->problem, reader->type, reader->reduction, reader->count, reader->error);
	if (input && (!parse_number(reader, cursor, "rest", reader->rest,
			      ordo_place_of(&head, reader->places, "rest"), &input->rest) ||
			     !fill_elements(reader, cursor, input) ||
			     !fill_values(reader, cursor, input))) {
		ordo_input_destroy(input);
		input = NULL;
	}
	return input;
}

static struct ordo_input *read_source(
	const struct ordo_source *source, const char *name, struct ordo_error *error)
{
	struct reader reader = {.error = error};
	struct ordo_cursor cursor;
	ordo_cursor_begin_source(&cursor, source, name, error);
	cursor.arena = &reader.arena;
	cursor.reader = &reader;
	struct ordo_input *input =
		ordo_read_object(&cursor, &head, &reader, reader.places) && ordo_skip_rest(&cursor)
			? build(&reader, &cursor)
			: NULL;
	ordo_arena_free(&reader.arena);
	free(reader.elements.items);
	free(reader.values.items);
	return input;
}

struct ordo_input *ordo_input_read_text(
	const char *text, size_t size, const char *name, struct ordo_error *error)
{
	return read_source(&(struct ordo_source){.text = text, .size = size}, name, error);
}

struct ordo_input *ordo_input_read(const char *path, struct ordo_error *error)
{
	struct ordo_source source;
	const char *name = ordo_source_open(&source, path, error);
	if (!name)
		return NULL;
	struct ordo_input *input = read_source(&source, name, error);
	ordo_source_close(&source);
	return input;
}
