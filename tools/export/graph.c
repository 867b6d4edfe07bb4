/* graph.c - a schedule as operations of its ranks. */
#include "graph.h"
#include "slots.h"
#include <ordo/arena.h>
#include <ordo/detail/accumulate.h>
#include <ordo/detail/fail.h>
#include <ordo/detail/schedules.h>
#include <ordo/detail/slots.h>
#include <ordo/greedy.h>
#include <ordo/signals.h>
#include <stdlib.h>

struct builder {
	struct graph *graph;
	const struct graph_options *options;
	const struct ordo_schedule *schedule;
	const struct ordo_pairing *pairing;
	struct slots slots;
	size_t operation_room, dependence_room;
	uint32_t *last;	    /* [nstream] its last operation; ORDO_NONE */
	uint32_t *first_of; /* [nstream] where those that it waits for begin in `waited` */
	struct reader *waited;
	size_t waited_room;
	uint32_t nwaited;
	uint32_t *landing;  /* [ntask] the operation that delivers its data, or its signal */
	uint32_t *pending;  /* [ntask] of a Notify within a rank: first_of its stream then */
	uint32_t *previous; /* [ntask] the last Send to the same rank, in its stream before it */
	uint32_t *covered;  /* [nsignal] up to which task its Waits already wait for Sends */
	uint32_t *received; /* [nrank] messages so far */
	/* the operation that has a dependence on an operation, or on one of a stream; and where */
	uint32_t *wanted_by, *stream_wanted_by, *stream_place;
	size_t wanted_room;
	uint32_t nvisited;
	bool failed; /* no memory */
};

/* Sizes. */

static uint64_t elements_of(const struct builder *builder, const struct ordo_task *task)
{
	return ordo_chunks_elements(
		&builder->schedule->problem, builder->options->count, task->chunk, task->count);
}

static uint64_t element_in(const struct builder *builder, uint32_t buffer)
{
	const enum ordo_type type = builder->options->type;
	return ordo_type_size(buffer == ORDO_SCRATCH
				      ? ordo_accumulator(&builder->schedule->problem, type)
				      : type);
}

/* The receiver widens, the sender rounds. */
static uint64_t bytes_moved(const struct builder *builder, const struct ordo_task *task)
{
	const uint64_t from = element_in(builder, task->src_buffer),
		       to = element_in(builder, task->dst_buffer);
	return elements_of(builder, task) * (from < to ? from : to);
}

static uint64_t bytes_added(const struct builder *builder, const struct ordo_task *task)
{
	return elements_of(builder, task) * element_in(builder, task->dst_buffer);
}

static double seconds_of(uint64_t bytes, double bandwidth_gbs)
{
	return bandwidth_gbs > 0 ? (double)bytes * 1e-9 / bandwidth_gbs : 0;
}

/* Dependences. */

/* The operation added last depends on an earlier one; of one stream on the latest alone. */
static void depend(void *closure, uint32_t operation)
{
	struct builder *builder = closure;
	struct graph *graph = builder->graph;
	const uint32_t current = graph->count - 1, stream = graph->operations[operation].stream;
	if (builder->failed || builder->wanted_by[operation] == current)
		return;
	builder->wanted_by[operation] = current;
	if (stream != ORDO_NONE && builder->stream_wanted_by[stream] == current) {
		uint32_t *place = &graph->dependences[builder->stream_place[stream]];
		*place = operation > *place ? operation : *place;
		return;
	}
	if (!ordo_array_reserve(&graph->dependences, &builder->dependence_room,
		    (size_t)graph->ndependence + 1, sizeof *graph->dependences)) {
		builder->failed = true;
		return;
	}
	if (stream != ORDO_NONE) {
		builder->stream_wanted_by[stream] = current;
		builder->stream_place[stream] = graph->ndependence;
	}
	graph->dependences[graph->ndependence++] = operation;
	graph->operations[current].ndependence++;
}

