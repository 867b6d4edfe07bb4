/* packing.c - trees for this topology, which together use its links as evenly as can be.
 *
 * From every rank (or the root) k trees to all others are packed into the links, so many on each as
 * its bandwidth allows at the bound of the wire (`ordo bound`); a block is cut into k pieces or a
 * multiple, and each goes along a tree. ReduceScatter and Reduce are that on links turned round. An
 * AllReduce on links that are as wide one way as the other packs spanning trees, each of which is
 * summed up and sent down, so that sums and results share the links; over switches, if that is
 * faster than what it is elsewhere: ReduceScatter and AllGather of the same roots. With method=lp
 * sums and results share links as a linear program says, if that is faster still. Moves are
 * written as a list schedule starts them. With sums apart, additions are moves of their own, which
 * this schedule orders too.
 *
 * steps   the height of the highest tree; AllReduce twice that
 * volume  what the trees use of the links of the busiest rank
 * order   a tree for each piece
 * source  Z. Zhao et al., arXiv 2402.06787; J. Edmonds, 1973; W. T. Tutte and C. St. J. A.
 *         Nash-Williams, 1961
 */
#include "algorithm.h"
#include "algorithms/direct/places.h"
#include "arrivals.h"
#include "request/fast_links.h"
#include "synthesis/list.h"
#include "synthesis/pack/pack.h"
#include "synthesis/split.h"
#include "ways/ways.h"
#include <math.h>
#include <ordo/detail/packed_trees.h>
#include <ordo/topology.h>
#include <stdlib.h>

extern const struct ordo_algorithm ordo_algorithm_packing;

__extension__ typedef unsigned __int128 wide;

enum {
	MOST_RANKS = 1024,
	/* Trees of each root: with more ranks fewer, or their search takes minutes. */
	MOST_UNITS = 64,
	MOST_UNIT_EFFORT = 1 << 21, /* times ranks, squared */
	MOST_SPANNING = 256,
	MOST_SPANNING_RANKS = 64,
	/* Spanning trees times ranks: beyond, their search takes seconds. */
	MOST_SPANNING_EFFORT = 3072,
	MOST_PIECES = 4,
	USUAL_MOVES = 1 << 14,
	/* A choice by size tries more pieces while there are at most so many moves. */
	MOST_TRIED = 1 << 15,
	/* A choice tries it up to so many ranks: with more, sums can take a minute to compile. */
	MOST_TRIED_RANKS = 64
};

struct packed {
	struct ordo_topology *mesh; /* where the request has no topology; NULL */
	/* Links of several classes side by side, each of which carries its share. */
	struct ordo_parallel_links parallel;
	const struct ordo_topology *topology; /* in which they are apart */
	/* Streams name the ways that `routes` keeps; with `spreads` all of them do. */
	bool names_ways, spreads;
	struct ordo_capacities graph;
	/* With switches: the shares of pairs of ranks in the links between them, and these. */
	struct ordo_capacities pairs;
	struct ordo_pair_routes routes;
	/* up: trees of sums; down: trees of results. ntree 0: there is no such phase. Of spanning
	 * trees, only `down` is packed. */
	struct ordo_packing up, down;
	bool spanning;
	bool divided; /* `up` and `down` have the same roots, each its own number of trees */
	struct ordo_rooted_trees rooted; /* spanning trees, if sums are apart */
};

static bool reduces(enum ordo_operator op)
{
	return op == ORDO_ALLREDUCE || op == ORDO_REDUCE || op == ORDO_REDUCESCATTER;
}

static bool spreads(enum ordo_operator op)
{
	return op == ORDO_ALLREDUCE || op == ORDO_BROADCAST || op == ORDO_ALLGATHER;
}

static bool is_rooted(enum ordo_operator op)
{
	return op == ORDO_REDUCE || op == ORDO_BROADCAST;
}

static bool applicable(const struct ordo_resolved_request *request, struct ordo_error *error)
{
	if (ordo_parameter_is(request, "method", "lp") &&
		(request->problem.op != ORDO_ALLREDUCE ||
			ordo_parameter_is(request, "shares", "even")))
		return ordo_fail(error, ORDO_USAGE, 0,
			"packing: found method=lp, which is for allreduce with shares=any");
	return request->problem.nrank <= MOST_RANKS ||
	       ordo_fail(error, ORDO_USAGE, 0, "packing: found %u ranks, wanted up to %d",
		       request->problem.nrank, MOST_RANKS);
}

/* The value of a parameter; 0: auto. */
static uint32_t number_of(const struct ordo_resolved_request *request, const char *name)
{
	const uint32_t number = ordo_parameter_number(request, name);
	return number == ORDO_NONE ? 0 : number;
}

/* Packs trees into the logical links between ranks that take the place of switches. */
static bool pack_split(struct packed *packed, bool backwards, const struct ordo_capacities *graph,
	const uint32_t *capacities, const uint32_t *roots, struct ordo_error *error)
{
	struct ordo_packing *packing = backwards ? &packed->up : &packed->down;
	struct ordo_logical_links logical;
	struct ordo_capacities between = {0};
	uint32_t *units = NULL;
	bool worked = ordo_split_switches(&logical, graph, capacities, roots, error) &&
		      ordo_pair_routes_add(&packed->routes, &logical, backwards, error) &&
		      ordo_logical_graph_make(&between, &logical, graph->nrank, error);
	if (worked) {
		units = ordo_array_make(between.narc, sizeof *units, 0);
		worked = units || ordo_fail_memory(error);
	}
	for (uint32_t i = 0; worked && i < between.narc; i++)
		units[i] = (uint32_t)between.arcs[i].units;
	worked = worked && ordo_pack_from_roots(packing, &between, units, roots, error);
	free(units);
	ordo_capacities_free(&between);
	ordo_logical_links_free(&logical);
	return worked;
}

