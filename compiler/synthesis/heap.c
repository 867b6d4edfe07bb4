/* heap.c - heaps of numbers and of events, the least first. */
#include "heap.h"
#include <ordo/arena.h>

bool ordo_heap_push(struct ordo_heap *heap, uint32_t item)
{
	if (!ordo_array_reserve(&heap->items, &heap->room, heap->count + 1, sizeof item))
		return false;
	size_t place = heap->count++;
	for (; place && heap->items[(place - 1) / 2] > item; place = (place - 1) / 2)
		heap->items[place] = heap->items[(place - 1) / 2];
	heap->items[place] = item;
	return true;
}

uint32_t ordo_heap_pop(struct ordo_heap *heap)
{
	const uint32_t top = heap->items[0], last = heap->items[--heap->count];
	size_t place = 0;
	for (size_t child; (child = 2 * place + 1) < heap->count; place = child) {
		if (child + 1 < heap->count && heap->items[child + 1] < heap->items[child])
			child++;
		if (heap->items[child] >= last)
			break;
		heap->items[place] = heap->items[child];
	}
	if (heap->count)
		heap->items[place] = last;
	return top;
}

static bool is_before(struct ordo_event a, struct ordo_event b)
{
	return a.time != b.time ? a.time < b.time : a.item < b.item;
}

bool ordo_events_push(struct ordo_events *events, struct ordo_event event)
{
	if (!ordo_array_reserve(&events->items, &events->room, events->count + 1, sizeof event))
		return false;
	size_t place = events->count++;
	for (; place && is_before(event, events->items[(place - 1) / 2]); place = (place - 1) / 2)
		events->items[place] = events->items[(place - 1) / 2];
	events->items[place] = event;
	return true;
}

struct ordo_event ordo_events_pop(struct ordo_events *events)
{
	const struct ordo_event top = events->items[0], last = events->items[--events->count];
	size_t place = 0;
	for (size_t child; (child = 2 * place + 1) < events->count; place = child) {
		if (child + 1 < events->count &&
			is_before(events->items[child + 1], events->items[child]))
			child++;
		if (!is_before(events->items[child], last))
			break;
		events->items[place] = events->items[child];
	}
	if (events->count)
		events->items[place] = last;
	return top;
}
