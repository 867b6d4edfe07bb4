/* asymmetric.c - sums within servers of any sizes, then between them; gathers between servers, then
 * within them.
 *
 * ReduceScatter: what a server has for another one is shared out among its own ranks, as many
 * chunks to each, whatever the sizes of the two; each gets the addends of its share from the
 * others, folds them, and sends the sum to the rank that it is for, which folds one sum of each
 * server. AllGather is the same backwards: of what one server has, each rank of another gets a
 * share, and passes it on to the others. AllReduce is both, every rank owning an N-th of the
 * vector. So between servers there goes one sum of a server for each chunk of another one, and one
 * copy, the least possible; and all ranks of a server send equally much between servers if K is a
 * multiple of natural_chunks.
 *
 * steps   2, AllReduce 4: within servers and between them; 1 less, AllReduce 2, where all servers
 *         have one rank, or there is one server
 * volume  ReduceScatter N-1 blocks a rank. AllGather S-1 blocks between S servers, and its own and
 *         the received ones G-1 times: counted. AllReduce both
 * order   one tree for every chunk: over the servers in their order, of trees over the ranks of
 *         each; both dyadic, folded or linear
 * scratch ReduceScatter: the addends and sums of what the rank shares in; a block for every server
 * source  asymmetric hierarchical concatenation (AHC) of HCCL, whose levels have unequal groups
 */
#include "algorithms/direct/fold.h"
#include "algorithms/direct/peers.h"
#include "servers.h"
#include <ordo/divisor.h>
#include <stdlib.h>

/* More chunks than this for equal shares are not made: shares then differ by a chunk. */
enum { MOST_PIECES = 64 };

struct asymmetric {
	struct ordo_builder *b;
	const struct ordo_resolved_request *request;
	const struct ordo_servers *servers;
	uint32_t addends, sums, partials; /* where scratch for each begins */
	uint32_t room;			  /* the chunks that the busiest rank folds */
	uint32_t largest;		  /* the chunks of the largest block */
	uint32_t *folded;		  /* [N] chunks that a rank has taken to fold so far */
};

/* The chunks that end at a rank, or begin there. */
static struct ordo_slice block_of(const struct asymmetric *a, uint32_t rank)
{
	const uint32_t K = a->request->problem.chunks_per_block;
	if (a->request->problem.op == ORDO_ALLREDUCE)
		return ordo_slice_of(K, a->request->problem.nrank, rank);
	return (struct ordo_slice){rank * K, K};
}

/* A walk over the share that member `place` of server `here` has of all blocks of server `there`:
 * pieces of the blocks of its ranks. */
struct share {
	const struct asymmetric *a;
	uint32_t there;
	struct ordo_slice wanted; /* of the chunks of `there`, one block after another */
	uint32_t member, before;  /* the next block, and the chunks of those before it */
	uint32_t rank;		  /* whose block the piece is of */
	struct ordo_slice piece;
};

static uint32_t chunks_of_server(const struct asymmetric *a, uint32_t server)
{
	uint32_t count = 0;
	for (uint32_t i = 0; i < ordo_server_size(a->servers, server); i++)
		count += block_of(a, ordo_server_member(a->servers, server, i)).count;
	return count;
}

static struct share share_of(
	const struct asymmetric *a, uint32_t here, uint32_t there, uint32_t place)
{
	struct share share = {.a = a, .there = there};
	if (here != there) {
		share.wanted = ordo_slice_of(
			chunks_of_server(a, there), ordo_server_size(a->servers, here), place);
		return share;
	}
	/* Of its own server a rank has its own block. */
	for (uint32_t i = 0; i < place; i++)
		share.wanted.first += block_of(a, ordo_server_member(a->servers, here, i)).count;
	share.wanted.count = block_of(a, ordo_server_member(a->servers, here, place)).count;
	return share;
}

static bool next_piece(struct share *share)
{
	const struct ordo_servers *servers = share->a->servers;
	const uint32_t end = share->wanted.first + share->wanted.count;
	while (share->member < ordo_server_size(servers, share->there) && share->before < end) {
		const uint32_t before = share->before;
		share->rank = ordo_server_member(servers, share->there, share->member++);
		const struct ordo_slice block = block_of(share->a, share->rank);
		const uint32_t from = share->wanted.first > before ? share->wanted.first : before,
			       to = end < before + block.count ? end : before + block.count;
		share->before += block.count;
		share->piece = (struct ordo_slice){block.first + from - before, to - from};
		if (to > from)
			return true;
	}
	return false;
}

