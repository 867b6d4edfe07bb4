/* tokens.c - splits signals so that none ever holds more than a given number of tokens, in any
 * interleaving of any number of calls.
 *
 * The pass that orders gives one signal to all edges from a stream s to a stream t. Two ways lead
 * to a limit T: an acknowledgement from t to s, or several signals that take turns. This is the
 * second: it adds no pair, no wait and no time, only signals. As many as are needed: where F tokens
 * can be in flight from s to t at once, no fewer than F / T signals can hold them.
 *
 * One signal an edge always suffices. If edge e is waited for before a move of rank b, and was
 * notified by rank a, then the Wait of e in one call precedes its Notify in the next:
 *   - "a has entered", before b writes to a: that write precedes the leaving of a, and so its
 *     entering of the next call.
 *   - After a wrote to b: a writes to b in the next call only when b has entered it, and b has left
 *     this one before.
 *   - After a read what b then writes, in the memory of a: that write precedes the leaving of a.
 *   - After a wrote to c, before b does: a writes to c in the next call only when c has entered it,
 *     and so after the write of b in this one. The two halves of a relay are of the kinds above.
 *   - Within a rank: all its streams end a call before any begins the next.
 *
 * The proof of the schedule, which shares nothing with this pass, counts the tokens again.
 *
 * Which edges may share. For T = 1: edge j may follow edge i on a signal if the Wait of i precedes
 * the Notify of j, and, so that the calls may follow each other, if the Wait of j precedes the next
 * call's Notify of the first edge on that signal. What precedes a Notify is found as the verifier
 * does: clocks of the streams that wait, 16 of them in one pass over the Notify and Wait of two
 * calls, in which a rank enters the second with all that its streams knew at the end of the first.
 * Signals that take turns are kept in the order of their last edges, so the first of them may take
 * the next edge, or none may. For a greater T, T of these signals become one. Where fewer signals
 * do if edges simply go round them, they go round.
 */
#include "passes.h"
#include <ordo/arena.h>
#include <ordo/greedy.h>
#include <ordo/signals.h>
#include <stdlib.h>
#include <string.h>

/* How many numbers of signals that go round are tried, from the fewest on. */
enum { LINE_CLOCKS = 16, MOST_TRIES = 4 };

struct line {
	uint32_t clock[LINE_CLOCKS];
};

struct splitting {
	struct ordo_schedule *schedule;
	uint32_t most;		     /* tokens of one signal */
	struct ordo_pairing pairing; /* of the signals as they are */
	uint32_t *order, norder;     /* Notify and Wait, as one run does them */
	uint32_t *lane_of, nlane;    /* [nstream] ORDO_NONE: no signal of it needs splitting */
	uint32_t span;		     /* of a call: clocks count from call * span */
	struct line *lines;	     /* [nstream] */
	struct line *entered;	     /* [nrank] */
	/* lines of tokens in flight, of token i pool[line_of[i]]; free ones are chained through
	 * clock[0] */
	struct line *pool;
	size_t pool_room;
	uint32_t npool, free_line;
	uint32_t *line_of;	  /* [nnotify] */
	uint32_t *posted, *taken; /* [nsignal] in this call */
	/* [nnotify] by signal: how many edges, of the call before and of this one, have been waited
	 * for before the Notify; then the part of the signal that the edge gets */
	uint64_t *known;
	uint32_t *part;
	uint32_t *nparts; /* [nsignal] */
};

static bool is_split(const struct splitting *s, uint32_t signal)
{
	return s->pairing.signals.items[signal].nnotify > s->most;
}

static enum ordo_visit list_task(void *closure, uint32_t stream, uint32_t task)
{
	struct splitting *s = closure;
	(void)stream;
	if (!ordo_task_moves(&s->schedule->tasks[task]))
		s->order[s->norder++] = task;
	return ORDO_VISIT_ON;
}

static bool list_order(struct splitting *s)
{
	struct ordo_greedy greedy;
	s->order = ordo_array_make((size_t)s->schedule->ntask + 1, sizeof *s->order, 0);
	const bool worked = s->order && ordo_greedy_open(&greedy, s->schedule, s->pairing.signal_of,
						1, s->pairing.signals.count);
	if (s->order) {
		if (worked)
			ordo_greedy_run(&greedy, list_task, s);
		ordo_greedy_close(&greedy);
	}
	return worked;
}

