/* read.c - programs of moves from JSON, one move at a time.
 *
 * Keys may come in any order, so what depends on others (ranks, phases, streams) is checked after
 * the whole document was read. Memory is allocated only for what a document contains.
 */
#include "json/read/problem.h"
#include "json/read/reader.h"
#include <inttypes.h>
#include <ordo/arena.h>
#include <ordo/read_moves.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char schema[] = "ordo/moves/1";

/* While it is read. */
struct reader {
	struct ordo_moves *moves;
	struct ordo_place places[ORDO_FIELD_LIMIT];
	struct ordo_place *way_places; /* [moves->nway] */
	size_t way_room;
	struct ordo_source *source; /* NULL if the text is the caller's */
};

/* An end of a move. */
struct met_end {
	uint32_t rank, buffer, slot;
};

struct met_move {
	uint32_t reduces, count, stream, phase, line;
	struct met_end from, to;
};

static bool read_kind(struct ordo_cursor *cursor, const struct ordo_field *field, void *into)
{
	static const char *const words[] = {"copy", "reduce"};
	struct ordo_piece value;
	return ordo_skip_value(cursor, &value) && ordo_piece_word(cursor, &value, field->key, words,
							  2, "\"copy\" or \"reduce\"", into);
}

/* An element of `[rank, buffer, first slot]`. */
static bool read_part(const struct ordo_cursor *cursor, const struct ordo_field *field,
	const struct ordo_piece *value, uint32_t index, struct met_end *end)
{
	const char *words[ORDO_NBUFFER];
	if (index != 1)
		return ordo_piece_integer(cursor, value, field, index ? &end->slot : &end->rank);
	for (uint32_t i = 0; i < ORDO_NBUFFER; i++)
		words[i] = ordo_buffer_name((enum ordo_buffer)i);
	return ordo_piece_word(cursor, value, field->key, words, ORDO_NBUFFER,
		"\"input\", \"output\" or \"scratch\"", &end->buffer);
}

static bool read_end(struct ordo_cursor *cursor, const struct ordo_field *field, void *into)
{
	const struct ordo_place place = ordo_cursor_place(cursor);
	struct ordo_piece value;
	enum ordo_item step;
	uint32_t count = 0;
	bool first = true;
	if (cursor->at >= cursor->end || *cursor->at != '[')
		return ordo_skip_value(cursor, &value) &&
		       ordo_fail_value(cursor, &value, field->key, field->wanted);
	cursor->at++;
	while ((step = ordo_next_element(cursor, &first)) == ORDO_ITEM_FOUND) {
		if (!ordo_skip_value(cursor, &value) ||
			(count < 3 && !read_part(cursor, field, &value, count, into)))
			return false;
		count++;
	}
	if (step == ORDO_ITEM_END && count != 3)
		return ordo_fail_at(cursor, place, "%s: found an array of %" PRIu32 ", wanted %s",
			field->key, count, field->wanted);
	return step == ORDO_ITEM_END;
}

#define AT(member) offsetof(struct met_move, member)
static const struct ordo_field move_fields[] = {
	{"move", read_kind, .offset = AT(reduces)},
	{"from", read_end, AT(from), .most = ORDO_LIMIT, .wanted = "[rank, buffer, first slot]"},
	{"to", read_end, AT(to), .most = ORDO_LIMIT, .wanted = "[rank, buffer, first slot]"},
	{"count", ordo_read_integer, AT(count), 1, .most = ORDO_LIMIT, .optional = true},
	{"stream", ordo_read_integer, AT(stream), .most = ORDO_LIMIT, .optional = true},
	{"phase", ordo_read_integer, AT(phase), .most = ORDO_NO_PHASE - 1, .optional = true},
	{"line", ordo_read_integer, AT(line), 1, .most = ORDO_LIMIT, .optional = true},
};
#undef AT
static const struct ordo_object move_object =
	ORDO_OBJECT("a move", "a move, an object", move_fields);

static bool keep_place(struct ordo_moves *moves, struct ordo_place place, struct ordo_error *error)
{
	if (!ordo_array_reserve(&moves->places, &moves->place_room, (size_t)moves->nitem,
		    sizeof *moves->places))
		return ordo_fail_memory(error);
	moves->places[moves->nitem - 1] = place;
	return true;
}

