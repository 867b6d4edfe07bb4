/* events.c - one legal run of a schedule, and which events of a rank access the same slots. */
#include "events.h"
#include <inttypes.h>
#include <ordo/arena.h>
#include <ordo/detail/fail.h>
#include <ordo/detail/slots.h>
#include <ordo/greedy.h>
#include <ordo/signals.h>
#include <stdlib.h>

enum { MOST_COUNT = 71 };

/* A read of a slot since its last write. */
struct reader {
	uint32_t event, next; /* in readers; ORDO_NONE: the last */
};

struct recording {
	struct msccl_events *events;
	const struct ordo_schedule *schedule;
	uint32_t *route_of;		 /* [ntask] of Send and SendReduce */
	uint32_t *sent, *received;	 /* [nroute] the last event on each side */
	uint32_t inputs, outputs, cells; /* slots of a rank, at most: input, output, all */
	uint32_t *writer;		 /* [nrank][cells] the last event; ORDO_NONE */
	uint32_t *readers_of;		 /* [nrank][cells] a list in readers; ORDO_NONE */
	struct reader *readers;
	size_t reader_room;
	uint32_t nreader;
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

static size_t cell(const struct recording *r, uint32_t rank, struct msccl_slot slot)
{
	const struct ordo_problem *problem = &r->schedule->problem;
	const size_t first = (size_t)rank * r->cells;
	if (slot.buffer == ORDO_INPUT) {
		const uint32_t output = ordo_in_place_output_slot(problem, rank, slot.offset);
		return output == ORDO_NONE ? first + slot.offset : first + r->inputs + output;
	}
	return first + slot.offset + r->inputs + (slot.buffer == ORDO_SCRATCH ? r->outputs : 0);
}

static bool add_before(struct recording *r, uint32_t event)
{
	struct msccl_events *events = r->events;
	uint32_t *end = &events->first[events->nevent];
	if (event == ORDO_NONE || event + 1 == events->nevent ||
		(*end > events->first[events->nevent - 1] && events->before[*end - 1] == event))
		return true;
	if (!ordo_array_reserve(&events->before, &events->before_room, (size_t)*end + 1,
		    sizeof *events->before))
		return ordo_fail_memory(r->error);
	events->before[(*end)++] = event;
	return true;
}

/* The event at hand is the last one. */
static bool read_slots(struct recording *r, struct msccl_slot slot)
{
	const uint32_t event = r->events->nevent - 1;
	struct msccl_event *e = &r->events->events[event];
	for (uint32_t i = 0; i < e->count; i++, slot.offset++) {
		const size_t at = cell(r, e->rank, slot);
		if (!add_before(r, r->writer[at]))
			return false;
		if (!ordo_array_reserve(&r->readers, &r->reader_room, (size_t)r->nreader + 1,
			    sizeof *r->readers))
			return ordo_fail_memory(r->error);
		r->readers[r->nreader] = (struct reader){event, r->readers_of[at]};
		r->readers_of[at] = r->nreader++;
	}
	return true;
}

static bool write_slots(struct recording *r, struct msccl_slot slot)
{
	const uint32_t event = r->events->nevent - 1;
	const struct msccl_event *e = &r->events->events[event];
	for (uint32_t i = 0; i < e->count; i++, slot.offset++) {
		const size_t at = cell(r, e->rank, slot);
		if (!add_before(r, r->writer[at]))
			return false;
		for (uint32_t n = r->readers_of[at]; n != ORDO_NONE; n = r->readers[n].next)
			if (!add_before(r, r->readers[n].event))
				return false;
		r->readers_of[at] = ORDO_NONE;
		r->writer[at] = event;
	}
	return true;
}

/* The receive that wrote all that a send reads, and nothing else. */
static uint32_t find_source(const struct recording *r, const struct msccl_event *send)
{
	struct msccl_slot slot = send->src;
	const uint32_t writer = r->writer[cell(r, send->rank, slot)];
	if (writer == ORDO_NONE)
		return ORDO_NONE;
	const struct msccl_event *e = &r->events->events[writer];
	if ((e->type != MSCCL_RECEIVE && e->type != MSCCL_RECEIVE_REDUCE_COPY) ||
		e->count != send->count ||
		cell(r, e->rank, e->dst) != cell(r, send->rank, send->src))
		return ORDO_NONE;
	for (uint32_t i = 0; i < send->count; i++, slot.offset++)
		if (r->writer[cell(r, send->rank, slot)] != writer)
			return ORDO_NONE;
	return writer;
}

static bool add_event(struct recording *r, struct msccl_event event)
{
	struct msccl_events *events = r->events;
	if (!ordo_array_reserve(&events->events, &events->event_room, (size_t)events->nevent + 1,
		    sizeof *events->events) ||
		!ordo_array_reserve(&events->first, &events->first_room, (size_t)events->nevent + 2,
			sizeof *events->first))
		return ordo_fail_memory(r->error);
	if (!events->nevent)
		events->first[0] = 0;
	event.source = event.type == MSCCL_SEND ? find_source(r, &event) : ORDO_NONE;
	events->events[events->nevent] = event;
	events->nevent++;
	events->first[events->nevent] = events->first[events->nevent - 1];
	const bool reads =
		event.type == MSCCL_SEND || event.type == MSCCL_COPY || event.type == MSCCL_REDUCE;
	return (!reads || read_slots(r, event.src)) &&
	       (event.type == MSCCL_SEND || write_slots(r, event.dst));
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
			.previous = ORDO_NONE};
		if (crosses ? !add_message(r, event, task->peer, reduces) : !add_event(r, event)) {
			r->error->code = ORDO_ENVIRONMENT;
			return ORDO_VISIT_STOP;
		}
	}
	return ORDO_VISIT_ON;
}

