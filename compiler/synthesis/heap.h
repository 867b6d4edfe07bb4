/* heap.h - heaps of numbers and of events, the least first, and events in order of time. Private to
 * synthesis/. */
#ifndef ORDO_SYNTHESIS_HEAP_H
#define ORDO_SYNTHESIS_HEAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Zeroed: empty. The caller frees items. */
struct ordo_heap {
	uint32_t *items;
	size_t count, room;
};
/* false: no memory. */
bool ordo_heap_push(struct ordo_heap *heap, uint32_t item);
/* The least, taken out. There must be one. */
uint32_t ordo_heap_pop(struct ordo_heap *heap);

/* What happens at a time: of a server or a move, by its number. */
struct ordo_event {
	uint64_t time;
	uint32_t item;
};
/* The earliest first, of these the least item. */
struct ordo_events {
	struct ordo_event *items;
	size_t count, room;
};
bool ordo_events_push(struct ordo_events *events, struct ordo_event event);
struct ordo_event ordo_events_pop(struct ordo_events *events);

/* Events most of which are added in order: these wait in a queue, the others in a heap. */
struct ordo_timeline {
	struct ordo_events others;
	struct ordo_event *queue; /* [first..end), in order */
	size_t first, end, room;
};
void ordo_timeline_free(struct ordo_timeline *line);
/* false: no memory. */
bool ordo_timeline_push(struct ordo_timeline *line, struct ordo_event event);
/* The earliest event, of these the least item; NULL: there is none. Taken out: the same one. */
const struct ordo_event *ordo_timeline_next(const struct ordo_timeline *line);
struct ordo_event ordo_timeline_pop(struct ordo_timeline *line);

#endif
