/* Internal: for the command and the tests. Exported for one release; may change or go after it. */
/* order_price.h - what one order of sums costs on a topology, for algorithm `placed`. */
#ifndef ORDO_ORDER_PRICE_H
#define ORDO_ORDER_PRICE_H

#include <ordo/compiler.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Times of the wire are fractions, numerator and denominator: of the bytes of the larger buffer of
 * a rank, over the unit of ordo_wire_bound (bound.h). */
struct ordo_order_price {
	char *order;	   /* as ordo_forest_read reads it; the caller frees it */
	uint64_t time[2];  /* of the busiest link */
	uint64_t least[2]; /* no schedule with this order takes less */
	uint64_t bound[2]; /* no schedule takes less, whatever its order */
};

/* Of a request that names `placed`; does not compile it. false: another algorithm, or a request
 * that does not apply (ORDO_USAGE), or no memory. */
ORDO_API bool ordo_order_price(const struct ordo_request *request, struct ordo_order_price *price,
	struct ordo_error *error);

#ifdef __cplusplus
}
#endif
#endif
