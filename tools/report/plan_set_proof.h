/* plan_set_proof.h - the proof of a plan set: each of its schedules, and whether all sizes have one
 * order of reduction. */
#ifndef ORDO_TOOLS_REPORT_PLAN_SET_PROOF_H
#define ORDO_TOOLS_REPORT_PLAN_SET_PROOF_H

#include "base/report.h"
#include "cli/requirements.h"
#include "guarantees.h"
#include <ordo/detail/order.h>
#include <ordo/plan_set.h>

/* The proof of the schedule of a range. */
struct range_proof {
	const char *algorithm;
	/* NULL: refuted. Ranges with the same schedule share an order; the first one owns it */
	struct ordo_order *order;
	bool proved;
};

/* The trees of all schedules are in one forest. */
struct set_proof {
	const struct ordo_plan_set *set;
	struct arithmetic arithmetic; /* for which the guarantees are checked */
	bool any_order;		      /* every order gives the same bits in this arithmetic */
	struct ordo_forest *forest;
	struct range_proof *ranges; /* [set->nrange] */
	bool proved;		    /* every schedule */
	uint32_t nunknown;	    /* ranges without a schedule: the library's own choice */
	/* every two schedules are bit-interchangeable; false unless proved for all sizes */
	bool constant;
	/* ranges that are not bit-interchangeable with the one before that has a schedule */
	uint32_t nchange;
	/* G1, G2, G3 over all sizes; ORDO_NOT_ASKED if the operator adds nothing, or if none is
	 * refuted but the library chooses at some sizes */
	enum ordo_verdict guarantees[3];
	struct ordo_arena arena;
};

/* The costs of a range at its ends, in seconds. */
struct range_cost {
	double first, last;
	const char *source; /* the source of the cost, unless it is a published form; NULL */
};

/* `16385..1048576` or `1048577..` */
const char *sizes_text(char out[64], const struct ordo_plan_range *range);
/* "from_bytes" and "to_bytes", null if there is no end. */
void add_sizes(cJSON *object, const struct ordo_plan_range *range);

/* Begins the proof of a set, which must outlive it. false: call->status. close_set_proof also
 * accepts {0}. */
bool open_set_proof(struct call *call, struct set_proof *set_proof, const struct ordo_plan_set *set,
	const struct arithmetic *arithmetic);
/* Proves the schedule of a range and keeps its order; reports broken rules. The schedule may be
 * destroyed afterwards. false: call->status. */
bool prove_range(struct call *call, struct set_proof *set_proof, uint32_t range,
	const struct ordo_schedule *schedule, const struct ordo_verify_options *options);
/* Call it after the last range. */
void conclude_set_proof(struct set_proof *set_proof);
void close_set_proof(struct set_proof *set_proof);

/* Reports whether every schedule is proved, and a line per range; costs [nrange] may be NULL. */
void report_ranges(const struct report *report, const struct set_proof *set_proof,
	const struct range_cost *costs);
/* Reports the guarantees over all sizes, and each size at which the order changes, with the trees
 * of both sides and an input on which they differ. false: call->status. */
bool report_set_proof(struct call *call, const struct report *report, struct set_proof *set_proof);

/* Whether the set meets the conditions at all sizes; if not, reports it and sets call->status:
 * ORDO_UNDECIDED if only the library's own choice is in the way. */
bool set_meets_conditions(
	struct call *call, const struct set_proof *set_proof, const struct conditions *conditions);

#endif