/* What follows in the stream waits for the operation. */
static void wait_for(struct builder *builder, uint32_t stream, uint32_t operation)
{
	if (operation == ORDO_NONE ||
		!ordo_array_reserve(&builder->waited, &builder->waited_room,
			(size_t)builder->nwaited + 1, sizeof *builder->waited)) {
		builder->failed = builder->failed || operation != ORDO_NONE;
		return;
	}
	builder->waited[builder->nwaited] = (struct reader){operation, builder->first_of[stream]};
	builder->first_of[stream] = builder->nwaited++;
}

/* false: no memory. */
static bool add_operation(struct builder *builder, const struct operation *operation)
{
	struct graph *graph = builder->graph;
	const size_t want = (size_t)graph->count + 1;
	if (builder->failed || want >= ORDO_NONE ||
		!ordo_array_reserve(&graph->operations, &builder->operation_room, want,
			sizeof *graph->operations) ||
		!ordo_array_reserve(&builder->wanted_by, &builder->wanted_room, want,
			sizeof *builder->wanted_by)) {
		builder->failed = true;
		return false;
	}
	builder->wanted_by[graph->count] = ORDO_NONE;
	graph->operations[graph->count] = *operation;
	graph->operations[graph->count++].first_dependence = graph->ndependence;
	return true;
}

/* An operation of a stream: after the last one, and what that stream waited for. */
static bool add_to_stream(struct builder *builder, const struct operation *operation)
{
	const uint32_t stream = operation->stream, last = builder->last[stream];
	if (!add_operation(builder, operation))
		return false;
	builder->last[stream] = builder->graph->count - 1;
	if (last != ORDO_NONE)
		depend(builder, last);
	for (uint32_t i = builder->first_of[stream]; i != ORDO_NONE; i = builder->waited[i].next)
		depend(builder, builder->waited[i].operation);
	builder->first_of[stream] = ORDO_NONE;
	return true;
}

static void reads(struct builder *builder, uint32_t rank, const struct ordo_task *task)
{
	const struct region region = {rank, task->src_buffer, task->src, task->count};
	if (!builder->failed &&
		!read_slots(&builder->slots, &region, builder->graph->count - 1, depend, builder))
		builder->failed = true;
}

static void writes(struct builder *builder, uint32_t rank, const struct ordo_task *task)
{
	const struct region region = {rank, task->dst_buffer, task->dst, task->count};
	if (!builder->failed)
		write_slots(&builder->slots, &region, builder->graph->count - 1, depend, builder);
}

/* The operations of each task. */

static void add_local(struct builder *builder, uint32_t stream, uint32_t i)
{
	const struct ordo_task *task = &builder->schedule->tasks[i];
	const bool adds = task->kind == ORDO_LOCAL_REDUCE;
	struct operation operation = {.kind = adds ? OPERATION_ADD : OPERATION_COPY,
		.rank = builder->schedule->streams[stream].rank,
		.task = i,
		.stream = stream,
		.bytes = adds ? bytes_added(builder, task) : bytes_moved(builder, task)};
	operation.seconds =
		seconds_of(operation.bytes, adds ? builder->options->reduce_bandwidth_gbs
						 : builder->options->copy_bandwidth_gbs);
	if (!add_to_stream(builder, &operation))
		return;
	reads(builder, operation.rank, task);
	writes(builder, operation.rank, task);
}

/* A send and its receive; bytes: at least one, as no simulator knows a message of none. */
static void add_message(struct builder *builder, uint32_t stream, uint32_t i, uint64_t bytes)
{
	const struct ordo_task *task = &builder->schedule->tasks[i];
	struct operation operation = {.kind = OPERATION_SEND,
		.rank = builder->schedule->streams[stream].rank,
		.task = i,
		.stream = stream,
		.peer = task->peer,
		.tag = builder->received[task->peer]++,
		.bytes = bytes ? bytes : 1};
	builder->graph->nmessage++;
	if (!add_to_stream(builder, &operation))
		return;
	if (ordo_task_moves(task))
		reads(builder, operation.rank, task);
	operation.kind = OPERATION_RECEIVE;
	operation.peer = operation.rank;
	operation.rank = task->peer;
	operation.stream = ORDO_NONE;
	if (!add_operation(builder, &operation))
		return;
	builder->landing[i] = builder->graph->count - 1;
	if (task->kind == ORDO_SEND)
		writes(builder, task->peer, task);
}