static bool open_splitting(struct splitting *s)
{
	const size_t nstream = s->schedule->nstream, nsignal = s->pairing.signals.count;
	s->lane_of = ordo_array_make(nstream + 1, sizeof *s->lane_of, 0xff);
	s->lines = ordo_array_make(nstream + 1, sizeof *s->lines, 0);
	s->entered = ordo_array_make(s->schedule->problem.nrank, sizeof *s->entered, 0);
	s->posted = ordo_array_make(nsignal + 1, sizeof *s->posted, 0);
	s->taken = ordo_array_make(nsignal + 1, sizeof *s->taken, 0);
	s->nparts = ordo_array_make(nsignal + 1, sizeof *s->nparts, 0);
	if (!s->lane_of || !s->lines || !s->entered || !s->posted || !s->taken || !s->nparts ||
		!list_order(s))
		return false;
	for (uint32_t i = 0; i < nsignal; i++) {
		uint32_t *lane = &s->lane_of[s->pairing.signals.items[i].waiter];
		if (is_split(s, i) && *lane == ORDO_NONE)
			*lane = s->nlane++;
	}
	for (uint32_t i = 0; i < nstream; i++)
		if (s->schedule->streams[i].end - s->schedule->streams[i].first >= s->span)
			s->span = s->schedule->streams[i].end - s->schedule->streams[i].first + 1;
	const size_t nnotify = s->norder / 2 + 1;
	s->line_of = ordo_array_make(nnotify, sizeof *s->line_of, 0);
	s->free_line = ORDO_NONE;
	s->known = ordo_array_make(nnotify, sizeof *s->known, 0);
	s->part = ordo_array_make(nnotify, sizeof *s->part, 0);
	return s->line_of && s->known && s->part;
}

static void close_splitting(struct splitting *s)
{
	ordo_pairing_close(&s->pairing);
	free(s->order);
	free(s->lane_of);
	free(s->lines);
	free(s->entered);
	free(s->pool);
	free(s->line_of);
	free(s->posted);
	free(s->taken);
	free(s->known);
	free(s->part);
	free(s->nparts);
}

/* How many edges of a signal, of both calls, have been waited for, if the stream that waits is
 * known up to that clock. */
static uint64_t count_known(const struct splitting *s, uint32_t signal, uint32_t clock)
{
	const struct ordo_signal *ends = &s->pairing.signals.items[signal];
	const uint32_t *waits = s->pairing.waits + s->pairing.first_wait[signal];
	if (!clock)
		return 0;
	const uint32_t calls = (clock - 1) / s->span,
		       end = s->schedule->streams[ends->waiter].first + clock - calls * s->span - 1;
	uint32_t low = 0;
	for (uint32_t high = ends->nwait; low < high;) {
		const uint32_t middle = low + (high - low) / 2;
		if (waits[middle] < end)
			low = middle + 1;
		else
			high = middle;
	}
	return (uint64_t)calls * ends->nwait + low;
}

static void raise_clocks(struct line *to, const struct line *from)
{
	for (int i = 0; i < LINE_CLOCKS; i++)
		if (to->clock[i] < from->clock[i])
			to->clock[i] = from->clock[i];
}

/* A token takes the line along. */
static bool send(struct splitting *s, uint32_t edge, const struct line *line)
{
	uint32_t place = s->free_line;
	if (place != ORDO_NONE) {
		s->free_line = s->pool[place].clock[0];
	} else {
		place = s->npool;
		if (!ordo_array_reserve(
			    &s->pool, &s->pool_room, (size_t)place + 1, sizeof *s->pool))
			return false;
		s->npool++;
	}
	s->pool[place] = *line;
	s->line_of[edge] = place;
	return true;
}

static void receive(struct splitting *s, uint32_t edge, struct line *line)
{
	const uint32_t place = s->line_of[edge];
	raise_clocks(line, &s->pool[place]);
	s->pool[place].clock[0] = s->free_line;
	s->free_line = place;
}

