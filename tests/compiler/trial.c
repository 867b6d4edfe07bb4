/* trial.c - a plan with buffers of its own. */
#include "trial.h"
#include <stdlib.h>

bool trial_open(struct trial *t, const struct ordo_schedule *schedule,
	const struct ordo_plan_options *options, struct ordo_error *error)
{
	const struct ordo_problem *p = &schedule->problem;
	uint64_t each = 0;
	t->plan = ordo_plan_create(schedule, options, error);
	for (uint32_t r = 0; t->plan && r < p->nrank; r++) {
		const uint64_t in = ordo_plan_input_bytes(t->plan, r),
			       out = ordo_plan_output_bytes(t->plan, r);
		each = in > each ? in : each;
		each = out > each ? out : each;
	}
	t->bytes = 2 * each * p->nrank;
	t->memory = malloc(t->bytes + 1);
	for (uint32_t r = 0; t->plan && t->memory && r < p->nrank; r++) {
		unsigned char *input = t->memory + r * each, *output = input + p->nrank * each;
		const bool outer_output = p->in_place && ordo_plan_output_bytes(t->plan, r) >
								 ordo_plan_input_bytes(t->plan, r);
		if (!ordo_plan_bind(t->plan, r, outer_output ? NULL : input,
			    p->in_place && !outer_output ? NULL : output, error))
			return false;
	}
	return t->plan && t->memory;
}

void trial_close(struct trial *t)
{
	ordo_plan_destroy(t->plan);
	free(t->memory);
}
