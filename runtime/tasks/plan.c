/* plan.c - binds a schedule to an element type, a reduction, counts and buffers. */
#include "plan.h"
#include "kernels/arithmetic.h"
#include "lines.h"
#include <assert.h>
#include <inttypes.h>
#include <ordo/arena.h>
#include <ordo/float_mode.h>
#include <ordo/options.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What all ranks together touch in one round should stay in the cache, but a round is not worth its
 * signals for shorter tiles. */
#define CACHE_BYTES (UINT64_C(16) << 20)
#define LEAST_TILE_BYTES (UINT64_C(32) << 10)
#define MOST_TILE_BYTES (UINT64_C(256) << 10)
#define WATCHDOG_MS 10000

bool ordo_fail_task(const struct ordo_schedule *schedule, uint32_t task, int rule,
	struct ordo_error *error, const char *format, ...)
{
	char where[256], text[512];
	ordo_task_locate(schedule, task, where, sizeof where);
	va_list arguments;
	va_start(arguments, format);
	vsnprintf(text, sizeof text, format, arguments);
	va_end(arguments);
	ordo_fail(error, rule ? ORDO_REFUTED : ORDO_USAGE, rule, "%s: %s", where, text);
	if (!error)
		return false;
	const char *file = schedule->file;
	if (schedule->program_files)
		file = schedule->program_files[schedule->streams[ordo_stream_of(schedule, task)]
						       .rank];
	if (file)
		snprintf(error->file, sizeof error->file, "%s", file);
	if (schedule->places) {
		error->line = schedule->places[task].line;
		error->column = schedule->places[task].column;
	}
	return false;
}

/* A rank without a byte of input or output needs no buffers. */
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

static bool check_streams(const struct ordo_schedule *schedule, struct ordo_error *error)
{
	uint32_t nstream = 0;
	for (uint32_t r = 0; r < schedule->problem.nrank; r++) {
		const struct ordo_program *program = &schedule->programs[r];
		for (uint32_t s = program->first_stream; s < program->end_stream; s++, nstream++)
			if (schedule->streams[s].rank != r)
				return ordo_fail(error, ORDO_REFUTED, 2,
					"the streams of rank %" PRIu32
					": found one of rank %" PRIu32 " among them",
					r, schedule->streams[s].rank);
	}
	if (nstream != schedule->nstream)
		return ordo_fail(error, ORDO_REFUTED, 2,
			"streams: found %" PRIu32 ", of which ranks have %" PRIu32,
			schedule->nstream, nstream);
	return true;
}

static bool check_slots(
	const struct ordo_plan *plan, uint32_t t, struct slots slots, struct ordo_error *error)
{
	const struct ordo_task *task = &plan->schedule->tasks[t];
	const struct layout *layout = &plan->layout;
	uint32_t nslot = slots.buffer == ORDO_SCRATCH
				 ? plan->schedule->scratch_slots
				 : layout->regions[slots.rank][slots.buffer].nslot;
	if (slots.first + (uint64_t)task->count > nslot)
		return ordo_fail_task(plan->schedule, t, 3, error,
			"%s of rank %" PRIu32 " has %" PRIu32 " slots",
			ordo_buffer_name(slots.buffer), slots.rank, nslot);
	if (layout->equal || slots.buffer == ORDO_SCRATCH || is_at_home(plan, slots, task->chunk))
		return true;
	for (uint32_t i = 0; i < task->count; i++) {
		uint64_t n = chunk_begin(layout, task->chunk + i + 1) -
			     chunk_begin(layout, task->chunk + i);
		uint64_t room = slot_begin(layout, slots.rank, slots.buffer, slots.first + i + 1) -
				slot_begin(layout, slots.rank, slots.buffer, slots.first + i);
		if (n > room)
			return ordo_fail_task(plan->schedule, t, 0, error,
				"chunk %" PRIu32 " has %" PRIu64
				" elements with these counts, %s %" PRIu32 " of rank %" PRIu32
				" only %" PRIu64,
				task->chunk + i, n, ordo_buffer_name(slots.buffer), slots.first + i,
				slots.rank, room);
	}
	return true;
}

