/* oracle_closure.c - happens-before as a full table of who comes before whom, and every pair of
 * accesses looked up in it.
 *
 * Events are the tasks, then one entering and one leaving for each rank. Before: the order of a
 * stream; the j-th Notify of a signal and its j-th Wait (one stream gives and one takes, so there
 * is no other way); entering and all tasks of the rank; all of them and leaving.
 */
#include "oracle_document.h"

#include <stdlib.h>
#include <string.h>

struct closure {
	const struct oracle_document *document;
	uint32_t nevent, words;
	uint32_t *matched; /* [ntask] for a Wait: its Notify; for a Notify: its Wait */
	uint32_t *order;   /* events in one possible order */
	uint32_t norder;
	uint64_t *before; /* [nevent][words] the events before an event */
};

static uint32_t entering(const struct closure *c, uint32_t rank)
{
	return c->document->schedule->ntask + 2 * rank;
}

static uint32_t leaving(const struct closure *c, uint32_t rank)
{
	return entering(c, rank) + 1;
}

static bool is_before(const struct closure *c, uint32_t a, uint32_t b)
{
	return c->before[(size_t)b * c->words + a / 64] >> a % 64 & 1;
}

static void put_before(struct closure *c, uint32_t a, uint32_t b)
{
	uint64_t *to = c->before + (size_t)b * c->words;
	const uint64_t *from = c->before + (size_t)a * c->words;
	for (uint32_t i = 0; i < c->words; i++)
		to[i] |= from[i];
	to[a / 64] |= UINT64_C(1) << a % 64;
}

/* The j-th Notify of each signal belongs to its j-th Wait. */
static void match_signals(struct closure *c)
{
	const struct oracle_document *d = c->document;
	for (uint32_t signal = 0; signal < d->nsignal; signal++) {
		uint32_t wait = 0;
		for (uint32_t t = 0; t < d->schedule->ntask; t++) {
			if (d->schedule->tasks[t].kind != ORDO_NOTIFY || d->signal_of[t] != signal)
				continue;
			while (d->schedule->tasks[wait].kind != ORDO_WAIT ||
				d->signal_of[wait] != signal)
				wait++;
			c->matched[t] = wait;
			c->matched[wait++] = t;
		}
	}
}

/* Runs what can run until nothing can; each event as it runs comes after those it needs. */
static void close_order(struct closure *c)
{
	const struct ordo_schedule *s = c->document->schedule;
	uint32_t *next = must_alloc(s->nstream, sizeof *next);
	bool *done = must_alloc(c->nevent, sizeof *done), moved = true;
	for (uint32_t r = 0; r < s->problem.nrank; r++)
		c->order[c->norder++] = entering(c, r);
	for (uint32_t i = 0; i < s->nstream; i++)
		next[i] = s->streams[i].first;
	while (moved) {
		moved = false;
		for (uint32_t i = 0; i < s->nstream; i++)
			for (; next[i] < s->streams[i].end; next[i]++) {
				const uint32_t t = next[i];
				if (s->tasks[t].kind == ORDO_WAIT && !done[c->matched[t]])
					break;
				put_before(c,
					t == s->streams[i].first ? entering(c, s->streams[i].rank)
								 : t - 1,
					t);
				if (s->tasks[t].kind == ORDO_WAIT)
					put_before(c, c->matched[t], t);
				c->order[c->norder++] = t;
				done[t] = moved = true;
			}
	}
	for (uint32_t i = 0; i < s->nstream; i++) {
		const uint32_t last = s->streams[i].end;
		put_before(c,
			last > s->streams[i].first ? last - 1 : entering(c, s->streams[i].rank),
			leaving(c, s->streams[i].rank));
	}
	for (uint32_t r = 0; r < s->problem.nrank; r++)
		c->order[c->norder++] = leaving(c, r);
	free(next);
	free(done);
}

/* Every cell's accesses one after another: cells[first[cell] .. first[cell + 1]) are access
 * numbers. */
static uint32_t *sort_by_cell(const struct oracle_document *d, uint32_t *first)
{
	const uint32_t naccess = d->first_access[d->schedule->ntask];
	uint32_t *sorted = must_alloc(naccess, sizeof *sorted);
	for (uint32_t i = 0; i < naccess; i++)
		first[d->accesses[i].cell + 1]++;
	for (uint32_t i = 0; i < d->ncell; i++)
		first[i + 1] += first[i];
	uint32_t *fill = must_alloc(d->ncell, sizeof *fill);
	for (uint32_t i = 0; i < naccess; i++)
		sorted[first[d->accesses[i].cell] + fill[d->accesses[i].cell]++] = i;
	free(fill);
	return sorted;
}

