/* arithmetic.h - what is computed, and whether it can be here. Private to runtime/. */
#ifndef ORDO_RUNTIME_KERNELS_ARITHMETIC_H
#define ORDO_RUNTIME_KERNELS_ARITHMETIC_H

#include <ordo/runtime.h>

/* There are such a type and reduction, and the calling thread computes floats as the standard
 * says. */
bool ordo_plan_options_check(const struct ordo_plan_options *options, struct ordo_error *error);

/* What every output element is divided by in the end; 1: nothing is. */
static inline uint32_t ordo_divisor(
	const struct ordo_problem *problem, enum ordo_reduction reduction)
{
	return reduction == ORDO_AVG && ordo_operator_facts(problem->op)->reduces ? problem->nshard
										  : 1;
}

#endif
