/* bine.c - binomial trees and butterflies whose steps go to and fro (binomial negabinary), so that
 * ranks exchange with nearer ones.
 *
 * The steps are those of negabinary.h, along one ring of all ranks. Large data: a flow, near first,
 * but for Scatter and Gather, which go as the authors' programs (bine-trees, src/scatter.c and
 * gather.c) do: Scatter far first, and Gather the same way back, so near first. There the blocks of
 * a message are together round the ring, and none has to be moved before. Small data: whole vectors
 * down a tree or up, or exchanged, far first. Natural K: N where one block is cut into slices, else
 * 1.
 *
 * steps    at most q = ceil(log2 N); AllReduce, Reduce with slices 2q, Broadcast with slices
 *          2q-1, as halving-doubling
 * volume   (N-1)/N of the vector a phase: AllReduce 2(N-1)/N; small data: q vectors, Reduce 1
 * order    2^q ranks: near first max(1, N/4) trees; far first, and small data, one tree: Reduce of
 *          small data one for each root. Other even numbers: several trees
 * scratch  small AllReduce 2 vectors
 * source   De Sensi, Pasqualoni, Piarulli, Bonato, Ba, Turisini, Domke and Hoefler, SC 2025
 *          (arXiv:2508.17311)
 */
#include "algorithms/direct/closed_form.h"
#include "algorithms/direct/places.h"
#include "algorithms/tree/trees.h"
#include "negabinary.h"
#include <ordo/arena.h>

static bool is_small(const struct ordo_resolved_request *request)
{
	return ordo_parameter_is(request, "data", "small");
}

static bool is_far_first(const struct ordo_resolved_request *request)
{
	const enum ordo_operator op = request->problem.op;
	if (ordo_parameter_is(request, "first", "auto"))
		return is_small(request) || op == ORDO_SCATTER || op == ORDO_GATHER;
	return ordo_parameter_is(request, "first", "far");
}

static bool has_tree(const struct ordo_resolved_request *request)
{
	return is_small(request) && request->problem.op != ORDO_ALLREDUCE;
}

static bool applicable(const struct ordo_resolved_request *request, struct ordo_error *error)
{
	const enum ordo_operator op = request->problem.op;
	const uint32_t N = request->problem.nrank;
	if (is_small(request) && op != ORDO_ALLREDUCE && op != ORDO_REDUCE && op != ORDO_BROADCAST)
		return ordo_fail(error, ORDO_USAGE, 0,
			"algorithm: bine has a form for small data for AllReduce, Reduce and "
			"Broadcast, not for %s",
			ordo_operator_facts(op)->name);
	if ((N & (N - 1)) == 0 || (N % 2 == 0 && !is_small(request)))
		return true;
	ordo_fail(error, ORDO_USAGE, 0, "algorithm: bine needs %s of ranks%s, found %u",
		is_small(request) ? "a power of two" : "an even number",
		is_small(request) ? " for small data" : "", N);
	return ordo_hint(error, "nhr has the same operators for any number of ranks");
}

/* A rank receives in the last of the steps that lead to it from the root. */
static bool make_tree(struct ordo_resolved_request *request, const struct ordo_flow *flow)
{
	const uint32_t N = flow->n, root = request->problem.root;
	struct ordo_tree *tree = ordo_arena_alloc(&request->arena, sizeof *tree);
	uint32_t *level = ordo_arena_alloc(&request->arena, N * sizeof *level);
	if (!tree || !level || !ordo_tree_reserve(request, tree, flow->nstep))
		return false;
	for (uint32_t node = 1; node < N; node++) {
		const uint32_t rank = (root + node) % N,
			       way = ordo_negabinary_way(flow, root, rank);
		while (way >> level[node])
			level[node]++;
		tree->parent[node] =
			(ordo_negabinary_peer(flow, level[node] - 1, rank) + N - root) % N;
	}
	ordo_tree_sort(tree, level);
	request->prepared = tree;
	return true;
}

static bool prepare(struct ordo_resolved_request *request, struct ordo_error *error)
{
	const uint32_t N = request->problem.nrank;
	struct ordo_torus *ring = ordo_arena_alloc(&request->arena, sizeof *ring);
	if (!ring)
		return ordo_fail_memory(error);
	if (N > 1)
		ring->at[ring->count++] = (struct ordo_level){0, N, 1};
	const struct ordo_flow *flow =
		ordo_negabinary_make(request, ring, 1, is_far_first(request));
	if (!flow || (has_tree(request) && !make_tree(request, flow)))
		return ordo_fail_memory(error);
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
	} else if (!has_tree(request)) {
		ordo_negabinary_exchange(b, request);
	} else {
		const struct ordo_tree_load load = ordo_tree_whole(request);
		ordo_keep_own(b, &request->problem);
		ordo_tree_build(b, request->problem.op, &load);
	}
}

