/* via.c - the ways that streams name over the switches of a topology. */
#include <ordo/arena.h>
#include <ordo/detail/topologies.h>
#include <ordo/detail/via.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static const struct ordo_via *copy_via(struct ordo_arena *arena, const struct ordo_via *via)
{
	struct ordo_via *copy = ordo_arena_alloc(arena, sizeof *copy);
	const size_t size = (size_t)via->nswitch * sizeof *via->switches;
	uint32_t *switches = ordo_arena_alloc(arena, size + sizeof *switches);
	const char *class_name =
		via->class_name
			? ordo_arena_text(arena, via->class_name, strlen(via->class_name))
			: NULL;
	if (!copy || !switches || (via->class_name && !class_name))
		return NULL;
	if (size)
		memcpy(switches, via->switches, size);
	*copy = (struct ordo_via){switches, via->nswitch, class_name};
	return copy;
}

bool ordo_schedule_set_via(struct ordo_schedule *schedule, uint32_t stream,
	const struct ordo_via *via, struct ordo_error *error)
{
	const uint32_t nstream = schedule->nstream;
	const bool first = !schedule->vias;
	if (!ordo_array_reserve(&schedule->vias, &schedule->via_room, nstream,
		    sizeof *schedule->vias))
		return ordo_fail_memory(error);
	if (first)
		memset(schedule->vias, 0, nstream * sizeof *schedule->vias);
	/* Ways repeat from stream to stream. */
	const struct ordo_via *last = stream ? schedule->vias[stream - 1] : NULL;
	schedule->vias[stream] =
		last && ordo_via_same(last, via) ? last : copy_via(&schedule->arena, via);
	return schedule->vias[stream] || ordo_fail_memory(error);
}

bool ordo_via_same(const struct ordo_via *one, const struct ordo_via *other)
{
	if (!one || !other)
		return one == other;
	return one->nswitch == other->nswitch && !one->class_name == !other->class_name &&
	       (!one->class_name || !strcmp(one->class_name, other->class_name)) &&
	       (!one->nswitch || !memcmp(one->switches, other->switches,
					 one->nswitch * sizeof *one->switches));
}

int ordo_via_print(const struct ordo_via *via, char *out, size_t size)
{
	size_t length = 0;
#define PUT(...)                                                                                   \
	length += (size_t)snprintf(                                                                \
		out + (length < size ? length : size), length < size ? size - length : 0, __VA_ARGS__)
	PUT(via->nswitch == 0  ? "the direct link"
		: via->nswitch == 1 ? "switch"
				    : "switches");
	for (uint32_t i = 0; i < via->nswitch; i++)
		PUT("%s%u", i ? ", " : " ", via->switches[i]);
	if (via->class_name)
		PUT(" (%s)", via->class_name);
#undef PUT
	return (int)length;
}

/* One hop. *classed: it goes over a link of the class. */
static uint32_t hop(const struct ordo_via *via, const struct ordo_topology *topology, uint32_t from,
	uint32_t to, bool *classed)
{
	uint32_t first;
	const uint32_t end = ordo_topology_links(topology, from, to, &first);
	for (uint32_t i = first; via->class_name && i < end; i++) {
		const struct ordo_link *link = &topology->links[i];
		if (strcmp(topology->class_names[link->class_name], via->class_name))
			continue;
		*classed = true;
		return link->down ? ORDO_NONE : i;
	}
	return ordo_topology_best_of(topology, first, end);
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
			return refuse(why, size, "vertex %u is no switch there", next);
		bool of_class = false;
		const uint32_t link = hop(via, topology, at, next, &of_class);
		if (link == ORDO_NONE)
			return refuse(why, size, "there is no link %u-%u%s%s that is up", at, next,
				of_class ? " of class " : "", of_class ? via->class_name : "");
		if (links)
			links[i] = link;
		classed = classed || of_class;
		at = next;
	}
	return classed || refuse(why, size, "no link on that way is of class %s", via->class_name);
}
