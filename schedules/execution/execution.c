/* execution.c - running a schedule by its order alone: what must come before a task, and everything
 * as far as it goes. All of it linear in tasks. */
#include "execution.h"
#include <ordo/arena.h>
#include <ordo/map.h>
#include <stdlib.h>
#include <string.h>

static uint32_t tasks_of(const struct course *course, uint32_t stream)
{
	return course->schedule->streams[stream].end - course->schedule->streams[stream].first;
}

uint32_t course_length(const struct course *course, uint32_t stream)
{
	return tasks_of(course, stream) * course->ncall;
}

static const struct ordo_program *program_of(const struct course *course, uint32_t stream)
{
	return &course->schedule->programs[course->schedule->streams[stream].rank];
}

/* Signals. */

struct names {
	struct ordo_map lane_of, signal_of;
	uint32_t nlane;
};

/* ORDO_NONE: no memory. */
static uint32_t name_signal(
	struct course *course, struct names *names, uint32_t from, uint32_t to, uint32_t number)
{
	uint32_t lane = ordo_map_get(&names->lane_of, from, to);
	if (lane == ORDO_NONE && !ordo_map_put(&names->lane_of, from, to, lane = names->nlane++))
		return ORDO_NONE;
	uint32_t index = ordo_map_get(&names->signal_of, lane, number);
	if (index != ORDO_NONE)
		return index;
	index = course->nsignal;
	if (!ordo_array_reserve(&course->signals, &course->signal_room, (size_t)index + 1,
		    sizeof *course->signals) ||
		!ordo_map_put(&names->signal_of, lane, number, index))
		return ORDO_NONE;
	course->signals[index] = (struct course_signal){.from = from,
		.to = to,
		.number = number,
		.notifier = ORDO_NONE,
		.waiter = ORDO_NONE};
	course->nsignal++;
	return index;
}

static bool use_signal(struct course *course, struct names *names, uint32_t stream, uint32_t task)
{
	const struct ordo_task *what = &course->schedule->tasks[task];
	const uint32_t rank = course->schedule->streams[stream].rank;
	const bool notifies = what->kind == ORDO_NOTIFY;
	const uint32_t index = name_signal(course, names, notifies ? rank : what->peer,
		notifies ? what->peer : rank, what->signal);
	if (index == ORDO_NONE)
		return ordo_fail_memory(course->error);
	struct course_signal *signal = &course->signals[index];
	uint32_t *user = notifies ? &signal->notifier : &signal->waiter;
	if (*user != ORDO_NONE && *user != stream)
		return ordo_fail(course->error, ORDO_USAGE, 5,
			"signal %u from rank %u to rank %u has two %s streams (R5): its tokens "
			"have no order",
			signal->number, signal->from, signal->to,
			notifies ? "notifying" : "waiting");
	*user = stream;
	course->signal_of[task] = index;
	course->ordinal[task] = notifies ? signal->nnotify++ : signal->nwait++;
	return true;
}

static bool number_signals(struct course *course)
{
	const struct ordo_schedule *schedule = course->schedule;
	struct names names = {0};
	bool worked = true;
	for (uint32_t s = 0; worked && s < schedule->nstream; s++)
		for (uint32_t t = schedule->streams[s].first;
			worked && t < schedule->streams[s].end; t++)
			if (!ordo_task_moves(&schedule->tasks[t]))
				worked = use_signal(course, &names, s, t);
	ordo_map_free(&names.lane_of);
	ordo_map_free(&names.signal_of);
	return worked;
}

static bool list_signals(struct course *course)
{
	const struct ordo_schedule *schedule = course->schedule;
	uint32_t nnotify = 0, nwait = 0;
	for (uint32_t i = 0; i < course->nsignal; i++) {
		course->signals[i].first_notify = nnotify;
		course->signals[i].first_wait = nwait;
		nnotify += course->signals[i].nnotify;
		nwait += course->signals[i].nwait;
	}
	course->notifies = malloc(((size_t)nnotify + 1) * sizeof *course->notifies);
	course->waits = malloc(((size_t)nwait + 1) * sizeof *course->waits);
	if (!course->notifies || !course->waits)
		return ordo_fail_memory(course->error);
	for (uint32_t t = 0; t < schedule->ntask; t++) {
		if (ordo_task_moves(&schedule->tasks[t]))
			continue;
		const struct course_signal *signal = &course->signals[course->signal_of[t]];
		if (schedule->tasks[t].kind == ORDO_NOTIFY)
			course->notifies[signal->first_notify + course->ordinal[t]] = t;
		else
			course->waits[signal->first_wait + course->ordinal[t]] = t;
	}
	return true;
}

