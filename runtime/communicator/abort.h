/* abort.h - a communicator breaks, and says why. Private to runtime/. */
#ifndef ORDO_RUNTIME_COMMUNICATOR_ABORT_H
#define ORDO_RUNTIME_COMMUNICATOR_ABORT_H

#include "state.h"

/* Breaks the communicator, for this reason if none was given before: what is open fails. */
void ordo_communicator_break(struct ordo_communicator *communicator, const struct ordo_error *why);
/* Says why it is broken, as whoever met a slot that failed may; returns false. */
bool ordo_communicator_fail(struct ordo_communicator *communicator, struct ordo_error *error);
/* The ranks that did not come to a call, in an error. false: all came, the last one of them just
 * now. */
bool ordo_name_missing(const struct ordo_communicator *communicator, uint64_t call, uint32_t rank,
	uint64_t waited_ms, struct ordo_error *error);
/* Have all ranks come with the same? Otherwise the communicator breaks, and the one that came with
 * something else is named. Collectives of ranks that are done may be gone, so fingerprints are
 * compared; if they differ nobody is done before the reason is written down. */
bool ordo_parts_agree(struct ordo_communicator *communicator, const struct call_slot *slot);

#endif
