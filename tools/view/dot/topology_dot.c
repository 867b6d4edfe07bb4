/* topology_dot.c - draws a topology: a line for every link, its width by bytes and its colour by
 * utilisation. */
#include "drawings.h"
#include "topology_drawing.h"
#include "topology_matrix.h"
#include <inttypes.h>
#include <math.h>
#include <ordo/arena.h>
#include <stdlib.h>
#include <string.h>

static const char *const class_colours[] = {
	"#4878a8", "#6a9a5b", "#b07f3c", "#7d6aa8", "#5b9aa0", "#a0a0a0"};
enum { NCOLOUR = sizeof class_colours / sizeof *class_colours };

/* Inches; of a vertex the diameter. */
static const double vertex_radius = 0.21, switch_width = 0.7, switch_height = 0.3, lane = 0.055,
		    points = 72;
/* Points: width of the most and of the least loaded link; with more links than this all are
 * thinner. */
static const double widest = 6.5, thinnest = 0.9, many_links = 16;
static const char idle_colour[] = "#d8d8d8", down_colour[] = "#d02020";
/* With more links, those without a load are left out. */
enum { MOST_IDLE = 600 };

static Agnode_t *add_vertex(struct drawing *drawing, uint32_t vertex)
{
	char name[24];
	bool is_switch = vertex >= drawing->topology->nrank;
	uint32_t number = is_switch ? vertex - drawing->topology->nrank : vertex;
	const struct point at = drawing->layout.at[vertex];
	snprintf(name, sizeof name, "%s%u", is_switch ? "switch" : "rank", number);
	Agnode_t *node = add_node(drawing->graph, name, at.x, at.y);
	if (!node)
		return NULL;
	/* --fail-switch and `ordo bound` name vertices. */
	set_format(node, "label", is_switch ? "switch %u" : "%u", vertex);
	set(node, "shape", is_switch ? "box" : "circle");
	/* All boxes have one size if the numbers fit. */
	set_all(node, "fixedsize=%s; fillcolor=%s",
		number < (is_switch ? 100 : 1000) ? "true" : "false",
		is_switch ? "#e8e8e8" : "#f3f6fa");
	if (is_switch)
		set_all(node, "width=%.2f; height=%.2f; fontsize=10; margin=0.06,0.02",
			switch_width, switch_height);
	return node;
}

static bool add_vertices(struct drawing *drawing)
{
	const struct ordo_topology *topology = drawing->topology;
	for (uint32_t vertex = 0; vertex < topology->nrank + topology->nswitch; vertex++)
		if (drawing->layout.drawn[vertex] &&
			!(drawing->nodes[vertex] = add_vertex(drawing, vertex)))
			return false;
	return true;
}

static bool add_boxes(struct drawing *drawing)
{
	for (uint32_t i = 0; i < drawing->layout.nbox; i++) {
		const struct layout_box *box = &drawing->layout.boxes[i];
		char name[32];
		snprintf(name, sizeof name, "cluster_server%u", box->server);
		Agraph_t *cluster = add_cluster(
			drawing->graph, name, box->low.x, box->low.y, box->high.x, box->high.y);
		if (!cluster)
			return false;
		set_all(cluster, "style=rounded,filled; fillcolor=#f8f9fb; color=#c8ccd2");
		snprintf(name, sizeof name, "server %u", box->server);
		Agnode_t *label = add_label(drawing->graph, name, (box->low.x + box->high.x) / 2,
			box->below ? box->high.y - 0.16 : box->low.y + 0.16, name);
		if (!label)
			return false;
		set_all(label, "fontsize=10; fontcolor=#707070");
	}
	return true;
}

static const struct ordo_link *find_back(
	const struct ordo_topology *topology, const struct ordo_link *link)
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

/* A curve between vertices as cubic Bezier points. */
struct curve {
	struct point at[4];
};

static struct point point_of(const struct curve *curve, double share)
{
	const double s = share, r = 1 - share;
	const double weights[] = {r * r * r, 3 * r * r * s, 3 * r * s * s, s * s * s};
	struct point at = {0, 0};
	for (int i = 0; i < 4; i++) {
		at.x += weights[i] * curve->at[i].x;
		at.y += weights[i] * curve->at[i].y;
	}
	return at;
}