/* Whatever the schedule says, a task that passes touches only memory of bound buffers. */
static bool check_task(
	const struct ordo_plan *plan, uint32_t t, uint32_t rank, struct ordo_error *error)
{
	const struct ordo_schedule *schedule = plan->schedule;
	const struct ordo_task *task = &schedule->tasks[t];
	if (task->kind >= ORDO_NTASK_KIND)
		return ordo_fail(error, ORDO_REFUTED, 1,
			"task %" PRIu32 " of rank %" PRIu32 ": there is no kind %u", t, rank,
			(unsigned)task->kind);
	if (ordo_task_crosses(task) && task->peer >= schedule->problem.nrank)
		return ordo_fail_task(schedule, t, 2, error, "there are only %" PRIu32 " ranks",
			schedule->problem.nrank);
	if (!ordo_task_moves(task))
		return true;
	if (ordo_task_crosses(task) && task->peer == rank)
		return ordo_fail_task(schedule, t, 2, error, "a rank does not send to itself");
	if (task->src_buffer >= ORDO_NBUFFER || task->dst_buffer >= ORDO_NBUFFER)
		return ordo_fail(error, ORDO_REFUTED, 1,
			"task %" PRIu32 " of rank %" PRIu32 ": there is no such buffer", t, rank);
	if (!task->count || task->chunk + (uint64_t)task->count > plan->layout.nchunk)
		return ordo_fail_task(schedule, t, 3, error,
			"there are %" PRIu32 " chunks, and a task moves at least one",
			plan->layout.nchunk);
	if (task->dst_buffer == ORDO_INPUT && !schedule->problem.in_place)
		return ordo_fail_task(schedule, t, 4, error,
			"input is written, and the schedule is not in place");
	if (schedule->problem.accumulate_f32 && ordo_task_reduces(task) &&
		task->dst_buffer != ORDO_SCRATCH)
		return ordo_fail_task(schedule, t, 4, error,
			"it reduces into %s, and the schedule accumulates in f32, which only "
			"scratch holds",
			ordo_buffer_name((enum ordo_buffer)task->dst_buffer));
	struct slots src = {rank, (enum ordo_buffer)task->src_buffer, task->src};
	struct slots dst = {ordo_task_crosses(task) ? task->peer : rank,
		(enum ordo_buffer)task->dst_buffer, task->dst};
	return check_slots(plan, t, src, error) && check_slots(plan, t, dst, error);
}

/* Peers a rank sends to, while they are counted. */
struct tally {
	uint64_t *bytes; /* [nrank] */
	bool *is_peer;	 /* [nrank] */
	uint32_t *peers; /* [npeer] */
	uint32_t npeer;
};

static int compare_ranks(const void *left, const void *right)
{
	uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
	return (a > b) - (a < b);
}

static void count_sent(const struct ordo_plan *plan, uint32_t rank, struct tally *tally)
{
	const struct ordo_schedule *schedule = plan->schedule;
	const struct ordo_program *program = &schedule->programs[rank];
	for (uint32_t s = program->first_stream; s < program->end_stream; s++)
		for (uint32_t t = schedule->streams[s].first; t < schedule->streams[s].end; t++) {
			const struct ordo_task *task = &schedule->tasks[t];
			if (task->kind != ORDO_SEND && task->kind != ORDO_SEND_REDUCE)
				continue;
			if (!tally->is_peer[task->peer])
				tally->peers[tally->npeer++] = task->peer;
			tally->is_peer[task->peer] = true;
			tally->bytes[task->peer] +=
				element_moved(&plan->layout, task) *
				(chunk_begin(&plan->layout, task->chunk + task->count) -
					chunk_begin(&plan->layout, task->chunk));
		}
	qsort(tally->peers, tally->npeer, sizeof *tally->peers, compare_ranks);
}

/* Appends the tally of a rank to plan->sent and empties it. */
static bool keep_sent(struct ordo_plan *plan, uint32_t rank, struct tally *tally, size_t *room)
{
	size_t first = plan->first_sent[rank];
	if (!ordo_array_reserve(&plan->sent, room, first + tally->npeer, sizeof *plan->sent))
		return false;
	for (uint32_t i = 0; i < tally->npeer; i++) {
		uint32_t to = tally->peers[i];
		plan->sent[first + i] = (struct sent){to, tally->bytes[to]};
		tally->bytes[to] = 0;
		tally->is_peer[to] = false;
	}
	plan->first_sent[rank + 1] = (uint32_t)(first + tally->npeer);
	tally->npeer = 0;
	return true;
}

static bool count_all_sent(struct ordo_plan *plan, struct ordo_error *error)
{
	const uint32_t nrank = plan->schedule->problem.nrank;
	struct tally tally = {calloc(nrank, sizeof *tally.bytes),
		calloc(nrank, sizeof *tally.is_peer), calloc(nrank, sizeof *tally.peers), 0};
	plan->first_sent = calloc((size_t)nrank + 1, sizeof *plan->first_sent);
	bool worked = tally.bytes && tally.is_peer && tally.peers && plan->first_sent;
	size_t room = 0;
	for (uint32_t r = 0; worked && r < nrank; r++) {
		count_sent(plan, r, &tally);
		worked = keep_sent(plan, r, &tally, &room);
	}
	free(tally.bytes);
	free(tally.is_peer);
	free(tally.peers);
	return worked ? true : ordo_fail_memory(error);
}

static bool allocate_states(struct ordo_plan *plan, struct ordo_error *error)
{
	const uint32_t nrank = plan->schedule->problem.nrank, nstream = plan->schedule->nstream;
	plan->ranks = allocate_lines(nrank, sizeof *plan->ranks);
	plan->members = allocate_lines(nrank, sizeof *plan->members);
	plan->streams = calloc((size_t)nstream + 1, sizeof *plan->streams);
	plan->runnable = calloc((size_t)nstream + 1, sizeof *plan->runnable);
	if (!plan->ranks || !plan->members || !plan->streams || !plan->runnable)
		return ordo_fail_memory(error);
	for (uint32_t s = 0; s < nstream; s++)
		plan->streams[s].at = plan->schedule->streams[s].end;
	return true;
}