static void add_sum(struct builder *builder, uint32_t stream, uint32_t i)
{
	const struct ordo_task *task = &builder->schedule->tasks[i];
	struct operation operation = {.kind = OPERATION_ADD,
		.rank = task->peer,
		.task = i,
		.stream = ORDO_NONE,
		.bytes = bytes_added(builder, task)};
	const uint32_t received = builder->landing[i];
	(void)stream;
	operation.seconds = seconds_of(operation.bytes, builder->options->reduce_bandwidth_gbs);
	if (builder->failed || !add_operation(builder, &operation))
		return;
	builder->landing[i] = builder->graph->count - 1;
	depend(builder, received);
	writes(builder, task->peer, task);
}

/* Does a message of data say what the Notify says: is the last thing before it, but for others of
 * its kind, a Send to the same rank? */
static bool is_carried(const struct builder *builder, uint32_t stream, uint32_t notify)
{
	const struct ordo_task *tasks = builder->schedule->tasks;
	uint32_t i = notify;
	while (i > builder->schedule->streams[stream].first && tasks[i - 1].kind == ORDO_NOTIFY)
		i--;
	return i > builder->schedule->streams[stream].first && builder->previous[notify] == i - 1;
}

/* Within a rank: what the Wait waits for is what the stream of the Notify did and waited for. */
static void note_within(struct builder *builder, uint32_t stream, uint32_t notify)
{
	builder->landing[notify] = builder->last[stream];
	builder->pending[notify] = builder->first_of[stream];
}

static void take_token(struct builder *builder, uint32_t stream, uint32_t wait)
{
	const uint32_t notify = ordo_pairing_notify_of(builder->pairing, wait);
	uint32_t *covered = &builder->covered[builder->pairing->signal_of[wait]];
	for (uint32_t i = builder->previous[notify];
		i != ORDO_NONE && (*covered == ORDO_NONE || i > *covered); i = builder->previous[i])
		wait_for(builder, stream, builder->landing[i]);
	if (builder->previous[notify] != ORDO_NONE)
		*covered = builder->previous[notify];
	wait_for(builder, stream, builder->landing[notify]);
	for (uint32_t i = builder->pending[notify]; i != ORDO_NONE; i = builder->waited[i].next)
		wait_for(builder, stream, builder->waited[i].operation);
}

static enum ordo_visit visit(void *closure, uint32_t stream, uint32_t i)
{
	struct builder *builder = closure;
	const struct ordo_task *task = &builder->schedule->tasks[i];
	builder->nvisited++;
	switch ((enum ordo_task_kind)task->kind) {
	case ORDO_LOCAL_COPY:
	case ORDO_LOCAL_REDUCE:
		add_local(builder, stream, i);
		break;
	case ORDO_SEND:
		add_message(builder, stream, i, bytes_moved(builder, task));
		break;
	case ORDO_SEND_REDUCE:
		add_message(builder, stream, i, bytes_moved(builder, task));
		add_sum(builder, stream, i);
		break;
	case ORDO_NOTIFY:
		if (task->peer == builder->schedule->streams[stream].rank)
			note_within(builder, stream, i);
		else if (builder->options->signals && !is_carried(builder, stream, i))
			add_message(builder, stream, i, 1);
		break;
	case ORDO_WAIT:
		take_token(builder, stream, i);
		break;
	}
	return builder->failed ? ORDO_VISIT_STOP : ORDO_VISIT_ON;
}

/* previous[] of Sends and Notifies. */
static bool find_previous(struct builder *builder)
{
	const struct ordo_schedule *schedule = builder->schedule;
	uint32_t *last = ordo_array_make(schedule->problem.nrank, sizeof *last, 255);
	for (uint32_t s = 0; last && s < schedule->nstream; s++) {
		const struct ordo_stream *stream = &schedule->streams[s];
		for (uint32_t i = stream->first; i < stream->end; i++) {
			const struct ordo_task *task = &schedule->tasks[i];
			if (!ordo_task_crosses(task) || task->kind == ORDO_WAIT)
				continue;
			builder->previous[i] = last[task->peer];
			if (ordo_task_moves(task))
				last[task->peer] = i;
		}
		for (uint32_t i = stream->first; i < stream->end; i++)
			if (ordo_task_crosses(&schedule->tasks[i]))
				last[schedule->tasks[i].peer] = ORDO_NONE;
	}
	free(last);
	return last;
}

