/* collective_run.h - runs a proved schedule as a collective on a communicator of its own: by one
 * call for all ranks, or by a thread per rank. */
#ifndef ORDO_TOOLS_COLLECTIVE_RUN_H
#define ORDO_TOOLS_COLLECTIVE_RUN_H

#include "buffers.h"
#include "check.h"
#include <ordo/communicator.h>

struct collective_run {
	struct ordo_collective *collective;
	struct ordo_communicator *communicator;
	struct ordo_part *parts; /* [nrank] */
	struct caller *callers;	 /* [nrank]; NULL: one call for all ranks */
	uint32_t nrank;
};

/* nworker threads, the caller's among them; 0: one thread per rank. The order must be that of the
 * proof. The buffers must outlive the run. The caller closes it, also after false. */
bool open_collective_run(struct collective_run *run, const struct ordo_schedule *schedule,
	const struct ordo_proof *proof, const struct ordo_plan_options *options,
	const struct buffers *buffers, uint32_t nworker, struct ordo_error *error);
/* Fills the buffers if `again`, each rank's on the thread that works on it, and runs once.
 * *seconds: from the last rank's call to the last rank's return. */
bool run_collective(struct collective_run *run, const struct trial *trial, bool again,
	double *seconds, struct ordo_error *error);
void close_collective_run(struct collective_run *run);

#endif
