/* schedule.c - builds and queries schedules. */
#include <inttypes.h>
#include <ordo/arena.h>
#include <ordo/schedule.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

_Static_assert(sizeof(struct ordo_task) == 24, "a task is 24 bytes");

struct ordo_schedule *ordo_schedule_create(
	const struct ordo_problem *problem, const char *algorithm, struct ordo_error *error)
{
	if (!ordo_problem_check(problem, error))
		return NULL;
	struct ordo_schedule *schedule = calloc(1, sizeof *schedule);
	if (schedule) {
		schedule->problem = *problem;
		schedule->programs = calloc(problem->nrank, sizeof *schedule->programs);
		schedule->algorithm =
			ordo_arena_text(&schedule->arena, algorithm, strlen(algorithm));
	}
	if (!schedule || !schedule->programs || !schedule->algorithm) {
		ordo_schedule_destroy(schedule);
		ordo_fail_memory(error);
		return NULL;
	}
	return schedule;
}

void ordo_schedule_destroy(struct ordo_schedule *schedule)
{
	if (!schedule)
		return;
	free(schedule->programs);
	free(schedule->streams);
	free(schedule->vias);
	free(schedule->tasks);
	free(schedule->places);
	ordo_arena_free(&schedule->arena);
	free(schedule);
}

bool ordo_schedule_reserve(
	struct ordo_schedule *schedule, uint32_t nstream, uint32_t ntask, struct ordo_error *error)
{
	if (!ordo_array_reserve(&schedule->streams, &schedule->stream_room, nstream,
		    sizeof *schedule->streams) ||
		!ordo_array_reserve(
			&schedule->tasks, &schedule->task_room, ntask, sizeof *schedule->tasks))
		return ordo_fail_memory(error);
	return true;
}

/* Names repeat from rank to rank: comparing with the previous ones saves most copies. */
static const char *keep_name(struct ordo_schedule *schedule, const char *name)
{
	for (uint32_t back = 1; back <= 8 && back <= schedule->nstream; back++) {
		const char *old = schedule->streams[schedule->nstream - back].name;
		if (!strcmp(old, name))
			return old;
	}
	return ordo_arena_text(&schedule->arena, name, strlen(name));
}

bool ordo_schedule_begin_stream(
	struct ordo_schedule *schedule, uint32_t rank, const char *name, struct ordo_error *error)
{
	const char *kept = keep_name(schedule, name);
	if (!kept || schedule->nstream >= ORDO_LIMIT ||
		!ordo_array_reserve(&schedule->streams, &schedule->stream_room,
			(size_t)schedule->nstream + 1, sizeof *schedule->streams))
		return ordo_fail_memory(error);
	struct ordo_program *program = &schedule->programs[rank];
	if (program->end_stream == program->first_stream)
		program->first_stream = schedule->nstream;
	schedule->streams[schedule->nstream++] = (struct ordo_stream){
		.rank = rank, .first = schedule->ntask, .end = schedule->ntask, .name = kept};
	program->end_stream = schedule->nstream;
	if (!schedule->vias)
		return true;
	if (!ordo_array_reserve(&schedule->vias, &schedule->via_room, schedule->nstream,
		    sizeof *schedule->vias))
		return ordo_fail_memory(error);
	schedule->vias[schedule->nstream - 1] = NULL;
	return true;
}

bool ordo_schedule_append(
	struct ordo_schedule *schedule, const struct ordo_task *task, struct ordo_error *error)
{
	if (schedule->ntask >= UINT32_MAX - 1 ||
		!ordo_array_reserve(&schedule->tasks, &schedule->task_room,
			(size_t)schedule->ntask + 1, sizeof *schedule->tasks))
		return ordo_fail_memory(error);
	schedule->tasks[schedule->ntask++] = *task;
	schedule->streams[schedule->nstream - 1].end = schedule->ntask;
	return true;
}

bool ordo_schedule_extend(struct ordo_schedule *schedule, uint32_t ntask, struct ordo_error *error)
{
	const size_t all = (size_t)schedule->ntask + ntask;
	if (all >= UINT32_MAX || !ordo_array_reserve(&schedule->tasks, &schedule->task_room, all,
					 sizeof *schedule->tasks))
		return ordo_fail_memory(error);
	schedule->ntask = (uint32_t)all;
	schedule->streams[schedule->nstream - 1].end = schedule->ntask;
	return true;
}

static const char **copy_names(struct ordo_arena *arena, const char *const *names, uint32_t count)
{
	const char **copies = ordo_arena_alloc(arena, (size_t)count * sizeof *copies);
	for (uint32_t i = 0; copies && i < count; i++)
		if (!(copies[i] = ordo_arena_text(arena, names[i], strlen(names[i]))))
			return NULL;
	return copies;
}

bool ordo_schedule_set_phases(struct ordo_schedule *schedule, const char *const *phases,
	uint32_t nphase, struct ordo_error *error)
{
	schedule->phases = copy_names(&schedule->arena, phases, nphase);
	schedule->nphase = schedule->phases ? nphase : 0;
	return schedule->phases ? true : ordo_fail_memory(error);
}

/* Copies a text that may be absent; *worked turns false if there is no memory. */
static const char *copy_text(struct ordo_arena *arena, const char *text, bool *worked)
{
	if (!text)
		return NULL;
	const char *copy = ordo_arena_text(arena, text, strlen(text));
	*worked = *worked && copy;
	return copy;
}

