/* call.c - launches one call, runs its items, ends it, and waits for it. */
#include "call.h"
#include "abort.h"
#include "lines.h"
#include "wake.h"

static uint64_t claims_of(uint32_t lap, uint64_t first, uint64_t end)
{
	return (uint64_t)lap << 34 | end << 17 | first;
}

static bool is_staged(const struct folds *folds)
{
	return folds->nfirst < folds->nitem;
}

/* Opens the next lap, or fails it if the communicator broke meanwhile: either the thread that broke
 * it sees the lap open, or this one sees that it broke. */
static void end_call(struct ordo_communicator *communicator, struct call_slot *slot, uint32_t lap)
{
	uint32_t open = state_of(lap + 1, OPEN);
	if (is_staged(slot->folds))
		atomic_store_explicit(&communicator->partials.taken, 0, memory_order_release);
	atomic_store(&slot->state, open);
	if (atomic_load(&communicator->broken))
		atomic_compare_exchange_strong(&slot->state, &open, state_of(lap + 1, FAILED));
	ordo_call_wake(slot);
}

/* Publishes items [first, end) to be claimed. Items of the second stage have other numbers, so a
 * thread that read the first stage's claims cannot claim one. */
static void publish_items(struct call_slot *slot, uint32_t lap, size_t first, size_t end)
{
	atomic_store_explicit(&slot->nunfinished, (uint32_t)(end - first), memory_order_relaxed);
	atomic_store_explicit(&slot->claims, claims_of(lap, first, end), memory_order_release);
}

/* Wakes the threads that may claim items of the slot. */
static void wake_threads(struct ordo_communicator *communicator, struct call_slot *slot)
{
	atomic_store_explicit(&communicator->helpers.launched,
		(uint32_t)(slot - communicator->slots), memory_order_relaxed);
	ordo_helpers_wake(communicator);
	ordo_call_wake(slot);
}

/* Claims and runs at most `most` items of one stage. Returns how many; *last: one of them. */
static uint32_t run_items(
	struct call_slot *slot, uint32_t lap, bool from_end, uint32_t most, uint64_t *last)
{
	uint32_t n = 0;
	uint64_t claims = atomic_load_explicit(&slot->claims, memory_order_acquire);
	while (n < most) {
		const uint64_t first = claims & 0x1ffff, end = claims >> 17 & 0x1ffff;
		if (claims >> 34 != lap || first == end)
			break;
		const uint64_t left =
			from_end ? claims_of(lap, first, end - 1) : claims_of(lap, first + 1, end);
		if (!atomic_compare_exchange_weak_explicit(&slot->claims, &claims, left,
			    memory_order_acq_rel, memory_order_acquire))
			continue;
		*last = from_end ? end - 1 : first;
		ordo_fold_item(slot->folds, &slot->folds->items[*last], slot->ends, slot->in_place);
		n++;
		claims = atomic_load_explicit(&slot->claims, memory_order_acquire);
	}
	return n;
}

/* How often a thread that has finished its items of the first stage polls for the second one. */
#define NSPIN_STAGE 2000

/* Waits briefly for the second stage, while other threads finish the first. */
static void await_stage(
	const struct ordo_communicator *communicator, const struct call_slot *slot, uint32_t lap)
{
	const uint32_t nspin = communicator->helpers.count < communicator->ncore ? NSPIN_STAGE : 0;
	for (uint32_t i = 0; i < nspin; i++) {
		const uint64_t claims = atomic_load_explicit(&slot->claims, memory_order_relaxed);
		if (claims >> 34 != lap || (claims & 0x1ffff) != (claims >> 17 & 0x1ffff))
			return;
		ordo_relax();
	}
}

bool ordo_call_work(struct ordo_communicator *communicator, struct call_slot *slot, uint32_t lap,
	bool from_end, uint32_t most)
{
	uint32_t total = 0, n;
	uint64_t last = 0;
	while ((n = run_items(slot, lap, from_end, most - total, &last))) {
		const struct folds *folds = slot->folds;
		const bool more_follow = last < folds->nfirst && is_staged(folds);
		total += n;
		/* The thread that finishes the last items ends the call; or, after the first stage,
		 * opens the second and continues with it, or wakes others for it. */
		if (atomic_fetch_sub_explicit(&slot->nunfinished, n, memory_order_acq_rel) == n) {
			if (more_follow)
				publish_items(slot, lap, folds->nfirst, folds->nitem);
			else
				end_call(communicator, slot, lap);
			if (more_follow && total == most)
				wake_threads(communicator, slot);
		} else if (more_follow && total < most) {
			await_stage(communicator, slot, lap);
		}
	}
	return total > 0;
}

/* Takes the memory of partial sums for a call. Only its holder enlarges it. */
static bool take_partials(struct ordo_communicator *communicator, uint64_t bytes)
{
	if (atomic_exchange_explicit(&communicator->partials.taken, 1, memory_order_acquire))
		return false;
	if (communicator->partials.bytes < bytes) {
		free(communicator->partials.memory);
		communicator->partials.memory = allocate_lines(NPARTIAL, bytes);
		communicator->partials.bytes = communicator->partials.memory ? bytes : 0;
	}
	if (communicator->partials.bytes < bytes)
		atomic_store_explicit(&communicator->partials.taken, 0, memory_order_release);
	return communicator->partials.bytes >= bytes;
}