static bool make_graph(const struct packed *packed, struct ordo_capacities *graph, bool backwards,
	struct ordo_error *error)
{
	if (!ordo_capacities_make(graph, packed->topology, backwards, error))
		return false;
	graph->parallel = packed->parallel.apart ? &packed->parallel : NULL;
	return true;
}

/* Packs one phase. */
static bool pack(const struct ordo_resolved_request *request, bool backwards, struct packed *packed,
	struct ordo_error *error)
{
	const uint32_t root = is_rooted(request->problem.op) ? request->problem.root : ORDO_NONE;
	struct ordo_packing *packing = backwards ? &packed->up : &packed->down;
	const uint32_t nrank = request->problem.nrank, effort = MOST_UNIT_EFFORT / (nrank * nrank),
		       most = effort < MOST_UNITS ? effort : MOST_UNITS;
	struct ordo_capacities graph;
	uint32_t *capacities = NULL, *roots = ordo_array_make(nrank, sizeof *roots, 0),
		 k = number_of(request, "k");
	bool worked = make_graph(packed, &graph, backwards, error);
	if (worked) {
		capacities = ordo_array_make(graph.narc, sizeof *capacities, 0);
		worked = (capacities && roots) || ordo_fail_memory(error);
	}
	worked = worked &&
		 ordo_units_from_roots(&graph, root, ordo_parameter_is(request, "shares", "even"),
			 &k, most, capacities, error);
	for (uint32_t rank = 0; worked && rank < nrank; rank++)
		roots[rank] = root == ORDO_NONE || root == rank ? k : 0;
	worked = worked &&
		 (graph.nvertex > graph.nrank
				 ? pack_split(packed, backwards, &graph, capacities, roots, error)
				 : ordo_pack_from_roots(packing, &graph, capacities, roots, error));
	packing->k = worked ? k : 0;
	free(roots);
	free(capacities);
	ordo_capacities_free(&graph);
	return worked;
}

/* Adds what the trees load on each pair of ranks. links: [nrank][nrank] */
static void add_loads(const struct packed *packed, struct ordo_logical_link *links)
{
	const uint32_t nrank = packed->graph.nrank;
	for (uint32_t phase = 0; phase < 2; phase++) {
		const struct ordo_packing *packing = phase ? &packed->down : &packed->up,
					  *other = phase ? &packed->up : &packed->down;
		for (uint32_t i = 0; i < packing->ntree * nrank; i++) {
			const uint32_t v = i % nrank, parent = packing->parents[i],
				       units = packing->trees[i / nrank].units *
					       (other->k ? other->k : 1);
			if (v == parent)
				continue;
			if (phase || packed->spanning)
				links[parent * nrank + v].units += units;
			if (!phase || packed->spanning)
				links[v * nrank + parent].units += units;
		}
	}
}

enum { WIDEST = 1 << 20 };

/* What a load gets of the links of its way, if all share them by their loads: of the widest link
 * WIDEST. on_links: [graph.narc] loads */
static uint64_t share_of_way(const struct packed *packed, int64_t widest, const uint32_t *links,
	uint32_t count, uint64_t load, const uint64_t *on_links)
{
	uint64_t least = WIDEST;
	for (uint32_t i = 0; load && i < count; i++) {
		const wide share = (wide)packed->graph.arcs[links[i]].units * load * WIDEST /
				   (wide)widest / on_links[links[i]];
		least = share < least ? (uint64_t)share : least;
	}
	return load ? least : 0;
}

/* The first way of a pair that streams name; ORDO_NONE: its data takes its route. */
static uint32_t first_way(const struct packed *packed, uint32_t pair)
{
	return packed->routes.first_way ? packed->routes.first_way[pair] : ORDO_NONE;
}

/* What a way carries of the load of its pair, by its units. */
static uint64_t load_of_way(
	const struct packed *packed, uint32_t pair, const struct ordo_pair_way *way, uint64_t load)
{
	uint64_t all[2] = {0, 0};
	for (uint32_t i = first_way(packed, pair); i != ORDO_NONE; i = packed->routes.ways[i].next)
		for (uint32_t phase = 0; phase < 2; phase++)
			all[phase] += packed->routes.ways[i].units[phase];
	const wide part = (wide)way->units[0] * (all[1] ? all[1] : 1) +
			  (wide)way->units[1] * (all[0] ? all[0] : 1),
		   whole = (wide)(all[0] ? all[0] : 1) * (all[1] ? all[1] : 1) *
			   (all[0] && all[1] ? 2 : 1);
	return (uint64_t)(load * part / whole);
}

/* What a pair of ranks gets of the links on its route or its ways. */
static uint32_t share_of(const struct packed *packed, int64_t widest, uint32_t pair, uint64_t load,
	const uint64_t *on_links)
{
	const struct ordo_pair_routes *routes = &packed->routes;
	uint64_t share = 0;
	for (uint32_t i = first_way(packed, pair); i != ORDO_NONE; i = routes->ways[i].next) {
		const struct ordo_pair_way *way = &routes->ways[i];
		share += share_of_way(packed, widest, routes->way_arcs + way->first, way->narc,
			load_of_way(packed, pair, way, load), on_links);
	}
	if (first_way(packed, pair) == ORDO_NONE)
		share = share_of_way(packed, widest, routes->arcs + routes->first[pair],
			routes->first[pair + 1] - routes->first[pair], load, on_links);
	return share ? (uint32_t)share : 1;
}

/* Adds the loads of all pairs up on the links between them. on_links: [graph.narc] */
static void load_links(
	const struct packed *packed, const struct ordo_logical_link *pairs, uint64_t *on_links)
{
	const uint32_t nrank = packed->graph.nrank;
	const struct ordo_pair_routes *routes = &packed->routes;
	for (uint32_t pair = 0; pair < nrank * nrank; pair++) {
		for (uint32_t i = first_way(packed, pair); i != ORDO_NONE;
			i = routes->ways[i].next) {
			const struct ordo_pair_way *way = &routes->ways[i];
			const uint64_t load = load_of_way(packed, pair, way, pairs[pair].units);
			for (uint32_t k = 0; k < way->narc; k++)
				on_links[routes->way_arcs[way->first + k]] += load;
		}
		if (first_way(packed, pair) != ORDO_NONE)
			continue;
		if (routes->first)
			for (uint32_t i = routes->first[pair]; i < routes->first[pair + 1]; i++)
				on_links[routes->arcs[i]] += pairs[pair].units;
		else if (pairs[pair].units)
			on_links[ordo_capacities_arc(&packed->graph, pair / nrank, pair % nrank)] +=
				pairs[pair].units;
	}
}

