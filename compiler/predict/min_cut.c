/* min_cut.c - how many bytes a second can leave a set of ranks for the others: the links between,
 * or the greatest flow through switches.
 *
 * source  E. A. Dinic, Soviet Math. Doklady 11, 1970: the greatest flow by blocking flows
 */
#include "min_cut.h"
#include <math.h>
#include <ordo/arena.h>
#include <stdlib.h>

static int compare_descending(const void *one, const void *other)
{
	const double a = *(const double *)one, b = *(const double *)other;
	return (a < b) - (a > b);
}

/* What the links of every rank carry in one direction, at most `ports` of them at once. */
static bool sum_ports(const struct ordo_topology *topology, bool outwards, double *sums)
{
	double *widths = ordo_array_make(topology->nlink, sizeof *widths, 0);
	uint32_t *first = ordo_array_make((size_t)topology->nrank + 2, sizeof *first, 0);
	const bool worked = widths && first;
	for (uint32_t i = 0; worked && i < topology->nlink; i++) {
		const struct ordo_link *link = &topology->links[i];
		const uint32_t rank = outwards ? link->from : link->to;
		if (!link->down && rank < topology->nrank)
			first[rank + 2]++;
	}
	for (uint32_t rank = 0; worked && rank < topology->nrank; rank++)
		first[rank + 2] += first[rank + 1];
	for (uint32_t i = 0; worked && i < topology->nlink; i++) {
		const struct ordo_link *link = &topology->links[i];
		const uint32_t rank = outwards ? link->from : link->to;
		if (!link->down && rank < topology->nrank)
			widths[first[rank + 1]++] = link->bandwidth_gbs * 1e9;
	}
	for (uint32_t rank = 0; worked && rank < topology->nrank; rank++) {
		const uint32_t count = first[rank + 1] - first[rank],
			       used = topology->ports && topology->ports < count ? topology->ports
										 : count;
		if (used < count)
			qsort(widths + first[rank], count, sizeof *widths, compare_descending);
		for (uint32_t i = 0; i < used; i++)
			sums[rank] += widths[first[rank] + i];
	}
	free(widths);
	free(first);
	return worked;
}

bool ordo_crossing_make(struct ordo_crossing *crossing, const struct ordo_topology *topology,
	struct ordo_error *error)
{
	const uint32_t nrank = topology->nrank;
	*crossing = (struct ordo_crossing){.topology = topology,
		.nvertex = nrank + topology->nswitch + 2,
		.send = ordo_array_make(nrank, sizeof *crossing->send, 0),
		.receive = ordo_array_make(nrank, sizeof *crossing->receive, 0)};
	bool worked = crossing->send && crossing->receive &&
		      sum_ports(topology, true, crossing->send) &&
		      sum_ports(topology, false, crossing->receive);
	if (worked && topology->nswitch) {
		const size_t narc = 2 * ((size_t)topology->nlink + nrank);
		crossing->first = ordo_array_make(crossing->nvertex, sizeof *crossing->first, 0);
		crossing->next = ordo_array_make(narc, sizeof *crossing->next, 0);
		crossing->to = ordo_array_make(narc, sizeof *crossing->to, 0);
		crossing->room = ordo_array_make(narc, sizeof *crossing->room, 0);
		crossing->depth = ordo_array_make(crossing->nvertex, sizeof *crossing->depth, 0);
		crossing->at = ordo_array_make(crossing->nvertex, sizeof *crossing->at, 0);
		crossing->queue = ordo_array_make(crossing->nvertex, sizeof *crossing->queue, 0);
		worked = narc < ORDO_NONE && crossing->first && crossing->next && crossing->to &&
			 crossing->room && crossing->depth && crossing->at && crossing->queue;
	}
	return worked || ordo_fail_memory(error);
}

void ordo_crossing_free(struct ordo_crossing *crossing)
{
	free(crossing->send);
	free(crossing->receive);
	free(crossing->first);
	free(crossing->next);
	free(crossing->to);
	free(crossing->room);
	free(crossing->depth);
	free(crossing->at);
	free(crossing->queue);
}

/* Without switches: what each rank sends over the cut, and what each gets, each no more than its
 * ports carry. */
static double sum_links(const struct ordo_crossing *crossing, const bool *inside, bool side)
{
	const struct ordo_topology *topology = crossing->topology;
	double sent = 0;
	for (uint32_t rank = 0; rank < topology->nrank; rank++) {
		double of_rank = 0;
		if (inside[rank] != side)
			continue;
		for (uint32_t i = topology->first_link[rank]; i < topology->first_link[rank + 1];
			i++)
			if (!topology->links[i].down && inside[topology->links[i].to] != side)
				of_rank += topology->links[i].bandwidth_gbs * 1e9;
		sent += of_rank < crossing->send[rank] ? of_rank : crossing->send[rank];
	}
	return sent;
}

