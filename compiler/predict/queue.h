/* queue.h - a priority queue of events: at most one per stream, the earliest first, ties by the
 * number of the stream. Private to predict/. */
#ifndef ORDO_PREDICT_QUEUE_H
#define ORDO_PREDICT_QUEUE_H

#include <ordo/error.h>

/* The bits of the time (at least 0) above those of the stream: events compare as these numbers,
 * without a branch that would be hard to predict. */
__extension__ typedef unsigned __int128 ordo_event;

struct ordo_queue {
	uint32_t *place;  /* [n] place of each stream in the heap, or ORDO_NONE */
	ordo_event *heap; /* each no later than its four children */
	uint32_t count;
	/* the root was taken and is not filled yet: most often the same stream puts its next event
	 * there */
	bool hollow;
};

bool ordo_queue_make(struct ordo_queue *queue, uint32_t nstream, struct ordo_error *error);
void ordo_queue_free(struct ordo_queue *queue);
/* Sets the time of the stream's event. */
void ordo_queue_put(struct ordo_queue *queue, uint32_t stream, double time);
/* Removes the stream's event, if it has one. */
void ordo_queue_drop(struct ordo_queue *queue, uint32_t stream);
/* false: the queue is empty. */
bool ordo_queue_first(struct ordo_queue *queue, double *time);
/* Removes the first event and returns its stream. The queue must not be empty. */
uint32_t ordo_queue_take(struct ordo_queue *queue);

#endif
