/* simulate.h - simulates a schedule in time. Private to predict/. */
#ifndef ORDO_PREDICT_SIMULATE_H
#define ORDO_PREDICT_SIMULATE_H

#include "resources.h"
#include "sizes.h"

/* The input and the results of a simulation. */
struct ordo_timed_run {
	const struct ordo_schedule *schedule;
	const struct ordo_predict_options *options;
	const struct ordo_sizes_of_moves *sizes;
	const struct ordo_routes *routes;
	const struct ordo_resources *resources;

	struct ordo_timeline *timeline;
	struct ordo_link_load *links; /* [nlink of the resources], zeroed */
	/* [4 nrank], zeroed: seconds at full speed of ports out and in, adders and copiers, by
	 * ordo_resource_of */
	double *used;
	/* [ntask] delay of a transfer by contention; NULL: nothing is shared */
	double *delay;
};

/* The consecutive Sends of one stream to one rank in one phase, without a Wait in between, are one
 * message: the latency of a Send overlaps the transfer of those before it. */
struct ordo_message {
	uint32_t task; /* its last Send; ORDO_NONE: none */
	double issued; /* when the last of it could be sent */
};

/* The seconds that a task takes without contention, excluding latency. */
struct ordo_work {
	double latency, wire, reduce, copy;
	uint32_t route; /* ORDO_NONE: it does not send */
};
void ordo_work_of(
	const struct ordo_timed_run *run, uint32_t task, uint32_t stream, struct ordo_work *work);
/* The latency of a task, whose begin is in the timeline. Call it for the tasks of a stream in
 * order. */
double ordo_latency_of(const struct ordo_timed_run *run, uint32_t task,
	const struct ordo_work *work, struct ordo_message *message);

/* *given_up: the time exceeds the limit of the options. false: a deadlock or a missing token
 * (ORDO_REFUTED), or no memory. */
bool ordo_simulate(struct ordo_timed_run *run, bool *given_up, struct ordo_error *error);

#endif
