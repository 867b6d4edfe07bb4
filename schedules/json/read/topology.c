/* topology.c - topologies from JSON. */
#include "base/source.h"
#include "fields.h"
#include <inttypes.h>
#include <ordo/arena.h>
#include <ordo/decimal.h>
#include <ordo/document.h>
#include <stdlib.h>
#include <string.h>

/* A link as read. */
struct link {
	struct ordo_link link; /* its class is not used */
	const char *class_name;
	struct ordo_place place;
};

struct reader {
	struct ordo_error *error;
	struct ordo_arena arena; /* texts until the topology is created */
	struct ordo_place places[ORDO_FIELD_LIMIT];
	const char *name, *extra;
	const char *remark; /* about the first bandwidth that is not taken as written; NULL */
	uint32_t ninexact;  /* such bandwidths */
	uint32_t nrank, nswitch, ports, cores;
	double task_ns, reduce_gbs, copy_gbs, sum_gbs[ORDO_NACCUMULATION];
	struct link *links;
	uint32_t nlink;
	size_t link_room;
};

/* The name of the class; equal names of successive links are stored once. */
static bool read_class(struct ordo_cursor *cursor, const struct ordo_field *field, void *into)
{
	const struct reader *reader = cursor->reader;
	const char **class_name = into;
	struct ordo_piece value;
	const char *text;
	cJSON *json = ordo_parse_value(cursor, field->key, &value);
	bool worked = json && ordo_as_string(cursor, json, &value, field->key, &text);
	if (worked) {
		const char *before =
			reader->nlink ? reader->links[reader->nlink - 1].class_name : "";
		*class_name = strcmp(before, text)
				      ? ordo_arena_text(cursor->arena, text, strlen(text))
				      : before;
		worked = *class_name ? true : ordo_fail_memory(cursor->error);
	}
	cJSON_Delete(json);
	return worked;
}

/* Remarks on a bandwidth that is not taken exactly as it is written. */
static bool read_bandwidth(struct ordo_cursor *cursor, const struct ordo_field *field, void *into)
{
	struct reader *reader = cursor->reader;
	char taken[ORDO_DECIMAL_SIZE];
	ordo_skip_space(cursor);
	const struct ordo_place place = ordo_cursor_place(cursor);
	const char *begin = cursor->at;
	if (!ordo_read_real(cursor, field, into))
		return false;
	const size_t length = (size_t)(cursor->at - begin);
	const double value = *(const double *)into;
	if (!(value > 0) || ordo_decimal_is(begin, length, value) || reader->ninexact++)
		return true;
	reader->remark = ordo_arena_format(cursor->arena,
		"%s:%" PRIu32 ":%" PRIu32 ": %s: %.*s is taken as %s, the nearest double",
		cursor->file, place.line, place.column, field->key, (int)length, begin,
		ordo_decimal_text(value, taken));
	return reader->remark || ordo_fail_memory(cursor->error);
}

#define AT(member) offsetof(struct link, member)
static const struct ordo_field link_fields[] = {
	{"from", ordo_read_integer, AT(link.from), .most = ORDO_LIMIT},
	{"to", ordo_read_integer, AT(link.to), .most = ORDO_LIMIT},
	{"class", read_class, AT(class_name), .optional = true},
	{"latency_ns", ordo_read_real, .offset = AT(link.latency_ns)},
	{"bandwidth_gbs", read_bandwidth, .offset = AT(link.bandwidth_gbs)},
	{"reduce_gbs", ordo_read_real, AT(link.reduce_gbs), .optional = true},
	{"down", ordo_read_boolean, AT(link.down), .optional = true},
};
#undef AT
static const struct ordo_object link_object =
	ORDO_OBJECT("a link", "a link, an object", link_fields);