/* Pairs of ranks, as wide as their shares of the links. */
static bool use_shares(struct packed *packed, struct ordo_error *error)
{
	const uint32_t nrank = packed->graph.nrank, npair = nrank * nrank;
	uint64_t *on_links = ordo_array_make(packed->graph.narc, sizeof *on_links, 0);
	struct ordo_logical_links pairs = {
		.nlink = npair, .links = ordo_array_make(npair, sizeof *pairs.links, 0)};
	bool worked = on_links && pairs.links;
	for (uint32_t i = 0; worked && i < npair; i++) {
		pairs.links[i].from = i / nrank;
		pairs.links[i].to = i % nrank;
	}
	const int64_t widest = ordo_capacities_widest(&packed->graph);
	if (worked) {
		add_loads(packed, pairs.links);
		load_links(packed, pairs.links, on_links);
	}
	for (uint32_t pair = 0; worked && pair < npair; pair++)
		if (pairs.links[pair].units)
			pairs.links[pair].units =
				share_of(packed, widest, pair, pairs.links[pair].units, on_links);
	worked = worked ? ordo_logical_graph_make(&packed->pairs, &pairs, nrank, error)
			: ordo_fail_memory(error);
	free(on_links);
	ordo_logical_links_free(&pairs);
	return worked;
}

/* Packs spanning trees. false without an error in `error`: there are too many, k is none of their
 * numbers, or over switches they are not faster than trees of both phases. */
static bool pack_spanning(const struct ordo_resolved_request *request, struct packed *packed,
	struct ordo_error *error)
{
	const struct ordo_capacities *graph = &packed->graph;
	const uint32_t effort = MOST_SPANNING_EFFORT / graph->nrank,
		       most = effort < MOST_SPANNING ? effort : MOST_SPANNING;
	uint32_t *capacities = ordo_array_make(graph->narc, sizeof *capacities, 0),
		 k = number_of(request, "k");
	struct ordo_logical_links logical = {0};
	if (graph->nvertex > graph->nrank)
		packed->spanning = ordo_pack_switched(&packed->down, &logical, graph,
					   packed->names_ways, k, most, error) &&
				   ordo_pair_routes_add(&packed->routes, &logical, false, error);
	else
		packed->spanning = (capacities || ordo_fail_memory(error)) &&
				   ordo_units_spanning(graph, &k, most, capacities, error) &&
				   ordo_pack_spanning(&packed->down, graph, capacities, k, error);
	free(capacities);
	ordo_logical_links_free(&logical);
	return packed->spanning;
}

/* Packs trees of sums and trees of results. */
static bool pack_phases(const struct ordo_resolved_request *request, struct packed *packed,
	struct ordo_error *error)
{
	const enum ordo_operator op = request->problem.op;
	return (!reduces(op) || pack(request, true, packed, error)) &&
	       (!spreads(op) || pack(request, false, packed, error));
}

/* The time of the busiest link of an AllReduce. false: no memory. */
static bool find_busiest(const struct packed *packed, struct ordo_link_time *busiest)
{
	const struct ordo_capacities *graph = &packed->graph;
	const uint32_t nrank = graph->nrank;
	const uint64_t trees = packed->spanning ? packed->down.k
						: (uint64_t)packed->up.k * packed->down.k *
							  (packed->divided ? 1 : nrank);
	uint64_t *on_links = ordo_array_make(graph->narc, sizeof *on_links, 0);
	struct ordo_logical_link *pairs = ordo_array_make((size_t)nrank * nrank, sizeof *pairs, 0);
	if (on_links && pairs) {
		add_loads(packed, pairs);
		load_links(packed, pairs, on_links);
		*busiest = ordo_busiest_link(graph, on_links, trees);
	}
	const bool worked = on_links && pairs;
	free(on_links);
	free(pairs);
	return worked;
}

/* Takes trees that share links as a linear program says, if they are faster than what is packed. */
static bool pack_divided(const struct ordo_resolved_request *request, struct packed *packed,
	struct ordo_error *error)
{
	struct ordo_divided_trees trees = {0};
	struct ordo_capacities turned;
	struct ordo_link_time before, after;
	struct ordo_error why = {0};
	struct packed other = {.divided = true, .graph = packed->graph};
	const uint32_t k = number_of(request, "k");
	bool found = make_graph(packed, &turned, true, &why) &&
		     ordo_pack_divided(&trees, &packed->graph, &turned, k, MOST_SPANNING,
			     packed->names_ways, &why);
	if (found) {
		other.up = trees.sums;
		other.down = trees.results;
		other.routes = trees.routes;
		found = (find_busiest(packed, &before) && find_busiest(&other, &after)) ||
			ordo_fail_memory(&why);
	}
	if (found && ordo_link_time_less(after, before)) {
		trees = (struct ordo_divided_trees){packed->up, packed->down, packed->routes};
		packed->up = other.up;
		packed->down = other.down;
		packed->routes = other.routes;
		packed->divided = true;
		packed->spanning = false;
		if (packed->graph.nvertex == packed->graph.nrank)
			ordo_pair_routes_free(&packed->routes);
	}
	ordo_divided_trees_free(&trees);
	ordo_capacities_free(&turned);
	if (why.code == ORDO_ENVIRONMENT && error)
		*error = why;
	return why.code != ORDO_ENVIRONMENT;
}

