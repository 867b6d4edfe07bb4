/* communicator.c - creates communicators; ranks enter, make calls and leave. */
#include "communicator.h"
#include "abort.h"
#include "bound.h"
#include "call.h"
#include "eager.h"
#include "kernels/fetch.h"
#include "lines.h"
#include "transports/sleep.h"
#include "workers.h"
#include <assert.h>
#include <inttypes.h>
#include <ordo/options.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define DEADLINE_MS 10000
#define DEPTH 16
#define MAX_DEPTH 4096
#define NKEPT 64

/* struct ordo_part of the first version, for callers of the functions without _sized. */
struct ordo_first_part {
	const struct ordo_collective *collective;
	const void *input;
	void *output;
	uint32_t deadline_ms;
};

static bool create_slots(struct ordo_communicator *communicator, struct ordo_error *error)
{
	communicator->slots = allocate_lines(communicator->depth, sizeof *communicator->slots);
	communicator->seats = allocate_lines(communicator->nrank, sizeof *communicator->seats);
	if (!communicator->slots || !communicator->seats)
		return ordo_fail_memory(error);
	for (uint32_t r = 0; r < communicator->nrank; r++)
		communicator->seats[r].free_until = communicator->depth;
	for (uint32_t i = 0; i < communicator->depth; i++) {
		struct call_slot *slot = &communicator->slots[i];
		slot->ends =
			allocate_lines((size_t)communicator->nrank + NPARTIAL, sizeof *slot->ends);
		slot->arrivals = allocate_lines(communicator->nrank, sizeof *slot->arrivals);
		atomic_init(&slot->claims, UINT64_MAX);
		if (!slot->ends || !slot->arrivals)
			return ordo_fail_memory(error);
	}
	return true;
}

static bool check_options(const struct ordo_communicator_options *options, struct ordo_error *error)
{
	if (!options->nrank || options->nrank > ORDO_LIMIT)
		return ordo_fail(error, ORDO_USAGE, 0,
			"a communicator of %" PRIu32 " ranks; wanted at least one", options->nrank);
	if (options->depth > MAX_DEPTH)
		return ordo_fail(error, ORDO_USAGE, 0,
			"depth: found %" PRIu32 ", wanted at most %d", options->depth, MAX_DEPTH);
	return true;
}

static struct ordo_communicator *create(
	const struct ordo_communicator_options *options, struct ordo_error *error)
{
	if (!check_options(options, error) || !ordo_float_mode_check(error))
		return NULL;
	struct ordo_communicator *communicator = allocate_lines(1, sizeof *communicator);
	if (!communicator) {
		ordo_fail_memory(error);
		return NULL;
	}
	const long ncore = sysconf(_SC_NPROCESSORS_ONLN);
	communicator->ncore = ncore > 0 ? (uint32_t)ncore : 1;
	communicator->nrank = options->nrank;
	communicator->deadline_ms = options->deadline_ms ? options->deadline_ms : DEADLINE_MS;
	communicator->max_kept = options->nkept ? options->nkept : NKEPT;
	for (communicator->depth = 1;
		communicator->depth < (options->depth ? options->depth : DEPTH);
		communicator->depth <<= 1)
		communicator->depth_shift++;
	pthread_mutex_init(&communicator->resetting, NULL);
	if (!create_slots(communicator, error) ||
		!ordo_helpers_create(communicator, options->nhelper, error)) {
		ordo_communicator_destroy(communicator);
		return NULL;
	}
	return communicator;
}

struct ordo_communicator *ordo_communicator_create_sized(
	size_t size, const struct ordo_communicator_options *options, struct ordo_error *error)
{
	struct ordo_communicator_options own;
	return ordo_options_take(&own, sizeof own, options, size, error) ? create(&own, error)
									 : NULL;
}

struct ordo_communicator *(
	ordo_communicator_create)(const struct ordo_communicator_options *options,
	struct ordo_error *error)
{
	return ordo_communicator_create_sized(
		ORDO_UP_TO(ordo_communicator_options, depth), options, error);
}

