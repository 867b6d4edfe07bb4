/* over_bound.h - what a schedule whose busiest link takes longer than the bound may lack: trees, or
 * ways. */
#ifndef ORDO_TOOLS_CHOOSE_OVER_BOUND_H
#define ORDO_TOOLS_CHOOSE_OVER_BOUND_H

#include "report/bound.h"
#include <ordo/compiler.h>

/* Into "packed_trees" with --json, else as a line; nothing unless the algorithm is `packing` and
 * its busiest link takes longer than the bound of the wire.
 *
 *   ratio  of these times; 0: unknown */
void report_packed_trees(const struct report *report, const struct ordo_schedule *schedule,
	const struct ordo_topology *topology, double ratio);

/* A hint to name the algorithm with via=spread, if that was left out, the busiest link takes more
 * than 1.1 times the bound, and is shown to take less with it. Compiles once more, but only where
 * data have a choice of ways.
 *
 *   request  what the schedule was compiled for, by name
 *   ratio    as above */
void hint_spread(struct call *call, const struct ordo_request *request,
	const struct ordo_schedule *schedule, const struct ordo_wire_bound *bound, uint64_t bytes,
	double ratio);

#endif
