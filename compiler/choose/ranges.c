/* ranges.c - chooses the cheapest candidate for each range of sizes, for any way to compute
 * costs. */
#include "ranges.h"
#include "tie_break.h"
#include <stdlib.h>
#include <string.h>

bool *ordo_ranges_add(struct ordo_ranges *ranges, const struct ordo_table *table,
	struct ordo_range range, struct ordo_error *error)
{
	const size_t at = ranges->count;
	if (!ordo_array_reserve(&ranges->items, &ranges->room, at + 1, sizeof *ranges->items) ||
		!ordo_array_reserve(&ranges->cheapest, &ranges->cheapest_room,
			(at + 1) * table->count, sizeof *ranges->cheapest)) {
		ordo_fail_memory(error);
		return NULL;
	}
	ranges->items[ranges->count++] = range;
	return memset(
		ranges->cheapest + at * table->count, 0, table->count * sizeof *ranges->cheapest);
}

void ordo_ranges_free(struct ordo_ranges *ranges)
{
	free(ranges->items);
	free(ranges->cheapest);
	*ranges = (struct ordo_ranges){0};
}

/* Numbers orders: equal digests get the index of the first candidate with that digest. */
static uint32_t order_of(const struct ordo_table *table, uint32_t i)
{
	uint32_t order = 0;
	while (strcmp(table->items[order].digest, table->items[i].digest) != 0)
		order++;
	return order;
}

/* Among equally cheap candidates, chooses those with the fewest changes of order, because bits that
 * do not change with the size then cost nothing. */
static bool break_ties(
	const struct ordo_table *table, struct ordo_ranges *ranges, struct ordo_error *error)
{
	const uint32_t count = table->count, nrange = ranges->count;
	struct ordo_alternative *items = calloc((size_t)nrange * count + 1, sizeof *items);
	uint32_t *ends = calloc((size_t)nrange + 1, sizeof *ends),
		 *choice = calloc((size_t)nrange + 1, sizeof *choice), end = 0;
	bool worked = items && ends && choice ? true : ordo_fail_memory(error);
	for (uint32_t r = 0; worked && r < nrange; r++) {
		for (uint32_t i = 0; i < count; i++)
			if (ranges->cheapest[(size_t)r * count + i])
				items[end++] = (struct ordo_alternative){i, order_of(table, i)};
		ends[r] = end;
	}
	worked = worked && ordo_tie_break(items, ends, nrange, choice, error);
	for (uint32_t r = 0; worked && r < nrange; r++)
		ranges->items[r].chosen = items[choice[r]].option;
	free(items);
	free(ends);
	free(choice);
	return worked;
}

static bool find(struct ordo_table *table, const struct ordo_pricing *pricing, const char *digest,
	struct ordo_ranges *ranges, struct ordo_error *error)
{
	return pricing->find(pricing->closure, digest, ranges, error) &&
	       break_ties(table, ranges, error);
}

static bool is_repeated(const struct ordo_table *table, uint32_t i)
{
	for (uint32_t k = 0; k < i; k++)
		if (ordo_may_win(table, k, table->items[i].digest))
			return true;
	return false;
}

/* The order with the least ratio; among equals that of the first candidate. *best NULL: no
 * candidate suits. */
static bool find_order(struct ordo_table *table, const struct ordo_pricing *pricing,
	struct ordo_ranges *ranges, const char **best, struct ordo_error *error)
{
	double least = 0;
	*best = NULL;
	for (uint32_t i = 0; i < table->count; i++)
		if (!ordo_evaluate(table, i, error))
			return false;
	for (uint32_t i = 0; i < table->count; i++) {
		uint64_t bytes;
		if (!table->items[i].suits || is_repeated(table, i))
			continue;
		if (!find(table, pricing, table->items[i].digest, ranges, error))
			return false;
		const double ratio = pricing->ratio(pricing->closure, ranges, &bytes);
		if (!*best || ratio < least) {
			*best = table->items[i].digest;
			least = ratio;
		}
	}
	return true;
}

bool ordo_ranges_choose(struct ordo_table *table, const struct ordo_pricing *pricing,
	bool one_order, struct ordo_ranges *ranges, const char **digest,
	struct ordo_selection *selection, struct ordo_error *error)
{
	*digest = NULL;
	if (one_order && !find_order(table, pricing, ranges, digest, error))
		return false;
	if (one_order && !*digest)
		return ordo_fail_none_suits(table, error);
	if (!find(table, pricing, *digest, ranges, error))
		return false;
	if (!ranges->count)
		return ordo_fail_none_suits(table, error);
	selection->price = pricing->ratio(pricing->closure, ranges, &selection->price_bytes);
	return true;
}

bool ordo_ranges_take(struct ordo_table *table, const struct ordo_ranges *ranges,
	struct ordo_selection *selection, struct ordo_error *error)
{
	selection->ranges = calloc((size_t)ranges->count + 1, sizeof *selection->ranges);
	if (!selection->ranges)
		return ordo_fail_memory(error);
	for (uint32_t r = 0; r < ranges->count; r++) {
		const struct ordo_range *range = &ranges->items[r];
		const struct ordo_evaluated *item = &table->items[range->chosen];
		struct ordo_selected *selected = &selection->ranges[selection->nrange++];
		*selected = (struct ordo_selected){.from_bytes = range->from_bytes,
			.to_bytes = range->to_bytes,
			.algorithm = item->algorithm,
			.cost = item->cost};
		selected->schedule = ordo_table_take(table, range->chosen, &selected->proof, error);
		memcpy(selected->digest, item->digest, sizeof selected->digest);
		if (!selected->schedule)
			return false;
	}
	return true;
}

bool ordo_check_sizes(
	const struct ordo_selection_wish *wish, uint64_t last, struct ordo_error *error)
{
	return wish->from_bytes <= wish->to_bytes && last <= ORDO_BYTES_LIMIT
		       ? true
		       : ordo_fail(error, ORDO_USAGE, 0,
				 "sizes: found %llu..%llu, wanted an ascending range up to %llu",
				 (unsigned long long)wish->from_bytes,
				 (unsigned long long)wish->to_bytes,
				 (unsigned long long)ORDO_BYTES_LIMIT);
}
