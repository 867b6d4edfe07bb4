/* seeded.c - runs all ranks on one thread; a seed picks the next stream, so that tests can repeat
 * an interleaving. Signals are counters, or flags of one bit each. */
#include "rounds.h"
#include "tasks/blocked.h"
#include "tasks/task_error.h"
#include "tasks/trace.h"
#include <inttypes.h>
#include <ordo/mix.h>

/* splitmix64: every seed, 0 too, gives a good sequence. */
static uint64_t next_random(uint64_t *state)
{
	return ordo_mix(*state += UINT64_C(0x9e3779b97f4a7c15));
}

struct seeded_run {
	struct ordo_plan *plan;
	uint32_t nrunnable; /* streams in plan->runnable */
	uint32_t nrunning;  /* ranks */
	bool flags;	    /* a signal is one bit: setting it twice is an error */
};

static void begin_rank(struct seeded_run *run, uint32_t rank)
{
	const struct ordo_program *program = &run->plan->schedule->programs[rank];
	ordo_begin_run(run->plan, rank);
	run->nrunning += program->first_stream < program->end_stream;
	for (uint32_t s = program->first_stream; s < program->end_stream; s++)
		run->plan->runnable[run->nrunnable++] = s;
}

static void end_stream(struct seeded_run *run, uint32_t stream)
{
	bool complete;
	for (uint32_t s = ordo_end_stream(run->plan, stream, &complete); s != ORDO_NONE;
		s = run->plan->streams[s].next)
		run->plan->runnable[run->nrunnable++] = s;
	run->nrunning -= complete;
}

/* Does the stream not set a flag that is set? */
static bool may_go_on(const struct ordo_plan *plan, uint32_t stream, struct ordo_error *error)
{
	const uint32_t at = plan->streams[stream].at;
	if (at == plan->schedule->streams[stream].end ||
		plan->schedule->tasks[at].kind != ORDO_NOTIFY)
		return true;
	const uint32_t signal = plan->signal_of[at];
	const struct ordo_signal *ends = &plan->signals[signal];
	if (atomic_load_explicit(signal_word(plan, signal), memory_order_relaxed) >> 1 ==
		(plan->taken[signal] & (UINT32_MAX >> 1)))
		return true;
	ordo_fail_task(plan->schedule, at, 13, error,
		"sets a flag that is set: rank %" PRIu32 " has not waited for the last Notify of "
		"signal %" PRIu32 " from rank %" PRIu32 " yet (round %" PRIu64 " of rank %" PRIu32
		", round %" PRIu64 " of rank %" PRIu32 ")",
		ends->to, ends->number, ends->from, plan->streams[stream].round, ends->from,
		plan->streams[ends->waiter].round, ends->to);
	return ordo_hint(error, "`ordo compile --max-tokens 1` compiles for flags");
}

static bool step_one(struct seeded_run *run, uint32_t pick, struct ordo_error *error)
{
	uint32_t *runnable = run->plan->runnable;
	const uint32_t stream = runnable[pick];
	uint32_t woken;
	if (run->flags && !may_go_on(run->plan, stream, error))
		return false;
	switch (step_on(run->plan, stream, 0, &woken)) {
	case STEP_MOVED:
		if (woken != ORDO_NONE)
			runnable[run->nrunnable++] = woken;
		break;
	case STEP_BLOCKED:
		runnable[pick] = runnable[--run->nrunnable];
		break;
	case STEP_DONE:
		runnable[pick] = runnable[--run->nrunnable];
		end_stream(run, stream);
		break;
	case STEP_UNBOUND:
		return ordo_fail_unbound(run->plan, stream, error);
	}
	return true;
}

static bool abort_run(struct ordo_plan *plan)
{
	atomic_store(&plan->stopped, STOPPED);
	return false;
}

static bool run_seeded(struct ordo_plan *plan, uint64_t seed, bool flags, struct ordo_error *error)
{
	if (!ordo_plan_is_ready(plan, error))
		return false;
	const uint32_t nrank = plan->schedule->problem.nrank;
	struct seeded_run run = {.plan = plan, .flags = flags};
	for (uint32_t r = 0; r < nrank; r++)
		begin_rank(&run, r);
	while (run.nrunnable) {
		uint32_t pick = (uint32_t)((next_random(&seed) >> 32) * run.nrunnable >> 32);
		if (!step_one(&run, pick, &plan->why))
			return abort_run(plan), ordo_fail_again(plan, error);
	}
	if (!run.nrunning)
		return true;
	ordo_fail_blocked(plan, &plan->why);
	abort_run(plan);
	return ordo_fail_again(plan, error);
}

bool ordo_plan_run_seeded(struct ordo_plan *plan, uint64_t seed, struct ordo_error *error)
{
	return run_seeded(plan, seed, false, error);
}

bool ordo_plan_run_flags(struct ordo_plan *plan, uint64_t seed, struct ordo_error *error)
{
	const uint32_t window = plan->window;
	plan->window = 1;
	const bool worked = run_seeded(plan, seed, true, error);
	plan->window = window;
	return worked;
}