static void add_arc(struct ordo_crossing *crossing, uint32_t from, uint32_t to, double room)
{
	const uint32_t ends[2] = {from, to};
	for (uint32_t way = 0; way < 2; way++) {
		const uint32_t arc = crossing->narc++;
		crossing->to[arc] = ends[1 - way];
		crossing->room[arc] = way ? 0 : room;
		crossing->next[arc] = crossing->first[ends[way]];
		crossing->first[ends[way]] = arc;
	}
}

static void make_network(struct ordo_crossing *crossing, const bool *inside, bool side)
{
	const struct ordo_topology *topology = crossing->topology;
	const uint32_t nrank = topology->nrank, source = crossing->nvertex - 2, sink = source + 1;
	crossing->narc = 0;
	for (uint32_t v = 0; v < crossing->nvertex; v++)
		crossing->first[v] = ORDO_NONE;
	for (uint32_t rank = 0; rank < nrank; rank++)
		if (inside[rank] == side)
			add_arc(crossing, source, rank, crossing->send[rank]);
		else
			add_arc(crossing, rank, sink, crossing->receive[rank]);
	for (uint32_t i = 0; i < topology->nlink; i++) {
		const struct ordo_link *link = &topology->links[i];
		const bool leaves = link->from >= nrank || inside[link->from] == side,
			   arrives = link->to >= nrank || inside[link->to] != side;
		if (!link->down && leaves && arrives)
			add_arc(crossing, link->from, link->to, link->bandwidth_gbs * 1e9);
	}
}

/* Depths from the source over arcs that have room. */
static bool find_depths(struct ordo_crossing *crossing)
{
	const uint32_t source = crossing->nvertex - 2, sink = source + 1;
	uint32_t count = 1;
	for (uint32_t v = 0; v < crossing->nvertex; v++)
		crossing->depth[v] = ORDO_NONE;
	crossing->queue[0] = source;
	crossing->depth[source] = 0;
	for (uint32_t done = 0; done < count; done++) {
		const uint32_t v = crossing->queue[done];
		for (uint32_t arc = crossing->first[v]; arc != ORDO_NONE;
			arc = crossing->next[arc]) {
			const uint32_t to = crossing->to[arc];
			if (!(crossing->room[arc] > 0) || crossing->depth[to] != ORDO_NONE)
				continue;
			crossing->depth[to] = crossing->depth[v] + 1;
			crossing->queue[count++] = to;
		}
	}
	return crossing->depth[sink] != ORDO_NONE;
}

/* One way deeper and deeper to the sink; queue[] holds its arcs. */
static double push(struct ordo_crossing *crossing)
{
	const uint32_t source = crossing->nvertex - 2, sink = source + 1;
	uint32_t length = 0, v = source;
	while (v != sink) {
		uint32_t *arc = &crossing->at[v];
		while (*arc != ORDO_NONE &&
			!(crossing->room[*arc] > 0 &&
				crossing->depth[crossing->to[*arc]] == crossing->depth[v] + 1))
			*arc = crossing->next[*arc];
		if (*arc != ORDO_NONE) {
			crossing->queue[length++] = *arc;
			v = crossing->to[*arc];
			continue;
		}
		if (!length)
			return 0;
		v = crossing->to[crossing->queue[--length] ^ 1];
		crossing->at[v] = crossing->next[crossing->at[v]];
	}
	double least = HUGE_VAL;
	for (uint32_t i = 0; i < length; i++)
		least = crossing->room[crossing->queue[i]] < least
				? crossing->room[crossing->queue[i]]
				: least;
	for (uint32_t i = 0; i < length; i++) {
		crossing->room[crossing->queue[i]] -= least;
		crossing->room[crossing->queue[i] ^ 1] += least;
	}
	return least;
}

double ordo_crossing_rate(struct ordo_crossing *crossing, const bool *inside, bool side)
{
	double sum = 0, more;
	if (!crossing->topology->nswitch)
		return sum_links(crossing, inside, side);
	make_network(crossing, inside, side);
	while (find_depths(crossing)) {
		for (uint32_t v = 0; v < crossing->nvertex; v++)
			crossing->at[v] = crossing->first[v];
		while ((more = push(crossing)) > 0)
			sum += more;
	}
	return sum;
}
