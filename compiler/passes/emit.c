/* emit.c - writes moves and edges down as the streams and tasks of a schedule. */
#include "passes.h"
#include <ordo/arena.h>
#include <stdlib.h>
#include <string.h>

/* Where things go: the tasks of one stream after another, and in each, for every move, its Wait,
 * the move, and its Notify. So it is enough to count what comes before and after every move; then
 * every task has its place, and moves and edges are gone through once, in the order of the program.
 */
struct layout {
	/* [nlane] how many Notify a stream begins with; then where the next of them goes */
	uint32_t *begins;
	/* [nlane] how many tasks it has; then where the next move, and then the next Wait at its
	 * end, goes */
	uint32_t *ends;
	uint32_t *before; /* [nmove] how many Wait; then where the next goes */
	uint32_t *after;  /* [nmove] how many Notify; likewise */
	uint32_t *lanes;  /* [nlane] by rank */
};

struct emission {
	const struct ordo_sequence *sequence;
	const struct ordo_sync_edges *edges;
	struct ordo_schedule *schedule;
	struct layout layout;
	struct ordo_error *error;
};

static bool open_layout(struct layout *layout, const struct ordo_sequence *sequence)
{
	const size_t nlane = sequence->nlane, nmove = sequence->nmove;
	layout->begins = ordo_array_make(nlane, sizeof *layout->begins, 0);
	layout->ends = ordo_array_make(nlane, sizeof *layout->ends, 0);
	layout->lanes = ordo_array_make(nlane, sizeof *layout->lanes, 0);
	layout->before = ordo_array_make(nmove, sizeof *layout->before, 0);
	layout->after = ordo_array_make(nmove, sizeof *layout->after, 0);
	return layout->begins && layout->ends && layout->lanes && layout->before && layout->after;
}

static void close_layout(struct layout *layout)
{
	free(layout->begins);
	free(layout->ends);
	free(layout->lanes);
	free(layout->before);
	free(layout->after);
}

static void count(struct emission *e)
{
	const struct ordo_sequence *sequence = e->sequence;
	struct layout *layout = &e->layout;
	for (uint32_t i = 0; i < e->edges->count; i++) {
		const struct ordo_sync_edge *edge = &e->edges->items[i];
		++*(edge->from == ORDO_NONE ? &layout->begins[edge->from_lane]
					    : &layout->after[edge->from]);
		layout->ends[edge->from_lane]++;
		layout->ends[edge->to_lane]++;
		if (edge->to != ORDO_NONE)
			layout->before[edge->to]++;
	}
	for (uint32_t id = 0; id < sequence->nmove; id++)
		if (!sequence->moves[id].relays)
			layout->ends[sequence->moves[id].stream]++;
}

/* The streams of rank 0 first, of one rank in the order of their first moves. */
static bool sort_lanes(struct emission *e)
{
	const struct ordo_sequence *sequence = e->sequence;
	uint32_t *first = calloc((size_t)sequence->problem.nrank + 1, sizeof *first);
	if (!first)
		return false;
	for (uint32_t lane = 0; lane < sequence->nlane; lane++)
		first[sequence->lanes[lane].rank + 1]++;
	for (uint32_t rank = 0; rank < sequence->problem.nrank; rank++)
		first[rank + 1] += first[rank];
	for (uint32_t lane = 0; lane < sequence->nlane; lane++)
		e->layout.lanes[first[sequence->lanes[lane].rank]++] = lane;
	free(first);
	return true;
}

static bool begin_streams(struct emission *e, const char *const *names)
{
	struct layout *layout = &e->layout;
	for (uint32_t i = 0; i < e->sequence->nlane; i++) {
		const uint32_t lane = layout->lanes[i], count = layout->ends[lane],
			       first = e->schedule->ntask;
		if (!ordo_schedule_begin_stream(e->schedule, e->sequence->lanes[lane].rank,
			    names[e->sequence->lanes[lane].label], e->error) ||
			!ordo_schedule_extend(e->schedule, count, e->error))
			return false;
		const struct ordo_via *via = e->sequence->lanes[lane].via;
		if (via && !ordo_schedule_set_via(e->schedule, i, via, e->error))
			return false;
		layout->ends[lane] = first + layout->begins[lane];
		layout->begins[lane] = first;
	}
	return true;
}