static void judge_cells(const struct closure *c, bool atomic_reduce, struct oracle_opinion *opinion)
{
	const struct oracle_document *d = c->document;
	uint32_t *first = must_alloc((size_t)d->ncell + 1, sizeof *first),
		 *sorted = sort_by_cell(d, first);
	uint32_t *task_of = must_alloc(d->first_access[d->schedule->ntask], sizeof *task_of);
	for (uint32_t t = 0; t < d->schedule->ntask; t++)
		for (uint32_t i = d->first_access[t]; i < d->first_access[t + 1]; i++)
			task_of[i] = t;
	for (uint32_t cell = 0; cell < d->ncell; cell++)
		for (uint32_t i = first[cell]; i < first[cell + 1]; i++)
			for (uint32_t j = first[cell]; j < i; j++) {
				const uint32_t a = task_of[sorted[j]], b = task_of[sorted[i]];
				const enum touch x = d->accesses[sorted[j]].touch,
						 y = d->accesses[sorted[i]].touch;
				opinion->nstate++;
				if (a == b || (x == TOUCH_READ && y == TOUCH_READ) ||
					is_before(c, a, b) || is_before(c, b, a))
					continue;
				if (x == TOUCH_ADD && y == TOUCH_ADD)
					opinion->one_order = false;
				if (!(atomic_reduce && x == TOUCH_ADD && y == TOUCH_ADD))
					note(opinion, 8, "tasks %u and %u race", a, b);
			}
	free(first);
	free(sorted);
	free(task_of);
}

static void judge_visits(const struct closure *c, struct oracle_opinion *opinion)
{
	for (uint32_t t = 0; t < c->document->schedule->ntask; t++) {
		const uint32_t rank = foreign_rank(c->document, t);
		if (races_with_itself(c->document, t))
			note(opinion, 8, "task %u reads what it writes", t);
		if (rank == ORDO_NONE)
			continue;
		if (!is_before(c, entering(c, rank), t))
			note(opinion, 9, "task %u: rank %u may not have entered yet", t, rank);
		if (!is_before(c, t, leaving(c, rank)))
			note(opinion, 9, "task %u: rank %u may have left already", t, rank);
	}
}

/* At a Notify a signal holds at most the tokens given so far, this one too, less those taken by
 * Waits before it. */
static uint32_t most_tokens(const struct closure *c)
{
	const struct oracle_document *d = c->document;
	uint32_t *given = must_alloc(d->nsignal, sizeof *given), most = 0;
	for (uint32_t t = 0; t < d->schedule->ntask; t++) {
		if (d->schedule->tasks[t].kind != ORDO_NOTIFY)
			continue;
		uint32_t tokens = ++given[d->signal_of[t]];
		for (uint32_t w = 0; w < d->schedule->ntask; w++)
			tokens -= d->schedule->tasks[w].kind == ORDO_WAIT &&
				  d->signal_of[w] == d->signal_of[t] && is_before(c, w, t);
		most = tokens > most ? tokens : most;
	}
	free(given);
	return most;
}

static void judge_data(struct closure *c, struct oracle_document *d, struct oracle_opinion *opinion)
{
	uint32_t *memory = must_alloc(d->ncell, sizeof *memory);
	fill_memory(d, memory);
	for (uint32_t i = 0; i < c->norder; i++)
		if (c->order[i] < d->schedule->ntask &&
			d->schedule->tasks[c->order[i]].kind <= ORDO_SEND_REDUCE)
			run_move(d, c->order[i], memory, opinion);
	judge_output(d, memory, opinion);
	if (!opinion->broken)
		judge_orders(d, memory, opinion);
	free(memory);
}

static void judge_closed(struct closure *c, struct oracle_document *d, bool atomic_reduce,
	struct oracle_opinion *opinion)
{
	match_signals(c);
	close_order(c);
	if (c->norder < c->nevent) {
		note(opinion, 7, "%u tasks wait for ever", c->nevent - c->norder);
		return;
	}
	opinion->tokens_in_flight = most_tokens(c);
	opinion->one_order = true;
	judge_cells(c, atomic_reduce, opinion);
	judge_visits(c, opinion);
	if (!opinion->broken)
		judge_data(c, d, opinion);
}

void oracle_closure(const struct ordo_schedule *schedule, bool atomic_reduce, uint32_t max_tasks,
	struct oracle_opinion *opinion)
{
	struct oracle_document document;
	if (!open_document(schedule, &document, opinion))
		return;
	const uint32_t nevent = schedule->ntask + 2 * schedule->problem.nrank;
	opinion->decided = schedule->ntask <= max_tasks;
	if (opinion->decided) {
		struct closure closure = {
			.document = &document, .nevent = nevent, .words = (nevent + 63) / 64};
		closure.matched = must_alloc(nevent, sizeof *closure.matched);
		closure.order = must_alloc(nevent, sizeof *closure.order);
		closure.before = must_alloc((size_t)nevent * closure.words, sizeof *closure.before);
		judge_closed(&closure, &document, atomic_reduce, opinion);
		free(closure.matched);
		free(closure.order);
		free(closure.before);
	}
	close_document(&document);
}