void ordo_communicator_destroy(struct ordo_communicator *communicator)
{
	if (!communicator)
		return;
	ordo_helpers_destroy(communicator);
	for (uint32_t i = 0; communicator->slots && i < communicator->depth; i++) {
		free(communicator->slots[i].ends);
		free(communicator->slots[i].arrivals);
	}
	free(communicator->slots);
	free(communicator->seats);
	free(communicator->partials.memory);
	ordo_bound_destroy(communicator->bound);
	pthread_mutex_destroy(&communicator->resetting);
	free(communicator);
}

bool ordo_enter(struct ordo_communicator *communicator, uint32_t rank, struct ordo_error *error)
{
	if (rank >= communicator->nrank)
		return ordo_fail(error, ORDO_USAGE, 0,
			"there is no rank %" PRIu32 ", only %" PRIu32 " ranks", rank,
			communicator->nrank);
	while (atomic_load_explicit(&communicator->closed, memory_order_relaxed))
		sched_yield();
	uint32_t found = EMPTY;
	while (!atomic_compare_exchange_strong(&communicator->seats[rank].taken, &found, TAKEN)) {
		if (found == TAKEN)
			return ordo_fail(error, ORDO_USAGE, 0,
				"rank %" PRIu32 " is inside a call on another thread; one thread "
				"at a time acts for a rank",
				rank);
		found = EMPTY;
		sched_yield();
	}
	return true;
}

void ordo_leave(struct ordo_communicator *communicator, uint32_t rank)
{
	atomic_store_explicit(&communicator->seats[rank].taken, EMPTY, memory_order_release);
}

/* Checks a rank's part, unless it is the same as the last one. */
static bool check_part(const struct ordo_communicator *communicator, uint32_t rank,
	const struct ordo_part *part, struct ordo_error *error)
{
	struct seat *seat = &communicator->seats[rank];
	if (!part->collective)
		return ordo_fail(
			error, ORDO_USAGE, 0, "rank %" PRIu32 ": the collective is NULL", rank);
	if (seat->serial == part->collective->serial && seat->input == part->input &&
		seat->output == part->output)
		return true;
	const uint32_t nrank = part->collective->layout.problem.nrank;
	if (nrank != communicator->nrank)
		return ordo_fail(error, ORDO_USAGE, 0,
			"rank %" PRIu32 ": a collective of %" PRIu32
			" ranks, on a communicator of %" PRIu32,
			rank, nrank, communicator->nrank);
	struct ends ends = {part->input, part->output};
	if (!ordo_collective_check_buffers(part->collective, rank, &ends, &seat->in_place, error)) {
		seat->serial = 0;
		return false;
	}
	seat->serial = part->collective->serial;
	seat->input = part->input;
	seat->output = part->output;
	seat->nvalue = part->collective->is_eager
			       ? ordo_collective_input_bytes(part->collective, rank)
			       : 0;
	seat->ends = ends;
	return true;
}

/* Brings the state of a slot to this lap: eager calls do not advance it, because they do not use
 * it. */
static bool advance_slot(struct call_slot *slot, uint32_t lap)
{
	uint32_t state = atomic_load(&slot->state);
	while (lap_of(state) != lap && status_of(state) != FAILED)
		if (atomic_compare_exchange_weak(&slot->state, &state, state_of(lap, OPEN)))
			return true;
	return status_of(state) != FAILED;
}

/* Waits until the slot of a rank's next call is free. */
static bool await_slot(struct ordo_communicator *communicator, uint32_t rank, uint64_t call,
	bool is_eager, uint32_t deadline_ms)
{
	struct call_slot *slot = slot_of(communicator, call);
	const uint32_t lap = call_lap(communicator, call);
	if (slot->arrivals[rank].is_eager)
		return ordo_eager_leave(communicator, call, rank, deadline_ms) &&
		       (is_eager || advance_slot(slot, lap));
	const uint32_t state = atomic_load_explicit(&slot->state, memory_order_acquire);
	if (lap_of(state) == lap)
		return status_of(state) != FAILED;
	return ordo_call_await(communicator, slot, call - communicator->depth, rank, deadline_ms);
}

