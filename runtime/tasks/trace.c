/* trace.c - records when tasks begin and end. */
#include "trace.h"
#include <ordo/detail/trace.h>
#include <stdlib.h>
#include <string.h>

enum step_result ordo_step_traced(
	struct ordo_plan *plan, uint32_t stream, uint32_t worker, uint32_t *woken)
{
	const struct ordo_schedule *schedule = plan->schedule;
	const struct ordo_stream *facts = &schedule->streams[stream];
	const uint32_t task = plan->streams[stream].at;
	if (task == facts->end)
		return ordo_step(plan, stream, woken);
	const uint64_t round = (plan->ranks[facts->rank].ncall - 1) * plan->layout.nround +
			       plan->streams[stream].round;
	struct record *record = record_of(plan->trace, round, schedule->ntask, task);
	const uint32_t stamp = (uint32_t)round + 1;
	if (record->stamp != stamp || !record->begin_ns)
		*record = (struct record){.begin_ns = now_ns(), .stamp = stamp};
	record->worker = worker;
	const enum step_result step = ordo_step(plan, stream, woken);
	/* A blocked stream may already run on another thread, so its record is left alone. */
	if (step == STEP_MOVED)
		record->end_ns = now_ns();
	return step;
}

/* Touches every page here, so that no page fault falls into a timed run. */
static struct record *allocate_records(uint64_t nround, uint32_t ntask)
{
	const uint64_t most = SIZE_MAX / 2 / sizeof(struct record);
	if (ntask && nround > most / ntask)
		return NULL;
	const size_t bytes =
		nround * ntask * sizeof(struct record) / CACHE_LINE * CACHE_LINE + CACHE_LINE;
	struct record *records = aligned_alloc(CACHE_LINE, bytes);
	if (records)
		memset(records, 0, bytes);
	return records;
}

void ordo_trace_destroy(struct trace *trace)
{
	if (!trace)
		return;
	free(trace->records);
	ordo_pairing_close(&trace->pairing);
	free(trace);
}

static struct trace *create_trace(const struct ordo_plan *plan, uint64_t nround)
{
	struct trace *trace = calloc(1, sizeof *trace);
	if (!trace)
		return NULL;
	trace->nround = nround;
	trace->records = allocate_records(nround, plan->schedule->ntask);
	if (ordo_pairing_open(&trace->pairing, plan->schedule) && trace->records)
		return trace;
	ordo_trace_destroy(trace);
	return NULL;
}

bool ordo_plan_trace_begin(struct ordo_plan *plan, uint32_t ncall, struct ordo_error *error)
{
	ordo_plan_trace_end(plan);
	if (!ncall)
		return ordo_fail(
			error, ORDO_USAGE, 0, "trace: found 0 calls to keep, wanted at least 1");
	if (plan->layout.nround > UINT64_MAX / ncall)
		return ordo_fail_memory(error);
	plan->trace = create_trace(plan, ncall * plan->layout.nround);
	return plan->trace ? true : ordo_fail_memory(error);
}

void ordo_plan_trace_end(struct ordo_plan *plan)
{
	ordo_trace_destroy(plan->trace);
	plan->trace = NULL;
}

/* Rounds that streams of a rank may have begun, of all runs. */
static uint64_t count_begun(const struct ordo_plan *plan, uint32_t rank)
{
	const struct rank_state *state = &plan->ranks[rank];
	const uint64_t per_call = plan->layout.nround,
		       begun = atomic_load(&state->rounds_ended) + plan->window;
	return state->ncall ? (state->ncall - 1) * per_call + (begun < per_call ? begun : per_call)
			    : 0;
}

struct ordo_trace_extent ordo_plan_trace_extent(const struct ordo_plan *plan)
{
	const uint64_t per_call = plan->layout.nround;
	struct ordo_trace_extent extent = {.rounds_per_call = per_call};
	for (uint32_t r = 0; plan->trace && r < plan->schedule->problem.nrank; r++) {
		const uint64_t begun = count_begun(plan, r);
		extent.end = begun > extent.end ? begun : extent.end;
	}
	if (!extent.end)
		return extent;
	const uint64_t end_of_call = ((extent.end - 1) / per_call + 1) * per_call;
	if (end_of_call > plan->trace->nround)
		extent.begin = end_of_call - plan->trace->nround;
	return extent;
}

static uint64_t count_bytes(
	const struct ordo_plan *plan, const struct ordo_task *task, uint64_t round)
{
	const struct layout *layout = &plan->layout;
	if (!ordo_task_moves(task))
		return 0;
	if (layout->nround == 1)
		return element_bytes_moved(layout, task) *
		       (chunk_begin(layout, task->chunk + task->count) -
			       chunk_begin(layout, task->chunk));
	const uint64_t skip = round % layout->nround * layout->tile;
	uint64_t sum = 0;
	for (uint32_t c = task->chunk; c < task->chunk + task->count; c++) {
		const uint64_t n = chunk_begin(layout, c + 1) - chunk_begin(layout, c);
		const uint64_t left = n > skip ? n - skip : 0;
		sum += left < layout->tile ? left : layout->tile;
	}
	return sum * element_bytes_moved(layout, task);
}

bool ordo_plan_traced_task(const struct ordo_plan *plan, uint64_t round, uint32_t task,
	struct ordo_traced_task *traced)
{
	const struct trace *trace = plan->trace;
	const uint32_t ntask = plan->schedule->ntask;
	if (!trace || task >= ntask)
		return false;
	const struct record *record = record_of(trace, round, ntask, task);
	if (record->stamp != (uint32_t)round + 1 || !record->begin_ns)
		return false;
	*traced = (struct ordo_traced_task){.begin_ns = record->begin_ns,
		.end_ns = record->end_ns,
		.worker = record->worker,
		.notify = ORDO_NONE,
		.bytes = count_bytes(plan, &plan->schedule->tasks[task], round)};
	if (plan->schedule->tasks[task].kind != ORDO_WAIT)
		return true;
	uint64_t notify_round = round;
	traced->notify = ordo_pairing_notify_in_call(&trace->pairing, task, &notify_round);
	if (traced->notify != ORDO_NONE)
		traced->notify_round = notify_round;
	return true;
}
