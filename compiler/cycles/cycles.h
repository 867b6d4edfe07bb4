/* cycles.h - rings through a topology: Hamiltonian cycles on its links that are up.
 *
 * Two ranks are neighbours if each reaches the other: data goes one way, its acknowledgement the
 * other. A cycle is order[nrank]: every rank once, each a neighbour of the next and the last of the
 * first. One rank alone is a cycle without a link, two neighbours are a cycle on one link. Cycles
 * are link-disjoint if no two ranks are next to each other in two of them, in whatever direction.
 * The same topology always gives the same cycles.
 */
#ifndef ORDO_CYCLES_H
#define ORDO_CYCLES_H

#include <ordo/topology.h>

/* Finds ncycle >= 1 link-disjoint cycles: cycles[ncycle][nrank], the caller's. topology NULL: every
 * rank reaches every other. 0, 1, ..., nrank-1 is the first cycle where it is one and no other has
 * been asked for, or all are joined. false: there are none (ORDO_USAGE, the text says why, the hint
 * how many there are if that is known), none was found within the limit (ORDO_UNDECIDED), or no
 * memory. The topology must be finished and have nrank ranks. */
bool ordo_cycles_find(const struct ordo_topology *topology, uint32_t nrank, uint32_t ncycle,
	uint32_t *cycles, struct ordo_error *error);

/* Is order[norder] a cycle of nrank ranks? false (ORDO_USAGE): the text says which rank is missing
 * or repeated, or which links of it are not there. */
bool ordo_cycle_check(const struct ordo_topology *topology, uint32_t nrank, const uint32_t *order,
	uint32_t norder, struct ordo_error *error);

/* Have these cycles[ncycle][nrank] no link in common? false (ORDO_USAGE): the text names two and
 * their link.
 */
bool ordo_cycles_disjoint(
	uint32_t nrank, uint32_t ncycle, const uint32_t *cycles, struct ordo_error *error);

#endif
