/* list.c - the moves of placed chunks as a list schedule in time.
 *
 * An operation of a chunk is a hop, by its number, or behind these the sum of a node. A server,
 * which is a leg or the adder of a rank, takes of the operations that can begin the first in the
 * list: at first that of the first chunk. The schedule is made a few times, forwards and backwards
 * in time in turn, what ended last first, as in synthesis/list.c, and the shortest is kept.
 *
 * What has just arrived is not sent at once if something else waits for the same link, because a
 * Send whose data arrives when it begins pays the latency of the link, and one whose data was there
 * before does not. How long that is in chunks depends on the size, which is not known here: it is
 * an eighth of a chunk, a quarter where chunks are few, as they are at small sizes, a third where
 * so many are mixed that each is small, and a whole chunk where they are still more.
 */
#include "list.h"
#include "synthesis/heap.h"
#include <ordo/arena.h>
#include <stdlib.h>

enum {
	PASSES = 5,
	LITTLE = 32,
	NEVER = 255,
	/* chunks, of all blocks */
	FEW_WAYS = 128,
	MANY_WAYS = 4096,
	MOST_WAYS = 8192
};
#define WHOLE (UINT64_C(1) << 40) /* the time of a chunk on an arc of one unit */

/* What one pass has done. */
struct pass {
	uint64_t time;
	uint32_t *started, *ended; /* [nop] in time */
	uint32_t nstarted, nended;
};

/* What must end before what. */
struct needed {
	uint32_t (*before)[2];		/* [nop] what an operation needs; ORDO_NONE */
	uint8_t *count;			/* [nop] how many these are; NEVER: it is no operation */
	uint32_t *first_after, *afters; /* [nop+1] into afters, what needs an operation */
};

struct lister {
	const struct ordo_place_network *network;
	const struct ordo_sum_tree *tree;
	const struct ordo_place_chunk *const *ways;
	uint32_t nway, nrank, nserver, nop;
	uint32_t *first; /* [nway+1] into operations */
	struct needed needed;
	uint32_t *servers;   /* [nop] what carries out an operation */
	uint64_t *durations; /* [nserver] of an operation */
	bool backwards;
	uint32_t *numbers, *by_number; /* [nop] place in the list; the operation there */
	uint32_t *waiting;	       /* [nop] how many operations must still end */
	uint64_t *earliest;	       /* [nop] when it can begin after those that ended */
	struct ordo_heap *ready;       /* [nserver] numbers */
	uint32_t *current;	       /* [nserver] the operation on it; ORDO_NONE */
	struct ordo_timeline events;   /* of servers; nserver + an operation: it can begin */
	uint32_t *idle;		       /* [nidle] servers to look at, some more than once */
	size_t nidle, idle_room;
	struct pass pass;
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
	uint32_t first; /* of the chunk's operations */
	bool apart;
	uint32_t (*before)[2];
	uint8_t *needed;
};

