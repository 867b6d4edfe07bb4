/* flows.h - flows and their shared resources, the state of max_min.c and flow_groups.c. Private to
 * predict/. */
#ifndef ORDO_COMPILER_PREDICT_FLOWS_H
#define ORDO_COMPILER_PREDICT_FLOWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A flow of a group. */
struct ordo_mark {
	double end; /* when the group has served so many bytes */
	uint32_t flow;
	uint32_t keeper : 31; /* a resource */
	uint32_t shown : 1;   /* its end is an event, or may be one */
};

struct ordo_flow_group {
	double rate;
	/* bytes that each flow has had since the group was made, at that time */
	double served, updated;
	double least_bound; /* of its flows, or less */
	struct ordo_mark *marks;
	size_t nmark, mark_room;
	uint32_t *resources;
	size_t nresource, resource_room;
	bool stirred; /* a flow began or ended since the last settling */
	bool over;    /* it is none any more */
};

struct ordo_flow_groups {
	struct ordo_flow_group *groups;
	uint32_t ngroup, *unused, nunused;
	uint32_t *stirred, nstirred;
};

/* Relative tolerance of loads and levels, which are sums in floating point. */
#define ORDO_ROUNDING 1e-12
/* Relative tolerance of times that count as equal. */
#define ORDO_SAME_TIME 1e-14

struct ordo_use {
	uint32_t resource;
	double load;
};

/* One cache line, as ordo_shared is. */
struct ordo_flow {
	double bound;
	double rate; /* 0: not known before the next settling; of a group: as that goes */
	const struct ordo_use *uses;
	uint32_t nuse : 31;
	uint32_t settled : 1; /* in this settling */
	uint32_t seen;	      /* in which settling last */
	uint32_t first_place;
	uint32_t group; /* or ORDO_NONE */
	double settled_rate;
	double remaining, updated; /* bytes left at that time; a group knows better */
};

/* One flow at one resource. */
struct ordo_entry {
	uint32_t flow, place; /* which says where this entry is */
};

struct ordo_shared {
	double capacity;
	double load;		      /* of all its flows */
	double wanted;		      /* by them at their bounds */
	double used;		      /* by them, but not by those of a group */
	double since;		      /* when it has had flows */
	uint32_t count, most;	      /* flows: now, and at one time */
	uint32_t first_entry, nentry; /* of all its flows, but those of a group */
	uint32_t group;		      /* that has it, or ORDO_NONE */
	bool dirty;
};

/* While settling. */
struct ordo_filling {
	double left, weight; /* what the unsettled flows may have, and their loads */
	uint32_t unsettled;
	uint32_t seen;	   /* in which settling last */
	uint32_t ngrouped; /* flows, while a group is made */
	bool joined;
};

struct ordo_level {
	double rate;
	uint32_t resource;
};

/* More than 25 fields: state between settlings, then what one settling works on; each step of it
 * uses most of both. */
struct ordo_max_min {
	struct ordo_shared *resources;
	struct ordo_filling *fillings; /* [nresource] */
	/* [nresource] seconds with flows, but those since the last began */
	double *busy;
	struct ordo_flow *flows;    /* [nflow], by stream */
	struct ordo_entry *entries; /* of all resources */
	/* uses[i] of a flow is entry places[first_place + i] of its resource; of a group the flow
	 * is mark places[first_place]. */
	uint32_t *places;
	uint32_t *dirty, ndirty; /* [nresource] */
	uint32_t *begun, nbegun; /* [nflow] flows whose rates are not known */
	double floor;		 /* rates below it cannot have changed since the last settling */
	uint32_t settling;	 /* counts them */
	struct ordo_flow_groups groups;
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

/* What each of its flows can have if all go at one rate. */
static inline double ordo_even_share(const struct ordo_shared *resource)
{
	return resource->capacity / resource->load;
}

static inline struct ordo_entry *ordo_entries_of(
	const struct ordo_max_min *sharing, const struct ordo_shared *resource)
{
	return sharing->entries + resource->first_entry;
}

/* The next settling looks at the flows of a resource, and at none that is slower than this rate or
 * another such. */
static inline void ordo_mark_dirty(struct ordo_max_min *sharing, uint32_t resource, double rate)
{
	sharing->floor = rate < sharing->floor ? rate : sharing->floor;
	if (sharing->resources[resource].dirty)
		return;
	sharing->resources[resource].dirty = true;
	sharing->dirty[sharing->ndirty++] = resource;
}

/* A flow is the last entry of a resource. */
static inline void ordo_resource_enter(
	struct ordo_max_min *sharing, struct ordo_shared *resource, uint32_t id, uint32_t place)
{
	sharing->places[place] = resource->nentry;
	ordo_entries_of(sharing, resource)[resource->nentry++] = (struct ordo_entry){id, place};
}

/* The flow is among the entries of its resources. */
static inline void ordo_flow_enter(struct ordo_max_min *sharing, uint32_t id)
{
	const struct ordo_flow *flow = &sharing->flows[id];
	for (uint32_t i = 0; i < flow->nuse; i++)
		ordo_resource_enter(sharing, &sharing->resources[flow->uses[i].resource], id,
			flow->first_place + i);
}

/* Bytes at that time. */
static inline double ordo_flow_left(const struct ordo_flow *flow, double time)
{
	const double moved = time > flow->updated ? flow->rate * (time - flow->updated) : 0;
	return moved < flow->remaining ? flow->remaining - moved : 0;
}

#endif
