/* list.c - the moves of chunks along trees, as a list schedule in time.
 *
 * A link that is free takes, of the moves whose data is there, the first in the list: at first that
 * of the lowest chunk. Stages by depth took up to 2.7 times as long. Then the schedule is made once
 * more backwards in time, where the move that ended last comes first, and forwards again; the
 * shortest of a few such passes is kept. What fills the links at the end is then as dense as what
 * fills them at the beginning, which takes a half to all of what exceeds the busiest link.
 *
 * A message comes later than its bytes. Lists whose moves begin as soon as another one ends are as
 * long on paper, but every move of them waits for a latency when they run. So each message takes as
 * long as two chunks on the widest link besides; where chunks are small for the size, that is a few
 * latencies, and if a number of chunks makes it too much or too little, the choice takes another:
 * on a hypercube of 16 an AllGather of 64 MiB went from 1.064 to 1.004 of its bound.
 *
 * Operands of one sum are added one after another, so if all ranks began with the first piece of a
 * tree, all but one would wait. Where that may be, as many passes begin with another piece for each
 * child: that took a ReduceScatter on 64 ranks behind switches from 1.127 to 1.049 of its bound.
 * Where sums and results of an AllReduce have different trees, more passes have all sums first.
 *
 * source R. L. Graham, Bell System Tech. J. 45, 1966 (list schedules); K. Y. Li and R. J. Willis,
 *        Eur. J. Operational Research 56, 1992 (forwards and backwards)
 */
#include "list.h"
#include "heap.h"
#include <ordo/arena.h>
#include <stdlib.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

__extension__ typedef unsigned __int128 wide;

enum { PASSES = 5, PASSES_OF_SUMS = 6 };

/* Move 2 (way * nrank + v) goes from v up to its parent, the next one down to v. 2 nslot more is
 * the addition of what a move brings, where sums are apart.
 *
 * A server is an arc, or the adder of rank i: narc + i. A move or an addition on it ends; with
 * routes, also a link is free, whose number is nserver more. */

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
	uint32_t *servers;   /* [nnumber] that a move takes forwards in time */
};

/* The right of way of moves, for one pass. */
struct right_of_way {
	/* Time runs backwards: data goes from receivers to senders, sums down and results up. */
	bool backwards;
	uint32_t *numbers, *by_number; /* [nnumber] place of a move in the list; the move there */
};

/* What one pass has done. */
struct pass {
	uint64_t time, end;	   /* now; of what ended last */
	uint32_t *started, *ended; /* [nnumber] moves, in time */
	size_t nstarted, nended;
};

/* Where sums are apart. */
struct slots {
	const struct ordo_listed_adders *adders; /* NULL: they are not */
	uint32_t *taken;			 /* [narc] slots with operands that came over it */
	struct ordo_heap *held;			 /* [narc] what waits for one of these */
};

/* Of a slot: whether a sum arrives, and others wait for it. */
enum lock { UNLOCKED, LOCKED, WANTED };

/* What sums wait for. */
struct sums {
	uint32_t *waiting;	  /* [nway][nrank] sums that must still arrive */
	uint8_t *locks;		  /* [nway][nrank] enum lock */
	struct ordo_heap *parked; /* [nway][nrank] servers whose sums wait for it */
	/* Without routes: slots into which others may follow, by the first server. */
	struct ordo_events released;
};

struct lister {
	const struct ordo_capacities *graph;
	const struct ordo_pair_routes *routes; /* NULL */
	struct slots slots;
	const struct ordo_chunk_way *ways;
	uint32_t nway, nrank, nserver;
	size_t nnumber; /* 2 nslot of moves, and as many of additions if sums are apart */
	struct trees trees;
	struct shared_links links;
	uint32_t *arc_of;	 /* [nrank][nrank] */
	struct ordo_heap *ready; /* [nserver] moves, the least number first */
	uint32_t *current;	 /* [nserver] the move on it; ORDO_NONE */
	struct sums sums;
	/* When servers and links are free; when messages come of moves, by place in pass.ended. */
	struct ordo_timeline events, messages;
	uint64_t latency; /* from the end of a move to its message */
	uint64_t *idle;	  /* [nidle] servers to look at, below their rank in the upper half */
	bool *is_idle;
	uint32_t nidle;
	struct right_of_way list;
	struct pass pass;
	/* [narc of network or graph] time of a chunk on a link; these and [nrank]: time on links
	 * and adders, of all passes */
	uint64_t *lengths, *work;
	bool failed;
};

