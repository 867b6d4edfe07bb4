/* simulate.c - simulates a schedule in time: unshared work is followed stream by stream, shared
 * work by events.
 *
 * A stream runs ahead of the clock while it uses nothing shared: its times follow from its tokens
 * alone. Using a shared resource becomes an event, and once no stream can run, the earliest event
 * is next. A stream that an event wakes continues at that time or later, so events are processed in
 * order. Events at one time (up to rounding) are processed together, before rates are computed
 * once.
 */
#include "simulate.h"
#include "queue.h"
#include <math.h>
#include <ordo/arena.h>
#include <stdlib.h>

/* The stages of a task. If the stream has an event: the stage that begins at its time, or ends
 * then. */
enum stage {
	WAITING,   /* for its token; no event */
	WANTING,   /* a core */
	QUEUED,	   /* for a core; no event */
	GRANTED,   /* a core */
	DRIVING,   /* the latency of a Send */
	FLOWING,   /* its bytes */
	ADDING,	   /* at its target, or here */
	COPYING,   /* here */
	RELEASING, /* its core */
	OVER,
};

struct running {
	double clock; /* when its last task ended */
	double began; /* the flow that is going */
	struct ordo_work work;
	struct ordo_message message;
	uint32_t next; /* task */
	uint8_t stage;
	bool going;
};

/* The traffic of a route, to be added to its links at the end. */
struct passage {
	double bytes;
	/* seconds at full speed, with latencies; seconds in which bytes flowed */
	double used, flowed;
	uint64_t count;
};

struct simulation {
	struct ordo_timed_run *run;
	const struct ordo_schedule *schedule;
	struct ordo_timed_task *tasks;
	struct running *streams; /* [nstream] */
	uint32_t *ready, nready; /* streams that can run */
	/* [ntask] of a Notify: the stream that takes its token; or ORDO_NONE */
	uint32_t *takers;
	struct ordo_queue queue;
	struct ordo_max_min sharing;
	double now;		  /* events up to this time are being processed */
	struct passage *passages; /* [nroute] */
	/* Cores that all ranks share. */
	bool has_cores;
	uint32_t free_cores, *lined, nlined, first_lined; /* streams, round [nstream] */
	double task_cost;
	uint64_t ndone;
	double limit;
	bool given_up; /* a task ended later than that */
};

static double later(double a, double b)
{
	return a > b ? a : b;
}

static bool sends(const struct ordo_task *task)
{
	return task->kind == ORDO_SEND || task->kind == ORDO_SEND_REDUCE;
}

void ordo_work_of(const struct ordo_timed_run *run, uint32_t i, uint32_t s, struct ordo_work *work)
{
	const struct ordo_stream *stream = &run->schedule->streams[s];
	const struct ordo_task *task = &run->schedule->tasks[i];
	const struct ordo_resources *resources = run->resources;
	double rate = resources->add_rate;
	*work = (struct ordo_work){.route = ORDO_NONE};
	if (!ordo_task_moves(task) || ordo_moves_nothing(run->sizes, task))
		return;
	if (sends(task)) {
		work->route = ordo_route_of(run->routes, s, stream->rank, task->peer);
		const struct ordo_route *route = &run->routes->routes[work->route];
		work->wire = ordo_bytes_moved(run->sizes, task) / route->bandwidth;
		if (route->reduce > 0 && (route->reduce < rate || !(rate > 0)))
			rate = route->reduce;
	}
	if (ordo_task_reduces(task) && rate > 0)
		work->reduce = ordo_bytes_added(run->sizes, task) / rate;
	if (task->kind == ORDO_LOCAL_COPY && resources->copy_rate > 0)
		work->copy = ordo_bytes_moved(run->sizes, task) / resources->copy_rate;
}

