/* max_min.h - flows that use the same things, max-min fairly: nobody gets more while somebody who
 * has less could have it.
 *
 * A flow at rate v (bytes a second) takes v * load of each resource it uses, and a resource gives
 * at most its capacity; a flow that is alone goes at its bound. When a flow begins or ends, only
 * those are looked at again that it reaches over resources that are used up, and of these only
 * those that are no slower; a flow whose resources all suffice costs nothing but its two events,
 * and flows that are all alike are looked at together (flow_groups.h). Private to predict/.
 */
#ifndef ORDO_COMPILER_PREDICT_MAX_MIN_H
#define ORDO_COMPILER_PREDICT_MAX_MIN_H

#include "flow_groups.h"
#include <ordo/error.h>
#include <stddef.h>

/* Loads are added up in floating point: so much more of a capacity or of a level is not more. */
#define ORDO_ROUNDING 1e-12
/* What ends so little later ends at the same time. */
#define ORDO_SAME_TIME 1e-14

struct ordo_use {
	uint32_t resource;
	double load;
};

/* A line of the cache, as is what is below. */
struct ordo_flow {
	double bound;
	double rate; /* 0: not known before the next settling; of a pool: as that goes */
	const struct ordo_use *uses;
	uint32_t nuse : 31;
	uint32_t settled : 1; /* in this settling */
	uint32_t seen;	      /* in which settling last */
	uint32_t first_place;
	uint32_t pool; /* or ORDO_NONE */
	double settled_rate;
	double remaining, updated; /* bytes left at that time; a pool knows better */
};

/* One flow at one resource. */
struct ordo_entry {
	uint32_t flow, place; /* which says where this entry is */
};

struct ordo_shared {
	double capacity;
	double load;		      /* of all its flows */
	double wanted;		      /* by them at their bounds */
	double used;		      /* by them, but not by those of a pool */
	double since;		      /* when it has had flows */
	uint32_t count, most;	      /* flows: now, and at one time */
	uint32_t first_entry, nentry; /* of all its flows, but those of a pool */
	uint32_t pool;		      /* that has it, or ORDO_NONE */
	bool dirty;
};

/* While settling. */
struct ordo_filling {
	double left, weight; /* what the unsettled flows may have, and their loads */
	uint32_t unsettled;
	uint32_t seen;	  /* in which settling last */
	uint32_t npooled; /* flows, while a pool is made */
	bool joined;
};

struct ordo_level {
	double rate;
	uint32_t resource;
};

struct ordo_sharing {
	struct ordo_shared *resources;
	struct ordo_filling *fillings; /* [nresource] */
	/* [nresource] seconds with flows, but those since the last began */
	double *busy;
	struct ordo_flow *flows;    /* [nflow], by stream */
	struct ordo_entry *entries; /* of all resources */
	/* uses[i] of a flow is entry places[first_place + i] of its resource; of a pool the flow is
	 * mark places[first_place]. */
	uint32_t *places;
	uint32_t *dirty, ndirty; /* [nresource] */
	uint32_t *begun, nbegun; /* [nflow] flows whose rates are not known */
	double floor;		 /* rates below it cannot have changed since the last settling */
	uint32_t settling;	 /* counts them */
	struct ordo_pools pools;
	/* The flows whose ends changed, some of them twice, and those whose ends are not to be
	 * events. */
	uint32_t *changed, nchanged, *hidden, nhidden;
	/* While settling. */
	uint32_t *touched, ntouched; /* the flows that it looks at */
	uint32_t nopen;		     /* of these have no new rate yet */
	double least_bound;	     /* of the flows that it looks at */
	uint32_t *met, nmet;	     /* the resources that they use */
	uint32_t *joined, njoined;   /* those whose other flows are looked at too */
	bool cautious;		     /* so are those of all that are short */
	struct ordo_level *levels;   /* a heap */
	uint32_t nlevel;
};

/* What flows and resources there can be. */
struct ordo_sharing_limits {
	const double *capacity;	    /* [nresource] */
	const uint32_t *most_flows; /* [nresource] at one time */
	uint32_t nresource;
	const uint32_t *most_uses; /* [nflow] of one flow at a time */
	uint32_t nflow;
};

/* To be freed, also after false: no memory. */
bool ordo_sharing_make(struct ordo_sharing *sharing, const struct ordo_sharing_limits *limits,
	struct ordo_error *error);
void ordo_sharing_free(struct ordo_sharing *sharing);

/* Begins at `time` with so many bytes. The uses must last as long as the flow. true: it goes at its
 * bound, unless a settling says otherwise; false: its rate is not known before the next
 * settling. */
bool ordo_flow_begin(struct ordo_sharing *sharing, uint32_t flow, double time, double bytes,
	double bound, const struct ordo_use *uses, uint32_t nuse);
void ordo_flow_end(struct ordo_sharing *sharing, uint32_t flow, double time);
/* Shares anew what flows that began or ended since the last settling have changed: `changed` and
 * `hidden`, which the caller empties. */
void ordo_sharing_settle(struct ordo_sharing *sharing, double time);
/* When a flow will end if nothing changes. */
double ordo_flow_last(const struct ordo_sharing *sharing, uint32_t flow);

/* What each of its flows can have if all go at one rate. */
static inline double ordo_even_share(const struct ordo_shared *resource)
{
	return resource->capacity / resource->load;
}

static inline struct ordo_entry *ordo_entries_of(
	const struct ordo_sharing *sharing, const struct ordo_shared *resource)
{
	return sharing->entries + resource->first_entry;
}

/* For flow_groups.c: the next settling looks at the flows of a resource, and at none that is slower
 * than this rate or another such. */
void ordo_sharing_stain(struct ordo_sharing *sharing, uint32_t resource, double rate);
/* For flow_groups.c: the flow is among the entries of its resources. */
void ordo_flow_enter(struct ordo_sharing *sharing, uint32_t flow);
/* For flow_groups.c: bytes at that time. */
double ordo_flow_left(const struct ordo_flow *flow, double time);

#endif
