/* heap.c - heaps of numbers and of events, the least first: one algorithm, of items of a size and
 * an order, which is compiled once for each. */
#include "heap.h"
#include <ordo/arena.h>
#include <stdlib.h>
#include <string.h>

#define ALWAYS_INLINE inline __attribute__((always_inline))

typedef bool is_before(const void *a, const void *b);

static bool number_is_before(const void *a, const void *b)
{
	return *(const uint32_t *)a < *(const uint32_t *)b;
}

static bool event_is_before(const void *a, const void *b)
{
	const struct ordo_event *one = a, *other = b;
	return one->time != other->time ? one->time < other->time : one->item < other->item;
}

/* Puts an item where the one at `place`, the last, is free. items: of `size` bytes each */
static ALWAYS_INLINE void rise(
	void *items, size_t place, const void *item, size_t size, is_before *before)
{
	char *at = items;
	for (size_t up; place && before(item, at + (up = (place - 1) / 2) * size); place = up)
		memcpy(at + place * size, at + up * size, size);
	memcpy(at + place * size, item, size);
}

/* Puts an item among the first `count`, of which the one at the top is free. */
static ALWAYS_INLINE void sink(
	void *items, size_t count, const void *item, size_t size, is_before *before)
{
	char *at = items;
	size_t place = 0;
	for (size_t down; (down = 2 * place + 1) < count; place = down) {
		if (down + 1 < count && before(at + (down + 1) * size, at + down * size))
			down++;
		if (!before(at + down * size, item))
			break;
		memcpy(at + place * size, at + down * size, size);
	}
	if (count)
		memcpy(at + place * size, item, size);
}

bool ordo_heap_push(struct ordo_heap *heap, uint32_t item)
{
	if (!ordo_array_reserve(&heap->items, &heap->room, heap->count + 1, sizeof item))
		return false;
	rise(heap->items, heap->count++, &item, sizeof item, number_is_before);
	return true;
}

uint32_t ordo_heap_pop(struct ordo_heap *heap)
{
	const uint32_t top = heap->items[0], last = heap->items[--heap->count];
	sink(heap->items, heap->count, &last, sizeof last, number_is_before);
	return top;
}

bool ordo_events_push(struct ordo_events *events, struct ordo_event event)
{
	if (!ordo_array_reserve(&events->items, &events->room, events->count + 1, sizeof event))
		return false;
	rise(events->items, events->count++, &event, sizeof event, event_is_before);
	return true;
}

struct ordo_event ordo_events_pop(struct ordo_events *events)
{
	const struct ordo_event top = events->items[0], last = events->items[--events->count];
	sink(events->items, events->count, &last, sizeof last, event_is_before);
	return top;
}

void ordo_timeline_free(struct ordo_timeline *line)
{
	free(line->others.items);
	free(line->queue);
}

bool ordo_timeline_push(struct ordo_timeline *line, struct ordo_event event)
{
	if (line->first == line->end)
		line->first = line->end = 0;
	else if (event_is_before(&event, &line->queue[line->end - 1]))
		return ordo_events_push(&line->others, event);
	/* Half of it is free before it moves, so each event moves once at most on average. */
	if (line->end == line->room && line->first > line->end / 2) {
		memmove(line->queue, line->queue + line->first,
			(line->end - line->first) * sizeof *line->queue);
		line->end -= line->first;
		line->first = 0;
	}
	if (!ordo_array_reserve(&line->queue, &line->room, line->end + 1, sizeof event))
		return false;
	line->queue[line->end++] = event;
	return true;
}

const struct ordo_event *ordo_timeline_next(const struct ordo_timeline *line)
{
	const struct ordo_event *queued =
					line->first < line->end ? line->queue + line->first : NULL,
				*other = line->others.count ? line->others.items : NULL;
	return !queued || (other && event_is_before(other, queued)) ? other : queued;
}

struct ordo_event ordo_timeline_pop(struct ordo_timeline *line)
{
	if (ordo_timeline_next(line) == line->others.items)
		return ordo_events_pop(&line->others);
	return line->queue[line->first++];
}