static bool read_move(struct ordo_cursor *cursor, const struct ordo_field *field, void *into)
{
	struct reader *reader = cursor->reader;
	struct ordo_moves *moves = reader->moves;
	struct met_move met = {.count = 1, .phase = ORDO_NO_PHASE};
	(void)field;
	(void)into;
	ordo_skip_space(cursor);
	const struct ordo_place place = ordo_cursor_place(cursor);
	if (!ordo_read_object(cursor, &move_object, &met, NULL))
		return false;
	const struct ordo_moves_item item = {.reduces = met.reduces & 1,
		.src_buffer = met.from.buffer & 3,
		.dst_buffer = met.to.buffer & 3,
		.phase = met.phase & ORDO_NO_PHASE,
		.stream = met.stream,
		.src_rank = met.from.rank,
		.src = met.from.slot,
		.dst_rank = met.to.rank,
		.dst = met.to.slot,
		.count = met.count,
		.line = met.line};
	if (moves->nitem == ORDO_LIMIT)
		return ordo_fail_at(cursor, place, "moves: found more than %u", ORDO_LIMIT);
	if (reader->source && moves->nitem % 65536 == 65535)
		ordo_source_release(reader->source, (size_t)(cursor->at - reader->source->text));
	return ordo_moves_append(moves, &item, cursor->error) &&
	       keep_place(moves, place, cursor->error);
}

/* A way and the stream that takes it. */
struct met_way {
	uint32_t rank, stream;
	struct ordo_met_way way;
};

#define AT(member) offsetof(struct met_way, member)
static const struct ordo_field way_fields[] = {
	{"rank", ordo_read_integer, AT(rank), .most = ORDO_LIMIT},
	{"stream", ordo_read_integer, AT(stream), .most = ORDO_LIMIT},
	{"via", ordo_read_via, AT(way), .wanted = "an array of switches"},
	{"class", ordo_read_via_class, AT(way), .wanted = "an array of classes", .optional = true},
};
#undef AT
static const struct ordo_object way_object = ORDO_OBJECT("a way", "a way, an object", way_fields);

static bool read_way(struct ordo_cursor *cursor, const struct ordo_field *field, void *into)
{
	struct reader *reader = cursor->reader;
	struct met_way met = {0};
	(void)field;
	(void)into;
	ordo_skip_space(cursor);
	const struct ordo_place place = ordo_cursor_place(cursor);
	struct ordo_place places[sizeof way_fields / sizeof *way_fields] = {0};
	if (!ordo_read_object(cursor, &way_object, &met, places) ||
		!ordo_finish_way(cursor, &met.way, ordo_place_of(&way_object, places, "class")))
		return false;
	const struct ordo_moves_way way = {met.rank, met.stream, &met.way.via};
	if (!ordo_array_reserve(&reader->way_places, &reader->way_room,
		    (size_t)reader->moves->nway + 1, sizeof *reader->way_places))
		return ordo_fail_memory(cursor->error);
	reader->way_places[reader->moves->nway] = place;
	return ordo_moves_add_way(reader->moves, &way, cursor->error);
}

static bool read_topology(struct ordo_cursor *cursor, const struct ordo_field *field, void *into)
{
	struct ordo_moves *moves = into;
	struct ordo_met_topology met = {0};
	const bool worked = ordo_read_met_topology(cursor, field, &met);
	moves->topology_name = met.name;
	moves->topology_digest = met.digest;
	return worked;
}

static bool read_phases(struct ordo_cursor *cursor, const struct ordo_field *field, void *into)
{
	struct ordo_moves *moves = into;
	return ordo_read_names(cursor, field, ORDO_NO_PHASE, &moves->phases, &moves->nphase);
}

static bool read_streams(struct ordo_cursor *cursor, const struct ordo_field *field, void *into)
{
	struct ordo_moves *moves = into;
	return ordo_read_names(cursor, field, ORDO_LIMIT, &moves->streams, &moves->nstream);
}

