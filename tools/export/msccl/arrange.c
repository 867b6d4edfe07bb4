/* arrange.c - events in an order in which they can be run, each in a block, with dependences.
 *
 * A fused step takes its place when both its events can; where all that is left waits for such
 * steps, one of them is divided again. Clocks count the steps of every block that come before a
 * step: a dependence that they imply already, through messages too, is left out.
 */
#include "arrange.h"
#include <inttypes.h>
#include <ordo/arena.h>
#include <ordo/detail/fail.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_CLOCKS = 1 << 28 };

struct arranging {
	struct msccl_arrangement *a;
	const struct msccl_events *events;
	uint32_t *pending;	       /* [nevent] events that must come before */
	uint32_t *first_after, *after; /* [nevent + 1], and the events that wait for one */
	uint32_t *queue, *held;	       /* [nevent] that can be run; that wait for what is fused */
	uint32_t nqueue, taken, nheld, released;
	uint32_t *needed; /* steps that the one at hand may depend on */
	size_t needed_room;
	struct ordo_error *error;
};

/* Calls `take` for every event that must come before another. */
static void visit_before(const struct msccl_events *events, uint32_t event,
	void (*take)(struct arranging *r, uint32_t before, uint32_t event), struct arranging *r)
{
	const struct msccl_event *e = &events->events[event];
	for (uint32_t i = events->first[event]; i < events->first[event + 1]; i++)
		if (r->a->fused[event] != events->before[i])
			take(r, events->before[i], event);
	if (e->previous != ORDO_NONE)
		take(r, e->previous, event);
	if (e->partner < event)
		take(r, e->partner, event);
}

static void count_after(struct arranging *r, uint32_t before, uint32_t event)
{
	r->first_after[before + 1]++;
	r->pending[event]++;
}

static void place_after(struct arranging *r, uint32_t before, uint32_t event)
{
	r->after[r->first_after[before]++] = event;
}

static bool find_after(struct arranging *r)
{
	const uint32_t n = r->events->nevent;
	struct ordo_arena *arena = &r->a->arena;
	r->pending = ordo_arena_alloc(arena, ((size_t)n + 1) * sizeof *r->pending);
	r->first_after = ordo_arena_alloc(arena, ((size_t)n + 2) * sizeof *r->first_after);
	r->queue = ordo_arena_alloc(arena, ((size_t)n + 1) * sizeof *r->queue);
	r->held = ordo_arena_alloc(arena, ((size_t)n + 1) * sizeof *r->held);
	if (!r->pending || !r->first_after || !r->queue || !r->held)
		return false;
	for (uint32_t e = 0; e < n; e++)
		visit_before(r->events, e, count_after, r);
	for (uint32_t e = 0; e < n; e++)
		r->first_after[e + 1] += r->first_after[e];
	r->after = ordo_arena_alloc(arena, ((size_t)r->first_after[n] + 1) * sizeof *r->after);
	if (!r->after)
		return false;
	for (uint32_t e = 0; e < n; e++)
		visit_before(r->events, e, place_after, r);
	memmove(r->first_after + 1, r->first_after, (size_t)n * sizeof *r->first_after);
	r->first_after[0] = 0;
	return true;
}

/* Nothing but what it is fused with keeps an event any more. */
static void release(struct arranging *r, uint32_t event)
{
	const uint32_t other = r->a->fused[event];
	if (other == ORDO_NONE)
		r->queue[r->nqueue++] = event;
	else if (!r->pending[other])
		r->queue[r->nqueue++] = r->events->events[event].type == MSCCL_SEND ? other : event;
	else if (r->events->events[event].type != MSCCL_SEND)
		r->held[r->nheld++] = event;
}

static void finish(struct arranging *r, uint32_t event)
{
	for (uint32_t i = r->first_after[event]; i < r->first_after[event + 1]; i++)
		if (!--r->pending[r->after[i]])
			release(r, r->after[i]);
}

/* Divides the first receive that waits for the send it is fused with: the send waits for it from
 * now on. false: there is none. */
static bool divide(struct arranging *r)
{
	while (r->released < r->nheld) {
		const uint32_t event = r->held[r->released++], send = r->a->fused[event];
		if (send == ORDO_NONE || !r->pending[send])
			continue;
		r->a->fused[event] = r->a->fused[send] = ORDO_NONE;
		r->queue[r->nqueue++] = event;
		return true;
	}
	return false;
}

static uint32_t *clock_of(const struct arranging *r, uint32_t step)
{
	return r->a->clocks + (size_t)step * r->a->nblock;
}

