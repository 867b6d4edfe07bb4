/* predict.c - how long a schedule takes: every task alone on the machine's links, for now. */
#include <ordo/predict.h>
#include <stdlib.h>

struct token {
	uint32_t from, to, signal, task;
};

static int compare_tokens(const void *a, const void *b)
{
	const struct token *x = a, *y = b;
	if (x->from != y->from)
		return x->from < y->from ? -1 : 1;
	if (x->to != y->to)
		return x->to < y->to ? -1 : 1;
	if (x->signal != y->signal)
		return x->signal < y->signal ? -1 : 1;
	return x->task < y->task ? -1 : x->task > y->task;
}

/* The j-th Wait takes the j-th Notify. */
static bool pair_tokens(struct ordo_timeline *timeline)
{
	const struct ordo_schedule *schedule = timeline->schedule;
	struct token *given = malloc(((size_t)schedule->ntask + 1) * 2 * sizeof *given),
		     *taken = given + schedule->ntask + 1;
	size_t ngiven = 0, ntaken = 0;
	if (!given)
		return false;
	for (uint32_t s = 0; s < schedule->nstream; s++)
		for (uint32_t i = schedule->streams[s].first; i < schedule->streams[s].end; i++) {
			const struct ordo_task *task = &schedule->tasks[i];
			const uint32_t rank = schedule->streams[s].rank;
			if (task->kind == ORDO_NOTIFY)
				given[ngiven++] = (struct token){rank, task->peer, task->signal, i};
			if (task->kind == ORDO_WAIT)
				taken[ntaken++] = (struct token){task->peer, rank, task->signal, i};
		}
	qsort(given, ngiven, sizeof *given, compare_tokens);
	qsort(taken, ntaken, sizeof *taken, compare_tokens);
	for (size_t i = 0; i < ntaken && i < ngiven; i++)
		timeline->tasks[taken[i].task].notify = given[i].task;
	free(given);
	return true;
}

static double work_of(
	const struct ordo_schedule *schedule, uint32_t task, const struct ordo_machine *machine, double chunk)
{
	const struct ordo_task *it = &schedule->tasks[task];
	const double bytes = it->count * chunk;
	double seconds = 0;
	if (it->kind == ORDO_SEND || it->kind == ORDO_SEND_REDUCE)
		seconds += machine->latency_ns * 1e-9 + bytes / machine->bandwidth_gbs * 1e-9;
	if (ordo_task_reduces(it))
		seconds += bytes / machine->reduce_bandwidth_gbs * 1e-9;
	return seconds;
}

struct ordo_prediction *ordo_predict(const struct ordo_schedule *schedule,
	const struct ordo_predict_options *options, struct ordo_error *error)
{
	struct ordo_prediction *prediction = calloc(1, sizeof *prediction);
	struct ordo_timeline *timeline = prediction ? ordo_timeline_create(schedule, error) : NULL;
	uint32_t *next = timeline ? malloc(((size_t)schedule->nstream + 1) * sizeof *next) : NULL;
	if (!next || !pair_tokens(timeline)) {
		ordo_fail_memory(error);
		return NULL;
	}
	prediction->timeline = timeline;
	prediction->bottleneck = ORDO_NONE;
	prediction->bytes = (double)options->bytes;
	const uint64_t nslot =
		(uint64_t)schedule->problem.chunks_per_block *
		(schedule->problem.op == ORDO_ALLREDUCE || schedule->problem.op == ORDO_REDUCE ||
					schedule->problem.op == ORDO_BROADCAST
				? 1
				: schedule->problem.nrank);
	const double chunk = (double)options->bytes / (double)nslot;
	bool *ended = calloc((size_t)schedule->ntask + 1, 1);
	for (uint32_t s = 0; s < schedule->nstream; s++)
		next[s] = schedule->streams[s].first;
	for (bool moved = true; moved;) {
		moved = false;
		for (uint32_t s = 0; s < schedule->nstream; s++)
			for (; next[s] < schedule->streams[s].end; next[s]++) {
				const uint32_t i = next[s];
				struct ordo_timed_task *timed = &timeline->tasks[i];
				if (schedule->tasks[i].kind == ORDO_WAIT && !ended[timed->notify])
					break;
				timed->cause = i > schedule->streams[s].first ? i - 1 : ORDO_NONE;
				timed->ready =
					timed->cause == ORDO_NONE ? 0 : timeline->tasks[timed->cause].end;
				timed->begin = timed->ready;
				if (schedule->tasks[i].kind == ORDO_WAIT &&
					timeline->tasks[timed->notify].end > timed->ready) {
					timed->begin = timeline->tasks[timed->notify].end;
					timed->cause = timed->notify;
				}
				timed->end = timed->begin + work_of(schedule, i, &options->machine, chunk);
				timeline->total = timed->end > timeline->total ? timed->end : timeline->total;
				ended[i] = moved = true;
			}
	}
	free(ended);
	free(next);
	prediction->path = malloc(((size_t)schedule->ntask + 1) * sizeof *prediction->path);
	prediction->npath = ordo_timeline_path(timeline, prediction->path);
	return prediction;
}

void ordo_prediction_destroy(struct ordo_prediction *prediction)
{
	if (prediction) {
		ordo_timeline_destroy(prediction->timeline);
		free(prediction->path);
		free(prediction->links);
		free(prediction->bounds.cut_ranks);
	}
	free(prediction);
}
