/* recursive_multiplying.c - in each step the ranks of a group of up to k exchange all they have, so
 * that what a rank has is multiplied.
 *
 * p is a product of factors f of at most k: for AllGather and ReduceScatter N; for AllReduce the
 * greatest that is not above N. A rank has a digit for each factor; the groups of a step are ranks
 * that differ in its digit alone, the nearest first. AllReduce sends whole vectors, each to a
 * place in scratch, and every rank adds them in one order. Ranks from p on add their vectors to
 * those of the first ones before, and get the sum in the end. In AllGather what a rank has lies
 * together; ReduceScatter sends each of its group what belongs there. Natural K: 1.
 *
 * steps    m factors; AllReduce of N > p ranks m+2, the longest chain one fewer unless N-p >
 *          p/f of the last factor
 * volume   AllReduce the sum of f-1 vectors, and one more if N > p; else (N-1)/N of the vector
 * order    one tree: groups are added in dyadic order, near first; dyadic for N = 2^q, whatever k
 * scratch  AllReduce twice f-1 vectors; ReduceScatter N-1 blocks, out of place up to twice that
 * source   Ruefenacht, Bull and Booth, Parallel Computing 69, 2017; its AllGather: Bruck et al.,
 *          IEEE Trans. Parallel Distrib. Syst. 8(11), 1997
 */
#include "algorithms/direct/closed_form.h"
#include "algorithms/direct/fold.h"
#include "algorithms/direct/places.h"

static uint32_t greatest_factor(uint32_t n, uint32_t radix)
{
	for (uint32_t factor = radix < n ? radix : n; factor > 1; factor--)
		if (n % factor == 0)
			return factor;
	return 1;
}

/* The factors of a resolved request: each step's group, nearest ranks first. */
struct factors {
	uint32_t count, product;
	uint32_t factor[32], stride[32]; /* [count] stride: the product of those before */
};

/* false: a factor would be above the radix. */
static bool factorize(uint32_t n, uint32_t radix, struct factors *factors)
{
	*factors = (struct factors){.product = n};
	for (uint32_t stride = 1; n > 1;) {
		const uint32_t factor = greatest_factor(n, radix);
		if (factor == 1)
			return false;
		factors->factor[factors->count] = factor;
		factors->stride[factors->count++] = stride;
		stride *= factor;
		n /= factor;
	}
	return true;
}

static struct factors factors_of(const struct ordo_resolved_request *request)
{
	const uint32_t radix = ordo_parameter_number(request, "radix");
	struct factors factors;
	/* A power of two is never far. */
	for (uint32_t p = request->problem.nrank; !factorize(p, radix, &factors);)
		p--;
	return factors;
}

/* One step less, or half as many ranks, most of which join others. */
static uint32_t fewer_ranks(const struct ordo_resolved_request *request, uint32_t nrank)
{
	const uint32_t factor = greatest_factor(nrank, ordo_parameter_number(request, "radix"));
	return nrank / (factor > 1 ? factor : 2);
}

static bool applicable(const struct ordo_resolved_request *request, struct ordo_error *error)
{
	const uint32_t N = request->problem.nrank, radix = ordo_parameter_number(request, "radix");
	struct factors factors;
	if (request->problem.op == ORDO_ALLREDUCE || factorize(N, radix, &factors))
		return true;
	ordo_fail(error, ORDO_USAGE, 0,
		"algorithm: recursive-multiplying of radix %u found %u ranks for %s, wanted a "
		"product of factors up to the radix",
		radix, N, ordo_operator_facts(request->problem.op)->name);
	return ordo_hint(error, "a radix that N's prime factors do not exceed; or nhr, for any "
				"number of ranks");
}

/* One step: the group of a rank is rank - digit * stride, and so on. */
struct step {
	struct ordo_builder *b;
	const struct ordo_problem *problem;
	uint32_t factor, stride, product;
	uint32_t scratch;
};

static uint32_t digit(const struct step *step, uint32_t rank)
{
	return rank / step->stride % step->factor;
}

static uint32_t fellow(const struct step *step, uint32_t rank, uint32_t number)
{
	return rank - digit(step, rank) * step->stride + number * step->stride;
}

/* A fold of what the fellows of a rank send for some chunks, which begin at `offset` in each
 * fellow's place of `width`. */
static struct ordo_fold fold_at(const struct step *step, uint32_t rank, struct ordo_slice chunks,
	uint32_t offset, uint32_t width)
{
	return (struct ordo_fold){.b = step->b,
		.own = ordo_work(step->b, rank, chunks.first),
		.nitem = step->factor,
		.owner = digit(step, rank),
		.count = chunks.count,
		.scratch = step->scratch + offset,
		.stride = width};
}