static bool allocate_scratch(struct ordo_plan *plan, struct ordo_error *error)
{
	const uint32_t nrank = plan->schedule->problem.nrank, nslot = plan->schedule->scratch_slots;
	const uint64_t slot = plan->layout.stride * element_in(&plan->layout, ORDO_SCRATCH);
	if (nslot && slot > (SIZE_MAX >> 1) / nslot / nrank)
		return ordo_fail(error, ORDO_USAGE, 0,
			"scratch: %" PRIu32 " ranks with %" PRIu32 " slots of %" PRIu64 " bytes",
			nrank, nslot, slot);
	plan->scratch_bytes = slot * nslot;
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
	return tile < LEAST_TILE_BYTES	? LEAST_TILE_BYTES
	       : tile > MOST_TILE_BYTES ? MOST_TILE_BYTES
					: tile;
}

static bool fill_plan(
	struct ordo_plan *plan, const struct ordo_plan_options *options, struct ordo_error *error)
{
	const struct ordo_schedule *schedule = plan->schedule;
	plan->type = options->type;
	plan->reduction = options->reduction;
	plan->divisor = ordo_divisor(&schedule->problem, options->reduction);
	plan->watchdog_ms = options->watchdog_ms ? options->watchdog_ms : WATCHDOG_MS;
	if (!check_streams(schedule, error) ||
		!ordo_layout_make(&plan->layout, &schedule->problem, options,
			options->tile_bytes ? options->tile_bytes
					    : choose_tile_bytes(&schedule->problem),
			error) ||
		!allocate_states(plan, error) || !allocate_scratch(plan, error))
		return false;
	count_unbound(plan);
	ordo_members_reset(plan);
	for (uint32_t s = 0; s < schedule->nstream; s++)
		for (uint32_t t = schedule->streams[s].first; t < schedule->streams[s].end; t++)
			if (!check_task(plan, t, schedule->streams[s].rank, error))
				return false;
	return ordo_plan_number_signals(plan, error) && count_all_sent(plan, error);
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
	ordo_crew_destroy(plan->crew);
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
	free(plan->members);
	free(plan->runnable);
	free(plan);
}

uint64_t ordo_plan_input_bytes(const struct ordo_plan *plan, uint32_t rank)
{
	return region_bytes(&plan->layout, rank, ORDO_INPUT);
}

uint64_t ordo_plan_output_bytes(const struct ordo_plan *plan, uint32_t rank)
{
	return region_bytes(&plan->layout, rank, ORDO_OUTPUT);
}

uint64_t ordo_plan_scratch_bytes(const struct ordo_plan *plan)
{
	return plan->scratch_bytes;
}

uint64_t ordo_plan_bytes_sent(const struct ordo_plan *plan, uint32_t from, uint32_t to)
{
	uint32_t low = plan->first_sent[from], high = plan->first_sent[from + 1];
	while (low < high) {
		uint32_t middle = low + (high - low) / 2;
		if (plan->sent[middle].to == to)
			return plan->sent[middle].bytes;
		if (plan->sent[middle].to < to)
			low = middle + 1;
		else
			high = middle;
	}
	return 0;
}

bool ordo_plan_bind(
	struct ordo_plan *plan, uint32_t rank, void *input, void *output, struct ordo_error *error)
{
	if (rank >= plan->schedule->problem.nrank)
		return ordo_fail(error, ORDO_USAGE, 0,
			"there is no rank %" PRIu32 ", only %" PRIu32 " ranks", rank,
			plan->schedule->problem.nrank);
	unsigned char *in = input, *out = output;
	if (!ordo_layout_settle(
		    &plan->layout, plan->schedule->problem.in_place, rank, &in, &out, error))
		return false;
	struct rank_state *state = &plan->ranks[rank];
	atomic_store_explicit(&state->memory[ORDO_INPUT], in, memory_order_relaxed);
	atomic_store_explicit(&state->memory[ORDO_OUTPUT], out, memory_order_relaxed);
	if (!state->bound)
		atomic_fetch_sub(&plan->nunbound, 1);
	state->bound = true;
	return true;
}

bool ordo_plan_is_ready(struct ordo_plan *plan, struct ordo_error *error)
{
	if (atomic_load(&plan->stopped) == STOPPED)
		return ordo_fail_again(plan, error);
	if (!atomic_load(&plan->nunbound))
		return ordo_float_mode_check(error);
	uint32_t rank = 0;
	while (plan->ranks[rank].bound)
		rank++;
	return ordo_fail(error, ORDO_USAGE, 0,
		"rank %" PRIu32 " has no buffers: bind every rank before a run", rank);
}
