/* lower.h - a program of MSCCL as an ordinary schedule, whose tasks have the lines of their steps.
 *
 * A thread block is a stream. A connection is slots in the receiver's scratch, behind the file's
 * own, a signal for data, and one back.
 */
#ifndef ORDO_TOOLS_MSCCL_LOWER_H
#define ORDO_TOOLS_MSCCL_LOWER_H

#include "links.h"

struct msccl_options {
	/* slots of a connection: a sender waits until one is free; 0: one for every message, and
	 * the only word back is that the receiver has entered */
	uint32_t slots;
	bool in_place; /* if the file serves both kinds of calls */
	uint32_t root; /* ORDO_NONE: found in the data */
};

/* What the file is for. false: no such collective, numbers of chunks that do not fit it, or no root
 * where one is needed. */
bool msccl_problem(const struct msccl_program *program, const struct msccl_options *options,
	struct ordo_problem *problem, struct ordo_error *error);

/* The caller destroys the schedule. NULL: as msccl_problem; or contents that cannot be expressed:
 * an output slot that holds another chunk for a while (ORDO_UNDECIDED). */
struct ordo_schedule *msccl_lower(const struct msccl_program *program,
	const struct msccl_links *links, const struct msccl_options *options,
	struct ordo_error *error);

#endif
