/* pat.c - parallel aggregated trees: every block goes down a binomial tree of its own, as many
 * blocks at once as buffers allow, the far ones first.
 *
 * Rank b+d is node d of the tree of block b, whose parent is node d without its lowest bit 2^k; all
 * ranks send in the same direction then, 2^k along. ReduceScatter goes up the trees, near first.
 * The nodes below each multiple of 2^m are gone through one after another, children from near to
 * far, in all W = ceil(N/2^m) such subtrees at once: W blocks a message, and a rank has at most one
 * sum begun in each level and subtree. What is then left are q-m rounds of fewer and fewer blocks.
 * m is as small as the bound `aggregate` on the blocks of a message lets it be. AllGather is the
 * same backwards: the far ones first, the many blocks between neighbours last. Natural K: 1.
 *
 * steps    floor(log2 N), in 2^m-1 + q-m rounds, q = ceil(log2 N), but N-1 if m = q; without a
 *          bound m = 1: q
 * volume   (N-1)/N of the vector
 * order    N trees, N/2 if N is a power of two: those of nhr, whatever the bound
 * scratch  ReduceScatter out of place: m W - 1 blocks; else nothing
 * source   Jeaugey, arXiv:2506.20252, as in NCCL 2.23
 */
#include "algorithms/direct/closed_form.h"
#include "algorithms/direct/places.h"

struct trees {
	struct ordo_builder *b;
	const struct ordo_problem *problem;
	uint32_t m, width, q; /* width: W */
	uint32_t scratch;     /* of the sums that are begun; ORDO_NONE: these are in place */
};

static uint32_t ceil_of(uint32_t total, uint32_t parts)
{
	return total / parts + (total % parts != 0);
}

/* A number greater than that of all ranks: no bound. */
static uint32_t bound_of(const struct ordo_resolved_request *request)
{
	return ordo_parameter_number(request, "aggregate");
}

static struct trees trees_of(const struct ordo_resolved_request *request)
{
	const uint32_t N = request->problem.nrank;
	struct trees trees = {.problem = &request->problem, .m = 1, .scratch = ORDO_NONE};
	while ((uint64_t)1 << trees.q < N)
		trees.q++;
	while (trees.m < trees.q && ceil_of(N - 1, 1u << trees.m) > bound_of(request))
		trees.m++;
	trees.width = ceil_of(N, 1u << trees.m);
	return trees;
}

static uint32_t lowest_bit(uint32_t node)
{
	return node & (0 - node);
}

static bool is_leaf(const struct trees *trees, uint32_t node)
{
	return node % 2 || node + 1 >= trees->problem->nrank;
}

/* Where rank adds up a block of which it is node `node`. */
static struct ordo_at sum_at(const struct trees *trees, uint32_t rank, uint32_t node)
{
	const uint32_t K = trees->problem->chunks_per_block, N = trees->problem->nrank,
		       block = (uint32_t)(((uint64_t)rank + N - node) % N);
	if (!node || trees->scratch == ORDO_NONE)
		return ordo_work(trees->b, rank, block * K);
	const uint32_t subtree = node >> trees->m;
	uint32_t level = 0;
	while (lowest_bit(node) >> level > 1)
		level++;
	const uint32_t slot = level < trees->m ? (level - 1) * trees->width + subtree
					       : (trees->m - 1) * trees->width + subtree - 1;
	return ordo_at(rank, ORDO_SCRATCH, trees->scratch + slot * K);
}

/* The rank's own part of a block: where it has it before the algorithm begins. */
static struct ordo_at own_part(const struct trees *trees, uint32_t rank, uint32_t node)
{
	const uint32_t N = trees->problem->nrank,
		       block = (uint32_t)(((uint64_t)rank + N - node) % N);
	return ordo_input_of(trees->b, rank, block * trees->problem->chunks_per_block);
}

/* The first child of a node is the next one: before what comes from there, the rank puts down its
 * own part. */
static void begin_sums(const struct trees *trees, uint32_t child)
{
	ordo_stream(trees->b, "copy", ORDO_NONE);
	for (uint32_t rank = 0; rank < trees->problem->nrank; rank++)
		ordo_copy(trees->b, sum_at(trees, rank, child - 1),
			own_part(trees, rank, child - 1), trees->problem->chunks_per_block);
}

static void add_up(const struct trees *trees, uint32_t node)
{
	const uint32_t N = trees->problem->nrank;
	ordo_stream(trees->b, "send", ORDO_NONE);
	for (uint32_t rank = 0; rank < N; rank++) {
		const uint32_t step = lowest_bit(node),
			       to = (uint32_t)(((uint64_t)rank + N - step) % N);
		ordo_reduce(trees->b, sum_at(trees, to, node - step),
			is_leaf(trees, node) ? own_part(trees, rank, node)
					     : sum_at(trees, rank, node),
			trees->problem->chunks_per_block);
	}
}

static void hand_down(const struct trees *trees, uint32_t node)
{
	const uint32_t N = trees->problem->nrank, K = trees->problem->chunks_per_block,
		       step = lowest_bit(node);
	ordo_stream(trees->b, "send", ORDO_NONE);
	for (uint32_t from = 0; from < N; from++) {
		const uint32_t block = (uint32_t)(((uint64_t)from + N - (node - step)) % N);
		ordo_pass_on(trees->b, (uint32_t)(((uint64_t)from + step) % N), from,
			(struct ordo_slice){block * K, K}, false, false);
	}
}

