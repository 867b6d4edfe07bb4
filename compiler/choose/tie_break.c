/* tie_break.c - chooses among equally cheap candidates, with the fewest changes of order.
 *
 * Dynamic programming: the best path to an alternative extends the best path to one of the previous
 * range. The cost of a path is (changes of order, places behind the preferred alternatives),
 * compared lexicographically.
 */
#include "tie_break.h"
#include <stdlib.h>

/* The best path to an alternative. */
struct path {
	uint64_t cost;
	uint32_t before; /* the alternative of the range before */
};

#define CHANGE (UINT64_C(1) << 40)

static void find_path(const struct ordo_alternative *items, struct path *paths, uint32_t first,
	uint32_t end, uint32_t to)
{
	paths[to].cost = UINT64_MAX;
	for (uint32_t from = first; from < end; from++) {
		const uint64_t cost =
			paths[from].cost + (items[from].order == items[to].order ? 0 : CHANGE);
		if (cost < paths[to].cost)
			paths[to] = (struct path){cost, from};
	}
}

bool ordo_tie_break(const struct ordo_alternative *items, const uint32_t *ends, uint32_t nrange,
	uint32_t *choice, struct ordo_error *error)
{
	struct path *paths = calloc(nrange ? ends[nrange - 1] : 1, sizeof *paths);
	if (!paths)
		return ordo_fail_memory(error);
	for (uint32_t i = 0; i < nrange; i++) {
		const uint32_t first = i ? ends[i - 1] : 0;
		for (uint32_t to = first; to < ends[i]; to++) {
			if (i)
				find_path(items, paths, i > 1 ? ends[i - 2] : 0, first, to);
			paths[to].cost += to - first;
		}
	}
	for (uint32_t i = nrange; i-- > 0;) {
		choice[i] = i + 1 < nrange ? paths[choice[i + 1]].before : i ? ends[i - 1] : 0;
		for (uint32_t to = choice[i]; i + 1 == nrange && to < ends[i]; to++)
			if (paths[to].cost < paths[choice[i]].cost)
				choice[i] = to;
	}
	free(paths);
	return true;
}
