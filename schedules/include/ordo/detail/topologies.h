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

/* 128-bit digest of everything that matters (not the name, not x), as 32 hex digits. */
ORDO_API void ordo_topology_digest(const struct ordo_topology *topology, char digest[33]);

#ifdef __cplusplus
}
#endif
#endif
