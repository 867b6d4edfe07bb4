/* network.c - the ways between ranks that a placement can use, and the tree it places. */
#include "place.h"
#include <ordo/arena.h>
#include <stdlib.h>

bool ordo_sum_tree_make(struct ordo_sum_tree *tree, const struct ordo_forest *forest, uint32_t root,
	struct ordo_error *error)
{
	const uint32_t nleaf = forest->facts[root].leaves, nnode = 2 * nleaf - 1;
	uint32_t *stack = ordo_array_make(nnode, sizeof *stack, 0), height = 0;
	*tree = (struct ordo_sum_tree){.nleaf = nleaf,
		.nnode = nnode,
		.children = ordo_array_make(nnode, sizeof *tree->children, 0),
		.parents = ordo_array_make(nnode, sizeof *tree->parents, 0xff)};
	if (!stack || !tree->children || !tree->parents) {
		free(stack);
		return ordo_fail_memory(error);
	}
	/* From the last node down; each sum's number is taken when it is met. */
	uint32_t next = nnode, *numbers = ordo_array_make(nnode, sizeof *numbers, 0);
	if (numbers) {
		stack[height] = root;
		numbers[height++] = --next;
	}
	while (height) {
		const uint32_t node = stack[--height], number = numbers[height];
		for (uint32_t side = 0; number >= nleaf && side < 2; side++) {
			const uint32_t child = forest->trees.nodes[node][side];
			const bool leaf = forest->trees.nodes[child][0] == ORDO_NONE;
			const uint32_t name = leaf ? forest->trees.nodes[child][1] : --next;
			tree->children[number][side] = name;
			tree->parents[name] = number;
			if (leaf)
				continue;
			stack[height] = child;
			numbers[height++] = name;
		}
	}
	free(stack);
	free(numbers);
	return numbers || ordo_fail_memory(error);
}

void ordo_sum_tree_free(struct ordo_sum_tree *tree)
{
	free(tree->children);
	free(tree->parents);
}

/* A search from one rank, that passes switches and ports only. */
struct search {
	uint32_t *hops, *arc; /* [nvertex] the arc by which a vertex was reached */
	uint32_t *queue;
	uint64_t *taken; /* [narc] legs over it so far */
};

/* Breadth first; of equally short ways, the one whose last arc is taken less for its width. */
static void search_from(
	const struct ordo_capacities *graph, const struct search *search, uint32_t from)
{
	uint32_t begin = 0, end = 0;
	for (uint32_t v = 0; v < graph->nvertex; v++)
		search->hops[v] = ORDO_NONE;
	search->hops[from] = 0;
	search->queue[end++] = from;
	while (begin < end) {
		const uint32_t u = search->queue[begin++];
		if (u != from && u < graph->nrank)
			continue;
		for (uint32_t a = graph->first[u]; a < graph->first[u + 1]; a++) {
			const uint32_t v = graph->arcs[a].to;
			if (search->hops[v] == ORDO_NONE) {
				search->hops[v] = search->hops[u] + 1;
				search->arc[v] = a;
				search->queue[end++] = v;
			} else if (search->hops[v] == search->hops[u] + 1 &&
				   search->taken[a] < search->taken[search->arc[v]]) {
				search->arc[v] = a;
			}
		}
	}
}

static bool add_legs(struct ordo_place_network *network, const struct search *search)
{
	const struct ordo_capacities *graph = network->graph;
	size_t narc = 0, room = 0;
	for (uint32_t from = 0; from < graph->nrank; from++) {
		search_from(graph, search, from);
		for (uint32_t to = 0; to < graph->nrank; to++) {
			struct ordo_leg *leg = &network->legs[from * graph->nrank + to];
			leg->first = leg->end = (uint32_t)narc;
			if (to == from || search->hops[to] == ORDO_NONE)
				continue;
			if (!ordo_array_reserve(&network->arcs, &room, narc + graph->nvertex,
				    sizeof *network->arcs))
				return false;
			for (uint32_t v = to; v != from; v = graph->arcs[search->arc[v]].from) {
				network->shares =
					search->taken[search->arc[v]]++ || network->shares;
				network->arcs[narc++] = search->arc[v];
			}
			leg->end = (uint32_t)narc;
		}
	}
	return true;
}

bool ordo_place_network_make(struct ordo_place_network *network,
	const struct ordo_capacities *graph, struct ordo_error *error)
{
	struct search search = {.hops = ordo_array_make(graph->nvertex, sizeof *search.hops, 0),
		.arc = ordo_array_make(graph->nvertex, sizeof *search.arc, 0),
		.queue = ordo_array_make(graph->nvertex, sizeof *search.queue, 0),
		.taken = ordo_array_make(graph->narc, sizeof *search.taken, 0)};
	*network = (struct ordo_place_network){.graph = graph,
		.nrank = graph->nrank,
		.legs = ordo_array_make(
			(size_t)graph->nrank * graph->nrank, sizeof *network->legs, 0)};
	const bool worked = search.hops && search.arc && search.queue && search.taken &&
			    network->legs && add_legs(network, &search);
	free(search.hops);
	free(search.arc);
	free(search.queue);
	free(search.taken);
	return worked || ordo_fail_memory(error);
}

void ordo_place_network_free(struct ordo_place_network *network)
{
	free(network->legs);
	free(network->arcs);
}
