/* read.c - failure sets from JSON, and the topology and schedules beside them. */
#include "json/read/problem.h"
#include "json/read/reader.h"
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <ordo/arena.h>
#include <ordo/atomic_file.h>
#include <ordo/detail/topologies.h>
#include <ordo/failure_sets.h>
#include <ordo/plural.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char schema[] = "ordo/failure-set/1", document_name[] = "failure-set.json";

#define AT(member) offsetof(struct ordo_failure_state, member)
static const struct ordo_field bound_fields[] = {
	{"numerator", ordo_read_wide, AT(numerator), .most = INT64_MAX},
	{"denominator", ordo_read_wide, AT(denominator), .most = INT64_MAX},
	{"bandwidth_gbs", ordo_read_real, .offset = AT(bandwidth_gbs)},
};
#undef AT
static const struct ordo_object bound_object =
	ORDO_OBJECT("a bound", "a bound, an object", bound_fields);

enum state_key { LINK, SCHEDULE, ALGORITHM, ORDER_DIGEST, BOUND, TIME, PRICE, NSTATE_KEY };

/* A state as read. */
struct met_state {
	struct ordo_failure_state state;
	uint32_t ends[2], nend;
	struct ordo_place places[NSTATE_KEY];
};

static bool read_end(struct ordo_cursor *cursor, const struct ordo_field *field, void *into)
{
	struct met_state *met = into;
	const struct ordo_place place = ordo_cursor_place(cursor);
	uint32_t end;
	if (!ordo_read_integer(cursor, field, &end))
		return false;
	if (met->nend == 2)
		return ordo_fail_at(
			cursor, place, "link: found more than two vertices, wanted two");
	met->ends[met->nend++] = end;
	return true;
}

static bool read_link(struct ordo_cursor *cursor, const struct ordo_field *field, void *into)
{
	struct met_state *met = into;
	ordo_skip_space(cursor);
	const struct ordo_place place = ordo_cursor_place(cursor);
	if (!ordo_read_array(cursor, field, into))
		return false;
	if (met->nend < 2)
		return ordo_fail_at(
			cursor, place, "link: found fewer than two vertices, wanted two");
	met->state.a = met->ends[0];
	met->state.b = met->ends[1];
	return true;
}

static bool read_bound(struct ordo_cursor *cursor, const struct ordo_field *field, void *into)
{
	struct met_state *met = into;
	(void)field;
	return ordo_read_object(cursor, &bound_object, &met->state, NULL);
}

#define AT(member) offsetof(struct met_state, state.member)
static const struct ordo_field state_fields[NSTATE_KEY] = {
	[LINK] = {"link", read_link, .most = ORDO_LIMIT, .wanted = "an array of two vertices",
		.element = read_end, .optional = true},
	[SCHEDULE] = {"schedule", ordo_read_nullable, .offset = AT(schedule)},
	[ALGORITHM] = {"algorithm", ordo_read_string, AT(algorithm), .optional = true},
	[ORDER_DIGEST] = {"order_digest", ordo_read_string, AT(order_digest), .optional = true},
	[BOUND] = {"bound", read_bound, .optional = true},
	[TIME] = {"time_ns", ordo_read_real, AT(time_ns), .optional = true},
	[PRICE] = {"price", ordo_read_real, AT(price), .optional = true},
};
#undef AT
static const struct ordo_object state_object =
	ORDO_OBJECT("a state", "a state, an object", state_fields);

/* A state with a schedule has all of its table, and one without has nothing of it. */
static bool check_keys(
	const struct ordo_cursor *cursor, const struct met_state *met, struct ordo_place begin)
{
	for (uint32_t key = ALGORITHM; key < NSTATE_KEY; key++) {
		if (met->state.schedule && !met->places[key].line)
			return ordo_fail_missing(cursor, &state_object, begin, key);
		if (!met->state.schedule && met->places[key].line)
			return ordo_fail_at(cursor, met->places[key],
				"%s: found in a state without a schedule, wanted none",
				state_fields[key].key);
	}
	return true;
}

