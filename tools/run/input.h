/* input.h - `ordo run --input`: runs a schedule on a witness input. */
#ifndef ORDO_TOOLS_RUN_INPUT_H
#define ORDO_TOOLS_RUN_INPUT_H

#include "base/report.h"
#include "check/execution.h"
#include <ordo/detail/input.h>

/* Reads the input; NULL: call->status. The caller destroys it. */
struct ordo_input *open_input(struct call *call, const char *path);

/* Runs the schedule on the input and prints the one or two elements that it names. Seed and threads
 * come from `how`, the arithmetic from the input. Returns the exit code: 1 if two elements
 * differ. */
int run_input(struct call *call, const struct ordo_schedule *schedule,
	const struct ordo_input *input, const char *path, const struct execution_options *how);

#endif
