/* replay.c - interleavings from JSON. */
#include "base/source.h"
#include "fields.h"
#include <errno.h>
#include <fcntl.h>
#include <ordo/arena.h>
#include <ordo/atomic_file.h>
#include <ordo/detail/replay.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct reader {
	const struct ordo_schedule *schedule;
};

static const struct ordo_schedule *schedule_of(const struct ordo_cursor *cursor)
{
	const struct reader *reader = cursor->reader;
	return reader->schedule;
}

/* An integer below n, a count of the schedule. */
static bool read_below(
	struct ordo_cursor *cursor, const struct ordo_field *field, uint32_t n, uint32_t *number)
{
	ordo_skip_space(cursor);
	const struct ordo_place place = ordo_cursor_place(cursor);
	if (!ordo_read_integer(cursor, field, number))
		return false;
	if (*number < n)
		return true;
	if (!n)
		return ordo_fail_at(cursor, place, "%s: found %u, but the schedule has none",
			field->key, *number);
	return ordo_fail_at(
		cursor, place, "%s: found %u, wanted 0..%u", field->key, *number, n - 1);
}

static bool read_stream(struct ordo_cursor *cursor, const struct ordo_field *field, void *stream)
{
	const struct ordo_schedule *schedule = schedule_of(cursor);
	return read_below(cursor, field, schedule->nstream, stream);
}

static bool read_rank(struct ordo_cursor *cursor, const struct ordo_field *field, void *rank)
{
	const struct ordo_schedule *schedule = schedule_of(cursor);
	return read_below(cursor, field, schedule->problem.nrank, rank);
}

/* A task as read. */
struct met_task {
	uint32_t call, stream, task;
};

#define AT(member) offsetof(struct met_task, member)
static const struct ordo_field task_fields[] = {
	{"call", ordo_read_integer, AT(call), .most = 1}, /* `calls` may come later */
	{"stream", read_stream, AT(stream), .most = ORDO_LIMIT},
	{"task", ordo_read_integer, AT(task), .most = ORDO_LIMIT},
};
#undef AT
static const struct ordo_object task_object =
	ORDO_OBJECT("a task of a replay", "a task, an object", task_fields);

static bool read_task(struct ordo_cursor *cursor, const struct ordo_field *field, void *into)
{
	const struct ordo_schedule *schedule = schedule_of(cursor);
	struct ordo_replay *replay = into;
	struct met_task met = {0};
	(void)field;
	ordo_skip_space(cursor);
	const struct ordo_place place = ordo_cursor_place(cursor);
	if (replay->ntask == 2)
		return ordo_fail_at(cursor, place, "tasks: found a third, wanted at most two");
	if (!ordo_read_object(cursor, &task_object, &met, NULL))
		return false;
	const struct ordo_stream *stream = &schedule->streams[met.stream];
	if (met.task >= stream->end - stream->first)
		return ordo_fail_at(cursor, place, "task: found %u, stream %u has %u tasks",
			met.task, met.stream, stream->end - stream->first);
	replay->tasks[replay->ntask++] =
		(struct ordo_replay_task){met.call, stream->first + met.task};
	return true;
}

static bool read_buffer(struct ordo_cursor *cursor, enum ordo_buffer *buffer)
{
	static const struct ordo_field field = {.key = "buffer"};
	const char *name;
	ordo_skip_space(cursor);
	const struct ordo_place place = ordo_cursor_place(cursor);
	if (!ordo_read_string(cursor, &field, &name))
		return false;
	for (int i = 0; i < ORDO_NBUFFER; i++)
		if (!strcmp(name, ordo_buffer_name((enum ordo_buffer)i))) {
			*buffer = (enum ordo_buffer)i;
			return true;
		}
	return ordo_fail_at(
		cursor, place, "buffer: found %.64s, wanted input, output or scratch", name);
}

/* `[buffer, slot]` */
static bool read_slot(struct ordo_cursor *cursor, const struct ordo_field *field, void *into)
{
	struct ordo_replay *replay = into;
	return ordo_skip_character(cursor, '[', "[buffer, slot]") &&
	       read_buffer(cursor, &replay->memory_buffer) &&
	       ordo_skip_character(cursor, ',', "a comma") &&
	       ordo_read_integer(cursor, field, &replay->memory_slot) &&
	       ordo_skip_character(cursor, ']', "the end of [buffer, slot]");
}

static const struct ordo_field memory_fields[] = {
	{"rank", read_rank, offsetof(struct ordo_replay, memory_rank), .most = ORDO_LIMIT},
	{"slot", read_slot, .most = ORDO_LIMIT},
};
static const struct ordo_object memory_object =
	ORDO_OBJECT("the memory of a replay", "an object", memory_fields);

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

static bool read_memory(struct ordo_cursor *cursor, const struct ordo_field *field, void *into)
{
	const struct ordo_schedule *schedule = schedule_of(cursor);
	const struct ordo_place place = ordo_cursor_place(cursor);
	const struct ordo_replay *replay = into;
	(void)field;
	if (!ordo_read_object(cursor, &memory_object, into, NULL))
		return false;
	const uint32_t nslot = slots_of(schedule, replay->memory_rank, replay->memory_buffer);
	if (replay->memory_slot >= nslot)
		return ordo_fail_at(cursor, place, "slot: found %u, the %s of rank %u has %u",
			replay->memory_slot, ordo_buffer_name(replay->memory_buffer),
			replay->memory_rank, nslot);
	return true;
}

