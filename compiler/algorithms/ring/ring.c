/* ring.c - every chunk goes round a ring of ranks: the way of least volume, at N-1 steps a round.
 *
 * The ring is any Hamiltonian cycle of the topology, given or found; several link-disjoint cycles,
 * and both directions of each, share the data evenly. Each cycle and direction is a lane with a
 * stream of its own; with via=spread there are as many lanes as ways between two neighbours, or as
 * many as come next below, so that each can take another way. The natural number of chunks gives
 * every lane and, where one vector is cut into slices (AllReduce) or goes through a chain
 * (Broadcast, Reduce), every rank a chunk.
 *
 * steps    N-1, AllReduce 2(N-1); Broadcast and Reduce are pipelines: any one chunk takes N-1
 *
 * volume   AllReduce 2(N-1)/N of the vector leaves each rank; ReduceScatter, AllGather, and the
 *          root of Scatter N-1 blocks; Broadcast and Reduce the vector
 *
 * order    a chain along the ring: from the position behind the slice's own to its own, N trees for
 *          ReduceScatter and AllReduce in one lane; Reduce one chain that ends at the root
 *
 * scratch  3 blocks (Reduce: 3 chunks a lane) in all, divided among the lanes: ReduceScatter and
 *          Reduce out of place, Scatter, Gather
 *
 * source   Patarasuk and Yuan, J. Parallel Distrib. Comput. 69(2), 2009
 */
#include "algorithm.h"
#include "algorithms/direct/closed_form.h"
#include "cycles/cycles.h"
#include "request/fast_links.h"
#include "ring_lanes.h"
#include "ways/ways.h"
#include <ordo/arena.h>
#include <string.h>

/* What `prepare` finds. */
struct rings {
	/* Cycles times directions times `nway`; the directions of a cycle one after another. */
	uint32_t nlane, nway;
	uint32_t *orders, *positions; /* [nlane][nrank] */
};

static bool is_pipeline(enum ordo_operator op)
{
	return op == ORDO_BROADCAST || op == ORDO_REDUCE;
}

static uint32_t count_rings(const struct ordo_resolved_request *request)
{
	const struct ordo_value *order = ordo_parameter_value(request, "order");
	return order->nlist ? order->nlist : ordo_parameter_number(request, "rings");
}

static bool applicable(const struct ordo_resolved_request *request, struct ordo_error *error)
{
	const uint32_t nlist = ordo_parameter_value(request, "order")->nlist,
		       nring = ordo_parameter_number(request, "rings"), n = request->problem.nrank,
		       most = n < 5 ? 1 : (n - 1) / 2;
	if (request->problem.nshard != request->problem.nrank)
		return ordo_fail(error, ORDO_USAGE, 0,
			"ring: found %u virtual shards, wanted one a rank (%u)",
			request->problem.nshard, request->problem.nrank);
	if (nring > most)
		return ordo_fail(error, ORDO_USAGE, 0,
			"ring: found rings=%u, wanted 1..%u (link-disjoint rings over %u ranks)",
			nring, most, n);
	if (nlist && nring != 1 && nlist != nring)
		return ordo_fail(error, ORDO_USAGE, 0,
			"ring: order gives %u ring%s, rings asks for %u", nlist,
			nlist == 1 ? "" : "s", nring);
	return true;
}

static bool take_given(
	const struct ordo_resolved_request *request, uint32_t *cycles, struct ordo_error *error)
{
	const struct ordo_value *order = ordo_parameter_value(request, "order");
	uint32_t n = request->problem.nrank, first = 0;
	for (uint32_t i = 0; i < order->nlist; i++) {
		const uint32_t *given = order->items + first;
		if (!ordo_cycle_check(request->topology, n, given, order->ends[i] - first, error))
			return false;
		memcpy(cycles + (size_t)i * n, given, n * sizeof *cycles);
		first = order->ends[i];
	}
	return ordo_cycles_disjoint(n, order->nlist, cycles, error);
}

/* The cycle as a lane goes along it: forwards or backwards, a root at position 0. */
static void lay_lane(const struct ordo_problem *problem, const uint32_t *cycle, bool backwards,
	uint32_t *order, uint32_t *positions)
{
	uint32_t n = problem->nrank, first = 0;
	while (ordo_operator_facts(problem->op)->rooted && cycle[first] != problem->root)
		first++;
	for (uint32_t p = 0; p < n; p++) {
		order[p] = cycle[(backwards ? first + n - p : first + p) % n];
		positions[order[p]] = p;
	}
}