/* Records a part that was checked. */
static struct arrival *record(struct ordo_communicator *communicator, uint32_t rank,
	const struct ordo_part *part, uint64_t call, uint64_t since_ms)
{
	struct call_slot *slot = slot_of(communicator, call);
	struct seat *seat = &communicator->seats[rank];
	struct arrival *arrival = &slot->arrivals[rank];
	arrival->collective = part->collective;
	arrival->fingerprint = part->collective->fingerprint;
	arrival->in_place = seat->in_place;
	arrival->deadline_ms = part->deadline_ms ? part->deadline_ms : communicator->deadline_ms;
	arrival->since_ms = since_ms;
	atomic_store_explicit(&seat->ncall, call + 1, memory_order_relaxed);
	return arrival;
}

/* Records the part of a rank in a launched (not eager) call. */
static void record_launched(struct ordo_communicator *communicator, uint32_t rank,
	const struct ordo_part *part, uint64_t call, uint64_t since_ms)
{
	struct arrival *arrival = record(communicator, rank, part, call, since_ms);
	slot_of(communicator, call)->ends[rank] = communicator->seats[rank].ends;
	arrival->is_eager = false;
	atomic_store_explicit(&arrival->call, call + 1, memory_order_release);
}

/* Counts `nrank` ranks, this one the last of them, as arrived at a call; launches it if all
 * have. */
static bool count_arrivals(struct ordo_communicator *communicator, uint32_t rank, uint64_t call,
	uint32_t nrank, struct ordo_error *error)
{
	struct call_slot *slot = slot_of(communicator, call);
	const bool last = atomic_fetch_add(&slot->narrived, nrank) + nrank == communicator->nrank;
	return !last || ordo_call_launch(communicator, slot, call_lap(communicator, call), rank) ||
	       ordo_communicator_fail(communicator, error);
}

/* Records and announces the part of a rank in an eager call. */
static bool arrive_eager(struct ordo_communicator *communicator, uint32_t rank,
	const struct ordo_part *part, uint64_t call, uint64_t since_ms, struct ordo_error *error)
{
	struct call_slot *slot = slot_of(communicator, call);
	struct arrival *arrival = record(communicator, rank, part, call, since_ms);
	const struct ends *ends = &communicator->seats[rank].ends;
	arrival->is_eager = true;
	arrival->output = ends->output;
	if (communicator->seats[rank].nvalue) /* the input of nothing may be NULL */
		memcpy(arrival->value, ends->input, communicator->seats[rank].nvalue);
	return ordo_eager_announce(communicator, slot, call, rank) ||
	       ordo_communicator_fail(communicator, error);
}

/* The rank arrives at its next call, *call. */
static bool arrive(struct ordo_communicator *communicator, uint32_t rank,
	const struct ordo_part *part, uint64_t since_ms, uint64_t *call, struct ordo_error *error)
{
	if (!check_part(communicator, rank, part, error))
		return false;
	const uint64_t next =
		atomic_load_explicit(&communicator->seats[rank].ncall, memory_order_relaxed);
	const uint32_t deadline_ms =
		part->deadline_ms ? part->deadline_ms : communicator->deadline_ms;
	*call = next;
	ordo_eager_fold(communicator, rank, next);
	if (atomic_load_explicit(&communicator->broken, memory_order_relaxed) ||
		!await_slot(communicator, rank, next, part->collective->is_eager, deadline_ms))
		return ordo_communicator_fail(communicator, error);
	if (part->collective->is_eager)
		return arrive_eager(communicator, rank, part, next, since_ms, error);
	record_launched(communicator, rank, part, next, since_ms);
	return count_arrivals(communicator, rank, next, 1, error);
}

