/* short_sets.c - sets of vertices that too little enters for the trees of roots outside.
 *
 * Trees from the roots exist iff there are none (Edmonds; at switches that let out what they let
 * in, Bang-Jensen, Frank and Jackson). A flow from each rank, backwards to a source of all roots,
 * finds them; a rank that got enough becomes a target, as in sweep.c.
 */
#include "divide.h"
#include "synthesis/flow.h"
#include <ordo/arena.h>
#include <stdlib.h>

void ordo_short_sets_free(struct ordo_short_sets *sets)
{
	free(sets->inside);
	free(sets->missing);
	*sets = (struct ordo_short_sets){0};
}

static bool make_network(struct ordo_network *network, const struct ordo_capacities *graph,
	bool leaving, const uint32_t *capacities, const uint32_t *roots)
{
	if (!ordo_network_make(
		    network, graph->nvertex + 1, (size_t)graph->narc + graph->nrank, NULL))
		return false;
	for (uint32_t i = 0; i < graph->narc; i++) {
		const struct ordo_arc *arc = &graph->arcs[i];
		ordo_network_add(network, leaving ? arc->from : arc->to,
			leaving ? arc->to : arc->from, capacities[i]);
	}
	for (uint32_t rank = 0; rank < graph->nrank; rank++)
		ordo_network_add(network, rank, graph->nvertex, roots[rank]);
	network->target[graph->nvertex] = true;
	return true;
}

bool ordo_short_sets_find(struct ordo_short_sets *sets, const struct ordo_capacities *graph,
	bool leaving, const uint32_t *capacities, const uint32_t *roots, int64_t ignored)
{
	const size_t nvertex = graph->nvertex;
	struct ordo_network network = {0};
	bool *known = ordo_array_make(nvertex, sizeof *known, 0);
	int64_t wanted = 0;
	*sets = (struct ordo_short_sets){
		.inside = ordo_array_make(graph->nrank * nvertex, sizeof(bool), 0),
		.missing = ordo_array_make(graph->nrank, sizeof(int64_t), 0)};
	bool worked = known && sets->inside && sets->missing &&
		      make_network(&network, graph, leaving, capacities, roots);
	for (uint32_t rank = 0; rank < graph->nrank; rank++)
		wanted += roots[rank];
	for (uint32_t rank = 0; worked && rank < graph->nrank; rank++) {
		if (known[rank])
			continue;
		const int64_t got = ordo_flow(&network, rank, wanted);
		const bool lacks = wanted - got > ignored;
		worked = got >= 0;
		sets->missing[sets->count] = wanted - got;
		for (uint32_t v = 0; worked && lacks && v < nvertex; v++) {
			const bool inside = ordo_flow_reaches(&network, v);
			sets->inside[sets->count * nvertex + v] = inside;
			known[v] = known[v] || inside;
		}
		sets->count += worked && lacks;
		ordo_flow_undo(&network);
		network.target[rank] = !lacks;
	}
	free(known);
	ordo_network_free(&network);
	return worked;
}
