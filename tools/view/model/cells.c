/* cells.c - the memory of all ranks that a schedule writes, as numbers. */
#include "cells.h"
#include <stdlib.h>

bool number_cells(struct cells *cells, const struct ordo_schedule *schedule)
{
	const struct ordo_problem *problem = &schedule->problem;
	*cells = (struct cells){.schedule = schedule,
		.nscratch = ordo_scratch_end(schedule->tasks, schedule->ntask),
		.first_of = calloc((size_t)problem->nrank + 1, sizeof *cells->first_of)};
	for (uint32_t rank = 0; cells->first_of && rank < problem->nrank; rank++) {
		cells->first_of[rank] = cells->count;
		cells->count += (size_t)ordo_output_slots(problem, rank) + cells->nscratch;
		if (problem->in_place)
			cells->count += ordo_input_slots(problem, rank);
	}
	return cells->first_of && cells->count <= MOST_CELLS;
}

void free_cells(struct cells *cells)
{
	free(cells->first_of);
}

size_t cell_of(const struct cells *cells, uint32_t rank, enum ordo_buffer buffer, uint32_t slot)
{
	const struct ordo_problem *problem = &cells->schedule->problem;
	const size_t first = cells->first_of[rank];
	const uint32_t noutput = ordo_output_slots(problem, rank);
	if (buffer == ORDO_OUTPUT)
		return first + slot;
	if (buffer == ORDO_SCRATCH)
		return first + noutput + slot;
	const uint32_t same = ordo_in_place_output_slot(problem, rank, slot);
	return first + (same != ORDO_NONE ? same : noutput + cells->nscratch + slot);
}
