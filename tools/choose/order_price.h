/* order_price.h - reports what the one order of a placed schedule costs. */
#ifndef ORDO_TOOLS_CHOOSE_ORDER_PRICE_H
#define ORDO_TOOLS_CHOOSE_ORDER_PRICE_H

#include "base/report.h"
#include <ordo/schedule.h>
#include <ordo/topology.h>

/* Into "order_price" with --json, else as lines; nothing unless the algorithm is `placed`.
 * topology: the one it was compiled for, or NULL. */
void report_order_price(const struct report *report, const struct ordo_schedule *schedule,
	const struct ordo_topology *topology);

#endif
