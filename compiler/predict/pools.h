/* pools.h - flows that all go at one rate, because what they share is used up at one level: a pool.
 *
 * Where flows are alike, as on a ring of ranks that all send equally far, each that begins or ends changes the rates of all. A pool learns its new rate from its resources,
 * without a look at every use of every flow: it is the lowest of their levels, as long as every flow uses some resource that has this level, its keeper. Otherwise it is no
 * pool any more. Nobody else uses the resources of a pool. Of its flows only those that end first need events: the others end later whatever the rate. Private to predict/.
 */
#ifndef ORDO_PREDICT_POOLS_H
#define ORDO_PREDICT_POOLS_H

#include <stdbool.h>
#include <stdint.h>

struct ordo_sharing;

struct ordo_pool {
	double rate; /* of all its flows but those that have just begun */
	uint32_t first_flow, last_flow, nflow;
	uint32_t first_resource;
	bool stirred; /* a flow began or ended since the last settling */
	bool broken;  /* somebody else uses its resources */
};

struct ordo_pooled_flow {
	uint32_t pool; /* or ORDO_NONE */
	uint32_t before, next;
	uint32_t keeper; /* a resource */
	bool shown;	 /* its end is an event, or may be one */
};

struct ordo_pooled_resource {
	uint32_t pool; /* or ORDO_NONE */
	uint32_t next;
	uint32_t nuse; /* while a pool is made: of its flows */
	double level;  /* while it settles */
};

struct ordo_pools {
	struct ordo_pool *pools;
	uint32_t npool, *unused, nunused;
	uint32_t *stirred, nstirred;
	struct ordo_pooled_flow *flows;
	struct ordo_pooled_resource *resources;
};

/* To be freed, also after false: no memory. */
bool ordo_pools_make(struct ordo_pools *pools, uint32_t nflow, uint32_t nresource);
void ordo_pools_free(struct ordo_pools *pools);
/* A flow has begun, and cannot go at its bound or can. Joins the pool of its resources, if they have one and nobody else; of other pools nothing is left after the next settling. */
void ordo_pools_begin(struct ordo_sharing *sharing, uint32_t flow, bool enough);
/* A flow has ended. true: it was in a pool. */
bool ordo_pools_end(struct ordo_sharing *sharing, uint32_t flow);
/* New rates for pools where flows began or ended. What is left of those that are none any more is dirty. */
void ordo_pools_settle(struct ordo_sharing *sharing, double time);
/* Makes pools of what the settling under way touched, where all rates are to be the lowest level. false: there are none. */
bool ordo_pools_form(struct ordo_sharing *sharing);
/* What ends first in the pools that were made, now that they have their rates. */
void ordo_pools_show(struct ordo_sharing *sharing);

#endif
