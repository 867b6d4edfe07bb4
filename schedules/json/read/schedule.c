/* schedule.c - schedules from JSON, one task line at a time.
 *
 * One walk over the text (scan.h) knows the structure and the places; it hands small values to
 * cJSON, and task lines that are exactly as we write them to a scanner (task_scan.h). Keys may come
 * in any order, so what one value says about another (ranks, phases) is judged when the whole
 * document was seen. Nothing is allocated by what a document claims, only by what it holds.
 */
#include "problem.h"
#include "reader.h"
#include <inttypes.h>
#include <ordo/arena.h>
#include <ordo/options.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum head_key {
	SCHEMA,
	OPERATOR,
	ALGORITHM,
	RANKS,
	ROOT,
	SHARDS,
	CHUNKS_PER_BLOCK,
	SCRATCH_SLOTS,
	IN_PLACE,
	ACCUMULATE,
	TOPOLOGY,
	PHASES,
	EXTRA,
	PROGRAMS,
	NHEAD_KEY
};

_Static_assert((int)NHEAD_KEY == (int)ORDO_NHEAD_KEY, "a place for every key");
static const char *const head_names[NHEAD_KEY] = {"schema", "operator", "algorithm", "ranks",
	"root", "shards", "chunks_per_block", "scratch_slots", "in_place", "accumulate", "topology",
	"phases", "x", "programs"};
static const struct ordo_keys head_keys = {head_names, NHEAD_KEY, "a schedule"};
static const uint32_t head_required = 1u << SCHEMA | 1u << OPERATOR | 1u << ALGORITHM |
				      1u << RANKS | 1u << CHUNKS_PER_BLOCK | 1u << SCRATCH_SLOTS |
				      1u << IN_PLACE | 1u << PROGRAMS;

static const char *const topology_names[] = {"name", "digest"};
static const struct ordo_keys topology_keys = {topology_names, 2, "the topology of a schedule"};

/* All programs, or all file names. */
static bool read_one_program(struct ordo_reader *reader, struct ordo_cursor *cursor)
{
	ordo_skip_space(cursor);
	bool is_name = cursor->at < cursor->end && *cursor->at == '"';
	if (reader->nprogram && is_name != reader->has_files)
		return ordo_fail_at(cursor, ordo_cursor_place(cursor),
			"programs: found %s, wanted %s as before",
			is_name ? "a string" : "no string", is_name ? "a program" : "a file name");
	reader->has_files = is_name;
	return is_name ? ordo_read_program_name(reader, cursor) : ordo_read_program(reader, cursor);
}

static bool read_programs(struct ordo_reader *reader, struct ordo_cursor *cursor)
{
	enum ordo_item step;
	bool first = true;
	if (!ordo_skip_character(cursor, '[', "an array of programs"))
		return false;
	while ((step = ordo_next_element(cursor, &first)) == ORDO_ITEM_FOUND)
		if (!read_one_program(reader, cursor))
			return false;
	return step == ORDO_ITEM_END;
}

static bool read_phases(struct ordo_reader *reader, struct ordo_cursor *cursor)
{
	struct ordo_schedule *schedule = reader->schedule;
	const char **names = NULL;
	size_t room = 0;
	uint32_t count = 0;
	enum ordo_item step;
	bool first = true, worked = true;
	if (!ordo_skip_character(cursor, '[', "an array of phases"))
		return false;
	while (worked && (step = ordo_next_element(cursor, &first)) != ORDO_ITEM_END) {
		worked = step == ORDO_ITEM_FOUND;
		if (worked && count == ORDO_NO_PHASE)
			worked = ordo_fail_at(cursor, ordo_cursor_place(cursor),
				"phases: found more than %u", ORDO_NO_PHASE);
		if (worked && !ordo_array_reserve(&names, &room, (size_t)count + 1, sizeof *names))
			worked = ordo_fail_memory(reader->error);
		worked = worked &&
			 ordo_read_string(cursor, "phases", &schedule->arena, &names[count]);
		count += worked;
	}
	if (worked && count) {
		schedule->phases =
			ordo_arena_alloc(&schedule->arena, (size_t)count * sizeof *names);
		worked = schedule->phases ? true : ordo_fail_memory(reader->error);
		if (worked)
			memcpy(schedule->phases, names, (size_t)count * sizeof *names);
		schedule->nphase = count;
	}
	free(names);
	return worked;
}

