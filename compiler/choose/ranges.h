/* ranges.h - chooses the cheapest candidate for each range of sizes. Costs come from a closed form
 * (select.c) or a simulation (tune.c). Private to compiler/choose/. */
#ifndef ORDO_COMPILER_CHOOSE_RANGES_H
#define ORDO_COMPILER_CHOOSE_RANGES_H

#include "evaluated.h"

struct ordo_range {
	uint64_t from_bytes, to_bytes; /* inclusive */
	uint32_t first, last;	       /* columns, where costs are simulated */
	uint32_t chosen;	       /* a candidate */
};

struct ordo_ranges {
	struct ordo_range *items; /* [count], ascending, without gaps */
	uint32_t count;
	size_t room;
	bool *cheapest; /* [count][candidates] the candidate is one of the cheapest */
	size_t cheapest_room;
};

/* Appends a range. Returns its row of `cheapest`, for the caller to fill; NULL: no memory. */
bool *ordo_ranges_add(struct ordo_ranges *ranges, const struct ordo_table *table,
	struct ordo_range range, struct ordo_error *error);
void ordo_ranges_free(struct ordo_ranges *ranges);

/* A way to compute costs. */
struct ordo_pricing {
	void *closure;
	/* Finds the ranges of the candidates that may win (ordo_may_win); none if no candidate may.
	 * ranges is empty or from an earlier call. */
	bool (*find)(void *closure, const char *digest, struct ordo_ranges *ranges,
		struct ordo_error *error);
	/* The greatest ratio of a cost in the ranges to the least cost of all candidates, and its
	 * size. */
	double (*ratio)(void *closure, const struct ordo_ranges *ranges, uint64_t *bytes);
};

/* Chooses the ranges, with ties broken; with one_order all have the order with the least ratio.
 * *digest is that order, or NULL; selection gets the ratio. false: no candidate suits
 * (ORDO_REFUTED), or another error. */
bool ordo_ranges_choose(struct ordo_table *table, const struct ordo_pricing *pricing,
	bool one_order, struct ordo_ranges *ranges, const char **digest,
	struct ordo_selection *selection, struct ordo_error *error);
/* Moves the ranges and their schedules to the selection. */
bool ordo_ranges_take(struct ordo_table *table, const struct ordo_ranges *ranges,
	struct ordo_selection *selection, struct ordo_error *error);

/* Checks that the range ascends, and that its last size does not exceed the limit. */
bool ordo_check_sizes(
	const struct ordo_selection_wish *wish, uint64_t last, struct ordo_error *error);

#endif