static uint32_t member(const struct asymmetric *a, uint32_t server, uint32_t place)
{
	return ordo_server_member(a->servers, server, place);
}

static uint32_t size_of(const struct asymmetric *a, uint32_t server)
{
	return ordo_server_size(a->servers, server);
}

/* Where a rank has the sum of a piece over its server: `at` chunks behind those folded before. */
static struct ordo_at sum_at(
	const struct asymmetric *a, uint32_t rank, const struct share *share, uint32_t at)
{
	const struct ordo_problem *problem = &a->request->problem;
	if (share->rank == rank || problem->in_place || problem->op == ORDO_ALLREDUCE)
		return ordo_work(a->b, rank, share->piece.first);
	return ordo_at(rank, ORDO_SCRATCH, a->sums + a->folded[rank] + at);
}

/* The fold of a piece over the server of a rank. */
static struct ordo_fold fold_within(
	const struct asymmetric *a, uint32_t rank, const struct share *share, uint32_t at)
{
	return (struct ordo_fold){.b = a->b,
		.own = sum_at(a, rank, share, at),
		.nitem = size_of(a, a->servers->server[rank]),
		.owner = a->servers->place[rank],
		.count = share->piece.count,
		.scratch = a->addends + a->folded[rank] + at,
		.stride = a->room};
}

/* The fold of a rank's block over the servers. */
static struct ordo_fold fold_between(const struct asymmetric *a, uint32_t rank)
{
	const struct ordo_slice block = block_of(a, rank);
	return (struct ordo_fold){.b = a->b,
		.own = ordo_work(a->b, rank, block.first),
		.nitem = a->servers->nserver,
		.owner = a->servers->server[rank],
		.count = block.count,
		.scratch = a->partials,
		.stride = a->largest};
}

static const char *order_of(const struct asymmetric *a)
{
	return ordo_parameter_value(a->request, "fold")->word;
}

/* A rank gets the addends of its share from the others of its server. */
static void collect_share(const struct asymmetric *a, uint32_t here, uint32_t there, uint32_t place)
{
	const uint32_t rank = member(a, here, place), n = size_of(a, here);
	uint32_t at = 0;
	for (struct share share = share_of(a, here, there, place); next_piece(&share);
		at += share.piece.count) {
		const struct ordo_fold fold = fold_within(a, rank, &share, at);
		ordo_stream_to_peer(a->b, a->request, rank);
		for (uint32_t step = 1; step < n; step++) {
			const uint32_t from = (place + step) % n;
			ordo_copy(a->b, ordo_fold_addend(&fold, from),
				ordo_input_of(a->b, member(a, here, from), share.piece.first),
				share.piece.count);
		}
	}
}

static void fold_share(const struct asymmetric *a, uint32_t here, uint32_t there, uint32_t place)
{
	const uint32_t rank = member(a, here, place);
	uint32_t at = 0;
	ordo_stream_local(a->b, a->request);
	for (struct share share = share_of(a, here, there, place); next_piece(&share);
		at += share.piece.count) {
		struct ordo_fold fold = fold_within(a, rank, &share, at);
		if (here != there && fold.nitem == 1)
			continue; /* it is sent as it is */
		ordo_copy(a->b, fold.own, ordo_input_of(a->b, rank, share.piece.first),
			share.piece.count);
		ordo_fold_up(&fold, order_of(a));
	}
}

/* The sums of a server go to the ranks that they are for. */
static void send_sums(const struct asymmetric *a, uint32_t here, uint32_t there, uint32_t place)
{
	const uint32_t rank = member(a, here, place);
	uint32_t at = 0;
	for (struct share share = share_of(a, here, there, place); next_piece(&share);
		at += share.piece.count) {
		const struct ordo_fold fold = fold_between(a, share.rank);
		struct ordo_at to = ordo_fold_addend(&fold, here);
		to.slot += share.piece.first - block_of(a, share.rank).first;
		ordo_stream_to_peer(a->b, a->request, share.rank);
		ordo_copy(a->b, to,
			size_of(a, here) == 1 ? ordo_input_of(a->b, rank, share.piece.first)
					      : sum_at(a, rank, &share, at),
			share.piece.count);
	}
}