/* The arrival of a rank at a call; NULL: overwritten since, so the call is over. */
static const struct arrival *arrival_of(
	const struct ordo_communicator *communicator, uint32_t rank, uint64_t call)
{
	const struct arrival *arrival = &slot_of(communicator, call)->arrivals[rank];
	return atomic_load_explicit(&arrival->call, memory_order_relaxed) == call + 1 ? arrival
										      : NULL;
}

static bool await(struct ordo_communicator *communicator, uint32_t rank, uint64_t call,
	uint32_t deadline_ms, struct ordo_error *error)
{
	const struct arrival *arrival = arrival_of(communicator, rank, call);
	const bool over =
		!arrival ||
		(arrival->is_eager ? ordo_eager_await(communicator, call, rank, deadline_ms)
				   : ordo_call_await(communicator, slot_of(communicator, call),
					     call, rank, deadline_ms));
	return over || ordo_communicator_fail(communicator, error);
}

bool ordo_run_entered(struct ordo_communicator *communicator, uint32_t rank,
	const struct ordo_part *part, struct ordo_error *error)
{
	uint64_t call;
	return arrive(communicator, rank, part, 0, &call, error) &&
	       await(communicator, rank, call,
		       part->deadline_ms ? part->deadline_ms : communicator->deadline_ms, error);
}

/* The part in this version's layout: the caller's, or a copy in *own if the caller was compiled
 * with another version. NULL: see error. */
static const struct ordo_part *take_part(
	const struct ordo_part *part, size_t size, struct ordo_part *own, struct ordo_error *error)
{
	if (size == sizeof *part)
		return part;
	return ordo_options_take(own, sizeof *own, part, size, error) ? own : NULL;
}

bool ordo_communicator_run_sized(size_t size, struct ordo_communicator *communicator, uint32_t rank,
	const struct ordo_part *part, struct ordo_error *error)
{
	struct ordo_part own;
	if (!(part = take_part(part, size, &own, error)) || !ordo_float_mode_check(error) ||
		!ordo_enter(communicator, rank, error))
		return false;
	const bool worked = ordo_run_entered(communicator, rank, part, error);
	ordo_leave(communicator, rank);
	return worked;
}

bool(ordo_communicator_run)(struct ordo_communicator *communicator, uint32_t rank,
	const struct ordo_part *part, struct ordo_error *error)
{
	return ordo_communicator_run_sized(
		sizeof(struct ordo_first_part), communicator, rank, part, error);
}

bool ordo_enter_all(struct ordo_communicator *communicator, struct ordo_error *error)
{
	uint32_t r = 0;
	while (r < communicator->nrank && ordo_enter(communicator, r, error))
		r++;
	if (r == communicator->nrank)
		return true;
	while (r > 0)
		ordo_leave(communicator, --r);
	return false;
}

void ordo_leave_all(struct ordo_communicator *communicator)
{
	for (uint32_t r = 0; r < communicator->nrank; r++)
		ordo_leave(communicator, r);
}

/* The parts of all ranks, in the caller's layout. Members that all versions have keep their
 * offsets. */
struct parts {
	const struct ordo_part *first;
	size_t size; /* of each */
};

static const struct ordo_part *part_of(const struct parts *parts, uint32_t rank)
{
	return (const void *)((const char *)parts->first + rank * parts->size);
}

