/* answers.c - answers of a probed machine from JSON. */
#include "base/source.h"
#include "problem.h"
#include <inttypes.h>
#include <ordo/arena.h>
#include <ordo/detail/answers.h>
#include <ordo/plural.h>
#include <stdlib.h>
#include <string.h>

/* Arrays while they are read. */
struct numbers {
	uint32_t *items;
	size_t count, room;
};

struct texts {
	const char **items;
	struct ordo_place *places;
	size_t count, room, place_room;
};

/* A size as read. */
struct met_size {
	uint32_t count;
	struct numbers places, ends, table_of; /* ends: of the tables, in rows */
	struct numbers repetition_ends;	       /* in table_of */
	struct texts rows;
	struct ordo_place at[ORDO_FIELD_LIMIT];
};

struct reader {
	struct ordo_answers *answers;
	struct ordo_place places[ORDO_FIELD_LIMIT];
	struct met_size *sizes;
	size_t nsize, room;
};

static bool add_number(const struct ordo_cursor *cursor, struct numbers *numbers, uint32_t number)
{
	if (!ordo_array_reserve(
		    &numbers->items, &numbers->room, numbers->count + 1, sizeof *numbers->items))
		return ordo_fail_memory(cursor->error);
	numbers->items[numbers->count++] = number;
	return true;
}

static bool read_number(struct ordo_cursor *cursor, const struct ordo_field *field, void *numbers)
{
	const struct ordo_field one = {.key = field->key, .most = ORDO_LIMIT};
	uint32_t number;
	return ordo_read_integer(cursor, &one, &number) && add_number(cursor, numbers, number);
}

static bool read_row(struct ordo_cursor *cursor, const struct ordo_field *field, void *texts)
{
	struct texts *rows = texts;
	ordo_skip_space(cursor);
	const struct ordo_place place = ordo_cursor_place(cursor);
	const char *text;
	if (!ordo_read_string(cursor, field, &text))
		return false;
	if (!ordo_array_reserve(&rows->items, &rows->room, rows->count + 1, sizeof *rows->items) ||
		!ordo_array_reserve(
			&rows->places, &rows->place_room, rows->count + 1, sizeof *rows->places))
		return ordo_fail_memory(cursor->error);
	rows->places[rows->count] = place;
	rows->items[rows->count++] = text;
	return true;
}

static bool read_table(struct ordo_cursor *cursor, const struct ordo_field *field, void *into)
{
	struct met_size *size = into;
	const struct ordo_field rows = {
		.key = field->key, .wanted = "an array of runs", .element = read_row};
	return ordo_read_array(cursor, &rows, &size->rows) &&
	       add_number(cursor, &size->ends, (uint32_t)size->rows.count);
}

static bool read_repetition(struct ordo_cursor *cursor, const struct ordo_field *field, void *into)
{
	struct met_size *size = into;
	const struct ordo_field tables = {
		.key = field->key, .wanted = "an array of tables", .element = read_number};
	return ordo_read_array(cursor, &tables, &size->table_of) &&
	       add_number(cursor, &size->repetition_ends, (uint32_t)size->table_of.count);
}

#define AT(member) offsetof(struct met_size, member)
static const struct ordo_field size_fields[] = {
	{"count", ordo_read_integer, AT(count), 1, .most = ORDO_LIMIT},
	{"places", ordo_read_array, AT(places), .wanted = "an array of elements",
		.element = read_number},
	{"tables", ordo_read_array, .wanted = "an array of tables", .element = read_table},
	{"answers", ordo_read_array, .wanted = "an array of repetitions",
		.element = read_repetition},
};
#undef AT
enum { COUNT, PLACES, TABLES, ANSWERS };
static const struct ordo_object size_object =
	ORDO_OBJECT("a size", "a size, an object", size_fields);

static bool read_size(struct ordo_cursor *cursor, const struct ordo_field *field, void *into)
{
	struct reader *reader = into;
	(void)field;
	if (!ordo_array_reserve(
		    &reader->sizes, &reader->room, reader->nsize + 1, sizeof *reader->sizes))
		return ordo_fail_memory(cursor->error);
	struct met_size *size = &reader->sizes[reader->nsize++];
	*size = (struct met_size){0};
	return ordo_read_object(cursor, &size_object, size, size->at);
}

static bool read_type(struct ordo_cursor *cursor, const struct ordo_field *field, void *type)
{
	const struct ordo_place place = ordo_cursor_place(cursor);
	const char *name;
	if (!ordo_read_string(cursor, field, &name))
		return false;
	return ordo_type_from_name(name, type) && *(enum ordo_type *)type <= ORDO_F64
		       ? true
		       : ordo_fail_at(cursor, place,
				 "type: found \"%.40s\", wanted f16, bf16, f32 or f64", name);
}