static bool read_state(struct ordo_cursor *cursor, const struct ordo_field *field, void *into)
{
	struct ordo_failure_set *set = into;
	struct met_state met = {.state = {.a = ORDO_NONE, .b = ORDO_NONE}};
	struct ordo_error found = {0};
	(void)field;
	ordo_skip_space(cursor);
	const struct ordo_place begin = ordo_cursor_place(cursor);
	if (!ordo_read_object(cursor, &state_object, &met, met.places) ||
		!check_keys(cursor, &met, begin))
		return false;
	met.state.place = met.places[met.nend ? LINK : SCHEDULE];
	if (ordo_failure_set_add(set, &met.state, &found))
		return true;
	if (found.code == ORDO_ENVIRONMENT)
		return ordo_fail_memory(cursor->error);
	struct ordo_place place = ordo_place_of(&state_object, met.places, found.text);
	ordo_fail_at(cursor, place.line ? place : begin, "%s", found.text);
	return found.hint[0] ? ordo_hint(cursor->error, "%s", found.hint) : false;
}

static bool read_states(struct ordo_cursor *cursor, const struct ordo_field *field, void *into)
{
	struct ordo_failure_set *set = into;
	ordo_skip_space(cursor);
	set->states_place = ordo_cursor_place(cursor);
	if (!ordo_read_array(cursor, field, into))
		return false;
	return set->nstate ? true
			   : ordo_fail_at(cursor, set->states_place,
				     "states: found none, wanted at least one");
}

#define AT(member) offsetof(struct ordo_failure_set, member)
static const struct ordo_field topology_fields[] = {
	{"name", ordo_read_string, .offset = AT(topology_name)},
	{"digest", ordo_read_string, .offset = AT(topology_digest)},
};
static const struct ordo_object topology_object =
	ORDO_OBJECT("a topology", "the name and digest of a topology, an object", topology_fields);

static bool read_topology(struct ordo_cursor *cursor, const struct ordo_field *field, void *into)
{
	struct ordo_failure_set *set = into;
	(void)field;
	ordo_skip_space(cursor);
	set->topology_place = ordo_cursor_place(cursor);
	return ordo_read_object(cursor, &topology_object, into, NULL);
}

static const struct ordo_field head_fields[] = {
	{"schema", ordo_read_schema, .wanted = schema},
	{"operator", ordo_read_operator, .offset = AT(problem.op)},
	{"ranks", ordo_read_integer, AT(problem.nrank), 1, .most = ORDO_LIMIT},
	{"root", ordo_read_integer, AT(problem.root), .most = ORDO_LIMIT, .optional = true},
	{"shards", ordo_read_integer, AT(problem.nshard), 1, .most = ORDO_LIMIT, .optional = true},
	{"in_place", ordo_read_boolean, .offset = AT(problem.in_place)},
	{"accumulate", ordo_read_accumulate, AT(problem.accumulate), .optional = true},
	{"topology", read_topology, .offset = 0},
	{"bytes", ordo_read_wide, AT(bytes), .most = INT64_MAX},
	{"x", ordo_read_extra, AT(extra), .optional = true},
	{"states", read_states, .wanted = "an array of states", .element = read_state},
};
#undef AT
static const struct ordo_object head =
	ORDO_OBJECT("a failure set", "a failure set, an object", head_fields);

static bool is_described(const struct ordo_cursor *cursor, const struct ordo_failure_set *set,
	const struct ordo_place *places)
{
	return set->problem.op != ORDO_CUSTOM ||
	       ordo_fail_at(cursor, ordo_place_of(&head, places, "operator"),
		       "operator: found \"Custom\", wanted another; nothing says what it should "
		       "compute");
}

/* The bytes may have come after the states. */
static bool check_prices(const struct ordo_cursor *cursor, const struct ordo_failure_set *set)
{
	struct ordo_error found = {0};
	for (uint32_t i = 0; i < set->nstate; i++)
		if (!ordo_failure_price_check(&set->states[i], set->bytes, &found))
			return ordo_fail_at(cursor, set->states[i].place, "%s", found.text);
	return true;
}

