/* horizon.c - up to which move of every other stream a stream can know at most.
 *
 * A search that ends with no has gone through all that could imply an ordering. Here most of these
 * answers cost one look: each stream has a row with a move of every stream, and knows none that is
 * later. An edge raises the row of the stream that waits to what the one that notifies had in its
 * row by then. A stream keeps its rows of the last few moves that waited for something; where that
 * is too short, the oldest of them is taken, cut off at the move that notifies, since nothing is
 * known before it happens. So a row may say too much, and then the search decides, but never too
 * little.
 */
#include "order.h"
#include <stdlib.h>
#include <string.h>

/* Rows of each stream. With more streams there are none: searches take no longer than they. Nor are
 * there rows that would take more memory than all else of a move. */
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

/* Copies all rows to wider ones. */
static void copy_rows(struct horizons *to, const struct horizons *from)
{
	for (uint32_t lane = 0; lane < from->width; lane++) {
		for (uint32_t row = 0; row < ROWS; row++)
			memcpy(row_of(to, lane, row), row_of(from, lane, row),
				from->width * sizeof *to->rows);
		memcpy(to->since + (size_t)lane * ROWS, from->since + (size_t)lane * ROWS,
			ROWS * sizeof *to->since);
		to->newest[lane] = from->newest[lane];
	}
}

bool ordo_order_widen_horizons(struct ordering *o, uint32_t width)
{
	if (width > MOST_STREAMS && o->sequence->nlane <= MOST_STREAMS)
		width = MOST_STREAMS;
	uint64_t nrow = width > MOST_STREAMS ? 0 : (uint64_t)width * ROWS;
	if (nrow * width * sizeof *o->horizons.rows > (uint64_t)o->sequence->nmove * BYTES_A_MOVE)
		nrow = 0;
	struct horizons wider = {.width = nrow ? width : 0,
		.rows = ordo_array_make(nrow * width, sizeof *wider.rows, 0),
		.since = ordo_array_make(nrow, sizeof *wider.since, 0),
		.newest = ordo_array_make(nrow ? width : 0, sizeof *wider.newest, 0)};
	const bool worked = wider.rows && wider.since && wider.newest;
	if (worked && nrow)
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
	const uint32_t nlane = o->sequence->nlane, from_lane = lane_of(o, from),
		       to_lane = lane_of(o, to);
	if (!horizons->width)
		return;
	const uint32_t *known = find_row(horizons, from_lane, from),
		       *before = row_of(horizons, to_lane, horizons->newest[to_lane]);
	if (newest_since(horizons, to_lane) != to) {
		horizons->newest[to_lane] = (uint8_t)((horizons->newest[to_lane] + 1) % ROWS);
		horizons->since[(size_t)to_lane * ROWS + horizons->newest[to_lane]] = to;
	}
	uint32_t *row = row_of(horizons, to_lane, horizons->newest[to_lane]);
	for (uint32_t i = 0; i < nlane; i++) {
		const uint32_t most = known[i] < from ? known[i] : from;
		row[i] = before[i] > most ? before[i] : most;
	}
	row[from_lane] = row[from_lane] > from + 1 ? row[from_lane] : from + 1;
}

bool ordo_order_may_know(const struct ordering *o, uint32_t lane, uint32_t position, uint32_t move)
{
	const struct horizons *horizons = &o->horizons;
	return !horizons->width || find_row(horizons, lane, position)[lane_of(o, move)] > move;
}