static bool is_digest(const char *text)
{
	return strlen(text) == 32 && strspn(text, "0123456789abcdef") == 32;
}

static bool read_digest(struct ordo_reader *reader, struct ordo_cursor *cursor, const char **digest)
{
	ordo_skip_space(cursor);
	struct ordo_place place = ordo_cursor_place(cursor);
	if (!ordo_read_string(cursor, "digest", &reader->schedule->arena, digest))
		return false;
	return is_digest(*digest)
		       ? true
		       : ordo_fail_at(cursor, place,
				 "digest: found \"%.40s\", wanted 32 hexadecimal digits", *digest);
}

static bool read_topology(struct ordo_reader *reader, struct ordo_cursor *cursor)
{
	struct ordo_schedule *schedule = reader->schedule;
	struct ordo_members members;
	int key;
	if (!ordo_members_begin(&members, cursor, &topology_keys, "the topology, an object"))
		return false;
	while ((key = ordo_members_next(&members)) >= 0)
		if (!(key ? read_digest(reader, cursor, &schedule->topology_digest)
			  : ordo_read_string(
				    cursor, "name", &schedule->arena, &schedule->topology_name)))
			return false;
	return ordo_members_end(&members, 3);
}

static bool read_head_value(
	struct ordo_reader *reader, struct ordo_cursor *cursor, enum head_key key)
{
	struct ordo_schedule *schedule = reader->schedule;
	struct ordo_problem *problem = &schedule->problem;
	ordo_skip_space(cursor);
	reader->places[key] = ordo_cursor_place(cursor);
	switch (key) {
	case SCHEMA:
		return ordo_read_schema(cursor, "ordo/schedule/1");
	case OPERATOR:
		return ordo_read_operator(cursor, &problem->op);
	case ALGORITHM:
		return ordo_read_string(
			cursor, "algorithm", &schedule->arena, &schedule->algorithm);
	case RANKS:
		return ordo_read_integer(cursor, "ranks", 1, ORDO_LIMIT, &problem->nrank);
	case ROOT:
		return ordo_read_integer(cursor, "root", 0, ORDO_LIMIT, &problem->root);
	case SHARDS:
		return ordo_read_integer(cursor, "shards", 1, ORDO_LIMIT, &problem->nshard);
	case CHUNKS_PER_BLOCK:
		return ordo_read_integer(
			cursor, "chunks_per_block", 1, ORDO_LIMIT, &problem->chunks_per_block);
	case SCRATCH_SLOTS:
		return ordo_read_integer(
			cursor, "scratch_slots", 0, ORDO_LIMIT, &schedule->scratch_slots);
	case IN_PLACE:
		return ordo_read_boolean(cursor, "in_place", &problem->in_place);
	case ACCUMULATE:
		return ordo_read_accumulate(cursor, &problem->accumulate_f32);
	case TOPOLOGY:
		return read_topology(reader, cursor);
	case PHASES:
		return read_phases(reader, cursor);
	case EXTRA:
		return ordo_read_extra(cursor, &schedule->arena, &schedule->extra);
	case PROGRAMS:
		return read_programs(reader, cursor);
	case NHEAD_KEY:
		break;
	}
	return false;
}