static void push(struct lister *lister, struct ordo_heap *heap, uint32_t item)
{
	if (!ordo_heap_push(heap, item))
		lister->failed = true;
}

static void push_event(
	struct lister *lister, struct ordo_timeline *events, uint64_t time, uint32_t item)
{
	if (!ordo_timeline_push(events, (struct ordo_event){time, item}))
		lister->failed = true;
}

static void look_at(struct lister *lister, uint32_t server)
{
	if (lister->current[server] != ORDO_NONE || lister->is_idle[server])
		return;
	lister->is_idle[server] = true;
	lister->idle[lister->nidle++] = server;
}

/* A link is free for the moves that use it. */
static void set_free(struct lister *lister, uint32_t link)
{
	lister->links.busy[link] = false;
	for (uint32_t i = lister->links.first[link]; i < lister->links.first[link + 1]; i++)
		look_at(lister, lister->links.users[i]);
}

/* How many moves may be listed, additions left out. */
static uint32_t most_moves(const struct lister *lister)
{
	return 2 * lister->nway * lister->nrank;
}

static bool is_addition(const struct lister *lister, uint32_t move)
{
	return move >= most_moves(lister);
}

/* Way, ends and kind of a move, or of that whose operand is added, as this pass sees it. */
static struct ordo_listed_move move_of(const struct lister *lister, uint32_t move)
{
	if (is_addition(lister, move)) {
		struct ordo_listed_move it = move_of(lister, move - most_moves(lister));
		it.kind = ORDO_LISTED_ADD;
		return it;
	}
	const uint32_t way = move / 2 / lister->nrank, v = move / 2 % lister->nrank;
	const struct ordo_chunk_way *it = &lister->ways[way];
	if (move % 2)
		return (struct ordo_listed_move){it->down[v], v, way, ORDO_LISTED_RESULT};
	return (struct ordo_listed_move){v, it->up[v], way, ORDO_LISTED_SUM};
}

/* Whether a move, as it is forwards in time, brings an operand. */
static bool brings_operand(const struct lister *lister, const struct ordo_listed_move *it)
{
	return (it->kind == ORDO_LISTED_SUM) != lister->list.backwards;
}

/* Whether it brings an operand or adds one. */
static bool concerns_operand(const struct lister *lister, const struct ordo_listed_move *it)
{
	return it->kind == ORDO_LISTED_ADD || brings_operand(lister, it);
}

static uint32_t arc_of(const struct lister *lister, const struct ordo_listed_move *it)
{
	return lister->arc_of[lister->list.backwards ? (size_t)it->to * lister->nrank + it->from
						     : (size_t)it->from * lister->nrank + it->to];
}

/* The arc or the adder that a move takes. Backwards a sum is a result, and a result a sum. */
static uint32_t server_of(const struct lister *lister, uint32_t move)
{
	return lister->trees.servers[lister->list.backwards ? move ^ 1 : move];
}

static void make_ready(struct lister *lister, uint32_t move)
{
	const uint32_t server = server_of(lister, move);
	push(lister, &lister->ready[server], lister->list.numbers[move]);
	look_at(lister, server);
}

/* Where sums are apart: whether a move, or backwards the addition before it, takes a slot. */
static bool takes_slot(const struct lister *lister, uint32_t move)
{
	const struct ordo_listed_move it = move_of(lister, move);
	return lister->slots.adders &&
	       (lister->list.backwards ? is_addition(lister, move) : it.kind == ORDO_LISTED_SUM);
}

static void leave_slot(struct lister *lister, const struct ordo_listed_move *it)
{
	const uint32_t arc = arc_of(lister, it);
	lister->slots.taken[arc]--;
	if (lister->slots.held[arc].count)
		make_ready(lister, lister->list.by_number[ordo_heap_pop(&lister->slots.held[arc])]);
}

/* Whether a move adds to a slot, to which nothing else is added at the same time. */
static bool adds(const struct lister *lister, const struct ordo_listed_move *it, uint32_t *slot)
{
	*slot = it->way * lister->nrank + (lister->list.backwards ? it->from : it->to);
	return !lister->slots.adders && brings_operand(lister, it);
}

/* A vertex has the result of a chunk: it goes to its children. Backwards it was an operand that is
 * taken out of their sum before. */
