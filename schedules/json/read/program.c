/* program.c - the program of one rank: its streams, and their tasks one line at a time. */
#include "problem.h"
#include "reader.h"
#include "task.h"
#include "task_scan.h"
#include <inttypes.h>
#include <ordo/arena.h>
#include <ordo/detail/schedules.h>
#include <ordo/memory.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Is there memory for twice as many tasks? */
static bool allows_more(const struct ordo_reader *reader, const struct ordo_cursor *cursor)
{
	const double task = sizeof *reader->schedule->tasks + sizeof *reader->schedule->places;
	if (ordo_memory_allows(
		    2 * task * (double)reader->schedule->task_room, "reading it", reader->error))
		return true;
	if (reader->error)
		snprintf(reader->error->file, sizeof reader->error->file, "%s", cursor->file);
	return false;
}

static bool append_task(struct ordo_reader *reader, const struct ordo_cursor *cursor,
	const struct ordo_task *task, struct ordo_place place)
{
	struct ordo_schedule *schedule = reader->schedule;
	if (schedule->ntask == schedule->task_room && !allows_more(reader, cursor))
		return false;
	if (schedule->ntask >= UINT32_MAX - 1)
		return ordo_fail_at(cursor, place, "found more than %u tasks", UINT32_MAX - 1);
	if (!ordo_array_reserve(&schedule->tasks, &schedule->task_room, (size_t)schedule->ntask + 1,
		    sizeof *schedule->tasks))
		return ordo_fail_memory(reader->error);
	if (!reader->options.no_places) {
		if (!ordo_array_reserve(&schedule->places, &schedule->place_room,
			    (size_t)schedule->ntask + 1, sizeof *schedule->places))
			return ordo_fail_memory(reader->error);
		schedule->places[schedule->ntask] = place;
	}
	schedule->tasks[schedule->ntask++] = *task;
	if (reader->source && schedule->ntask % 65536 == 0)
		ordo_source_release(reader->source, (size_t)(cursor->at - reader->source->text));
	if (task->phase != ORDO_NO_PHASE &&
		(reader->largest_phase == ORDO_NO_PHASE || task->phase > reader->largest_phase)) {
		reader->largest_phase = task->phase;
		reader->phase_place = place;
		reader->phase_file = cursor->file;
	}
	return true;
}

/* Reads canonical tasks from the cursor on, separated by a comma, a line end and indentation.
 * *open: the cursor is before a task that only the general reader can read, not behind a task. */
static bool scan_tasks(struct ordo_reader *reader, struct ordo_cursor *cursor, bool *open)
{
	static const char between[] = ",\n    {";
	const size_t step = sizeof between - 2;
	struct ordo_task task;
	const char *end;
	*open = true;
	while (*open && (end = ordo_scan_task(cursor->at, cursor->end, &task))) {
		if (!append_task(reader, cursor, &task, ordo_cursor_place(cursor)))
			return false;
		cursor->at = end;
		*open = (size_t)(cursor->end - end) > step && !memcmp(end, between, step + 1);
		if (*open) {
			cursor->line++;
			cursor->line_begin = end + 2;
			cursor->cut = 0;
			cursor->at = end + step;
		}
	}
	return true;
}

static bool read_task(struct ordo_cursor *cursor, const struct ordo_field *field, void *into)
{
	struct ordo_reader *reader = cursor->reader;
	struct ordo_task task;
	bool open = true;
	(void)field;
	(void)into;
	ordo_skip_space(cursor);
	if (!reader->options.only_cjson && !scan_tasks(reader, cursor, &open))
		return false;
	struct ordo_place place = ordo_cursor_place(cursor);
	return !open ||
	       (ordo_read_task(cursor, &task) && append_task(reader, cursor, &task, place));
}

/* Names repeat from rank to rank: comparing with the last ones saves most copies. */
static bool read_name(struct ordo_cursor *cursor, const struct ordo_field *field, void *into)
{
	const struct ordo_reader *reader = cursor->reader;
	const struct ordo_schedule *schedule = reader->schedule;
	const char **name = into;
	struct ordo_piece value;
	cJSON *json = ordo_parse_value(cursor, field->key, &value);
	const char *text = NULL;
	bool worked = json && ordo_as_string(cursor, json, &value, field->key, &text);
	*name = NULL;
	for (uint32_t back = 1; worked && !*name && back <= 8 && back <= schedule->nstream;
		back++) {
		const char *old = schedule->streams[schedule->nstream - back].name;
		*name = old && !strcmp(old, text) ? old : NULL;
	}
	if (worked && !*name) {
		*name = ordo_arena_text(cursor->arena, text, strlen(text));
		worked = *name ? true : ordo_fail_memory(cursor->error);
	}
	cJSON_Delete(json);
	return worked;
}

/* A stream while it is read. */
struct met_stream {
	struct ordo_stream stream;
	struct ordo_met_way way;
};

