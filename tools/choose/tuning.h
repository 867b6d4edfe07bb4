/* tuning.h - the fastest algorithm by simulation, as `compile` and `tune` ask for it, and what
 * became of the others. */
#ifndef ORDO_TOOLS_CHOOSE_TUNING_H
#define ORDO_TOOLS_CHOOSE_TUNING_H

#include "cli/prediction_options.h"
#include "cli/requirements.h"
#include <ordo/detail/tune.h>

struct tuning_wish {
	const struct predicting *setting;
	const struct conditions *conditions; /* read */
	struct ordo_problem problem;
	const char *algorithm;	       /* NULL: of all */
	uint64_t from_bytes, to_bytes; /* may be one size */
};

/* Fills the tuning, for the topology and the type of `predicted`. To be freed with
 * ordo_tuning_free, also after false: call->status, and why each candidate was refused was said. */
bool find_fastest(struct call *call, const struct tuning_wish *wish,
	const struct predicted *predicted, struct ordo_tuning *tuning);

/* A line for each candidate: those that were timed, at the first size, then the others and why they
 * were refused. */
void report_contenders(const struct report *report, const struct ordo_tuning *tuning);

/* "tree, K 16": chunks are named where they are not those that the algorithm takes if nobody
 * says. */
const char *contender_text(char out[128], const struct ordo_tuning *tuning, uint32_t contender);

#endif
