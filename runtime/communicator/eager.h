/* eager.h - calls of a few bytes; see eager.c. Private to runtime/. */
#ifndef ORDO_RUNTIME_COMMUNICATOR_EAGER_H
#define ORDO_RUNTIME_COMMUNICATOR_EAGER_H

#include "state.h"

/* Announces a rank that has recorded its part. false: the call was given up. */
bool ordo_eager_announce(struct ordo_communicator *communicator, struct call_slot *slot,
	uint64_t call, uint32_t rank);
/* Folds the outputs of a rank in its eager calls before `end`, in order, up to the first call that
 * a rank has not arrived at (ORDO_UNDER_WAY) or that failed. ORDO_OVER: all of them. The caller
 * acts for the rank. */
enum ordo_call_state ordo_eager_fold(
	struct ordo_communicator *communicator, uint32_t rank, uint64_t end);
/* Waits until a call is folded (true) or failed. */
bool ordo_eager_await(
	struct ordo_communicator *communicator, uint64_t call, uint32_t rank, uint32_t deadline_ms);
/* After the deadline: fails the call, unless all ranks arrived meanwhile. */
void ordo_eager_give_up(
	struct ordo_communicator *communicator, uint64_t call, uint32_t rank, uint64_t waited_ms);
/* Before a rank overwrites its part of an eager call: waits until all ranks have folded that call.
 * false: it failed. */
bool ordo_eager_leave(
	struct ordo_communicator *communicator, uint64_t call, uint32_t rank, uint32_t deadline_ms);

#endif
