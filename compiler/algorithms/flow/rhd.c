/* rhd.c - recursive halving and doubling for any number of ranks.
 *
 * p = 2^k is the largest power of two that is not above N. The first 2(N-p) ranks pair up: the odd
 * one folds all it has into the even one, which then stands for both among p; in the end it returns
 * what the odd one needs. A root stands for its pair itself, so that the order does not depend on
 * the root. Natural K: p where one block is cut into slices, else 1.
 *
 * steps   with N > p: AllReduce 2k+2, ReduceScatter and AllGather at most k+2 (a chain through two
 *         pairs), Reduce at most 2k+1, Broadcast at most 2k
 * volume  with N > p the busiest rank sends: AllReduce n + 2(p-1)/p n; ReduceScatter n; AllGather,
 *         Broadcast less than 3n
 * order   one tree for every chunk and root: pairs, then halving: far first ((01+45)+(23+67))+...
 * source  Rabenseifner, Int. Conf. on Computational Science 2004; Thakur, Rabenseifner and Gropp
 *         2005
 */
#include "algorithms/direct/closed_form.h"
#include "butterfly.h"

static bool prepare(struct ordo_resolved_request *request, struct ordo_error *error)
{
	const uint32_t N = request->problem.nrank;
	uint32_t p = 1;
	while (p <= N / 2)
		p *= 2;
	struct ordo_flow *flow = ordo_butterfly_make(request, p);
	if (!flow)
		return ordo_fail_memory(error);
	flow->npair = N - p;
	return true;
}

/* p' = 2^k, the largest power of two not above p: halving and doubling among p', and all of the
 * vector of the ranks beyond it there and back. */
static bool closed_form(const struct ordo_resolved_request *request, struct ordo_cost *cost)
{
	const uint32_t power = ordo_form_power(request->problem.nrank), k = ordo_form_rounds(power);
	if (power == request->problem.nrank)
		return ordo_form_phases(request,
			request->problem.op == ORDO_ALLGATHER ? ORDO_COST_ROUNDS : ORDO_COST_TABLE,
			k, cost);
	return request->problem.op == ORDO_ALLREDUCE && ordo_form_has_slices(request, power) &&
	       ordo_form_is(cost, ORDO_COST_TABLE, 2 * k + 2, 4 * (uint64_t)power - 2,
		       2 * (uint64_t)power - 1, power);
}

static const struct ordo_parameter parameters[] = {ORDO_BUTTERFLY_MASKS};

static const struct ordo_variant variants[] = {
	{.settings = ""},
	{.settings = "masks=near",
		.operators = 1u << ORDO_ALLREDUCE | 1u << ORDO_REDUCE | 1u << ORDO_REDUCESCATTER},
};

static const struct ordo_alias aliases[] = {
	{"recursive-halving-doubling", 0, "", NULL},
	{"h-d-r", 0, "", NULL},
	{"rabenseifner", 1u << ORDO_ALLREDUCE | 1u << ORDO_REDUCE, "", NULL},
	{"reduce-scatter-allgather", 1u << ORDO_ALLREDUCE, "", NULL},
	{"reduce-scatter-gather", 1u << ORDO_REDUCE, "", NULL},
	{"scatter-allgather", 1u << ORDO_BROADCAST, "", NULL},
	{"recursive-halving", 1u << ORDO_REDUCESCATTER, "", NULL},
	{"recursive-doubling", 1u << ORDO_ALLGATHER, "", NULL},
};

const struct ordo_algorithm ordo_algorithm_rhd = {
	.facts = {.name = "rhd",
		.summary =
			"recursive halving and doubling; ranks beyond a power of two pair up first",
		.how = "The first ranks form pairs such that a power of two of ranks remains: the "
		       "odd rank of a pair gives all its data to the even one. The remaining "
		       "ranks do recursive halving and doubling, and the even ranks send the odd "
		       "ones their part of the result.",
		.when = "Like halving-doubling, for numbers of ranks that are not powers of two; "
			"the pairs send the vector once more.",
		.operators = 1u << ORDO_ALLREDUCE | 1u << ORDO_REDUCE | 1u << ORDO_BROADCAST |
			     1u << ORDO_REDUCESCATTER | 1u << ORDO_ALLGATHER,
		.ranks = "any",
		.steps = "N = p = 2^k: as halving-doubling; else AllReduce 2k+2, ReduceScatter, "
			 "AllGather k+2, Reduce 2k+1, Broadcast 2k",
		.volume = "N = 2^k: as halving-doubling; else, p = 2^k: AllReduce n + 2(p-1)/p n, "
			  "ReduceScatter n",
		.order = "one tree for every chunk: pairs, then halving",
		.topologies = "full mesh, switched; hypercube if N = 2^k",
		.source = "Rabenseifner 2004; Thakur, Rabenseifner and Gropp 2005",
		.parameters = parameters,
		.nparameter = sizeof parameters / sizeof *parameters,
		.variants = variants,
		.nvariant = sizeof variants / sizeof *variants,
		.aliases = aliases,
		.nalias = sizeof aliases / sizeof *aliases},
	.prepare = prepare,
	.chunks = ordo_flow_chunks,
	.build = ordo_flow_build,
	.steps = ordo_flow_steps,
	.volume = ordo_flow_volume,
	.closed_form = closed_form,
};
