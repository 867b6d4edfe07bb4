/* witness.c - interleavings that show a broken rule.
 *
 *   R7      as far as it goes; by persistence (verify.c) every run stops there.
 *   R8, G2  a and b are unordered, so neither is among what must come before the other: all that
 *           must come before either, then a, b and the rest; and the same with b, a. The two
 *           interleavings differ in that one swap.
 *   R9      two calls, because a call that follows meets what the one before left behind. A task
 *           that may come before a rank has entered: all that must come before it (so that rank is
 *           as far back as it can be), then it; against everything that does not depend on it, then
 *           it. One that may come after a rank has left: the same two, exchanged.
 *   R6      a token left over: a second call, in which a Wait is let through by it at once; a Wait
 *           too many: as far as it goes.
 *   others  all that must come before the task, the task, the rest.
 */
#include "execution/execution.h"
#include <ordo/arena.h>
#include <stdlib.h>
#include <string.h>

struct witness {
	struct ordo_execution execution;
	struct ordo_replay *replay;
	struct ordo_error *error;
};

static void begin(struct witness *witness)
{
	struct ordo_replay *replay = witness->replay;
	ordo_execution_begin(&witness->execution, &replay->interleavings[replay->ninterleaving++]);
}

static bool run_rest(struct witness *witness)
{
	ordo_execution_want_all(&witness->execution);
	return ordo_execution_run(&witness->execution);
}

/* The search failed; unless memory did, for this reason. */
static bool fail_to_show(const struct witness *witness, const char *reason)
{
	if (witness->error->code == ORDO_ENVIRONMENT)
		return false;
	return ordo_fail(witness->error, ORDO_USAGE, 0, "no interleaving shows this: %s", reason);
}

/* The verifier found that the task can run here: it is next in its stream and not blocked. */
static bool step(struct witness *witness, struct ordo_step_place place)
{
	struct ordo_execution *execution = &witness->execution;
	if (ordo_execution_done(execution, place.stream) == place.step &&
		ordo_execution_step(execution, place.stream))
		return true;
	char reason[64];
	snprintf(reason, sizeof reason, "task %u cannot be reached in that order",
		execution->schedule->streams[place.stream].first + place.step);
	return fail_to_show(witness, reason);
}

static bool want_before(struct witness *witness, struct ordo_step_place place)
{
	return ordo_execution_want_before(&witness->execution, place.stream, place.step)
		       ? true
		       : fail_to_show(witness, "the task waits forever");
}

/* All that must come before, the tasks, the rest. */
static bool run_adjacent(
	struct witness *witness, const struct ordo_step_place *places, uint32_t nplace)
{
	bool worked = true;
	begin(witness);
	for (uint32_t i = 0; worked && i < nplace; i++)
		worked = want_before(witness, places[i]);
	worked = worked && ordo_execution_run(&witness->execution);
	for (uint32_t i = 0; worked && i < nplace; i++)
		worked = step(witness, places[i]);
	return worked && run_rest(witness);
}

/* Everything that does not depend on the task, then the task, the rest. */
static bool run_late(struct witness *witness, struct ordo_step_place place)
{
	begin(witness);
	ordo_execution_want_all(&witness->execution);
	witness->execution.want[place.stream] = place.step;
	return ordo_execution_run(&witness->execution) && step(witness, place) && run_rest(witness);
}

/* Which memory does a move touch: its source (target false) or what it writes? */
struct cells {
	uint32_t rank, first, count;
	enum ordo_buffer buffer;
};

static struct cells cells_of(const struct ordo_schedule *schedule, uint32_t task, bool target)
{
	const struct ordo_task *what = &schedule->tasks[task];
	const uint32_t rank = schedule->streams[ordo_stream_of(schedule, task)].rank;
	if (!target)
		return (struct cells){
			rank, what->src, what->count, (enum ordo_buffer)what->src_buffer};
	return (struct cells){ordo_task_crosses(what) ? what->peer : rank, what->dst, what->count,
		(enum ordo_buffer)what->dst_buffer};
}

/* In place, an input slot may be an output slot: that one's name. */
static struct cells name_cell(const struct ordo_schedule *schedule, struct cells cells, uint32_t i)
{
	struct cells cell = {cells.rank, cells.first + i, 1, cells.buffer};
	const uint32_t same =
		cell.buffer == ORDO_INPUT
			? ordo_in_place_output_slot(&schedule->problem, cell.rank, cell.first)
			: ORDO_NONE;
	if (same != ORDO_NONE)
		cell = (struct cells){cell.rank, same, 1, ORDO_OUTPUT};
	return cell;
}