static bool arrive_all(struct ordo_communicator *communicator, const struct parts *parts,
	uint64_t *call, struct ordo_error *error)
{
	*call = atomic_load_explicit(&communicator->seats[0].ncall, memory_order_relaxed);
	for (uint32_t r = 0; r < communicator->nrank; r++) {
		const uint64_t ncall =
			atomic_load_explicit(&communicator->seats[r].ncall, memory_order_relaxed);
		if (ncall != *call)
			return ordo_fail(error, ORDO_USAGE, 0,
				"rank 0 made %" PRIu64 " calls, rank %" PRIu32 " made %" PRIu64
				": one call for all ranks needs equal numbers",
				*call, r, ncall);
		if (!check_part(communicator, r, part_of(parts, r), error))
			return false;
	}
	for (uint32_t r = 0; r < communicator->nrank; r++) {
		/* All ranks have arrived at all earlier calls, so none of these waits. */
		if (ordo_eager_fold(communicator, r, *call) == ORDO_FAILED ||
			!await_slot(communicator, r, *call, false, communicator->deadline_ms))
			return ordo_communicator_fail(communicator, error);
	}
	for (uint32_t r = 0; r < communicator->nrank; r++)
		record_launched(communicator, r, part_of(parts, r), *call, 0);
	return count_arrivals(communicator, 0, *call, communicator->nrank, error);
}

/* Prefetches the first lines of all buffers, many of them in another core's cache. A short message
 * has no others. */
static void fetch_lines(const struct ordo_communicator *communicator, const struct parts *parts)
{
	for (uint32_t r = 0; r < communicator->nrank; r++) {
		__builtin_prefetch(part_of(parts, r)->input);
		fetch_for_writing(part_of(parts, r)->output);
	}
}

static bool run_all(
	struct ordo_communicator *communicator, const struct parts *parts, struct ordo_error *error)
{
	uint64_t call;
	return arrive_all(communicator, parts, &call, error) &&
	       await(communicator, 0, call, communicator->deadline_ms, error);
}

bool ordo_run_all_entered(struct ordo_communicator *communicator, const struct ordo_part *parts,
	struct ordo_error *error)
{
	return run_all(communicator, &(struct parts){parts, sizeof *parts}, error);
}

/* Parts must have at least the members of the first version; members unknown to this version must
 * be 0. */
static bool check_sizes(const struct ordo_communicator *communicator, const struct parts *parts,
	struct ordo_error *error)
{
	struct ordo_part own;
	if (parts->size < sizeof(struct ordo_first_part))
		return ordo_fail(error, ORDO_USAGE, 0, "parts of %zu bytes, wanted at least %zu",
			parts->size, sizeof(struct ordo_first_part));
	for (uint32_t r = 0; parts->size > sizeof own && r < communicator->nrank; r++)
		if (!ordo_options_take(&own, sizeof own, part_of(parts, r), parts->size, error))
			return false;
	return true;
}

bool ordo_communicator_run_all_sized(size_t size, struct ordo_communicator *communicator,
	const struct ordo_part *parts, struct ordo_error *error)
{
	const struct parts given = {parts, size};
	if (!check_sizes(communicator, &given, error))
		return false;
	fetch_lines(communicator, &given);
	if (!ordo_float_mode_check(error) || !ordo_enter_all(communicator, error))
		return false;
	const bool worked = run_all(communicator, &given, error);
	ordo_leave_all(communicator);
	return worked;
}

bool(ordo_communicator_run_all)(struct ordo_communicator *communicator,
	const struct ordo_part *parts, struct ordo_error *error)
{
	return ordo_communicator_run_all_sized(
		sizeof(struct ordo_first_part), communicator, parts, error);
}

bool ordo_communicator_start_sized(size_t size, struct ordo_communicator *communicator,
	uint32_t rank, const struct ordo_part *part, struct ordo_ticket *ticket,
	struct ordo_error *error)
{
	struct ordo_part own;
	if (!(part = take_part(part, size, &own, error)) || !ordo_float_mode_check(error) ||
		!ordo_enter(communicator, rank, error))
		return false;
	ticket->rank = rank;
	ticket->epoch = atomic_load(&communicator->epoch);
	const bool worked = arrive(communicator, rank, part, ordo_now_ms(), &ticket->call, error);
	ordo_leave(communicator, rank);
	return worked;
}

