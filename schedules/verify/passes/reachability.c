/* reachability.c - decides exactly what certificates left open: passes over all Notify and Wait.
 *
 * A lane follows one stream s. Its clock counts the Notify of s, but of those with no query about s
 * in between only the first: clock[t][lane] is the count of the latest Notify of s that precedes
 * the current point of stream t. A pass keeps 32 lanes of 16 bits: one cache line for each stream
 * and each token in flight. So its time is linear in Notify and Wait, its memory linear in streams
 * and tokens. a precedes b exactly if the last Wait before b leaves clock[stream of b][lane of a's
 * stream] > the count at a.
 *
 * What one stream does is soon known nearly everywhere, long before b asks. So a stream takes a
 * lane when the run comes to the first a of it, and leaves the lane when all begun queries about it
 * are answered; another one takes it then, and need not clear it, since it counts on from there. A
 * query whose stream finds no lane, or whose lane cannot count on, waits for the next pass. Half of
 * the lanes stay with one stream for a whole pass: so there are at most as many passes as half as
 * many lanes need to follow every stream, if none has more queries than a lane counts.
 */
#include "passes.h"
#include <stdlib.h>
#include <string.h>

enum {
	PINNED = LINE_SHORTS / 2,
	/* Questions of a waiter that are looked at after each of its Waits; others have time. */
	FEW_QUESTIONS = 4
};

enum state { OPEN, BEGUN, DONE };

/* An open query, with what a pass needs of it in one place. */
struct question {
	uint32_t a, gate;	 /* places in the run */
	uint32_t stream, waiter; /* of a, and of b */
	uint32_t next;		 /* in the list of begun ones of the waiter */
	int16_t count;		 /* of the lane at a */
	uint8_t state;
	bool *ordered;
};

/* A Notify or Wait, by its place in the run. */
struct event {
	uint32_t at, stream;
	uint32_t line : 31; /* of its token, in the pool: the same in every pass */
	uint32_t notifies : 1;
};

struct lane {
	int16_t count; /* of Notify */
	bool asked;    /* a query has begun since the last one */
};

struct reachability {
	struct verifier *verifier;
	struct passes passes;
	struct event *events;	    /* [queries.norder] */
	struct question *questions; /* [nopen] by a */
	uint32_t *by_gate;	    /* [nopen] */
	uint32_t *kept_at;	    /* [nopen] after a pass, where a question that is open moves */
	uint32_t nopen;
	uint32_t start, gate; /* how far the pass has come in them */
	uint32_t *begun;      /* [nstream] list of the begun ones of a waiter */
	uint32_t *nbegun;     /* [nstream] begun ones about a stream; 1 more if pinned */
	uint32_t *lane_of;    /* [nstream] ORDO_NONE: no lane */
	uint32_t free;	      /* a bit for each lane */
	struct lane lanes[LINE_SHORTS];
	uint32_t nasked; /* questions that are begun */
};

/* A gate that ran before a: no. */
static bool is_open(const struct verifier *verifier, const struct query *query)
{
	return !query->ordered && query->gate != ORDO_NONE &&
	       verifier->tasks[query->a].at < verifier->tasks[query->gate].at;
}

static int compare_a(const void *left, const void *right)
{
	const struct question *one = left, *other = right;
	return one->a < other->a ? -1 : one->a > other->a;
}

static int compare_gates(const void *left, const void *right)
{
	const uint32_t *one = left, *other = right;
	return one[0] < other[0] ? -1 : one[0] > other[0];
}

static void list_questions(struct reachability *reach)
{
	struct verifier *verifier = reach->verifier;
	const struct task_info *tasks = verifier->tasks;
	uint32_t count = 0;
	for (uint32_t i = 0; i < verifier->queries.count; i++) {
		struct query *query = &verifier->queries.items[i];
		if (is_open(verifier, query))
			reach->questions[count++] = (struct question){.a = tasks[query->a].at,
				.gate = tasks[query->gate].at,
				.stream = tasks[query->a].stream,
				.waiter = tasks[query->b].stream,
				.ordered = &query->ordered};
	}
	qsort(reach->questions, count, sizeof *reach->questions, compare_a);
}

/* false: no memory. */
static bool sort_gates(struct reachability *reach)
{
	uint32_t(*gates)[2] = ordo_array_make(reach->nopen, sizeof *gates, 0);
	if (!gates)
		return false;
	for (uint32_t i = 0; i < reach->nopen; i++) {
		gates[i][0] = reach->questions[i].gate;
		gates[i][1] = i;
	}
	qsort(gates, reach->nopen, sizeof *gates, compare_gates);
	for (uint32_t i = 0; i < reach->nopen; i++)
		reach->by_gate[i] = gates[i][1];
	free(gates);
	return true;
}

