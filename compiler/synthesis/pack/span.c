/* span.c - spanning trees that use no link too often, by matroid union.
 *
 * At first each forest takes a low tree, breadth-first from the rank with the most left, out of
 * what the forests before it have left. Then the other copies of each link are inserted one after
 * another into k forests. A copy that closes a cycle in forest i puts the links of that cycle into
 * a queue, and each of these tries the next forest; one that closes none is inserted there, and
 * the copies that led to it move on by one forest each.
 *
 * source J. Roskind and R. E. Tarjan, Math. Oper. Res. 10(4), 1985
 */
#include "pack.h"
#include <ordo/arena.h>
#include <stdlib.h>
#include <string.h>

struct copy {
	uint32_t a, b;
	uint32_t forest; /* ORDO_NONE: not in any */
	uint32_t label;	 /* the copy whose cycle it is on; ORDO_NONE: not reached */
};

struct spanner {
	uint32_t nrank, k, ncopy;
	struct copy *copies;
	/* [k][nrank][nrank] the copy between two ranks in a forest; ORDO_NONE */
	uint32_t *joins;
	uint64_t *neighbours;	/* [k][nrank] bit b: the forest joins the rank to rank b */
	uint32_t *queue;	/* [ncopy] */
	uint32_t *first, *left; /* [nrank][nrank] the copies of a pair; how many no tree took */
	uint32_t nreached;
	uint32_t *parents, *order; /* [nrank] a search in a forest */
};

static uint32_t *join_of(struct spanner *spanner, uint32_t forest, uint32_t a, uint32_t b)
{
	return &spanner->joins[((size_t)forest * spanner->nrank + a) * spanner->nrank + b];
}

/* Joins the ends of a copy in a forest, or (ORDO_NONE) parts them. */
static void set_join(struct spanner *spanner, uint32_t copy, uint32_t forest, uint32_t value)
{
	const struct copy *it = &spanner->copies[copy];
	*join_of(spanner, forest, it->a, it->b) = *join_of(spanner, forest, it->b, it->a) = value;
	spanner->neighbours[(size_t)forest * spanner->nrank + it->a] ^= UINT64_C(1) << it->b;
	spanner->neighbours[(size_t)forest * spanner->nrank + it->b] ^= UINT64_C(1) << it->a;
}

/* Searches a forest from a rank: parents, ORDO_NONE where it does not lead. Returns how many ranks
 * it reaches. */
static uint32_t search(struct spanner *spanner, uint32_t forest, uint32_t from)
{
	const uint64_t *neighbours = &spanner->neighbours[(size_t)forest * spanner->nrank];
	uint64_t unreached = ~(UINT64_C(1) << from);
	uint32_t count = 1;
	memset(spanner->parents, 0xff, spanner->nrank * sizeof *spanner->parents);
	spanner->parents[from] = from;
	spanner->order[0] = from;
	for (uint32_t i = 0; i < count; i++) {
		uint64_t reached = neighbours[spanner->order[i]] & unreached;
		unreached &= ~reached;
		for (; reached; reached &= reached - 1) {
			const uint32_t v = (uint32_t)__builtin_ctzll(reached);
			spanner->parents[v] = spanner->order[i];
			spanner->order[count++] = v;
		}
	}
	return count;
}

/* Moves copies on along the labels: `copy` goes to `forest`, the one whose cycle it was on to where
 * it was. */
static void augment(struct spanner *spanner, uint32_t copy, uint32_t forest)
{
	for (;;) {
		const uint32_t before = spanner->copies[copy].forest;
		if (before != ORDO_NONE)
			set_join(spanner, copy, before, ORDO_NONE);
		set_join(spanner, copy, forest, copy);
		spanner->copies[copy].forest = forest;
		if (before == ORDO_NONE)
			return;
		forest = before;
		copy = spanner->copies[copy].label;
	}
}

/* Puts the links of the cycle that a copy closes in a forest into the queue. The forest was
 * searched from one end of the copy. */
static void label_cycle(struct spanner *spanner, uint32_t copy, uint32_t forest)
{
	for (uint32_t v = spanner->copies[copy].b; spanner->parents[v] != v;
		v = spanner->parents[v]) {
		const uint32_t other = *join_of(spanner, forest, v, spanner->parents[v]);
		if (spanner->copies[other].label != ORDO_NONE)
			continue;
		spanner->copies[other].label = copy;
		spanner->queue[spanner->nreached++] = other;
	}
}

/* Inserts a copy into the forests, if they can hold it too; begins with forest `first`. */
static bool insert(struct spanner *spanner, uint32_t copy, uint32_t first)
{
	bool inserted = false;
	spanner->nreached = 1;
	spanner->queue[0] = copy;
	spanner->copies[copy].label = copy;
	for (uint32_t i = 0; i < spanner->nreached && !inserted; i++) {
		const uint32_t one = spanner->queue[i];
		const struct copy *it = &spanner->copies[one];
		const uint32_t forest =
			it->forest == ORDO_NONE ? first : (it->forest + 1) % spanner->k;
		search(spanner, forest, it->a);
		inserted = spanner->parents[it->b] == ORDO_NONE;
		if (inserted)
			augment(spanner, one, forest);
		else
			label_cycle(spanner, one, forest);
	}
	for (uint32_t i = 0; i < spanner->nreached; i++)
		spanner->copies[spanner->queue[i]].label = ORDO_NONE;
	return inserted;
}