/* Calls `deal` for every rank and the server that is so much further than its own. */
static void for_each_share(const struct asymmetric *a, uint32_t distance,
	void (*deal)(const struct asymmetric *a, uint32_t here, uint32_t there, uint32_t place))
{
	const uint32_t S = a->servers->nserver;
	for (uint32_t here = 0; here < S; here++)
		for (uint32_t place = 0; place < size_of(a, here); place++)
			deal(a, here, (here + distance) % S, place);
}

static void sum_for(const struct asymmetric *a, uint32_t distance)
{
	const uint32_t S = a->servers->nserver;
	ordo_phase(a->b, "intra-server reduce-scatter", ORDO_NONE);
	for_each_share(a, distance, collect_share);
	ordo_phase(a->b, "intra-server local reduce", ORDO_NONE);
	for_each_share(a, distance, fold_share);
	if (distance) {
		ordo_phase(a->b, "inter-server reduce-scatter", ORDO_NONE);
		for_each_share(a, distance, send_sums);
	}
	for (uint32_t here = 0; here < S; here++)
		for (uint32_t place = 0; place < size_of(a, here); place++)
			a->folded[member(a, here, place)] +=
				share_of(a, here, (here + distance) % S, place).wanted.count;
}

/* What is for others begins; a server's own comes last. The phases have no steps: what a rank sends
 * to another for several servers is one message of several pieces. */
static void sum_up(const struct asymmetric *a)
{
	for (uint32_t distance = 1; distance < a->servers->nserver; distance++)
		sum_for(a, distance);
	sum_for(a, 0);
	ordo_phase(a->b, "inter-server local reduce", ORDO_NONE);
	for (uint32_t rank = 0; rank < a->servers->nrank; rank++) {
		struct ordo_fold fold = fold_between(a, rank);
		ordo_stream_local(a->b, a->request);
		if (fold.count)
			ordo_fold_up(&fold, order_of(a));
	}
}

/* Where a rank has its own block before it is dealt out. */
static struct ordo_at block_at(const struct asymmetric *a, uint32_t rank, uint32_t chunk)
{
	return a->request->problem.op == ORDO_ALLREDUCE ? ordo_work(a->b, rank, chunk)
							: ordo_input_of(a->b, rank, chunk);
}

static void get_share(const struct asymmetric *a, uint32_t here, uint32_t there, uint32_t place)
{
	const uint32_t rank = member(a, here, place);
	ordo_stream_to_peer(a->b, a->request, rank);
	for (struct share share = share_of(a, here, there, place); next_piece(&share);)
		ordo_copy(a->b, ordo_output_of(a->b, rank, share.piece.first),
			block_at(a, share.rank, share.piece.first), share.piece.count);
}

/* A rank passes its share on to the others of its server. */
static void pass_share(const struct asymmetric *a, uint32_t here, uint32_t there, uint32_t place)
{
	const uint32_t rank = member(a, here, place), n = size_of(a, here);
	for (struct share share = share_of(a, here, there, place); next_piece(&share);)
		for (uint32_t step = 1; step < n; step++) {
			const uint32_t to = member(a, here, (place + step) % n),
				       chunk = share.piece.first;
			ordo_stream_to_peer(a->b, a->request, to);
			ordo_copy(a->b, ordo_output_of(a->b, to, chunk),
				here == there ? block_at(a, rank, chunk)
					      : ordo_output_of(a->b, rank, chunk),
				share.piece.count);
		}
}

static void keep_own(const struct asymmetric *a)
{
	ordo_stream_local(a->b, a->request);
	ordo_phase(a->b, "copy in", ORDO_NONE);
	for (uint32_t rank = 0; rank < a->servers->nrank; rank++) {
		const struct ordo_slice block = block_of(a, rank);
		ordo_contribute(a->b, rank, block.first, block.count);
	}
}

