/* queue.c - a priority queue of events: a heap of streams by the time of their next event. */
#include "queue.h"
#include <ordo/arena.h>
#include <ordo/operator.h>
#include <stdlib.h>
#include <string.h>

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

static ordo_event event_of(uint32_t stream, double time)
{
	uint64_t bits;
	time += 0.0; /* turns -0 into 0, whose bits sort first */
	memcpy(&bits, &time, sizeof bits);
	return (ordo_event)bits << 64 | stream;
}

static uint32_t stream_of(ordo_event event)
{
	return (uint32_t)event;
}

static void set(struct ordo_queue *queue, uint32_t place, ordo_event event)
{
	queue->heap[place] = event;
	queue->place[stream_of(event)] = place;
}

static void rise(struct ordo_queue *queue, uint32_t place, ordo_event event)
{
	while (place) {
		const uint32_t parent = (place - 1) / NCHILD;
		if (!(event < queue->heap[parent]))
			break;
		set(queue, place, queue->heap[parent]);
		place = parent;
	}
	set(queue, place, event);
}

static void sink(struct ordo_queue *queue, uint32_t place, ordo_event event)
{
	for (uint32_t first; (first = place * NCHILD + 1) < queue->count;) {
		const ordo_event *child = &queue->heap[first];
		uint32_t best = 0;
		if (first + NCHILD <= queue->count) {
			const uint32_t left = child[1] < child[0],
				       right = 2 + (child[3] < child[2]);
			best = left + (right - left) * (child[right] < child[left]);
		} else {
			for (uint32_t i = 1; first + i < queue->count; i++)
				best = child[i] < child[best] ? i : best;
		}
		if (!(child[best] < event))
			break;
		set(queue, place, child[best]);
		place = first + best;
	}
	set(queue, place, event);
}

/* Puts another event in a place of the heap. */
static void replace(struct ordo_queue *queue, uint32_t place, ordo_event event)
{
	if (queue->heap[place] < event)
		sink(queue, place, event);
	else
		rise(queue, place, event);
}

/* Fills the place of the event that was taken, at the root. */
static void fill(struct ordo_queue *queue)
{
	if (!queue->hollow)
		return;
	queue->hollow = false;
	if (--queue->count)
		sink(queue, 0, queue->heap[queue->count]);
}

void ordo_queue_put(struct ordo_queue *queue, uint32_t stream, double time)
{
	const uint32_t place = queue->place[stream];
	const ordo_event event = event_of(stream, time);
	if (place != ORDO_NONE) {
		replace(queue, place, event);
	} else if (queue->hollow) {
		queue->hollow = false;
		sink(queue, 0, event);
	} else {
		rise(queue, queue->count++, event);
	}
}

void ordo_queue_drop(struct ordo_queue *queue, uint32_t stream)
{
	const uint32_t place = queue->place[stream];
	if (place == ORDO_NONE)
		return;
	const ordo_event last = queue->heap[--queue->count];
	queue->place[stream] = ORDO_NONE;
	if (stream_of(last) != stream)
		replace(queue, place, last);
}

bool ordo_queue_first(struct ordo_queue *queue, double *time)
{
	fill(queue);
	if (!queue->count)
		return false;
	const uint64_t bits = (uint64_t)(queue->heap[0] >> 64);
	memcpy(time, &bits, sizeof bits);
	return true;
}

uint32_t ordo_queue_take(struct ordo_queue *queue)
{
	fill(queue);
	const uint32_t stream = stream_of(queue->heap[0]);
	queue->place[stream] = ORDO_NONE;
	queue->heap[0] = 0;
	queue->hollow = true;
	return stream;
}
