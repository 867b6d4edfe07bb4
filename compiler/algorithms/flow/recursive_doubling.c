/* recursive_doubling.c - in each step every rank exchanges its whole sum with the rank that differs
 * in one bit.
 *
 * Both partners send and are sent to at once, so what arrives waits in scratch and is added there
 * and then; two places in turn, so that the next step's can arrive meanwhile. p = 2^k is the
 * largest power of two that is not above N. If N is above it, the first 2(N-p) ranks pair up: the
 * odd rank of a pair adds its vector to the even one's, which then stands for both among p, and
 * returns the sum in the end. There is one place then, which keeps what ranks without a partner
 * send early from sharing a port with what comes before it. Natural K: 1.
 *
 * steps    N = p: k; else k+2, of which the longest chain has one fewer unless N-p > p/2: then it
 *          begins and ends in a pair
 * volume   k vectors leave each rank, and one more leaves the even rank of a pair
 * order    one tree, that of rhd: pairs, then far first ((0+4)+(2+6))+..., near first dyadic if
 *          N = p
 * scratch  N = p: 2 vectors; else 1
 * source   Thakur, Rabenseifner and Gropp, Int. J. High Perform. Comput. Appl. 19(1), 2005
 */
#include "algorithms/direct/closed_form.h"
#include "algorithms/direct/places.h"
#include "butterfly.h"

/* k: the members exchange in so many steps. */
static uint32_t nexchange(const struct ordo_resolved_request *request)
{
	uint32_t k = 0;
	while (request->problem.nrank >> k > 1)
		k++;
	return k;
}

/* N-p: so many members have a partner. */
static uint32_t npair(const struct ordo_resolved_request *request)
{
	return request->problem.nrank - (1u << nexchange(request));
}

/* The rank of one of the p members. */
static uint32_t rank_of(const struct ordo_resolved_request *request, uint32_t member)
{
	const uint32_t pairs = npair(request);
	return member < pairs ? 2 * member : member + pairs;
}

/* Adds to the sum of a rank what has arrived in its scratch. */
static void add_arrival(struct ordo_builder *b, uint32_t rank, uint32_t scratch, uint32_t K)
{
	ordo_make_ready(b, rank, (struct ordo_slice){0, K}, false);
	ordo_reduce(b, ordo_work(b, rank, 0), ordo_at(rank, ORDO_SCRATCH, scratch), K);
}

/* What the odd rank of a pair sends arrives where the exchanges do. */
static void fold(
	struct ordo_builder *b, const struct ordo_resolved_request *request, uint32_t scratch)
{
	const uint32_t K = request->problem.chunks_per_block;
	ordo_phase(b, "fold", ORDO_NONE);
	for (uint32_t j = 0; j < npair(request); j++) {
		ordo_copy(b, ordo_at(2 * j, ORDO_SCRATCH, scratch), ordo_input_of(b, 2 * j + 1, 0),
			K);
		add_arrival(b, 2 * j, scratch, K);
	}
}

static void exchange(struct ordo_builder *b, const struct ordo_resolved_request *request,
	uint32_t step, uint32_t scratch)
{
	const uint32_t k = nexchange(request), K = request->problem.chunks_per_block;
	const uint32_t mask =
		ordo_parameter_is(request, "masks", "near") ? 1u << step : 1u << (k - 1 - step);
	ordo_phase(b, "exchange", step);
	for (uint32_t member = 0; member < 1u << k; member++) {
		const uint32_t rank = rank_of(request, member);
		ordo_copy(b, ordo_at(rank_of(request, member ^ mask), ORDO_SCRATCH, scratch),
			step || member < npair(request) ? ordo_work(b, rank, 0)
							: ordo_input_of(b, rank, 0),
			K);
	}
	for (uint32_t member = 0; member < 1u << k; member++)
		add_arrival(b, rank_of(request, member), scratch, K);
}

static void unfold(struct ordo_builder *b, const struct ordo_resolved_request *request)
{
	ordo_phase(b, "unfold", ORDO_NONE);
	for (uint32_t j = 0; j < npair(request); j++)
		ordo_copy(b, ordo_work(b, 2 * j + 1, 0), ordo_work(b, 2 * j, 0),
			request->problem.chunks_per_block);
}

static void build(struct ordo_builder *b, const struct ordo_resolved_request *request)
{
	const uint32_t K = request->problem.chunks_per_block;
	ordo_keep_own(b, &request->problem);
	if (request->problem.nrank == 1)
		return;
	const bool folds = npair(request) > 0;
	const uint32_t first = ordo_scratch(b, K), second = folds ? first : ordo_scratch(b, K);
	ordo_stream(b, "exchange", ORDO_NONE);
	if (folds)
		fold(b, request, first);
	for (uint32_t step = 0; step < nexchange(request); step++)
		exchange(b, request, step, step % 2 ? second : first);
	if (folds)
		unfold(b, request);
}

static uint64_t steps(const struct ordo_resolved_request *request)
{
	const uint32_t k = nexchange(request), pairs = npair(request);
	return k + (pairs ? 1 : 0) + (pairs > 1u << k >> 1 ? 1 : 0);
}

static uint64_t volume(const struct ordo_resolved_request *request)
{
	const uint64_t vectors = nexchange(request) + (npair(request) ? 1 : 0);
	return vectors * request->problem.chunks_per_block;
}

/* p' = 2^k as for rhd: all of the vector in every exchange, and of the vectors of the ranks beyond
 * p' there and back. */
static bool closed_form(const struct ordo_resolved_request *request, struct ordo_cost *cost)
{
	const uint32_t power = ordo_form_power(request->problem.nrank), k = ordo_form_rounds(power);
	if (power == request->problem.nrank)
		return ordo_form_is(cost, ORDO_COST_TABLE, k, k, k, 1);
	return ordo_form_is(cost, ORDO_COST_ROUNDS, k + 2, k + 2, k + 1, 1);
}

static const struct ordo_parameter parameters[] = {ORDO_BUTTERFLY_MASKS};

static const struct ordo_variant variants[] = {
	{.settings = ""},
	{.settings = "masks=near",
		.operators = 1u << ORDO_ALLREDUCE | 1u << ORDO_REDUCE | 1u << ORDO_REDUCESCATTER},
	{.settings = "map=auto", .sparse = true},
};

const struct ordo_algorithm ordo_algorithm_recursive_doubling = {
	.facts = {.name = "recursive-doubling",
		.summary = "every rank exchanges all it has with a rank that differs in one bit: "
			   "small data",
		.how = "Let p = 2^k be the largest power of two that is at most N. In each of k "
		       "steps a rank exchanges its whole partial sum with the rank whose number "
		       "differs in one bit, and both add. If N is larger than p, the first N-p "
		       "pairs of ranks add up first, and one rank of each pair takes part for "
		       "both.",
		.when = "For small messages: it takes few steps and has no second phase. Each "
			"step sends the whole vector.",
		.operators = 1u << ORDO_ALLREDUCE,
		.ranks = "any",
		.steps = "N = p = 2^k: k; else k+2",
		.volume = "N = 2^k: k n; else (k+1) n",
		.order = "one tree for every chunk: pairs, then halving, as rhd",
		.topologies = "full mesh, switched; hypercube if N = 2^k",
		.source = "Thakur, Rabenseifner and Gropp 2005",
		.parameters = parameters,
		.nparameter = sizeof parameters / sizeof *parameters,
		.variants = variants,
		.nvariant = sizeof variants / sizeof *variants},
	.build = build,
	.steps = steps,
	.volume = volume,
	.closed_form = closed_form,
};
