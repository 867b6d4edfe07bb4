/* topology_matrix.c - draws the loads of many ranks' links as a matrix: from, to, colour by load. A
 * cell is empty without a link, grey for an unused link, crossed out for a failed one. */
#include "topology_matrix.h"
#include <inttypes.h>
#include <math.h>
#include <ordo/arena.h>
#include <stdlib.h>
#include <string.h>

/* Inches: the whole matrix, one cell, and the gap between ranks and switches. */
static const double side = 6.6, smallest_cell = 0.05, largest_cell = 0.26, switch_gap = 0.42;
/* Points, and inches between numbers. */
static const double number_points = 8, least_number_step = 0.15;
enum { MOST_SINGLE_CELLS = 80 };
static const char idle_colour[] = "#dfe3e8", down_colour[] = "#d02020", panel_colour[] = "white";

/* The style of a cell; adjacent cells of one row with equal styles may become one box. */
enum looks { NOTHING, IDLE, LOADED, BOTTLENECK, DOWN };
struct cell {
	const struct ordo_link *link; /* the busiest link between the two; NULL: none */
	enum looks looks;
	char colour[8];
};

struct matrix {
	Agraph_t *graph;
	struct loads *loads;
	uint32_t *vertices; /* [count] ranks, then switches */
	uint32_t count, nrank;
	uint32_t *position; /* [nvertex] index into vertices; ORDO_NONE */
	bool *drawn;	    /* [nvertex] */
	struct cell *row;   /* [count] the current row */
	double cell;
	bool has_empty; /* some two vertices have no link */
	uint32_t nline; /* of the legend */
	double legend_x, legend_y;
};

static bool choose_vertices(struct matrix *matrix, const uint32_t *ranks, uint32_t nrank)
{
	const struct ordo_topology *topology = matrix->loads->topology;
	const size_t nvertex = (size_t)topology->nrank + topology->nswitch;
	matrix->vertices = calloc((size_t)nrank + topology->nswitch, sizeof *matrix->vertices);
	matrix->row = calloc((size_t)nrank + topology->nswitch, sizeof *matrix->row);
	matrix->position = ordo_array_make(nvertex, sizeof *matrix->position, 0xff);
	matrix->drawn = calloc(nvertex, sizeof *matrix->drawn);
	if (!matrix->vertices || !matrix->row || !matrix->position || !matrix->drawn)
		return false;
	for (uint32_t i = 0; i < nrank + topology->nswitch; i++) {
		const uint32_t vertex = i < nrank ? ranks[i] : topology->nrank + i - nrank;
		if (matrix->drawn[vertex])
			continue;
		matrix->drawn[vertex] = true;
		matrix->position[vertex] = matrix->count;
		matrix->vertices[matrix->count++] = vertex;
		matrix->nrank += i < nrank;
	}
	matrix->cell = fmin(largest_cell, fmax(smallest_cell, side / matrix->nrank));
	return true;
}

static bool is_switch_at(const struct matrix *matrix, uint32_t position)
{
	return position >= matrix->nrank;
}

/* The middle of a row or column, relative to the corner of the matrix. */
static double middle_of(const struct matrix *matrix, uint32_t position)
{
	return (position + 0.5) * matrix->cell + (is_switch_at(matrix, position) ? switch_gap : 0);
}

static double end_of(const struct matrix *matrix)
{
	return middle_of(matrix, matrix->count - 1) + matrix->cell / 2;
}

/* Shows the busiest of parallel links; a failed one only if all of them are down. */
static void look_at(const struct matrix *matrix, const struct ordo_link *link)
{
	struct cell *cell = &matrix->row[matrix->position[link->to]];
	const struct loads *loads = matrix->loads;
	const bool better =
		!cell->link || (cell->link->down && !link->down) ||
		(cell->link->down == link->down && use_of(loads, link) > use_of(loads, cell->link));
	if (!better)
		return;
	cell->link = link;
	if (link->down) {
		cell->looks = DOWN;
	} else if (!(bytes_on(loads, link) > 0)) {
		cell->looks = IDLE;
	} else {
		cell->looks = loads->marks_worst && is_worst(loads, link) ? BOTTLENECK : LOADED;
		use_colour(loads, use_of(loads, link), cell->colour);
	}
}

