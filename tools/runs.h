/* runs.h - what an execution says, in words and in JSON. */
#ifndef ORDO_TOOLS_RUNS_H
#define ORDO_TOOLS_RUNS_H

#include "check/execution.h"
#include "command.h"

void add_execution(cJSON *answer, const struct execution *execution, const struct execution_wish *wish,
	uint64_t bytes_per_rank);
/* One line: is the result what it should be? */
void print_check(FILE *out, const struct execution *execution, const struct execution_wish *wish);

#endif
