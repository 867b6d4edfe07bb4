/* events.c - one legal run of a schedule, and which events of a rank access the same slots. */
#include "events.h"
#include "export/slots.h"
#include <inttypes.h>
#include <ordo/arena.h>
#include <ordo/detail/fail.h>
#include <ordo/greedy.h>
#include <ordo/signals.h>
#include <stdlib.h>

enum { MOST_COUNT = 71 };

struct recording {
	struct msccl_events *events;
	const struct ordo_schedule *schedule;
	uint32_t *route_of;	   /* [ntask] of Send and SendReduce */
	uint32_t *sent, *received; /* [nroute] the last event on each side */
	struct slots slots;
	/* of the event at hand: the last writer of what it reads, and of how many slots */
	uint32_t writer, nwritten;
	bool failed;
	struct ordo_error *error;
};

static bool add_route(struct msccl_events *events, uint32_t from, uint32_t to, uint32_t channel)
{
	if (!ordo_array_reserve(&events->routes, &events->route_room, (size_t)events->nroute + 1,
		    sizeof *events->routes))
		return false;
	events->routes[events->nroute++] = (struct msccl_route){from, to, channel, 0};
	if (channel >= events->nchannel)
		events->nchannel = channel + 1;
	return true;
}

/* Streams of one rank that send to the same peer have a channel each. */
static bool find_routes(struct recording *r)
{
	const struct ordo_schedule *schedule = r->schedule;
	const uint32_t nrank = schedule->problem.nrank;
	uint32_t *stream_of = ordo_array_make(nrank, sizeof *stream_of, 0xff),
		 *route_to = ordo_array_make(nrank, sizeof *route_to, 0xff);
	bool worked = stream_of && route_to;
	for (uint32_t s = 0; worked && s < schedule->nstream; s++) {
		const struct ordo_stream *stream = &schedule->streams[s];
		for (uint32_t t = stream->first; worked && t < stream->end; t++) {
			const struct ordo_task *task = &schedule->tasks[t];
			if (task->kind >= ORDO_NOTIFY || !ordo_task_crosses(task))
				continue;
			const uint32_t peer = task->peer, last = route_to[peer];
			if (stream_of[peer] != s) {
				const bool again = last != ORDO_NONE &&
						   r->events->routes[last].from == stream->rank;
				const uint32_t channel =
					again ? r->events->routes[last].channel + 1 : 0;
				stream_of[peer] = s;
				route_to[peer] = r->events->nroute;
				worked = add_route(r->events, stream->rank, peer, channel);
			}
			r->route_of[t] = route_to[peer];
			r->events->routes[worked ? route_to[peer] : 0].nmessage +=
				(task->count + MOST_COUNT - 1) / MOST_COUNT;
		}
	}
	free(stream_of);
	free(route_to);
	return worked || ordo_fail_memory(r->error);
}

static bool check_messages(const struct recording *r, uint32_t most)
{
	for (uint32_t c = 0; c < r->events->nroute; c++) {
		const struct msccl_route *route = &r->events->routes[c];
		if (route->nmessage > most)
			return ordo_fail(r->error, ORDO_UNDECIDED, 0,
				"%" PRIu32 " messages from gpu %" PRIu32 " to gpu %" PRIu32
				": the runtime takes at most %" PRIu32 " steps in a tb",
				route->nmessage, route->from, route->to, most);
	}
	return true;
}

/* An earlier event, which accesses a slot of the one at hand. */
static void add_before(void *closure, uint32_t event)
{
	struct recording *r = closure;
	struct msccl_events *events = r->events;
	uint32_t *end = &events->first[events->nevent];
	if (event != r->writer)
		r->nwritten = 0;
	r->writer = event;
	r->nwritten++;
	if (event + 1 == events->nevent ||
		(*end > events->first[events->nevent - 1] && events->before[*end - 1] == event))
		return;
	if (ordo_array_reserve(&events->before, &events->before_room, (size_t)*end + 1,
		    sizeof *events->before))
		events->before[(*end)++] = event;
	else
		r->failed = true;
}

/* The receive that wrote all that a send reads, and nothing else; ORDO_NONE. */
static uint32_t find_source(const struct recording *r, const struct msccl_event *send)
{
	if (r->nwritten != send->count)
		return ORDO_NONE;
	const struct msccl_event *e = &r->events->events[r->writer];
	const bool receives = e->type == MSCCL_RECEIVE || e->type == MSCCL_RECEIVE_REDUCE_COPY;
	return receives && e->count == send->count ? r->writer : ORDO_NONE;
}

