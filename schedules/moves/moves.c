/* moves.c - programs of moves in memory. */
#include <ordo/arena.h>
#include <ordo/detail/schedules.h>
#include <ordo/read_moves.h>
#include <stdlib.h>
#include <string.h>

_Static_assert(sizeof(struct ordo_moves_item) == 32, "a move is 32 bytes");

struct ordo_moves *ordo_moves_create(
	const struct ordo_problem *problem, const char *algorithm, struct ordo_error *error)
{
	struct ordo_moves *moves = calloc(1, sizeof *moves);
	if (moves) {
		moves->problem = *problem;
		moves->algorithm = ordo_arena_text(&moves->arena, algorithm, strlen(algorithm));
		if (moves->algorithm)
			return moves;
	}
	ordo_moves_destroy(moves);
	ordo_fail_memory(error);
	return NULL;
}

bool ordo_moves_append(
	struct ordo_moves *moves, const struct ordo_moves_item *item, struct ordo_error *error)
{
	if (moves->nitem >= ORDO_LIMIT)
		return ordo_fail(error, ORDO_USAGE, 0, "more than %u moves", ORDO_LIMIT);
	if (!ordo_array_reserve(&moves->items, &moves->item_room, (size_t)moves->nitem + 1,
		    sizeof *moves->items))
		return ordo_fail_memory(error);
	moves->items[moves->nitem++] = *item;
	return true;
}

bool ordo_moves_add_way(
	struct ordo_moves *moves, const struct ordo_moves_way *way, struct ordo_error *error)
{
	const struct ordo_via *via = ordo_via_copy(&moves->arena, way->via);
	if (!via || !ordo_array_reserve(&moves->ways, &moves->way_room, (size_t)moves->nway + 1,
			    sizeof *moves->ways))
		return ordo_fail_memory(error);
	moves->ways[moves->nway++] = (struct ordo_moves_way){way->rank, way->stream, via};
	return true;
}

void ordo_moves_destroy(struct ordo_moves *moves)
{
	if (!moves)
		return;
	free(moves->ways);
	free(moves->items);
	free(moves->places);
	ordo_arena_free(&moves->arena);
	free(moves);
}
