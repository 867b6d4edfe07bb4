/* accumulate.c - moves sums into scratch, where they have a form of their own (accumulate.h), and
 * rounds each once, when it is complete.
 *
 * An algorithm adds up where the result belongs, or in its own scratch. Here every place of input
 * or output in which something is added up gets a scratch slot beside it, its shadow, and the
 * program is gone through once more, with what every place holds:
 *
 *   a contribution   exact in either form. It is copied to the shadow if it is added to there, and
 *                    else to the place itself. In place, what lies there when the call begins and
 *                    is added to is copied to the shadow first of all.
 *   a partial sum    is only ever in scratch: in shadows, or where the algorithm has it.
 *   a complete sum   made in the shadow of an output place is copied there at once, by its own
 *                    rank, and passed on from there: half the bytes, and no second rounding.
 *
 * So moves between ranks stay as many, of as many chunks; what is added are copies within a rank.
 */
#include "passes.h"
#include <ordo/arena.h>
#include <stdlib.h>
#include <string.h>

/* Where the value of a cell can be read. */
enum { HOME = 1, SHADOW = 2 };

/* A cell that may be written. */
struct place {
	uint32_t leaves; /* contributions in what it holds; 0: nothing */
	uint32_t shadow; /* number of its shadow among those of its rank; ORDO_NONE: it has none */
	/* the first move that adds to what lies here when the call begins; ORDO_NONE: none */
	uint32_t first_sum;
	uint8_t where;
};

struct accumulation {
	struct ordo_sequence *sequence;
	struct ordo_cells cells;
	struct place *places; /* [cells.nwritable] */
	/* of every chunk that every move writes, in order: is this value added to later? */
	uint8_t *added_to;
	uint32_t scratch_slots;	   /* of the algorithm: shadows come behind them */
	struct ordo_sequence made; /* moves alone */
	uint32_t origin; /* of the chunk at hand; made.origin is that of the move that grows */
};

/* One chunk of a move. */
struct step {
	uint32_t src, dst; /* cells */
	uint32_t leaves;   /* of what is read */
	bool into_scratch;
};

static struct step step_of(const struct accumulation *a, const struct ordo_move *move, uint32_t i)
{
	struct step step = {
		.src = ordo_cell(&a->cells, move->rank, move->src_buffer, move->src + i),
		.dst = ordo_cell(&a->cells, move->peer, move->dst_buffer, move->dst + i),
		.leaves = 1,
		.into_scratch = move->dst_buffer == ORDO_SCRATCH};
	if (step.src < a->cells.nwritable)
		step.leaves = a->places[step.src].leaves;
	return step;
}

/* In the beginning there is input, which out of place is no place to write. */
static void place_input(struct accumulation *a)
{
	const struct ordo_problem *problem = &a->sequence->problem;
	for (uint32_t cell = 0; cell < a->cells.nwritable; cell++) {
		a->places[cell].leaves = 0;
		a->places[cell].where = HOME;
	}
	for (uint32_t rank = 0; problem->in_place && rank < problem->nrank; rank++)
		for (uint32_t slot = 0, end = ordo_input_slots(problem, rank); slot < end; slot++)
			a->places[ordo_cell(&a->cells, rank, ORDO_INPUT, slot)].leaves = 1;
}

static bool is_partial(const struct accumulation *a, uint32_t leaves)
{
	return leaves > 1 && leaves < a->sequence->problem.nshard;
}

/* Which places need a shadow: those that are added to, and those to which partial sums are
 * copied. */
static void mark_shadows(struct accumulation *a)
{
	place_input(a);
	for (uint32_t id = 0; id < a->sequence->nmove; id++) {
		const struct ordo_move *move = &a->sequence->moves[id];
		for (uint32_t i = 0; i < move->count; i++) {
			const struct step step = step_of(a, move, i);
			struct place *to = &a->places[step.dst];
			to->leaves = move->reduces ? to->leaves + step.leaves : step.leaves;
			if (!step.into_scratch && (move->reduces || is_partial(a, step.leaves)))
				to->shadow = 0;
		}
	}
}

