/* graph.c - a topology as a directed graph of integer capacities. */
#include "graph.h"
#include <ordo/arena.h>
#include <ordo/decimal.h>
#include <ordo/divisor.h>
#include <stdlib.h>
#include <string.h>

/* A decimal in units of 10^exponent, rounded up. *rounded: whether that changed it. */
static int64_t units_of(struct ordo_decimal decimal, int exponent, bool *rounded)
{
	for (; decimal.exponent > exponent; decimal.exponent--) {
		if (decimal.digits > INT64_MAX / 10)
			return INT64_MAX;
		decimal.digits *= 10;
	}
	for (; decimal.exponent < exponent; decimal.exponent++) {
		*rounded = *rounded || decimal.digits % 10;
		decimal.digits = decimal.digits / 10 + !!(decimal.digits % 10);
	}
	return (int64_t)decimal.digits;
}

static int compare_arcs(const void *one, const void *other)
{
	const struct ordo_arc *a = one, *b = other;
	if (a->from != b->from)
		return a->from < b->from ? -1 : 1;
	return (a->to > b->to) - (a->to < b->to);
}

static int compare_descending(const void *one, const void *other)
{
	const int64_t a = *(const int64_t *)one, b = *(const int64_t *)other;
	return (a < b) - (a > b);
}

/* The units of 10^exponent of each link, and their greatest common divisor. false: some has more
 * than fit. */
static bool count_units(struct ordo_capacities *graph, const struct ordo_topology *topology,
	const struct ordo_decimal *decimals, int exponent, int64_t *units)
{
	uint64_t divisor = 0;
	graph->rounded = false;
	for (uint32_t i = 0; i < topology->nlink; i++) {
		units[i] = topology->links[i].down
				   ? 0
				   : units_of(decimals[i], exponent, &graph->rounded);
		if (units[i] == INT64_MAX)
			return false;
		divisor = ordo_common_divisor((uint64_t)units[i], divisor);
	}
	graph->unit = divisor ? divisor : 1;
	return true;
}

/* Divides by the common divisor. false: the sum is more than `most`. */
static bool divide_units(
	const struct ordo_capacities *graph, uint32_t nlink, int64_t most, int64_t *units)
{
	for (uint32_t i = 0; i < nlink; i++) {
		units[i] /= (int64_t)graph->unit;
		if (units[i] > most)
			return false;
		most -= units[i];
	}
	return true;
}

/* The units of each link, in the smallest unit in which all sums fit. false: no memory. */
static bool measure_links(
	struct ordo_capacities *graph, const struct ordo_topology *topology, int64_t *units)
{
	const uint32_t nlink = topology->nlink;
	struct ordo_decimal *decimals = ordo_array_make(nlink, sizeof *decimals, 0);
	const int64_t most = INT64_MAX / 16 / topology->nrank;
	int exponent = 0;
	if (!decimals)
		return false;
	for (uint32_t i = 0; i < nlink; i++) {
		const bool same = i && topology->links[i].bandwidth_gbs ==
					       topology->links[i - 1].bandwidth_gbs;
		decimals[i] =
			same ? decimals[i - 1] : ordo_decimal_of(topology->links[i].bandwidth_gbs);
		if (!topology->links[i].down && decimals[i].exponent < exponent)
			exponent = decimals[i].exponent;
	}
	while (!count_units(graph, topology, decimals, exponent, units) ||
		!divide_units(graph, nlink, most, units))
		exponent++;
	graph->unit_digits = -exponent;
	free(decimals);
	return true;
}

/* The units of a rank's fastest links in one direction, as many as it drives at once; 0: it drives
 * all of them. widths: room for [nlink] */
static int64_t port_units(const struct ordo_topology *topology, uint32_t rank, bool outwards,
	const int64_t *units, const uint32_t *ends, const uint32_t *by_end, int64_t *widths)
{
	uint32_t count = 0;
	int64_t sum = 0;
	for (uint32_t i = ends[rank]; i < ends[rank + 1]; i++) {
		const uint32_t link = outwards ? i : by_end[i];
		if (units[link])
			widths[count++] = units[link];
	}
	if (!topology->ports || topology->ports >= count)
		return 0;
	qsort(widths, count, sizeof *widths, compare_descending);
	for (uint32_t i = 0; i < topology->ports; i++)
		sum += widths[i];
	return sum;
}

/* Links sorted by the vertex that they enter. */
static void sort_by_end(const struct ordo_topology *topology, uint32_t *ends, uint32_t *by_end)
{
	const uint32_t nvertex = topology->nrank + topology->nswitch;
	for (uint32_t i = 0; i < topology->nlink; i++)
		ends[topology->links[i].to + 1]++;
	for (uint32_t v = 0; v < nvertex; v++)
		ends[v + 1] += ends[v];
	for (uint32_t i = 0; i < topology->nlink; i++)
		by_end[ends[topology->links[i].to]++] = i;
	for (uint32_t v = nvertex; v > 0; v--)
		ends[v] = ends[v - 1];
	ends[0] = 0;
}

