/* topology_dot.c - a topology as a picture: ranks in a circle, switches inside, a line for every link. */
#include "graph.h"
#include "view.h"
#include <math.h>
#include <stdlib.h>

static const double full_turn = 6.283185307179586;
static const char *const class_colours[] = {"#4878a8", "#6a9a5b", "#b07f3c", "#7d6aa8", "#5b9aa0", "#a0a0a0"};
enum { NCOLOUR = sizeof class_colours / sizeof *class_colours };

struct drawing {
	const struct ordo_topology *topology;
	Agraph_t *graph;
	Agnode_t **nodes; /* [nvertex]; NULL: not drawn */
	double radius;
};

static Agnode_t *add_vertex(struct drawing *drawing, uint32_t vertex, double turn, double radius)
{
	char name[24];
	bool is_switch = vertex >= drawing->topology->nrank;
	uint32_t number = is_switch ? vertex - drawing->topology->nrank : vertex;
	snprintf(name, sizeof name, "%s%u", is_switch ? "switch" : "rank", number);
	Agnode_t *node = add_node(drawing->graph, name, radius * sin(turn), -radius * cos(turn));
	if (!node)
		return NULL;
	set_format(node, "label", is_switch ? "switch %u" : "%u", number);
	set(node, "shape", is_switch ? "box" : "circle");
	/* Circles of one size, as long as the numbers fit. */
	set(node, "fixedsize", !is_switch && number < 1000 ? "true" : "false");
	set(node, "fillcolor", is_switch ? "#e8e8e8" : "#f3f6fa");
	return node;
}

static bool add_vertices(struct drawing *drawing, const uint32_t *ranks, uint32_t nrank)
{
	const struct ordo_topology *topology = drawing->topology;
	drawing->radius = nrank < 3 ? 0.9 : fmax(1.1, 0.75 * nrank / full_turn * 1.4);
	for (uint32_t i = 0; i < nrank; i++) {
		if (drawing->nodes[ranks[i]])
			continue;
		drawing->nodes[ranks[i]] =
			add_vertex(drawing, ranks[i], full_turn * i / nrank, drawing->radius);
		if (!drawing->nodes[ranks[i]])
			return false;
	}
	double inner = topology->nswitch == 1 ? 0 : drawing->radius / 2;
	for (uint32_t i = 0; i < topology->nswitch; i++) {
		uint32_t vertex = topology->nrank + i;
		drawing->nodes[vertex] =
			add_vertex(drawing, vertex, full_turn * i / topology->nswitch, inner);
		if (!drawing->nodes[vertex])
			return false;
	}
	return true;
}

static const struct ordo_link *find_back(const struct ordo_topology *topology, const struct ordo_link *link)
{
	uint32_t low = 0, high = topology->nlink;
	while (low < high) {
		uint32_t middle = low + (high - low) / 2;
		const struct ordo_link *other = &topology->links[middle];
		bool before = other->from != link->to	? other->from < link->to
			      : other->to != link->from ? other->to < link->from
							: other->class_name < link->class_name;
		if (before)
			low = middle + 1;
		else
			high = middle;
	}
	const struct ordo_link *other = low < topology->nlink ? &topology->links[low] : NULL;
	bool back = other && other->from == link->to && other->to == link->from &&
		    other->class_name == link->class_name && other->down == link->down;
	return back ? other : NULL;
}

/* One line for both directions if they are alike. */
static bool add_link(struct drawing *drawing, const struct ordo_link *link)
{
	Agnode_t *from = drawing->nodes[link->from], *to = drawing->nodes[link->to];
	if (!from || !to)
		return true;
	bool both = find_back(drawing->topology, link);
	if (both && link->from > link->to)
		return true;
	Agedge_t *edge = agedge(drawing->graph, from, to, NULL, 1);
	if (!edge)
		return false;
	set(edge, "dir", both ? "none" : "forward");
	set(edge, "color", link->down ? "#d02020" : class_colours[link->class_name % NCOLOUR]);
	if (link->down) {
		set(edge, "style", "dashed");
		set(edge, "penwidth", "2");
	}
	char tip[256];
	snprintf(tip, sizeof tip, "%s, %g ns, %g GB/s%s", drawing->topology->class_names[link->class_name],
		link->latency_ns, link->bandwidth_gbs, link->down ? ", down" : "");
	set_text(edge, "tooltip", tip, "");
	return true;
}