/* What the fields are read to. */
struct head {
	struct reader *reader;
	struct ordo_problem problem;
	enum ordo_type type;
	const char *extra;
};

static bool read_sizes(struct ordo_cursor *cursor, const struct ordo_field *field, void *into)
{
	(void)into;
	return ordo_read_array(cursor, field, cursor->reader);
}

#define AT(member) offsetof(struct head, member)
static const struct ordo_field head_fields[] = {
	{"schema", ordo_read_schema, .wanted = "ordo/probe-answers/1"},
	{"operator", ordo_read_operator, .offset = AT(problem.op)},
	{"ranks", ordo_read_integer, AT(problem.nrank), 2, .most = 1 << 15},
	{"root", ordo_read_integer, AT(problem.root), .most = ORDO_LIMIT, .optional = true},
	{"type", read_type, .offset = AT(type)},
	{"x", ordo_read_extra, AT(extra), .optional = true},
	{"sizes", read_sizes, .wanted = "an array of sizes", .element = read_size},
};
#undef AT
static const struct ordo_object head_object =
	ORDO_OBJECT("answers", "answers, an object", head_fields);

static bool check_places(const struct ordo_cursor *cursor, const struct met_size *size)
{
	const struct numbers *places = &size->places;
	for (size_t i = 0; i < places->count; i++)
		if (places->items[i] >= size->count ||
			(i && places->items[i] <= places->items[i - 1]))
			return ordo_fail_at(cursor, size->at[PLACES],
				"places: found %" PRIu32
				", wanted ascending elements below %" PRIu32,
				places->items[i], size->count);
	return places->count > 0 ||
	       ordo_fail_at(cursor, size->at[PLACES], "places: found none, wanted at least one");
}

static bool check_tables(
	const struct reader *reader, const struct ordo_cursor *cursor, const struct met_size *size)
{
	const uint32_t nrun = reader->answers->nrun;
	const size_t digits = size->places.count * 2 * ordo_type_size(reader->answers->type);
	for (size_t t = 0; t < size->ends.count; t++) {
		const uint32_t rows = size->ends.items[t] - (t ? size->ends.items[t - 1] : 0);
		if (rows != nrun)
			return ordo_fail_at(cursor, size->at[TABLES],
				"tables: found %" PRIu32 " runs in table %zu, wanted %" PRIu32
				": each input alone, and each pair",
				rows, t, nrun);
	}
	for (size_t i = 0; i < size->rows.count; i++) {
		const char *row = size->rows.items[i];
		if (strlen(row) != digits || row[strspn(row, "0123456789abcdef")])
			return ordo_fail_at(cursor, size->rows.places[i],
				"tables: found \"%.20s\"%s of %zu letters, wanted %zu hexadecimal "
				"digits",
				row, strlen(row) > 20 ? "..." : "", strlen(row), digits);
	}
	return true;
}

static bool check_answers(
	const struct reader *reader, const struct ordo_cursor *cursor, const struct met_size *size)
{
	const struct numbers *ends = &size->repetition_ends;
	for (size_t i = 0; i < ends->count; i++) {
		const uint32_t ranks = ends->items[i] - (i ? ends->items[i - 1] : 0);
		if (ranks != reader->answers->nholder)
			return ordo_fail_at(cursor, size->at[ANSWERS],
				"answers: found %" PRIu32
				" rank%s in repetition %zu, wanted %" PRIu32,
				ranks, ordo_plural(ranks), i, reader->answers->nholder);
	}
	for (size_t i = 0; i < size->table_of.count; i++)
		if (size->table_of.items[i] >= size->ends.count)
			return ordo_fail_at(cursor, size->at[ANSWERS],
				"answers: found table %" PRIu32 ", wanted one of %zu",
				size->table_of.items[i], size->ends.count);
	return ends->count > 0 || ordo_fail_at(cursor, size->at[ANSWERS],
					  "answers: found none, wanted at least one repetition");
}

/* A copy in the arena. NULL: no memory. */
static void *keep(struct ordo_arena *arena, const void *items, size_t bytes)
{
	void *copy = ordo_arena_alloc(arena, bytes + 1);
	if (copy && bytes)
		memcpy(copy, items, bytes);
	return copy;
}

static bool keep_size(struct reader *reader, const struct ordo_cursor *cursor,
	const struct met_size *met, struct ordo_answered_size *size)
{
	struct ordo_arena *arena = &reader->answers->arena;
	if (!check_places(cursor, met) || !check_tables(reader, cursor, met) ||
		!check_answers(reader, cursor, met))
		return false;
	*size = (struct ordo_answered_size){.count = met->count,
		.places = keep(
			arena, met->places.items, met->places.count * sizeof *met->places.items),
		.nplace = (uint32_t)met->places.count,
		.rows = keep(arena, met->rows.items, met->rows.count * sizeof *met->rows.items),
		.ntable = (uint32_t)met->ends.count,
		.table_of = keep(arena, met->table_of.items,
			met->table_of.count * sizeof *met->table_of.items),
		.nrepetition = (uint32_t)met->repetition_ends.count};
	return (size->places && size->rows && size->table_of) || ordo_fail_memory(cursor->error);
}