static double radius_of(const struct drawing *drawing, uint32_t vertex, double x, double y)
{
	if (vertex < drawing->topology->nrank)
		return vertex_radius;
	/* A box of about 0.7 by 0.3 inches. */
	return fmin(0.36 / fmax(fabs(x), 1e-9), 0.16 / fmax(fabs(y), 1e-9));
}

/* With loads each direction is drawn on its right side. */
static struct curve find_curve(
	const struct drawing *drawing, uint32_t from, uint32_t to, bool one_way)
{
	struct point a = drawing->layout.at[from], b = drawing->layout.at[to];
	const double bow = 4.0 / 3 * bow_of_line(&drawing->layout, drawing->topology, from, to);
	const double length = fmax(hypot(b.x - a.x, b.y - a.y), 1e-9);
	const double x = (b.x - a.x) / length, y = (b.y - a.y) / length, right = one_way ? lane : 0;
	/* The left side of (x, y) is (y, -x), because y grows downwards. */
	const struct point aside = {-y * right, x * right};
	a = (struct point){a.x + aside.x, a.y + aside.y};
	b = (struct point){b.x + aside.x, b.y + aside.y};
	struct point c = {a.x + x * length / 3 + y * bow, a.y + y * length / 3 - x * bow},
		     d = {b.x - x * length / 3 + y * bow, b.y - y * length / 3 - x * bow};
	const double out = hypot(c.x - a.x, c.y - a.y), in = hypot(b.x - d.x, b.y - d.y);
	const struct point begin = {(c.x - a.x) / out, (c.y - a.y) / out},
			   end = {(b.x - d.x) / in, (b.y - d.y) / in};
	const double first = radius_of(drawing, from, begin.x, begin.y),
		     last = radius_of(drawing, to, end.x, end.y);
	a = (struct point){a.x + begin.x * first, a.y + begin.y * first};
	b = (struct point){b.x - end.x * last, b.y - end.y * last};
	return (struct curve){{a, c, d, b}};
}

/* A box around its middle. */
struct room {
	struct point middle;
	double width, height;
};

static void include(struct drawing *drawing, const struct room *room)
{
	drawing->low.x = fmin(drawing->low.x, room->middle.x - room->width / 2);
	drawing->low.y = fmin(drawing->low.y, room->middle.y - room->height / 2);
	drawing->high.x = fmax(drawing->high.x, room->middle.x + room->width / 2);
	drawing->high.y = fmax(drawing->high.y, room->middle.y + room->height / 2);
}

/* The tip of an arrow covers the end of the line. */
static void set_curve(Agedge_t *edge, const struct curve *curve, double tip)
{
	const struct point *at = curve->at;
	char text[160];
	const double x = at[3].x - at[2].x, y = at[3].y - at[2].y, length = fmax(hypot(x, y), 1e-9);
	const struct point neck = {at[3].x - x / length * tip, at[3].y - y / length * tip};
	size_t used = 0;
	if (tip > 0)
		used = (size_t)snprintf(
			text, sizeof text, "e,%.1f,%.1f ", at[3].x * points, -at[3].y * points);
	snprintf(text + used, sizeof text - used, "%.1f,%.1f %.1f,%.1f %.1f,%.1f %.1f,%.1f",
		at[0].x * points, -at[0].y * points, at[1].x * points, -at[1].y * points,
		at[2].x * points, -at[2].y * points, neck.x * points, -neck.y * points);
	set(edge, "pos", text);
}

Agedge_t *add_curve(struct drawing *drawing, uint32_t from, uint32_t to, bool one_way)
{
	Agedge_t *edge = agedge(drawing->graph, drawing->nodes[from], drawing->nodes[to], NULL, 1);
	if (!edge)
		return NULL;
	const struct curve curve = find_curve(drawing, from, to, one_way);
	const struct room middle = {point_of(&curve, 0.5), 0, 0};
	include(drawing, &middle);
	set_curve(edge, &curve, one_way ? 0.09 : 0);
	set(edge, "dir", one_way ? "forward" : "none");
	return edge;
}

