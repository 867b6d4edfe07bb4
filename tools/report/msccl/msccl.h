/* msccl.h - what a program of MSCCL needs of a runtime, and which runtimes take it. */
#ifndef ORDO_TOOLS_REPORT_MSCCL_H
#define ORDO_TOOLS_REPORT_MSCCL_H

#include "base/report.h"
#include "msccl/slots.h"
#include <ordo/verify.h>

/* The steps of the findings: gpu, tb, step and line. slots: of deadlocks alone, with so many of
 * each connection; 0: of all, with a slot for every message. */
void report_steps(const struct report *report, const struct msccl_program *program,
	const struct ordo_schedule *schedule, const struct ordo_proof *proof, uint32_t slots);
/* Slots, the largest safe size, limits of the runtimes, sums whose order a runtime changes. */
void report_msccl(const struct report *report, const struct msccl_program *program,
	const struct msccl_capacity *capacity);

#endif
