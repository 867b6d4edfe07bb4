/* pack.c - trees from roots to all vertices, grown arc by arc.
 *
 * Each pending tree i has reached the vertices V_i and stands for c_i trees. The rest can be
 * packed iff every set T is entered by at least the sum of c_i over the trees with V_i outside T
 * (Edmonds 1973, with multiplicities); what it is entered by above that is its slack. An arc x ->
 * y that tree i takes M times lowers the slack of the sets with y, without x, that V_i meets; so M
 * is at most the least of these, which is a maximum flow from x to y, with arcs from x to each
 * other pending tree j (c_j) and on to V_j: the flow without these c_j. If that is less than c_i,
 * the tree divides.
 *
 * Arcs that all c_i can take come first, breadth-first; an arc that was refused stays refused for
 * that tree, as its V_i only grows.
 *
 * source K. Berczi and A. Frank, Packing arborescences, 2010
 */
#include "pack.h"
#include "flow.h"
#include <ordo/arena.h>
#include <stdlib.h>
#include <string.h>

struct growing {
	uint32_t units, ncovered;
	uint32_t *parents; /* [nrank] ORDO_NONE: not covered */
	uint32_t *order;   /* [nrank] the covered ones, the root first */
};

struct packer {
	const struct ordo_capacities *graph;
	uint32_t *left;	       /* [narc] capacity */
	uint32_t *most;	       /* [narc] what the tree that grows may take at most */
	struct growing *trees; /* [ntree] pending; the last one grows */
	uint32_t ntree;
	size_t room;
	struct ordo_network network;
	uint32_t *from_vertex; /* [nrank] arcs to the hub of the pending trees */
	int64_t others;	       /* units of all pending trees but the last */
};

static bool add_tree(struct packer *packer, uint32_t units)
{
	const uint32_t nrank = packer->graph->nrank;
	struct growing tree = {.units = units,
		.parents = ordo_array_make(nrank, sizeof *tree.parents, 0xff),
		.order = ordo_array_make(nrank, sizeof *tree.order, 0)};
	if (!tree.parents || !tree.order ||
		!ordo_array_reserve(&packer->trees, &packer->room, (size_t)packer->ntree + 1,
			sizeof *packer->trees)) {
		free(tree.parents);
		free(tree.order);
		return false;
	}
	packer->trees[packer->ntree++] = tree;
	return true;
}

static void remove_tree(struct packer *packer)
{
	const struct growing *tree = &packer->trees[--packer->ntree];
	free(tree->parents);
	free(tree->order);
}

/* The network of what is left, without the last tree. */
static bool make_network(struct packer *packer)
{
	const struct ordo_capacities *graph = packer->graph;
	struct ordo_network *network = &packer->network;
	size_t narc = graph->narc + (size_t)graph->nrank;
	const uint32_t hub = graph->nrank;
	for (uint32_t i = 0; i + 1 < packer->ntree; i++)
		narc += 1 + packer->trees[i].ncovered;
	ordo_network_free(network);
	if (!ordo_network_make(network, graph->nrank + packer->ntree, narc, NULL))
		return false;
	for (uint32_t i = 0; i < graph->narc; i++)
		ordo_network_add(network, graph->arcs[i].from, graph->arcs[i].to, packer->left[i]);
	for (uint32_t v = 0; v < graph->nrank; v++)
		packer->from_vertex[v] = ordo_network_add(network, v, hub, 0);
	packer->others = 0;
	for (uint32_t i = 0; i + 1 < packer->ntree; i++) {
		const struct growing *tree = &packer->trees[i];
		ordo_network_add(network, hub, hub + 1 + i, tree->units);
		for (uint32_t j = 0; j < tree->ncovered; j++)
			ordo_network_add(network, hub + 1 + i, tree->order[j], INT64_MAX / 4);
		packer->others += tree->units;
	}
	return true;
}

/* How many units of the last tree may take the arc. -1: no memory. */
static int64_t measure_arc(struct packer *packer, uint32_t arc)
{
	struct ordo_network *network = &packer->network;
	const struct growing *tree = &packer->trees[packer->ntree - 1];
	const uint32_t x = packer->graph->arcs[arc].from, y = packer->graph->arcs[arc].to;
	const uint32_t most = packer->left[arc] < tree->units ? packer->left[arc] : tree->units;
	if (!most)
		return 0;
	network->target[y] = true;
	ordo_network_set(network, packer->from_vertex[x], INT64_MAX / 4);
	const int64_t flow = ordo_flow(network, x, packer->others + most);
	ordo_flow_undo(network);
	ordo_network_set(network, packer->from_vertex[x], 0);
	network->target[y] = false;
	return flow < 0 ? -1 : flow - packer->others;
}

static void take_arc(struct packer *packer, uint32_t arc)
{
	struct growing *tree = &packer->trees[packer->ntree - 1];
	const uint32_t x = packer->graph->arcs[arc].from, y = packer->graph->arcs[arc].to;
	packer->left[arc] -= tree->units;
	ordo_network_set(&packer->network, 2 * arc, packer->left[arc]);
	tree->parents[y] = x;
	tree->order[tree->ncovered++] = y;
}

