/* least_cut.c - the least units that leave a set of ranks with any switches. */
#include "cut.h"
#include <ordo/arena.h>
#include <stdlib.h>

bool ordo_least_cut_make(
	struct ordo_least_cut *least, const struct ordo_capacities *graph, struct ordo_error *error)
{
	const uint32_t start = graph->nvertex;
	least->graph = graph;
	least->start_arcs = ordo_array_make(graph->nrank, sizeof *least->start_arcs, 0);
	if (!ordo_network_make(
		    &least->network, start + 1, (size_t)graph->narc + graph->nrank, error))
		return false;
	if (!least->start_arcs)
		return ordo_fail_memory(error);
	for (uint32_t i = 0; i < graph->narc; i++)
		ordo_network_add(&least->network, graph->arcs[i].from, graph->arcs[i].to,
			graph->arcs[i].units);
	for (uint32_t rank = 0; rank < graph->nrank; rank++)
		least->start_arcs[rank] = ordo_network_add(&least->network, start, rank, 0);
	return true;
}

void ordo_least_cut_free(struct ordo_least_cut *least)
{
	free(least->start_arcs);
	ordo_network_free(&least->network);
}

int64_t ordo_least_cut(
	struct ordo_least_cut *least, const uint32_t *set_of, uint32_t set, bool *inside)
{
	struct ordo_network *network = &least->network;
	const struct ordo_capacities *graph = least->graph;
	for (uint32_t rank = 0; rank < graph->nrank; rank++) {
		const bool in = set_of[rank] == set;
		network->target[rank] = !in;
		ordo_network_set(network, least->start_arcs[rank], in ? graph->total + 1 : 0);
	}
	const int64_t units = ordo_flow(network, graph->nvertex, INT64_MAX);
	for (uint32_t v = 0; inside && v < graph->nvertex; v++)
		inside[v] = ordo_flow_reaches(network, v);
	ordo_flow_undo(network);
	return units;
}
