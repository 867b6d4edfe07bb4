/* Internal: for the command and the tests. Exported for one release; may change or go after it. */
/* timelines.h - timelines made, and their critical path. */
#ifndef ORDO_TIMELINES_H
#define ORDO_TIMELINES_H

#include <ordo/timeline.h>

#ifdef __cplusplus
extern "C" {
#endif

/* All times 0, no causes. The caller destroys it. NULL: no memory. */
ORDO_API struct ordo_timeline *ordo_timeline_create(
	const struct ordo_schedule *schedule, struct ordo_error *error);
ORDO_API void ordo_timeline_destroy(struct ordo_timeline *timeline); /* takes NULL */

/* Finds the Notify of every Wait: the j-th Wait of a signal takes the token of its j-th Notify.
 * Sets `notify` of all tasks, and nothing else. Linear. false: no memory. */
ORDO_API bool ordo_timeline_pair(struct ordo_timeline *timeline, struct ordo_error *error);

/* The critical path: the task that ended last, its cause, the cause of that and so on, first to
 * last, into path[ntask]. Returns how many. Causes of a timeline go back in time, and so end. */
ORDO_API uint32_t ordo_timeline_path(const struct ordo_timeline *timeline, uint32_t *path);

#ifdef __cplusplus
}
#endif
#endif
