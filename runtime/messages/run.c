/* run.c - runs the instructions of a bound part. */
#include "bound.h"
#include "kernels/arithmetic.h"
#include <ordo/detail/fail.h>
#include <ordo/detail/interpreter.h>
#include <ordo/detail/accumulate.h>
#include <stdlib.h>
#include <string.h>

/* Elements widened at a time for a reduction: at most 4 KiB of the stack. */
enum { WIDENED = 128 };

/* In unpacks: the message is empty, so nothing travels. */
#define EMPTY (ORDO_NONE - 1)

struct part_run {
	struct ordo_bound_part *bound;
	const struct ordo_messenger *messenger;
	unsigned char *memory[ORDO_NBUFFER];
};

/* Slots of the rank, or the buffer of a request. */
struct side {
	unsigned buffer;
	uint32_t slot;
};

/* Elements of this round of a chunk. */
static uint64_t chunk_elements(const struct ordo_bound_part *bound, uint32_t chunk)
{
	const struct layout *layout = &bound->layout;
	const uint64_t n = chunk_begin(layout, chunk + 1) - chunk_begin(layout, chunk);
	if (n <= bound->skip)
		return 0;
	return n - bound->skip < layout->tile ? n - bound->skip : layout->tile;
}

static uint64_t message_elements(
	const struct ordo_bound_part *bound, const struct instruction *instruction)
{
	const struct layout *layout = &bound->layout;
	uint64_t sum = 0;
	if (layout->nround == 1)
		return chunk_begin(layout, instruction->chunk + instruction->count) -
		       chunk_begin(layout, instruction->chunk);
	for (uint32_t i = 0; i < instruction->count; i++)
		sum += chunk_elements(bound, instruction->chunk + i);
	return sum;
}

/* Whether this round's elements of the chunks are contiguous there. */
static bool is_contiguous(
	const struct ordo_bound_part *bound, struct side side, uint32_t chunk, uint32_t count)
{
	if (count == 1 || side.buffer == MESSAGE_BUFFER)
		return true;
	const struct slots slots = {bound->part->rank, (enum ordo_buffer)side.buffer, side.slot};
	return bound->layout.nround == 1 && are_packed(&bound->layout, slots, chunk);
}

static unsigned char *slot_address(const struct part_run *run, struct side side)
{
	const struct ordo_bound_part *bound = run->bound;
	if (side.buffer == MESSAGE_BUFFER)
		return bound->buffers[side.slot].memory + bound->margin;
	const uint64_t begin = slot_begin(&bound->layout, bound->part->rank,
				       (enum ordo_buffer)side.buffer, side.slot) +
			       (side.buffer == ORDO_SCRATCH ? 0 : bound->skip);
	return run->memory[side.buffer] + begin * element_in(bound, side.buffer);
}

/* Room for n elements in the buffer of a request. */
static bool grow_buffer(struct ordo_bound_part *bound, uint32_t request, uint64_t n)
{
	struct message_buffer *buffer = &bound->buffers[request];
	const uint64_t bytes = round_up(n * bound->wide, CACHE_LINE);
	if (bytes <= buffer->bytes)
		return true;
	free(buffer->memory);
	buffer->memory = aligned_alloc(CACHE_LINE, bytes + 2 * bound->margin);
	buffer->bytes = buffer->memory ? bytes : 0;
	return buffer->memory;
}

/* Whether what an instruction receives, sends or makes goes through the buffer of its request. */
static bool uses_buffer(const struct ordo_bound_part *bound, const struct instruction *instruction)
{
	const struct side dst = {instruction->dst_buffer, instruction->dst},
			  src = {instruction->src_buffer, instruction->src};
	const uint32_t chunk = instruction->chunk, count = instruction->count;
	switch ((enum instruction_kind)instruction->kind) {
	case POST:
		return dst.buffer == MESSAGE_BUFFER || !is_contiguous(bound, dst, chunk, count);
	case SEND:
		return !is_contiguous(bound, src, chunk, count);
	case WAIT:
		return false;
	case COPY:
	case REDUCE:
		break;
	}
	return dst.buffer == MESSAGE_BUFFER;
}

