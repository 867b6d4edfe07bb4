/* plan_set_files.h - from the selection for each size to a proved plan set in a folder. */
#ifndef ORDO_TOOLS_CHOOSE_PLAN_SET_FILES_H
#define ORDO_TOOLS_CHOOSE_PLAN_SET_FILES_H

#include "report/plan_set_proof.h"
#include <ordo/detail/select.h>

/* "1:1GiB", "4KiB:" of --sizes. false: call->status. */
bool read_sizes(struct call *call, const char *text, uint64_t *from_bytes, uint64_t *to_bytes);
/* --output must be the name of a folder. false: call->status. */
bool read_set_output(struct call *call, const char *output);

/* A selection as a set. */
struct made_set {
	struct ordo_plan_set *set;
	struct set_proof set_proof;
	struct range_cost *costs; /* [set->nrange] of calloc, or NULL */
};

/* Makes the set, proves it as one from elsewhere, and checks the requirements. false: call->status.
 * End it also after false. */
bool prove_selection(struct call *call, struct made_set *made,
	const struct ordo_selection *selection, const struct ordo_selection_wish *args,
	const struct conditions *conditions);
/* Writes it with its schedules. false: call->status. */
bool write_selection(struct call *call, const struct made_set *made,
	const struct ordo_selection *selection, const char *output);
void end_made(struct made_set *made);

/* Reports `AllReduce on 8 ranks: 3 schedules, proved in every interleaving`, and the ranges. */
void report_made(const struct report *report, const struct made_set *made);

#endif