static const struct ordo_field run_fields[] = {
	{"stream", read_stream, .most = ORDO_LIMIT},
	{"tasks of a run", ordo_read_integer, .least = 1, .most = ORDO_LIMIT},
};

/* `[stream, tasks]` */
static bool read_run(struct ordo_cursor *cursor, const struct ordo_field *field, void *into)
{
	struct ordo_interleaving *interleaving = into;
	struct ordo_run run;
	(void)field;
	if (!ordo_skip_character(cursor, '[', "a run: [stream, tasks]") ||
		!read_stream(cursor, &run_fields[0], &run.stream) ||
		!ordo_skip_character(cursor, ',', "a comma") ||
		!ordo_read_integer(cursor, &run_fields[1], &run.count) ||
		!ordo_skip_character(cursor, ']', "the end of a run"))
		return false;
	if (interleaving->nrun == ORDO_LIMIT ||
		!ordo_array_reserve(&interleaving->runs, &interleaving->room,
			(size_t)interleaving->nrun + 1, sizeof *interleaving->runs))
		return ordo_fail_memory(cursor->error);
	interleaving->runs[interleaving->nrun++] = run;
	return true;
}

static bool read_interleaving(
	struct ordo_cursor *cursor, const struct ordo_field *field, void *into)
{
	static const struct ordo_field runs = {.wanted = "an array of runs", .element = read_run};
	struct ordo_replay *replay = into;
	(void)field;
	ordo_skip_space(cursor);
	if (replay->ninterleaving == 2)
		return ordo_fail_at(cursor, ordo_cursor_place(cursor),
			"interleavings: found a third, wanted one or two");
	return ordo_read_array(cursor, &runs, &replay->interleavings[replay->ninterleaving++]);
}

static bool read_digest(struct ordo_cursor *cursor, const struct ordo_field *field, void *into)
{
	const struct ordo_schedule *schedule = schedule_of(cursor);
	const struct ordo_place place = ordo_cursor_place(cursor);
	char *digest = into;
	const char *found;
	if (!ordo_read_string(cursor, field, &found) ||
		!ordo_schedule_digest(schedule, digest, cursor->error))
		return false;
	return !strcmp(found, digest)
		       ? true
		       : ordo_fail_at(cursor, place,
				 "schedule: found %.64s, but the digest of this schedule is %s: "
				 "the replay belongs to another",
				 found, digest);
}

static bool read_shows(struct ordo_cursor *cursor, const struct ordo_field *field, void *into)
{
	static const char *const known[] = {"R6", "R7", "R8", "R9", "R10", "R11", "G2"};
	const struct ordo_place place = ordo_cursor_place(cursor);
	const char *shows;
	if (!ordo_read_string(cursor, field, &shows))
		return false;
	for (size_t i = 0; i < sizeof known / sizeof *known; i++)
		if (!strcmp(shows, known[i])) {
			memcpy(into, known[i], strlen(known[i]) + 1);
			return true;
		}
	return ordo_fail_at(cursor, place, "shows: found %.64s, wanted R6 to R11, or G2", shows);
}

#define AT(member) offsetof(struct ordo_replay, member)
static const struct ordo_field head_fields[] = {
	{"schema", ordo_read_schema, .wanted = "ordo/replay/1"},
	{"schedule", read_digest, .offset = AT(digest)},
	{"shows", read_shows, .offset = AT(shows)},
	{"calls", ordo_read_integer, AT(ncall), 1, .most = 2},
	{"text", ordo_read_string, .offset = AT(text)},
	{"tasks", ordo_read_array, .wanted = "an array", .element = read_task},
	{"memory", read_memory, .optional = true},
	{"interleavings", ordo_read_array, .wanted = "an array", .element = read_interleaving},
};
#undef AT
static const struct ordo_object head = ORDO_OBJECT("a replay", "a replay, an object", head_fields);

static bool check_whole(
	const struct ordo_replay *replay, const struct ordo_cursor *cursor, struct ordo_place place)
{
	if (!replay->ninterleaving)
		return ordo_fail_at(cursor, place, "interleavings: found none, wanted one or two");
	for (uint32_t i = 0; i < replay->ntask; i++)
		if (replay->tasks[i].call >= replay->ncall)
			return ordo_fail_at(cursor, place,
				"tasks: found call %u, the replay has %u", replay->tasks[i].call,
				replay->ncall);
	return true;
}

static bool read_head(struct ordo_cursor *cursor, struct ordo_replay *replay)
{
	ordo_skip_space(cursor);
	const struct ordo_place place = ordo_cursor_place(cursor);
	return ordo_read_object(cursor, &head, replay, NULL) && ordo_skip_rest(cursor) &&
	       check_whole(replay, cursor, place);
}

static struct ordo_replay *read_source(const struct ordo_schedule *schedule,
	const struct ordo_source *source, const char *name, struct ordo_error *error)
{
	struct reader reader = {schedule};
	struct ordo_replay *replay = calloc(1, sizeof *replay);
	struct ordo_cursor cursor;
	if (!replay) {
		ordo_fail_memory(error);
		return NULL;
	}
	replay->memory_rank = ORDO_NONE;
	ordo_cursor_begin_source(&cursor, source, name, error);
	cursor.arena = &replay->arena;
	cursor.reader = &reader;
	if (read_head(&cursor, replay))
		return replay;
	ordo_replay_destroy(replay);
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