static bool read_head(struct ordo_reader *reader, struct ordo_cursor *cursor)
{
	struct ordo_members members;
	int key;
	if (!ordo_members_begin(&members, cursor, &head_keys, "a schedule, an object"))
		return false;
	while ((key = ordo_members_next(&members)) >= 0)
		if (!read_head_value(reader, cursor, (enum head_key)key))
			return false;
	return ordo_members_end(&members, head_required) && ordo_skip_rest(cursor);
}

static bool check_problem(struct ordo_reader *reader, const struct ordo_cursor *cursor)
{
	const struct ordo_problem_places places = {.op = reader->places[OPERATOR],
		.nrank = reader->places[RANKS],
		.root = reader->places[ROOT],
		.nshard = reader->places[SHARDS],
		.chunks_per_block = reader->places[CHUNKS_PER_BLOCK],
		.in_place = reader->places[IN_PLACE],
		.accumulate = reader->places[ACCUMULATE]};
	return ordo_check_read_problem(cursor, &reader->schedule->problem, &places);
}

static bool check_phases(const struct ordo_reader *reader, const struct ordo_cursor *cursor)
{
	uint32_t nphase = reader->schedule->nphase;
	if (reader->largest_phase == ORDO_NO_PHASE || reader->largest_phase < nphase)
		return true;
	struct ordo_cursor there = *cursor;
	there.file = reader->phase_file;
	if (!nphase)
		return ordo_fail_at(&there, reader->phase_place,
			"phase: found %" PRIu32 ", but the schedule names no phases",
			reader->largest_phase);
	return ordo_fail_at(&there, reader->phase_place,
		"phase: found %" PRIu32 ", wanted 0..%" PRIu32 ", the phases named",
		reader->largest_phase, nphase - 1);
}

/* Gives every program the place of its rank. `taken` has room for nrank or nprogram + 1 ranks,
 * whichever is less: if all are there that is all, and if not, one among them is missing. */
static bool place_programs(struct ordo_reader *reader, const struct ordo_cursor *cursor,
	const struct ordo_met_program **taken, uint32_t room)
{
	uint32_t nrank = reader->schedule->problem.nrank;
	for (uint32_t i = 0; i < reader->nprogram; i++) {
		const struct ordo_met_program *program = &reader->programs[i];
		struct ordo_cursor there = *cursor;
		there.file = program->file;
		if (program->rank >= nrank)
			return ordo_fail_rule_at(&there, program->place, 2,
				"rank: found %" PRIu32 ", wanted 0..%" PRIu32, program->rank,
				nrank - 1);
		if (program->rank < room)
			taken[program->rank] = program;
	}
	for (uint32_t r = 0; r < room; r++)
		if (!taken[r])
			return ordo_fail_rule_at(cursor, reader->places[PROGRAMS], 2,
				"programs: rank %" PRIu32 " is missing; found %" PRIu32
				" programs, wanted %" PRIu32,
				r, reader->nprogram, nrank);
	return true;
}

static bool keep_programs(struct ordo_reader *reader, const struct ordo_met_program *const *taken)
{
	struct ordo_schedule *schedule = reader->schedule;
	uint32_t nrank = schedule->problem.nrank;
	schedule->programs = calloc(nrank, sizeof *schedule->programs);
	if (reader->has_files)
		schedule->program_files =
			ordo_arena_alloc(&schedule->arena, nrank * sizeof *schedule->program_files);
	if (!schedule->programs || (reader->has_files && !schedule->program_files))
		return ordo_fail_memory(reader->error);
	for (uint32_t r = 0; r < nrank; r++) {
		if (taken[r]->first_stream < taken[r]->end_stream)
			schedule->programs[r] =
				(struct ordo_program){taken[r]->first_stream, taken[r]->end_stream};
		if (reader->has_files)
			schedule->program_files[r] = taken[r]->file;
	}
	return true;
}

