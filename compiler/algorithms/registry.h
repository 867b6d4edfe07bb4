/* registry.h - the table of algorithms. Algorithms do not know it: names in their parameters are
 * looked up in the registry of their request. */
#ifndef ORDO_COMPILER_ALGORITHMS_REGISTRY_H
#define ORDO_COMPILER_ALGORITHMS_REGISTRY_H

#include "algorithm.h"

/* As many as may be added to the table. */
#define ORDO_MOST_ADDED 16

extern struct ordo_registry ordo_registry;

/* Puts one more behind the others; at most ORDO_MOST_ADDED, not while a request is resolved. */
void ordo_registry_append(const struct ordo_algorithm *algorithm);

#endif
