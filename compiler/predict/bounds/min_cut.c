/* min_cut.c - the capacity of a cut between two sets of ranks: the sum of its links, or the maximum
 * flow through switches.
 *
 * source E. A. Dinic, Soviet Math. Doklady 11, 1970: maximum flow by blocking flows
 */
#include "min_cut.h"
#include <math.h>
#include <ordo/arena.h>
#include <stdlib.h>
#include <string.h>

static int compare_descending(const void *one, const void *other)
{
	const double a = *(const double *)one, b = *(const double *)other;
	return (a < b) - (a > b);
}

/* The bandwidth of every rank in one direction, over at most `ports` links at once. */
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

bool ordo_cut_make(
	struct ordo_cut *cut, const struct ordo_topology *topology, struct ordo_error *error)
{
	const uint32_t nrank = topology->nrank;
	*cut = (struct ordo_cut){.topology = topology,
		.nvertex = nrank + topology->nswitch + 2,
		.send = ordo_array_make(nrank, sizeof *cut->send, 0),
		.receive = ordo_array_make(nrank, sizeof *cut->receive, 0),
		.crossing = ordo_array_make(nrank, sizeof *cut->crossing, 0)};
	bool worked = cut->send && cut->receive && cut->crossing &&
		      sum_ports(topology, true, cut->send) &&
		      sum_ports(topology, false, cut->receive);
	if (worked && topology->nswitch) {
		const size_t narc = 2 * ((size_t)topology->nlink + nrank);
		cut->first = ordo_array_make(cut->nvertex, sizeof *cut->first, 0);
		cut->next = ordo_array_make(narc, sizeof *cut->next, 0);
		cut->to = ordo_array_make(narc, sizeof *cut->to, 0);
		cut->room = ordo_array_make(narc, sizeof *cut->room, 0);
		cut->depth = ordo_array_make(cut->nvertex, sizeof *cut->depth, 0);
		cut->at = ordo_array_make(cut->nvertex, sizeof *cut->at, 0);
		cut->queue = ordo_array_make(cut->nvertex, sizeof *cut->queue, 0);
		worked = narc < ORDO_NONE && cut->first && cut->next && cut->to && cut->room &&
			 cut->depth && cut->at && cut->queue;
	}
	return worked || ordo_fail_memory(error);
}

void ordo_cut_free(struct ordo_cut *cut)
{
	free(cut->send);
	free(cut->receive);
	free(cut->crossing);
	free(cut->first);
	free(cut->next);
	free(cut->to);
	free(cut->room);
	free(cut->depth);
	free(cut->at);
	free(cut->queue);
}

/* Without switches: what all senders can send over the cut, or all receivers receive if that is
 * less; each over the links that cross the cut, limited by its ports. */
static double sum_links(struct ordo_cut *cut, const bool *inside, bool side)
{
	const struct ordo_topology *topology = cut->topology;
	double sent = 0, received = 0;
	memset(cut->crossing, 0, topology->nrank * sizeof *cut->crossing);
	for (uint32_t i = 0; i < topology->nlink; i++) {
		const struct ordo_link *link = &topology->links[i];
		if (link->down || inside[link->from] != side || inside[link->to] == side)
			continue;
		cut->crossing[link->from] += link->bandwidth_gbs * 1e9;
		cut->crossing[link->to] += link->bandwidth_gbs * 1e9;
	}
	for (uint32_t rank = 0; rank < topology->nrank; rank++)
		if (inside[rank] == side)
			sent += fmin(cut->crossing[rank], cut->send[rank]);
		else
			received += fmin(cut->crossing[rank], cut->receive[rank]);
	return fmin(sent, received);
}

static void add_arc(struct ordo_cut *cut, uint32_t from, uint32_t to, double room)
{
	const uint32_t ends[2] = {from, to};
	for (uint32_t way = 0; way < 2; way++) {
		const uint32_t arc = cut->narc++;
		cut->to[arc] = ends[1 - way];
		cut->room[arc] = way ? 0 : room;
		cut->next[arc] = cut->first[ends[way]];
		cut->first[ends[way]] = arc;
	}
}

static void make_network(struct ordo_cut *cut, const bool *inside, bool side)
{
	const struct ordo_topology *topology = cut->topology;
	const uint32_t nrank = topology->nrank, source = cut->nvertex - 2, sink = source + 1;
	cut->narc = 0;
	for (uint32_t v = 0; v < cut->nvertex; v++)
		cut->first[v] = ORDO_NONE;
	for (uint32_t rank = 0; rank < nrank; rank++)
		if (inside[rank] == side)
			add_arc(cut, source, rank, cut->send[rank]);
		else
			add_arc(cut, rank, sink, cut->receive[rank]);
	for (uint32_t i = 0; i < topology->nlink; i++) {
		const struct ordo_link *link = &topology->links[i];
		const bool leaves = link->from >= nrank || inside[link->from] == side,
			   arrives = link->to >= nrank || inside[link->to] != side;
		if (!link->down && leaves && arrives)
			add_arc(cut, link->from, link->to, link->bandwidth_gbs * 1e9);
	}
}

/* Depths from the source over arcs with residual capacity. */
static bool find_depths(struct ordo_cut *cut)
{
	const uint32_t source = cut->nvertex - 2, sink = source + 1;
	uint32_t count = 1;
	for (uint32_t v = 0; v < cut->nvertex; v++)
		cut->depth[v] = ORDO_NONE;
	cut->queue[0] = source;
	cut->depth[source] = 0;
	for (uint32_t done = 0; done < count; done++) {
		const uint32_t v = cut->queue[done];
		for (uint32_t arc = cut->first[v]; arc != ORDO_NONE; arc = cut->next[arc]) {
			const uint32_t to = cut->to[arc];
			if (!(cut->room[arc] > 0) || cut->depth[to] != ORDO_NONE)
				continue;
			cut->depth[to] = cut->depth[v] + 1;
			cut->queue[count++] = to;
		}
	}
	return cut->depth[sink] != ORDO_NONE;
}

/* Augments along one path of increasing depth to the sink; queue[] holds its arcs. */
static double push(struct ordo_cut *cut)
{
	const uint32_t source = cut->nvertex - 2, sink = source + 1;
	uint32_t length = 0, v = source;
	while (v != sink) {
		uint32_t *arc = &cut->at[v];
		while (*arc != ORDO_NONE &&
			!(cut->room[*arc] > 0 && cut->depth[cut->to[*arc]] == cut->depth[v] + 1))
			*arc = cut->next[*arc];
		if (*arc != ORDO_NONE) {
			cut->queue[length++] = *arc;
			v = cut->to[*arc];
			continue;
		}
		if (!length)
			return 0;
		v = cut->to[cut->queue[--length] ^ 1];
		cut->at[v] = cut->next[cut->at[v]];
	}
	double least = HUGE_VAL;
	for (uint32_t i = 0; i < length; i++)
		least = cut->room[cut->queue[i]] < least ? cut->room[cut->queue[i]] : least;
	for (uint32_t i = 0; i < length; i++) {
		cut->room[cut->queue[i]] -= least;
		cut->room[cut->queue[i] ^ 1] += least;
	}
	return least;
}

double ordo_cut_rate(struct ordo_cut *cut, const bool *inside, bool side)
{
	double sum = 0, more;
	if (!cut->topology->nswitch)
		return sum_links(cut, inside, side);
	make_network(cut, inside, side);
	while (find_depths(cut)) {
		for (uint32_t v = 0; v < cut->nvertex; v++)
			cut->at[v] = cut->first[v];
		while ((more = push(cut)) > 0)
			sum += more;
	}
	return sum;
}
