/* plan_set.c - plan sets from JSON, and the schedules they name. */
#include "problem.h"
#include "reader.h"
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <ordo/arena.h>
#include <ordo/atomic_file.h>
#include <ordo/options.h>
#include <ordo/plan_set.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char schema[] = "ordo/plan-set/1", document_name[] = "plan-set.json";

struct reader {
	const char *own_name; /* of the file it is read from; NULL if it has none */
	struct ordo_place places[ORDO_FIELD_LIMIT];
};

enum range_key { FROM, TO, SCHEDULE, NRANGE_KEY };

/* A range as read. */
struct met_range {
	uint64_t from_bytes, to_bytes;
	const char *schedule;
	struct ordo_place places[NRANGE_KEY];
};

#define AT(member) offsetof(struct met_range, member)
static const struct ordo_field range_fields[NRANGE_KEY] = {
	{"from_bytes", ordo_read_wide, AT(from_bytes), .most = ORDO_BYTES_LIMIT},
	{"to_bytes", ordo_read_wide, AT(to_bytes), .most = ORDO_BYTES_LIMIT, .optional = true},
	{"schedule", ordo_read_nullable, .offset = AT(schedule)},
};
#undef AT
static const struct ordo_object range_object =
	ORDO_OBJECT("a range", "a range, an object", range_fields);

/* The message begins with the key it concerns. */
static bool fail_range(const struct ordo_cursor *cursor, const struct met_range *range,
	const struct ordo_error *found)
{
	struct ordo_place place = ordo_place_of(&range_object, range->places, found->text);
	if (!place.line)
		place = range->places[FROM];
	ordo_fail_at(cursor, place, "%s", found->text);
	return found->hint[0] ? ordo_hint(cursor->error, "%s", found->hint) : false;
}

static bool read_range(struct ordo_cursor *cursor, const struct ordo_field *field, void *into)
{
	const struct reader *reader = cursor->reader;
	struct ordo_plan_set *set = into;
	struct met_range range = {.to_bytes = ORDO_ENDLESS};
	struct ordo_error found = {0};
	(void)field;
	if (!ordo_read_object(cursor, &range_object, &range, range.places))
		return false;
	const struct ordo_place place = range.places[SCHEDULE];
	if (reader->own_name && range.schedule && !strcmp(reader->own_name, range.schedule))
		return ordo_fail_at(cursor, place,
			"schedule: found \"%.200s\", which is this set itself, wanted a schedule",
			range.schedule);
	if (ordo_plan_set_add(set, range.from_bytes, range.to_bytes, range.schedule, &found)) {
		set->ranges[set->nrange - 1].place = place;
		return true;
	}
	return found.code == ORDO_ENVIRONMENT ? ordo_fail_memory(cursor->error)
					      : fail_range(cursor, &range, &found);
}

static bool read_ranges(struct ordo_cursor *cursor, const struct ordo_field *field, void *into)
{
	const struct ordo_place place = ordo_cursor_place(cursor);
	const struct ordo_plan_set *set = into;
	if (!ordo_read_array(cursor, field, into))
		return false;
	return set->nrange ? true
			   : ordo_fail_at(cursor, place, "ranges: found none, wanted at least one");
}

#define AT(member) offsetof(struct ordo_plan_set, member)
static const struct ordo_field head_fields[] = {
	{"schema", ordo_read_schema, .wanted = schema},
	{"operator", ordo_read_operator, .offset = AT(problem.op)},
	{"ranks", ordo_read_integer, AT(problem.nrank), 1, .most = ORDO_LIMIT},
	{"root", ordo_read_integer, AT(problem.root), .most = ORDO_LIMIT, .optional = true},
	{"shards", ordo_read_integer, AT(problem.nshard), 1, .most = ORDO_LIMIT, .optional = true},
	{"in_place", ordo_read_boolean, .offset = AT(problem.in_place)},
	{"accumulate", ordo_read_accumulate, AT(problem.accumulate), .optional = true},
	{"x", ordo_read_extra, AT(extra), .optional = true},
	{"ranges", read_ranges, .wanted = "an array of ranges", .element = read_range},
};
#undef AT
static const struct ordo_object head =
	ORDO_OBJECT("a plan set", "a plan set, an object", head_fields);