bool(ordo_communicator_start)(struct ordo_communicator *communicator, uint32_t rank,
	const struct ordo_part *part, struct ordo_ticket *ticket, struct ordo_error *error)
{
	return ordo_communicator_start_sized(
		sizeof(struct ordo_first_part), communicator, rank, part, ticket, error);
}

static bool check_ticket(const struct ordo_communicator *communicator,
	const struct ordo_ticket *ticket, struct ordo_error *error)
{
	return ticket->epoch == atomic_load(&communicator->epoch)
		       ? true
		       : ordo_fail(error, ORDO_USAGE, 0,
				 "a ticket of rank %" PRIu32
				 " from before the communicator was reset",
				 ticket->rank);
}

static enum ordo_call_state test_eager(struct ordo_communicator *communicator,
	const struct ordo_ticket *ticket, const struct arrival *arrival)
{
	enum ordo_call_state state = ordo_eager_fold(communicator, ticket->rank, ticket->call + 1);
	if (state != ORDO_UNDER_WAY)
		return state;
	const uint64_t waited_ms = ordo_now_ms() - arrival->since_ms;
	if (waited_ms < arrival->deadline_ms)
		return state;
	const uint64_t first = atomic_load(&communicator->seats[ticket->rank].nfolded);
	ordo_eager_give_up(communicator, first, ticket->rank, waited_ms);
	return ordo_eager_fold(communicator, ticket->rank, ticket->call + 1);
}

static enum ordo_call_state test(
	struct ordo_communicator *communicator, const struct ordo_ticket *ticket)
{
	struct call_slot *slot = slot_of(communicator, ticket->call);
	const struct arrival *arrival = arrival_of(communicator, ticket->rank, ticket->call);
	const uint32_t lap = call_lap(communicator, ticket->call);
	if (!arrival)
		return ORDO_OVER;
	if (arrival->is_eager)
		return test_eager(communicator, ticket, arrival);
	uint32_t state = atomic_load_explicit(&slot->state, memory_order_acquire);
	if (lap_of(state) == lap && status_of(state) == LAUNCHED) {
		ordo_call_work(communicator, slot, lap, false, 1);
		state = atomic_load_explicit(&slot->state, memory_order_acquire);
	}
	if (state == state_of(lap, OPEN)) {
		const uint64_t waited_ms = ordo_now_ms() - arrival->since_ms;
		if (waited_ms >= arrival->deadline_ms)
			ordo_call_give_up(
				communicator, slot, ticket->call, ticket->rank, waited_ms);
		state = atomic_load(&slot->state);
	}
	if (lap_of(state) != lap)
		return ORDO_OVER;
	return status_of(state) == FAILED ? ORDO_FAILED : ORDO_UNDER_WAY;
}

enum ordo_call_state ordo_communicator_test(struct ordo_communicator *communicator,
	const struct ordo_ticket *ticket, struct ordo_error *error)
{
	if (!ordo_float_mode_check(error) || !ordo_enter(communicator, ticket->rank, error))
		return ORDO_FAILED;
	enum ordo_call_state progress = ORDO_FAILED;
	if (check_ticket(communicator, ticket, error)) {
		progress = test(communicator, ticket);
		if (progress == ORDO_FAILED)
			ordo_communicator_fail(communicator, error);
	}
	ordo_leave(communicator, ticket->rank);
	return progress;
}

bool ordo_communicator_wait(struct ordo_communicator *communicator,
	const struct ordo_ticket *ticket, struct ordo_error *error)
{
	if (!ordo_float_mode_check(error) || !ordo_enter(communicator, ticket->rank, error))
		return false;
	const struct arrival *arrival =
		&slot_of(communicator, ticket->call)->arrivals[ticket->rank];
	const bool worked =
		check_ticket(communicator, ticket, error) &&
		await(communicator, ticket->rank, ticket->call, arrival->deadline_ms, error);
	ordo_leave(communicator, ticket->rank);
	return worked;
}
