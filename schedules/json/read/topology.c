/* topology.c - topologies from JSON. */
#include "base/source.h"
#include "value.h"
#include <errno.h>
#include <fcntl.h>
#include <ordo/arena.h>
#include <ordo/atomic_file.h>
#include <ordo/document.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum head_key {
	SCHEMA,
	NAME,
	RANKS,
	SWITCHES,
	PORTS,
	CORES,
	TASK_NS,
	REDUCE,
	COPY,
	EXTRA,
	LINKS,
	NHEAD_KEY
};
static const char *const head_names[NHEAD_KEY] = {"schema", "name", "ranks", "switches", "ports",
	"cores", "task_ns", "reduce_gbs", "copy_gbs", "x", "links"};
static const struct ordo_keys head_keys = {head_names, NHEAD_KEY, "a topology"};

enum link_key { FROM, TO, CLASS, LATENCY, BANDWIDTH, LINK_REDUCE, DOWN, NLINK_KEY };
static const char *const link_names[NLINK_KEY] = {
	"from", "to", "class", "latency_ns", "bandwidth_gbs", "reduce_gbs", "down"};
static const struct ordo_keys link_keys = {link_names, NLINK_KEY, "a link"};

/* A link as it was met. */
struct link {
	struct ordo_link link; /* its class is not used */
	const char *class_name;
	struct ordo_place place;
};

struct reader {
	struct ordo_error *error;
	struct ordo_arena arena; /* texts until the topology is there */
	struct ordo_place places[NHEAD_KEY];
	const char *name, *extra;
	uint32_t nrank, nswitch, ports, cores;
	double task_ns, reduce_gbs, copy_gbs;
	struct link *links;
	uint32_t nlink;
	size_t link_room;
};

/* The class's name; that of the link before, if it is the same, as it mostly is. */
static bool read_class(struct reader *reader, struct ordo_cursor *cursor, const char **class_name)
{
	struct ordo_piece value;
	const char *text;
	cJSON *json = ordo_parse_value(cursor, "class", &value);
	bool worked = json && ordo_as_string(cursor, json, &value, "class", &text);
	if (worked) {
		const char *before =
			reader->nlink ? reader->links[reader->nlink - 1].class_name : "";
		*class_name = strcmp(before, text)
				      ? ordo_arena_text(&reader->arena, text, strlen(text))
				      : before;
		worked = *class_name ? true : ordo_fail_memory(reader->error);
	}
	cJSON_Delete(json);
	return worked;
}

static bool read_link_value(
	struct reader *reader, struct ordo_cursor *cursor, enum link_key key, struct link *link)
{
	switch (key) {
	case FROM:
		return ordo_read_integer(cursor, "from", 0, ORDO_LIMIT, &link->link.from);
	case TO:
		return ordo_read_integer(cursor, "to", 0, ORDO_LIMIT, &link->link.to);
	case CLASS:
		return read_class(reader, cursor, &link->class_name);
	case LATENCY:
		return ordo_read_real(cursor, "latency_ns", &link->link.latency_ns);
	case BANDWIDTH:
		return ordo_read_real(cursor, "bandwidth_gbs", &link->link.bandwidth_gbs);
	case LINK_REDUCE:
		return ordo_read_real(cursor, "reduce_gbs", &link->link.reduce_gbs);
	case DOWN:
		return ordo_read_boolean(cursor, "down", &link->link.down);
	case NLINK_KEY:
		break;
	}
	return false;
}

static bool read_link(struct reader *reader, struct ordo_cursor *cursor)
{
	const uint32_t required = 1u << FROM | 1u << TO | 1u << LATENCY | 1u << BANDWIDTH;
	struct link link = {.class_name = "link"};
	struct ordo_members members;
	int key;
	if (!ordo_members_begin(&members, cursor, &link_keys, "a link, an object"))
		return false;
	link.place = members.place;
	while ((key = ordo_members_next(&members)) >= 0)
		if (!read_link_value(reader, cursor, (enum link_key)key, &link))
			return false;
	if (!ordo_members_end(&members, required))
		return false;
	if (reader->nlink == ORDO_LIMIT ||
		!ordo_array_reserve(&reader->links, &reader->link_room, (size_t)reader->nlink + 1,
			sizeof *reader->links))
		return ordo_fail_memory(reader->error);
	reader->links[reader->nlink++] = link;
	return true;
}

