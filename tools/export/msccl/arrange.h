/* arrange.h - events as steps of thread blocks. */
#ifndef ORDO_TOOLS_EXPORT_MSCCL_ARRANGE_H
#define ORDO_TOOLS_EXPORT_MSCCL_ARRANGE_H

#include "events.h"
#include <ordo/memory.h>

struct msccl_thread_block {
	uint32_t rank;
	uint32_t send, receive; /* connections; ORDO_NONE */
	uint32_t channel;
	uint32_t first, last; /* its steps, a list; ORDO_NONE: it has none */
	uint32_t nstep;	      /* with the nops that carry dependences */
};

struct msccl_placed_step {
	enum msccl_type type;
	uint32_t event;		  /* of a fused step, the receive */
	uint32_t send;		  /* of a fused step; else ORDO_NONE */
	uint32_t block, position; /* nops before it counted */
	uint32_t first, end;	  /* its dependences */
	uint32_t next;		  /* of its block; ORDO_NONE */
	bool is_waited_for;
};

struct msccl_arrangement {
	const struct msccl_events *events;
	bool fuses, chains; /* as asked for */

	struct msccl_thread_block *blocks; /* [nblock] by rank */
	uint32_t *first_block;		   /* [nrank + 1] */
	uint32_t *sends_by, *receives_by;  /* [nroute] a block */
	struct msccl_placed_step *steps;   /* [nstep] in an order in which they can be run */
	uint32_t *dependences;		   /* steps */
	uint32_t nblock, nstep, ndependence;

	/* Private. */
	uint32_t *step_of; /* [nevent] */
	uint32_t *fused;   /* [nevent] the other event of a step; ORDO_NONE */
	uint32_t *clocks;  /* [nstep][nblock] steps of each block that come before one, or are it */
	size_t dependence_room;
	struct ordo_arena arena;
};

/* fuses: a receive and a send of the same data are one step, where that closes no circle. chains:
 * reductions into one slot may stand one after another, for runtimes that keep their order.
 * most_blocks: of a rank; above it, blocks that only send and blocks that only receive are joined.
 * The events outlive the arrangement. false: no memory, or too large to be ordered
 * (ORDO_UNDECIDED). To be closed in any case. */
bool msccl_arrange(struct msccl_arrangement *arrangement, const struct msccl_events *events,
	bool fuses, bool chains, uint32_t most_blocks, struct ordo_error *error);
void msccl_arrangement_close(struct msccl_arrangement *arrangement);

/* blocks.c: pairs connections, and chooses what is fused. */
bool msccl_arrange_blocks(struct msccl_arrangement *a, uint32_t most_blocks);

#endif