static bool notify(struct splitting *s, uint32_t task, uint32_t call, uint32_t first_lane)
{
	const uint32_t signal = s->pairing.signal_of[task],
		       edge = s->pairing.first_notify[signal] + s->posted[signal]++,
		       notifier = s->pairing.signals.items[signal].notifier,
		       own = s->lane_of[notifier] - first_lane,
		       other = s->lane_of[s->pairing.signals.items[signal].waiter] - first_lane;
	struct line *line = &s->lines[notifier];
	if (own < LINE_CLOCKS)
		line->clock[own] = call * s->span + task - s->schedule->streams[notifier].first + 1;
	if (other < LINE_CLOCKS && is_split(s, signal))
		s->known[edge] = count_known(s, signal, line->clock[other]);
	return send(s, edge, line);
}

static bool run_call(struct splitting *s, uint32_t call, uint32_t first_lane)
{
	const struct ordo_schedule *schedule = s->schedule;
	memset(s->posted, 0, s->pairing.signals.count * sizeof *s->posted);
	memset(s->taken, 0, s->pairing.signals.count * sizeof *s->taken);
	for (uint32_t i = 0; i < schedule->nstream; i++)
		s->lines[i] = s->entered[schedule->streams[i].rank];
	for (uint32_t i = 0; i < s->norder; i++) {
		const uint32_t task = s->order[i], signal = s->pairing.signal_of[task];
		if (schedule->tasks[task].kind != ORDO_NOTIFY)
			receive(s, s->pairing.first_notify[signal] + s->taken[signal]++,
				&s->lines[s->pairing.signals.items[signal].waiter]);
		else if (!notify(s, task, call, first_lane))
			return false;
	}
	return true;
}

/* Every rank leaves its first call; all of its streams is known to it. */
static void leave(struct splitting *s, uint32_t first_lane)
{
	for (uint32_t i = 0; i < s->schedule->nstream; i++) {
		struct line *left = &s->entered[s->schedule->streams[i].rank];
		raise_clocks(left, &s->lines[i]);
		if (s->lane_of[i] - first_lane < LINE_CLOCKS)
			left->clock[s->lane_of[i] - first_lane] = s->span;
	}
}

/* Signals that take turns: in a queue by their last edges. */
struct turn {
	uint32_t part, last;
	uint64_t closes; /* edges of the call before that are known when its first is notified */
};

/* For one token each: gives every edge of a signal its part. Returns how many there are. */
static uint32_t take_turns(
	const uint64_t *known, uint32_t nedge, uint32_t *part, struct turn *queue)
{
	uint32_t head = 0, tail = 0, nparts = 0;
	for (uint32_t j = 0; j < nedge; j++) {
		while (head < tail && j >= queue[head].closes)
			head++;
		const bool again = head < tail && (uint64_t)nedge + queue[head].last < known[j];
		struct turn turn = {nparts, j, known[j]};
		if (again)
			turn = queue[head++];
		else
			nparts++;
		turn.last = j;
		part[j] = turn.part;
		queue[tail++] = turn;
	}
	return nparts;
}

/* Do parts that simply go round, edge j to part j % nparts, hold at most so many tokens each? The
 * edge that must have been waited for before edge j is `most` earlier on its part, in this call or
 * in the one before. (Earlier still: the Wait of an edge precedes its next Notify, as above.) */
static bool may_go_round(const uint64_t *known, uint32_t nedge, uint32_t nparts, uint32_t most)
{
	for (uint32_t j = 0; j < nedge; j++) {
		const uint64_t place = j / nparts, first = j % nparts,
			       nplace = (nedge - first + nparts - 1) / nparts;
		if (place >= most && nedge + first + (place - most) * nparts >= known[j])
			return false;
		if (place < most && nplace + place >= most &&
			first + (nplace + place - most) * nparts >= known[j])
			return false;
	}
	return true;
}

/* The fewest parts that can hold all tokens in flight. */
static uint32_t fewest_parts(const uint64_t *known, uint32_t nedge, uint32_t most)
{
	uint64_t tokens = 1;
	for (uint32_t j = 0; j < nedge; j++)
		if ((uint64_t)nedge + j + 1 - known[j] > tokens)
			tokens = (uint64_t)nedge + j + 1 - known[j];
	const uint64_t parts = (tokens + most - 1) / most;
	return parts < nedge ? (uint32_t)parts : nedge;
}