static bool read_links(struct reader *reader, struct ordo_cursor *cursor)
{
	enum ordo_item step;
	bool first = true;
	if (!ordo_skip_character(cursor, '[', "an array of links"))
		return false;
	while ((step = ordo_next_element(cursor, &first)) == ORDO_ITEM_FOUND)
		if (!read_link(reader, cursor))
			return false;
	return step == ORDO_ITEM_END;
}

static bool read_head_value(struct reader *reader, struct ordo_cursor *cursor, enum head_key key)
{
	ordo_skip_space(cursor);
	reader->places[key] = ordo_cursor_place(cursor);
	switch (key) {
	case SCHEMA:
		return ordo_read_schema(cursor, "ordo/topology/1");
	case NAME:
		return ordo_read_string(cursor, "name", &reader->arena, &reader->name);
	case RANKS:
		return ordo_read_integer(cursor, "ranks", 1, ORDO_LIMIT, &reader->nrank);
	case SWITCHES:
		return ordo_read_integer(cursor, "switches", 0, ORDO_LIMIT, &reader->nswitch);
	case PORTS:
		return ordo_read_integer(cursor, "ports", 0, ORDO_LIMIT, &reader->ports);
	case CORES:
		return ordo_read_integer(cursor, "cores", 0, ORDO_LIMIT, &reader->cores);
	case TASK_NS:
		return ordo_read_real(cursor, "task_ns", &reader->task_ns);
	case REDUCE:
		return ordo_read_real(cursor, "reduce_gbs", &reader->reduce_gbs);
	case COPY:
		return ordo_read_real(cursor, "copy_gbs", &reader->copy_gbs);
	case EXTRA:
		return ordo_read_extra(cursor, &reader->arena, &reader->extra);
	case LINKS:
		return read_links(reader, cursor);
	case NHEAD_KEY:
		break;
	}
	return false;
}

static bool read_head(struct reader *reader, struct ordo_cursor *cursor)
{
	const uint32_t required = 1u << SCHEMA | 1u << NAME | 1u << RANKS | 1u << LINKS;
	struct ordo_members members;
	int key;
	if (!ordo_members_begin(&members, cursor, &head_keys, "a topology, an object"))
		return false;
	while ((key = ordo_members_next(&members)) >= 0)
		if (!read_head_value(reader, cursor, (enum head_key)key))
			return false;
	return ordo_members_end(&members, required) && ordo_skip_rest(cursor);
}

/* What building it found to be wrong, said at the place in the document; memory has none. */
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
	fail_found(reader, cursor, reader->places[about_switches ? SWITCHES : RANKS], &found);
	return NULL;
}

/* What a finished topology could not say the place of. */
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

/* The place of a link that is there twice, or else of the links. */
static struct ordo_place place_of_twin(struct reader *reader)
{
	qsort(reader->links, reader->nlink, sizeof *reader->links, compare_links);
	for (uint32_t i = 1; i < reader->nlink; i++) {
		const struct link *a = &reader->links[i - 1], *b = &reader->links[i];
		if (a->link.from == b->link.from && a->link.to == b->link.to &&
			!strcmp(a->class_name, b->class_name))
			return b->place;
	}
	return reader->places[LINKS];
}

static bool build(
	struct reader *reader, const struct ordo_cursor *cursor, struct ordo_topology *topology)
{
	struct ordo_error found;
	topology->cores = reader->cores;
	topology->task_ns = reader->task_ns;
	topology->reduce_gbs = reader->reduce_gbs;
	topology->copy_gbs = reader->copy_gbs;
	if (!add_links(reader, cursor, topology))
		return false;
	if (reader->extra) {
		topology->extra =
			ordo_arena_text(&topology->arena, reader->extra, strlen(reader->extra));
		if (!topology->extra)
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
	if (read_head(&reader, &cursor))
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
	struct ordo_topology *topology = NULL;
	bool is_stdin = !strcmp(path, "-");
	int descriptor = is_stdin ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
	const char *name = is_stdin ? "stdin" : path;
	if (descriptor < 0) {
		ordo_fail_file(error, name, "cannot read", errno);
		return NULL;
	}
	if (ordo_source_from(&source, descriptor, name, error)) {
		topology = read_source(&source, name, error);
		ordo_source_close(&source);
	}
	return topology;
}