static bool contains(struct cells cells, struct cells cell)
{
	return cells.rank == cell.rank && cells.buffer == cell.buffer &&
	       cell.first >= cells.first && cell.first - cells.first < cells.count;
}

/* A cell of one that is, by its own name or that of the same memory, a cell of the other. */
static bool finds_a_cell(const struct ordo_schedule *schedule, struct cells one, struct cells other,
	struct cells *shared)
{
	for (uint32_t i = 0; one.rank == other.rank && i < one.count; i++) {
		*shared = name_cell(schedule, one, i);
		if (contains(other, *shared) ||
			contains(other, (struct cells){one.rank, one.first + i, 1, one.buffer}))
			return true;
	}
	return false;
}

static bool share_a_cell(const struct ordo_schedule *schedule, struct cells one, struct cells other,
	struct cells *shared)
{
	return finds_a_cell(schedule, one, other, shared) ||
	       finds_a_cell(schedule, other, one, shared);
}

static void name_memory(struct ordo_replay *replay, struct cells cells)
{
	replay->memory_rank = cells.rank;
	replay->memory_buffer = cells.buffer;
	replay->memory_slot = cells.first;
}

/* The slot of which one writes what the other reads or writes. */
static void find_memory(const struct ordo_schedule *schedule, struct ordo_replay *replay)
{
	struct cells shared;
	const uint32_t a = replay->tasks[0].task, b = replay->tasks[1].task;
	if (replay->ntask == 1 && ordo_task_moves(&schedule->tasks[a])) {
		name_memory(replay, cells_of(schedule, a, true));
		return;
	}
	if (replay->ntask < 2 || !ordo_task_moves(&schedule->tasks[a]) ||
		!ordo_task_moves(&schedule->tasks[b]))
		return;
	for (int sides = 3; sides > 0; sides--)
		if (share_a_cell(schedule, cells_of(schedule, a, sides & 1),
			    cells_of(schedule, b, sides & 2), &shared)) {
			name_memory(replay, shared);
			return;
		}
}

static bool show_pair(struct witness *witness, const uint32_t tasks[2])
{
	struct ordo_replay *replay = witness->replay;
	struct ordo_execution *execution = &witness->execution;
	const struct ordo_step_place places[2] = {ordo_execution_place(execution, tasks[0], 0),
		ordo_execution_place(execution, tasks[1], 0)};
	const struct ordo_step_place exchanged[2] = {places[1], places[0]};
	replay->ntask = 2;
	replay->tasks[0].task = tasks[0];
	replay->tasks[1].task = tasks[1];
	find_memory(execution->schedule, replay);
	return run_adjacent(witness, places, 2) && run_adjacent(witness, exchanged, 2);
}

static bool show_task(struct witness *witness, uint32_t task)
{
	const struct ordo_step_place place = ordo_execution_place(&witness->execution, task, 0);
	witness->replay->ntask = 1;
	witness->replay->tasks[0].task = task;
	find_memory(witness->execution.schedule, witness->replay);
	return run_adjacent(witness, &place, 1);
}

static bool show_all(struct witness *witness)
{
	begin(witness);
	return run_rest(witness);
}

/* Must some step of the second call of that rank come before that place? */
static bool follows_entering(
	struct witness *witness, struct ordo_step_place place, uint32_t rank, bool *follows)
{
	struct ordo_execution *execution = &witness->execution;
	const struct ordo_program *program = &execution->schedule->programs[rank];
	ordo_execution_begin(execution, NULL);
	if (!want_before(witness, place))
		return false;
	*follows = false;
	for (uint32_t s = program->first_stream; s < program->end_stream; s++)
		*follows = *follows || execution->want[s] > ordo_execution_length(execution, s) / 2;
	return true;
}

/* In the second call the task may come before the peer enters it; or in the first after it left. */
static bool show_touch(struct witness *witness, uint32_t task)
{
	struct ordo_execution *execution = &witness->execution;
	struct ordo_replay *replay = witness->replay;
	const struct ordo_step_place again = ordo_execution_place(execution, task, 1),
				     once = ordo_execution_place(execution, task, 0);
	bool entered;
	if (!follows_entering(witness, again, execution->schedule->tasks[task].peer, &entered))
		return false;
	replay->ntask = 1;
	replay->tasks[0] = (struct ordo_replay_task){!entered, task};
	find_memory(execution->schedule, replay);
	if (entered)
		return run_adjacent(witness, &once, 1) && run_late(witness, once);
	return run_late(witness, again) && run_adjacent(witness, &again, 1);
}

