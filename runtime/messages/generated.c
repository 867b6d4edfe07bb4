/* generated.c - one rank's part from programs that have levels, without the other ranks. */
#include "part.h"
#include <ordo/detail/fail.h>
#include <stdlib.h>

struct ordo_part *ordo_part_generate(
	const struct ordo_programs *programs, uint32_t rank, struct ordo_error *error)
{
	struct steps steps = {.problem = &programs->problem,
		.rank = rank,
		.scratch_slots = programs->scratch_slots,
		.most_chunks = programs->most_chunks};
	struct ordo_rank_move *moves;
	if (!ordo_programs_moves(programs, rank, &moves, &steps.count, error))
		return NULL;
	struct ordo_part *part = NULL;
	if (ordo_steps_open(&steps)) {
		for (uint32_t i = 0; i < steps.count; i++)
			ordo_steps_set(&steps, i, &moves[i].task, moves[i].level, moves[i].receives,
				moves[i].sender);
		part = ordo_part_of_steps(&steps, error);
	} else {
		ordo_fail_memory(error);
	}
	free(moves);
	ordo_steps_free(&steps);
	return part;
}