static struct ordo_failure_set *read_source(
	const struct ordo_source *source, const char *name, struct ordo_error *error)
{
	const struct ordo_problem none = {.nrank = 1, .nshard = 1};
	struct ordo_place places[ORDO_FIELD_LIMIT] = {0};
	struct ordo_failure_set *set = ordo_failure_set_create(&none, "", "", UINT64_MAX, error);
	if (!set)
		return NULL;
	set->file = ordo_arena_text(&set->arena, name, strlen(name));
	if (set->file) {
		struct ordo_cursor cursor;
		ordo_cursor_begin_source(&cursor, source, set->file, error);
		cursor.arena = &set->arena;
		cursor.reader = set;
		if (ordo_read_object(&cursor, &head, set, places) && ordo_skip_rest(&cursor) &&
			ordo_check_read_problem(&cursor, &set->problem, &head, places) &&
			is_described(&cursor, set, places) && check_prices(&cursor, set))
			return set;
	} else {
		ordo_fail_memory(error);
	}
	ordo_failure_set_destroy(set);
	return NULL;
}

struct ordo_failure_set *ordo_failure_set_read_text(
	const char *text, size_t size, const char *name, struct ordo_error *error)
{
	return read_source(&(struct ordo_source){.text = text, .size = size}, name, error);
}

bool ordo_is_failure_set(const char *path)
{
	return ordo_is_kind(path, document_name, schema);
}

struct ordo_failure_set *ordo_failure_set_read(const char *path, struct ordo_error *error)
{
	struct ordo_opened opened;
	struct ordo_source source;
	struct ordo_failure_set *set = NULL;
	if (!ordo_open_document(path, document_name, &opened, error))
		return NULL;
	if (ordo_source_from(&source, opened.file, opened.name, error)) {
		set = read_source(&source, opened.name, error);
		ordo_source_close(&source);
	}
	if (set) {
		set->folder = opened.folder;
		opened.folder = -1;
		set->folder_name = ordo_arena_text(
			&set->arena, opened.folder_name, strlen(opened.folder_name));
	}
	if (opened.folder >= 0)
		close(opened.folder);
	if (!set || set->folder_name)
		return set;
	ordo_failure_set_destroy(set);
	ordo_fail_memory(error);
	return NULL;
}

/* An error at a place in the set. */
static bool fail_in_set(const struct ordo_failure_set *set, struct ordo_place place,
	struct ordo_error *error, const char *text)
{
	ordo_fail(error, ORDO_BAD_INPUT, 1, "%s", text);
	if (error) {
		snprintf(error->file, sizeof error->file, "%s", set->file ? set->file : "");
		error->line = place.line;
		error->column = place.column;
	}
	return false;
}

/* The next link that is up between two vertices after [a, b], in ascending order; false: none. */
static bool next_link(const struct ordo_topology *topology, uint32_t *a, uint32_t *b)
{
	uint32_t low = ORDO_NONE, high = ORDO_NONE;
	for (uint32_t i = 0; i < topology->nlink; i++) {
		const struct ordo_link *link = &topology->links[i];
		const uint32_t one = link->from < link->to ? link->from : link->to,
			       other = link->from < link->to ? link->to : link->from;
		if (link->down || one < *a || (one == *a && other <= *b) || one > low ||
			(one == low && other >= high))
			continue;
		low = one;
		high = other;
	}
	*a = low;
	*b = high;
	return low != ORDO_NONE;
}

/* Is there a state for each link that is up, and no other? */
static bool check_states(const struct ordo_failure_set *set, const struct ordo_topology *topology,
	struct ordo_error *error)
{
	uint32_t a = 0, b = 0;
	char text[200];
	for (uint32_t i = 1; i < set->nstate; i++) {
		const struct ordo_failure_state *state = &set->states[i];
		const bool found = next_link(topology, &a, &b);
		if (found && state->a == a && state->b == b)
			continue;
		if (found && (a < state->a || (a == state->a && b < state->b)))
			break;
		snprintf(text, sizeof text,
			"link: found [%" PRIu32 ", %" PRIu32
			"], but the topology has no such link that is up",
			state->a, state->b);
		return fail_in_set(set, state->place, error, text);
	}
	a = b = 0;
	while (next_link(topology, &a, &b))
		if (ordo_failure_set_find(set, a, b) == ORDO_NONE) {
			snprintf(text, sizeof text,
				"states: found none for the link [%" PRIu32 ", %" PRIu32
				"] of the topology, wanted one for every link",
				a, b);
			return fail_in_set(set, set->states_place, error, text);
		}
	return true;
}