double ordo_latency_of(const struct ordo_timed_run *run, uint32_t i, const struct ordo_work *work,
	struct ordo_message *message)
{
	const struct ordo_task *task = &run->schedule->tasks[i];
	const struct ordo_timed_task *times = run->timeline->tasks;
	if (task->kind == ORDO_WAIT)
		message->issued = later(message->issued, times[times[i].notify].end);
	if (!ordo_task_moves(task) || ordo_moves_nothing(run->sizes, task))
		return 0;
	const struct ordo_task *last =
		message->task == ORDO_NONE ? NULL : &run->schedule->tasks[message->task];
	message->task = sends(task) ? i : ORDO_NONE;
	if (!sends(task))
		return 0;
	const double latency = run->routes->routes[work->route].latency;
	if (last && last->peer == task->peer && last->phase == task->phase &&
		task->phase != ORDO_NO_PHASE)
		return later(0, message->issued + latency - times[i].begin);
	message->issued = times[i].begin;
	return latency;
}

/* What was used. */

static void use_rank(
	struct simulation *simulation, enum ordo_resource kind, uint32_t rank, double seconds_used)
{
	const struct ordo_resources *resources = simulation->run->resources;
	simulation->run->used[ordo_resource_of(resources, kind, rank) - resources->nlink] +=
		seconds_used;
}

static void use_route(struct simulation *simulation, uint32_t i, const struct ordo_work *work)
{
	struct passage *passage = &simulation->passages[work->route];
	passage->count++;
	passage->bytes += ordo_bytes_moved(simulation->run->sizes, &simulation->schedule->tasks[i]);
	passage->used += work->latency + work->wire;
}

/* Adds a route's traffic to a link. A shared link's busy time comes from the sharing; an unshared
 * link is busy when its stream's bytes flow. */
static void add_to_link(struct simulation *simulation, uint32_t link, const struct passage *passage)
{
	const struct ordo_timed_run *run = simulation->run;
	const struct ordo_resources *resources = run->resources;
	const struct ordo_link *ends = &run->options->topology->links[link];
	struct ordo_link_load *load = &run->links[link];
	load->flows += passage->count;
	load->bytes += passage->bytes;
	if (resources->shared[link] == ORDO_NONE) {
		load->busy += passage->flowed;
		load->most = load->busy > 0;
	}
	if (resources->ports && ends->from < resources->nrank)
		use_rank(simulation, ORDO_OUT_PORTS, ends->from, passage->used);
	if (resources->ports && ends->to < resources->nrank)
		use_rank(simulation, ORDO_IN_PORTS, ends->to, passage->used);
}

static void add_to_links(struct simulation *simulation)
{
	const struct ordo_timed_run *run = simulation->run;
	const struct ordo_routes *routes = run->routes;
	const uint32_t *shared = run->resources->shared;
	if (!run->links)
		return;
	for (uint32_t r = 0; r < routes->nroute; r++)
		for (uint32_t k = routes->routes[r].first_link; k < routes->routes[r].end_link; k++)
			add_to_link(simulation, routes->links[k], &simulation->passages[r]);
	for (uint32_t link = 0; link < run->resources->nlink; link++)
		if (shared[link] != ORDO_NONE) {
			run->links[link].most = simulation->sharing.resources[shared[link]].most;
			run->links[link].busy = simulation->sharing.busy[shared[link]];
		}
}

/* The stages of a task. */

static void at(struct simulation *simulation, uint32_t s, enum stage stage, double time)
{
	simulation->streams[s].stage = (uint8_t)stage;
	ordo_queue_put(&simulation->queue, s, time);
}

/* Begins a flow that takes `alone` seconds at full speed. true: it shares nothing and ends at
 * *time; false: its end will be an event. */
static bool flow(struct simulation *simulation, uint32_t s, enum stage stage, double alone,
	double bound, const struct ordo_use *uses, uint32_t nuse, double *time)
{
	struct running *stream = &simulation->streams[s];
	if (!nuse || !(alone > 0)) {
		*time += alone;
		return true;
	}
	if (*time > simulation->now) {
		at(simulation, s, stage, *time);
		return false;
	}
	stream->stage = (uint8_t)stage;
	stream->going = true;
	stream->began = *time;
	if (ordo_flow_begin(&simulation->sharing, s, *time, alone * bound, bound, uses, nuse))
		ordo_queue_put(&simulation->queue, s, *time + alone);
	return false;
}

