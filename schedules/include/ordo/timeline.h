/* timeline.h - when each task of one call began and ended, predicted or measured.
 *
 * Plain data, filled by a prediction (predict.h) or from a traced run (detail/trace.h), and drawn.
 * Times are seconds from the moment the first rank entered the call; all are finite, and ready <=
 * begin <= end of every task.
 */
#ifndef ORDO_TIMELINE_H
#define ORDO_TIMELINE_H

#include <ordo/schedule.h>

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

#endif

/* Internal functions, declared here for one release; <ordo/ordo.h> leaves them out. */
#ifndef ORDO_EMBEDDER
#include <ordo/detail/timelines.h>
#endif
