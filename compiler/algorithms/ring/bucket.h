/* bucket.h - what the costs of a bucket ring depend on. Private to compiler/. */
#ifndef ORDO_COMPILER_ALGORITHMS_RING_BUCKET_H
#define ORDO_COMPILER_ALGORITHMS_RING_BUCKET_H

#include "algorithm.h"

/* How many dimensions the torus of a resolved request has, all of *size ranks; 0: they differ, or
 * there is one rank. */
uint32_t ordo_bucket_cube(const struct ordo_resolved_request *request, uint32_t *size);

#endif
