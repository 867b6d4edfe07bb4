/* excerpt.h - selects the part of a schedule that a picture shows: that of the options, or as much
 * as is legible. */
#ifndef ORDO_TOOLS_VIEW_MODEL_EXCERPT_H
#define ORDO_TOOLS_VIEW_MODEL_EXCERPT_H

#include "cli/options.h"
#include "selection.h"
#include "witness.h"

struct excerpt_options {
	struct texts ranks, phases;
	uint32_t max_tasks;
};

struct excerpt {
	struct selection selection;
	uint32_t *ranks;
	bool *near;
};

/* The largest legible number of ranks. */
enum { FEW_RANKS = 8, MANY_RANKS = 64, MOST_MATRIX_RANKS = 256 };

uint32_t *first_numbers(struct call *call, uint32_t count);

/* A long schedule is cut to the tasks around the witness (NULL: none), or to the first ranks and
 * phases. false: call->status. Free it in any case. */
bool choose_excerpt(struct call *call, const struct excerpt_options *args,
	const struct ordo_schedule *schedule, const struct witness *witness,
	struct excerpt *excerpt);
void free_excerpt(struct excerpt *excerpt);

/* Notes what was left out and how to select it: `drawn` of `all` things named `what`, such as
 * "tasks". */
void note_omission(struct call *call, const struct ordo_schedule *schedule,
	const struct excerpt *excerpt, uint32_t drawn, uint32_t all, const char *what);

#endif
