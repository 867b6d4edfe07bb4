/* butterfly.h - a flow between 2^q members: in each step with the member whose number differs in
 * one bit.
 *
 * Recursive halving: what a member keeps, and so what it sends, halves from step to step. The masks
 * go from n/2 down to 1 (far first) or from 1 up to n/2 (near first: flow->variant).
 */
#ifndef ORDO_COMPILER_ALGORITHMS_FLOW_BUTTERFLY_H
#define ORDO_COMPILER_ALGORITHMS_FLOW_BUTTERFLY_H

#include "flow.h"

/* Makes the flow of request->prepared, from the parameter `masks`; n = 2^q. */
struct ordo_flow *ordo_butterfly_make(struct ordo_resolved_request *request, uint32_t n);

/* The parameter `masks`, for algorithms that use a butterfly. */
#define ORDO_BUTTERFLY_MASKS                                                                       \
	{                                                                                          \
		.name = "masks", .values = "far|near", .fallback = "far",                          \
		.meaning = "far: with the rank n/2 away first; near: with the neighbour first",    \
		.kind = ORDO_WORD                                                                  \
	}

#endif
