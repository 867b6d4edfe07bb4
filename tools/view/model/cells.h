/* cells.h - the memory of all ranks that a schedule writes, as numbers. */
#ifndef ORDO_TOOLS_VIEW_MODEL_CELLS_H
#define ORDO_TOOLS_VIEW_MODEL_CELLS_H

#include <ordo/schedule.h>
#include <stddef.h>

/* Every rank has a cell for each output slot, each scratch slot that some task names and, in place,
 * each input slot; an input slot that shares memory with an output slot shares its cell. Out of
 * place, inputs are never written and have no cells. */
struct cells {
	const struct ordo_schedule *schedule;
	uint32_t nscratch;
	size_t *first_of; /* [nrank] */
	size_t count;
};

/* With more cells than this the request is refused, to bound the memory. */
#define MOST_CELLS ((size_t)1 << 27)

/* false: no memory, or too many cells. Free it in any case. */
bool number_cells(struct cells *cells, const struct ordo_schedule *schedule);
void free_cells(struct cells *cells);

/* Does the slot have a cell? All but inputs out of place have one. */
static inline bool has_cell(const struct cells *cells, enum ordo_buffer buffer)
{
	return buffer != ORDO_INPUT || cells->schedule->problem.in_place;
}
size_t cell_of(const struct cells *cells, uint32_t rank, enum ordo_buffer buffer, uint32_t slot);

#endif
