/* pack.c - trees from roots to all vertices, grown arc by arc.
 *
 * Each pending tree i has reached the vertices V_i and stands for c_i trees. The rest can be
 * packed iff every set T is entered by at least the sum of c_i over the trees with V_i outside T
 * (Edmonds 1973, with multiplicities); what it is entered by above that is its slack. An arc x ->
 * y that c units of a tree take costs the sets with y, without x, that V_i meets c of their slack:
 * others are entered for the first time. If less than c is left in one of them, the tree divides.
 *
 * Slack is kept for a pool of sets. A batch of arcs is taken as the pool allows; then one sweep of
 * flows looks for sets of any kind whose slack is below 0. If there are any, the batch is undone,
 * they join the pool, and the next batch is half as long; else twice. Slack only falls, so what
 * passes is what a check of all sets at each arc would give.
 *
 * source K. Berczi and A. Frank, Packing arborescences, 2010; the sweep as in sweep.c
 */
#include "pack.h"
#include "pool.h"
#include "synthesis/flow.h"
#include <ordo/arena.h>
#include <stdlib.h>
#include <string.h>

/* Sets that a pool may hold: no network is known that needs a tenth of them. */
enum { MOST_SETS = 1 << 14 };
/* Sets that one sweep adds: in networks that repeat, many are alike. */
enum { MOST_FOUND = 256 };

struct growing {
	uint32_t root, units, ncovered;
	uint32_t *parents; /* [nrank] ORDO_NONE: not covered. NULL: only the root is */
	uint32_t *order;   /* [nrank] the covered ones, the root first; NULL likewise */
};

struct packer {
	const struct ordo_capacities *graph;
	struct ordo_packing *packing;
	uint32_t *left;	       /* [narc] capacity */
	struct growing *trees; /* [ntree] pending; the last one grows */
	uint32_t ntree;
	size_t room;
	struct ordo_cut_pool pool;
	uint32_t budget; /* arcs that the batch may still take */
	bool *inside;	 /* [MOST_FOUND][nrank] sets that were found */
};

/* What a batch changes, as it was before. */
struct snapshot {
	uint32_t ntree, nkept, npacked;
	struct growing *kept; /* [nkept] the last trees that were pending */
	uint32_t *left;
	int64_t *slack;
};

static void free_tree(struct growing *tree)
{
	free(tree->parents);
	free(tree->order);
	tree->parents = tree->order = NULL;
}

/* A copy of a tree, or the arrays of one that begins. false: no memory. */
static bool copy_tree(struct growing *copy, const struct growing *tree, uint32_t nrank)
{
	*copy = *tree;
	copy->parents = ordo_array_make(nrank, sizeof *copy->parents, 0xff);
	copy->order = ordo_array_make(nrank, sizeof *copy->order, 0);
	if (!copy->parents || !copy->order) {
		free_tree(copy);
		return false;
	}
	if (tree->parents) {
		memcpy(copy->parents, tree->parents, nrank * sizeof *copy->parents);
		memcpy(copy->order, tree->order, tree->ncovered * sizeof *copy->order);
	} else {
		copy->parents[tree->root] = copy->order[0] = tree->root;
		copy->ncovered = 1;
	}
	return true;
}

static bool push(struct packer *packer, const struct growing *tree)
{
	if (!ordo_array_reserve(&packer->trees, &packer->room, (size_t)packer->ntree + 1,
		    sizeof *packer->trees))
		return false;
	packer->trees[packer->ntree++] = *tree;
	return true;
}

/* Units of arc x -> y that the tree at hand may take, up to its own. */
static uint32_t most_of(const struct packer *packer, const struct growing *tree, uint32_t arc)
{
	const struct ordo_arc *ends = &packer->graph->arcs[arc];
	const uint32_t left = packer->left[arc], units = left < tree->units ? left : tree->units;
	return units ? ordo_cut_pool_most(&packer->pool, ends->from, ends->to, units) : 0;
}

static void take_arc(struct packer *packer, struct growing *tree, uint32_t arc)
{
	const struct ordo_arc *ends = &packer->graph->arcs[arc];
	packer->left[arc] -= tree->units;
	ordo_cut_pool_take(&packer->pool, ends->from, ends->to, tree->units);
	tree->parents[ends->to] = ends->from;
	tree->order[tree->ncovered++] = ends->to;
	packer->budget--;
}

