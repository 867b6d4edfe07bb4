/* tree.c - sums up and copies down one binomial tree, two binary trees with half of the data each,
 * or a tree over the links of the topology; gathers and scatters blocks along it.
 *
 * Every chunk goes by itself, one step behind the one before. Binomial: fewest steps for small
 * data, and the root sends everything q times. k-nomial: the same in digits of base k, so a rank
 * serves k-1 others at once, for ranks with several ports. k-ary: nobody has more than k children.
 * Double binary: each rank is an inner node of at most
 * one of the trees, so it sends every chunk at most once each way: the bandwidth of a ring in about
 * 2q steps. Spanning: breadth-first from the root along links that are up, so that any network that
 * holds together serves. AllReduce goes through rank 0, spanning through a rank in the middle.
 * AllGather sends every block from its rank over all links of one tree; ReduceScatter is that
 * backwards.
 * Natural K: double binary twice the height of the trees, the others 1. Gather and Scatter move the
 * blocks of a whole subtree at once, and not along double binary trees.
 *
 * steps   the longest chain: binomial floor(log2 N), k-nomial the most digits other than 0 that a
 *         number below N has, k-ary ceil(log_k(N(k-1)+1))-1, double binary at most 1 + q, spanning
 *         the height of the tree; AllReduce twice that
 * volume  binomial: q vectors leave the root of Broadcast, one leaves each rank in Reduce; double
 *         binary: one vector, in AllReduce two; spanning: one for each link of the tree; Gather
 *         and Scatter: the blocks of the largest subtree; AllGather: over each link, each way,
 *         what is on that side; ReduceScatter: N-1 blocks
 * order   one tree, of binomial from root 0 dyadic; double binary: two trees
 * source  Sanders, Speck and Traeff, Parallel Computing 35(12), 2009; k-nomial and k-ary: the
 *         collectives of UCC and Open MPI
 */
#include "algorithms/direct/closed_form.h"
#include "algorithms/direct/places.h"
#include "request/fast_links.h"
#include "trees.h"
#include <ordo/arena.h>

struct trees {
	struct ordo_tree of[2];
	uint32_t count, root;
	bool spanning, by_child; /* by_child: a rank's children are served at once */
};

static bool has_radix(const struct ordo_resolved_request *request)
{
	return ordo_parameter_is(request, "shape", "k-nomial") ||
	       ordo_parameter_is(request, "shape", "k-ary");
}

static bool make_with_radix(struct ordo_resolved_request *request, struct ordo_tree *tree)
{
	const uint32_t radix = ordo_parameter_number(request, "radix");
	return ordo_parameter_is(request, "shape", "k-ary")
		       ? ordo_tree_make_k_ary(request, tree, radix)
		       : ordo_tree_make_k_nomial(request, tree, radix);
}

static bool prepare(struct ordo_resolved_request *request, struct ordo_error *error)
{
	struct trees *trees = ordo_arena_alloc(&request->arena, sizeof *trees);
	if (!trees)
		return ordo_fail_memory(error);
	request->prepared = trees;
	trees->root = request->problem.root;
	trees->spanning = ordo_parameter_is(request, "shape", "spanning");
	trees->count = ordo_parameter_is(request, "shape", "double-binary") ? 2 : 1;
	trees->by_child = trees->spanning || has_radix(request);
	if (has_radix(request))
		return make_with_radix(request, &trees->of[0]) ? true : ordo_fail_memory(error);
	if (trees->spanning)
		return ordo_tree_make_spanning(request, &trees->of[0], &trees->root, error);
	if (trees->count == 1)
		return ordo_tree_make_binomial(request, &trees->of[0]) ? true
								       : ordo_fail_memory(error);
	return ordo_tree_make_binary(request, &trees->of[0], false) &&
			       ordo_tree_make_binary(request, &trees->of[1], true)
		       ? true
		       : ordo_fail_memory(error);
}

static bool floods(const struct ordo_resolved_request *request)
{
	return request->problem.op == ORDO_ALLGATHER || request->problem.op == ORDO_REDUCESCATTER;
}

static bool moves_blocks(const struct ordo_resolved_request *request)
{
	return floods(request) || request->problem.op == ORDO_GATHER ||
	       request->problem.op == ORDO_SCATTER;
}

enum { FALLBACK_RADIX = 4 };

static bool applicable(const struct ordo_resolved_request *request, struct ordo_error *error)
{
	if (!has_radix(request) && ordo_parameter_number(request, "radix") != FALLBACK_RADIX)
		return ordo_fail(
			error, ORDO_USAGE, 0, "tree: radix is for shape=k-nomial and shape=k-ary");
	return !moves_blocks(request) || !ordo_parameter_is(request, "shape", "double-binary") ||
	       ordo_fail(error, ORDO_USAGE, 0,
		       "tree: shape=double-binary is for AllReduce, Reduce and Broadcast, found %s",
		       ordo_operator_facts(request->problem.op)->name);
}