static bool check_topology(const struct ordo_failure_set *set, const struct ordo_topology *topology,
	struct ordo_error *error)
{
	char digest[33], text[200];
	ordo_topology_digest(topology, digest);
	if (topology->nrank == set->problem.nrank && !strcmp(digest, set->topology_digest))
		return check_states(set, topology, error);
	snprintf(text, sizeof text,
		"topology: found %" PRIu32 " rank%s and %.40s, but topology.json has %" PRIu32
		" rank%s and the digest %s",
		set->problem.nrank, ordo_plural(set->problem.nrank), set->topology_digest,
		topology->nrank, ordo_plural(topology->nrank), digest);
	return fail_in_set(set, set->topology_place, error, text);
}

static bool refuse_without_folder(const struct ordo_failure_set *set, struct ordo_error *error)
{
	fail_in_set(set, set->states_place, error, "states: there is no folder here to read from");
	return ordo_hint(error, "a set that was not read from a file has no folder beside it");
}

struct ordo_topology *ordo_failure_set_topology(
	const struct ordo_failure_set *set, struct ordo_error *error)
{
	char path[4200];
	if (set->folder < 0)
		return refuse_without_folder(set, error), NULL;
	snprintf(path, sizeof path, "%stopology.json", set->folder_name);
	struct ordo_topology *topology = ordo_topology_read(path, error);
	if (topology && check_topology(set, topology, error))
		return topology;
	ordo_topology_destroy(topology);
	return NULL;
}

/* `schedule "failure-1.json": why` */
static bool fail_schedule(const struct ordo_failure_set *set, uint32_t state, const char *why,
	struct ordo_error *error)
{
	char text[600];
	snprintf(text, sizeof text, "schedule \"%.100s\": %s", set->states[state].schedule, why);
	return fail_in_set(set, set->states[state].place, error, text);
}

/* A regular file beside the set, and no link. */
static bool open_schedule(const struct ordo_failure_set *set, uint32_t state,
	struct ordo_opened *opened, struct ordo_error *error)
{
	const char *name = set->states[state].schedule;
	struct stat facts;
	opened->file = openat(set->folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	if (opened->file < 0)
		return fail_schedule(set, state,
			errno == ENOENT ? "cannot be read: there is no such file"
					: "cannot be read: it is not a regular file",
			error);
	if (fstat(opened->file, &facts) || !S_ISREG(facts.st_mode)) {
		close(opened->file);
		return fail_schedule(set, state, "cannot be read: it is not a regular file", error);
	}
	snprintf(opened->name, sizeof opened->name, "%s%s", set->folder_name, name);
	snprintf(opened->folder_name, sizeof opened->folder_name, "%s", set->folder_name);
	opened->folder = fcntl(set->folder, F_DUPFD_CLOEXEC, 0);
	return true;
}

static bool refuse_in_parts(
	const struct ordo_failure_set *set, uint32_t state, struct ordo_error *error)
{
	char text[200];
	snprintf(text, sizeof text,
		"schedule: found null: without the link [%" PRIu32 ", %" PRIu32
		"] the network is in parts, and no schedule is possible",
		set->states[state].a, set->states[state].b);
	return fail_in_set(set, set->states[state].place, error, text);
}

struct ordo_schedule *ordo_failure_set_open(const struct ordo_failure_set *set, uint32_t state,
	const struct ordo_read_options *options, struct ordo_error *error)
{
	struct ordo_opened opened;
	char why[ORDO_DIFFERENCE_SIZE];
	if (set->folder < 0)
		return refuse_without_folder(set, error), NULL;
	if (!set->states[state].schedule)
		return refuse_in_parts(set, state, error), NULL;
	if (!open_schedule(set, state, &opened, error))
		return NULL;
	struct ordo_schedule *schedule = ordo_schedule_read_opened(&opened, options, error);
	if (!schedule || ordo_is_same_problem(&schedule->problem, &set->problem, why))
		return schedule;
	ordo_schedule_destroy(schedule);
	fail_schedule(set, state, why, error);
	return NULL;
}
