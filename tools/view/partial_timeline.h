/* partial_timeline.h - predicts a schedule up to a deadlock. */
#ifndef ORDO_TOOLS_VIEW_PARTIAL_TIMELINE_H
#define ORDO_TOOLS_VIEW_PARTIAL_TIMELINE_H

#include "cli/prediction_options.h"

/* A run in which some streams block forever. */
struct partial_run {
	struct ordo_schedule *runnable; /* the part that runs */
	/* of the whole: blocked streams wait until the last stream has ended or blocked */
	struct ordo_timeline *timeline;
	bool *absent;	   /* [ntask] tasks that never begin */
	uint32_t nblocked; /* streams */
};

/* stopped[nstream]: the Wait at which a stream stops, or its end. *predicted: the runnable part.
 * false: call->status. The caller closes both in any case. */
bool predict_until_deadlock(struct call *call, const struct predicting *args,
	const struct ordo_schedule *schedule, const uint32_t *stopped, struct predicted *predicted,
	struct partial_run *run);
void close_partial_run(struct partial_run *run);

#endif
