/* merge.c - makes one move of neighbours in the program that continue each other. */
#include "passes.h"

/* May `next` be appended to `move`? Same stream, kind, places and phase, and every range continues
 * the one before. If no cell that either reads is written by the other (on one rank, in one
 * memory), then doing them as one reads and writes the same values. */
static bool continues(
	const struct ordo_cells *cells, const struct ordo_move *move, const struct ordo_move *next)
{
	if (move->stream != next->stream || move->reduces != next->reduces ||
		move->src_buffer != next->src_buffer || move->dst_buffer != next->dst_buffer ||
		move->phase != next->phase || move->rank != next->rank || move->peer != next->peer)
		return false;
	if (next->chunk != move->chunk + move->count || next->src != move->src + move->count ||
		next->dst != move->dst + move->count)
		return false;
	if (move->rank != move->peer)
		return true;
	const uint32_t src = ordo_cell(cells, move->rank, move->src_buffer, move->src);
	const uint32_t dst = ordo_cell(cells, move->peer, move->dst_buffer, move->dst);
	return (src > dst ? src - dst : dst - src) >= move->count + next->count;
}

bool ordo_merge(struct ordo_sequence *sequence, struct ordo_error *error)
{
	struct ordo_cells cells;
	bool worked = ordo_cells_make(&cells, &sequence->problem, sequence->scratch_slots, error);
	struct ordo_move *moves = sequence->moves;
	uint32_t kept = 0;
	for (uint32_t i = 0; worked && i < sequence->nmove; i++)
		if (kept && continues(&cells, &moves[kept - 1], &moves[i]))
			moves[kept - 1].count += moves[i].count;
		else {
			if (sequence->origins)
				sequence->origins[kept] = sequence->origins[i];
			moves[kept++] = moves[i];
		}
	if (worked)
		sequence->nmove = kept;
	ordo_cells_free(&cells);
	return worked;
}