static void send_down(struct lister *lister, uint32_t way, uint32_t v)
{
	const uint32_t tree = lister->list.backwards ? lister->trees.up[way]
						     : lister->trees.down[way],
		       more = lister->slots.adders && lister->list.backwards ? most_moves(lister)
									     : 0;
	if (tree == ORDO_NONE)
		return;
	const struct children *of = &lister->trees.items[tree];
	for (uint32_t i = of->first[v]; i < of->first[v + 1]; i++)
		make_ready(lister, 2 * (way * lister->nrank + of->child[i]) + 1 + more);
}

/* The first of the servers whose sums into a slot wait for another one; its own waits no longer. */
static uint32_t resume(struct lister *lister, uint32_t slot)
{
	const uint32_t server = ordo_heap_pop(&lister->sums.parked[slot]),
		       way = slot / lister->nrank, v = lister->graph->arcs[server].from,
		       move = 2 * (way * lister->nrank + v) + lister->list.backwards;
	push(lister, &lister->ready[server], lister->list.numbers[move]);
	return server;
}

/* The first server of those whose sums wait for a slot is asked next. */
static void ask_first(struct lister *lister, uint32_t slot)
{
	const uint32_t server = lister->sums.parked[slot].items[0];
	if (!ordo_events_push(&lister->sums.released, (struct ordo_event){server, slot}))
		lister->failed = true;
}

/* A sum has been added. Of those that wait, only one comes next: without routes, servers that begin
 * in order are asked in order (start_idle), and others go on waiting. */
static void release(struct lister *lister, uint32_t slot)
{
	const struct ordo_heap *parked = &lister->sums.parked[slot];
	const bool wanted = lister->sums.locks[slot] == WANTED;
	lister->sums.locks[slot] = UNLOCKED;
	if (!wanted)
		return;
	if (lister->routes)
		while (parked->count)
			look_at(lister, resume(lister, slot));
	else
		ask_first(lister, slot);
}

/* All sums of a vertex are there: its own goes up, or the root's down. */
static void send_up(struct lister *lister, uint32_t way, uint32_t v)
{
	if (v == lister->ways[way].root)
		send_down(lister, way, v);
	else
		make_ready(lister, 2 * (way * lister->nrank + v));
}

/* What a move brings has come, and is added where it is an operand. */
static void arrive(struct lister *lister, const struct ordo_listed_move *it)
{
	if (it->kind == ORDO_LISTED_RESULT)
		send_down(lister, it->way, it->to);
	else if (--lister->sums.waiting[it->way * lister->nrank + it->to] == 0)
		send_up(lister, it->way, it->to);
}

static void complete_apart(struct lister *lister, uint32_t move)
{
	const struct ordo_listed_move it = move_of(lister, move);
	const bool operand = concerns_operand(lister, &it);
	if (operand && is_addition(lister, move) == lister->list.backwards) {
		make_ready(lister, lister->list.backwards ? move - most_moves(lister)
							  : move + most_moves(lister));
		return;
	}
	if (operand)
		leave_slot(lister, &it);
	arrive(lister, &it);
}

/* What a move brought can be used, or what an addition made. */
static void deliver(struct lister *lister, uint32_t move)
{
	const struct ordo_listed_move it = move_of(lister, move);
	uint32_t slot;
	if (lister->slots.adders) {
		complete_apart(lister, move);
		return;
	}
	if (adds(lister, &it, &slot))
		release(lister, slot);
	arrive(lister, &it);
}

/* Whether what follows a move waits for a message: results for the next link, and operands for
 * their addition, or backwards the addition for its operand. Sums that are added at once keep
 * others from their slot, so that it would only be in the way. */
static bool is_message(const struct lister *lister, uint32_t move)
{
	const struct ordo_listed_move it = move_of(lister, move);
	return !concerns_operand(lister, &it) ||
	       (lister->slots.adders && is_addition(lister, move) == lister->list.backwards);
}

/* A move or an addition ends, or a link of a route is free. */
static void complete(struct lister *lister, uint32_t server)
{
	if (server >= lister->nserver) {
		set_free(lister, server - lister->nserver);
		return;
	}
	const uint32_t move = lister->current[server];
	const uint32_t place = (uint32_t)lister->pass.nended++;
	lister->pass.ended[place] = move;
	lister->pass.end = lister->pass.time;
	lister->current[server] = ORDO_NONE;
	look_at(lister, server);
	if (lister->latency && is_message(lister, move))
		push_event(lister, &lister->messages, lister->pass.time + lister->latency, place);
	else
		deliver(lister, move);
}