#define AT(member) offsetof(struct ordo_moves, member)
static const struct ordo_field head_fields[] = {
	{"schema", ordo_read_schema, .wanted = schema},
	{"operator", ordo_read_operator, .offset = AT(problem.op)},
	{"algorithm", ordo_read_string, .offset = AT(algorithm)},
	{"ranks", ordo_read_integer, AT(problem.nrank), 1, .most = ORDO_LIMIT},
	{"root", ordo_read_integer, AT(problem.root), .most = ORDO_LIMIT, .optional = true},
	{"shards", ordo_read_integer, AT(problem.nshard), 1, .most = ORDO_LIMIT, .optional = true},
	{"chunks_per_block", ordo_read_integer, AT(problem.chunks_per_block), 1, .most = ORDO_LIMIT,
		.optional = true},
	{"scratch_slots", ordo_read_integer, AT(scratch_slots), .most = ORDO_LIMIT,
		.optional = true},
	{"in_place", ordo_read_boolean, AT(problem.in_place), .optional = true},
	{"accumulate", ordo_read_accumulate, AT(problem.accumulate), .optional = true},
	{"topology", read_topology, .optional = true},
	{"source", ordo_read_string, AT(source), .optional = true},
	{"phases", read_phases, .wanted = "an array of phases", .optional = true},
	{"streams", read_streams, .wanted = "an array of names of streams", .optional = true},
	{"ways", ordo_read_array, .wanted = "an array of ways", .element = read_way,
		.optional = true},
	{"x", ordo_read_extra, AT(extra), .optional = true},
	{"moves", ordo_read_array, .wanted = "an array of moves", .element = read_move},
};
#undef AT
static const struct ordo_object head =
	ORDO_OBJECT("a program of moves", "a program of moves, an object", head_fields);

/* Of Custom nothing says what the moves should do. */
static bool check_operator(const struct ordo_cursor *cursor, const struct reader *reader)
{
	const struct ordo_moves *moves = reader->moves;
	return moves->problem.op != ORDO_CUSTOM ||
	       ordo_fail_at(cursor, ordo_place_of(&head, reader->places, "operator"),
		       "operator: found \"Custom\", wanted another; nothing says what it should "
		       "compute");
}

/* `phase: found 3, wanted 0..1, the phases named` */
static bool fail_index(const struct ordo_cursor *cursor, struct ordo_place place, const char *key,
	uint32_t found, uint32_t count, const char *what)
{
	return count ? ordo_fail_at(cursor, place,
			       "%s: found %" PRIu32 ", wanted 0..%" PRIu32 ", the %s named", key,
			       found, count - 1, what)
		     : ordo_fail_at(cursor, place,
			       "%s: found %" PRIu32 ", but the program names no %s", key, found,
			       what);
}

static bool check_move(const struct ordo_cursor *cursor, const struct ordo_moves *moves,
	const struct ordo_moves_item *item, struct ordo_place place)
{
	const uint32_t nrank = moves->problem.nrank;
	const bool from = item->src_rank >= nrank;
	if (from || item->dst_rank >= nrank)
		return ordo_fail_rule_at(cursor, place, 2,
			"%s: found rank %" PRIu32 ", wanted 0..%" PRIu32, from ? "from" : "to",
			from ? item->src_rank : item->dst_rank, nrank - 1);
	if (item->phase != ORDO_NO_PHASE && item->phase >= moves->nphase)
		return fail_index(cursor, place, "phase", item->phase, moves->nphase, "phases");
	if (item->stream >= moves->nstream)
		return fail_index(cursor, place, "stream", item->stream, moves->nstream, "streams");
	if (!item->line != !moves->source)
		return item->line ? ordo_fail_at(cursor, place,
					    "line: found %" PRIu32
					    ", but the program names no \"source\"",
					    item->line)
				  : ordo_fail_at(cursor, place,
					    "the key \"line\" is missing in a move: the program "
					    "names its source");
	return true;
}

