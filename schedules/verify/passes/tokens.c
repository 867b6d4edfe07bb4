/* tokens.c - the most tokens that a signal holds in any interleaving of any number of calls (R13).
 *
 * Within B;B;..., a signal has n Notify and n Wait in each call (R6), and its i-th Wait of all
 * calls takes its i-th Notify (R5). Some interleaving leaves t tokens behind a Notify exactly if,
 * of all those up to it, the Waits of t are not before it: run what must come before the Notify,
 * then the Notify. So the number is largest behind some Notify, which is what is counted here.
 *
 * Between calls. A rank enters a call when all its streams have ended the one before, and nothing
 * else orders calls: a path from one call to a later one goes through the leaving of a rank. Every
 * stream has a line of clocks, as in reachability.c; at the end of a call the streams of a rank get
 * the largest of their clocks, and what lies before that end is marked as a whole. So one pass over
 * Notify and Wait for each call, and for every 16 streams that wait.
 *
 * How many calls. For a limit of T tokens, T + 1: does the Wait of Notify i - T precede Notify i?
 * These two are at most ceil(T / n) <= T calls apart, and a path stays between its ends, so B^(T+1)
 * has every such pair. In particular B;B is enough for flags, T = 1, but not for T = 2: a signal
 * that nothing acknowledges holds two tokens in B;B, and three in B;B;B.
 *
 * Without a limit, until a call is like the one before. What a rank knows when it enters a call,
 * counted back from that call, only grows with the number of calls before it: from nothing to
 * something, once for each stream. If it did not grow by one more call, it never grows again, and
 * all calls that follow are like this one. If then a Notify knows nothing of the stream that waits,
 * it never will, and every call adds tokens.
 */
#include "passes.h"
#include <stdlib.h>
#include <string.h>

/* Without a limit, tokens are counted only if one call costs at most so many steps, and up to so
 * many steps in all. */
#define CHEAP_CALL 2000000u
#define CHEAP_STEPS (4 * (uint64_t)CHEAP_CALL)

struct tokens {
	struct verifier *verifier;
	struct passes passes;
	uint32_t *lane_of; /* [nstream] ORDO_NONE: no lane */
	uint32_t nlane;
	uint32_t span;	      /* of a call: clocks count from call * span */
	struct line *entered; /* [nrank] what a rank knows when it enters the call */
	uint32_t most_calls;  /* 0: no bound */
	bool repeats;	      /* a call like the one before stands for all that follow */
	uint64_t steps;
	bool given_up;
	uint32_t unknown; /* of this call: a Notify that knows nothing of who waits; ORDO_NONE */
};

/* The tokens of a signal behind one of its Notify, which knows the stream that waits up to
 * `known`. */
static uint64_t count_behind(const struct tokens *t, uint32_t index, uint32_t call, uint32_t known)
{
	const struct verifier *verifier = t->verifier;
	const struct signal *signal = &verifier->signals.items[index];
	const struct ordo_signal *ends = &verifier->signals.table.items[index];
	const uint32_t *waits = verifier->signals.waits + signal->first;
	const uint64_t given = (uint64_t)call * ends->nnotify + t->passes.sent[index];
	if (!known)
		return given;
	const uint32_t before = (known - 1) / t->span,
		       first = verifier->schedule->streams[ends->waiter].first;
	const uint64_t end = first + (uint64_t)(known - before * t->span) - 1;
	uint32_t low = 0;
	for (uint32_t high = ends->nwait; low < high;) {
		const uint32_t middle = low + (high - low) / 2;
		if (waits[middle] < end)
			low = middle + 1;
		else
			high = middle;
	}
	return given - (uint64_t)before * ends->nwait - low;
}

static void note_tokens(struct verifier *verifier, uint32_t id, uint64_t ntoken)
{
	struct ordo_proof *proof = verifier->findings.proof;
	const uint32_t found = ntoken < ORDO_LIMIT ? (uint32_t)ntoken : ORDO_LIMIT;
	if (proof->tokens_in_flight >= found)
		return;
	proof->tokens_in_flight = found;
	verifier->signals.fullest = id;
}

static bool notify(struct tokens *t, uint32_t id, uint32_t call, uint32_t first_lane)
{
	struct verifier *verifier = t->verifier;
	const uint32_t index = verifier->tasks[id].link, notifier = verifier->tasks[id].stream,
		       waiter = verifier->signals.table.items[index].waiter,
		       own = t->lane_of[notifier] - first_lane,
		       other = t->lane_of[waiter] - first_lane;
	struct line *line = &t->passes.lines[notifier];
	if (own < LINE_CLOCKS)
		line->clock[own] =
			call * t->span + id - verifier->schedule->streams[notifier].first + 1;
	if (!send_line(&t->passes, index, notifier))
		return false;
	if (other >= LINE_CLOCKS)
		return true;
	if (!line->clock[other])
		t->unknown = id;
	note_tokens(verifier, id, count_behind(t, index, call, line->clock[other]));
	return true;
}

static void raise_clocks(struct line *to, const struct line *from)
{
	for (int i = 0; i < LINE_CLOCKS; i++)
		if (to->clock[i] < from->clock[i])
			to->clock[i] = from->clock[i];
}

static bool run_call(struct tokens *t, uint32_t call, uint32_t first_lane)
{
	const struct verifier *verifier = t->verifier;
	const struct ordo_schedule *schedule = verifier->schedule;
	ordo_passes_begin(&t->passes);
	t->unknown = ORDO_NONE;
	for (uint32_t s = 0; s < schedule->nstream; s++)
		t->passes.lines[s] = t->entered[schedule->streams[s].rank];
	for (uint32_t i = 0; i < verifier->queries.norder; i++) {
		const uint32_t id = verifier->queries.order[i];
		if (schedule->tasks[id].kind == ORDO_NOTIFY) {
			if (!notify(t, id, call, first_lane))
				return false;
			continue;
		}
		struct line *line = receive_line(&t->passes, verifier->tasks[id].link);
		raise_clocks(&t->passes.lines[verifier->tasks[id].stream], line);
		release_line(&t->passes, line);
	}
	t->steps += (uint64_t)verifier->queries.norder + schedule->nstream;
	return true;
}