static void describe(const struct drawing *drawing, const struct ordo_link *link, Agedge_t *edge)
{
	char tip[384];
	describe_link(&drawing->loads, link, tip);
	set_text(edge, "tooltip", tip, "");
}

/* 1, or less if there are many links. */
static double thinness(const struct drawing *drawing)
{
	return sqrt(many_links / fmax(drawing->loads.nloaded, many_links));
}

static double width_of(const struct drawing *drawing, double bytes)
{
	const double share = drawing->loads.most_bytes > 0 ? bytes / drawing->loads.most_bytes : 0;
	return thinness(drawing) * (thinnest + (widest - thinnest) * share);
}

static bool overlap(const struct room *a, const struct room *b)
{
	return fabs(a->middle.x - b->middle.x) < (a->width + b->width) / 2 &&
	       fabs(a->middle.y - b->middle.y) < (a->height + b->height) / 2;
}

static struct room room_of_vertex(const struct drawing *drawing, uint32_t vertex)
{
	const bool is_switch = vertex >= drawing->topology->nrank;
	return (struct room){drawing->layout.at[vertex],
		is_switch ? switch_width : 2 * vertex_radius,
		is_switch ? switch_height : 2 * vertex_radius};
}

/* The name of a server. */
static struct room room_of_name(const struct layout_box *box)
{
	const double y = box->below ? box->high.y - 0.16 : box->low.y + 0.16;
	return (struct room){{(box->low.x + box->high.x) / 2, y}, 1, 0.2};
}

static bool is_free(const struct drawing *drawing, const struct room *room)
{
	const uint32_t nvertex = drawing->topology->nrank + drawing->topology->nswitch;
	for (uint32_t v = 0; v < nvertex; v++) {
		const struct room vertex = room_of_vertex(drawing, v);
		if (drawing->layout.drawn[v] && overlap(room, &vertex))
			return false;
	}
	for (uint32_t i = 0; i < drawing->layout.nbox; i++) {
		const struct room name = room_of_name(&drawing->layout.boxes[i]);
		if (overlap(room, &name))
			return false;
	}
	return true;
}

/* Beside the line without covering a vertex, preferably on the outer side and not in the middle of
 * the line, where lines cross. false: there is no room. */
static bool place_words(const struct drawing *drawing, const struct curve *curve, struct room *room)
{
	static const double shares[] = {0.35, 0.65, 0.5, 0.2, 0.8},
			    sides[] = {0.32, -0.32, 0.2, -0.2, 0.5, -0.5, 0.7, -0.7};
	for (size_t side = 0; side < sizeof sides / sizeof *sides; side++)
		for (size_t share = 0; share < sizeof shares / sizeof *shares; share++) {
			const struct point at = point_of(curve, shares[share]);
			const double x = at.x - drawing->layout.middle.x,
				     y = at.y - drawing->layout.middle.y;
			const double outwards = sides[side] / fmax(hypot(x, y), 0.1);
			room->middle = (struct point){at.x + x * outwards, at.y + y * outwards};
			if (is_free(drawing, room))
				return true;
		}
	return false;
}

/* A label at the bottleneck, if there is room; the legend names it in any case. */
static bool add_mark(struct drawing *drawing, const struct ordo_link *link)
{
	char text[96];
	const struct curve curve = find_curve(drawing, link->from, link->to, true);
	snprintf(text, sizeof text, "bottleneck %.3g %%", 100 * use_of(&drawing->loads, link));
	struct room room = {.width = width_of_text(text, 9) + 0.1, .height = 0.2};
	if (!place_words(drawing, &curve, &room))
		return true;
	Agnode_t *node = add_node(drawing->graph, "bottleneck", room.middle.x, room.middle.y);
	if (!node)
		return false;
	set_text(node, "label", text, "");
	set_all(node,
		"shape=box; fixedsize=true; fontsize=9; fontname=Helvetica-Bold; "
		"fillcolor=#fff7e8; width=%.2f; height=%.2f; penwidth=0.8; color=black",
		room.width, room.height);
	include(drawing, &room);
	return true;
}

