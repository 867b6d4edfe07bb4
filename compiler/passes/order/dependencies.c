/* dependencies.c - what a move must come after: the last accesses of its cells. */
#include "order.h"
#include <stdlib.h>
#include <string.h>

enum { FEW_DEPENDENCIES = 16 };

/* A cell mostly asks for the same as the one before: few at a time are repeated, and need not be
 * sorted. */
static void depend(struct ordering *o, uint32_t move)
{
	for (uint32_t back = 1; back <= 4 && back <= o->deps.count; back++)
		if (o->deps.moves[o->deps.count - back] == move)
			return;
	if (ordo_array_reserve(&o->deps.moves, &o->deps.room, (size_t)o->deps.count + 1,
		    sizeof *o->deps.moves))
		o->deps.moves[o->deps.count++] = move;
	else
		o->no_memory = true;
}

/* Collects into o->deps what a move must come after. true: also the entering of the rank it writes
 * to, as far as its cells are concerned. */
static bool collect(struct ordering *o, const struct ordo_move *move)
{
	const uint32_t src = ordo_cell(&o->accesses.cells, move->rank, move->src_buffer, move->src);
	const uint32_t dst = ordo_cell(&o->accesses.cells, move->peer, move->dst_buffer, move->dst);
	const bool given = src >= o->accesses.cells.nwritable;
	bool entering = false;
	o->deps.count = 0;
	for (uint32_t i = 0; i < move->count; i++) {
		if (!given && o->accesses.writer[src + i] != ORDO_NONE)
			depend(o, o->accesses.writer[src + i]);
		for (uint32_t reader = o->accesses.readers[dst + i]; reader != ORDO_NONE;
			reader = o->accesses.pool[reader].next)
			depend(o, o->accesses.pool[reader].move);
		if (o->accesses.readers[dst + i] != ORDO_NONE)
			continue;
		if (o->accesses.writer[dst + i] != ORDO_NONE)
			depend(o, o->accesses.writer[dst + i]);
		else
			entering = true;
	}
	return entering && move->peer != move->rank;
}

static int latest_first(const void *a, const void *b)
{
	uint32_t x, y;
	memcpy(&x, a, sizeof x);
	memcpy(&y, b, sizeof y);
	return (x < y) - (x > y);
}

/* Nearly always there are two or three. */
static void sort_dependencies(struct ordering *o)
{
	if (o->deps.count > FEW_DEPENDENCIES) {
		qsort(o->deps.moves, o->deps.count, sizeof *o->deps.moves, latest_first);
		return;
	}
	for (uint32_t i = 1; i < o->deps.count; i++) {
		const uint32_t dep = o->deps.moves[i];
		uint32_t j = i;
		for (; j && o->deps.moves[j - 1] < dep; j--)
			o->deps.moves[j] = o->deps.moves[j - 1];
		o->deps.moves[j] = dep;
	}
}

/* The move goes on with the chain of what it reads, else of what it adds to, else begins its
 * own. */
static void put_on_chain(struct ordering *o, uint32_t id)
{
	const struct ordo_move *move = &o->sequence->moves[id];
	const uint32_t src = ordo_cell(&o->accesses.cells, move->rank, move->src_buffer, move->src);
	const uint32_t dst = ordo_cell(&o->accesses.cells, move->peer, move->dst_buffer, move->dst);
	const uint32_t parents[2] = {
		src < o->accesses.cells.nwritable ? o->accesses.writer[src] : ORDO_NONE,
		move->reduces ? o->accesses.writer[dst] : ORDO_NONE};
	o->chains.of[id] = id;
	for (int i = 0; i < 2; i++)
		if (parents[i] != ORDO_NONE &&
			o->chains.end[o->chains.of[parents[i]]] == parents[i]) {
			o->chains.of[id] = o->chains.of[parents[i]];
			break;
		}
	o->chains.end[o->chains.of[id]] = id;
}

