/* bound.h - reports the least time of the wire, and its proof. */
#ifndef ORDO_TOOLS_REPORT_BOUND_H
#define ORDO_TOOLS_REPORT_BOUND_H

#include "base/report.h"
#include <ordo/detail/bound.h>

/* The bound of a problem on a topology, the seconds for `bytes`, and the sets that prove it with
 * the links that leave or enter them. */
void report_wire_bound(const struct report *report, const struct ordo_problem *problem,
	const struct ordo_topology *topology, const struct ordo_wire_bound *bound, uint64_t bytes);

/* The bound, which the caller destroys, for up to 1,024 ranks. NULL without a topology, where ranks
 * have no shard, or where nothing leads out of some. false: no memory, reported. */
bool find_least_time(struct call *call, const struct ordo_problem *problem,
	const struct ordo_topology *topology, struct ordo_wire_bound **bound);
/* Seconds for `bytes` that a schedule is compared with the bound by; 0: unknown. */
struct bound_ratios {
	double loads;	  /* of its busiest link, latencies left out */
	double predicted; /* of a simulation */
};
/* One line with the bound, its seconds if the predicted ones are known, and the ratios to them.
 * Nothing without a bound. */
void report_least_time(const struct report *report, const struct ordo_wire_bound *bound,
	uint64_t bytes, const struct bound_ratios *schedule);

/* The fraction: `7/27 n/b, b = 56 GB/s`. */
enum { FRACTION_SIZE = 128 };
const char *wire_bound_text(char out[FRACTION_SIZE], const struct ordo_wire_bound *bound);

#endif