static void look_at_row(struct matrix *matrix, uint32_t from)
{
	const struct ordo_topology *topology = matrix->loads->topology;
	memset(matrix->row, 0, matrix->count * sizeof *matrix->row);
	for (uint32_t i = topology->first_link[from]; i < topology->first_link[from + 1]; i++)
		if (matrix->drawn[topology->links[i].to])
			look_at(matrix, &topology->links[i]);
}

static void style_cell(Agnode_t *node, const struct cell *cell, double size)
{
	static const char *const classes[] = {
		[IDLE] = "idle", [LOADED] = "load", [BOTTLENECK] = "bottleneck", [DOWN] = "down"};
	set_all(node, "class=%s; label=", classes[cell->looks]);
	switch (cell->looks) {
	case NOTHING:
	case IDLE:
		set(node, "fillcolor", idle_colour);
		break;
	case LOADED:
		set(node, "fillcolor", cell->colour);
		break;
	case BOTTLENECK:
		set_all(node, "fillcolor=%s; color=black; penwidth=%.2f", cell->colour,
			fmin(1.6, size * 9));
		break;
	case DOWN:
		set_all(node,
			"fillcolor=white; color=%s; fontcolor=%s; penwidth=%.2f; fontsize=%.1f; "
			"margin=0; label=×",
			down_colour, down_colour, fmin(1.6, size * 9), size * 72 * 0.6);
		break;
	}
}

/* The cells first..end of a row, which are equal. */
static bool add_cells(struct matrix *matrix, uint32_t row, uint32_t first, uint32_t end)
{
	char name[64], tip[448];
	const struct cell *cell = &matrix->row[first];
	const double x = (middle_of(matrix, first) + middle_of(matrix, end - 1)) / 2;
	const double thick = cell->looks == BOTTLENECK || cell->looks == DOWN ? 0.82 : 0.92;
	snprintf(name, sizeof name, "link%u to %u", cell->link->from, cell->link->to);
	Agnode_t *node = add_node(matrix->graph, name, x, middle_of(matrix, row));
	if (!node)
		return false;
	set_all(node, "width=%.3f; height=%.3f", (end - first - 1 + thick) * matrix->cell,
		thick * matrix->cell);
	style_cell(node, cell, matrix->cell);
	describe_link(matrix->loads, cell->link, tip);
	if (end - first > 1)
		snprintf(tip + strlen(tip), sizeof tip - strlen(tip), "; so on to %s %u",
			is_switch_at(matrix, first) ? "switch" : "rank",
			matrix->vertices[end - 1] -
				(is_switch_at(matrix, first) ? matrix->loads->topology->nrank : 0));
	set_text(node, "tooltip", tip, "");
	return true;
}

static bool look_alike(const struct cell *a, const struct cell *b)
{
	return a->looks == b->looks && !strcmp(a->colour, b->colour) && a->looks != DOWN;
}

static bool add_row(struct matrix *matrix, uint32_t row)
{
	const bool joins = matrix->count > MOST_SINGLE_CELLS;
	look_at_row(matrix, matrix->vertices[row]);
	for (uint32_t first = 0, end; first < matrix->count; first = end) {
		end = first + 1;
		if (matrix->row[first].looks == NOTHING) {
			matrix->has_empty |= first != row;
			continue;
		}
		while (joins && end < matrix->count && end != matrix->nrank &&
			look_alike(&matrix->row[first], &matrix->row[end]))
			end++;
		if (!add_cells(matrix, row, first, end))
			return false;
	}
	return true;
}

/* The background of the cells: from ranks or switches, to ranks or switches. */
static bool add_panel(struct matrix *matrix, const char *name, bool from_switches, bool to_switches)
{
	const double split = matrix->nrank * matrix->cell, low = split + switch_gap,
		     high = end_of(matrix);
	Agraph_t *panel = add_cluster(matrix->graph, name, to_switches ? low : 0,
		from_switches ? low : 0, to_switches ? high : split, from_switches ? high : split);
	if (!panel)
		return false;
	set_all(panel, "style=filled; fillcolor=%s; color=#c8ccd2", panel_colour);
	return true;
}

