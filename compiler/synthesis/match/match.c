/* match.c - matches chunks and links in time.
 *
 * At each instant at which a move ends, links look for a chunk, those into the ranks that have the
 * fewest chunks first. A link that finds none sleeps until its rank gets a chunk. A link that would
 * end too late waits: by then faster links may have brought what is missing.
 *
 * A pair of ranks looks only when it may find something anew: when a link of its way has become
 * free, or a port, or when its sender has got a chunk. So an instant takes as long as there are
 * pairs beside the moves that end there, not as long as there are pairs.
 */
#include "match.h"
#include "levels.h"
#include "network.h"
#include "synthesis/heap.h"
#include <ordo/arena.h>
#include <ordo/schedule.h>
#include <stdlib.h>

struct timed {
	struct ordo_matched_move move;
	uint32_t pair;
	uint32_t beside; /* the next move of this instant to the same rank; ORDO_NONE */
	uint32_t tried;	 /* the last search of take_over that looked at it */
	uint64_t end;
};

/* The pairs that may find a chunk now. */
struct looking {
	uint32_t *pairs, count; /* [npair] */
	bool *listed;		/* [npair] is among them */
	bool *asleep;		/* [npair] there is no chunk for it */
	uint64_t *order;	/* [npair] for list_pairs */
};

struct matching {
	const struct ordo_match_wish *wish;
	struct ordo_match_network network;
	/* Of chunks that one rank wants; otherwise NULL. */
	struct ordo_match_plan plan;
	uint32_t *next;		    /* [nchunk] of the plan: the pair that the chunk takes next */
	struct ordo_events *queues; /* [npair] chunks that lie at the sender, the farthest first */

	struct ordo_match_levels levels; /* of chunks that all ranks want */
	uint32_t nrank, npair;
	const struct ordo_match_pair *pairs;
	struct looking looking;
	/* [nrank] the first and the last move that begins there now; ORDO_NONE */
	uint32_t *begun, *begun_last;
	uint32_t search;     /* numbers searches of take_over */
	bool *busy;	     /* [links of the topology] */
	uint32_t *out, *in;  /* [nrank] how many moves begin and end there now */
	uint32_t *counts;    /* [nrank] how many chunks are there or on their way there */
	struct timed *moves; /* [nmove] in the order in which they begin */
	size_t nmove, move_room;
	struct ordo_events events;	 /* ends of moves */
	uint64_t now, deadline, missing; /* missing: chunks where they are wanted */
};

/* A chunk that the sender has and nobody takes to the receiver: one that the fewest ranks have; or
 * one whose plan is this pair and that has the longest way to go. ORDO_NONE: there is none. */
static uint32_t choose_chunk(struct matching *m, uint32_t p)
{
	const struct ordo_match_pair *pair = &m->pairs[p];
	if (m->wish->to)
		return m->queues[p].count ? m->queues[p].items[0].item : ORDO_NONE;
	return ordo_match_rarest(&m->levels, p, pair->from, pair->to);
}

static void look(struct matching *m, uint32_t p)
{
	if (!m->looking.listed[p])
		m->looking.pairs[m->looking.count++] = p;
	m->looking.listed[p] = true;
}

static void look_all(struct matching *m, const struct ordo_match_groups *groups, uint32_t group)
{
	for (uint32_t i = groups->first[group]; i < groups->first[group + 1]; i++)
		look(m, groups->pairs[i]);
}

/* A chunk comes to lie at a rank. */
static bool arrive(struct matching *m, uint32_t rank, uint32_t chunk)
{
	const uint32_t *to = m->wish->to;
	if (to && to[chunk] == rank)
		return true;
	if (to) {
		const uint32_t p = m->plan.pairs[m->next[chunk]];
		const uint64_t distance = m->network.distance[(size_t)rank * m->nrank + to[chunk]];
		m->looking.asleep[p] = false;
		look(m, p);
		return ordo_events_push(
			&m->queues[p], (struct ordo_event){UINT64_MAX - distance, chunk});
	}
	const struct ordo_match_groups *groups = &m->network.by_from;
	ordo_match_give(&m->levels, rank, chunk);
	for (uint32_t i = groups->first[rank]; i < groups->first[rank + 1]; i++) {
		m->looking.asleep[groups->pairs[i]] = false;
		ordo_match_offer(&m->levels, groups->pairs[i], chunk);
		look(m, groups->pairs[i]);
	}
	return true;
}