bool ordo_bound_part_reserve(struct ordo_bound_part *bound, struct ordo_error *error)
{
	const struct ordo_part *part = bound->part;
	for (uint32_t i = 0; i < part->ninstruction; i++) {
		const struct instruction *instruction = &part->instructions[i];
		const uint64_t n = uses_buffer(bound, instruction)
					   ? message_elements(bound, instruction)
					   : 0; /* none is longer in a later round */
		if (n && !grow_buffer(bound, instruction->request, n))
			return ordo_fail_memory(error);
	}
	return true;
}

static void reduce_widened(const struct ordo_bound_part *bound, unsigned char *dst,
	const unsigned char *src, uint64_t n)
{
	uint64_t block[WIDENED * ORDO_MOST_STATE_WORDS];
	for (uint64_t done = 0; done < n; done += WIDENED) {
		const size_t count = n - done < WIDENED ? (size_t)(n - done) : WIDENED;
		ordo_widen_elements(bound->type, bound->layout.accumulator, block,
			src + done * bound->extent, count);
		ordo_reduce_elements(bound->layout.accumulator, bound->reduction,
			dst + done * bound->wide, block, count);
	}
}

/* One contiguous move of n elements. from_wide, to_wide: of the accumulator's type. */
static bool move_run(const struct part_run *run, bool reduces, unsigned char *dst, bool to_wide,
	const unsigned char *src, bool from_wide, uint64_t n)
{
	const struct ordo_bound_part *bound = run->bound;
	const enum ordo_type type = to_wide ? bound->layout.accumulator : bound->type;
	if (bound->is_opaque)
		return (reduces ? run->messenger->reduce : run->messenger->copy)(
			run->messenger->closure, dst, src, n);
	if (reduces && to_wide != from_wide)
		reduce_widened(bound, dst, src, n);
	else if (reduces)
		ordo_reduce_elements(type, bound->reduction, dst, src, n);
	else if (to_wide && !from_wide)
		ordo_widen_elements(bound->type, bound->layout.accumulator, dst, src, n);
	else if (from_wide && !to_wide)
		ordo_narrow_elements(bound->type, bound->layout.accumulator, dst, src, n);
	else if (dst != src)
		memmove(dst, src, n * ordo_type_size(type));
	return true;
}

/* dst = src, or dst = dst op src, of all chunks of an instruction. wide: what the message buffer
 * holds. */
static bool move(const struct part_run *run, const struct instruction *instruction, bool reduces,
	struct side dst, struct side src)
{
	const struct ordo_bound_part *bound = run->bound;
	const bool converts = bound->converts;
	const bool from_wide = converts &&
			       (src.buffer == ORDO_SCRATCH ||
				       (src.buffer == MESSAGE_BUFFER && instruction->is_wide)),
		   to_wide = converts &&
			     (dst.buffer == ORDO_SCRATCH ||
				     (dst.buffer == MESSAGE_BUFFER && instruction->is_wide));
	const uint64_t src_size = from_wide ? bound->wide : bound->extent,
		       dst_size = to_wide ? bound->wide : bound->extent;
	const uint32_t chunk = instruction->chunk, count = instruction->count;
	if (is_contiguous(bound, dst, chunk, count) && is_contiguous(bound, src, chunk, count)) {
		const uint64_t n = message_elements(bound, instruction);
		return !n || move_run(run, reduces, slot_address(run, dst), to_wide,
				     slot_address(run, src), from_wide, n);
	}
	uint64_t packed = 0; /* elements of the message buffer */
	for (uint32_t i = 0; i < count; i++) {
		const uint64_t n = chunk_elements(bound, chunk + i);
		unsigned char *to = slot_address(run, dst), *from = slot_address(run, src);
		to += dst.buffer == MESSAGE_BUFFER ? packed * dst_size : 0;
		from += src.buffer == MESSAGE_BUFFER ? packed * src_size : 0;
		if (n && !move_run(run, reduces, to, to_wide, from, from_wide, n))
			return false;
		packed += n;
		dst.slot += dst.buffer != MESSAGE_BUFFER;
		src.slot += src.buffer != MESSAGE_BUFFER;
	}
	return true;
}

static struct side side(unsigned buffer, uint32_t slot)
{
	return (struct side){buffer, slot};
}