static bool open_recording(struct recording *r)
{
	const struct ordo_schedule *schedule = r->schedule;
	const struct ordo_problem *problem = &schedule->problem;
	for (uint32_t rank = 0; rank < problem->nrank; rank++) {
		const uint32_t inputs = ordo_input_slots(problem, rank),
			       outputs = ordo_output_slots(problem, rank);
		r->inputs = inputs > r->inputs ? inputs : r->inputs;
		r->outputs = outputs > r->outputs ? outputs : r->outputs;
	}
	r->cells = r->inputs + r->outputs + schedule->scratch_slots;
	const size_t count = (size_t)problem->nrank * r->cells + 1;
	r->sent = ordo_array_make((size_t)r->events->nroute + 1, sizeof *r->sent, 0xff);
	r->received = ordo_array_make((size_t)r->events->nroute + 1, sizeof *r->received, 0xff);
	r->writer = ordo_array_make(count, sizeof *r->writer, 0xff);
	r->readers_of = ordo_array_make(count, sizeof *r->readers_of, 0xff);
	return (r->sent && r->received && r->writer && r->readers_of) || ordo_fail_memory(r->error);
}

static bool run(struct recording *r)
{
	struct ordo_pairing pairing;
	struct ordo_greedy greedy = {0};
	const bool worked =
		ordo_pairing_open(&pairing, r->schedule) &&
		ordo_greedy_open(&greedy, r->schedule, pairing.signal_of, 1, pairing.signals.count);
	r->error->code = ORDO_OK;
	if (worked)
		ordo_greedy_run(&greedy, record, r);
	ordo_greedy_close(&greedy);
	ordo_pairing_close(&pairing);
	return worked ? r->error->code == ORDO_OK : ordo_fail_memory(r->error);
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
	free(r.writer);
	free(r.readers_of);
	free(r.readers);
	return worked;
}

void msccl_events_close(struct msccl_events *events)
{
	free(events->routes);
	free(events->events);
	free(events->first);
	free(events->before);
}
