/* execution.h - what an execution says, in words and in JSON. */
#ifndef ORDO_TOOLS_REPORT_EXECUTION_H
#define ORDO_TOOLS_REPORT_EXECUTION_H

#include "check/execution.h"
#include "cli/inputs.h"

void add_execution(cJSON *answer, const struct execution *execution,
	const struct execution_wish *wish, uint64_t bytes_per_rank);
/* The schedule, the data, the time, what was sent, and the check. */
void print_run(const struct execution *execution, const struct execution_wish *wish,
	uint64_t bytes_per_rank);
/* `2 threads for all ranks`; "transport" and "workers" */
void print_drive(FILE *out, const struct execution_wish *wish);
void add_drive(cJSON *answer, const struct execution_wish *wish);
/* What was executed, and that there is another way: of one run, or of a table. */
void print_form(FILE *out, const struct execution_wish *wish, bool table);
/* One line: is the result what it should be? */
void print_check(FILE *out, const struct execution *execution, const struct execution_wish *wish);

/* The bytes that every link carries. */
void report_links(struct call *call, const struct execution *execution);
/* The link that carries most, and what went over the links said to be down (R12 says: nothing). */
void report_load(struct call *call, const struct topology_choice *topology,
	const struct execution *execution);

#endif