/* Finds rings without slow links, or else with them. */
static bool find_cycles(const struct ordo_resolved_request *request, uint32_t nring,
	uint32_t *cycles, struct ordo_error *error)
{
	const uint32_t n = request->problem.nrank;
	struct ordo_error why = {0};
	if (!ordo_parameter_is(request, "links", "auto") || !ordo_has_slow_links(request->topology))
		return ordo_cycles_find(request->topology, n, nring, cycles, error);
	struct ordo_topology *fast = ordo_without_slow_links(request->topology, error);
	if (!fast)
		return false;
	const bool found = ordo_cycles_find(fast, n, nring, cycles, &why);
	ordo_topology_destroy(fast);
	return found || (why.code == ORDO_ENVIRONMENT ? ordo_fail_memory(error)
						      : ordo_cycles_find(request->topology, n,
								nring, cycles, error));
}

enum { MOST_WAYS = 4 };

/* How many lanes go along a cycle in one direction: with via=spread so many that there are no more
 * lanes than ways between two neighbours; 1 elsewhere. */
static bool count_ways(const struct ordo_resolved_request *request, const uint32_t *cycles,
	uint32_t nring, uint32_t *count, struct ordo_error *error)
{
	const uint32_t n = request->problem.nrank,
		       nlane = nring * ordo_parameter_number(request, "directions");
	struct ordo_ways ways;
	struct ordo_way found[ORDO_MOST_WAYS];
	uint32_t most = 1;
	*count = 1;
	if (!request->topology || !request->topology->nswitch || n == 1 ||
		!ordo_parameter_is(request, "via", "spread"))
		return true;
	const bool worked = ordo_ways_make(&ways, request->topology, error);
	for (uint32_t i = 0; worked && i < nring * n; i++) {
		const uint32_t next = i % n + 1 < n ? i + 1 : i + 1 - n,
			       here = ordo_ways_between(&ways, cycles[i], cycles[next], found);
		most = here > most ? here : most;
	}
	ordo_ways_free(&ways);
	most = most < MOST_WAYS ? most : MOST_WAYS;
	*count = most > nlane ? most / nlane : 1;
	return worked;
}

static bool prepare(struct ordo_resolved_request *request, struct ordo_error *error)
{
	uint32_t n = request->problem.nrank, nring = count_rings(request),
		 ndirection = ordo_parameter_number(request, "directions");
	struct rings *rings = ordo_arena_alloc(&request->arena, sizeof *rings);
	uint32_t *cycles = ordo_arena_alloc(&request->arena, (size_t)nring * n * sizeof *cycles);
	if (!rings || !cycles)
		return ordo_fail_memory(error);
	bool given = ordo_parameter_value(request, "order")->nlist;
	if (given ? !take_given(request, cycles, error)
		  : !find_cycles(request, nring, cycles, error))
		return false;
	if (!count_ways(request, cycles, nring, &rings->nway, error))
		return false;
	rings->nlane = nring * ndirection * rings->nway;
	const size_t nposition = (size_t)rings->nlane * n;
	rings->orders = ordo_arena_alloc(&request->arena, nposition * sizeof *rings->orders);
	rings->positions = ordo_arena_alloc(&request->arena, nposition * sizeof *rings->positions);
	if (!rings->orders || !rings->positions)
		return ordo_fail_memory(error);
	for (uint32_t l = 0; l < rings->nlane; l++) {
		const uint32_t of = l / rings->nway;
		lay_lane(&request->problem, cycles + (size_t)(of / ndirection) * n, of % ndirection,
			rings->orders + (size_t)l * n, rings->positions + (size_t)l * n);
	}
	request->prepared = rings;
	return true;
}

static uint32_t natural_chunks(const struct ordo_resolved_request *request)
{
	const struct rings *rings = request->prepared;
	bool sliced = request->problem.op == ORDO_ALLREDUCE || is_pipeline(request->problem.op);
	return sliced ? request->problem.nrank * rings->nlane : rings->nlane;
}

static struct ordo_ring_lane lane_of(const struct ordo_resolved_request *request, uint32_t l)
{
	const struct rings *rings = request->prepared;
	uint32_t n = request->problem.nrank;
	return (struct ordo_ring_lane){
		.n = n,
		.order = rings->orders + (size_t)l * n,
		.positions = rings->positions + (size_t)l * n,
		.number = rings->nlane > 1 ? l : ORDO_NONE,
		.problem = &request->problem,
		.share = ordo_slice_of(request->problem.chunks_per_block, rings->nlane, l),
	};
}

