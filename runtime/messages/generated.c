/* generated.c - one rank's part from programs that have levels, without the other ranks. */
#include "part.h"
#include <ordo/detail/fail.h>
#include <stdlib.h>

struct ordo_part *ordo_part_generate(
	const struct ordo_programs *programs, uint32_t rank, struct ordo_error *error)
{
	const uint32_t nrank = programs->problem.nrank;
	struct steps steps = {.problem = &programs->problem,
		.rank = rank,
		.scratch_slots = programs->scratch_slots,
		.most_chunks = programs->most_chunks};
	struct ordo_rank_move *moves;
	if (!ordo_programs_moves(programs, rank, &moves, &steps.count, error))
		return NULL;
	uint32_t *counts = calloc((size_t)nrank * 2, sizeof *counts);
	struct message_numbers numbers = {counts, counts + nrank};
	struct ordo_part *part = NULL;
	steps.items = malloc(((size_t)steps.count + 1) * sizeof *steps.items);
	if (counts && steps.items) {
		for (uint32_t i = 0; i < steps.count; i++)
			steps.items[i] = ordo_step_of(&moves[i].task, moves[i].level,
				moves[i].receives, moves[i].sender, &numbers);
		part = ordo_part_of_steps(&steps, error);
	} else {
		ordo_fail_memory(error);
	}
	free(moves);
	free(counts);
	free(steps.items);
	return part;
}
