/* replay.c - runs all ranks on one thread in a recorded interleaving, and calls an observer at
 * every step. */
#include "rounds.h"
#include "tasks/blocked.h"
#include "tasks/trace.h"
#include <inttypes.h>
#include <ordo/options.h>
#include <string.h>

/* Floats of these bytes are large enough to be visible in any sum. */
enum { SCRATCH_PATTERN = 0xEE };

struct replay_run {
	struct ordo_plan *plan;
	const struct ordo_interleaving *interleaving;
	uint32_t ncall;
	const struct ordo_watch *watch;
};

static uint32_t calls_ended(const struct replay_run *run, uint32_t stream)
{
	const struct ordo_plan *plan = run->plan;
	const struct ordo_stream *facts = &plan->schedule->streams[stream];
	const uint32_t ncall = plan->ranks[facts->rank].ncall_entered;
	return ncall - (ncall && plan->streams[stream].at < facts->end);
}

static void enter(const struct replay_run *run, uint32_t rank)
{
	struct ordo_plan *plan = run->plan;
	const struct ordo_program *program = &plan->schedule->programs[rank];
	struct rank_state *state = &plan->ranks[rank];
	unsigned char *scratch = state->memory[ORDO_SCRATCH];
	ordo_begin_run(plan, rank);
	state->streams_left = 0;
	for (uint32_t s = program->first_stream; s < program->end_stream; s++)
		state->streams_left +=
			plan->schedule->streams[s].first < plan->schedule->streams[s].end;
	if (scratch)
		memset(scratch, SCRATCH_PATTERN, plan->scratch_bytes);
	if (run->watch->entered)
		run->watch->entered(run->watch->closure, rank, state->ncall_entered);
	state->ncall_entered++;
}

static void leave(const struct replay_run *run, uint32_t rank)
{
	ordo_divide_round(run->plan, rank, 0);
	if (run->watch->left)
		run->watch->left(
			run->watch->closure, rank, run->plan->ranks[rank].ncall_entered - 1);
}

/* Ranks without tasks complete all their calls before the first step. */
static void begin(const struct replay_run *run)
{
	struct ordo_plan *plan = run->plan;
	memset(plan->scratch, SCRATCH_PATTERN, plan->scratch_bytes * plan->schedule->problem.nrank);
	for (uint32_t rank = 0; rank < plan->schedule->problem.nrank; rank++) {
		const struct ordo_program *program = &plan->schedule->programs[rank];
		struct rank_state *state = &plan->ranks[rank];
		uint32_t ntask = 0;
		state->ncall_entered = 0;
		state->streams_left = 0;
		for (uint32_t s = program->first_stream; s < program->end_stream; s++) {
			plan->streams[s].at = plan->schedule->streams[s].end;
			ntask += plan->schedule->streams[s].end - plan->schedule->streams[s].first;
		}
		while (!ntask && state->ncall_entered < run->ncall) {
			enter(run, rank);
			leave(run, rank);
		}
	}
}

static bool fail_at_step(const struct replay_run *run, uint32_t nth, uint32_t stream,
	struct ordo_error *error, const char *why)
{
	const struct ordo_stream *facts = &run->plan->schedule->streams[stream];
	return ordo_fail(error, ORDO_BAD_INPUT, 0,
		"run %" PRIu32 " of the interleaving: stream %" PRIu32 " (rank %" PRIu32
		", \"%.64s\") %s",
		nth, stream, facts->rank, facts->name, why);
}

/* Before the first task of a stream in a call: enters the rank, unless it has entered. */
static bool begin_call(
	const struct replay_run *run, uint32_t nth, uint32_t stream, struct ordo_error *error)
{
	struct ordo_plan *plan = run->plan;
	const struct ordo_stream *facts = &plan->schedule->streams[stream];
	struct rank_state *state = &plan->ranks[facts->rank];
	if (plan->streams[stream].at < facts->end)
		return true;
	if (facts->first == facts->end)
		return fail_at_step(run, nth, stream, error, "has no tasks");
	if (state->ncall_entered == run->ncall)
		return fail_at_step(run, nth, stream, error, "has no task left");
	if (state->streams_left)
		return fail_at_step(run, nth, stream, error,
			"would enter the next call, but another stream of its rank is still in "
			"this one");
	enter(run, facts->rank);
	return true;
}

static void report_step(const struct replay_run *run, uint32_t stream, bool done)
{
	const struct ordo_plan *plan = run->plan;
	const uint32_t rank = plan->schedule->streams[stream].rank;
	if (run->watch->stepping)
		run->watch->stepping(run->watch->closure, plan->ranks[rank].ncall_entered - 1,
			plan->streams[stream].at - done, done);
}

