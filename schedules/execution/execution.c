/* execution.c - interleavings of calls: the predecessors of a step, and greedy runs. All linear in
 * tasks. */
#include "execution.h"
#include <ordo/arena.h>
#include <stdlib.h>
#include <string.h>

static uint32_t tasks_of(const struct ordo_execution *execution, uint32_t stream)
{
	const struct ordo_stream *tasks = &execution->schedule->streams[stream];
	return tasks->end - tasks->first;
}

uint32_t ordo_execution_length(const struct ordo_execution *execution, uint32_t stream)
{
	return tasks_of(execution, stream) * execution->ncall;
}

static const struct ordo_program *program_of(
	const struct ordo_execution *execution, uint32_t stream)
{
	return &execution->schedule->programs[execution->schedule->streams[stream].rank];
}

/* The tokens of a signal with two notifying or two waiting streams have no order. */
static bool fail_shared(const struct ordo_execution *execution)
{
	const uint32_t task = execution->pairing.second_user,
		       index = execution->pairing.signal_of[task];
	const struct ordo_signal *signal = &execution->pairing.signals.items[index];
	return ordo_fail(execution->error, ORDO_USAGE, 5,
		"signal %u from rank %u to rank %u has two %s streams (R5): its tokens have no "
		"order",
		signal->number, signal->from, signal->to,
		execution->schedule->tasks[task].kind == ORDO_NOTIFY ? "notifying" : "waiting");
}

bool ordo_execution_open(struct ordo_execution *execution, const struct ordo_schedule *schedule,
	uint32_t ncall, struct ordo_error *error)
{
	const size_t nstream = (size_t)schedule->nstream + 1, nrank = schedule->problem.nrank;
	*execution = (struct ordo_execution){.schedule = schedule, .ncall = ncall, .error = error};
	if ((uint64_t)schedule->ntask * ncall >= UINT32_MAX)
		return ordo_fail(error, ORDO_UNDECIDED, 0,
			"the schedule has too many tasks for an interleaving of %u calls", ncall);
	execution->want = malloc(nstream * sizeof *execution->want);
	execution->call = malloc(nrank * sizeof *execution->call);
	execution->unfinished = malloc(nrank * sizeof *execution->unfinished);
	if (!execution->want || !execution->call || !execution->unfinished ||
		!ordo_pairing_open(&execution->pairing, schedule))
		return ordo_fail_memory(error);
	if (execution->pairing.second_user != ORDO_NONE)
		return fail_shared(execution);
	return ordo_greedy_open(&execution->greedy, schedule, execution->pairing.signal_of, 1,
		       execution->pairing.signals.count) ||
	       ordo_fail_memory(error);
}

void ordo_execution_close(struct ordo_execution *execution)
{
	ordo_pairing_close(&execution->pairing);
	ordo_greedy_close(&execution->greedy);
	free(execution->want);
	free(execution->call);
	free(execution->unfinished);
}

/* The number of the rank's streams that have tasks. */
static uint32_t busy_streams(const struct ordo_execution *execution, uint32_t rank)
{
	const struct ordo_program *program = &execution->schedule->programs[rank];
	uint32_t n = 0;
	for (uint32_t s = program->first_stream; s < program->end_stream; s++)
		n += tasks_of(execution, s) > 0;
	return n;
}

void ordo_execution_begin(struct ordo_execution *execution, struct ordo_interleaving *out)
{
	const struct ordo_schedule *schedule = execution->schedule;
	ordo_greedy_begin(&execution->greedy);
	memset(execution->want, 0, schedule->nstream * sizeof *execution->want);
	execution->out = out;
	for (uint32_t rank = 0; rank < schedule->problem.nrank; rank++) {
		execution->call[rank] = 0;
		execution->unfinished[rank] = busy_streams(execution, rank);
	}
}

struct ordo_step_place ordo_execution_place(
	const struct ordo_execution *execution, uint32_t task, uint32_t call)
{
	const struct ordo_schedule *schedule = execution->schedule;
	const uint32_t stream = ordo_stream_of(schedule, task);
	return (struct ordo_step_place){stream,
		call * tasks_of(execution, stream) + task - schedule->streams[stream].first};
}

uint32_t ordo_execution_done(const struct ordo_execution *execution, uint32_t stream)
{
	const struct ordo_stream *tasks = &execution->schedule->streams[stream];
	return execution->call[tasks->rank] * tasks_of(execution, stream) +
	       execution->greedy.next[stream] - tasks->first;
}

/* The predecessors of a step: a backward walk that visits each stream once, as far as it is
 * wanted. */

struct walk {
	struct ordo_execution *execution;
	uint32_t *seen; /* [nstream] steps visited */
	uint32_t *stack, nstack;
	uint8_t *stacked;
};

static void want(struct walk *walk, uint32_t stream, uint32_t steps)
{
	if (walk->execution->want[stream] < steps)
		walk->execution->want[stream] = steps;
	if (walk->seen[stream] >= walk->execution->want[stream] || walk->stacked[stream])
		return;
	walk->stacked[stream] = 1;
	walk->stack[walk->nstack++] = stream;
}

/* A rank enters a call when all its streams have ended the one before. */
static void want_entering(struct walk *walk, uint32_t stream, uint32_t call)
{
	const struct ordo_program *program = program_of(walk->execution, stream);
	for (uint32_t s = program->first_stream; s < program->end_stream; s++)
		want(walk, s, call * tasks_of(walk->execution, s));
}