static void merge_clock(const struct arranging *r, uint32_t *clock, uint32_t step)
{
	const uint32_t *other = clock_of(r, step);
	for (uint32_t b = 0; b < r->a->nblock; b++)
		if (other[b] > clock[b])
			clock[b] = other[b];
}

static int later_first(const void *a, const void *b)
{
	uint32_t x, y;
	memcpy(&x, a, sizeof x);
	memcpy(&y, b, sizeof y);
	return (x < y) - (x > y);
}

/* The steps whose accesses come before those of an event, latest first. */
static bool list_needed(struct arranging *r, uint32_t event, uint32_t *count)
{
	const struct msccl_events *events = r->events;
	const uint32_t own = r->a->step_of[event];
	for (uint32_t i = events->first[event]; i < events->first[event + 1]; i++) {
		const uint32_t step = r->a->step_of[events->before[i]];
		if (step == own)
			continue;
		if (!ordo_array_reserve(
			    &r->needed, &r->needed_room, (size_t)*count + 1, sizeof *r->needed))
			return false;
		r->needed[(*count)++] = step;
	}
	if (*count)
		qsort(r->needed, *count, sizeof *r->needed, later_first);
	return true;
}

/* Sets the clock of a step in its block, and its dependences. */
static bool order_step(struct arranging *r, uint32_t index)
{
	struct msccl_arrangement *a = r->a;
	struct msccl_placed_step *step = &a->steps[index];
	const struct msccl_thread_block *block = &a->blocks[step->block];
	uint32_t *clock = clock_of(r, index), count = 0;
	memset(clock, 0, a->nblock * sizeof *clock);
	if (block->last != ORDO_NONE)
		merge_clock(r, clock, block->last);
	const struct msccl_event *event = &r->events->events[step->event];
	if (event->type != MSCCL_SEND && event->partner != ORDO_NONE)
		merge_clock(r, clock, a->step_of[event->partner]);
	if (!list_needed(r, step->event, &count) ||
		(step->send != ORDO_NONE && !list_needed(r, step->send, &count)))
		return false;
	a->ndependence = step->first;
	for (uint32_t i = 0; i < count; i++) {
		const struct msccl_placed_step *before = &a->steps[r->needed[i]];
		if (clock[before->block] > before->position)
			continue;
		if (!ordo_array_reserve(&a->dependences, &a->dependence_room,
			    (size_t)a->ndependence + 1, sizeof *a->dependences))
			return false;
		a->dependences[a->ndependence++] = r->needed[i];
		merge_clock(r, clock, r->needed[i]);
	}
	step->end = a->ndependence;
	return true;
}

/* Would runtimes merge this reduction with the one before it, and may they not? */
static bool is_wrong_chain(const struct arranging *r, uint32_t index)
{
	const struct msccl_placed_step *step = &r->a->steps[index];
	const uint32_t last = r->a->blocks[step->block].last;
	if (step->type != MSCCL_REDUCE || last == ORDO_NONE ||
		r->a->steps[last].type != MSCCL_REDUCE || step->end > step->first)
		return false;
	const struct msccl_event *e = &r->events->events[step->event],
				 *before = &r->events->events[r->a->steps[last].event];
	return e->dst.buffer == before->dst.buffer && e->dst.offset == before->dst.offset &&
	       e->src.buffer == before->src.buffer && (!r->a->chains || e->count != before->count);
}

/* Where a rank does something alone: after what it needs last, or else in a block of its own. */
static uint32_t local_block(struct arranging *r, uint32_t event)
{
	const struct msccl_events *events = r->events;
	uint32_t last = ORDO_NONE;
	for (uint32_t i = events->first[event]; i < events->first[event + 1]; i++) {
		const uint32_t step = r->a->step_of[events->before[i]];
		if (last == ORDO_NONE || step > last)
			last = step;
	}
	return last == ORDO_NONE ? r->a->first_block[events->events[event].rank + 1] - 1
				 : r->a->steps[last].block;
}

/* Orders the step in its block, or in one of the rank's own where it must not be chained. */
static bool choose_block(struct arranging *r, uint32_t index)
{
	struct msccl_placed_step *step = &r->a->steps[index];
	const struct msccl_event *e = &r->events->events[step->event];
	if (e->connection != ORDO_NONE) {
		step->block = e->type == MSCCL_SEND ? r->a->sends_by[e->connection]
						    : r->a->receives_by[e->connection];
		return order_step(r, index);
	}
	step->block = local_block(r, step->event);
	if (!order_step(r, index))
		return false;
	for (uint32_t own = 1; own <= 2 && is_wrong_chain(r, index); own++) {
		step->block = r->a->first_block[e->rank + 1] - own;
		if (!order_step(r, index))
			return false;
	}
	return true;
}

