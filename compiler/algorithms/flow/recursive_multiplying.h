/* recursive_multiplying.h - what the costs of recursive multiplying depend on. Private to
 * compiler/. */
#ifndef ORDO_COMPILER_ALGORITHMS_FLOW_RECURSIVE_MULTIPLYING_H
#define ORDO_COMPILER_ALGORITHMS_FLOW_RECURSIVE_MULTIPLYING_H

#include "algorithm.h"

/* The factors of a resolved request: each step's group, nearest ranks first. */
struct ordo_factors {
	uint32_t count, product;
	uint32_t factor[32], stride[32]; /* [count] stride: the product of those before */
};
struct ordo_factors ordo_multiplying_factors(const struct ordo_resolved_request *request);

#endif
