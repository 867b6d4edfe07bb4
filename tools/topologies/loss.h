/* loss.h - topologies that lost switches or ranks. */
#ifndef ORDO_TOOLS_TOPOLOGIES_LOSS_H
#define ORDO_TOOLS_TOPOLOGIES_LOSS_H

#include <ordo/topology.h>

/* Takes down all links of a switch; then the topology must be finished again. false: the vertex is
 * no switch (ORDO_USAGE). */
bool fail_switch(struct ordo_topology *topology, uint32_t vertex, struct ordo_error *error);

/* Can every two ranks be joined by links that are up, in whatever direction, and through other
 * ranks too? false: two that cannot (ORDO_USAGE), named as before the loss (`renumbered`, of `old`
 * ranks, NULL: the same numbers), or no memory. */
bool is_in_one_part(const struct ordo_topology *topology, const uint32_t *renumbered, uint32_t old,
	struct ordo_error *error);

#endif
