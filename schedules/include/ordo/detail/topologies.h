/* Internal: for the command and the tests. Exported for one release; may change or go after it. */
/* topologies.h - who reaches whom over a topology, and its digest. */
#ifndef ORDO_TOPOLOGIES_H
#define ORDO_TOPOLOGIES_H

#include <ordo/topology.h>

#ifdef __cplusplus
extern "C" {
#endif

/* May a cross-rank task go from rank a to rank b? True for a == b. After finish; any thread. O(log
 * links of a), and through switches the number of groups of switches that a and b touch. */
ORDO_API bool ordo_topology_reaches(const struct ordo_topology *topology, uint32_t a, uint32_t b);

/* The best link between two vertices that is up: the greatest bandwidth, then the least latency;
 * ORDO_NONE. O(log links of `from`). */
ORDO_API uint32_t ordo_topology_best_link(
	const struct ordo_topology *topology, uint32_t from, uint32_t to);
/* Likewise among links[first..end). */
ORDO_API uint32_t ordo_topology_best_of(
	const struct ordo_topology *topology, uint32_t first, uint32_t end);
/* The links between two vertices, up or down: links[first] up to the result. */
ORDO_API uint32_t ordo_topology_links(
	const struct ordo_topology *topology, uint32_t from, uint32_t to, uint32_t *first);

/* The topology with its ranks renumbered, without those that are gone, and their links. The
 * switches follow the ranks, in their order.
 *
 *   renumbered[nrank]   the new number of each rank, of 0..N-1 for the N that are left; ORDO_NONE:
 *                       it is gone, but not for all
 *
 * NULL: no memory. The caller finishes and destroys it. */
ORDO_API struct ordo_topology *ordo_topology_renumber(
	const struct ordo_topology *topology, const uint32_t *renumbered, struct ordo_error *error);

/* 128-bit digest of everything that matters (not the name, not x), as 32 hex digits. */
ORDO_API void ordo_topology_digest(const struct ordo_topology *topology, char digest[33]);

#ifdef __cplusplus
}
#endif
#endif