/* A round: these nodes, first, first + stride, ... below N. */
static void take_round(const struct trees *trees, uint32_t number, uint32_t first, uint64_t stride)
{
	const bool sums = trees->problem->op == ORDO_REDUCESCATTER;
	const uint32_t N = trees->problem->nrank;
	ordo_phase(trees->b, sums ? "reduce-scatter" : "all-gather", number);
	for (uint64_t node = first; sums && first % 2 && node < N; node += stride)
		begin_sums(trees, (uint32_t)node);
	for (uint64_t node = first; node < N && !ordo_builder_failed(trees->b); node += stride)
		if (sums)
			add_up(trees, (uint32_t)node);
		else
			hand_down(trees, (uint32_t)node);
}

/* The n-th node of a subtree, 0..2^m-2, when children come before their parent, near ones first:
 * level after level from the top, each node is the last of those below it. */
static uint32_t nth_below(uint32_t n, uint32_t m)
{
	uint32_t node = 0;
	for (uint32_t level = m; level-- > 0;) {
		/* Below the children 1, 2, 4, ..., 2^level there are 2^level - 1 nodes before the
		 * last one's. */
		const uint32_t before = (1u << level) - 1;
		if (n < before)
			continue;
		n -= before;
		node += 1u << level;
		if (n == before)
			break;
	}
	return node;
}

/* The first node of the i-th round of a ReduceScatter, and how far the others are apart. */
static uint32_t first_of(const struct trees *trees, uint32_t i, uint64_t *stride)
{
	const uint32_t below = (1u << trees->m) - 1;
	const bool in_subtrees = i < below;
	const uint32_t k = in_subtrees ? trees->m - 1 : trees->m + i - below;
	*stride = (uint64_t)2 << k;
	return in_subtrees ? nth_below(i, trees->m) : 1u << k;
}

static void build(struct ordo_builder *b, const struct ordo_resolved_request *request)
{
	struct trees trees = trees_of(request);
	const uint32_t end = (1u << trees.m) - 1 + (trees.q > trees.m ? trees.q - trees.m : 0);
	const bool sums = trees.problem->op == ORDO_REDUCESCATTER;
	trees.b = b;
	ordo_keep_own(b, trees.problem);
	if (sums && trees.q && !trees.problem->in_place)
		trees.scratch = ordo_scratch(
			b, (trees.m * trees.width - 1) * trees.problem->chunks_per_block);
	for (uint32_t i = 0, number = 0; i < end; i++) {
		uint64_t stride;
		const uint32_t first = first_of(&trees, sums ? i : end - 1 - i, &stride);
		if (first < trees.problem->nrank)
			take_round(&trees, number++, first, stride);
	}
}

static uint64_t rounds_of(const struct ordo_resolved_request *request)
{
	const struct trees trees = trees_of(request);
	const uint32_t N = request->problem.nrank, below = 1u << trees.m;
	return (below < N ? below : N) - 1 + (trees.q > trees.m ? trees.q - trees.m : 0);
}

static uint64_t steps(const struct ordo_resolved_request *request)
{
	uint32_t log = 0;
	while (request->problem.nrank >> log > 1)
		log++;
	return log;
}

static uint64_t volume(const struct ordo_resolved_request *request)
{
	return (uint64_t)(request->problem.nrank - 1) * request->problem.chunks_per_block;
}

static bool closed_form(const struct ordo_resolved_request *request, struct ordo_cost *cost)
{
	return ordo_form_phases(request, ORDO_COST_ROUNDS, rounds_of(request), cost);
}

static const struct ordo_parameter parameters[] = {
	{.name = "aggregate",
		.values = "all|1..",
		.fallback = "all",
		.meaning = "the most blocks of a message; a lower bound needs less scratch "
			   "and more rounds",
		.kind = ORDO_NUMBER,
		.least = 1,
		.most = UINT32_MAX - 1},
};

static const struct ordo_variant variants[] = {{.settings = ""}, {.settings = "aggregate=1"}};

static const struct ordo_alias aliases[] = {{"parallel-aggregated-trees", 0, "", NULL}};

const struct ordo_algorithm ordo_algorithm_pat = {
	.facts = {.name = "pat",
		.never_fastest = true,
		.summary = "parallel aggregated trees: few rounds for any number of ranks, with "
			   "bounded buffers",
		.how = "Every block has a binomial tree of its own that starts at its rank, and "
		       "all ranks send over the same distance at once. All-gather goes down the "
		       "trees, the far ranks first, so that most blocks are sent last, between "
		       "neighbours; reduce-scatter goes up. With a bound on the blocks of a "
		       "message, subtrees are traversed depth first, so that few partial sums "
		       "exist at a time.",
		.when = "For any number of ranks. The bound chooses between the few rounds of nhr "
			"and the little memory of a ring. All bounds add in the order of nhr.",
		.operators = 1u << ORDO_REDUCESCATTER | 1u << ORDO_ALLGATHER,
		.ranks = "any",
		.steps = "q = ceil(log2 N) rounds; in messages of N/2^m blocks 2^m-1 + q-m, of "
			 "one N-1",
		.volume = "(N-1)/N n",
		.order = "N trees, N/2 if N = 2^k, as nhr",
		.topologies = "full mesh, switched, or the links r to r - 2^k",
		.source = "Jeaugey 2025; NCCL 2.23",
		.parameters = parameters,
		.nparameter = sizeof parameters / sizeof *parameters,
		.variants = variants,
		.nvariant = sizeof variants / sizeof *variants,
		.aliases = aliases,
		.nalias = sizeof aliases / sizeof *aliases},
	.build = build,
	.steps = steps,
	.volume = volume,
	.closed_form = closed_form,
};
