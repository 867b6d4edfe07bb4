/* aggregated.c - what goes to another server is gathered at few ranks, crosses together, and is
 * dealt out there.
 *
 * For the G ranks of another server a server has P aggregators. Each gathers, from all ranks of its
 * own, what they have for a P-th of the others; that goes to one rank there, one Send behind
 * another behind one Notify; and that rank deals it out. Which ranks these are depends on how far
 * the other server is, so that all ranks send and receive equally much between servers if S-1
 * servers times P are a multiple of G. Both have the same number where servers have equally many
 * ranks: they are on one rail. With P = G nothing is dealt out: who gathers has the number of the
 * one it gathers for.
 *
 * steps   1 within a server; 3 between servers, less one if who has each block gathers it, less one
 *         if who gets each block deals it out
 * volume  counted; equal servers, P = 1: the ranks with an aggregator's work for D servers send G-1
 *         blocks within the server, (S-1-D) G to other gatherers, D G^2 between servers, and
 *         D G (G-1) that they deal out
 * scratch what a rank gathers from others, and what it deals out to others
 * source  leaders of nodes as in MPI libraries; several of them: Kinkead, Wesley, Schonbein,
 *         DeBonis, Dosanjh and Bienz, "Scaling all-to-all operations across emerging many-core
 *         supercomputers", SC Workshops 2025
 */
#include "algorithms/direct/closed_form.h"
#include "algorithms/direct/peers.h"
#include "servers.h"
#include <stdlib.h>

/* What all ranks of one server have for some of another. */
struct bundle {
	uint32_t from, to;	     /* servers */
	uint32_t gatherer, dealer;   /* a rank of each */
	struct ordo_slice receivers; /* places in `to` */
	uint32_t gathered, dealt;    /* blocks of scratch before those of this bundle */
};

struct plan {
	struct ordo_servers servers; /* the first, which costs look at */
	struct bundle *bundles;
	uint32_t nbundle;
	uint32_t scratch; /* blocks */
};

/* One pass over the moves. */
struct walk {
	struct ordo_builder *b; /* NULL: what is sent is counted */
	uint64_t *sent;		/* [N] blocks; NULL */
	const struct ordo_resolved_request *request;
	const struct plan *plan;
	uint32_t N, K, scratch;
};

static struct walk walk_of(const struct ordo_resolved_request *request)
{
	return (struct walk){.request = request,
		.plan = request->prepared,
		.N = request->problem.nrank,
		.K = request->problem.chunks_per_block};
}

static bool reaches(const struct ordo_resolved_request *request, uint32_t from, uint32_t to)
{
	return !request->topology || ordo_topology_reaches(request->topology, from, to);
}

/* Part `part` of `parts` of what goes to the server that is `distance` further. */
static struct bundle make_bundle(const struct ordo_resolved_request *request,
	const struct ordo_servers *servers, uint32_t from, uint32_t distance, uint32_t part,
	uint32_t parts)
{
	const uint32_t to = (from + distance) % servers->nserver,
		       turn = (distance - 1) * parts + part, here = ordo_server_size(servers, from),
		       there = ordo_server_size(servers, to), both = here < there ? here : there;
	struct bundle bundle = {.from = from,
		.to = to,
		.gatherer = ordo_server_member(servers, from, turn % here),
		.dealer = ordo_server_member(servers, to, turn % there),
		.receivers = ordo_slice_of(there, parts, part)};
	/* Where only rails join servers, ranks of one number reach each other. */
	if (!reaches(request, bundle.gatherer, bundle.dealer)) {
		bundle.gatherer = ordo_server_member(servers, from, turn % both);
		bundle.dealer = ordo_server_member(servers, to, turn % both);
	}
	return bundle;
}

static uint32_t parts_to(const struct ordo_resolved_request *request,
	const struct ordo_servers *servers, uint32_t to)
{
	const uint32_t size = ordo_server_size(servers, to),
		       most = ordo_parameter_is(request, "aggregators", "all")
				      ? size
				      : ordo_parameter_number(request, "aggregators");
	return most < size ? most : size;
}

