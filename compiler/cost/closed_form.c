/* closed_form.c - the costs that are known as formulas, one algorithm a function.
 *
 * p ranks, n bytes, q = ceil(log2 p); a a step, b a byte on a link, g a byte added:
 *
 *   ring      AllGather, Scatter, Gather      (p-1)a + (p-1)/p n b
 *             ReduceScatter                   (p-1)a + (p-1)/p n (b+g)
 *             AllReduce                      2(p-1)a + 2(p-1)/p n b + (p-1)/p n g
 *             Broadcast, Reduce in K chunks  (p-2+K)(a + n/K b [+ n/K g])
 *   mesh      AllGather, Scatter, Gather      a + n/p b                                over p-1
 *             links at once
 *             ReduceScatter                   a + n/p b + (p-1)/p n g
 *             AllReduce two-shot             2a + 2/p n b + (p-1)/p n g
 *             AllReduce one-shot              a + n b + (p-1) n g
 *   halving-doubling, p = 2^q: ReduceScatter, AllReduce; recursive-doubling; rhd; nhr, nb;
 *   pairwise AllToAll; binomial tree; dyadic; S equal servers of G ranks: below
 *
 * source  Thakur, Rabenseifner and Gropp, Int. J. High Perform. Comput. Appl. 19(1), 2005; the
 *         algorithms' own files
 */
#include "algorithms/flow/pat.h"
#include "algorithms/flow/recursive_multiplying.h"
#include "algorithms/hierarchy/servers.h"
#include "algorithms/negabinary/swing.h"
#include "algorithms/ring/torus.h"
#include "cost.h"
#include <string.h>

/* wire/parts and reduced/parts of n. */
static bool is(struct ordo_cost *cost, enum ordo_cost_source source, uint64_t steps, uint64_t wire,
	uint64_t reduced, uint64_t parts)
{
	*cost = (struct ordo_cost){steps, wire, reduced, parts, source};
	return true;
}

/* ceil(log2 p) */
static uint32_t rounds_to_reach(uint32_t p)
{
	uint32_t q = 0;
	while (UINT64_C(1) << q < p)
		q++;
	return q;
}

static uint32_t largest_power(uint32_t p)
{
	uint32_t power = 1;
	while (power <= p / 2)
		power *= 2;
	return power;
}

/* The formulas cut a vector into p equal slices. */
static bool has_slices(const struct ordo_resolved_request *request, uint32_t p)
{
	return ordo_nblock(&request->problem) > 1 || request->problem.chunks_per_block % p == 0;
}

static bool ring(const struct ordo_resolved_request *request, struct ordo_cost *cost)
{
	const uint64_t p = request->problem.nrank, K = request->problem.chunks_per_block,
		       way = p - 2 + K;
	if (ordo_parameter_number(request, "directions") != 1 ||
		ordo_parameter_number(request, "rings") != 1)
		return false;
	switch (request->problem.op) {
	case ORDO_ALLGATHER:
	case ORDO_SCATTER:
	case ORDO_GATHER:
		return is(cost, ORDO_COST_TABLE, p - 1, p - 1, 0, p);
	case ORDO_REDUCESCATTER:
		return is(cost, ORDO_COST_TABLE, p - 1, p - 1, p - 1, p);
	case ORDO_ALLREDUCE:
		return has_slices(request, request->problem.nrank) &&
		       is(cost, ORDO_COST_TABLE, 2 * (p - 1), 2 * (p - 1), p - 1, p);
	case ORDO_BROADCAST:
		return is(cost, K == 1 ? ORDO_COST_TABLE : ORDO_COST_ROUNDS, way, way, 0, K);
	case ORDO_REDUCE:
		return is(cost, K == 1 ? ORDO_COST_TABLE : ORDO_COST_ROUNDS, way, way, way, K);
	case ORDO_ALLTOALL:
	case ORDO_CUSTOM:
		break;
	}
	return false;
}

