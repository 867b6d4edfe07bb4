/* list.c - the moves of chunks along trees, as a list schedule in time.
 *
 * A link that is free takes, of the moves whose data is there, the first in the list: at first that
 * of the lowest chunk. Stages by depth took up to 2.7 times as long. Then the schedule is made once
 * more backwards in time, where the move that ended last comes first, and forwards again; the
 * shortest of a few such passes is kept. What fills the links at the end is then as dense as what
 * fills them at the beginning, which takes a half to all of what exceeds the busiest link.
 *
 * source R. L. Graham, Bell System Tech. J. 45, 1966 (list schedules); K. Y. Li and R. J. Willis,
 *        Eur. J. Operational Research 56, 1992 (forwards and backwards)
 */
#include "list.h"
#include <ordo/arena.h>
#include <stdlib.h>

__extension__ typedef unsigned __int128 wide;

enum { PASSES = 5 };

/* Move 2 (way * nrank + v) goes from v up to its parent, the next one down to v. */
struct heap {
	uint32_t *items;
	size_t count, room;
};

/* A move ends; with routes, also a link is free, whose number is narc more. */
struct event {
	uint64_t time;
	uint32_t arc;
};

/* The links of routes. */
struct shared_links {
	bool *busy;		 /* [routes->network->narc] */
	uint32_t *first, *users; /* [narc + 1] of the network, arcs whose routes use a link */
};

/* The children of all vertices in a tree: child[first[v]] to child[first[v + 1] - 1] of v. */
struct children {
	const uint32_t *parents;
	uint32_t *first, *child; /* [nrank + 1]; [nrank] */
};

/* The trees of all ways, each once. */
struct trees {
	struct children *items;
	uint32_t count;
	uint32_t *up, *down; /* [nway] its trees; ORDO_NONE */
};

/* The right of way of moves, for one pass. */
struct right_of_way {
	/* Time runs backwards: data goes from receivers to senders, sums down and results up. */
	bool backwards;
	uint32_t *numbers, *by_number; /* [2 nslot] place of a move in the list; the move there */
};

/* What one pass has done. */
struct pass {
	uint64_t time;
	uint32_t *started, *ended; /* [2 nslot] moves, in time */
	size_t nstarted, nended;
};

struct lister {
	const struct ordo_capacities *graph;
	const struct ordo_pair_routes *routes; /* NULL */
	const struct ordo_chunk_way *ways;
	uint32_t nway, nrank;
	struct trees trees;
	struct shared_links links;
	uint32_t *arc_of;    /* [nrank][nrank] */
	struct heap *ready;  /* [narc] moves, the least number first */
	uint32_t *current;   /* [narc] the move on it; ORDO_NONE */
	uint32_t *waiting;   /* [nway][nrank] sums that must still arrive */
	bool *locked;	     /* [nway][nrank] a sum arrives */
	struct heap *parked; /* [nway * nrank] moves that wait for the sum that arrives */
	struct event *events;
	size_t nevent, event_room;
	uint64_t *idle; /* [nidle] arcs to look at, below their rank in the upper half */
	bool *is_idle;
	uint32_t nidle;
	struct right_of_way list;
	struct pass pass;
	uint64_t widest; /* units of the widest arc */
	uint64_t *work;	 /* [narc of network or graph] time on it, of all passes */
	bool failed;
};

static void push(struct lister *lister, struct heap *heap, uint32_t item)
{
	if (!ordo_array_reserve(&heap->items, &heap->room, heap->count + 1, sizeof item)) {
		lister->failed = true;
		return;
	}
	size_t place = heap->count++;
	for (; place && heap->items[(place - 1) / 2] > item; place = (place - 1) / 2)
		heap->items[place] = heap->items[(place - 1) / 2];
	heap->items[place] = item;
}

static uint32_t pop(struct heap *heap)
{
	const uint32_t top = heap->items[0], last = heap->items[--heap->count];
	size_t place = 0;
	for (size_t child; (child = 2 * place + 1) < heap->count; place = child) {
		if (child + 1 < heap->count && heap->items[child + 1] < heap->items[child])
			child++;
		if (heap->items[child] >= last)
			break;
		heap->items[place] = heap->items[child];
	}
	if (heap->count)
		heap->items[place] = last;
	return top;
}