static bool read_link(struct ordo_cursor *cursor, const struct ordo_field *field, void *into)
{
	struct reader *reader = into;
	struct link link = {.class_name = "link"};
	(void)field;
	ordo_skip_space(cursor);
	link.place = ordo_cursor_place(cursor);
	if (!ordo_read_object(cursor, &link_object, &link, NULL))
		return false;
	if (reader->nlink == ORDO_LIMIT ||
		!ordo_array_reserve(&reader->links, &reader->link_room, (size_t)reader->nlink + 1,
			sizeof *reader->links))
		return ordo_fail_memory(reader->error);
	reader->links[reader->nlink++] = link;
	return true;
}

#define AT(member) offsetof(struct reader, member)
static const struct ordo_field head_fields[] = {
	{"schema", ordo_read_schema, .wanted = "ordo/topology/1"},
	{"name", ordo_read_string, .offset = AT(name)},
	{"ranks", ordo_read_integer, AT(nrank), 1, .most = ORDO_LIMIT},
	{"switches", ordo_read_integer, AT(nswitch), .most = ORDO_LIMIT, .optional = true},
	{"ports", ordo_read_integer, AT(ports), .most = ORDO_LIMIT, .optional = true},
	{"cores", ordo_read_integer, AT(cores), .most = ORDO_LIMIT, .optional = true},
	{"task_ns", ordo_read_real, AT(task_ns), .optional = true},
	{"reduce_gbs", ordo_read_real, AT(reduce_gbs), .optional = true},
	{"copy_gbs", ordo_read_real, AT(copy_gbs), .optional = true},
	{"exact_gbs", ordo_read_real, AT(sum_gbs[ORDO_ACCUMULATE_EXACT]), .optional = true},
	{"binned2_gbs", ordo_read_real, AT(sum_gbs[ORDO_ACCUMULATE_BINNED2]), .optional = true},
	{"binned3_gbs", ordo_read_real, AT(sum_gbs[ORDO_ACCUMULATE_BINNED3]), .optional = true},
	{"x", ordo_read_extra, AT(extra), .optional = true},
	{"links", ordo_read_array, .wanted = "an array of links", .element = read_link},
};
#undef AT
static const struct ordo_object head =
	ORDO_OBJECT("a topology", "a topology, an object", head_fields);

/* Moves an error of ordo_topology_create to its place in the document; one of memory has none. */
static bool fail_found(const struct reader *reader, const struct ordo_cursor *cursor,
	struct ordo_place place, const struct ordo_error *found)
{
	return found->code == ORDO_ENVIRONMENT ? ordo_fail_memory(reader->error)
					       : ordo_fail_at(cursor, place, "%s", found->text);
}

static struct ordo_topology *create(struct reader *reader, const struct ordo_cursor *cursor)
{
	struct ordo_error found;
	struct ordo_topology *topology = ordo_topology_create(
		reader->name, reader->nrank, reader->nswitch, reader->ports, &found);
	if (topology)
		return topology;
	bool about_switches = !strncmp(found.text, "switches", 8);
	fail_found(reader, cursor,
		ordo_place_of(&head, reader->places, about_switches ? "switches" : "ranks"),
		&found);
	return NULL;
}

/* Finds the place of an error of ordo_topology_finish. */
static bool add_links(
	struct reader *reader, const struct ordo_cursor *cursor, struct ordo_topology *topology)
{
	for (uint32_t i = 0; i < reader->nlink; i++) {
		const struct link *link = &reader->links[i];
		struct ordo_error found;
		const uint32_t from = link->link.from, to = link->link.to,
			       nvertex = reader->nrank + reader->nswitch;
		if (from >= nvertex || to >= nvertex)
			return ordo_fail_at(cursor, link->place,
				"link %u -> %u: wanted vertices of 0..%u (%u ranks, %u switches)",
				from, to, nvertex - 1, reader->nrank, reader->nswitch);
		if (from == to)
			return ordo_fail_at(cursor, link->place,
				"link %u -> %u: leads from a vertex to itself", from, to);
		if (!(link->link.bandwidth_gbs > 0))
			return ordo_fail_at(
				cursor, link->place, "bandwidth_gbs: found 0, wanted more");
		if (!ordo_topology_add(topology, from, to, link->class_name, link->link.latency_ns,
			    link->link.bandwidth_gbs, &found))
			return fail_found(reader, cursor, link->place, &found);
		topology->links[topology->nlink - 1].down = link->link.down;
		topology->links[topology->nlink - 1].reduce_gbs = link->link.reduce_gbs;
	}
	return true;
}

