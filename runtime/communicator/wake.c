/* wake.c - wakes the threads that sleep on a call, on eager parts, or for work. */
#include "wake.h"

void ordo_call_wake(struct call_slot *slot)
{
	if (atomic_load(&slot->nsleeping))
		ordo_wake(&slot->state);
}

void ordo_eager_wake(struct call_slot *slot)
{
	if (!atomic_load(&slot->nlistening))
		return;
	atomic_fetch_add(&slot->nwake, 1);
	ordo_wake(&slot->nwake);
}

void ordo_helpers_wake(struct ordo_communicator *communicator)
{
	if (!communicator->helpers.count)
		return;
	atomic_fetch_add(&communicator->helpers.bell, 1);
	if (atomic_load(&communicator->helpers.nlistening))
		ordo_wake(&communicator->helpers.bell);
}