static uint64_t steps(const struct ordo_resolved_request *request)
{
	if (!is_small(request))
		return ordo_flow_steps(request);
	if (!has_tree(request))
		return ordo_negabinary_exchange_steps(request);
	const struct ordo_tree_load load = ordo_tree_whole(request);
	return ordo_tree_steps(request->problem.op, &load);
}

static uint64_t volume(const struct ordo_resolved_request *request)
{
	const uint64_t K = request->problem.chunks_per_block;
	if (!is_small(request))
		return ordo_flow_volume(request);
	if (!has_tree(request))
		return ordo_negabinary_exchange_volume(request);
	/* Only the root has a child in every step. */
	const struct ordo_tree *tree = request->prepared;
	return request->problem.op == ORDO_BROADCAST ? tree->nlevel * K : tree->nlevel ? K : 0;
}

/* The forms of halving and doubling, and of a binomial tree. */
static bool closed_form(const struct ordo_resolved_request *request, struct ordo_cost *cost)
{
	const uint32_t q = ordo_form_rounds(request->problem.nrank);
	if (!ordo_parameter_is(request, "data", "small"))
		return ordo_form_phases(request, ORDO_COST_ROUNDS, q, cost);
	return request->problem.op == ORDO_ALLREDUCE
		       ? ordo_form_is(cost, ORDO_COST_ROUNDS, q, q, q, 1)
		       : request->problem.chunks_per_block == 1 &&
				 ordo_form_whole_vectors(request, ORDO_COST_ROUNDS, cost);
}

static const struct ordo_parameter parameters[] = {
	{.name = "data",
		.values = "large|small",
		.fallback = "large",
		.meaning = "large: every rank owns a slice; small: whole vectors",
		.kind = ORDO_WORD},
	{.name = "first",
		.values = "auto|near|far",
		.fallback = "auto",
		.meaning = "which steps come first; auto: near, but far for Scatter, Gather and "
			   "small data",
		.kind = ORDO_WORD},
};

static const struct ordo_variant variants[] = {
	{.settings = ""},
	{.settings = "first=far",
		.operators = 1u << ORDO_ALLREDUCE | 1u << ORDO_REDUCE | 1u << ORDO_REDUCESCATTER},
	{.settings = "data=small",
		.operators = 1u << ORDO_ALLREDUCE | 1u << ORDO_REDUCE | 1u << ORDO_BROADCAST},
};

static const struct ordo_alias aliases[] = {{"binomial-negabinary", 0, "", NULL}};

const struct ordo_algorithm ordo_algorithm_bine = {
	.facts = {.name = "bine",
		.summary = "binomial trees and butterflies in alternating directions, between "
			   "nearer ranks",
		.how = "All ranks form a circle. Step s covers (1-(-2)^(s+1))/3 places: 1, -1, 3, "
		       "-5, 11, ...; even ranks go forwards, odd ones backwards. So each step "
		       "pairs all ranks, and a rank reaches every other one by some of q steps, "
		       "as in a binomial tree, but over two thirds of the distance.",
		.when = "For an even number of ranks whose numbers reflect how near they are, "
			"such as groups of nodes with fewer links between them. In a network "
			"where all distances are equal it costs as much as halving-doubling.",
		.operators = 1u << ORDO_ALLREDUCE | 1u << ORDO_REDUCE | 1u << ORDO_BROADCAST |
			     1u << ORDO_REDUCESCATTER | 1u << ORDO_ALLGATHER | 1u << ORDO_SCATTER |
			     1u << ORDO_GATHER,
		.ranks = "even; small data 2^q",
		.steps = "at most q = ceil(log2 N); AllReduce, large Reduce 2q, large Broadcast "
			 "2q-1",
		.volume = "(N-1)/N n; AllReduce 2(N-1)/N n; small data q n",
		.order = "2^q: near first N/4 trees; far first and small data one; other even N: "
			 "several",
		.topologies = "full mesh, switched, groups of nodes",
		.source = "De Sensi et al. 2025",
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
