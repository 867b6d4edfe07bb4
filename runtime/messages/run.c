/* run.c - runs the instructions of a bound part. */
#include "bound.h"
#include "kernels/arithmetic.h"
#include <ordo/detail/accumulate.h>
#include <ordo/detail/fail.h>
#include <ordo/detail/interpreter.h>
#include <stdlib.h>
#include <string.h>

/* Elements widened at a time for a reduction: at most 4 KiB of the stack. */
enum { WIDENED = 128 };

/* In unpacks: the message is empty, so nothing travels. */
#define EMPTY (ORDO_NONE - 1)

uint64_t ordo_messages_most_packed = UINT64_C(64) << 10;

struct part_run {
	struct ordo_bound_part *bound;
	const struct ordo_messenger *messenger;
	unsigned char *memory[ORDO_NBUFFER];
};

/* Slots of the rank, or a place in the buffer of a request. */
struct side {
	bool is_message;
	unsigned buffer; /* or the request */
	uint32_t slot;
	uint64_t skip; /* bytes of the message */
};

static struct side message_side(uint32_t request, uint64_t skip)
{
	return (struct side){.is_message = true, .buffer = request, .skip = skip};
}

static struct side src_of(const struct piece *piece)
{
	return (struct side){.buffer = piece->src_buffer, .slot = piece->src};
}

static struct side dst_of(const struct piece *piece)
{
	return (struct side){.buffer = piece->dst_buffer, .slot = piece->dst};
}

/* Elements of this round of a chunk. */
static uint64_t chunk_elements(const struct ordo_bound_part *bound, uint32_t chunk)
{
	const struct layout *layout = &bound->layout;
	const uint64_t n = chunk_begin(layout, chunk + 1) - chunk_begin(layout, chunk);
	if (n <= bound->skip)
		return 0;
	return n - bound->skip < layout->tile ? n - bound->skip : layout->tile;
}

static uint64_t piece_elements(const struct ordo_bound_part *bound, const struct piece *piece)
{
	const struct layout *layout = &bound->layout;
	uint64_t sum = 0;
	if (layout->nround == 1)
		return chunk_begin(layout, piece->chunk + piece->count) -
		       chunk_begin(layout, piece->chunk);
	for (uint32_t i = 0; i < piece->count; i++)
		sum += chunk_elements(bound, piece->chunk + i);
	return sum;
}

static uint64_t message_elements(
	const struct ordo_bound_part *bound, const struct instruction *instruction)
{
	const struct piece *pieces = pieces_of(bound->part, instruction);
	uint64_t sum = 0;
	for (uint32_t i = 0; i < instruction->npiece; i++)
		sum += piece_elements(bound, &pieces[i]);
	return sum;
}

/* Elements of pieces that travel in one message: the same on both ranks, whose types may be laid
 * out otherwise, but have one size. */
static uint64_t most_packed(const struct ordo_bound_part *bound)
{
	return ordo_messages_most_packed / (bound->size ? bound->size : 1);
}

/* Whether this round's elements of a piece are contiguous there. */
static bool is_contiguous(
	const struct ordo_bound_part *bound, struct side side, const struct piece *piece)
{
	if (piece->count == 1 || side.is_message)
		return true;
	const struct slots slots = {bound->part->rank, (enum ordo_buffer)side.buffer, side.slot};
	return bound->layout.nround == 1 && are_packed(&bound->layout, slots, piece->chunk);
}