/* Shadows of neighbours are neighbours. */
static bool number_shadows(struct accumulation *a, struct ordo_error *error)
{
	const uint32_t nrank = a->sequence->problem.nrank;
	uint32_t most = 0, cell = 0;
	for (uint32_t rank = 0; rank < nrank; rank++) {
		uint32_t count = 0;
		for (; cell < a->cells.scratch[rank]; cell++)
			if (a->places[cell].shadow != ORDO_NONE)
				a->places[cell].shadow = count++;
		cell += a->scratch_slots;
		most = count > most ? count : most;
	}
	if (most > ORDO_LIMIT - a->scratch_slots)
		return ordo_fail(error, ORDO_USAGE, 0,
			"accumulate: too many slots: %u for sums besides %u of the algorithm", most,
			a->scratch_slots);
	a->sequence->scratch_slots = a->scratch_slots + most;
	return true;
}

/* Backwards: whether a value is added to is known before it is written. */
static void look_ahead(struct accumulation *a, uint64_t nchunk)
{
	for (uint32_t id = a->sequence->nmove; id-- > 0;) {
		const struct ordo_move *move = &a->sequence->moves[id];
		for (uint32_t i = move->count; i-- > 0;) {
			struct place *to = &a->places[step_of(a, move, i).dst];
			a->added_to[--nchunk] = to->first_sum != ORDO_NONE;
			to->first_sum = move->reduces ? id : ORDO_NONE;
		}
	}
}

/* Appends one chunk to the move that grows, if it continues it, or begins a new one. */
static bool append(struct accumulation *a, struct ordo_move *growing, const struct ordo_move *chunk)
{
	if (growing->count && growing->src_buffer == chunk->src_buffer &&
		growing->dst_buffer == chunk->dst_buffer && growing->stream == chunk->stream &&
		growing->rank == chunk->rank && growing->src + growing->count == chunk->src &&
		growing->dst + growing->count == chunk->dst &&
		growing->chunk + growing->count == chunk->chunk) {
		growing->count++;
		return true;
	}
	const bool worked = !growing->count || ordo_sequence_append(&a->made, growing);
	*growing = *chunk;
	a->made.origin = a->origin;
	return worked;
}

static uint32_t shadow_slot(const struct accumulation *a, uint32_t cell)
{
	return a->scratch_slots + a->places[cell].shadow;
}

/* In place: what is there from the beginning and is added to. */
static bool copy_inputs(struct accumulation *a)
{
	struct ordo_sequence *sequence = a->sequence;
	const struct ordo_problem *problem = &sequence->problem;
	struct ordo_move growing = {0};
	bool worked = true;
	for (uint32_t rank = 0; problem->in_place && rank < problem->nrank; rank++)
		for (uint32_t slot = 0, end = ordo_input_slots(problem, rank); worked && slot < end;
			slot++) {
			const uint32_t cell = ordo_cell(&a->cells, rank, ORDO_INPUT, slot);
			struct place *place = &a->places[cell];
			if (place->first_sum == ORDO_NONE)
				continue;
			const struct ordo_move *sum = &sequence->moves[place->first_sum];
			const struct ordo_move chunk = {.src_buffer = ORDO_INPUT,
				.dst_buffer = ORDO_SCRATCH,
				.phase = sequence->moves[0].phase,
				.stream = ordo_lane_id(
					sequence, rank, sequence->lanes[sum->stream].label),
				.rank = rank,
				.peer = rank,
				.chunk = ordo_input_chunk(problem, rank, slot),
				.count = 1,
				.src = slot,
				.dst = shadow_slot(a, cell)};
			place->where = HOME | SHADOW;
			if (sequence->origins)
				a->origin = sequence->origins[place->first_sum];
			worked = chunk.stream != ORDO_NONE && append(a, &growing, &chunk);
		}
	return worked && (!growing.count || ordo_sequence_append(&a->made, &growing));
}

/* Chunk i of the move, with its places exchanged for shadows where it must be. */
static struct ordo_move move_chunk(
	struct accumulation *a, const struct ordo_move *move, uint32_t i, bool added_to)
{
	const struct step step = step_of(a, move, i);
	struct place *to = &a->places[step.dst];
	struct ordo_move chunk = *move;
	chunk.chunk += i;
	chunk.count = 1;
	chunk.src += i;
	chunk.dst += i;
	if (step.src < a->cells.nwritable && !(a->places[step.src].where & HOME)) {
		chunk.src_buffer = ORDO_SCRATCH;
		chunk.src = shadow_slot(a, step.src);
	}
	to->leaves = move->reduces ? to->leaves + step.leaves : step.leaves;
	if (step.into_scratch)
		return chunk;
	to->where = move->reduces || added_to || is_partial(a, step.leaves) ? SHADOW : HOME;
	if (to->where == SHADOW) {
		chunk.dst_buffer = ORDO_SCRATCH;
		chunk.dst = shadow_slot(a, step.dst);
	}
	return chunk;
}