static bool step(
	const struct replay_run *run, uint32_t nth, uint32_t stream, struct ordo_error *error)
{
	struct ordo_plan *plan = run->plan;
	const struct ordo_stream *facts = &plan->schedule->streams[stream];
	uint32_t woken;
	if (!begin_call(run, nth, stream, error))
		return false;
	report_step(run, stream, false);
	switch (step_on(plan, stream, 0, &woken)) {
	case STEP_MOVED:
		break;
	case STEP_UNBOUND:
		return ordo_fail_unbound(plan, stream, error);
	case STEP_BLOCKED:
	case STEP_DONE:
		return fail_at_step(run, nth, stream, error,
			"waits for a token that has not been notified yet");
	}
	report_step(run, stream, true);
	if (plan->streams[stream].at == facts->end && !--plan->ranks[facts->rank].streams_left)
		leave(run, facts->rank);
	return true;
}

static bool is_complete(const struct replay_run *run)
{
	const struct ordo_schedule *schedule = run->plan->schedule;
	for (uint32_t s = 0; s < schedule->nstream; s++)
		if (schedule->streams[s].first < schedule->streams[s].end &&
			calls_ended(run, s) < run->ncall)
			return false;
	return true;
}

/* Either every call is complete, or no stream can continue, including those of ranks that have not
 * entered yet. */
static bool end(const struct replay_run *run, struct ordo_error *error)
{
	struct ordo_plan *plan = run->plan;
	const struct ordo_schedule *schedule = plan->schedule;
	if (is_complete(run))
		return true;
	for (uint32_t rank = 0; rank < schedule->problem.nrank; rank++)
		if (!plan->ranks[rank].streams_left && plan->ranks[rank].ncall_entered < run->ncall)
			enter(run, rank);
	for (uint32_t s = 0; s < schedule->nstream; s++)
		if (plan->streams[s].at < schedule->streams[s].end && !ordo_is_waiting(plan, s))
			return fail_at_step(run, run->interleaving->nrun, s, error,
				"could continue where the interleaving ends");
	/* All ranks that could enter have entered, so an absent rank waits in the call before:
	 * R7. */
	ordo_fail_blocked(plan, error);
	error->code = ORDO_REFUTED;
	error->rule = 7;
	error->hint[0] = '\0';
	return false;
}

static void report_leftover_tokens(const struct replay_run *run)
{
	const struct ordo_plan *plan = run->plan;
	for (uint32_t i = 0; run->watch->left_over && i < plan->nsignal; i++) {
		const struct ordo_signal *signal = &plan->signals[i];
		const uint32_t ntoken =
			((*signal_word(plan, i) >> 1) - plan->taken[i]) & (UINT32_MAX >> 1);
		if (ntoken)
			run->watch->left_over(run->watch->closure, signal->from, signal->to,
				signal->number, ntoken);
	}
}

static bool run_all(const struct replay_run *run, struct ordo_error *error)
{
	for (uint32_t i = 0; i < run->interleaving->nrun; i++) {
		const struct ordo_run *steps = &run->interleaving->runs[i];
		if (steps->stream >= run->plan->schedule->nstream)
			return ordo_fail(error, ORDO_BAD_INPUT, 0,
				"run %" PRIu32 " of the interleaving: there is no stream %" PRIu32,
				i, steps->stream);
		for (uint32_t n = 0; n < steps->count; n++)
			if (!step(run, i, steps->stream, error))
				return false;
	}
	return end(run, error);
}

static bool run_replay(struct ordo_plan *plan, const struct ordo_interleaving *interleaving,
	uint32_t ncall, const struct ordo_watch *watch, struct ordo_error *error)
{
	static const struct ordo_watch no_watch;
	const struct replay_run run = {plan, interleaving, ncall, watch ? watch : &no_watch};
	if (!ordo_plan_is_ready(plan, error))
		return false;
	if (plan->layout.nround > 1)
		return ordo_fail(error, ORDO_USAGE, 0,
			"a replay needs a plan that moves every chunk whole: tile_bytes = "
			"UINT64_MAX");
	begin(&run);
	const bool worked = run_all(&run, &plan->why);
	report_leftover_tokens(&run);
	/* An incomplete run leaves tokens and half-finished reductions behind. */
	if (!worked)
		atomic_store(&plan->stopped, STOPPED);
	return worked || ordo_fail_again(plan, error);
}

bool ordo_plan_run_replay_sized(size_t size, struct ordo_plan *plan,
	const struct ordo_interleaving *interleaving, uint32_t ncall,
	const struct ordo_watch *watch, struct ordo_error *error)
{
	struct ordo_watch own;
	return ordo_options_take(&own, sizeof own, watch, size, error)
		       ? run_replay(plan, interleaving, ncall, &own, error)
		       : false;
}

bool(ordo_plan_run_replay)(struct ordo_plan *plan, const struct ordo_interleaving *interleaving,
	uint32_t ncall, const struct ordo_watch *watch, struct ordo_error *error)
{
	return ordo_plan_run_replay_sized(
		ORDO_UP_TO(ordo_watch, left_over), plan, interleaving, ncall, watch, error);
}

const void *ordo_plan_slot(
	const struct ordo_plan *plan, uint32_t rank, enum ordo_buffer buffer, uint32_t slot)
{
	const struct layout *layout = &plan->layout;
	const unsigned char *memory = plan->ranks[rank].memory[buffer];
	return memory ? memory + slot_begin(layout, rank, buffer, slot) *
					 element_bytes(layout, buffer)
		      : NULL;
}
