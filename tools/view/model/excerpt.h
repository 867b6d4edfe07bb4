/* excerpt.h - which part of a schedule a picture shows: what was asked for, or as much as a
 * picture takes well. */
#ifndef ORDO_TOOLS_VIEW_MODEL_EXCERPT_H
#define ORDO_TOOLS_VIEW_MODEL_EXCERPT_H

#include "cli/options.h"
#include "selection.h"
#include "witness.h"

struct excerpt_wish {
	struct texts ranks, phases;
	uint32_t max_tasks;
};

struct excerpt {
	struct selection selection;
	uint32_t *ranks;
	bool *near;
};

/* The number of ranks a picture takes well. */
enum { FEW_RANKS = 8, MANY_RANKS = 64, MOST_MATRIX_RANKS = 256 };

uint32_t *first_numbers(struct call *call, uint32_t count);

/* What is too long is cut: to what lies around the witness (NULL: there is none), or to the first
 * ranks and phases. false: call->status. To be freed in any case. */
bool choose_excerpt(struct call *call, const struct excerpt_wish *wish,
	const struct ordo_schedule *schedule, const struct witness *witness,
	struct excerpt *excerpt);
void free_excerpt(struct excerpt *excerpt);

/* Says what was left out, and how to choose. drawn of `all` were drawn of what there is:
 * "tasks". */
void tell_omission(struct call *call, const struct ordo_schedule *schedule,
	const struct excerpt *excerpt, uint32_t drawn, uint32_t all, const char *what);

#endif
