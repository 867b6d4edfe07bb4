/* queue.h - what happens next: one event at most for each stream, the earliest first, of equally early ones that of the first stream.
 * Private to predict/. */
#ifndef ORDO_PREDICT_QUEUE_H
#define ORDO_PREDICT_QUEUE_H

#include <ordo/error.h>

struct ordo_queue {
	double *time;	 /* [n] by stream */
	uint32_t *place; /* [n] by stream: in the heap, or ORDO_NONE */
	uint32_t *heap;	 /* of streams, every one after four children at most */
	uint32_t count;
};

bool ordo_queue_make(struct ordo_queue *queue, uint32_t nstream, struct ordo_error *error);
void ordo_queue_free(struct ordo_queue *queue);
/* The stream's event is at that time now. */
void ordo_queue_put(struct ordo_queue *queue, uint32_t stream, double time);
/* The queue must not be empty. */
uint32_t ordo_queue_take(struct ordo_queue *queue);

#endif
