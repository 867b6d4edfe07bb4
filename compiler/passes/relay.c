/* relay.c - where two ranks that write one cell in a row have no link between them, the rank that owns the cell
 * passes the word on.
 *
 * A pair that orders two writers of a cell goes from one to the other; all other pairs join ranks between which
 * something moves. So a mark is put between the two: a move of the owner's from the cell onto itself, which is
 * ordered like any other and of which only its Waits and Notifies are written down.
 */
#include "passes.h"
#include <stdlib.h>

struct relay {
	struct ordo_sequence *sequence;
	const struct ordo_topology *topology;
	struct ordo_cells cells;
	uint32_t *last; /* [cells.count] the rank that last read or wrote it, or ORDO_NONE */
	struct ordo_move *moves;
	uint32_t nmove;
	size_t move_room;
};

static bool append(struct relay *relay, const struct ordo_move *move)
{
	if (!ordo_array_reserve(&relay->moves, &relay->move_room, (size_t)relay->nmove + 1, sizeof *move))
		return false;
	relay->moves[relay->nmove++] = *move;
	return true;
}

/* Must the owner pass on to the rank of `move` that the cell is free? */
static bool needs_word(const struct relay *relay, const struct ordo_move *move, uint32_t cell)
{
	const uint32_t last = relay->last[cell];
	return last != ORDO_NONE && last != move->peer &&
	       !ordo_topology_reaches(relay->topology, last, move->rank);
}

/* Of the cells that a move writes, first..end-1, in a stream of their owner's with the same name. */
static bool mark(struct relay *relay, const struct ordo_move *move, uint32_t first, uint32_t end)
{
	const uint32_t label = relay->sequence->lanes[move->stream].label;
	const struct ordo_move marked = {
		.src_buffer = move->dst_buffer,
		.dst_buffer = move->dst_buffer,
		.phase = move->phase,
		.stream = ordo_lane_id(relay->sequence, move->peer, label),
		.rank = move->peer,
		.peer = move->peer,
		.chunk = move->chunk + first,
		.count = end - first,
		.src = move->dst + first,
		.dst = move->dst + first,
	};
	return marked.stream != ORDO_NONE && append(relay, &marked);
}

static bool relay_move(struct relay *relay, const struct ordo_move *move)
{
	const uint32_t src = ordo_cell(&relay->cells, move->rank, move->src_buffer, move->src);
	const uint32_t dst = ordo_cell(&relay->cells, move->peer, move->dst_buffer, move->dst);
	for (uint32_t first = 0, end; first < move->count; first = end) {
		const bool needed = needs_word(relay, move, dst + first);
		for (end = first + 1; end < move->count && needs_word(relay, move, dst + end) == needed;)
			end++;
		if (needed && !mark(relay, move, first, end))
			return false;
	}
	for (uint32_t i = 0; i < move->count; i++) {
		relay->last[src + i] = move->rank;
		relay->last[dst + i] = move->rank;
	}
	return append(relay, move);
}

bool ordo_relay(
	struct ordo_sequence *sequence, const struct ordo_topology *topology, struct ordo_error *error)
{
	struct relay relay = {.sequence = sequence, .topology = topology};
	if (!topology)
		return true;
	bool worked = ordo_cells_make(&relay.cells, &sequence->problem, sequence->scratch_slots, error);
	if (worked) {
		relay.last = malloc(((size_t)relay.cells.count + 1) * sizeof *relay.last);
		worked = relay.last ? true : ordo_fail_memory(error);
	}
	for (uint32_t cell = 0; worked && cell < relay.cells.count; cell++)
		relay.last[cell] = ORDO_NONE;
	for (uint32_t i = 0; worked && i < sequence->nmove; i++)
		worked = relay_move(&relay, &sequence->moves[i]) ? true : ordo_fail_memory(error);
	if (worked) {
		struct ordo_move *replaced = sequence->moves;
		sequence->moves = relay.moves;
		sequence->nmove = relay.nmove;
		sequence->move_room = relay.move_room;
		relay.moves = replaced;
	}
	free(relay.moves);
	free(relay.last);
	ordo_cells_free(&relay.cells);
	return worked;
}