/* Gives every edge of a signal its part. Returns how many parts there are. */
static uint32_t divide(
	const uint64_t *known, uint32_t nedge, uint32_t most, uint32_t *part, struct turn *queue)
{
	const uint32_t fewest = fewest_parts(known, nedge, most),
		       turns = (take_turns(known, nedge, part, queue) + most - 1) / most;
	for (uint32_t nparts = fewest; nparts < turns && nparts < fewest + MOST_TRIES; nparts++)
		if (may_go_round(known, nedge, nparts, most)) {
			for (uint32_t j = 0; j < nedge; j++)
				part[j] = j % nparts;
			return nparts;
		}
	for (uint32_t j = 0; j < nedge; j++)
		part[j] %= turns;
	return turns;
}

/* Signals by their ranks and number. */
static int compare_signals(const void *left, const void *right)
{
	const struct ordo_signal *const *a = left, *const *b = right;
	if ((*a)->from != (*b)->from)
		return (*a)->from < (*b)->from ? -1 : 1;
	if ((*a)->to != (*b)->to)
		return (*a)->to < (*b)->to ? -1 : 1;
	return (*a)->number < (*b)->number ? -1 : (*a)->number > (*b)->number;
}

/* Gives the parts of all signals their numbers, which count from 0 for each two ranks. */
static bool renumber(struct splitting *s)
{
	const uint32_t nsignal = s->pairing.signals.count;
	struct ordo_signal *const items = s->pairing.signals.items;
	struct ordo_signal **sorted = ordo_array_make((size_t)nsignal + 1, sizeof *sorted, 0);
	uint32_t *base = ordo_array_make((size_t)nsignal + 1, sizeof *base, 0), next = 0;
	for (uint32_t i = 0; sorted && i < nsignal; i++)
		sorted[i] = &items[i];
	if (sorted)
		qsort(sorted, nsignal, sizeof *sorted, compare_signals);
	for (uint32_t i = 0; sorted && base && i < nsignal; i++) {
		if (!i || sorted[i]->from != sorted[i - 1]->from ||
			sorted[i]->to != sorted[i - 1]->to)
			next = 0;
		base[sorted[i] - items] = next;
		next += s->nparts[sorted[i] - items];
	}
	for (uint32_t i = 0; sorted && base && i < s->norder; i++) {
		const uint32_t task = s->order[i], signal = s->pairing.signal_of[task];
		s->schedule->tasks[task].signal =
			base[signal] +
			s->part[s->pairing.first_notify[signal] + s->pairing.ordinal[task]];
	}
	const bool worked = sorted && base;
	free(sorted);
	free(base);
	return worked;
}

/* Finds what is known when each edge is notified. */
static bool find_known(struct splitting *s)
{
	for (uint32_t first_lane = 0; first_lane < s->nlane; first_lane += LINE_CLOCKS) {
		memset(s->entered, 0, s->schedule->problem.nrank * sizeof *s->entered);
		if (!run_call(s, 0, first_lane))
			return false;
		leave(s, first_lane);
		if (!run_call(s, 1, first_lane))
			return false;
	}
	return true;
}

static bool split(struct splitting *s)
{
	struct turn *queue = ordo_array_make((size_t)s->norder / 2 + 1, sizeof *queue, 0);
	for (uint32_t i = 0; queue && i < s->pairing.signals.count; i++) {
		const uint32_t first = s->pairing.first_notify[i],
			       nedge = s->pairing.signals.items[i].nnotify;
		s->nparts[i] = 1;
		if (!is_split(s, i))
			continue;
		s->nparts[i] = divide(s->known + first, nedge, s->most, s->part + first, queue);
	}
	const bool worked = queue && renumber(s);
	free(queue);
	return worked;
}

bool ordo_limit_tokens(struct ordo_schedule *schedule, uint32_t most, struct ordo_error *error)
{
	struct splitting s = {.schedule = schedule, .most = most};
	const bool worked =
		!most || (ordo_pairing_open(&s.pairing, schedule) && open_splitting(&s) &&
				 (!s.nlane || (find_known(&s) && split(&s))));
	close_splitting(&s);
	return worked || ordo_fail_memory(error);
}
