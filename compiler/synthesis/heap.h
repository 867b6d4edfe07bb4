/* heap.h - heaps of numbers and of events, the least first. Private to synthesis/. */
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

#endif
