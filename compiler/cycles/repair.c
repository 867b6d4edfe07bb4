/* repair.c - closes the gaps of an almost-cycle one by one, by turning parts of it round.
 *
 * A gap is a pair next to each other in the order that are no neighbours: c[i], c[i+1]. If there is
 * a j such that c[i], c[j] and c[i+1], c[j+1] are neighbours, turning c[i+1..j] round closes it and
 * opens none that was closed. When the degrees of every two strangers add up to n or more (Ore),
 * such a j always exists, so a mesh with some links down is never refused here.
 *
 * source  Palmer, Computers Math. Applic. 34(11), 1997
 */
#include "graph.h"

static uint32_t next(uint32_t n, uint32_t i)
{
	return i + 1 < n ? i + 1 : 0;
}

/* Turns order[from..to] round, where the stretch may run over the end. */
static void turn(uint32_t *order, uint32_t n, uint32_t from, uint32_t to)
{
	uint32_t length = (to + n - from) % n + 1;
	for (uint32_t swaps = length / 2; swaps; swaps--) {
		uint32_t kept = order[from];
		order[from] = order[to];
		order[to] = kept;
		from = next(n, from);
		to = to ? to - 1 : n - 1;
	}
}

static bool close_gap(const struct ordo_graph *graph, uint32_t *order, uint32_t i)
{
	uint32_t n = graph->n, after = next(n, i);
	for (uint32_t j = next(n, after); j != i; j = next(n, j))
		if (ordo_graph_joins(graph, order[i], order[j]) &&
			ordo_graph_joins(graph, order[after], order[next(n, j)])) {
			turn(order, n, after, j);
			return true;
		}
	return false;
}

bool ordo_cycle_repair(const struct ordo_graph *graph, uint32_t *order)
{
	uint32_t n = graph->n;
	for (uint32_t i = 0, sound = 0; sound < n; i = next(n, i)) {
		if (ordo_graph_joins(graph, order[i], order[next(n, i)])) {
			sound++;
			continue;
		}
		if (!close_gap(graph, order, i))
			return false;
		/* places moved: look at all again from here; every repair leaves one gap less */
		sound = 1;
	}
	return true;
}
