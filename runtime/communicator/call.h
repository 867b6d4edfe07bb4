/* call.h - one call: launched, worked on, ended, waited for. Private to runtime/. */
#ifndef ORDO_RUNTIME_COMMUNICATOR_CALL_H
#define ORDO_RUNTIME_COMMUNICATOR_CALL_H

#include "state.h"

/* All parts of the call are there, the last one having come from this rank. false: it failed. */
bool ordo_call_launch(struct ordo_communicator *communicator, struct call_slot *slot, uint32_t lap,
	uint32_t rank);
/* Runs items of that lap, at most so many, from this end; returns whether there was one. */
bool ordo_call_work(struct ordo_communicator *communicator, struct call_slot *slot, uint32_t lap,
	bool from_end, uint32_t most);
/* The deadline is over: fails the call, unless all ranks came to it meanwhile. */
void ordo_call_give_up(struct ordo_communicator *communicator, struct call_slot *slot,
	uint64_t call, uint32_t rank, uint64_t waited_ms);
/* Waits until that lap has ended (true) or failed. It fails if ranks are missing for
 * deadline_ms. */
bool ordo_call_await(struct ordo_communicator *communicator, struct call_slot *slot, uint64_t call,
	uint32_t rank, uint32_t deadline_ms);

#endif
