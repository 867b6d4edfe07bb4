/* predict_reference.c - predicted times a second time, by the plainest means. */
#include "predict_reference.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_USES = 64 };

/* What is going on in a stream. */
struct activity {
	enum { IDLE, LATENCY, WIRE, ADD, COPY } kind;
	double left; /* bytes; of a latency, what would have flowed in it */
	double alone, rate;
	uint32_t nuse, uses[MOST_USES];
	double loads[MOST_USES];
	bool fixed;
};

struct state {
	const struct ordo_schedule *schedule;
	const struct ordo_topology *topology;
	double now, chunk;
	double *ends, *moved;
	uint32_t *next;
	struct activity *activities; /* [nstream] */
	/* Of the message that a stream is sending: to whom, in which phase, and since when it could
	 * be sent. */
	uint32_t *peer, *phase;
	double *issued;
	double *capacity; /* links, ports out, ports in, adders, copiers */
	uint32_t nresource;
};

static void *make(size_t count, size_t size)
{
	void *items = calloc(count + 1, size);
	if (!items)
		abort();
	return items;
}

/* The links from a rank to another, by walking; 0: none. */
static uint32_t find_way(
	const struct ordo_topology *topology, uint32_t at, uint32_t to, uint32_t *links)
{
	for (uint32_t i = topology->first_link[at]; i < topology->first_link[at + 1]; i++)
		if (!topology->links[i].down && topology->links[i].to == to) {
			links[0] = i;
			return 1;
		}
	for (uint32_t i = topology->first_link[at]; i < topology->first_link[at + 1]; i++) {
		const uint32_t next = topology->links[i].to;
		uint32_t more;
		/* Only upwards or down to the target, so that walks end: switches above have larger
		 * numbers. */
		if (topology->links[i].down || next < topology->nrank || next <= at)
			continue;
		if (!(more = find_way(topology, next, to, links + 1)))
			continue;
		links[0] = i;
		return more + 1;
	}
	for (uint32_t i = topology->first_link[at];
		at >= topology->nrank && i < topology->first_link[at + 1]; i++) {
		const uint32_t next = topology->links[i].to;
		if (topology->links[i].down || next < topology->nrank || next >= at)
			continue;
		for (uint32_t k = topology->first_link[next]; k < topology->first_link[next + 1];
			k++)
			if (topology->links[k].to == to && !topology->links[k].down) {
				links[0] = i;
				links[1] = k;
				return 2;
			}
	}
	return 0;
}

/* Round a ring of switches of which each has one way on. */
static uint32_t find_way_round(
	const struct ordo_topology *topology, uint32_t at, uint32_t to, uint32_t *links)
{
	uint32_t length = 0;
	while (at != to) {
		uint32_t best = ORDO_NONE;
		for (uint32_t i = topology->first_link[at]; i < topology->first_link[at + 1]; i++)
			if (topology->links[i].to == to || topology->links[i].to >= topology->nrank)
				best = best != ORDO_NONE && topology->links[best].to == to ? best
											   : i;
		links[length++] = best;
		at = topology->links[best].to;
	}
	return length;
}

static void use(struct activity *activity, uint32_t resource, double load)
{
	activity->uses[activity->nuse] = resource;
	activity->loads[activity->nuse++] = load;
}

static void begin_move(struct state *state, uint32_t s, bool with_latency)
{
	const struct ordo_schedule *schedule = state->schedule;
	const struct ordo_topology *topology = state->topology;
	const struct ordo_task *task = &schedule->tasks[state->next[s]];
	struct activity *activity = &state->activities[s];
	const uint32_t nlink = topology->nlink, nrank = topology->nrank;
	uint32_t links[MOST_USES];
	const uint32_t from = schedule->streams[s].rank,
		       near = find_way(topology, from, task->peer, links),
		       length = near ? near : find_way_round(topology, from, task->peer, links);
	double latency = 0, alone = HUGE_VAL;
	for (uint32_t i = 0; i < length; i++) {
		latency += topology->links[links[i]].latency_ns * 1e-9;
		alone = fmin(alone, topology->links[links[i]].bandwidth_gbs * 1e9);
	}
	const bool goes_on = state->peer[s] == task->peer && state->phase[s] == task->phase &&
			     task->phase != ORDO_NO_PHASE;
	*activity = (struct activity){.kind = with_latency ? LATENCY : WIRE, .alone = alone};
	if (with_latency) {
		if (goes_on)
			latency = fmin(latency, fmax(0, state->issued[s] + latency - state->now));
		else
			state->issued[s] = state->now;
		state->peer[s] = task->peer;
		state->phase[s] = task->phase;
	}
	activity->left = with_latency ? latency * alone : task->count * state->chunk;
	for (uint32_t i = 0; i < length; i++) {
		const struct ordo_link *link = &topology->links[links[i]];
		if (!with_latency) {
			use(activity, links[i], 1e-9 / link->bandwidth_gbs);
			state->moved[links[i]] += activity->left;
		}
		if (topology->ports && link->from < nrank)
			use(activity, nlink + link->from, 1 / alone);
		if (topology->ports && link->to < nrank)
			use(activity, nlink + nrank + link->to, 1 / alone);
	}
}

