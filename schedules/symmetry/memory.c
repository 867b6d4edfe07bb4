/* memory.c - rank 0's memory, written by rank 0 and, symmetrically, by the others: R8 to R11.
 *
 * All ranks do the same task at once: if it writes rank p, rank -p writes rank 0, the chunk and the
 * value relabelled by -p. Copies of one task on several ranks are never ordered (a path from one to
 * another would lead on, relabelled, round to the first), so a cell that one copy reads or writes
 * and another writes is a race.
 */
#include "quotient.h"
#include <ordo/arena.h>
#include <stdlib.h>

/* With more cells the result is undecided. */
#define MOST_CELLS (UINT64_C(1) << 27)

/* One access of a cell of rank 0. */
struct access {
	uint32_t task, by; /* rank `by` does it */
	unsigned buffer;
	uint32_t slot;
};

static struct cell *cell_of(const struct quotient *q, unsigned buffer, uint32_t slot)
{
	if (buffer == ORDO_OUTPUT)
		return &q->memory.cells[slot];
	if (buffer == ORDO_SCRATCH)
		return &q->memory.cells[(size_t)q->memory.noutput + slot];
	const uint32_t same = ordo_in_place_output_slot(q->problem, 0, slot);
	return &q->memory.cells[same != ORDO_NONE
					? same
					: (size_t)q->memory.noutput + q->memory.nscratch + slot];
}

bool ordo_quotient_open_memory(struct quotient *q)
{
	q->memory.noutput = ordo_output_slots(q->problem, 0);
	/* Scratch slots that no task names need no cells. */
	q->memory.nscratch = ordo_scratch_end(q->program.tasks, q->program.ntask);
	const uint32_t ninput = q->problem->in_place ? ordo_input_slots(q->problem, 0) : 0;
	const size_t ncell = (size_t)q->memory.noutput + q->memory.nscratch + ninput;
	const uint32_t nchunk =
		ordo_operator_facts(q->problem->op)->reduces ? ordo_nchunk(q->problem) : 0;
	if (ncell > MOST_CELLS || nchunk > MOST_CELLS)
		return ordo_fail(q->findings.error, ORDO_UNDECIDED, 0,
			"a rank has %llu slots for %u chunks; at most %llu can be followed",
			(unsigned long long)ncell, nchunk, (unsigned long long)MOST_CELLS);
	q->memory.cells = malloc((ncell + 1) * sizeof *q->memory.cells);
	if (!q->memory.cells ||
		!ordo_array_reserve(
			&q->memory.readers, &q->memory.reader_room, 1, sizeof *q->memory.readers) ||
		!ordo_orbit_forest_create(&q->memory.forest, q->group))
		return ordo_fail_memory(q->findings.error);
	q->memory.nreader = 1;
	for (size_t i = 0; i < ncell; i++)
		q->memory.cells[i] =
			(struct cell){{UNDEFINED, 0}, ORDO_NONE, ORDO_NONE, 0, ORDO_NONE, 0};
	for (uint32_t slot = 0; slot < ninput; slot++) {
		struct cell *cell = cell_of(q, ORDO_INPUT, slot);
		cell->value = (struct value){LEAF, 0};
		cell->chunk = ordo_input_chunk(q->problem, 0, slot);
	}
	return true;
}

static bool push_reader(struct quotient *q, struct cell *cell, uint32_t task)
{
	uint32_t index = q->memory.free_reader;
	if (index) {
		q->memory.free_reader = q->memory.readers[index].next;
	} else {
		if (!ordo_array_reserve(&q->memory.readers, &q->memory.reader_room,
			    (size_t)q->memory.nreader + 1, sizeof *q->memory.readers))
			return ordo_fail_memory(q->findings.error);
		index = q->memory.nreader++;
	}
	q->memory.readers[index] = (struct reader){task, cell->more};
	cell->more = index;
	return true;
}

static void forget_readers(struct quotient *q, struct cell *cell)
{
	cell->reader = ORDO_NONE;
	while (cell->more) {
		const uint32_t next = q->memory.readers[cell->more].next;
		q->memory.readers[cell->more].next = q->memory.free_reader;
		q->memory.free_reader = cell->more;
		cell->more = next;
	}
}

static bool report_race(struct quotient *q, const struct access *access, uint32_t a, uint32_t by)
{
	return ordo_add_finding(&q->findings, 8, NULL, 0,
		"a Notify after the first and a Wait before the second would order them",
		"race on rank 0, %s slot %u, and on every other rank: nothing orders, done by rank "
		"%u as rank 0 does it,\n  %s\n  before or after, done likewise by rank %u,\n  %s",
		ordo_buffer_name((enum ordo_buffer)access->buffer), access->slot, by,
		ordo_quotient_where(q, a).text, access->by,
		ordo_quotient_where(q, access->task).text);
}

