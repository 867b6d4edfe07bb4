/* contents.h - the contents of every slot of some ranks after each step of a schedule, as reduction
 * trees. A step is a phase if moves have phases; else it is a depth: the moves with equally many
 * moves before them in the longest chain. After step s all moves of the steps up to s have run that
 * need no move of a later step; for a proved schedule these contents are the same in every
 * execution, for a refuted one they are those of one execution. */
#ifndef ORDO_TOOLS_VIEW_MODEL_CONTENTS_H
#define ORDO_TOOLS_VIEW_MODEL_CONTENTS_H

#include <ordo/detail/order.h>
#include <ordo/schedule.h>

/* The contents of a slot that was read before it was written, and everything computed from it. */
#define CONTENT_UNDEFINED (ORDO_NONE - 1)

struct content {
	/* in the forest: leaves are shards, or ranks if nothing is added; ORDO_NONE: nothing was
	 * written; or CONTENT_UNDEFINED */
	uint32_t tree;
	uint32_t chunk; /* the chunk that it belongs to */
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
	/* [ncell] of the selected ranks, in their order: output, used scratch and, in place, input
	 * slots that are not output slots */
	struct slot_name *cells;
	uint32_t ncell;
	uint32_t *first_cell; /* [nrank + 1] the first cell of each selected rank */
	/* [nchange] by step; at most one for a cell and step, and only if the contents differ */
	struct slot_change *changes;
	size_t nchange;
	uint32_t nstep;		/* steps 1..nstep */
	bool by_phase;		/* step s is phase s - 1 */
	uint32_t *moves;	/* [nstep + 1] the number of moves of all ranks in each step */
	uint32_t nblocked;	/* streams that block forever; */
	uint32_t first_blocked; /* the task at which the first of them blocks */
};

/* Near-linear in the chunks moved. The schedule must break none of the rules R1 to R3 (all slices
 * are inside their buffers). The caller destroys it. NULL: no memory. */
struct contents *find_contents(const struct ordo_schedule *schedule, const uint32_t *ranks,
	uint32_t nrank, struct ordo_error *error);
void free_contents(struct contents *contents); /* takes NULL */

#endif
