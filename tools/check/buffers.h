/* buffers.h - memory for all ranks of a plan, bound to it. */
#ifndef ORDO_TOOLS_BUFFERS_H
#define ORDO_TOOLS_BUFFERS_H

#include <ordo/runtime.h>

struct buffers {
	void **inputs, **outputs; /* [nrank]; in place they share memory */
	void **memory;		  /* [2 * nrank] what was allocated */
	uint32_t nrank;
};

/* Where a slot of an input or output begins, in elements; all blocks have `count`. A slot of an
 * input with several shards may be any. */
static inline uint64_t element_of_slot(
	const struct ordo_problem *problem, uint64_t count, uint32_t slot)
{
	const uint32_t K = problem->chunks_per_block;
	return slot / K * count + ordo_chunk_begin(count, K, slot % K, 1);
}

/* Allocates for a problem, in place or not as that is, with all blocks of one size. To be freed,
 * also after false. */
bool give_memory(struct buffers *buffers, const struct ordo_problem *problem,
	const struct ordo_plan_options *options, struct ordo_error *error);
/* Allocates and binds; options are those of the plan, with all blocks of one size. To be freed,
 * also after false. */
bool give_buffers(struct buffers *buffers, struct ordo_plan *plan,
	const struct ordo_problem *problem, const struct ordo_plan_options *options,
	struct ordo_error *error);
/* Not while the plan runs. */
void free_buffers(struct buffers *buffers);

#endif