/* Packs all trees. */
static bool pack_all(const struct ordo_resolved_request *request, struct packed *packed,
	struct ordo_error *error)
{
	struct ordo_error why = {0};
	packed->routes = (struct ordo_pair_routes){
		.network = &packed->graph, .keeps_ways = packed->names_ways};
	if (request->problem.op == ORDO_ALLREDUCE &&
		request->problem.nrank <= MOST_SPANNING_RANKS &&
		!ordo_parameter_is(request, "shares", "even") &&
		ordo_capacities_symmetric(&packed->graph))
		pack_spanning(request, packed, &why);
	if (why.code == ORDO_ENVIRONMENT)
		return ordo_fail_memory(error);
	return (packed->spanning || pack_phases(request, packed, error)) &&
	       (!ordo_parameter_is(request, "method", "lp") ||
		       pack_divided(request, packed, error));
}

static void free_trees(struct packed *packed)
{
	ordo_pair_routes_free(&packed->routes);
	ordo_packing_free(&packed->up);
	ordo_packing_free(&packed->down);
	packed->up = packed->down = (struct ordo_packing){0};
	packed->spanning = packed->divided = false;
}

/* Whether trees join ranks between which there are several ways over switches. */
static bool find_choice(struct packed *packed, const struct ordo_topology *topology, bool *choice,
	struct ordo_error *error)
{
	const uint32_t nrank = packed->graph.nrank;
	struct ordo_ways ways;
	struct ordo_way found[ORDO_MOST_WAYS];
	struct ordo_logical_link *pairs = ordo_array_make((size_t)nrank * nrank, sizeof *pairs, 0);
	if (!pairs)
		return ordo_fail_memory(error);
	add_loads(packed, pairs);
	const bool worked = ordo_ways_make(&ways, topology, error);
	for (uint32_t pair = 0; worked && !*choice && pair < nrank * nrank; pair++)
		*choice = pairs[pair].units &&
			  ordo_ways_between(&ways, pair / nrank, pair % nrank, found) > 1;
	ordo_ways_free(&ways);
	free(pairs);
	return worked;
}

/* With via=spread all streams name their ways, if there are several for any; then trees are packed
 * once more, for there may be more of them. */
static bool spread(const struct ordo_resolved_request *request, struct packed *packed,
	struct ordo_error *error)
{
	if (!request->topology || !request->topology->nswitch ||
		!ordo_parameter_is(request, "via", "spread"))
		return true;
	if (!find_choice(packed, request->topology, &packed->spreads, error))
		return false;
	if (!packed->spreads || packed->names_ways)
		return true;
	free_trees(packed);
	packed->names_ways = true;
	return pack_all(request, packed, error);
}

static bool prepare(struct ordo_resolved_request *request, struct ordo_error *error)
{
	struct packed *packed = ordo_arena_alloc(&request->arena, sizeof *packed);
	request->prepared = packed;
	if (!packed)
		return ordo_fail_memory(error);
	const struct ordo_topology *topology = request->topology;
	if (!topology)
		topology = packed->mesh =
			ordo_topology_make("full-mesh", request->problem.nrank, error);
	if (!topology || !ordo_parallel_links_make(&packed->parallel, topology, error))
		return false;
	packed->names_ways = packed->parallel.apart;
	packed->topology = packed->names_ways ? packed->parallel.apart : topology;
	if (!make_graph(packed, &packed->graph, false, error))
		return false;
	if (packed->graph.nvertex > packed->graph.nplace)
		return ordo_fail(error, ORDO_USAGE, 0,
			"packing: found %u ports a rank, wanted as many as it has links",
			topology->ports);
	if (request->problem.nrank == 1)
		return true;
	if (!pack_all(request, packed, error) || !spread(request, packed, error))
		return false;
	if (packed->spanning && ordo_sums_are_apart(request) &&
		!ordo_rooted_trees_make(&packed->rooted, &packed->down))
		return ordo_fail_memory(error);
	return (packed->graph.nvertex == packed->graph.nrank || use_shares(packed, error));
}

static void release(struct ordo_resolved_request *request)
{
	struct packed *packed = request->prepared;
	if (!packed)
		return;
	ordo_topology_destroy(packed->mesh);
	ordo_parallel_links_free(&packed->parallel);
	ordo_capacities_free(&packed->graph);
	ordo_capacities_free(&packed->pairs);
	free_trees(packed);
	ordo_rooted_trees_free(&packed->rooted);
}

static uint32_t natural_chunks(const struct ordo_resolved_request *request)
{
	const struct packed *packed = request->prepared;
	const enum ordo_operator op = request->problem.op;
	const uint32_t nrank = request->problem.nrank,
		       k = packed->up.k > packed->down.k ? packed->up.k : packed->down.k,
		       units = op == ORDO_ALLREDUCE && !packed->spanning && !packed->divided
				       ? k * nrank
				       : k,
		       blocks = op == ORDO_ALLGATHER || op == ORDO_REDUCESCATTER ? nrank : 1;
	uint32_t pieces = number_of(request, "pieces");
	if (nrank == 1)
		return 1;
	for (; !pieces;)
		for (pieces = MOST_PIECES;
			pieces > 1 && (uint64_t)pieces * units * blocks * nrank > USUAL_MOVES;)
			pieces /= 2;
	return units * pieces;
}

/* The trees of each root, taken in turn by their units. */
struct turns {
	const struct ordo_packing *packing;
	int64_t *credit; /* [ntree] */
	uint64_t *adds;	 /* [nrank] what every rank adds so far */
};

/* The next tree of a root, or of any: all units of a round come evenly spread. */
static uint32_t next_tree(struct turns *turns, uint32_t root)
{
	const struct ordo_packing *packing = turns->packing;
	uint32_t best = ORDO_NONE;
	int64_t all = 0;
	for (uint32_t tree = 0; tree < packing->ntree; tree++) {
		if (root != ORDO_NONE && packing->trees[tree].root != root)
			continue;
		all += packing->trees[tree].units;
		turns->credit[tree] += packing->trees[tree].units;
		if (best == ORDO_NONE || turns->credit[tree] > turns->credit[best])
			best = tree;
	}
	turns->credit[best] -= all;
	return best;
}