static bool is_free(const struct matching *m, const struct ordo_match_pair *pair)
{
	const uint32_t ports = m->wish->topology->ports;
	bool free_now = !ports || (m->out[pair->from] < ports && m->in[pair->to] < ports);
	for (uint32_t i = pair->first; free_now && i < pair->end; i++)
		free_now = !m->busy[m->network.links[i]];
	return free_now;
}

static void occupy(struct matching *m, const struct ordo_match_pair *pair, bool busy)
{
	for (uint32_t i = pair->first; i < pair->end; i++)
		m->busy[m->network.links[i]] = busy;
	m->out[pair->from] += busy ? 1 : -1u;
	m->in[pair->to] += busy ? 1 : -1u;
}

/* The links of the way are free again, and the ports of its ends. */
static void make_free(struct matching *m, uint32_t p)
{
	const struct ordo_match_pair *pair = &m->pairs[p];
	occupy(m, pair, false);
	for (uint32_t i = pair->first; i < pair->end; i++)
		look_all(m, &m->network.by_link, m->network.links[i]);
	if (m->wish->topology->ports) {
		look_all(m, &m->network.by_from, pair->from);
		look_all(m, &m->network.by_to, pair->to);
	}
}

/* Of a chunk that is claimed, if all ranks want it. */
static bool begin_move(struct matching *m, uint32_t p, uint32_t chunk)
{
	const struct ordo_match_pair *pair = &m->pairs[p];
	const uint64_t end = m->now + pair->time;
	const uint32_t i = (uint32_t)m->nmove;
	if (!ordo_array_reserve(&m->moves, &m->move_room, m->nmove + 1, sizeof *m->moves) ||
		!ordo_events_push(&m->events, (struct ordo_event){end, i}))
		return false;
	m->moves[m->nmove++] = (struct timed){.move = {pair->from, pair->to, chunk, false},
		.pair = p,
		.beside = ORDO_NONE,
		.end = end};
	if (m->begun[pair->to] == ORDO_NONE)
		m->begun[pair->to] = i;
	else
		m->moves[m->begun_last[pair->to]].beside = i;
	m->begun_last[pair->to] = i;
	if (m->wish->to) {
		ordo_events_pop(&m->queues[p]);
		m->next[chunk]++;
	}
	m->counts[pair->to]++;
	occupy(m, pair, true);
	return true;
}

static int compare_numbers(const void *a, const void *b)
{
	const uint64_t one = *(const uint64_t *)a, other = *(const uint64_t *)b;
	return (one > other) - (one < other);
}

/* The pairs that look for chunks, those of the poorest receivers first. Returns how many. */
static uint32_t list_pairs(struct matching *m)
{
	uint32_t count = 0;
	for (uint32_t i = 0; i < m->looking.count; i++) {
		const uint32_t p = m->looking.pairs[i];
		m->looking.listed[p] = false;
		if (!m->looking.asleep[p] && is_free(m, &m->pairs[p]))
			m->looking.order[count++] = (uint64_t)m->counts[m->pairs[p].to] << 32 | p;
	}
	m->looking.count = 0;
	qsort(m->looking.order, count, sizeof *m->looking.order, compare_numbers);
	return count;
}

/* A chunk that another pair begins to take to the same rank now, if that finds another one, and so
 * on: an augmenting path of a matching of pairs and chunks. */