static struct ordo_task task_of(const struct ordo_move *move)
{
	const bool crosses = move->peer != move->rank;
	enum ordo_task_kind kind = crosses ? ORDO_SEND : ORDO_LOCAL_COPY;
	if (move->reduces)
		kind = crosses ? ORDO_SEND_REDUCE : ORDO_LOCAL_REDUCE;
	return (struct ordo_task){
		.kind = kind & 7,
		.src_buffer = move->src_buffer,
		.dst_buffer = move->dst_buffer,
		.phase = move->phase,
		.peer = crosses ? move->peer : 0,
		.chunk = move->chunk,
		.count = move->count,
		.src = move->src,
		.dst = move->dst,
	};
}

/* A task stands where the move of the document stands that it comes from. */
static void place_task(struct emission *e, uint32_t task, uint32_t move)
{
	if (e->schedule->places)
		e->schedule->places[task] = e->sequence->places[e->sequence->origins[move]];
}

static void emit_move(struct emission *e, uint32_t id)
{
	struct layout *layout = &e->layout;
	const struct ordo_move *move = &e->sequence->moves[id];
	const uint32_t first = layout->ends[move->stream], at = first + layout->before[id],
		       next = at + !move->relays;
	if (!move->relays) {
		e->schedule->tasks[at] = task_of(move);
		place_task(e, at, id);
	}
	layout->ends[move->stream] = next + layout->after[id];
	layout->before[id] = first;
	layout->after[id] = next;
}

/* The moves at both ends are there already. A Notify belongs to the phase of the move it follows, a
 * Wait to that of the move it precedes; where there is none, to that of the other end. */
static void emit_pair(struct emission *e, const struct ordo_sync_edge *edge)
{
	const struct ordo_sequence *sequence = e->sequence;
	struct layout *layout = &e->layout;
	const bool begins = edge->from == ORDO_NONE, ends = edge->to == ORDO_NONE;
	uint32_t *notify = begins ? &layout->begins[edge->from_lane] : &layout->after[edge->from],
		 *wait = ends ? &layout->ends[edge->to_lane] : &layout->before[edge->to];
	place_task(e, *notify, begins ? edge->to : edge->from);
	place_task(e, *wait, ends ? edge->from : edge->to);
	e->schedule->tasks[(*notify)++] = (struct ordo_task){.kind = ORDO_NOTIFY & 7,
		.phase = sequence->moves[begins ? edge->to : edge->from].phase,
		.peer = sequence->lanes[edge->to_lane].rank,
		.signal = edge->signal};
	e->schedule->tasks[(*wait)++] = (struct ordo_task){.kind = ORDO_WAIT & 7,
		.phase = sequence->moves[ends ? edge->from : edge->to].phase,
		.peer = sequence->lanes[edge->from_lane].rank,
		.signal = edge->signal};
}

/* Pairs as soon as the moves they wait before are there: what a stream does in one place is written
 * at one time. */
static void emit_tasks(struct emission *e)
{
	const struct ordo_sync_edges *edges = e->edges;
	uint32_t next = 0;
	for (uint32_t id = 0; id < e->sequence->nmove; id++) {
		if (e->sequence->moves[id].stream != ORDO_NONE)
			emit_move(e, id);
		for (; next < edges->count && edges->items[next].to <= id; next++)
			emit_pair(e, &edges->items[next]);
	}
	for (; next < edges->count; next++)
		emit_pair(e, &edges->items[next]);
}

static const char *label_text(struct ordo_arena *arena, struct ordo_label label)
{
	return label.number == ORDO_NONE
		       ? label.name
		       : ordo_arena_format(arena, "%s %u", label.name, label.number);
}

/* texts[labels->count], or NULL: no memory. */
static const char **label_texts(struct ordo_arena *arena, const struct ordo_labels *labels)
{
	const char **texts = ordo_arena_alloc(arena, ((size_t)labels->count + 1) * sizeof *texts);
	for (uint32_t i = 0; texts && i < labels->count; i++)
		if (!(texts[i] = label_text(arena, labels->items[i])))
			return NULL;
	return texts;
}