/* Of a chunk on the widest arc; the time from the end of a move to what it makes possible. */
enum { UNIT_OF_TIME = 1 << 20, LATENCY = 2 };

/* Chunks of several roots are on their way at once, and others can move while one is late. Of a
 * single root all would come later. */
static bool has_several_roots(const struct lister *lister)
{
	for (uint32_t way = 1; way < lister->nway; way++)
		if (lister->ways[way].root != lister->ways[0].root)
			return true;
	return false;
}

static uint64_t time_of_addition(const struct lister *lister)
{
	const double time = lister->slots.adders->time * UNIT_OF_TIME;
	return time < 1 ? 1 : (uint64_t)time;
}

/* Whether an adder, or all links of an arc's route, are free. */
static bool is_free(const struct lister *lister, uint32_t server)
{
	const struct ordo_pair_routes *routes = lister->routes;
	bool answer = true;
	if (!routes || server >= lister->graph->narc)
		return answer;
	const struct ordo_arc *ends = &lister->graph->arcs[server];
	const uint32_t pair = ends->from * lister->nrank + ends->to;
	for (uint32_t i = routes->first[pair]; answer && i < routes->first[pair + 1]; i++)
		answer = !lister->links.busy[routes->arcs[i]];
	return answer;
}

/* A server works for so long; number: its place in ->work. */
static void work_for(struct lister *lister, uint32_t server, uint64_t length, uint32_t number)
{
	lister->work[number] += length;
	push_event(lister, &lister->events, lister->pass.time + length, server);
}

/* The move of a server begins. */
static void occupy(struct lister *lister, uint32_t server)
{
	const struct ordo_pair_routes *routes = lister->routes;
	const uint32_t narc = lister->graph->narc, nlink = routes ? routes->network->narc : narc;
	if (server >= narc) {
		work_for(lister, server, time_of_addition(lister), nlink + server - narc);
		return;
	}
	if (!routes) {
		work_for(lister, server, lister->lengths[server], server);
		return;
	}
	const struct ordo_arc *ends = &lister->graph->arcs[server];
	const uint32_t pair = ends->from * lister->nrank + ends->to;
	uint64_t longest = 0;
	for (uint32_t i = routes->first[pair]; i < routes->first[pair + 1]; i++) {
		const uint32_t link = routes->arcs[i];
		const uint64_t length = lister->lengths[link];
		lister->links.busy[link] = true;
		longest = length > longest ? length : longest;
		work_for(lister, lister->nserver + link, length, link);
	}
	push_event(lister, &lister->events, lister->pass.time + longest, server);
}

/* Whether a move must wait for a slot, or for another sum into the same one; then it is put aside.
 */
static bool put_aside(struct lister *lister, uint32_t number)
{
	const uint32_t move = lister->list.by_number[number];
	const struct ordo_listed_move it = move_of(lister, move);
	uint32_t slot;
	if (takes_slot(lister, move)) {
		const uint32_t arc = arc_of(lister, &it);
		if (lister->slots.taken[arc] == lister->slots.adders->slots) {
			push(lister, &lister->slots.held[arc], number);
			return true;
		}
		lister->slots.taken[arc]++;
	}
	const bool locks = adds(lister, &it, &slot);
	if (locks && lister->sums.locks[slot]) {
		lister->sums.locks[slot] = WANTED;
		push(lister, &lister->sums.parked[slot], server_of(lister, move));
		return true;
	}
	if (locks)
		lister->sums.locks[slot] = LOCKED;
	return false;
}

static void start(struct lister *lister, uint32_t server)
{
	struct ordo_heap *ready = &lister->ready[server];
	lister->is_idle[server] = false;
	while (ready->count && !lister->failed && is_free(lister, server)) {
		const uint32_t number = ordo_heap_pop(ready), move = lister->list.by_number[number];
		if (put_aside(lister, number))
			continue;
		lister->current[server] = move;
		lister->pass.started[lister->pass.nstarted++] = move;
		occupy(lister, server);
		return;
	}
}

/* If no fewer than one of so many servers are idle, it is faster to look at all of them. */
enum { FEW_IDLE = 8 };

static int compare_numbers(const void *one, const void *other)
{
	const uint64_t a = *(const uint64_t *)one, b = *(const uint64_t *)other;
	return (a > b) - (a < b);
}

