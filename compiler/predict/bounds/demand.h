/* demand.h - the bytes that must leave a set of ranks, of blocks that are unequal. Private to
 * predict/. */
#ifndef ORDO_PREDICT_DEMAND_H
#define ORDO_PREDICT_DEMAND_H

#include <ordo/predict.h>

struct ordo_demand {
	const struct ordo_problem *problem;
	const double *block; /* [nblock] bytes */
	double total;	     /* of all blocks */
	/* [nrank] bytes that must leave a rank, and reach it */
	double *out, *in;
	/* what all ranks together must send */
	double sent;
	/* ranks that must know one of others, or of which one must: 1 + the most that a rank has
	 * data for, or from */
	uint32_t involved;
};

/* The caller frees it, also after false: no memory. */
bool ordo_demand_make(struct ordo_demand *demand, const struct ordo_problem *problem,
	const double *block, struct ordo_error *error);
void ordo_demand_free(struct ordo_demand *demand);

/* Bytes that must leave the ranks with inside[rank] == side. O(nrank), for AllToAll O(nrank^2). */
double ordo_demand_leaving(const struct ordo_demand *demand, const bool *inside, bool side);
/* Must data of rank `from` reach rank `to`? */
bool ordo_demand_between(const struct ordo_demand *demand, uint32_t from, uint32_t to);

#endif