static void gather(const struct asymmetric *a)
{
	ordo_phase(a->b, "inter-server all-gather", ORDO_NONE);
	for (uint32_t distance = 1; distance < a->servers->nserver; distance++)
		for_each_share(a, distance, get_share);
	ordo_phase(a->b, "intra-server all-gather", ORDO_NONE);
	for (uint32_t distance = 0; distance < a->servers->nserver; distance++)
		for_each_share(a, distance, pass_share);
}

static void measure(struct asymmetric *a)
{
	const uint32_t S = a->servers->nserver;
	for (uint32_t rank = 0; rank < a->servers->nrank; rank++) {
		uint32_t count = 0;
		for (uint32_t there = 0; there < S; there++)
			count += share_of(
				a, a->servers->server[rank], there, a->servers->place[rank])
					 .wanted.count;
		a->room = count > a->room ? count : a->room;
		count = block_of(a, rank).count;
		a->largest = count > a->largest ? count : a->largest;
	}
}

static bool reserve_scratch(struct asymmetric *a)
{
	const uint64_t others = ordo_servers_largest(a->servers) - 1,
		       slots = others * a->room + a->room +
			       (uint64_t)(a->servers->nserver - 1) * a->largest;
	if (slots > ORDO_LIMIT) {
		ordo_builder_fail(a->b, "found %llu slots of scratch, wanted up to %u",
			(unsigned long long)slots, ORDO_LIMIT);
		return false;
	}
	const bool parked =
		a->request->problem.op == ORDO_REDUCESCATTER && !a->request->problem.in_place;
	a->addends = ordo_scratch(a->b, (uint32_t)others * a->room);
	a->sums = ordo_scratch(a->b, parked ? a->room : 0);
	a->partials = ordo_scratch(a->b, (a->servers->nserver - 1) * a->largest);
	return true;
}

static struct asymmetric asymmetric_of(const struct ordo_resolved_request *request)
{
	return (struct asymmetric){.request = request, .servers = request->prepared};
}

static void build(struct ordo_builder *b, const struct ordo_resolved_request *request)
{
	const enum ordo_operator op = request->problem.op;
	struct asymmetric a = asymmetric_of(request);
	a.b = b;
	a.folded = ordo_array_make(a.servers->nrank, sizeof *a.folded, 0);
	if (!a.folded) {
		ordo_builder_fail_memory(b);
		return;
	}
	measure(&a);
	if (op == ORDO_ALLGATHER)
		keep_own(&a);
	else if (reserve_scratch(&a))
		sum_up(&a);
	if (op != ORDO_REDUCESCATTER)
		gather(&a);
	free(a.folded);
}

static bool prepare(struct ordo_resolved_request *request, struct ordo_error *error)
{
	struct ordo_servers *servers = ordo_arena_alloc(&request->arena, sizeof *servers);
	request->prepared = servers;
	if (!servers)
		return ordo_fail_memory(error);
	return ordo_servers_make(request, &request->arena, servers, error);
}

/* Such that every server shares out what it has for every other without remainder. */
static uint32_t natural_chunks(const struct ordo_resolved_request *request)
{
	const struct ordo_servers *servers = request->prepared;
	uint64_t K = 1;
	for (uint32_t s = 0; s < servers->nserver && K <= MOST_PIECES; s++)
		for (uint32_t t = 0; t < servers->nserver && K <= MOST_PIECES; t++) {
			const uint64_t here = ordo_server_size(servers, s),
				       parts = here / ordo_common_divisor(here,
							      K * ordo_server_size(servers, t));
			K *= s == t ? 1 : parts;
		}
	K = K <= MOST_PIECES ? K : MOST_PIECES;
	return (uint32_t)(request->problem.op == ORDO_ALLREDUCE ? K * servers->nrank : K);
}

/* How far a chunk goes whose block is of that server. */
static uint64_t steps_of(const struct asymmetric *a, uint32_t server)
{
	uint64_t steps = a->servers->nserver > 1 || size_of(a, server) > 1;
	for (uint32_t other = 0; other < a->servers->nserver; other++)
		if (other != server && size_of(a, other) > 1)
			steps = 2;
	return steps;
}

