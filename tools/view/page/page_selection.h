/* page_selection.h - selects the part of a schedule that a page shows: all of it if it fits, else
 * some ranks. */
#ifndef ORDO_TOOLS_VIEW_PAGE_PAGE_SELECTION_H
#define ORDO_TOOLS_VIEW_PAGE_PAGE_SELECTION_H

#include "view/model/steps.h"

/* The limits of a page. */
enum { MOST_RANKS = 64, MOST_TASKS = 100000, MOST_WRITES = 2000000 };

struct shown {
	uint32_t *ranks; /* [nrank] in ascending order; */
	uint32_t nrank;
	bool *has_rank; /* [N] by rank */
	/* [ntask] of the schedule: its number in the page; ORDO_NONE: not shown */
	uint32_t *number;
	uint32_t ntask;	    /* of the page: those of the ranks shown, */
	uint32_t nincoming; /* of which so many are moves by others into the memory of these */
	bool all_tasks;	    /* of those: none was omitted because there were too many */
	bool all;	    /* the whole schedule */
};

/* The ranks in `ranks` (NULL: the first ones that fit) and at most so many tasks, the earliest.
 * Linear in tasks. Free it, also after false: no memory. */
bool choose_shown(struct shown *shown, const struct ordo_schedule *schedule,
	const struct steps *steps, const uint32_t *ranks, uint32_t nrank, uint32_t max_tasks,
	struct ordo_error *error);
void free_shown(struct shown *shown);

/* The data that moves bring from ranks that are not shown: the number of shards in every moved
 * chunk, and the smallest and largest of them. */
struct sum_facts {
	uint32_t leaves, smallest, largest; /* leaves 0: unknown */
};
struct incoming {
	/* [sum of the counts of incoming tasks], in the order of tasks */
	struct sum_facts *facts;
	size_t count;
};
/* Runs the schedule in the order of its steps. Linear in moved chunks. Free it, also after false:
 * no memory. */
bool find_incoming(struct incoming *incoming, const struct ordo_schedule *schedule,
	const struct steps *steps, const struct shown *shown, struct ordo_error *error);

void free_incoming(struct incoming *incoming);

#endif
