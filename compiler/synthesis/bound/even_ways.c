/* even_ways.c - whether AllToAll reaches a bound: each pair of ranks shares its data evenly among
 * all its shortest ways.
 *
 * Where links are alike, on rings, tori and hypercubes, through switches, no flow loads the busiest
 * link less. Elsewhere another flow may, so a bound that this one misses may still be reached. The
 * ways are counted, and loads are integers: a way takes 1/scale of a block, where `scale` is a
 * multiple of every number of ways.
 *
 * source U. Brandes, A faster algorithm for betweenness centrality, 2001
 */
#include "cut.h"
#include "shortest_ways.h"
#include <ordo/arena.h>
#include <ordo/divisor.h>
#include <stdlib.h>
#include <string.h>

__extension__ typedef __int128 wide;

/* Of the number of ways, and of the scale: then products of loads and units fit. */
#define MOST_WAYS (UINT64_C(1) << 32)

struct sharing {
	const struct ordo_capacities *graph;
	const uint32_t *lengths; /* [narc] above 0 */
	struct ordo_shortest_ways ways;
	uint64_t *counts; /* [nvertex] of shortest ways from one rank */
	uint64_t *below;  /* [nvertex] blocks of one rank that go on from here, times scale */
	uint64_t *loads;  /* [narc] blocks, times scale */
	uint64_t scale;
};

static bool is_on_a_way(const struct sharing *sharing, uint32_t from, uint32_t arc)
{
	const uint64_t *distances = sharing->ways.distances;
	return distances[from] + sharing->lengths[arc] == distances[sharing->graph->arcs[arc].to];
}

/* Counts the ways from a rank. Returns the vertices that are reached; 0: too many ways. */
static uint32_t count_ways(struct sharing *sharing, uint32_t rank)
{
	const struct ordo_capacities *graph = sharing->graph;
	const uint32_t reached =
		ordo_shortest_ways_find(&sharing->ways, graph, sharing->lengths, rank);
	memset(sharing->counts, 0, graph->nvertex * sizeof *sharing->counts);
	sharing->counts[rank] = 1;
	for (uint32_t i = 0; i < reached; i++) {
		const uint32_t v = sharing->ways.order[i];
		if (sharing->counts[v] > MOST_WAYS / graph->nvertex)
			return 0;
		for (uint32_t arc = graph->first[v]; arc < graph->first[v + 1]; arc++)
			if (is_on_a_way(sharing, v, arc))
				sharing->counts[graph->arcs[arc].to] += sharing->counts[v];
	}
	return reached;
}

/* Makes the scale a multiple of all numbers of ways. false: it is too large. */
static bool find_scale(struct sharing *sharing)
{
	const uint32_t nrank = sharing->graph->nrank;
	sharing->scale = 1;
	for (uint32_t rank = 0; rank < nrank; rank++) {
		if (!count_ways(sharing, rank))
			return false;
		for (uint32_t other = 0; other < nrank; other++) {
			const uint64_t count = sharing->counts[other];
			if (!count)
				return false;
			const uint64_t factor = count / ordo_common_divisor(count, sharing->scale);
			if (factor > MOST_WAYS / sharing->scale)
				return false;
			sharing->scale *= factor;
		}
	}
	return true;
}

/* Adds what the blocks of a rank load. */
static void add_loads(struct sharing *sharing, uint32_t rank)
{
	const struct ordo_capacities *graph = sharing->graph;
	uint32_t i = count_ways(sharing, rank);
	memset(sharing->below, 0, graph->nvertex * sizeof *sharing->below);
	while (i--) {
		const uint32_t v = sharing->ways.order[i];
		for (uint32_t arc = graph->first[v]; arc < graph->first[v + 1]; arc++) {
			const uint32_t to = graph->arcs[arc].to;
			if (!is_on_a_way(sharing, v, arc))
				continue;
			const wide all =
				sharing->below[to] + (to < graph->nrank ? sharing->scale : 0);
			const uint64_t load =
				(uint64_t)(all * sharing->counts[v] / sharing->counts[to]);
			sharing->loads[arc] += load;
			sharing->below[v] += load;
		}
	}
}

/* Whether no link takes longer than the bound. */
static bool suffices(const struct sharing *sharing, const struct ordo_cut_set *cut)
{
	const struct ordo_capacities *graph = sharing->graph;
	for (uint32_t i = 0; i < graph->narc; i++)
		if ((wide)sharing->loads[i] * cut->units >
			(wide)graph->arcs[i].units * cut->crossing * (wide)sharing->scale)
			return false;
	return true;
}

bool ordo_share_evenly(const struct ordo_capacities *graph, const uint32_t *lengths,
	const struct ordo_cut_set *cut, bool *reached, struct ordo_error *error)
{
	uint32_t *positive = ordo_array_make(graph->narc, sizeof *positive, 0);
	struct sharing sharing = {.graph = graph,
		.lengths = positive,
		.counts = ordo_array_make(graph->nvertex, sizeof *sharing.counts, 0),
		.below = ordo_array_make(graph->nvertex, sizeof *sharing.below, 0),
		.loads = ordo_array_make(graph->narc, sizeof *sharing.loads, 0)};
	const bool worked = ordo_shortest_ways_make(&sharing.ways, graph->nvertex) && positive &&
			    sharing.counts && sharing.below && sharing.loads;
	for (uint32_t i = 0; worked && i < graph->narc; i++)
		positive[i] = lengths ? lengths[i] * graph->nvertex + 1 : 1;
	*reached = worked && find_scale(&sharing);
	for (uint32_t rank = 0; *reached && rank < graph->nrank; rank++)
		add_loads(&sharing, rank);
	*reached = *reached && suffices(&sharing, cut);
	ordo_shortest_ways_free(&sharing.ways);
	free(positive);
	free(sharing.counts);
	free(sharing.below);
	free(sharing.loads);
	return worked || ordo_fail_memory(error);
}
