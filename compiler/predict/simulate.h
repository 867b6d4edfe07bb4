/* simulate.h - a schedule run in time. Private to predict/. */
#ifndef ORDO_PREDICT_SIMULATE_H
#define ORDO_PREDICT_SIMULATE_H

#include "resources.h"
#include "sizes.h"

/* What a run is of, and what it fills. */
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
	/* [ntask] how much longer than alone bytes were on the wire; NULL: never, as nothing is
	 * shared */
	double *delay;
};

/* The Sends of one stream to one rank in one phase go as one message, as far as nothing is waited
 * for: a latency passes while those before it flow. */
struct ordo_message {
	uint32_t task; /* its last Send; ORDO_NONE: none */
	double issued; /* when the last of it could be sent */
};

/* How long a task of a stream takes alone, but for its latency. Seconds. */
struct ordo_work {
	double latency, wire, reduce, copy;
	uint32_t route; /* ORDO_NONE: it does not send */
};
void ordo_work_of(
	const struct ordo_timed_run *run, uint32_t task, uint32_t stream, struct ordo_work *work);
/* The latency that a task pays which begins now, as the timeline says; the tasks before it in its
 * stream were asked for already. */
double ordo_latency_of(const struct ordo_timed_run *run, uint32_t task,
	const struct ordo_work *work, struct ordo_message *message);

/* *given_up: it takes longer than the limit of the options. false: it is stuck (ORDO_REFUTED), or
 * there is no memory. */
bool ordo_simulate(struct ordo_timed_run *run, bool *given_up, struct ordo_error *error);

#endif
