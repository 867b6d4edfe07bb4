/* stage.c - lets other ranks touch staging memory only, which is scratch, and never input or
 * output.
 *
 * A move between ranks becomes up to three: its rank copies what it sends to staging slots, sends
 * from there to staging slots of the peer, and the peer copies it to its place, or adds it there:
 * dst = dst op src as before, so every order of additions stays. Data that lies in scratch already
 * is sent from there, and where the algorithm sends to scratch, it goes there at once.
 *
 * What a staging slot holds is remembered: while neither it nor the place it was copied from, or
 * to, has been written since, it is sent from again without another copy. So a ring passes on what
 * came, and a broadcast to many peers is copied once.
 *
 * Which slots. Each rank takes the slots of its staging memory in turn, so the one used longest ago
 * comes next. Nothing here says when a slot is free: the program is still sequential, a slot that
 * is written again is a cell like any other, and the pass that orders lets its writer wait for
 * those that read it. So any number of slots from one on works; with more of them, more is under
 * way at once. A move of more chunks than a quarter of the slots is divided, for the same reason.
 *
 * Which streams. A rank copies what it sends in the stream that sends it, where nothing needs a
 * signal. The peer takes what came in a stream for all that comes from that rank: the stream that
 * sends on would, in program order, send only after it has taken what came in the same step.
 */
#include "passes.h"
#include <ordo/arena.h>
#include <stdlib.h>

struct staging {
	struct ordo_sequence *sequence;
	struct ordo_cells cells;
	uint32_t own;		 /* scratch slots of the algorithm, before those of staging */
	uint32_t nslot;		 /* of staging, on each rank */
	uint32_t nused;		 /* of these, on the rank that uses most */
	uint32_t *held;		 /* [cells.count] the staging slot that holds the same; ORDO_NONE */
	uint32_t *cells_of;	 /* [nrank * nslot] the cell that a staging slot holds; ORDO_NONE */
	uint32_t *next;		 /* [nrank] the staging slot to be used next */
	struct ordo_move *moves; /* as they were */
	uint32_t nmove;
};

static bool touches_user_memory(const struct ordo_move *move)
{
	return move->rank != move->peer &&
	       (move->src_buffer != ORDO_SCRATCH || move->dst_buffer != ORDO_SCRATCH);
}

/* As many slots as were ever used if none were used twice; 0: nothing is to be staged. */
static bool count_most(const struct ordo_sequence *sequence, uint64_t *most)
{
	uint64_t *used = calloc(sequence->problem.nrank, sizeof *used);
	*most = 0;
	for (uint32_t i = 0; used && i < sequence->nmove; i++) {
		const struct ordo_move *move = &sequence->moves[i];
		if (!touches_user_memory(move))
			continue;
		used[move->rank] += move->src_buffer != ORDO_SCRATCH ? move->count : 0;
		used[move->peer] += move->dst_buffer != ORDO_SCRATCH ? move->count : 0;
		*most = used[move->rank] > *most ? used[move->rank] : *most;
		*most = used[move->peer] > *most ? used[move->peer] : *most;
	}
	free(used);
	return used;
}

static bool open_staging(struct staging *s, struct ordo_error *error)
{
	struct ordo_sequence *sequence = s->sequence;
	const size_t nrank = sequence->problem.nrank;
	if (!ordo_cells_make(&s->cells, &sequence->problem, sequence->scratch_slots, error))
		return false;
	s->held = ordo_array_make((size_t)s->cells.count + 1, sizeof *s->held, 0xff);
	s->cells_of = s->nslot <= SIZE_MAX / sizeof(uint32_t) / nrank
			      ? ordo_array_make(nrank * s->nslot, sizeof *s->cells_of, 0xff)
			      : NULL;
	s->next = calloc(nrank, sizeof *s->next);
	if (!s->held || !s->cells_of || !s->next)
		return ordo_fail_memory(error);
	s->moves = sequence->moves;
	s->nmove = sequence->nmove;
	sequence->moves = NULL;
	sequence->nmove = 0;
	sequence->move_room = 0;
	return true;
}

static void close_staging(struct staging *s)
{
	ordo_cells_free(&s->cells);
	free(s->held);
	free(s->cells_of);
	free(s->next);
	free(s->moves);
}

/* `count` slots in a row, which hold nothing that is remembered any more. */
static uint32_t take_slots(struct staging *s, uint32_t rank, uint32_t count)
{
	uint32_t first = s->next[rank];
	if (first + count > s->nslot)
		first = 0;
	for (uint32_t i = first; i < first + count; i++) {
		uint32_t *cell = &s->cells_of[(size_t)rank * s->nslot + i];
		if (*cell != ORDO_NONE)
			s->held[*cell] = ORDO_NONE;
		*cell = ORDO_NONE;
	}
	s->next[rank] = first + count;
	if (first + count > s->nused)
		s->nused = first + count;
	return first;
}

/* The slots hold the same as the places from now on. */
static void remember(struct staging *s, uint32_t rank, uint32_t buffer, uint32_t place,
	uint32_t slot, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		const uint32_t cell = ordo_cell(&s->cells, rank, buffer, place + i);
		s->held[cell] = slot + i;
		s->cells_of[(size_t)rank * s->nslot + slot + i] = cell;
	}
}

