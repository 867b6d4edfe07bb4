/* match.c - matches chunks and links in time.
 *
 * At each instant at which a move ends, links look for a chunk, those into the ranks that have the
 * fewest chunks first. A link that finds none sleeps until its rank gets a chunk. A link that would
 * end too late waits: by then faster links may have brought what is missing.
 */
#include "match.h"
#include "network.h"
#include "synthesis/heap.h"
#include <ordo/arena.h>
#include <ordo/schedule.h>
#include <stdlib.h>
#include <string.h>

struct timed {
	struct ordo_matched_move move;
	uint32_t pair;
	uint64_t end;
};

struct matching {
	const struct ordo_match_wish *wish;
	struct ordo_match_network network;
	struct ordo_match_plan plan; /* of chunks that one rank wants */
	uint32_t *next;		     /* [nchunk] of the plan: the pair that the chunk takes next */
	uint32_t nrank, nword, npair;
	const struct ordo_match_pair *pairs;
	bool *asleep;	     /* [npair] */
	uint64_t *order;     /* [npair] for list_pairs */
	bool *tried;	     /* [npair] for take_over, of the moves that begin now */
	bool *busy;	     /* [links of the topology] */
	uint32_t *out, *in;  /* [nrank] how many moves begin and end there now */
	uint64_t *has;	     /* [nrank * nword] bits of chunks that are there */
	uint64_t *claimed;   /* [nrank * nword] are there or on their way there */
	uint32_t *holders;   /* [nchunk] how many ranks have it or get it */
	uint32_t *counts;    /* [nrank] how many chunks are there or on their way there */
	struct timed *moves; /* [nmove] in the order in which they begin */
	size_t nmove, move_room;
	struct ordo_events events;	 /* ends of moves */
	uint64_t now, deadline, missing; /* missing: chunks where they are wanted */
};

static bool has_bit(const uint64_t *bits, uint32_t i)
{
	return bits[i / 64] >> i % 64 & 1;
}

static void set_bit(uint64_t *bits, uint32_t i)
{
	bits[i / 64] |= UINT64_C(1) << i % 64;
}

static void clear_bit(uint64_t *bits, uint32_t i)
{
	bits[i / 64] &= ~(UINT64_C(1) << i % 64);
}

/* A chunk that the sender has and nobody takes to the receiver: one that the fewest ranks have; or
 * one whose plan is this pair and that has the longest way to go. ORDO_NONE: there is none. */
