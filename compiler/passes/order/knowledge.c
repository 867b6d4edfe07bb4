/* knowledge.c - how many moves of every other stream a stream knows.
 *
 * Where relays order the sums of one slot, a question is often about a move of long ago, and
 * searches take long in spite of horizon.c. Then each stream has a row that says of every stream
 * that moves data how many of its moves, from the first on, are known. An edge raises the row of
 * the stream that waits to what the one that notifies knew by then. So a row is kept while anything
 * may still come after a move at which it was true: while the move is a reader or the writer of a
 * cell that will be accessed again. Hence rows are exact, and a search decides only about relays.
 *
 * Not kept is what will hardly be asked for: what was known at the write of a sum, once no read of
 * it follows before the next write, which comes after those reads; and what was known when a sum
 * was passed on, if the result of the same chunk replaces it, since the result depends on the sum.
 * Where a row is asked for that is not kept, or for which there is no room, what is learnt is less
 * than what is known, and a search decides what is not known by it.
 *
 * Streams added for relays have rows too, but no number in any.
 */
#include "order.h"
#include <stdlib.h>
#include <string.h>

/* The row of a stream of which nothing is known that it knows. */
enum { LOST };

/* Longer rows take more time than they save. Rows take up to so many bytes for each move. */
enum { MOST_STREAMS = 8192, BYTES_A_MOVE = 256 };

/* Numbers the moves of each stream. false: a stream has too many, or no memory. */
static bool number_moves(struct ordering *o)
{
	const struct ordo_sequence *sequence = o->sequence;
	struct knowledge *know = &o->knowledge;
	uint16_t *counts = ordo_array_make(know->width, sizeof *counts, 0);
	know->numbers = ordo_array_make(sequence->nmove, sizeof *know->numbers, 0);
	bool few = counts && know->numbers;
	o->no_memory = o->no_memory || !few;
	for (uint32_t i = 0; few && i < sequence->nmove; i++) {
		if (sequence->moves[i].relays)
			continue;
		few = counts[lane_of(o, i)] < UINT16_MAX;
		know->numbers[i] = ++counts[lane_of(o, i)];
	}
	free(counts);
	return few;
}

/* Of a move that reads a cell: another one reads it before it is written; a write follows for which
 * what the stream of the reader knew matters. */
enum { READ_AGAIN = 1, AWAITED = 2 };

static bool is_replaced_by_result(const struct ordo_move *reader, const struct ordo_move *writer)
{
	return reader->reduces && !writer->reduces && reader->chunk == writer->chunk;
}

/* The move before this one at a cell, if it reads it, has this one after it. */
static void note_next(struct ordering *o, uint32_t cell, uint32_t id, bool writes)
{
	struct knowledge *know = &o->knowledge;
	const struct ordo_move *moves = o->sequence->moves;
	const uint32_t before = know->last_access[cell];
	if (before == know->last_write[cell])
		return;
	if (!writes)
		know->after_read[before - 1] |= READ_AGAIN | AWAITED;
	else if (!is_replaced_by_result(&moves[before - 1], &moves[id]))
		know->after_read[before - 1] |= AWAITED;
}

/* Notes the last accesses of each cell, and what comes after a read. false: no memory. */
static bool note_accesses(struct ordering *o)
{
	const struct ordo_sequence *sequence = o->sequence;
	const struct ordo_cells *cells = &o->accesses.cells;
	struct knowledge *know = &o->knowledge;
	const size_t count = (size_t)cells->nwritable + 1;
	know->last_write = ordo_array_make(count, sizeof *know->last_write, 0);
	know->last_access = ordo_array_make(count, sizeof *know->last_access, 0);
	know->after_read = ordo_array_make(sequence->nmove, sizeof *know->after_read, 0);
	if (!know->last_write || !know->last_access || !know->after_read)
		return false;
	for (uint32_t id = 0; id < sequence->nmove; id++) {
		const struct ordo_move *move = &sequence->moves[id];
		if (move->relays)
			continue;
		const uint32_t src = ordo_cell(cells, move->rank, move->src_buffer, move->src),
			       dst = ordo_cell(cells, move->peer, move->dst_buffer, move->dst);
		for (uint32_t i = 0; i < move->count; i++) {
			if (src < cells->nwritable) {
				note_next(o, src + i, id, false);
				know->last_access[src + i] = id + 1;
			}
			note_next(o, dst + i, id, true);
			know->last_write[dst + i] = know->last_access[dst + i] = id + 1;
		}
	}
	return true;
}