bool ordo_list_order(struct verifier *verifier)
{
	const uint32_t ntask = verifier->schedule->ntask;
	if (verifier->queries.order)
		return true;
	verifier->queries.order =
		ordo_array_make((size_t)ntask + 1, sizeof *verifier->queries.order, 0);
	if (!verifier->queries.order)
		return false;
	for (uint32_t id = 0; id < ntask; id++)
		verifier->queries.order[verifier->tasks[id].at] = id;
	for (uint32_t i = 0; i < ntask; i++)
		if (!ordo_task_moves(&verifier->schedule->tasks[verifier->queries.order[i]]))
			verifier->queries.order[verifier->queries.norder++] =
				verifier->queries.order[i];
	return true;
}

/* A lane for a query about a stream. false: there is none, or it cannot count on. */
static bool take_lane(struct reachability *reach, uint32_t stream)
{
	if (reach->lane_of[stream] != ORDO_NONE)
		return reach->lanes[reach->lane_of[stream]].count < INT16_MAX;
	for (uint32_t lane = 0; reach->free && lane < LINE_SHORTS; lane++)
		if (reach->free >> lane & 1 && reach->lanes[lane].count < INT16_MAX) {
			reach->free &= ~(UINT32_C(1) << lane);
			reach->lane_of[stream] = lane;
			return true;
		}
	return false;
}

static void leave_lane(struct reachability *reach, uint32_t stream)
{
	if (--reach->nbegun[stream])
		return;
	reach->free |= UINT32_C(1) << reach->lane_of[stream];
	reach->lane_of[stream] = ORDO_NONE;
}

/* Begins the questions whose a has run before this place, if there are lanes. */
static void begin_questions(struct reachability *reach, uint32_t place)
{
	for (; reach->start < reach->nopen; reach->start++) {
		struct question *question = &reach->questions[reach->start];
		if (question->a > place)
			return;
		if (question->state != OPEN || !take_lane(reach, question->stream))
			continue;
		reach->nasked++;
		reach->nbegun[question->stream]++;
		question->state = BEGUN;
		struct lane *lane = &reach->lanes[reach->lane_of[question->stream]];
		question->count = lane->count;
		lane->asked = true;
		question->next = reach->begun[question->waiter];
		reach->begun[question->waiter] = reach->start;
	}
}

/* Answers a begun question, if its b is known to come later now. last: this is its gate. */
static void answer(struct reachability *reach, struct question *question, bool last)
{
	const struct line *line = &reach->passes.lines[question->waiter];
	*question->ordered = line->shorts[reach->lane_of[question->stream]] > question->count;
	if (!*question->ordered && !last)
		return;
	question->state = DONE;
	reach->nasked--;
	leave_lane(reach, question->stream);
}

/* A stream has learnt something. */
static void answer_some(struct reachability *reach, uint32_t stream)
{
	uint32_t *link = &reach->begun[stream];
	for (uint32_t i = 0; i < FEW_QUESTIONS && *link != ORDO_NONE; i++) {
		struct question *question = &reach->questions[*link];
		if (question->state == BEGUN)
			answer(reach, question, false);
		if (question->state == BEGUN)
			link = &question->next;
		else
			*link = question->next;
	}
}

/* The questions whose gate is at this place. */
static void end_questions(struct reachability *reach, uint32_t place)
{
	for (; reach->gate < reach->nopen; reach->gate++) {
		struct question *question = &reach->questions[reach->by_gate[reach->gate]];
		if (question->gate > place)
			return;
		if (question->state == BEGUN)
			answer(reach, question, true);
	}
}

static void notify(struct reachability *reach, const struct event *event)
{
	const uint32_t lane = reach->lane_of[event->stream];
	struct line *line = &reach->passes.lines[event->stream];
	if (lane != ORDO_NONE) {
		reach->lanes[lane].count += reach->lanes[lane].asked;
		reach->lanes[lane].asked = false;
		line->shorts[lane] = reach->lanes[lane].count;
	}
	reach->passes.pool[event->line] = *line;
}

static void wait(struct reachability *reach, const struct event *event)
{
	struct line *own = &reach->passes.lines[event->stream];
	const struct line *line = &reach->passes.pool[event->line];
	for (int i = 0; i < LINE_SHORTS; i++)
		own->shorts[i] =
			own->shorts[i] < line->shorts[i] ? line->shorts[i] : own->shorts[i];
	answer_some(reach, event->stream);
	end_questions(reach, event->at);
}