/* With fewer links than partners the partners are served in rounds. */
static uint64_t mesh_rounds(const struct ordo_resolved_request *request)
{
	const uint32_t partners = request->problem.nrank - 1,
		       ports = request->topology ? request->topology->ports : 0;
	const uint32_t links = ordo_parameter_is(request, "streams", "one") ? 1
			       : ports && ports < partners		    ? ports
									    : partners;
	return (partners + links - 1) / links;
}

static bool mesh(const struct ordo_resolved_request *request, struct ordo_cost *cost)
{
	const uint64_t p = request->problem.nrank, times = mesh_rounds(request);
	const enum ordo_cost_source source = times == 1 ? ORDO_COST_TABLE : ORDO_COST_ROUNDS;
	const bool slices = has_slices(request, request->problem.nrank);
	switch (request->problem.op) {
	case ORDO_ALLGATHER:
	case ORDO_SCATTER:
	case ORDO_GATHER:
		return is(cost, source, times, times, 0, p);
	case ORDO_REDUCESCATTER:
		return is(cost, source, times, times, p - 1, p);
	case ORDO_ALLREDUCE:
		if (ordo_parameter_is(request, "shots", "1"))
			return is(cost, source, times, times, p - 1, 1);
		return slices && is(cost, source, 2 * times, 2 * times, p - 1, p);
	case ORDO_BROADCAST:
		if (!ordo_parameter_is(request, "shots", "2"))
			return is(cost, ORDO_COST_ROUNDS, times, times, 0, 1);
		return slices && is(cost, ORDO_COST_ROUNDS, 2 * times, 2 * times, 0, p);
	case ORDO_REDUCE:
		if (!ordo_parameter_is(request, "shots", "2"))
			return is(cost, ORDO_COST_ROUNDS, times, times, p - 1, 1);
		return slices && is(cost, ORDO_COST_ROUNDS, 2 * times, 2 * times, p - 1, p);
	case ORDO_ALLTOALL:
		return is(cost, ORDO_COST_ROUNDS, times, times, 0, p);
	case ORDO_CUSTOM:
		break;
	}
	return false;
}

/* A phase of `rounds` rounds in which everything but a rank's own slice goes once. */
static bool phases(const struct ordo_resolved_request *request, enum ordo_cost_source source,
	uint64_t rounds, struct ordo_cost *cost)
{
	const uint64_t p = request->problem.nrank;
	switch (request->problem.op) {
	case ORDO_REDUCESCATTER:
		return is(cost, source, rounds, p - 1, p - 1, p);
	case ORDO_ALLGATHER:
		return is(cost, source, rounds, p - 1, 0, p);
	case ORDO_ALLREDUCE:
		return has_slices(request, request->problem.nrank) &&
		       is(cost, source, 2 * rounds, 2 * (p - 1), p - 1, p);
	case ORDO_REDUCE:
	case ORDO_BROADCAST:
	case ORDO_SCATTER:
	case ORDO_GATHER:
	case ORDO_ALLTOALL:
	case ORDO_CUSTOM:
		break;
	}
	return false;
}

static bool halving_doubling(const struct ordo_resolved_request *request, struct ordo_cost *cost)
{
	const bool published = request->problem.op != ORDO_ALLGATHER;
	return phases(request, published ? ORDO_COST_TABLE : ORDO_COST_ROUNDS,
		rounds_to_reach(request->problem.nrank), cost);
}

/* p' = 2^k, the largest power of two not above p: halving and doubling among p', and all of the
 * vector of the ranks beyond it there and back. */
static bool rhd(const struct ordo_resolved_request *request, struct ordo_cost *cost)
{
	const uint32_t power = largest_power(request->problem.nrank), k = rounds_to_reach(power);
	if (power == request->problem.nrank)
		return halving_doubling(request, cost);
	return request->problem.op == ORDO_ALLREDUCE && has_slices(request, power) &&
	       is(cost, ORDO_COST_TABLE, 2 * k + 2, 4 * (uint64_t)power - 2,
		       2 * (uint64_t)power - 1, power);
}

/* p' = 2^k as for rhd: all of the vector in every exchange, and of the vectors of the ranks beyond
 * p' there and back. */