static bool is_before(struct event a, struct event b)
{
	return a.time != b.time ? a.time < b.time : a.arc < b.arc;
}

static void push_event(struct lister *lister, struct event event)
{
	if (!ordo_array_reserve(
		    &lister->events, &lister->event_room, lister->nevent + 1, sizeof event)) {
		lister->failed = true;
		return;
	}
	size_t place = lister->nevent++;
	for (; place && is_before(event, lister->events[(place - 1) / 2]); place = (place - 1) / 2)
		lister->events[place] = lister->events[(place - 1) / 2];
	lister->events[place] = event;
}

static struct event pop_event(struct lister *lister)
{
	const struct event top = lister->events[0], last = lister->events[--lister->nevent];
	size_t place = 0;
	for (size_t child; (child = 2 * place + 1) < lister->nevent; place = child) {
		if (child + 1 < lister->nevent &&
			is_before(lister->events[child + 1], lister->events[child]))
			child++;
		if (!is_before(lister->events[child], last))
			break;
		lister->events[place] = lister->events[child];
	}
	if (lister->nevent)
		lister->events[place] = last;
	return top;
}

static void look_at(struct lister *lister, uint32_t arc)
{
	if (lister->current[arc] != ORDO_NONE || lister->is_idle[arc])
		return;
	lister->is_idle[arc] = true;
	lister->idle[lister->nidle++] = arc;
}

/* A link is free for the moves that use it. */
static void set_free(struct lister *lister, uint32_t link)
{
	lister->links.busy[link] = false;
	for (uint32_t i = lister->links.first[link]; i < lister->links.first[link + 1]; i++)
		look_at(lister, lister->links.users[i]);
}

/* Way, ends and kind of a move. */
static struct ordo_listed_move move_of(const struct lister *lister, uint32_t move)
{
	const uint32_t way = move / 2 / lister->nrank, v = move / 2 % lister->nrank;
	const struct ordo_chunk_way *it = &lister->ways[way];
	if (move % 2)
		return (struct ordo_listed_move){it->down[v], v, way, false};
	return (struct ordo_listed_move){v, it->up[v], way, true};
}

static void make_ready(struct lister *lister, uint32_t move)
{
	const struct ordo_listed_move it = move_of(lister, move);
	const size_t pair = lister->list.backwards ? (size_t)it.to * lister->nrank + it.from
						   : (size_t)it.from * lister->nrank + it.to;
	const uint32_t arc = lister->arc_of[pair];
	push(lister, &lister->ready[arc], lister->list.numbers[move]);
	look_at(lister, arc);
}

/* Whether a move adds to a slot, to which nothing else is added at the same time. */
static bool adds(const struct lister *lister, const struct ordo_listed_move *it, uint32_t *slot)
{
	*slot = it->way * lister->nrank + (lister->list.backwards ? it->from : it->to);
	return it->sums != lister->list.backwards;
}

/* A vertex has the result of a chunk: it goes to its children. */
static void send_down(struct lister *lister, uint32_t way, uint32_t v)
{
	const uint32_t tree =
		lister->list.backwards ? lister->trees.up[way] : lister->trees.down[way];
	if (tree == ORDO_NONE)
		return;
	const struct children *of = &lister->trees.items[tree];
	for (uint32_t i = of->first[v]; i < of->first[v + 1]; i++)
		make_ready(lister, 2 * (way * lister->nrank + of->child[i]) + 1);
}

/* All sums of a vertex are there: its own goes up, or the root's down. */
static void send_up(struct lister *lister, uint32_t way, uint32_t v)
{
	if (v == lister->ways[way].root)
		send_down(lister, way, v);
	else
		make_ready(lister, 2 * (way * lister->nrank + v));
}

