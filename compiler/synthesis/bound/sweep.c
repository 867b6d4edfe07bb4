/* sweep.c - the cuts that bound AllGather, Broadcast and Scatter most, by maximum flows.
 *
 * AllGather takes no longer than x = a/b for each block of a rank iff, with capacity b from a
 * source to every rank and a times its bandwidth on each link, every rank v gets N b (Newton on
 * cuts). A minimum cut S around the source that gives v less has |S n R| / B(S) > a/b, which is the
 * next x. Once v has enough it becomes a source: a cut with v on the far side was just shown to be
 * wide enough, also for greater x. So one sweep over the ranks finds all.
 *
 * Flows run backwards, from v to the sources, because there are many of these.
 *
 * source Z. Zhao et al., arXiv 2402.06787; J. Hao and J. B. Orlin, J. Algorithms 17, 1994 (sources)
 */
#include "cut.h"
#include <ordo/arena.h>
#include <stdlib.h>

__extension__ typedef __int128 wide;

bool ordo_cut_greater(const struct ordo_cut_set *one, const struct ordo_cut_set *other)
{
	return (wide)one->crossing * other->units > (wide)other->crossing * one->units;
}

/* A network of the arcs turned round, number 2i for arc i. */
static bool make_backwards(struct ordo_network *network, const struct ordo_capacities *graph,
	uint32_t more_vertices, size_t more_arcs, struct ordo_error *error)
{
	if (!ordo_network_make(
		    network, graph->nvertex + more_vertices, graph->narc + more_arcs, error))
		return false;
	for (uint32_t i = 0; i < graph->narc; i++)
		ordo_network_add(
			network, graph->arcs[i].to, graph->arcs[i].from, graph->arcs[i].units);
	return true;
}

static void scale(struct ordo_network *network, const struct ordo_capacities *graph, int64_t factor)
{
	for (uint32_t i = 0; i < graph->narc; i++)
		ordo_network_set(network, 2 * i, factor * graph->arcs[i].units);
}

/* The set is what the last flow's start is not reached from. */
static void keep_far_side(const struct ordo_network *network, const struct ordo_capacities *graph,
	struct ordo_cut_set *cut)
{
	for (uint32_t v = 0; v < graph->nvertex; v++)
		cut->inside[v] = !ordo_flow_reaches(network, v);
	cut->units = ordo_capacities_leaving(graph, cut->inside);
}

static int64_t count_ranks(const struct ordo_capacities *graph, const bool *inside, bool side)
{
	int64_t count = 0;
	for (uint32_t rank = 0; rank < graph->nrank; rank++)
		count += inside[rank] == side;
	return count;
}

/* All but the rank into which the least bandwidth goes. */
static bool begin_with_one_rank(
	const struct ordo_capacities *graph, struct ordo_cut_set *cut, struct ordo_error *error)
{
	int64_t *in = ordo_array_make(graph->nvertex, sizeof *in, 0);
	uint32_t least = 0;
	if (!in)
		return ordo_fail_memory(error);
	for (uint32_t i = 0; i < graph->narc; i++)
		in[graph->arcs[i].to] += graph->arcs[i].units;
	for (uint32_t rank = 0; rank < graph->nrank; rank++)
		least = in[rank] < in[least] ? rank : least;
	for (uint32_t v = 0; v < graph->nvertex; v++)
		cut->inside[v] = v != least;
	cut->crossing = graph->nrank - 1;
	cut->units = in[least];
	free(in);
	return true;
}

