/* instructions.c - the steps of a rank as instructions: when receives are posted, and what is
 * waited for.
 *
 * A receive is posted as soon as the slots it writes are free, so that data need not be copied on
 * arrival, and is completed before the next access to them; a send is completed before its slots
 * are written. What arrives to be reduced, or converted, is received into the buffer of its
 * request. Receives are posted in the order of steps. An instruction of one level waits only for
 * messages of earlier levels, and for those that the rank receives at that level no later: the
 * README's argument needs no more. */
#include "part.h"
#include <ordo/arena.h>
#include <ordo/detail/fail.h>
#include <ordo/detail/slots.h>
#include <stdlib.h>
#include <string.h>

/* Pieces of receives posted and not completed; receives, of those, into buffers of requests; and
 * pieces of sends of earlier levels not completed. */
enum { MOST_RECEIVES = 64, MOST_BUFFERED = 8, MOST_SENDS = 64 };

enum message_state { UNBORN, IN_FLIGHT, COMPLETE };

struct message {
	enum message_state state;
	bool buffered;
};

/* A send that reads a cell. */
struct reader {
	uint32_t step, next; /* in readers; ORDO_NONE: the last */
};

struct writer {
	const struct steps *steps;
	uint32_t ninput, noutput;
	/* of each cell: a slot of the rank's memory, in place the two slots of one memory */
	uint32_t *received;	  /* the step whose receive is about to write it; ORDO_NONE: none */
	uint32_t *read;		  /* first of readers; ORDO_NONE: none */
	struct message *messages; /* [steps] of sends and receives */
	uint32_t *free_at;	  /* [steps] of receives: the first step before which to post */
	struct reader *readers;
	size_t nreader, reader_room;
	struct piece *pieces; /* of steps, with their requests */
	uint32_t *free_requests;
	uint32_t nfree, nrequest;
	uint32_t next_receive; /* the first step from which on receives are not posted */
	uint32_t nposted, nbuffered;
	uint32_t oldest_send, nsend; /* not completed */
	struct ordo_part *part;
	size_t room;
	bool no_memory;
};

static const struct piece *pieces_of_step(const struct writer *w, const struct step *step)
{
	return &w->pieces[step->first];
}

/* Of a message: its pieces do not go straight between slots and the network. */
static bool is_buffered(const struct writer *w, const struct step *step)
{
	const struct piece *piece = pieces_of_step(w, step);
	const bool converts =
		w->steps->problem->accumulate &&
		(piece->src_buffer == ORDO_SCRATCH) != (piece->dst_buffer == ORDO_SCRATCH);
	return step->kind == STEP_RECEIVE_REDUCE || converts;
}

static bool is_receive(const struct step *step)
{
	return step->kind == STEP_RECEIVE || step->kind == STEP_RECEIVE_REDUCE;
}

static bool is_send(const struct step *step)
{
	return step->kind == STEP_SEND || step->kind == STEP_SEND_REDUCE;
}

static uint32_t cell(const struct writer *w, unsigned buffer, uint32_t slot)
{
	if (buffer == ORDO_SCRATCH)
		return w->ninput + w->noutput + slot;
	if (buffer == ORDO_OUTPUT)
		return w->ninput + slot;
	const uint32_t output = ordo_in_place_output_slot(w->steps->problem, w->steps->rank, slot);
	return output == ORDO_NONE ? slot : w->ninput + output;
}

static bool reads_own(const struct step *step)
{
	return !is_receive(step);
}

static bool writes_own(const struct step *step)
{
	return !is_send(step);
}

static void emit(struct writer *w, struct instruction instruction)
{
	const size_t size = sizeof *w->part, n = w->part ? w->part->ninstruction : 0;
	if (w->no_memory)
		return;
	if (!w->part || n == w->room) {
		const size_t room = w->room ? w->room * 2 : 64;
		struct ordo_part *part = realloc(w->part, size + room * sizeof instruction);
		if (!part) {
			w->no_memory = true;
			return;
		}
		if (!w->part)
			memset(part, 0, sizeof *part);
		w->part = part;
		w->room = room;
	}
	w->part->instructions[w->part->ninstruction++] = instruction;
}