/* The root of a spanning tree is a rank that adds little. */
static void choose_root(const struct ordo_rooted_trees *rooted, uint32_t tree, uint64_t *adds,
	struct ordo_chunk_way *way, uint32_t *height)
{
	const size_t nrank = rooted->packing->nrank;
	way->root = ordo_choose_root(rooted, tree, adds);
	way->up = way->down = rooted->parents + (tree * nrank + way->root) * nrank;
	*height = 2 * rooted->heights[tree * nrank + way->root];
}

/* The way of a chunk, and the height of its trees in *height. */
static struct ordo_chunk_way way_of(const struct packed *packed, struct turns turns[2],
	uint32_t chunk, uint32_t root, uint32_t *height)
{
	struct ordo_chunk_way way = {.chunk = chunk, .root = root};
	*height = 0;
	for (uint32_t phase = 0; phase < 2; phase++) {
		const struct ordo_packing *packing = turns[phase].packing;
		if (!packing->ntree)
			continue;
		const uint32_t tree = next_tree(&turns[phase], way.root);
		const uint32_t *parents = packing->parents + (size_t)tree * packing->nrank;
		way.root = packing->trees[tree].root;
		*height += packing->trees[tree].height * (packed->spanning ? 2 : 1);
		if (phase || packed->spanning)
			way.down = parents;
		if (!phase || packed->spanning)
			way.up = parents;
		if (packed->rooted.parents)
			choose_root(&packed->rooted, tree, turns[phase].adds, &way, height);
	}
	return way;
}

/* The ways of all chunks, those of all roots in turn: ways[nchunk]. heights[nchunk] may be NULL.
 * false: no memory. */
static bool lay_ways(
	const struct ordo_resolved_request *request, struct ordo_chunk_way *ways, uint32_t *heights)
{
	const struct packed *packed = request->prepared;
	const struct ordo_problem *problem = &request->problem;
	const uint32_t K = problem->chunks_per_block, nrank = problem->nrank;
	const bool blocks = problem->op == ORDO_ALLGATHER || problem->op == ORDO_REDUCESCATTER;
	struct turns turns[2] = {{&packed->up, NULL, NULL}, {&packed->down, NULL, NULL}};
	bool worked = true;
	for (uint32_t phase = 0; phase < 2; phase++) {
		turns[phase].credit =
			ordo_array_make(turns[phase].packing->ntree, sizeof(int64_t), 0);
		turns[phase].adds = ordo_array_make(nrank, sizeof(uint64_t), 0);
		worked = worked && turns[phase].credit && turns[phase].adds;
	}
	for (uint32_t i = 0; worked && i < (blocks ? K * nrank : K); i++) {
		uint32_t height;
		const uint32_t root = packed->spanning || packed->divided ? ORDO_NONE
				      : is_rooted(problem->op)		  ? problem->root
									  : i % nrank;
		ways[i] = way_of(packed, turns, blocks ? root * K + i / nrank : i, root, &height);
		if (heights)
			heights[i] = height;
	}
	for (uint32_t phase = 0; phase < 2; phase++) {
		free(turns[phase].credit);
		free(turns[phase].adds);
	}
	return worked;
}

static uint32_t count_ways(const struct ordo_resolved_request *request)
{
	const enum ordo_operator op = request->problem.op;
	return request->problem.chunks_per_block *
	       (op == ORDO_ALLGATHER || op == ORDO_REDUCESCATTER ? request->problem.nrank : 1);
}

/* Every rank that adds to its own gets that ready, beside the moves. */
static void contribute(
	struct ordo_builder *b, const struct ordo_chunk_way *ways, uint32_t nway, uint32_t nrank)
{
	ordo_stream(b, "copy", ORDO_NONE);
	ordo_phase(b, "copy in", ORDO_NONE);
	for (uint32_t way = 0; way < nway; way++)
		for (uint32_t v = 0; ways[way].up && v < nrank; v++) {
			bool adds = false;
			for (uint32_t child = 0; child < nrank && !adds; child++)
				adds = ways[way].up[child] == v && child != v;
			if (adds)
				ordo_contribute(b, v, ways[way].chunk, 1);
		}
}

/* A stream that carries what a rank sends to another, over one of their ways. */
struct lane {
	const struct ordo_pair_way *way;
	uint64_t sent[2]; /* chunks, of sums and of results */
};

/* The streams between each two ranks. */
struct lanes {
	const struct packed *packed;
	uint32_t nrank, *first; /* [nrank * nrank + 1] into items. NULL: one stream each */
	struct lane *items;
	uint32_t *switches; /* [graph.nvertex] room for those of a way */
};

enum { MOST_LANES = 16 };

/* The widest first. */
static int compare_lanes(const void *one, const void *other)
{
	const struct ordo_pair_way *a = ((const struct lane *)one)->way,
				   *b = ((const struct lane *)other)->way;
	const uint64_t a_units = (uint64_t)a->units[0] + a->units[1],
		       b_units = (uint64_t)b->units[0] + b->units[1];
	return a_units != b_units ? (a_units < b_units) - (a_units > b_units)
				  : (a->first > b->first) - (a->first < b->first);
}

static void free_lanes(struct lanes *lanes)
{
	free(lanes->first);
	free(lanes->items);
	free(lanes->switches);
}

