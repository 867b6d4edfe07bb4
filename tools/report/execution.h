/* execution.h - reports how a schedule was executed, its times, and the check of its result. */
#ifndef ORDO_TOOLS_REPORT_EXECUTION_H
#define ORDO_TOOLS_REPORT_EXECUTION_H

#include "check/execution.h"
#include "cli/inputs.h"

/* Columns of the labels of these reports. */
enum { EXECUTION_WIDTH = 12 };

/* The data, the time, the traffic, and the check. */
void report_run(const struct report *report, const struct execution *execution,
	const struct execution_options *args, uint64_t bytes_per_rank);
/* `2 threads for all ranks`; "transport", "executes" and "workers". */
void report_drive(const struct report *report, const struct execution_options *args);
/* What was executed, and the alternative: for one run, or for a table. */
const char *form_text(const struct execution_options *args, bool table);

/* The bytes carried by each link. */
void report_links(const struct report *report, const struct execution *execution);
/* The most loaded link, and the traffic over failed links (none, by R12). */
void report_load(const struct report *report, const struct topology_choice *topology,
	const struct execution *execution);

#endif