/* A request for every piece of a message, which may go alone. */
static void take_requests(struct writer *w, const struct step *step)
{
	for (uint32_t i = 0; i < step->npiece; i++)
		w->pieces[step->first + i].request =
			(w->nfree ? w->free_requests[--w->nfree] : w->nrequest++) & 0xfffffff;
}

static void free_requests(struct writer *w, const struct step *step)
{
	for (uint32_t i = 0; i < step->npiece; i++)
		w->free_requests[w->nfree++] = pieces_of_step(w, step)[i].request;
}

/* Completes a message, if it is in flight. The requests of a buffered one stay taken until its data
 * was used. */
static void complete(struct writer *w, uint32_t at)
{
	const struct step *step = &w->steps->items[at];
	struct message *message = &w->messages[at];
	if (message->state != IN_FLIGHT)
		return;
	emit(w, (struct instruction){
			.kind = WAIT, .request = pieces_of_step(w, step)->request & 0x3ffffff});
	message->state = COMPLETE;
	if (is_receive(step))
		w->nposted -= step->npiece;
	else
		w->nsend -= step->npiece;
	if (!is_receive(step) || !message->buffered)
		free_requests(w, step);
}

/* Completes what must be complete before cells are read, or written. */
static void complete_cells(
	struct writer *w, unsigned buffer, uint32_t slot, uint32_t count, bool writes)
{
	for (uint32_t i = 0; i < count; i++) {
		const uint32_t at = cell(w, buffer, slot + i);
		if (w->received[at] != ORDO_NONE)
			complete(w, w->received[at]);
		w->received[at] = ORDO_NONE;
		if (!writes)
			continue;
		for (uint32_t r = w->read[at]; r != ORDO_NONE; r = w->readers[r].next)
			complete(w, w->readers[r].step);
		w->read[at] = ORDO_NONE;
	}
}

static void complete_src(struct writer *w, const struct step *step)
{
	const struct piece *piece = pieces_of_step(w, step);
	for (const struct piece *end = piece + step->npiece; piece < end; piece++)
		complete_cells(w, piece->src_buffer, piece->src, piece->count, false);
}

static void complete_dst(struct writer *w, const struct step *step)
{
	const struct piece *piece = pieces_of_step(w, step);
	for (const struct piece *end = piece + step->npiece; piece < end; piece++)
		complete_cells(w, piece->dst_buffer, piece->dst, piece->count, true);
}

static struct instruction instruction_of(
	const struct writer *w, const struct step *step, enum instruction_kind kind)
{
	const struct piece *piece = pieces_of_step(w, step);
	const bool wide = piece->src_buffer == ORDO_SCRATCH && piece->dst_buffer == ORDO_SCRATCH;
	return (struct instruction){.kind = (unsigned)kind & 7,
		.is_wide = wide && w->steps->problem->accumulate,
		.request = piece->request & 0x3ffffff,
		.peer = step->peer,
		.tag = step->tag,
		.first = step->first,
		.npiece = step->npiece};
}

static void post(struct writer *w, uint32_t at)
{
	const struct step *step = &w->steps->items[at];
	const bool buffered = is_buffered(w, step);
	take_requests(w, step);
	w->messages[at] = (struct message){IN_FLIGHT, buffered};
	w->nposted += step->npiece;
	w->nbuffered += buffered;
	if (!buffered)
		complete_dst(w, step);
	struct instruction instruction = instruction_of(w, step, POST);
	instruction.to_message = buffered;
	emit(w, instruction);
}

/* Whether a send of a piece's slots is in flight: posting it now would wait for that. */
static bool has_readers(const struct writer *w, const struct piece *piece)
{
	for (uint32_t i = 0; i < piece->count; i++)
		for (uint32_t r = w->read[cell(w, piece->dst_buffer, piece->dst + i)];
			r != ORDO_NONE; r = w->readers[r].next)
			if (w->messages[w->readers[r].step].state == IN_FLIGHT)
				return true;
	return false;
}

static bool has_any_readers(const struct writer *w, const struct step *step)
{
	for (uint32_t i = 0; i < step->npiece; i++)
		if (has_readers(w, &pieces_of_step(w, step)[i]))
			return true;
	return false;
}