static uint32_t chunks(const struct ordo_resolved_request *request)
{
	const struct trees *trees = request->prepared;
	return trees->count == 1 || request->problem.nrank == 1 ? 1 : 2 * trees->of[0].nlevel;
}

static struct ordo_tree_load load_of(const struct ordo_resolved_request *request, uint32_t i)
{
	const struct trees *trees = request->prepared;
	return (struct ordo_tree_load){
		.tree = &trees->of[i],
		.root = trees->root,
		.chunks = ordo_slice_of(request->problem.chunks_per_block, trees->count, i),
		.unit = 1,
		.stream = trees->count == 1 ? ORDO_NONE : i,
		.by_child = trees->by_child,
	};
}

static void build(struct ordo_builder *b, const struct ordo_resolved_request *request)
{
	const struct trees *trees = request->prepared;
	ordo_keep_own(b, &request->problem);
	for (uint32_t i = 0; i < trees->count; i++) {
		const struct ordo_tree_load load = load_of(request, i);
		bool worked = true;
		if (floods(request))
			worked = ordo_tree_flood(
				b, &load, request->problem.op == ORDO_REDUCESCATTER);
		else if (moves_blocks(request))
			worked =
				ordo_tree_move_blocks(b, &load, request->problem.op == ORDO_GATHER);
		else
			ordo_tree_build(b, request->problem.op, &load);
		if (!worked)
			ordo_builder_fail_memory(b);
	}
}

static uint64_t steps(const struct ordo_resolved_request *request)
{
	const struct trees *trees = request->prepared;
	uint64_t longest = 0;
	if (floods(request))
		return ordo_tree_diameter(&trees->of[0]);
	for (uint32_t i = 0; i < trees->count; i++) {
		const struct ordo_tree_load load = load_of(request, i);
		const uint64_t chain = ordo_tree_steps(request->problem.op, &load);
		longest = chain > longest ? chain : longest;
	}
	return longest;
}

static uint64_t volume(const struct ordo_resolved_request *request)
{
	const struct trees *trees = request->prepared;
	uint64_t most = 0;
	if (moves_blocks(request)) {
		most = floods(request) ? ordo_tree_most_flooded(&trees->of[0],
						 request->problem.op == ORDO_REDUCESCATTER)
				       : ordo_tree_most_blocks(
						 &trees->of[0], request->problem.op == ORDO_GATHER);
		return most == ORDO_UNCOUNTED ? most : most * request->problem.chunks_per_block;
	}
	for (uint32_t rank = 0; rank < request->problem.nrank; rank++) {
		uint64_t sent = 0;
		for (uint32_t i = 0; i < trees->count; i++) {
			const struct ordo_tree_load load = load_of(request, i);
			sent += ordo_tree_sent(request->problem.op, &load, rank);
		}
		most = sent > most ? sent : most;
	}
	return most;
}

/* The height of a tree in which every rank serves all its children at once. */
static uint32_t height_with_radix(const struct ordo_resolved_request *request)
{
	const uint64_t p = request->problem.nrank, k = ordo_parameter_number(request, "radix");
	const bool k_ary = ordo_parameter_is(request, "shape", "k-ary");
	uint32_t height = 0;
	/* k-ary: 1 + k + k^2 + ... ranks; k-nomial: a number with 1 for each digit is below p */
	for (uint64_t level = k_ary ? k : 1, before = k_ary ? 1 : 0; before + !k_ary * level < p;
		level *= k) {
		before += level;
		height++;
	}
	return height;
}

static bool closed_form(const struct ordo_resolved_request *request, struct ordo_cost *cost)
{
	const bool has_radix = ordo_parameter_is(request, "shape", "k-nomial") ||
			       ordo_parameter_is(request, "shape", "k-ary");
	const bool all_at_once = !request->topology || !request->topology->ports;
	if (has_radix && request->problem.op == ORDO_BROADCAST && all_at_once &&
		request->problem.chunks_per_block == 1) {
		const uint32_t height = height_with_radix(request);
		return ordo_form_is(cost, ORDO_COST_ROUNDS, height, height, 0, 1);
	}
	return ordo_parameter_is(request, "shape", "binomial") &&
	       request->problem.chunks_per_block == 1 &&
	       ordo_form_whole_vectors(request, ORDO_COST_TABLE, cost);
}

