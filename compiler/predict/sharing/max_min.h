/* max_min.h - flows that use the same things, max-min fairly: nobody gets more while somebody who
 * has less could have it.
 *
 * A flow at rate v (bytes a second) takes v * load of each resource it uses, and a resource gives
 * at most its capacity; a flow that is alone goes at its bound. When a flow begins or ends, only
 * those are looked at again that it reaches over resources that are used up, and of these only
 * those that are no slower; a flow whose resources all suffice costs nothing but its two events,
 * and flows that are all alike are looked at together (flow_groups.h). Private to predict/.
 */
#ifndef ORDO_COMPILER_PREDICT_MAX_MIN_H
#define ORDO_COMPILER_PREDICT_MAX_MIN_H

#include "flows.h"
#include <ordo/error.h>

/* What flows and resources there can be. */
struct ordo_max_min_limits {
	const double *capacity;	    /* [nresource] */
	const uint32_t *most_flows; /* [nresource] at one time */
	uint32_t nresource;
	const uint32_t *most_uses; /* [nflow] of one flow at a time */
	uint32_t nflow;
};

/* To be freed, also after false: no memory. */
bool ordo_max_min_make(struct ordo_max_min *sharing, const struct ordo_max_min_limits *limits,
	struct ordo_error *error);
void ordo_max_min_free(struct ordo_max_min *sharing);

/* Begins at `time` with so many bytes. The uses must last as long as the flow. true: it goes at its
 * bound, unless a settling says otherwise; false: its rate is not known before the next
 * settling. */
bool ordo_flow_begin(struct ordo_max_min *sharing, uint32_t flow, double time, double bytes,
	double bound, const struct ordo_use *uses, uint32_t nuse);
void ordo_flow_end(struct ordo_max_min *sharing, uint32_t flow, double time);
/* Shares anew what flows that began or ended since the last settling have changed: `changed` and
 * `hidden`, which the caller empties. */
void ordo_max_min_settle(struct ordo_max_min *sharing, double time);
/* When a flow will end if nothing changes. */
double ordo_flow_last(const struct ordo_max_min *sharing, uint32_t flow);

#endif
