/* nonuniform.h - the flow of the nonuniform hierarchical ring, and of nonuniform Bruck, its mirror
 * image.
 *
 * S = ceil(log2 n) steps, D(n,k) = floor((n-1+2^k) / 2^(k+1)) slices in step k of the
 * ReduceScatter: member i sends to i-2^k the slices (i-2^k) - m 2^(k+1), 0 <= m < D; mirrored
 * (flow->variant), with + for -. Most of the data moves in step 0, between neighbours.
 */
#ifndef ORDO_COMPILER_ALGORITHMS_FLOW_NONUNIFORM_H
#define ORDO_COMPILER_ALGORITHMS_FLOW_NONUNIFORM_H

#include "flow.h"

/* Makes the flow of request->prepared, from the parameter `slices`. */
struct ordo_flow *ordo_nonuniform_make(struct ordo_resolved_request *request, bool mirrored);
/* D(n,k). */
uint32_t ordo_nonuniform_count(uint32_t n, uint32_t step);
/* The parameter `slices` is meant for operators whose block is cut into slices. */
bool ordo_nonuniform_slices_apply(
	const struct ordo_resolved_request *request, struct ordo_error *error);

/* The parameter `slices`, for algorithms that use this flow. */
#define ORDO_NONUNIFORM_SLICES                                                                     \
	{                                                                                          \
		.name = "slices", .values = "fewest-runs|published|natural",                       \
		.fallback = "fewest-runs",                                                         \
		.meaning = "the layout of slices: fewest contiguous runs in each step; as "        \
			   "published; or natural, slice i at place i",                            \
		.kind = ORDO_WORD                                                                  \
	}

#endif
