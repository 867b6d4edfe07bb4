/* eager.c - calls so short that a rank's input fits into the cache line that announces it.
 *
 * No rank works for another: each copies its input into its part and announces itself, and once all
 * are announced, folds its own outputs from all parts. So a value crosses from core to core once,
 * in the line that announces it, whereas a launched call moves lines back and forth for the count,
 * the inputs, the outputs and the end.
 *
 * A call is committed when all ranks are announced. A rank that gives up marks a missing rank in
 * the word that would announce it, so that rank can no longer arrive. So either all ranks see all
 * announced, or none ever does.
 *
 * Parts are read by all ranks, so a part may be overwritten, `depth` calls later, only when all
 * have folded: nfolded of each seat counts that, and is read once in `depth` calls.
 */
#include "eager.h"
#include "abort.h"
#include "kernels/fetch.h"
#include "wake.h"
#include <inttypes.h>

static bool are_all_announced(
	const struct ordo_communicator *communicator, const struct call_slot *slot, uint64_t call)
{
	for (uint32_t r = 0; r < communicator->nrank; r++)
		if (atomic_load(&slot->arrivals[r].call) != call + 1)
			return false;
	return true;
}

bool ordo_eager_announce(struct ordo_communicator *communicator, struct call_slot *slot,
	uint64_t call, uint32_t rank)
{
	struct arrival *arrival = &slot->arrivals[rank];
	uint64_t before = atomic_load_explicit(&arrival->call, memory_order_relaxed);
	if (before == GIVEN_UP ||
		!atomic_compare_exchange_strong(&arrival->call, &before, call + 1))
		return false;
	/* The last rank to arrive sees all announced. */
	if (atomic_load(&slot->nlistening) && are_all_announced(communicator, slot, call))
		ordo_eager_wake(slot);
	return true;
}

/* Marks a missing rank. false: all ranks have arrived. */
static bool give_up(struct ordo_communicator *communicator, struct call_slot *slot, uint64_t call)
{
	for (uint32_t r = 0; r < communicator->nrank; r++) {
		_Atomic uint64_t *announced = &slot->arrivals[r].call;
		uint64_t found = atomic_load(announced);
		while (found != call + 1)
			if (found == GIVEN_UP ||
				atomic_compare_exchange_weak(announced, &found, GIVEN_UP))
				return true;
	}
	return false;
}

static void fold_own(
	const struct ordo_communicator *communicator, const struct call_slot *slot, uint32_t rank)
{
	struct ends ends[EAGER_RANKS];
	const struct ordo_collective *collective = slot->arrivals[rank].collective;
	const uint32_t first = collective->first_own[rank], end = collective->first_own[rank + 1];
	for (uint32_t r = 0; r < communicator->nrank; r++)
		ends[r] = (struct ends){slot->arrivals[r].value, slot->arrivals[r].output};
	if (first == end)
		return;
	const struct item item = {first, end - first, 0, collective->own.list[first].nelement};
	ordo_fold_item(&collective->own, &item, ends, false);
}

static enum ordo_call_state fold_call(
	struct ordo_communicator *communicator, uint64_t call, uint32_t rank)
{
	struct call_slot *slot = slot_of(communicator, call);
	if (are_all_announced(communicator, slot, call)) {
		if (!ordo_check_agreement(communicator, slot))
			return ORDO_FAILED;
		fold_own(communicator, slot, rank);
		return ORDO_OVER;
	}
	if (atomic_load_explicit(&communicator->broken, memory_order_relaxed) &&
		give_up(communicator, slot, call))
		return ORDO_FAILED;
	return ORDO_UNDER_WAY;
}

enum ordo_call_state ordo_eager_fold(
	struct ordo_communicator *communicator, uint32_t rank, uint64_t end)
{
	struct seat *seat = &communicator->seats[rank];
	for (uint64_t call = atomic_load_explicit(&seat->nfolded, memory_order_relaxed); call < end;
		call++) {
		if (slot_of(communicator, call)->arrivals[rank].is_eager) {
			const enum ordo_call_state state = fold_call(communicator, call, rank);
			if (state != ORDO_OVER)
				return state;
		}
		atomic_store_explicit(&seat->nfolded, call + 1, memory_order_release);
		/* Other cores read this line last; prefetches it for this rank's next write. */
		fetch_for_writing(&slot_of(communicator, call + 1)->arrivals[rank]);
	}
	return ORDO_OVER;
}