/* Posts the receives that may be, up to the one of step `now`, which must be. */
static void post_early(struct writer *w, uint32_t now)
{
	for (; w->next_receive < w->steps->count; w->next_receive++) {
		const uint32_t at = w->next_receive;
		const struct step *step = &w->steps->items[at];
		if (!is_receive(step))
			continue;
		const bool buffered = is_buffered(w, step);
		if (at > now && (w->nposted >= MOST_RECEIVES || w->free_at[at] > now ||
					(buffered ? w->nbuffered >= MOST_BUFFERED
						  : has_any_readers(w, step))))
			return;
		post(w, at);
	}
}

static void note_reader(struct writer *w, const struct piece *piece, uint32_t at)
{
	for (uint32_t i = 0; i < piece->count; i++) {
		const uint32_t place = cell(w, piece->src_buffer, piece->src + i);
		if (!ordo_array_reserve(
			    &w->readers, &w->reader_room, w->nreader + 1, sizeof *w->readers)) {
			w->no_memory = true;
			return;
		}
		w->readers[w->nreader] = (struct reader){at, w->read[place]};
		w->read[place] = (uint32_t)w->nreader++;
	}
}

/* Completes the oldest sends, as long as there are many of earlier levels. */
static void limit_sends(struct writer *w, uint32_t at)
{
	const struct step *items = w->steps->items;
	for (; w->nsend >= MOST_SENDS && items[w->oldest_send].level < items[at].level;
		w->oldest_send++)
		if (is_send(&items[w->oldest_send]))
			complete(w, w->oldest_send);
}

static void write_send(struct writer *w, uint32_t at)
{
	const struct step *step = &w->steps->items[at];
	const bool buffered = is_buffered(w, step);
	complete_src(w, step);
	limit_sends(w, at);
	take_requests(w, step);
	struct instruction instruction = instruction_of(w, step, SEND);
	if (buffered) {
		struct instruction copy = instruction;
		copy.kind = COPY;
		copy.to_message = instruction.from_message = true;
		emit(w, copy);
	}
	emit(w, instruction);
	w->nsend += step->npiece;
	w->messages[at] = (struct message){IN_FLIGHT, buffered};
	for (uint32_t i = 0; i < step->npiece && !buffered; i++)
		note_reader(w, &pieces_of_step(w, step)[i], at);
}

static void write_local(struct writer *w, const struct step *step)
{
	complete_src(w, step);
	complete_dst(w, step);
	emit(w, instruction_of(w, step, step->kind == STEP_REDUCE ? REDUCE : COPY));
}

static void note_received(struct writer *w, const struct piece *piece, uint32_t at)
{
	for (uint32_t i = 0; i < piece->count; i++)
		w->received[cell(w, piece->dst_buffer, piece->dst + i)] = at;
}

/* The receive was posted; now its data is used. */
static void write_receive(struct writer *w, uint32_t at)
{
	const struct step *step = &w->steps->items[at];
	if (!w->messages[at].buffered) {
		for (uint32_t i = 0; i < step->npiece; i++)
			note_received(w, &pieces_of_step(w, step)[i], at);
		return;
	}
	complete(w, at);
	complete_dst(w, step);
	struct instruction instruction =
		instruction_of(w, step, step->kind == STEP_RECEIVE_REDUCE ? REDUCE : COPY);
	instruction.from_message = true;
	emit(w, instruction);
	free_requests(w, step);
	w->nbuffered--;
}

/* A receive that a read or a write orders after it may not be posted before; the cells a step
 * touches were last touched then. */
static void find_free_at(struct writer *w)
{
	uint32_t *touched = w->read; /* of each cell, one step more than the last; 0: none */
	for (uint32_t at = 0; at < w->steps->count; at++) {
		const struct step *step = &w->steps->items[at];
		const struct piece *piece = pieces_of_step(w, step);
		const bool goes_straight = is_receive(step) && !is_buffered(w, step);
		for (const struct piece *end = piece + step->npiece; piece < end; piece++)
			for (uint32_t i = 0; i < piece->count; i++) {
				if (writes_own(step)) {
					uint32_t *last = &touched[cell(
						w, piece->dst_buffer, piece->dst + i)];
					if (goes_straight && *last > w->free_at[at])
						w->free_at[at] = *last;
					*last = at + 1;
				}
				if (reads_own(step))
					touched[cell(w, piece->src_buffer, piece->src + i)] =
						at + 1;
			}
	}
}