static void need(const struct needs *needs, uint32_t operation, uint32_t what)
{
	uint8_t *needed = &needs->needed[needs->first + operation];
	*needed = *needed == NEVER ? 0 : *needed;
	if (what != ORDO_NONE)
		needs->before[needs->first + operation][(*needed)++] = needs->first + what;
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
			if (chunk->at[other] != chunk->at[node] && !needs->apart) {
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

/* The way of an operation. */
static uint32_t way_of(const struct lister *lister, uint32_t operation)
{
	uint32_t low = 0, high = lister->nway;
	while (high - low > 1) {
		const uint32_t middle = low + (high - low) / 2;
		if (lister->first[middle] <= operation)
			low = middle;
		else
			high = middle;
	}
	return low;
}

static struct ordo_place_move move_of(const struct lister *lister, uint32_t operation)
{
	const uint32_t way = way_of(lister, operation), own = operation - lister->first[way];
	const struct ordo_place_chunk *chunk = lister->ways[way];
	if (own < chunk->nhop)
		return (struct ordo_place_move){way, own, chunk->hops[own].node};
	return (struct ordo_place_move){way, ORDO_NONE, own - chunk->nhop};
}

static void look_at(struct lister *lister, uint32_t server)
{
	if (!ordo_array_reserve(
		    &lister->idle, &lister->idle_room, lister->nidle + 1, sizeof *lister->idle))
		lister->failed = true;
	else
		lister->idle[lister->nidle++] = server;
}

static void make_ready(struct lister *lister, uint32_t operation)
{
	const uint32_t server = lister->servers[operation];
	if (!ordo_heap_push(&lister->ready[server], lister->numbers[operation]))
		lister->failed = true;
	look_at(lister, server);
}

static uint64_t latency_of(const struct lister *lister, uint32_t operation)
{
	const uint32_t server = lister->servers[operation];
	const uint32_t nway = lister->nway;
	const uint64_t part = !lister->network->mixed || nway <= MANY_WAYS ? nway > FEW_WAYS ? 8 : 4
			      : nway > MOST_WAYS			   ? 1
									   : 3;
	return server < lister->nrank * lister->nrank ? lister->durations[server] / part : 0;
}

/* One operation that another waits for has ended. The latency is that of what comes later in
 * time. */
static void end_one(struct lister *lister, uint32_t waits, uint64_t latency)
{
	const uint64_t begin = lister->pass.time + latency;
	if (lister->earliest[waits] < begin)
		lister->earliest[waits] = begin;
	if (--lister->waiting[waits])
		return;
	if (lister->earliest[waits] == lister->pass.time)
		make_ready(lister, waits);
	else if (!ordo_timeline_push(&lister->events,
			 (struct ordo_event){lister->earliest[waits], lister->nserver + waits}))
		lister->failed = true;
}

static void complete(struct lister *lister, uint32_t server)
{
	const uint32_t operation = lister->current[server];
	lister->current[server] = ORDO_NONE;
	lister->pass.ended[lister->pass.nended++] = operation;
	look_at(lister, server);
	if (lister->backwards)
		for (uint32_t i = 0; i < lister->needed.count[operation]; i++)
			end_one(lister, lister->needed.before[operation][i],
				latency_of(lister, operation));
	else
		for (uint32_t i = lister->needed.first_after[operation];
			i < lister->needed.first_after[operation + 1]; i++)
			end_one(lister, lister->needed.afters[i],
				latency_of(lister, lister->needed.afters[i]));
}

static void happen(struct lister *lister, uint32_t item)
{
	if (item < lister->nserver)
		complete(lister, item);
	else
		make_ready(lister, item - lister->nserver);
}

static void start(struct lister *lister, uint32_t server)
{
	if (lister->current[server] != ORDO_NONE || !lister->ready[server].count)
		return;
	const uint32_t operation = lister->by_number[ordo_heap_pop(&lister->ready[server])];
	lister->current[server] = operation;
	lister->pass.started[lister->pass.nstarted++] = operation;
	if (!ordo_timeline_push(&lister->events,
		    (struct ordo_event){lister->pass.time + lister->durations[server], server}))
		lister->failed = true;
}

/* One schedule of all operations, this way in time. */
static void run(struct lister *lister)
{
	lister->pass.time = lister->pass.nstarted = lister->pass.nended = 0;
	for (uint32_t i = 0; i < lister->nop; i++) {
		if (lister->needed.count[i] == NEVER)
			continue;
		lister->earliest[i] = 0;
		lister->waiting[i] = lister->backwards ? lister->needed.first_after[i + 1] -
								 lister->needed.first_after[i]
						       : lister->needed.count[i];
		if (!lister->waiting[i])
			make_ready(lister, i);
	}
	while (!lister->failed) {
		for (size_t i = 0; i < lister->nidle; i++)
			start(lister, lister->idle[i]);
		lister->nidle = 0;
		const struct ordo_event *next = ordo_timeline_next(&lister->events);
		if (!next)
			return;
		lister->pass.time = next->time;
		for (; next && next->time == lister->pass.time;
			next = ordo_timeline_next(&lister->events))
			happen(lister, ordo_timeline_pop(&lister->events).item);
	}
}

/* Room for everything about nop operations. */
static bool make_room(struct lister *lister)
{
	const size_t nop = lister->nop, nserver = lister->nserver;
	lister->needed.before = ordo_array_make(nop, sizeof *lister->needed.before, 0xff);
	lister->needed.count = ordo_array_make(nop, sizeof *lister->needed.count, NEVER);
	lister->needed.first_after =
		ordo_array_make(nop + 2, sizeof *lister->needed.first_after, 0);
	lister->needed.afters = ordo_array_make(2 * nop, sizeof *lister->needed.afters, 0);
	lister->servers = ordo_array_make(nop, sizeof *lister->servers, 0);
	lister->durations = ordo_array_make(nserver, sizeof *lister->durations, 0);
	lister->numbers = ordo_array_make(nop, sizeof *lister->numbers, 0);
	lister->by_number = ordo_array_make(nop, sizeof *lister->by_number, 0);
	lister->waiting = ordo_array_make(nop, sizeof *lister->waiting, 0);
	lister->earliest = ordo_array_make(nop, sizeof *lister->earliest, 0);
	lister->ready = ordo_array_make(nserver, sizeof *lister->ready, 0);
	lister->current = ordo_array_make(nserver, sizeof *lister->current, 0xff);
	lister->pass.started = ordo_array_make(nop, sizeof *lister->pass.started, 0);
	lister->pass.ended = ordo_array_make(nop, sizeof *lister->pass.ended, 0);
	return lister->needed.before && lister->needed.count && lister->needed.first_after &&
	       lister->needed.afters && lister->servers && lister->durations && lister->numbers &&
	       lister->by_number && lister->waiting && lister->earliest && lister->ready &&
	       lister->current && lister->pass.started && lister->pass.ended;
}

static void set_durations(struct lister *lister)
{
	const uint32_t nleg = lister->nrank * lister->nrank;
	for (uint32_t i = 0; i < nleg; i++) {
		const struct ordo_leg *leg = &lister->network->legs[i];
		for (uint32_t a = leg->first; a < leg->end; a++) {
			const uint64_t units =
				(uint64_t)lister->network->graph->arcs[lister->network->arcs[a]]
					.units;
			const uint64_t duration = WHOLE / units + 1;
			if (duration > lister->durations[i])
				lister->durations[i] = duration;
		}
	}
	for (uint32_t i = nleg; i < lister->nserver; i++)
		lister->durations[i] = lister->network->adding * (WHOLE / ORDO_ADDING);
}

static void set_servers(struct lister *lister, uint32_t way)
{
	const struct ordo_place_chunk *chunk = lister->ways[way];
	uint32_t *servers = lister->servers + lister->first[way];
	for (uint32_t h = 0; h < chunk->nhop; h++)
		servers[h] = chunk->hops[h].from * lister->nrank + chunk->hops[h].to;
	for (uint32_t node = 0; node < lister->tree->nnode; node++)
		servers[chunk->nhop + node] = lister->nrank * lister->nrank + chunk->at[node];
}

static bool find_all_needs(struct lister *lister)
{
	uint32_t *arrivals = ordo_array_make(lister->tree->nnode, sizeof *arrivals, 0xff);
	for (uint32_t way = 0; arrivals && way < lister->nway; way++) {
		const struct needs needs = {lister->tree, lister->ways[way], lister->first[way],
			lister->network->adding > 0, lister->needed.before, lister->needed.count};
		find_needs(&needs, arrivals);
		set_servers(lister, way);
	}
	free(arrivals);
	return arrivals;
}

/* The other way round: what needs each operation. */
static void list_afters(struct lister *lister)
{
	/* first[o + 2] counts, then first[o + 1] is where the next goes, then first[o] the
	 * first. */
	uint32_t *first = lister->needed.first_after;
	for (uint32_t turn = 0; turn < 2; turn++) {
		for (uint32_t i = 0; i < lister->nop; i++)
			for (uint32_t k = 0;
				lister->needed.count[i] != NEVER && k < lister->needed.count[i];
				k++) {
				const uint32_t before = lister->needed.before[i][k];
				if (turn)
					lister->needed.afters[first[before + 1]++] = i;
				else
					first[before + 2]++;
			}
		for (uint32_t i = 0; !turn && i < lister->nop; i++)
			first[i + 2] += first[i + 1];
	}
}

static bool make_lister(struct lister *lister)
{
	size_t count = 0;
	lister->nserver = lister->nrank * (lister->nrank + 1);
	lister->first = ordo_array_make((size_t)lister->nway + 1, sizeof *lister->first, 0);
	for (uint32_t way = 0; lister->first && way < lister->nway; way++) {
		count += lister->ways[way]->nhop + lister->tree->nnode;
		if (count >= ORDO_NONE / 2)
			return false;
		lister->first[way + 1] = (uint32_t)count;
	}
	lister->nop = (uint32_t)count;
	if (!lister->first || !make_room(lister) || !find_all_needs(lister))
		return false;
	set_durations(lister);
	list_afters(lister);
	for (uint32_t i = 0; i < lister->nop; i++)
		lister->numbers[i] = lister->by_number[i] = i;
	return true;
}

static void free_lister(struct lister *lister)
{
	for (uint32_t i = 0; lister->ready && i < lister->nserver; i++)
		free(lister->ready[i].items);
	free(lister->first);
	free(lister->needed.before);
	free(lister->needed.count);
	free(lister->needed.first_after);
	free(lister->needed.afters);
	free(lister->servers);
	free(lister->durations);
	free(lister->numbers);
	free(lister->by_number);
	free(lister->waiting);
	free(lister->earliest);
	free(lister->ready);
	free(lister->current);
	ordo_timeline_free(&lister->events);
	free(lister->idle);
	free(lister->pass.started);
	free(lister->pass.ended);
}

/* The time that the busiest server needs, whatever the order. */
static uint64_t least_time(const struct lister *lister)
{
	uint64_t most = 0, *sums = ordo_array_make(lister->nserver, sizeof *sums, 0);
	for (uint32_t i = 0; sums && i < lister->pass.nended; i++) {
		const uint32_t server = lister->servers[lister->pass.ended[i]];
		sums[server] += lister->durations[server];
		most = sums[server] > most ? sums[server] : most;
	}
	free(sums);
	return most;
}

/* The next pass runs the other way in time; what ended last comes first. */
static void turn(struct lister *lister)
{
	lister->backwards = !lister->backwards;
	for (uint32_t i = 0; i < lister->pass.nended; i++) {
		const uint32_t operation = lister->pass.ended[lister->pass.nended - 1 - i];
		lister->numbers[operation] = i;
		lister->by_number[i] = operation;
	}
}

/* The operations of this pass by the time at which they begin, as seen forwards. */
static void keep_moves(const struct lister *lister, struct ordo_place_move *moves)
{
	for (uint32_t i = 0; i < lister->pass.nended; i++)
		moves[i] = move_of(lister, lister->backwards
						   ? lister->pass.ended[lister->pass.nended - 1 - i]
						   : lister->pass.started[i]);
}

bool ordo_place_list(struct ordo_place_move **moves, size_t *nmove, uint64_t *time,
	const struct ordo_place_network *network, const struct ordo_sum_tree *tree,
	const struct ordo_place_chunk *const *ways, uint32_t nway)
{
	struct lister lister = {.network = network,
		.tree = tree,
		.ways = ways,
		.nway = nway,
		.nrank = network->nrank};
	uint64_t best = UINT64_MAX, least = 0;
	lister.failed = !make_lister(&lister);
	*moves = lister.failed ? NULL : ordo_array_make(lister.nop, sizeof **moves, 0);
	lister.failed = !*moves;
	for (uint32_t pass = 0; pass < PASSES && !lister.failed && best > least; pass++) {
		if (pass)
			turn(&lister);
		run(&lister);
		least = pass ? least : least_time(&lister);
		/* The first keeps chunks in their order. Without sums as moves a little time is no
		 * reason to give it up, where something counts that is not known here. */
		const uint64_t little =
			pass && network->keeps_order && !network->adding ? best / LITTLE : 0;
		if (lister.failed || lister.pass.time + little >= best)
			continue;
		keep_moves(&lister, *moves);
		best = lister.pass.time;
	}
	*nmove = lister.pass.nended;
	*time = best;
	free_lister(&lister);
	if (lister.failed) {
		free(*moves);
		*moves = NULL;
	}
	return !lister.failed;
}