/* The j-th Wait of all calls takes the j-th Notify of all calls. false: there is none. */
static bool want_token(struct walk *walk, uint32_t task, uint64_t call)
{
	const struct ordo_execution *execution = walk->execution;
	const uint32_t notify = ordo_pairing_notify_in_call(&execution->pairing, task, &call);
	if (notify == ORDO_NONE || call >= execution->ncall)
		return false;
	const struct ordo_step_place place =
		ordo_execution_place(execution, notify, (uint32_t)call);
	want(walk, place.stream, place.step + 1);
	return true;
}

static bool visit_stream(struct walk *walk, uint32_t stream)
{
	const struct ordo_execution *execution = walk->execution;
	const uint32_t length = tasks_of(execution, stream),
		       first = execution->schedule->streams[stream].first;
	while (walk->seen[stream] < execution->want[stream]) {
		const uint32_t step = walk->seen[stream]++, call = step / length,
			       task = first + step % length;
		if (call && task == first)
			want_entering(walk, stream, call);
		if (execution->schedule->tasks[task].kind == ORDO_WAIT &&
			!want_token(walk, task, call))
			return false;
	}
	return true;
}

bool ordo_execution_want_before(struct ordo_execution *execution, uint32_t stream, uint32_t step)
{
	const size_t nstream = (size_t)execution->schedule->nstream + 1;
	struct walk walk = {.execution = execution,
		.seen = malloc(nstream * sizeof *walk.seen),
		.stack = malloc(nstream * sizeof *walk.stack),
		.stacked = calloc(nstream, 1)};
	bool worked =
		walk.seen && walk.stack && walk.stacked ? true : ordo_fail_memory(execution->error);
	if (worked) {
		/* Predecessors of wanted steps are wanted already. */
		memcpy(walk.seen, execution->want,
			execution->schedule->nstream * sizeof *walk.seen);
		want(&walk, stream, step);
		/* The step itself may need a token or the entry to a call. */
		const uint32_t length = tasks_of(execution, stream), call = step / length,
			       task = execution->schedule->streams[stream].first + step % length;
		if (call && step % length == 0)
			want_entering(&walk, stream, call);
		if (execution->schedule->tasks[task].kind == ORDO_WAIT)
			worked = want_token(&walk, task, call);
	}
	while (worked && walk.nstack) {
		const uint32_t next = walk.stack[--walk.nstack];
		walk.stacked[next] = 0;
		worked = visit_stream(&walk, next);
	}
	free(walk.seen);
	free(walk.stack);
	free(walk.stacked);
	return worked;
}

void ordo_execution_want_all(struct ordo_execution *execution)
{
	for (uint32_t s = 0; s < execution->schedule->nstream; s++)
		execution->want[s] = ordo_execution_length(execution, s);
}

/* Running. */

/* Records a task of the run. */
static enum ordo_visit record(void *closure, uint32_t stream, uint32_t task)
{
	struct ordo_execution *execution = closure;
	struct ordo_interleaving *out = execution->out;
	(void)task;
	if (!out)
		return ORDO_VISIT_ON;
	if (out->nrun && out->runs[out->nrun - 1].stream == stream) {
		out->runs[out->nrun - 1].count++;
		return ORDO_VISIT_ON;
	}
	if (!ordo_array_reserve(&out->runs, &out->room, (size_t)out->nrun + 1, sizeof *out->runs)) {
		ordo_fail_memory(execution->error);
		return ORDO_VISIT_STOP;
	}
	out->runs[out->nrun++] = (struct ordo_run){stream, 1};
	return ORDO_VISIT_ON;
}

/* A rank enters a call when all its streams have ended the previous one: the last of them resumes
 * all. false: the rank has not entered another call. */
static bool end_call(struct ordo_execution *execution, uint32_t stream)
{
	const uint32_t rank = execution->schedule->streams[stream].rank;
	const struct ordo_program *program = program_of(execution, stream);
	if (--execution->unfinished[rank] || execution->call[rank] + 1 == execution->ncall)
		return false;
	execution->call[rank]++;
	execution->unfinished[rank] = busy_streams(execution, rank);
	for (uint32_t s = program->first_stream; s < program->end_stream; s++) {
		execution->greedy.next[s] = execution->schedule->streams[s].first;
		ordo_greedy_resume(&execution->greedy, s);
	}
	return true;
}

/* Runs one stream as far as wanted and possible. */
static bool advance(struct ordo_execution *execution, uint32_t stream)
{
	struct ordo_greedy *greedy = &execution->greedy;
	const uint32_t end = execution->schedule->streams[stream].end;
	do {
		const uint32_t done = ordo_execution_done(execution, stream),
			       left = end - greedy->next[stream], want = execution->want[stream],
			       more = want > done ? want - done : 0;
		if (!more || !left)
			return true;
		if (ordo_greedy_advance(greedy, stream,
			    greedy->next[stream] + (more < left ? more : left), record,
			    execution) != ORDO_VISIT_ON)
			return false;
	} while (greedy->next[stream] == end && end_call(execution, stream));
	return true;
}

bool ordo_execution_step(struct ordo_execution *execution, uint32_t stream)
{
	struct ordo_greedy *greedy = &execution->greedy;
	const uint32_t end = execution->schedule->streams[stream].end, at = greedy->next[stream];
	if (at == end ||
		ordo_greedy_advance(greedy, stream, at + 1, record, execution) != ORDO_VISIT_ON ||
		greedy->next[stream] == at)
		return false;
	if (greedy->next[stream] == end)
		end_call(execution, stream);
	return true;
}

bool ordo_execution_run(struct ordo_execution *execution)
{
	ordo_greedy_resume_all(&execution->greedy);
	while (execution->greedy.nready)
		if (!advance(execution, ordo_greedy_pop(&execution->greedy)))
			return false;
	return true;
}
