/* step.c - the interpreter: runs one task of one stream, and never blocks. */
#include "step.h"
#include <ordo/detail/accumulate.h>
#include <string.h>

/* Elements widened at a time for a reduction: at most 4 KiB of the stack. */
enum { WIDENED = 128 };

/* What a task does with elements, and their types in the source and in the destination. */
struct operation {
	bool reduces;
	enum ordo_type from, to;
};

/* dst = dst op src in the accumulator type, which dst has and src has not. */
static void reduce_widened(const struct ordo_plan *plan, const struct operation *operation,
	unsigned char *dst, const unsigned char *src, uint64_t n)
{
	const uint64_t wide = ordo_type_size(operation->to),
		       narrow = ordo_type_size(operation->from);
	uint64_t block[WIDENED * ORDO_MOST_STATE_WORDS];
	for (uint64_t done = 0; done < n; done += WIDENED) {
		const size_t count = n - done < WIDENED ? (size_t)(n - done) : WIDENED;
		ordo_widen_elements(
			operation->from, operation->to, block, src + done * narrow, count);
		ordo_reduce_elements(
			operation->to, plan->reduction, dst + done * wide, block, count);
	}
}

static void move_elements(const struct ordo_plan *plan, const struct operation *operation,
	unsigned char *dst, const unsigned char *src, uint64_t n)
{
	const bool converts = operation->from != operation->to;
	if (operation->reduces && converts)
		reduce_widened(plan, operation, dst, src, n);
	else if (operation->reduces)
		ordo_reduce_elements(operation->to, plan->reduction, dst, src, n);
	else if (converts && operation->to == plan->layout.accumulator)
		ordo_widen_elements(operation->from, operation->to, dst, src, n);
	else if (converts)
		ordo_narrow_elements(operation->to, operation->from, dst, src, n);
	else if (dst != src)
		memmove(dst, src, n * ordo_type_size(operation->to));
}

/* Whether the chunks are contiguous on both sides, so that one move suffices. */
static bool is_one_move(const struct ordo_plan *plan, const struct ordo_task *task,
	struct slots dst, struct slots src)
{
	if (plan->layout.nround > 1)
		return false;
	return task->count == 1 || (are_packed(&plan->layout, dst, task->chunk) &&
					   are_packed(&plan->layout, src, task->chunk));
}

/* A slot's part of a round; a scratch slot holds that part only, in the round's bank. */
static unsigned char *address(
	const struct ordo_plan *plan, unsigned char *memory, struct slots at, uint64_t round)
{
	const struct layout *layout = &plan->layout;
	const uint64_t begin =
		slot_begin(layout, at.rank, at.buffer, at.first) +
		(at.buffer == ORDO_SCRATCH ? (round & (layout->nbank - 1)) * layout->bank
					   : round * layout->tile);
	return memory + begin * element_bytes(layout, at.buffer);
}

/* Moves a round's part of every chunk: its elements [skip, skip + tile). */
static void move_chunks(const struct ordo_plan *plan, const struct ordo_task *task, uint64_t round,
	struct slots dst, unsigned char *dst_memory, struct slots src, unsigned char *src_memory)
{
	const struct layout *layout = &plan->layout;
	const struct operation operation = {
		ordo_task_reduces(task), type_in(layout, src.buffer), type_in(layout, dst.buffer)};
	if (is_one_move(plan, task, dst, src)) {
		uint64_t n = chunk_begin(layout, task->chunk + task->count) -
			     chunk_begin(layout, task->chunk);
		move_elements(plan, &operation, address(plan, dst_memory, dst, 0),
			address(plan, src_memory, src, 0), n);
		return;
	}
	const uint64_t skip = round * layout->tile;
	for (uint32_t i = 0; i < task->count; i++, dst.first++, src.first++) {
		uint64_t n = chunk_begin(layout, task->chunk + i + 1) -
			     chunk_begin(layout, task->chunk + i);
		if (n <= skip)
			continue;
		n = n - skip < layout->tile ? n - skip : layout->tile;
		move_elements(plan, &operation, address(plan, dst_memory, dst, round),
			address(plan, src_memory, src, round), n);
	}
}

