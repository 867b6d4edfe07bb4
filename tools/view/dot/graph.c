/* graph.c - the subset of cgraph that drawings use. */
#include "graph.h"
#include <errno.h>
#include <ordo/arena.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

char *text_of(const char *text)
{
	union {
		const char *in;
		char *out;
	} either = {text};
	return either.out;
}

void set(void *object, const char *name, const char *value)
{
	agsafeset(object, text_of(name), text_of(value), text_of(""));
}

void set_format(void *object, const char *name, const char *format, ...)
{
	char value[1024];
	va_list arguments;
	va_start(arguments, format);
	vsnprintf(value, sizeof value, format, arguments);
	va_end(arguments);
	set(object, name, value);
}

void set_default(Agraph_t *graph, int kind, const char *name, const char *value)
{
	agattr(graph, kind, text_of(name), text_of(value));
}

/* Splits `name=value; ...`. false: at the end. */
static bool next_attribute(char **rest, const char **name, const char **value)
{
	if (!*rest)
		return false;
	char *equals = strchr(*rest, '='), *end = strstr(*rest, "; ");
	*name = *rest;
	*value = equals + 1;
	*equals = 0;
	if (end)
		*end = 0;
	*rest = end ? end + 2 : NULL;
	return true;
}

void set_all(void *object, const char *format, ...)
{
	char attributes[1024], *rest = attributes;
	const char *name, *value;
	va_list arguments;
	va_start(arguments, format);
	vsnprintf(attributes, sizeof attributes, format, arguments);
	va_end(arguments);
	while (next_attribute(&rest, &name, &value))
		set(object, name, value);
}

void set_defaults(Agraph_t *graph, int kind, const char *attributes)
{
	char text[1024], *rest = text;
	const char *name, *value;
	snprintf(text, sizeof text, "%s", attributes);
	while (next_attribute(&rest, &name, &value))
		set_default(graph, kind, name, value);
}

/* `line_break` replaces line breaks. */
static void set_shown(
	void *object, const char *name, const char *text, const char *line_break, const char *end)
{
	char label[1024];
	size_t length = 0;
	for (; *text && length + 4 < sizeof label; text++) {
		if (*text == '\n' && *line_break) {
			length += (size_t)snprintf(
				label + length, sizeof label - length, "%s", line_break);
			continue;
		}
		if (*text == '\\')
			label[length++] = '\\';
		label[length++] = (unsigned char)*text < ' ' || *text == 0x7f ? '?' : *text;
	}
	/* Cuts a text at a character boundary. */
	for (; *text && length && ((unsigned char)*text & 0xc0) == 0x80; text--)
		length--;
	snprintf(label + length, sizeof label - length, "%s", end);
	set(object, name, label);
}

void set_text(void *object, const char *name, const char *text, const char *end)
{
	set_shown(object, name, text, "", end);
}

void set_lines(void *object, const char *name, const char *text)
{
	set_shown(object, name, text, "\\n", "");
}

Agnode_t *add_node(Agraph_t *graph, const char *name, double x, double y)
{
	Agnode_t *node = agnode(graph, text_of(name), 1);
	if (node)
		set_format(node, "pos", "%.1f,%.1f", x * 72, -y * 72);
	return node;
}

Agnode_t *add_label(Agraph_t *graph, const char *name, double x, double y, const char *text)
{
	Agnode_t *node = add_node(graph, name, x, y);
	if (!node)
		return NULL;
	set_all(node, "shape=plaintext; style=");
	set_text(node, "label", text, "");
	return node;
}

/* Widths of Helvetica from the space on, in thousandths of the size. Source: Adobe Font Metrics. */
static const short helvetica[] = {278, 278, 355, 556, 556, 889, 667, 191, 333, 333, 389, 584, 278,
	333, 278, 278, 556, 556, 556, 556, 556, 556, 556, 556, 556, 556, 278, 278, 584, 584, 584,
	556, 1015, 667, 667, 722, 722, 667, 611, 778, 722, 278, 500, 667, 556, 833, 722, 778, 667,
	778, 722, 667, 611, 722, 667, 944, 667, 667, 611, 278, 278, 278, 469, 556, 333, 556, 556,
	500, 556, 556, 278, 556, 556, 222, 222, 500, 222, 833, 556, 556, 556, 556, 333, 500, 278,
	556, 500, 722, 500, 500, 500, 334, 260, 334, 584};

double width_of_text(const char *text, double points)
{
	const size_t nletter = sizeof helvetica / sizeof *helvetica;
	double thousandths = 0;
	for (; *text; text++) {
		const unsigned char letter = (unsigned char)*text;
		if (letter >= ' ' && (size_t)(letter - ' ') < nletter)
			thousandths += helvetica[letter - ' '];
		else if ((letter & 0xc0) != 0x80)
			thousandths += 1000;
	}
	return 1.2 * thousandths / 1000 * points / 72;
}