static void complete(struct lister *lister, uint32_t arc)
{
	if (arc >= lister->graph->narc) {
		set_free(lister, arc - lister->graph->narc);
		return;
	}
	const struct ordo_listed_move it = move_of(lister, lister->current[arc]);
	uint32_t slot;
	lister->pass.ended[lister->pass.nended++] = lister->current[arc];
	lister->current[arc] = ORDO_NONE;
	look_at(lister, arc);
	if (adds(lister, &it, &slot)) {
		lister->locked[slot] = false;
		while (lister->parked[slot].count)
			make_ready(lister, lister->list.by_number[pop(&lister->parked[slot])]);
	}
	if (!it.sums)
		send_down(lister, it.way, it.to);
	else if (--lister->waiting[it.way * lister->nrank + it.to] == 0)
		send_up(lister, it.way, it.to);
}

/* The time of a chunk on a link. */
static uint64_t time_on(
	const struct lister *lister, const struct ordo_capacities *graph, uint32_t arc)
{
	return (uint64_t)(((wide)lister->widest << 20) / (wide)graph->arcs[arc].units);
}

/* Whether all links of an arc's route are free. */
static bool is_free(const struct lister *lister, uint32_t arc)
{
	const struct ordo_pair_routes *routes = lister->routes;
	bool answer = true;
	if (!routes)
		return answer;
	const struct ordo_arc *ends = &lister->graph->arcs[arc];
	const uint32_t pair = ends->from * lister->nrank + ends->to;
	for (uint32_t i = routes->first[pair]; answer && i < routes->first[pair + 1]; i++)
		answer = !lister->links.busy[routes->arcs[i]];
	return answer;
}

/* The move of an arc begins. */
static void occupy(struct lister *lister, uint32_t arc, uint64_t time)
{
	const struct ordo_pair_routes *routes = lister->routes;
	if (!routes) {
		const uint64_t length = time_on(lister, lister->graph, arc);
		lister->work[arc] += length;
		push_event(lister, (struct event){time + length, arc});
		return;
	}
	const struct ordo_arc *ends = &lister->graph->arcs[arc];
	const uint32_t pair = ends->from * lister->nrank + ends->to;
	uint64_t longest = 0;
	for (uint32_t i = routes->first[pair]; i < routes->first[pair + 1]; i++) {
		const uint32_t link = routes->arcs[i];
		const uint64_t length = time_on(lister, routes->network, link);
		lister->work[link] += length;
		lister->links.busy[link] = true;
		longest = length > longest ? length : longest;
		push_event(lister, (struct event){time + length, lister->graph->narc + link});
	}
	push_event(lister, (struct event){time + longest, arc});
}

static void start(struct lister *lister, uint32_t arc, uint64_t time)
{
	struct heap *ready = &lister->ready[arc];
	lister->is_idle[arc] = false;
	while (ready->count && !lister->failed && is_free(lister, arc)) {
		const uint32_t number = pop(ready), move = lister->list.by_number[number];
		const struct ordo_listed_move it = move_of(lister, move);
		uint32_t slot;
		const bool locks = adds(lister, &it, &slot);
		if (locks && lister->locked[slot]) {
			push(lister, &lister->parked[slot], number);
			continue;
		}
		lister->locked[slot] = locks;
		lister->current[arc] = move;
		lister->pass.started[lister->pass.nstarted++] = move;
		occupy(lister, arc, time);
		return;
	}
}

static int compare_numbers(const void *one, const void *other)
{
	const uint64_t a = *(const uint64_t *)one, b = *(const uint64_t *)other;
	return (a > b) - (a < b);
}

/* Arcs that share links begin with the first chunk in the list; others do not care. */
static void rank_idle(struct lister *lister)
{
	for (uint32_t i = 0; lister->routes && i < lister->nidle; i++) {
		const struct heap *ready = &lister->ready[lister->idle[i]];
		lister->idle[i] |= (uint64_t)(ready->count ? ready->items[0] : 0) << 32;
	}
	qsort(lister->idle, lister->nidle, sizeof *lister->idle, compare_numbers);
}

