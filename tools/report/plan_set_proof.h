/* plan_set_proof.h - what is proved of a plan set: each of its schedules, and whether the order of
 * sums is one over all sizes. */
#ifndef ORDO_TOOLS_REPORT_PLAN_SET_PROOF_H
#define ORDO_TOOLS_REPORT_PLAN_SET_PROOF_H

#include "cli/requirements.h"
#include "guarantees.h"
#include "report.h"
#include <ordo/detail/order.h>
#include <ordo/plan_set.h>

/* What was found of the schedule of a range. */
struct judged_range {
	const char *algorithm;
	/* NULL: refuted. Ranges with one schedule have one order, of which the first is the
	 * owner */
	struct ordo_order *order;
	bool proved;
};

/* Trees of all schedules live in one forest. */
struct judged_set {
	const struct ordo_plan_set *set;
	struct arithmetic arithmetic; /* what bits are judged for */
	bool any_order;		      /* every order has the same bits in it */
	struct ordo_forest *forest;
	struct judged_range *ranges; /* [set->nrange] */
	bool proved;		     /* every schedule */
	/* every two schedules are bit-interchangeable; false unless proved */
	bool constant;
	uint32_t nchange; /* neighbouring ranges that are not */
	/* G1, G2, G3 over all sizes; ORDO_NOT_ASKED if the operator adds nothing */
	enum ordo_verdict guarantees[3];
	struct ordo_arena arena;
};

/* Times a range at its ends, in seconds; for the table. */
struct range_cost {
	double first, last;
	const char *source; /* where the cost is from, if not from a published form; NULL */
};

/* `16385..1048576` or `1048577..` */
const char *sizes_text(char out[64], const struct ordo_plan_range *range);
/* "from_bytes" and "to_bytes", null if there is no end. */
void add_sizes(cJSON *object, const struct ordo_plan_range *range);

/* Begins the judgement of a set, which must outlive it. false: call->status. end_judged takes {0}
 * too. */
bool begin_judged(struct call *call, struct judged_set *judged, const struct ordo_plan_set *set,
	const struct arithmetic *arithmetic);
/* Proves the schedule of a range and keeps its order; what breaks a rule is reported. The schedule
 * may be destroyed afterwards. false: call->status. */
bool judge_range(struct call *call, struct judged_set *judged, uint32_t range,
	const struct ordo_schedule *schedule, const struct ordo_verify_options *options);
/* Once all ranges were judged. */
void conclude_judged(struct judged_set *judged);
void end_judged(struct judged_set *judged);

/* Whether all is proved, and a line for each range; costs [nrange] may be NULL. */
void report_ranges(const struct report *report, const struct judged_set *judged,
	const struct range_cost *costs);
/* The guarantees over all sizes, and each size at which the order changes, with the trees of both
 * sides and an input that tells them apart. false: call->status. */
bool report_judged(struct call *call, const struct report *report, struct judged_set *judged);

/* Does the set hold what was asked for? If not that is reported, and call->status set. */
bool set_meets_conditions(
	struct call *call, const struct judged_set *judged, const struct conditions *conditions);

#endif
