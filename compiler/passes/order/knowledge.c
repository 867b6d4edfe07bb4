/* knowledge.c - how many moves of every other stream a stream knows at least, and how many at most.
 *
 * Where relays order the sums of one slot, a question is often about a move of long ago, and
 * searches take long in spite of horizon.c. Then each stream has rows with two numbers for every
 * stream that moves data: how many of its moves, from the first on, are known at least, and how
 * many at most. An edge raises the row of the stream that waits to what the one that notifies
 * had in its row by then. A stream keeps its rows of the last few moves that waited for
 * something. Where that is too short, the oldest of them says too much, and nothing is known at
 * least. Only between the two numbers a search decides: in a ReduceScatter on a torus of 256
 * ranks in 10 of 75 thousand questions.
 *
 * Streams added for relays have one row, but no number in any: they notify at once, so nobody
 * asks for what they knew before.
 */
#include "order.h"
#include <stdlib.h>
#include <string.h>

/* Longer rows take more time than they save. Rows take up to so many bytes for each move, with
 * those of streams added for relays twice as many. */
enum { MOST_STREAMS = 8192, BYTES_A_MOVE = 128 };

static size_t row_bytes(const struct knowledge *rows)
{
	return 2 * (size_t)rows->width * sizeof(uint16_t);
}

static uint16_t *row_of(const struct knowledge *rows, const struct known_rows *at, uint32_t row)
{
	return at->rows + (size_t)row * 2 * rows->width;
}

/* How many moves of each stream precede a move, or a few more. */
static const uint16_t *counts_at(const struct knowledge *rows, uint32_t move)
{
	return rows->counts + (size_t)(move / rows->width) * rows->width;
}

/* Numbers the moves of each stream, and notes how many there have been after every `width` moves
 * of all. false: a stream has too many, or no memory. */
static bool number_moves(struct ordering *o)
{
	const struct ordo_sequence *sequence = o->sequence;
	struct knowledge *rows = &o->knowledge;
	const uint32_t width = rows->width;
	rows->numbers = ordo_array_make(sequence->nmove, sizeof *rows->numbers, 0);
	rows->counts = ordo_array_make(
		((size_t)sequence->nmove / width + 1) * width, sizeof *rows->counts, 0);
	bool few = rows->numbers && rows->counts;
	o->no_memory = o->no_memory || !few;
	for (uint32_t i = 0; few && i < sequence->nmove; i++) {
		uint16_t *counts = rows->counts + (size_t)(i / width) * width;
		if (i && i % width == 0)
			memcpy(counts, counts - width, width * sizeof *counts);
		if (sequence->moves[i].relays)
			continue;
		few = counts[lane_of(o, i)] < UINT16_MAX;
		rows->numbers[i] = ++counts[lane_of(o, i)];
	}
	return few;
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
	struct knowledge *rows = &o->knowledge;
	const uint64_t width = o->sequence->nlane,
		       most = (uint64_t)o->sequence->nmove * BYTES_A_MOVE;
	rows->width = (uint32_t)width;
	rows->bytes_left = 2 * most;
	rows->nrow = width <= MOST_STREAMS && has_relays(o->sequence) ? ORDO_KNOWN_ROWS : 0;
	while (rows->nrow && rows->nrow * width * row_bytes(rows) > most)
		rows->nrow /= 2;
	if (rows->nrow && !number_moves(o))
		rows->nrow = 0;
	return !o->no_memory && ordo_order_add_knowledge(o);
}

bool ordo_order_add_knowledge(struct ordering *o)
{
	struct knowledge *rows = &o->knowledge;
	const uint32_t count = o->sequence->nlane;
	if (!rows->nrow)
		return true;
	if (!ordo_array_reserve(&rows->lanes, &rows->room, count, sizeof *rows->lanes))
		return false;
	for (; rows->nlane < count; rows->nlane++)
		rows->lanes[rows->nlane] =
			(struct known_rows){.nrow = rows->nlane < rows->width ? rows->nrow : 1};
	return true;
}