static void run(struct lister *lister)
{
	lister->pass.time = 0;
	lister->pass.nstarted = lister->pass.nended = 0;
	for (;;) {
		rank_idle(lister);
		for (uint32_t i = 0; i < lister->nidle; i++)
			start(lister, (uint32_t)lister->idle[i], lister->pass.time);
		lister->nidle = 0;
		if (!lister->nevent || lister->failed)
			return;
		lister->pass.time = lister->events[0].time;
		while (lister->nevent && lister->events[0].time == lister->pass.time)
			complete(lister, pop_event(lister).arc);
	}
}

/* What can move at once: leaves of trees up, and roots without one. */
static void begin(struct lister *lister)
{
	for (uint32_t way = 0; way < lister->nway; way++) {
		const struct ordo_chunk_way *it = &lister->ways[way];
		uint32_t *waiting = lister->waiting + (size_t)way * lister->nrank;
		for (uint32_t v = 0; it->up && v < lister->nrank; v++)
			if (v != it->root)
				waiting[it->up[v]]++;
		for (uint32_t v = 0; it->up && v < lister->nrank; v++)
			if (!waiting[v])
				send_up(lister, way, v);
		if (!it->up)
			send_down(lister, way, it->root);
	}
}

/* Lists the arcs whose routes use each link. */
static bool list_users(struct lister *lister)
{
	const struct ordo_pair_routes *routes = lister->routes;
	const struct ordo_capacities *graph = lister->graph;
	const uint32_t nlink = routes->network->narc;
	lister->links.busy = ordo_array_make(nlink, sizeof *lister->links.busy, 0);
	lister->links.first = ordo_array_make((size_t)nlink + 1, sizeof *lister->links.first, 0);
	lister->links.users = ordo_array_make(
		routes->first[(size_t)graph->nrank * graph->nrank], sizeof *lister->links.users, 0);
	if (!lister->links.busy || !lister->links.first || !lister->links.users)
		return false;
	for (uint32_t turn = 0; turn < 2; turn++) {
		for (uint32_t arc = graph->narc; arc-- > 0;) {
			const uint32_t pair =
				graph->arcs[arc].from * graph->nrank + graph->arcs[arc].to;
			for (uint32_t i = routes->first[pair]; i < routes->first[pair + 1]; i++)
				if (turn)
					lister->links
						.users[--lister->links.first[routes->arcs[i]]] =
						arc;
				else
					lister->links.first[routes->arcs[i]]++;
		}
		for (uint32_t link = 0; !turn && link < nlink; link++)
			lister->links.first[link + 1] += lister->links.first[link];
	}
	return true;
}

/* Counts the children of each vertex, then lists them in order. false: no memory. */
static bool list_children(struct children *of, uint32_t nrank)
{
	of->first = ordo_array_make((size_t)nrank + 2, sizeof *of->first, 0);
	of->child = ordo_array_make(nrank, sizeof *of->child, 0);
	if (!of->first || !of->child)
		return false;
	for (uint32_t v = 0; v < nrank; v++)
		of->first[of->parents[v] + 2] += of->parents[v] != v;
	for (uint32_t v = 1; v < nrank; v++)
		of->first[v + 1] += of->first[v];
	for (uint32_t v = 0; v < nrank; v++)
		if (of->parents[v] != v)
			of->child[of->first[of->parents[v] + 1]++] = v;
	return true;
}

/* A tree of a way, which may have none. */
struct use {
	const uint32_t *parents;
	uint32_t *tree; /* its number goes here */
};

static int compare_uses(const void *one, const void *other)
{
	const uintptr_t a = (uintptr_t)((const struct use *)one)->parents,
			b = (uintptr_t)((const struct use *)other)->parents;
	return (a > b) - (a < b);
}

