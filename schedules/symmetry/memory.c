/* memory.c - rank 0's memory, written by rank 0 and, as rank 0 writes theirs, by the others: R8 to
 * R11.
 *
 * All ranks do the same task at once: if it writes rank p, rank -p writes rank 0, the chunk and the
 * value relabelled by -p. Copies of one task on several ranks are never ordered (a path from one to
 * another would lead on, relabelled, round to the first), so a cell that one copy reads or writes
 * and another writes is a race.
 */
#include "quotient.h"
#include <ordo/arena.h>
#include <stdlib.h>

/* Beyond this many cells the question is given up as undecided. */
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
		return &q->cells[slot];
	if (buffer == ORDO_SCRATCH)
		return &q->cells[(size_t)q->noutput + slot];
	const uint32_t same = ordo_in_place_output_slot(q->problem, 0, slot);
	return &q->cells[same != ORDO_NONE ? same : (size_t)q->noutput + q->nscratch + slot];
}

/* Scratch slots that no task names need no cells. */
static uint32_t end_of_scratch(const struct ordo_rank_program *program)
{
	uint32_t end = 0;
	for (uint32_t id = 0; id < program->ntask; id++) {
		const struct ordo_task *task = &program->tasks[id];
		if (!ordo_task_moves(task))
			continue;
		if (task->src_buffer == ORDO_SCRATCH && task->src + task->count > end)
			end = task->src + task->count;
		if (task->dst_buffer == ORDO_SCRATCH && task->dst + task->count > end)
			end = task->dst + task->count;
	}
	return end;
}

bool q_open_memory(struct quotient *q)
{
	q->noutput = ordo_output_slots(q->problem, 0);
	q->nscratch = end_of_scratch(&q->program);
	const uint32_t ninput = q->problem->in_place ? ordo_input_slots(q->problem, 0) : 0;
	const size_t ncell = (size_t)q->noutput + q->nscratch + ninput;
	const uint32_t nchunk =
		ordo_operator_facts(q->problem->op)->reduces ? ordo_nchunk(q->problem) : 0;
	if (ncell > MOST_CELLS || nchunk > MOST_CELLS)
		return ordo_fail(q->error, ORDO_UNDECIDED, 0,
			"a rank has %llu slots for %u chunks; at most %llu can be followed",
			(unsigned long long)ncell, nchunk, (unsigned long long)MOST_CELLS);
	q->cells = malloc((ncell + 1) * sizeof *q->cells);
	if (!q->cells || !ordo_array_reserve(&q->readers, &q->reader_room, 1, sizeof *q->readers) ||
		!forest_create(&q->forest, q->group))
		return ordo_fail_memory(q->error);
	q->nreader = 1;
	for (size_t i = 0; i < ncell; i++)
		q->cells[i] = (struct cell){{UNDEFINED, 0}, ORDO_NONE, ORDO_NONE, 0, ORDO_NONE, 0};
	for (uint32_t slot = 0; slot < ninput; slot++) {
		struct cell *cell = cell_of(q, ORDO_INPUT, slot);
		cell->value = (struct value){LEAF, 0};
		cell->chunk = ordo_input_chunk(q->problem, 0, slot);
	}
	return true;
}

static bool push_reader(struct quotient *q, struct cell *cell, uint32_t task)
{
	uint32_t index = q->free_reader;
	if (index) {
		q->free_reader = q->readers[index].next;
	} else {
		if (!ordo_array_reserve(&q->readers, &q->reader_room, (size_t)q->nreader + 1,
			    sizeof *q->readers))
			return ordo_fail_memory(q->error);
		index = q->nreader++;
	}
	q->readers[index] = (struct reader){task, cell->more};
	cell->more = index;
	return true;
}

static void forget_readers(struct quotient *q, struct cell *cell)
{
	cell->reader = ORDO_NONE;
	while (cell->more) {
		const uint32_t next = q->readers[cell->more].next;
		q->readers[cell->more].next = q->free_reader;
		q->free_reader = cell->more;
		cell->more = next;
	}
}

static bool report_race(struct quotient *q, const struct access *access, uint32_t a, uint32_t by)
{
	return q_find(q, 8,
		"a Notify after the first and a Wait before the second would order them",
		"race on rank 0, %s slot %u, and on every other rank: nothing orders, done by rank "
		"%u as rank 0 does it,\n  %s\n  before or after, done likewise by rank %u,\n  %s",
		ordo_buffer_name((enum ordo_buffer)access->buffer), access->slot, by,
		q_where_is(q, a).text, access->by, q_where_is(q, access->task).text);
}