static bool recursive_doubling(const struct ordo_resolved_request *request, struct ordo_cost *cost)
{
	const uint32_t power = largest_power(request->problem.nrank), k = rounds_to_reach(power);
	if (power == request->problem.nrank)
		return is(cost, ORDO_COST_TABLE, k, k, k, 1);
	return is(cost, ORDO_COST_ROUNDS, k + 2, k + 2, k + 1, 1);
}

/* With links to all of a group at once. */
static bool recursive_multiplying(
	const struct ordo_resolved_request *request, struct ordo_cost *cost)
{
	const struct ordo_factors factors = ordo_multiplying_factors(request);
	const uint64_t p = request->problem.nrank, joins = p > factors.product;
	uint64_t added = joins, blocks = 0;
	for (uint32_t i = 0; i < factors.count; i++) {
		added += factors.factor[i] - 1;
		blocks += factors.stride[i];
	}
	if (request->topology && request->topology->ports)
		return false;
	if (request->problem.op == ORDO_ALLGATHER)
		return is(cost, ORDO_COST_ROUNDS, factors.count, blocks, 0, p);
	return request->problem.op == ORDO_ALLREDUCE &&
	       is(cost, ORDO_COST_ROUNDS, factors.count + 2 * joins, factors.count + 2 * joins,
		       added, 1);
}

/* All of the vector in every round, up a tree, down it, or both. */
static bool whole_vectors(const struct ordo_resolved_request *request, enum ordo_cost_source source,
	struct ordo_cost *cost)
{
	const uint64_t q = rounds_to_reach(request->problem.nrank);
	if (request->problem.op == ORDO_ALLREDUCE)
		return is(cost, ORDO_COST_ROUNDS, 2 * q, 2 * q, q, 1);
	if (request->problem.op == ORDO_REDUCE)
		return is(cost, source, q, q, q, 1);
	return request->problem.op == ORDO_BROADCAST && is(cost, source, q, q, 0, 1);
}

static bool nonuniform(const struct ordo_resolved_request *request, struct ordo_cost *cost)
{
	return phases(request, ORDO_COST_TABLE, rounds_to_reach(request->problem.nrank), cost);
}

static bool nhr(const struct ordo_resolved_request *request, struct ordo_cost *cost)
{
	return ordo_parameter_is(request, "data", "small")
		       ? whole_vectors(request, ORDO_COST_ROUNDS, cost)
		       : nonuniform(request, cost);
}

/* The forms of halving and doubling, and of a binomial tree. */
static bool bine(const struct ordo_resolved_request *request, struct ordo_cost *cost)
{
	const uint32_t q = rounds_to_reach(request->problem.nrank);
	if (!ordo_parameter_is(request, "data", "small"))
		return phases(request, ORDO_COST_ROUNDS, q, cost);
	return request->problem.op == ORDO_ALLREDUCE
		       ? is(cost, ORDO_COST_ROUNDS, q, q, q, 1)
		       : request->problem.chunks_per_block == 1 &&
				 whole_vectors(request, ORDO_COST_ROUNDS, cost);
}

static bool pat(const struct ordo_resolved_request *request, struct ordo_cost *cost)
{
	return phases(request, ORDO_COST_ROUNDS, ordo_pat_rounds(request), cost);
}

