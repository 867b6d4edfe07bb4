/* ranges.h - which candidate is the cheapest at which sizes, whatever finds the price of one: a
 * closed form (select.c) or a simulation (tune.c). Private to compiler/choose/. */
#ifndef ORDO_COMPILER_CHOOSE_RANGES_H
#define ORDO_COMPILER_CHOOSE_RANGES_H

#include "evaluated.h"

struct ordo_range {
	uint64_t from_bytes, to_bytes; /* both belong to it */
	uint32_t first, last;	       /* columns, where prices are simulated */
	uint32_t chosen;	       /* a candidate */
};

struct ordo_ranges {
	struct ordo_range *items; /* [count], ascending, without gaps */
	uint32_t count;
	size_t room;
	bool *cheapest; /* [count][candidates] it costs as little as any */
	size_t cheapest_room;
};

/* A range more. Its row of `cheapest`, to be filled; NULL: no memory. */
bool *ordo_ranges_add(struct ordo_ranges *ranges, const struct ordo_table *table,
	struct ordo_range range, struct ordo_error *error);
void ordo_ranges_free(struct ordo_ranges *ranges);

/* How prices are found. */
struct ordo_pricing {
	void *closure;
	/* The ranges of those that may win (ordo_may_win); none if nobody may. ranges is empty or
	 * of an earlier call. */
	bool (*find)(void *closure, const char *digest, struct ordo_ranges *ranges,
		struct ordo_error *error);
	/* The greatest ratio of a price in the ranges to the least of all, and where. */
	double (*ratio)(void *closure, const struct ordo_ranges *ranges, uint64_t *bytes);
};

/* The ranges that suit, ties broken; with one_order all of the order whose ratio is least. *digest
 * is that order, or NULL; selection gets the ratio. false: nothing suits (ORDO_REFUTED), or what
 * failed. */
bool ordo_ranges_choose(struct ordo_table *table, const struct ordo_pricing *pricing,
	bool one_order, struct ordo_ranges *ranges, const char **digest,
	struct ordo_selection *selection, struct ordo_error *error);
/* Gives the selection the ranges and their schedules. */
bool ordo_ranges_take(struct ordo_table *table, const struct ordo_ranges *ranges,
	struct ordo_selection *selection, struct ordo_error *error);

/* Is it an ascending range whose last size, if it is not endless, is below the limit? */
bool ordo_check_sizes(
	const struct ordo_selection_wish *wish, uint64_t last, struct ordo_error *error);

#endif
