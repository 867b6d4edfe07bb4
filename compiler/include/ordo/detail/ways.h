/* Internal: for the command and the tests. Exported for one release; may change or go after it. */
/* ways.h - the ways over switches that the data of a schedule may take. */
#ifndef ORDO_WAYS_H
#define ORDO_WAYS_H

#include <ordo/schedule.h>
#include <ordo/topology.h>

#ifdef __cplusplus
extern "C" {
#endif

/* *choice: whether data go anywhere to which there is more than one way. false: too many switches
 * (ORDO_USAGE), or no memory. */
ORDO_API bool ordo_has_choice(const struct ordo_schedule *schedule,
	const struct ordo_topology *topology, bool *choice, struct ordo_error *error);

#ifdef __cplusplus
}
#endif
#endif
