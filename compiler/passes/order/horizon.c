/* horizon.c - up to which move of every other stream a stream can know at most.
 *
 * A search that ends with no has gone through all that could imply an ordering. Here most of these
 * answers cost one look: each stream has a row with a move of every stream, and knows none that is
 * later. An edge raises the row of the stream that waits to what the one that notifies had in its
 * row by then. A stream keeps its rows of the last few moves that waited for something; where that
 * is too short, the oldest of them is taken, cut off at the move that notifies, since nothing is
 * known before it happens. So a row may say too much, and then the search decides, but never too
 * little. A search forwards goes on only to moves that the row of its end may know.
 *
 * Where rows with every stream would be too long, they have every rank: the last move of any of its
 * streams. On 256 ranks with nine streams each they answered 92,000 of 100,000 searches.
 */
#include "order.h"
#include <stdlib.h>
#include <string.h>

/* Rows of each stream. With more streams, filling rows of streams takes as long as searching. No
 * rows take more memory than all else of a move. */
enum { ROWS = 8, MOST_STREAMS = 2048, BYTES_A_MOVE = 64 };

static uint32_t *row_of(const struct horizons *horizons, uint32_t lane, uint32_t row)
{
	return horizons->rows + ((size_t)lane * ROWS + row) * horizons->width;
}

static void free_rows(struct horizons *horizons)
{
	free(horizons->rows);
	free(horizons->since);
	free(horizons->newest);
	*horizons = (struct horizons){0};
}

/* The place of a stream in a row: its own, or that of its rank. */
static uint32_t column_of(const struct ordering *o, uint32_t lane)
{
	return o->horizons.by_rank ? rank_of(o, lane) : lane;
}

/* Copies all rows to wider ones. */
static void copy_rows(struct horizons *to, const struct horizons *from)
{
	for (uint32_t lane = 0; lane < from->nlane; lane++) {
		for (uint32_t row = 0; row < ROWS; row++)
			memcpy(row_of(to, lane, row), row_of(from, lane, row),
				from->width * sizeof *to->rows);
		memcpy(to->since + (size_t)lane * ROWS, from->since + (size_t)lane * ROWS,
			ROWS * sizeof *to->since);
		to->newest[lane] = from->newest[lane];
	}
}

static bool fits(const struct ordering *o, uint64_t nlane, uint64_t width)
{
	return nlane * ROWS * width * sizeof *o->horizons.rows <=
	       (uint64_t)o->sequence->nmove * BYTES_A_MOVE;
}

bool ordo_order_widen_horizons(struct ordering *o, uint32_t nlane)
{
	const uint32_t nrank = o->sequence->problem.nrank;
	const bool by_rank = o->horizons.nlane ? o->horizons.by_rank
					       : nlane > MOST_STREAMS || !fits(o, nlane, nlane);
	if (!by_rank && nlane > MOST_STREAMS)
		nlane = o->sequence->nlane <= MOST_STREAMS ? MOST_STREAMS : 0;
	const uint32_t width = by_rank ? nrank : nlane;
	if (!fits(o, nlane, width))
		nlane = 0;
	const uint64_t nrow = (uint64_t)nlane * ROWS;
	struct horizons wider = {.nlane = nlane,
		.width = width,
		.by_rank = by_rank,
		.rows = ordo_array_make(nrow * width, sizeof *wider.rows, 0),
		.since = ordo_array_make(nrow, sizeof *wider.since, 0),
		.newest = ordo_array_make(nlane, sizeof *wider.newest, 0)};
	const bool worked = wider.rows && wider.since && wider.newest;
	if (worked && nlane)
		copy_rows(&wider, &o->horizons);
	free_rows(&o->horizons);
	o->horizons = wider;
	return worked;
}

void ordo_order_free_horizons(struct ordering *o)
{
	free_rows(&o->horizons);
}

/* The row of a stream when it had come to a move, or the oldest one later than that. */
static const uint32_t *find_row(const struct horizons *horizons, uint32_t lane, uint32_t move)
{
	const uint32_t *since = horizons->since + (size_t)lane * ROWS;
	uint32_t at = horizons->newest[lane];
	for (uint32_t i = 1; i < ROWS && since[at] > move; i++)
		at = at ? at - 1 : ROWS - 1;
	return row_of(horizons, lane, at);
}

static uint32_t newest_since(const struct horizons *horizons, uint32_t lane)
{
	return horizons->since[(size_t)lane * ROWS + horizons->newest[lane]];
}

void ordo_order_learn(struct ordering *o, uint32_t from, uint32_t to)
{
	struct horizons *horizons = &o->horizons;
	const uint32_t to_lane = lane_of(o, to);
	if (o->knowledge.width)
		ordo_order_add_to_knowledge(o, from, to);
	if (!horizons->nlane)
		return;
	const uint32_t width = horizons->by_rank ? horizons->width : o->sequence->nlane,
		       from_lane = lane_of(o, from), column = column_of(o, from_lane);
	const uint32_t *known = find_row(horizons, from_lane, from),
		       *before = row_of(horizons, to_lane, horizons->newest[to_lane]);
	if (newest_since(horizons, to_lane) != to) {
		horizons->newest[to_lane] = (uint8_t)((horizons->newest[to_lane] + 1) % ROWS);
		horizons->since[(size_t)to_lane * ROWS + horizons->newest[to_lane]] = to;
	}
	uint32_t *row = row_of(horizons, to_lane, horizons->newest[to_lane]);
	for (uint32_t i = 0; i < width; i++) {
		const uint32_t most = known[i] < from ? known[i] : from;
		row[i] = before[i] > most ? before[i] : most;
	}
	row[column] = row[column] > from + 1 ? row[column] : from + 1;
}

enum ordo_answer ordo_order_ask(
	const struct ordering *o, uint32_t lane, uint32_t position, uint32_t move)
{
	const struct horizons *horizons = &o->horizons;
	if (o->knowledge.width)
		return ordo_order_ask_knowledge(o, lane, position, move);
	const bool may_know =
		!horizons->nlane ||
		find_row(horizons, lane, position)[column_of(o, lane_of(o, move))] > move;
	return may_know ? ORDO_UNKNOWN : ORDO_NO;
}
