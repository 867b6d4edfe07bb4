/* overwrite.h - refuses to overwrite an input. */
#ifndef ORDO_TOOLS_CLI_OVERWRITE_H
#define ORDO_TOOLS_CLI_OVERWRITE_H

#include "options.h"
#include <ordo/plan_set.h>
#include <ordo/schedule.h>

/* Records the outputs named by options, and refuses one that is an input (an operand or another
 * option's), a link to an input, or another option's output. false: call->status. */
bool keep_inputs(struct call *call, const struct option *options, size_t noption);
/* The same for one more input; "-" is stdin. */
bool keep_file(struct call *call, const char *input);
/* The same for the files of a schedule or of a plan set, which are known once it is read. */
bool keep_schedule(struct call *call, const struct ordo_schedule *schedule);
bool keep_set(struct call *call, const struct ordo_plan_set *set);

#endif