static uint32_t take_over(struct matching *m, const struct ordo_match_pair *pair)
{
	for (uint32_t i = m->begun[pair->to]; i != ORDO_NONE; i = m->moves[i].beside) {
		struct timed *begun = &m->moves[i];
		const uint32_t taken = begun->move.chunk;
		if (begun->tried == m->search || !ordo_match_has(&m->levels, pair->from, taken))
			continue;
		begun->tried = m->search;
		uint32_t chunk = choose_chunk(m, begun->pair);
		if (chunk != ORDO_NONE)
			ordo_match_claim(&m->levels, pair->to, chunk);
		else
			chunk = take_over(m, &m->pairs[begun->pair]);
		if (chunk != ORDO_NONE) {
			begun->move.chunk = chunk;
			return taken;
		}
	}
	return ORDO_NONE;
}

/* ORDO_NONE: there is nothing to take. */
static uint32_t find_chunk(struct matching *m, uint32_t p)
{
	const uint32_t chunk = choose_chunk(m, p);
	if (m->wish->to)
		return chunk;
	if (chunk != ORDO_NONE) {
		ordo_match_claim(&m->levels, m->pairs[p].to, chunk);
		return chunk;
	}
	m->search++;
	return take_over(m, &m->pairs[p]);
}

/* Every free pair looks for a chunk. */
static bool match_now(struct matching *m)
{
	const uint32_t count = list_pairs(m);
	const size_t first = m->nmove;
	bool worked = true;
	for (uint32_t i = 0; worked && i < count; i++) {
		const uint32_t p = (uint32_t)m->looking.order[i];
		const struct ordo_match_pair *pair = &m->pairs[p];
		if (m->now + pair->time > m->deadline || !is_free(m, pair))
			continue;
		const uint32_t chunk = find_chunk(m, p);
		if (chunk == ORDO_NONE)
			m->looking.asleep[p] = true;
		else
			worked = begin_move(m, p, chunk);
	}
	for (size_t i = first; i < m->nmove; i++)
		m->begun[m->moves[i].move.to] = ORDO_NONE;
	return worked;
}

static bool end_move(struct matching *m, const struct timed *timed)
{
	const uint32_t *to = m->wish->to;
	make_free(m, timed->pair);
	m->missing -= !to || to[timed->move.chunk] == timed->move.to;
	return arrive(m, timed->move.to, timed->move.chunk);
}

/* The links that end at a rank, each with the time of the fastest pair over it. */
struct incoming {
	uint32_t *links; /* [links of the topology] */
	uint32_t count;
	uint64_t *fastest; /* [links of the topology] 0: no pair */
	uint64_t slowest;  /* of all pairs */
};

/* How many chunks they bring until a time. */
static uint64_t count_until(const struct incoming *incoming, uint64_t time)
{
	uint64_t count = 0;
	for (uint32_t i = 0; i < incoming->count; i++)
		count += time / incoming->fastest[incoming->links[i]];
	return count;
}

static void find_incoming(const struct matching *m, uint32_t rank, struct incoming *incoming)
{
	const struct ordo_match_groups *groups = &m->network.by_to;
	while (incoming->count)
		incoming->fastest[incoming->links[--incoming->count]] = 0;
	incoming->slowest = 0;
	for (uint32_t i = groups->first[rank]; i < groups->first[rank + 1]; i++) {
		const struct ordo_match_pair *pair = &m->pairs[groups->pairs[i]];
		const uint32_t last =
			m->network.links[m->wish->backwards ? pair->first : pair->end - 1];
		uint64_t *fastest = &incoming->fastest[last];
		if (!*fastest)
			incoming->links[incoming->count++] = last;
		if (!*fastest || pair->time < *fastest)
			*fastest = pair->time;
		if (pair->time > incoming->slowest)
			incoming->slowest = pair->time;
	}
}

