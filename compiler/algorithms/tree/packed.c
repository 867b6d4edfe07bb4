/* packed.c - packs the trees of a request: from each root, spanning trees that are used up and
 * down, or as a linear program divides the links between sums and results; through switches by what
 * takes their place. */
#include "packed.h"
#include "arrivals.h"
#include "synthesis/pack/phase.h"
#include "ways/ways.h"
#include <ordo/arena.h>
#include <ordo/topology.h>
#include <stdlib.h>

enum {
	/* Trees of each root: with more ranks fewer, or their search takes minutes. */
	MOST_UNITS = 64,
	MOST_UNIT_EFFORT = 1 << 21, /* times ranks and roots, or times links if those are more */
	/* Spanning trees times ranks: beyond, their search takes seconds. */
	MOST_SPANNING_EFFORT = 3072,
	/* Among more than FEW_RANKS ranks up to TREES_OF_MANY spanning trees: with fewer, links
	 * that a switch divides among many are too narrow for one. */
	FEW_RANKS = 32,
	TREES_OF_MANY = 128
};

static bool sends_results(enum ordo_operator op)
{
	return op == ORDO_ALLREDUCE || op == ORDO_BROADCAST || op == ORDO_ALLGATHER;
}

uint32_t ordo_packing_number(const struct ordo_resolved_request *request, const char *name)
{
	const uint32_t number = ordo_parameter_number(request, name);
	return number == ORDO_NONE ? 0 : number;
}

bool ordo_packed_graph(const struct ordo_packed *packed, struct ordo_capacities *graph,
	bool backwards, struct ordo_error *error)
{
	if (!ordo_capacities_make(graph, packed->topology, backwards, error))
		return false;
	graph->parallel = packed->parallel.apart ? &packed->parallel : NULL;
	return true;
}

/* Up to so many trees of each root are compared. */
static uint32_t most_units(const struct ordo_capacities *graph, uint32_t nroot)
{
	const uint64_t paths = (uint64_t)graph->nrank * nroot,
		       size = paths > graph->narc ? paths : graph->narc,
		       most = MOST_UNIT_EFFORT / size;
	return most > MOST_UNITS ? MOST_UNITS : most ? (uint32_t)most : 1;
}

/* Packs one phase. */
static bool pack(const struct ordo_resolved_request *request, bool backwards,
	struct ordo_packed *packed, struct ordo_error *error)
{
	const uint32_t root = ordo_operator_facts(request->problem.op)->rooted
				      ? request->problem.root
				      : ORDO_NONE;
	struct ordo_packing *packing = backwards ? &packed->up : &packed->down;
	struct ordo_capacities graph;
	struct ordo_phase phase = {0};
	bool worked = ordo_packed_graph(packed, &graph, backwards, error);
	const struct ordo_phase_problem problem = {.graph = &graph,
		.root = root,
		.k = ordo_packing_number(request, "k"),
		.most = worked ? most_units(&graph, root == ORDO_NONE ? graph.nrank : 1) : 0,
		.even = packed->even};
	worked = worked && ordo_phase_pack(request->kept_phases, &phase, &problem, error) &&
		 (!phase.logical.first ||
			 ordo_pair_routes_add(&packed->routes, &phase.logical, backwards, error));
	*packing = phase.packing;
	phase.packing = (struct ordo_packing){0};
	ordo_phase_free(&phase);
	ordo_capacities_free(&graph);
	return worked;
}

static void free_trees(struct ordo_packed *packed)
{
	ordo_pair_routes_free(&packed->routes);
	ordo_packing_free(&packed->up);
	ordo_packing_free(&packed->down);
	packed->up = packed->down = (struct ordo_packing){0};
	packed->spanning = packed->divided = false;
}

/* Whether an AllReduce may pack spanning trees: not too many, and links are symmetric. */
static bool may_span(const struct ordo_resolved_request *request, const struct ordo_packed *packed)
{
	return request->problem.op == ORDO_ALLREDUCE &&
	       request->problem.nrank <= ORDO_MOST_SPANNING_RANKS && !packed->even &&
	       !packed->apart && ordo_capacities_symmetric(&packed->graph);
}

/* Packs spanning trees. false without an error in `error`: there are too many, k is none of their
 * numbers, or over switches they are not faster than trees of both phases.
 *
 * one_class: as for ordo_split_evenly */