/* Takes every arc that all units of the tree may take, breadth-first, while the budget lasts. */
static void spread(struct packer *packer, struct growing *tree)
{
	const struct ordo_capacities *graph = packer->graph;
	for (uint32_t i = 0; i < tree->ncovered && packer->budget; i++) {
		const uint32_t x = tree->order[i];
		for (uint32_t arc = graph->first[x]; arc < graph->first[x + 1] && packer->budget;
			arc++)
			if (tree->parents[graph->arcs[arc].to] == ORDO_NONE &&
				packer->left[arc] >= tree->units &&
				most_of(packer, tree, arc) == tree->units)
				take_arc(packer, tree, arc);
	}
}

/* The first arc that the most units of the tree may take, and how many. */
static uint32_t find_best(const struct packer *packer, const struct growing *tree, uint32_t *units)
{
	const struct ordo_capacities *graph = packer->graph;
	uint32_t best = ORDO_NONE;
	*units = 0;
	for (uint32_t i = 0; i < tree->ncovered; i++) {
		const uint32_t x = tree->order[i];
		for (uint32_t arc = graph->first[x]; arc < graph->first[x + 1]; arc++) {
			if (tree->parents[graph->arcs[arc].to] != ORDO_NONE ||
				packer->left[arc] <= *units)
				continue;
			const uint32_t most = most_of(packer, tree, arc);
			if (most > *units) {
				*units = most;
				best = arc;
			}
		}
	}
	return best;
}

enum growth { GROWN, PAUSED, STUCK, NO_MEMORY };

/* Grows the last tree until it spans or (PAUSED) the budget is spent. Where no arc takes all of it,
 * it divides: the rest stays pending as it is. STUCK: no arc takes any, so some set has less than
 * no slack. */
static enum growth grow(struct packer *packer)
{
	const uint32_t nrank = packer->graph->nrank;
	struct growing tree, rest;
	if (!copy_tree(&tree, &packer->trees[packer->ntree - 1], nrank))
		return NO_MEMORY;
	free_tree(&packer->trees[packer->ntree - 1]);
	packer->trees[packer->ntree - 1] = tree;
	ordo_cut_pool_begin(&packer->pool);
	for (uint32_t i = 0; i < tree.ncovered; i++)
		ordo_cut_pool_reach(&packer->pool, tree.order[i]);
	for (;;) {
		struct growing *last = &packer->trees[packer->ntree - 1];
		uint32_t units;
		spread(packer, last);
		if (last->ncovered == nrank)
			return GROWN;
		if (!packer->budget)
			return PAUSED;
		const uint32_t best = find_best(packer, last, &units);
		if (best == ORDO_NONE)
			return STUCK;
		if (units < last->units) {
			if (!copy_tree(&rest, last, nrank))
				return NO_MEMORY;
			rest.units = units;
			last->units -= units;
			if (!push(packer, &rest)) {
				free_tree(&rest);
				return NO_MEMORY;
			}
			last = &packer->trees[packer->ntree - 1];
		}
		take_arc(packer, last, best);
	}
}

/* Moves the last tree, which spans, to the packing. */
static bool finish(struct packer *packer)
{
	struct growing *tree = &packer->trees[packer->ntree - 1];
	if (!ordo_packing_add(packer->packing, tree->root, tree->units, tree->parents))
		return false;
	free_tree(tree);
	packer->ntree--;
	return true;
}

static void free_snapshot(struct snapshot *before)
{
	for (uint32_t i = 0; before->kept && i < before->nkept; i++)
		free_tree(&before->kept[i]);
	free(before->kept);
	free(before->left);
	free(before->slack);
}

