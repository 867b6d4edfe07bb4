/* replay.c - interleavings from JSON. */
#include "base/source.h"
#include "value.h"
#include <errno.h>
#include <fcntl.h>
#include <ordo/arena.h>
#include <ordo/atomic_file.h>
#include <ordo/detail/replay.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum key { SCHEMA, SCHEDULE, SHOWS, CALLS, TEXT, TASKS, MEMORY, INTERLEAVINGS, NKEY };
static const char *const names[NKEY] = {
	"schema", "schedule", "shows", "calls", "text", "tasks", "memory", "interleavings"};
static const struct ordo_keys keys = {names, NKEY, "a replay"};
static const char *const task_names[] = {"call", "stream", "task"};
static const struct ordo_keys task_keys = {task_names, 3, "a task of a replay"};
static const char *const memory_names[] = {"rank", "slot"};
static const struct ordo_keys memory_keys = {memory_names, 2, "the memory of a replay"};

struct reader {
	const struct ordo_schedule *schedule;
	struct ordo_replay *replay;
	struct ordo_cursor cursor;
};

static bool read_bounded(struct reader *reader, const char *what, uint32_t n, uint32_t *number)
{
	struct ordo_cursor *cursor = &reader->cursor;
	ordo_skip_space(cursor);
	const struct ordo_place place = ordo_cursor_place(cursor);
	if (!ordo_read_integer(cursor, what, 0, ORDO_LIMIT, number))
		return false;
	if (*number < n)
		return true;
	if (!n)
		return ordo_fail_at(
			cursor, place, "%s: found %u, but the schedule has none", what, *number);
	return ordo_fail_at(cursor, place, "%s: found %u, wanted 0..%u", what, *number, n - 1);
}

/* Stands before `]` or `,` of an array that has one more, or just so many elements. */
static bool read_comma(struct reader *reader)
{
	return ordo_skip_character(&reader->cursor, ',', "a comma");
}

static bool read_task_value(struct reader *reader, int key, uint32_t values[3])
{
	switch (key) {
	case 0: /* `calls` may come later */
		return ordo_read_integer(&reader->cursor, "call", 0, 1, &values[0]);
	case 1:
		return read_bounded(reader, "stream", reader->schedule->nstream, &values[1]);
	default:
		return ordo_read_integer(&reader->cursor, "task", 0, ORDO_LIMIT, &values[2]);
	}
}

static bool read_task(struct reader *reader)
{
	struct ordo_cursor *cursor = &reader->cursor;
	struct ordo_replay *replay = reader->replay;
	struct ordo_members members;
	uint32_t values[3] = {0};
	int key;
	ordo_skip_space(cursor);
	const struct ordo_place place = ordo_cursor_place(cursor);
	if (replay->ntask == 2)
		return ordo_fail_at(cursor, place, "tasks: found a third, wanted at most two");
	if (!ordo_members_begin(&members, cursor, &task_keys, "a task, an object"))
		return false;
	while ((key = ordo_members_next(&members)) >= 0)
		if (!read_task_value(reader, key, values))
			return false;
	if (!ordo_members_end(&members, 7))
		return false;
	const struct ordo_stream *stream = &reader->schedule->streams[values[1]];
	if (values[2] >= stream->end - stream->first)
		return ordo_fail_at(cursor, place, "task: found %u, stream %u has %u tasks",
			values[2], values[1], stream->end - stream->first);
	replay->tasks[replay->ntask++] =
		(struct ordo_replay_task){values[0], stream->first + values[2]};
	return true;
}

static bool read_slot(struct reader *reader)
{
	struct ordo_cursor *cursor = &reader->cursor;
	const char *name;
	if (!ordo_skip_character(cursor, '[', "[buffer, slot]"))
		return false;
	ordo_skip_space(cursor);
	const struct ordo_place place = ordo_cursor_place(cursor);
	if (!ordo_read_string(cursor, "buffer", &reader->replay->arena, &name))
		return false;
	int buffer = 0;
	while (buffer < ORDO_NBUFFER &&
		strcmp(name, ordo_buffer_name((enum ordo_buffer)buffer)) != 0)
		buffer++;
	if (buffer == ORDO_NBUFFER)
		return ordo_fail_at(cursor, place,
			"buffer: found %.64s, wanted input, output or scratch", name);
	reader->replay->memory_buffer = (enum ordo_buffer)buffer;
	return read_comma(reader) &&
	       ordo_read_integer(cursor, "slot", 0, ORDO_LIMIT, &reader->replay->memory_slot) &&
	       ordo_skip_character(cursor, ']', "the end of [buffer, slot]");
}

