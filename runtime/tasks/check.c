/* check.c - checks that the tasks of a schedule access only the memory of bound buffers. */
#include "check.h"
#include "task_error.h"
#include <inttypes.h>
#include <ordo/detail/accumulate.h>

bool ordo_check_streams(const struct ordo_schedule *schedule, struct ordo_error *error)
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
	if (layout->equal || slots.buffer == ORDO_SCRATCH ||
		is_canonical_slot(&plan->layout, slots, task->chunk))
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
	if (schedule->problem.accumulate && ordo_task_reduces(task) &&
		task->dst_buffer != ORDO_SCRATCH)
		return ordo_fail_task(schedule, t, 4, error,
			"it reduces into %s, and the schedule accumulates in %s, which only "
			"scratch holds",
			ordo_buffer_name((enum ordo_buffer)task->dst_buffer),
			ordo_accumulation_name(schedule->problem.accumulate));
	struct slots src = {rank, (enum ordo_buffer)task->src_buffer, task->src};
	struct slots dst = {ordo_task_crosses(task) ? task->peer : rank,
		(enum ordo_buffer)task->dst_buffer, task->dst};
	return check_slots(plan, t, src, error) && check_slots(plan, t, dst, error);
}

bool ordo_plan_check_tasks(const struct ordo_plan *plan, struct ordo_error *error)
{
	const struct ordo_schedule *schedule = plan->schedule;
	for (uint32_t s = 0; s < schedule->nstream; s++)
		for (uint32_t t = schedule->streams[s].first; t < schedule->streams[s].end; t++)
			if (!check_task(plan, t, schedule->streams[s].rank, error))
				return false;
	return true;
}