static bool follow(struct quotient *q, const struct access *access, uint32_t a, uint32_t by)
{
	q->findings.proof->order_questions++;
	if (a != access->task &&
		ordo_quotient_is_before(q, a, by, q->stream_of[access->task], access->by))
		return true;
	return report_race(q, access, a, by);
}

static bool note_read(struct quotient *q, const struct access *access, struct cell *cell)
{
	if (cell->writer != ORDO_NONE && !follow(q, access, cell->writer, cell->writer_rank))
		return false;
	if (cell->reader != ORDO_NONE && q->stream_of[cell->reader] != q->stream_of[access->task] &&
		!push_reader(q, cell, cell->reader))
		return false;
	cell->reader = access->task;
	return true;
}

static bool note_write(struct quotient *q, const struct access *access, struct cell *cell)
{
	if (cell->reader != ORDO_NONE) {
		if (!follow(q, access, cell->reader, 0))
			return false;
		for (uint32_t i = cell->more; i; i = q->memory.readers[i].next)
			if (!follow(q, access, q->memory.readers[i].task, 0))
				return false;
	} else if (cell->writer != ORDO_NONE &&
		   !follow(q, access, cell->writer, cell->writer_rank)) {
		return false;
	}
	cell->writer = access->task;
	cell->writer_rank = access->by;
	forget_readers(q, cell);
	return true;
}

static const struct value poisoned = {POISONED, 0};

static bool verify_value(struct quotient *q, const struct access *access, const struct cell *cell,
	uint32_t chunk, struct value *value)
{
	*value = cell->value;
	if (cell->value.node == POISONED || (cell->value.node != UNDEFINED && cell->chunk == chunk))
		return true;
	*value = poisoned;
	if (cell->value.node == UNDEFINED)
		return ordo_add_finding(&q->findings, 10, NULL, 0, NULL,
			"%s: uses %s slot %u, which nothing has written",
			ordo_quotient_where(q, access->task).text,
			ordo_buffer_name((enum ordo_buffer)access->buffer), access->slot);
	return ordo_add_finding(&q->findings, 10, NULL, 0, NULL,
		"%s: %s slot %u holds chunk %u, the task moves chunk %u",
		ordo_quotient_where(q, access->task).text,
		ordo_buffer_name((enum ordo_buffer)access->buffer), access->slot, cell->chunk,
		chunk);
}

static bool read_value(
	struct quotient *q, const struct access *access, uint32_t chunk, struct value *value)
{
	/* Out of place, input is never written, and a task reads it where its chunk lies:
	 * ordo_fits_view. */
	if (access->buffer == ORDO_INPUT && !q->problem->in_place) {
		*value = (struct value){LEAF, 0};
		return true;
	}
	struct cell *cell = cell_of(q, access->buffer, access->slot);
	return note_read(q, access, cell) && verify_value(q, access, cell, chunk, value);
}

static bool add_up(struct quotient *q, struct value a, struct value b, struct value *sum)
{
	if (a.node == POISONED || b.node == POISONED) {
		*sum = poisoned;
		return true;
	}
	if (ordo_add_values(&q->memory.forest, a, b, sum))
		return true;
	return q->memory.forest.too_large
		       ? ordo_fail(q->findings.error, ORDO_UNDECIDED, 0,
				 "the sums have too many symmetries to be compared")
		       : ordo_fail_memory(q->findings.error);
}

static bool store(struct quotient *q, const struct access *access, bool reduces, uint32_t chunk,
	struct value value)
{
	struct cell *cell = cell_of(q, access->buffer, access->slot);
	if (!note_write(q, access, cell))
		return false;
	if (value.node != POISONED)
		value = ordo_shift_value(&q->memory.forest, value, access->by);
	struct value before;
	if (reduces && (!verify_value(q, access, cell, chunk, &before) ||
			       !add_up(q, before, value, &value)))
		return false;
	cell->value = value;
	cell->chunk = chunk;
	return true;
}

/* R9: the first access of a stream to a rank's memory must follow that rank's entering, the last
 * one precede its leaving. */
static bool note_touch(struct quotient *q, uint32_t task, uint32_t rank)
{
	const uint32_t stream = q->stream_of[task];
	uint32_t index = ordo_map_get(&q->touches.of, stream, rank);
	if (index == ORDO_NONE) {
		index = q->touches.count++;
		if (!ordo_array_reserve(&q->touches.items, &q->touches.room, q->touches.count,
			    sizeof *q->touches.items) ||
			!ordo_map_put(&q->touches.of, stream, rank, index))
			return ordo_fail_memory(q->findings.error);
		q->touches.items[index] =
			(struct touch){task, task, ordo_quotient_has_entered(q, stream, rank)};
	}
	q->touches.items[index].last = task;
	return true;
}

