/* layout.c - the positions of the ranks and switches of a topology in a picture. */
#include "layout.h"
#include "shape.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double full_turn = 6.283185307179586;
/* Inches: the distance of neighbours in a grid; least distance of a line from other vertices. */
static const double grid_step = 1.0, least_distance = 0.32;

enum { MOST_SERVERS_IN_A_ROW = 4, MOST_SWITCHES_INSIDE = 4, LEAST_RANKS_AROUND = 6 };

struct making {
	struct layout *layout;
	const struct ordo_topology *topology;
	const uint32_t *ranks;
	uint32_t nrank;
};

static double radius_for(uint32_t count)
{
	return count < 3 ? 0.9 : fmax(1.1, 0.75 * count / full_turn * 1.4);
}

static struct point on_circle(struct point middle, double radius, double turn)
{
	return (struct point){middle.x + radius * sin(turn), middle.y - radius * cos(turn)};
}

/* The selected ranks on a circle, switches inside. */
static void lay_circle(const struct making *making)
{
	const struct ordo_topology *topology = making->topology;
	const double radius = radius_for(making->nrank);
	const struct point middle = {0, 0};
	for (uint32_t i = 0; i < making->nrank; i++)
		making->layout->at[making->ranks[i]] =
			on_circle(middle, radius, full_turn * i / making->nrank);
	for (uint32_t i = 0; i < topology->nswitch; i++)
		making->layout->at[topology->nrank + i] = on_circle(middle,
			topology->nswitch == 1 ? 0 : radius / 2, full_turn * i / topology->nswitch);
}

/* A grid; the third dimension goes to the upper right, in between. */
static void lay_torus(const struct making *making, uint32_t deep, uint32_t high, uint32_t wide)
{
	const double aside = deep > 1 ? 0.42 : 0, step = grid_step + aside * (deep - 1);
	for (uint32_t rank = 0; rank < making->topology->nrank; rank++) {
		const uint32_t x = rank % wide, y = rank / wide % high, z = rank / wide / high;
		making->layout->at[rank] =
			(struct point){x * step + z * aside, y * step - z * aside};
	}
	making->layout->most_bow = 0.55 * step;
}

/* Every binary digit moves a vertex in a direction of its own. */
static void lay_hypercube(const struct making *making)
{
	static const struct point ways[] = {{1.15, 0}, {0, 1.15}, {0.5, -0.44}, {2.75, 0.16},
		{0.16, 2.6}, {5.9, 0.5}, {0.5, 5.5}, {12.4, 1.2}, {1.2, 11.6}, {25.5, 2.6},
		{2.6, 24}};
	for (uint32_t rank = 0; rank < making->topology->nrank; rank++) {
		struct point at = {0, 0};
		for (uint32_t digit = 0; digit < sizeof ways / sizeof *ways; digit++)
			if (rank >> digit & 1) {
				at.x += ways[digit].x;
				at.y += ways[digit].y;
			}
		making->layout->at[rank] = at;
	}
	making->layout->most_bow = 0.5;
}

/* Switches first..end in a row. */
static void lay_row(const struct making *making, uint32_t first, uint32_t end, double left,
	double right, double y)
{
	const uint32_t count = end - first;
	for (uint32_t i = 0; i < count; i++)
		making->layout->at[making->topology->nrank + first + i] =
			(struct point){left + (right - left) * (i + 0.5) / count, y};
}

/* Servers in one row, or in two with the switches between them. */
struct servers {
	uint32_t count, size; /* ranks of each server */
	double width, height;
	uint32_t in_a_row;
};

static struct point corner_of(const struct servers *servers, uint32_t server, double between)
{
	const uint32_t row = server / servers->in_a_row, column = server % servers->in_a_row;
	return (struct point){column * (servers->width + 0.4), row * (servers->height + between)};
}