static bool add_panels(struct matrix *matrix)
{
	const bool has_switches = matrix->count > matrix->nrank;
	return add_panel(matrix, "cluster_ranks", false, false) &&
	       (!has_switches ||
		       (add_panel(matrix, "cluster_to_switches", false, true) &&
			       add_panel(matrix, "cluster_from_switches", true, false) &&
			       add_panel(matrix, "cluster_between_switches", true, true)));
}

/* Numbers every n-th rank, so that numbers do not overlap. */
static uint32_t number_step(const struct matrix *matrix)
{
	const uint32_t last = matrix->vertices[matrix->nrank - 1];
	char text[16];
	snprintf(text, sizeof text, "%u", last);
	const double room = fmax(least_number_step, width_of_text(text, number_points) + 0.04);
	uint32_t step = 1;
	while (step * matrix->cell < room)
		step *= 2;
	return step;
}

static bool add_number(struct matrix *matrix, uint32_t position, bool column)
{
	char name[40], text[16];
	const uint32_t vertex = matrix->vertices[position];
	const double middle = middle_of(matrix, position);
	snprintf(text, sizeof text, "%u", vertex);
	snprintf(name, sizeof name, "%s%u", column ? "column" : "row", vertex);
	const double width = width_of_text(text, number_points);
	Agnode_t *node = add_label(matrix->graph, name, column ? middle : -0.08 - width / 2,
		column ? -0.12 : middle, text);
	if (!node)
		return false;
	set_all(node,
		"fontsize=%g; width=%.2f; height=0.14; fixedsize=false; margin=0; "
		"fontcolor=#59636e",
		number_points, width);
	return true;
}

static bool add_numbers(struct matrix *matrix)
{
	const uint32_t step = number_step(matrix);
	for (uint32_t i = 0; i < matrix->count; i++) {
		const uint32_t number = is_switch_at(matrix, i) ? i - matrix->nrank : i;
		if (number % step == 0 &&
			(!add_number(matrix, i, false) || !add_number(matrix, i, true)))
			return false;
	}
	return true;
}

/* The title of an axis, right-aligned at x. */
static bool add_axis(struct matrix *matrix, const char *text, double x, double y, bool ends)
{
	const double width = width_of_text(text, number_points) + 0.1;
	Agnode_t *node =
		add_left_label(matrix->graph, text, ends ? x - width : x, y, text, number_points);
	if (!node)
		return false;
	set(node, "fontname", "Helvetica-Bold");
	if (ends)
		set_text(node, "label", text, "\\r");
	return true;
}

static bool add_axes(struct matrix *matrix)
{
	const double low = matrix->nrank * matrix->cell + switch_gap;
	return add_axis(matrix, "to rank", 0, -0.3, false) &&
	       add_axis(matrix, "from rank", -0.04, -0.12, true) &&
	       (matrix->count == matrix->nrank ||
		       (add_axis(matrix, "to switch", low, -0.3, false) &&
			       add_axis(matrix, "from switch", -0.04, low - 0.12, true)));
}

/* The legend: the kinds of cells that are drawn, beside the matrix. */

static Agnode_t *add_sample(struct matrix *matrix, const struct cell *cell, const char *text)
{
	char name[40], words[40];
	snprintf(name, sizeof name, "sample%u", matrix->nline);
	snprintf(words, sizeof words, "sample%u words", matrix->nline++);
	const double size = 0.2, y = matrix->legend_y;
	Agnode_t *node = add_node(matrix->graph, name, matrix->legend_x + size / 2, y);
	matrix->legend_y += 0.3;
	if (!node || !add_left_label(matrix->graph, words, matrix->legend_x + 0.35, y, text, 12))
		return NULL;
	set_all(node, "width=%.2f; height=%.2f", size, size);
	style_cell(node, cell, size);
	set(node, "class", "sample");
	return node;
}

static bool add_words(struct matrix *matrix, const char *text)
{
	char name[40];
	snprintf(name, sizeof name, "words%u", matrix->nline++);
	const double y = matrix->legend_y;
	matrix->legend_y += 0.3;
	return add_left_label(matrix->graph, name, matrix->legend_x, y, text, 12);
}

