/* timeline.h - when each task of one call began and ended, predicted or measured.
 *
 * Plain data, filled by a prediction (predict.h) or from a traced run (trace.h), and drawn. Times
 * are seconds from the moment the first rank entered the call; all are finite, and ready <= begin
 * <= end of every task.
 */
/* Internal: for the command and the tests. Installed for programs of this release; may change or
 * go with the next. */
#ifndef ORDO_TIMELINE_H
#define ORDO_TIMELINE_H

#include <ordo/schedule.h>

#ifdef __cplusplus
extern "C" {
#endif

/* One task. Between ready and begin it waited (a Wait for its token, a move for a busy port);
 * between begin and end it worked. A Wait and a Notify that cost nothing begin where they end. */
struct ordo_timed_task {
	double ready; /* the task before it in its stream had ended */
	double begin;
	double end;
	/* the task whose end it waited for last: the one before it in its stream, the Notify whose
	 * token it takes, or whoever held what it needed; ORDO_NONE: it could begin at once */
	uint32_t cause;
	/* a Wait: the task whose token it takes; otherwise, or if there is none: ORDO_NONE */
	uint32_t notify;
};

struct ordo_timeline {
	const struct ordo_schedule *schedule; /* not owned */
	struct ordo_timed_task *tasks;	      /* [schedule->ntask] */
	double total;			      /* the last end */
};

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
