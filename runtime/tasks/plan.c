/* plan.c - what callers and every transport need of a plan: buffers, sizes, whether it may run. */
#include "plan.h"
#include <inttypes.h>
#include <ordo/float_mode.h>

uint64_t ordo_plan_input_bytes(const struct ordo_plan *plan, uint32_t rank)
{
	return region_bytes(&plan->layout, rank, ORDO_INPUT);
}

uint64_t ordo_plan_output_bytes(const struct ordo_plan *plan, uint32_t rank)
{
	return region_bytes(&plan->layout, rank, ORDO_OUTPUT);
}

uint64_t ordo_plan_rounds(const struct ordo_plan *plan)
{
	return plan->layout.nround;
}

uint64_t ordo_plan_scratch_bytes(const struct ordo_plan *plan)
{
	return plan->scratch_bytes;
}

bool ordo_plan_bind(
	struct ordo_plan *plan, uint32_t rank, void *input, void *output, struct ordo_error *error)
{
	if (rank >= plan->schedule->problem.nrank)
		return ordo_fail(error, ORDO_USAGE, 0,
			"there is no rank %" PRIu32 ", only %" PRIu32 " ranks", rank,
			plan->schedule->problem.nrank);
	unsigned char *in = input, *out = output;
	if (!ordo_layout_check_buffers(
		    &plan->layout, plan->schedule->problem.in_place, rank, &in, &out, error))
		return false;
	struct rank_state *state = &plan->ranks[rank];
	atomic_store_explicit(&state->memory[ORDO_INPUT], in, memory_order_relaxed);
	atomic_store_explicit(&state->memory[ORDO_OUTPUT], out, memory_order_relaxed);
	if (!state->bound)
		atomic_fetch_sub(&plan->nunbound, 1);
	state->bound = true;
	return true;
}

bool ordo_fail_again(const struct ordo_plan *plan, struct ordo_error *error)
{
	if (error)
		*error = plan->why;
	return false;
}

bool ordo_plan_is_ready(struct ordo_plan *plan, struct ordo_error *error)
{
	if (atomic_load(&plan->stopped) == STOPPED)
		return ordo_fail_again(plan, error);
	if (!atomic_load(&plan->nunbound))
		return ordo_float_mode_check(error);
	uint32_t rank = 0;
	while (plan->ranks[rank].bound)
		rank++;
	return ordo_fail(error, ORDO_USAGE, 0,
		"rank %" PRIu32 " has no buffers: bind every rank before a run", rank);
}