/* Leaves out of the idle servers what cannot begin anything. Arcs that share links begin with the
 * first chunk in the list; others do not care. */
static void rank_idle(struct lister *lister)
{
	const bool few = lister->nidle < lister->nserver / FEW_IDLE;
	uint32_t count = 0;
	for (uint32_t i = 0; i < lister->nidle; i++) {
		const uint32_t server = (uint32_t)lister->idle[i];
		const struct ordo_heap *ready = &lister->ready[server];
		if (!ready->count || !is_free(lister, server))
			lister->is_idle[server] = false;
		else
			lister->idle[count++] =
				server | (lister->routes ? (uint64_t)ready->items[0] << 32 : 0);
	}
	lister->nidle = count;
	if (lister->routes || few) {
		qsort(lister->idle, count, sizeof *lister->idle, compare_numbers);
		return;
	}
	for (uint32_t server = 0, i = 0; i < count; server++)
		if (lister->is_idle[server])
			lister->idle[i++] = server;
}

/* The idle servers begin, and among them those whose sums waited for a slot that is free now, until
 * one of these takes it. */
static void start_idle(struct lister *lister)
{
	struct ordo_events *released = &lister->sums.released;
	for (uint32_t i = 0; i < lister->nidle || released->count;) {
		uint32_t server = i < lister->nidle ? (uint32_t)lister->idle[i] : ORDO_NONE;
		if (released->count && released->items[0].time < server)
			server = (uint32_t)released->items[0].time;
		else
			i++;
		while (released->count && released->items[0].time == server) {
			const uint32_t slot = ordo_events_pop(released).item;
			if (lister->sums.locks[slot]) {
				lister->sums.locks[slot] = WANTED;
				continue;
			}
			resume(lister, slot);
			if (lister->sums.parked[slot].count)
				ask_first(lister, slot);
		}
		if (lister->current[server] == ORDO_NONE)
			start(lister, server);
	}
	lister->nidle = 0;
}

static bool is_now(const struct lister *lister, const struct ordo_timeline *events)
{
	const struct ordo_event *next = ordo_timeline_next(events);
	return next && next->time == lister->pass.time;
}

static void run(struct lister *lister)
{
	lister->pass.time = lister->pass.end = 0;
	lister->pass.nstarted = lister->pass.nended = 0;
	for (;;) {
		rank_idle(lister);
		start_idle(lister);
		const struct ordo_event *next = ordo_timeline_next(&lister->events),
					*message = ordo_timeline_next(&lister->messages);
		if ((!next && !message) || lister->failed)
			return;
		lister->pass.time = !next || (message && message->time < next->time) ? message->time
										     : next->time;
		while (is_now(lister, &lister->events))
			complete(lister, ordo_timeline_pop(&lister->events).item);
		while (is_now(lister, &lister->messages))
			deliver(lister,
				lister->pass.ended[ordo_timeline_pop(&lister->messages).item]);
	}
}

