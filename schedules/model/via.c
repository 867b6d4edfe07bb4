/* via.c - the ways that streams name over the switches of a topology. */
#include <ordo/arena.h>
#include <ordo/detail/schedules.h>
#include <ordo/detail/topologies.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static const char **copy_classes(struct ordo_arena *arena, const struct ordo_via *via)
{
	const char **classes =
		ordo_arena_alloc(arena, ((size_t)via->nswitch + 1) * sizeof *classes);
	for (uint32_t i = 0; classes && i <= via->nswitch; i++) {
		classes[i] =
			ordo_arena_text(arena, via->hop_classes[i], strlen(via->hop_classes[i]));
		if (!classes[i])
			return NULL;
	}
	return classes;
}

const struct ordo_via *ordo_via_copy(struct ordo_arena *arena, const struct ordo_via *via)
{
	struct ordo_via *copy = ordo_arena_alloc(arena, sizeof *copy);
	const size_t size = (size_t)via->nswitch * sizeof *via->switches;
	uint32_t *switches = ordo_arena_alloc(arena, size + sizeof *switches);
	const char *class_name =
		via->class_name ? ordo_arena_text(arena, via->class_name, strlen(via->class_name))
				: NULL;
	const char **hop_classes = via->hop_classes ? copy_classes(arena, via) : NULL;
	if (!copy || !switches || (via->class_name && !class_name) ||
		(via->hop_classes && !hop_classes))
		return NULL;
	if (size)
		memcpy(switches, via->switches, size);
	*copy = (struct ordo_via){switches, via->nswitch, class_name, hop_classes};
	return copy;
}

bool ordo_schedule_set_via(struct ordo_schedule *schedule, uint32_t stream,
	const struct ordo_via *via, struct ordo_error *error)
{
	const uint32_t nstream = schedule->nstream;
	const bool first = !schedule->vias;
	if (!ordo_array_reserve(
		    &schedule->vias, &schedule->via_room, nstream, sizeof *schedule->vias))
		return ordo_fail_memory(error);
	if (first)
		memset(schedule->vias, 0, nstream * sizeof *schedule->vias);
	/* Ways repeat from stream to stream. */
	const struct ordo_via *last = stream ? schedule->vias[stream - 1] : NULL;
	schedule->vias[stream] =
		last && ordo_via_same(last, via) ? last : ordo_via_copy(&schedule->arena, via);
	return schedule->vias[stream] || ordo_fail_memory(error);
}

bool ordo_via_same(const struct ordo_via *one, const struct ordo_via *other)
{
	if (!one || !other)
		return one == other;
	bool same = one->nswitch == other->nswitch && !one->class_name == !other->class_name &&
		    (!one->class_name || !strcmp(one->class_name, other->class_name)) &&
		    (!one->nswitch || !memcmp(one->switches, other->switches,
					      one->nswitch * sizeof *one->switches)) &&
		    !one->hop_classes == !other->hop_classes;
	for (uint32_t i = 0; same && one->hop_classes && i <= one->nswitch; i++)
		same = !strcmp(one->hop_classes[i], other->hop_classes[i]);
	return same;
}

/* Appends to a text of `length` letters; returns what would be its length. */
static size_t append(char *out, size_t size, size_t length, const char *format, ...)
	__attribute__((format(printf, 4, 5)));
static size_t append(char *out, size_t size, size_t length, const char *format, ...)
{
	const size_t at = length < size ? length : size;
	va_list arguments;
	va_start(arguments, format);
	length += (size_t)vsnprintf(out + at, size - at, format, arguments);
	va_end(arguments);
	return length;
}

int ordo_via_print(const struct ordo_via *via, char *out, size_t size)
{
	size_t length = append(out, size, 0, "%s",
		!via->nswitch	    ? "the direct link"
		: via->nswitch == 1 ? "switch"
				    : "switches");
	for (uint32_t i = 0; i < via->nswitch; i++)
		length = append(out, size, length, "%s%u", i ? ", " : " ", via->switches[i]);
	if (via->class_name)
		length = append(out, size, length, " (%s)", via->class_name);
	for (uint32_t i = 0; via->hop_classes && i <= via->nswitch; i++)
		length = append(out, size, length, "%s%s%s", i ? ", " : " (", via->hop_classes[i],
			i == via->nswitch ? ")" : "");
	return (int)length;
}

int ordo_stream_title(const struct ordo_schedule *schedule, uint32_t stream, char *out, size_t size)
{
	const struct ordo_via *via = ordo_via_of(schedule, stream);
	const char *name = schedule->streams[stream].name;
	size_t length = append(out, size, 0, "%s", name ? name : "");
	if (!via)
		return (int)length;
	length = append(out, size, length, ", via");
	for (uint32_t i = 0; i < via->nswitch; i++)
		length = append(out, size, length, " %u", via->switches[i]);
	if (via->hop_classes)
		for (uint32_t i = 0; i <= via->nswitch; i++)
			length = append(
				out, size, length, "%s%s", i ? "/" : " ", via->hop_classes[i]);
	else if (via->class_name || !via->nswitch)
		length = append(out, size, length, " %s",
			via->class_name ? via->class_name : "the direct link");
	return (int)length;
}

/* The class that a hop names; NULL. */
static const char *class_at(const struct ordo_via *via, uint32_t hop)
{
	return via->hop_classes ? via->hop_classes[hop] : via->class_name;
}

/* One hop. *classed: it goes over a link of the class, and must if every hop has its own. */
static uint32_t hop(const struct ordo_via *via, uint32_t number,
	const struct ordo_topology *topology, uint32_t from, uint32_t to, bool *classed)
{
	const char *name = class_at(via, number);
	uint32_t first;
	const uint32_t end = ordo_topology_links(topology, from, to, &first);
	for (uint32_t i = first; name && i < end; i++) {
		const struct ordo_link *link = &topology->links[i];
		if (strcmp(topology->class_names[link->class_name], name))
			continue;
		*classed = true;
		return link->down ? ORDO_NONE : i;
	}
	*classed = via->hop_classes;
	return *classed ? ORDO_NONE : ordo_topology_best_of(topology, first, end);
}

static bool refuse(char *why, size_t size, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
static bool refuse(char *why, size_t size, const char *format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	vsnprintf(why, size, format, arguments);
	va_end(arguments);
	return false;
}

bool ordo_via_links(const struct ordo_via *via, const struct ordo_topology *topology, uint32_t from,
	uint32_t to, uint32_t *links, char *why, size_t size)
{
	const uint32_t nvertex = topology->nrank + topology->nswitch;
	bool classed = !via->class_name;
	for (uint32_t i = 0, at = from; i <= via->nswitch; i++) {
		const uint32_t next = i < via->nswitch ? via->switches[i] : to;
		if (i < via->nswitch && (next < topology->nrank || next >= nvertex))
			return refuse(why, size, "vertex %u is not a switch", next);
		bool of_class = false;
		const uint32_t link = hop(via, i, topology, at, next, &of_class);
		if (link == ORDO_NONE)
			return refuse(why, size, "there is no link %u-%u%s%s that is up", at, next,
				of_class ? " of class " : "", of_class ? class_at(via, i) : "");
		if (links)
			links[i] = link;
		classed = classed || of_class;
		at = next;
	}
	return classed || refuse(why, size, "no link on that path is of class %s", via->class_name);
}

uint32_t ordo_count_vias(const struct ordo_schedule *schedule)
{
	uint32_t count = 0;
	for (uint32_t s = 0; s < schedule->nstream; s++)
		count += ordo_via_of(schedule, s) != NULL;
	return count;
}