static unsigned char *address(const struct part_run *run, struct side side)
{
	const struct ordo_bound_part *bound = run->bound;
	if (side.is_message)
		return bound->buffers[side.buffer].memory + bound->margin + side.skip;
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

/* For the pieces of a message that go alone and are not contiguous; none is longer in a later
 * round. */
static bool reserve_pieces(struct ordo_bound_part *bound, const struct instruction *instruction)
{
	const struct piece *pieces = pieces_of(bound->part, instruction);
	for (uint32_t i = 0; i < instruction->npiece; i++) {
		const struct side side =
			instruction->kind == POST ? dst_of(&pieces[i]) : src_of(&pieces[i]);
		if (!is_contiguous(bound, side, &pieces[i]) &&
			!grow_buffer(bound, pieces[i].request, piece_elements(bound, &pieces[i])))
			return false;
	}
	return true;
}

static bool reserve(struct ordo_bound_part *bound, const struct instruction *instruction)
{
	const bool is_message = instruction->kind == POST || instruction->kind == SEND;
	if (instruction->kind == WAIT)
		return true;
	uint64_t n = message_elements(bound, instruction);
	if (instruction->to_message)
		return !n || grow_buffer(bound, instruction->request, n);
	if (!is_message || instruction->from_message)
		return true;
	/* in the last round, if not before */
	n = n < most_packed(bound) ? n : most_packed(bound);
	return reserve_pieces(bound, instruction) &&
	       (instruction->npiece == 1 || !n || grow_buffer(bound, instruction->request, n));
}

bool ordo_bound_part_reserve(struct ordo_bound_part *bound, struct ordo_error *error)
{
	const struct ordo_part *part = bound->part;
	for (uint32_t i = 0; i < part->nrequest; i++)
		bound->unpacks[i] = EMPTY;
	for (uint32_t i = 0; i < part->ninstruction; i++)
		if (!reserve(bound, &part->instructions[i]))
			return ordo_fail_memory(error);
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

/* Whether elements there are of the accumulator's type. */
static bool is_wide(
	const struct part_run *run, const struct instruction *instruction, struct side side)
{
	return run->bound->converts &&
	       (side.is_message ? instruction->is_wide : side.buffer == ORDO_SCRATCH);
}

static uint64_t element_size(
	const struct part_run *run, const struct instruction *instruction, struct side side)
{
	return is_wide(run, instruction, side) ? run->bound->wide : run->bound->extent;
}

/* Elements further. */
static void advance(struct side *side, uint64_t n, uint64_t size)
{
	if (side->is_message)
		side->skip += n * size;
	else
		side->slot++;
}

/* dst = src, or dst = dst op src, of one piece; it does so for REDUCE. */
static bool move_piece(const struct part_run *run, const struct instruction *instruction,
	const struct piece *piece, struct side dst, struct side src)
{
	const struct ordo_bound_part *bound = run->bound;
	const bool reduces = instruction->kind == REDUCE,
		   from_wide = is_wide(run, instruction, src),
		   to_wide = is_wide(run, instruction, dst);
	if (is_contiguous(bound, dst, piece) && is_contiguous(bound, src, piece)) {
		const uint64_t n = piece_elements(bound, piece);
		return !n || move_run(run, reduces, address(run, dst), to_wide, address(run, src),
				     from_wide, n);
	}
	for (uint32_t i = 0; i < piece->count; i++) {
		const uint64_t n = chunk_elements(bound, piece->chunk + i);
		if (n && !move_run(run, reduces, address(run, dst), to_wide, address(run, src),
				 from_wide, n))
			return false;
		advance(&dst, n, element_size(run, instruction, dst));
		advance(&src, n, element_size(run, instruction, src));
	}
	return true;
}

/* Of all pieces, between their slots or from or to the buffer of the request. */
static bool move(const struct part_run *run, const struct instruction *instruction,
	bool from_message, bool to_message)
{
	const struct piece *pieces = pieces_of(run->bound->part, instruction);
	struct side message = message_side(instruction->request, 0);
	const uint64_t size = element_size(run, instruction, message);
	for (uint32_t i = 0; i < instruction->npiece; i++) {
		const struct piece *piece = &pieces[i];
		if (!move_piece(run, instruction, piece, to_message ? message : dst_of(piece),
			    from_message ? message : src_of(piece)))
			return false;
		message.skip += piece_elements(run->bound, piece) * size;
	}
	return true;
}

static bool start(struct part_run *run, const struct instruction *instruction, uint32_t request,
	uint32_t tag, struct side side, uint64_t n)
{
	const struct ordo_messenger *messenger = run->messenger;
	const bool wide = instruction->is_wide && run->bound->converts;
	unsigned char *at = address(run, side);
	if (instruction->kind == SEND)
		return messenger->send(
			messenger->closure, request, instruction->peer, tag, at, n, wide);
	return messenger->receive(messenger->closure, request, instruction->peer, tag, at, n, wide);
}

/* A piece that is a message. */
static bool start_piece(struct part_run *run, const struct instruction *instruction,
	const struct piece *piece, uint32_t tag, struct side message)
{
	struct ordo_bound_part *bound = run->bound;
	const bool sends = instruction->kind == SEND;
	const uint64_t n = piece_elements(bound, piece);
	if (!n)
		return true;
	struct side side = instruction->from_message || instruction->to_message ? message
			   : sends						? src_of(piece)
										: dst_of(piece);
	if (!is_contiguous(bound, side, piece)) {
		const struct side packed = message_side(piece->request, 0);
		if (sends && !move_piece(run, instruction, piece, packed, side))
			return false;
		side = packed;
	}
	return start(run, instruction, piece->request, tag, side, n);
}

static bool start_pieces(struct part_run *run, const struct instruction *instruction)
{
	const struct piece *pieces = pieces_of(run->bound->part, instruction);
	struct side message = message_side(instruction->request, 0);
	const uint64_t size = element_size(run, instruction, message);
	for (uint32_t i = 0; i < instruction->npiece; i++) {
		const uint32_t tag = (instruction->tag + i) % ORDO_MESSAGE_TAGS;
		if (!start_piece(run, instruction, &pieces[i], tag, message))
			return false;
		message.skip += piece_elements(run->bound, &pieces[i]) * size;
	}
	return true;
}

/* Whether completing a message takes more than to wait for its one request. */
static bool is_complex(const struct ordo_bound_part *bound, const struct instruction *instruction)
{
	const struct piece *piece = pieces_of(bound->part, instruction);
	return instruction->npiece > 1 || (instruction->kind == POST && !instruction->to_message &&
						  !is_contiguous(bound, dst_of(piece), piece));
}

/* A POST or a SEND. */
static bool run_message(struct part_run *run, const struct instruction *instruction, uint32_t at)
{
	struct ordo_bound_part *bound = run->bound;
	const uint64_t n = message_elements(bound, instruction);
	const bool sends = instruction->kind == SEND;
	bound->unpacks[instruction->request] = !n				? EMPTY
					       : is_complex(bound, instruction) ? at
										: ORDO_NONE;
	if (!n)
		return true;
	if (instruction->npiece == 1 || n > most_packed(bound))
		return start_pieces(run, instruction);
	if (sends && !instruction->from_message && !move(run, instruction, false, true))
		return false;
	return start(run, instruction, instruction->request, instruction->tag,
		message_side(instruction->request, 0), n);
}

static bool wait_for(struct part_run *run, uint32_t request)
{
	return run->messenger->wait(run->messenger->closure, request);
}

/* Completes a piece that is a message. */
static bool finish_piece(
	struct part_run *run, const struct instruction *instruction, const struct piece *piece)
{
	const bool arrives = instruction->kind == POST && !instruction->to_message;
	if (!piece_elements(run->bound, piece))
		return true;
	return wait_for(run, piece->request) &&
	       (!arrives || is_contiguous(run->bound, dst_of(piece), piece) ||
		       move_piece(run, instruction, piece, dst_of(piece),
			       message_side(piece->request, 0)));
}

static bool run_wait(struct part_run *run, const struct instruction *wait)
{
	const struct ordo_bound_part *bound = run->bound;
	const uint32_t at = bound->unpacks[wait->request];
	if (at == EMPTY || at == ORDO_NONE)
		return at == EMPTY || wait_for(run, wait->request);
	const struct instruction *instruction = &bound->part->instructions[at];
	const struct piece *pieces = pieces_of(bound->part, instruction);
	if (instruction->npiece > 1 && message_elements(bound, instruction) <= most_packed(bound))
		return wait_for(run, wait->request) &&
		       (instruction->kind == SEND || instruction->to_message ||
			       move(run, instruction, true, false));
	for (uint32_t i = 0; i < instruction->npiece; i++)
		if (!finish_piece(run, instruction, &pieces[i]))
			return false;
	return true;
}

static bool run_instruction(
	struct part_run *run, const struct instruction *instruction, uint32_t at)
{
	switch ((enum instruction_kind)instruction->kind) {
	case WAIT:
		return run_wait(run, instruction);
	case POST:
	case SEND:
		return run_message(run, instruction, at);
	case COPY:
	case REDUCE:
		break;
	}
	return move(run, instruction, instruction->from_message, instruction->to_message);
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
