/* timing.h - how long a schedule really takes on threads, as tasks, over and over. */
#ifndef ORDO_TOOLS_CALIBRATE_TIMING_H
#define ORDO_TOOLS_CALIBRATE_TIMING_H

#include <ordo/runtime.h>

/* Of several measurements of one thing: a quarter of them are at most the first quartile, half at
 * most the median. */
struct spread {
	uint32_t count;
	double first_quartile, median, third_quartile;
};

/* What is done to each measurement: factor * x - less. */
struct spread scale_spread(const struct spread *spread, double factor, double less);
/* A rate of work done: quartiles change places. */
struct spread rate_of(const struct spread *seconds, double work);

struct measuring {
	enum ordo_type type;
	enum ordo_reduction reduction;
	uint64_t count;	  /* elements of each block */
	uint32_t nworker; /* threads for all ranks */
	double seconds;	  /* about so long, and never less than three runs */
};

/* Seconds of a run. The schedule need not be proved if it cannot be stuck. Buffers are filled once,
 * outputs too, so that no page is touched first in a run. */
bool measure_runs(const struct ordo_schedule *schedule, const struct measuring *how,
	struct spread *spread, struct ordo_error *error);

/* What is timed; false: error. */
typedef bool timed_run(void *closure, struct ordo_error *error);
/* Seconds of a run, the first ones left out; for about so long, and never fewer than three. */
bool time_runs(timed_run *run, void *closure, double seconds, struct spread *spread,
	struct ordo_error *error);

#endif
