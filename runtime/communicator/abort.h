/* abort.h - breaks a communicator, and reports why. Private to runtime/. */
#ifndef ORDO_RUNTIME_COMMUNICATOR_ABORT_H
#define ORDO_RUNTIME_COMMUNICATOR_ABORT_H

#include "state.h"

/* Breaks the communicator, so that its open calls fail; keeps the reason if one is recorded. */
void ordo_communicator_break(struct ordo_communicator *communicator, const struct ordo_error *why);
/* The error that broke the communicator; for a caller that met a failed slot. Returns false. */
bool ordo_communicator_fail(struct ordo_communicator *communicator, struct ordo_error *error);
/* Fills in an error that names the ranks missing from a call. false: none is missing any more. */
bool ordo_report_missing(const struct ordo_communicator *communicator, uint64_t call, uint32_t rank,
	uint64_t waited_ms, struct ordo_error *error);
/* Whether all ranks passed the same collective; if not, breaks the communicator and names the rank
 * that differs. Compares fingerprints, because a rank that has finished may have destroyed its
 * collective; if they differ, no rank finishes before the reason is recorded. */
bool ordo_check_agreement(struct ordo_communicator *communicator, const struct call_slot *slot);

#endif
