/* spread.h - gives the streams of a schedule their ways over switches. Private to compiler/. */
#ifndef ORDO_COMPILER_WAYS_SPREAD_H
#define ORDO_COMPILER_WAYS_SPREAD_H

#include <ordo/detail/ways.h>

/* Every stream that has more than one way to all its peers names one, so that the link that is busy
 * longest is busy as short as can be found. Others stay as they are. false: too many switches
 * (ORDO_USAGE), or no memory. */
bool ordo_spread(struct ordo_schedule *schedule, const struct ordo_topology *topology,
	struct ordo_error *error);

#endif
