/* communicator.h - threads act for ranks. Private to runtime/. */
#ifndef ORDO_RUNTIME_COMMUNICATOR_COMMUNICATOR_H
#define ORDO_RUNTIME_COMMUNICATOR_COMMUNICATOR_H

#include "state.h"

/* The calling thread acts for a rank (_all: for all ranks, or none) until it leaves. false: there
 * is no such rank, or another thread acts for it. */
bool ordo_enter(struct ordo_communicator *communicator, uint32_t rank, struct ordo_error *error);
void ordo_leave(struct ordo_communicator *communicator, uint32_t rank);
bool ordo_enter_all(struct ordo_communicator *communicator, struct ordo_error *error);
void ordo_leave_all(struct ordo_communicator *communicator);
/* Runs the part of a rank, or of all ranks, for which the caller acts. */
bool ordo_run_entered(struct ordo_communicator *communicator, uint32_t rank,
	const struct ordo_part *part, struct ordo_error *error);
bool ordo_run_all_entered(struct ordo_communicator *communicator, const struct ordo_part *parts,
	struct ordo_error *error);

#endif
