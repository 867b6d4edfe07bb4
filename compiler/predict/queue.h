/* queue.h - what happens next: one event at most for each stream, the earliest first, of equally early ones that of the first stream.
 * Private to predict/. */
#ifndef ORDO_PREDICT_QUEUE_H
#define ORDO_PREDICT_QUEUE_H

#include <ordo/error.h>
#include <string.h>

/* The order of events is that of these numbers, the time first: times are no less than 0. */
struct ordo_event {
	uint64_t stream, time; /* the bits of a double */
};

struct ordo_queue {
	uint32_t *place;	 /* [n] by stream: in the heap, or ORDO_NONE */
	struct ordo_event *heap; /* each no later than its four children */
	uint32_t count;
};

bool ordo_queue_make(struct ordo_queue *queue, uint32_t nstream, struct ordo_error *error);
void ordo_queue_free(struct ordo_queue *queue);
/* The stream's event is at that time now. */
void ordo_queue_put(struct ordo_queue *queue, uint32_t stream, double time);
/* The stream has no event any more, if it had one. */
void ordo_queue_drop(struct ordo_queue *queue, uint32_t stream);
/* The queue must not be empty. */
uint32_t ordo_queue_take(struct ordo_queue *queue);

/* When that will be. */
static inline double ordo_queue_first(const struct ordo_queue *queue)
{
	double time;
	memcpy(&time, &queue->heap[0].time, sizeof time);
	return time;
}

#endif
