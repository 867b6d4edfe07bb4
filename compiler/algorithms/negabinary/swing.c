/* swing.c - exchanges along the dimensions of a torus that swing to and fro, so that ranks reach
 * each other in log2 N steps over short ways, and over all links at once.
 *
 * The steps are those of negabinary.h: near first, where the most data moves. With d dimensions the
 * data has 2d lanes, two for each dimension that a lane begins with, one a mirror image of the
 * other: each uses a link of its own in every step. In dimensions of up to 4 ranks all exchanges
 * are between neighbours. Further ones go past ranks: where these have links to neighbours only,
 * they pass messages on, all of a step over one link before the next, so that every link carries
 * one message at a time and is busy all the time. Whole vectors are exchanged far first: near
 * first, ranks would add in different orders. Natural K: the lanes, for AllReduce with slices times
 * N.
 *
 * steps    ReduceScatter, AllGather at most q, the sum of ceil(log2 m) over the dimensions of m
 *          ranks; AllReduce 2q; with whole vectors q; where ranks pass on, the sum of the distances
 *          1, 1, 3, 5, 11, ... in each dimension in place of q
 * volume   (N-1)/N of the vector a phase: AllReduce 2(N-1)/N; with whole vectors q; where ranks
 *          pass on, what a step sends times its distance
 * time     with d dimensions of m = 2^i ranks, p in all: in step t = 1, 2, ... of distance h
 *          h (a + n/2^t b/(2d)); AllReduce twice their sum and (p-1)/p n g, with whole vectors
 *          h (a + n b/(2d)) and n g. Other even m: in place of n/2^t the c slices of n/p that the
 *          peer's later steps reach and the rank's own do not, if they lie together. Where
 *          dimensions differ, k lanes share a link in the last steps, which take
 *          h (a + k n/2^t b/(2d)), if all links are shared by as many
 * order    powers of two: near first a quarter of the ranks of each dimension, for each lane; far
 *          first, and with whole vectors, one tree a lane. Other sizes: several trees a lane
 * scratch  with whole vectors 2 vectors; to pass on, 2 messages a lane
 * source   De Sensi, Bonato, Saam and Hoefler, NSDI 2024 (arXiv:2401.09356)
 */
#include "algorithms/direct/closed_form.h"
#include "negabinary.h"

static bool is_small(const struct ordo_resolved_request *request)
{
	return ordo_parameter_is(request, "data", "small");
}

static bool is_far_first(const struct ordo_resolved_request *request)
{
	return ordo_parameter_is(request, "first", "far") ||
	       (ordo_parameter_is(request, "first", "auto") && is_small(request));
}

static bool applicable(const struct ordo_resolved_request *request, struct ordo_error *error)
{
	if (!is_small(request) || request->problem.op == ORDO_ALLREDUCE)
		return true;
	return ordo_fail(error, ORDO_USAGE, 0,
		"algorithm: swing has a form for small data for AllReduce, not for %s",
		ordo_operator_facts(request->problem.op)->name);
}

/* An even size pairs all ranks in every step. Whole vectors would be added twice where two ways
 * lead to one rank, which they do not with powers of two. */
static bool takes(
	const struct ordo_resolved_request *request, uint32_t size, struct ordo_error *error)
{
	if (size % 2) {
		ordo_fail(error, ORDO_USAGE, 0,
			"algorithm: swing needs an even number of ranks in each dimension, found "
			"%u",
			size);
		return ordo_hint(error, "bucket takes dimensions of any size");
	}
	if (!is_small(request) || (size & (size - 1)) == 0)
		return true;
	ordo_fail(error, ORDO_USAGE, 0,
		"algorithm: swing needs a power of two ranks in each dimension for small data, "
		"found %u",
		size);
	return ordo_hint(error, "recursive-doubling takes any number of ranks, and "
				"swing(data=large) any even one");
}