/* The least time in which the links of every rank can bring all that it lacks. */
static bool find_deadline(struct matching *m)
{
	const uint32_t nlink = m->wish->topology->nlink;
	struct incoming incoming = {.links = ordo_array_make(nlink, sizeof *incoming.links, 0),
		.fastest = ordo_array_make(nlink, sizeof *incoming.fastest, 0)};
	const bool made = incoming.links && incoming.fastest;
	m->deadline = 0;
	for (uint32_t rank = 0; made && rank < m->nrank; rank++) {
		const uint64_t lacks = m->wish->nchunk - m->counts[rank];
		find_incoming(m, rank, &incoming);
		uint64_t low = 0, high = incoming.slowest * lacks;
		while (low < high) {
			const uint64_t middle = low + (high - low) / 2;
			if (count_until(&incoming, middle) >= lacks)
				high = middle;
			else
				low = middle + 1;
		}
		m->deadline = low > m->deadline ? low : m->deadline;
	}
	free(incoming.links);
	free(incoming.fastest);
	return made;
}

/* Nothing moves, and something is missing: the next time at which a move could end. */
static void raise_deadline(struct matching *m)
{
	uint64_t next = UINT64_MAX;
	for (uint32_t p = 0; p < m->npair; p++) {
		if (m->now + m->pairs[p].time < next && choose_chunk(m, p) != ORDO_NONE)
			next = m->now + m->pairs[p].time;
		look(m, p);
	}
	m->deadline = next;
}

static bool run(struct matching *m)
{
	bool worked = match_now(m);
	while (worked && m->missing) {
		struct ordo_events *events = &m->events;
		if (!events->count)
			raise_deadline(m);
		else
			m->now = events->items[0].time;
		while (worked && events->count && events->items[0].time == m->now)
			worked = end_move(m, &m->moves[ordo_events_pop(events).item]);
		worked = worked && match_now(m);
	}
	return worked;
}

static bool open_plan(struct matching *m)
{
	m->next = ordo_array_make(m->wish->nchunk, sizeof *m->next, 0);
	m->queues = ordo_array_make(m->npair, sizeof *m->queues, 0);
	return m->next && m->queues && ordo_match_plan_make(&m->plan, &m->network);
}

static bool open_matching(
	struct matching *m, const struct ordo_match_wish *wish, struct ordo_error *error)
{
	const uint32_t n = wish->topology->nrank;
	*m = (struct matching){.wish = wish, .nrank = n, .deadline = UINT64_MAX};
	if (!ordo_match_network_make(&m->network, wish, error))
		return false;
	m->pairs = m->network.pairs;
	m->npair = m->network.npair;
	m->looking.asleep = ordo_array_make(m->npair, sizeof *m->looking.asleep, 0);
	m->looking.order = ordo_array_make(m->npair, sizeof *m->looking.order, 0);
	m->looking.listed = ordo_array_make(m->npair, sizeof *m->looking.listed, 0);
	m->looking.pairs = ordo_array_make(m->npair, sizeof *m->looking.pairs, 0);
	m->begun = ordo_array_make(n, sizeof *m->begun, 0xff);
	m->begun_last = ordo_array_make(n, sizeof *m->begun_last, 0);
	m->busy = ordo_array_make(wish->topology->nlink, sizeof *m->busy, 0);
	m->out = ordo_array_make(n, sizeof *m->out, 0);
	m->in = ordo_array_make(n, sizeof *m->in, 0);
	m->counts = ordo_array_make(n, sizeof *m->counts, 0);
	const bool made = m->looking.asleep && m->looking.order && m->looking.listed &&
			  m->looking.pairs && m->begun && m->begun_last && m->busy && m->out &&
			  m->in && m->counts;
	return made && (wish->to ? open_plan(m)
				 : ordo_match_levels_make(&m->levels, n, wish->nchunk, m->npair))
		       ? true
		       : ordo_fail_memory(error);
}

