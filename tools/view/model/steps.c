/* steps.c - one interleaving of a schedule, in the order of a timeline. */
#include "steps.h"
#include <ordo/arena.h>
#include <stdlib.h>

/* What a stream needs to go on. */
struct walk {
	const struct ordo_timeline *timeline;
	uint32_t *next;	  /* [nstream] the task each stream is at */
	uint32_t *parked; /* [ntask] of a Notify: the stream that stands at its Wait; ORDO_NONE */
	bool *ended;	  /* [ntask] */
	uint32_t *heap;	  /* streams that may go on, the one whose task ends first on top */
	uint32_t nheap;
};

static bool begin_walk(struct walk *walk, const struct ordo_timeline *timeline)
{
	const struct ordo_schedule *schedule = timeline->schedule;
	*walk = (struct walk){.timeline = timeline,
		.next = malloc(((size_t)schedule->nstream + 1) * sizeof *walk->next),
		.parked = ordo_array_make((size_t)schedule->ntask + 1, sizeof *walk->parked, 0xff),
		.ended = calloc((size_t)schedule->ntask + 1, sizeof *walk->ended),
		.heap = malloc(((size_t)schedule->nstream + 1) * sizeof *walk->heap)};
	return walk->next && walk->parked && walk->ended && walk->heap;
}

static void end_walk(struct walk *walk)
{
	free(walk->next);
	free(walk->parked);
	free(walk->ended);
	free(walk->heap);
}

/* Does the task of one stream end before that of another? */
static bool sooner(const struct walk *walk, uint32_t a, uint32_t b)
{
	const struct ordo_timed_task *tasks = walk->timeline->tasks;
	const uint32_t left = walk->next[a], right = walk->next[b];
	return tasks[left].end < tasks[right].end ||
	       (tasks[left].end <= tasks[right].end && left < right);
}

static void push(struct walk *walk, uint32_t stream)
{
	uint32_t at = walk->nheap++;
	for (; at && sooner(walk, stream, walk->heap[(at - 1) / 2]); at = (at - 1) / 2)
		walk->heap[at] = walk->heap[(at - 1) / 2];
	walk->heap[at] = stream;
}

static uint32_t pop(struct walk *walk)
{
	const uint32_t top = walk->heap[0], last = walk->heap[--walk->nheap];
	uint32_t at = 0, child;
	while ((child = 2 * at + 1) < walk->nheap) {
		child += child + 1 < walk->nheap &&
			 sooner(walk, walk->heap[child + 1], walk->heap[child]);
		if (!sooner(walk, walk->heap[child], last))
			break;
		walk->heap[at] = walk->heap[child];
		at = child;
	}
	walk->heap[at] = last;
	return top;
}

/* Puts a stream among those that may go on, or parks it. */
static void offer(struct walk *walk, uint32_t stream)
{
	const struct ordo_schedule *schedule = walk->timeline->schedule;
	const uint32_t task = walk->next[stream];
	if (task == schedule->streams[stream].end)
		return;
	if (schedule->tasks[task].kind == ORDO_WAIT) {
		const uint32_t notify = walk->timeline->tasks[task].notify;
		if (notify == ORDO_NONE)
			return;
		if (!walk->ended[notify]) {
			walk->parked[notify] = stream;
			return;
		}
	}
	push(walk, stream);
}

static void offer_all(struct walk *walk)
{
	const struct ordo_schedule *schedule = walk->timeline->schedule;
	for (uint32_t s = 0; s < schedule->nstream; s++) {
		walk->next[s] = schedule->streams[s].first;
		offer(walk, s);
	}
}

/* Takes the next task of a stream. */
static uint32_t take(struct walk *walk, uint32_t stream)
{
	const uint32_t task = walk->next[stream]++;
	walk->ended[task] = true;
	if (walk->parked[task] != ORDO_NONE)
		push(walk, walk->parked[task]);
	offer(walk, stream);
	return task;
}

static void time_task(struct ordo_timeline *timeline, uint32_t task, uint32_t first)
{
	struct ordo_timed_task *timed = &timeline->tasks[task];
	timed->cause = task > first ? task - 1 : ORDO_NONE;
	timed->ready = timed->begin = task > first ? timeline->tasks[task - 1].end : 0;
	if (timed->notify != ORDO_NONE && timeline->tasks[timed->notify].end > timed->begin) {
		timed->begin = timeline->tasks[timed->notify].end;
		timed->cause = timed->notify;
	}
	timed->end = timed->begin + (ordo_task_moves(&timeline->schedule->tasks[task]) ? 1 : 0);
	if (timed->end > timeline->total)
		timeline->total = timed->end;
}

struct ordo_timeline *count_steps(const struct ordo_schedule *schedule, struct ordo_error *error)
{
	struct walk walk = {0};
	struct ordo_timeline *timeline = ordo_timeline_create(schedule, error);
	if (!timeline)
		return NULL;
	for (uint32_t i = 0; i < schedule->ntask; i++)
		timeline->tasks[i].cause = ORDO_NONE;
	if (!ordo_timeline_pair(timeline, error) || !begin_walk(&walk, timeline)) {
		end_walk(&walk);
		ordo_timeline_destroy(timeline);
		ordo_fail_memory(error);
		return NULL;
	}
	offer_all(&walk);
	while (walk.nheap) {
		const uint32_t stream = pop(&walk);
		time_task(timeline, walk.next[stream], schedule->streams[stream].first);
		take(&walk, stream);
	}
	end_walk(&walk);
	return timeline;
}

bool order_steps(
	const struct ordo_timeline *timeline, struct steps *steps, struct ordo_error *error)
{
	const struct ordo_schedule *schedule = timeline->schedule;
	struct walk walk;
	*steps = (struct steps){
		.order = malloc(((size_t)schedule->ntask + 1) * sizeof *steps->order)};
	if (!begin_walk(&walk, timeline) || !steps->order) {
		end_walk(&walk);
		return ordo_fail_memory(error);
	}
	offer_all(&walk);
	while (walk.nheap)
		steps->order[steps->nstep++] = take(&walk, pop(&walk));
	steps->stopped = walk.next;
	walk.next = NULL;
	end_walk(&walk);
	return true;
}

void free_steps(struct steps *steps)
{
	free(steps->order);
	free(steps->stopped);
	*steps = (struct steps){0};
}
