/* predict.c - predicts the time of a schedule on a topology, and its breakdown. */
#include "bounds/bounds.h"
#include "rounds.h"
#include "simulate.h"
#include <ordo/arena.h>
#include <ordo/options.h>
#include <ordo/plural.h>
#include <ordo/predict.h>
#include <stdlib.h>

/* The latency that a task pays, following its message from the first Send on, or from a later one
 * that ended so long before that nothing until then delays this task. */
static double latency_of(
	const struct ordo_timed_run *run, uint32_t i, uint32_t s, const struct ordo_work *work)
{
	const struct ordo_task *tasks = run->schedule->tasks;
	const struct ordo_timed_task *times = run->timeline->tasks;
	struct ordo_message message = {.task = ORDO_NONE};
	double latency = 0;
	uint32_t first = i;
	if (work->route == ORDO_NONE)
		return 0;
	const double whole = run->routes->routes[work->route].latency;
	bool delays = true;
	while (delays && first > run->schedule->streams[s].first &&
		(!ordo_task_moves(&tasks[first - 1]) ||
			(tasks[first - 1].peer == tasks[i].peer &&
				tasks[first - 1].phase == tasks[i].phase))) {
		first--;
		delays = !ordo_task_moves(&tasks[first]) ||
			 times[first].end + whole > times[i].begin;
	}
	for (; first <= i; first++)
		latency = ordo_latency_of(run, first, work, &message);
	return latency;
}

/* The seconds of the critical path that one task accounts for, as the next on it begins before its
 * end if it only had the core from it. */
static void add_task(
	struct ordo_prediction *prediction, const struct ordo_timed_run *run, uint32_t place)
{
	const struct ordo_timed_task *tasks = prediction->timeline->tasks;
	const uint32_t i = prediction->path[place];
	const struct ordo_timed_task *next =
		place + 1 < prediction->npath ? &tasks[prediction->path[place + 1]] : NULL;
	const double end = next && next->begin < tasks[i].end ? next->begin : tasks[i].end;
	struct ordo_breakdown *breakdown = &prediction->breakdown;
	const uint32_t s = ordo_stream_of(run->schedule, i);
	struct ordo_work work;
	ordo_work_of(run, i, s, &work);
	work.latency = latency_of(run, i, s, &work);
	const struct ordo_topology *topology = run->options->topology;
	if (end < tasks[i].end)
		work.latency = 0;
	const double cost = topology ? topology->task_ns * 1e-9 : 0,
		     delay = run->delay ? run->delay[i] : 0,
		     rest = end - tasks[i].begin - cost - work.latency - work.wire - work.reduce -
			    work.copy - delay;
	breakdown->latency += cost + work.latency;
	breakdown->wire += work.wire;
	breakdown->reduce += work.reduce;
	breakdown->copy += work.copy;
	breakdown->sharing += delay;
	breakdown->waiting += rest > 0 ? rest : 0;
}

static bool find_path(struct ordo_prediction *prediction, const struct ordo_timed_run *run,
	struct ordo_error *error)
{
	const uint32_t ntask = run->schedule->ntask;
	uint32_t *path = ordo_array_make(ntask, sizeof *path, 0);
	if (!path)
		return ordo_fail_memory(error);
	prediction->npath = ordo_timeline_path(prediction->timeline, path);
	prediction->path = realloc(path, ((size_t)prediction->npath + 1) * sizeof *path);
	if (!prediction->path)
		prediction->path = path;
	for (uint32_t i = 0; i < prediction->npath; i++)
		add_task(prediction, run, i);
	return true;
}

static void offer_busiest(struct ordo_prediction *prediction, enum ordo_resource kind, uint32_t at,
	double seconds_used)
{
	const double total = prediction->timeline->total,
		     share = total > 0 ? seconds_used / total : 0;
	if (!(share > prediction->busiest_share))
		return;
	prediction->busiest = kind;
	prediction->busiest_at = at;
	prediction->busiest_share = share;
}

static void find_busiest(struct ordo_prediction *prediction, const struct ordo_timed_run *run)
{
	const struct ordo_resources *resources = run->resources;
	const struct ordo_topology *topology = run->options->topology;
	double most = 0;
	for (uint32_t i = 0; topology && i < topology->nlink; i++) {
		const double used = run->links[i].bytes * 1e-9 / topology->links[i].bandwidth_gbs;
		offer_busiest(prediction, ORDO_LINK, i, used);
		if (used > most) {
			most = used;
			prediction->bottleneck = i;
		}
	}
	for (int kind = ORDO_OUT_PORTS; kind <= ORDO_COPIER; kind++)
		for (uint32_t rank = 0; rank < resources->nrank; rank++) {
			const uint32_t place =
				ordo_resource_of(resources, (enum ordo_resource)kind, rank) -
				resources->nlink;
			const double paths =
				kind <= ORDO_IN_PORTS && resources->ports ? resources->ports : 1;
			offer_busiest(prediction, (enum ordo_resource)kind, rank,
				run->used[place] / paths);
		}
	if (!topology)
		offer_busiest(prediction, ORDO_WIRE, 0, prediction->breakdown.wire);
}