static uint32_t choose_chunk(const struct matching *m, const struct ordo_match_pair *pair)
{
	const uint64_t *here = m->has + (size_t)pair->from * m->nword,
		       *there = m->claimed + (size_t)pair->to * m->nword,
		       *distance = m->network.distance + (size_t)pair->from * m->nrank;
	const uint32_t *to = m->wish->to;
	uint32_t best = ORDO_NONE;
	for (uint32_t word = 0; word < m->nword; word++)
		for (uint64_t bits = here[word] & ~there[word]; bits; bits &= bits - 1) {
			const uint32_t c = word * 64 + (uint32_t)__builtin_ctzll(bits);
			if (to && (m->next[c] == m->plan.first[c + 1] ||
					  m->plan.pairs[m->next[c]] != (uint32_t)(pair - m->pairs)))
				continue;
			if (best == ORDO_NONE || (to ? distance[to[c]] > distance[to[best]]
						     : m->holders[c] < m->holders[best]))
				best = c;
		}
	return best;
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

/* No other pair takes it there. */
static void claim(struct matching *m, uint32_t rank, uint32_t chunk)
{
	set_bit(m->claimed + (size_t)rank * m->nword, chunk);
	m->holders[chunk]++;
}

/* Of a chunk that is claimed. */
static bool begin_move(struct matching *m, uint32_t p, uint32_t chunk)
{
	const struct ordo_match_pair *pair = &m->pairs[p];
	const uint64_t end = m->now + pair->time;
	if (!ordo_array_reserve(&m->moves, &m->move_room, m->nmove + 1, sizeof *m->moves) ||
		!ordo_events_push(&m->events, (struct ordo_event){end, (uint32_t)m->nmove}))
		return false;
	m->moves[m->nmove++] = (struct timed){{pair->from, pair->to, chunk, false}, p, end};
	if (m->wish->to) {
		clear_bit(m->has + (size_t)pair->from * m->nword, chunk);
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
static uint32_t list_pairs(const struct matching *m)
{
	uint32_t count = 0;
	for (uint32_t p = 0; p < m->npair; p++)
		if (!m->asleep[p] && is_free(m, &m->pairs[p]))
			m->order[count++] = (uint64_t)m->counts[m->pairs[p].to] << 32 | p;
	qsort(m->order, count, sizeof *m->order, compare_numbers);
	return count;
}

/* A chunk that another pair begins to take to the same rank now, if that finds another one, and so
 * on: an augmenting path of a matching of pairs and chunks. `first` is the first move that begins
 * now. */
static uint32_t take_over(struct matching *m, const struct ordo_match_pair *pair, size_t first)
{
	for (size_t i = first; i < m->nmove; i++) {
		struct timed *begun = &m->moves[i];
		const uint32_t taken = begun->move.chunk;
		if (m->tried[i - first] || begun->move.to != pair->to ||
			!has_bit(m->has + (size_t)pair->from * m->nword, taken))
			continue;
		m->tried[i - first] = true;
		const struct ordo_match_pair *other = &m->pairs[begun->pair];
		uint32_t chunk = choose_chunk(m, other);
		if (chunk != ORDO_NONE)
			claim(m, other->to, chunk);
		else
			chunk = take_over(m, other, first);
		if (chunk != ORDO_NONE) {
			m->moves[i].move.chunk = chunk;
			return taken;
		}
	}
	return ORDO_NONE;
}

/* ORDO_NONE: there is nothing to take. */
static uint32_t find_chunk(struct matching *m, const struct ordo_match_pair *pair, size_t first)
{
	const uint32_t chunk = choose_chunk(m, pair);
	if (chunk != ORDO_NONE)
		claim(m, pair->to, chunk);
	if (chunk != ORDO_NONE || m->wish->to)
		return chunk;
	memset(m->tried, 0, (m->nmove - first) * sizeof *m->tried);
	return take_over(m, pair, first);
}

/* Every free pair looks for a chunk. */
static bool match_now(struct matching *m)
{
	const uint32_t count = list_pairs(m);
	const size_t first = m->nmove;
	bool worked = true;
	for (uint32_t i = 0; worked && i < count; i++) {
		const uint32_t p = (uint32_t)m->order[i];
		const struct ordo_match_pair *pair = &m->pairs[p];
		if (m->now + pair->time > m->deadline || !is_free(m, pair))
			continue;
		const uint32_t chunk = find_chunk(m, pair, first);
		if (chunk == ORDO_NONE)
			m->asleep[p] = true;
		else
			worked = begin_move(m, p, chunk);
	}
	return worked;
}

static void end_move(struct matching *m, const struct timed *timed)
{
	const struct ordo_match_pair *pair = &m->pairs[timed->pair];
	const uint32_t chunk = timed->move.chunk, *to = m->wish->to;
	occupy(m, pair, false);
	set_bit(m->has + (size_t)pair->to * m->nword, chunk);
	m->missing -= !to || to[chunk] == pair->to;
	for (uint32_t p = 0; p < m->npair; p++)
		if (m->pairs[p].from == pair->to)
			m->asleep[p] = false;
}

/* How many chunks a rank's links bring until a time, each as its fastest pair does. */
static uint64_t count_until(const struct matching *m, const uint64_t *fastest, uint64_t time)
{
	uint64_t count = 0;
	for (uint32_t link = 0; link < m->wish->topology->nlink; link++)
		count += fastest[link] ? time / fastest[link] : 0;
	return count;
}

/* fastest[links of the topology]: of the pairs that end at a rank with that link; 0: none do. */
static uint64_t find_fastest(const struct matching *m, uint32_t rank, uint64_t *fastest)
{
	uint64_t slowest = 0;
	memset(fastest, 0, m->wish->topology->nlink * sizeof *fastest);
	for (uint32_t p = 0; p < m->npair; p++) {
		const struct ordo_match_pair *pair = &m->pairs[p];
		if (pair->to != rank)
			continue;
		const uint32_t last =
			m->network.links[m->wish->backwards ? pair->first : pair->end - 1];
		if (!fastest[last] || pair->time < fastest[last])
			fastest[last] = pair->time;
		slowest = pair->time > slowest ? pair->time : slowest;
	}
	return slowest;
}

/* The least time in which the links of every rank can bring all that it lacks. */
static bool find_deadline(struct matching *m)
{
	uint64_t *fastest = ordo_array_make(m->wish->topology->nlink, sizeof *fastest, 0);
	m->deadline = 0;
	for (uint32_t rank = 0; fastest && rank < m->nrank; rank++) {
		const uint64_t lacks = m->wish->nchunk - m->counts[rank];
		uint64_t low = 0, high = find_fastest(m, rank, fastest) * lacks;
		while (low < high) {
			const uint64_t middle = low + (high - low) / 2;
			if (count_until(m, fastest, middle) >= lacks)
				high = middle;
			else
				low = middle + 1;
		}
		m->deadline = low > m->deadline ? low : m->deadline;
	}
	free(fastest);
	return fastest;
}

/* Nothing moves, and something is missing: the next time at which a move could end. */
static void raise_deadline(struct matching *m)
{
	uint64_t next = UINT64_MAX;
	for (uint32_t p = 0; p < m->npair; p++)
		if (m->now + m->pairs[p].time < next && choose_chunk(m, &m->pairs[p]) != ORDO_NONE)
			next = m->now + m->pairs[p].time;
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
		while (events->count && events->items[0].time == m->now)
			end_move(m, &m->moves[ordo_events_pop(events).item]);
		worked = match_now(m);
	}
	return worked;
}

static bool open_matching(
	struct matching *m, const struct ordo_match_wish *wish, struct ordo_error *error)
{
	const uint32_t n = wish->topology->nrank;
	*m = (struct matching){
		.wish = wish, .nrank = n, .nword = wish->nchunk / 64 + 1, .deadline = UINT64_MAX};
	if (!ordo_match_network_make(&m->network, wish, error))
		return false;
	m->pairs = m->network.pairs;
	m->npair = m->network.npair;
	m->asleep = ordo_array_make(m->npair, sizeof *m->asleep, 0);
	m->order = ordo_array_make(m->npair, sizeof *m->order, 0);
	m->tried = ordo_array_make(m->npair, sizeof *m->tried, 0);
	m->next = ordo_array_make(wish->nchunk, sizeof *m->next, 0);
	m->busy = ordo_array_make(wish->topology->nlink, sizeof *m->busy, 0);
	m->out = ordo_array_make(n, sizeof *m->out, 0);
	m->in = ordo_array_make(n, sizeof *m->in, 0);
	m->has = ordo_array_make((size_t)n * m->nword, sizeof *m->has, 0);
	m->claimed = ordo_array_make((size_t)n * m->nword, sizeof *m->claimed, 0);
	m->holders = ordo_array_make(wish->nchunk, sizeof *m->holders, 0);
	m->counts = ordo_array_make(n, sizeof *m->counts, 0);
	const bool made = m->asleep && m->order && m->tried && m->next && m->busy && m->out &&
			  m->in && m->has && m->claimed && m->holders && m->counts;
	return made && (!wish->to || ordo_match_plan_make(&m->plan, &m->network))
		       ? true
		       : ordo_fail_memory(error);
}

static void close_matching(struct matching *m)
{
	ordo_match_network_free(&m->network);
	ordo_match_plan_free(&m->plan);
	free(m->next);
	free(m->asleep);
	free(m->order);
	free(m->tried);
	free(m->busy);
	free(m->out);
	free(m->in);
	free(m->has);
	free(m->claimed);
	free(m->holders);
	free(m->counts);
	free(m->moves);
	free(m->events.items);
}

static void place_chunks(struct matching *m)
{
	const struct ordo_match_wish *wish = m->wish;
	for (uint32_t c = 0; c < wish->nchunk; c++) {
		const uint32_t from = wish->from[c];
		m->next[c] = wish->to ? m->plan.first[c] : 0;
		set_bit(m->has + (size_t)from * m->nword, c);
		set_bit(m->claimed + (size_t)from * m->nword, c);
		m->holders[c] = 1;
		m->counts[from]++;
		m->missing += wish->to ? wish->to[c] != from : m->nrank - 1;
	}
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
		place_chunks(&m);
		worked = (wish->to || find_deadline(&m)) && run(&m) && (*moves = take_moves(&m));
		worked = worked || ordo_fail_memory(error);
	}
	*nmove = m.nmove;
	if (span)
		*span = m.now;
	close_matching(&m);
	return worked;
}