static bool open_builder(struct builder *builder)
{
	const struct ordo_schedule *schedule = builder->schedule;
	const size_t ntask = schedule->ntask, nstream = schedule->nstream;
	struct {
		uint32_t **array;
		size_t count;
		unsigned char fill;
	} arrays[] = {{&builder->last, nstream, 255}, {&builder->first_of, nstream, 255},
		{&builder->stream_wanted_by, nstream, 255}, {&builder->stream_place, nstream, 0},
		{&builder->landing, ntask, 255}, {&builder->previous, ntask, 255},
		{&builder->pending, ntask, 255},
		{&builder->covered, builder->pairing->signals.count, 255},
		{&builder->received, schedule->problem.nrank, 0}};
	for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) {
		*arrays[i].array =
			ordo_array_make(arrays[i].count, sizeof(uint32_t), arrays[i].fill);
		if (!*arrays[i].array)
			return false;
	}
	return open_slots(&builder->slots, schedule) && find_previous(builder);
}

static void close_builder(struct builder *builder)
{
	close_slots(&builder->slots);
	free(builder->last);
	free(builder->first_of);
	free(builder->waited);
	free(builder->landing);
	free(builder->previous);
	free(builder->pending);
	free(builder->covered);
	free(builder->received);
	free(builder->wanted_by);
	free(builder->stream_wanted_by);
	free(builder->stream_place);
}

/* Sorts the operations by rank. */
static bool index_ranks(struct graph *graph, struct ordo_error *error)
{
	const uint32_t nrank = graph->schedule->problem.nrank;
	graph->first_of_rank = ordo_array_make((size_t)nrank + 1, sizeof *graph->first_of_rank, 0);
	graph->of_rank = ordo_array_make(graph->count, sizeof *graph->of_rank, 0);
	if (!graph->first_of_rank || !graph->of_rank)
		return ordo_fail_memory(error);
	uint32_t *first = graph->first_of_rank;
	for (uint32_t i = 0; i < graph->count; i++)
		graph->operations[i].place = first[graph->operations[i].rank + 1]++;
	for (uint32_t rank = 0; rank < nrank; rank++)
		first[rank + 1] += first[rank];
	for (uint32_t i = 0; i < graph->count; i++)
		graph->of_rank[first[graph->operations[i].rank] + graph->operations[i].place] = i;
	return true;
}

static bool build(struct builder *builder, struct ordo_error *error)
{
	struct ordo_greedy greedy = {0};
	const bool opened = open_builder(builder) && ordo_greedy_open(&greedy, builder->schedule,
							     builder->pairing->signal_of, 1,
							     builder->pairing->signals.count);
	if (opened)
		ordo_greedy_run(&greedy, visit, builder);
	ordo_greedy_close(&greedy);
	if (!opened || builder->failed)
		return ordo_fail_memory(error);
	if (builder->nvisited != builder->schedule->ntask)
		return ordo_fail(error, ORDO_REFUTED, 7, "the schedule deadlocks");
	return index_ranks(builder->graph, error);
}

bool make_graph(struct graph *graph, const struct ordo_schedule *schedule,
	const struct graph_options *options, struct ordo_error *error)
{
	struct ordo_pairing pairing;
	*graph = (struct graph){.schedule = schedule};
	struct builder builder = {
		.graph = graph, .options = options, .schedule = schedule, .pairing = &pairing};
	const bool worked = ordo_pairing_open(&pairing, schedule) ? build(&builder, error)
								  : ordo_fail_memory(error);
	close_builder(&builder);
	ordo_pairing_close(&pairing);
	return worked;
}

void free_graph(struct graph *graph)
{
	free(graph->operations);
	free(graph->dependences);
	free(graph->first_of_rank);
	free(graph->of_rank);
}