void ordo_eager_give_up(
	struct ordo_communicator *communicator, uint64_t call, uint32_t rank, uint64_t waited_ms)
{
	struct ordo_error error;
	/* The call could still be given up, so the named ranks had not arrived before that. */
	if (ordo_report_missing(communicator, call, rank, waited_ms, &error) &&
		give_up(communicator, slot_of(communicator, call), call))
		ordo_communicator_break(communicator, &error);
}

/* Sleeps until nwake changes, unless all ranks are announced already. */
static void sleep_until_woken(struct ordo_communicator *communicator, struct call_slot *slot,
	uint64_t call, uint64_t timeout_ms)
{
	const uint32_t nwake = atomic_load(&slot->nwake);
	atomic_fetch_add(&slot->nlistening, 1);
	if (!are_all_announced(communicator, slot, call) && !atomic_load(&communicator->broken))
		ordo_sleep(&slot->nwake, nwake, (uint32_t)timeout_ms);
	atomic_fetch_sub(&slot->nlistening, 1);
}

bool ordo_eager_await(
	struct ordo_communicator *communicator, uint64_t call, uint32_t rank, uint32_t deadline_ms)
{
	const uint32_t nspin = spins_of(communicator);
	uint64_t begin = 0, now = 0;
	for (;;) {
		for (uint32_t i = 0; i < nspin + NYIELD; i += pass_time(i, nspin)) {
			const enum ordo_call_state state =
				ordo_eager_fold(communicator, rank, call + 1);
			if (state != ORDO_UNDER_WAY)
				return state == ORDO_OVER;
		}
		now = ordo_now_ms();
		begin = begin ? begin : now;
		/* Waits for the rank's first call that is not over. */
		const uint64_t first = atomic_load(&communicator->seats[rank].nfolded);
		if (now - begin >= deadline_ms)
			ordo_eager_give_up(communicator, first, rank, now - begin);
		else
			sleep_until_woken(communicator, slot_of(communicator, first), first,
				begin + deadline_ms - now);
	}
}

/* The rank that has folded the fewest calls, and how many those are. */
static uint32_t find_slowest(const struct ordo_communicator *communicator, uint64_t *nfolded)
{
	uint32_t slowest = 0;
	*nfolded = UINT64_MAX;
	for (uint32_t r = 0; r < communicator->nrank; r++) {
		const uint64_t n =
			atomic_load_explicit(&communicator->seats[r].nfolded, memory_order_acquire);
		if (n >= *nfolded)
			continue;
		slowest = r;
		*nfolded = n;
	}
	return slowest;
}

/* Folds on behalf of a rank that has started calls and is not inside one now. */
static void fold_on_behalf(struct ordo_communicator *communicator, uint32_t rank)
{
	struct seat *seat = &communicator->seats[rank];
	uint32_t found = EMPTY;
	if (!atomic_compare_exchange_strong(&seat->taken, &found, HELD))
		return;
	ordo_eager_fold(communicator, rank, atomic_load(&seat->ncall));
	atomic_store(&seat->taken, EMPTY);
}

static bool await_readers(
	struct ordo_communicator *communicator, uint64_t call, uint32_t rank, uint32_t deadline_ms)
{
	struct seat *seat = &communicator->seats[rank];
	const uint64_t begin = call < seat->free_until ? 0 : ordo_now_ms();
	while (call >= seat->free_until) {
		uint64_t nfolded;
		const uint32_t slowest = find_slowest(communicator, &nfolded);
		seat->free_until = nfolded + communicator->depth;
		if (call < seat->free_until)
			break;
		if (atomic_load(&communicator->broken))
			return false;
		fold_on_behalf(communicator, slowest);
		if (ordo_now_ms() - begin >= deadline_ms) {
			struct ordo_error error;
			ordo_fail(&error, ORDO_ENVIRONMENT, 0,
				"call %" PRIu64 ": rank %" PRIu32 " has not completed call %" PRIu64
				"; rank %" PRIu32 " waited %" PRIu32 " ms",
				call, slowest, nfolded, rank, deadline_ms);
			ordo_communicator_break(communicator, &error);
		}
		sched_yield();
	}
	return true;
}

bool ordo_eager_leave(
	struct ordo_communicator *communicator, uint64_t call, uint32_t rank, uint32_t deadline_ms)
{
	return ordo_eager_await(communicator, call - communicator->depth, rank, deadline_ms) &&
	       await_readers(communicator, call, rank, deadline_ms);
}
