/* tie_break.c - of equally cheap algorithms those whose order changes least often.
 *
 * The best way to each alternative goes through the best way to one of the range before: price of a
 * way = (changes, places behind the preferred ones), compared in this order.
 */
#include "tie_break.h"
#include <stdlib.h>

/* The best way to an alternative. */
struct way {
	uint64_t price;
	uint32_t before; /* the alternative of the range before */
};

#define CHANGE (UINT64_C(1) << 40)

static void find_way(const struct ordo_alternative *items, struct way *ways, uint32_t first,
	uint32_t end, uint32_t to)
{
	ways[to].price = UINT64_MAX;
	for (uint32_t from = first; from < end; from++) {
		const uint64_t price =
			ways[from].price + (items[from].order == items[to].order ? 0 : CHANGE);
		if (price < ways[to].price)
			ways[to] = (struct way){price, from};
	}
}

bool ordo_tie_break(const struct ordo_alternative *items, const uint32_t *ends, uint32_t nrange,
	uint32_t *choice, struct ordo_error *error)
{
	struct way *ways = calloc(nrange ? ends[nrange - 1] : 1, sizeof *ways);
	if (!ways)
		return ordo_fail_memory(error);
	for (uint32_t i = 0; i < nrange; i++) {
		const uint32_t first = i ? ends[i - 1] : 0;
		for (uint32_t to = first; to < ends[i]; to++) {
			if (i)
				find_way(items, ways, i > 1 ? ends[i - 2] : 0, first, to);
			ways[to].price += to - first;
		}
	}
	for (uint32_t i = nrange; i-- > 0;) {
		choice[i] = i + 1 < nrange ? ways[choice[i + 1]].before : i ? ends[i - 1] : 0;
		for (uint32_t to = choice[i]; i + 1 == nrange && to < ends[i]; to++)
			if (ways[to].price < ways[choice[i]].price)
				choice[i] = to;
	}
	free(ways);
	return true;
}
