/* renumber.c - turns moves between an algorithm's ranks into moves between the problem's. */
#include "renumber.h"
#include <ordo/arena.h>
#include <ordo/detail/slots.h>
#include <ordo/operator.h>
#include <stdlib.h>
#include <string.h>

struct renumbering {
	const struct ordo_problem *problem; /* with its own root */
	const uint32_t *map;
	struct ordo_sequence *to;
};

/* Blocks belong to ranks, unless there is one; of AllToAll, to pairs of ranks. */
static uint32_t chunk_of(const struct renumbering *r, uint32_t chunk)
{
	const uint32_t K = r->problem->chunks_per_block, n = r->problem->nrank, block = chunk / K;
	if (r->problem->op == ORDO_ALLTOALL)
		return (r->map[block / n] * n + r->map[block % n]) * K + chunk % K;
	return ordo_nblock(r->problem) == 1 ? chunk : r->map[block] * K + chunk % K;
}

/* The slot on the problem's rank where its chunk lies as the algorithm's lies in `slot`. */
static uint32_t slot_of(
	const struct renumbering *r, uint32_t rank, uint32_t buffer, uint32_t slot, uint32_t chunk)
{
	const uint32_t nchunk = ordo_nchunk(r->problem);
	if (buffer == ORDO_SCRATCH)
		return slot;
	if (buffer == ORDO_OUTPUT)
		return ordo_output_slot(r->problem, rank, chunk);
	/* Of several shards each has all chunks. */
	return ordo_operator_facts(r->problem->op)->reduces
		       ? slot / nchunk * nchunk + chunk
		       : ordo_input_slot(r->problem, rank, chunk);
}

/* Item i of a move of several chunks. */
static struct ordo_move item_of(
	const struct renumbering *r, const struct ordo_move *move, uint32_t i)
{
	struct ordo_move one = *move;
	one.rank = r->map[move->rank];
	one.peer = r->map[move->peer];
	one.chunk = chunk_of(r, move->chunk + i);
	one.src = slot_of(r, one.rank, move->src_buffer, move->src + i, one.chunk);
	one.dst = slot_of(r, one.peer, move->dst_buffer, move->dst + i, one.chunk);
	one.count = 1;
	return one;
}

static bool follows(const struct ordo_move *move, const struct ordo_move *next)
{
	return next->chunk == move->chunk + move->count && next->src == move->src + move->count &&
	       next->dst == move->dst + move->count;
}

/* One move, or several where its chunks are no longer one run. */
static bool append(struct renumbering *r, const struct ordo_move *move)
{
	struct ordo_move run = item_of(r, move, 0);
	for (uint32_t i = 1; i < move->count; i++) {
		const struct ordo_move next = item_of(r, move, i);
		if (follows(&run, &next)) {
			run.count++;
			continue;
		}
		if (!ordo_sequence_append(r->to, &run))
			return false;
		run = next;
	}
	return ordo_sequence_append(r->to, &run);
}

static bool renumber_lanes(struct ordo_sequence *sequence, const uint32_t *map)
{
	ordo_map_free(&sequence->lane_ids);
	sequence->lane_ids = (struct ordo_map){0};
	for (uint32_t lane = 0; lane < sequence->nlane; lane++) {
		struct ordo_lane *one = &sequence->lanes[lane];
		one->rank = map[one->rank];
		uint32_t *id = ordo_map_at(&sequence->lane_ids, one->rank, one->label);
		if (!id)
			return false;
		*id = lane;
	}
	return true;
}

bool ordo_sequence_renumber(
	struct ordo_sequence *sequence, const uint32_t *map, struct ordo_error *error)
{
	struct ordo_move *moves = sequence->moves;
	const uint32_t count = sequence->nmove;
	if (ordo_operator_facts(sequence->problem.op)->rooted)
		sequence->problem.root = map[sequence->problem.root];
	sequence->moves = NULL;
	sequence->nmove = 0;
	sequence->move_room = 0;
	struct renumbering r = {&sequence->problem, map, sequence};
	bool worked = renumber_lanes(sequence, map);
	for (uint32_t i = 0; worked && i < count; i++)
		worked = append(&r, &moves[i]);
	free(moves);
	return worked || ordo_fail_memory(error);
}