/* A loaded link as an arrow; a bottleneck has a black outline, unless all links are bottlenecks. */
static bool add_loaded(struct drawing *drawing, const struct ordo_link *link)
{
	const double width = width_of(drawing, bytes_on(&drawing->loads, link));
	const bool worst = is_worst(&drawing->loads, link);
	char colour[8];
	use_colour(&drawing->loads, use_of(&drawing->loads, link), colour);
	if (worst && drawing->loads.marks_worst) {
		Agedge_t *halo = add_curve(drawing, link->from, link->to, true);
		if (!halo)
			return false;
		set_all(halo, "color=black; penwidth=%.2f; class=halo; arrowsize=0.62",
			width + 2.4 * thinness(drawing));
	}
	Agedge_t *edge = add_curve(drawing, link->from, link->to, true);
	if (!edge)
		return false;
	set_all(edge, "color=%s; penwidth=%.2f; class=%s", colour, width,
		worst ? "bottleneck" : "load");
	describe(drawing, link, edge);
	return link - drawing->topology->links !=
		       (ptrdiff_t)drawing->loads.prediction->bottleneck ||
	       add_mark(drawing, link);
}

/* Trees are drawn from rank to rank, whatever is between. */
static bool is_plain(const struct drawing *drawing, const struct ordo_link *link)
{
	const uint32_t nrank = drawing->topology->nrank;
	return !(bytes_on(&drawing->loads, link) > 0) ||
	       (drawing->trees && (link->from >= nrank || link->to >= nrank));
}

/* One line for both directions if they are equal. */
static bool add_plain(struct drawing *drawing, const struct ordo_link *link)
{
	const struct ordo_link *back = find_back(drawing->topology, link);
	const bool both = back && is_plain(drawing, back);
	if (both && link->from > link->to)
		return true;
	Agedge_t *edge = add_curve(drawing, link->from, link->to, !both);
	if (!edge)
		return false;
	set(edge, "color",
		link->down		    ? down_colour
		: drawing->loads.prediction ? idle_colour
					    : class_colours[link->class_name % NCOLOUR]);
	if (drawing->loads.prediction)
		set(edge, "class", "idle");
	if (link->down)
		set_all(edge, "style=dashed; penwidth=2");
	describe(drawing, link, edge);
	return true;
}

static bool is_drawn(const struct drawing *drawing, const struct ordo_link *link)
{
	return drawing->nodes[link->from] && drawing->nodes[link->to];
}

bool add_unloaded(struct drawing *drawing)
{
	const struct ordo_topology *topology = drawing->topology;
	const struct ordo_link *end = topology->links + topology->nlink;
	for (const struct ordo_link *link = topology->links; link < end; link++)
		if (is_drawn(drawing, link) && is_plain(drawing, link) &&
			!(is_idle(&drawing->loads, link) && drawing->loads.nidle > MOST_IDLE) &&
			!add_plain(drawing, link))
			return false;
	return true;
}

/* Links without a load first, so that the others lie over them. */
static bool add_links(struct drawing *drawing)
{
	const struct ordo_topology *topology = drawing->topology;
	const struct ordo_link *end = topology->links + topology->nlink;
	if (!add_unloaded(drawing))
		return false;
	for (const struct ordo_link *link = topology->links; link < end; link++)
		if (is_drawn(drawing, link) && bytes_on(&drawing->loads, link) > 0 &&
			!add_loaded(drawing, link))
			return false;
	return true;
}

/* The legend, right of the picture: samples of the kinds of lines that are drawn. */

Agedge_t *add_sample(struct drawing *drawing, const char *text)
{
	char left[40], right[40], words[40];
	snprintf(left, sizeof left, "sample%u left", drawing->nline);
	snprintf(right, sizeof right, "sample%u right", drawing->nline);
	snprintf(words, sizeof words, "sample%u", drawing->nline++);
	const double x = drawing->legend_x, y = drawing->legend_y;
	Agnode_t *a = add_node(drawing->graph, left, x, y),
		 *b = add_node(drawing->graph, right, x + 0.4, y);
	Agedge_t *edge = a && b ? agedge(drawing->graph, a, b, NULL, 1) : NULL;
	if (!edge || !add_left_label(drawing->graph, words, x + 0.5, y, text, 12))
		return NULL;
	drawing->legend_y += 0.3;
	set(a, "shape", "point");
	set(b, "shape", "point");
	set(a, "width", "0.01");
	set(b, "width", "0.01");
	set(a, "style", "invis");
	set(b, "style", "invis");
	set(edge, "dir", "none");
	const struct curve line = {{{x, y}, {x + 0.13, y}, {x + 0.27, y}, {x + 0.4, y}}};
	set_curve(edge, &line, 0);
	return edge;
}