static void begin_at_rank(struct state *state, uint32_t s, uint32_t rank, bool adds)
{
	const struct ordo_topology *topology = state->topology;
	const double rate = (adds ? topology->reduce_gbs : topology->copy_gbs) * 1e9;
	state->activities[s] = (struct activity){.kind = adds ? ADD : COPY,
		.left = state->schedule->tasks[state->next[s]].count * state->chunk,
		.alone = rate > 0 ? rate : HUGE_VAL};
	if (rate > 0)
		use(&state->activities[s],
			topology->nlink + (adds ? 2 : 3) * topology->nrank + rank, 1 / rate);
	else
		state->activities[s].left = 0;
}

/* When the Notify was whose token a Wait takes: the one with as many Notifies before it as the Wait
 * has Waits; -1: it was not yet. */
static double token_of(const struct state *state, uint32_t s)
{
	const struct ordo_schedule *schedule = state->schedule;
	const struct ordo_task *wait = &schedule->tasks[state->next[s]];
	uint32_t before = 0;
	for (uint32_t pass = 0; pass < 2; pass++)
		for (uint32_t t = 0; t < schedule->nstream; t++)
			for (uint32_t i = schedule->streams[t].first; i < state->next[t]; i++) {
				const struct ordo_task *task = &schedule->tasks[i];
				const uint32_t rank = schedule->streams[t].rank;
				if (ordo_task_moves(task) || task->signal != wait->signal)
					continue;
				if (!pass)
					before += task->kind == ORDO_WAIT &&
						  task->peer == wait->peer &&
						  rank == schedule->streams[s].rank;
				else if (task->kind == ORDO_NOTIFY && rank == wait->peer &&
					 task->peer == schedule->streams[s].rank && before-- == 0)
					return state->ends[i];
			}
	return -1;
}

static void begin_task(struct state *state, uint32_t s)
{
	const uint32_t rank = state->schedule->streams[s].rank;
	const struct ordo_task *task = &state->schedule->tasks[state->next[s]];
	if (task->kind == ORDO_SEND || task->kind == ORDO_SEND_REDUCE) {
		begin_move(state, s, true);
	} else {
		state->peer[s] = ORDO_NONE;
		begin_at_rank(state, s, rank, task->kind == ORDO_LOCAL_REDUCE);
	}
}

/* What is over at `now` is ended, what can begin begins; until nothing does. */
static void go_on(struct state *state)
{
	const struct ordo_schedule *schedule = state->schedule;
	for (bool changed = true; changed;) {
		changed = false;
		for (uint32_t s = 0; s < schedule->nstream; s++) {
			struct activity *activity = &state->activities[s];
			if (state->next[s] == schedule->streams[s].end)
				continue;
			const struct ordo_task *task = &schedule->tasks[state->next[s]];
			if (activity->kind == IDLE && ordo_task_moves(task)) {
				begin_task(state, s);
				changed = true;
			} else if (activity->kind == IDLE) {
				const double token =
					task->kind == ORDO_WAIT ? token_of(state, s) : 0;
				if (token < 0)
					continue;
				state->issued[s] = fmax(state->issued[s], token);
				state->ends[state->next[s]++] = state->now;
				changed = true;
			} else if (!(activity->left > 0)) {
				changed = true;
				if (activity->kind == LATENCY)
					begin_move(state, s, false);
				else if (activity->kind == WIRE && task->kind == ORDO_SEND_REDUCE)
					begin_at_rank(state, s, task->peer, true);
				else {
					activity->kind = IDLE;
					state->ends[state->next[s]++] = state->now;
				}
			}
		}
	}
}

