/* timeline.c - when each task began and ended. */
#include <ordo/arena.h>
#include <ordo/detail/timeline.h>
#include <ordo/document.h>
#include <ordo/map.h>
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

/* The Notifies of one signal whose tokens were not taken yet, chained by `later`. */
struct tokens {
	uint32_t first, last;
};

/* (from, to, signal) -> a number, counted from 0. */
struct signals {
	struct ordo_map channels;     /* (from, to) */
	struct ordo_near_map numbers; /* (channel, signal), of which most have signal 0 only */
	uint32_t nchannel, nsignal;
};

/* ORDO_NONE: no memory. */
static uint32_t number_of(struct signals *signals, uint32_t from, uint32_t to, uint32_t signal)
{
	uint32_t channel = ordo_map_get(&signals->channels, from, to);
	if (channel == ORDO_NONE) {
		channel = signals->nchannel++;
		if (!ordo_map_put(&signals->channels, from, to, channel))
			return ORDO_NONE;
	}
	uint32_t number = ordo_near_get(&signals->numbers, channel, signal);
	if (number == ORDO_NONE) {
		number = signals->nsignal++;
		if (!ordo_near_put(&signals->numbers, channel, signal, number))
			return ORDO_NONE;
	}
	return number;
}

static void give_token(struct tokens *tokens, uint32_t *later, uint32_t notify)
{
	if (tokens->first == ORDO_NONE)
		tokens->first = notify;
	else
		later[tokens->last] = notify;
	tokens->last = notify;
}

static uint32_t take_token(struct tokens *tokens, const uint32_t *later)
{
	const uint32_t notify = tokens->first;
	if (notify != ORDO_NONE)
		tokens->first = later[notify];
	return notify;
}

/* Gives the tokens of all Notifies, or takes those of all Waits. */
static bool pair_kind(struct ordo_timeline *timeline, enum ordo_task_kind kind,
	struct signals *signals, struct tokens *tokens, uint32_t *later)
{
	const struct ordo_schedule *schedule = timeline->schedule;
	for (uint32_t s = 0; s < schedule->nstream; s++) {
		const uint32_t rank = schedule->streams[s].rank;
		for (uint32_t i = schedule->streams[s].first; i < schedule->streams[s].end; i++) {
			const struct ordo_task *task = &schedule->tasks[i];
			if (task->kind != kind)
				continue;
			const bool wait = kind == ORDO_WAIT;
			const uint32_t number = number_of(signals, wait ? task->peer : rank,
				wait ? rank : task->peer, task->signal);
			if (number == ORDO_NONE)
				return false;
			if (wait)
				timeline->tasks[i].notify = take_token(&tokens[number], later);
			else
				give_token(&tokens[number], later, i);
		}
	}
	return true;
}

bool ordo_timeline_pair(struct ordo_timeline *timeline, struct ordo_error *error)
{
	const uint32_t ntask = timeline->schedule->ntask;
	struct signals signals = {.nchannel = 0};
	struct tokens *tokens = ordo_array_make(ntask, sizeof *tokens, 0xff);
	uint32_t *later = ordo_array_make(ntask, sizeof *later, 0xff);
	for (uint32_t i = 0; i < ntask; i++)
		timeline->tasks[i].notify = ORDO_NONE;
	const bool worked = ordo_near_make(&signals.numbers, ntask) && tokens && later &&
			    pair_kind(timeline, ORDO_NOTIFY, &signals, tokens, later) &&
			    pair_kind(timeline, ORDO_WAIT, &signals, tokens, later);
	ordo_map_free(&signals.channels);
	ordo_near_free(&signals.numbers);
	free(tokens);
	free(later);
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
