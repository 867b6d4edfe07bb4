/* pat.h - what the costs of parallel aggregated trees depend on. Private to compiler/. */
#ifndef ORDO_COMPILER_ALGORITHMS_FLOW_PAT_H
#define ORDO_COMPILER_ALGORITHMS_FLOW_PAT_H

#include "algorithm.h"

/* Rounds of a resolved request: one message a rank in each. */
uint64_t ordo_pat_rounds(const struct ordo_resolved_request *request);

#endif