static void close_matching(struct matching *m)
{
	for (uint32_t p = 0; m->queues && p < m->npair; p++)
		free(m->queues[p].items);
	free(m->queues);
	ordo_match_network_free(&m->network);
	ordo_match_plan_free(&m->plan);
	ordo_match_levels_free(&m->levels);
	free(m->next);
	free(m->looking.asleep);
	free(m->looking.order);
	free(m->looking.listed);
	free(m->looking.pairs);
	free(m->begun);
	free(m->begun_last);
	free(m->busy);
	free(m->out);
	free(m->in);
	free(m->counts);
	free(m->moves);
	free(m->events.items);
}

static bool place_chunks(struct matching *m)
{
	const struct ordo_match_wish *wish = m->wish;
	bool worked = true;
	for (uint32_t p = 0; p < m->npair; p++)
		m->looking.asleep[p] = true;
	for (uint32_t c = 0; worked && c < wish->nchunk; c++) {
		const uint32_t from = wish->from[c];
		if (wish->to)
			m->next[c] = m->plan.first[c];
		else
			ordo_match_claim(&m->levels, from, c);
		m->counts[from]++;
		m->missing += wish->to ? wish->to[c] != from : m->nrank - 1;
		worked = arrive(m, from, c);
	}
	return worked;
}

/* Marks moves to a rank that begin before another of the chunk has ended there. turned: all moves,
 * in the order in which they begin; their ends and times are those of `order`. */
static bool mark_besides(
	const struct matching *m, struct ordo_matched_move *turned, const uint32_t *order)
{
	const uint32_t nchunk = m->wish->nchunk;
	/* [nrank * nchunk] when the last move ends there; played backwards, the least begin. */
	uint64_t *until = ordo_array_make((size_t)m->nrank * nchunk, sizeof *until, 0xff);
	for (size_t i = 0; until && i < m->nmove; i++) {
		const struct timed *timed = &m->moves[order[i]];
		uint64_t *last = &until[(size_t)turned[i].to * nchunk + turned[i].chunk];
		turned[i].beside = timed->end > *last;
		if (!turned[i].beside)
			*last = timed->end - m->pairs[timed->pair].time;
	}
	free(until);
	return until;
}

/* The last to end goes first, and each the other way. order: [nmove] */
static bool turn_round(struct matching *m, struct ordo_matched_move *turned, uint32_t *order)
{
	m->events.count = 0;
	for (size_t i = m->nmove; i-- > 0;)
		if (!ordo_events_push(&m->events, (struct ordo_event){UINT64_MAX - m->moves[i].end,
							  (uint32_t)(m->nmove - 1 - i)}))
			return false;
	for (size_t i = 0; i < m->nmove; i++) {
		order[i] = (uint32_t)m->nmove - 1 - ordo_events_pop(&m->events).item;
		const struct ordo_matched_move *move = &m->moves[order[i]].move;
		turned[i] = (struct ordo_matched_move){move->to, move->from, move->chunk, false};
	}
	return mark_besides(m, turned, order);
}

/* In their order. NULL: no memory. */
static struct ordo_matched_move *take_moves(struct matching *m)
{
	struct ordo_matched_move *moves = ordo_array_make(m->nmove, sizeof *moves, 0);
	uint32_t *order = ordo_array_make(m->nmove, sizeof *order, 0);
	for (size_t i = 0; moves && i < m->nmove; i++)
		moves[i] = m->moves[i].move;
	const bool worked = moves && order && (!m->wish->backwards || turn_round(m, moves, order));
	free(order);
	if (worked)
		return moves;
	free(moves);
	return NULL;
}

bool ordo_match(struct ordo_matched_move **moves, size_t *nmove, uint64_t *span,
	const struct ordo_match_wish *wish, struct ordo_error *error)
{
	struct matching m;
	*moves = NULL;
	bool worked = open_matching(&m, wish, error);
	if (worked) {
		worked = place_chunks(&m) && (wish->to || find_deadline(&m)) && run(&m) &&
			 (*moves = take_moves(&m));
		worked = worked || ordo_fail_memory(error);
	}
	*nmove = m.nmove;
	if (span)
		*span = m.now;
	close_matching(&m);
	return worked;
}
