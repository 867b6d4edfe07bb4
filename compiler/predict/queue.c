/* queue.c - what happens next: a heap of streams by the time of their events. */
#include "predict/queue.h"
#include <ordo/arena.h>
#include <ordo/operator.h>
#include <stdlib.h>

enum { NCHILD = 4 };

bool ordo_queue_make(struct ordo_queue *queue, uint32_t nstream, struct ordo_error *error)
{
	*queue = (struct ordo_queue){.place = ordo_array_make(nstream, sizeof *queue->place, 0xff),
		.heap = ordo_array_make(nstream, sizeof *queue->heap, 0)};
	return (queue->place && queue->heap) || ordo_fail_memory(error);
}

void ordo_queue_free(struct ordo_queue *queue)
{
	free(queue->place);
	free(queue->heap);
}

static struct ordo_event event_of(uint32_t stream, double time)
{
	struct ordo_event event = {.stream = stream};
	time += 0.0; /* -0 is 0 */
	memcpy(&event.time, &time, sizeof time);
	return event;
}

/* Without a jump, which would be hard to guess. */
static bool is_before(const struct ordo_event *a, const struct ordo_event *b)
{
	__extension__ typedef unsigned __int128 wide;
	return ((wide)a->time << 64 | a->stream) < ((wide)b->time << 64 | b->stream);
}

static void set(struct ordo_queue *queue, uint32_t place, struct ordo_event event)
{
	queue->heap[place] = event;
	queue->place[event.stream] = place;
}

static void rise(struct ordo_queue *queue, uint32_t place, struct ordo_event event)
{
	while (place) {
		const uint32_t parent = (place - 1) / NCHILD;
		if (!is_before(&event, &queue->heap[parent]))
			break;
		set(queue, place, queue->heap[parent]);
		place = parent;
	}
	set(queue, place, event);
}

static void sink(struct ordo_queue *queue, uint32_t place, struct ordo_event event)
{
	for (uint32_t first; (first = place * NCHILD + 1) < queue->count;) {
		const struct ordo_event *child = &queue->heap[first];
		uint32_t best = 0;
		if (first + NCHILD <= queue->count) {
			const uint32_t left = is_before(child + 1, child),
				       right = 2 + is_before(child + 3, child + 2);
			best = left + (right - left) * is_before(child + right, child + left);
		} else {
			for (uint32_t i = 1; first + i < queue->count; i++)
				best = is_before(child + i, child + best) ? i : best;
		}
		if (!is_before(child + best, &event))
			break;
		set(queue, place, child[best]);
		place = first + best;
	}
	set(queue, place, event);
}

void ordo_queue_put(struct ordo_queue *queue, uint32_t stream, double time)
{
	uint32_t place = queue->place[stream];
	const struct ordo_event event = event_of(stream, time);
	const bool later = place != ORDO_NONE && is_before(&queue->heap[place], &event);
	if (place == ORDO_NONE)
		place = queue->count++;
	if (later)
		sink(queue, place, event);
	else
		rise(queue, place, event);
}

static void remove_at(struct ordo_queue *queue, uint32_t place)
{
	const struct ordo_event event = queue->heap[place], last = queue->heap[--queue->count];
	queue->place[event.stream] = ORDO_NONE;
	if (last.stream == event.stream)
		return;
	if (is_before(&last, &event))
		rise(queue, place, last);
	else
		sink(queue, place, last);
}

void ordo_queue_drop(struct ordo_queue *queue, uint32_t stream)
{
	if (queue->place[stream] != ORDO_NONE)
		remove_at(queue, queue->place[stream]);
}

uint32_t ordo_queue_take(struct ordo_queue *queue)
{
	const uint32_t first = (uint32_t)queue->heap[0].stream;
	remove_at(queue, 0);
	return first;
}
