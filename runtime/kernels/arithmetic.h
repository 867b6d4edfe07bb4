/* arithmetic.h - checks element types, reductions and the floating-point mode. Private to
 * runtime/. */
#ifndef ORDO_RUNTIME_KERNELS_ARITHMETIC_H
#define ORDO_RUNTIME_KERNELS_ARITHMETIC_H

#include <ordo/runtime.h>

/* The type and the reduction exist, and the calling thread is in the standard floating-point
 * mode. */
bool ordo_plan_options_check(const struct ordo_plan_options *options, struct ordo_error *error);

/* The divisor of every output element; 1: no division. */
static inline uint32_t ordo_divisor(
	const struct ordo_problem *problem, enum ordo_reduction reduction)
{
	return reduction == ORDO_AVG && ordo_operator_facts(problem->op)->reduces ? problem->nshard
										  : 1;
}

#endif
