/* live.h - runs a schedule as the summing machine that the probe examines.
 *
 * Its inputs are shards (ranks, without virtual shards), its elements those of all output slots of
 * all ranks.
 */
#ifndef ORDO_TOOLS_LIVE_H
#define ORDO_TOOLS_LIVE_H

#include "check/buffers.h"
#include "recover.h"
#include <ordo/document.h>

/* How the next runs are made. */
struct drive {
	bool seeded; /* one thread, interleaved by the seed; else threads */
	uint64_t seed;
	uint32_t nworker; /* threads; 0: one per rank */
};

struct live {
	const struct ordo_schedule *schedule;
	struct ordo_plan_options options;
	struct ordo_plan *plan;
	struct buffers buffers;
	uint64_t *first;    /* [nrank + 1] elements of the ranks before */
	uint8_t *colour_of; /* [nelement] */
	struct drive drive;
	uint64_t nrun, expected; /* for progress, which may be NULL */
	ordo_progress *progress;
	void *closure;
};

/* The location of an element. */
struct element_place {
	uint32_t rank, slot, chunk;
	uint64_t offset; /* in the chunk */
};

/* The schedule must reduce, and the type must be a float; count elements in each block, moved in
 * rounds of tile_bytes per chunk. The caller closes it, also after false. */
bool open_live(struct live *live, const struct ordo_schedule *schedule, enum ordo_type type,
	uint64_t count, uint64_t tile_bytes, struct ordo_error *error);
void close_live(struct live *live);

struct machine live_machine(struct live *live);
/* The first element of an output slot; one past the last slot is allowed. */
uint64_t live_slot(const struct live *live, uint32_t rank, uint32_t slot);
struct element_place live_place(const struct live *live, uint64_t element);

#endif