static bool pack_spanning(const struct ordo_resolved_request *request, struct ordo_packed *packed,
	bool one_class, struct ordo_error *error)
{
	const uint32_t nrank = packed->graph.nrank, effort = MOST_SPANNING_EFFORT / nrank,
		       few = effort < ORDO_MOST_SPANNING ? effort : ORDO_MOST_SPANNING,
		       most = nrank > FEW_RANKS ? TREES_OF_MANY : few;
	const struct ordo_spanning_problem problem = {.graph = &packed->graph,
		.k = ordo_packing_number(request, "k"),
		.most = most,
		.names_ways = packed->names_ways,
		.one_class = one_class};
	struct ordo_phase phase;
	packed->spanning = ordo_phase_span(request->kept_phases, &phase, &problem, error) &&
			   (!phase.logical.first || ordo_pair_routes_add(&packed->routes,
							    &phase.logical, false, error));
	packed->down = phase.packing;
	phase.packing = (struct ordo_packing){0};
	ordo_phase_free(&phase);
	return packed->spanning;
}

/* Packs trees of sums and trees of results. */
static bool pack_phases(const struct ordo_resolved_request *request, struct ordo_packed *packed,
	struct ordo_error *error)
{
	const enum ordo_operator op = request->problem.op;
	return (!ordo_operator_facts(op)->reduces || pack(request, true, packed, error)) &&
	       (!sends_results(op) || pack(request, false, packed, error));
}