struct ordo_schedule *ordo_schedule_copy(
	const struct ordo_schedule *schedule, struct ordo_error *error)
{
	struct ordo_schedule *copy =
		ordo_schedule_create(&schedule->problem, schedule->algorithm, error);
	if (!copy)
		return NULL;
	bool worked = ordo_schedule_reserve(copy, schedule->nstream, schedule->ntask, error) &&
		      ordo_schedule_set_phases(copy, schedule->phases, schedule->nphase, error);
	copy->scratch_slots = schedule->scratch_slots;
	copy->staging = schedule->staging;
	copy->topology_name = copy_text(&copy->arena, schedule->topology_name, &worked);
	copy->topology_digest = copy_text(&copy->arena, schedule->topology_digest, &worked);
	copy->extra = copy_text(&copy->arena, schedule->extra, &worked);
	for (uint32_t i = 0; worked && i < schedule->nstream; i++) {
		const struct ordo_stream *stream = &schedule->streams[i];
		worked = ordo_schedule_begin_stream(copy, stream->rank, stream->name, error);
		if (worked && ordo_via_of(schedule, i))
			worked = ordo_schedule_set_via(copy, i, ordo_via_of(schedule, i), error);
		if (worked) {
			copy->streams[i].first = stream->first;
			copy->streams[i].end = stream->end;
		}
	}
	if (!worked) {
		ordo_schedule_destroy(copy);
		ordo_fail_memory(error);
		return NULL;
	}
	if (schedule->ntask)
		memcpy(copy->tasks, schedule->tasks, (size_t)schedule->ntask * sizeof *copy->tasks);
	copy->ntask = schedule->ntask;
	return copy;
}

struct ordo_size ordo_schedule_size(const struct ordo_schedule *schedule)
{
	const struct ordo_problem *problem = &schedule->problem;
	struct ordo_size size = {.tasks = schedule->ntask, .streams = schedule->nstream};
	for (uint32_t i = 0; i < schedule->ntask; i++)
		if (ordo_task_moves(&schedule->tasks[i]))
			size.chunks += schedule->tasks[i].count;
	for (uint32_t rank = 0; rank < problem->nrank; rank++)
		size.slots += (double)ordo_output_slots(problem, rank) + schedule->scratch_slots +
			      (problem->in_place ? ordo_input_slots(problem, rank) : 0);
	return size;
}

uint32_t ordo_scratch_end(const struct ordo_task *tasks, uint32_t ntask)
{
	uint32_t end = 0;
	for (uint32_t id = 0; id < ntask; id++) {
		const struct ordo_task *task = &tasks[id];
		if (!ordo_task_moves(task))
			continue;
		if (task->src_buffer == ORDO_SCRATCH && task->src + task->count > end)
			end = task->src + task->count;
		if (task->dst_buffer == ORDO_SCRATCH && task->dst + task->count > end)
			end = task->dst + task->count;
	}
	return end;
}

uint32_t ordo_stream_of(const struct ordo_schedule *schedule, uint32_t task)
{
	/* Streams are in task order; the last one that begins at or before the task and is not
	 * empty. */
	uint32_t low = 0, high = schedule->nstream;
	while (high - low > 1) {
		uint32_t middle = low + (high - low) / 2;
		if (schedule->streams[middle].first <= task)
			low = middle;
		else
			high = middle;
	}
	return low;
}

const char *ordo_task_kind_name(enum ordo_task_kind kind)
{
	static const char *const names[ORDO_NTASK_KIND] = {
		"LocalCopy", "LocalReduce", "Send", "SendReduce", "Notify", "Wait"};
	return names[kind];
}

int ordo_task_print(const struct ordo_task *task, char *out, size_t size)
{
	const char *name = ordo_task_kind_name((enum ordo_task_kind)task->kind);
	if (!ordo_task_moves(task))
		return snprintf(out, size, "%s %" PRIu32 " signal %" PRIu32, name, task->peer,
			task->signal);
	char peer[16] = "", chunks[32];
	if (ordo_task_crosses(task))
		snprintf(peer, sizeof peer, " %" PRIu32, task->peer);
	if (task->count == 1)
		snprintf(chunks, sizeof chunks, "chunk %" PRIu32, task->chunk);
	else
		snprintf(chunks, sizeof chunks, "chunks %" PRIu32 "..%" PRIu32, task->chunk,
			task->chunk + task->count - 1);
	return snprintf(out, size, "%s%s %s %s %" PRIu32 " -> %s %" PRIu32, name, peer, chunks,
		ordo_buffer_name((enum ordo_buffer)task->src_buffer), task->src,
		ordo_buffer_name((enum ordo_buffer)task->dst_buffer), task->dst);
}

int ordo_task_locate(const struct ordo_schedule *schedule, uint32_t task, char *out, size_t size)
{
	const struct ordo_stream *stream = &schedule->streams[ordo_stream_of(schedule, task)];
	char text[128];
	ordo_task_print(&schedule->tasks[task], text, sizeof text);
	return snprintf(out, size, "rank %" PRIu32 ", stream \"%s\", task %" PRIu32 " (%s)",
		stream->rank, stream->name, task - stream->first, text);
}
