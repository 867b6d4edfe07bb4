/* run.c - R7: one greedy run, which represents all executions, and the cycle of waiting tasks if it
 * deadlocks. */
#include "verifier.h"
#include <ordo/arena.h>
#include <ordo/greedy.h>
#include <stdio.h>
#include <stdlib.h>

struct run {
	struct verifier *verifier;
	struct ordo_greedy greedy;
	uint32_t nfired;
};

static void note_notify(struct verifier *verifier, uint32_t id)
{
	struct signal *signal = &verifier->signals.items[verifier->tasks[id].link];
	verifier->signals.notifies[signal->first + signal->posted++] = id;
}

/* The j-th Wait takes the token of the j-th Notify. */
static void note_wait(struct verifier *verifier, uint32_t id, uint32_t stream)
{
	struct signal *signal = &verifier->signals.items[verifier->tasks[id].link];
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
}

static inline enum ordo_visit visit(void *closure, uint32_t stream, uint32_t id)
{
	struct run *run = closure;
	struct verifier *verifier = run->verifier;
	const unsigned kind = verifier->schedule->tasks[id].kind;
	if (kind == ORDO_NOTIFY)
		note_notify(verifier, id);
	else if (kind == ORDO_WAIT)
		note_wait(verifier, id, stream);
	else if (!ordo_access_memory(verifier, id, stream))
		return ORDO_VISIT_STOP;
	verifier->tasks[id].at = run->nfired++;
	if (verifier->options->progress && !(run->nfired & 0xfffff))
		verifier->options->progress(verifier->options->closure, "proving", run->nfired,
			verifier->schedule->ntask);
	return ORDO_VISIT_ON;
}

/* The stream that a blocked stream waits for. Signals are balanced, so that stream is blocked as
 * well. */
static uint32_t awaited(const struct verifier *verifier, const uint32_t *next, uint32_t stream)
{
	return verifier->signals.table.items[verifier->tasks[next[stream]].link].notifier;
}

static bool report_cycle(struct verifier *verifier, const uint32_t *next, uint32_t start)
{
	uint32_t length = 0;
	for (uint32_t s = start; !length || s != start; s = awaited(verifier, next, s))
		length++;
	uint32_t *tasks = malloc(length * sizeof *tasks);
	char *text = malloc((size_t)length * 400 + 1);
	bool worked = tasks && text;
	size_t used = 0;
	uint32_t s = start;
	for (uint32_t i = 0; worked && i < length; i++, s = awaited(verifier, next, s)) {
		tasks[i] = next[s];
		used += (size_t)snprintf(text + used, 400, "\n  %s waits for%s",
			ordo_where_is(verifier, tasks[i]).text, i + 1 < length ? "" : " the first");
	}
	worked = worked &&
		 ordo_add_finding(&verifier->findings, 7, tasks, length,
			 "some Notify of this cycle must come before the Wait it stands after",
			 "deadlock: %u %s, for ever:%s", length,
			 length == 1 ? "task waits for itself"
				     : "tasks wait for each other in a cycle",
			 text);
	free(tasks);
	free(text);
	return worked ? true : ordo_fail_memory(verifier->findings.error);
}

/* From any blocked stream, the chain of streams that wait for each other ends in a cycle; each
 * cycle is reported once. */
static bool report_deadlock(struct verifier *verifier, const uint32_t *next)
{
	const struct ordo_schedule *schedule = verifier->schedule;
	uint32_t *seen = calloc((size_t)schedule->nstream + 1, sizeof *seen);
	if (!seen)
		return ordo_fail_memory(verifier->findings.error);
	bool worked = true;
	for (uint32_t s = 0; worked && s < schedule->nstream; s++) {
		if (next[s] == schedule->streams[s].end || seen[s])
			continue;
		uint32_t t = s;
		for (; !seen[t]; t = awaited(verifier, next, t))
			seen[t] = s + 1;
		if (seen[t] == s + 1)
			worked = report_cycle(verifier, next, t);
	}
	free(seen);
	return worked;
}

bool ordo_verify_run(struct verifier *verifier)
{
	const struct ordo_schedule *schedule = verifier->schedule;
	struct run run = {.verifier = verifier};
	verifier->recent =
		ordo_array_make((size_t)schedule->nstream + 1, sizeof *verifier->recent, 0xff);
	bool worked =
		verifier->recent && ordo_greedy_open(&run.greedy, schedule, &verifier->tasks->link,
					    sizeof *verifier->tasks / sizeof verifier->tasks->link,
					    verifier->signals.table.count);
	if (!worked)
		ordo_fail_memory(verifier->findings.error);
	worked = worked && ordo_greedy_run(&run.greedy, visit, &run);
	verifier->deadlocked = worked && run.nfired != schedule->ntask;
	worked = worked && (!verifier->deadlocked || report_deadlock(verifier, run.greedy.next));
	ordo_greedy_close(&run.greedy);
	return worked;
}
