/* relay.c - lets a rank stand between two others that write to its memory in turn and have no link.
 *
 * The second must come after the first, and the pass that orders would let the first notify the
 * second. But every cross-rank task needs a link (R12), and each of the two has one with the rank
 * they write to. A relay is a place in the program, just before the second's move, where that rank
 * only waits and notifies: if nothing else orders the two, the first notifies the relay, and that
 * the second. The ordering pass picks its stream, since it knows what else would have to wait
 * there.
 */
#include "passes.h"
#include <ordo/arena.h>
#include <stdlib.h>
#include <string.h>

struct relay {
	struct ordo_sequence *sequence;
	const struct ordo_topology *topology;
	struct ordo_cells cells;
	/* [cells.nwritable] the rank that wrote there last, unless the owner was there since */
	uint32_t *writer;
	struct ordo_sequence made; /* the new program, moves alone */
};

/* Does the move write where a rank wrote that has no link to the one that does it? */
static bool needs_relay(const struct relay *r, const struct ordo_move *move)
{
	const uint32_t dst = ordo_cell(&r->cells, move->peer, move->dst_buffer, move->dst);
	for (uint32_t i = 0; i < move->count && move->peer != move->rank; i++) {
		const uint32_t writer = r->writer[dst + i];
		if (writer != ORDO_NONE && writer != move->rank &&
			!ordo_topology_reaches(r->topology, writer, move->rank))
			return true;
	}
	return false;
}

static bool append_relay(struct relay *r, const struct ordo_move *move)
{
	struct ordo_move relay = *move;
	relay.relays = 1;
	relay.rank = move->peer;
	relay.stream = ORDO_NONE;
	return ordo_sequence_append(&r->made, &relay);
}

static void touch(struct relay *r, const struct ordo_move *move)
{
	const uint32_t src = ordo_cell(&r->cells, move->rank, move->src_buffer, move->src);
	const uint32_t dst = ordo_cell(&r->cells, move->peer, move->dst_buffer, move->dst);
	for (uint32_t i = 0; i < move->count; i++) {
		if (src < r->cells.nwritable)
			r->writer[src + i] = ORDO_NONE;
		r->writer[dst + i] = move->peer == move->rank ? ORDO_NONE : move->rank;
	}
}

static bool relay_all(struct relay *r)
{
	const uint32_t nmove = r->sequence->nmove;
	for (uint32_t id = 0; id < nmove; id++) {
		const struct ordo_move *move = &r->sequence->moves[id];
		if (r->sequence->origins)
			r->made.origin = r->sequence->origins[id];
		if ((needs_relay(r, move) && !append_relay(r, move)) ||
			!ordo_sequence_append(&r->made, move))
			return false;
		touch(r, move);
	}
	return true;
}

bool ordo_relay(struct ordo_sequence *sequence, const struct ordo_topology *topology,
	struct ordo_error *error)
{
	struct relay r = {
		.sequence = sequence, .topology = topology, .made = {.places = sequence->places}};
	if (!topology)
		return true;
	sequence->topology = topology;
	bool worked = ordo_cells_make(&r.cells, &sequence->problem, sequence->scratch_slots, error);
	if (worked) {
		r.writer = malloc(((size_t)r.cells.nwritable + 1) * sizeof *r.writer);
		if (r.writer)
			memset(r.writer, 0xff, ((size_t)r.cells.nwritable + 1) * sizeof *r.writer);
		worked = (r.writer && relay_all(&r)) || ordo_fail_memory(error);
	}
	if (worked)
		ordo_sequence_exchange(sequence, &r.made);
	free(r.made.moves);
	free(r.made.origins);
	free(r.writer);
	ordo_cells_free(&r.cells);
	return worked;
}
