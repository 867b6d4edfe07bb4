/* trace_read.c - reads the timeline of a run from its trace. */
#include "trace_read.h"
#include "trace_events.h"
#include <inttypes.h>
#include <math.h>
#include <ordo/arena.h>
#include <ordo/document.h>
#include <stdlib.h>
#include <string.h>

/* One task in one round. */
struct slice {
	uint64_t call, round;
	uint64_t begin_ns, end_ns;
	uint32_t task, worker;
	uint32_t line;
	bool unfinished;
};

struct slices {
	const struct ordo_schedule *schedule;
	struct events events;
	struct slice *items;
	size_t count, room;
	bool replayed;
};

/* A round of a call: slices[first .. end). */
struct extent {
	uint64_t call, round;
	size_t first, end;
	uint64_t begin_ns, end_ns;
};

static bool fail_other(const struct slices *slices, struct ordo_error *error)
{
	fail_event(&slices->events, error,
		"a trace of another schedule: it has a task that this schedule lacks");
	return ordo_hint(error, "draw a trace with the schedule that was run");
}

/* An integer of 0 .. 2^53. */
static bool read_count(const cJSON *object, const char *name, uint64_t *count)
{
	const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, name);
	if (!cJSON_IsNumber(item) || !(item->valuedouble >= 0) ||
		item->valuedouble > 9007199254740992.0 ||
		floor(item->valuedouble) < item->valuedouble)
		return false;
	*count = (uint64_t)item->valuedouble;
	return true;
}

/* Microseconds, with three decimal places. */
static bool read_time(const cJSON *object, const char *name, uint64_t *ns)
{
	const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, name);
	if (!cJSON_IsNumber(item) || !(item->valuedouble >= 0) || item->valuedouble > 1e15)
		return false;
	*ns = (uint64_t)llround(item->valuedouble * 1000);
	return true;
}

/* Processes are ranks and threads are streams; those of a second interleaving follow. */
static bool find_task(const struct slices *slices, const cJSON *event, const cJSON *about,
	uint32_t *task, uint64_t *interleaving)
{
	const struct ordo_schedule *schedule = slices->schedule;
	uint64_t process, thread, index;
	if (!read_count(event, "pid", &process) || !read_count(event, "tid", &thread) || !thread ||
		!schedule->nstream || !read_count(about, "index", &index))
		return false;
	const struct ordo_stream *stream = &schedule->streams[(thread - 1) % schedule->nstream];
	*interleaving = (thread - 1) / schedule->nstream;
	if (process / schedule->problem.nrank != *interleaving ||
		process % schedule->problem.nrank != stream->rank ||
		index >= stream->end - stream->first)
		return false;
	*task = stream->first + (uint32_t)index;
	char text[128];
	ordo_task_print(&schedule->tasks[*task], text, sizeof text);
	const cJSON *written = cJSON_GetObjectItemCaseSensitive(about, "task");
	return cJSON_IsString(written) && !strcmp(written->valuestring, text);
}

static bool keep_slice(struct slices *slices, const cJSON *event, struct ordo_error *error)
{
	const cJSON *about = cJSON_GetObjectItemCaseSensitive(event, "args");
	struct slice slice = {.line = slices->events.event_line};
	uint64_t interleaving, worker, length;
	if (!cJSON_IsObject(about) || !read_time(event, "ts", &slice.begin_ns) ||
		!read_time(event, "dur", &length) || !read_count(about, "call", &slice.call) ||
		!read_count(about, "round", &slice.round) ||
		!read_count(about, "worker", &worker) || worker > UINT32_MAX)
		return fail_event(&slices->events, error,
			"found a slice that is not a task, wanted what `ordo run --trace` writes");
	if (!find_task(slices, event, about, &slice.task, &interleaving))
		return fail_other(slices, error);
	slice.end_ns = slice.begin_ns + length;
	slice.worker = (uint32_t)worker;
	slice.unfinished = cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(about, "unfinished"));
	slices->replayed |= interleaving > 0;
	if (interleaving)
		return true;
	if (!ordo_array_reserve(&slices->items, &slices->room, slices->count + 1, sizeof slice))
		return ordo_fail_memory(error);
	slices->items[slices->count++] = slice;
	return true;
}

