/* prediction.h - reports a prediction: the time, its breakdown, the bottleneck, and the lower
 * bounds. */
#ifndef ORDO_TOOLS_REPORT_PREDICTION_H
#define ORDO_TOOLS_REPORT_PREDICTION_H

#include "cli/prediction_options.h"

/* Limits of the text; --json has all. */
struct prediction_limits {
	uint32_t max_path, max_links;
};

/* The largest lower bound and its name: "the cut". Never NULL. */
double largest_bound(const struct ordo_time_bounds *bounds, const char **name);
enum { BUSIEST_SIZE = 128 };
/* `link 0 -> 1 HCCS`, `the adder of rank 3`, `the wire: ...`; "" if nothing was used; returns
 * out. */
const char *busiest_text(char out[BUSIEST_SIZE], const struct predicted *predicted);

void report_prediction(const struct report *report, const struct prediction_limits *args,
	const struct ordo_schedule *schedule, const struct predicted *predicted);

#endif