/* Adds a vertex for the ports of a rank, if it drives fewer links than it has: ports[rank]. */
static void add_ports(
	struct ordo_capacities *graph, uint32_t rank, bool outwards, int64_t units, uint32_t *ports)
{
	ports[rank] = rank;
	if (!units)
		return;
	const uint32_t port = graph->nvertex++;
	ports[rank] = port;
	graph->rank_of[port] = rank;
	graph->arcs[graph->narc++] = outwards ? (struct ordo_arc){rank, port, units}
					      : (struct ordo_arc){port, rank, units};
}

/* Sorts the arcs, and adds parallel ones up. */
static void merge_arcs(struct ordo_capacities *graph)
{
	uint32_t kept = 0;
	qsort(graph->arcs, graph->narc, sizeof *graph->arcs, compare_arcs);
	for (uint32_t i = 0; i < graph->narc; i++)
		if (kept && compare_arcs(&graph->arcs[kept - 1], &graph->arcs[i]) == 0)
			graph->arcs[kept - 1].units += graph->arcs[i].units;
		else
			graph->arcs[kept++] = graph->arcs[i];
	graph->narc = kept;
	for (uint32_t i = 0; i < kept; i++) {
		graph->first[graph->arcs[i].from + 1]++;
		graph->total += graph->arcs[i].units;
	}
	for (uint32_t v = 0; v < graph->nvertex; v++)
		graph->first[v + 1] += graph->first[v];
}

/* Room while a graph is made. */
struct making {
	int64_t *units, *widths; /* [nlink] */
	uint32_t *ends, *by_end; /* [nvertex+1] into [nlink]: links by the vertex they enter */
	uint32_t *out, *in;	 /* [nvertex] where what it sends leaves, and what it gets enters */
};

static void add_arcs(struct ordo_capacities *graph, const struct ordo_topology *topology,
	const struct making *making, bool backwards)
{
	for (uint32_t v = 0; v < graph->nplace; v++) {
		making->out[v] = making->in[v] = v;
		if (v >= graph->nrank || !topology->ports)
			continue;
		add_ports(graph, v, true,
			port_units(topology, v, true, making->units, topology->first_link,
				making->by_end, making->widths),
			making->out);
		add_ports(graph, v, false,
			port_units(topology, v, false, making->units, making->ends, making->by_end,
				making->widths),
			making->in);
	}
	for (uint32_t i = 0; i < topology->nlink; i++)
		if (making->units[i])
			graph->arcs[graph->narc++] =
				(struct ordo_arc){making->out[topology->links[i].from],
					making->in[topology->links[i].to], making->units[i]};
	for (uint32_t i = 0; backwards && i < graph->narc; i++) {
		const struct ordo_arc arc = graph->arcs[i];
		graph->arcs[i] = (struct ordo_arc){arc.to, arc.from, arc.units};
	}
	merge_arcs(graph);
}

bool ordo_capacities_make(struct ordo_capacities *graph, const struct ordo_topology *topology,
	bool backwards, struct ordo_error *error)
{
	const uint32_t nplace = topology->nrank + topology->nswitch,
		       most = nplace + 2 * topology->nrank;
	const size_t nlink = topology->nlink;
	*graph = (struct ordo_capacities){.nrank = topology->nrank,
		.nplace = nplace,
		.nvertex = nplace,
		.backwards = backwards};
	graph->arcs = ordo_array_make(nlink + 2 * (size_t)topology->nrank, sizeof *graph->arcs, 0);
	graph->first = ordo_array_make((size_t)most + 1, sizeof *graph->first, 0);
	graph->rank_of = ordo_array_make(most, sizeof *graph->rank_of, 0xff);
	struct making making = {.units = ordo_array_make(nlink, sizeof *making.units, 0),
		.widths = ordo_array_make(nlink, sizeof *making.widths, 0),
		.ends = ordo_array_make((size_t)nplace + 1, sizeof *making.ends, 0),
		.by_end = ordo_array_make(nlink, sizeof *making.by_end, 0),
		.out = ordo_array_make(nplace, sizeof *making.out, 0),
		.in = ordo_array_make(nplace, sizeof *making.in, 0)};
	const bool worked = graph->arcs && graph->first && graph->rank_of && making.units &&
			    making.widths && making.ends && making.by_end && making.out &&
			    making.in && measure_links(graph, topology, making.units);
	if (worked) {
		sort_by_end(topology, making.ends, making.by_end);
		add_arcs(graph, topology, &making, backwards);
	}
	free(making.units);
	free(making.widths);
	free(making.ends);
	free(making.by_end);
	free(making.out);
	free(making.in);
	return worked || ordo_fail_memory(error);
}

void ordo_capacities_free(struct ordo_capacities *graph)
{
	free(graph->arcs);
	free(graph->first);
	free(graph->rank_of);
}

