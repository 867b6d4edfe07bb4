/* call.h - launches one call, runs its items, ends it, and waits for it. Private to runtime/. */
#ifndef ORDO_RUNTIME_COMMUNICATOR_CALL_H
#define ORDO_RUNTIME_COMMUNICATOR_CALL_H

#include "state.h"

/* Launches a call, after this rank was the last to arrive. false: the call failed. */
bool ordo_call_launch(struct ordo_communicator *communicator, struct call_slot *slot, uint32_t lap,
	uint32_t rank);
/* Claims and runs at most `most` items of that lap, from one end; returns whether it ran any. */
bool ordo_call_work(struct ordo_communicator *communicator, struct call_slot *slot, uint32_t lap,
	bool from_end, uint32_t most);
/* After the deadline: fails the call, unless all ranks came to it meanwhile. */
void ordo_call_give_up(struct ordo_communicator *communicator, struct call_slot *slot,
	uint64_t call, uint32_t rank, uint64_t waited_ms);
/* Waits until that lap has ended (true) or failed. It fails if ranks are missing for
 * deadline_ms. */
bool ordo_call_await(struct ordo_communicator *communicator, struct call_slot *slot, uint64_t call,
	uint32_t rank, uint32_t deadline_ms);

#endif
