/* trial.h - a plan with buffers of its own. */
#ifndef TRIAL_H
#define TRIAL_H

#include <ordo/runtime.h>

struct trial {
	struct ordo_plan *plan;
	unsigned char *memory; /* inputs, then outputs, of all ranks */
	uint64_t bytes;
};

/* Fills t, which trial_close frees, whether this worked or not. The memory is not set. */
bool trial_open(struct trial *t, const struct ordo_schedule *schedule,
	const struct ordo_plan_options *options, struct ordo_error *error);
void trial_close(struct trial *t);

#endif
