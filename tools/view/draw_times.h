/* draw_times.h - the space-time diagram of a schedule, for `ordo draw --space-time`. */
#ifndef ORDO_TOOLS_VIEW_DRAW_TIMES_H
#define ORDO_TOOLS_VIEW_DRAW_TIMES_H

#include "timelines.h"
#include "view/model/excerpt.h"

/* Writes it as SVG, with the tasks of the witness in red (NULL: none), and notes what was left out.
 * With more than excerpt->max_tasks tasks (USUAL_TASKS: as many as are legible) it draws a map.
 * false: call->status. */
bool draw_times(struct call *call, const struct timeline_options *args,
	const struct excerpt_options *excerpt, const struct ordo_schedule *schedule,
	const struct witness *witness, FILE *out);

#endif