/* A lane for each way between two ranks, up to MOST_LANES. false: no memory. */
static bool make_lanes(struct lanes *lanes, const struct packed *packed)
{
	const struct ordo_pair_routes *routes = &packed->routes;
	const uint32_t nrank = packed->graph.nrank, npair = nrank * nrank;
	*lanes = (struct lanes){.packed = packed, .nrank = nrank};
	if (!routes->first_way)
		return true;
	lanes->first = ordo_array_make((size_t)npair + 1, sizeof *lanes->first, 0);
	lanes->items = ordo_array_make(routes->nway, sizeof *lanes->items, 0);
	lanes->switches = ordo_array_make(packed->graph.nvertex, sizeof *lanes->switches, 0);
	const bool worked = lanes->first && lanes->items && lanes->switches;
	for (uint32_t pair = 0; worked && pair < npair; pair++) {
		struct lane *lane = lanes->items + lanes->first[pair];
		uint32_t count = 0;
		for (uint32_t i = routes->first_way[pair]; i != ORDO_NONE; i = routes->ways[i].next)
			lane[count++] = (struct lane){.way = &routes->ways[i]};
		qsort(lane, count, sizeof *lane, compare_lanes);
		lanes->first[pair + 1] =
			lanes->first[pair] + (count < MOST_LANES ? count : MOST_LANES);
	}
	return worked;
}

/* The lane of a pair that carries least so far for what its way is wide. Then none carries more
 * than its units, unless all together do. */
static uint32_t next_lane(const struct lanes *lanes, uint32_t pair, uint32_t phase)
{
	uint32_t best = lanes->first[pair];
	for (uint32_t i = best + 1; i < lanes->first[pair + 1]; i++) {
		const struct lane *lane = &lanes->items[i], *other = &lanes->items[best];
		if ((wide)(lane->sent[phase] + 1) * other->way->units[phase] <
			(wide)(other->sent[phase] + 1) * lane->way->units[phase])
			best = i;
	}
	return best;
}

/* The stream at hand names its way. */
static void name_way(struct ordo_builder *b, const struct lanes *lanes,
	const struct ordo_listed_move *move, const struct ordo_pair_way *way)
{
	const struct ordo_parallel_links *parallel = lanes->packed->graph.parallel;
	const struct ordo_apart_way apart = {move->from, move->to, way->narc - 1,
		lanes->packed->routes.way_via + way->first, false};
	const char *class_name;
	if (!ordo_parallel_links_nameable(parallel, &apart, &class_name))
		class_name = NULL;
	const uint32_t count =
		ordo_parallel_links_switches(parallel, apart.via, apart.nvia, lanes->switches);
	ordo_via(b, move->from, lanes->switches, count, class_name);
}

/* The stream between two ranks that is next. */
static void take_lane(
	struct ordo_builder *b, struct lanes *lanes, const struct ordo_listed_move *move)
{
	static const char *const names[MOST_LANES] = {"to", "2nd to", "3rd to", "4th to", "5th to",
		"6th to", "7th to", "8th to", "9th to", "10th to", "11th to", "12th to", "13th to",
		"14th to", "15th to", "16th to"};
	const uint32_t pair = move->from * lanes->nrank + move->to,
		       phase = move->kind == ORDO_LISTED_RESULT || lanes->packed->spanning,
		       count = lanes->first ? lanes->first[pair + 1] - lanes->first[pair] : 0;
	if (!count) {
		ordo_stream(b, names[0], move->to);
		return;
	}
	const uint32_t next = next_lane(lanes, pair, phase);
	struct lane *lane = &lanes->items[next];
	ordo_stream(b, names[next - lanes->first[pair]], move->to);
	if (!lane->sent[0] && !lane->sent[1] &&
		(lanes->packed->spreads || count > 1 || lane->way->narc > 1))
		name_way(b, lanes, move, lane->way);
	lane->sent[phase]++;
}

/* What is written apart: the scratch of sums, and where each operand lies. */
struct apart {
	struct ordo_arrivals arrivals;
	struct ordo_at *places; /* [way][nrank] by sender */
};

static bool make_apart(struct apart *apart, struct ordo_builder *b,
	const struct ordo_listed_move *moves, size_t nmove, const size_t count[2])
{
	const size_t nrank = count[1];
	uint8_t *pairs = ordo_array_make(nrank * nrank, 1, 0);
	for (size_t i = 0; pairs && i < nmove; i++)
		if (moves[i].kind == ORDO_LISTED_SUM)
			pairs[moves[i].from * nrank + moves[i].to] = 1;
	apart->places = ordo_array_make(count[0] * nrank, sizeof *apart->places, 0);
	const bool worked = pairs && apart->places &&
			    ordo_arrivals_make(&apart->arrivals, b, pairs, (uint32_t)nrank);
	free(pairs);
	return worked;
}

static void write_apart(struct ordo_builder *b, uint32_t chunk, const struct ordo_listed_move *move,
	struct apart *apart)
{
	struct ordo_at *place =
		&apart->places[(size_t)move->way * apart->arrivals.nrank + move->from];
	if (move->kind == ORDO_LISTED_SUM)
		*place = ordo_arrive(
			&apart->arrivals, b, move->to, ordo_sum_of(b, move->from, chunk));
	else
		ordo_add_arrived(
			&apart->arrivals, b, ordo_work(b, move->to, chunk), move->from, *place);
}

/* apart: NULL: sums are inline */
static void write_moves(struct ordo_builder *b, const struct ordo_chunk_way *ways,
	const struct ordo_listed_move *moves, size_t nmove, struct lanes *lanes,
	struct apart *apart)
{
	for (size_t i = 0; i < nmove && !ordo_builder_failed(b); i++) {
		const struct ordo_listed_move *move = &moves[i];
		const struct ordo_chunk_way *way = &ways[move->way];
		const struct ordo_slice chunk = {way->chunk, 1};
		if (move->kind != ORDO_LISTED_ADD)
			take_lane(b, lanes, move);
		if (move->kind == ORDO_LISTED_RESULT)
			ordo_pass_on(b, move->to, move->from, chunk, way->up, false);
		else if (apart)
			write_apart(b, way->chunk, move, apart);
		else
			ordo_add_on(b, move->to, move->from, chunk, false);
	}
}

/* Whether all routes go over one switch only. Then moves are listed as if each had its links for
 * itself; elsewhere links that a move wants at once are seldom free at once, and moves are listed
 * as if all pairs shared links by what they carry. */