static bool add_classes(struct matrix *matrix)
{
	const struct ordo_topology *topology = matrix->loads->topology;
	char text[256];
	for (uint32_t class = 0; class < topology->nclass; class ++)
		if (describe_class(topology, matrix->drawn, class, text) &&
			!add_words(matrix, text))
			return false;
	return true;
}

/* The range of bytes over a link. */
static bool add_bytes(struct matrix *matrix)
{
	double samples[MOST_SAMPLES];
	const uint32_t count = sample_bytes(matrix->loads, matrix->drawn, samples);
	char most[32], least[32], text[96];
	if (!count)
		return true;
	print_size(samples[0], most);
	print_size(samples[count - 1], least);
	if (count == 1)
		snprintf(text, sizeof text, "%s over each loaded link", most);
	else
		snprintf(text, sizeof text, "%s to %s over a loaded link", least, most);
	return add_words(matrix, text);
}

static bool add_uses(struct matrix *matrix)
{
	double samples[MOST_SAMPLES];
	const uint32_t count = sample_uses(matrix->loads, matrix->drawn, samples);
	char text[96];
	for (uint32_t i = 0; i < count; i++) {
		struct cell cell = {.looks = LOADED};
		use_colour(matrix->loads, samples[i], cell.colour);
		snprintf(text, sizeof text, "%.3g %%%s", 100 * samples[i],
			i ? "" : " of the time at full bandwidth");
		if (!add_sample(matrix, &cell, text))
			return false;
	}
	return true;
}

static bool add_bottleneck(struct matrix *matrix)
{
	const struct loads *loads = matrix->loads;
	struct cell cell = {.looks = BOTTLENECK};
	char text[96];
	if (!loads->marks_worst)
		return true;
	snprintf(text, sizeof text,
		loads->nworst > 1 ? "bottleneck: %.3g %%, %" PRIu32 " links alike"
				  : "bottleneck: %.3g %%",
		100 * loads->most_use, loads->nworst);
	use_colour(loads, loads->most_use, cell.colour);
	return add_sample(matrix, &cell, text);
}

static bool add_others(struct matrix *matrix)
{
	const struct loads *loads = matrix->loads;
	const struct cell idle = {.looks = IDLE}, down = {.looks = DOWN};
	char text[96];
	snprintf(text, sizeof text, "%" PRIu32 " link%s without a load", loads->nidle,
		loads->nidle == 1 ? "" : "s");
	if (loads->nidle && !add_sample(matrix, &idle, text))
		return false;
	if (loads->ndown && !add_sample(matrix, &down, "down"))
		return false;
	return !matrix->has_empty || add_words(matrix, "empty: no link");
}

static bool add_legend(struct matrix *matrix)
{
	const double low = matrix->nrank * matrix->cell + switch_gap;
	matrix->legend_x = end_of(matrix) + 0.5;
	if (matrix->count > matrix->nrank)
		matrix->legend_x = fmax(
			matrix->legend_x, low + width_of_text("to switch", number_points) + 0.3);
	matrix->legend_y = 0.1;
	return add_classes(matrix) && add_bytes(matrix) && add_uses(matrix) &&
	       add_bottleneck(matrix) && add_others(matrix);
}

static bool add_title(struct matrix *matrix)
{
	char text[512];
	describe_loads(matrix->loads, text);
	return add_left_label(matrix->graph, "title", -0.5, -0.75, text, 14);
}

static bool add_all(struct matrix *matrix)
{
	set_defaults(matrix->graph, AGNODE,
		"shape=box; style=filled; color=transparent; penwidth=0; fixedsize=true");
	bool worked = add_panels(matrix) && add_numbers(matrix) && add_axes(matrix);
	for (uint32_t row = 0; worked && row < matrix->count; row++)
		worked = add_row(matrix, row);
	return worked && add_legend(matrix) && add_title(matrix);
}

bool draw_matrix(Agraph_t *graph, struct loads *loads, const uint32_t *ranks, uint32_t nrank)
{
	struct matrix matrix = {.graph = graph, .loads = loads};
	bool worked = choose_vertices(&matrix, ranks, nrank);
	if (worked) {
		measure_loads(loads, matrix.drawn);
		worked = add_all(&matrix);
	}
	free(matrix.vertices);
	free(matrix.row);
	free(matrix.position);
	free(matrix.drawn);
	return worked;
}
