/* wake.h - wakes the threads that sleep on a call, on eager parts, or for work. Private to
 * runtime/. */
#ifndef ORDO_RUNTIME_COMMUNICATOR_WAKE_H
#define ORDO_RUNTIME_COMMUNICATOR_WAKE_H

#include "state.h"

/* Who sleeps on the slot, after its state changed. */
void ordo_call_wake(struct call_slot *slot);
/* Who sleeps until all ranks have come to an eager call, after one came or the call failed. */
void ordo_eager_wake(struct call_slot *slot);
/* The helpers, after a call was launched or a visit began. */
void ordo_helpers_wake(struct ordo_communicator *communicator);

#endif