static bool is_star(const struct packed *packed)
{
	const struct ordo_pair_routes *routes = &packed->routes;
	const uint32_t nrank = packed->graph.nrank;
	uint32_t hub = ORDO_NONE;
	for (uint32_t i = 0; i < routes->first[nrank * nrank]; i++) {
		const struct ordo_arc *arc = &packed->graph.arcs[routes->arcs[i]];
		const uint32_t ends[] = {arc->from, arc->to};
		for (uint32_t k = 0; k < 2; k++) {
			if (ends[k] < nrank)
				continue;
			if (hub != ORDO_NONE && hub != ends[k])
				return false;
			hub = ends[k];
		}
	}
	return true;
}

/* The time of an addition over that of a chunk on the widest arc; shares: of pairs of ranks. */
static double time_of_addition(
	const struct packed *packed, const struct ordo_topology *topology, bool shares)
{
	const struct ordo_capacities *graph = &packed->graph;
	const double widest =
		(double)ordo_capacities_widest(graph) * (double)graph->unit *
		pow(10, -graph->unit_digits) *
		(shares ? (double)ordo_capacities_widest(&packed->pairs) / WIDEST : 1);
	return widest / ordo_adding_gbs(topology);
}

/* The moves of all ways, in time. */
static bool list_moves(const struct ordo_resolved_request *request,
	const struct ordo_chunk_way *ways, struct ordo_listed_move **moves, size_t *nmove)
{
	const struct packed *packed = request->prepared;
	const bool switched = packed->routes.first,
		   star = switched && !packed->names_ways && is_star(packed);
	const struct ordo_listed_adders adders = {
		ORDO_ARRIVAL_SLOTS, time_of_addition(packed, request->topology, switched && !star)};
	return ordo_list_moves(moves, nmove, switched ? &packed->pairs : &packed->graph,
		star ? &packed->routes : NULL, ordo_sums_are_apart(request) ? &adders : NULL, ways,
		count_ways(request), NULL);
}

static void write_all(struct ordo_builder *b, const struct ordo_resolved_request *request,
	const struct ordo_chunk_way *ways, struct lanes *lanes)
{
	static const char *const phases[] = {[ORDO_ALLREDUCE] = "all-reduce",
		[ORDO_REDUCE] = "reduce",
		[ORDO_BROADCAST] = "broadcast",
		[ORDO_REDUCESCATTER] = "reduce-scatter",
		[ORDO_ALLGATHER] = "all-gather"};
	const uint32_t nrank = request->problem.nrank, nway = count_ways(request);
	const bool is_apart = ordo_sums_are_apart(request);
	struct ordo_listed_move *moves = NULL;
	struct apart apart = {0};
	size_t nmove = 0;
	if (list_moves(request, ways, &moves, &nmove) &&
		(!is_apart || make_apart(&apart, b, moves, nmove, (const size_t[]){nway, nrank}))) {
		contribute(b, ways, nway, nrank);
		/* One phase, in which moves to one rank go as one message. */
		ordo_phase(b, phases[request->problem.op], ORDO_NONE);
		write_moves(b, ways, moves, nmove, lanes, is_apart ? &apart : NULL);
	} else {
		ordo_builder_fail_memory(b);
	}
	ordo_arrivals_free(&apart.arrivals);
	free(apart.places);
	free(moves);
}

static void build(struct ordo_builder *b, const struct ordo_resolved_request *request)
{
	struct ordo_chunk_way *ways;
	struct lanes lanes;
	if (!reduces(request->problem.op) || request->problem.nrank == 1)
		ordo_keep_own(b, &request->problem);
	if (request->problem.nrank == 1)
		return;
	ways = ordo_array_make(count_ways(request), sizeof *ways, 0);
	if (make_lanes(&lanes, request->prepared) && ways && lay_ways(request, ways, NULL))
		write_all(b, request, ways, &lanes);
	else
		ordo_builder_fail_memory(b);
	free_lanes(&lanes);
	free(ways);
}

static uint64_t steps(const struct ordo_resolved_request *request)
{
	const uint32_t nway = request->problem.nrank > 1 ? count_ways(request) : 0;
	struct ordo_chunk_way *ways = ordo_array_make(nway, sizeof *ways, 0);
	uint32_t *heights = ordo_array_make(nway, sizeof *heights, 0);
	const bool worked = ways && heights && (!nway || lay_ways(request, ways, heights));
	uint64_t most = worked ? 0 : ORDO_UNCOUNTED;
	for (uint32_t i = 0; worked && i < nway; i++)
		most = heights[i] > most ? heights[i] : most;
	free(ways);
	free(heights);
	return most;
}

static uint64_t volume(const struct ordo_resolved_request *request)
{
	const uint32_t nrank = request->problem.nrank, nway = nrank > 1 ? count_ways(request) : 0;
	struct ordo_chunk_way *ways = ordo_array_make(nway, sizeof *ways, 0);
	uint64_t *sent = ordo_array_make(nrank, sizeof *sent, 0);
	const bool worked = ways && sent && (!nway || lay_ways(request, ways, NULL));
	uint64_t most = worked ? 0 : ORDO_UNCOUNTED;
	for (uint32_t i = 0; worked && i < nway; i++)
		for (uint32_t v = 0; v < nrank; v++) {
			if (v == ways[i].root)
				continue;
			if (ways[i].up)
				sent[v]++;
			if (ways[i].down)
				sent[ways[i].down[v]]++;
		}
	for (uint32_t v = 0; worked && v < nrank; v++)
		most = sent[v] > most ? sent[v] : most;
	free(ways);
	free(sent);
	return most;
}