Agnode_t *add_left_label(
	Agraph_t *graph, const char *name, double x, double y, const char *text, double points)
{
	/* Aligned left in a box of the largest possible width. */
	const double width = width_of_text(text, points) + 0.1;
	Agnode_t *node = add_label(graph, name, x + width / 2, y, "");
	if (!node)
		return NULL;
	set_text(node, "label", text, "\\l");
	set_all(node, "width=%.2f; height=%.2f; fontsize=%g; fixedsize=true; margin=0", width,
		1.4 * points / 72, points);
	return node;
}

Agraph_t *add_cluster(
	Agraph_t *graph, const char *name, double left, double top, double right, double bottom)
{
	Agraph_t *cluster = agsubg(graph, text_of(name), 1);
	if (cluster)
		set_format(cluster, "bb", "%.1f,%.1f,%.1f,%.1f", left * 72, -bottom * 72,
			right * 72, -top * 72);
	return cluster;
}

/* cgraph writes subgraphs in the order of their ids, which are addresses by default, so pictures
 * would vary between runs. Here ids are numbers in the order of creation; the graph itself is the
 * first. */
struct ids {
	Agraph_t *graph;
	void *others; /* the default functions, for nodes and edges */
	char **names; /* [count] by id - 1; owned by the graph */
	size_t count, room;
};

struct disciplines {
	Agdisc_t all; /* the first member, because cgraph returns a pointer to it */
	struct ids *ids;
};

static void *open_ids(Agraph_t *graph, Agdisc_t *all)
{
	struct ids *ids = ((struct disciplines *)all)->ids;
	ids->graph = graph;
	ids->others = AgIdDisc.open(graph, all);
	return ids;
}

static long map_id(void *state, int kind, char *name, IDTYPE *id, int create)
{
	struct ids *ids = state;
	if (kind != AGRAPH)
		return AgIdDisc.map(ids->others, kind, name, id, create);
	if (!create || !name ||
		!ordo_array_reserve(&ids->names, &ids->room, ids->count + 1, sizeof *ids->names))
		return 0;
	if (!(ids->names[ids->count] = agstrdup(ids->graph, name)))
		return 0;
	*id = ++ids->count;
	return 1;
}

static long alloc_id(void *state, int kind, IDTYPE id)
{
	const struct ids *ids = state;
	return kind == AGRAPH ? 0 : AgIdDisc.alloc(ids->others, kind, id);
}

static void free_id(void *state, int kind, IDTYPE id)
{
	const struct ids *ids = state;
	if (kind != AGRAPH)
		AgIdDisc.free(ids->others, kind, id);
}

static char *print_id(void *state, int kind, IDTYPE id)
{
	const struct ids *ids = state;
	return kind == AGRAPH ? ids->names[id - 1] : AgIdDisc.print(ids->others, kind, id);
}

static void close_ids(void *state)
{
	struct ids *ids = state;
	AgIdDisc.close(ids->others);
	free(ids->names);
	free(ids);
}

static void register_id(void *state, int kind, void *object)
{
	const struct ids *ids = state;
	AgIdDisc.idregister(ids->others, kind, object);
}

Agraph_t *open_picture(const char *name, struct ordo_error *error)
{
	static Agiddisc_t counted = {
		open_ids, map_id, alloc_id, free_id, print_id, close_ids, register_id};
	struct disciplines disciplines = {{.mem = &AgMemDisc, .id = &counted, .io = &AgIoDisc},
		calloc(1, sizeof *disciplines.ids)};
	Agraph_t *graph =
		disciplines.ids ? agopen(text_of(name), Agdirected, &disciplines.all) : NULL;
	if (!graph) {
		ordo_fail_memory(error);
		return NULL;
	}
	/* The engine `nop` keeps given positions, so `dot` draws exactly this. */
	set_defaults(graph, AGRAPH,
		"layout=nop; splines=line; outputorder=edgesfirst; fontname=Helvetica; pad=0.2; "
		"bgcolor=white; bb=");
	set_defaults(graph, AGNODE, "fontname=Helvetica; fontsize=10");
	set_default(graph, AGNODE, "label", "\\N");
	set_defaults(graph, AGEDGE, "fontname=Helvetica; arrowsize=0.5");
	return graph;
}

bool close_picture(Agraph_t *graph, FILE *out, struct ordo_error *error)
{
	errno = 0;
	bool written = !agwrite(graph, out) && !fflush(out) && !ferror(out);
	agclose(graph);
	return written || ordo_fail(error, ORDO_ENVIRONMENT, 0, "cannot write the picture: %s",
				  strerror(errno));
}
