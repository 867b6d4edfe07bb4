/* routes.h - routes between ranks: links, latency, and speed without contention. Private to
 * predict/. */
#ifndef ORDO_PREDICT_ROUTES_H
#define ORDO_PREDICT_ROUTES_H

#include <ordo/predict.h>

struct ordo_route {
	uint32_t first_link, end_link; /* into links */
	double latency;		       /* seconds, summed over the links */
	double bandwidth;	       /* bytes a second, of the slowest link */
	double reduce;		       /* bytes a second of additions at its target, at most */
};

/* Without a topology every pair of ranks has a link of its own, numbered like its route. */
struct ordo_routes {
	uint32_t *first; /* [nrank + 1] into routes, by source */
	uint32_t *to;	 /* [nroute] their targets, ascending for each source */
	struct ordo_route *routes;
	uint32_t nroute;
	/* [nstream + 1] the routes of streams that name their way, behind those of pairs and
	 * likewise by target; NULL: no stream does */
	uint32_t *first_named;
	uint32_t *links; /* of the topology */
	size_t nlink, link_room;
};

/* The routes of all Sends. The caller frees them, also after false: a peer does not exist (R2),
 * there is no path (R12), or no memory. */
bool ordo_routes_make(struct ordo_routes *routes, const struct ordo_schedule *schedule,
	const struct ordo_predict_options *options, struct ordo_error *error);
void ordo_routes_free(struct ordo_routes *routes);

/* The route between two ranks where no way is named. It must exist. */
uint32_t ordo_route_find(const struct ordo_routes *routes, uint32_t from, uint32_t to);
/* The route of what a stream of rank `from` sends to another. It must exist. */
uint32_t ordo_route_of(
	const struct ordo_routes *routes, uint32_t stream, uint32_t from, uint32_t to);

#endif