static bool drive(struct simulation *simulation, uint32_t s, double *time)
{
	const struct ordo_resources *resources = simulation->run->resources;
	const struct ordo_work *work = &simulation->streams[s].work;
	if (work->route == ORDO_NONE || simulation->has_cores)
		return true;
	return flow(simulation, s, DRIVING, work->latency,
		simulation->run->routes->routes[work->route].bandwidth,
		resources->uses + resources->first_use[work->route],
		resources->nport_use[work->route], time);
}

static bool move(struct simulation *simulation, uint32_t s, double *time)
{
	const struct ordo_resources *resources = simulation->run->resources;
	const struct ordo_work *work = &simulation->streams[s].work;
	if (work->route == ORDO_NONE)
		return true;
	const uint32_t first = resources->first_use[work->route],
		       nuse = resources->first_use[work->route + 1] - first;
	const double began = *time;
	if (!flow(simulation, s, FLOWING, work->wire,
		    simulation->run->routes->routes[work->route].bandwidth, resources->uses + first,
		    nuse, time))
		return false;
	simulation->passages[work->route].flowed += *time - began;
	return true;
}

/* On a rank's adder or copier. */
static bool serve(struct simulation *simulation, uint32_t s, enum stage stage, double alone,
	const struct ordo_use *server, double *time)
{
	const double rate = 1 / server->load;
	const bool shared = server->resource != ORDO_NONE;
	double bound = rate;
	if (stage == ADDING && alone > 0) {
		const struct ordo_timed_run *run = simulation->run;
		const struct ordo_task *task =
			&simulation->schedule->tasks[simulation->streams[s].next];
		const double slow = ordo_bytes_added(run->sizes, task) / alone;
		bound = slow < rate ? slow : rate;
	}
	return flow(simulation, s, stage, alone, bound, server, shared ? 1 : 0, time);
}

static bool add(struct simulation *simulation, uint32_t s, double *time)
{
	const struct running *stream = &simulation->streams[s];
	const uint32_t rank = stream->work.route == ORDO_NONE
				      ? simulation->schedule->streams[s].rank
				      : simulation->schedule->tasks[stream->next].peer;
	return serve(simulation, s, ADDING, stream->work.reduce,
		&simulation->run->resources->adders[rank], time);
}

static bool copy(struct simulation *simulation, uint32_t s, double *time)
{
	const struct running *stream = &simulation->streams[s];
	return serve(simulation, s, COPYING, stream->work.copy,
		&simulation->run->resources->copiers[simulation->schedule->streams[s].rank], time);
}

/* Passes the core to the stream that has waited longest, or frees it. */
static void release_core(struct simulation *simulation, uint32_t i, double time)
{
	if (!simulation->nlined) {
		simulation->free_cores++;
		return;
	}
	const uint32_t s = simulation->lined[simulation->first_lined];
	simulation->first_lined = (simulation->first_lined + 1) % simulation->schedule->nstream;
	simulation->nlined--;
	simulation->tasks[simulation->streams[s].next].cause = i;
	at(simulation, s, GRANTED, time);
}

static bool release(struct simulation *simulation, uint32_t s, double *time)
{
	const struct running *stream = &simulation->streams[s];
	if (!simulation->has_cores)
		return true;
	if (*time > simulation->now) {
		at(simulation, s, RELEASING, *time);
		return false;
	}
	release_core(simulation, stream->next, *time);
	*time += stream->work.latency;
	return true;
}

/* Continues a task from this stage at *time. true: the task is over at *time. */
static bool proceed(struct simulation *simulation, uint32_t s, enum stage stage, double *time)
{
	return (stage > DRIVING || drive(simulation, s, time)) &&
	       (stage > FLOWING || move(simulation, s, time)) &&
	       (stage > ADDING || add(simulation, s, time)) &&
	       (stage > COPYING || copy(simulation, s, time)) &&
	       (stage > RELEASING || release(simulation, s, time));
}

