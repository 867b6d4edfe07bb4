/* pairing.c - pairs Notify and Wait tasks, and runs a schedule as far as possible. */
#include "pairing.h"
#include <ordo/arena.h>
#include <ordo/signals.h>
#include <stdlib.h>

uint32_t *pair_tasks(const struct ordo_schedule *schedule)
{
	struct ordo_pairing pairing;
	uint32_t *partners = ordo_array_make((size_t)schedule->ntask + 1, sizeof *partners, 0xff);
	const bool paired = ordo_pairing_open(&pairing, schedule) && partners;
	for (uint32_t wait = 0; paired && wait < schedule->ntask; wait++) {
		const uint32_t notify = schedule->tasks[wait].kind == ORDO_WAIT
						? ordo_pairing_notify_of(&pairing, wait)
						: ORDO_NONE;
		if (notify == ORDO_NONE)
			continue;
		partners[wait] = notify;
		partners[notify] = wait;
	}
	ordo_pairing_close(&pairing);
	if (paired)
		return partners;
	free(partners);
	return NULL;
}

bool open_paired_run(
	struct paired_run *run, const struct ordo_schedule *schedule, const uint32_t *partners)
{
	*run = (struct paired_run){
		.signals = malloc(((size_t)schedule->ntask + 1) * sizeof *run->signals)};
	for (uint32_t t = 0; run->signals && t < schedule->ntask; t++)
		run->signals[t] = schedule->tasks[t].kind == ORDO_WAIT && partners[t] != ORDO_NONE
					  ? partners[t]
					  : t;
	return run->signals &&
	       ordo_greedy_open(&run->greedy, schedule, run->signals, 1, schedule->ntask);
}

void close_paired_run(struct paired_run *run)
{
	ordo_greedy_close(&run->greedy);
	free(run->signals);
}

struct depths {
	const struct ordo_schedule *schedule;
	const uint32_t *partners;
	uint32_t *depth;
	bool moves;
};

static enum ordo_visit note_depth(void *closure, uint32_t stream, uint32_t task)
{
	const struct depths *depths = closure;
	const struct ordo_task *what = &depths->schedule->tasks[task];
	uint32_t before =
		task > depths->schedule->streams[stream].first ? depths->depth[task - 1] : 0;
	if (what->kind == ORDO_WAIT && depths->partners[task] != ORDO_NONE &&
		depths->depth[depths->partners[task]] > before)
		before = depths->depth[depths->partners[task]];
	depths->depth[task] = before + (!depths->moves || ordo_task_moves(what));
	return ORDO_VISIT_ON;
}

uint32_t *find_depths(const struct ordo_schedule *schedule, const uint32_t *partners, bool moves)
{
	struct paired_run run;
	struct depths depths = {schedule, partners,
		calloc((size_t)schedule->ntask + 1, sizeof *depths.depth), moves};
	const bool opened = open_paired_run(&run, schedule, partners);
	if (opened && depths.depth) {
		ordo_greedy_run(&run.greedy, note_depth, &depths);
		for (uint32_t s = 0; s < schedule->nstream; s++)
			for (uint32_t task = run.greedy.next[s]; task < schedule->streams[s].end;
				task++)
				note_depth(&depths, s, task);
	} else {
		free(depths.depth);
		depths.depth = NULL;
	}
	close_paired_run(&run);
	return depths.depth;
}