static bool open_writer(struct writer *w, const struct steps *steps)
{
	w->steps = steps;
	w->pieces = steps->pieces;
	w->ninput = ordo_input_slots(steps->problem, steps->rank);
	w->noutput = ordo_output_slots(steps->problem, steps->rank);
	const size_t ncell = (size_t)w->ninput + w->noutput + steps->scratch_slots + 1,
		     nstep = (size_t)steps->count + 1, npiece = (size_t)steps->npiece + 1;
	w->received = ordo_array_make(ncell, sizeof *w->received, 0xff);
	w->read = ordo_array_make(ncell, sizeof *w->read, 0);
	w->messages = calloc(nstep, sizeof *w->messages);
	w->free_at = calloc(nstep, sizeof *w->free_at);
	w->free_requests = calloc(npiece, sizeof *w->free_requests);
	if (!w->received || !w->read || !w->messages || !w->free_at || !w->free_requests)
		return false;
	find_free_at(w);
	for (size_t i = 0; i < ncell; i++)
		w->read[i] = ORDO_NONE;
	return true;
}

static void write_steps(struct writer *w)
{
	for (uint32_t at = 0; at < w->steps->count && !w->no_memory; at++) {
		const struct step *step = &w->steps->items[at];
		post_early(w, at);
		if (is_send(step))
			write_send(w, at);
		else if (is_receive(step))
			write_receive(w, at);
		else
			write_local(w, step);
	}
	for (uint32_t at = 0; at < w->steps->count && !w->no_memory; at++)
		complete(w, at);
}

/* Field by field: a part is sent, and what lies between fields would be anything. */
static void copy_problem(struct ordo_problem *to, const struct ordo_problem *from)
{
	to->op = from->op;
	to->nrank = from->nrank;
	to->root = from->root;
	to->chunks_per_block = from->chunks_per_block;
	to->nshard = from->nshard;
	to->in_place = from->in_place;
	to->accumulate = from->accumulate;
}

/* Appends the pieces to the instructions. */
static struct ordo_part *finish(struct writer *w)
{
	const struct steps *steps = w->steps;
	const uint32_t n = w->part ? w->part->ninstruction : 0; /* 0: a rank with nothing to do */
	const size_t end = sizeof *w->part + n * sizeof *w->part->instructions,
		     bytes = end + steps->npiece * sizeof *steps->pieces;
	struct ordo_part *part = w->no_memory ? NULL : realloc(w->part, bytes);
	if (!part)
		return NULL;
	if (!w->part)
		memset(part, 0, sizeof *part);
	w->part = NULL;
	/* Instructions begin before the end of the struct, so there is room behind the pieces. */
	memset((char *)part + end, 0, bytes - end);
	memcpy(&part->instructions[n], steps->pieces, bytes - end);
	part->bytes = bytes;
	part->npiece = steps->npiece;
	copy_problem(&part->problem, steps->problem);
	part->rank = steps->rank;
	part->scratch_slots = steps->scratch_slots;
	part->nrequest = w->nrequest;
	part->most_chunks = steps->most_chunks;
	return part;
}

struct ordo_part *ordo_part_of_steps(struct steps *steps, struct ordo_error *error)
{
	struct writer w = {0};
	struct ordo_part *part = NULL;
	if (ordo_steps_gather(steps) && open_writer(&w, steps)) {
		write_steps(&w);
		part = finish(&w);
	}
	if (!part)
		ordo_fail_memory(error);
	free(w.received);
	free(w.read);
	free(w.messages);
	free(w.free_at);
	free(w.free_requests);
	free(w.readers);
	free(w.part);
	return part;
}

void ordo_part_destroy(struct ordo_part *part)
{
	free(part);
}
