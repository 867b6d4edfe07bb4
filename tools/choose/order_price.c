/* order_price.c - what one order of sums costs, in words and numbers. */
#include "order_price.h"
#include <inttypes.h>
#include <ordo/detail/order_price.h>
#include <stdlib.h>
#include <string.h>

static double quotient(const uint64_t over[2], const uint64_t under[2])
{
	return (double)over[0] / (double)over[1] / ((double)under[0] / (double)under[1]);
}

void report_order_price(const struct report *report, const struct ordo_schedule *schedule,
	const struct ordo_topology *topology)
{
	const struct ordo_request request = {.problem = schedule->problem,
		.algorithm = schedule->algorithm,
		.topology = topology};
	struct ordo_order_price price = {.order = NULL};
	if (!strncmp(schedule->algorithm, "placed", strlen("placed")) &&
		schedule->problem.nrank > 1 && ordo_order_price(&request, &price, NULL)) {
		const struct report object = report_object(report, "order_price");
		report_text(&object, "order %s<order>\n", price.order);
		report_text(&object,
			"price %.4g<price> of the bound without one order; at least "
			"%.4g<least_price> "
			"with this order\n",
			quotient(price.time, price.bound), quotient(price.least, price.bound));
		report_members(&object,
			"%" PRIu64 "<numerator> %" PRIu64 "<denominator> %" PRIu64
			"<least_numerator> %" PRIu64 "<least_denominator> %" PRIu64
			"<bound_numerator> %" PRIu64 "<bound_denominator>",
			price.time[0], price.time[1], price.least[0], price.least[1],
			price.bound[0], price.bound[1]);
	}
	free(price.order);
}
