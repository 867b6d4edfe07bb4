/* nhr.c - the nonuniform hierarchical ring: few steps for any number of ranks, most data between
 * neighbours.
 *
 * Large data: the flow of nonuniform.h. Small data: all of it up and down one binomial tree. Where
 * one block is cut into slices they are renumbered, so that what a step sends is in few runs.
 * Natural K: N where one block is cut into slices, else 1.
 *
 * steps   rounds q = ceil(log2 N) a phase; the longest chain of arrivals floor(log2 N) for
 *         ReduceScatter, AllGather, Scatter, Gather, small Broadcast and Reduce; AllReduce twice
 *         that
 * volume  (N-1)/N of the vector a phase: AllReduce 2(N-1)/N; small data: q vectors at the root
 * order   N trees, N/2 if N is a power of two; small data: one tree, dyadic if the root is 0
 * source  the published collectives of Ascend
 */
#include "algorithms/direct/closed_form.h"
#include "algorithms/direct/places.h"
#include "algorithms/tree/trees.h"
#include "nonuniform.h"
#include <ordo/arena.h>

static bool is_small(const struct ordo_resolved_request *request)
{
	return ordo_parameter_is(request, "data", "small");
}

static bool applicable(const struct ordo_resolved_request *request, struct ordo_error *error)
{
	const enum ordo_operator op = request->problem.op;
	if (is_small(request) && op != ORDO_ALLREDUCE && op != ORDO_REDUCE && op != ORDO_BROADCAST)
		return ordo_fail(error, ORDO_USAGE, 0,
			"algorithm: nhr has a form for small data for AllReduce, Reduce and "
			"Broadcast, not for %s",
			ordo_operator_facts(op)->name);
	if (is_small(request) && !ordo_parameter_is(request, "slices", "fewest-runs"))
		return ordo_fail(
			error, ORDO_USAGE, 0, "algorithm: nhr cuts small data into no slices");
	return ordo_nonuniform_slices_apply(request, error);
}

static bool prepare(struct ordo_resolved_request *request, struct ordo_error *error)
{
	if (!is_small(request))
		return ordo_nonuniform_make(request, false) ? true : ordo_fail_memory(error);
	struct ordo_tree *tree = ordo_arena_alloc(&request->arena, sizeof *tree);
	if (!tree || !ordo_tree_make_binomial(request, tree))
		return ordo_fail_memory(error);
	request->prepared = tree;
	return true;
}

static uint32_t chunks(const struct ordo_resolved_request *request)
{
	return is_small(request) ? 1 : ordo_flow_chunks(request);
}

static void build(struct ordo_builder *b, const struct ordo_resolved_request *request)
{
	if (!is_small(request)) {
		ordo_flow_build(b, request);
		return;
	}
	const struct ordo_tree_load load = ordo_tree_whole(request);
	ordo_keep_own(b, &request->problem);
	ordo_tree_build(b, request->problem.op, &load);
}

static uint64_t steps(const struct ordo_resolved_request *request)
{
	if (!is_small(request))
		return ordo_flow_steps(request);
	const struct ordo_tree_load load = ordo_tree_whole(request);
	return ordo_tree_steps(request->problem.op, &load);
}

static uint64_t volume(const struct ordo_resolved_request *request)
{
	if (!is_small(request))
		return ordo_flow_volume(request);
	const struct ordo_tree_load load = ordo_tree_whole(request);
	uint64_t most = 0;
	for (uint32_t rank = 0; rank < request->problem.nrank; rank++) {
		const uint64_t sent = ordo_tree_sent(request->problem.op, &load, rank);
		most = sent > most ? sent : most;
	}
	return most;
}

static bool closed_form(const struct ordo_resolved_request *request, struct ordo_cost *cost)
{
	return ordo_parameter_is(request, "data", "small")
		       ? ordo_form_whole_vectors(request, ORDO_COST_ROUNDS, cost)
		       : ordo_form_phases(request, ORDO_COST_TABLE,
				 ordo_form_rounds(request->problem.nrank), cost);
}

static const struct ordo_parameter parameters[] = {
	{.name = "data",
		.values = "large|small",
		.fallback = "large",
		.meaning = "large: every rank owns a slice; small: all data goes up and "
			   "down one tree",
		.kind = ORDO_WORD},
	ORDO_NONUNIFORM_SLICES,
};

static const struct ordo_variant variants[] = {
	{.settings = ""},
	{.settings = "data=small",
		.operators = 1u << ORDO_ALLREDUCE | 1u << ORDO_REDUCE | 1u << ORDO_BROADCAST},
	{.settings = "map=auto", .sparse = true},
};

static const struct ordo_alias aliases[] = {
	{"nonuniform-hierarchical-ring", 0, "", NULL},
	{"binomial", 1u << ORDO_SCATTER | 1u << ORDO_GATHER, "", NULL},
	{"binomial-tree", 1u << ORDO_SCATTER | 1u << ORDO_GATHER, "", NULL},
};

const struct ordo_algorithm ordo_algorithm_nhr = {
	.facts = {.name = "nhr",
		.summary = "nonuniform hierarchical ring: few steps for any number of ranks",
		.how = "In step k of the reduce-scatter phase every rank sends to the rank 2^k "
		       "places back on a circle all slices that still have to travel in that "
		       "direction. About half of the data moves between nearest neighbours. The "
		       "all-gather phase does the same in reverse.",
		.when = "For any number of ranks, with few steps, ceil(log2 N), and the least "
			"data possible, where neighbouring ranks have the better links. A form "
			"for small messages reduces and broadcasts along one tree.",
		.operators = 1u << ORDO_ALLREDUCE | 1u << ORDO_REDUCE | 1u << ORDO_BROADCAST |
			     1u << ORDO_REDUCESCATTER | 1u << ORDO_ALLGATHER | 1u << ORDO_SCATTER |
			     1u << ORDO_GATHER,
		.ranks = "any",
		.steps = "q = ceil(log2 N) rounds; AllReduce, Reduce, large Broadcast 2q",
		.volume = "(N-1)/N n; AllReduce, large Broadcast 2(N-1)/N n; small data q n at the "
			  "root",
		.order = "N trees, N/2 if N = 2^k; small data: one, dyadic if the root is 0",
		.topologies = "full mesh, switched, or the links r to r - 2^k",
		.source = "published collectives of Ascend",
		.parameters = parameters,
		.nparameter = sizeof parameters / sizeof *parameters,
		.variants = variants,
		.nvariant = sizeof variants / sizeof *variants,
		.aliases = aliases,
		.nalias = sizeof aliases / sizeof *aliases},
	.applicable = applicable,
	.prepare = prepare,
	.chunks = chunks,
	.build = build,
	.steps = steps,
	.volume = volume,
	.closed_form = closed_form,
};