static bool finish(struct ordo_reader *reader, const struct ordo_cursor *cursor)
{
	if (!check_problem(reader, cursor) || !check_phases(reader, cursor))
		return false;
	uint32_t nrank = reader->schedule->problem.nrank;
	uint32_t room = nrank <= reader->nprogram ? nrank : reader->nprogram + 1;
	const struct ordo_met_program **taken = calloc(room, sizeof *taken);
	if (!taken)
		return ordo_fail_memory(reader->error);
	bool worked = place_programs(reader, cursor, taken, room) && keep_programs(reader, taken);
	free(taken);
	return worked;
}

/* Reads the head, and through it all. */
static struct ordo_schedule *read_document(
	struct ordo_reader *reader, const struct ordo_source *text, const char *name)
{
	struct ordo_cursor cursor;
	bool worked = false;
	reader->schedule = calloc(1, sizeof *reader->schedule);
	reader->largest_phase = ORDO_NO_PHASE;
	if (reader->schedule)
		reader->schedule->file =
			ordo_arena_text(&reader->schedule->arena, name, strlen(name));
	if (reader->schedule && reader->schedule->file) {
		ordo_cursor_begin_source(&cursor, text, reader->schedule->file, reader->error);
		worked = read_head(reader, &cursor) && finish(reader, &cursor);
	} else {
		ordo_fail_memory(reader->error);
	}
	free(reader->programs);
	ordo_map_free(&reader->program_of);
	if (worked)
		return reader->schedule;
	ordo_schedule_destroy(reader->schedule);
	return NULL;
}

static struct ordo_schedule *read_text(const char *text, size_t size, const char *name,
	const struct ordo_read_options *options, struct ordo_error *error)
{
	struct ordo_reader reader = {.error = error, .folder = -1};
	if (options)
		reader.options = *options;
	return read_document(&reader, &(struct ordo_source){.text = text, .size = size}, name);
}

struct ordo_schedule *ordo_schedule_read_text_sized(size_t options_size, const char *text,
	size_t size, const char *name, const struct ordo_read_options *options,
	struct ordo_error *error)
{
	struct ordo_read_options own;
	return ordo_options_take(&own, sizeof own, options, options_size, error)
		       ? read_text(text, size, name, &own, error)
		       : NULL;
}

struct ordo_schedule *(ordo_schedule_read_text)(const char *text, size_t size, const char *name,
	const struct ordo_read_options *options, struct ordo_error *error)
{
	return ordo_schedule_read_text_sized(
		ORDO_UP_TO(ordo_read_options, closure), text, size, name, options, error);
}

struct ordo_schedule *ordo_schedule_read_opened(struct ordo_opened *opened,
	const struct ordo_read_options *options, struct ordo_error *error)
{
	struct ordo_source source;
	struct ordo_schedule *schedule = NULL;
	if (ordo_source_from(&source, opened->file, opened->name, error)) {
		struct ordo_reader reader = {.error = error,
			.source = &source,
			.folder = opened->folder,
			.folder_name = opened->folder_name};
		if (options)
			reader.options = *options;
		schedule = read_document(&reader, &source, opened->name);
		ordo_source_close(&source);
	}
	if (opened->folder >= 0)
		close(opened->folder);
	return schedule;
}

static struct ordo_schedule *read_path(
	const char *path, const struct ordo_read_options *options, struct ordo_error *error)
{
	struct ordo_opened opened;
	return ordo_open_document(path, "schedule.json", &opened, error)
		       ? ordo_schedule_read_opened(&opened, options, error)
		       : NULL;
}

struct ordo_schedule *ordo_schedule_read_sized(size_t size, const char *path,
	const struct ordo_read_options *options, struct ordo_error *error)
{
	struct ordo_read_options own;
	return ordo_options_take(&own, sizeof own, options, size, error)
		       ? read_path(path, &own, error)
		       : NULL;
}

struct ordo_schedule *(ordo_schedule_read)(const char *path,
	const struct ordo_read_options *options, struct ordo_error *error)
{
	return ordo_schedule_read_sized(
		ORDO_UP_TO(ordo_read_options, closure), path, options, error);
}