/* inner: the number of last switches, one in the middle of the ranks of each server; or 0. */
static bool lay_servers(
	const struct making *making, uint32_t count, uint32_t size, bool pairs, uint32_t inner)
{
	struct layout *layout = making->layout;
	const double radius = size == 1 ? 0 : fmax(0.55, 0.62 * size / full_turn);
	const uint32_t rows = count > MOST_SERVERS_IN_A_ROW ? 2 : 1,
		       nswitch = making->topology->nswitch - inner;
	const struct servers servers = {count, size,
		pairs ? grid_step * size / 2 + 0.5 : 2 * radius + 1.0,
		pairs ? 3.2 : 2 * radius + 1.2, (count + rows - 1) / rows};
	/* The first switches, one for each rank of a server, join the servers; the others join
	 * those switches. */
	const uint32_t leaves = nswitch < size ? nswitch : size;
	const double between = nswitch ? leaves < nswitch ? 2.6 : 1.7 : 0.4;
	layout->boxes = calloc(count, sizeof *layout->boxes);
	if (!layout->boxes)
		return false;
	layout->nbox = count;
	for (uint32_t server = 0; server < count; server++) {
		const struct point low = corner_of(&servers, server, between);
		/* The switches are on the side without the name. */
		const bool below = server >= servers.in_a_row;
		const struct point middle = {low.x + servers.width / 2,
			low.y + servers.height / 2 + (below ? -0.12 : 0.12)};
		layout->boxes[server] = (struct layout_box){
			low, {low.x + servers.width, low.y + servers.height}, server, below};
		for (uint32_t r = 0; r < size; r++)
			layout->at[server * size + r] =
				pairs ? (struct point){low.x + 0.05 + grid_step * (r / 2 + 0.5) +
							       0.4 * (r % 2),
						middle.y + (r % 2 ? 0.6 : -0.6)}
				      : on_circle(middle, radius, full_turn * r / size);
		if (inner)
			layout->at[making->topology->nrank + nswitch + server] = middle;
	}
	const double right = servers.in_a_row * (servers.width + 0.4) - 0.4,
		     y = servers.height + 0.75;
	if (leaves)
		lay_row(making, 0, leaves, 0, right, y);
	if (leaves < nswitch)
		lay_row(making, leaves, nswitch, right * 0.15, right * 0.85, y + 1.1);
	layout->most_bow = 0.75;
	return true;
}

/* "4x4" after the name and its colon; returns 0 if there are no sizes. */
static uint32_t read_sizes(const char *name, uint32_t sizes[3])
{
	const char *text = strchr(name, ':');
	const int count =
		text ? sscanf(text + 1, "%9ux%9ux%9u", &sizes[0], &sizes[1], &sizes[2]) : 0;
	return count > 0 ? (uint32_t)count : 0;
}

static bool is_called(const char *name, const char *kind)
{
	const size_t length = strlen(kind);
	return !strncmp(name, kind, length) &&
	       (!name[length] || name[length] == ':' || name[length] == ' ');
}

static bool is_called_nothing_else(const char *name, const char *kind)
{
	return !strcmp(name, kind);
}

/* Servers with rails and one spine, with a switch inside each (*inner of them) or in none. */
static bool is_box(
	const struct ordo_topology *topology, const char *name, uint32_t count, uint32_t *inner)
{
	const uint32_t between = count > 1 ? topology->nrank / count + 1 : 0;
	*inner = topology->nswitch - between;
	return (is_called(name, "dgx-a100") || is_called(name, "dgx-h100") ||
		       is_called(name, "mi300x")) &&
	       (*inner == 0 || *inner == count);
}

static void lay_squarest(const struct making *making)
{
	const uint32_t nrank = making->topology->nrank;
	uint32_t high = 1;
	for (uint32_t i = 1; (uint64_t)i * i <= nrank; i++)
		if (nrank % i == 0)
			high = i;
	lay_torus(making, 1, high, nrank / high);
}

/* From its links, if the name gives no layout. */
static bool lay_by_links(const struct making *making)
{
	const struct shape shape = find_shape(making->topology);
	switch (shape.kind) {
	case SHAPE_GRID:
		lay_torus(making, shape.sizes[0], shape.sizes[1], shape.sizes[2]);
		return true;
	case SHAPE_HYPERCUBE:
		lay_hypercube(making);
		return true;
	case SHAPE_SERVERS:
		return lay_servers(making, shape.sizes[0], shape.sizes[1], false, 0);
	case SHAPE_PAIRS:
		return lay_servers(making, 1, making->topology->nrank, true, 0);
	case SHAPE_NONE:
		break;
	}
	const uint32_t nswitch = making->topology->nswitch;
	if (nswitch > MOST_SWITCHES_INSIDE || (nswitch > 1 && making->nrank < LEAST_RANKS_AROUND))
		return lay_layers(making->layout, making->topology, making->ranks, making->nrank);
	lay_circle(making);
	return true;
}

/* A name can contradict the topology: its sizes must fit. */
static bool lay_by_name(const struct making *making)
{
	const struct ordo_topology *topology = making->topology;
	const char *name = topology->name ? topology->name : "";
	uint32_t sizes[3] = {1, 1, 1};
	const uint32_t nsize = read_sizes(name, sizes), nrank = topology->nrank;
	const uint64_t product = (uint64_t)sizes[0] * sizes[1] * sizes[2];
	uint32_t inner = 0;
	making->layout->most_bow = 0.6;
	if (is_called(name, "hypercube") && nrank <= 2048) {
		lay_hypercube(making);
	} else if (is_called_nothing_else(name, "torus")) {
		lay_squarest(making);
	} else if (is_called(name, "torus") && product == nrank && nsize > 1) {
		if (nsize == 2)
			lay_torus(making, 1, sizes[0], sizes[1]);
		else
			lay_torus(making, sizes[0], sizes[1], sizes[2]);
	} else if (is_called(name, "a3") && nsize <= 2 && product == nrank && nrank > 2) {
		return lay_servers(
			making, nsize == 2 ? sizes[0] : 1, nsize == 2 ? sizes[1] : nrank, true, 0);
	} else if (is_called_nothing_else(name, "a3") && !topology->nswitch && nrank > 2) {
		return lay_servers(making, 1, nrank, true, 0);
	} else if (is_called(name, "servers") && nsize == 2 && product == nrank && sizes[0] > 1) {
		return lay_servers(making, sizes[0], sizes[1], false, 0);
	} else if (nsize == 2 && product == nrank && is_box(topology, name, sizes[0], &inner)) {
		return lay_servers(making, sizes[0], sizes[1], false, inner);
	} else if (is_called_nothing_else(name, "servers") && topology->nswitch && nrank % 8 == 0) {
		return lay_servers(making, nrank / 8, 8, false, 0);
	} else {
		return lay_by_links(making);
	}
	return true;
}

