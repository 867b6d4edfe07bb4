/* order_price.c - what one order of sums costs on a topology. */
#include "pipeline/pipeline.h"
#include "synthesis/place/order.h"
#include <ordo/detail/order_price.h>
#include <string.h>

bool ordo_order_price(const struct ordo_request *request, struct ordo_order_price *price,
	struct ordo_error *error)
{
	struct ordo_resolved_request resolved = {0};
	const size_t fraction = sizeof price->time;
	*price = (struct ordo_order_price){0};
	bool worked = ordo_request_resolve(&resolved, request, error);
	const struct ordo_placed_order *placed = worked ? ordo_placed_order_of(&resolved) : NULL;
	if (worked && !placed)
		worked = ordo_fail(error, ORDO_USAGE, 0, "%s has no order that was placed",
			resolved.algorithm->facts.name);
	if (worked) {
		const struct ordo_problem *problem = &resolved.problem;
		const uint32_t blocks = problem->op == ORDO_ALLREDUCE ? 1 : problem->nrank;
		memcpy(price->least, placed->placement.least, fraction);
		memcpy(price->bound, placed->bound, fraction);
		const char *order = ordo_forest_print(
			placed->forest, &resolved.arena, placed->root, problem->nrank);
		price->order = order ? strdup(order) : NULL;
		worked = (price->order &&
				 ordo_placement_time(&placed->placement, &placed->network,
					 problem->chunks_per_block * blocks, price->time)) ||
			 ordo_fail_memory(error);
	}
	ordo_resolved_request_destroy(&resolved);
	return worked;
}