/* A rank sends chunks to the fellow that is `ahead` in the group. */
static void send(const struct step *step, uint32_t rank, uint32_t ahead, struct ordo_slice chunks,
	uint32_t offset, uint32_t width)
{
	const uint32_t to = fellow(step, rank, (digit(step, rank) + ahead) % step->factor);
	const struct ordo_fold fold = fold_at(step, to, chunks, offset, width);
	ordo_stream(step->b, "to", ahead);
	ordo_copy(step->b, ordo_fold_addend(&fold, digit(step, rank)),
		ordo_sum_of(step->b, rank, chunks.first), chunks.count);
}

static void add(const struct step *step, uint32_t rank, struct ordo_slice chunks, uint32_t offset,
	uint32_t width)
{
	struct ordo_fold fold = fold_at(step, rank, chunks, offset, width);
	ordo_stream(step->b, "add", ORDO_NONE);
	ordo_make_ready(step->b, rank, chunks, false);
	ordo_fold_up(&fold, "dyadic");
}

static void exchange_vectors(const struct step *step)
{
	const struct ordo_slice all = {0, step->problem->chunks_per_block};
	for (uint32_t rank = 0; rank < step->product; rank++)
		for (uint32_t ahead = 1; ahead < step->factor; ahead++)
			send(step, rank, ahead, all, 0, all.count);
	for (uint32_t rank = 0; rank < step->product; rank++)
		add(step, rank, all, 0, all.count);
}

/* Ranks from p on, to the first ones or back. */
static void join(
	struct ordo_builder *b, const struct ordo_problem *problem, uint32_t product, bool back)
{
	const struct ordo_slice all = {0, problem->chunks_per_block};
	for (uint32_t rank = product; rank < problem->nrank; rank++)
		if (back) {
			ordo_pass_on(b, rank, rank - product, all, true, false);
		} else {
			ordo_make_ready(b, rank - product, all, false);
			ordo_add_on(b, rank - product, rank, all, false);
		}
}

static void reduce_all(
	struct ordo_builder *b, const struct ordo_problem *problem, const struct factors *factors)
{
	uint32_t most = 1, places[2];
	for (uint32_t i = 0; i < factors->count; i++)
		most = factors->factor[i] > most ? factors->factor[i] : most;
	for (int i = 0; i < 2; i++)
		places[i] = ordo_scratch(b, (most - 1) * problem->chunks_per_block);
	ordo_stream(b, "join", ORDO_NONE);
	ordo_phase(b, "fold", ORDO_NONE);
	join(b, problem, factors->product, false);
	for (uint32_t i = 0; i < factors->count; i++) {
		ordo_phase(b, "exchange", i);
		exchange_vectors(&(struct step){b, problem, factors->factor[i], factors->stride[i],
			factors->product, places[i % 2]});
	}
	ordo_stream(b, "join", ORDO_NONE);
	ordo_phase(b, "unfold", ORDO_NONE);
	join(b, problem, factors->product, true);
}

/* In a step of the ReduceScatter: the blocks of the ranks that have a rank's digits up to this one,
 * but `number` in this one. There are N / (stride * factor). */
static uint32_t block_of(const struct step *step, uint32_t rank, uint32_t number, uint32_t i)
{
	return rank % step->stride + number * step->stride + i * step->stride * step->factor;
}

static void scatter_sums(const struct step *step)
{
	const uint32_t N = step->product, K = step->problem->chunks_per_block,
		       count = N / (step->stride * step->factor);
	for (uint32_t rank = 0; rank < N && !ordo_builder_failed(step->b); rank++)
		for (uint32_t ahead = 1; ahead < step->factor; ahead++)
			for (uint32_t i = 0; i < count; i++) {
				const uint32_t to = (digit(step, rank) + ahead) % step->factor;
				const uint32_t block = block_of(step, rank, to, i);
				send(step, rank, ahead, (struct ordo_slice){block * K, K}, i * K,
					count * K);
			}
	for (uint32_t rank = 0; rank < N && !ordo_builder_failed(step->b); rank++)
		for (uint32_t i = 0; i < count; i++) {
			const uint32_t block = block_of(step, rank, digit(step, rank), i);
			add(step, rank, (struct ordo_slice){block * K, K}, i * K, count * K);
		}
}

/* A rank has the blocks of those that differ from it in lower digits alone. */
static void gather_blocks(const struct step *step)
{
	const uint32_t K = step->problem->chunks_per_block;
	for (uint32_t ahead = 1; ahead < step->factor; ahead++) {
		ordo_stream(step->b, "to", ahead);
		for (uint32_t rank = 0; rank < step->product; rank++) {
			const uint32_t to =
				fellow(step, rank, (digit(step, rank) + ahead) % step->factor);
			ordo_pass_on(step->b, to, rank,
				(struct ordo_slice){
					rank / step->stride * step->stride * K, step->stride * K},
				false, false);
		}
	}
}