int64_t ordo_capacities_leaving(const struct ordo_capacities *graph, const bool *in_set)
{
	int64_t sum = 0;
	for (uint32_t i = 0; i < graph->narc; i++)
		if (in_set[graph->arcs[i].from] && !in_set[graph->arcs[i].to])
			sum += graph->arcs[i].units;
	return sum;
}

uint32_t ordo_capacities_arc(const struct ordo_capacities *graph, uint32_t from, uint32_t to)
{
	uint32_t low = graph->first[from];
	for (uint32_t high = graph->first[from + 1]; high - low > 1;) {
		const uint32_t middle = low + (high - low) / 2;
		*(graph->arcs[middle].to <= to ? &low : &high) = middle;
	}
	return low;
}

int64_t ordo_capacities_widest(const struct ordo_capacities *graph)
{
	int64_t widest = 1;
	for (uint32_t i = 0; i < graph->narc; i++)
		if (graph->arcs[i].units > widest)
			widest = graph->arcs[i].units;
	return widest;
}

/* The units of one arc; 0: there is none. */
static int64_t units_between(const struct ordo_capacities *graph, uint32_t from, uint32_t to)
{
	const struct ordo_arc key = {.from = from, .to = to};
	const struct ordo_arc *found = bsearch(&key, graph->arcs + graph->first[from],
		graph->first[from + 1] - graph->first[from], sizeof key, compare_arcs);
	return found ? found->units : 0;
}

bool ordo_capacities_symmetric(const struct ordo_capacities *graph)
{
	bool symmetric = graph->nvertex == graph->nplace;
	for (uint32_t i = 0; symmetric && i < graph->narc; i++)
		symmetric = units_between(graph, graph->arcs[i].to, graph->arcs[i].from) ==
			    graph->arcs[i].units;
	return symmetric;
}

/* Marks what ways from ranks lead to. false: no memory. */
static bool mark_reached(const struct ordo_capacities *graph, bool *reached)
{
	uint32_t *queue = ordo_array_make(graph->nvertex, sizeof *queue, 0), end = 0;
	for (uint32_t v = 0; queue && v < graph->nrank; v++) {
		queue[end++] = v;
		reached[v] = true;
	}
	for (uint32_t i = 0; i < end; i++)
		for (uint32_t a = graph->first[queue[i]]; a < graph->first[queue[i] + 1]; a++) {
			const uint32_t to = graph->arcs[a].to;
			if (!reached[to])
				queue[end++] = to;
			reached[to] = true;
		}
	free(queue);
	return queue;
}

/* An arc that is on a way from a rank to a rank. marks: [2] what ranks reach, what reaches ranks */
static bool is_used(const struct ordo_arc *arc, bool *const *marks)
{
	return marks[0][arc->from] && marks[1][arc->to];
}

static int64_t units_from(const struct ordo_capacities *graph, bool *const *marks, uint32_t v)
{
	int64_t sum = 0;
	for (uint32_t a = graph->first[v]; a < graph->first[v + 1]; a++)
		sum += is_used(&graph->arcs[a], marks) ? graph->arcs[a].units : 0;
	return sum;
}

static void find_unbalanced(
	const struct ordo_capacities graphs[2], bool *const marks[2], struct ordo_obstacles *found)
{
	bool *const turned[2] = {marks[1], marks[0]};
	for (uint32_t v = graphs->nrank; v < graphs->nplace; v++) {
		found->out = units_from(&graphs[0], marks, v);
		found->in = units_from(&graphs[1], turned, v);
		found->unbalanced = found->in != found->out ? v : ORDO_NONE;
		if (found->unbalanced != ORDO_NONE)
			return;
	}
	found->in = found->out = 0;
}

static void find_one_way(
	const struct ordo_capacities *graph, bool *const marks[2], struct ordo_obstacles *found)
{
	for (uint32_t a = 0; a < graph->narc; a++) {
		const struct ordo_arc *arc = &graph->arcs[a];
		const bool joins_places = arc->from < graph->nplace && arc->to < graph->nplace;
		if (!joins_places || !is_used(arc, marks) ||
			units_between(graph, arc->to, arc->from))
			continue;
		found->one_way[0] = arc->from;
		found->one_way[1] = arc->to;
		return;
	}
}

bool ordo_capacities_obstacles(const struct ordo_capacities graphs[2], struct ordo_obstacles *found,
	struct ordo_error *error)
{
	const uint32_t nvertex = graphs->nvertex;
	bool *marks[2] = {ordo_array_make(nvertex, sizeof **marks, 0),
		ordo_array_make(nvertex, sizeof **marks, 0)};
	const bool worked = marks[0] && marks[1] && mark_reached(&graphs[0], marks[0]) &&
			    mark_reached(&graphs[1], marks[1]);
	*found =
		(struct ordo_obstacles){.unbalanced = ORDO_NONE, .one_way = {ORDO_NONE, ORDO_NONE}};
	if (worked) {
		find_unbalanced(graphs, marks, found);
		find_one_way(&graphs[0], marks, found);
	}
	free(marks[0]);
	free(marks[1]);
	return worked || ordo_fail_memory(error);
}
