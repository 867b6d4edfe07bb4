/* reset.c - makes a broken communicator usable again. */
#include "abort.h"
#include "call.h"
#include "eager.h"
#include <inttypes.h>
#include <sched.h>

/* Completes the launched calls; none begins while all seats are held. */
static void drain(struct ordo_communicator *communicator)
{
	for (uint32_t r = 0; r < communicator->nrank; r++)
		ordo_eager_fold(communicator, r, atomic_load(&communicator->seats[r].ncall));
	for (uint32_t i = 0; i < communicator->depth; i++) {
		struct call_slot *slot = &communicator->slots[i];
		for (uint32_t state; status_of(state = atomic_load(&slot->state)) == LAUNCHED;
			sched_yield())
			ordo_call_work(communicator, slot, lap_of(state), false, UINT32_MAX);
	}
}

static void release_seats(struct ordo_communicator *communicator, uint32_t nseat)
{
	for (uint32_t r = 0; r < nseat; r++)
		atomic_store(&communicator->seats[r].taken, EMPTY);
}

static bool hold_seat(struct seat *seat)
{
	uint32_t found = EMPTY;
	return atomic_compare_exchange_strong(&seat->taken, &found, HELD);
}

/* Waits until no thread is inside a call, and keeps all out. Returns the rank that did not leave in
 * time, holding no seat; or ORDO_NONE. */
static uint32_t hold_seats(struct ordo_communicator *communicator)
{
	const uint64_t begin = ordo_now_ms();
	for (uint32_t r = 0; r < communicator->nrank; r++)
		while (!hold_seat(&communicator->seats[r])) {
			if (ordo_now_ms() - begin > communicator->deadline_ms) {
				release_seats(communicator, r);
				return r;
			}
			sched_yield();
		}
	return ORDO_NONE;
}

static void forget_arrival(struct arrival *arrival)
{
	arrival->is_eager = false;
	atomic_store(&arrival->call, 0);
}

static void begin_again(struct ordo_communicator *communicator)
{
	for (uint32_t r = 0; r < communicator->nrank; r++) {
		struct seat *seat = &communicator->seats[r];
		atomic_store(&seat->ncall, 0);
		atomic_store(&seat->nfolded, 0);
		seat->free_until = communicator->depth;
	}
	for (uint32_t i = 0; i < communicator->depth; i++) {
		struct call_slot *slot = &communicator->slots[i];
		atomic_store(&slot->narrived, 0);
		for (uint32_t r = 0; r < communicator->nrank; r++)
			forget_arrival(&slot->arrivals[r]);
		/* A lap that does not exist, for helpers that still poll. */
		atomic_store(&slot->claims, UINT64_MAX);
		atomic_store(&slot->state, state_of(0, OPEN));
	}
	atomic_fetch_add(&communicator->epoch, 1);
	atomic_store(&communicator->broken, 0);
}

bool ordo_communicator_reset(struct ordo_communicator *communicator, struct ordo_error *error)
{
	pthread_mutex_lock(&communicator->resetting);
	uint32_t rank = ORDO_NONE;
	if (atomic_load(&communicator->broken)) {
		while (atomic_load(&communicator->broken) == 1)
			sched_yield();
		atomic_store(&communicator->closed, 1);
		rank = hold_seats(communicator);
		if (rank == ORDO_NONE) {
			drain(communicator);
			begin_again(communicator);
			release_seats(communicator, communicator->nrank);
		}
		atomic_store(&communicator->closed, 0);
	}
	pthread_mutex_unlock(&communicator->resetting);
	return rank == ORDO_NONE
		       ? true
		       : ordo_fail(error, ORDO_USAGE, 0,
				 "rank %" PRIu32 " is still inside a call after %" PRIu32 " ms",
				 rank, communicator->deadline_ms);
}
