/* partial_timeline.c - predicts a schedule up to a deadlock. */
#include "partial_timeline.h"
#include "view/model/pairing.h"
#include <stdlib.h>

/* Seconds shown if no task takes time. */
static const double least_total = 1e-6;

struct cutting {
	const struct ordo_schedule *schedule;
	const uint32_t *stopped;
	uint32_t *partners;
	uint32_t *of_whole; /* [ntask of the runnable part] the task of the whole */
	struct partial_run *run;
};

/* Whether a Notify's token is taken; a Notify without a Wait is left out of the prediction. */
static bool is_taken(const struct cutting *cutting, uint32_t task)
{
	const uint32_t partner = cutting->partners[task];
	if (cutting->schedule->tasks[task].kind != ORDO_NOTIFY)
		return true;
	return partner != ORDO_NONE &&
	       partner < cutting->stopped[ordo_stream_of(cutting->schedule, partner)];
}

static bool cut(struct cutting *cutting, struct ordo_error *error)
{
	const struct ordo_schedule *schedule = cutting->schedule;
	struct ordo_schedule *part =
		ordo_schedule_create(&schedule->problem, schedule->algorithm, error);
	cutting->run->runnable = part;
	bool worked =
		part && ordo_schedule_set_phases(part, schedule->phases, schedule->nphase, error);
	if (worked)
		part->scratch_slots = schedule->scratch_slots;
	for (uint32_t s = 0; worked && s < schedule->nstream; s++) {
		const struct ordo_stream *stream = &schedule->streams[s];
		worked = ordo_schedule_begin_stream(part, stream->rank, stream->name, error);
		if (worked && ordo_via_of(schedule, s))
			worked = ordo_schedule_set_via(part, s, ordo_via_of(schedule, s), error);
		cutting->run->nblocked += cutting->stopped[s] < stream->end;
		for (uint32_t t = stream->first; worked && t < cutting->stopped[s]; t++) {
			if (!is_taken(cutting, t))
				continue;
			cutting->of_whole[part->ntask] = t;
			worked = ordo_schedule_append(part, &schedule->tasks[t], error);
		}
	}
	return worked;
}

/* Copies the prediction of the runnable part to the tasks of the whole. */
static void copy_times(const struct cutting *cutting, const struct ordo_timeline *part, bool *timed)
{
	struct ordo_timeline *whole = cutting->run->timeline;
	for (uint32_t i = 0; i < part->schedule->ntask; i++) {
		struct ordo_timed_task *task = &whole->tasks[cutting->of_whole[i]];
		*task = part->tasks[i];
		task->cause = task->cause == ORDO_NONE ? ORDO_NONE : cutting->of_whole[task->cause];
		task->notify =
			task->notify == ORDO_NONE ? ORDO_NONE : cutting->of_whole[task->notify];
		timed[cutting->of_whole[i]] = true;
	}
	whole->total = part->total > 0 ? part->total : least_total;
}

/* Times of the other tasks: a Notify without a Wait takes no time, and blocked streams wait until
 * the end. */
static void add_times(const struct cutting *cutting, const bool *timed)
{
	const struct ordo_schedule *schedule = cutting->schedule;
	struct ordo_timeline *whole = cutting->run->timeline;
	for (uint32_t s = 0; s < schedule->nstream; s++) {
		const struct ordo_stream *stream = &schedule->streams[s];
		for (uint32_t t = stream->first; t < stream->end; t++) {
			const bool begun = t <= cutting->stopped[s];
			cutting->run->absent[t] = !begun;
			if (timed[t] || !begun)
				continue;
			const bool first = t == stream->first;
			const double ready = first ? 0 : whole->tasks[t - 1].end,
				     end = t == cutting->stopped[s] ? whole->total : ready;
			whole->tasks[t] = (struct ordo_timed_task){
				ready, end, end, first ? ORDO_NONE : t - 1, ORDO_NONE};
		}
	}
}

bool predict_until_deadlock(struct call *call, const struct predicting *args,
	const struct ordo_schedule *schedule, const uint32_t *stopped, struct predicted *predicted,
	struct partial_run *run)
{
	struct ordo_error error;
	struct cutting cutting = {schedule, stopped, pair_tasks(schedule),
		calloc((size_t)schedule->ntask + 1, sizeof *cutting.of_whole), run};
	bool *timed = calloc((size_t)schedule->ntask + 1, sizeof *timed);
	*run = (struct partial_run){.timeline = ordo_timeline_create(schedule, &error),
		.absent = calloc((size_t)schedule->ntask + 1, sizeof *run->absent)};
	bool worked = cutting.partners && cutting.of_whole && timed && run->timeline && run->absent;
	if (!worked)
		ordo_fail_memory(&error);
	worked = worked && cut(&cutting, &error);
	if (!worked)
		call->status = fail(call, &error);
	worked = worked && predict_schedule(call, args, run->runnable, predicted);
	if (worked) {
		copy_times(&cutting, predicted->prediction->timeline, timed);
		add_times(&cutting, timed);
	}
	free(cutting.partners);
	free(cutting.of_whole);
	free(timed);
	return worked;
}

void close_partial_run(struct partial_run *run)
{
	ordo_schedule_destroy(run->runnable);
	ordo_timeline_destroy(run->timeline);
	free(run->absent);
	*run = (struct partial_run){.runnable = NULL};
}
