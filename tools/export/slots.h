/* slots.h - who accessed each slot of a schedule last. Private to export/. */
#ifndef ORDO_TOOLS_EXPORT_SLOTS_H
#define ORDO_TOOLS_EXPORT_SLOTS_H

#include <ordo/schedule.h>

/* A list of operations, in a pool. */
struct reader {
	uint32_t operation, next; /* ORDO_NONE: the last */
};

struct slot {
	uint32_t writer;  /* the last operation that wrote it; ORDO_NONE: none did */
	uint32_t readers; /* since: into the pool */
};

struct slots {
	const struct ordo_schedule *schedule;
	size_t *first; /* [nrank * 3] of each buffer of each rank */
	struct slot *items;
	struct reader *pool;
	size_t pool_room;
	uint32_t npool, free; /* `free`: the first unused item of the pool */
};

/* Consecutive slots of a buffer of a rank. */
struct region {
	uint32_t rank, buffer, first, count;
};

/* Called with an operation that has to come first. */
typedef void comes_first(void *closure, uint32_t operation);

/* false: no memory. Close them in any case. */
bool open_slots(struct slots *slots, const struct ordo_schedule *schedule);
void close_slots(struct slots *slots);
/* An operation reads, or writes, the slots. false: no memory. */
bool read_slots(struct slots *slots, const struct region *region, uint32_t operation,
	comes_first *first, void *closure);
void write_slots(struct slots *slots, const struct region *region, uint32_t operation,
	comes_first *first, void *closure);

#endif
