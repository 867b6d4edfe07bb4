/* eager.c - calls so short that a rank's input fits the line that says it has come.
 *
 * No rank works for another: each copies its input into its part and announces itself, and once all
 * are announced, folds its own outputs from the parts of all. So a value crosses from core to core
 * once, in the line that announces it, where a call that is launched sends lines to and fro for the
 * count, the inputs, the outputs and the end.
 *
 * A call happens when all ranks are announced, and nothing can take that back. Who gives up marks
 * one that is missing, by the same word that would announce it, so that rank can no longer come. So
 * either all ranks see all announced, or none ever does.
 *
 * Parts are read by all ranks, so they may be overwritten, `depth` calls later, only when all have
 * folded: seats tell how far each is, and are asked about once in `depth` calls.
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
	/* Who comes last sees all announced. */
	if (atomic_load(&slot->nlistening) && are_all_announced(communicator, slot, call))
		ordo_eager_wake(slot);
	return true;
}

/* false: all ranks have come. */
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
		if (!ordo_parts_agree(communicator, slot))
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
		/* Others read there last; next time it should be this core's at once. */
		fetch_for_writing(&slot_of(communicator, call + 1)->arrivals[rank]);
	}
	return ORDO_OVER;
}

void ordo_eager_give_up(
	struct ordo_communicator *communicator, uint64_t call, uint32_t rank, uint64_t waited_ms)
{
	struct ordo_error error;
	/* That the call could still be given up says that those who are named had not come
	 * before. */
	if (ordo_name_missing(communicator, call, rank, waited_ms, &error) &&
		give_up(communicator, slot_of(communicator, call), call))
		ordo_communicator_break(communicator, &error);
}

/* Sleeps until somebody knocks, unless all have announced themselves already. */
static void listen(struct ordo_communicator *communicator, struct call_slot *slot, uint64_t call,
	uint64_t timeout_ms)
{
	const uint32_t nknock = atomic_load(&slot->nknock);
	atomic_fetch_add(&slot->nlistening, 1);
	if (!are_all_announced(communicator, slot, call) && !atomic_load(&communicator->broken))
		ordo_sleep(&slot->nknock, nknock, (uint32_t)timeout_ms);
	atomic_fetch_sub(&slot->nlistening, 1);
}

bool ordo_eager_await(
	struct ordo_communicator *communicator, uint64_t call, uint32_t rank, uint32_t deadline_ms)
{
	const uint32_t nspin = spins_of(communicator);
	uint64_t begin = 0, now = 0;
	for (;;) {
		for (uint32_t i = 0; i < nspin + NYIELD; i++) {
			const enum ordo_call_state state =
				ordo_eager_fold(communicator, rank, call + 1);
			if (state != ORDO_UNDER_WAY)
				return state == ORDO_OVER;
			pass_time(i, nspin);
		}
		now = ordo_now_ms();
		begin = begin ? begin : now;
		/* The first call that is not over is the one to wait for. */
		const uint64_t first = atomic_load(&communicator->seats[rank].nfolded);
		if (now - begin >= deadline_ms)
			ordo_eager_give_up(communicator, first, rank, now - begin);
		else
			listen(communicator, slot_of(communicator, first), first,
				begin + deadline_ms - now);
	}
}

/* The rank that is furthest behind in reading, and how many calls it has done with. */
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

/* Folds for a rank for which nobody acts, since it has started calls and asks about them later. */
static void fold_for(struct ordo_communicator *communicator, uint32_t rank)
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
		fold_for(communicator, slowest);
		if (ordo_now_ms() - begin >= deadline_ms) {
			struct ordo_error error;
			ordo_fail(&error, ORDO_ENVIRONMENT, 0,
				"call %" PRIu64 ": rank %" PRIu32 " is not done with call %" PRIu64
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
