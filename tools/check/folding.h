/* folding.h - a proved schedule run as a collective on a communicator of its own: by one call for
 * all ranks, or by a thread for each. */
#ifndef ORDO_TOOLS_FOLDING_H
#define ORDO_TOOLS_FOLDING_H

#include "buffers.h"
#include "check.h"
#include <ordo/communicator.h>

struct folding {
	struct ordo_collective *collective;
	struct ordo_communicator *communicator;
	struct ordo_part *parts; /* [nrank] */
	struct caller *callers;	 /* [nrank]; NULL: one call drives all ranks */
	uint32_t nrank;
};

/* nworker threads, the calling one among them; 0: one calls for each rank. The order must be that
 * of the proof. The buffers, in place or not, stay where they are. To be closed, also after
 * false. */
bool open_folding(struct folding *folding, const struct ordo_schedule *schedule,
	const struct ordo_proof *proof, const struct ordo_plan_options *options,
	const struct buffers *buffers, uint32_t nworker, struct ordo_error *error);
/* Fills the buffers if `again`, each rank's by the thread that works on it, and runs once.
 * *seconds: from when the last rank called until the last one was back. */
bool run_folding(struct folding *folding, const struct trial *trial, bool again, double *seconds,
	struct ordo_error *error);
void close_folding(struct folding *folding);

#endif