/* Checks the schedule named in the trace, if it is named. */
static bool check_about(const struct slices *slices, struct ordo_error *error)
{
	const cJSON *about = slices->events.about;
	const struct ordo_problem *problem = &slices->schedule->problem;
	const char *op = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(about, "operator"));
	const char *wanted = ordo_operator_facts(problem->op)->name;
	uint64_t nrank;
	if (!about)
		return true;
	if (!op || !read_count(about, "ranks", &nrank))
		return fail_event(&slices->events, error,
			"found \"otherData\" of another program, wanted a trace that `ordo run "
			"--trace` wrote");
	if (!strcmp(op, wanted) && nrank == problem->nrank)
		return true;
	fail_event(&slices->events, error,
		"a trace of another schedule: found %.40s on %" PRIu64
		" ranks, wanted %s on %" PRIu32,
		op, nrank, wanted, problem->nrank);
	return ordo_hint(error, "draw a trace with the schedule that was run");
}

/* The slice inside a Wait at which an arrow ends. */
static bool is_token(const cJSON *event)
{
	const char *name = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(event, "name"));
	return name && !strcmp(name, "token");
}

static bool read_slices(struct slices *slices, FILE *in, const char *name, struct ordo_error *error)
{
	struct ordo_error why;
	error = error ? error : &why;
	if (!open_events(&slices->events, in, name, error) || !check_about(slices, error))
		return false;
	bool worked = true;
	for (cJSON *event; worked && (event = next_event(&slices->events, error));) {
		const char *kind =
			cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(event, "ph"));
		if (!kind)
			worked = fail_event(
				&slices->events, error, "found no event, which has a \"ph\"");
		else if (!strcmp(kind, "X") && !is_token(event))
			worked = keep_slice(slices, event, error);
		cJSON_Delete(event);
	}
	if (!worked || error->code != ORDO_OK || !check_about(slices, error))
		return false;
	return slices->count || fail_event(&slices->events, error, "found no task in this trace");
}

static int compare_slices(const void *left, const void *right)
{
	const struct slice *a = left, *b = right;
	if (a->call != b->call)
		return a->call < b->call ? -1 : 1;
	if (a->round != b->round)
		return a->round < b->round ? -1 : 1;
	if (a->task != b->task)
		return a->task < b->task ? -1 : 1;
	return a->line < b->line ? -1 : a->line > b->line;
}

/* Splits sorted slices into rounds, and checks that each task occurs once in each. NULL: see
 * error. */
static struct extent *find_extents(
	const struct slices *slices, const char *name, size_t *nextent, struct ordo_error *error)
{
	struct extent *extents = NULL;
	size_t room = 0;
	*nextent = 0;
	for (size_t i = 0; i < slices->count; i++) {
		const struct slice *slice = &slices->items[i];
		const bool begins =
			!i || slice->call != slice[-1].call || slice->round != slice[-1].round;
		if (!begins && slice->task == slice[-1].task) {
			ordo_fail(error, ORDO_BAD_INPUT, 0,
				"found a task twice in one round, first in line %" PRIu32,
				slice[-1].line);
			if (error) {
				snprintf(error->file, sizeof error->file, "%s", name);
				error->line = slice->line;
			}
			free(extents);
			return NULL;
		}
		if (begins) {
			if (!ordo_array_reserve(&extents, &room, *nextent + 1, sizeof *extents)) {
				ordo_fail_memory(error);
				free(extents);
				return NULL;
			}
			extents[(*nextent)++] = (struct extent){.call = slice->call,
				.round = slice->round,
				.first = i,
				.begin_ns = UINT64_MAX};
		}
		struct extent *extent = &extents[*nextent - 1];
		extent->end = i + 1;
		extent->begin_ns =
			slice->begin_ns < extent->begin_ns ? slice->begin_ns : extent->begin_ns;
		extent->end_ns = slice->end_ns > extent->end_ns ? slice->end_ns : extent->end_ns;
	}
	return extents;
}

static int compare_lengths(const void *left, const void *right)
{
	const struct extent *a = left, *b = right;
	const uint64_t x = a->end_ns - a->begin_ns, y = b->end_ns - b->begin_ns;
	if (x != y)
		return x < y ? -1 : 1;
	return a->round < b->round ? -1 : a->round > b->round;
}

static bool fail_choice(const char *name, struct ordo_error *error, const char *what,
	uint64_t found, uint64_t first, uint64_t last)
{
	ordo_fail(error, ORDO_USAGE, 0,
		"--%s: found %" PRIu64 ", wanted one of %" PRIu64 "..%" PRIu64
		" that the trace has",
		what, found, first, last);
	if (error)
		snprintf(error->file, sizeof error->file, "%s", name);
	return false;
}