bool ordo_quotient_access(struct quotient *q, uint32_t id)
{
	const struct ordo_task *task = &q->program.tasks[id];
	const uint32_t peer = ordo_task_crosses(task) ? task->peer : 0;
	const uint32_t by = ordo_symmetry_negate(q->group, peer);
	const struct shift shift = ordo_shift_of(q->group, &q->symmetry->chunks, by);
	if (peer && !note_touch(q, id, peer))
		return false;
	for (uint32_t i = 0; i < task->count && !ordo_findings_full(&q->findings); i++) {
		const uint32_t chunk = shift_chunk(&shift, task->chunk + i);
		const struct access source = {id, 0, task->src_buffer, task->src + i};
		struct access goal = {id, by, task->dst_buffer, task->dst + i};
		if (task->dst_buffer == ORDO_INPUT)
			goal.slot = ordo_input_slot(q->problem, 0, chunk);
		else if (task->dst_buffer == ORDO_OUTPUT)
			goal.slot = ordo_output_slot(q->problem, 0, chunk);
		struct value value;
		if (!read_value(q, &source, task->chunk + i, &value) ||
			!store(q, &goal, ordo_task_reduces(task), chunk, value))
			return false;
	}
	return true;
}

bool ordo_quotient_verify_touches(struct quotient *q)
{
	for (uint32_t i = 0; i < q->touches.count; i++) {
		const struct touch *touch = &q->touches.items[i];
		const uint32_t rank = q->program.tasks[touch->first].peer;
		const uint32_t back = ordo_symmetry_negate(q->group, rank);
		bool left = true;
		for (uint32_t s = 0; left && s < q->program.nstream; s++)
			left = ordo_quotient_known(q, s, q->stream_of[touch->last], back) <=
			       touch->last;
		if (!touch->entered &&
			!ordo_add_finding(&q->findings, 9, NULL, 0,
				"let that rank notify this one first: \"I have entered\"",
				"%s touches the memory of rank %u, which may not have entered the "
				"call yet",
				ordo_quotient_where(q, touch->first).text, rank))
			return false;
		if (left && !ordo_add_finding(&q->findings, 9, NULL, 0,
				    "let that rank wait for a Notify given after this task",
				    "%s touches the memory of rank %u, which may have left the "
				    "call already",
				    ordo_quotient_where(q, touch->last).text, rank))
			return false;
	}
	return true;
}

/* R11 for one slot; the verdict on its tree is cached, since all its relabellings have the same. */
static bool verify_output(struct quotient *q, uint32_t slot, int8_t *verdicts)
{
	const struct cell *cell = &q->memory.cells[slot];
	const uint32_t chunk = ordo_output_chunk(q->problem, 0, slot);
	if (cell->value.node == POISONED)
		return true;
	bool good = cell->value.node != UNDEFINED && cell->chunk == chunk;
	if (good && !ordo_operator_facts(q->problem->op)->reduces)
		good = cell->value.node == LEAF &&
		       cell->value.by == ordo_chunk_source(q->problem, chunk);
	else if (good) {
		int8_t *verdict = &verdicts[cell->value.node];
		if (!*verdict) {
			const int once = ordo_adds_each_once(&q->memory.forest, cell->value.node);
			if (once < 0)
				return ordo_fail_memory(q->findings.error);
			*verdict = once ? 1 : -1;
		}
		good = *verdict > 0;
	}
	if (good)
		return true;
	if (cell->value.node == UNDEFINED)
		return ordo_add_finding(&q->findings, 11, NULL, 0, NULL,
			"rank 0, output slot %u is never written, nor is that of any rank", slot);
	return ordo_add_finding(&q->findings, 11, NULL, 0, NULL,
		"rank 0, output slot %u, and that of every rank, does not hold at the end what %s "
		"demands; last written, as rank 0 does it, by %s",
		slot, ordo_operator_facts(q->problem->op)->name,
		cell->writer == ORDO_NONE ? "no task" : ordo_quotient_where(q, cell->writer).text);
}

bool ordo_quotient_verify_outputs(struct quotient *q)
{
	int8_t *verdicts = calloc((size_t)q->memory.forest.nnode + 1, sizeof *verdicts);
	bool worked = verdicts || ordo_fail_memory(q->findings.error);
	for (uint32_t slot = 0;
		worked && slot < q->memory.noutput && !ordo_findings_full(&q->findings); slot++)
		worked = verify_output(q, slot, verdicts);
	free(verdicts);
	return worked;
}
