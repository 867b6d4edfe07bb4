/* timeline.c - when each task began and ended. */
#include <ordo/arena.h>
#include <ordo/document.h>
#include <ordo/signals.h>
#include <ordo/timeline.h>
#include <stdlib.h>

struct ordo_timeline *ordo_timeline_create(
	const struct ordo_schedule *schedule, struct ordo_error *error)
{
	struct ordo_timeline *timeline = calloc(1, sizeof *timeline);
	if (timeline)
		timeline->tasks =
			ordo_array_make((size_t)schedule->ntask + 1, sizeof *timeline->tasks, 0);
	if (!timeline || !timeline->tasks) {
		free(timeline);
		ordo_fail_memory(error);
		return NULL;
	}
	timeline->schedule = schedule;
	for (uint32_t i = 0; i < schedule->ntask; i++)
		timeline->tasks[i] =
			(struct ordo_timed_task){.cause = ORDO_NONE, .notify = ORDO_NONE};
	return timeline;
}

void ordo_timeline_destroy(struct ordo_timeline *timeline)
{
	if (timeline)
		free(timeline->tasks);
	free(timeline);
}

bool ordo_timeline_pair(struct ordo_timeline *timeline, struct ordo_error *error)
{
	const struct ordo_schedule *schedule = timeline->schedule;
	struct ordo_pairing pairing;
	const bool worked = ordo_pairing_open(&pairing, schedule);
	for (uint32_t i = 0; worked && i < schedule->ntask; i++)
		timeline->tasks[i].notify = schedule->tasks[i].kind == ORDO_WAIT
						    ? ordo_pairing_notify_of(&pairing, i)
						    : ORDO_NONE;
	ordo_pairing_close(&pairing);
	return worked || ordo_fail_memory(error);
}

uint32_t ordo_timeline_path(const struct ordo_timeline *timeline, uint32_t *path)
{
	const uint32_t ntask = timeline->schedule->ntask;
	uint32_t last = ORDO_NONE, npath = 0;
	for (uint32_t i = 0; i < ntask; i++)
		if (last == ORDO_NONE || timeline->tasks[i].end > timeline->tasks[last].end)
			last = i;
	for (uint32_t i = last; i != ORDO_NONE && npath < ntask; i = timeline->tasks[i].cause)
		path[npath++] = i;
	for (uint32_t i = 0; i < npath / 2; i++) {
		const uint32_t swapped = path[i];
		path[i] = path[npath - 1 - i];
		path[npath - 1 - i] = swapped;
	}
	return npath;
}