static bool has_relays(const struct ordo_sequence *sequence)
{
	for (uint32_t i = 0; i < sequence->nmove; i++)
		if (sequence->moves[i].relays)
			return true;
	return false;
}

bool ordo_order_begin_knowledge(struct ordering *o)
{
	struct knowledge *know = &o->knowledge;
	const uint64_t width = o->sequence->nlane;
	know->bytes_left = (uint64_t)o->sequence->nmove * BYTES_A_MOVE;
	know->free = ORDO_NONE;
	know->width = (uint32_t)width;
	/* Half of the room is left for older rows, and for those of streams added for relays. */
	if (width > MOST_STREAMS || 2 * width * width * sizeof(uint16_t) > know->bytes_left ||
		!has_relays(o->sequence) || !number_moves(o)) {
		know->width = 0;
		return !o->no_memory;
	}
	know->row_of = ordo_order_nones(o->sequence->nmove);
	know->rows = ordo_array_make(1, sizeof *know->rows, 0);
	know->nothing = ordo_array_make(width, sizeof *know->nothing, 0);
	if (!know->row_of || !know->rows || !know->nothing)
		return false;
	know->row_room = know->nrow = 1;
	know->rows[LOST] = (struct known_row){
		.counts = know->nothing, .lane = ORDO_NONE, .until = ORDO_NONE, .nheld = 1};
	return note_accesses(o) && ordo_order_add_knowledge(o);
}

bool ordo_order_add_knowledge(struct ordering *o)
{
	struct knowledge *know = &o->knowledge;
	const uint32_t count = o->sequence->nlane;
	if (!know->width)
		return true;
	if (!ordo_array_reserve(&know->newest, &know->room, count, sizeof *know->newest))
		return false;
	while (know->nlane < count)
		know->newest[know->nlane++] = ORDO_NONE;
	return true;
}

void ordo_order_free_knowledge(struct ordering *o)
{
	for (uint32_t i = LOST + 1; i < o->knowledge.nrow; i++)
		free(o->knowledge.rows[i].counts);
	free(o->knowledge.rows);
	free(o->knowledge.row_of);
	free(o->knowledge.nothing);
	free(o->knowledge.newest);
	free(o->knowledge.numbers);
	free(o->knowledge.last_write);
	free(o->knowledge.last_access);
	free(o->knowledge.after_read);
	o->knowledge = (struct knowledge){0};
}

/* The row of a stream when it had come to a move, or ORDO_NONE: it knew nothing. *in_time: false:
 * that is no longer known, and it is the newest one. */
static uint32_t find_row(const struct ordering *o, uint32_t lane, uint32_t move, bool *in_time)
{
	const struct knowledge *know = &o->knowledge;
	const uint32_t newest = know->newest[lane];
	*in_time = newest == ORDO_NONE || know->rows[newest].since <= move;
	if (*in_time || lane_of(o, move) != lane)
		return newest;
	const uint32_t row = know->row_of[move];
	*in_time = row == ORDO_NONE ||
		   (know->rows[row].lane == lane && know->rows[row].since <= move &&
			   move < know->rows[row].until);
	return *in_time ? row : newest;
}

/* A free row. ORDO_NONE: no room or no memory. */
static uint32_t take_row(struct ordering *o)
{
	struct knowledge *know = &o->knowledge;
	const uint64_t bytes = know->width * sizeof(uint16_t);
	const uint32_t row = know->free;
	if (row != ORDO_NONE) {
		know->free = know->rows[row].since;
		return row;
	}
	if (bytes > know->bytes_left)
		return ORDO_NONE;
	uint16_t *counts = ordo_array_make(know->width, sizeof *counts, 0);
	if (!counts || !ordo_array_reserve(&know->rows, &know->row_room, (size_t)know->nrow + 1,
			       sizeof *know->rows)) {
		free(counts);
		o->no_memory = true;
		return ORDO_NONE;
	}
	know->bytes_left -= bytes;
	know->rows[know->nrow] = (struct known_row){.counts = counts};
	return know->nrow++;
}

static void raise_row(uint16_t *restrict row, const uint16_t *restrict known, uint32_t width)
{
	for (uint32_t i = 0; i < width; i++)
		row[i] = row[i] > known[i] ? row[i] : known[i];
}

