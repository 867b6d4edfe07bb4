/* order.c - removes the order from the sequence: what must still wait for what becomes a
 * synchronisation edge: a Notify and its Wait.
 *
 * What must be ordered. Every two accesses of one cell (in place, both names of a slot are one
 * cell) of which one is a write stay in program order. It is enough to ask for consecutive ones: a
 * read after the last write, a write after the reads since the last write, or after the last write
 * if there were none. Entering and leaving the call are accesses too, writes of all the rank's
 * memory at the head and at the end of all its streams. From them come the handshake ("you have
 * entered, I may write into you") and the final wait ("you are done with my memory, I may leave").
 * Only remote writes ever ask for them: all other accesses are the rank's own.
 *
 * Which orderings need an edge. Those that stream order and the other edges do not already imply.
 * Moves are taken in program order, what one move b must come after latest first. Every path into b
 * runs through earlier moves and the edges into b from later dependencies, so when a -> b is looked
 * at, all of what could imply it is there: the edges placed are the transitive reduction, and
 * dropping any one loses an ordering that must be.
 *
 * "Is a -> b implied?", in this order:
 * - Same stream; or b's stream has been shown before to know a or something later of a's stream.
 * - Those streams that have waited for something at or after a in a's stream have not notified
 *   anybody since: no, exactly.
 * - a lies on the chain of a dependency of b already dealt with. Chains are paths of data: each
 *   move continues the chain of the move that wrote what it reads, if it is the first to do so. On
 *   a ring the reader a of a chunk reaches the write b that replaces it only by the chunk's own way
 *   round, which is one chain: O(1) instead of N - 1 hops.
 * - A search forwards from a over the edges: where few were told, that ends at once. In turn with
 *   it a search goes back from b, never twice over the same part of a stream, and never past a:
 *   every path is increasing in program order. They answer where they meet, or where one of them is
 *   done. Rows of what a stream can know (horizon.c, knowledge.c) cut both short. It is exact until
 *   search_visits are used up for the whole compilation, and then gives up after a few visits a
 *   question, answering no: the edge may then be superfluous, never missing.
 *
 * Relays. Two ranks that write to one cell of a third may have no link: then the owner passes the
 * word on (relay.c). What the owner's stream does before the relay holds up the second writer, and
 * what it does afterwards waits for the first. So a relay goes to a stream in which nothing follows
 * it but other relays, and nothing precedes it that is not before one of the two writers anyway; if
 * the owner has none, it gets one more. Hence no two moves are ordered that would not be with all
 * links there, and none begins later than it would then.
 *
 * One signal a pair of streams. Of two edges from stream s to stream t, the one with the later
 * Wait has the later Notify: with an earlier or the same one, what it demands would have been
 * implied by the other. So the j-th Wait takes the j-th Notify, as meant (R5).
 */
#include "order.h"
#include <stdlib.h>

static bool begin(struct ordering *o, struct ordo_error *error)
{
	const struct ordo_sequence *sequence = o->sequence;
	const uint32_t nmove = sequence->nmove, nrank = sequence->problem.nrank;
	if (!ordo_cells_make(
		    &o->accesses.cells, &sequence->problem, sequence->scratch_slots, error))
		return false;
	o->accesses.writer = ordo_order_nones(o->accesses.cells.nwritable);
	o->accesses.readers = ordo_order_nones(o->accesses.cells.nwritable);
	o->chains.of = ordo_order_nones(nmove);
	o->chains.end = ordo_order_nones(nmove);
	o->chains.mark = ordo_order_nones(nmove);
	o->newest_in = ordo_order_nones(nmove);
	o->ranks.leaving = ordo_order_nones(nrank);
	o->ranks.some_lane = ordo_order_nones(nrank);
	o->ranks.lanes = ordo_order_nones(nrank);
	o->ranks.nrelaying = calloc(nrank, sizeof *o->ranks.nrelaying);
	o->ranks.waited_for = calloc(nrank, sizeof *o->ranks.waited_for);
	o->settled = ordo_array_make((size_t)nmove + 1, sizeof *o->settled, 0);
	o->accesses.free = ORDO_NONE;
	if (!o->accesses.writer || !o->accesses.readers || !o->chains.of || !o->chains.end ||
		!o->chains.mark || !o->newest_in || !o->ranks.leaving || !o->ranks.some_lane ||
		!o->ranks.lanes || !o->ranks.nrelaying || !o->ranks.waited_for || !o->settled ||
		!ordo_array_reserve(
			&o->lanes, &o->lane_room, (size_t)sequence->nlane + 1, sizeof *o->lanes) ||
		!ordo_near_make(&o->clocks.ids, sequence->nlane) ||
		!ordo_near_make(&o->ranks.entered, sequence->nlane) ||
		!ordo_order_begin_knowledge(o) ||
		(!o->knowledge.width && !ordo_order_widen_horizons(o, sequence->nlane)))
		return ordo_fail_memory(error);
	for (uint32_t i = sequence->nlane; i-- > 0;) {
		const uint32_t rank = rank_of(o, i);
		o->lanes[i] = ordo_order_new_lane;
		o->lanes[i].beside = o->ranks.lanes[rank];
		o->ranks.lanes[rank] = o->ranks.some_lane[rank] = i;
	}
	for (uint32_t i = 0; sequence->topology && i < nmove; i++)
		if (!sequence->moves[i].relays)
			o->lanes[lane_of(o, i)].last = i;
	return true;
}

static void end(struct ordering *o)
{
	ordo_cells_free(&o->accesses.cells);
	free(o->accesses.writer);
	free(o->accesses.readers);
	free(o->accesses.pool);
	free(o->chains.of);
	free(o->chains.end);
	free(o->chains.mark);
	free(o->newest_in);
	free(o->lanes);
	free(o->lists.before);
	free(o->ranks.leaving);
	free(o->ranks.some_lane);
	free(o->ranks.lanes);
	free(o->ranks.nrelaying);
	free(o->ranks.waited_for);
	free(o->clocks.entries);
	free(o->lists.same);
	free(o->lists.beside);
	free(o->deps.moves);
	free(o->search.visits);
	free(o->search.reached);
	ordo_near_free(&o->clocks.ids);
	ordo_map_free(&o->lists.signals);
	ordo_near_free(&o->ranks.entered);
	free(o->settled);
	ordo_order_free_horizons(o);
	ordo_order_free_knowledge(o);
	ordo_map_free(&o->ranks.sends_to);
}

bool ordo_order_moves(struct ordo_sequence *sequence, uint64_t search_visits,
	struct ordo_sync_edges *edges, struct ordo_error *error)
{
	*edges = (struct ordo_sync_edges){0};
	struct ordering o = {
		.sequence = sequence, .edges = edges, .search.most_visits = search_visits};
	bool worked = begin(&o, error);
	for (uint32_t i = 0; worked && i < sequence->nmove && !o.no_memory; i++) {
		ordo_order_move(&o, i);
		if (sequence->progress && i % 65536 == 0)
			sequence->progress(sequence->closure, "ordering", i, sequence->nmove);
	}
	worked = worked && ordo_order_leaving(&o);
	if (o.no_memory)
		ordo_fail_memory(error);
	end(&o);
	return worked;
}
