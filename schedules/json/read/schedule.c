/* schedule.c - schedules from JSON, one task line at a time.
 *
 * One pass over the text (scan.h) finds the structure and the places; small values are parsed by
 * cJSON, canonical task lines by a fast scanner (task_scan.h). Keys may come in any order, so
 * constraints between values (ranks, phases) are checked after the whole document was read. Memory
 * is allocated only for what a document contains, not for the numbers that it claims.
 */
#include "problem.h"
#include "reader.h"
#include <inttypes.h>
#include <ordo/arena.h>
#include <ordo/detail/schedules.h>
#include <ordo/options.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* All programs, or all file names. */
static bool read_program(struct ordo_cursor *cursor, const struct ordo_field *field, void *into)
{
	struct ordo_reader *reader = cursor->reader;
	(void)into;
	ordo_skip_space(cursor);
	bool is_name = cursor->at < cursor->end && *cursor->at == '"';
	if (reader->nprogram && is_name != reader->has_files)
		return ordo_fail_at(cursor, ordo_cursor_place(cursor),
			"programs: found %s, wanted %s as before",
			is_name ? "a string" : "no string", is_name ? "a program" : "a file name");
	reader->has_files = is_name;
	return is_name ? ordo_read_program_name(reader, cursor, field)
		       : ordo_read_program(reader, cursor);
}

static bool read_phases(struct ordo_cursor *cursor, const struct ordo_field *field, void *into)
{
	struct ordo_schedule *schedule = into;
	return ordo_read_names(cursor, field, ORDO_NO_PHASE, &schedule->phases, &schedule->nphase);
}

static bool read_topology(struct ordo_cursor *cursor, const struct ordo_field *field, void *into)
{
	struct ordo_schedule *schedule = into;
	struct ordo_met_topology met = {0};
	const bool worked = ordo_read_met_topology(cursor, field, &met);
	schedule->topology_name = met.name;
	schedule->topology_digest = met.digest;
	return worked;
}

#define AT(member) offsetof(struct ordo_schedule, member)
static const struct ordo_field head_fields[] = {
	{"schema", ordo_read_schema, .wanted = "ordo/schedule/1"},
	{"operator", ordo_read_operator, .offset = AT(problem.op)},
	{"algorithm", ordo_read_string, .offset = AT(algorithm)},
	{"ranks", ordo_read_integer, AT(problem.nrank), 1, .most = ORDO_LIMIT},
	{"root", ordo_read_integer, AT(problem.root), .most = ORDO_LIMIT, .optional = true},
	{"shards", ordo_read_integer, AT(problem.nshard), 1, .most = ORDO_LIMIT, .optional = true},
	{"chunks_per_block", ordo_read_integer, AT(problem.chunks_per_block), 1,
		.most = ORDO_LIMIT},
	{"scratch_slots", ordo_read_integer, AT(scratch_slots), .most = ORDO_LIMIT},
	{"in_place", ordo_read_boolean, .offset = AT(problem.in_place)},
	{"accumulate", ordo_read_accumulate, AT(problem.accumulate), .optional = true},
	{"staging", ordo_read_true, AT(staging), .optional = true},
	{"topology", read_topology, .optional = true},
	{"phases", read_phases, .wanted = "an array of phases", .optional = true},
	{"x", ordo_read_extra, AT(extra), .optional = true},
	{"programs", ordo_read_array, .wanted = "an array of programs", .element = read_program},
};
#undef AT
static const struct ordo_object head =
	ORDO_OBJECT("a schedule", "a schedule, an object", head_fields);

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

/* A way leads over switches, whose numbers begin behind those of the ranks. */
static bool check_vias(const struct ordo_reader *reader, const struct ordo_cursor *cursor)
{
	const struct ordo_schedule *schedule = reader->schedule;
	for (uint32_t i = 0; i < reader->nvia; i++) {
		const struct ordo_met_via *met = &reader->vias[i];
		const struct ordo_via *via = schedule->vias[met->stream];
		struct ordo_cursor there = *cursor;
		there.file = met->file;
		if (!ordo_check_via(&there, via, schedule->problem.nrank, met->place))
			return false;
	}
	return true;
}

/* Moves every program to the index of its rank. `taken` has room for nrank or nprogram + 1 ranks,
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
			return ordo_fail_rule_at(cursor,
				ordo_place_of(&head, reader->places, "programs"), 2,
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
	if (!ordo_check_read_problem(cursor, &reader->schedule->problem, &head, reader->places) ||
		!check_phases(reader, cursor) || !check_vias(reader, cursor))
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
		cursor.arena = &reader->schedule->arena;
		cursor.reader = reader;
		worked = ordo_read_object(&cursor, &head, reader->schedule, reader->places) &&
			 ordo_skip_rest(&cursor) && finish(reader, &cursor);
	} else {
		ordo_fail_memory(reader->error);
	}
	free(reader->programs);
	free(reader->vias);
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

struct ordo_schedule *ordo_schedule_read_source(struct ordo_source *source,
	const struct ordo_opened *opened, const struct ordo_read_options *options,
	struct ordo_error *error)
{
	struct ordo_reader reader = {.error = error,
		.source = source,
		.folder = opened->folder,
		.folder_name = opened->folder_name};
	if (options)
		reader.options = *options;
	return read_document(&reader, source, opened->name);
}

struct ordo_schedule *ordo_schedule_read_opened(struct ordo_opened *opened,
	const struct ordo_read_options *options, struct ordo_error *error)
{
	struct ordo_source source;
	struct ordo_schedule *schedule = NULL;
	if (ordo_source_from(&source, opened->file, opened->name, error)) {
		schedule = ordo_schedule_read_source(&source, opened, options, error);
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
