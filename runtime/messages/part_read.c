/* part_read.c - a part that came as bytes, checked. */
#include "part.h"
#include <ordo/detail/fail.h>
#include <ordo/detail/operators.h>
#include <ordo/detail/slots.h>
#include <stdlib.h>
#include <string.h>

static bool fits(uint32_t first, uint32_t count, uint32_t room)
{
	return count <= room && first <= room - count;
}

static bool slots_fit(
	const struct ordo_part *part, unsigned buffer, uint32_t slot, const struct piece *piece)
{
	const uint32_t room = buffer == ORDO_INPUT ? ordo_input_slots(&part->problem, part->rank)
			      : buffer == ORDO_OUTPUT
				      ? ordo_output_slots(&part->problem, part->rank)
				      : part->scratch_slots;
	return buffer < ORDO_NBUFFER && fits(slot, piece->count, room);
}

static bool is_sound_piece(const struct ordo_part *part, const struct instruction *instruction,
	const struct piece *piece)
{
	const unsigned kind = instruction->kind;
	const bool reads = kind == SEND || kind == COPY || kind == REDUCE,
		   writes = kind == POST || kind == COPY || kind == REDUCE,
		   is_message = kind == POST || kind == SEND || instruction->from_message ||
				instruction->to_message;
	if (!piece->count || piece->count > part->most_chunks + (kind >= COPY) * ORDO_LIMIT ||
		!fits(piece->chunk, piece->count, ordo_nchunk(&part->problem)) ||
		(is_message && piece->request >= part->nrequest))
		return false;
	return (!reads || instruction->from_message ||
		       slots_fit(part, piece->src_buffer, piece->src, piece)) &&
	       (!writes || instruction->to_message ||
		       slots_fit(part, piece->dst_buffer, piece->dst, piece));
}

static bool is_sound(const struct ordo_part *part, const struct instruction *instruction)
{
	const unsigned kind = instruction->kind;
	if (kind > REDUCE || (kind == WAIT && instruction->request >= part->nrequest))
		return false;
	if (kind == WAIT)
		return true;
	if (!instruction->npiece || !fits(instruction->first, instruction->npiece, part->npiece))
		return false;
	const struct piece *pieces = pieces_of(part, instruction);
	const bool is_message = kind == POST || kind == SEND || instruction->from_message ||
				instruction->to_message;
	if (is_message && instruction->request != pieces->request)
		return false;
	if ((kind == POST || kind == SEND) &&
		(instruction->peer >= part->problem.nrank || instruction->peer == part->rank ||
			instruction->tag >= ORDO_MESSAGE_TAGS))
		return false;
	for (uint32_t i = 0; i < instruction->npiece; i++)
		if (!is_sound_piece(part, instruction, &pieces[i]))
			return false;
	return true;
}

static bool is_part(const struct ordo_part *part, size_t size)
{
	if (size < sizeof *part || part->bytes != size ||
		size != sizeof *part + (uint64_t)part->ninstruction * sizeof *part->instructions +
				(uint64_t)part->npiece * sizeof(struct piece) ||
		!ordo_problem_check(&part->problem, NULL) || part->rank >= part->problem.nrank ||
		part->scratch_slots > ORDO_LIMIT || part->nrequest > part->npiece)
		return false;
	for (uint32_t i = 0; i < part->ninstruction; i++)
		if (!is_sound(part, &part->instructions[i]))
			return false;
	return true;
}

struct ordo_part *ordo_part_read(const void *bytes, size_t size, struct ordo_error *error)
{
	struct ordo_part *part = malloc(size > sizeof *part ? size : sizeof *part);
	if (!part) {
		ordo_fail_memory(error);
		return NULL;
	}
	if (size)
		memcpy(part, bytes, size);
	if (is_part(part, size))
		return part;
	free(part);
	ordo_fail(error, ORDO_BAD_INPUT, 0,
		"the part of a rank that was received is not one: both ranks need one version of "
		"the library");
	return NULL;
}
