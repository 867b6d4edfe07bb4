/* shard_cost.h - reports the cost of virtual shards in a compiled schedule. */
#ifndef ORDO_TOOLS_CHOOSE_SHARD_COST_H
#define ORDO_TOOLS_CHOOSE_SHARD_COST_H

#include "base/report.h"
#include <ordo/schedule.h>
#include <ordo/topology.h>

/* Into "shard_price" with --json, else as a line on stderr; nothing if every rank has one shard.
 * topology: the one it was compiled for, or NULL. */
void report_shard_price(struct call *call, const struct ordo_schedule *schedule,
	const struct ordo_topology *topology);

#endif