/* Numbers the trees, of which many ways have the same. false: no memory. */
static bool list_trees(struct lister *lister)
{
	struct trees *trees = &lister->trees;
	const uint32_t nuse = 2 * lister->nway;
	struct use *uses = ordo_array_make(nuse, sizeof *uses, 0);
	trees->up = ordo_array_make(lister->nway, sizeof *trees->up, 0xff);
	trees->down = ordo_array_make(lister->nway, sizeof *trees->down, 0xff);
	trees->items = ordo_array_make(nuse, sizeof *trees->items, 0);
	bool worked = uses && trees->up && trees->down && trees->items;
	for (uint32_t way = 0; worked && way < lister->nway; way++) {
		uses[2 * way] = (struct use){lister->ways[way].up, &trees->up[way]};
		uses[2 * way + 1] = (struct use){lister->ways[way].down, &trees->down[way]};
	}
	if (worked)
		qsort(uses, nuse, sizeof *uses, compare_uses);
	for (uint32_t i = 0; worked && i < nuse; i++) {
		if (!uses[i].parents)
			continue;
		if (!i || uses[i].parents != uses[i - 1].parents) {
			trees->items[trees->count].parents = uses[i].parents;
			worked = list_children(&trees->items[trees->count++], lister->nrank);
		}
		*uses[i].tree = trees->count - 1;
	}
	free(uses);
	return worked;
}

static void free_trees(struct trees *trees)
{
	for (uint32_t i = 0; i < trees->count; i++) {
		free(trees->items[i].first);
		free(trees->items[i].child);
	}
	free(trees->items);
	free(trees->up);
	free(trees->down);
}

static bool make_lister(struct lister *lister)
{
	const struct ordo_capacities *graph = lister->graph;
	const size_t nrank = graph->nrank, nslot = lister->nway * nrank;
	lister->arc_of = ordo_array_make(nrank * nrank, sizeof *lister->arc_of, 0xff);
	lister->ready = ordo_array_make(graph->narc, sizeof *lister->ready, 0);
	lister->current = ordo_array_make(graph->narc, sizeof *lister->current, 0xff);
	lister->idle = ordo_array_make(graph->narc, sizeof *lister->idle, 0);
	lister->is_idle = ordo_array_make(graph->narc, sizeof *lister->is_idle, 0);
	lister->waiting = ordo_array_make(nslot, sizeof *lister->waiting, 0);
	lister->locked = ordo_array_make(nslot, sizeof *lister->locked, 0);
	lister->parked = ordo_array_make(nslot, sizeof *lister->parked, 0);
	lister->work = ordo_array_make(lister->routes ? lister->routes->network->narc : graph->narc,
		sizeof *lister->work, 0);
	lister->list.numbers = ordo_array_make(2 * nslot, sizeof *lister->list.numbers, 0);
	lister->list.by_number = ordo_array_make(2 * nslot, sizeof *lister->list.by_number, 0);
	lister->pass.started = ordo_array_make(2 * nslot, sizeof *lister->pass.started, 0);
	lister->pass.ended = ordo_array_make(2 * nslot, sizeof *lister->pass.ended, 0);
	if (nslot >= ORDO_NONE / 2 || !lister->work || !lister->list.numbers ||
		!lister->list.by_number || !lister->pass.started || !lister->pass.ended ||
		!lister->arc_of || !lister->ready || !lister->current || !lister->idle ||
		!lister->is_idle || !lister->waiting || !lister->locked || !lister->parked)
		return false;
	for (uint32_t i = 0; i < graph->narc; i++)
		if (graph->arcs[i].from < nrank && graph->arcs[i].to < nrank)
			lister->arc_of[graph->arcs[i].from * nrank + graph->arcs[i].to] = i;
	return list_trees(lister) && (!lister->routes || list_users(lister));
}

static void free_lister(struct lister *lister)
{
	for (uint32_t i = 0; lister->ready && i < lister->graph->narc; i++)
		free(lister->ready[i].items);
	for (size_t i = 0; lister->parked && i < (size_t)lister->nway * lister->nrank; i++)
		free(lister->parked[i].items);
	free_trees(&lister->trees);
	free(lister->links.busy);
	free(lister->links.first);
	free(lister->links.users);
	free(lister->arc_of);
	free(lister->ready);
	free(lister->current);
	free(lister->idle);
	free(lister->is_idle);
	free(lister->waiting);
	free(lister->locked);
	free(lister->parked);
	free(lister->events);
	free(lister->work);
	free(lister->list.numbers);
	free(lister->list.by_number);
	free(lister->pass.started);
	free(lister->pass.ended);
}