bool add_words(struct drawing *drawing, const char *text)
{
	char name[40];
	snprintf(name, sizeof name, "words%u", drawing->nline++);
	Agnode_t *node = add_left_label(
		drawing->graph, name, drawing->legend_x, drawing->legend_y, text, 12);
	drawing->legend_y += 0.3;
	return node;
}

/* A line for each class of links. */
static bool add_classes(struct drawing *drawing)
{
	const struct ordo_topology *topology = drawing->topology;
	char text[256];
	for (uint32_t class = 0; class < topology->nclass; class ++) {
		if (!describe_class(topology, drawing->layout.drawn, class, text))
			continue;
		Agedge_t *edge = drawing->loads.prediction ? NULL : add_sample(drawing, text);
		if (drawing->loads.prediction ? !add_words(drawing, text) : !edge)
			return false;
		if (edge)
			set(edge, "color", class_colours[class % NCOLOUR]);
	}
	return true;
}

static bool add_down(struct drawing *drawing)
{
	Agedge_t *edge = drawing->loads.ndown ? add_sample(drawing, "down") : NULL;
	if (!edge)
		return !drawing->loads.ndown;
	set_all(edge, "color=%s; style=dashed; penwidth=2", down_colour);
	return true;
}

static bool add_widths(struct drawing *drawing)
{
	double samples[MOST_SAMPLES];
	const uint32_t count = sample_bytes(&drawing->loads, drawing->layout.drawn, samples);
	char text[64], size[32];
	for (uint32_t i = 0; i < count; i++) {
		print_size(samples[i], size);
		snprintf(text, sizeof text, "%s%s", size, i ? "" : " over the link");
		Agedge_t *edge = add_sample(drawing, text);
		if (!edge)
			return false;
		set_all(edge, "color=#808080; penwidth=%.2f", width_of(drawing, samples[i]));
	}
	return true;
}

static bool add_uses(struct drawing *drawing)
{
	double samples[MOST_SAMPLES];
	const uint32_t count = sample_uses(&drawing->loads, drawing->layout.drawn, samples);
	char text[64], colour[8];
	for (uint32_t i = 0; i < count; i++) {
		snprintf(text, sizeof text, "%.3g %%%s", 100 * samples[i],
			i ? "" : " of the time at full bandwidth");
		Agedge_t *edge = add_sample(drawing, text);
		if (!edge)
			return false;
		use_colour(&drawing->loads, samples[i], colour);
		set_all(edge, "color=%s; penwidth=6", colour);
	}
	return true;
}

static bool add_worst(struct drawing *drawing)
{
	char text[96];
	if (!drawing->loads.marks_worst)
		return true;
	snprintf(text, sizeof text,
		drawing->loads.nworst > 1 ? "bottleneck: %.3g %%, %" PRIu32 " links alike"
					  : "bottleneck: %.3g %%",
		100 * drawing->loads.most_use, drawing->loads.nworst);
	Agedge_t *halo = add_sample(drawing, text);
	if (!halo)
		return false;
	set_all(halo, "color=black:white:black; penwidth=2.5");
	return true;
}

static bool add_idle(struct drawing *drawing)
{
	char text[64];
	const uint32_t nidle = drawing->loads.nidle;
	if (!nidle)
		return true;
	snprintf(text, sizeof text, "%" PRIu32 " link%s without a load%s", nidle,
		nidle == 1 ? "" : "s", nidle > MOST_IDLE ? ": not drawn" : "");
	if (nidle > MOST_IDLE)
		return add_words(drawing, text);
	Agedge_t *edge = add_sample(drawing, text);
	if (edge)
		set(edge, "color", idle_colour);
	return edge;
}

