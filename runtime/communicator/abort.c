/* abort.c - breaks a communicator, and reports why. */
#include "abort.h"
#include "wake.h"
#include <inttypes.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>

/* Most ranks that an error names. */
#define MAX_NAMED 8

/* Fails the open calls; a launched call runs to its end. */
static void fail_open_slots(struct ordo_communicator *communicator)
{
	for (uint32_t i = 0; i < communicator->depth; i++) {
		struct call_slot *slot = &communicator->slots[i];
		uint32_t state = atomic_load(&slot->state);
		while (status_of(state) == OPEN && !atomic_compare_exchange_weak(&slot->state,
							   &state, state_of(lap_of(state), FAILED)))
			continue;
		ordo_call_wake(slot);
		ordo_eager_wake(slot);
	}
}

/* The first thread to break the communicator records the reason, and others wait until it has.
 * false: another thread was first. */
static bool begin_break(struct ordo_communicator *communicator)
{
	uint32_t whole = 0;
	return atomic_compare_exchange_strong(&communicator->broken, &whole, 1);
}

static void end_break(struct ordo_communicator *communicator, const struct ordo_error *why)
{
	communicator->failure = *why;
	fail_open_slots(communicator);
	/* Last, because a reset may follow at once, and the slots it opens must not fail. */
	atomic_store(&communicator->broken, 2);
}

void ordo_communicator_break(struct ordo_communicator *communicator, const struct ordo_error *why)
{
	if (begin_break(communicator))
		end_break(communicator, why);
}

bool ordo_communicator_fail(struct ordo_communicator *communicator, struct ordo_error *error)
{
	/* The slot may fail a moment before the communicator. */
	while (atomic_load(&communicator->broken) != 2)
		sched_yield();
	if (error)
		*error = communicator->failure;
	return false;
}

bool ordo_report_missing(const struct ordo_communicator *communicator, uint64_t call, uint32_t rank,
	uint64_t waited_ms, struct ordo_error *error)
{
	const struct call_slot *slot = slot_of(communicator, call);
	char names[MAX_NAMED * 12 + 1] = "";
	size_t length = 0;
	uint32_t nmissing = 0;
	for (uint32_t r = 0; r < communicator->nrank; r++)
		if (atomic_load(&slot->arrivals[r].call) != call + 1 && nmissing++ < MAX_NAMED)
			length += (size_t)snprintf(names + length, sizeof names - length,
				"%s%" PRIu32, length ? ", " : "", r);
	if (!nmissing)
		return false;
	ordo_fail(error, ORDO_ENVIRONMENT, 0,
		"call %" PRIu64 ": rank%s %s%s did not enter; rank %" PRIu32 " waited %" PRIu64
		" ms",
		call, nmissing > 1 ? "s" : "", names, nmissing > MAX_NAMED ? ", ..." : "", rank,
		waited_ms);
	ordo_hint(error,
		"every rank must make the same calls in the same order; a larger deadline_ms "
		"waits longer");
	return true;
}

/* The rank whose collective the majority passed (Boyer-Moore vote); rank 0 if the vote is tied. */
static uint32_t find_majority(
	const struct ordo_communicator *communicator, const struct call_slot *slot)
{
	uint32_t usual = 0, lead = 0;
	for (uint32_t r = 0; r < communicator->nrank; r++) {
		const bool agrees = ordo_collectives_agree(
			slot->arrivals[r].collective, slot->arrivals[usual].collective);
		if (!lead)
			usual = r;
		lead = !lead || agrees ? lead + 1 : lead - 1;
	}
	return lead ? usual : 0;
}

/* Fills in an error that names the first rank outside the majority. */
static void report_minority(const struct ordo_communicator *communicator,
	const struct call_slot *slot, struct ordo_error *error)
{
	const uint32_t usual = find_majority(communicator, slot);
	uint32_t odd = ORDO_NONE, nodd = 0;
	for (uint32_t r = communicator->nrank; r > 0; r--)
		if (!ordo_collectives_agree(
			    slot->arrivals[r - 1].collective, slot->arrivals[usual].collective)) {
			odd = r - 1;
			nodd++;
		}
	char found[160], wanted[160];
	ordo_collective_print(slot->arrivals[odd].collective, found, sizeof found);
	ordo_collective_print(slot->arrivals[usual].collective, wanted, sizeof wanted);
	ordo_fail(error, ORDO_USAGE, 0,
		"call %" PRIu64 ": rank %" PRIu32 " passed %s, %" PRIu32 " rank%s (rank %" PRIu32
		"%s) passed %s",
		atomic_load(&slot->arrivals[odd].call) - 1, odd, found, communicator->nrank - nodd,
		communicator->nrank - nodd > 1 ? "s" : "", usual,
		communicator->nrank - nodd > 1 ? " among them" : "", wanted);
	ordo_hint(error, "every rank must pass the same operator, counts, type and reduction, and "
			 "the same order of reduction");
}

bool ordo_check_agreement(struct ordo_communicator *communicator, const struct call_slot *slot)
{
	struct ordo_error error;
	uint32_t r = 1;
	while (r < communicator->nrank &&
		slot->arrivals[r].fingerprint == slot->arrivals[0].fingerprint)
		r++;
	if (r == communicator->nrank)
		return true;
	if (begin_break(communicator)) {
		report_minority(communicator, slot, &error);
		end_break(communicator, &error);
	}
	return false;
}

void ordo_communicator_abort(
	struct ordo_communicator *communicator, uint32_t rank, const char *reason)
{
	struct ordo_error error;
	ordo_fail(&error, ORDO_USAGE, 0, "rank %" PRIu32 " aborted: %s", rank,
		reason ? reason : "it gave no reason");
	ordo_communicator_break(communicator, &error);
}
