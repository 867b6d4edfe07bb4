/* recursive_doubling.c - in each step every rank exchanges its whole sum with the rank that differs
 * in one bit.
 *
 * N = 2^q. Both partners send and are sent to at once, so what arrives waits in scratch and is
 * added there and then; two places in turn, so that the next step's can arrive meanwhile. Natural
 * K: 1.
 *
 * steps    q
 * volume   q vectors leave each rank
 * order    one tree: far first ((0+4)+(2+6))+..., near first dyadic
 * scratch  2 vectors
 * source   Thakur, Rabenseifner and Gropp, Int. J. High Perform. Comput. Appl. 19(1), 2005
 */
#include "algorithms/direct/places.h"
#include "butterfly.h"

static bool applicable(const struct ordo_resolved_request *request, struct ordo_error *error)
{
	const uint32_t N = request->problem.nrank;
	if ((N & (N - 1)) == 0)
		return true;
	ordo_fail(error, ORDO_USAGE, 0,
		"algorithm: recursive-doubling needs a power of two ranks, found %u", N);
	return ordo_hint(error, "nhr(data=small) takes any number of ranks");
}

static uint32_t mask_of(const struct ordo_resolved_request *request, uint32_t step)
{
	return ordo_parameter_is(request, "masks", "near") ? 1u << step
							   : request->problem.nrank >> 1 >> step;
}

static void exchange(struct ordo_builder *b, const struct ordo_resolved_request *request,
	uint32_t step, uint32_t scratch)
{
	const uint32_t N = request->problem.nrank, K = request->problem.chunks_per_block;
	ordo_phase(b, "exchange", step);
	for (uint32_t rank = 0; rank < N; rank++)
		ordo_copy(b, ordo_at(rank ^ mask_of(request, step), ORDO_SCRATCH, scratch),
			step ? ordo_work(b, rank, 0) : ordo_input_of(b, rank, 0), K);
	for (uint32_t rank = 0; rank < N; rank++) {
		ordo_make_ready(b, rank, (struct ordo_slice){0, K}, false);
		ordo_reduce(b, ordo_work(b, rank, 0), ordo_at(rank, ORDO_SCRATCH, scratch), K);
	}
}

static void build(struct ordo_builder *b, const struct ordo_resolved_request *request)
{
	const uint32_t K = request->problem.chunks_per_block;
	ordo_keep_own(b, &request->problem);
	if (request->problem.nrank == 1)
		return;
	const uint32_t places[2] = {ordo_scratch(b, K), ordo_scratch(b, K)};
	ordo_stream(b, "exchange", ORDO_NONE);
	for (uint32_t step = 0;
		mask_of(request, step) && mask_of(request, step) < request->problem.nrank; step++)
		exchange(b, request, step, places[step % 2]);
}

static uint64_t steps(const struct ordo_resolved_request *request)
{
	uint64_t q = 0;
	while ((uint64_t)1 << q < request->problem.nrank)
		q++;
	return q;
}

static uint64_t volume(const struct ordo_resolved_request *request)
{
	return steps(request) * request->problem.chunks_per_block;
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
		.how = "Let N = 2^q. In each of q steps a rank exchanges its whole partial sum "
		       "with the rank whose number differs in one bit, and both add.",
		.when = "For small messages on a power of two of ranks: q steps and no second "
			"phase. Each step sends the whole vector.",
		.operators = 1u << ORDO_ALLREDUCE,
		.ranks = "2^q",
		.steps = "q",
		.volume = "q n",
		.order = "one tree: far-first ((0+4)+(2+6))+..., near-first dyadic",
		.topologies = "full mesh, hypercube, switched",
		.source = "Thakur, Rabenseifner and Gropp 2005",
		.parameters = parameters,
		.nparameter = sizeof parameters / sizeof *parameters,
		.variants = variants,
		.nvariant = sizeof variants / sizeof *variants},
	.applicable = applicable,
	.build = build,
	.steps = steps,
	.volume = volume,
};