static int compare_links(const void *one, const void *other)
{
	const struct link *a = one, *b = other;
	if (a->link.from != b->link.from)
		return a->link.from < b->link.from ? -1 : 1;
	if (a->link.to != b->link.to)
		return a->link.to < b->link.to ? -1 : 1;
	int order = strcmp(a->class_name, b->class_name);
	if (order)
		return order;
	if (a->place.line != b->place.line)
		return a->place.line < b->place.line ? -1 : 1;
	return (a->place.column > b->place.column) - (a->place.column < b->place.column);
}

/* The place of a duplicate link, or else of the links. */
static struct ordo_place place_of_twin(struct reader *reader)
{
	qsort(reader->links, reader->nlink, sizeof *reader->links, compare_links);
	for (uint32_t i = 1; i < reader->nlink; i++) {
		const struct link *a = &reader->links[i - 1], *b = &reader->links[i];
		if (a->link.from == b->link.from && a->link.to == b->link.to &&
			!strcmp(a->class_name, b->class_name))
			return b->place;
	}
	return ordo_place_of(&head, reader->places, "links");
}

static bool build(
	struct reader *reader, const struct ordo_cursor *cursor, struct ordo_topology *topology)
{
	struct ordo_error found;
	topology->cores = reader->cores;
	topology->task_ns = reader->task_ns;
	topology->reduce_gbs = reader->reduce_gbs;
	topology->copy_gbs = reader->copy_gbs;
	memcpy(topology->sum_gbs, reader->sum_gbs, sizeof topology->sum_gbs);
	if (!add_links(reader, cursor, topology))
		return false;
	if (reader->extra) {
		topology->extra =
			ordo_arena_text(&topology->arena, reader->extra, strlen(reader->extra));
		if (!topology->extra)
			return ordo_fail_memory(reader->error);
	}
	if (reader->remark) {
		topology->remark = reader->ninexact == 1
					   ? ordo_arena_text(&topology->arena, reader->remark,
						     strlen(reader->remark))
					   : ordo_arena_format(&topology->arena,
						     "%s; there are %" PRIu32 " such bandwidths",
						     reader->remark, reader->ninexact);
		if (!topology->remark)
			return ordo_fail_memory(reader->error);
	}
	return ordo_topology_finish(topology, &found)
		       ? true
		       : fail_found(reader, cursor, place_of_twin(reader), &found);
}

static struct ordo_topology *read_source(
	const struct ordo_source *source, const char *name, struct ordo_error *error)
{
	struct reader reader = {.error = error};
	struct ordo_cursor cursor;
	struct ordo_topology *topology = NULL;
	ordo_cursor_begin_source(&cursor, source, name, error);
	cursor.arena = &reader.arena;
	cursor.reader = &reader;
	if (ordo_read_object(&cursor, &head, &reader, reader.places) && ordo_skip_rest(&cursor))
		topology = create(&reader, &cursor);
	if (topology && !build(&reader, &cursor, topology)) {
		ordo_topology_destroy(topology);
		topology = NULL;
	}
	ordo_arena_free(&reader.arena);
	free(reader.links);
	return topology;
}

struct ordo_topology *ordo_topology_read_text(
	const char *text, size_t size, const char *name, struct ordo_error *error)
{
	return read_source(&(struct ordo_source){.text = text, .size = size}, name, error);
}

struct ordo_topology *ordo_topology_read(const char *path, struct ordo_error *error)
{
	struct ordo_source source;
	const char *name = ordo_source_open(&source, path, error);
	if (!name)
		return NULL;
	struct ordo_topology *topology = read_source(&source, name, error);
	ordo_source_close(&source);
	return topology;
}