static uint32_t slots_of(
	const struct ordo_schedule *schedule, uint32_t rank, enum ordo_buffer buffer)
{
	switch (buffer) {
	case ORDO_INPUT:
		return ordo_input_slots(&schedule->problem, rank);
	case ORDO_OUTPUT:
		return ordo_output_slots(&schedule->problem, rank);
	case ORDO_SCRATCH:
		break;
	}
	return schedule->scratch_slots;
}

static bool read_memory(struct reader *reader)
{
	struct ordo_cursor *cursor = &reader->cursor;
	struct ordo_replay *replay = reader->replay;
	struct ordo_members members;
	int key;
	if (!ordo_members_begin(&members, cursor, &memory_keys, "an object"))
		return false;
	while ((key = ordo_members_next(&members)) >= 0)
		if (!(key ? read_slot(reader)
			  : read_bounded(reader, "rank", reader->schedule->problem.nrank,
				    &replay->memory_rank)))
			return false;
	if (!ordo_members_end(&members, 3))
		return false;
	const uint32_t nslot =
		slots_of(reader->schedule, replay->memory_rank, replay->memory_buffer);
	if (replay->memory_slot >= nslot)
		return ordo_fail_at(cursor, members.place,
			"slot: found %u, the %s of rank %u has %u", replay->memory_slot,
			ordo_buffer_name(replay->memory_buffer), replay->memory_rank, nslot);
	return true;
}

static bool read_run(struct reader *reader, struct ordo_interleaving *interleaving)
{
	struct ordo_cursor *cursor = &reader->cursor;
	struct ordo_run run;
	if (!ordo_skip_character(cursor, '[', "a run: [stream, tasks]") ||
		!read_bounded(reader, "stream", reader->schedule->nstream, &run.stream) ||
		!read_comma(reader) ||
		!ordo_read_integer(cursor, "tasks of a run", 1, ORDO_LIMIT, &run.count) ||
		!ordo_skip_character(cursor, ']', "the end of a run"))
		return false;
	if (interleaving->nrun == ORDO_LIMIT ||
		!ordo_array_reserve(&interleaving->runs, &interleaving->room,
			(size_t)interleaving->nrun + 1, sizeof *interleaving->runs))
		return ordo_fail_memory(cursor->error);
	interleaving->runs[interleaving->nrun++] = run;
	return true;
}

static bool read_interleaving(struct reader *reader)
{
	struct ordo_cursor *cursor = &reader->cursor;
	struct ordo_replay *replay = reader->replay;
	enum ordo_item step;
	bool first = true;
	ordo_skip_space(cursor);
	if (replay->ninterleaving == 2)
		return ordo_fail_at(cursor, ordo_cursor_place(cursor),
			"interleavings: found a third, wanted one or two");
	struct ordo_interleaving *interleaving = &replay->interleavings[replay->ninterleaving++];
	if (!ordo_skip_character(cursor, '[', "an array of runs"))
		return false;
	while ((step = ordo_next_element(cursor, &first)) == ORDO_ITEM_FOUND)
		if (!read_run(reader, interleaving))
			return false;
	return step == ORDO_ITEM_END;
}

static bool read_array(struct reader *reader, bool (*read_element)(struct reader *reader))
{
	enum ordo_item step;
	bool first = true;
	if (!ordo_skip_character(&reader->cursor, '[', "an array"))
		return false;
	while ((step = ordo_next_element(&reader->cursor, &first)) == ORDO_ITEM_FOUND)
		if (!read_element(reader))
			return false;
	return step == ORDO_ITEM_END;
}

static bool read_digest(struct reader *reader)
{
	struct ordo_cursor *cursor = &reader->cursor;
	const char *found;
	ordo_skip_space(cursor);
	const struct ordo_place place = ordo_cursor_place(cursor);
	if (!ordo_read_string(cursor, "schedule", &reader->replay->arena, &found) ||
		!ordo_schedule_digest(reader->schedule, reader->replay->digest, cursor->error))
		return false;
	return !strcmp(found, reader->replay->digest)
		       ? true
		       : ordo_fail_at(cursor, place,
				 "schedule: found %.64s, but the digest of this schedule is %s: "
				 "the replay belongs to another",
				 found, reader->replay->digest);
}

