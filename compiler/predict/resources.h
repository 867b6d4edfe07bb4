/* resources.h - the resources that moves use: links, and the ports, adders and copiers of ranks;
 * and which of them are shared, because a resource of one stream needs no simulation. Private to
 * predict/. */
#ifndef ORDO_PREDICT_RESOURCES_H
#define ORDO_PREDICT_RESOURCES_H

#include "predict/sharing/max_min.h"
#include "routes.h"

struct ordo_resources {
	uint32_t nlink, nrank, ports;
	/* [nlink + 4 nrank] number among the shared resources; ORDO_NONE: not shared */
	uint32_t *shared;
	double *capacity;     /* [nshared] in users at full speed */
	uint32_t *most_flows; /* [nshared] streams that use it */
	uint32_t nshared;
	uint32_t *first_use; /* [nroute + 1] into uses; of shared ones, ports before links */
	uint32_t *nport_use; /* [nroute] */
	struct ordo_use *uses;
	size_t nuse, use_room;
	struct ordo_use *adders, *copiers; /* [nrank]; resource ORDO_NONE: not shared */
	uint32_t *most_uses;		   /* [nstream] at one time */
	double add_rate, copy_rate;	   /* bytes a second on a rank; 0: free */
};

/* The id of a rank's resource: shared[...] */
static inline uint32_t ordo_resource_of(
	const struct ordo_resources *resources, enum ordo_resource kind, uint32_t rank)
{
	return resources->nlink + (uint32_t)(kind - ORDO_OUT_PORTS) * resources->nrank + rank;
}

/* The caller frees it, also after false: no memory. */
bool ordo_resources_make(struct ordo_resources *resources, const struct ordo_schedule *schedule,
	const struct ordo_routes *routes, const struct ordo_predict_options *options,
	struct ordo_error *error);
void ordo_resources_free(struct ordo_resources *resources);

#endif