/* The schedules of a set must be interchangeable. */
static bool is_described(const struct ordo_cursor *cursor, const struct ordo_plan_set *set,
	const struct ordo_place *places)
{
	return set->problem.op != ORDO_CUSTOM ||
	       ordo_fail_at(cursor, ordo_place_of(&head, places, "operator"),
		       "operator: found \"Custom\", wanted another; nothing says what it should "
		       "compute, so no size can choose between two schedules");
}

static struct ordo_plan_set *read_source(
	const struct ordo_source *source, const char *name, bool in_file, struct ordo_error *error)
{
	const struct ordo_problem none = {.nrank = 1, .nshard = 1};
	struct ordo_plan_set *set = ordo_plan_set_create(&none, error);
	if (!set)
		return NULL;
	set->file = ordo_arena_text(&set->arena, name, strlen(name));
	if (set->file) {
		const char *slash = strrchr(name, '/');
		struct reader reader = {.own_name = !in_file ? NULL : slash ? slash + 1 : name};
		struct ordo_cursor cursor;
		ordo_cursor_begin_source(&cursor, source, set->file, error);
		cursor.arena = &set->arena;
		cursor.reader = &reader;
		if (ordo_read_object(&cursor, &head, set, reader.places) &&
			ordo_skip_rest(&cursor) &&
			ordo_check_read_problem(&cursor, &set->problem, &head, reader.places) &&
			is_described(&cursor, set, reader.places))
			return set;
	} else {
		ordo_fail_memory(error);
	}
	ordo_plan_set_destroy(set);
	return NULL;
}

struct ordo_plan_set *ordo_plan_set_read_text(
	const char *text, size_t size, const char *name, struct ordo_error *error)
{
	return read_source(&(struct ordo_source){.text = text, .size = size}, name, false, error);
}

struct ordo_plan_set *ordo_plan_set_read(const char *path, struct ordo_error *error)
{
	struct ordo_opened opened;
	struct ordo_source source;
	struct ordo_plan_set *set = NULL;
	if (!ordo_open_document(path, document_name, &opened, error))
		return NULL;
	if (ordo_source_from(&source, opened.file, opened.name, error)) {
		set = read_source(&source, opened.name, opened.folder >= 0, error);
		ordo_source_close(&source);
	}
	if (set && opened.folder >= 0) {
		set->folder_name = ordo_arena_text(
			&set->arena, opened.folder_name, strlen(opened.folder_name));
		if (set->folder_name) {
			set->folder = opened.folder;
			return set;
		}
		ordo_fail_memory(error);
		ordo_plan_set_destroy(set);
		set = NULL;
	}
	if (opened.folder >= 0)
		close(opened.folder);
	return set;
}

bool ordo_is_plan_set(const char *path)
{
	return ordo_is_kind(path, document_name, schema);
}

/* `schedule "name": why`, at the name's place in the set. */
static bool fail_member(
	const struct ordo_plan_set *set, uint32_t range, const char *why, struct ordo_error *error)
{
	const struct ordo_plan_range *one = &set->ranges[range];
	if (one->schedule)
		ordo_fail(error, ORDO_BAD_INPUT, 1, "schedule \"%.200s\": %s", one->schedule, why);
	else
		ordo_fail(error, ORDO_BAD_INPUT, 1, "schedule: found null, %s", why);
	if (error) {
		snprintf(error->file, sizeof error->file, "%s", set->file ? set->file : "");
		error->line = one->place.line;
		error->column = one->place.column;
	}
	return false;
}

/* Opens the schedule of a range: only a regular file or a folder beside the set, no link that
 * leaves it and no device that could block. */