static bool deals_to_itself(const struct plan *plan, const struct bundle *bundle)
{
	return plan->servers.place[bundle->dealer] - bundle->receivers.first <
	       bundle->receivers.count;
}

/* Gives every bundle its scratch: used[rank] blocks are taken already. */
static void place_bundles(struct plan *plan, uint32_t *used)
{
	for (uint32_t i = 0; i < plan->nbundle; i++) {
		struct bundle *bundle = &plan->bundles[i];
		const uint32_t from = ordo_server_size(&plan->servers, bundle->from);
		bundle->gathered = used[bundle->gatherer];
		used[bundle->gatherer] += (from - 1) * bundle->receivers.count;
		bundle->dealt = used[bundle->dealer];
		used[bundle->dealer] +=
			from * (bundle->receivers.count - deals_to_itself(plan, bundle));
	}
	for (uint32_t rank = 0; rank < plan->servers.nrank; rank++)
		plan->scratch = used[rank] > plan->scratch ? used[rank] : plan->scratch;
}

static bool prepare(struct ordo_resolved_request *request, struct ordo_error *error)
{
	struct plan *plan = ordo_arena_alloc(&request->arena, sizeof *plan);
	request->prepared = plan;
	if (!plan)
		return ordo_fail_memory(error);
	if (!ordo_servers_make(request, &request->arena, &plan->servers, error))
		return false;
	const uint32_t S = plan->servers.nserver;
	size_t parts = 0;
	for (uint32_t to = 0; to < S; to++)
		parts += parts_to(request, &plan->servers, to);
	plan->bundles = ordo_arena_alloc(&request->arena, (parts * S + 1) * sizeof *plan->bundles);
	uint32_t *used = ordo_arena_alloc(&request->arena, plan->servers.nrank * sizeof *used);
	if (!plan->bundles || !used)
		return ordo_fail_memory(error);
	for (uint32_t distance = 1; distance < S; distance++)
		for (uint32_t from = 0; from < S; from++) {
			const uint32_t n = parts_to(request, &plan->servers, (from + distance) % S);
			for (uint32_t part = 0; part < n; part++)
				plan->bundles[plan->nbundle++] = make_bundle(
					request, &plan->servers, from, distance, part, n);
		}
	place_bundles(plan, used);
	return true;
}

static uint32_t sender(const struct walk *walk, const struct bundle *bundle, uint32_t i)
{
	return ordo_server_member(&walk->plan->servers, bundle->from, i);
}

static uint32_t receiver(const struct walk *walk, const struct bundle *bundle, uint32_t i)
{
	return ordo_server_member(&walk->plan->servers, bundle->to, bundle->receivers.first + i);
}

static struct ordo_at source_of(const struct walk *walk, uint32_t from, uint32_t to)
{
	return ordo_at(from, ORDO_INPUT, to * walk->K);
}

static struct ordo_at target_of(const struct walk *walk, uint32_t from, uint32_t to)
{
	return ordo_at(to, ORDO_OUTPUT, from * walk->K);
}

static struct ordo_at in_scratch(const struct walk *walk, uint32_t rank, uint32_t block)
{
	return ordo_at(rank, ORDO_SCRATCH, walk->scratch + block * walk->K);
}

/* Where the gatherer has the block of sender i for receiver j. */
static struct ordo_at gathered_at(
	const struct walk *walk, const struct bundle *bundle, uint32_t i, uint32_t j)
{
	const uint32_t own = walk->plan->servers.place[bundle->gatherer];
	if (i == own)
		return source_of(walk, bundle->gatherer, receiver(walk, bundle, j));
	return in_scratch(walk, bundle->gatherer,
		bundle->gathered + (i < own ? i : i - 1) * bundle->receivers.count + j);
}

/* Where the dealer gets it. */
static struct ordo_at arrived_at(
	const struct walk *walk, const struct bundle *bundle, uint32_t i, uint32_t j)
{
	const bool keeps = deals_to_itself(walk->plan, bundle);
	const uint32_t own = walk->plan->servers.place[bundle->dealer] - bundle->receivers.first;
	if (j == own)
		return target_of(walk, sender(walk, bundle, i), bundle->dealer);
	return in_scratch(walk, bundle->dealer,
		bundle->dealt + i * (bundle->receivers.count - keeps) + j - (keeps && j > own));
}