bool ordo_packed_trees_of(const struct ordo_resolved_request *request,
	struct ordo_packed_trees *trees, struct ordo_error *error)
{
	const struct packed *packed = request->prepared;
	const uint32_t root = is_rooted(request->problem.op) ? request->problem.root : ORDO_NONE;
	struct ordo_capacities graph;
	int64_t exact = 0;
	if (request->algorithm != &ordo_algorithm_packing || request->problem.nrank == 1)
		return false;
	const bool backwards = !packed->down.k;
	bool worked = make_graph(packed, &graph, backwards, error);
	if (packed->divided)
		exact = packed->down.k; /* how many would lose nothing is not known */
	else if (worked)
		worked = packed->spanning ? ordo_units_exact_spanning(&graph, &exact, error)
					  : ordo_units_exact(&graph, root, &exact, error);
	ordo_capacities_free(&graph);
	*trees = (struct ordo_packed_trees){
		backwards ? packed->up.k : packed->down.k, packed->spanning, (uint64_t)exact};
	return worked;
}

static const struct ordo_parameter parameters[] = {
	{.name = "k",
		.values = "auto|1..",
		.fallback = "auto",
		.meaning = "trees of each root; auto: the fewest that reach the bound or "
			   "come nearest to it",
		.kind = ORDO_NUMBER,
		.least = 1,
		.most = MOST_SPANNING},
	{.name = "pieces",
		.values = "auto|1..",
		.fallback = "auto",
		.meaning = "chunks that follow each other along a tree; auto: up to 4, or "
			   "the fastest number for a given size",
		.kind = ORDO_NUMBER,
		.least = 1,
		.most = 1024,
		.fixes_chunks = true},
	{.name = "shares",
		.values = "any|even",
		.fallback = "any",
		.meaning = "even: the number of trees is such that the ranks at a switch "
			   "share its links evenly, because streams on one link get equal "
			   "shares",
		.kind = ORDO_WORD},
	{.name = "method",
		.values = "trees|lp",
		.fallback = "trees",
		.meaning = "lp: in an AllReduce, sums and results share every link as a linear "
			   "program says, if that is faster; needs a build with GLPK",
		.kind = ORDO_WORD},
	ORDO_SUMS_PARAMETER,
	ORDO_LINKS_PARAMETER,
};

enum {
	SUMS_OF_THEM = 1u << ORDO_ALLREDUCE | 1u << ORDO_REDUCE | 1u << ORDO_REDUCESCATTER,
	ALL_OF_THEM = 1u << ORDO_ALLREDUCE | 1u << ORDO_REDUCE | 1u << ORDO_BROADCAST |
		      1u << ORDO_REDUCESCATTER | 1u << ORDO_ALLGATHER
};

static const struct ordo_variant variants[] = {
	{.settings = "",
		.pipelines = ALL_OF_THEM,
		.halves = true,
		.most_moves = MOST_TRIED,
		.most_ranks = MOST_TRIED_RANKS},
	{.settings = "sums=apart",
		.operators = SUMS_OF_THEM,
		.adds = true,
		.pipelines = ALL_OF_THEM,
		.halves = true,
		.most_moves = MOST_TRIED,
		.most_ranks = MOST_TRIED_RANKS},
	{.settings = "shares=even",
		.switched = true,
		.pipelines = ALL_OF_THEM,
		.halves = true,
		.most_moves = MOST_TRIED,
		.most_ranks = MOST_TRIED_RANKS},
	{.settings = "shares=even,sums=apart",
		.operators = SUMS_OF_THEM,
		.adds = true,
		.switched = true,
		.pipelines = ALL_OF_THEM,
		.halves = true,
		.most_moves = MOST_TRIED,
		.most_ranks = MOST_TRIED_RANKS},
	{.settings = "links=fast",
		.slow = true,
		.pipelines = ALL_OF_THEM,
		.halves = true,
		.most_moves = MOST_TRIED,
		.most_ranks = MOST_TRIED_RANKS},
	{.settings = "sums=apart,links=fast",
		.operators = SUMS_OF_THEM,
		.adds = true,
		.slow = true,
		.pipelines = ALL_OF_THEM,
		.halves = true,
		.most_moves = MOST_TRIED,
		.most_ranks = MOST_TRIED_RANKS},
	{.settings = "links=paired",
		.one_way = true,
		.pipelines = ALL_OF_THEM,
		.halves = true,
		.most_moves = MOST_TRIED,
		.most_ranks = MOST_TRIED_RANKS},
	{.settings = "sums=apart,links=paired",
		.operators = SUMS_OF_THEM,
		.adds = true,
		.one_way = true,
		.pipelines = ALL_OF_THEM,
		.halves = true,
		.most_moves = MOST_TRIED,
		.most_ranks = MOST_TRIED_RANKS},
};

const struct ordo_algorithm ordo_algorithm_packing = {
	.facts = {.name = "packing",
		.summary =
			"trees packed into the links of the topology, as many as its bound allows",
		.how = "Trees are packed into the links of the topology until these are full, so "
		       "that every link carries its share of the least data that any schedule "
		       "must send. Each piece of the data goes along one tree. For AllReduce, "
		       "where links are equally wide in both directions, every tree is used "
		       "twice: up for the sum and down for the result.",
		.when = "For large messages on any network: unequal links, failed links, tori, "
			"hypercubes. It comes as near to the bound of the wire as the number of "
			"pieces allows, where rings and meshes leave links idle. Not for small "
			"messages, which take one hop after another along high trees.",
		.operators = ALL_OF_THEM,
		.ranks = "up to 1,024",
		.steps = "the height of the highest tree; AllReduce twice",
		.volume = "what the trees take of the busiest rank's links",
		.order = "a tree for each piece",
		.topologies = "any",
		.source = "ForestColl, Zhao et al. 2024; Edmonds 1973; Tutte, Nash-Williams 1961",
		.parameters = parameters,
		.nparameter = sizeof parameters / sizeof *parameters,
		.variants = variants,
		.nvariant = sizeof variants / sizeof *variants},
	.applicable = applicable,
	.prepare = prepare,
	.chunks = natural_chunks,
	.build = build,
	.release = release,
	.around_links = "packing",
	.steps = steps,
	.volume = volume,
};