/* Finds the requested round, and its call. */
static bool choose_round(const char *name, struct extent *extents, size_t nextent, uint64_t call,
	uint64_t round, struct traced *traced, struct extent *chosen, struct ordo_error *error)
{
	traced->first_call = extents[0].call;
	traced->last_call = extents[nextent - 1].call;
	for (size_t i = 0; i < nextent; i++)
		traced->ncall += !i || extents[i].call != extents[i - 1].call;
	call = call == LATEST_CALL ? traced->last_call : call;
	size_t first = 0, end;
	while (first < nextent && extents[first].call != call)
		first++;
	for (end = first; end < nextent && extents[end].call == call;)
		end++;
	if (first == end)
		return fail_choice(
			name, error, "call", call, traced->first_call, traced->last_call);
	uint64_t begin_ns = UINT64_MAX, end_ns = 0;
	for (size_t i = first; i < end; i++) {
		begin_ns = extents[i].begin_ns < begin_ns ? extents[i].begin_ns : begin_ns;
		end_ns = extents[i].end_ns > end_ns ? extents[i].end_ns : end_ns;
	}
	traced->call_seconds = (double)(end_ns - begin_ns) * 1e-9;
	traced->nround = end - first;
	const uint64_t last_round = extents[end - 1].round, first_round = extents[first].round;
	qsort(extents + first, end - first, sizeof *extents, compare_lengths);
	*chosen = extents[first + (end - first - 1) / 2];
	if (round != MIDDLE_ROUND) {
		size_t i = first;
		while (i < end && extents[i].round != round)
			i++;
		if (i == end)
			return fail_choice(name, error, "round", round, first_round, last_round);
		*chosen = extents[i];
	}
	traced->call = chosen->call;
	traced->round = chosen->round;
	return true;
}

/* A Wait may end before its Notify does; then the Notify's end is set just before the Wait's. */
static void clip_notifies(struct ordo_timeline *timeline, const bool *absent)
{
	const struct ordo_schedule *schedule = timeline->schedule;
	for (uint32_t i = 0; i < schedule->ntask; i++) {
		struct ordo_timed_task *wait = &timeline->tasks[i];
		if (schedule->tasks[i].kind != ORDO_WAIT || wait->notify == ORDO_NONE)
			continue;
		struct ordo_timed_task *notify = &timeline->tasks[wait->notify];
		if (absent[wait->notify] || absent[i] || notify->begin > wait->end)
			wait->notify = ORDO_NONE;
		else if (notify->end >= wait->end)
			notify->end = fmax(notify->begin, wait->end - 1e-9);
	}
}

/* The tasks of a thread, in the order in which they ran. */
struct turn {
	uint32_t worker, task;
	double end;
};

static int compare_turns(const void *left, const void *right)
{
	const struct turn *a = left, *b = right;
	if (a->worker != b->worker)
		return a->worker < b->worker ? -1 : 1;
	if (a->end < b->end || a->end > b->end)
		return a->end < b->end ? -1 : 1;
	return a->task < b->task ? -1 : a->task > b->task;
}

/* How many turns come before a thread's that end at a moment or, if `after`, behind those.
 * turns[0..count) are sorted. */
