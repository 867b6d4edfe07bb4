/* queue.c - what happens next: a heap of streams by the time of their events. */
#include "predict/queue.h"
#include <ordo/arena.h>
#include <ordo/operator.h>
#include <stdlib.h>

enum { NCHILD = 4 };

bool ordo_queue_make(struct ordo_queue *queue, uint32_t nstream, struct ordo_error *error)
{
	*queue = (struct ordo_queue){.time = ordo_array_make(nstream, sizeof *queue->time, 0),
		.place = ordo_array_make(nstream, sizeof *queue->place, 0xff),
		.heap = ordo_array_make(nstream, sizeof *queue->heap, 0)};
	return (queue->time && queue->place && queue->heap) || ordo_fail_memory(error);
}

void ordo_queue_free(struct ordo_queue *queue)
{
	free(queue->time);
	free(queue->place);
	free(queue->heap);
}

static bool is_before(const struct ordo_queue *queue, uint32_t a, uint32_t b)
{
	if (queue->time[a] < queue->time[b])
		return true;
	return !(queue->time[a] > queue->time[b]) && a < b;
}

static void set(struct ordo_queue *queue, uint32_t place, uint32_t stream)
{
	queue->heap[place] = stream;
	queue->place[stream] = place;
}

static void rise(struct ordo_queue *queue, uint32_t place, uint32_t stream)
{
	while (place) {
		const uint32_t parent = (place - 1) / NCHILD;
		if (!is_before(queue, stream, queue->heap[parent]))
			break;
		set(queue, place, queue->heap[parent]);
		place = parent;
	}
	set(queue, place, stream);
}

static void sink(struct ordo_queue *queue, uint32_t place, uint32_t stream)
{
	for (;;) {
		const uint32_t first = place * NCHILD + 1;
		uint32_t end = first + NCHILD, best = first;
		if (first >= queue->count)
			break;
		end = end < queue->count ? end : queue->count;
		for (uint32_t child = first + 1; child < end; child++)
			if (is_before(queue, queue->heap[child], queue->heap[best]))
				best = child;
		if (!is_before(queue, queue->heap[best], stream))
			break;
		set(queue, place, queue->heap[best]);
		place = best;
	}
	set(queue, place, stream);
}

void ordo_queue_put(struct ordo_queue *queue, uint32_t stream, double time)
{
	uint32_t place = queue->place[stream];
	const bool later = place != ORDO_NONE && time > queue->time[stream];
	queue->time[stream] = time;
	if (place == ORDO_NONE)
		place = queue->count++;
	if (later)
		sink(queue, place, stream);
	else
		rise(queue, place, stream);
}

uint32_t ordo_queue_take(struct ordo_queue *queue)
{
	const uint32_t first = queue->heap[0], last = queue->heap[--queue->count];
	queue->place[first] = ORDO_NONE;
	if (queue->count)
		sink(queue, 0, last);
	return first;
}
