/* create.c - creates a plan: binds a schedule to an element type, a reduction and counts, and
 * prepares every transport. */
#include "kernels/arithmetic.h"
#include "lines.h"
#include "tasks/check.h"
#include "tasks/sent.h"
#include "tasks/signals.h"
#include "tasks/trace.h"
#include "threads.h"
#include <inttypes.h>
#include <ordo/options.h>
#include <stdlib.h>

/* The working set of all ranks in one round should stay in the cache, but below MIN_TILE_BYTES a
 * round costs more in signals than it saves. */
#define CACHE_BYTES (UINT64_C(16) << 20)
#define MIN_TILE_BYTES (UINT64_C(32) << 10)
#define MAX_TILE_BYTES (UINT64_C(256) << 10)
#define WATCHDOG_MS 10000

/* A rank without input and output needs no buffers. */
static void count_unbound(struct ordo_plan *plan)
{
	const struct layout *layout = &plan->layout;
	for (uint32_t r = 0; r < layout->problem.nrank; r++) {
		const struct region *regions = layout->regions[r];
		plan->ranks[r].bound =
			!regions[ORDO_INPUT].nelement && !regions[ORDO_OUTPUT].nelement;
		plan->nunbound += !plan->ranks[r].bound;
	}
}

static bool allocate_states(struct ordo_plan *plan, struct ordo_error *error)
{
	const uint32_t nrank = plan->schedule->problem.nrank, nstream = plan->schedule->nstream;
	plan->ranks = allocate_lines(nrank, sizeof *plan->ranks);
	plan->threads = ordo_threads_create(nrank);
	plan->streams = calloc((size_t)nstream + 1, sizeof *plan->streams);
	plan->runnable = calloc((size_t)nstream + 1, sizeof *plan->runnable);
	if (!plan->ranks || !plan->threads || !plan->streams || !plan->runnable)
		return ordo_fail_memory(error);
	for (uint32_t s = 0; s < nstream; s++)
		plan->streams[s].at = plan->schedule->streams[s].end;
	return true;
}

static bool allocate_scratch(struct ordo_plan *plan, struct ordo_error *error)
{
	const uint32_t nrank = plan->schedule->problem.nrank, nslot = plan->schedule->scratch_slots;
	const uint64_t slot = plan->layout.stride * element_bytes(&plan->layout, ORDO_SCRATCH);
	if (nslot && slot > (SIZE_MAX >> 2) / nslot / nrank)
		return ordo_fail(error, ORDO_USAGE, 0,
			"scratch: %" PRIu32 " ranks with %" PRIu32 " slots of %" PRIu64 " bytes",
			nrank, nslot, slot);
	plan->layout.bank = nslot * plan->layout.stride;
	plan->scratch_bytes = slot * nslot * plan->layout.nbank;
	/* Never NULL, so that an address can be computed; untouched until used. */
	plan->scratch = aligned_alloc(CACHE_LINE, plan->scratch_bytes * nrank + CACHE_LINE);
	if (!plan->scratch)
		return ordo_fail_memory(error);
	for (uint32_t r = 0; r < nrank; r++)
		atomic_init(&plan->ranks[r].memory[ORDO_SCRATCH],
			plan->scratch + r * plan->scratch_bytes);
	return true;
}

static uint64_t choose_tile_bytes(const struct ordo_problem *problem)
{
	uint64_t nslot = 0;
	for (uint32_t r = 0; r < problem->nrank; r++)
		nslot += (uint64_t)ordo_input_slots(problem, r) + ordo_output_slots(problem, r);
	uint64_t tile = CACHE_BYTES / (nslot ? nslot : 1);
	return tile < MIN_TILE_BYTES   ? MIN_TILE_BYTES
	       : tile > MAX_TILE_BYTES ? MAX_TILE_BYTES
				       : tile;
}