static bool run_post(struct part_run *run, const struct instruction *instruction, uint32_t at)
{
	struct ordo_bound_part *bound = run->bound;
	const uint32_t request = instruction->request;
	const uint64_t n = message_elements(bound, instruction);
	struct side dst = side(instruction->dst_buffer, instruction->dst);
	bound->unpacks[request] = n ? ORDO_NONE : EMPTY;
	if (!n)
		return true;
	if (!is_contiguous(bound, dst, instruction->chunk, instruction->count)) {
		bound->unpacks[request] = at;
		dst = side(MESSAGE_BUFFER, request);
	}
	return run->messenger->receive(run->messenger->closure, request, instruction->peer,
		instruction->tag, slot_address(run, dst), n,
		instruction->is_wide && bound->converts);
}

static bool run_send(struct part_run *run, const struct instruction *instruction)
{
	struct ordo_bound_part *bound = run->bound;
	const uint32_t request = instruction->request;
	const uint64_t n = message_elements(bound, instruction);
	struct side src = side(instruction->src_buffer, instruction->src);
	bound->unpacks[request] = n ? ORDO_NONE : EMPTY;
	if (!n)
		return true;
	if (!is_contiguous(bound, src, instruction->chunk, instruction->count)) {
		const struct side packed = side(MESSAGE_BUFFER, request);
		if (!move(run, instruction, false, packed, src))
			return false;
		src = packed;
	}
	return run->messenger->send(run->messenger->closure, request, instruction->peer,
		instruction->tag, slot_address(run, src), n,
		instruction->is_wide && bound->converts);
}

static bool run_wait(struct part_run *run, const struct instruction *instruction)
{
	const struct ordo_bound_part *bound = run->bound;
	const uint32_t at = bound->unpacks[instruction->request];
	if (at == EMPTY)
		return true;
	if (!run->messenger->wait(run->messenger->closure, instruction->request))
		return false;
	if (at == ORDO_NONE)
		return true;
	const struct instruction *posted = &bound->part->instructions[at];
	return move(run, posted, false, side(posted->dst_buffer, posted->dst),
		side(MESSAGE_BUFFER, posted->request));
}

/* A copy or reduction; what is copied into the buffer of a request is about to be sent. */
static bool run_move(struct part_run *run, const struct instruction *instruction)
{
	return move(run, instruction, instruction->kind == REDUCE,
		side(instruction->dst_buffer, instruction->dst),
		side(instruction->src_buffer, instruction->src));
}

static bool run_instruction(
	struct part_run *run, const struct instruction *instruction, uint32_t at)
{
	switch ((enum instruction_kind)instruction->kind) {
	case POST:
		return run_post(run, instruction, at);
	case WAIT:
		return run_wait(run, instruction);
	case SEND:
		return run_send(run, instruction);
	case COPY:
	case REDUCE:
		break;
	}
	return run_move(run, instruction);
}

static void divide_output(const struct part_run *run)
{
	const struct ordo_bound_part *bound = run->bound;
	const struct region *output = &bound->layout.regions[bound->part->rank][ORDO_OUTPUT];
	if (bound->divisor > 1)
		ordo_divide_elements(
			bound->type, run->memory[ORDO_OUTPUT], output->nelement, bound->divisor);
}

bool ordo_bound_part_run(struct ordo_bound_part *bound, void *input, void *output,
	const struct ordo_messenger *messenger, struct ordo_error *error)
{
	const struct ordo_part *part = bound->part;
	struct part_run run = {.bound = bound,
		.messenger = messenger,
		.memory = {input, output, bound->scratch + bound->margin}};
	if (!ordo_layout_check_buffers(&bound->layout, part->problem.in_place, part->rank,
		    &run.memory[ORDO_INPUT], &run.memory[ORDO_OUTPUT], error) ||
		!ordo_float_mode_check(error))
		return false;
	for (uint64_t round = 0; round < bound->layout.nround; round++) {
		bound->skip = round * bound->layout.tile;
		for (uint32_t i = 0; i < part->ninstruction; i++)
			if (!run_instruction(&run, &part->instructions[i], i))
				return ordo_fail(error, ORDO_ENVIRONMENT, 0,
					"a message could not be sent or received");
	}
	divide_output(&run);
	return true;
}