static bool read_shows(struct reader *reader)
{
	struct ordo_cursor *cursor = &reader->cursor;
	const char *shows;
	ordo_skip_space(cursor);
	const struct ordo_place place = ordo_cursor_place(cursor);
	if (!ordo_read_string(cursor, "shows", &reader->replay->arena, &shows))
		return false;
	static const char *const known[] = {"R6", "R7", "R8", "R9", "R10", "R11", "G2"};
	for (size_t i = 0; i < sizeof known / sizeof *known; i++)
		if (!strcmp(shows, known[i])) {
			memcpy(reader->replay->shows, known[i], strlen(known[i]) + 1);
			return true;
		}
	return ordo_fail_at(cursor, place, "shows: found %.64s, wanted R6 to R11, or G2", shows);
}

static bool read_value(struct reader *reader, enum key key)
{
	struct ordo_cursor *cursor = &reader->cursor;
	switch (key) {
	case SCHEMA:
		return ordo_read_schema(cursor, "ordo/replay/1");
	case SCHEDULE:
		return read_digest(reader);
	case SHOWS:
		return read_shows(reader);
	case CALLS:
		return ordo_read_integer(cursor, "calls", 1, 2, &reader->replay->ncall);
	case TEXT:
		return ordo_read_string(
			cursor, "text", &reader->replay->arena, &reader->replay->text);
	case TASKS:
		return read_array(reader, read_task);
	case MEMORY:
		return read_memory(reader);
	case INTERLEAVINGS:
		return read_array(reader, read_interleaving);
	case NKEY:
		break;
	}
	return false;
}

static bool check_whole(const struct reader *reader, struct ordo_place place)
{
	const struct ordo_replay *replay = reader->replay;
	if (!replay->ninterleaving)
		return ordo_fail_at(
			&reader->cursor, place, "interleavings: found none, wanted one or two");
	for (uint32_t i = 0; i < replay->ntask; i++)
		if (replay->tasks[i].call >= replay->ncall)
			return ordo_fail_at(&reader->cursor, place,
				"tasks: found call %u, the replay has %u", replay->tasks[i].call,
				replay->ncall);
	return true;
}

static bool read_replay(struct reader *reader)
{
	struct ordo_cursor *cursor = &reader->cursor;
	struct ordo_members members;
	int key;
	const uint32_t required = ((1u << NKEY) - 1) & ~(1u << MEMORY);
	if (!ordo_members_begin(&members, cursor, &keys, "a replay, an object"))
		return false;
	while ((key = ordo_members_next(&members)) >= 0)
		if (!read_value(reader, (enum key)key))
			return false;
	return ordo_members_end(&members, required) && ordo_skip_rest(cursor) &&
	       check_whole(reader, members.place);
}

static struct ordo_replay *read_source(const struct ordo_schedule *schedule,
	const struct ordo_source *source, const char *name, struct ordo_error *error)
{
	struct reader reader = {.schedule = schedule, .replay = calloc(1, sizeof *reader.replay)};
	if (!reader.replay) {
		ordo_fail_memory(error);
		return NULL;
	}
	reader.replay->memory_rank = ORDO_NONE;
	ordo_cursor_begin_source(&reader.cursor, source, name, error);
	if (read_replay(&reader))
		return reader.replay;
	ordo_replay_destroy(reader.replay);
	return NULL;
}

struct ordo_replay *ordo_replay_read_text(const struct ordo_schedule *schedule, const char *text,
	size_t size, const char *name, struct ordo_error *error)
{
	return read_source(
		schedule, &(struct ordo_source){.text = text, .size = size}, name, error);
}

struct ordo_replay *ordo_replay_read(
	const struct ordo_schedule *schedule, const char *path, struct ordo_error *error)
{
	struct ordo_source source;
	struct ordo_replay *replay = NULL;
	const int descriptor = open(path, O_RDONLY | O_CLOEXEC);
	if (descriptor < 0) {
		ordo_fail_file(error, path, "cannot read", errno);
		return NULL;
	}
	if (ordo_source_from(&source, descriptor, path, error)) {
		replay = read_source(schedule, &source, path, error);
		ordo_source_close(&source);
	}
	return replay;
}
