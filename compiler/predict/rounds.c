/* rounds.c - the closed form of a schedule in rounds: each phase as long as its slowest stream.
 *
 * A pairwise AllToAll whose rank i has c(i, j) bytes for rank j has the rounds k = 1..p-1, and
 * takes
 *
 *   (p-1) alpha + beta * sum over k of (max over i of c(i, i+k))
 *
 * where every round moves something. Simulated ranks do not wait for the slowest of a round, so
 * unequal blocks may be faster.
 */
#include "rounds.h"
#include <ordo/arena.h>
#include <stdlib.h>

/* What one stream, or the slowest one, takes in a phase. */
struct part {
	double latency, wire, reduce, copy;
};

struct summing {
	const struct ordo_timed_run *run;
	struct part *own, *slowest;    /* [nphase] */
	uint32_t *touched, ntouched;   /* [nphase] phases of this stream */
	bool *is_touched, moves_apart; /* [nphase]; something moves outside all phases */
};

static double total(const struct part *part)
{
	return part->latency + part->wire + part->reduce + part->copy;
}

static void add_task(struct summing *summing, uint32_t i, uint32_t s, uint32_t *peer)
{
	const struct ordo_timed_run *run = summing->run;
	const struct ordo_task *task = &run->schedule->tasks[i];
	struct ordo_work work;
	ordo_work_of(run, i, s, &work);
	const struct part part = {0, work.wire, work.reduce, work.copy};
	if (work.route == ORDO_NONE && !(total(&part) > 0))
		return;
	if (task->phase == ORDO_NO_PHASE) {
		summing->moves_apart = true;
		return;
	}
	if (!summing->is_touched[task->phase]) {
		summing->is_touched[task->phase] = true;
		summing->touched[summing->ntouched++] = task->phase;
		*peer = ORDO_NONE;
	}
	struct part *own = &summing->own[task->phase];
	if (work.route != ORDO_NONE && task->peer != *peer)
		own->latency += run->routes->routes[work.route].latency;
	*peer = work.route == ORDO_NONE ? ORDO_NONE : task->peer;
	own->wire += part.wire;
	own->reduce += part.reduce;
	own->copy += part.copy;
}

static void add_stream(struct summing *summing, uint32_t s)
{
	const struct ordo_stream *stream = &summing->run->schedule->streams[s];
	uint32_t peer = ORDO_NONE;
	summing->ntouched = 0;
	for (uint32_t i = stream->first; i < stream->end; i++)
		if (ordo_task_moves(&summing->run->schedule->tasks[i]))
			add_task(summing, i, s, &peer);
	for (uint32_t i = 0; i < summing->ntouched; i++) {
		const uint32_t phase = summing->touched[i];
		if (total(&summing->own[phase]) > total(&summing->slowest[phase]))
			summing->slowest[phase] = summing->own[phase];
		summing->own[phase] = (struct part){0};
		summing->is_touched[phase] = false;
	}
}

bool ordo_rounds_make(
	struct ordo_round_sum *rounds, const struct ordo_timed_run *run, struct ordo_error *error)
{
	const struct ordo_schedule *schedule = run->schedule;
	const uint32_t nphase = schedule->nphase;
	struct summing summing = {.run = run,
		.own = ordo_array_make(nphase, sizeof *summing.own, 0),
		.slowest = ordo_array_make(nphase, sizeof *summing.slowest, 0),
		.touched = ordo_array_make(nphase, sizeof *summing.touched, 0),
		.is_touched = ordo_array_make(nphase, sizeof *summing.is_touched, 0)};
	const bool worked = summing.own && summing.slowest && summing.touched && summing.is_touched;
	*rounds = (struct ordo_round_sum){0};
	for (uint32_t s = 0; worked && s < schedule->nstream; s++)
		add_stream(&summing, s);
	for (uint32_t p = 0; worked && !summing.moves_apart && p < nphase; p++) {
		const struct part *slowest = &summing.slowest[p];
		rounds->nround += total(slowest) > 0;
		rounds->latency += slowest->latency;
		rounds->wire += slowest->wire;
		rounds->reduce += slowest->reduce;
		rounds->copy += slowest->copy;
	}
	free(summing.own);
	free(summing.slowest);
	free(summing.touched);
	free(summing.is_touched);
	return worked || ordo_fail_memory(error);
}
