/* contents.c - the chunk that every slot holds while the schedule runs in one legal order. */
#include "contents.h"
#include <inttypes.h>
#include <ordo/detail/fail.h>
#include <ordo/detail/slots.h>
#include <ordo/greedy.h>
#include <ordo/mix.h>
#include <ordo/signals.h>
#include <stdlib.h>

struct contents {
	struct ordo_schedule *schedule;
	const struct ordo_problem *problem;
	uint32_t inputs, outputs, cells; /* slots of a rank, at most: input, output, all */
	uint32_t *chunk;		 /* [nrank][cells] what a slot holds; ORDO_NONE: nothing */
	uint64_t *sum;	  /* [nrank][cells] the sum of the leaves that a slot has added up */
	uint64_t *want;	  /* [chunk] of all leaves */
	uint32_t foreign; /* the first move of another chunk into an output slot; ORDO_NONE */
};

static bool is_inside(const struct contents *c, uint32_t rank, uint32_t buffer, uint32_t slot)
{
	return slot < (buffer == ORDO_INPUT	      ? ordo_input_slots(c->problem, rank)
			      : buffer == ORDO_OUTPUT ? ordo_output_slots(c->problem, rank)
						      : c->schedule->scratch_slots);
}

/* The cell of a slot that is inside. */
static uint32_t *cell_inside(
	const struct contents *c, uint32_t rank, uint32_t buffer, uint32_t slot)
{
	uint32_t *first = c->chunk + (size_t)rank * c->cells;
	const uint32_t output = buffer == ORDO_INPUT
					? ordo_in_place_output_slot(c->problem, rank, slot)
					: ORDO_NONE;
	if (output != ORDO_NONE)
		return first + c->inputs + output;
	return first + slot +
	       (buffer == ORDO_INPUT	       ? 0
		       : buffer == ORDO_OUTPUT ? c->inputs
					       : c->inputs + c->outputs);
}

/* NULL: no rank has it. */
static uint32_t *cell(const struct contents *c, uint32_t rank, uint32_t buffer, uint32_t slot)
{
	return is_inside(c, rank, buffer, slot) ? cell_inside(c, rank, buffer, slot) : NULL;
}

/* The only chunk that a slot of the input or output may hold; ORDO_NONE: any. */
static uint32_t own_chunk(const struct contents *c, uint32_t rank, uint32_t buffer, uint32_t slot)
{
	if (buffer == ORDO_SCRATCH || !is_inside(c, rank, buffer, slot) ||
		(buffer == ORDO_OUTPUT && c->problem->op == ORDO_CUSTOM))
		return ORDO_NONE;
	return buffer == ORDO_INPUT ? ordo_input_chunk(c->problem, rank, slot)
				    : ordo_output_chunk(c->problem, rank, slot);
}

/* A number that stands for a rank's own input of a chunk. */
static uint64_t leaf(uint32_t rank, uint32_t chunk)
{
	return ordo_mix(((uint64_t)rank << 32 | chunk) + UINT64_C(0x9e3779b97f4a7c15));
}

static enum ordo_visit follow(void *closure, uint32_t stream, uint32_t id)
{
	struct contents *c = closure;
	struct ordo_task *task = &c->schedule->tasks[id];
	if (task->kind >= ORDO_NOTIFY)
		return ORDO_VISIT_ON;
	const uint32_t rank = c->schedule->streams[stream].rank,
		       target = ordo_task_crosses(task) ? task->peer : rank;
	const uint32_t *src = cell(c, rank, task->src_buffer, task->src);
	uint32_t *dst = cell(c, target, task->dst_buffer, task->dst);
	const uint32_t own = own_chunk(c, target, task->dst_buffer, task->dst);
	if (src && *src != ORDO_NONE)
		task->chunk = *src;
	else if (own != ORDO_NONE)
		task->chunk = own;
	if (own != ORDO_NONE && own != task->chunk && c->foreign == ORDO_NONE)
		c->foreign = id;
	if (dst) {
		const uint64_t moved = src ? c->sum[src - c->chunk] : 0;
		uint64_t *sum = &c->sum[dst - c->chunk];
		*sum = moved + (ordo_task_reduces(task) ? *sum : 0);
	}
	/* Of Custom, a sum has the least name in it. */
	if (dst && (!ordo_task_reduces(task) || *dst == ORDO_NONE ||
			   (c->problem->op == ORDO_CUSTOM && task->chunk < *dst)))
		*dst = task->chunk;
	return ORDO_VISIT_ON;
}

