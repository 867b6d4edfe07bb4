/* slots.c - who accessed each slot of a schedule last. */
#include "slots.h"
#include <ordo/arena.h>
#include <ordo/detail/slots.h>
#include <stdlib.h>

bool open_slots(struct slots *slots, const struct ordo_schedule *schedule)
{
	const struct ordo_problem *problem = &schedule->problem;
	size_t total = 0;
	*slots = (struct slots){.schedule = schedule, .free = ORDO_NONE};
	slots->first = ordo_array_make((size_t)problem->nrank * 3, sizeof *slots->first, 0);
	if (!slots->first)
		return false;
	for (uint32_t rank = 0; rank < problem->nrank; rank++) {
		const uint32_t counts[3] = {[ORDO_INPUT] = ordo_input_slots(problem, rank),
			[ORDO_OUTPUT] = ordo_output_slots(problem, rank),
			[ORDO_SCRATCH] = schedule->scratch_slots};
		for (size_t buffer = 0; buffer < 3; buffer++) {
			slots->first[rank * (size_t)3 + buffer] = total;
			total += counts[buffer];
		}
	}
	/* every byte 255 is ORDO_NONE */
	slots->items = ordo_array_make(total, sizeof *slots->items, 255);
	return slots->items;
}

void close_slots(struct slots *slots)
{
	free(slots->first);
	free(slots->items);
	free(slots->pool);
}

static struct slot *slot_at(struct slots *slots, const struct region *region, uint32_t i)
{
	uint32_t slot = region->first + i, buffer = region->buffer;
	if (buffer == ORDO_INPUT) {
		const uint32_t output =
			ordo_in_place_output_slot(&slots->schedule->problem, region->rank, slot);
		if (output != ORDO_NONE) {
			slot = output;
			buffer = ORDO_OUTPUT;
		}
	}
	return &slots->items[slots->first[region->rank * (size_t)3 + buffer] + slot];
}

static bool add_reader(struct slots *slots, struct slot *slot, uint32_t operation)
{
	uint32_t place = slots->free;
	if (place != ORDO_NONE)
		slots->free = slots->pool[place].next;
	else if (ordo_array_reserve(&slots->pool, &slots->pool_room, (size_t)slots->npool + 1,
			 sizeof *slots->pool))
		place = slots->npool++;
	else
		return false;
	slots->pool[place] = (struct reader){operation, slot->readers};
	slot->readers = place;
	return true;
}

bool read_slots(struct slots *slots, const struct region *region, uint32_t operation,
	comes_first *first, void *closure)
{
	for (uint32_t i = 0; i < region->count; i++) {
		struct slot *slot = slot_at(slots, region, i);
		if (slot->writer != ORDO_NONE)
			first(closure, slot->writer);
		if (!add_reader(slots, slot, operation))
			return false;
	}
	return true;
}

/* Passes on the readers of a slot and returns them to the pool. */
static void take_readers(struct slots *slots, struct slot *slot, uint32_t operation,
	comes_first *first, void *closure)
{
	while (slot->readers != ORDO_NONE) {
		const uint32_t place = slot->readers;
		struct reader *reader = &slots->pool[place];
		if (reader->operation != operation)
			first(closure, reader->operation);
		slot->readers = reader->next;
		reader->next = slots->free;
		slots->free = place;
	}
}

void write_slots(struct slots *slots, const struct region *region, uint32_t operation,
	comes_first *first, void *closure)
{
	for (uint32_t i = 0; i < region->count; i++) {
		struct slot *slot = slot_at(slots, region, i);
		if (slot->readers != ORDO_NONE)
			take_readers(slots, slot, operation, first, closure);
		else if (slot->writer != ORDO_NONE && slot->writer != operation)
			first(closure, slot->writer);
		slot->writer = operation;
	}
}