static enum msccl_type fused_type(enum msccl_type type)
{
	return type == MSCCL_RECEIVE ? MSCCL_RECEIVE_COPY_SEND : MSCCL_RECEIVE_REDUCE_COPY_SEND;
}

static bool place(struct arranging *r, uint32_t event)
{
	struct msccl_arrangement *a = r->a;
	const uint32_t index = a->nstep++, send = a->fused[event];
	const enum msccl_type type = r->events->events[event].type;
	struct msccl_placed_step *step = &a->steps[index];
	*step = (struct msccl_placed_step){.type = send == ORDO_NONE ? type : fused_type(type),
		.event = event,
		.send = send,
		.first = a->ndependence,
		.end = a->ndependence,
		.next = ORDO_NONE};
	a->step_of[event] = index;
	if (send != ORDO_NONE)
		a->step_of[send] = index;
	if (!choose_block(r, index))
		return false;
	struct msccl_thread_block *block = &a->blocks[step->block];
	const uint32_t ndependence = step->end - step->first;
	step->position = block->nstep + (ndependence > 1 ? ndependence - 1 : 0);
	block->nstep = step->position + 1;
	clock_of(r, index)[step->block] = block->nstep;
	for (uint32_t i = step->first; i < step->end; i++)
		a->steps[a->dependences[i]].is_waited_for = true;
	if (block->last == ORDO_NONE)
		block->first = index;
	else
		a->steps[block->last].next = index;
	block->last = index;
	return true;
}

static bool place_all(struct arranging *r)
{
	const uint32_t n = r->events->nevent;
	for (uint32_t e = 0; e < n; e++)
		if (!r->pending[e] &&
			(r->a->fused[e] == ORDO_NONE || r->events->events[e].type != MSCCL_SEND))
			release(r, e);
	for (;;) {
		if (r->taken == r->nqueue && !divide(r))
			break;
		const uint32_t event = r->queue[r->taken++], send = r->a->fused[event];
		if (!place(r, event))
			return ordo_fail_memory(r->error);
		finish(r, event);
		if (send != ORDO_NONE)
			finish(r, send);
	}
	return true;
}

static bool open_arrangement(
	struct msccl_arrangement *a, uint32_t most_blocks, struct ordo_error *error)
{
	const struct msccl_events *events = a->events;
	const size_t nevent = (size_t)events->nevent + 1, nroute = (size_t)events->nroute + 1;
	a->first_block = ordo_arena_alloc(
		&a->arena, ((size_t)events->schedule->problem.nrank + 1) * sizeof *a->first_block);
	a->sends_by = ordo_arena_alloc(&a->arena, nroute * sizeof *a->sends_by);
	a->receives_by = ordo_arena_alloc(&a->arena, nroute * sizeof *a->receives_by);
	a->step_of = ordo_arena_alloc(&a->arena, nevent * sizeof *a->step_of);
	a->fused = ordo_arena_alloc(&a->arena, nevent * sizeof *a->fused);
	a->steps = ordo_arena_alloc(&a->arena, nevent * sizeof *a->steps);
	if (!a->first_block || !a->sends_by || !a->receives_by || !a->step_of || !a->fused ||
		!a->steps)
		return ordo_fail_memory(error);
	memset(a->fused, 0xff, nevent * sizeof *a->fused);
	if (!msccl_arrange_blocks(a, most_blocks))
		return ordo_fail_memory(error);
	if ((uint64_t)events->nevent * a->nblock > MOST_CLOCKS)
		return ordo_fail(error, ORDO_UNDECIDED, 0,
			"%" PRIu32 " steps in %" PRIu32 " thread blocks: too many to be ordered",
			events->nevent, a->nblock);
	a->clocks = malloc(((size_t)events->nevent * a->nblock + 1) * sizeof *a->clocks);
	return a->clocks || ordo_fail_memory(error);
}

bool msccl_arrange(struct msccl_arrangement *a, const struct msccl_events *events, bool fuses,
	bool chains, uint32_t most_blocks, struct ordo_error *error)
{
	*a = (struct msccl_arrangement){.events = events, .fuses = fuses, .chains = chains};
	struct arranging r = {.a = a, .events = events, .error = error};
	if (!open_arrangement(a, most_blocks, error))
		return false;
	const bool worked = find_after(&r) ? place_all(&r) : ordo_fail_memory(error);
	free(r.needed);
	return worked;
}

void msccl_arrangement_close(struct msccl_arrangement *a)
{
	free(a->clocks);
	free(a->dependences);
	ordo_arena_free(&a->arena);
}