static const struct ordo_parameter parameters[] = {
	{.name = "shape",
		.values = "binomial|double-binary|spanning|k-nomial|k-ary",
		.fallback = "binomial",
		.meaning = "binomial: the root has q children; double-binary: two trees "
			   "with at most two children a rank; spanning: along the links of "
			   "the topology; k-nomial: k-1 children in each of log_k N steps; "
			   "k-ary: at most k children",
		.kind = ORDO_WORD},
	{.name = "radix",
		.values = "2..",
		.fallback = "4",
		.meaning = "k of k-nomial and k-ary",
		.kind = ORDO_NUMBER,
		.least = 2,
		.most = ORDO_LIMIT},
	ORDO_LINKS_PARAMETER,
};

enum {
	VECTORS = 1u << ORDO_ALLREDUCE | 1u << ORDO_REDUCE | 1u << ORDO_BROADCAST,
	BLOCKS = 1u << ORDO_GATHER | 1u << ORDO_SCATTER,
	FLOODS = 1u << ORDO_ALLGATHER | 1u << ORDO_REDUCESCATTER
};

static const struct ordo_variant variants[] = {
	{.settings = "", .operators = VECTORS | BLOCKS, .pipelines = VECTORS},
	{.settings = "shape=double-binary", .operators = VECTORS, .pipelines = VECTORS},
	{.settings = "shape=k-nomial", .operators = 1u << ORDO_BROADCAST},
	{.settings = "shape=spanning",
		.sparse = true,
		.pipelines = VECTORS | 1u << ORDO_REDUCESCATTER},
	{.settings = "shape=spanning,links=fast",
		.slow = true,
		.pipelines = VECTORS | 1u << ORDO_REDUCESCATTER},
	{.settings = "map=auto", .operators = VECTORS, .sparse = true, .pipelines = VECTORS},
};

static const struct ordo_alias aliases[] = {
	{"binomial", VECTORS, "", NULL},
	{"binomial-tree", VECTORS, "", NULL},
	{"k-nomial", VECTORS | BLOCKS, "shape=k-nomial", NULL},
	{"k-ary", VECTORS | BLOCKS, "shape=k-ary", NULL},
	{"double-binary-tree", VECTORS, "shape=double-binary", NULL},
	{"dbt", VECTORS, "shape=double-binary", NULL},
	{"two-tree", VECTORS, "shape=double-binary", NULL},
};

const struct ordo_algorithm ordo_algorithm_tree = {
	.facts = {.name = "tree",
		.summary = "up and down a binomial tree, two binary trees or a spanning tree of "
			   "the links, pipelined by chunks",
		.how = "Partial sums go up a tree to the root, chunk after chunk, and results go "
		       "down it. In an AllGather every block goes from its rank over all links of "
		       "the tree; a ReduceScatter is that backwards. In a binomial tree the root "
		       "has log2 N children; in a k-nomial "
		       "tree it has k-1 in each of log_k N steps. With two binary trees, where "
		       "each rank is a leaf in one of them, no rank sends more than half as much "
		       "as in one. A spanning tree follows the links of the topology and takes "
		       "the fewest hops from its root.",
		.when = "For Broadcast, Reduce, Gather, Scatter and small messages; with many "
			"chunks in a pipeline also for large ones. The binomial tree from root 0 "
			"adds in dyadic order. A spanning tree works on any connected network: "
			"lines, trees, networks with failed links; there it also serves AllGather "
			"and ReduceScatter.",
		.operators = VECTORS | BLOCKS | FLOODS,
		.ranks = "any",
		.steps = "binomial q, k-nomial and k-ary about log_k N, double binary at most q+1, "
			 "spanning its height, and a step "
			 "for "
			 "each further chunk; AllReduce, AllGather, ReduceScatter twice",
		.volume = "binomial: Broadcast q n at the root, Reduce n; double binary n, "
			  "AllReduce 2n; spanning, k-nomial, k-ary n for each child; "
			  "Gather, Scatter the "
			  "blocks of the largest subtree; AllGather the blocks on its side of each "
			  "link, ReduceScatter N-1 blocks",
		.order = "one tree, of binomial from root 0 dyadic; double binary: two trees; "
			 "ReduceScatter: one for each block",
		.topologies = "full mesh, switched, or the links of the tree; hypercube: binomial, "
			      "root 0; spanning: any",
		.source = "Sanders, Speck and Traeff 2009; UCC, Open MPI",
		.parameters = parameters,
		.nparameter = sizeof parameters / sizeof *parameters,
		.variants = variants,
		.nvariant = sizeof variants / sizeof *variants,
		.aliases = aliases,
		.nalias = sizeof aliases / sizeof *aliases},
	.applicable = applicable,
	.prepare = prepare,
	.around_links = "tree(shape=spanning)",
	.chunks = chunks,
	.build = build,
	.steps = steps,
	.volume = volume,
	.closed_form = closed_form,
};