/* Chooses two stages if there is memory for the partial sums. A side writes its next partial sums
 * to the lines it read last, which are in its cache: so a line crosses between cores once per call.
 * Without helpers, ranks may run on any core, so there are no sides. */
static const struct folds *choose_folds(struct ordo_communicator *communicator,
	const struct call_slot *slot, const struct ordo_collective *collective)
{
	const uint64_t bytes = round_up(vector_bytes(&collective->layout), CACHE_LINE);
	if (!collective->staged.nitem || !communicator->helpers.count ||
		!take_partials(communicator, bytes))
		return &collective->folds;
	communicator->partials.turn = !communicator->partials.turn;
	for (uint32_t i = 0; i < NPARTIAL; i++) {
		const uint32_t place = i < NSIDE ? i ^ communicator->partials.turn : i;
		unsigned char *partial =
			communicator->partials.memory + place * communicator->partials.bytes;
		slot->ends[communicator->nrank + i] = (struct ends){partial, partial};
	}
	return &collective->staged;
}

bool ordo_call_launch(
	struct ordo_communicator *communicator, struct call_slot *slot, uint32_t lap, uint32_t rank)
{
	if (!ordo_check_agreement(communicator, slot))
		return false;
	const struct ordo_collective *collective = slot->arrivals[0].collective;
	slot->in_place = false;
	for (uint32_t r = 0; r < communicator->nrank; r++)
		slot->in_place |= slot->arrivals[r].in_place;
	atomic_store_explicit(&slot->narrived, 0, memory_order_relaxed);
	uint32_t open = state_of(lap, OPEN);
	if (!atomic_compare_exchange_strong(&slot->state, &open, state_of(lap, LAUNCHED)))
		return false;
	const struct folds *folds = slot->folds = choose_folds(communicator, slot, collective);
	const size_t nitem = folds->nitem;
	/* This thread runs a single item itself. */
	if (nitem > 1) {
		publish_items(slot, lap, 0, folds->nfirst);
		wake_threads(communicator, slot);
		ordo_call_work(communicator, slot, lap, is_upper(communicator, rank), UINT32_MAX);
		return true;
	}
	for (size_t i = 0; i < nitem; i++)
		ordo_fold_item(folds, &folds->items[i], slot->ends, slot->in_place);
	end_call(communicator, slot, lap);
	return true;
}

/* Polls the state for a while, runs items when there are any, and returns the last state. */
static uint32_t poll_and_work(
	struct ordo_communicator *communicator, struct call_slot *slot, uint32_t lap, uint32_t rank)
{
	uint32_t state = atomic_load_explicit(&slot->state, memory_order_acquire);
	const uint32_t nspin = spins_of(communicator);
	for (uint32_t i = 0; i < nspin + NYIELD;) {
		if (lap_of(state) != lap || status_of(state) == FAILED)
			return state;
		if (status_of(state) == LAUNCHED &&
			ordo_call_work(
				communicator, slot, lap, is_upper(communicator, rank), UINT32_MAX))
			i = 1;
		else
			i += pass_time(i, nspin);
		state = atomic_load_explicit(&slot->state, memory_order_acquire);
	}
	return state;
}

void ordo_call_give_up(struct ordo_communicator *communicator, struct call_slot *slot,
	uint64_t call, uint32_t rank, uint64_t waited_ms)
{
	const uint32_t lap = call_lap(communicator, call);
	uint32_t open = state_of(lap, OPEN);
	struct ordo_error error;
	/* The slot was open until it failed, so the named ranks had not come before that. */
	if (ordo_report_missing(communicator, call, rank, waited_ms, &error) &&
		atomic_compare_exchange_strong(&slot->state, &open, state_of(lap, FAILED)))
		ordo_communicator_break(communicator, &error);
}

bool ordo_call_await(struct ordo_communicator *communicator, struct call_slot *slot, uint64_t call,
	uint32_t rank, uint32_t deadline_ms)
{
	const uint32_t lap = call_lap(communicator, call);
	uint64_t begin = 0, now = 0;
	for (;;) {
		uint32_t state = poll_and_work(communicator, slot, lap, rank);
		if (lap_of(state) != lap)
			return true;
		if (status_of(state) == FAILED)
			return false;
		now = ordo_now_ms();
		begin = begin ? begin : now;
		if (status_of(state) == OPEN && now - begin >= deadline_ms) {
			ordo_call_give_up(communicator, slot, call, rank, now - begin);
			continue;
		}
		const uint64_t left =
			begin + deadline_ms > now ? begin + deadline_ms - now : deadline_ms;
		atomic_fetch_add(&slot->nsleeping, 1);
		if (atomic_load(&slot->state) == state)
			ordo_sleep(&slot->state, state, (uint32_t)left);
		atomic_fetch_sub(&slot->nsleeping, 1);
	}
}
