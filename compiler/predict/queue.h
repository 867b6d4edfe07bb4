/* queue.h - what happens next: one event at most for each stream, the earliest first, of equally
 * early ones that of the first stream. Private to predict/. */
#ifndef ORDO_PREDICT_QUEUE_H
#define ORDO_PREDICT_QUEUE_H

#include <ordo/error.h>

/* The bits of its time, which is no less than 0, before those of its stream: the order of events is
 * that of these numbers, and one is less than another without a jump, which would be hard to
 * guess. */
__extension__ typedef unsigned __int128 ordo_event;

struct ordo_queue {
	uint32_t *place;  /* [n] by stream: in the heap, or ORDO_NONE */
	ordo_event *heap; /* each no later than its four children */
	uint32_t count;
	/* the first was taken: most often its stream has the next event, which need not go a long
	 * way */
	bool hollow;
};

bool ordo_queue_make(struct ordo_queue *queue, uint32_t nstream, struct ordo_error *error);
void ordo_queue_free(struct ordo_queue *queue);
/* The stream's event is at that time now. */
void ordo_queue_put(struct ordo_queue *queue, uint32_t stream, double time);
/* The stream has no event any more, if it had one. */
void ordo_queue_drop(struct ordo_queue *queue, uint32_t stream);
/* false: the queue is empty. */
bool ordo_queue_first(struct ordo_queue *queue, double *time);
/* The stream of the first event, which is no more. There was one. */
uint32_t ordo_queue_take(struct ordo_queue *queue);

#endif
