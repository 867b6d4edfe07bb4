/* list.c - the moves of placed chunks as a list schedule in time.
 *
 * An operation of a chunk is a hop, by its number, or behind these the sum of a node whose operands
 * are both at its rank.
 */
#include "list.h"
#include <ordo/arena.h>
#include <stdlib.h>

struct leg_state {
	uint32_t (*ready)[2]; /* way and operation */
	size_t nready, room;
	uint32_t current[2];
	uint64_t done; /* when; UINT64_MAX: it is idle */
	uint64_t duration;
};

struct lister {
	const struct ordo_place_network *network;
	const struct ordo_sum_tree *tree;
	const struct ordo_place_chunk *const *ways;
	uint32_t nway, nrank;
	uint32_t *first;	/* [nway+1] into operations */
	uint32_t (*before)[2];	/* what an operation needs; ORDO_NONE */
	uint8_t *waiting;	/* how many of them are missing */
	struct leg_state *legs; /* [nrank][nrank] */
	struct ordo_place_move *moves;
	size_t nmove;
	bool failed;
};

/* Is the leaf of a rank below a node? */
static bool has_leaf(const struct ordo_sum_tree *tree, uint32_t node, uint32_t leaf)
{
	while (leaf != node && leaf != ORDO_NONE)
		leaf = tree->parents[leaf];
	return leaf == node;
}

uint32_t ordo_place_kept(
	const struct ordo_sum_tree *tree, const struct ordo_place_chunk *chunk, uint32_t node)
{
	const uint32_t *children = tree->children[node], at = chunk->at[node];
	for (uint32_t side = 0; side < 2; side++)
		if (chunk->at[children[side]] == at && has_leaf(tree, children[side], at))
			return children[side];
	return chunk->at[children[0]] != at && chunk->at[children[1]] == at ? children[1]
									    : children[0];
}

/* The operations of one chunk while what they need is found. */
struct needs {
	const struct ordo_sum_tree *tree;
	const struct ordo_place_chunk *chunk;
	uint32_t (*before)[2];
	uint8_t *waiting;
};

enum { NEVER = 255 };

static void need(const struct needs *needs, uint32_t operation, uint32_t what)
{
	uint8_t *waiting = &needs->waiting[operation];
	*waiting = *waiting == NEVER ? 0 : *waiting;
	if (what != ORDO_NONE)
		needs->before[operation][(*waiting)++] = what;
}

/* Chains the hops of a value that `done` completes, from hop *h on. Returns what brings it to where
 * its sum is. */
static uint32_t chain_hops(const struct needs *needs, uint32_t node, uint32_t done, uint32_t *h)
{
	const struct ordo_place_chunk *chunk = needs->chunk;
	for (; *h < chunk->nhop && !chunk->hops[*h].result && chunk->hops[*h].node == node; ++*h) {
		need(needs, *h, done);
		done = *h;
	}
	return done;
}

/* The results' hops: each needs the one that brought the result to where it begins. */
static void need_results(const struct needs *needs, uint32_t done, uint32_t h)
{
	const struct ordo_place_chunk *chunk = needs->chunk;
	for (uint32_t i = h; i < chunk->nhop; i++) {
		uint32_t from = done;
		for (uint32_t j = h; j < i; j++)
			from = chunk->hops[j].to == chunk->hops[i].from ? j : from;
		need(needs, i, from);
	}
}

/* arrivals: room for [nnode] */
static void find_needs(const struct needs *needs, uint32_t *arrivals)
{
	const struct ordo_sum_tree *tree = needs->tree;
	const struct ordo_place_chunk *chunk = needs->chunk;
	uint32_t h = 0;
	for (uint32_t node = 0; node < tree->nnode; node++) {
		uint32_t done = ORDO_NONE;
		if (node >= tree->nleaf) {
			const uint32_t kept = ordo_place_kept(tree, chunk, node),
				       *children = tree->children[node],
				       other = children[0] == kept ? children[1] : children[0];
			if (chunk->at[other] != chunk->at[node]) {
				done = arrivals[other];
			} else {
				done = chunk->nhop + node;
				need(needs, done, arrivals[other]);
			}
			need(needs, done, arrivals[kept]);
		}
		if (node + 1 == tree->nnode)
			need_results(needs, done, h);
		else
			arrivals[node] = chain_hops(needs, node, done, &h);
	}
}

static void make_ready(struct lister *lister, uint32_t way, uint32_t operation);

static void complete(struct lister *lister, uint32_t way, uint32_t operation)
{
	const uint32_t first = lister->first[way], count = lister->first[way + 1] - first;
	for (uint32_t next = 0; next < count; next++)
		for (uint32_t i = 0; i < 2; i++)
			if (lister->before[first + next][i] == operation &&
				--lister->waiting[first + next] == 0)
				make_ready(lister, way, next);
}

/* Sums where both values are take no time. They follow each other up to as many as there are
 * ranks. */
static void make_ready(struct lister *lister, uint32_t way, uint32_t operation)
{
	const struct ordo_place_chunk *chunk = lister->ways[way];
	if (operation >= chunk->nhop) {
		lister->moves[lister->nmove++] =
			(struct ordo_place_move){way, ORDO_NONE, operation - chunk->nhop};
		complete(lister, way, operation);
		return;
	}
	const struct ordo_place_hop *hop = &chunk->hops[operation];
	struct leg_state *leg = &lister->legs[(uint32_t)hop->from * lister->nrank + hop->to];
	if (!ordo_array_reserve(&leg->ready, &leg->room, leg->nready + 1, sizeof *leg->ready)) {
		lister->failed = true;
		return;
	}
	leg->ready[leg->nready][0] = way;
	leg->ready[leg->nready++][1] = operation;
}