/* How many bytes of the call's type a round moves of each chunk. false: see error. */
static bool find_tile_bytes(const struct ordo_schedule *schedule,
	const struct ordo_plan_options *options, uint64_t *tile_bytes, struct ordo_error *error)
{
	const uint64_t nslot = schedule->scratch_slots,
		       wide = ordo_type_size(ordo_accumulator(&schedule->problem, options->type)),
		       narrow = ordo_type_size(options->type), least = CACHE_LINE * wide / narrow,
		       nbank = options->overlapping_rounds ? 2 : 1;
	*tile_bytes =
		options->tile_bytes ? options->tile_bytes : choose_tile_bytes(&schedule->problem);
	if (!options->staging_bytes)
		return true;
	if (!schedule->staging)
		return ordo_fail(error, ORDO_USAGE, 0,
			"staging: found %" PRIu64 " bytes, but the schedule has no staging",
			options->staging_bytes);
	if (options->tile_bytes)
		return ordo_fail(
			error, ORDO_USAGE, 0, "staging_bytes and tile_bytes: give one of them");
	if (options->staging_bytes / least / nbank < nslot)
		return ordo_fail(error, ORDO_USAGE, 0,
			"staging: found %" PRIu64 " bytes, wanted at least %" PRIu64 ": %s%" PRIu64
			" slots of %" PRIu64,
			options->staging_bytes, nbank * nslot * least, nbank > 1 ? "2 times " : "",
			nslot, least);
	if (nslot)
		*tile_bytes = options->staging_bytes / nbank / nslot * narrow / wide;
	return true;
}

static bool fill_plan(
	struct ordo_plan *plan, const struct ordo_plan_options *options, struct ordo_error *error)
{
	const struct ordo_schedule *schedule = plan->schedule;
	plan->type = options->type;
	plan->reduction = options->reduction;
	plan->divisor = ordo_divisor(&schedule->problem, options->reduction);
	plan->watchdog_ms = options->watchdog_ms ? options->watchdog_ms : WATCHDOG_MS;
	uint64_t tile_bytes;
	if (!ordo_check_streams(schedule, error) ||
		!find_tile_bytes(schedule, options, &tile_bytes, error) ||
		!ordo_layout_make(&plan->layout, &schedule->problem, options, tile_bytes, error) ||
		!allocate_states(plan, error) || !allocate_scratch(plan, error))
		return false;
	plan->window = plan->layout.nbank;
	count_unbound(plan);
	return ordo_plan_check_tasks(plan, error) && ordo_plan_number_signals(plan, error) &&
	       ordo_plan_count_sent(plan, error);
}

static struct ordo_plan *create_plan(const struct ordo_schedule *schedule,
	const struct ordo_plan_options *options, struct ordo_error *error)
{
	if (!ordo_plan_options_check(options, error))
		return NULL;
	struct ordo_plan *plan = allocate_lines(1, sizeof *plan);
	if (!plan) {
		ordo_fail_memory(error);
		return NULL;
	}
	plan->schedule = schedule;
	if (!fill_plan(plan, options, error)) {
		ordo_plan_destroy(plan);
		return NULL;
	}
	return plan;
}

struct ordo_plan *ordo_plan_create_sized(size_t size, const struct ordo_schedule *schedule,
	const struct ordo_plan_options *options, struct ordo_error *error)
{
	struct ordo_plan_options own;
	return ordo_options_take(&own, sizeof own, options, size, error)
		       ? create_plan(schedule, &own, error)
		       : NULL;
}

struct ordo_plan *(ordo_plan_create)(const struct ordo_schedule *schedule,
	const struct ordo_plan_options *options, struct ordo_error *error)
{
	return ordo_plan_create_sized(
		ORDO_UP_TO(ordo_plan_options, tile_bytes), schedule, options, error);
}

void ordo_plan_destroy(struct ordo_plan *plan)
{
	if (!plan)
		return;
	ordo_threads_destroy(plan->threads);
	ordo_trace_destroy(plan->trace);
	ordo_layout_free(&plan->layout);
	free(plan->ranks);
	free(plan->streams);
	free(plan->scratch);
	free(plan->signals);
	free(plan->signal_of);
	free(plan->words);
	free(plan->taken);
	free(plan->first_sent);
	free(plan->sent);
	free(plan->runnable);
	free(plan);
}