static bool prepare(struct ordo_resolved_request *request, struct ordo_error *error)
{
	const struct ordo_torus *torus = ordo_torus_make(request, error);
	if (!torus)
		return false;
	for (uint32_t i = 0; i < torus->count; i++)
		if (!takes(request, torus->at[i].size, error))
			return false;
	const uint32_t nlane =
		ordo_parameter_is(request, "ports", "one") || !torus->count ? 1 : 2 * torus->count;
	struct ordo_flow *flow = ordo_negabinary_make(request, torus, nlane, is_far_first(request));
	if (!flow)
		return ordo_fail_memory(error);
	ordo_negabinary_relay(request, flow);
	return true;
}

static uint32_t chunks(const struct ordo_resolved_request *request)
{
	return is_small(request) ? ordo_flow_of(request).nlane : ordo_flow_chunks(request);
}

static void build(struct ordo_builder *b, const struct ordo_resolved_request *request)
{
	if (is_small(request))
		ordo_negabinary_exchange(b, request);
	else
		ordo_flow_build(b, request);
}

static uint64_t steps(const struct ordo_resolved_request *request)
{
	return is_small(request) ? ordo_negabinary_exchange_steps(request)
				 : ordo_flow_steps(request);
}

static uint64_t volume(const struct ordo_resolved_request *request)
{
	return is_small(request) ? ordo_negabinary_exchange_volume(request)
				 : ordo_flow_volume(request);
}

/* The rank that the first link on the way of rank 0 in a step leads to. */
static uint32_t next_rank(const struct ordo_flow *flow, uint32_t step)
{
	return ordo_flow_hops(flow, step) > 1 ? ordo_flow_via(flow, step, 0, 1)
					      : ordo_negabinary_peer(flow, step, 0);
}

/* How many lanes go over one link in a step; 0: not over all links as many. */
static uint32_t sharing(const struct ordo_flow *flow, uint32_t step)
{
	struct ordo_flow one = *flow, other = *flow;
	uint32_t found = 0;
	for (one.lane = 0; one.lane < flow->nlane; one.lane++) {
		const uint32_t next = next_rank(&one, step);
		uint32_t lanes = 0;
		for (other.lane = 0; other.lane < flow->nlane; other.lane++)
			lanes += next_rank(&other, step) == next;
		if (found && lanes != found)
			return 0;
		found = lanes;
	}
	return found;
}

/* Whether the slices of every message lie together. Powers of two see to that. */
static bool has_whole_messages(const struct ordo_flow *flow)
{
	struct ordo_flow lane = *flow;
	if ((flow->n & (flow->n - 1)) == 0)
		return true;
	for (lane.lane = 0; lane.lane < flow->nlane; lane.lane++)
		for (uint32_t step = 0; step < flow->nstep; step++)
			for (uint32_t member = 0; member < flow->n; member++)
				if (ordo_flow_transfer(&lane, ORDO_FLOW_SUM, step, member).nrun > 1)
					return false;
	return true;
}

/* Lanes as in bucket, in steps of halving and doubling, each of which goes over h links of a torus
 * one after another, which k lanes share: h (a + k n/2^t b), t = 1, 2, ... Where blocks are given,
 * and far first, a step sends several runs, and those of one lane go on before those of another are
 * there. */