/* Takes every arc that all units of the tree may take, breadth-first. false: no memory. */
static bool grow(struct packer *packer)
{
	const struct ordo_capacities *graph = packer->graph;
	struct growing *tree = &packer->trees[packer->ntree - 1];
	for (uint32_t i = 0; i < tree->ncovered; i++) {
		const uint32_t x = tree->order[i];
		for (uint32_t arc = graph->first[x]; arc < graph->first[x + 1]; arc++) {
			if (tree->parents[graph->arcs[arc].to] != ORDO_NONE ||
				packer->most[arc] < tree->units)
				continue;
			const int64_t units = measure_arc(packer, arc);
			if (units < 0)
				return false;
			packer->most[arc] = (uint32_t)units;
			if (packer->most[arc] >= tree->units)
				take_arc(packer, arc);
		}
	}
	return true;
}

/* The first arc that the most units of the tree may take, by what was measured. ORDO_NONE: there is
 * none. */
static uint32_t find_best(const struct packer *packer)
{
	const struct ordo_capacities *graph = packer->graph;
	const struct growing *tree = &packer->trees[packer->ntree - 1];
	uint32_t best = ORDO_NONE;
	for (uint32_t i = 0; i < tree->ncovered; i++) {
		const uint32_t x = tree->order[i];
		for (uint32_t arc = graph->first[x]; arc < graph->first[x + 1]; arc++)
			if (tree->parents[graph->arcs[arc].to] == ORDO_NONE && packer->most[arc] &&
				(best == ORDO_NONE || packer->most[arc] > packer->most[best]))
				best = arc;
	}
	return best;
}

/* The last tree divides: `units` of it go on, below the rest, which stays as it is. */
static bool divide(struct packer *packer, uint32_t units)
{
	const uint32_t nrank = packer->graph->nrank;
	if (!add_tree(packer, units))
		return false;
	struct growing *rest = &packer->trees[packer->ntree - 2],
		       *tree = &packer->trees[packer->ntree - 1];
	rest->units -= units;
	tree->ncovered = rest->ncovered;
	memcpy(tree->parents, rest->parents, nrank * sizeof *tree->parents);
	memcpy(tree->order, rest->order, nrank * sizeof *tree->order);
	return make_network(packer);
}

static bool fail_packing(struct ordo_error *error)
{
	return ordo_fail(error, ORDO_USAGE, 0,
		"packing: the links cannot carry so many trees (no arc can be taken)");
}

/* Grows the last tree until it spans, and moves it to the packing. */
static bool finish_tree(
	struct packer *packer, struct ordo_packing *packing, struct ordo_error *error)
{
	const struct ordo_capacities *graph = packer->graph;
	for (uint32_t arc = 0; arc < graph->narc; arc++)
		packer->most[arc] = UINT32_MAX;
	if (!make_network(packer))
		return ordo_fail_memory(error);
	for (;;) {
		if (!grow(packer))
			return ordo_fail_memory(error);
		const struct growing *tree = &packer->trees[packer->ntree - 1];
		if (tree->ncovered == graph->nrank)
			break;
		const uint32_t best = find_best(packer);
		if (best == ORDO_NONE)
			return fail_packing(error);
		const int64_t units = measure_arc(packer, best);
		packer->most[best] = units > 0 ? (uint32_t)units : 0;
		if (units < 0 || (units && units < tree->units && !divide(packer, (uint32_t)units)))
			return ordo_fail_memory(error);
		if (units)
			take_arc(packer, best);
	}
	const struct growing *tree = &packer->trees[packer->ntree - 1];
	if (!ordo_packing_add(packing, tree->order[0], tree->units, tree->parents))
		return ordo_fail_memory(error);
	remove_tree(packer);
	return true;
}

/* A pending tree at each root, the first root last. */
static bool begin(struct packer *packer, uint32_t root, uint32_t k)
{
	for (uint32_t rank = packer->graph->nrank; rank-- > 0;) {
		if (root != ORDO_NONE && rank != root)
			continue;
		if (!add_tree(packer, k))
			return false;
		struct growing *tree = &packer->trees[packer->ntree - 1];
		tree->parents[rank] = rank;
		tree->order[tree->ncovered++] = rank;
	}
	return true;
}

bool ordo_pack_from_roots(struct ordo_packing *packing, const struct ordo_capacities *graph,
	const uint32_t *capacities, uint32_t root, uint32_t k, struct ordo_error *error)
{
	struct packer packer = {.graph = graph,
		.left = ordo_array_make(graph->narc, sizeof *packer.left, 0),
		.most = ordo_array_make(graph->narc, sizeof *packer.most, 0),
		.from_vertex = ordo_array_make(graph->nrank, sizeof *packer.from_vertex, 0)};
	bool worked = packer.left && packer.most && packer.from_vertex && begin(&packer, root, k);
	if (!worked)
		ordo_fail_memory(error);
	else
		memcpy(packer.left, capacities, graph->narc * sizeof *capacities);
	*packing = (struct ordo_packing){.nrank = graph->nrank, .k = k};
	while (worked && packer.ntree)
		worked = finish_tree(&packer, packing, error);
	while (packer.ntree)
		remove_tree(&packer);
	free(packer.trees);
	free(packer.left);
	free(packer.most);
	free(packer.from_vertex);
	ordo_network_free(&packer.network);
	return worked;
}
