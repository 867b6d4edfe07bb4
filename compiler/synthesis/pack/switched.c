/* switched.c - spanning trees on links between ranks that take the place of switches.
 *
 * Where links are down, a set of ranks may have less bandwidth than others, so that ReduceScatter
 * and AllGather are held up by opposite directions of its links, one after the other. Spanning
 * trees, used both ways, share the links; but at switches nothing says that they reach the bound.
 * So they are kept if the links then carry less than for both, one after the other. Of the ways to
 * split switches off, none is the best everywhere: the trees of each are compared.
 */
#include "pack.h"
#include <ordo/arena.h>
#include <stdlib.h>
#include <string.h>

/* Less than a hundredth is not worth longer ways. */
enum { LEAST_GAIN = 100 };

/* Links between ranks and spanning trees on them. */
struct spanned {
	struct ordo_logical_links logical;
	struct ordo_capacities between;
	uint32_t *capacities, k;
	uint32_t *trees; /* [nrank][nrank] at most so many between two ranks, either way */
	struct ordo_packing packing;
	struct ordo_link_time busiest; /* by `trees` */
};

static void free_spanned(struct spanned *it)
{
	ordo_logical_links_free(&it->logical);
	ordo_capacities_free(&it->between);
	ordo_packing_free(&it->packing);
	free(it->capacities);
	free(it->trees);
}

/* Adds trees to all links of a way. */
static void load(uint64_t *loads, const uint32_t *arcs, uint32_t count, uint64_t trees)
{
	for (uint32_t k = 0; k < count; k++)
		loads[arcs[k]] += trees;
}

/* The load of all links over the ways of all logical links, which share the trees of two ranks. */
static void load_ways(const struct spanned *it, const struct ordo_capacities *graph,
	uint64_t *loads, uint32_t *arcs)
{
	const struct ordo_logical_links *logical = &it->logical;
	for (uint32_t i = 0; i < logical->nlink; i++) {
		const struct ordo_logical_link *link = &logical->links[i];
		if (!link->units)
			continue;
		const uint32_t pair = ordo_capacities_arc(&it->between, link->from, link->to);
		const uint64_t trees = it->trees[link->from * graph->nrank + link->to],
			       all = (uint64_t)it->between.arcs[pair].units;
		load(loads, arcs, ordo_logical_arcs(logical, link, graph, false, arcs),
			(trees * link->units + all - 1) / all);
	}
}

/* Likewise over one route for each two ranks. */
static void load_routes(const struct spanned *it, const struct ordo_capacities *graph,
	uint64_t *loads, uint32_t *arcs)
{
	for (uint32_t i = 0; i < it->between.narc; i++) {
		const struct ordo_arc *arc = &it->between.arcs[i];
		uint32_t count;
		ordo_logical_route(&it->logical, arc->from, arc->to, graph, false, arcs, &count);
		load(loads, arcs, count, it->trees[arc->from * graph->nrank + arc->to]);
	}
}

static bool find_busiest(
	struct spanned *it, const struct ordo_capacities *graph, bool over_all_ways)
{
	uint64_t *loads = ordo_array_make(graph->narc, sizeof *loads, 0);
	uint32_t *arcs = ordo_array_make(graph->nvertex, sizeof *arcs, 0);
	if (loads && arcs) {
		(over_all_ways ? load_ways : load_routes)(it, graph, loads, arcs);
		it->busiest = ordo_busiest_link(graph, loads, it->k);
	}
	free(loads);
	free(arcs);
	return loads && arcs;
}

/* Logical links as a graph in which those of the same ends are apart, sorted by `from`.
 * links: [narc] their numbers. false: no memory. */
static bool list_links(struct ordo_capacities *apart, const struct ordo_logical_links *logical,
	uint32_t nrank, uint32_t **links)
{
	*apart = (struct ordo_capacities){.nrank = nrank, .nplace = nrank, .nvertex = nrank};
	apart->arcs = ordo_array_make(logical->nlink, sizeof *apart->arcs, 0);
	apart->first = ordo_array_make((size_t)nrank + 1, sizeof *apart->first, 0);
	*links = ordo_array_make(logical->nlink, sizeof **links, 0);
	for (uint32_t from = 0; apart->arcs && apart->first && *links && from < nrank; from++) {
		for (uint32_t i = logical->first[from]; i != ORDO_NONE;
			i = logical->links[i].next) {
			const struct ordo_logical_link *link = &logical->links[i];
			(*links)[apart->narc] = i;
			apart->arcs[apart->narc++] = (struct ordo_arc){from, link->to, link->units};
			apart->total += link->units;
		}
		apart->first[from + 1] = apart->narc;
	}
	return apart->arcs && apart->first && *links;
}

/* The units of each logical link become whole trees. false without a code in `error`: there are
 * none of this k. */