/* The list for the next pass, which runs the other way in time: what ended last comes first. A sum
 * becomes a result, and a result a sum. */
static void turn(struct lister *lister, const struct ordo_chunk_way *ways)
{
	lister->list.backwards = !lister->list.backwards;
	lister->ways = ways;
	for (uint32_t i = 0; i < lister->pass.nended; i++) {
		const uint32_t move = lister->pass.ended[lister->pass.nended - 1 - i] ^ 1;
		lister->list.numbers[move] = i;
		lister->list.by_number[i] = move;
	}
}

/* The moves of this pass by the time at which they begin, as seen forwards. */
static void keep_moves(const struct lister *lister, struct ordo_listed_move *moves)
{
	for (size_t i = 0; i < lister->pass.nstarted; i++)
		if (lister->list.backwards) {
			const struct ordo_listed_move it =
				move_of(lister, lister->pass.ended[lister->pass.nstarted - 1 - i]);
			moves[i] = (struct ordo_listed_move){it.to, it.from, it.way, !it.sums};
		} else {
			moves[i] = move_of(lister, lister->pass.started[i]);
		}
}

/* The time that the busiest link needs, whatever the order. */
static uint64_t least_time(const struct lister *lister)
{
	const uint32_t narc = lister->routes ? lister->routes->network->narc : lister->graph->narc;
	uint64_t most = 0;
	for (uint32_t i = 0; i < narc; i++)
		most = lister->work[i] > most ? lister->work[i] : most;
	return most;
}

/* Some passes, of which moves[] becomes the shortest. turned: [nway] room */
static void make_passes(
	struct lister *lister, struct ordo_chunk_way *turned, struct ordo_listed_move *moves)
{
	const struct ordo_chunk_way *ways = lister->ways;
	uint64_t best = UINT64_MAX, least = 0;
	for (uint32_t way = 0; way < lister->nway; way++)
		turned[way] = (struct ordo_chunk_way){
			ways[way].chunk, ways[way].root, ways[way].down, ways[way].up};
	for (uint32_t i = 0; i < 2 * lister->nway * lister->nrank; i++)
		lister->list.numbers[i] = lister->list.by_number[i] = i;
	for (uint32_t pass = 0; pass < PASSES && !lister->failed && best > least; pass++) {
		if (pass)
			turn(lister, pass % 2 ? turned : ways);
		begin(lister);
		run(lister);
		least = pass ? least : least_time(lister);
		if (lister->pass.time < best)
			keep_moves(lister, moves);
		best = lister->pass.time < best ? lister->pass.time : best;
	}
}

bool ordo_list_moves(struct ordo_listed_move **moves, size_t *nmove,
	const struct ordo_capacities *graph, const struct ordo_pair_routes *routes,
	const struct ordo_chunk_way *ways, uint32_t nway, struct ordo_error *error)
{
	const struct ordo_capacities *network = routes ? routes->network : graph;
	struct ordo_chunk_way *turned = ordo_array_make(nway, sizeof *turned, 0);
	struct lister lister = {.graph = graph,
		.routes = routes,
		.ways = ways,
		.nway = nway,
		.nrank = graph->nrank};
	for (uint32_t i = 0; i < network->narc; i++)
		if ((uint64_t)network->arcs[i].units > lister.widest)
			lister.widest = (uint64_t)network->arcs[i].units;
	*moves = ordo_array_make((size_t)2 * nway * graph->nrank, sizeof **moves, 0);
	lister.failed = !make_lister(&lister) || !turned || !*moves;
	if (!lister.failed)
		make_passes(&lister, turned, *moves);
	*nmove = lister.pass.nstarted;
	free_lister(&lister);
	free(turned);
	if (!lister.failed)
		return true;
	free(*moves);
	*moves = NULL;
	return ordo_fail_memory(error);
}
