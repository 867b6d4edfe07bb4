/* cost.h - what the two sources of costs share. Private to compiler/cost/. */
#ifndef ORDO_COMPILER_COST_H
#define ORDO_COMPILER_COST_H

#include "pipeline/pipeline.h"
#include <ordo/detail/cost.h>

/* The formula of a request whose K is settled, if its algorithm has one for it. */
bool ordo_closed_form(const struct ordo_resolved_request *request, struct ordo_cost *cost);

#endif
