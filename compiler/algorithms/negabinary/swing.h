/* swing.h - what the costs of swing depend on. Private to compiler/. */
#ifndef ORDO_COMPILER_ALGORITHMS_NEGABINARY_SWING_H
#define ORDO_COMPILER_ALGORITHMS_NEGABINARY_SWING_H

#include "algorithms/flow/flow.h"

/* Whether no two lanes of a resolved request use one link in the same step. */
bool ordo_swing_spreads(const struct ordo_resolved_request *request);

#endif