static void build_lane(struct ordo_builder *b, struct ordo_ring_lane *lane)
{
	ordo_stream(b, "ring", lane->number);
	switch (lane->problem->op) {
	case ORDO_ALLREDUCE:
		ordo_lane_sum(b, lane);
		ordo_lane_spread(b, lane);
		break;
	case ORDO_REDUCESCATTER:
		ordo_lane_sum(b, lane);
		break;
	case ORDO_ALLGATHER:
		ordo_lane_spread(b, lane);
		break;
	case ORDO_REDUCE:
		ordo_lane_sum_to_root(b, lane);
		break;
	case ORDO_BROADCAST:
		ordo_lane_broadcast(b, lane);
		break;
	case ORDO_SCATTER:
		ordo_lane_scatter(b, lane);
		break;
	case ORDO_GATHER:
		ordo_lane_gather(b, lane);
		break;
	case ORDO_ALLTOALL:
	case ORDO_CUSTOM:
		break;
	}
}

/* Beside the ring: what a rank has in its input and needs, as it is, in its output. */
static void keep_own(struct ordo_builder *b, const struct ordo_problem *problem)
{
	uint32_t K = problem->chunks_per_block;
	bool one_block = problem->op == ORDO_ALLREDUCE || is_pipeline(problem->op);
	bool all_summed = ordo_operator_facts(problem->op)->reduces && problem->nrank > 1;
	ordo_stream(b, "copy", ORDO_NONE);
	ordo_phase(b, "copy in", ORDO_NONE);
	for (uint32_t rank = 0; !all_summed && rank < problem->nrank; rank++) {
		uint32_t chunk = one_block ? 0 : rank * K;
		if (ordo_has_input(b, rank, chunk) && ordo_has_output(b, rank, chunk))
			ordo_copy(b, ordo_output_of(b, rank, chunk), ordo_input_of(b, rank, chunk),
				K);
	}
}

static void build(struct ordo_builder *b, const struct ordo_resolved_request *request)
{
	const struct rings *rings = request->prepared;
	for (uint32_t l = 0; request->problem.nrank > 1 && l < rings->nlane; l++) {
		struct ordo_ring_lane lane = lane_of(request, l);
		if (lane.share.count)
			build_lane(b, &lane);
	}
	keep_own(b, &request->problem);
}

static uint64_t count_steps(const struct ordo_resolved_request *request)
{
	uint64_t hops = request->problem.nrank - 1;
	return request->problem.op == ORDO_ALLREDUCE ? 2 * hops : hops;
}

/* Chunks that leave position p of a lane. */
static uint64_t count_sent(const struct ordo_ring_lane *lane, uint32_t p)
{
	uint64_t n = lane->n, share = lane->share.count;
	switch (lane->problem->op) {
	/* the sum of its own slice stays here, and nobody passes a slice to where it came from */
	case ORDO_ALLREDUCE:
		return 2 * share - ordo_lane_slice(lane, p).count -
		       ordo_lane_slice(lane, (int64_t)p + 1).count;
	case ORDO_REDUCESCATTER:
	case ORDO_ALLGATHER:
		return (n - 1) * share;
	case ORDO_BROADCAST:
		return p + 1 < n ? share : 0;
	case ORDO_REDUCE:
		return p ? share : 0;
	case ORDO_SCATTER:
		return (n - 1 - p) * share;
	case ORDO_GATHER:
		return p * share;
	case ORDO_ALLTOALL:
	case ORDO_CUSTOM:
		break;
	}
	return 0;
}

static uint64_t count_volume(const struct ordo_resolved_request *request)
{
	const struct rings *rings = request->prepared;
	uint64_t busiest = 0;
	for (uint32_t rank = 0; request->problem.nrank > 1 && rank < request->problem.nrank;
		rank++) {
		uint64_t sent = 0;
		for (uint32_t l = 0; l < rings->nlane; l++) {
			struct ordo_ring_lane lane = lane_of(request, l);
			sent += count_sent(&lane, lane.positions[rank]);
		}
		if (sent > busiest)
			busiest = sent;
	}
	return busiest;
}

static bool closed_form(const struct ordo_resolved_request *request, struct ordo_cost *cost)
{
	const uint64_t p = request->problem.nrank, K = request->problem.chunks_per_block,
		       way = p - 2 + K;
	const struct rings *rings = request->prepared;
	if (rings->nlane != 1)
		return false;
	switch (request->problem.op) {
	case ORDO_ALLGATHER:
	case ORDO_SCATTER:
	case ORDO_GATHER:
		return ordo_form_is(cost, ORDO_COST_TABLE, p - 1, p - 1, 0, p);
	case ORDO_REDUCESCATTER:
		return ordo_form_is(cost, ORDO_COST_TABLE, p - 1, p - 1, p - 1, p);
	case ORDO_ALLREDUCE:
		return ordo_form_has_slices(request, request->problem.nrank) &&
		       ordo_form_is(cost, ORDO_COST_TABLE, 2 * (p - 1), 2 * (p - 1), p - 1, p);
	case ORDO_BROADCAST:
		return ordo_form_is(
			cost, K == 1 ? ORDO_COST_TABLE : ORDO_COST_ROUNDS, way, way, 0, K);
	case ORDO_REDUCE:
		return ordo_form_is(
			cost, K == 1 ? ORDO_COST_TABLE : ORDO_COST_ROUNDS, way, way, way, K);
	case ORDO_ALLTOALL:
	case ORDO_CUSTOM:
		break;
	}
	return false;
}