/* Streams. */

/* A Notify added a token: wakes the stream that waits for it, if any. */
static void wake(struct simulation *simulation, uint32_t notify)
{
	const uint32_t s = simulation->takers[notify];
	if (s == ORDO_NONE)
		return;
	struct running *stream = &simulation->streams[s];
	if (stream->stage != WAITING)
		return;
	stream->stage = OVER;
	simulation->ready[simulation->nready++] = s;
}

static void tell_progress(const struct simulation *simulation)
{
	const struct ordo_predict_options *options = simulation->run->options;
	if (options->progress && simulation->ndone % 65536 == 0)
		options->progress(options->closure, "predicting", simulation->ndone,
			simulation->schedule->ntask);
}

/* The stream's task is over. */
static void end_task(struct simulation *simulation, uint32_t s, double time)
{
	struct running *stream = &simulation->streams[s];
	const uint32_t i = stream->next++;
	struct ordo_timed_task *timed = &simulation->tasks[i];
	timed->end = time;
	stream->clock = time;
	stream->stage = OVER;
	simulation->ndone++;
	simulation->given_up |= time > simulation->limit;
	tell_progress(simulation);
	if (simulation->schedule->tasks[i].kind == ORDO_NOTIFY)
		wake(simulation, i);
}

/* When the stream's next task can begin, and its cause. false: its token is missing. */
static bool is_ready(struct simulation *simulation, uint32_t s, double *time)
{
	struct running *stream = &simulation->streams[s];
	const uint32_t i = stream->next;
	struct ordo_timed_task *timed = &simulation->tasks[i];
	timed->ready = stream->clock;
	timed->cause = i > simulation->schedule->streams[s].first ? i - 1 : ORDO_NONE;
	*time = stream->clock;
	if (simulation->schedule->tasks[i].kind != ORDO_WAIT)
		return true;
	const double token = timed->notify == ORDO_NONE ? -1 : simulation->tasks[timed->notify].end;
	if (token < 0) {
		stream->stage = WAITING;
		return false;
	}
	if (token > *time) {
		*time = token;
		timed->cause = timed->notify;
	}
	return true;
}

/* Begins the stream's next task. true: it is over at *time already. */
static bool begin_task(struct simulation *simulation, uint32_t s, double *time)
{
	struct running *stream = &simulation->streams[s];
	const uint32_t i = stream->next;
	simulation->tasks[i].begin = *time;
	ordo_work_of(simulation->run, i, s, &stream->work);
	stream->work.latency = ordo_latency_of(simulation->run, i, &stream->work, &stream->message);
	if (stream->work.route != ORDO_NONE)
		use_route(simulation, i, &stream->work);
	if (stream->work.reduce > 0)
		use_rank(simulation, ORDO_ADDER,
			stream->work.route == ORDO_NONE ? simulation->schedule->streams[s].rank
							: simulation->schedule->tasks[i].peer,
			stream->work.reduce);
	if (stream->work.copy > 0)
		use_rank(simulation, ORDO_COPIER, simulation->schedule->streams[s].rank,
			stream->work.copy);
	*time += simulation->task_cost;
	return ordo_task_moves(&simulation->schedule->tasks[i]) || simulation->has_cores
		       ? proceed(simulation, s, DRIVING, time)
		       : true;
}

static void run(struct simulation *simulation, uint32_t s)
{
	struct running *stream = &simulation->streams[s];
	while (stream->next < simulation->schedule->streams[s].end && !simulation->given_up) {
		double time;
		if (!is_ready(simulation, s, &time))
			return;
		if (simulation->has_cores) {
			at(simulation, s, WANTING, time);
			return;
		}
		if (!begin_task(simulation, s, &time))
			return;
		end_task(simulation, s, time);
	}
}

static void run_all(struct simulation *simulation)
{
	while (simulation->nready && !simulation->given_up)
		run(simulation, simulation->ready[--simulation->nready]);
}

/* Events. */