static const struct ordo_field stream_fields[] = {
	{"name", read_name, .offset = offsetof(struct met_stream, stream.name)},
	{"via", ordo_read_via, .offset = offsetof(struct met_stream, way),
		.wanted = "an array of switches", .optional = true},
	{"class", ordo_read_via_class, .offset = offsetof(struct met_stream, way),
		.wanted = "an array of classes", .optional = true},
	{"tasks", ordo_read_array, .wanted = "an array of tasks", .element = read_task},
};
static const struct ordo_object stream_object =
	ORDO_OBJECT("a stream", "a stream, an object", stream_fields);

/* Keeps the way of the stream read last; `places` are those of its values. */
static bool keep_via(struct ordo_reader *reader, const struct ordo_cursor *cursor,
	struct met_stream *met, const struct ordo_place *places)
{
	if (!met->way.is_there && met->way.has_classes)
		return ordo_fail_at(
			cursor, places[2], "class: found classes in a stream without \"via\"");
	if (!met->way.is_there)
		return !met->way.via.class_name ||
		       ordo_fail_at(cursor, places[2],
			       "class: found \"%.40s\" in a stream without \"via\"",
			       met->way.via.class_name);
	if (!ordo_finish_way(cursor, &met->way, places[2]))
		return false;
	if (!ordo_array_reserve(&reader->vias, &reader->via_room, (size_t)reader->nvia + 1,
		    sizeof *reader->vias))
		return ordo_fail_memory(reader->error);
	reader->vias[reader->nvia++] =
		(struct ordo_met_via){reader->schedule->nstream - 1, places[1], cursor->file};
	return ordo_schedule_set_via(
		reader->schedule, reader->schedule->nstream - 1, &met->way.via, reader->error);
}

static bool read_stream(struct ordo_cursor *cursor, const struct ordo_field *field, void *into)
{
	struct ordo_reader *reader = cursor->reader;
	struct ordo_schedule *schedule = reader->schedule;
	struct met_stream met = {.stream.first = schedule->ntask};
	struct ordo_place places[4];
	(void)field;
	(void)into;
	if (!ordo_read_object(cursor, &stream_object, &met, places))
		return false;
	met.stream.end = schedule->ntask;
	if (schedule->nstream >= ORDO_LIMIT ||
		!ordo_array_reserve(&schedule->streams, &schedule->stream_room,
			(size_t)schedule->nstream + 1, sizeof *schedule->streams) ||
		(schedule->vias && !ordo_array_reserve(&schedule->vias, &schedule->via_room,
					   (size_t)schedule->nstream + 1, sizeof *schedule->vias)))
		return ordo_fail_memory(reader->error);
	if (schedule->vias)
		schedule->vias[schedule->nstream] = NULL;
	schedule->streams[schedule->nstream++] = met.stream;
	return keep_via(reader, cursor, &met, places);
}

/* A duplicate rank is rejected at once: a file that is named a thousand times is read twice at
 * most. */
static bool keep_program(struct ordo_reader *reader, const struct ordo_cursor *cursor,
	const struct ordo_met_program *program)
{
	struct ordo_schedule *schedule = reader->schedule;
	for (uint32_t i = program->first_stream; i < program->end_stream; i++)
		schedule->streams[i].rank = program->rank;
	uint32_t *index = ordo_map_at(&reader->program_of, program->rank, 0);
	if (!index)
		return ordo_fail_memory(reader->error);
	if (*index != ORDO_NONE)
		return ordo_fail_rule_at(
			cursor, program->place, 2, "rank %u has a program already", program->rank);
	if (!ordo_array_reserve(&reader->programs, &reader->program_room,
		    (size_t)reader->nprogram + 1, sizeof *reader->programs))
		return ordo_fail_memory(reader->error);
	*index = reader->nprogram;
	reader->programs[reader->nprogram++] = *program;
	if (reader->options.progress)
		reader->options.progress(reader->options.closure, "reading", reader->nprogram,
			schedule->problem.nrank);
	return true;
}

static const struct ordo_field program_fields[] = {
	{"rank", ordo_read_integer, offsetof(struct ordo_met_program, rank), .most = ORDO_LIMIT},
	{"streams", ordo_read_array, .wanted = "an array of streams", .element = read_stream},
};
static const struct ordo_object program_object =
	ORDO_OBJECT("a program", "a program, an object", program_fields);

bool ordo_read_program(struct ordo_reader *reader, struct ordo_cursor *cursor)
{
	struct ordo_met_program program = {
		.first_stream = reader->schedule->nstream, .file = cursor->file};
	struct ordo_place places[2];
	if (!ordo_read_object(cursor, &program_object, &program, places))
		return false;
	program.place = places[0];
	program.end_stream = reader->schedule->nstream;
	return keep_program(reader, cursor, &program);
}