static bool follow(struct quotient *q, const struct access *access, uint32_t a, uint32_t by)
{
	q->proof->order_questions++;
	if (a != access->task && q_is_before(q, a, by, q->stream_of[access->task], access->by))
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
		for (uint32_t i = cell->more; i; i = q->readers[i].next)
			if (!follow(q, access, q->readers[i].task, 0))
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

static bool judge_value(struct quotient *q, const struct access *access, const struct cell *cell,
	uint32_t chunk, struct value *value)
{
	*value = cell->value;
	if (cell->value.node == POISONED || (cell->value.node != UNDEFINED && cell->chunk == chunk))
		return true;
	*value = poisoned;
	if (cell->value.node == UNDEFINED)
		return q_find(q, 10, NULL, "%s: uses %s slot %u, which nothing has written",
			q_where_is(q, access->task).text,
			ordo_buffer_name((enum ordo_buffer)access->buffer), access->slot);
	return q_find(q, 10, NULL, "%s: %s slot %u holds chunk %u, the task moves chunk %u",
		q_where_is(q, access->task).text,
		ordo_buffer_name((enum ordo_buffer)access->buffer), access->slot, cell->chunk,
		chunk);
}

static bool read_value(
	struct quotient *q, const struct access *access, uint32_t chunk, struct value *value)
{
	/* Out of place, input is never written, and a task reads it where its chunk lies:
	 * `fits`. */
	if (access->buffer == ORDO_INPUT && !q->problem->in_place) {
		*value = (struct value){LEAF, 0};
		return true;
	}
	struct cell *cell = cell_of(q, access->buffer, access->slot);
	return note_read(q, access, cell) && judge_value(q, access, cell, chunk, value);
}

static bool add_up(struct quotient *q, struct value a, struct value b, struct value *sum)
{
	if (a.node == POISONED || b.node == POISONED) {
		*sum = poisoned;
		return true;
	}
	if (add_values(&q->forest, a, b, sum))
		return true;
	return q->forest.too_large ? ordo_fail(q->error, ORDO_UNDECIDED, 0,
					     "the sums have too many symmetries to be told apart")
				   : ordo_fail_memory(q->error);
}

static bool store(struct quotient *q, const struct access *access, bool reduces, uint32_t chunk,
	struct value value)
{
	struct cell *cell = cell_of(q, access->buffer, access->slot);
	if (!note_write(q, access, cell))
		return false;
	if (value.node != POISONED)
		value = shift_value(&q->forest, value, access->by);
	struct value before;
	if (reduces && (!judge_value(q, access, cell, chunk, &before) ||
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
	uint32_t index = pair_get(&q->touch_of, stream, rank);
	if (index == ORDO_NONE) {
		index = q->ntouch++;
		if (!ordo_array_reserve(
			    &q->touches, &q->touch_room, q->ntouch, sizeof *q->touches) ||
			!pair_put(&q->touch_of, stream, rank, index))
			return ordo_fail_memory(q->error);
		q->touches[index] = (struct touch){task, task, q_has_entered(q, stream, rank)};
	}
	q->touches[index].last = task;
	return true;
}

bool q_access(struct quotient *q, uint32_t id)
{
	const struct ordo_task *task = &q->program.tasks[id];
	const uint32_t peer = ordo_task_crosses(task) ? task->peer : 0;
	const uint32_t by = ordo_symmetry_negate(q->group, peer);
	const struct shift shift = shift_of(q->group, &q->symmetry->chunks, by);
	if (peer && !note_touch(q, id, peer))
		return false;
	for (uint32_t i = 0; i < task->count && !q_enough(q); i++) {
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

bool q_judge_touches(struct quotient *q)
{
	for (uint32_t i = 0; i < q->ntouch; i++) {
		const struct touch *touch = &q->touches[i];
		const uint32_t rank = q->program.tasks[touch->first].peer;
		const uint32_t back = ordo_symmetry_negate(q->group, rank);
		bool left = true;
		for (uint32_t s = 0; left && s < q->program.nstream; s++)
			left = q_known(q, s, q->stream_of[touch->last], back) <= touch->last;
		if (!touch->entered &&
			!q_find(q, 9, "let that rank notify this one first: \"I have entered\"",
				"%s touches the memory of rank %u, which may not have entered the "
				"call yet",
				q_where_is(q, touch->first).text, rank))
			return false;
		if (left && !q_find(q, 9, "let that rank wait for a Notify given after this task",
				    "%s touches the memory of rank %u, which may have left the "
				    "call already",
				    q_where_is(q, touch->last).text, rank))
			return false;
	}
	return true;
}

/* R11 for one slot; the verdict on its tree is kept, for it is that of all relabelled ones. */
static bool judge_output(struct quotient *q, uint32_t slot, int8_t *verdicts)
{
	const struct cell *cell = &q->cells[slot];
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
			const int once = adds_each_once(&q->forest, cell->value.node);
			if (once < 0)
				return ordo_fail_memory(q->error);
			*verdict = once ? 1 : -1;
		}
		good = *verdict > 0;
	}
	if (good)
		return true;
	if (cell->value.node == UNDEFINED)
		return q_find(q, 11, NULL,
			"rank 0, output slot %u is never written, nor is that of any rank", slot);
	return q_find(q, 11, NULL,
		"rank 0, output slot %u, and that of every rank, does not hold at the end what %s "
		"demands; last written, as rank 0 does it, by %s",
		slot, ordo_operator_facts(q->problem->op)->name,
		cell->writer == ORDO_NONE ? "nobody" : q_where_is(q, cell->writer).text);
}

bool q_judge_outputs(struct quotient *q)
{
	int8_t *verdicts = calloc((size_t)q->forest.nnode + 1, sizeof *verdicts);
	bool worked = verdicts || ordo_fail_memory(q->error);
	for (uint32_t slot = 0; worked && slot < q->noutput && !q_enough(q); slot++)
		worked = judge_output(q, slot, verdicts);
	free(verdicts);
	return worked;
}