bool course_open(struct course *course, const struct ordo_schedule *schedule, uint32_t ncall,
	struct ordo_error *error)
{
	const size_t ntask = (size_t)schedule->ntask + 1, nstream = (size_t)schedule->nstream + 1;
	*course = (struct course){.schedule = schedule, .ncall = ncall, .error = error};
	if ((uint64_t)schedule->ntask * ncall >= UINT32_MAX)
		return ordo_fail(error, ORDO_UNDECIDED, 0,
			"the schedule has too many tasks for an interleaving of %u calls", ncall);
	course->signal_of = malloc(ntask * sizeof *course->signal_of);
	course->ordinal = malloc(ntask * sizeof *course->ordinal);
	course->done = malloc(nstream * sizeof *course->done);
	course->want = malloc(nstream * sizeof *course->want);
	course->ready = malloc(nstream * sizeof *course->ready);
	course->is_ready = malloc(nstream);
	course->unfinished = malloc((size_t)schedule->problem.nrank * sizeof *course->unfinished);
	if (!course->signal_of || !course->ordinal || !course->done || !course->want ||
		!course->ready || !course->is_ready || !course->unfinished)
		return ordo_fail_memory(error);
	return number_signals(course) && list_signals(course);
}

void course_close(struct course *course)
{
	free(course->signal_of);
	free(course->ordinal);
	free(course->signals);
	free(course->notifies);
	free(course->waits);
	free(course->done);
	free(course->want);
	free(course->ready);
	free(course->is_ready);
	free(course->unfinished);
}

/* Streams of the rank that have tasks: the others end every call as it begins. */
static uint32_t busy_streams(const struct course *course, uint32_t rank)
{
	const struct ordo_program *program = &course->schedule->programs[rank];
	uint32_t n = 0;
	for (uint32_t s = program->first_stream; s < program->end_stream; s++)
		n += tasks_of(course, s) > 0;
	return n;
}

void course_begin(struct course *course, struct ordo_interleaving *out)
{
	const struct ordo_schedule *schedule = course->schedule;
	memset(course->done, 0, schedule->nstream * sizeof *course->done);
	memset(course->want, 0, schedule->nstream * sizeof *course->want);
	memset(course->is_ready, 0, schedule->nstream);
	course->nready = 0;
	course->ndone = 0;
	course->out = out;
	for (uint32_t i = 0; i < course->nsignal; i++) {
		course->signals[i].posted = course->signals[i].taken = 0;
		course->signals[i].parked = ORDO_NONE;
	}
	for (uint32_t rank = 0; rank < schedule->problem.nrank; rank++)
		course->unfinished[rank] = busy_streams(course, rank);
}

struct course_place course_place_of(const struct course *course, uint32_t task, uint32_t call)
{
	const uint32_t stream = ordo_stream_of(course->schedule, task);
	return (struct course_place){stream,
		call * tasks_of(course, stream) + task - course->schedule->streams[stream].first};
}

uint32_t course_notify_of(const struct course *course, uint32_t wait)
{
	const struct course_signal *signal = &course->signals[course->signal_of[wait]];
	return course->ordinal[wait] < signal->nnotify
		       ? course->notifies[signal->first_notify + course->ordinal[wait]]
		       : ORDO_NONE;
}

/* What must come before: a walk back from the step, over every stream as far as it is wanted,
 * once. */

struct walk {
	struct course *course;
	uint32_t *seen; /* [nstream] steps looked at */
	uint32_t *stack, nstack;
	uint8_t *stacked;
};

static void want(struct walk *walk, uint32_t stream, uint32_t steps)
{
	if (walk->course->want[stream] < steps)
		walk->course->want[stream] = steps;
	if (walk->seen[stream] >= walk->course->want[stream] || walk->stacked[stream])
		return;
	walk->stacked[stream] = 1;
	walk->stack[walk->nstack++] = stream;
}

/* A rank enters a call when all its streams have ended the one before. */
static void want_entering(struct walk *walk, uint32_t stream, uint32_t call)
{
	const struct ordo_program *program = program_of(walk->course, stream);
	for (uint32_t s = program->first_stream; s < program->end_stream; s++)
		want(walk, s, call * tasks_of(walk->course, s));
}

/* The j-th Wait of all calls takes the j-th Notify of all calls. false: there is none. */
static bool want_token(struct walk *walk, uint32_t task, uint32_t call)
{
	const struct course *course = walk->course;
	const struct course_signal *signal = &course->signals[course->signal_of[task]];
	const uint64_t j = (uint64_t)call * signal->nwait + course->ordinal[task];
	if (j >= (uint64_t)course->ncall * signal->nnotify)
		return false;
	const uint32_t notify = course->notifies[signal->first_notify + j % signal->nnotify];
	const struct course_place place =
		course_place_of(course, notify, (uint32_t)(j / signal->nnotify));
	want(walk, place.stream, place.step + 1);
	return true;
}

static bool look_at(struct walk *walk, uint32_t stream)
{
	const struct course *course = walk->course;
	const uint32_t length = tasks_of(course, stream),
		       first = course->schedule->streams[stream].first;
	while (walk->seen[stream] < course->want[stream]) {
		const uint32_t step = walk->seen[stream]++, call = step / length,
			       task = first + step % length;
		if (call && task == first)
			want_entering(walk, stream, call);
		if (course->schedule->tasks[task].kind == ORDO_WAIT &&
			!want_token(walk, task, call))
			return false;
	}
	return true;
}

