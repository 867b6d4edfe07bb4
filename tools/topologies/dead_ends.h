/* dead_ends.h - switches of a topology that lead nowhere. */
#ifndef ORDO_TOOLS_TOPOLOGIES_DEAD_ENDS_H
#define ORDO_TOOLS_TOPOLOGIES_DEAD_ENDS_H

#include <ordo/topology.h>

/* How many switches no data can pass: none comes in, none goes out, or all of it only back where it
 * came from. Links that are down count too. *first: the first of them. ORDO_NONE: no memory. */
uint32_t count_dead_ends(const struct ordo_topology *topology, uint32_t *first);

#endif
