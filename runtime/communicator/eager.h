/* eager.h - calls of a few bytes; see eager.c. Private to runtime/. */
#ifndef ORDO_RUNTIME_COMMUNICATOR_EAGER_H
#define ORDO_RUNTIME_COMMUNICATOR_EAGER_H

#include "state.h"

/* The rank has written down its part, and comes. false: the call was given up. */
bool ordo_eager_announce(struct ordo_communicator *communicator, struct call_slot *slot,
	uint64_t call, uint32_t rank);
/* Folds the outputs of a rank, of its eager calls before `end`, as far as all ranks have come to
 * them: all of them (ORDO_OVER), or up to one that waits, or that failed. The caller acts for the
 * rank. */
enum ordo_call_state ordo_eager_fold(
	struct ordo_communicator *communicator, uint32_t rank, uint64_t end);
/* Waits until a call is folded (true) or failed. */
bool ordo_eager_await(
	struct ordo_communicator *communicator, uint64_t call, uint32_t rank, uint32_t deadline_ms);
/* The deadline is over: fails the call, unless all ranks came to it meanwhile. */
void ordo_eager_give_up(
	struct ordo_communicator *communicator, uint64_t call, uint32_t rank, uint64_t waited_ms);
/* Before a rank writes down its part where it did for an eager call the last time: waits until that
 * is folded by all ranks, which read it. false: failed. */
bool ordo_eager_leave(
	struct ordo_communicator *communicator, uint64_t call, uint32_t rank, uint32_t deadline_ms);

#endif