/* Takes trees that share links as a linear program says, if they are faster than what is packed. */
static bool pack_divided(const struct ordo_resolved_request *request, struct ordo_packed *packed,
	struct ordo_error *error)
{
	struct ordo_divided_trees trees = {0};
	struct ordo_capacities turned;
	struct ordo_link_time before, after;
	struct ordo_error why = {0};
	struct ordo_packed other = {.divided = true, .graph = packed->graph};
	const uint32_t k = ordo_packing_number(request, "k");
	bool found = ordo_packed_graph(packed, &turned, true, &why) &&
		     ordo_pack_divided(&trees, &packed->graph, &turned, k, ORDO_MOST_SPANNING,
			     packed->names_ways, &why);
	if (found) {
		other.up = trees.sums;
		other.down = trees.results;
		other.routes = trees.routes;
		found = (ordo_packed_busiest(packed, &before) &&
				ordo_packed_busiest(&other, &after)) ||
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

/* Packs in another way too, and takes that if the busiest link takes less. Sets only a code of no
 * memory.
 *
 *   spanning   trees over links of several classes: more ways add to what links carry, but
 *              lose more by rounding. false: trees of both phases */
static void pack_otherwise(const struct ordo_resolved_request *request, struct ordo_packed *packed,
	bool spanning, struct ordo_error *error)
{
	struct ordo_packed other = *packed;
	struct ordo_link_time before, after;
	other.up = other.down = (struct ordo_packing){0};
	other.spanning = false;
	other.routes = (struct ordo_pair_routes){
		.network = &packed->graph, .keeps_ways = packed->names_ways};
	bool faster = spanning ? pack_spanning(request, &other, false, error)
			       : pack_phases(request, &other, error);
	if (faster)
		faster = (ordo_packed_busiest(packed, &before) &&
				 ordo_packed_busiest(&other, &after))
				 ? ordo_link_time_less(after, before)
				 : ordo_fail_memory(error);
	if (faster) {
		const struct ordo_packed kept = *packed;
		*packed = other;
		other = kept;
	}
	free_trees(&other);
}

/* Packs all trees. */
static bool pack_all(const struct ordo_resolved_request *request, struct ordo_packed *packed,
	struct ordo_error *error)
{
	struct ordo_error why = {0};
	const bool may = may_span(request, packed);
	packed->routes = (struct ordo_pair_routes){
		.network = &packed->graph, .keeps_ways = packed->names_ways};
	if (may)
		pack_spanning(request, packed, true, &why);
	if (why.code == ORDO_ENVIRONMENT)
		return ordo_fail_memory(error);
	if (!packed->spanning && !pack_phases(request, packed, error))
		return false;
	why = (struct ordo_error){0};
	if (packed->spanning && packed->graph.nvertex > packed->graph.nrank)
		pack_otherwise(request, packed, false, &why);
	if (may && packed->graph.parallel && why.code != ORDO_ENVIRONMENT)
		pack_otherwise(request, packed, true, &why);
	if (why.code == ORDO_ENVIRONMENT)
		return ordo_fail_memory(error);
	return !ordo_parameter_is(request, "method", "lp") || pack_divided(request, packed, error);
}

static bool wants_ways(const struct ordo_resolved_request *request)
{
	return request->topology && request->topology->nswitch &&
	       ordo_parameter_is(request, "via", "spread");
}

/* Whether the data of a pair may go over other links than trees were packed into, if its streams do
 * not name their ways: there are several, or the only one is not a shortest. */
static bool has_choice(
	const struct ordo_packed *packed, const struct ordo_ways *ways, uint32_t pair)
{
	const struct ordo_pair_routes *routes = &packed->routes;
	const uint32_t nrank = packed->graph.nrank;
	struct ordo_way found[ORDO_MOST_WAYS];
	const uint32_t count = ordo_ways_between(ways, pair / nrank, pair % nrank, found);
	if (count > 1 || packed->turns)
		return count > 1;
	const uint32_t first = routes->first_way[pair];
	/* Links side by side are vertices of their own there. */
	return !packed->parallel.apart && (routes->ways[first].next != ORDO_NONE ||
						  routes->ways[first].narc != found[0].nlink);
}

/* Whether trees join ranks of which that is so. */
static bool find_choice(struct ordo_packed *packed, const struct ordo_topology *topology,
	bool *choice, struct ordo_error *error)
{
	const uint32_t nrank = packed->graph.nrank;
	struct ordo_ways ways;
	struct ordo_logical_link *pairs = ordo_array_make((size_t)nrank * nrank, sizeof *pairs, 0);
	if (!pairs)
		return ordo_fail_memory(error);
	ordo_packed_loads(packed, ORDO_BOTH_PHASES, pairs);
	const bool worked = ordo_ways_make(&ways, topology, error);
	for (uint32_t pair = 0; worked && !*choice && pair < nrank * nrank; pair++)
		*choice = pairs[pair].units && has_choice(packed, &ways, pair);
	ordo_ways_free(&ways);
	free(pairs);
	return worked;
}

/* With via=spread all streams name their ways; but if there are no others, none does, and trees are
 * packed once more: then they need not divide evenly between ways. */
static bool spread(const struct ordo_resolved_request *request, struct ordo_packed *packed,
	struct ordo_error *error)
{
	if (!wants_ways(request))
		return true;
	if (!find_choice(packed, request->topology, &packed->spreads, error))
		return false;
	if (packed->spreads || packed->parallel.apart || packed->turns)
		return true;
	free_trees(packed);
	packed->names_ways = false;
	return pack_all(request, packed, error);
}

static bool share(struct ordo_packed *packed, struct ordo_error *error)
{
	bool worked = ordo_packed_share(packed, ORDO_BOTH_PHASES, &packed->pairs, error);
	for (uint32_t phase = 0; worked && packed->apart && phase < 2; phase++)
		worked = ordo_packed_share(packed,
			phase ? ORDO_PHASE_OF_RESULTS : ORDO_PHASE_OF_SUMS,
			&packed->pairs_of_phase[phase], error);
	return worked;
}

bool ordo_packed_make(struct ordo_packed *packed, const struct ordo_resolved_request *request,
	struct ordo_error *error)
{
	const struct ordo_topology *topology = request->topology;
	if (!topology)
		topology = packed->mesh =
			ordo_topology_make("full-mesh", request->problem.nrank, error);
	packed->turns = ordo_parameter_is(request, "paths", "turns");
	packed->even = ordo_parameter_is(request, "shares", "even");
	packed->apart = ordo_parameter_is(request, "phases", "apart");
	if (!topology ||
		(!packed->turns && !ordo_parallel_links_make(&packed->parallel, topology, error)))
		return false;
	packed->names_ways = packed->parallel.apart || (wants_ways(request) && !packed->turns);
	packed->topology = packed->parallel.apart ? packed->parallel.apart : topology;
	if (!ordo_packed_graph(packed, &packed->graph, false, error))
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
	return packed->graph.nvertex == packed->graph.nrank || share(packed, error);
}

void ordo_packed_free(struct ordo_packed *packed)
{
	ordo_topology_destroy(packed->mesh);
	ordo_parallel_links_free(&packed->parallel);
	ordo_capacities_free(&packed->graph);
	ordo_capacities_free(&packed->pairs);
	for (uint32_t phase = 0; phase < 2; phase++)
		ordo_capacities_free(&packed->pairs_of_phase[phase]);
	free_trees(packed);
	ordo_rooted_trees_free(&packed->rooted);
}
