/* message_run.h - runs one rank's part of a schedule by the messages of MPI, for execution.h. */
#ifndef ORDO_TOOLS_MESSAGE_RUN_H
#define ORDO_TOOLS_MESSAGE_RUN_H

#include "check.h"
#include "mpi/transport.h"

/* This process among those of an MPI program. */
struct message_world {
	const struct ordo_mpi_transport *mpi; /* NULL: no MPI */
	uint32_t rank, nrank;
	bool synchronous; /* every send waits for its receive */
};

struct message_run {
	const struct message_world *world;
	struct ordo_part *part;
	struct ordo_bound_part *bound;
	struct ordo_messenger *messenger;
};

/* Makes this rank's part of a proved schedule. The caller closes the run, also after false. */
bool open_message_run(struct message_run *run, const struct message_world *world,
	const struct ordo_schedule *schedule, const struct ordo_plan_options *options,
	struct ordo_error *error);
void close_message_run(struct message_run *run);
/* Runs the part once; all ranks do. Fills the buffers before, if `again`. */
bool run_messages(struct message_run *run, const struct trial *trial, bool again, double *elapsed,
	struct ordo_error *error);
/* Makes the result of a run that of all ranks, on all ranks: the longest time, and what all checks
 * found. false: no memory. */
bool share_result(const struct message_world *world, double *elapsed, struct check *check);

#endif