/* Keeps what the next `batch` arcs can change. */
static bool keep(const struct packer *packer, uint32_t batch, struct snapshot *before)
{
	const uint32_t narc = packer->graph->narc, ntree = packer->ntree;
	*before = (struct snapshot){.ntree = ntree,
		.nkept = batch < ntree ? batch : ntree,
		.npacked = packer->packing->ntree,
		.left = ordo_array_make(narc, sizeof *before->left, 0),
		.slack = ordo_array_make(packer->pool.nset, sizeof *before->slack, 0)};
	before->kept = ordo_array_make(before->nkept, sizeof *before->kept, 0);
	bool worked = before->kept && before->left && before->slack;
	for (uint32_t i = 0; worked && i < before->nkept; i++) {
		const struct growing *tree = &packer->trees[ntree - before->nkept + i];
		if (tree->parents)
			worked = copy_tree(&before->kept[i], tree, packer->graph->nrank);
		else
			before->kept[i] = *tree;
	}
	if (worked && narc)
		memcpy(before->left, packer->left, narc * sizeof *packer->left);
	if (worked && packer->pool.nset)
		memcpy(before->slack, packer->pool.slack,
			packer->pool.nset * sizeof *before->slack);
	return worked;
}

/* Undoes a batch; the trees that were kept are pending again. */
static void undo(struct packer *packer, struct snapshot *before)
{
	const uint32_t first = before->ntree - before->nkept;
	while (packer->ntree > first)
		free_tree(&packer->trees[--packer->ntree]);
	for (uint32_t i = 0; i < before->nkept; i++)
		packer->trees[packer->ntree++] = before->kept[i];
	before->nkept = 0;
	packer->packing->ntree = before->npacked;
	memcpy(packer->left, before->left, packer->graph->narc * sizeof *packer->left);
	if (packer->pool.nset)
		memcpy(packer->pool.slack, before->slack,
			packer->pool.nset * sizeof *before->slack);
}

/* The capacity into the set that the trees can do without: inside[nrank]. */
static int64_t slack_of(const struct packer *packer, const bool *inside)
{
	int64_t slack = 0;
	for (uint32_t i = 0; i < packer->graph->narc; i++) {
		const struct ordo_arc *arc = &packer->graph->arcs[i];
		slack += !inside[arc->from] && inside[arc->to] ? packer->left[i] : 0;
	}
	for (uint32_t i = 0; i < packer->ntree; i++) {
		const struct growing *tree = &packer->trees[i];
		bool meets = inside[tree->root];
		for (uint32_t k = 0; tree->order && !meets && k < tree->ncovered; k++)
			meets = inside[tree->order[k]];
		slack -= meets ? 0 : tree->units;
	}
	return slack;
}

/* The arcs turned round, and from what trees have reached to a source. */
static bool make_network(const struct packer *packer, struct ordo_network *network, int64_t *wanted)
{
	const struct ordo_capacities *graph = packer->graph;
	uint32_t nhub = 0;
	size_t narc = graph->narc + (size_t)packer->ntree;
	for (uint32_t i = 0; i < packer->ntree; i++)
		if (packer->trees[i].order) {
			nhub++;
			narc += packer->trees[i].ncovered;
		}
	const uint32_t source = graph->nrank;
	uint32_t hub = source;
	if (!ordo_network_make(network, source + 1 + nhub, narc, NULL))
		return false;
	for (uint32_t i = 0; i < graph->narc; i++)
		ordo_network_add(network, graph->arcs[i].to, graph->arcs[i].from, packer->left[i]);
	*wanted = 0;
	for (uint32_t i = 0; i < packer->ntree; i++) {
		const struct growing *tree = &packer->trees[i];
		*wanted += tree->units;
		if (tree->order)
			hub++;
		ordo_network_add(network, tree->order ? hub : tree->root, source, tree->units);
		for (uint32_t k = 0; tree->order && k < tree->ncovered; k++)
			ordo_network_add(network, tree->order[k], hub, INT64_MAX / 4);
	}
	network->target[source] = true;
	return true;
}

/* Looks for sets whose slack is below 0, none with a rank of one before, to packer->inside; *count
 * of them. false: no memory. */
