/* slot.c - one call: launched, worked on, ended, waited for. */
#include "communicator/slot.h"

static uint64_t claims_of(uint32_t lap, uint64_t first, uint64_t end)
{
	return (uint64_t)lap << 34 | end << 17 | first;
}

void ordo_slot_wake(struct slot *slot)
{
	if (atomic_load(&slot->nsleeping))
		ordo_wake(&slot->state);
}

/* Opens the next lap. If the communicator broke meanwhile, that fails: either who broke it saw the lap open, or this sees that it
 * broke. */
static void end_call(struct ordo_communicator *communicator, struct slot *slot, uint32_t lap)
{
	uint32_t open = state_of(lap + 1, OPEN);
	atomic_store(&slot->state, open);
	if (atomic_load(&communicator->broken))
		atomic_compare_exchange_strong(&slot->state, &open, state_of(lap + 1, FAILED));
	ordo_slot_wake(slot);
}

/* Who finishes the last ones ends the call. */
static void finish_items(struct ordo_communicator *communicator, struct slot *slot, uint32_t lap, uint32_t n)
{
	if (n && atomic_fetch_sub_explicit(&slot->nunfinished, n, memory_order_acq_rel) == n)
		end_call(communicator, slot, lap);
}

bool ordo_slot_work(
	struct ordo_communicator *communicator, struct slot *slot, uint32_t lap, bool from_end, uint32_t most)
{
	uint32_t n = 0;
	uint64_t claims = atomic_load_explicit(&slot->claims, memory_order_acquire);
	while (n < most) {
		const uint64_t first = claims & 0x1ffff, end = claims >> 17 & 0x1ffff;
		if (claims >> 34 != lap || first == end)
			break;
		const uint64_t left =
			from_end ? claims_of(lap, first, end - 1) : claims_of(lap, first + 1, end);
		if (!atomic_compare_exchange_weak_explicit(
			    &slot->claims, &claims, left, memory_order_acq_rel, memory_order_acquire))
			continue;
		const struct folds *folds = &slot->collective->folds;
		ordo_fold_item(folds, &folds->items[from_end ? end - 1 : first], slot->ends, slot->in_place);
		n++;
		claims = atomic_load_explicit(&slot->claims, memory_order_acquire);
	}
	finish_items(communicator, slot, lap, n);
	return n > 0;
}

bool ordo_slot_launch(struct ordo_communicator *communicator, struct slot *slot, uint32_t lap, uint32_t rank)
{
	if (!ordo_parts_agree(communicator, slot))
		return false;
	slot->collective = slot->arrivals[0].collective;
	slot->in_place = false;
	for (uint32_t r = 0; r < communicator->nrank; r++)
		slot->in_place |= slot->arrivals[r].in_place;
	atomic_store_explicit(&slot->narrived, 0, memory_order_relaxed);
	const struct folds *folds = &slot->collective->folds;
	const uint64_t nitem = folds->nitem;
	atomic_store_explicit(&slot->nunfinished, (uint32_t)nitem, memory_order_relaxed);
	uint32_t open = state_of(lap, OPEN);
	if (!atomic_compare_exchange_strong(&slot->state, &open, state_of(lap, LAUNCHED)))
		return false;
	/* A single item is this thread's. */
	if (nitem > 1) {
		atomic_store_explicit(&slot->claims, claims_of(lap, 0, nitem), memory_order_release);
		atomic_store_explicit(&communicator->launched, (uint32_t)(slot - communicator->slots),
			memory_order_relaxed);
		ordo_ring(communicator);
		ordo_slot_wake(slot);
		ordo_slot_work(communicator, slot, lap, is_upper(communicator, rank), UINT32_MAX);
		return true;
	}
	for (size_t i = 0; i < nitem; i++)
		ordo_fold_item(folds, &folds->items[i], slot->ends, slot->in_place);
	end_call(communicator, slot, lap);
	return true;
}

/* Looks for a while, working if there is something to do, and returns what it saw last. */
static uint32_t look(struct ordo_communicator *communicator, struct slot *slot, uint32_t lap, uint32_t rank)
{
	uint32_t state = atomic_load_explicit(&slot->state, memory_order_acquire);
	const uint32_t nspin = spins_of(communicator);
	for (uint32_t i = 0; i < nspin + NYIELD; i++) {
		if (lap_of(state) != lap || status_of(state) == FAILED)
			return state;
		if (status_of(state) == LAUNCHED &&
			ordo_slot_work(communicator, slot, lap, is_upper(communicator, rank), UINT32_MAX))
			i = 0;
		else
			pass_time(i, nspin);
		state = atomic_load_explicit(&slot->state, memory_order_acquire);
	}
	return state;
}

void ordo_slot_give_up(struct ordo_communicator *communicator, struct slot *slot, uint64_t call,
	uint32_t rank, uint64_t waited_ms)
{
	const uint32_t lap = call_lap(communicator, call);
	uint32_t open = state_of(lap, OPEN);
	struct ordo_error error;
	/* That the slot was open until it failed says that those who are named did not come before. */
	if (ordo_name_missing(communicator, call, rank, waited_ms, &error) &&
		atomic_compare_exchange_strong(&slot->state, &open, state_of(lap, FAILED)))
		ordo_communicator_break(communicator, &error);
}

bool ordo_slot_await(struct ordo_communicator *communicator, struct slot *slot, uint64_t call, uint32_t rank,
	uint32_t deadline_ms)
{
	const uint32_t lap = call_lap(communicator, call);
	uint64_t begin = 0, now = 0;
	for (;;) {
		uint32_t state = look(communicator, slot, lap, rank);
		if (lap_of(state) != lap)
			return true;
		if (status_of(state) == FAILED)
			return false;
		now = ordo_now_ms();
		begin = begin ? begin : now;
		if (status_of(state) == OPEN && now - begin >= deadline_ms) {
			ordo_slot_give_up(communicator, slot, call, rank, now - begin);
			continue;
		}
		const uint64_t left = begin + deadline_ms > now ? begin + deadline_ms - now : deadline_ms;
		atomic_fetch_add(&slot->nsleeping, 1);
		if (atomic_load(&slot->state) == state)
			ordo_sleep(&slot->state, state, (uint32_t)left);
		atomic_fetch_sub(&slot->nsleeping, 1);
	}
}
