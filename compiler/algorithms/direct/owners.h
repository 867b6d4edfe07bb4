/* owners.h - which ranks share the vector, where some links are not there. Private to compiler/. */
#ifndef ORDO_COMPILER_ALGORITHMS_DIRECT_OWNERS_H
#define ORDO_COMPILER_ALGORITHMS_DIRECT_OWNERS_H

#include "algorithm.h"

struct ordo_owners {
	uint32_t count;
	uint32_t *places; /* [nrank] 0, 1, ... for the owners, in the order of ranks; ORDO_NONE */
};

/* The ranks that every other rank reaches and that reach every other rank.
 *
 *   request   its topology, NULL: all ranks; the memory comes from its arena
 *   error     filled if the result is NULL; may be NULL
 *
 * NULL: there is no such rank (ORDO_USAGE), or no memory. */
struct ordo_owners *ordo_owners_find(
	struct ordo_resolved_request *request, struct ordo_error *error);
/* How many such ranks a topology has. */
uint32_t ordo_owners_count(const struct ordo_topology *topology);

#endif