static bool add_line(struct drawing *drawing, const char *name, double y, const char *colour, bool dashed)
{
	char left[40], right[40];
	snprintf(left, sizeof left, "%s left", name);
	snprintf(right, sizeof right, "%s right", name);
	double x = drawing->radius + 0.7;
	Agnode_t *a = add_node(drawing->graph, left, x, y), *b = add_node(drawing->graph, right, x + 0.4, y);
	Agedge_t *edge = a && b ? agedge(drawing->graph, a, b, NULL, 1) : NULL;
	if (!edge)
		return false;
	set(a, "shape", "point");
	set(b, "shape", "point");
	set(a, "width", "0.01");
	set(b, "width", "0.01");
	set(a, "style", "invis");
	set(b, "style", "invis");
	set(edge, "dir", "none");
	set(edge, "color", colour);
	if (dashed) {
		set(edge, "style", "dashed");
		set(edge, "penwidth", "2");
	}
	return true;
}

/* A line for each class of links, and one for those that are down. */
static bool add_legend(struct drawing *drawing)
{
	const struct ordo_topology *topology = drawing->topology;
	char name[32], text[256];
	double y = -drawing->radius;
	bool down = false;
	for (uint32_t i = 0; i < topology->nlink; i++)
		down |= topology->links[i].down;
	for (uint32_t class = 0; class < topology->nclass; class ++, y += 0.3) {
		const struct ordo_link *link = topology->links;
		while (link < topology->links + topology->nlink && link->class_name != class)
			link++;
		if (link == topology->links + topology->nlink)
			continue;
		snprintf(name, sizeof name, "class %u", class);
		snprintf(text, sizeof text, "%s, %g ns, %g GB/s", topology->class_names[class],
			link->latency_ns, link->bandwidth_gbs);
		if (!add_line(drawing, name, y, class_colours[class % NCOLOUR], false) ||
			!add_left_label(drawing->graph, name, drawing->radius + 1.2, y, text))
			return false;
	}
	return !down || (add_line(drawing, "down", y, "#d02020", true) &&
				add_left_label(drawing->graph, "down", drawing->radius + 1.2, y, "down"));
}

static bool add_all(struct drawing *drawing, const uint32_t *ranks, uint32_t nrank)
{
	const struct ordo_topology *topology = drawing->topology;
	set_default(drawing->graph, AGNODE, "style", "filled");
	set_default(drawing->graph, AGNODE, "color", "#404040");
	set_default(drawing->graph, AGNODE, "fontsize", "12");
	set_default(drawing->graph, AGNODE, "width", "0.42");
	set_default(drawing->graph, AGNODE, "height", "0.42");
	if (!add_vertices(drawing, ranks, nrank))
		return false;
	for (uint32_t i = 0; i < topology->nlink; i++)
		if (!add_link(drawing, &topology->links[i]))
			return false;
	return add_legend(drawing) && add_label(drawing->graph, "title", 0, -drawing->radius - 0.6,
					      topology->name ? topology->name : "topology");
}

bool draw_topology(FILE *out, const struct ordo_topology *topology, const uint32_t *ranks, uint32_t nrank,
	struct ordo_error *error)
{
	struct drawing drawing = {.topology = topology,
		.nodes = calloc((size_t)topology->nrank + topology->nswitch, sizeof(Agnode_t *)),
		.graph = open_picture("topology", error)};
	if (!drawing.graph || !drawing.nodes || !add_all(&drawing, ranks, nrank)) {
		if (drawing.graph)
			agclose(drawing.graph);
		free(drawing.nodes);
		return ordo_fail_memory(error);
	}
	free(drawing.nodes);
	return close_picture(drawing.graph, out, error);
}
