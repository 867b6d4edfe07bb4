/* halving_doubling.c - exchanges with the rank that differs in one bit; what is exchanged halves
 * from step to step when it is added up, and doubles when it is handed out.
 *
 * N = 2^q. Where one block is cut into slices, near first too sends one run of chunks a step:
 * slices lie in bit-reversed order then. Natural K: N where one block is cut, else 1.
 *
 * steps   ReduceScatter, AllGather q; AllReduce, Reduce 2q; Broadcast 2q-1: the last member that a
 *         slice would reach has seen it pass
 * volume  (N-1)/N of the vector a phase: AllReduce 2(N-1)/N
 * order   one tree for every chunk and root: far first ((0+4)+(2+6))+..., near first
 *         ((0+1)+(2+3))+...
 * source  Thakur, Rabenseifner and Gropp, Int. J. High Perform. Comput. Appl. 19(1), 2005
 */
#include "algorithms/direct/closed_form.h"
#include "butterfly.h"

static bool applicable(const struct ordo_resolved_request *request, struct ordo_error *error)
{
	const uint32_t N = request->problem.nrank;
	if ((N & (N - 1)) == 0)
		return true;
	ordo_fail(error, ORDO_USAGE, 0,
		"algorithm: halving-doubling needs a power of two ranks, found %u", N);
	return ordo_hint(error, "rhd does the same for any number of ranks");
}

static bool prepare(struct ordo_resolved_request *request, struct ordo_error *error)
{
	return ordo_butterfly_make(request, request->problem.nrank) ? true
								    : ordo_fail_memory(error);
}

static bool closed_form(const struct ordo_resolved_request *request, struct ordo_cost *cost)
{
	const bool published = request->problem.op != ORDO_ALLGATHER;
	return ordo_form_phases(request, published ? ORDO_COST_TABLE : ORDO_COST_ROUNDS,
		ordo_form_rounds(request->problem.nrank), cost);
}

static const struct ordo_parameter parameters[] = {ORDO_BUTTERFLY_MASKS};

static const struct ordo_variant variants[] = {
	{.settings = ""},
	{.settings = "masks=near",
		.operators = 1u << ORDO_ALLREDUCE | 1u << ORDO_REDUCE | 1u << ORDO_REDUCESCATTER},
	{.settings = "map=auto", .sparse = true},
};

const struct ordo_algorithm ordo_algorithm_halving_doubling = {
	.facts = {.name = "halving-doubling",
		.summary = "recursive halving and doubling between ranks that differ in one bit",
		.how = "Let N = 2^q. In each of q steps a rank exchanges data with the rank whose "
		       "number differs in one bit and keeps half of its data, reduced. In the "
		       "doubling phase each step gathers twice as much as the one before.",
		.when = "For numbers of ranks that are powers of two, on hypercubes and switched "
			"networks: log2 N steps for each phase, and the least data possible.",
		.operators = 1u << ORDO_ALLREDUCE | 1u << ORDO_REDUCE | 1u << ORDO_BROADCAST |
			     1u << ORDO_REDUCESCATTER | 1u << ORDO_ALLGATHER,
		.ranks = "2^q",
		.steps = "q; AllReduce, Reduce 2q, Broadcast 2q-1",
		.volume = "(N-1)/N n; AllReduce 2(N-1)/N n",
		.order = "one tree for every chunk: far-first ((0+4)+(2+6))+..., near-first dyadic",
		.topologies = "full mesh, hypercube, switched",
		.source = "Thakur, Rabenseifner and Gropp 2005",
		.parameters = parameters,
		.nparameter = sizeof parameters / sizeof *parameters,
		.variants = variants,
		.nvariant = sizeof variants / sizeof *variants},
	.applicable = applicable,
	.prepare = prepare,
	.chunks = ordo_flow_chunks,
	.build = ordo_flow_build,
	.steps = ordo_flow_steps,
	.volume = ordo_flow_volume,
	.closed_form = closed_form,
};