/* Removes boxes without drawn ranks. */
static void drop_boxes(struct layout *layout, const struct ordo_topology *topology)
{
	const uint32_t size = layout->nbox ? topology->nrank / layout->nbox : 0;
	uint32_t kept = 0;
	for (uint32_t i = 0; i < layout->nbox; i++) {
		bool drawn = false;
		for (uint32_t r = 0; r < size; r++)
			drawn |= layout->drawn[i * size + r];
		if (drawn)
			layout->boxes[kept++] = layout->boxes[i];
	}
	layout->nbox = kept;
}

static void include(struct layout *layout, struct point at)
{
	layout->low = (struct point){fmin(layout->low.x, at.x), fmin(layout->low.y, at.y)};
	layout->high = (struct point){fmax(layout->high.x, at.x), fmax(layout->high.y, at.y)};
}

bool lay_out(struct layout *layout, const struct ordo_topology *topology, const uint32_t *ranks,
	uint32_t nrank)
{
	const uint32_t nvertex = topology->nrank + topology->nswitch;
	const struct making making = {layout, topology, ranks, nrank};
	*layout = (struct layout){.at = calloc((size_t)nvertex + 1, sizeof *layout->at),
		.drawn = calloc((size_t)nvertex + 1, sizeof *layout->drawn),
		.low = {HUGE_VAL, HUGE_VAL},
		.high = {-HUGE_VAL, -HUGE_VAL}};
	if (!layout->at || !layout->drawn || !lay_by_name(&making))
		return false;
	for (uint32_t i = 0; i < nrank; i++)
		layout->drawn[ranks[i]] = true;
	for (uint32_t i = topology->nrank; i < nvertex; i++)
		layout->drawn[i] = true;
	drop_boxes(layout, topology);
	for (uint32_t i = 0; i < nvertex; i++)
		if (layout->drawn[i])
			include(layout, layout->at[i]);
	for (uint32_t i = 0; i < layout->nbox; i++) {
		include(layout, layout->boxes[i].low);
		include(layout, layout->boxes[i].high);
	}
	layout->middle = (struct point){
		(layout->low.x + layout->high.x) / 2, (layout->low.y + layout->high.y) / 2};
	return true;
}

void free_layout(struct layout *layout)
{
	free(layout->at);
	free(layout->drawn);
	free(layout->boxes);
}

/* Does another vertex lie on the line? */
static bool is_met(const struct layout *layout, uint32_t nvertex, uint32_t from, uint32_t to)
{
	const struct point a = layout->at[from], b = layout->at[to];
	const double x = b.x - a.x, y = b.y - a.y, square = x * x + y * y;
	for (uint32_t v = 0; v < nvertex; v++) {
		if (!layout->drawn[v] || v == from || v == to)
			continue;
		const struct point c = layout->at[v];
		const double along = ((c.x - a.x) * x + (c.y - a.y) * y) / square;
		if (along > 0 && along < 1 &&
			fabs((c.x - a.x) * y - (c.y - a.y) * x) < least_distance * sqrt(square))
			return true;
	}
	return false;
}

double bow_of_line(const struct layout *layout, const struct ordo_topology *topology, uint32_t from,
	uint32_t to)
{
	if (!is_met(layout, topology->nrank + topology->nswitch, from, to))
		return 0;
	const struct point a = layout->at[from], b = layout->at[to];
	const bool through_switch = from >= topology->nrank || to >= topology->nrank;
	const double x = b.x - a.x, y = b.y - a.y,
		     bow = fmin(0.2 * hypot(x, y), through_switch ? 0.3 : layout->most_bow);
	/* Away from the middle of the picture; through the middle, leftwards of the way from the
	 * lower number. */
	const double side =
		x * ((a.y + b.y) / 2 - layout->middle.y) - y * ((a.x + b.x) / 2 - layout->middle.x);
	if (fabs(side) < 1e-9)
		return from < to ? bow : -bow;
	return side > 0 ? -bow : bow;
}
