/* partial_timeline.h - how long a schedule takes until everybody is stuck or through. */
#ifndef ORDO_TOOLS_VIEW_PARTIAL_TIMELINE_H
#define ORDO_TOOLS_VIEW_PARTIAL_TIMELINE_H

#include "cli/prediction_options.h"

/* A schedule of which some streams stop for ever. */
struct stuck_run {
	struct ordo_schedule *runnable; /* what runs of it */
	/* of the whole: those that stop wait until the last has stopped or ended */
	struct ordo_timeline *timeline;
	bool *absent;	 /* [ntask] these never begin */
	uint32_t nstuck; /* streams */
};

/* stuck[nstream]: the Wait at which a stream stops, or its end. *predicted is of the runnable part.
 * false: call->status. Both are to be closed in any case. */
bool predict_until_stuck(struct call *call, const struct predicting *wish,
	const struct ordo_schedule *schedule, const uint32_t *stuck, struct predicted *predicted,
	struct stuck_run *run);
void close_stuck(struct stuck_run *run);

#endif
