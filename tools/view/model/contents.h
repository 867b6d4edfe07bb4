/* contents.h - what every slot of some ranks holds after each step of a schedule, as trees of what
 * was added.
 *
 * A step is a phase, if moves have phases, and else a depth: the moves that have as many moves
 * before them, in the longest chain. After step s those moves of the steps up to s have run that
 * need no move of a later one; for a schedule that is proved the contents then are the same in
 * every execution, for another they are those of one.
 */
#ifndef ORDO_TOOLS_VIEW_MODEL_CONTENTS_H
#define ORDO_TOOLS_VIEW_MODEL_CONTENTS_H

#include <ordo/detail/order.h>
#include <ordo/schedule.h>

/* What is in a slot that was read before it was written, or that comes of such. */
#define CONTENT_UNDEFINED (ORDO_NONE - 1)

struct content {
	/* of the forest: leaves are shards, or ranks where nothing is added; ORDO_NONE: nothing was
	 * written; or CONTENT_UNDEFINED */
	uint32_t tree;
	uint32_t chunk; /* of which chunk */
};

struct slot_change {
	uint32_t step; /* 0: before the first task; else after that step */
	uint32_t cell; /* index into cells */
	struct content content;
};

struct slot_name {
	uint32_t rank, slot;
	enum ordo_buffer buffer;
};

struct contents {
	struct ordo_forest *forest;
	/* [ncell] of the chosen ranks, in their order: output, scratch that is used, and, in place,
	 * input slots that are no output slots */
	struct slot_name *cells;
	uint32_t ncell;
	uint32_t *first_cell; /* [nrank + 1] of each chosen rank */
	/* [nchange] by step; one at most for a cell and step, and none to what was there */
	struct slot_change *changes;
	size_t nchange;
	uint32_t nstep;	 /* steps 1..nstep */
	bool by_phase;	 /* step s is phase s - 1 */
	uint32_t *moves; /* [nstep + 1] how many moves of all ranks ran in each step */
	uint32_t nstuck; /* streams that wait for ever; */
	uint32_t stuck;	 /* the task at which the first of them does */
};

/* Near-linear in the chunks moved. The schedule must break none of the rules R1 to R3 (all slices
 * are inside their buffers). The caller destroys it. NULL: no memory. */
struct contents *find_contents(const struct ordo_schedule *schedule, const uint32_t *ranks,
	uint32_t nrank, struct ordo_error *error);
void free_contents(struct contents *contents); /* takes NULL */

#endif