static bool open_contents(struct contents *c, struct ordo_schedule *schedule)
{
	const struct ordo_problem *problem = &schedule->problem;
	*c = (struct contents){.schedule = schedule, .problem = problem, .foreign = ORDO_NONE};
	for (uint32_t rank = 0; rank < problem->nrank; rank++) {
		const uint32_t inputs = ordo_input_slots(problem, rank),
			       outputs = ordo_output_slots(problem, rank);
		c->inputs = inputs > c->inputs ? inputs : c->inputs;
		c->outputs = outputs > c->outputs ? outputs : c->outputs;
	}
	c->cells = c->inputs + c->outputs + schedule->scratch_slots;
	const size_t count = (size_t)problem->nrank * c->cells;
	const size_t most = c->inputs > c->outputs ? c->inputs : c->outputs;
	c->chunk = malloc((count + 1) * sizeof *c->chunk);
	c->sum = calloc(count + 1, sizeof *c->sum);
	c->want = calloc(most * problem->nrank + 1, sizeof *c->want);
	if (!c->chunk || !c->sum || !c->want)
		return false;
	for (size_t i = 0; i < count; i++)
		c->chunk[i] = ORDO_NONE;
	for (uint32_t rank = 0; rank < problem->nrank; rank++)
		for (uint32_t s = 0; s < ordo_input_slots(problem, rank); s++) {
			uint32_t *at = cell_inside(c, rank, ORDO_INPUT, s);
			*at = ordo_input_chunk(problem, rank, s);
			c->sum[at - c->chunk] = leaf(rank, *at);
			c->want[*at] += leaf(rank, *at);
		}
	return true;
}

static void close_contents(struct contents *c)
{
	free(c->chunk);
	free(c->sum);
	free(c->want);
}

/* Does every slot of the output hold its own chunk, of all that have it? */
static bool end_right(const struct contents *c)
{
	for (uint32_t rank = 0; rank < c->problem->nrank; rank++)
		for (uint32_t s = 0; s < ordo_output_slots(c->problem, rank); s++) {
			const uint32_t *at = cell_inside(c, rank, ORDO_OUTPUT, s);
			if (*at != ordo_output_chunk(c->problem, rank, s) ||
				c->sum[at - c->chunk] != c->want[*at])
				return false;
		}
	return true;
}

static bool fail_foreign(
	const struct contents *c, const struct msccl_program *program, struct ordo_error *error)
{
	const struct ordo_task *task = &c->schedule->tasks[c->foreign];
	const uint32_t rank = c->schedule->streams[ordo_stream_of(c->schedule, c->foreign)].rank,
		       target = ordo_task_crosses(task) ? task->peer : rank;
	msccl_fail(program, c->schedule->places[c->foreign], 0, error,
		"%s slot %" PRIu32 " of gpu %" PRIu32 " holds chunk %" PRIu32
		" for a while, instead of its own: this cannot be expressed",
		task->dst_buffer == ORDO_INPUT ? "input" : "output", task->dst, target,
		task->chunk);
	if (error)
		error->code = ORDO_UNDECIDED;
	return ordo_hint(error, "a scratch slot for it would make the file expressible");
}

/* For tasks that are never run: the chunk of a slot that can hold no other. */
static void name_by_slots(const struct contents *c)
{
	const struct ordo_schedule *schedule = c->schedule;
	for (uint32_t stream = 0; stream < schedule->nstream; stream++) {
		const uint32_t rank = schedule->streams[stream].rank;
		for (uint32_t t = schedule->streams[stream].first;
			t < schedule->streams[stream].end; t++) {
			struct ordo_task *task = &schedule->tasks[t];
			if (task->kind >= ORDO_NOTIFY)
				continue;
			const uint32_t target = ordo_task_crosses(task) ? task->peer : rank,
				       from = own_chunk(c, rank, task->src_buffer, task->src),
				       to = own_chunk(c, target, task->dst_buffer, task->dst);
			task->chunk = from != ORDO_NONE ? from : to != ORDO_NONE ? to : 0;
		}
	}
}

/* One legal order. */
static bool run(struct contents *c, struct ordo_error *error)
{
	struct ordo_pairing pairing;
	struct ordo_greedy greedy = {0};
	const bool worked =
		ordo_pairing_open(&pairing, c->schedule) &&
		ordo_greedy_open(&greedy, c->schedule, pairing.signal_of, 1, pairing.signals.count);
	if (worked)
		ordo_greedy_run(&greedy, follow, c);
	ordo_greedy_close(&greedy);
	ordo_pairing_close(&pairing);
	return worked || ordo_fail_memory(error);
}

bool msccl_name_chunks(struct ordo_schedule *schedule, const struct msccl_program *program,
	struct ordo_error *error)
{
	struct contents c;
	bool worked = open_contents(&c, schedule);
	if (worked)
		name_by_slots(&c);
	else
		ordo_fail_memory(error);
	worked = worked && run(&c, error);
	if (worked && c.foreign != ORDO_NONE && end_right(&c))
		worked = fail_foreign(&c, program, error);
	close_contents(&c);
	return worked;
}