static bool move_chunks(
	struct accumulation *a, const struct ordo_move *move, const uint8_t *added_to)
{
	struct ordo_move growing = {0};
	bool worked = true;
	for (uint32_t i = 0; worked && i < move->count; i++) {
		const struct ordo_move chunk = move_chunk(a, move, i, added_to[i]);
		worked = append(a, &growing, &chunk);
	}
	return worked && ordo_sequence_append(&a->made, &growing);
}

/* Sums that the move has completed beside their output slots are rounded into them, in the stream
 * of the same name. */
static bool round_complete(struct accumulation *a, const struct ordo_move *move)
{
	struct ordo_sequence *sequence = a->sequence;
	const struct ordo_problem *problem = &sequence->problem;
	const uint32_t first = a->cells.output[move->peer],
		       noutput = ordo_output_slots(problem, move->peer);
	struct ordo_move growing = {0};
	bool worked = true;
	for (uint32_t i = 0; worked && move->reduces && i < move->count; i++) {
		const struct step step = step_of(a, move, i);
		struct place *place = &a->places[step.dst];
		if (step.into_scratch || place->leaves != problem->nshard || step.dst < first ||
			step.dst - first >= noutput)
			continue;
		const struct ordo_move chunk = {.src_buffer = ORDO_SCRATCH,
			.dst_buffer = ORDO_OUTPUT,
			.phase = move->phase,
			.stream = ordo_lane_id(
				sequence, move->peer, sequence->lanes[move->stream].label),
			.rank = move->peer,
			.peer = move->peer,
			.chunk = move->chunk + i,
			.count = 1,
			.src = shadow_slot(a, step.dst),
			.dst = step.dst - first};
		place->where |= HOME;
		worked = chunk.stream != ORDO_NONE && append(a, &growing, &chunk);
	}
	return worked && (!growing.count || ordo_sequence_append(&a->made, &growing));
}

static bool rewrite(struct accumulation *a)
{
	const uint8_t *added_to = a->added_to;
	place_input(a);
	bool worked = copy_inputs(a);
	for (uint32_t id = 0; worked && id < a->sequence->nmove; id++) {
		const struct ordo_move *move = &a->sequence->moves[id];
		if (a->sequence->origins)
			a->origin = a->sequence->origins[id];
		worked = move_chunks(a, move, added_to) && round_complete(a, move);
		added_to += move->count;
	}
	return worked;
}

static uint64_t count_chunks(const struct ordo_sequence *sequence)
{
	uint64_t nchunk = 0;
	for (uint32_t id = 0; id < sequence->nmove; id++)
		nchunk += sequence->moves[id].count;
	return nchunk;
}

static bool give_memory(struct accumulation *a, uint64_t nchunk, struct ordo_error *error)
{
	if (!ordo_cells_make(&a->cells, &a->sequence->problem, a->scratch_slots, error))
		return false;
	a->places = ordo_array_make((size_t)a->cells.nwritable + 1, sizeof *a->places, 0xff);
	a->added_to = ordo_array_make(nchunk + 1, sizeof *a->added_to, 0);
	return a->places && a->added_to ? true : ordo_fail_memory(error);
}

bool ordo_accumulate(struct ordo_sequence *sequence, struct ordo_error *error)
{
	struct accumulation a = {.sequence = sequence,
		.scratch_slots = sequence->scratch_slots,
		.made = {.places = sequence->places}};
	if (!sequence->problem.accumulate)
		return true;
	const uint64_t nchunk = count_chunks(sequence);
	bool worked = give_memory(&a, nchunk, error);
	if (worked) {
		mark_shadows(&a);
		worked = number_shadows(&a, error);
	}
	if (worked) {
		look_ahead(&a, nchunk);
		worked = rewrite(&a) || ordo_fail_memory(error);
	}
	if (worked)
		ordo_sequence_exchange(sequence, &a.made);
	free(a.made.moves);
	free(a.made.origins);
	free(a.places);
	free(a.added_to);
	ordo_cells_free(&a.cells);
	return worked;
}