static bool add_event(struct recording *r, struct msccl_event event)
{
	struct msccl_events *events = r->events;
	const uint32_t index = events->nevent;
	if (!ordo_array_reserve(&events->events, &events->event_room, (size_t)index + 1,
		    sizeof *events->events) ||
		!ordo_array_reserve(&events->first, &events->first_room, (size_t)index + 2,
			sizeof *events->first))
		return false;
	if (!index)
		events->first[0] = 0;
	events->events[events->nevent++] = event;
	events->first[index + 1] = events->first[index];
	r->writer = ORDO_NONE;
	r->nwritten = 0;
	const struct region src = {event.rank, event.src.buffer, event.src.offset, event.count},
			    dst = {event.rank, event.dst.buffer, event.dst.offset, event.count};
	const bool reads =
		event.type == MSCCL_SEND || event.type == MSCCL_COPY || event.type == MSCCL_REDUCE;
	if (reads && !read_slots(&r->slots, &src, index, add_before, r))
		return false;
	if (event.type == MSCCL_SEND)
		events->events[index].source = find_source(r, &event);
	else
		write_slots(&r->slots, &dst, index, add_before, r);
	return !r->failed;
}

static bool add_message(struct recording *r, struct msccl_event send, uint32_t peer, bool reduces)
{
	const uint32_t at = r->events->nevent;
	struct msccl_event receive = send;
	send.type = MSCCL_SEND;
	send.partner = at + 1;
	send.previous = r->sent[send.connection];
	receive.type = reduces ? MSCCL_RECEIVE_REDUCE_COPY : MSCCL_RECEIVE;
	receive.rank = peer;
	receive.partner = at;
	receive.previous = r->received[send.connection];
	r->sent[send.connection] = at;
	r->received[send.connection] = at + 1;
	return add_event(r, send) && add_event(r, receive);
}

static enum ordo_visit record(void *closure, uint32_t stream, uint32_t id)
{
	struct recording *r = closure;
	const struct ordo_task *task = &r->schedule->tasks[id];
	const bool reduces = ordo_task_reduces(task), crosses = ordo_task_crosses(task);
	if (task->kind >= ORDO_NOTIFY)
		return ORDO_VISIT_ON;
	for (uint32_t i = 0; i < task->count; i += MOST_COUNT) {
		const uint32_t left = task->count - i;
		const struct msccl_event event = {.rank = r->schedule->streams[stream].rank,
			.type = reduces ? MSCCL_REDUCE : MSCCL_COPY,
			.src = {task->src_buffer, task->src + i},
			.dst = {task->dst_buffer, task->dst + i},
			.count = left < MOST_COUNT ? left : MOST_COUNT,
			.connection = crosses ? r->route_of[id] : ORDO_NONE,
			.partner = ORDO_NONE,
			.previous = ORDO_NONE,
			.source = ORDO_NONE};
		if (crosses ? !add_message(r, event, task->peer, reduces) : !add_event(r, event)) {
			r->failed = true;
			return ORDO_VISIT_STOP;
		}
	}
	return ORDO_VISIT_ON;
}

static bool open_recording(struct recording *r)
{
	const size_t nroute = (size_t)r->events->nroute + 1;
	r->sent = ordo_array_make(nroute, sizeof *r->sent, 0xff);
	r->received = ordo_array_make(nroute, sizeof *r->received, 0xff);
	return (r->sent && r->received && open_slots(&r->slots, r->schedule)) ||
	       ordo_fail_memory(r->error);
}

static bool run(struct recording *r)
{
	struct ordo_pairing pairing;
	struct ordo_greedy greedy = {0};
	const bool worked =
		ordo_pairing_open(&pairing, r->schedule) &&
		ordo_greedy_open(&greedy, r->schedule, pairing.signal_of, 1, pairing.signals.count);
	if (worked)
		ordo_greedy_run(&greedy, record, r);
	ordo_greedy_close(&greedy);
	ordo_pairing_close(&pairing);
	return (worked && !r->failed) || ordo_fail_memory(r->error);
}

bool msccl_events_open(struct msccl_events *events, const struct ordo_schedule *schedule,
	uint32_t most_messages, struct ordo_error *error)
{
	*events = (struct msccl_events){.schedule = schedule};
	struct recording r = {.events = events, .schedule = schedule, .error = error};
	r.route_of = malloc(((size_t)schedule->ntask + 1) * sizeof *r.route_of);
	const bool worked = r.route_of ? find_routes(&r) && check_messages(&r, most_messages) &&
						 open_recording(&r) && run(&r)
				       : ordo_fail_memory(error);
	free(r.route_of);
	free(r.sent);
	free(r.received);
	close_slots(&r.slots);
	return worked;
}

void msccl_events_close(struct msccl_events *events)
{
	free(events->routes);
	free(events->events);
	free(events->first);
	free(events->before);
}
