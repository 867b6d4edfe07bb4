/* answers.h - what a machine's answers show: the trees of its sums, and where they differ. */
#ifndef ORDO_TOOLS_REPORT_ANSWERS_H
#define ORDO_TOOLS_REPORT_ANSWERS_H

#include "base/report.h"
#include "probe/answered.h"
#include "run/input_set.h"

/* `ordo probe --answers`. against: a schedule or plan set; NULL: none. Returns the exit code:
 * ORDO_REFUTED if a place has no tree, if ranks or repetitions differ, or if it differs from
 * `against`; else ORDO_UNDECIDED if that has no schedule for a size. */
int report_answers(struct call *call, const char *path, const char *against);

/* The rank of a holder: of Reduce the root is the only one. */
uint32_t rank_of_holder(const struct ordo_answers *answers, uint32_t holder);
/* The trees of a rank in a repetition. */
const struct probe *probe_of(
	const struct answered *answered, uint32_t size, uint32_t repetition, uint32_t holder);
/* A tree, abbreviated if it is large, or why there is none at that place. Never NULL. */
const char *print_place(const struct probe *probe, uint32_t place, struct ordo_forest *forest,
	struct ordo_arena *arena);

/* A document to compare with. */
struct against {
	struct call *call;
	const char *path; /* NULL: there is none */
	struct subject subject;
	const struct answered *answered;
	struct ordo_forest *forest;
	struct ordo_arena *arena;
	/* set by the comparison; incomplete: the plan set has no schedule for a size */
	bool differs, incomplete;
};

/* Opens the document, and refuses one of another problem. false: call->status. To be closed in any
 * case. */
bool open_against(struct against *against, const struct ordo_answers *answers);
/* Compares, and reports it. false: call->status. */
bool compare_with_document(struct against *against, const struct report *report);

#endif