static bool closed_form(const struct ordo_resolved_request *request, struct ordo_cost *cost)
{
	const struct ordo_flow flow = ordo_flow_of(request);
	const uint64_t p = request->problem.nrank, K = request->problem.chunks_per_block;
	const uint32_t q = flow.nstep, lanes = flow.nlane;
	const bool ports = request->topology && request->topology->ports;
	uint64_t links = 0, vectors = 0, blocks = 0;
	if (lanes > 1 && (ports || K % lanes))
		return false;
	for (uint32_t step = 0; step < q; step++) {
		const uint64_t hops = ordo_flow_hops(&flow, step), shared = sharing(&flow, step);
		if (!shared)
			return false;
		links += hops;
		vectors += hops * shared;
		blocks += hops * shared * flow.sends(&flow, step, 0).count;
	}
	if (ordo_parameter_is(request, "data", "small"))
		return ordo_form_is(
			cost, ORDO_COST_ROUNDS, links, vectors, (uint64_t)lanes * q, lanes);
	if (lanes == 1 && links == q)
		return ordo_form_phases(request, ORDO_COST_ROUNDS, q, cost);
	return request->problem.op == ORDO_ALLREDUCE && !flow.variant && K % (lanes * p) == 0 &&
	       has_whole_messages(&flow) &&
	       ordo_form_is(
		       cost, ORDO_COST_ROUNDS, 2 * links, 2 * blocks, lanes * (p - 1), lanes * p);
}

static const struct ordo_parameter parameters[] = {
	ORDO_TORUS_SIZES,
	{.name = "data",
		.values = "large|small",
		.fallback = "large",
		.meaning = "large: halving and doubling; small: whole vectors in every step",
		.kind = ORDO_WORD},
	{.name = "first",
		.values = "auto|near|far",
		.fallback = "auto",
		.meaning = "which steps come first; auto: near, but far for small data, so that "
			   "all ranks add alike",
		.kind = ORDO_WORD},
	{.name = "ports",
		.values = "all|one",
		.fallback = "all",
		.meaning = "all: two lanes for each dimension, over all links at once; one: one "
			   "lane",
		.kind = ORDO_WORD},
};

static const struct ordo_variant variants[] = {
	{.settings = "", .sparse = true},
	{.settings = "first=far",
		.operators = 1u << ORDO_ALLREDUCE | 1u << ORDO_REDUCESCATTER,
		.sparse = true},
	{.settings = "data=small", .operators = 1u << ORDO_ALLREDUCE, .sparse = true},
};

const struct ordo_algorithm ordo_algorithm_swing = {
	.facts = {.name = "swing",
		.summary = "short distances back and forth along the dimensions of a torus, over "
			   "all its links at once",
		.how = "In step s a rank exchanges data with the rank (1-(-2)^(s+1))/3 places "
		       "along a ring, 1, -1, 3, -5, 11, ...: even ranks go forwards, odd ones "
		       "backwards. On a torus the steps alternate between dimensions. The amount "
		       "exchanged halves from step to step, then doubles. The data has two parts "
		       "for each dimension, which take different paths at the same time.",
		.when = "For tori and rings with even dimensions, best powers of two, at sizes "
			"between those where only latency counts and those where rings are as "
			"fast: log2 N steps for each phase. On dimensions above 4, messages pass "
			"other ranks: the network forwards them, or these ranks do, over links to "
			"their neighbours.",
		.operators = 1u << ORDO_ALLREDUCE | 1u << ORDO_REDUCESCATTER | 1u << ORDO_ALLGATHER,
		.ranks = "even in each dimension; small data 2^q",
		.steps = "at most q = sum of ceil(log2 m); AllReduce 2q; small data q; where ranks "
			 "pass on, distances 1, 1, 3, "
			 "5, 11, ... for each 1",
		.volume = "(N-1)/N n; AllReduce 2(N-1)/N n; small data q n; where ranks pass on, "
			  "more",
		.order =
			"2^q: near first N/4 trees for each lane in a ring; far first, small data: "
			"one for each lane; other even N: several",
		.topologies = "torus and ring; full mesh, switched",
		.source = "De Sensi, Bonato, Saam and Hoefler 2024",
		.parameters = parameters,
		.nparameter = sizeof parameters / sizeof *parameters,
		.variants = variants,
		.nvariant = sizeof variants / sizeof *variants},
	.applicable = applicable,
	.prepare = prepare,
	.chunks = chunks,
	.build = build,
	.steps = steps,
	.volume = volume,
	.closed_form = closed_form,
};