static bool sweep_allgather(struct ordo_network *network, const struct ordo_capacities *graph,
	const uint32_t *order, struct ordo_cut_set *cut, struct ordo_error *error)
{
	const uint32_t nrank = graph->nrank, source = graph->nvertex, first = network->narc;
	for (uint32_t rank = 0; rank < nrank; rank++)
		ordo_network_add(network, rank, source, cut->units);
	network->target[source] = true;
	scale(network, graph, cut->crossing);
	for (uint32_t i = 0; i < nrank && cut->units;) {
		const int64_t wanted = nrank * cut->units,
			      got = ordo_flow(network, order[i], wanted);
		if (got < 0)
			return ordo_fail_memory(error);
		if (got < wanted) {
			keep_far_side(network, graph, cut);
			cut->crossing = count_ranks(graph, cut->inside, true);
		}
		ordo_flow_undo(network);
		if (got == wanted) {
			network->target[order[i++]] = true;
			continue;
		}
		scale(network, graph, cut->crossing);
		for (uint32_t rank = 0; rank < nrank; rank++)
			ordo_network_set(network, first + 2 * rank, cut->units);
	}
	return true;
}

bool ordo_cut_allgather(
	const struct ordo_capacities *graph, struct ordo_cut_set *cut, struct ordo_error *error)
{
	struct ordo_network network;
	uint32_t *order = ordo_array_make((size_t)graph->nvertex + 1, sizeof *order, 0);
	bool worked = make_backwards(&network, graph, 1, graph->nrank, error);
	if (worked && !order)
		worked = ordo_fail_memory(error);
	worked = worked && begin_with_one_rank(graph, cut, error) &&
		 ordo_network_order_ranks(&network, graph->nrank, 0, order, error) &&
		 sweep_allgather(&network, graph, order, cut, error);
	free(order);
	ordo_network_free(&network);
	return worked;
}

bool ordo_cut_broadcast(const struct ordo_capacities *graph, uint32_t root,
	struct ordo_cut_set *cut, struct ordo_error *error)
{
	struct ordo_network network;
	uint32_t *order = ordo_array_make(graph->nvertex, sizeof *order, 0);
	bool worked = make_backwards(&network, graph, 0, 0, error);
	if (worked && !order)
		worked = ordo_fail_memory(error);
	worked = worked && ordo_network_order_ranks(&network, graph->nrank, root, order, error);
	cut->crossing = 1;
	cut->units = graph->total + 1;
	if (worked)
		network.target[root] = true;
	for (uint32_t i = 1; worked && i < graph->nrank && cut->units; i++) {
		const int64_t got = ordo_flow(&network, order[i], cut->units);
		worked = got >= 0 || ordo_fail_memory(error);
		if (worked && got < cut->units)
			keep_far_side(&network, graph, cut);
		ordo_flow_undo(&network);
		network.target[order[i]] = true;
	}
	free(order);
	ordo_network_free(&network);
	return worked;
}

bool ordo_cut_scatter(const struct ordo_capacities *graph, uint32_t root, struct ordo_cut_set *cut,
	struct ordo_error *error)
{
	struct ordo_network network;
	const uint32_t nrank = graph->nrank, start = graph->nvertex;
	bool worked = make_backwards(&network, graph, 1, nrank, error);
	const uint32_t first = network.narc;
	for (uint32_t rank = 0; worked && rank < nrank; rank++)
		ordo_network_add(&network, start, rank, 0);
	if (worked)
		network.target[root] = true;
	for (uint32_t v = 0; v < graph->nvertex; v++)
		cut->inside[v] = v == root;
	cut->crossing = nrank - 1;
	cut->units = ordo_capacities_leaving(graph, cut->inside);
	while (worked && cut->units) {
		scale(&network, graph, cut->crossing);
		for (uint32_t rank = 0; rank < nrank; rank++)
			ordo_network_set(&network, first + 2 * rank, rank == root ? 0 : cut->units);
		const int64_t wanted = (nrank - 1) * cut->units,
			      got = ordo_flow(&network, start, wanted);
		worked = got >= 0 || ordo_fail_memory(error);
		if (!worked || got == wanted)
			break;
		keep_far_side(&network, graph, cut);
		cut->crossing = count_ranks(graph, cut->inside, false);
		ordo_flow_undo(&network);
	}
	ordo_network_free(&network);
	return worked;
}
