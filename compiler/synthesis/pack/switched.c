/* switched.c - spanning trees on links between ranks that take the place of switches.
 *
 * Where links are down, a set of ranks may have less bandwidth than others, so that ReduceScatter
 * and AllGather are held up by opposite directions of its links, one after the other. Spanning
 * trees, used both ways, share the links; but at switches nothing says that they reach the bound.
 * So they are kept if the links then carry less than for both, one after the other.
 */
#include "pack.h"
#include <ordo/arena.h>
#include <stdlib.h>

/* Less than a hundredth is not worth longer ways. */
enum { LEAST_GAIN = 100 };

/* Links between ranks and spanning trees on them. */
struct spanned {
	struct ordo_logical_links logical;
	struct ordo_capacities between;
	uint32_t *capacities, k;
	struct ordo_link_time busiest;
};

static void free_spanned(struct spanned *it)
{
	ordo_logical_links_free(&it->logical);
	ordo_capacities_free(&it->between);
	free(it->capacities);
}

/* What all trees load on the busiest link, over the routes of the pairs. */
static bool find_busiest(struct spanned *it, const struct ordo_capacities *graph)
{
	uint64_t *loads = ordo_array_make(graph->narc, sizeof *loads, 0);
	uint32_t *arcs = ordo_array_make(graph->nvertex, sizeof *arcs, 0);
	for (uint32_t i = 0; loads && arcs && i < it->between.narc; i++) {
		const struct ordo_arc *arc = &it->between.arcs[i];
		uint32_t count;
		ordo_logical_route(&it->logical, arc->from, arc->to, graph, false, arcs, &count);
		for (uint32_t k = 0; k < count; k++)
			loads[arcs[k]] += it->capacities[i];
	}
	if (loads && arcs)
		it->busiest = ordo_busiest_link(graph, loads, it->k);
	free(loads);
	free(arcs);
	return loads && arcs;
}

/* false without a code in `error`: there are none of this k. */
static bool span(struct spanned *it, const struct ordo_capacities *graph, bool ranks_first,
	uint32_t k, uint32_t most, struct ordo_error *error)
{
	struct ordo_error why = {0};
	*it = (struct spanned){.k = k};
	if (!ordo_split_evenly(&it->logical, graph, ranks_first, error) ||
		!ordo_logical_graph_make(&it->between, &it->logical, graph->nrank, error))
		return false;
	it->capacities = ordo_array_make(it->between.narc, sizeof *it->capacities, 0);
	if (!it->capacities)
		return ordo_fail_memory(error);
	if (!ordo_units_spanning(&it->between, &it->k, most, it->capacities, &why))
		return why.code == ORDO_ENVIRONMENT && ordo_fail_memory(error);
	return find_busiest(it, graph) || ordo_fail_memory(error);
}

bool ordo_pack_switched(struct ordo_packing *packing, struct ordo_logical_links *logical,
	const struct ordo_capacities *graph, uint32_t k, uint32_t most, struct ordo_error *error)
{
	struct spanned spanned[2] = {0};
	int64_t a, b;
	*logical = (struct ordo_logical_links){0};
	if (!ordo_units_bound(graph, ORDO_NONE, &a, &b, error))
		return false;
	/* ReduceScatter and AllGather of a vector take 2 a/b over the ranks. */
	struct ordo_link_time least = {
		(uint64_t)(2 * a) * (LEAST_GAIN - 1), (uint64_t)b * graph->nrank * LEAST_GAIN};
	struct spanned *best = NULL;
	for (uint32_t i = 0; i < 2 && !error->code; i++)
		if (span(&spanned[i], graph, !i, k, most, error) &&
			ordo_link_time_less(spanned[i].busiest, least)) {
			best = &spanned[i];
			least = best->busiest;
		}
	const bool worked =
		best && !error->code &&
		ordo_pack_spanning(packing, &best->between, best->capacities, best->k, error);
	if (worked) {
		*logical = best->logical;
		best->logical = (struct ordo_logical_links){0};
	}
	free_spanned(&spanned[0]);
	free_spanned(&spanned[1]);
	return worked;
}