static void move(const struct walk *walk, struct ordo_at dst, struct ordo_at src)
{
	if (!walk->b) {
		walk->sent[src.rank] += dst.rank != src.rank;
		return;
	}
	ordo_stream_to_peer(walk->b, walk->request, dst.rank);
	ordo_copy(walk->b, dst, src, walk->K);
}

static void name_phase(const struct walk *walk, const char *name)
{
	if (walk->b)
		ordo_phase(walk->b, name, ORDO_NONE);
}

static void gather(const struct walk *walk)
{
	name_phase(walk, "intra-server gather");
	for (uint32_t k = 0; k < walk->plan->nbundle; k++) {
		const struct bundle *bundle = &walk->plan->bundles[k];
		for (uint32_t i = 0; i < ordo_server_size(&walk->plan->servers, bundle->from);
			i++) {
			const uint32_t from = sender(walk, bundle, i);
			for (uint32_t j = 0;
				from != bundle->gatherer && j < bundle->receivers.count; j++)
				move(walk, gathered_at(walk, bundle, i, j),
					source_of(walk, from, receiver(walk, bundle, j)));
		}
	}
}

static void exchange_within(const struct walk *walk)
{
	const struct ordo_servers *servers = &walk->plan->servers;
	name_phase(walk, "intra-server all-to-all");
	for (uint32_t rank = 0; rank < walk->N; rank++) {
		const uint32_t server = servers->server[rank],
			       size = ordo_server_size(servers, server);
		for (uint32_t step = 1; step < size; step++) {
			const uint32_t peer = ordo_server_member(
				servers, server, (servers->place[rank] + step) % size);
			move(walk, target_of(walk, rank, peer), source_of(walk, rank, peer));
		}
	}
}

static void cross(const struct walk *walk)
{
	name_phase(walk, "inter-server all-to-all");
	for (uint32_t k = 0; k < walk->plan->nbundle; k++) {
		const struct bundle *bundle = &walk->plan->bundles[k];
		for (uint32_t i = 0; i < ordo_server_size(&walk->plan->servers, bundle->from); i++)
			for (uint32_t j = 0; j < bundle->receivers.count; j++)
				move(walk, arrived_at(walk, bundle, i, j),
					gathered_at(walk, bundle, i, j));
	}
}

static void deal_out(const struct walk *walk)
{
	name_phase(walk, "intra-server scatter");
	for (uint32_t k = 0; k < walk->plan->nbundle; k++) {
		const struct bundle *bundle = &walk->plan->bundles[k];
		for (uint32_t j = 0; j < bundle->receivers.count; j++) {
			const uint32_t to = receiver(walk, bundle, j);
			const uint32_t n = ordo_server_size(&walk->plan->servers, bundle->from);
			for (uint32_t i = 0; to != bundle->dealer && i < n; i++)
				move(walk, target_of(walk, sender(walk, bundle, i), to),
					arrived_at(walk, bundle, i, j));
		}
	}
}

static void walk_moves(const struct walk *walk)
{
	gather(walk);
	exchange_within(walk);
	cross(walk);
	deal_out(walk);
}

static void keep_own(const struct walk *walk)
{
	ordo_stream_local(walk->b, walk->request);
	ordo_phase(walk->b, "copy in", ORDO_NONE);
	for (uint32_t rank = 0; rank < walk->N; rank++)
		ordo_copy(
			walk->b, target_of(walk, rank, rank), source_of(walk, rank, rank), walk->K);
}

static void build(struct ordo_builder *b, const struct ordo_resolved_request *request)
{
	struct walk walk = walk_of(request);
	const uint64_t slots = (uint64_t)walk.plan->scratch * walk.K;
	if (slots > ORDO_LIMIT) {
		ordo_builder_fail(b, "found %llu slots of scratch, wanted up to %u",
			(unsigned long long)slots, ORDO_LIMIT);
		return;
	}
	walk.b = b;
	walk.scratch = ordo_scratch(b, (uint32_t)slots);
	keep_own(&walk);
	walk_moves(&walk);
}

