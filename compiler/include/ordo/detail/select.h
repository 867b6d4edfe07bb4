/* Internal: for the command and the tests. Exported for one release; may change or go after it. */
/* select.h - the cheapest algorithm at every size, among those that suit.
 *
 * Costs are lines over the bytes (cost.h), so the cheapest ones are the lower envelope of lines,
 * and the sizes at which the cheapest changes are found exactly, not by trying sizes. Nothing is
 * selected that was not compiled and proved.
 */
#ifndef ORDO_SELECT_H
#define ORDO_SELECT_H

#include <ordo/detail/choose.h>
#include <ordo/detail/cost.h>
#include <ordo/plan_set.h>

#ifdef __cplusplus
extern "C" {
#endif

struct ordo_selection_wish {
	struct ordo_problem problem;	      /* as in a request */
	const struct ordo_topology *topology; /* NULL: every rank reaches every other */
	struct ordo_machine machine;
	uint64_t from_bytes, to_bytes; /* both belong to it; to_bytes may be ORDO_ENDLESS */
	ordo_suits *suits;	       /* what every schedule must hold; NULL: nothing */
	void *closure;		       /* of suits */
	bool one_order;		       /* all schedules must have one order digest */
	ordo_progress *progress;
	void *progress_closure;
	uint32_t max_tokens, staging_slots; /* as in a request */
	const char *order;		    /* as in a request; suits must refuse other orders */
	bool one_tree;			    /* as in a request */
};

struct ordo_selected {
	uint64_t from_bytes, to_bytes; /* both belong to it */
	const char *algorithm;	       /* with its parameters */
	struct ordo_cost cost;
	struct ordo_schedule *schedule; /* proved; owned by the selection */
	char digest[33];
	/* of the schedule, on the topology and with the limits of the wish; owned likewise */
	struct ordo_proof *proof;
};

struct ordo_selection {
	/* [nrange], ascending, without gaps; neighbours are of different algorithms */
	struct ordo_selected *ranges;
	uint32_t nrange;
	/* what there was to select from; `refused`: what did not apply, compile or suit, and why */
	struct ordo_candidates candidates;
	/* What the conditions cost: the greatest ratio of a cost to that of the cheapest of all
	 * that compile, and the smallest size where it is reached. */
	double price;
	uint64_t price_bytes;
};

/* Of equally cheap candidates those are taken with which the order changes least often from range
 * to range, and then those that come first. With one_order the order is taken whose price is least;
 * of equal ones that of the candidate that comes first. The caller frees the selection, also after
 * false: ORDO_REFUTED if nothing suits, or whatever kept it from being found. */
ORDO_API bool ordo_select(const struct ordo_selection_wish *wish, struct ordo_selection *selection,
	struct ordo_error *error);
ORDO_API void ordo_selection_free(struct ordo_selection *selection);

/* The selection as a plan set whose schedules are called `range-0.json`, ...; the caller destroys
 * it. NULL: no memory. */
ORDO_API struct ordo_plan_set *ordo_selection_plan_set(const struct ordo_selection *selection,
	const struct ordo_problem *problem, struct ordo_error *error);

/* The calls above pass the size of the options that they are compiled with, so that options can
 * grow (version.h). */
ORDO_API bool ordo_select_sized(size_t size, const struct ordo_selection_wish *wish,
	struct ordo_selection *selection, struct ordo_error *error);
#define ordo_select(...) ordo_select_sized(sizeof(struct ordo_selection_wish), __VA_ARGS__)

#ifdef __cplusplus
}
#endif
#endif
