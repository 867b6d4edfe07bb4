/* flow_groups.h - flows that all go at one rate, because what they share is used up at one level: a
 * pool.
 *
 * Where flows are alike, as on a ring of ranks that all send equally far, each that begins or ends
 * changes the rates of all. A pool learns its new rate from its resources, without a look at every
 * use of every flow: it is the lowest of their levels, as long as every flow uses some resource
 * that has this level, its keeper. Otherwise it is no pool any more. Nobody else uses the resources
 * of a pool. Of its flows only those that end first need events: the others end later whatever the
 * rate, for all get the same, so what the pool has served tells for each how much is left. Private
 * to predict/.
 */
#ifndef ORDO_COMPILER_PREDICT_FLOW_GROUPS_H
#define ORDO_COMPILER_PREDICT_FLOW_GROUPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ordo_sharing;

/* A flow of a pool. */
struct ordo_mark {
	double end; /* when the pool has served so many bytes */
	uint32_t flow;
	uint32_t keeper : 31; /* a resource */
	uint32_t shown : 1;   /* its end is an event, or may be one */
};

struct ordo_pool {
	double rate;
	/* bytes that each flow has had since the pool was made, at that time */
	double served, updated;
	double least_bound; /* of its flows, or less */
	struct ordo_mark *marks;
	size_t nmark, mark_room;
	uint32_t *resources;
	size_t nresource, resource_room;
	bool stirred; /* a flow began or ended since the last settling */
	bool over;    /* it is none any more */
};

struct ordo_pools {
	struct ordo_pool *pools;
	uint32_t npool, *unused, nunused;
	uint32_t *stirred, nstirred;
};

/* To be freed, also after false: no memory. */
bool ordo_pools_make(struct ordo_pools *pools, uint32_t nflow);
void ordo_pools_free(struct ordo_pools *pools);
/* The pool that a flow can join which is to begin: that of its resources, if they have one and
 * nobody else. ORDO_NONE: none; then nothing is left of pools that have one of its resources. */
uint32_t ordo_pools_find(struct ordo_sharing *sharing, uint32_t flow);
/* The flow has begun and joins; its uses count already. */
void ordo_pools_join(struct ordo_sharing *sharing, uint32_t pool, uint32_t flow, double time);
/* A flow of a pool has ended. */
void ordo_pools_leave(struct ordo_sharing *sharing, uint32_t flow);
/* New rates for pools where flows began or ended. What is left of those that are none any more is
 * dirty. */
void ordo_pools_settle(struct ordo_sharing *sharing, double time);
/* Makes pools of what the settling under way touched, where all rates are to be the lowest level.
 * false: there are none. */
bool ordo_pools_form(struct ordo_sharing *sharing);
/* What ends first in the pools that were made, now that their flows have their rates. */
void ordo_pools_show(struct ordo_sharing *sharing, double time);

#endif