static void build(struct ordo_builder *b, const struct ordo_resolved_request *request)
{
	const struct ordo_problem *problem = &request->problem;
	const struct factors factors = factors_of(request);
	ordo_keep_own(b, problem);
	if (problem->nrank > 1 && problem->op == ORDO_ALLREDUCE)
		reduce_all(b, problem, &factors);
	for (uint32_t i = 0; problem->op != ORDO_ALLREDUCE && i < factors.count; i++) {
		struct step step = {b, problem, factors.factor[i], factors.stride[i],
			factors.product, ORDO_NONE};
		ordo_phase(b, problem->op == ORDO_ALLGATHER ? "all-gather" : "reduce-scatter", i);
		if (problem->op == ORDO_ALLGATHER) {
			gather_blocks(&step);
			continue;
		}
		const uint32_t kept = problem->nrank / (step.stride * step.factor);
		step.scratch =
			ordo_scratch(b, (step.factor - 1) * kept * problem->chunks_per_block);
		scatter_sums(&step);
	}
}

/* A chain that is joined at both ends goes through all steps if ranks that have partners differ in
 * every digit. */
static uint64_t steps(const struct ordo_resolved_request *request)
{
	const struct factors factors = factors_of(request);
	const uint32_t extra = request->problem.nrank - factors.product;
	return factors.count + (extra ? 1 : 0) +
	       (extra && extra > factors.stride[factors.count - 1] ? 1 : 0);
}

static uint64_t volume(const struct ordo_resolved_request *request)
{
	const struct factors factors = factors_of(request);
	uint64_t parts = 0;
	if (request->problem.op != ORDO_ALLREDUCE)
		parts = request->problem.nrank - 1;
	for (uint32_t i = 0; request->problem.op == ORDO_ALLREDUCE && i < factors.count; i++)
		parts += factors.factor[i] - 1;
	return (parts + (request->problem.nrank > factors.product)) *
	       request->problem.chunks_per_block;
}

/* With links to all of a group at once. */
static bool closed_form(const struct ordo_resolved_request *request, struct ordo_cost *cost)
{
	const struct factors factors = factors_of(request);
	const uint64_t p = request->problem.nrank, joins = p > factors.product;
	uint64_t added = joins, blocks = 0;
	for (uint32_t i = 0; i < factors.count; i++) {
		added += factors.factor[i] - 1;
		blocks += factors.stride[i];
	}
	if (request->topology && request->topology->ports)
		return false;
	if (request->problem.op == ORDO_ALLGATHER)
		return ordo_form_is(cost, ORDO_COST_ROUNDS, factors.count, blocks, 0, p);
	return request->problem.op == ORDO_ALLREDUCE &&
	       ordo_form_is(cost, ORDO_COST_ROUNDS, factors.count + 2 * joins,
		       factors.count + 2 * joins, added, 1);
}

static const struct ordo_parameter parameters[] = {
	{.name = "radix",
		.values = "2..64",
		.fallback = "4",
		.meaning = "the most ranks of a group",
		.kind = ORDO_NUMBER,
		.least = 2,
		.most = 64},
};

static const struct ordo_variant variants[] = {{.settings = ""}, {.settings = "radix=8"}};

const struct ordo_algorithm ordo_algorithm_recursive_multiplying = {
	.facts = {.name = "recursive-multiplying",
		.summary = "recursive doubling with groups of k ranks in each step",
		.how = "The number of ranks is a product of factors up to k. In one step for each "
		       "factor, the ranks of a group send all their data to each other at once, "
		       "near ranks first. AllReduce sends whole vectors, and each rank adds those "
		       "of its group in one order; ranks beyond the product join the first ones.",
		.when = "For small messages where a rank can send to several others at once: "
			"log_k N steps instead of log2 N.",
		.operators = 1u << ORDO_ALLREDUCE | 1u << ORDO_REDUCESCATTER | 1u << ORDO_ALLGATHER,
		.ranks = "any; ReduceScatter, AllGather a product of factors up to k",
		.steps = "as many as factors, log_k N; AllReduce of other N 2 more",
		.volume = "AllReduce the sum of f-1 vectors over the factors f, and one for other "
			  "N; else (N-1)/N n",
		.order = "one tree, dyadic if N = 2^q, whatever k",
		.topologies = "full mesh, switched",
		.source = "Ruefenacht, Bull and Booth 2017",
		.parameters = parameters,
		.nparameter = sizeof parameters / sizeof *parameters,
		.variants = variants,
		.nvariant = sizeof variants / sizeof *variants},
	.applicable = applicable,
	.fewer_ranks = fewer_ranks,
	.build = build,
	.steps = steps,
	.volume = volume,
	.closed_form = closed_form,
};
