/* overwrite.h - nothing is written over what is read. */
#ifndef ORDO_TOOLS_CLI_OVERWRITE_H
#define ORDO_TOOLS_CLI_OVERWRITE_H

#include "options.h"
#include <ordo/plan_set.h>
#include <ordo/schedule.h>

/* Takes down what the options have written, and refuses if one of these is a document that an
 * operand or another option has read, a link to it, or what another option has written. false:
 * call->status. */
bool keep_inputs(struct call *call, const struct option *options, size_t noption);
/* The same for the files that a schedule consists of, and for those that a set names, which are
 * known once it is read. */
bool keep_schedule(struct call *call, const struct ordo_schedule *schedule);
bool keep_set(struct call *call, const struct ordo_plan_set *set);

#endif
