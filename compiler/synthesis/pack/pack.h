/* pack.h - trees that together load no link above its capacity. Private to compiler/. */
#ifndef ORDO_SYNTHESIS_PACK_H
#define ORDO_SYNTHESIS_PACK_H

#include "synthesis/graph.h"
#include "synthesis/routes.h"

struct ordo_packed_tree {
	uint32_t root, units, height;
};

struct ordo_packing {
	uint32_t nrank, ntree;
	uint32_t k; /* units of each root; of all trees together, if they have any root */
	struct ordo_packed_tree *trees; /* [ntree] */
	uint32_t *parents;		/* [ntree][nrank] the root is its own parent */
	size_t tree_room, parent_room;
};

/* The time of a link for one unit of the widest data: load / units. */
struct ordo_link_time {
	uint64_t load;
	__extension__ unsigned __int128 units;
};
bool ordo_link_time_less(struct ordo_link_time one, struct ordo_link_time other);
/* The greatest time of a link. loads: [graph->narc], of so many trees. */
struct ordo_link_time ordo_busiest_link(
	const struct ordo_capacities *graph, const uint64_t *loads, uint64_t trees);

/* The caller frees it, also after a call below failed. */
void ordo_packing_free(struct ordo_packing *packing);
/* Adds a tree of one unit or more; sets its height. false: no memory. */
bool ordo_packing_add(
	struct ordo_packing *packing, uint32_t root, uint32_t units, const uint32_t *parents);

/* pack.c: trees from the roots to all vertices, without switches: roots[nrank] units of each rank,
 * on capacities[graph->narc]. They exist if every set of vertices is entered by as much capacity as
 * trees of roots outside (Edmonds); otherwise `error` says so. The caller sets `k` afterwards. */
bool ordo_pack_from_roots(struct ordo_packing *packing, const struct ordo_capacities *graph,
	const uint32_t *capacities, const uint32_t *roots, struct ordo_error *error);
/* span.c: k spanning trees of one unit each on a symmetric graph of up to 64 ranks, that use no
 * pair of vertices more often than capacities of its arcs say, whatever the direction. They exist
 * if cross >= k (p - 1) for every partition into p sets (Tutte, Nash-Williams); otherwise `error`
 * says so. Rooted where they are least high. */
bool ordo_pack_spanning(struct ordo_packing *packing, const struct ordo_capacities *graph,
	const uint32_t *capacities, uint32_t k, struct ordo_error *error);

/* divided.c: trees of sums and of results from the same roots, which share links as a linear
 * program says. `sums` is packed on links turned round. */
struct ordo_divided_trees {
	struct ordo_packing sums, results;
	struct ordo_pair_routes routes;
};
/* turned: the graph turned round. k: of all roots together, or 0: chosen up to `most`. names_ways:
 * the routes keep all ways. The caller frees it, also after false: without a code in `error`, which
 * is not NULL, where the program is too large. */
bool ordo_pack_divided(struct ordo_divided_trees *trees, const struct ordo_capacities *graph,
	const struct ordo_capacities *turned, uint32_t k, uint32_t most, bool names_ways,
	struct ordo_error *error);
void ordo_divided_trees_free(struct ordo_divided_trees *trees);

/* switched.c: spanning trees as above on a symmetric graph with switches, which `logical` takes the
 * place of; the caller frees it, also after false. names_ways: every logical link carries whole
 * trees, and not only those of the same ends together. one_class: as for ordo_split_evenly. k: of
 * each, or 0: chosen up to `most`. false without a code in `error`: they are no faster than trees
 * from the roots, both ways. */
bool ordo_pack_switched(struct ordo_packing *packing, struct ordo_logical_links *logical,
	const struct ordo_capacities *graph, bool names_ways, bool one_class, uint32_t k,
	uint32_t most, struct ordo_error *error);

/* roots.c: trees of a packing, each from every root. */
struct ordo_rooted_trees {
	const struct ordo_packing *packing;
	uint32_t *parents; /* [ntree][nrank][nrank] by tree, then root */
	uint32_t *heights; /* [ntree][nrank] */
};
/* The caller frees it, also after false: no memory. Uses the packing until then. */
bool ordo_rooted_trees_make(struct ordo_rooted_trees *rooted, const struct ordo_packing *packing);
void ordo_rooted_trees_free(struct ordo_rooted_trees *rooted);
/* Of the roots from which a tree is hardly higher, the one that adds least so far, if one more
 * chunk goes up it. adds: [nrank] what each rank adds, which that chunk is added to. */
uint32_t ordo_choose_root(const struct ordo_rooted_trees *rooted, uint32_t tree, uint64_t *adds);

/* units.c: the least k up to `most`, or the k given, for which trees come nearest to the bound, and
 * capacities in units of one tree. k 0: chosen. even: what a rank sends to a switch, or gets from
 * it, are as many units to or from each vertex there. */
bool ordo_units_from_roots(const struct ordo_capacities *graph, uint32_t root, bool even,
	uint32_t *k, uint32_t most, uint32_t *capacities, struct ordo_error *error);
/* Trims the side of each switch that has more units than the other, in proportion. */
void ordo_units_trim(const struct ordo_capacities *graph, uint32_t *capacities);
/* The bound a/b of trees from the roots, in lowest terms. */
bool ordo_units_bound(const struct ordo_capacities *graph, uint32_t root, int64_t *a, int64_t *b,
	struct ordo_error *error);
bool ordo_units_spanning(const struct ordo_capacities *graph, uint32_t *k, uint32_t most,
	uint32_t *capacities, struct ordo_error *error);
/* The least k for which all links could carry whole trees at the bound, so that no time is lost. */
bool ordo_units_exact(
	const struct ordo_capacities *graph, uint32_t root, int64_t *k, struct ordo_error *error);
bool ordo_units_exact_spanning(
	const struct ordo_capacities *graph, int64_t *k, struct ordo_error *error);

struct ordo_resolved_request;
struct ordo_packed_trees;
/* algorithms/tree/packing.c: how many trees a request for `packing` has. false: it is for another
 * algorithm, for one rank, or (`error`) there is no memory. */
bool ordo_packed_trees_of(const struct ordo_resolved_request *request,
	struct ordo_packed_trees *trees, struct ordo_error *error);

#endif