static const struct ordo_parameter parameters[] = {
	{.name = "order",
		.values = "auto|[0,2,1,3]|[[0,1,2,3,4],[0,2,4,1,3]]",
		.fallback = "auto",
		.meaning = "the ranks in ring order, or several link-disjoint rings; auto: "
			   "found on the topology",
		.kind = ORDO_LISTS},
	{.name = "directions",
		.values = "1..2",
		.fallback = "1",
		.meaning = "2: half of the data goes round in the other direction",
		.kind = ORDO_NUMBER,
		.least = 1,
		.most = 2},
	{.name = "rings",
		.values = "1..",
		.fallback = "1",
		.meaning = "the number of link-disjoint rings that share the data",
		.kind = ORDO_NUMBER,
		.least = 1,
		.most = ORDO_LIMIT},
	{.name = "links",
		.values = "auto|all|fast|paired",
		.fallback = "auto",
		.meaning = "auto: as fast, if as many rings remain, else as all; fast: ignores "
			   "links that a path over a third rank beats by a factor of two or more; "
			   "paired: ignores one-way links, over which no signal can return",
		.kind = ORDO_WORD},
};

enum { CHAINS = 1u << ORDO_BROADCAST | 1u << ORDO_REDUCE };

static const struct ordo_variant variants[] = {
	{.settings = "", .pipelines = CHAINS},
	{.settings = "directions=2", .pipelines = CHAINS},
	{.settings = "directions=2,rings=#", .rings = true, .pipelines = CHAINS},
	{.settings = "directions=2,links=all", .slow = true, .pipelines = CHAINS},
	{.settings = "directions=2,rings=#,links=fast",
		.rings = true,
		.slow = true,
		.pipelines = CHAINS},
};

static const struct ordo_alias aliases[] = {
	{"pipeline", CHAINS, "", NULL},
	{"chain", CHAINS, "", NULL},
	{"bidirectional-ring",
		1u << ORDO_ALLREDUCE | 1u << ORDO_REDUCESCATTER | 1u << ORDO_ALLGATHER,
		"directions=2", NULL},
};

const struct ordo_algorithm ordo_algorithm_ring = {
	.facts = {.name = "ring",
		.summary = "along one or several rings of ranks, with the least volume",
		.how = "The ranks form a circle, and each rank finally owns one slice of the "
		       "vector. In the reduce-scatter phase every rank sends a partial sum to its "
		       "neighbour, which adds its own data and passes the result on; after N-1 "
		       "steps each slice has gone round once, and its complete sum lies on one "
		       "rank. In the all-gather phase the complete sums go round once more.",
		.when = "For large messages and few links: it sends the least data possible and "
			"needs a single circle of links, which may also avoid failed links. Two "
			"directions or several rings use more links at once. Not for small "
			"messages, because the number of steps grows with N, and not for G3, "
			"because every slice is summed in an order of its own.",
		.operators = 1u << ORDO_ALLREDUCE | 1u << ORDO_REDUCE | 1u << ORDO_BROADCAST |
			     1u << ORDO_REDUCESCATTER | 1u << ORDO_ALLGATHER | 1u << ORDO_SCATTER |
			     1u << ORDO_GATHER,
		.ranks = "any",
		.steps = "N-1; AllReduce 2(N-1)",
		.volume = "N-1 blocks; AllReduce 2(N-1)/N of the vector; Broadcast, Reduce the "
			  "vector",
		.order = "a chain along the ring; ReduceScatter, AllReduce: N chains, one for each "
			 "end",
		.topologies = "any with a Hamiltonian cycle of links that are up",
		.source = "Patarasuk and Yuan, J. Parallel Distrib. Comput. 69(2), 2009",
		.parameters = parameters,
		.nparameter = sizeof parameters / sizeof *parameters,
		.variants = variants,
		.nvariant = sizeof variants / sizeof *variants,
		.aliases = aliases,
		.nalias = sizeof aliases / sizeof *aliases},
	.applicable = applicable,
	.prepare = prepare,
	.chunks = natural_chunks,
	.build = build,
	.around_links = "ring",
	.steps = count_steps,
	.volume = count_volume,
	.closed_form = closed_form,
};