/* false: there are bytes to move, but one side is not bound. */
static bool move(const struct ordo_plan *plan, uint32_t rank, const struct stream_state *state)
{
	const struct ordo_task *task = &plan->schedule->tasks[state->at];
	struct slots src = {rank, (enum ordo_buffer)task->src_buffer, task->src};
	struct slots dst = {ordo_task_crosses(task) ? task->peer : rank,
		(enum ordo_buffer)task->dst_buffer, task->dst};
	unsigned char *from =
		atomic_load_explicit(&plan->ranks[rank].memory[src.buffer], memory_order_relaxed);
	unsigned char *to = atomic_load_explicit(
		&plan->ranks[dst.rank].memory[dst.buffer], memory_order_relaxed);
	if (!from || !to)
		return chunk_begin(&plan->layout, task->chunk + task->count) ==
		       chunk_begin(&plan->layout, task->chunk);
	move_chunks(plan, task, state->round, dst, to, src, from);
	return true;
}

/* Adds a token. Returns the stream that was parked on the signal, or ORDO_NONE. Only one stream
 * notifies a signal, so only it clears the mark. */
static uint32_t notify(struct ordo_plan *plan, uint32_t signal)
{
	_Atomic uint32_t *word = signal_word(plan, signal);
	if (!(atomic_fetch_add_explicit(word, 2, memory_order_acq_rel) & 1))
		return ORDO_NONE;
	atomic_fetch_sub_explicit(word, 1, memory_order_relaxed);
	return plan->signals[signal].waiter;
}

/* Takes a token; or, without one, marks the signal so that the next token wakes the stream. */
static bool take_or_park(struct ordo_plan *plan, uint32_t signal)
{
	_Atomic uint32_t *word = signal_word(plan, signal);
	uint32_t none_left = plan->taken[signal] << 1;
	uint32_t seen = atomic_load_explicit(word, memory_order_acquire);
	if (seen == none_left && atomic_compare_exchange_strong_explicit(word, &seen, none_left | 1,
					 memory_order_acq_rel, memory_order_acquire))
		return false;
	plan->taken[signal]++;
	return true;
}

enum step_result ordo_step(struct ordo_plan *plan, uint32_t stream, uint32_t *woken)
{
	const struct ordo_stream *facts = &plan->schedule->streams[stream];
	struct stream_state *state = &plan->streams[stream];
	*woken = ORDO_NONE;
	if (state->at == facts->end)
		return STEP_DONE;
	const struct ordo_task *task = &plan->schedule->tasks[state->at];
	switch ((enum ordo_task_kind)task->kind) {
	case ORDO_LOCAL_COPY:
	case ORDO_LOCAL_REDUCE:
	case ORDO_SEND:
	case ORDO_SEND_REDUCE:
		if (!move(plan, facts->rank, state))
			return STEP_UNBOUND;
		break;
	case ORDO_NOTIFY:
		*woken = notify(plan, plan->signal_of[state->at]);
		break;
	case ORDO_WAIT:
		if (!take_or_park(plan, plan->signal_of[state->at]))
			return STEP_BLOCKED;
		break;
	}
	state->at++;
	return STEP_MOVED;
}

void ordo_divide_round(const struct ordo_plan *plan, uint32_t rank, uint64_t round)
{
	const struct layout *layout = &plan->layout;
	if (plan->divisor == 1)
		return;
	const struct region *output = &layout->regions[rank][ORDO_OUTPUT];
	unsigned char *memory =
		atomic_load_explicit(&plan->ranks[rank].memory[ORDO_OUTPUT], memory_order_relaxed);
	const uint64_t skip = round * layout->tile;
	for (uint32_t slot = 0; slot < output->nslot; slot++) {
		const uint64_t begin = slot_begin(layout, rank, ORDO_OUTPUT, slot),
			       n = slot_begin(layout, rank, ORDO_OUTPUT, slot + 1) - begin;
		if (n > skip)
			ordo_divide_elements(plan->type, memory + (begin + skip) * layout->element,
				n - skip < layout->tile ? n - skip : layout->tile, plan->divisor);
	}
}