static bool round_links(struct spanned *it, uint32_t nrank, uint32_t most, struct ordo_error *error)
{
	struct ordo_capacities apart;
	uint32_t *links, *capacities = ordo_array_make(it->logical.nlink, sizeof *capacities, 0);
	struct ordo_error why = {0};
	const bool listed = list_links(&apart, &it->logical, nrank, &links) && capacities;
	const bool worked = listed && ordo_units_spanning(&apart, &it->k, most, capacities, &why);
	for (uint32_t i = 0; worked && i < apart.narc; i++)
		it->logical.links[links[i]].units = capacities[i];
	ordo_capacities_free(&apart);
	free(links);
	free(capacities);
	return worked || ((!listed || why.code == ORDO_ENVIRONMENT) && ordo_fail_memory(error));
}

/* false without a code in `error`: there are none of this k. */
static bool span(struct spanned *it, const struct ordo_capacities *graph,
	enum ordo_split_first first, bool one_class, bool names_ways, uint32_t k, uint32_t most,
	struct ordo_error *error)
{
	struct ordo_error why = {0};
	*it = (struct spanned){.k = k};
	if (!ordo_split_evenly(&it->logical, graph, first, one_class, error) ||
		(names_ways && !round_links(it, graph->nrank, most, error)) ||
		!ordo_logical_graph_make(&it->between, &it->logical, graph->nrank, error))
		return false;
	it->capacities = ordo_array_make(it->between.narc, sizeof *it->capacities, 0);
	it->trees = ordo_array_make((size_t)graph->nrank * graph->nrank, sizeof *it->trees, 0);
	if (!it->capacities || !it->trees)
		return ordo_fail_memory(error);
	for (uint32_t i = 0; names_ways && i < it->between.narc; i++)
		it->capacities[i] = (uint32_t)it->between.arcs[i].units;
	if (!names_ways && !ordo_units_spanning(&it->between, &it->k, most, it->capacities, &why))
		return why.code == ORDO_ENVIRONMENT && ordo_fail_memory(error);
	for (uint32_t i = 0; i < it->between.narc; i++) {
		const struct ordo_arc *arc = &it->between.arcs[i];
		it->trees[arc->from * graph->nrank + arc->to] = it->capacities[i];
	}
	return find_busiest(it, graph, names_ways) || ordo_fail_memory(error);
}

/* Packs the trees, and finds what they load, which may be less than they could. false without a
 * code in `error`: they do not fit. */
static bool pack(struct spanned *it, const struct ordo_capacities *graph, bool names_ways,
	struct ordo_error *error)
{
	const uint32_t nrank = graph->nrank;
	struct ordo_error why = {0};
	if (!ordo_pack_spanning(&it->packing, &it->between, it->capacities, it->k, &why))
		return why.code == ORDO_ENVIRONMENT && ordo_fail_memory(error);
	memset(it->trees, 0, (size_t)nrank * nrank * sizeof *it->trees);
	for (uint32_t i = 0; i < it->packing.ntree * nrank; i++) {
		const uint32_t rank = i % nrank, parent = it->packing.parents[i];
		if (parent != rank) {
			it->trees[rank * nrank + parent] += it->packing.trees[i / nrank].units;
			it->trees[parent * nrank + rank] = it->trees[rank * nrank + parent];
		}
	}
	return find_busiest(it, graph, names_ways) || ordo_fail_memory(error);
}

bool ordo_pack_switched(struct ordo_packing *packing, struct ordo_logical_links *logical,
	const struct ordo_capacities *graph, bool names_ways, bool one_class, uint32_t k,
	uint32_t most, struct ordo_error *error)
{
	/* Without switches they reach the bound. */
	const bool direct =
		graph->parallel && graph->nplace == graph->nrank + graph->parallel->count;
	struct spanned spanned[ORDO_SPLIT_FIRSTS] = {0};
	int64_t a, b;
	*logical = (struct ordo_logical_links){0};
	if (!ordo_units_bound(graph, ORDO_NONE, &a, &b, error))
		return false;
	/* ReduceScatter and AllGather of a vector take 2 a/b over the ranks. */
	struct ordo_link_time least = {
		(uint64_t)(2 * a) * (uint64_t)(direct ? LEAST_GAIN + 1 : LEAST_GAIN - 1),
		(uint64_t)b * graph->nrank * LEAST_GAIN};
	struct spanned *best = NULL;
	for (uint32_t i = 0; i < ORDO_SPLIT_FIRSTS && !error->code; i++)
		if (span(&spanned[i], graph, (enum ordo_split_first)i, one_class, names_ways, k,
			    most, error) &&
			ordo_link_time_less(spanned[i].busiest, least) &&
			pack(&spanned[i], graph, names_ways, error) &&
			ordo_link_time_less(spanned[i].busiest, least)) {
			best = &spanned[i];
			least = best->busiest;
		}
	const bool worked = best && !error->code;
	if (worked) {
		*logical = best->logical;
		*packing = best->packing;
		best->logical = (struct ordo_logical_links){0};
		best->packing = (struct ordo_packing){0};
	}
	for (uint32_t i = 0; i < ORDO_SPLIT_FIRSTS; i++)
		free_spanned(&spanned[i]);
	return worked;
}
