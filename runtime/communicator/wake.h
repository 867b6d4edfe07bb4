/* wake.h - wakes the threads that sleep on a call, on eager parts, or for work. Private to
 * runtime/. */
#ifndef ORDO_RUNTIME_COMMUNICATOR_WAKE_H
#define ORDO_RUNTIME_COMMUNICATOR_WAKE_H

#include "state.h"

/* Wakes the threads that sleep on the slot; call it after changing the state. */
void ordo_call_wake(struct call_slot *slot);
/* Wakes the threads that wait for an eager call, after the last rank arrived or the call failed. */
void ordo_eager_wake(struct call_slot *slot);
/* Wakes the helpers, after a call was launched or a visit began. */
void ordo_helpers_wake(struct ordo_communicator *communicator);

#endif