static uint64_t count_steps(const struct ordo_resolved_request *request)
{
	const struct plan *plan = request->prepared;
	uint64_t most = ordo_servers_largest(&plan->servers) > 1;
	for (uint32_t k = 0; k < plan->nbundle; k++) {
		const struct bundle *bundle = &plan->bundles[k];
		const bool gathers = ordo_server_size(&plan->servers, bundle->from) > 1,
			   deals = bundle->receivers.count > deals_to_itself(plan, bundle);
		const uint64_t steps = 1ull + gathers + deals;
		most = steps > most ? steps : most;
	}
	return most;
}

static uint64_t count_volume(const struct ordo_resolved_request *request)
{
	struct walk walk = walk_of(request);
	uint64_t most = 0;
	walk.sent = ordo_array_make(walk.N, sizeof *walk.sent, 0);
	if (!walk.sent)
		return ORDO_UNCOUNTED;
	walk_moves(&walk);
	for (uint32_t rank = 0; rank < walk.N; rank++)
		most = walk.sent[rank] > most ? walk.sent[rank] : most;
	free(walk.sent);
	return most * walk.K;
}

/* A rank sends each other one of its server a block for every other server, and then one of each
 * rank of a server between servers. */
static bool closed_form(const struct ordo_resolved_request *request, struct ordo_cost *cost)
{
	uint64_t S, G;
	return ordo_servers_are_equal(request, request->prepared, &S, &G) &&
	       ordo_parameter_is(request, "aggregators", "all") &&
	       ordo_form_is(cost, ORDO_COST_ROUNDS, 2, S + G - 1, 0, request->problem.nrank);
}

static const struct ordo_parameter parameters[] = {
	ORDO_SERVERS_GROUPS,
	{.name = "aggregators",
		.values = "all|1..1024",
		.fallback = "all",
		.meaning = "ranks of a server that share the data for another server; all: "
			   "as many as the other server has ranks, which then need not "
			   "distribute it",
		.kind = ORDO_NUMBER,
		.least = 1,
		.most = 1024},
	ORDO_PEERS_STREAMS,
};

static const struct ordo_variant variants[] = {
	{.settings = "", .servers = true},
	{.settings = "aggregators=1", .servers = true},
};

static const struct ordo_alias aliases[] = {
	{"two-level", 0, "", NULL},
	{"leaders", 0, "aggregators=1", "as many leaders as there are other servers"},
};

const struct ordo_algorithm ordo_algorithm_aggregated = {
	.facts = {.name = "aggregated",
		.summary = "data for another server is gathered at a few ranks and sent together",
		.how = "Each server has one or more aggregators for every other server. An "
		       "aggregator gathers the blocks that the ranks of its own server have for "
		       "the other one and sends all of them in one run of messages to one rank "
		       "there, which distributes them. The aggregators for different servers are "
		       "different ranks, so all network cards are used. Servers may have "
		       "different numbers of ranks.",
		.when = "For small blocks, where a message between servers costs much more than "
			"one within a server: each rank has few partners in other servers. Blocks "
			"travel up to three times, so large blocks should go directly.",
		.operators = 1u << ORDO_ALLTOALL,
		.ranks = "any",
		.steps =
			"1 within a server; between servers 2, with fewer aggregators than ranks 3",
		.volume = "counted: of an aggregator of D servers of G ranks up to 2 D G^2 blocks "
			  "and those of the others",
		.order = "adds nothing",
		.topologies = "a link between every two ranks of a server, and between aggregators",
		.source = "leaders of nodes in MPI libraries; Kinkead et al. 2025",
		.parameters = parameters,
		.nparameter = sizeof parameters / sizeof *parameters,
		.variants = variants,
		.nvariant = sizeof variants / sizeof *variants,
		.aliases = aliases,
		.nalias = sizeof aliases / sizeof *aliases},
	.prepare = prepare,
	.build = build,
	.steps = count_steps,
	.volume = count_volume,
	.closed_form = closed_form,
};