/* Runs once, to see which line each token takes. false: no memory. */
static bool list_events(struct reachability *reach)
{
	const struct verifier *verifier = reach->verifier;
	struct passes *passes = &reach->passes;
	reach->events =
		ordo_array_make((size_t)verifier->queries.norder + 1, sizeof *reach->events, 0);
	if (!reach->events)
		return false;
	ordo_passes_begin(passes);
	for (uint32_t i = 0; i < verifier->queries.norder; i++) {
		const uint32_t id = verifier->queries.order[i];
		const struct task_info *info = &verifier->tasks[id];
		const bool notifies = verifier->schedule->tasks[id].kind == ORDO_NOTIFY;
		if (notifies && !send_line(passes, info->link, info->stream))
			return false;
		const uint32_t token =
			verifier->signals.items[info->link].first +
			(notifies ? passes->sent[info->link] - 1 : passes->received[info->link]);
		reach->events[i] = (struct event){
			info->at, info->stream, passes->line_of[token] & INT32_MAX, notifies};
		if (!notifies)
			release_line(passes, receive_line(passes, info->link));
	}
	return true;
}

static void begin_pass(struct reachability *reach)
{
	const size_t nstream = reach->verifier->schedule->nstream;
	memset(reach->passes.lines, 0, nstream * sizeof *reach->passes.lines);
	memset(reach->lane_of, 0xff, nstream * sizeof *reach->lane_of);
	memset(reach->begun, 0xff, nstream * sizeof *reach->begun);
	memset(reach->nbegun, 0, nstream * sizeof *reach->nbegun);
	memset(reach->lanes, 0, sizeof reach->lanes);
	reach->free = UINT32_MAX;
	reach->start = reach->gate = 0;
	for (uint32_t i = 0, npinned = 0; i < reach->nopen && npinned < PINNED; i++) {
		const uint32_t stream = reach->questions[i].stream;
		if (reach->lane_of[stream] != ORDO_NONE)
			continue;
		take_lane(reach, stream);
		reach->nbegun[stream] = 1;
		npinned++;
	}
}

/* Keeps the questions that are open still, in both orders: they are too many to be sorted after
 * each pass. */
static void keep_open(struct reachability *reach)
{
	uint32_t count = 0, ngate = 0;
	for (uint32_t i = 0; i < reach->nopen; i++) {
		const bool open = reach->questions[i].state == OPEN;
		reach->kept_at[i] = open ? count : ORDO_NONE;
		if (open)
			reach->questions[count++] = reach->questions[i];
	}
	for (uint32_t i = 0; i < reach->nopen; i++) {
		const uint32_t at = reach->kept_at[reach->by_gate[i]];
		if (at != ORDO_NONE)
			reach->by_gate[ngate++] = at;
	}
	reach->nopen = count;
}

static void run_pass(struct reachability *reach)
{
	begin_pass(reach);
	for (const struct event *event = reach->events;
		reach->nasked || reach->start < reach->nopen; event++) {
		begin_questions(reach, event->at);
		if (event->notifies)
			notify(reach, event);
		else
			wait(reach, event);
	}
	keep_open(reach);
}

static void run_passes(struct reachability *reach)
{
	const struct ordo_verify_options *options = reach->verifier->options;
	const uint32_t nquery = reach->nopen;
	while (reach->nopen) {
		if (options->progress)
			options->progress(
				options->closure, "ordering", nquery - reach->nopen, nquery);
		run_pass(reach);
	}
}

/* false: no memory. */
static bool open_questions(struct reachability *reach)
{
	const size_t nstream = (size_t)reach->verifier->schedule->nstream + 1;
	reach->questions = ordo_array_make(reach->nopen, sizeof *reach->questions, 0);
	reach->by_gate = ordo_array_make(reach->nopen, sizeof *reach->by_gate, 0);
	reach->kept_at = ordo_array_make(reach->nopen, sizeof *reach->kept_at, 0);
	reach->begun = ordo_array_make(nstream, sizeof *reach->begun, 0);
	reach->nbegun = ordo_array_make(nstream, sizeof *reach->nbegun, 0);
	reach->lane_of = ordo_array_make(nstream, sizeof *reach->lane_of, 0);
	if (!reach->questions || !reach->by_gate || !reach->kept_at || !reach->begun ||
		!reach->nbegun || !reach->lane_of)
		return false;
	list_questions(reach);
	return list_events(reach) && sort_gates(reach);
}

static void close_questions(struct reachability *reach)
{
	free(reach->questions);
	free(reach->events);
	free(reach->by_gate);
	free(reach->kept_at);
	free(reach->begun);
	free(reach->nbegun);
	free(reach->lane_of);
}

bool ordo_verify_reachability(struct verifier *verifier)
{
	struct reachability reach = {.verifier = verifier};
	for (uint32_t i = 0; i < verifier->queries.count; i++)
		reach.nopen += is_open(verifier, &verifier->queries.items[i]);
	if (!reach.nopen)
		return true;
	verifier->findings.proof->order_swept += reach.nopen;
	const bool worked = ordo_passes_open(&reach.passes, verifier) && open_questions(&reach);
	if (worked)
		run_passes(&reach);
	ordo_passes_close(&reach.passes);
	close_questions(&reach);
	return worked ? true : ordo_fail_memory(verifier->findings.error);
}
