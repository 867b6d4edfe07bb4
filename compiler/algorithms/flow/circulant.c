/* circulant.c - halving for any number of ranks: in each step the farther half of the blocks goes
 * as far as half of them reach; Broadcast and Reduce in as few rounds as there can be.
 *
 * Skips s(0) = N, s(k+1) = ceil(s(k)/2) down to 1. In step k rank r has the sums of the blocks r ..
 * r+s(k)-1 left, and sends those from r+s(k+1) on to rank r+s(k+1), whose first ones they are.
 * Broadcast and Reduce pass K chunks over the same skips, one a round (circulant_rounds.h). Natural
 * K: N for AllReduce, q for Broadcast and Reduce, else 1.
 *
 * steps   rounds q = ceil(log2 N) a phase; the longest chain of arrivals at most floor(log2 N),
 *         AllReduce twice that; Broadcast and Reduce K-1+q rounds, a chain of at most q
 * volume  (N-1)/N of the vector a phase: AllReduce 2(N-1)/N; Reduce one vector, Broadcast at most
 *         (K-1+q)/K
 * order   as many trees as the odd part of N; Reduce at most q+1
 * source  Traeff, arXiv:2410.14234; Broadcast and Reduce: Traeff, arXiv:2312.11236
 */
#include "algorithms/direct/closed_form.h"
#include "circulant_rounds.h"
#include "flow.h"

static uint32_t skip(const struct ordo_flow *flow, uint32_t step)
{
	uint32_t s = flow->n;
	for (uint32_t k = 0; k < step; k++)
		s = s / 2 + s % 2;
	return s;
}

static struct ordo_cargo sends(const struct ordo_flow *flow, uint32_t step, uint32_t member)
{
	const uint32_t far = skip(flow, step), near = skip(flow, step + 1);
	const uint32_t peer = (uint32_t)(((uint64_t)member + near) % flow->n);
	return (struct ordo_cargo){peer, peer, 1, far - near, NULL};
}

static bool goes_in_rounds(const struct ordo_resolved_request *request)
{
	return request->problem.op == ORDO_BROADCAST || request->problem.op == ORDO_REDUCE;
}

static bool prepare(struct ordo_resolved_request *request, struct ordo_error *error)
{
	if (goes_in_rounds(request))
		return ordo_circulant_rounds_make(request) ? true : ordo_fail_memory(error);
	struct ordo_flow *flow = ordo_flow_make(request, request->problem.nrank);
	if (!flow)
		return ordo_fail_memory(error);
	flow->sends = sends;
	while (skip(flow, flow->nstep) > 1)
		flow->nstep++;
	request->prepared = flow;
	return true;
}

static uint32_t chunks(const struct ordo_resolved_request *request)
{
	return goes_in_rounds(request) ? ordo_circulant_rounds_chunks(request)
				       : ordo_flow_chunks(request);
}

static void build(struct ordo_builder *b, const struct ordo_resolved_request *request)
{
	if (goes_in_rounds(request))
		ordo_circulant_rounds_build(b, request);
	else
		ordo_flow_build(b, request);
}

static uint64_t steps(const struct ordo_resolved_request *request)
{
	return goes_in_rounds(request) ? ordo_circulant_rounds_steps(request)
				       : ordo_flow_steps(request);
}

static uint64_t volume(const struct ordo_resolved_request *request)
{
	return goes_in_rounds(request) ? ordo_circulant_rounds_volume(request)
				       : ordo_flow_volume(request);
}

/* K chunks in K-1+q rounds, one a round. */
static bool closed_form(const struct ordo_resolved_request *request, struct ordo_cost *cost)
{
	const uint64_t K = request->problem.chunks_per_block,
		       rounds = K - 1 + ordo_form_rounds(request->problem.nrank);
	if (request->problem.op == ORDO_BROADCAST)
		return ordo_form_is(cost, ORDO_COST_ROUNDS, rounds, rounds, 0, K);
	if (request->problem.op == ORDO_REDUCE)
		return ordo_form_is(cost, ORDO_COST_ROUNDS, rounds, rounds, rounds, K);
	return ordo_form_phases(
		request, ORDO_COST_ROUNDS, ordo_form_rounds(request->problem.nrank), cost);
}

static const struct ordo_variant variants[] = {
	{.settings = "", .pipelines = 1u << ORDO_BROADCAST | 1u << ORDO_REDUCE},
};

static const struct ordo_alias aliases[] = {
	{"bruck", 1u << ORDO_ALLGATHER, "",
		"of 2^k ranks the same; of others as many rounds, of other lengths"},
};

const struct ordo_algorithm ordo_algorithm_circulant = {
	.facts = {.name = "circulant",
		.summary = "halving on a circulant graph, for any number of ranks",
		.how = "In each round a rank sends all blocks beyond a skip s to the rank s "
		       "places ahead and adds what it receives to the blocks it keeps. The skips "
		       "halve, rounded up: N, N/2, N/4, ... 1. In Broadcast and Reduce every rank "
		       "sends and receives one chunk a round, over the same skips in turn.",
		.when = "For any number of ranks on switched networks: ceil(log2 N) rounds and "
			"N-1 blocks sent in each phase, both optimal. Broadcast of K chunks takes "
			"K-1+q rounds, the fewest possible with one port.",
		.operators = 1u << ORDO_ALLREDUCE | 1u << ORDO_REDUCE | 1u << ORDO_BROADCAST |
			     1u << ORDO_REDUCESCATTER | 1u << ORDO_ALLGATHER,
		.ranks = "any",
		.steps = "q = ceil(log2 N) rounds; AllReduce 2q; Broadcast, Reduce of K "
			 "chunks K-1+q",
		.volume =
			"(N-1)/N n; AllReduce 2(N-1)/N n; Reduce n, Broadcast at most (K-1+q)/K n",
		.order = "as many trees as the odd part of N; Reduce at most q+1",
		.topologies = "full mesh, switched, or the links r to r + ceil(N/2^k)",
		.source = "Traeff, arXiv:2410.14234 and arXiv:2312.11236",
		.variants = variants,
		.nvariant = sizeof variants / sizeof *variants,
		.aliases = aliases,
		.nalias = sizeof aliases / sizeof *aliases},
	.prepare = prepare,
	.chunks = chunks,
	.build = build,
	.steps = steps,
	.volume = volume,
	.closed_form = closed_form,
};