/* Algorithms name phases before they know whether anything is moved in them. Those that have tasks
 * are listed, in their order, and tasks get the numbers they have there. */
static bool set_phases(struct ordo_schedule *schedule, const struct ordo_labels *labels,
	struct ordo_arena *arena, struct ordo_error *error)
{
	const char **texts = label_texts(arena, labels);
	uint32_t *numbers = ordo_arena_alloc(arena, ((size_t)labels->count + 1) * sizeof *numbers);
	if (!texts || !numbers)
		return ordo_fail_memory(error);
	memset(numbers, 0, ((size_t)labels->count + 1) * sizeof *numbers);
	for (uint32_t t = 0; t < schedule->ntask; t++)
		if (schedule->tasks[t].phase != ORDO_NO_PHASE)
			numbers[schedule->tasks[t].phase] = 1;
	uint32_t count = 0;
	for (uint32_t i = 0; i < labels->count; i++)
		if (numbers[i]) {
			texts[count] = texts[i];
			numbers[i] = count++;
		}
	for (uint32_t t = 0; t < schedule->ntask; t++)
		if (schedule->tasks[t].phase != ORDO_NO_PHASE)
			schedule->tasks[t].phase =
				numbers[schedule->tasks[t].phase] & ORDO_NO_PHASE;
	return ordo_schedule_set_phases(schedule, texts, count, error);
}

static bool set_topology(struct ordo_schedule *schedule,
	const struct ordo_resolved_request *request, struct ordo_error *error)
{
	if (!request->whole)
		return true;
	char digest[33];
	ordo_topology_digest(request->whole, digest);
	schedule->topology_digest = ordo_arena_text(&schedule->arena, digest, strlen(digest));
	schedule->topology_name = ordo_arena_text(
		&schedule->arena, request->whole->name, strlen(request->whole->name));
	return schedule->topology_digest && schedule->topology_name ? true
								    : ordo_fail_memory(error);
}

static bool emit_all(struct emission *e, const char *const *names)
{
	const struct ordo_sequence *sequence = e->sequence;
	const uint64_t ntask = sequence->nmove + 2 * (uint64_t)e->edges->count;
	if (ntask >= UINT32_MAX - 1)
		return ordo_fail(
			e->error, ORDO_USAGE, 0, "too large: more than %u tasks", UINT32_MAX - 2);
	if (!ordo_schedule_reserve(e->schedule, sequence->nlane, (uint32_t)ntask, e->error))
		return false;
	if (!open_layout(&e->layout, sequence) || !sort_lanes(e))
		return ordo_fail_memory(e->error);
	count(e);
	if (!begin_streams(e, names))
		return false;
	if (sequence->origins && !(e->schedule->places = calloc((size_t)e->schedule->ntask + 1,
					   sizeof *e->schedule->places)))
		return ordo_fail_memory(e->error);
	emit_tasks(e);
	return true;
}

struct ordo_schedule *ordo_emit(const struct ordo_resolved_request *request,
	const struct ordo_sequence *sequence, const struct ordo_sync_edges *edges,
	struct ordo_error *error)
{
	struct ordo_schedule *schedule =
		ordo_schedule_create(&sequence->problem, request->notation, error);
	if (!schedule)
		return NULL;
	schedule->scratch_slots = sequence->scratch_slots;
	struct ordo_arena arena = {0};
	struct emission emission = {
		.sequence = sequence, .edges = edges, .schedule = schedule, .error = error};
	const char **names = label_texts(&arena, &sequence->stream_labels);
	const bool worked = names ? set_topology(schedule, request, error) &&
					    emit_all(&emission, names) &&
					    set_phases(schedule, &sequence->phases, &arena, error)
				  : ordo_fail_memory(error);
	close_layout(&emission.layout);
	ordo_arena_free(&arena);
	if (!worked) {
		ordo_schedule_destroy(schedule);
		return NULL;
	}
	return schedule;
}
