/* steps.h - one interleaving of a schedule, in the order of a timeline; of a schedule that
 * deadlocks, its longest run. */
#ifndef ORDO_TOOLS_VIEW_MODEL_STEPS_H
#define ORDO_TOOLS_VIEW_MODEL_STEPS_H

#include <ordo/timeline.h>

struct steps {
	/* [nstep] tasks, by the time they end; a task comes after those that it needs */
	uint32_t *order;
	/* [nstream] the task at which the stream blocks forever; its end: it does not */
	uint32_t *stopped;
	uint32_t nstep; /* of schedule->ntask */
};

/* A timeline in which every move takes 1, and everything else nothing: for a schedule that cannot
 * be predicted. Tasks that never end are at time 0. The schedule only needs its shape (R1). The
 * caller destroys it. NULL: no memory. */
struct ordo_timeline *count_steps(const struct ordo_schedule *schedule, struct ordo_error *error);

/* Orders the tasks by the times of a timeline, which names the Notify of every Wait. Free it, also
 * after false: no memory. */
bool order_steps(
	const struct ordo_timeline *timeline, struct steps *steps, struct ordo_error *error);
void free_steps(struct steps *steps);

#endif
