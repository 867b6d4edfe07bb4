/* packed_trees.h - reports how many trees a packing took, and what fewer than enough lose. */
#ifndef ORDO_TOOLS_CHOOSE_PACKED_TREES_H
#define ORDO_TOOLS_CHOOSE_PACKED_TREES_H

#include "base/report.h"
#include <ordo/schedule.h>
#include <ordo/topology.h>

/* Into "packed_trees" with --json, else as a line; nothing unless the algorithm is `packing` and
 * its busiest link takes longer than the bound of the wire.
 *
 *   ratio  of these times; 0: unknown */
void report_packed_trees(const struct report *report, const struct ordo_schedule *schedule,
	const struct ordo_topology *topology, double ratio);

#endif
