/* steps.c - one interleaving of a schedule, in the order of a timeline. */
#include "steps.h"
#include "pairing.h"
#include <ordo/arena.h>
#include <stdlib.h>

/* A run in the order of a timeline. */
struct walk {
	const struct ordo_timeline *timeline;
	struct paired_run run;
	uint32_t
		*heap; /* a heap of the runnable streams; the one whose task ends first is on top */
	uint32_t nheap;
};

static bool begin_walk(struct walk *walk, const struct ordo_timeline *timeline)
{
	const struct ordo_schedule *schedule = timeline->schedule;
	uint32_t *notifies = malloc(((size_t)schedule->ntask + 1) * sizeof *notifies);
	for (uint32_t t = 0; notifies && t < schedule->ntask; t++)
		notifies[t] = timeline->tasks[t].notify;
	*walk = (struct walk){.timeline = timeline,
		.heap = malloc(((size_t)schedule->nstream + 1) * sizeof *walk->heap)};
	const bool worked =
		notifies && walk->heap && open_paired_run(&walk->run, schedule, notifies);
	free(notifies);
	return worked;
}

static void end_walk(struct walk *walk)
{
	close_paired_run(&walk->run);
	free(walk->heap);
}

/* Does the task of one stream end before that of another? */
static bool sooner(const struct walk *walk, uint32_t a, uint32_t b)
{
	const struct ordo_timed_task *tasks = walk->timeline->tasks;
	const uint32_t left = walk->run.greedy.next[a], right = walk->run.greedy.next[b];
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

/* Moves the ready streams that can run into the heap. */
static void offer(struct walk *walk)
{
	struct ordo_greedy *greedy = &walk->run.greedy;
	while (greedy->nready) {
		const uint32_t stream = ordo_greedy_pop(greedy);
		if (greedy->next[stream] < greedy->streams[stream].end &&
			ordo_greedy_can_take(greedy, stream, greedy->next[stream]))
			push(walk, stream);
	}
}

/* Takes the next task of a stream. */
static uint32_t take(struct walk *walk, uint32_t stream)
{
	const uint32_t task = walk->run.greedy.next[stream]++;
	ordo_greedy_count(&walk->run.greedy, task);
	ordo_greedy_resume(&walk->run.greedy, stream);
	offer(walk);
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
	offer(&walk);
	while (walk.nheap) {
		const uint32_t stream = pop(&walk);
		time_task(timeline, walk.run.greedy.next[stream], schedule->streams[stream].first);
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
	offer(&walk);
	while (walk.nheap)
		steps->order[steps->nstep++] = take(&walk, pop(&walk));
	steps->stopped = walk.run.greedy.next;
	walk.run.greedy.next = NULL;
	end_walk(&walk);
	return true;
}

void free_steps(struct steps *steps)
{
	free(steps->order);
	free(steps->stopped);
	*steps = (struct steps){0};
}