static uint64_t count_steps(const struct ordo_resolved_request *request)
{
	const struct asymmetric a = asymmetric_of(request);
	uint64_t most = 0;
	for (uint32_t server = 0; server < a.servers->nserver; server++)
		if (chunks_of_server(&a, server) && steps_of(&a, server) > most)
			most = steps_of(&a, server);
	return request->problem.op == ORDO_ALLREDUCE ? 2 * most : most;
}

/* What a rank sends of others' sums is all but its own block, first to those that share in it or
 * last to whom it is for. */
static uint64_t volume_of(const struct asymmetric *a, uint32_t rank)
{
	const struct ordo_problem *problem = &a->request->problem;
	const uint32_t here = a->servers->server[rank], S = a->servers->nserver;
	const uint64_t own = block_of(a, rank).count;
	uint64_t sent = problem->op == ORDO_ALLGATHER ? 0 : ordo_nchunk(problem) - own;
	if (problem->op == ORDO_REDUCESCATTER)
		return sent;
	sent += own * (S - 1);
	for (uint32_t there = 0; there < S; there++)
		sent += (size_of(a, here) - 1) *
			(uint64_t)share_of(a, here, there, a->servers->place[rank]).wanted.count;
	return sent;
}

static uint64_t count_volume(const struct ordo_resolved_request *request)
{
	const struct asymmetric a = asymmetric_of(request);
	uint64_t most = 0;
	for (uint32_t rank = 0; rank < a.servers->nrank; rank++) {
		const uint64_t sent = volume_of(&a, rank);
		most = sent > most ? sent : most;
	}
	return most;
}

static bool applicable(const struct ordo_resolved_request *request, struct ordo_error *error)
{
	if (request->problem.op == ORDO_ALLGATHER && !ordo_parameter_is(request, "fold", "dyadic"))
		return ordo_fail(error, ORDO_USAGE, 0,
			"algorithm: fold says how to add, and AllGather adds nothing");
	return true;
}

static const struct ordo_parameter parameters[] = {
	ORDO_SERVERS_GROUPS,
	{.name = "fold",
		.values = "dyadic|folded|linear",
		.fallback = "dyadic",
		.meaning = "the order of additions, of the ranks of a server and of the servers",
		.kind = ORDO_WORD},
	ORDO_PEERS_STREAMS,
};

#define SUMMED (1u << ORDO_ALLREDUCE | 1u << ORDO_REDUCESCATTER)

static const struct ordo_variant variants[] = {
	{.settings = "", .servers = true},
	{.settings = "fold=folded", .servers = true, .operators = SUMMED},
	{.settings = "fold=linear", .servers = true, .operators = SUMMED},
};

static const struct ordo_alias aliases[] = {
	{"ahc", 0, "", "sums within servers first; HCCL's ReduceScatter begins between them"},
	{"asymmetric-hierarchical-concatenation", 0, "",
		"sums within servers first; HCCL's ReduceScatter begins between them"},
};

const struct ordo_algorithm ordo_algorithm_asymmetric = {
	.facts = {.name = "asymmetric",
		.summary = "within servers and between them, whatever number of ranks each has",
		.how = "ReduceScatter: the ranks of a server share out what another server is to "
		       "get, each adds up its share of it over its server and sends one sum to "
		       "the rank that it is for, which adds up one sum of every server. AllGather "
		       "goes the same way back: each block enters another server once, and is "
		       "passed on inside it. AllReduce is both.",
		.when = "For servers of different numbers of ranks, where other hierarchies do not "
			"apply: all ranks of a server have the same share of the slow links, and "
			"every sum has one order.",
		.operators = SUMMED | 1u << ORDO_ALLGATHER,
		.ranks = "any",
		.steps = "2; AllReduce 4; with one server, or servers of one rank, half of it",
		.volume =
			"ReduceScatter N-1 blocks; AllGather counted: S-1 blocks to S servers, and "
			"in servers of G ranks (N-G)/G blocks and its own G-1 times",
		.order = "one tree for every chunk: over servers, of trees over their ranks: "
			 "dyadic, "
			 "folded or linear",
		.topologies = "a link between every two ranks of a server, and between ranks of "
			      "different servers that share in a block",
		.source = "asymmetric hierarchical concatenation of HCCL",
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
	.steps = count_steps,
	.volume = count_volume,
};