static size_t count_before(
	const struct turn *turns, size_t count, uint32_t worker, double moment, bool after)
{
	size_t low = 0, high = count;
	while (low < high) {
		const size_t middle = low + (high - low) / 2;
		const struct turn *turn = &turns[middle];
		if (turn->worker < worker ||
			(turn->worker == worker &&
				(turn->end < moment || (after && turn->end <= moment))))
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* The last task that a thread ended before a moment, or just then if it took time: so causes never
 * go in a circle. ORDO_NONE: none. */
static uint32_t task_before(const struct ordo_timeline *timeline, const struct turn *turns,
	size_t count, uint32_t worker, double moment)
{
	size_t place = count_before(turns, count, worker, moment, true);
	if (place && turns[place - 1].worker == worker &&
		!(timeline->tasks[turns[place - 1].task].begin < moment))
		place = count_before(turns, count, worker, moment, false);
	return place && turns[place - 1].worker == worker ? turns[place - 1].task : ORDO_NONE;
}

/* The later of two tasks that ended before another began. */
static uint32_t later_of(const struct ordo_timeline *timeline, uint32_t one, uint32_t other)
{
	if (one == ORDO_NONE || other == ORDO_NONE)
		return one == ORDO_NONE ? other : one;
	return timeline->tasks[other].end > timeline->tasks[one].end ? other : one;
}

static bool find_causes(
	struct traced *traced, const struct slice *slices, size_t count, struct ordo_error *error)
{
	struct ordo_timeline *timeline = traced->timeline;
	const struct ordo_schedule *schedule = timeline->schedule;
	struct turn *turns = malloc((count + 1) * sizeof *turns);
	size_t nturn = 0;
	if (!turns)
		return ordo_fail_memory(error);
	for (size_t i = 0; i < count; i++)
		if (schedule->tasks[slices[i].task].kind != ORDO_WAIT)
			turns[nturn++] = (struct turn){slices[i].worker, slices[i].task,
				timeline->tasks[slices[i].task].end};
	qsort(turns, nturn, sizeof *turns, compare_turns);
	for (size_t i = 0; i < count; i++) {
		const uint32_t task = slices[i].task, stream = ordo_stream_of(schedule, task);
		struct ordo_timed_task *timed = &timeline->tasks[task];
		const bool follows =
			task > schedule->streams[stream].first && !traced->absent[task - 1];
		const uint32_t before = follows ? task - 1 : ORDO_NONE;
		uint32_t cause =
			task_before(timeline, turns, nturn, slices[i].worker, timed->begin);
		if (timed->notify != ORDO_NONE && timeline->tasks[timed->notify].end < timed->begin)
			cause = later_of(timeline, timed->notify, cause);
		timed->cause = later_of(timeline, before, cause);
	}
	free(turns);
	return true;
}

/* Sets times relative to the start of the round; a task of a stream ends before the next begins. */
static bool fill_timeline(const struct slices *slices, const struct extent *extent,
	const char *name, struct traced *traced, struct ordo_error *error)
{
	struct ordo_timeline *timeline = traced->timeline;
	const struct ordo_schedule *schedule = slices->schedule;
	const size_t count = extent->end - extent->first;
	const struct slice *mine = &slices->items[extent->first];
	memset(traced->absent, true, schedule->ntask);
	for (size_t i = 0; i < count; i++) {
		struct ordo_timed_task *timed = &timeline->tasks[mine[i].task];
		const bool wait = schedule->tasks[mine[i].task].kind == ORDO_WAIT;
		const double begin = (double)(mine[i].begin_ns - extent->begin_ns) * 1e-9,
			     end = (double)(mine[i].end_ns - extent->begin_ns) * 1e-9;
		const bool follows = i && mine[i - 1].task + 1 == mine[i].task &&
				     ordo_stream_of(schedule, mine[i - 1].task) ==
					     ordo_stream_of(schedule, mine[i].task);
		if (follows && mine[i].begin_ns < mine[i - 1].end_ns) {
			ordo_fail(error, ORDO_BAD_INPUT, 0,
				"found a task that begins before the one before it has ended, "
				"which stands in line %" PRIu32,
				mine[i - 1].line);
			if (error) {
				snprintf(error->file, sizeof error->file, "%s", name);
				error->line = mine[i].line;
			}
			return false;
		}
		timed->ready = follows && !wait ? timed[-1].end : begin;
		timed->begin = wait ? end : begin;
		timed->end = end;
		traced->absent[mine[i].task] = false;
		traced->nunfinished += mine[i].unfinished;
		timeline->total = fmax(timeline->total, end);
	}
	traced->nabsent = schedule->ntask - (uint32_t)count;
	clip_notifies(timeline, traced->absent);
	return find_causes(traced, mine, count, error);
}

static bool make_traced(const struct slices *slices, const char *name, uint64_t call,
	uint64_t round, struct traced *traced, struct ordo_error *error)
{
	size_t nextent;
	struct extent chosen, *extents;
	if (slices->count)
		qsort(slices->items, slices->count, sizeof *slices->items, compare_slices);
	extents = find_extents(slices, name, &nextent, error);
	if (!extents)
		return false;
	const bool found =
		choose_round(name, extents, nextent, call, round, traced, &chosen, error);
	free(extents);
	if (!found)
		return false;
	traced->replayed = slices->replayed;
	traced->timeline = ordo_timeline_create(slices->schedule, error);
	traced->absent = malloc((size_t)slices->schedule->ntask + 1);
	if (!traced->timeline || !traced->absent)
		return ordo_fail_memory(error);
	return ordo_timeline_pair(traced->timeline, error) &&
	       fill_timeline(slices, &chosen, name, traced, error);
}

bool read_traced(FILE *in, const char *name, const struct ordo_schedule *schedule, uint64_t call,
	uint64_t round, struct traced *traced, struct ordo_error *error)
{
	struct slices slices = {.schedule = schedule};
	*traced = (struct traced){.timeline = NULL};
	const bool worked = read_slices(&slices, in, name, error) &&
			    make_traced(&slices, name, call, round, traced, error);
	close_events(&slices.events);
	free(slices.items);
	return worked;
}

void end_traced(struct traced *traced)
{
	ordo_timeline_destroy(traced->timeline);
	free(traced->absent);
	*traced = (struct traced){.timeline = NULL};
}