bool course_want_before(struct course *course, uint32_t stream, uint32_t step)
{
	const size_t nstream = (size_t)course->schedule->nstream + 1;
	struct walk walk = {.course = course,
		.seen = malloc(nstream * sizeof *walk.seen),
		.stack = malloc(nstream * sizeof *walk.stack),
		.stacked = calloc(nstream, 1)};
	bool worked =
		walk.seen && walk.stack && walk.stacked ? true : ordo_fail_memory(course->error);
	if (worked) {
		/* What is wanted already is wanted with all that must come before it. */
		memcpy(walk.seen, course->want, course->schedule->nstream * sizeof *walk.seen);
		want(&walk, stream, step);
		/* The step itself may take a token or enter a call: that too must be possible. */
		const uint32_t length = tasks_of(course, stream), call = step / length,
			       task = course->schedule->streams[stream].first + step % length;
		if (call && step % length == 0)
			want_entering(&walk, stream, call);
		if (course->schedule->tasks[task].kind == ORDO_WAIT)
			worked = want_token(&walk, task, call);
	}
	while (worked && walk.nstack) {
		const uint32_t next = walk.stack[--walk.nstack];
		walk.stacked[next] = 0;
		worked = look_at(&walk, next);
	}
	free(walk.seen);
	free(walk.stack);
	free(walk.stacked);
	return worked;
}

void course_want_all(struct course *course)
{
	for (uint32_t s = 0; s < course->schedule->nstream; s++)
		course->want[s] = course_length(course, s);
}

/* Running. */

static bool record(struct course *course, uint32_t stream)
{
	struct ordo_interleaving *out = course->out;
	course->ndone++;
	if (!out)
		return true;
	if (out->nrun && out->runs[out->nrun - 1].stream == stream) {
		out->runs[out->nrun - 1].count++;
		return true;
	}
	if (!ordo_array_reserve(&out->runs, &out->room, (size_t)out->nrun + 1, sizeof *out->runs))
		return ordo_fail_memory(course->error);
	out->runs[out->nrun++] = (struct ordo_run){stream, 1};
	return true;
}

static void make_ready(struct course *course, uint32_t stream)
{
	if (course->is_ready[stream])
		return;
	course->is_ready[stream] = 1;
	course->ready[course->nready++] = stream;
}

/* A rank enters a call when all its streams have ended the calls before. */
static bool may_enter(const struct course *course, uint32_t stream, uint32_t call)
{
	const struct ordo_program *program = program_of(course, stream);
	for (uint32_t s = program->first_stream; s < program->end_stream; s++)
		if (course->done[s] < call * tasks_of(course, s))
			return false;
	return true;
}

/* The last stream of a rank to end a call lets all of them go on. */
static void end_call(struct course *course, uint32_t stream)
{
	const uint32_t rank = course->schedule->streams[stream].rank;
	const struct ordo_program *program = program_of(course, stream);
	if (--course->unfinished[rank])
		return;
	course->unfinished[rank] = busy_streams(course, rank);
	for (uint32_t s = program->first_stream; s < program->end_stream; s++)
		make_ready(course, s);
}

enum taken { TAKEN, NOT_NOW, NO_MEMORY };

static enum taken take_step(struct course *course, uint32_t stream)
{
	const uint32_t length = tasks_of(course, stream), step = course->done[stream],
		       call = step / length;
	const uint32_t task = course->schedule->streams[stream].first + step % length;
	const enum ordo_task_kind kind = (enum ordo_task_kind)course->schedule->tasks[task].kind;
	if (call && step % length == 0 && !may_enter(course, stream, call))
		return NOT_NOW;
	if (kind >= ORDO_NOTIFY) {
		struct course_signal *signal = &course->signals[course->signal_of[task]];
		if (kind == ORDO_WAIT && signal->posted == signal->taken) {
			signal->parked = stream;
			return NOT_NOW;
		}
		*(kind == ORDO_WAIT ? &signal->taken : &signal->posted) += 1;
		if (kind == ORDO_NOTIFY && signal->parked != ORDO_NONE) {
			make_ready(course, signal->parked);
			signal->parked = ORDO_NONE;
		}
	}
	course->done[stream]++;
	if (course->done[stream] % length == 0)
		end_call(course, stream);
	return record(course, stream) ? TAKEN : NO_MEMORY;
}

bool course_step(struct course *course, uint32_t stream)
{
	if (course->done[stream] == course_length(course, stream))
		return false;
	return take_step(course, stream) == TAKEN;
}

bool course_run(struct course *course)
{
	for (uint32_t s = course->schedule->nstream; s-- > 0;)
		make_ready(course, s);
	while (course->nready) {
		const uint32_t stream = course->ready[--course->nready];
		course->is_ready[stream] = 0;
		enum taken taken = TAKEN;
		while (taken == TAKEN && course->done[stream] < course->want[stream])
			taken = take_step(course, stream);
		if (taken == NO_MEMORY)
			return false;
	}
	return true;
}

bool course_is_complete(const struct course *course)
{
	return course->ndone == (uint64_t)course->schedule->ntask * course->ncall;
}