/* K chunks in K-1+q rounds, one a round. */
static bool circulant(const struct ordo_resolved_request *request, struct ordo_cost *cost)
{
	const uint64_t K = request->problem.chunks_per_block,
		       rounds = K - 1 + rounds_to_reach(request->problem.nrank);
	if (request->problem.op == ORDO_BROADCAST)
		return is(cost, ORDO_COST_ROUNDS, rounds, rounds, 0, K);
	if (request->problem.op == ORDO_REDUCE)
		return is(cost, ORDO_COST_ROUNDS, rounds, rounds, rounds, K);
	return phases(request, ORDO_COST_ROUNDS, rounds_to_reach(request->problem.nrank), cost);
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

static bool tree(const struct ordo_resolved_request *request, struct ordo_cost *cost)
{
	const bool has_radix = ordo_parameter_is(request, "shape", "k-nomial") ||
			       ordo_parameter_is(request, "shape", "k-ary");
	const bool all_at_once = !request->topology || !request->topology->ports;
	if (has_radix && request->problem.op == ORDO_BROADCAST && all_at_once &&
		request->problem.chunks_per_block == 1) {
		const uint32_t height = height_with_radix(request);
		return is(cost, ORDO_COST_ROUNDS, height, height, 0, 1);
	}
	return ordo_parameter_is(request, "shape", "binomial") &&
	       request->problem.chunks_per_block == 1 &&
	       whole_vectors(request, ORDO_COST_TABLE, cost);
}

/* p = 2^a m: a rounds of halving, then m-1 partners one after another. */
static bool dyadic(const struct ordo_resolved_request *request, struct ordo_cost *cost)
{
	const uint32_t p = request->problem.nrank, power = p & (~p + 1);
	return phases(request,
		request->problem.op == ORDO_REDUCESCATTER ? ORDO_COST_TABLE : ORDO_COST_ROUNDS,
		rounds_to_reach(power) + p / power - 1, cost);
}

/* M servers of R ranks: R/2 rounds, in which the links inside columns carry most, M blocks a round;
 * then M-1 between servers. */
static bool birs(const struct ordo_resolved_request *request, struct ordo_cost *cost)
{
	const uint64_t p = request->problem.nrank, M = ordo_parameter_number(request, "servers"),
		       R = p / M, rounds = R / 2 + M - 1;
	/* On one port the two kinds of links take turns. */
	const bool one_port = request->topology && request->topology->ports == 1;
	const uint64_t blocks = one_port ? p - 1 : R / 2 * M + M - 1;
	if (request->problem.op == ORDO_REDUCESCATTER)
		return is(cost, ORDO_COST_ROUNDS, rounds, blocks, p - 1, p);
	return has_slices(request, request->problem.nrank) &&
	       is(cost, ORDO_COST_ROUNDS, 2 * rounds, 2 * blocks, p - 1, p);
}

/* d dimensions of m > 2 ranks: in each phase floor(m/2) steps a dimension, and a 2d-th of the data
 * on each link. */
static bool bucket(const struct ordo_resolved_request *request, struct ordo_cost *cost)
{
	const uint64_t p = request->problem.nrank;
	uint32_t m = 1;
	const uint64_t d = ordo_torus_cube(request->prepared, &m), steps = d * (m / 2);
	const bool all_links = !request->topology || !request->topology->ports;
	if (!d || m < 3 || !all_links || request->problem.chunks_per_block % (2 * d))
		return false;
	/* Where blocks are given, what is sent in a step does not lie together. */
	if (request->problem.op != ORDO_ALLREDUCE && d > 1)
		return false;
	if (request->problem.op == ORDO_ALLREDUCE)
		return request->problem.chunks_per_block % (2 * d * p) == 0 &&
		       is(cost, ORDO_COST_ROUNDS, 2 * steps, 2 * (p - 1), 2 * d * (p - 1),
			       2 * d * p);
	return is(cost, ORDO_COST_ROUNDS, steps, p - 1,
		request->problem.op == ORDO_REDUCESCATTER ? 2 * d * (p - 1) : 0, 2 * d * p);
}

/* Lanes as in bucket, in steps of halving and doubling, each of which goes over h links of a torus
 * one after another: in every step h (a + n/2^t b), t = 1, 2, ... Where blocks are given, and far
 * first, a step sends several runs, and those of one lane go on before those of another are there.
 */
static bool swing(const struct ordo_resolved_request *request, struct ordo_cost *cost)
{
	const struct ordo_flow flow = ordo_flow_of(request);
	const uint64_t p = request->problem.nrank, K = request->problem.chunks_per_block;
	const uint32_t q = flow.nstep, lanes = flow.nlane;
	uint64_t links = 0, blocks = 0;
	if (lanes > 1 && (!ordo_swing_spreads(request) || K % lanes))
		return false;
	for (uint32_t step = 0; step < q; step++) {
		links += ordo_flow_hops(&flow, step);
		blocks += ordo_flow_hops(&flow, step) * (p >> (step + 1));
	}
	if (ordo_parameter_is(request, "data", "small"))
		return is(cost, ORDO_COST_ROUNDS, links, links, (uint64_t)lanes * q, lanes);
	if (lanes == 1 && links == q)
		return phases(request, ORDO_COST_ROUNDS, q, cost);
	return request->problem.op == ORDO_ALLREDUCE && !flow.variant && K % (lanes * p) == 0 &&
	       is(cost, ORDO_COST_ROUNDS, 2 * links, 2 * blocks, lanes * (p - 1), lanes * p);
}

static bool alltoall(const struct ordo_resolved_request *request, struct ordo_cost *cost)
{
	const uint64_t p = request->problem.nrank;
	return ordo_parameter_is(request, "method", "pairwise") &&
	       is(cost, ORDO_COST_TABLE, p - 1, p - 1, 0, p);
}

/* S servers of G ranks each, both more than 1, with a link for each pair of ranks that meet. */
static bool on_equal_servers(const struct ordo_resolved_request *request, uint64_t *S, uint64_t *G)
{
	const struct ordo_servers *servers = request->prepared;
	*S = servers->nserver;
	*G = ordo_servers_largest(servers);
	return *S > 1 && *G > 1 && *S * *G == servers->nrank &&
	       ordo_parameter_is(request, "streams", "peers") &&
	       !(request->topology && request->topology->ports);
}

/* Within a server a block for each server goes over every link; between them one. */
static bool asymmetric(const struct ordo_resolved_request *request, struct ordo_cost *cost)
{
	const uint64_t p = request->problem.nrank;
	uint64_t S, G;
	if (!on_equal_servers(request, &S, &G) || !has_slices(request, request->problem.nrank))
		return false;
	if (request->problem.op == ORDO_ALLGATHER)
		return is(cost, ORDO_COST_ROUNDS, 2, S, 0, p);
	if (request->problem.op == ORDO_REDUCESCATTER)
		return is(cost, ORDO_COST_ROUNDS, 2, S, p - 1, p);
	return is(cost, ORDO_COST_ROUNDS, 4, 2 * S, p - 1, p);
}

/* A rank sends each other one of its server a block for every other server, and then one of each
 * rank of a server between servers. */
static bool aggregated(const struct ordo_resolved_request *request, struct ordo_cost *cost)
{
	uint64_t S, G;
	return on_equal_servers(request, &S, &G) &&
	       ordo_parameter_is(request, "aggregators", "all") &&
	       is(cost, ORDO_COST_ROUNDS, 2, S + G - 1, 0, request->problem.nrank);
}

static const struct {
	const char *algorithm;
	bool (*cost)(const struct ordo_resolved_request *request, struct ordo_cost *cost);
} forms[] = {
	{"ring", ring},
	{"bucket", bucket},
	{"mesh", mesh},
	{"alltoall", alltoall},
	{"dyadic", dyadic},
	{"birs", birs},
	{"halving-doubling", halving_doubling},
	{"recursive-doubling", recursive_doubling},
	{"recursive-multiplying", recursive_multiplying},
	{"swing", swing},
	{"bine", bine},
	{"rhd", rhd},
	{"nhr", nhr},
	{"nb", nonuniform},
	{"pat", pat},
	{"tree", tree},
	{"circulant", circulant},
	{"asymmetric", asymmetric},
	{"aggregated", aggregated},
};

bool ordo_closed_form(const struct ordo_resolved_request *request, struct ordo_cost *cost)
{
	if (request->problem.nrank == 1)
		return is(cost, ORDO_COST_TABLE, 0, 0, 0, 1);
	for (size_t i = 0; i < sizeof forms / sizeof *forms; i++)
		if (!strcmp(forms[i].algorithm, request->algorithm->facts.name))
			return forms[i].cost(request, cost);
	return false;
}