/* Creates everything the simulation needs, and runs it. */
static bool simulate(
	struct ordo_prediction *prediction, struct ordo_timed_run *run, struct ordo_error *error)
{
	const struct ordo_schedule *schedule = run->schedule;
	const struct ordo_predict_options *options = run->options;
	run->timeline = prediction->timeline = ordo_timeline_create(schedule, error);
	if (!prediction->timeline)
		return false;
	const uint32_t nlink = options->topology ? options->topology->nlink : 0;
	run->links = prediction->links =
		options->topology ? ordo_array_make(nlink, sizeof *run->links, 0) : NULL;
	run->used = ordo_array_make(4 * (size_t)schedule->problem.nrank, sizeof *run->used, 0);
	if (!run->used || (options->topology && !run->links))
		return ordo_fail_memory(error);
	if (!ordo_simulate(run, &prediction->given_up, error))
		return false;
	if (prediction->given_up)
		return true;
	if (!find_path(prediction, run, error))
		return false;
	find_busiest(prediction, run);
	return true;
}

static bool predict(struct ordo_prediction *prediction, const struct ordo_schedule *schedule,
	const struct ordo_predict_options *options, struct ordo_error *error)
{
	struct ordo_sizes_of_moves sizes = {.begin = NULL};
	struct ordo_routes routes = {.first = NULL};
	struct ordo_resources resources = {.shared = NULL};
	struct ordo_timed_run run = {.schedule = schedule,
		.options = options,
		.sizes = &sizes,
		.routes = &routes,
		.resources = &resources};
	bool worked = ordo_sizes_make(&sizes, &schedule->problem, options, error) &&
		      ordo_routes_make(&routes, schedule, options, error) &&
		      ordo_resources_make(&resources, schedule, &routes, options, error) &&
		      simulate(prediction, &run, error);
	prediction->bytes = sizes.bytes;
	const bool wanted = worked && !options->no_bounds && !prediction->given_up;
	if (wanted)
		worked = ordo_bounds_make(&prediction->bounds, &schedule->problem, sizes.bytes,
			sizes.block_bytes, options, error);
	if (wanted && worked && options->block_count)
		worked = ordo_rounds_make(&prediction->rounds, &run, error);
	free(run.used);
	free(run.delay);
	ordo_resources_free(&resources);
	ordo_routes_free(&routes);
	ordo_sizes_free(&sizes);
	return worked;
}

static struct ordo_prediction *predict_checked(const struct ordo_schedule *schedule,
	const struct ordo_predict_options *options, struct ordo_error *error)
{
	if (options->topology && options->topology->nrank != schedule->problem.nrank) {
		ordo_fail(error, ORDO_USAGE, 0, "topology %.64s: found %u rank%s, wanted %u",
			options->topology->name, options->topology->nrank,
			ordo_plural(options->topology->nrank), schedule->problem.nrank);
		return NULL;
	}
	if (options->block_count && !ordo_has_counts(schedule->problem.op)) {
		ordo_fail(error, ORDO_USAGE, 0,
			"%s: found a count for each block, wanted one for all: it has no V form",
			ordo_operator_facts(schedule->problem.op)->name);
		return NULL;
	}
	struct ordo_prediction *prediction = calloc(1, sizeof *prediction);
	if (!prediction) {
		ordo_fail_memory(error);
		return NULL;
	}
	prediction->bottleneck = ORDO_NONE;
	if (predict(prediction, schedule, options, error))
		return prediction;
	ordo_prediction_destroy(prediction);
	return NULL;
}

struct ordo_prediction *ordo_predict_sized(size_t size, const struct ordo_schedule *schedule,
	const struct ordo_predict_options *options, struct ordo_error *error)
{
	struct ordo_predict_options own;
	return ordo_options_take(&own, sizeof own, options, size, error)
		       ? predict_checked(schedule, &own, error)
		       : NULL;
}

struct ordo_prediction *(ordo_predict)(const struct ordo_schedule *schedule,
	const struct ordo_predict_options *options, struct ordo_error *error)
{
	return ordo_predict_sized(
		ORDO_UP_TO(ordo_predict_options, closure), schedule, options, error);
}

void ordo_prediction_destroy(struct ordo_prediction *prediction)
{
	if (!prediction)
		return;
	ordo_timeline_destroy(prediction->timeline);
	free(prediction->path);
	free(prediction->links);
	free(prediction->bounds.cut_ranks);
	free(prediction);
}