/* What can move at once: leaves of trees up, and roots without one. */
static void begin(struct lister *lister)
{
	for (uint32_t way = 0; way < lister->nway; way++) {
		const struct ordo_chunk_way *it = &lister->ways[way];
		uint32_t *waiting = lister->sums.waiting + (size_t)way * lister->nrank;
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

/* The servers of the moves of all ways. A root's own is none. */
static void list_servers(struct lister *lister)
{
	const uint32_t nrank = lister->nrank, nmove = most_moves(lister);
	for (uint32_t move = 0; move < nmove; move++) {
		const struct ordo_chunk_way *way = &lister->ways[move / 2 / nrank];
		if (!(move % 2 ? way->down : way->up))
			continue;
		const struct ordo_listed_move it = move_of(lister, move);
		lister->trees.servers[move] = lister->arc_of[it.from * nrank + it.to];
		if (lister->slots.adders)
			lister->trees.servers[nmove + move] = lister->graph->narc + it.to;
	}
}

/* The time of a chunk on each link. false: no memory. */
static bool list_lengths(struct lister *lister)
{
	const struct ordo_capacities *network =
		lister->routes ? lister->routes->network : lister->graph;
	const wide widest = (wide)ordo_capacities_widest(network) * UNIT_OF_TIME;
	lister->lengths = ordo_array_make(network->narc, sizeof *lister->lengths, 0);
	for (uint32_t arc = 0; lister->lengths && arc < network->narc; arc++)
		lister->lengths[arc] = (uint64_t)(widest / (wide)network->arcs[arc].units);
	return lister->lengths;
}

static bool make_lister(struct lister *lister)
{
	const struct ordo_capacities *graph = lister->graph;
	const size_t nrank = graph->nrank, nslot = lister->nway * nrank;
	lister->arc_of = ordo_array_make(nrank * nrank, sizeof *lister->arc_of, 0xff);
	lister->ready = ordo_array_make(lister->nserver, sizeof *lister->ready, 0);
	lister->current = ordo_array_make(lister->nserver, sizeof *lister->current, 0xff);
	lister->idle = ordo_array_make(lister->nserver, sizeof *lister->idle, 0);
	lister->is_idle = ordo_array_make(lister->nserver, sizeof *lister->is_idle, 0);
	lister->sums.waiting = ordo_array_make(nslot, sizeof *lister->sums.waiting, 0);
	lister->sums.locks = ordo_array_make(nslot, sizeof *lister->sums.locks, 0);
	lister->sums.parked = ordo_array_make(nslot, sizeof *lister->sums.parked, 0);
	lister->slots.taken = ordo_array_make(graph->narc, sizeof *lister->slots.taken, 0);
	lister->slots.held = ordo_array_make(graph->narc, sizeof *lister->slots.held, 0);
	lister->work = ordo_array_make(
		(lister->routes ? lister->routes->network->narc : graph->narc) + nrank,
		sizeof *lister->work, 0);
	lister->trees.servers =
		ordo_array_make(lister->nnumber, sizeof *lister->trees.servers, 0xff);
	lister->list.numbers = ordo_array_make(lister->nnumber, sizeof *lister->list.numbers, 0);
	lister->list.by_number =
		ordo_array_make(lister->nnumber, sizeof *lister->list.by_number, 0);
	lister->pass.started = ordo_array_make(lister->nnumber, sizeof *lister->pass.started, 0);
	lister->pass.ended = ordo_array_make(lister->nnumber, sizeof *lister->pass.ended, 0);
	if (lister->nnumber >= ORDO_NONE || !lister->slots.taken || !lister->slots.held ||
		!lister->work || !lister->trees.servers || !lister->list.numbers ||
		!lister->list.by_number || !lister->pass.started || !lister->pass.ended ||
		!lister->arc_of || !lister->ready || !lister->current || !lister->idle ||
		!lister->is_idle || !lister->sums.waiting || !lister->sums.locks ||
		!lister->sums.parked)
		return false;
	for (uint32_t i = 0; i < graph->narc; i++)
		if (graph->arcs[i].from < nrank && graph->arcs[i].to < nrank)
			lister->arc_of[graph->arcs[i].from * nrank + graph->arcs[i].to] = i;
	list_servers(lister);
	return list_trees(lister) && list_lengths(lister) &&
	       (!lister->routes || list_users(lister));
}

static void free_lister(struct lister *lister)
{
	for (uint32_t i = 0; lister->ready && i < lister->nserver; i++)
		free(lister->ready[i].items);
	for (uint32_t i = 0; lister->slots.held && i < lister->graph->narc; i++)
		free(lister->slots.held[i].items);
	for (size_t i = 0; lister->sums.parked && i < (size_t)lister->nway * lister->nrank; i++)
		free(lister->sums.parked[i].items);
	free_trees(&lister->trees);
	free(lister->links.busy);
	free(lister->links.first);
	free(lister->links.users);
	free(lister->arc_of);
	free(lister->trees.servers);
	free(lister->ready);
	free(lister->current);
	free(lister->idle);
	free(lister->is_idle);
	free(lister->sums.waiting);
	free(lister->sums.locks);
	free(lister->sums.parked);
	free(lister->slots.taken);
	free(lister->slots.held);
	ordo_timeline_free(&lister->events);
	ordo_timeline_free(&lister->messages);
	free(lister->sums.released.items);
	free(lister->lengths);
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
			const enum ordo_listed_kind turned_kinds[] = {
				ORDO_LISTED_SUM, ORDO_LISTED_RESULT, ORDO_LISTED_ADD};
			moves[i] = (struct ordo_listed_move){
				it.to, it.from, it.way, turned_kinds[it.kind]};
		} else {
			moves[i] = move_of(lister, lister->pass.started[i]);
		}
}

/* The time that the busiest link or adder needs, whatever the order. */
static uint64_t least_time(const struct lister *lister)
{
	const uint32_t narc = lister->routes ? lister->routes->network->narc : lister->graph->narc;
	uint64_t most = 0;
	for (uint32_t i = 0; i < narc + lister->nrank; i++)
		most = lister->work[i] > most ? lister->work[i] : most;
	return most;
}

/* The pieces of each tree: ways that go up it, in order. */
struct pieces {
	uint32_t *first, *ways; /* [trees.count + 2]; [nway] */
	uint32_t *rotations;	/* [nrank] with which piece of a tree a vertex begins */
	uint32_t *queue;	/* [nrank] */
};

static bool list_pieces(struct pieces *pieces, const struct lister *lister)
{
	pieces->first = ordo_array_make((size_t)lister->trees.count + 2, sizeof *pieces->first, 0);
	pieces->ways = ordo_array_make(lister->nway, sizeof *pieces->ways, 0);
	pieces->rotations = ordo_array_make(lister->nrank, sizeof *pieces->rotations, 0);
	pieces->queue = ordo_array_make(lister->nrank, sizeof *pieces->queue, 0);
	if (!pieces->first || !pieces->ways || !pieces->rotations || !pieces->queue)
		return false;
	for (uint32_t way = 0; way < lister->nway; way++)
		if (lister->trees.up[way] != ORDO_NONE)
			pieces->first[lister->trees.up[way] + 2]++;
	for (uint32_t tree = 1; tree <= lister->trees.count; tree++)
		pieces->first[tree + 1] += pieces->first[tree];
	for (uint32_t way = 0; way < lister->nway; way++)
		if (lister->trees.up[way] != ORDO_NONE)
			pieces->ways[pieces->first[lister->trees.up[way] + 1]++] = way;
	return true;
}

static void free_pieces(struct pieces *pieces)
{
	free(pieces->first);
	free(pieces->ways);
	free(pieces->rotations);
	free(pieces->queue);
}

/* In which order a first pass has the moves: way by way; with sums that begin with different
 * pieces; or so, and all sums before all results. */
enum order { BY_WAY, ROTATED, SUMS_FIRST, NORDER };

/* The place of a move in the list, before sums are rotated. */
static uint32_t place_of(const struct lister *lister, enum order order, uint32_t move)
{
	const uint32_t most = most_moves(lister), additions = is_addition(lister, move) ? most : 0,
		       rest = move - additions;
	return order == SUMS_FIRST ? additions + rest % 2 * (most / 2) + rest / 2 : move;
}

static void set_place(struct lister *lister, uint32_t move, uint32_t number)
{
	lister->list.numbers[move] = number;
	lister->list.by_number[number] = move;
}

/* The sums of a vertex go up in order of pieces, but begin with a later one. */
static void rotate_sums(struct lister *lister, enum order order, const uint32_t *ways,
	uint32_t count, uint32_t v, uint32_t rotation)
{
	for (uint32_t piece = 0; piece < count; piece++) {
		const uint32_t turn = (piece + count - rotation % count) % count,
			       move = 2 * (ways[piece] * lister->nrank + v),
			       other = 2 * (ways[turn] * lister->nrank + v),
			       more = most_moves(lister);
		set_place(lister, move, place_of(lister, order, other));
		if (lister->slots.adders)
			set_place(lister, move + more, place_of(lister, order, other + more));
	}
}

/* The first child of a vertex begins with the piece with which the vertex begins, the second with
 * the next, and so on. */
static void rotate_tree(
	struct lister *lister, enum order order, const struct pieces *pieces, uint32_t tree)
{
	const struct children *of = &lister->trees.items[tree];
	const uint32_t *ways = pieces->ways + pieces->first[tree],
		       count = pieces->first[tree + 1] - pieces->first[tree];
	uint32_t end = 0;
	if (count < 2)
		return;
	pieces->queue[end++] = lister->ways[ways[0]].root;
	pieces->rotations[pieces->queue[0]] = 0;
	for (uint32_t begin = 0; begin < end; begin++) {
		const uint32_t v = pieces->queue[begin];
		for (uint32_t i = of->first[v]; i < of->first[v + 1]; i++) {
			const uint32_t child = of->child[i];
			pieces->rotations[child] = pieces->rotations[v] + i - of->first[v];
			pieces->queue[end++] = child;
			rotate_sums(lister, order, ways, count, child, pieces->rotations[child]);
		}
	}
}

/* Numbers the moves for a first pass. */
static void number_moves(struct lister *lister, enum order order)
{
	struct pieces pieces = {0};
	for (uint32_t i = 0; i < lister->nnumber; i++)
		set_place(lister, i, place_of(lister, order, i));
	if (order != BY_WAY && !list_pieces(&pieces, lister))
		lister->failed = true;
	for (uint32_t tree = 0; order != BY_WAY && !lister->failed && tree < lister->trees.count;
		tree++)
		rotate_tree(lister, order, &pieces, tree);
	free_pieces(&pieces);
}

/* The first pass with an order runs forwards. */
static void begin_with(struct lister *lister, enum order order, const struct ordo_chunk_way *ways)
{
	lister->list.backwards = false;
	lister->ways = ways;
	number_moves(lister, order);
}

/* How many passes begin with each order: with all sums first only where sums and results have trees
 * of their own. Forwards these are long, and backwards they become shorter each time. */
static uint32_t passes_of(const struct lister *lister, enum order order)
{
	const struct ordo_chunk_way *way = lister->ways;
	const bool two_phases = lister->nway && way->up && way->down && way->up != way->down;
	return order != SUMS_FIRST ? PASSES : two_phases ? PASSES_OF_SUMS : 0;
}

/* Within so much of the busiest link there is nothing to be gained by other passes. */
enum { LITTLE = 256 };

/* What the passes so far began with. */
struct begun {
	uint64_t hashes[2 * PASSES + PASSES_OF_SUMS];
	uint32_t count;
};

/* Whether an earlier pass began with the same list: this one would do the same. */
static bool has_begun(struct begun *begun, const struct lister *lister, bool first)
{
	const size_t count = first ? lister->nnumber : lister->pass.nended;
	const uint64_t hash = XXH3_64bits_withSeed(lister->list.by_number,
		count * sizeof *lister->list.by_number, lister->list.backwards);
	for (uint32_t i = 0; i < begun->count; i++)
		if (begun->hashes[i] == hash)
			return true;
	begun->hashes[begun->count++] = hash;
	return false;
}

/* Some passes, of which moves[] becomes the shortest. turned: [nway] room */
static void make_passes(
	struct lister *lister, struct ordo_chunk_way *turned, struct ordo_listed_move *moves)
{
	const struct ordo_chunk_way *ways = lister->ways;
	struct begun begun = {.count = 0};
	uint64_t best = UINT64_MAX, least = 0;
	for (uint32_t way = 0; way < lister->nway; way++)
		turned[way] = (struct ordo_chunk_way){
			ways[way].chunk, ways[way].root, ways[way].down, ways[way].up};
	for (enum order order = BY_WAY; order < NORDER; order++) {
		const uint32_t count = passes_of(lister, order);
		if (order != BY_WAY && best <= least + least / LITTLE)
			return;
		for (uint32_t pass = 0; pass < count && !lister->failed && best > least; pass++) {
			if (pass)
				turn(lister, pass % 2 ? turned : ways);
			else
				begin_with(lister, order, ways);
			if (has_begun(&begun, lister, !pass))
				break;
			begin(lister);
			run(lister);
			least = least ? least : least_time(lister);
			if (lister->pass.end >= best - (order == SUMS_FIRST ? best / LITTLE : 0))
				continue;
			keep_moves(lister, moves);
			best = lister->pass.end;
		}
		lister->ways = ways;
	}
}

bool ordo_list_moves(struct ordo_listed_move **moves, size_t *nmove,
	const struct ordo_capacities *graph, const struct ordo_pair_routes *routes,
	const struct ordo_listed_adders *adders, const struct ordo_chunk_way *ways, uint32_t nway,
	struct ordo_error *error)
{
	struct ordo_chunk_way *turned = ordo_array_make(nway, sizeof *turned, 0);
	struct lister lister = {.graph = graph,
		.routes = routes,
		.slots = {.adders = adders},
		.ways = ways,
		.nway = nway,
		.nrank = graph->nrank,
		.nserver = graph->narc + (adders ? graph->nrank : 0),
		.nnumber = (size_t)(adders ? 4 : 2) * nway * graph->nrank};
	*moves = ordo_array_make(lister.nnumber, sizeof **moves, 0);
	lister.failed = !make_lister(&lister) || !turned || !*moves;
	lister.latency = has_several_roots(&lister) ? LATENCY * UNIT_OF_TIME : 0;
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
