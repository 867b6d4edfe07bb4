/* spanning.c - a breadth-first tree over the links that a topology has. */
#include "synthesis/graph.h"
#include "trees.h"
#include <ordo/arena.h>
#include <ordo/detail/topologies.h>

/* A search from a rank over the ranks, and over switches and ports, which cost no step. Data or
 * signals go both ways between ranks that are next to each other in a tree. */
struct search {
	const struct ordo_topology *topology;
	struct ordo_capacities graph;
	uint32_t *owner; /* [nvertex] the rank that a vertex was reached from; ORDO_NONE: not yet */
	uint32_t *depth; /* [nrank] */
	uint32_t *order; /* [nrank] ranks as they were reached */
	uint32_t *ahead; /* [nvertex] what else to look at for the rank at hand */
	uint32_t nreached;
};

static bool begin(
	struct search *search, struct ordo_resolved_request *request, struct ordo_error *error)
{
	struct ordo_arena *arena = &request->arena;
	const uint32_t nrank = request->problem.nrank;
	search->topology = request->topology;
	if (!ordo_capacities_make(&search->graph, request->topology, false, error))
		return false;
	const size_t nvertex = search->graph.nvertex;
	search->owner = ordo_arena_alloc(arena, nvertex * sizeof *search->owner);
	search->depth = ordo_arena_alloc(arena, nrank * sizeof *search->depth);
	search->order = ordo_arena_alloc(arena, nrank * sizeof *search->order);
	search->ahead = ordo_arena_alloc(arena, nvertex * sizeof *search->ahead);
	return (search->owner && search->depth && search->order && search->ahead) ||
	       ordo_fail_memory(error);
}

/* Reaches what a vertex has links to, on behalf of a rank. */
static void look(struct search *search, uint32_t vertex, uint32_t rank, uint32_t *nahead)
{
	const struct ordo_capacities *graph = &search->graph;
	for (uint32_t i = graph->first[vertex]; i < graph->first[vertex + 1]; i++) {
		const uint32_t to = graph->arcs[i].to;
		const bool is_rank = to < graph->nrank;
		if (search->owner[to] != ORDO_NONE ||
			(is_rank && !ordo_topology_reaches(search->topology, to, rank)))
			continue;
		search->owner[to] = rank;
		if (is_rank) {
			search->depth[to] = search->depth[rank] + 1;
			search->order[search->nreached++] = to;
		} else {
			search->ahead[(*nahead)++] = to;
		}
	}
}

static void run(struct search *search, uint32_t root)
{
	for (uint32_t v = 0; v < search->graph.nvertex; v++)
		search->owner[v] = ORDO_NONE;
	search->owner[root] = root;
	search->depth[root] = 0;
	search->order[0] = root;
	search->nreached = 1;
	for (uint32_t i = 0; i < search->nreached; i++) {
		uint32_t nahead = 0;
		look(search, search->order[i], search->order[i], &nahead);
		while (nahead)
			look(search, search->ahead[--nahead], search->order[i], &nahead);
	}
}

/* The middle of a longest path from the rank farthest from rank 0. */
static uint32_t find_middle(struct search *search)
{
	run(search, 0);
	run(search, search->order[search->nreached - 1]);
	uint32_t rank = search->order[search->nreached - 1];
	for (uint32_t i = search->depth[rank] / 2; i > 0; i--)
		rank = search->owner[rank];
	return rank;
}

/* Node 0 is the root, node i rank (root + i) mod n. */
static bool make_tree(struct ordo_resolved_request *request, const struct search *search,
	uint32_t root, struct ordo_tree *tree)
{
	const uint32_t n = request->problem.nrank;
	uint32_t *level = ordo_arena_alloc(&request->arena, n * sizeof *level);
	if (!level || !ordo_tree_reserve(request, tree, search->depth[search->order[n - 1]]))
		return false;
	for (uint32_t i = 1; i < n; i++) {
		const uint32_t rank = search->order[i], node = (rank + n - root) % n;
		tree->parent[node] = (search->owner[rank] + n - root) % n;
		level[node] = search->depth[rank];
	}
	ordo_tree_sort(tree, level);
	return true;
}

static bool make_flat_tree(struct ordo_resolved_request *request, struct ordo_tree *tree)
{
	const uint32_t n = request->problem.nrank;
	uint32_t *level = ordo_arena_alloc(&request->arena, n * sizeof *level);
	if (!level || !ordo_tree_reserve(request, tree, n > 1))
		return false;
	for (uint32_t node = 1; node < n; node++)
		level[node] = 1;
	ordo_tree_sort(tree, level);
	return true;
}

bool ordo_tree_make_spanning(struct ordo_resolved_request *request, struct ordo_tree *tree,
	uint32_t *root, struct ordo_error *error)
{
	struct search search = {.topology = NULL};
	*root = request->problem.root;
	if (!request->topology)
		return make_flat_tree(request, tree) || ordo_fail_memory(error);
	bool worked = begin(&search, request, error);
	if (worked) {
		if (!ordo_operator_facts(request->problem.op)->rooted)
			*root = find_middle(&search);
		run(&search, *root);
		worked = search.nreached == request->problem.nrank;
		for (uint32_t rank = 0; !worked && rank < request->problem.nrank; rank++)
			if (search.owner[rank] == ORDO_NONE) {
				ordo_fail(error, ORDO_USAGE, 0,
					"tree: no links join rank %u and rank %u in both "
					"directions",
					*root, rank);
				break;
			}
		worked = worked &&
			 (make_tree(request, &search, *root, tree) || ordo_fail_memory(error));
	}
	ordo_capacities_free(&search.graph);
	return worked;
}