/* The same of a row that is kept. */
static void join_rows(uint16_t *restrict row, const uint16_t *restrict before,
	const uint16_t *restrict known, uint32_t width)
{
	for (uint32_t i = 0; i < width; i++)
		row[i] = before[i] > known[i] ? before[i] : known[i];
}

/* A stream waits before a move, and learns what a row says, if there is room. Returns its row. */
static struct known_row *learn(struct ordering *o, uint32_t lane, uint32_t move, uint32_t source)
{
	struct knowledge *know = &o->knowledge;
	const uint32_t before = know->newest[lane];
	struct known_row *row = before == ORDO_NONE ? NULL : &know->rows[before];
	const uint16_t *known = source == ORDO_NONE ? know->nothing : know->rows[source].counts;
	const bool exact = source == ORDO_NONE || know->rows[source].exact;
	if (row && (row->since == move || !row->nheld)) {
		raise_row(row->counts, known, know->width);
		row->since = move;
		row->exact = row->exact && exact;
		return row;
	}
	const uint32_t id = take_row(o);
	if (id == ORDO_NONE) {
		know->newest[lane] = before == ORDO_NONE ? LOST : before;
		know->rows[know->newest[lane]].exact = false;
		return NULL;
	}
	row = before == ORDO_NONE ? NULL : &know->rows[before];
	uint16_t *counts = know->rows[id].counts;
	join_rows(counts, row ? row->counts : know->nothing,
		source == ORDO_NONE ? know->nothing : know->rows[source].counts, know->width);
	if (row)
		row->until = move;
	know->rows[id] =
		(struct known_row){counts, lane, move, ORDO_NONE, 0, exact && (!row || row->exact)};
	know->newest[lane] = id;
	return &know->rows[id];
}

void ordo_order_add_to_knowledge(struct ordering *o, uint32_t from, uint32_t to)
{
	const struct knowledge *know = &o->knowledge;
	const uint32_t from_lane = lane_of(o, from);
	bool in_time;
	const uint32_t source = find_row(o, from_lane, from, &in_time);
	const struct known_row *row = learn(o, lane_of(o, to), to, in_time ? source : LOST);
	if (row && know->numbers[from] && row->counts[from_lane] < know->numbers[from])
		row->counts[from_lane] = know->numbers[from];
}

enum ordo_answer ordo_order_ask_knowledge(
	const struct ordering *o, uint32_t lane, uint32_t position, uint32_t move)
{
	const struct knowledge *know = &o->knowledge;
	const uint16_t number = know->numbers[move];
	if (!number)
		return ORDO_UNKNOWN;
	bool in_time;
	const uint32_t row = find_row(o, lane, position, &in_time);
	if (row == ORDO_NONE)
		return ORDO_NO;
	if (know->rows[row].counts[lane_of(o, move)] < number)
		return know->rows[row].exact ? ORDO_NO : ORDO_UNKNOWN;
	return in_time ? ORDO_YES : ORDO_UNKNOWN;
}

void ordo_order_note_row(struct ordering *o, uint32_t move)
{
	if (o->knowledge.width)
		o->knowledge.row_of[move] = o->knowledge.newest[lane_of(o, move)];
}

/* The row of what a move's stream knew, if it matters to anything that will come after it at a
 * cell: only to a write after a reader, to any access after the writer. NULL: none. */
static struct known_row *awaited_row(
	struct knowledge *know, uint32_t cell, uint32_t move, bool writes)
{
	if (!know->width || know->row_of[move] == ORDO_NONE)
		return NULL;
	const bool awaited =
		writes ? know->last_access[cell] > move + 1
		       : know->last_write[cell] > move + 1 && know->after_read[move] & AWAITED;
	return awaited ? &know->rows[know->row_of[move]] : NULL;
}

void ordo_order_hold_row(struct ordering *o, uint32_t cell, uint32_t move, bool writes)
{
	struct known_row *row = awaited_row(&o->knowledge, cell, move, writes);
	if (row)
		row->nheld++;
}

void ordo_order_drop_row(struct ordering *o, uint32_t cell, uint32_t move, bool writes)
{
	struct knowledge *know = &o->knowledge;
	struct known_row *row = awaited_row(know, cell, move, writes);
	if (!row || --row->nheld || row->until == ORDO_NONE)
		return;
	row->lane = ORDO_NONE;
	row->since = know->free;
	know->free = know->row_of[move];
}

bool ordo_order_is_last_read(const struct ordering *o, uint32_t move)
{
	return o->knowledge.width && !(o->knowledge.after_read[move] & READ_AGAIN);
}