void ordo_order_free_knowledge(struct ordering *o)
{
	for (uint32_t i = 0; i < o->knowledge.nlane; i++)
		free(o->knowledge.lanes[i].rows);
	free(o->knowledge.lanes);
	free(o->knowledge.numbers);
	free(o->knowledge.counts);
	o->knowledge = (struct knowledge){0};
}

/* The row of a stream when it had come to a move, or the oldest one later than that. *in_time: it
 * is the former. */
static uint32_t find_row(const struct known_rows *at, uint32_t move, bool *in_time)
{
	uint32_t row = at->newest;
	for (uint32_t i = 1; i < at->nrow && at->since[row] > move; i++)
		row = row ? row - 1 : at->nrow - 1;
	*in_time = at->since[row] <= move;
	return row;
}

/* The row of a stream that waits before a move, which begins with what it knew before. NULL: no
 * room or no memory. */
static uint16_t *begin_row(struct ordering *o, struct known_rows *at, uint32_t move)
{
	struct knowledge *rows = &o->knowledge;
	const size_t bytes = row_bytes(rows), all = bytes * at->nrow;
	if (!at->rows && all <= rows->bytes_left) {
		rows->bytes_left -= all;
		at->rows = ordo_array_make(all, 1, 0);
		o->no_memory = o->no_memory || !at->rows;
	}
	if (!at->rows)
		return NULL;
	uint16_t *before = row_of(rows, at, at->newest);
	if (at->since[at->newest] == move)
		return before;
	at->newest = (at->newest + 1) % at->nrow;
	at->since[at->newest] = move;
	uint16_t *row = row_of(rows, at, at->newest);
	return row == before ? row : memcpy(row, before, bytes);
}

static void raise_row(uint16_t *restrict row, const uint16_t *restrict known, uint32_t width)
{
	for (uint32_t i = 0; i < width; i++)
		row[i] = row[i] > known[i] ? row[i] : known[i];
}

/* The same where no more than most[i] can be known. */
static void raise_row_up_to(uint16_t *restrict row, const uint16_t *restrict known,
	const uint16_t *restrict most, uint32_t width)
{
	for (uint32_t i = 0; i < width; i++) {
		const uint16_t number = known[i] < most[i] ? known[i] : most[i];
		row[i] = row[i] > number ? row[i] : number;
	}
}

void ordo_order_add_to_knowledge(struct ordering *o, uint32_t from, uint32_t to)
{
	struct knowledge *rows = &o->knowledge;
	const uint32_t width = rows->width, from_lane = lane_of(o, from);
	const struct known_rows *source = &rows->lanes[from_lane];
	uint16_t *row = begin_row(o, &rows->lanes[lane_of(o, to)], to);
	if (!row) {
		rows->nrow = 0;
		return;
	}
	if (source->rows) {
		bool in_time;
		const uint16_t *known = row_of(rows, source, find_row(source, from, &in_time));
		if (in_time)
			raise_row(row, known, 2 * width);
		else
			raise_row_up_to(row + width, known + width, counts_at(rows, from), width);
	}
	if (from_lane >= width)
		return;
	for (uint32_t i = from_lane; i < 2 * width; i += width)
		if (row[i] < rows->numbers[from])
			row[i] = rows->numbers[from];
}

enum ordo_answer ordo_order_ask_knowledge(
	const struct ordering *o, uint32_t lane, uint32_t position, uint32_t move)
{
	const struct knowledge *rows = &o->knowledge;
	const struct known_rows *at = &rows->lanes[lane];
	const uint16_t number = rows->numbers[move];
	if (!number)
		return ORDO_UNKNOWN;
	if (!at->rows)
		return ORDO_NO;
	bool in_time;
	const uint16_t *row = row_of(rows, at, find_row(at, position, &in_time)) + lane_of(o, move);
	if (row[rows->width] < number)
		return ORDO_NO;
	return in_time && *row >= number ? ORDO_YES : ORDO_UNKNOWN;
}