static bool keep_sizes(struct reader *reader, const struct ordo_cursor *cursor)
{
	struct ordo_answers *answers = reader->answers;
	answers->sizes =
		ordo_arena_alloc(&answers->arena, (reader->nsize + 1) * sizeof *answers->sizes);
	if (!answers->sizes)
		return ordo_fail_memory(cursor->error);
	for (size_t i = 0; i < reader->nsize; i++)
		if (!keep_size(reader, cursor, &reader->sizes[i], &answers->sizes[i]))
			return false;
	answers->nsize = (uint32_t)reader->nsize;
	return answers->nsize ||
	       ordo_fail_at(cursor, ordo_place_of(&head_object, reader->places, "sizes"),
		       "sizes: found none, wanted at least one");
}

static bool check_head(struct reader *reader, const struct ordo_cursor *cursor, struct head *head)
{
	struct ordo_answers *answers = reader->answers;
	head->problem.chunks_per_block = 1;
	if (!ordo_check_read_problem(cursor, &head->problem, &head_object, reader->places))
		return false;
	if (!ordo_operator_facts(head->problem.op)->reduces)
		return ordo_fail_at(cursor, ordo_place_of(&head_object, reader->places, "operator"),
			"operator: found \"%s\", wanted one that reduces",
			ordo_operator_facts(head->problem.op)->name);
	answers->problem = head->problem;
	answers->type = head->type;
	answers->extra = head->extra;
	answers->nrun = head->problem.nrank + head->problem.nrank * (head->problem.nrank - 1) / 2;
	answers->nholder = head->problem.op == ORDO_REDUCE ? 1 : head->problem.nrank;
	return true;
}

static bool read_all(struct reader *reader, struct ordo_cursor *cursor)
{
	struct head head = {.reader = reader};
	return ordo_read_object(cursor, &head_object, &head, reader->places) &&
	       ordo_skip_rest(cursor) && check_head(reader, cursor, &head) &&
	       keep_sizes(reader, cursor);
}

static void free_size(struct met_size *size)
{
	free(size->places.items);
	free(size->ends.items);
	free(size->table_of.items);
	free(size->repetition_ends.items);
	free(size->rows.items);
	free(size->rows.places);
}

static struct ordo_answers *read_source(
	const struct ordo_source *source, const char *name, struct ordo_error *error)
{
	struct reader reader = {.answers = calloc(1, sizeof *reader.answers)};
	struct ordo_cursor cursor;
	if (!reader.answers) {
		ordo_fail_memory(error);
		return NULL;
	}
	ordo_cursor_begin_source(&cursor, source, name, error);
	cursor.arena = &reader.answers->arena;
	cursor.reader = &reader;
	const bool worked = read_all(&reader, &cursor);
	for (size_t i = 0; i < reader.nsize; i++)
		free_size(&reader.sizes[i]);
	free(reader.sizes);
	if (worked)
		return reader.answers;
	ordo_answers_destroy(reader.answers);
	return NULL;
}

struct ordo_answers *ordo_answers_read_text(
	const char *text, size_t size, const char *name, struct ordo_error *error)
{
	return read_source(&(struct ordo_source){.text = text, .size = size}, name, error);
}

struct ordo_answers *ordo_answers_read(const char *path, struct ordo_error *error)
{
	struct ordo_source source;
	const char *name = ordo_source_open(&source, path, error);
	if (!name)
		return NULL;
	struct ordo_answers *answers = read_source(&source, name, error);
	ordo_source_close(&source);
	return answers;
}

void ordo_answers_destroy(struct ordo_answers *answers)
{
	if (!answers)
		return;
	ordo_arena_free(&answers->arena);
	free(answers);
}

double ordo_answer(const struct ordo_answers *answers, const struct ordo_answered_size *size,
	uint32_t table, uint32_t run, uint32_t place)
{
	const size_t digits = 2 * ordo_type_size(answers->type);
	const char *row = size->rows[(size_t)table * answers->nrun + run];
	char text[17] = {0};
	unsigned char bytes[sizeof(uint64_t)];
	memcpy(text, row + place * digits, digits);
	const uint64_t word = strtoull(text, NULL, 16);
	if (digits == 4)
		memcpy(bytes, &(uint16_t){(uint16_t)word}, sizeof(uint16_t));
	else if (digits == 8)
		memcpy(bytes, &(uint32_t){(uint32_t)word}, sizeof(uint32_t));
	else
		memcpy(bytes, &word, sizeof word);
	return ordo_element_get(answers->type, bytes, 0);
}
