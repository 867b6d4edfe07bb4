/* max_min.h - max-min fair rates of flows that share resources: no flow can get more without taking
 * from one that has less.
 *
 * A flow at rate v (bytes a second) takes v * load of each resource it uses, and a resource gives
 * at most its capacity; a flow that is alone runs at its bound. When a flow begins or ends, rates
 * are computed again only for the flows that it reaches over saturated resources, and that are no
 * slower; a flow without a saturated resource costs only its two events, and identical flows are
 * handled together (flow_groups.h). Private to predict/.
 */
#ifndef ORDO_COMPILER_PREDICT_MAX_MIN_H
#define ORDO_COMPILER_PREDICT_MAX_MIN_H

#include "flows.h"
#include <ordo/error.h>

/* The resources, and limits on flows. */
struct ordo_max_min_limits {
	const double *capacity;	    /* [nresource] */
	const uint32_t *most_flows; /* [nresource] at one time */
	uint32_t nresource;
	const uint32_t *most_uses; /* [nflow] of one flow at a time */
	uint32_t nflow;
};

/* The caller frees it, also after false: no memory. */
bool ordo_max_min_make(struct ordo_max_min *sharing, const struct ordo_max_min_limits *limits,
	struct ordo_error *error);
void ordo_max_min_free(struct ordo_max_min *sharing);

/* Begins a flow of so many bytes at `time`. The uses must outlive the flow. true: it runs at its
 * bound, until a settling changes that; false: the next settling computes its rate. */
bool ordo_flow_begin(struct ordo_max_min *sharing, uint32_t flow, double time, double bytes,
	double bound, const struct ordo_use *uses, uint32_t nuse);
void ordo_flow_end(struct ordo_max_min *sharing, uint32_t flow, double time);
/* Computes the rates affected by flows that began or ended since the last settling; lists them in
 * `changed` and `hidden`, which the caller empties. */
void ordo_max_min_settle(struct ordo_max_min *sharing, double time);
/* When a flow will end if nothing changes. */
double ordo_flow_last(const struct ordo_max_min *sharing, uint32_t flow);

#endif
