/* pairing.c - which Wait takes the token of which Notify, and how far one run of a schedule
 * gets. */
#include "pairing.h"
#include <ordo/arena.h>
#include <ordo/detail/timeline.h>
#include <stdlib.h>

uint32_t *pair_tasks(const struct ordo_schedule *schedule)
{
	struct ordo_error error;
	uint32_t *partners = ordo_array_make((size_t)schedule->ntask + 1, sizeof *partners, 0xff);
	struct ordo_timeline *timeline = partners ? ordo_timeline_create(schedule, &error) : NULL;
	const bool paired = timeline && ordo_timeline_pair(timeline, &error);
	for (uint32_t wait = 0; paired && wait < schedule->ntask; wait++) {
		const uint32_t notify = timeline->tasks[wait].notify;
		if (notify == ORDO_NONE)
			continue;
		partners[wait] = notify;
		partners[notify] = wait;
	}
	ordo_timeline_destroy(timeline);
	if (paired)
		return partners;
	free(partners);
	return NULL;
}

bool greedy_open(
	struct greedy_run *run, const struct ordo_schedule *schedule, const uint32_t *partners)
{
	const size_t nstream = schedule->nstream;
	*run = (struct greedy_run){.schedule = schedule,
		.partners = partners,
		.next = calloc(nstream + 1, sizeof *run->next),
		.ready = calloc(nstream + 1, sizeof *run->ready),
		.parked = calloc(nstream + 1, sizeof *run->parked),
		.given = calloc((size_t)schedule->ntask + 1, sizeof *run->given)};
	if (!run->next || !run->ready || !run->parked || !run->given)
		return false;
	for (uint32_t s = schedule->nstream; s-- > 0;) {
		run->next[s] = schedule->streams[s].first;
		greedy_resume(run, s);
	}
	return true;
}

void greedy_close(struct greedy_run *run)
{
	free(run->next);
	free(run->ready);
	free(run->parked);
	free(run->given);
}

void greedy_resume(struct greedy_run *run, uint32_t stream)
{
	run->ready[run->nready++] = stream;
}

/* A stream that waits for this token may go on. */
static void give(struct greedy_run *run, uint32_t notify)
{
	const uint32_t wait = run->partners[notify];
	run->given[notify] = true;
	if (wait == ORDO_NONE)
		return;
	const uint32_t waiter = ordo_stream_of(run->schedule, wait);
	if (!run->parked[waiter] || run->next[waiter] != wait)
		return;
	run->parked[waiter] = false;
	greedy_resume(run, waiter);
}

static void go_on(struct greedy_run *run, uint32_t stream, greedy_step *step, void *closure)
{
	const struct ordo_schedule *schedule = run->schedule;
	for (uint32_t *task = &run->next[stream]; *task < schedule->streams[stream].end;) {
		const uint32_t at = *task, partner = run->partners[at];
		const unsigned kind = schedule->tasks[at].kind;
		if (kind == ORDO_WAIT && (partner == ORDO_NONE || !run->given[partner])) {
			run->parked[stream] = true;
			return;
		}
		if (step && !step(closure, stream, at))
			return;
		++*task;
		if (kind == ORDO_NOTIFY)
			give(run, at);
	}
}

void greedy_go(struct greedy_run *run, greedy_step *step, void *closure)
{
	while (run->nready) {
		const uint32_t stream = run->ready[--run->nready];
		go_on(run, stream, step, closure);
	}
}

struct depths {
	const struct ordo_schedule *schedule;
	const uint32_t *partners;
	uint32_t *depth;
	bool moves;
};

static bool note_depth(void *closure, uint32_t stream, uint32_t task)
{
	const struct depths *depths = closure;
	const struct ordo_task *what = &depths->schedule->tasks[task];
	uint32_t before =
		task > depths->schedule->streams[stream].first ? depths->depth[task - 1] : 0;
	if (what->kind == ORDO_WAIT && depths->partners[task] != ORDO_NONE &&
		depths->depth[depths->partners[task]] > before)
		before = depths->depth[depths->partners[task]];
	depths->depth[task] = before + (!depths->moves || ordo_task_moves(what));
	return true;
}

uint32_t *find_depths(const struct ordo_schedule *schedule, const uint32_t *partners, bool moves)
{
	struct greedy_run run;
	struct depths depths = {schedule, partners,
		calloc((size_t)schedule->ntask + 1, sizeof *depths.depth), moves};
	const bool opened = greedy_open(&run, schedule, partners);
	if (opened && depths.depth) {
		greedy_go(&run, note_depth, &depths);
		for (uint32_t s = 0; s < schedule->nstream; s++)
			for (uint32_t task = run.next[s]; task < schedule->streams[s].end; task++)
				note_depth(&depths, s, task);
	} else {
		free(depths.depth);
		depths.depth = NULL;
	}
	greedy_close(&run);
	return depths.depth;
}
