/* Internal: for the command and the tests. Exported for one release; may change or go after it. */
/* via.h - the ways that streams name over the switches of a topology. */
#ifndef ORDO_VIA_H
#define ORDO_VIA_H

#include <ordo/detail/schedules.h>
#include <ordo/topology.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Most switches that a way may name. */
#define ORDO_MOST_VIA 255

/* Whether two streams name the same way; NULL: none. */
ORDO_API bool ordo_via_same(const struct ordo_via *one, const struct ordo_via *other);

/* A way in words: `switches 8, 9 (nvlink)`. Returns the length like snprintf. */
ORDO_API int ordo_via_print(const struct ordo_via *via, char *out, size_t size);

/* The links of a way from a rank to a peer: on every hop the one of the named class if there is
 * one, else the best that is up.
 *
 *   links   [nswitch + 1] filled; NULL: only checked
 *   why     [size] what is wrong, if the result is false
 *
 * false: a switch that the topology does not have, a hop without a link that is up, or no hop with
 * a link of the class. After ordo_topology_finish; any thread. */
ORDO_API bool ordo_via_links(const struct ordo_via *via, const struct ordo_topology *topology,
	uint32_t from, uint32_t to, uint32_t *links, char *why, size_t size);

#ifdef __cplusplus
}
#endif
#endif
