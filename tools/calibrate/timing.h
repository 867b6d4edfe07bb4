/* timing.h - measures repeated runs of a schedule's tasks on threads. */
#ifndef ORDO_TOOLS_CALIBRATE_TIMING_H
#define ORDO_TOOLS_CALIBRATE_TIMING_H

#include <ordo/runtime.h>

/* The quartiles of repeated measurements. */
struct spread {
	uint32_t count;
	double first_quartile, median, third_quartile;
};

/* The spread of factor * x - less over all measurements x. */
struct spread scale_spread(const struct spread *spread, double factor, double less);
/* The spread of the rate work / seconds, in which quartiles swap. */
struct spread rate_of(const struct spread *seconds, double work);

struct measuring {
	enum ordo_type type;
	enum ordo_reduction reduction;
	uint64_t count;	  /* elements of each block */
	uint32_t nworker; /* threads for all ranks */
	double seconds;	  /* approximate time; at least three runs */
};

/* Seconds of a run. An unproved schedule is allowed if it cannot deadlock. Inputs and outputs are
 * filled once before, so that no run has page faults. */
bool measure_runs(const struct ordo_schedule *schedule, const struct measuring *how,
	struct spread *spread, struct ordo_error *error);

/* The function to time; false: see error. */
typedef bool timed_run(void *closure, struct ordo_error *error);
/* Seconds of a run, without the first ones; for approximately `seconds`, and at least three
 * runs. */
bool time_runs(timed_run *run, void *closure, double seconds, struct spread *spread,
	struct ordo_error *error);

#endif