/* A flow ended. true: so did its task, at *time. */
static bool end_flow(struct simulation *simulation, uint32_t s, double *time)
{
	struct running *stream = &simulation->streams[s];
	const enum stage stage = (enum stage)stream->stage;
	ordo_flow_end(&simulation->sharing, s, *time);
	stream->going = false;
	if (stage == FLOWING) {
		simulation->passages[stream->work.route].flowed += *time - stream->began;
		simulation->run->delay[stream->next] =
			later(0, *time - stream->began - stream->work.wire);
	}
	return proceed(simulation, s, (enum stage)(stage + 1), time);
}

static bool want_core(struct simulation *simulation, uint32_t s, double *time)
{
	if (simulation->free_cores) {
		simulation->free_cores--;
		return begin_task(simulation, s, time);
	}
	const uint32_t nstream = simulation->schedule->nstream;
	simulation->streams[s].stage = QUEUED;
	simulation->lined[(simulation->first_lined + simulation->nlined++) % nstream] = s;
	return false;
}

static void take_event(struct simulation *simulation, double time)
{
	const uint32_t s = ordo_queue_take(&simulation->queue);
	struct running *stream = &simulation->streams[s];
	const bool over = stream->going		     ? end_flow(simulation, s, &time)
			  : stream->stage == WANTING ? want_core(simulation, s, &time)
			  : stream->stage == GRANTED
				  ? begin_task(simulation, s, &time)
				  : proceed(simulation, s, (enum stage)stream->stage, &time);
	if (!over)
		return;
	end_task(simulation, s, time);
	simulation->ready[simulation->nready++] = s;
}

static void settle(struct simulation *simulation)
{
	struct ordo_max_min *sharing = &simulation->sharing;
	if (!sharing->ndirty && !sharing->nbegun && !sharing->groups.nstirred)
		return;
	ordo_max_min_settle(sharing, simulation->now);
	for (uint32_t i = 0; i < sharing->nhidden; i++)
		ordo_queue_drop(&simulation->queue, sharing->hidden[i]);
	for (uint32_t i = 0; i < sharing->nchanged; i++)
		ordo_queue_put(&simulation->queue, sharing->changed[i],
			ordo_flow_last(sharing, sharing->changed[i]));
	sharing->nhidden = sharing->nchanged = 0;
}

static void take_events(struct simulation *simulation)
{
	run_all(simulation);
	settle(simulation);
	for (double time, next;
		ordo_queue_first(&simulation->queue, &time) && !simulation->given_up;) {
		simulation->now = time * (1 + ORDO_SAME_TIME);
		for (next = time; !(next > simulation->now);) {
			take_event(simulation, next);
			run_all(simulation);
			if (!ordo_queue_first(&simulation->queue, &next))
				break;
		}
		simulation->now = time;
		settle(simulation);
	}
}

/* Every incomplete stream stops at a Wait. Prefers one whose token no Notify gives to one in a
 * cycle. */
static bool fail_blocked(const struct simulation *simulation, struct ordo_error *error)
{
	const struct ordo_schedule *schedule = simulation->schedule;
	uint32_t blocked = ORDO_NONE;
	char place[256];
	for (uint32_t s = 0; s < schedule->nstream; s++) {
		const uint32_t i = simulation->streams[s].next;
		if (i == schedule->streams[s].end)
			continue;
		if (blocked == ORDO_NONE || simulation->tasks[i].notify == ORDO_NONE)
			blocked = i;
		if (simulation->tasks[i].notify == ORDO_NONE)
			break;
	}
	if (blocked == ORDO_NONE)
		return ordo_fail(error, ORDO_USAGE, 0,
			"found a time that is not finite, wanted costs that are not so "
			"extreme");
	const bool given = simulation->tasks[blocked].notify != ORDO_NONE;
	ordo_task_locate(schedule, blocked, place, sizeof place);
	return ordo_fail(error, ORDO_REFUTED, given ? 7 : 6, "%s%s waits for %s",
		given ? "deadlock: " : "", place,
		given ? "a stream that waits for it, directly or not"
		      : "a token that is never given");
}

