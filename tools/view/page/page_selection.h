/* page_selection.h - what part of a schedule a page shows: all of it, if that is not too much, or
 * some ranks. */
#ifndef ORDO_TOOLS_VIEW_PAGE_PAGE_SELECTION_H
#define ORDO_TOOLS_VIEW_PAGE_PAGE_SELECTION_H

#include "view/model/steps.h"

/* What a page takes well. */
enum { MOST_RANKS = 64, MOST_TASKS = 100000, MOST_WRITES = 2000000 };

struct shown {
	uint32_t *ranks; /* [nrank] in ascending order; */
	uint32_t nrank;
	bool *has_rank; /* [N] by rank */
	/* [ntask] of the schedule: which one of the page it is; ORDO_NONE: not shown */
	uint32_t *number;
	uint32_t ntask;	    /* of the page: those of the ranks shown, */
	uint32_t nincoming; /* of which so many are moves by others into the memory of these */
	bool all_tasks;	    /* of those: none was left out because there were too many */
	bool all;	    /* the whole schedule */
};

/* `ranks` (NULL: as many of the first as the page takes) and at most so many tasks, the earliest.
 * Linear in tasks. To be freed, also after false: no memory. */
bool choose_shown(struct shown *shown, const struct ordo_schedule *schedule,
	const struct steps *steps, const uint32_t *ranks, uint32_t nrank, uint32_t max_tasks,
	struct ordo_error *error);
void free_shown(struct shown *shown);

/* What moves bring from ranks that are not shown: of every chunk moved how many shards it holds,
 * and between which. */
struct sum_facts {
	uint32_t leaves, smallest, largest; /* leaves 0: nothing that is known */
};
struct incoming {
	/* [count of every incoming task, one after another], in the order of tasks */
	struct sum_facts *facts;
	size_t count;
};
/* Runs the schedule along its steps. Linear in chunks moved. To be freed, also after false: no
 * memory. */
bool find_incoming(struct incoming *incoming, const struct ordo_schedule *schedule,
	const struct steps *steps, const struct shown *shown, struct ordo_error *error);

void free_incoming(struct incoming *incoming);

#endif
