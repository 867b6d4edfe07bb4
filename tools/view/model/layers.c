/* layers.c - the positions of ranks and many switches in a picture: ranks that are joined to each
 * other on circles in a row, and below them a row of switches for each number of hops from the
 * ranks, each switch below those it joins. */
#include "layout.h"
#include <math.h>
#include <ordo/arena.h>
#include <stdlib.h>

static const double full_turn = 6.283185307179586;
/* Inches: between neighbours of a row, and between rows. */
static const double rank_step = 0.75, switch_step = 0.8, row_step = 1.05;

struct layers {
	struct layout *layout;
	const struct ordo_topology *topology;
	const uint32_t *ranks;
	uint32_t nrank;
	uint32_t *group; /* [nrank of the topology] a rank that it is joined to, up to the first */
	uint32_t *level; /* [nvertex] hops from the ranks; ORDO_NONE: none leads there */
	/* [nvertex] of a switch: the sum and number of the places of its neighbours above */
	double *sum;
	uint32_t *count;
	uint32_t *row; /* [nswitch] the switches of a row */
};

static uint32_t first_of(uint32_t *group, uint32_t rank)
{
	while (group[rank] != rank)
		rank = group[rank] = group[group[rank]];
	return rank;
}

static void find_groups(const struct layers *layers)
{
	const struct ordo_topology *topology = layers->topology;
	for (uint32_t rank = 0; rank < topology->nrank; rank++)
		layers->group[rank] = rank;
	for (uint32_t i = 0; i < topology->nlink; i++) {
		const struct ordo_link *link = &topology->links[i];
		if (link->from >= topology->nrank || link->to >= topology->nrank)
			continue;
		const uint32_t a = first_of(layers->group, link->from),
			       b = first_of(layers->group, link->to);
		layers->group[a > b ? a : b] = a > b ? b : a;
	}
}

/* Breadth first, one level a pass. Returns the last level. */
static uint32_t find_levels(const struct layers *layers)
{
	const struct ordo_topology *topology = layers->topology;
	for (uint32_t rank = 0; rank < topology->nrank; rank++)
		layers->level[rank] = 0;
	uint32_t level = 0;
	for (bool found = true; found; level += found) {
		found = false;
		for (uint32_t i = 0; i < topology->nlink; i++) {
			const struct ordo_link *link = &topology->links[i];
			if (layers->level[link->from] != level ||
				layers->level[link->to] != ORDO_NONE)
				continue;
			layers->level[link->to] = level + 1;
			found = true;
		}
	}
	return level;
}

/* Circles of joined ranks, in a row. Returns half the height of the highest. */
static double lay_groups(const struct layers *layers)
{
	double left = 0, half = 0;
	for (uint32_t i = 0; i < layers->nrank; i++) {
		const uint32_t first = first_of(layers->group, layers->ranks[i]);
		uint32_t size = 0, number = 0;
		for (uint32_t j = 0; j < layers->nrank; j++)
			size += first_of(layers->group, layers->ranks[j]) == first;
		/* A group is laid out with its first rank. */
		for (uint32_t j = 0; j < i && number == 0; j++)
			number = first_of(layers->group, layers->ranks[j]) == first;
		if (number)
			continue;
		const double radius = size == 1 ? 0 : fmax(0.5, 0.62 * size / full_turn);
		const double middle = left + radius;
		for (uint32_t j = i; j < layers->nrank; j++) {
			if (first_of(layers->group, layers->ranks[j]) != first)
				continue;
			const double turn = full_turn * number++ / size;
			layers->layout->at[layers->ranks[j]] =
				(struct point){middle + radius * sin(turn), -radius * cos(turn)};
		}
		left = middle + radius + (size == 1 ? rank_step : rank_step + 0.35);
		half = fmax(half, radius);
	}
	return half;
}

static void add_place(const struct layers *layers, uint32_t vertex, uint32_t above)
{
	if (layers->level[above] == ORDO_NONE || layers->level[above] >= layers->level[vertex] ||
		(above < layers->topology->nrank && !layers->layout->drawn[above]))
		return;
	layers->sum[vertex] += layers->layout->at[above].x;
	layers->count[vertex]++;
}

static double wish_of(const struct layers *layers, uint32_t vertex)
{
	return layers->count[vertex] ? layers->sum[vertex] / layers->count[vertex] : 0;
}

/* Sorts switches by where they want to stand; few move, since neighbours have near numbers. */
static void sort_row(const struct layers *layers, uint32_t count)
{
	for (uint32_t i = 1; i < count; i++) {
		const uint32_t vertex = layers->row[i];
		uint32_t at = i;
		for (; at && wish_of(layers, layers->row[at - 1]) > wish_of(layers, vertex); at--)
			layers->row[at] = layers->row[at - 1];
		layers->row[at] = vertex;
	}
}

/* As near to their wishes as the others let them. */
static void lay_row_of(const struct layers *layers, uint32_t level, double y)
{
	const struct ordo_topology *topology = layers->topology;
	uint32_t count = 0;
	for (uint32_t v = topology->nrank; v < topology->nrank + topology->nswitch; v++)
		if (layers->level[v] == level)
			layers->row[count++] = v;
	for (uint32_t i = 0; i < topology->nlink; i++)
		if (layers->level[topology->links[i].to] == level)
			add_place(layers, topology->links[i].to, topology->links[i].from);
	sort_row(layers, count);
	double shift = 0, last = -HUGE_VAL;
	for (uint32_t i = 0; i < count; i++) {
		const double wish = wish_of(layers, layers->row[i]),
			     x = fmax(wish, last + switch_step);
		layers->layout->at[layers->row[i]] = (struct point){x, y};
		shift += (wish - x) / count;
		last = x;
	}
	for (uint32_t i = 0; i < count; i++)
		layers->layout->at[layers->row[i]].x += shift;
}

static void lay_all(const struct layers *layers)
{
	find_groups(layers);
	const uint32_t last = find_levels(layers);
	double y = lay_groups(layers) + row_step;
	for (uint32_t level = 1; level <= last; level++, y += row_step)
		lay_row_of(layers, level, y);
	/* Switches that no link leads to. */
	lay_row_of(layers, ORDO_NONE, y);
	layers->layout->most_bow = 0.6;
}

bool lay_layers(struct layout *layout, const struct ordo_topology *topology, const uint32_t *ranks,
	uint32_t nrank)
{
	const size_t nvertex = (size_t)topology->nrank + topology->nswitch;
	struct layers layers = {layout, topology, ranks, nrank,
		ordo_array_make(topology->nrank, sizeof *layers.group, 0),
		ordo_array_make(nvertex, sizeof *layers.level, 0xff),
		ordo_array_make(nvertex, sizeof *layers.sum, 0),
		ordo_array_make(nvertex, sizeof *layers.count, 0),
		ordo_array_make(topology->nswitch, sizeof *layers.row, 0)};
	const bool worked =
		layers.group && layers.level && layers.sum && layers.count && layers.row;
	for (uint32_t i = 0; i < nrank; i++)
		layout->drawn[ranks[i]] = true;
	if (worked)
		lay_all(&layers);
	free(layers.group);
	free(layers.level);
	free(layers.sum);
	free(layers.count);
	free(layers.row);
	return worked;
}