static bool find_sets(struct packer *packer, uint32_t *count)
{
	const uint32_t nrank = packer->graph->nrank;
	struct ordo_network network = {0};
	int64_t wanted, got = 0;
	uint32_t *order = NULL;
	bool *known = ordo_array_make(nrank, sizeof *known, 0);
	*count = 0;
	bool worked = known && make_network(packer, &network, &wanted) &&
		      (order = ordo_array_make(network.nvertex, sizeof *order, 0)) &&
		      ordo_network_order_ranks(&network, nrank, 0, order, NULL);
	for (uint32_t i = 0; worked && i < nrank && *count < MOST_FOUND; i++) {
		if (known[order[i]])
			continue;
		got = ordo_flow(&network, order[i], wanted);
		worked = got >= 0;
		bool *inside = packer->inside + (size_t)*count * nrank;
		for (uint32_t v = 0; worked && got < wanted && v < nrank; v++) {
			inside[v] = ordo_flow_reaches(&network, v);
			known[v] = known[v] || inside[v];
		}
		*count += worked && got < wanted;
		ordo_flow_undo(&network);
		network.target[order[i]] = got == wanted;
	}
	free(known);
	free(order);
	ordo_network_free(&network);
	return worked;
}

static bool fail_packing(struct ordo_error *error)
{
	return ordo_fail(error, ORDO_USAGE, 0,
		"packing: the links cannot carry so many trees (no arc can be taken)");
}

/* The sets that were found join the pool. Without any, or with one that was below 0 before the
 * batch, there is no packing. */
static bool learn(struct packer *packer, uint32_t count, struct ordo_error *error)
{
	if (!count || packer->pool.nset + count > MOST_SETS)
		return fail_packing(error);
	for (uint32_t i = 0; i < count; i++) {
		const bool *inside = packer->inside + (size_t)i * packer->graph->nrank;
		const int64_t slack = slack_of(packer, inside);
		if (slack < 0)
			return fail_packing(error);
		if (!ordo_cut_pool_add(&packer->pool, inside, slack))
			return ordo_fail_memory(error);
	}
	return true;
}

/* Takes up to *batch arcs. Sets that forbid them join the pool, and they are given back. */
static bool grow_batch(struct packer *packer, uint32_t *batch, struct ordo_error *error)
{
	struct snapshot before;
	enum growth growth = GROWN;
	bool worked = keep(packer, *batch, &before);
	packer->budget = *batch;
	while (worked && growth == GROWN && packer->ntree && packer->budget) {
		growth = grow(packer);
		worked = growth != NO_MEMORY && (growth != GROWN || finish(packer));
	}
	uint32_t count = 0;
	worked = (worked && find_sets(packer, &count)) || ordo_fail_memory(error);
	if (worked && (count || growth == STUCK)) {
		undo(packer, &before);
		worked = learn(packer, count, error);
		*batch = *batch > 1 ? *batch / 2 : 1;
	} else if (*batch < UINT32_MAX / 2) {
		*batch *= 2;
	}
	free_snapshot(&before);
	return worked;
}

/* A pending tree at each root, the first root last. */
static bool begin(struct packer *packer, const uint32_t *roots)
{
	for (uint32_t rank = packer->graph->nrank; rank-- > 0;) {
		const struct growing tree = {.root = rank, .units = roots[rank]};
		if (roots[rank] && !push(packer, &tree))
			return false;
	}
	return true;
}

bool ordo_pack_from_roots(struct ordo_packing *packing, const struct ordo_capacities *graph,
	const uint32_t *capacities, const uint32_t *roots, struct ordo_error *error)
{
	struct packer packer = {.graph = graph,
		.packing = packing,
		.left = ordo_array_make(graph->narc, sizeof *packer.left, 0),
		.inside = ordo_array_make(
			(size_t)MOST_FOUND * graph->nrank, sizeof *packer.inside, 0)};
	uint32_t batch = graph->nrank * graph->nrank;
	bool worked = ordo_cut_pool_make(&packer.pool, graph->nrank) && packer.left &&
		      packer.inside && begin(&packer, roots);
	if (!worked)
		ordo_fail_memory(error);
	else
		memcpy(packer.left, capacities, graph->narc * sizeof *capacities);
	*packing = (struct ordo_packing){.nrank = graph->nrank};
	while (worked && packer.ntree)
		worked = grow_batch(&packer, &batch, error);
	while (packer.ntree)
		free_tree(&packer.trees[--packer.ntree]);
	free(packer.trees);
	free(packer.left);
	free(packer.inside);
	ordo_cut_pool_free(&packer.pool);
	return worked;
}