static bool open_member(const struct ordo_plan_set *set, uint32_t range, struct ordo_opened *opened,
	struct ordo_error *error)
{
	const char *name = set->ranges[range].schedule;
	struct stat facts;
	char reason[128] = "it is not a regular file or folder";
	opened->file = openat(set->folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	const bool there = opened->file >= 0 && !fstat(opened->file, &facts);
	snprintf(opened->name, sizeof opened->name, "%s%s", set->folder_name, name);
	snprintf(opened->folder_name, sizeof opened->folder_name, "%s", set->folder_name);
	if (there && S_ISREG(facts.st_mode)) {
		opened->folder = fcntl(set->folder, F_DUPFD_CLOEXEC, 0);
		return true;
	}
	if (there && S_ISDIR(facts.st_mode) &&
		ordo_holds_document(set->folder, name, document_name)) {
		close(opened->file);
		fail_member(set, range, "found a plan set, wanted a schedule", error);
		return ordo_hint(error, "copy the ranges of the inner set to the outer one");
	}
	if (there && S_ISDIR(facts.st_mode)) {
		opened->folder = opened->file;
		snprintf(opened->folder_name, sizeof opened->folder_name, "%s%s/", set->folder_name,
			name);
		snprintf(opened->name, sizeof opened->name, "%s%s/schedule.json", set->folder_name,
			name);
		opened->file = openat(opened->folder, "schedule.json", O_RDONLY | O_CLOEXEC);
		if (opened->file >= 0)
			return true;
		ordo_fail_file(error, opened->name, "cannot read", errno);
		close(opened->folder);
		return false;
	}
	if (there)
		close(opened->file);
	else if (errno != ELOOP && strerror_r(errno, reason, sizeof reason))
		snprintf(reason, sizeof reason, "error %d", errno);
	char why[160];
	snprintf(why, sizeof why, "cannot be read: %s", reason);
	return fail_member(set, range, why, error);
}

static bool check_same_problem(const struct ordo_plan_set *set, uint32_t range,
	const struct ordo_problem *problem, struct ordo_error *error)
{
	char why[ORDO_DIFFERENCE_SIZE];
	if (ordo_is_same_problem(problem, &set->problem, why))
		return true;
	fail_member(set, range, why, error);
	return ordo_hint(error,
		"all schedules of a set solve one problem; only their algorithms may differ");
}

static struct ordo_schedule *open_range(const struct ordo_plan_set *set, uint32_t range,
	const struct ordo_read_options *options, struct ordo_error *error)
{
	struct ordo_opened opened;
	if (!set->ranges[range].schedule) {
		fail_member(set, range, "the library's own choice, wanted a schedule", error);
		return NULL;
	}
	if (set->folder < 0) {
		fail_member(set, range, "cannot be read: there is no folder here", error);
		ordo_hint(
			error, "a set that was not read from a file has no folder with schedules");
		return NULL;
	}
	if (!open_member(set, range, &opened, error))
		return NULL;
	struct ordo_schedule *schedule = ordo_schedule_read_opened(&opened, options, error);
	if (schedule && check_same_problem(set, range, &schedule->problem, error))
		return schedule;
	ordo_schedule_destroy(schedule);
	return NULL;
}

struct ordo_schedule *ordo_plan_set_open_sized(size_t size, const struct ordo_plan_set *set,
	uint32_t range, const struct ordo_read_options *options, struct ordo_error *error)
{
	struct ordo_read_options own;
	return ordo_options_take(&own, sizeof own, options, size, error)
		       ? open_range(set, range, &own, error)
		       : NULL;
}

struct ordo_schedule *(ordo_plan_set_open)(const struct ordo_plan_set *set, uint32_t range,
	const struct ordo_read_options *options, struct ordo_error *error)
{
	return ordo_plan_set_open_sized(
		ORDO_UP_TO(ordo_read_options, closure), set, range, options, error);
}