/* The places are written: what was copied from or to them is out of date. */
static void forget(
	struct staging *s, uint32_t rank, uint32_t buffer, uint32_t place, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		uint32_t *slot = &s->held[ordo_cell(&s->cells, rank, buffer, place + i)];
		if (*slot != ORDO_NONE)
			s->cells_of[(size_t)rank * s->nslot + *slot] = ORDO_NONE;
		*slot = ORDO_NONE;
	}
}

/* The first of the slots in a row that hold the same as the places; ORDO_NONE: there are none. */
static uint32_t find_slots(
	const struct staging *s, uint32_t rank, uint32_t buffer, uint32_t place, uint32_t count)
{
	const uint32_t first = s->held[ordo_cell(&s->cells, rank, buffer, place)];
	for (uint32_t i = 1; first != ORDO_NONE && i < count; i++)
		if (s->held[ordo_cell(&s->cells, rank, buffer, place + i)] != first + i)
			return ORDO_NONE;
	return first;
}

/* The stream of the peer that takes what came. ORDO_NONE: no memory. */
static uint32_t receiving_lane(struct staging *s, const struct ordo_move *move)
{
	const uint32_t label =
		ordo_label_id(s->sequence, &s->sequence->stream_labels, "from", move->rank);
	return label == ORDO_NONE ? ORDO_NONE : ordo_lane_id(s->sequence, move->peer, label);
}

/* Copies what is to be sent to staging, unless it is there; the move then sends from there. */
static bool stage_source(struct staging *s, struct ordo_move *move)
{
	if (move->src_buffer == ORDO_SCRATCH)
		return true;
	uint32_t slot = find_slots(s, move->rank, move->src_buffer, move->src, move->count);
	if (slot == ORDO_NONE) {
		struct ordo_move copy = *move;
		slot = take_slots(s, move->rank, move->count);
		forget(s, move->rank, move->src_buffer, move->src, move->count);
		remember(s, move->rank, move->src_buffer, move->src, slot, move->count);
		copy.peer = move->rank;
		copy.reduces = false;
		copy.dst_buffer = ORDO_SCRATCH;
		copy.dst = s->own + slot;
		if (!ordo_sequence_append(s->sequence, &copy))
			return false;
	}
	move->src_buffer = ORDO_SCRATCH;
	move->src = s->own + slot;
	return true;
}

/* Sends to staging of the peer, which takes it from there. */
static bool stage_target(struct staging *s, const struct ordo_move *move)
{
	struct ordo_move sent = *move, taken = *move;
	if (move->dst_buffer == ORDO_SCRATCH)
		return ordo_sequence_append(s->sequence, move);
	const uint32_t slot = take_slots(s, move->peer, move->count);
	forget(s, move->peer, move->dst_buffer, move->dst, move->count);
	if (!move->reduces)
		remember(s, move->peer, move->dst_buffer, move->dst, slot, move->count);
	sent.reduces = false;
	sent.dst_buffer = taken.src_buffer = ORDO_SCRATCH;
	sent.dst = taken.src = s->own + slot;
	taken.rank = move->peer;
	taken.stream = receiving_lane(s, move);
	return taken.stream != ORDO_NONE && ordo_sequence_append(s->sequence, &sent) &&
	       ordo_sequence_append(s->sequence, &taken);
}

static bool stage_move(struct staging *s, const struct ordo_move *move)
{
	const uint32_t most = s->nslot < 4 ? 1 : s->nslot / 4;
	if (!touches_user_memory(move)) {
		if (move->dst_buffer != ORDO_SCRATCH)
			forget(s, move->peer, move->dst_buffer, move->dst, move->count);
		return ordo_sequence_append(s->sequence, move);
	}
	for (uint32_t done = 0; done < move->count; done += most) {
		struct ordo_move piece = *move;
		piece.chunk += done;
		piece.src += done;
		piece.dst += done;
		piece.count = move->count - done < most ? move->count - done : most;
		if (!stage_source(s, &piece) || !stage_target(s, &piece))
			return false;
	}
	return true;
}

bool ordo_stage(struct ordo_sequence *sequence, uint32_t slots, struct ordo_error *error)
{
	struct staging s = {.sequence = sequence, .own = sequence->scratch_slots};
	uint64_t most = 0;
	if (!slots)
		return true;
	if (!count_most(sequence, &most))
		return ordo_fail_memory(error);
	const uint32_t least = s.own + (most ? 1 : 0);
	if (slots < least) {
		ordo_fail(error, ORDO_USAGE, 13,
			"staging: found %u slots, wanted at least %u: %u scratch slots of the "
			"algorithm%s",
			slots, least, s.own, most ? ", and one for what is sent" : "");
		return ordo_hint(error, "--staging %u, or more, so that more is in flight", least);
	}
	if (!most)
		return true;
	s.nslot = slots - s.own < most ? slots - s.own : (uint32_t)most;
	bool worked = open_staging(&s, error);
	for (uint32_t i = 0; worked && i < s.nmove; i++)
		worked = stage_move(&s, &s.moves[i]) || ordo_fail_memory(error);
	if (worked)
		sequence->scratch_slots = s.own + s.nused;
	close_staging(&s);
	return worked;
}