/* What a rank knows when it leaves: of its own streams, all of this call. */
static struct line leave(const struct tokens *t, uint32_t rank, uint32_t call, uint32_t first_lane)
{
	const struct ordo_program *program = &t->verifier->schedule->programs[rank];
	struct line left = t->entered[rank];
	for (uint32_t s = program->first_stream; s < program->end_stream; s++) {
		raise_clocks(&left, &t->passes.lines[s]);
		if (t->lane_of[s] - first_lane < LINE_CLOCKS)
			left.clock[t->lane_of[s] - first_lane] = (call + 1) * t->span;
	}
	return left;
}

static bool is_shifted(const struct line *to, const struct line *from, uint32_t span)
{
	for (int i = 0; i < LINE_CLOCKS; i++)
		if (to->clock[i] != (from->clock[i] ? from->clock[i] + span : 0))
			return false;
	return true;
}

/* All ranks leave. Does every rank know as much, counted back from here, as when it entered? */
static bool leave_all(struct tokens *t, uint32_t call, uint32_t first_lane)
{
	bool same = true;
	for (uint32_t rank = 0; rank < t->verifier->schedule->problem.nrank; rank++) {
		const struct line left = leave(t, rank, call, first_lane);
		same = is_shifted(&left, &t->entered[rank], t->span) && same;
		t->entered[rank] = left;
	}
	return same;
}

/* May one more call be counted? */
static bool may_go_on(struct tokens *t, uint32_t ncall)
{
	if (t->most_calls && ncall >= t->most_calls)
		return false;
	t->given_up = ((uint64_t)ncall + 1) * t->span > UINT32_MAX ||
		      (!t->most_calls && t->steps > CHEAP_STEPS);
	return !t->given_up;
}

static bool count_lanes(struct tokens *t, uint32_t first_lane)
{
	memset(t->entered, 0, t->verifier->schedule->problem.nrank * sizeof *t->entered);
	for (uint32_t call = 0; may_go_on(t, call); call++) {
		if (!run_call(t, call, first_lane))
			return false;
		const bool same = leave_all(t, call, first_lane);
		if (same && t->unknown == ORDO_NONE)
			return true;
		if (same && t->repeats) {
			t->verifier->findings.proof->tokens_in_flight = ORDO_UNBOUNDED;
			t->verifier->signals.fullest = t->unknown;
			return true;
		}
	}
	return true;
}

static void measure_calls(struct tokens *t)
{
	const struct ordo_verify_options *options = t->verifier->options;
	const uint32_t allowed = options->limits.tokens_in_flight;
	t->repeats = !options->token_calls;
	t->most_calls = options->token_calls   ? options->token_calls
			: !allowed	       ? 0
			: allowed < ORDO_LIMIT ? allowed + 1
					       : ORDO_LIMIT;
}

static bool open_tokens(struct tokens *t)
{
	const struct verifier *verifier = t->verifier;
	const struct ordo_schedule *schedule = verifier->schedule;
	t->lane_of = ordo_array_make((size_t)schedule->nstream + 1, sizeof *t->lane_of, 0xff);
	t->entered = ordo_array_make(schedule->problem.nrank, sizeof *t->entered, 0);
	if (!t->lane_of || !t->entered)
		return false;
	for (uint32_t s = 0; s < schedule->nstream; s++)
		if (schedule->streams[s].end - schedule->streams[s].first >= t->span)
			t->span = schedule->streams[s].end - schedule->streams[s].first + 1;
	for (uint32_t i = 0; i < verifier->signals.table.count; i++) {
		uint32_t *lane = &t->lane_of[verifier->signals.table.items[i].waiter];
		if (*lane == ORDO_NONE)
			*lane = t->nlane++;
	}
	measure_calls(t);
	return ordo_passes_open(&t->passes, t->verifier);
}

static bool count_all(struct tokens *t)
{
	const struct verifier *verifier = t->verifier;
	const uint64_t steps = (uint64_t)verifier->queries.norder + verifier->schedule->nstream;
	t->given_up = !verifier->options->limits.tokens_in_flight &&
		      steps * ((t->nlane + LINE_CLOCKS - 1) / LINE_CLOCKS) > CHEAP_CALL;
	for (uint32_t lane = 0; lane < t->nlane && !t->given_up; lane += LINE_CLOCKS) {
		if (verifier->options->progress)
			verifier->options->progress(
				verifier->options->closure, "tokens", lane, t->nlane);
		if (!count_lanes(t, lane))
			return false;
	}
	return true;
}

bool ordo_verify_tokens(struct verifier *verifier)
{
	struct tokens t = {.verifier = verifier};
	const bool worked =
		(open_tokens(&t) && count_all(&t)) || ordo_fail_memory(verifier->findings.error);
	ordo_passes_close(&t.passes);
	free(t.lane_of);
	free(t.entered);
	if (!worked || !t.given_up)
		return worked;
	if (verifier->options->limits.tokens_in_flight)
		return ordo_fail(verifier->findings.error, ORDO_UNDECIDED, 0,
			"a stream of %u tasks is too long to count tokens over %u calls",
			t.span - 1, t.most_calls);
	verifier->findings.proof->tokens_in_flight = 0;
	return true;
}
