/* registry.h - the table of algorithms. Algorithms do not know it: names in their parameters are
 * looked up in the registry of their request. */
#ifndef ORDO_COMPILER_ALGORITHMS_REGISTRY_H
#define ORDO_COMPILER_ALGORITHMS_REGISTRY_H

#include "algorithm.h"

extern const struct ordo_registry ordo_registry;

#endif
