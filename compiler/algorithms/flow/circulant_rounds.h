/* circulant_rounds.h - Broadcast and Reduce of several chunks round a circulant graph: in every
 * round a rank sends at most one chunk, and receives at most one.
 *
 * Skips s(q) = N, s(k) = ceil(s(k+1)/2) down to s(0) = 1. Ranks count from the root. In round i
 * of a Broadcast, k = i mod q, rank r sends to r + s(k). Which chunk rank r receives in round k
 * repeats every q rounds, q chunks further on; the receive schedule of a rank is computed from its
 * number and the skips alone, in O(q). Reduce is Broadcast backwards.
 */
#ifndef ORDO_COMPILER_ALGORITHMS_FLOW_CIRCULANT_ROUNDS_H
#define ORDO_COMPILER_ALGORITHMS_FLOW_CIRCULANT_ROUNDS_H

#include "algorithm.h"

/* For `prepare`, into request->prepared: the receive schedules of all ranks. false: no memory. */
bool ordo_circulant_rounds_make(struct ordo_resolved_request *request);
/* q, so that every rank has a chunk of its own to pass on; 1 for one rank. */
uint32_t ordo_circulant_rounds_chunks(const struct ordo_resolved_request *request);
void ordo_circulant_rounds_build(
	struct ordo_builder *b, const struct ordo_resolved_request *request);
/* The claims, by counting along the rounds. */
uint64_t ordo_circulant_rounds_steps(const struct ordo_resolved_request *request);
uint64_t ordo_circulant_rounds_volume(const struct ordo_resolved_request *request);

#endif