static bool make_spanner(struct spanner *spanner, const struct ordo_capacities *graph,
	const uint32_t *capacities, uint32_t k)
{
	size_t ncopy = 0;
	const size_t npair = (size_t)graph->nrank * graph->nrank;
	for (uint32_t i = 0; i < graph->narc; i++)
		if (graph->arcs[i].from < graph->arcs[i].to)
			ncopy += capacities[i] < k ? capacities[i] : k;
	*spanner = (struct spanner){.nrank = graph->nrank,
		.k = k,
		.copies = ordo_array_make(ncopy, sizeof *spanner->copies, 0xff),
		.joins = ordo_array_make(k * npair, sizeof *spanner->joins, 0xff),
		.neighbours = ordo_array_make((size_t)k * graph->nrank, sizeof(uint64_t), 0),
		.queue = ordo_array_make(ncopy, sizeof *spanner->queue, 0),
		.first = ordo_array_make(npair, sizeof *spanner->first, 0),
		.left = ordo_array_make(npair, sizeof *spanner->left, 0),
		.parents = ordo_array_make(graph->nrank, sizeof *spanner->parents, 0),
		.order = ordo_array_make(graph->nrank, sizeof *spanner->order, 0)};
	if (!spanner->copies || !spanner->joins || !spanner->neighbours || !spanner->queue ||
		!spanner->first || !spanner->left || !spanner->parents || !spanner->order)
		return false;
	for (uint32_t i = 0; i < graph->narc; i++) {
		const struct ordo_arc *arc = &graph->arcs[i];
		if (arc->from > arc->to)
			continue;
		const uint32_t count = capacities[i] < k ? capacities[i] : k;
		for (uint32_t way = 0; way < 2; way++) {
			const size_t pair = way ? (size_t)arc->to * graph->nrank + arc->from
						: (size_t)arc->from * graph->nrank + arc->to;
			spanner->first[pair] = spanner->ncopy;
			spanner->left[pair] = count;
		}
		for (uint32_t one = 0; one < count; one++)
			spanner->copies[spanner->ncopy++] =
				(struct copy){arc->from, arc->to, ORDO_NONE, ORDO_NONE};
	}
	return true;
}

static void free_spanner(struct spanner *spanner)
{
	free(spanner->copies);
	free(spanner->joins);
	free(spanner->neighbours);
	free(spanner->queue);
	free(spanner->first);
	free(spanner->left);
	free(spanner->parents);
	free(spanner->order);
}

/* The rank with the most copies left. */
static uint32_t fullest(const struct spanner *spanner)
{
	uint32_t best = 0;
	uint64_t most = 0;
	for (uint32_t a = 0; a < spanner->nrank; a++) {
		uint64_t sum = 0;
		for (uint32_t b = 0; b < spanner->nrank; b++)
			sum += spanner->left[(size_t)a * spanner->nrank + b];
		if (sum > most) {
			most = sum;
			best = a;
		}
	}
	return best;
}

/* The forest takes a tree out of what is left, breadth-first. Returns how many copies. */
static uint32_t plant(struct spanner *spanner, uint32_t forest)
{
	const uint32_t nrank = spanner->nrank;
	uint32_t count = 1;
	memset(spanner->parents, 0xff, nrank * sizeof *spanner->parents);
	spanner->order[0] = fullest(spanner);
	spanner->parents[spanner->order[0]] = spanner->order[0];
	for (uint32_t i = 0; i < count; i++)
		for (uint32_t a = spanner->order[i], b = 0; b < nrank; b++) {
			uint32_t *left = &spanner->left[(size_t)a * nrank + b];
			if (spanner->parents[b] != ORDO_NONE || !*left)
				continue;
			spanner->left[(size_t)b * nrank + a] = --*left;
			const uint32_t copy = spanner->first[(size_t)a * nrank + b] + *left;
			spanner->copies[copy].forest = forest;
			set_join(spanner, copy, forest, copy);
			spanner->parents[b] = a;
			spanner->order[count++] = b;
		}
	return count - 1;
}

/* Adds a forest that spans as a tree, with the root from which it is least high. */
static bool add_forest(struct spanner *spanner, struct ordo_packing *packing, uint32_t forest)
{
	uint32_t best = 0, least = ORDO_NONE;
	for (uint32_t root = 0; root < spanner->nrank; root++) {
		search(spanner, forest, root);
		uint32_t depth = 0;
		for (uint32_t v = spanner->order[spanner->nrank - 1]; spanner->parents[v] != v;
			v = spanner->parents[v])
			depth++;
		if (depth < least) {
			least = depth;
			best = root;
		}
	}
	search(spanner, forest, best);
	return ordo_packing_add(packing, best, 1, spanner->parents);
}

bool ordo_pack_spanning(struct ordo_packing *packing, const struct ordo_capacities *graph,
	const uint32_t *capacities, uint32_t k, struct ordo_error *error)
{
	struct spanner spanner;
	bool worked = make_spanner(&spanner, graph, capacities, k);
	uint64_t missing = (uint64_t)k * (graph->nrank - 1);
	*packing = (struct ordo_packing){.nrank = graph->nrank, .k = k};
	for (uint32_t forest = 0; worked && forest < k; forest++)
		missing -= plant(&spanner, forest);
	for (uint32_t copy = 0; worked && missing && copy < spanner.ncopy; copy++)
		if (spanner.copies[copy].forest == ORDO_NONE)
			missing -= insert(&spanner, copy, copy % k);
	if (worked && missing) {
		free_spanner(&spanner);
		return ordo_fail(error, ORDO_USAGE, 0,
			"packing: the links cannot carry %u spanning trees", k);
	}
	for (uint32_t forest = 0; worked && forest < k; forest++)
		worked = add_forest(&spanner, packing, forest);
	free_spanner(&spanner);
	return worked || ordo_fail_memory(error);
}