/* Finds the stream that takes each Notify's token. */
static bool pair(struct simulation *simulation, struct ordo_error *error)
{
	const struct ordo_schedule *schedule = simulation->schedule;
	struct ordo_timed_task *tasks = simulation->tasks;
	if (!ordo_timeline_pair(simulation->run->timeline, error))
		return false;
	for (uint32_t s = 0; s < schedule->nstream; s++)
		for (uint32_t i = schedule->streams[s].first; i < schedule->streams[s].end; i++) {
			tasks[i].end = -1;
			if (tasks[i].notify != ORDO_NONE)
				simulation->takers[tasks[i].notify] = s;
		}
	return true;
}

static bool open_simulation(struct simulation *simulation, struct ordo_error *error)
{
	struct ordo_timed_run *run = simulation->run;
	const struct ordo_topology *topology = run->options->topology;
	const struct ordo_resources *resources = run->resources;
	const uint32_t nstream = simulation->schedule->nstream;
	simulation->streams = ordo_array_make(nstream, sizeof *simulation->streams, 0);
	simulation->ready = ordo_array_make(nstream, sizeof *simulation->ready, 0);
	simulation->takers =
		ordo_array_make(simulation->schedule->ntask, sizeof *simulation->takers, 0xff);
	simulation->lined = ordo_array_make(nstream, sizeof *simulation->lined, 0);
	simulation->passages =
		ordo_array_make(run->routes->nroute, sizeof *simulation->passages, 0);
	if (resources->nshared)
		run->delay = ordo_array_make(simulation->schedule->ntask, sizeof *run->delay, 0);
	simulation->has_cores = topology && topology->cores;
	simulation->free_cores = topology ? topology->cores : 0;
	simulation->task_cost = topology ? topology->task_ns * 1e-9 : 0;
	const bool queued = ordo_queue_make(&simulation->queue, nstream, error);
	const struct ordo_max_min_limits limits = {.capacity = resources->capacity,
		.most_flows = resources->most_flows,
		.nresource = resources->nshared,
		.most_uses = resources->most_uses,
		.nflow = nstream};
	const bool shared = ordo_max_min_make(&simulation->sharing, &limits, error);
	if (!simulation->streams || !simulation->ready || !simulation->takers ||
		!simulation->lined || !simulation->passages || (resources->nshared && !run->delay))
		return ordo_fail_memory(error);
	for (uint32_t s = nstream; s-- > 0;) {
		simulation->streams[s].next = simulation->schedule->streams[s].first;
		simulation->streams[s].message.task = ORDO_NONE;
		simulation->streams[s].stage = OVER;
		simulation->ready[simulation->nready++] = s;
	}
	return queued && shared && pair(simulation, error);
}

static void close_simulation(struct simulation *simulation)
{
	free(simulation->streams);
	free(simulation->ready);
	free(simulation->takers);
	free(simulation->lined);
	free(simulation->passages);
	ordo_queue_free(&simulation->queue);
	ordo_max_min_free(&simulation->sharing);
}

bool ordo_simulate(struct ordo_timed_run *run, bool *given_up, struct ordo_error *error)
{
	struct ordo_timeline *timeline = run->timeline;
	const double limit = run->options->limit;
	struct simulation simulation = {.run = run,
		.schedule = run->schedule,
		.tasks = timeline->tasks,
		.limit = limit > 0 ? limit : HUGE_VAL};
	bool worked = open_simulation(&simulation, error);
	if (worked) {
		take_events(&simulation);
		timeline->total = 0;
		for (uint32_t s = 0; s < run->schedule->nstream; s++)
			timeline->total = later(timeline->total, simulation.streams[s].clock);
		worked = simulation.given_up ||
			 (simulation.ndone == run->schedule->ntask && isfinite(timeline->total)) ||
			 fail_blocked(&simulation, error);
		add_to_links(&simulation);
	}
	*given_up = simulation.given_up;
	close_simulation(&simulation);
	return worked;
}
