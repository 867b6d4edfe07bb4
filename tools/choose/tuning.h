/* tuning.h - the fastest algorithm by simulation, for `compile` and `tune`, and the result of each
 * candidate. */
#ifndef ORDO_TOOLS_CHOOSE_TUNING_H
#define ORDO_TOOLS_CHOOSE_TUNING_H

#include "cli/prediction_options.h"
#include "cli/requirements.h"
#include <ordo/detail/tune.h>

struct tuning_options {
	const struct predicting *setting;
	const struct conditions *conditions; /* already read */
	struct ordo_problem problem;
	const char *algorithm;		    /* NULL: all algorithms */
	uint64_t from_bytes, to_bytes;	    /* one size is allowed */
	uint32_t max_tokens, staging_slots; /* as in a request */
	bool lazily;			    /* leave out what cannot be the fastest */
	bool quiet;			    /* a refusal is not reported */
};

/* Fills the tuning, for the topology and the type of `predicted`. Free it with ordo_tuning_free,
 * also after false: call->status, with the reason of each rejected candidate reported, unless
 * quiet. */
bool find_fastest(struct call *call, const struct tuning_options *args,
	const struct predicted *predicted, struct ordo_tuning *tuning);

/* A line for each candidate: the timed ones, by their time at the first size, then the others with
 * their reasons. */
void report_contenders(const struct report *report, const struct ordo_tuning *tuning);

/* "tree, K 16": K is printed only if it is not the algorithm's own. */
const char *contender_text(char out[128], const struct ordo_tuning *tuning, uint32_t contender);

#endif