static void add_reader(struct ordering *o, uint32_t cell, uint32_t move)
{
	const uint32_t newest = o->accesses.readers[cell];
	ordo_order_hold_row(o, cell, move, false);
	if (newest != ORDO_NONE && lane_of(o, o->accesses.pool[newest].move) == lane_of(o, move)) {
		ordo_order_drop_row(o, cell, o->accesses.pool[newest].move, false);
		o->accesses.pool[newest].move = move;
		return;
	}
	uint32_t reader = o->accesses.free;
	if (reader != ORDO_NONE)
		o->accesses.free = o->accesses.pool[reader].next;
	else if (ordo_array_reserve(&o->accesses.pool, &o->accesses.room,
			 (size_t)o->accesses.npool + 1, sizeof *o->accesses.pool))
		reader = o->accesses.npool++;
	else {
		o->no_memory = true;
		return;
	}
	o->accesses.pool[reader] = (struct reader){move, newest};
	o->accesses.readers[cell] = reader;
}

static void forget_readers(struct ordering *o, uint32_t cell)
{
	while (o->accesses.readers[cell] != ORDO_NONE) {
		const uint32_t reader = o->accesses.readers[cell];
		ordo_order_drop_row(o, cell, o->accesses.pool[reader].move, false);
		o->accesses.readers[cell] = o->accesses.pool[reader].next;
		o->accesses.pool[reader].next = o->accesses.free;
		o->accesses.free = reader;
	}
}

static void write_cell(struct ordering *o, uint32_t cell, uint32_t move)
{
	uint32_t *writer = &o->accesses.writer[cell];
	const uint32_t reader = o->accesses.readers[cell];
	const bool was_dropped =
		reader != ORDO_NONE && ordo_order_is_last_read(o, o->accesses.pool[reader].move);
	forget_readers(o, cell);
	if (*writer != ORDO_NONE && !was_dropped)
		ordo_order_drop_row(o, cell, *writer, true);
	ordo_order_hold_row(o, cell, *writer = move, true);
}

static void read_cell(struct ordering *o, uint32_t cell, uint32_t move)
{
	const uint32_t writer = o->accesses.writer[cell];
	add_reader(o, cell, move);
	if (writer != ORDO_NONE && ordo_order_is_last_read(o, move))
		ordo_order_drop_row(o, cell, writer, true);
}

static void access_cells(struct ordering *o, uint32_t id)
{
	const struct ordo_move *move = &o->sequence->moves[id];
	const uint32_t src = ordo_cell(&o->accesses.cells, move->rank, move->src_buffer, move->src);
	const uint32_t dst = ordo_cell(&o->accesses.cells, move->peer, move->dst_buffer, move->dst);
	for (uint32_t i = 0; i < move->count; i++) {
		if (src < o->accesses.cells.nwritable)
			read_cell(o, src + i, id);
		write_cell(o, dst + i, id);
	}
}

static bool needs_relay(const struct ordering *o, uint32_t from, uint32_t to)
{
	const struct ordo_move *moves = o->sequence->moves;
	return to && moves[to - 1].relays &&
	       !ordo_topology_reaches(o->sequence->topology, moves[from].rank, moves[to].rank);
}

static void come_after(struct ordering *o, uint32_t from, uint32_t to)
{
	if (needs_relay(o, from, to))
		ordo_order_relay(o, from, to);
	else
		ordo_order_come_after(o, from, to);
}

void ordo_order_move(struct ordering *o, uint32_t id)
{
	const struct ordo_move *move = &o->sequence->moves[id];
	if (move->relays) {
		o->chains.end[o->chains.of[id] = id] = id;
		return;
	}
	const bool entering = collect(o, move);
	sort_dependencies(o);
	for (uint32_t i = 0; i < o->deps.count && !o->no_memory; i++)
		if (!i || o->deps.moves[i] != o->deps.moves[i - 1])
			come_after(o, o->deps.moves[i], id);
	if (entering)
		ordo_order_come_after_entering(o, move->peer, id);
	o->newest_in[id] = o->lanes[move->stream].newest_in;
	ordo_order_note_row(o, id);
	put_on_chain(o, id);
	access_cells(o, id);
}
