/* run.c - R7: one greedy run, which stands for all, and the circle of waiting tasks if it gets
 * stuck. */
#include "judge.h"
#include <ordo/arena.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct run {
	uint32_t *next;	 /* [nstream] the task each stream is at */
	uint32_t *ready; /* a stack of streams that may go on */
	uint32_t nready;
	uint32_t *parked; /* [nsignal] the stream that waits for it, or ORDO_NONE */
	uint32_t nfired;
};

static void notify(struct judge *judge, struct run *run, uint32_t id, uint32_t index)
{
	struct signal *signal = &judge->signals.items[index];
	judge->signals.notifies[signal->first + signal->posted++] = id;
	if (run->parked[index] == ORDO_NONE)
		return;
	run->ready[run->nready++] = run->parked[index];
	run->parked[index] = ORDO_NONE;
}

/* Takes a token, if there is one: the j-th Wait takes the j-th Notify. */
static bool take(struct judge *judge, uint32_t id, uint32_t stream)
{
	struct signal *signal = &judge->signals.items[judge->tasks[id].link];
	if (signal->posted == signal->taken)
		return false;
	uint32_t known = judge->signals.notifies[signal->first + signal->taken] + 1;
	judge->signals.waits[signal->first + signal->taken++] = id;
	struct sync *sync = &judge->syncs.items[signal->sync];
	if (sync->known < known)
		sync->known = known;
	if (signal->entry != ORDO_NONE) {
		struct touch *touch = &judge->touches.items[signal->exit];
		judge->touches.items[signal->entry].entered = true;
		if (touch->left < known)
			touch->left = known;
	}
	note_sync(&judge->recent[stream], signal->sync);
	judge->recent[stream].gate = id;
	return true;
}

static void report_progress(const struct judge *judge, uint32_t nfired)
{
	if (judge->options->progress && !(nfired & 0xfffff))
		judge->options->progress(
			judge->options->closure, "proving", nfired, judge->schedule->ntask);
}

/* Runs one stream until it ends or waits in vain. */
static bool run_stream(struct judge *judge, struct run *run, uint32_t stream)
{
	const struct ordo_task *tasks = judge->schedule->tasks;
	uint32_t end = judge->schedule->streams[stream].end;
	for (uint32_t id = run->next[stream]; id < end; run->next[stream] = ++id) {
		struct task_info *note = &judge->tasks[id];
		if (tasks[id].kind == ORDO_NOTIFY) {
			notify(judge, run, id, note->link);
		} else if (tasks[id].kind == ORDO_WAIT) {
			if (!take(judge, id, stream)) {
				run->parked[note->link] = stream;
				return true;
			}
		} else if (!access_memory(judge, id, stream)) {
			return false;
		}
		note->at = run->nfired++;
		report_progress(judge, run->nfired);
	}
	return true;
}

/* The stream that a blocked stream waits for. Signals are balanced, so that stream is blocked as
 * well. */
static uint32_t awaited(const struct judge *judge, const struct run *run, uint32_t stream)
{
	return judge->signals.items[judge->tasks[run->next[stream]].link].notifier;
}

static bool report_circle(struct judge *judge, const struct run *run, uint32_t start)
{
	uint32_t length = 0;
	for (uint32_t s = start; !length || s != start; s = awaited(judge, run, s))
		length++;
	uint32_t *tasks = malloc(length * sizeof *tasks);
	char *text = malloc((size_t)length * 400 + 1);
	bool worked = tasks && text;
	size_t used = 0;
	uint32_t s = start;
	for (uint32_t i = 0; worked && i < length; i++, s = awaited(judge, run, s)) {
		tasks[i] = run->next[s];
		used += (size_t)snprintf(text + used, 400, "\n  %s waits for%s",
			where_is(judge, tasks[i]).text, i + 1 < length ? "" : " the first");
	}
	worked = worked &&
		 ordo_add_finding(&judge->findings, 7, tasks, length,
			 "some Notify of this circle must come before the Wait it stands after",
			 "deadlock: %u %s, for ever:%s", length,
			 length == 1 ? "task waits for itself"
				     : "tasks wait for each other in a circle",
			 text);
	free(tasks);
	free(text);
	return worked ? true : ordo_fail_memory(judge->findings.error);
}

/* Following who waits for whom from any blocked stream ends in a circle; each circle is reported
 * once. */
static bool report_deadlock(struct judge *judge, const struct run *run)
{
	const struct ordo_schedule *schedule = judge->schedule;
	uint32_t *seen = calloc((size_t)schedule->nstream + 1, sizeof *seen);
	if (!seen)
		return ordo_fail_memory(judge->findings.error);
	bool worked = true;
	for (uint32_t s = 0; worked && s < schedule->nstream; s++) {
		if (run->next[s] == schedule->streams[s].end || seen[s])
			continue;
		uint32_t t = s;
		for (; !seen[t]; t = awaited(judge, run, t))
			seen[t] = s + 1;
		if (seen[t] == s + 1)
			worked = report_circle(judge, run, t);
	}
	free(seen);
	return worked;
}

static bool run_all(struct judge *judge, struct run *run)
{
	const struct ordo_schedule *schedule = judge->schedule;
	for (uint32_t s = schedule->nstream; s-- > 0;) {
		run->next[s] = schedule->streams[s].first;
		run->ready[run->nready++] = s;
	}
	memset(run->parked, 0xff,
		((size_t)judge->findings.proof->nsignal + 1) * sizeof *run->parked);
	while (run->nready)
		if (!run_stream(judge, run, run->ready[--run->nready]))
			return false;
	return run->nfired == schedule->ntask || report_deadlock(judge, run);
}

bool judge_run(struct judge *judge)
{
	size_t nstream = (size_t)judge->schedule->nstream + 1;
	struct run run = {.next = malloc(nstream * sizeof *run.next),
		.ready = malloc(nstream * sizeof *run.ready),
		.parked =
			malloc(((size_t)judge->findings.proof->nsignal + 1) * sizeof *run.parked)};
	judge->recent = ordo_array_make(nstream, sizeof *judge->recent, 0xff);
	bool worked = run.next && run.ready && run.parked && judge->recent
			      ? run_all(judge, &run)
			      : ordo_fail_memory(judge->findings.error);
	judge->stuck = worked && run.nfired != judge->schedule->ntask;
	free(run.next);
	free(run.ready);
	free(run.parked);
	return worked;
}