/* Max-min: again and again the resource is found whose flows can have least. */
static void find_rates(struct state *state)
{
	const uint32_t nstream = state->schedule->nstream;
	double *left = make(state->nresource, sizeof *left),
	       *weight = make(state->nresource, sizeof *weight);
	memcpy(left, state->capacity, state->nresource * sizeof *left);
	for (uint32_t s = 0; s < nstream; s++)
		state->activities[s].fixed = state->activities[s].kind == IDLE;
	for (;;) {
		double least = HUGE_VAL;
		memset(weight, 0, state->nresource * sizeof *weight);
		for (uint32_t s = 0; s < nstream; s++)
			for (uint32_t i = 0;
				!state->activities[s].fixed && i < state->activities[s].nuse; i++)
				weight[state->activities[s].uses[i]] +=
					state->activities[s].loads[i];
		for (uint32_t s = 0; s < nstream; s++) {
			const struct activity *activity = &state->activities[s];
			if (activity->fixed)
				continue;
			least = fmin(least, activity->alone);
			for (uint32_t i = 0; i < activity->nuse; i++)
				least = fmin(
					least, left[activity->uses[i]] / weight[activity->uses[i]]);
		}
		if (!(least < HUGE_VAL))
			break;
		bool *stops = make(nstream, sizeof *stops);
		for (uint32_t s = 0; s < nstream; s++) {
			const struct activity *activity = &state->activities[s];
			stops[s] = !activity->fixed && activity->alone <= least * (1 + 1e-12);
			for (uint32_t i = 0; !activity->fixed && i < activity->nuse; i++)
				stops[s] |= left[activity->uses[i]] / weight[activity->uses[i]] <=
					    least * (1 + 1e-12);
		}
		for (uint32_t s = 0; s < nstream; s++) {
			struct activity *activity = &state->activities[s];
			if (!stops[s])
				continue;
			activity->fixed = true;
			activity->rate = least;
			for (uint32_t i = 0; i < activity->nuse; i++)
				left[activity->uses[i]] -= least * activity->loads[i];
		}
		free(stops);
	}
	free(left);
	free(weight);
}

/* To the next end. false: nothing is going on. */
static bool step(struct state *state)
{
	double soonest = HUGE_VAL;
	find_rates(state);
	for (uint32_t s = 0; s < state->schedule->nstream; s++)
		if (state->activities[s].kind != IDLE)
			soonest = fmin(
				soonest, state->activities[s].left / state->activities[s].rate);
	if (!(soonest < HUGE_VAL))
		return false;
	state->now += soonest;
	for (uint32_t s = 0; s < state->schedule->nstream; s++) {
		struct activity *activity = &state->activities[s];
		if (activity->kind == IDLE)
			continue;
		activity->left -= soonest * activity->rate;
		/* What ends within a billionth of now ends now. */
		if (activity->left <= 1e-9 * activity->rate * state->now)
			activity->left = 0;
	}
	return true;
}

void predict_reference(const struct ordo_schedule *schedule, const struct ordo_topology *topology,
	double bytes, double *ends, double *moved)
{
	const uint32_t nblock = schedule->problem.op == ORDO_ALLTOALL
					? schedule->problem.nrank
					: ordo_nblock(&schedule->problem);
	struct state state = {.schedule = schedule,
		.topology = topology,
		.chunk = bytes / nblock / schedule->problem.chunks_per_block,
		.ends = ends,
		.moved = moved,
		.next = make(schedule->nstream, sizeof *state.next),
		.activities = make(schedule->nstream, sizeof *state.activities),
		.peer = make(schedule->nstream, sizeof *state.peer),
		.phase = make(schedule->nstream, sizeof *state.phase),
		.issued = make(schedule->nstream, sizeof *state.issued),
		.nresource = topology->nlink + 4 * topology->nrank};
	state.capacity = make(state.nresource, sizeof *state.capacity);
	for (uint32_t i = 0; i < state.nresource; i++)
		state.capacity[i] =
			i >= topology->nlink && i < topology->nlink + 2 * topology->nrank
				? topology->ports
				: 1;
	for (uint32_t s = 0; s < schedule->nstream; s++) {
		state.next[s] = schedule->streams[s].first;
		state.peer[s] = ORDO_NONE;
	}
	do
		go_on(&state);
	while (step(&state));
	for (uint32_t s = 0; s < schedule->nstream; s++)
		if (state.next[s] != schedule->streams[s].end) {
			fprintf(stderr, "predict_reference: stream %u is stuck\n", s);
			abort();
		}
	free(state.next);
	free(state.activities);
	free(state.peer);
	free(state.phase);
	free(state.issued);
	free(state.capacity);
}