/* In the second call the first Wait is let through by what the first call left over. */
static bool show_left_over(struct witness *witness, uint32_t signal)
{
	struct ordo_execution *execution = &witness->execution;
	const struct ordo_pairing *pairing = &execution->pairing;
	const uint32_t wait = pairing->waits[pairing->first_wait[signal]];
	const struct ordo_step_place place = ordo_execution_place(execution, wait, 1);
	witness->replay->ntask = 1;
	witness->replay->tasks[0] = (struct ordo_replay_task){1, wait};
	begin(witness);
	if (ordo_execution_want_before(execution, place.stream, place.step) &&
		ordo_execution_run(execution) &&
		ordo_execution_done(execution, place.stream) == place.step &&
		ordo_execution_step(execution, place.stream))
		return run_rest(witness);
	if (witness->error->code == ORDO_ENVIRONMENT)
		return false;
	/* Something else keeps it from getting there. */
	witness->replay->ntask = 0;
	ordo_execution_begin(execution, execution->out);
	execution->out->nrun = 0;
	return run_rest(witness);
}

static bool show_balance(struct witness *witness, uint32_t task)
{
	const struct ordo_execution *execution = &witness->execution;
	const uint32_t index = execution->pairing.signal_of[task];
	const struct ordo_signal *signal = &execution->pairing.signals.items[index];
	const bool left_over =
		execution->ncall > 1 && signal->nnotify > signal->nwait && signal->nwait;
	if (left_over)
		return show_left_over(witness, index);
	return show_all(witness);
}

static uint32_t calls_for(int rule)
{
	return rule == 9 || rule == 6 ? 2 : 1;
}

static bool show(struct witness *witness, const struct ordo_finding *finding)
{
	switch (finding->rule) {
	case 6:
		return show_balance(witness, finding->tasks[0]);
	case 8:
		return finding->ntask == 2 ? show_pair(witness, finding->tasks)
					   : show_task(witness, finding->tasks[0]);
	case 9:
		return show_touch(witness, finding->tasks[0]);
	case 10:
		return show_task(witness, finding->tasks[0]);
	default:
		return show_all(witness);
	}
}

/* Wrong contents show by comparison with what is demanded, of Custom nothing. */
static bool has_interleaving(const struct ordo_problem *problem, int rule)
{
	return rule >= 6 && rule <= (problem->op == ORDO_CUSTOM ? 9 : 11);
}

static struct ordo_replay *make_replay(const struct ordo_schedule *schedule,
	const struct ordo_finding *finding, const char *shows, struct ordo_error *error)
{
	struct ordo_replay *replay = calloc(1, sizeof *replay);
	if (!replay) {
		ordo_fail_memory(error);
		return NULL;
	}
	struct ordo_error why = {.code = ORDO_OK};
	struct witness witness = {.replay = replay, .error = &why};
	replay->ncall = calls_for(finding->rule);
	replay->memory_rank = ORDO_NONE;
	snprintf(replay->shows, sizeof replay->shows, "%s", shows);
	replay->text = ordo_arena_text(&replay->arena, finding->text, strlen(finding->text));
	bool worked = replay->text ? ordo_schedule_digest(schedule, replay->digest, &why)
				   : ordo_fail_memory(&why);
	if (worked) {
		worked = ordo_execution_open(&witness.execution, schedule, replay->ncall, &why) &&
			 show(&witness, finding);
		ordo_execution_close(&witness.execution);
	}
	if (worked)
		return replay;
	ordo_replay_destroy(replay);
	if (error)
		*error = why;
	return NULL;
}

struct ordo_replay *ordo_replay_of_finding(const struct ordo_schedule *schedule,
	const struct ordo_finding *finding, struct ordo_error *error)
{
	char shows[8];
	snprintf(shows, sizeof shows, "R%d", finding->rule);
	if (has_interleaving(&schedule->problem, finding->rule))
		return make_replay(schedule, finding, shows, error);
	ordo_fail(error, ORDO_USAGE, 0,
		finding->rule == 10 || finding->rule == 11
			? "%s of Custom: nothing says which contents would be right, so no "
			  "interleaving shows it"
			: "%s is about the document itself or its limits: no interleaving shows it",
		shows);
	return NULL;
}

struct ordo_replay *ordo_replay_of_order(const struct ordo_schedule *schedule,
	const uint32_t tasks[2], const char *text, struct ordo_error *error)
{
	const struct ordo_finding finding = {.rule = 8, .ntask = 2, .tasks = tasks, .text = text};
	return make_replay(schedule, &finding, "G2", error);
}
