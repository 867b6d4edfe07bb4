/* buffers.h - allocates buffers for all ranks, and binds them to a plan. */
#ifndef ORDO_TOOLS_BUFFERS_H
#define ORDO_TOOLS_BUFFERS_H

#include <ordo/runtime.h>

struct buffers {
	void **inputs, **outputs; /* [nrank]; in place they share memory */
	void **memory;		  /* [2 nrank] allocations, or NULL */
	uint32_t nrank;
};

/* The offset of a slot in an input or output, in elements; all blocks have `count`. Slots of inputs
 * with several shards are allowed. */
static inline uint64_t element_of_slot(
	const struct ordo_problem *problem, uint64_t count, uint32_t slot)
{
	const uint32_t K = problem->chunks_per_block;
	return slot / K * count + ordo_chunk_begin(count, K, slot % K, 1);
}

/* Allocates buffers for a problem, in place if the problem is, with blocks of options->count or
 * block_count elements. The caller frees them, also after false. */
bool allocate_buffers(struct buffers *buffers, const struct ordo_problem *problem,
	const struct ordo_plan_options *options, struct ordo_error *error);
/* Those of one rank only, of the processes of which each has one. */
bool allocate_rank_buffers(struct buffers *buffers, const struct ordo_problem *problem,
	const struct ordo_plan_options *options, uint32_t rank, struct ordo_error *error);
/* All of them, and binds them; options are those of the plan. */
bool allocate_and_bind(struct buffers *buffers, struct ordo_plan *plan,
	const struct ordo_problem *problem, const struct ordo_plan_options *options,
	struct ordo_error *error);
/* Not while the plan runs. */
void free_buffers(struct buffers *buffers);

#endif