static bool add_legend(struct drawing *drawing)
{
	drawing->legend_x = drawing->high.x + 0.6;
	drawing->legend_y = drawing->layout.low.y;
	if (drawing->trees)
		return add_tree_legend(drawing) && add_down(drawing);
	if (!add_classes(drawing) || !add_down(drawing))
		return false;
	drawing->legend_y += 0.1;
	return !drawing->loads.prediction || (add_widths(drawing) && add_uses(drawing) &&
						     add_worst(drawing) && add_idle(drawing));
}

static bool add_title(struct drawing *drawing)
{
	char text[512];
	if (drawing->trees)
		describe_trees(drawing, text);
	else
		describe_loads(&drawing->loads, text);
	return add_left_label(drawing->graph, "title", drawing->layout.low.x - 0.2,
		drawing->low.y - 0.75, text, 14);
}

static bool add_all(struct drawing *drawing)
{
	drawing->low = drawing->layout.low;
	drawing->high = drawing->layout.high;
	/* The engine `nop2` also keeps given lines. */
	set_default(drawing->graph, AGRAPH, "layout", "nop2");
	set_defaults(drawing->graph, AGNODE,
		"style=filled; color=#404040; fontsize=12; width=0.42; height=0.42");
	return add_boxes(drawing) && add_vertices(drawing) &&
	       (drawing->trees ? add_trees : add_links)(drawing) && add_legend(drawing) &&
	       add_title(drawing);
}

static bool draw_web(struct drawing *drawing, const uint32_t *ranks, uint32_t nrank)
{
	const struct ordo_topology *topology = drawing->topology;
	drawing->nodes = calloc((size_t)topology->nrank + topology->nswitch, sizeof(Agnode_t *));
	bool worked = drawing->nodes && lay_out(&drawing->layout, topology, ranks, nrank);
	if (worked) {
		measure_loads(&drawing->loads, drawing->layout.drawn);
		worked = add_all(drawing);
	}
	free(drawing->nodes);
	free_layout(&drawing->layout);
	return worked;
}

static bool draw_any(const struct drawing *what, const uint32_t *ranks, uint32_t nrank, FILE *out,
	struct ordo_error *error)
{
	struct drawing drawing = *what;
	drawing.graph = open_picture("topology", error);
	if (!drawing.graph)
		return false;
	const bool worked = drawing.loads.prediction && !drawing.trees && nrank > MOST_WEB_RANKS
				    ? draw_matrix(drawing.graph, &drawing.loads, ranks, nrank)
				    : draw_web(&drawing, ranks, nrank);
	if (worked)
		return close_picture(drawing.graph, out, error);
	agclose(drawing.graph);
	return ordo_fail_memory(error);
}

bool draw_topology(FILE *out, const struct ordo_topology *topology,
	const struct ordo_prediction *prediction, const uint32_t *ranks, uint32_t nrank,
	struct ordo_error *error)
{
	const struct drawing drawing = {
		.topology = topology, .loads = {.topology = topology, .prediction = prediction}};
	return draw_any(&drawing, ranks, nrank, out, error);
}

bool draw_sent_trees(FILE *out, const struct ordo_topology *topology,
	const struct ordo_prediction *prediction, uint32_t root, struct ordo_error *error)
{
	struct sent_trees trees;
	const struct drawing drawing = {.topology = topology,
		.loads = {.topology = topology, .prediction = prediction},
		.trees = &trees};
	uint32_t *ranks = ordo_array_make(topology->nrank, sizeof *ranks, 0);
	for (uint32_t rank = 0; ranks && rank < topology->nrank; rank++)
		ranks[rank] = rank;
	bool worked = ranks || ordo_fail_memory(error);
	if (worked) {
		worked = find_sent_trees(&trees, prediction->timeline->schedule, root, error);
		if (worked && !trees.ntree)
			worked = ordo_fail(error, ORDO_USAGE, 0,
				"rank %u sends no result to all others", root);
		worked = worked && draw_any(&drawing, ranks, topology->nrank, out, error);
		free_sent_trees(&trees);
	}
	free(ranks);
	return worked;
}
