/* tokens.c - the most tokens that a signal of a symmetric schedule holds in any number of calls
 * (R13).
 *
 * As verify/passes/tokens.c counts them for a whole schedule: one run of all Notify and Wait for
 * each call. The clocks of a call begin where those of the one before ended, and what rank 0 knows
 * when it enters the next is what its streams knew when it left.
 */
#include "quotient.h"
#include <stdlib.h>
#include <string.h>

/* Without a limit, tokens are counted only if all clocks have at most so many entries, and the run
 * of one call looked at so many, */
#define CHEAP_ENTRIES (UINT64_C(1) << 22)
#define CHEAP_WORK (UINT64_C(1) << 24)
/* and over at most so many calls. */
enum { MOST_CALLS = 64 };

struct count {
	uint32_t *entered, *left; /* [nstream * order] */
	size_t nentry;
	uint32_t most_calls;
	bool limited; /* in calls, by a limit or by the caller */
};

static uint64_t count_behind(const struct quotient *q, const struct orbit *orbit, uint32_t known)
{
	const uint32_t span = q->program.ntask + 1, *waits = q->orbits.waits + orbit->first_wait;
	const uint64_t given = (uint64_t)q->clocks.base / span * orbit->nnotify + orbit->posted;
	if (!known)
		return given;
	const uint32_t before = (known - 1) / span, end = known - before * span;
	uint32_t low = 0;
	for (uint32_t high = orbit->nwait; low < high;) {
		const uint32_t middle = low + (high - low) / 2;
		if (waits[middle] < end)
			low = middle + 1;
		else
			high = middle;
	}
	return given - (uint64_t)before * orbit->nwait - low;
}

static bool step(struct quotient *q, uint32_t task)
{
	struct ordo_proof *proof = q->findings.proof;
	const struct orbit *orbit = &q->orbits.items[q->link[task]];
	const unsigned kind = q->program.tasks[task].kind;
	if (kind == ORDO_WAIT)
		return ordo_quotient_wait(q, task);
	if (kind != ORDO_NOTIFY)
		return true;
	if (!ordo_quotient_notify(q, task))
		return false;
	const uint32_t known =
		ordo_quotient_known(q, q->stream_of[task], orbit->waiter, orbit->offset);
	const uint64_t ntoken = count_behind(q, orbit, known);
	if (!known)
		q->orbits.unknown = task;
	if (ntoken > proof->tokens_in_flight) {
		proof->tokens_in_flight = ntoken < ORDO_LIMIT ? (uint32_t)ntoken : ORDO_LIMIT;
		q->orbits.fullest = task;
	}
	return true;
}

static bool run_call(struct quotient *q, struct count *count, uint32_t call)
{
	q->clocks.base = call * (q->program.ntask + 1);
	q->orbits.unknown = ORDO_NONE;
	for (uint32_t i = 0; i < q->orbits.count; i++)
		q->orbits.items[i].posted = q->orbits.items[i].taken = 0;
	if (!ordo_quotient_enter(q, count->entered) || !ordo_quotient_run(q, step))
		return false;
	memcpy(count->left, count->entered, count->nentry * sizeof *count->left);
	ordo_quotient_leave(q, (call + 1) * (q->program.ntask + 1), count->left);
	return true;
}

/* Does rank 0 know as much when it leaves, counted back from there, as when it entered? */
static bool is_same(const struct quotient *q, const struct count *count)
{
	for (size_t i = 0; i < count->nentry; i++)
		if (count->left[i] !=
			(count->entered[i] ? count->entered[i] + q->program.ntask + 1 : 0))
			return false;
	return true;
}

static bool count_calls(struct quotient *q, struct count *count)
{
	const bool repeats = !q->options->token_calls;
	for (uint32_t call = 0; call < count->most_calls; call++) {
		if (((uint64_t)call + 1) * (q->program.ntask + 1) > UINT32_MAX)
			return ordo_fail(q->findings.error, ORDO_UNDECIDED, 0,
				"a program of %u tasks is too long to count tokens over %u calls",
				q->program.ntask, count->most_calls);
		if (!run_call(q, count, call))
			return false;
		const bool same = is_same(q, count), all_known = q->orbits.unknown == ORDO_NONE;
		uint32_t *entered = count->entered;
		count->entered = count->left;
		count->left = entered;
		if (same && repeats && !all_known) {
			q->findings.proof->tokens_in_flight = ORDO_UNBOUNDED;
			q->orbits.fullest = q->orbits.unknown;
		}
		if (same && (repeats || all_known))
			return true;
	}
	if (!count->limited)
		q->findings.proof->tokens_in_flight = 0;
	return true;
}

static uint32_t most_calls(const struct quotient *q)
{
	const uint32_t allowed = q->options->limits.tokens_in_flight;
	if (q->options->token_calls)
		return q->options->token_calls;
	if (!allowed)
		return MOST_CALLS;
	return allowed < ORDO_LIMIT ? allowed + 1 : ORDO_LIMIT;
}

bool ordo_quotient_count_tokens(struct quotient *q)
{
	const uint32_t allowed = q->options->limits.tokens_in_flight, nstream = q->program.nstream;
	struct count count = {.nentry = (size_t)nstream * q->group->order,
		.most_calls = most_calls(q),
		.limited = allowed || q->options->token_calls};
	if (!q->findings.proof->complete || !q->orbits.count ||
		(!allowed &&
			(count.nentry * nstream > CHEAP_ENTRIES || q->clocks.work > CHEAP_WORK)))
		return true;
	count.entered = calloc(count.nentry + 1, sizeof *count.entered);
	count.left = calloc(count.nentry + 1, sizeof *count.left);
	const bool worked = count.entered && count.left ? count_calls(q, &count)
							: ordo_fail_memory(q->findings.error);
	free(count.entered);
	free(count.left);
	return worked;
}