static bool check_way(const struct ordo_cursor *cursor, const struct ordo_moves *moves,
	const struct ordo_moves_way *way, struct ordo_place place)
{
	const uint32_t nrank = moves->problem.nrank;
	if (way->rank >= nrank)
		return ordo_fail_rule_at(cursor, place, 2,
			"rank: found %" PRIu32 ", wanted 0..%" PRIu32, way->rank, nrank - 1);
	if (way->stream >= moves->nstream)
		return fail_index(cursor, place, "stream", way->stream, moves->nstream, "streams");
	return ordo_check_via(cursor, way->via, nrank, place);
}

/* Where no streams are named there is one. */
static bool name_usual_stream(struct ordo_moves *moves, struct ordo_error *error)
{
	moves->streams = ordo_arena_alloc(&moves->arena, sizeof *moves->streams);
	if (!moves->streams)
		return ordo_fail_memory(error);
	moves->streams[0] = "main";
	moves->nstream = 1;
	return true;
}

static bool finish(const struct ordo_cursor *cursor, const struct reader *reader)
{
	struct ordo_moves *moves = reader->moves;
	if (!moves->nstream && !name_usual_stream(moves, cursor->error))
		return false;
	if (!ordo_place_of(&head, reader->places, "chunks_per_block").line)
		moves->problem.chunks_per_block = 1;
	bool worked = ordo_check_read_problem(cursor, &moves->problem, &head, reader->places) &&
		      check_operator(cursor, reader);
	for (uint32_t i = 0; worked && i < moves->nway; i++)
		worked = check_way(cursor, moves, &moves->ways[i], reader->way_places[i]);
	for (uint32_t i = 0; worked && i < moves->nitem; i++)
		worked = check_move(cursor, moves, &moves->items[i], moves->places[i]);
	return worked;
}

static struct ordo_moves *read_source(
	struct ordo_source *source, const char *name, bool releases, struct ordo_error *error)
{
	const struct ordo_problem none = {.nrank = 1, .nshard = 1};
	struct reader reader = {.moves = ordo_moves_create(&none, "", error)};
	struct ordo_cursor cursor;
	bool worked = false;
	if (!reader.moves)
		return NULL;
	reader.source = releases ? source : NULL;
	reader.moves->file = ordo_arena_text(&reader.moves->arena, name, strlen(name));
	if (reader.moves->file) {
		ordo_cursor_begin_source(&cursor, source, reader.moves->file, error);
		cursor.arena = &reader.moves->arena;
		cursor.reader = &reader;
		worked = ordo_read_object(&cursor, &head, reader.moves, reader.places) &&
			 ordo_skip_rest(&cursor) && finish(&cursor, &reader);
	} else {
		ordo_fail_memory(error);
	}
	free(reader.way_places);
	if (worked)
		return reader.moves;
	ordo_moves_destroy(reader.moves);
	return NULL;
}

struct ordo_moves *ordo_moves_read_text(
	const char *text, size_t size, const char *name, struct ordo_error *error)
{
	struct ordo_source source = {.text = text, .size = size};
	return read_source(&source, name, false, error);
}

struct ordo_moves *ordo_moves_read(const char *path, struct ordo_error *error)
{
	struct ordo_source source;
	const char *name = ordo_source_open(&source, path, error);
	if (!name)
		return NULL;
	struct ordo_moves *moves = read_source(&source, name, true, error);
	ordo_source_close(&source);
	return moves;
}

bool ordo_is_moves(const char *path)
{
	return ordo_is_kind(path, "", schema);
}

bool ordo_read_either(const char *path, const struct ordo_read_options *options,
	struct ordo_read_either *either, struct ordo_error *error)
{
	struct ordo_opened opened;
	struct ordo_source source;
	*either = (struct ordo_read_either){0};
	if (!ordo_open_document(path, "schedule.json", &opened, error))
		return false;
	if (ordo_source_from(&source, opened.file, opened.name, error)) {
		if (ordo_names_schema(source.text, source.size, schema))
			either->moves = read_source(&source, opened.name, true, error);
		else
			either->schedule =
				ordo_schedule_read_source(&source, &opened, options, error);
		ordo_source_close(&source);
	}
	if (opened.folder >= 0)
		close(opened.folder);
	return either->schedule || either->moves;
}
