/* run.c - R7: one greedy run, which stands for all, and the circle of waiting tasks if it gets
 * stuck. */
#include "verifier.h"
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

static void notify(struct verifier *verifier, struct run *run, uint32_t id, uint32_t index)
{
	struct signal *signal = &verifier->signals.items[index];
	verifier->signals.notifies[signal->first + signal->posted++] = id;
	if (run->parked[index] == ORDO_NONE)
		return;
	run->ready[run->nready++] = run->parked[index];
	run->parked[index] = ORDO_NONE;
}

/* Takes a token, if there is one: the j-th Wait takes the j-th Notify. */
static bool take(struct verifier *verifier, uint32_t id, uint32_t stream)
{
	struct signal *signal = &verifier->signals.items[verifier->tasks[id].link];
	if (signal->posted == signal->taken)
		return false;
	uint32_t known = verifier->signals.notifies[signal->first + signal->taken] + 1;
	verifier->signals.waits[signal->first + signal->taken++] = id;
	struct sync *sync = &verifier->syncs.items[signal->sync];
	if (sync->known < known)
		sync->known = known;
	if (signal->entry != ORDO_NONE) {
		struct touch *touch = &verifier->touches.items[signal->exit];
		verifier->touches.items[signal->entry].entered = true;
		if (touch->left < known)
			touch->left = known;
	}
	ordo_note_sync(&verifier->recent[stream], signal->sync);
	verifier->recent[stream].gate = id;
	return true;
}

static void report_progress(const struct verifier *verifier, uint32_t nfired)
{
	if (verifier->options->progress && !(nfired & 0xfffff))
		verifier->options->progress(
			verifier->options->closure, "proving", nfired, verifier->schedule->ntask);
}

/* Runs one stream until it ends or waits in vain. */
static bool run_stream(struct verifier *verifier, struct run *run, uint32_t stream)
{
	const struct ordo_task *tasks = verifier->schedule->tasks;
	uint32_t end = verifier->schedule->streams[stream].end;
	for (uint32_t id = run->next[stream]; id < end; run->next[stream] = ++id) {
		struct task_info *note = &verifier->tasks[id];
		if (tasks[id].kind == ORDO_NOTIFY) {
			notify(verifier, run, id, note->link);
		} else if (tasks[id].kind == ORDO_WAIT) {
			if (!take(verifier, id, stream)) {
				run->parked[note->link] = stream;
				return true;
			}
		} else if (!ordo_access_memory(verifier, id, stream)) {
			return false;
		}
		note->at = run->nfired++;
		report_progress(verifier, run->nfired);
	}
	return true;
}

/* The stream that a blocked stream waits for. Signals are balanced, so that stream is blocked as
 * well. */
static uint32_t awaited(const struct verifier *verifier, const struct run *run, uint32_t stream)
{
	return verifier->signals.items[verifier->tasks[run->next[stream]].link].notifier;
}

static bool report_circle(struct verifier *verifier, const struct run *run, uint32_t start)
{
	uint32_t length = 0;
	for (uint32_t s = start; !length || s != start; s = awaited(verifier, run, s))
		length++;
	uint32_t *tasks = malloc(length * sizeof *tasks);
	char *text = malloc((size_t)length * 400 + 1);
	bool worked = tasks && text;
	size_t used = 0;
	uint32_t s = start;
	for (uint32_t i = 0; worked && i < length; i++, s = awaited(verifier, run, s)) {
		tasks[i] = run->next[s];
		used += (size_t)snprintf(text + used, 400, "\n  %s waits for%s",
			ordo_where_is(verifier, tasks[i]).text, i + 1 < length ? "" : " the first");
	}
	worked = worked &&
		 ordo_add_finding(&verifier->findings, 7, tasks, length,
			 "some Notify of this circle must come before the Wait it stands after",
			 "deadlock: %u %s, for ever:%s", length,
			 length == 1 ? "task waits for itself"
				     : "tasks wait for each other in a circle",
			 text);
	free(tasks);
	free(text);
	return worked ? true : ordo_fail_memory(verifier->findings.error);
}

/* Following who waits for whom from any blocked stream ends in a circle; each circle is reported
 * once. */
static bool report_deadlock(struct verifier *verifier, const struct run *run)
{
	const struct ordo_schedule *schedule = verifier->schedule;
	uint32_t *seen = calloc((size_t)schedule->nstream + 1, sizeof *seen);
	if (!seen)
		return ordo_fail_memory(verifier->findings.error);
	bool worked = true;
	for (uint32_t s = 0; worked && s < schedule->nstream; s++) {
		if (run->next[s] == schedule->streams[s].end || seen[s])
			continue;
		uint32_t t = s;
		for (; !seen[t]; t = awaited(verifier, run, t))
			seen[t] = s + 1;
		if (seen[t] == s + 1)
			worked = report_circle(verifier, run, t);
	}
	free(seen);
	return worked;
}

static bool run_all(struct verifier *verifier, struct run *run)
{
	const struct ordo_schedule *schedule = verifier->schedule;
	for (uint32_t s = schedule->nstream; s-- > 0;) {
		run->next[s] = schedule->streams[s].first;
		run->ready[run->nready++] = s;
	}
	memset(run->parked, 0xff,
		((size_t)verifier->findings.proof->nsignal + 1) * sizeof *run->parked);
	while (run->nready)
		if (!run_stream(verifier, run, run->ready[--run->nready]))
			return false;
	return run->nfired == schedule->ntask || report_deadlock(verifier, run);
}

bool ordo_verify_run(struct verifier *verifier)
{
	size_t nstream = (size_t)verifier->schedule->nstream + 1;
	struct run run = {.next = malloc(nstream * sizeof *run.next),
		.ready = malloc(nstream * sizeof *run.ready),
		.parked = malloc(
			((size_t)verifier->findings.proof->nsignal + 1) * sizeof *run.parked)};
	verifier->recent = ordo_array_make(nstream, sizeof *verifier->recent, 0xff);
	bool worked = run.next && run.ready && run.parked && verifier->recent
			      ? run_all(verifier, &run)
			      : ordo_fail_memory(verifier->findings.error);
	verifier->stuck = worked && run.nfired != verifier->schedule->ntask;
	free(run.next);
	free(run.ready);
	free(run.parked);
	return worked;
}