static bool is_first(const uint32_t a[2], const uint32_t b[2])
{
	return a[0] != b[0] ? a[0] < b[0] : a[1] < b[1];
}

/* The first chunk that waits for an idle leg goes over it. */
static void start(struct lister *lister, struct leg_state *leg, uint64_t time)
{
	size_t best = 0;
	for (size_t i = 1; i < leg->nready; i++)
		best = is_first(leg->ready[i], leg->ready[best]) ? i : best;
	const uint32_t way = leg->ready[best][0], hop = leg->ready[best][1];
	leg->current[0] = way;
	leg->current[1] = hop;
	leg->nready--;
	leg->ready[best][0] = leg->ready[leg->nready][0];
	leg->ready[best][1] = leg->ready[leg->nready][1];
	leg->done = time + leg->duration;
	lister->moves[lister->nmove++] =
		(struct ordo_place_move){way, hop, lister->ways[way]->hops[hop].node};
}

static void run(struct lister *lister)
{
	const uint32_t nleg = lister->nrank * lister->nrank;
	for (uint64_t time = 0; time != UINT64_MAX && !lister->failed;) {
		uint64_t next = UINT64_MAX;
		for (uint32_t i = 0; i < nleg; i++) {
			struct leg_state *leg = &lister->legs[i];
			if (leg->nready && leg->done == UINT64_MAX)
				start(lister, leg, time);
			next = leg->done < next ? leg->done : next;
		}
		time = next;
		for (uint32_t i = 0; time != UINT64_MAX && i < nleg; i++)
			if (lister->legs[i].done == time) {
				lister->legs[i].done = UINT64_MAX;
				complete(lister, lister->legs[i].current[0],
					lister->legs[i].current[1]);
			}
	}
}

static bool make_lister(struct lister *lister)
{
	const uint32_t nrank = lister->nrank, nnode = lister->tree->nnode;
	size_t count = 0;
	lister->first = ordo_array_make((size_t)lister->nway + 1, sizeof *lister->first, 0);
	lister->legs = ordo_array_make((size_t)nrank * nrank, sizeof *lister->legs, 0);
	for (uint32_t way = 0; lister->first && way < lister->nway; way++) {
		count += lister->ways[way]->nhop + nnode;
		if (count >= ORDO_NONE)
			return false;
		lister->first[way + 1] = (uint32_t)count;
	}
	lister->before = ordo_array_make(count, sizeof *lister->before, 0xff);
	lister->waiting = ordo_array_make(count, sizeof *lister->waiting, 0xff);
	lister->moves = ordo_array_make(count, sizeof *lister->moves, 0);
	for (uint32_t i = 0; lister->legs && i < nrank * nrank; i++) {
		const struct ordo_leg *leg = &lister->network->legs[i];
		lister->legs[i].done = UINT64_MAX;
		for (uint32_t a = leg->first; a < leg->end; a++) {
			const uint64_t units =
				(uint64_t)lister->network->graph->arcs[lister->network->arcs[a]]
					.units;
			const uint64_t duration = (UINT64_C(1) << 40) / units + 1;
			if (duration > lister->legs[i].duration)
				lister->legs[i].duration = duration;
		}
	}
	return lister->first && lister->legs && lister->before && lister->waiting && lister->moves;
}

/* What begins at once: hops of leaves, and sums of leaves at one rank (there are none). */
static bool begin(struct lister *lister)
{
	uint32_t *arrivals = ordo_array_make(lister->tree->nnode, sizeof *arrivals, 0xff);
	for (uint32_t way = 0; arrivals && way < lister->nway; way++) {
		const uint32_t first = lister->first[way];
		const struct needs needs = {lister->tree, lister->ways[way], lister->before + first,
			lister->waiting + first};
		find_needs(&needs, arrivals);
	}
	free(arrivals);
	for (uint32_t way = 0; arrivals && way < lister->nway; way++)
		for (uint32_t i = 0; i < lister->ways[way]->nhop; i++)
			if (!lister->waiting[lister->first[way] + i])
				make_ready(lister, way, i);
	return arrivals;
}

bool ordo_place_list(struct ordo_place_move **moves, size_t *nmove,
	const struct ordo_place_network *network, const struct ordo_sum_tree *tree,
	const struct ordo_place_chunk *const *ways, uint32_t nway)
{
	struct lister lister = {.network = network,
		.tree = tree,
		.ways = ways,
		.nway = nway,
		.nrank = network->nrank};
	if (!make_lister(&lister) || !begin(&lister))
		lister.failed = true;
	if (!lister.failed)
		run(&lister);
	for (uint32_t i = 0; lister.legs && i < lister.nrank * lister.nrank; i++)
		free(lister.legs[i].ready);
	free(lister.legs);
	free(lister.first);
	free(lister.before);
	free(lister.waiting);
	*moves = lister.moves;
	*nmove = lister.nmove;
	if (lister.failed) {
		free(lister.moves);
		*moves = NULL;
	}
	return !lister.failed;
}
