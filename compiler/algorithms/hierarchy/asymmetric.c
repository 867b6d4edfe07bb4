/* asymmetric.c - sums within servers of any sizes, then between them; gathers between servers, then
 * within them.
 *
 * ReduceScatter: what a server has for another one is shared out among its own ranks, as many
 * chunks to each, whatever the sizes of the two; each gets the addends of its share from the
 * others, folds them, and sends the sum to the rank that it is for, which folds one sum of each
 * server. AllGather is the same backwards: of what one server has, each rank of another gets a
 * share, and passes it on to the others. So between servers there goes one sum of a server for each
 * chunk of another one, and one copy, the least possible; and all ranks of a server send equally
 * much between servers if K is a multiple of natural_chunks.
 *
 * AllReduce is both. A server of G ranks that owns a part f of the vector sends sums of 1-f and
 * gets (S-1)f, and then copies the other way round. If one waits for the other, f = 1/S is the
 * least time for every server, (S-1)/S n/G each; if they overlap, (1 + (S-2) f) n/G, the smaller a
 * server is the less it should own. So it owns the mean of an S-th and of G N-ths.
 *
 * Where ranks of one number alone are joined, by rails, as many ranks of each server as the
 * smallest has own and exchange; the others only take part inside. Of ReduceScatter and AllGather
 * these hold the blocks of all ranks of their server for the while, as equal parts: they pass sums
 * on to the ranks that they are for at the end, or get blocks at the beginning.
 *
 * steps   2, AllReduce 4: within servers and between them; 1 less, AllReduce 2, where all servers
 *         have one rank, or there is one server; 1 more where blocks are held for others
 * volume  ReduceScatter N-1 blocks a rank, and what it holds for others. AllGather S-1 blocks
 *         between S servers, and its own and the received ones G-1 times: counted. AllReduce both
 * order   one tree for every chunk: over the servers in their order, of trees over the ranks of
 *         each; both dyadic, folded or linear
 * scratch ReduceScatter: the addends and sums of what the rank shares in; a block for every server
 * source  asymmetric hierarchical concatenation (AHC) of HCCL, whose levels have unequal groups
 */
#include "algorithms/direct/closed_form.h"
#include "algorithms/direct/fold.h"
#include "algorithms/direct/peers.h"
#include "servers.h"
#include <ordo/divisor.h>
#include <ordo/topology.h>
#include <stdlib.h>

enum {
	/* More chunks of a block than this for equal shares are not made: shares then differ by a
	 * chunk. */
	MOST_PIECES = 64,
	/* The same for AllReduce: of a unit, for every rank of the largest server. */
	MOST_MULTIPLE = 16,
	/* What a server owns of an AllReduce is rounded by at most such a part of what the largest
	 * owns. */
	UNITS_ERROR = 32
};

/* What `prepare` finds. */
struct asymmetric_servers {
	struct ordo_servers servers;
	/* [nserver] how many ranks exchange with other servers, those with the lowest places */
	uint32_t *sharers;
	/* [nserver+1] of AllReduce: the units that the servers before own */
	uint32_t *before;
	/* Those who share hold the blocks of all ranks of their server, whose numbers follow one
	 * another: not for AllReduce. */
	bool holds;
};

struct asymmetric {
	struct ordo_builder *b;
	const struct ordo_resolved_request *request;
	const struct asymmetric_servers *found;
	const struct ordo_servers *servers;
	uint32_t addends, sums, partials, held; /* where scratch for each begins */
	uint32_t room;				/* the chunks that the busiest rank folds */
	uint32_t largest;			/* the chunks of the largest block */
	uint32_t *folded; /* [N] chunks that a rank has taken to fold so far */
};

/* What a server owns of an AllReduce. */
static struct ordo_slice part_of(const struct asymmetric *a, uint32_t server)
{
	const uint64_t K = a->request->problem.chunks_per_block;
	const uint32_t *before = a->found->before, all = before[a->servers->nserver];
	const uint32_t first = (uint32_t)(K * before[server] / all),
		       end = (uint32_t)(K * before[server + 1] / all);
	return (struct ordo_slice){first, end - first};
}

static struct ordo_slice real_block(const struct asymmetric *a, uint32_t rank)
{
	const uint32_t K = a->request->problem.chunks_per_block;
	return (struct ordo_slice){rank * K, K};
}

/* The chunks that a rank's server owns, of AllReduce, or whose blocks its ranks have. */
static struct ordo_slice part_or_blocks(const struct asymmetric *a, uint32_t server)
{
	const uint32_t K = a->request->problem.chunks_per_block;
	return a->found->holds ? (struct ordo_slice){ordo_server_member(a->servers, server, 0) * K,
					 ordo_server_size(a->servers, server) * K}
			       : part_of(a, server);
}

/* The chunks that end at a rank, or begin there, but for those that it holds for others. */
static struct ordo_slice block_of(const struct asymmetric *a, uint32_t rank)
{
	if (a->request->problem.op != ORDO_ALLREDUCE && !a->found->holds)
		return real_block(a, rank);
	const uint32_t server = a->servers->server[rank], place = a->servers->place[rank],
		       sharers = a->found->sharers[server];
	const struct ordo_slice part = part_or_blocks(a, server);
	if (place >= sharers || !part.count)
		return (struct ordo_slice){0, 0};
	const struct ordo_slice own = ordo_slice_of(part.count, sharers, place);
	return (struct ordo_slice){part.first + own.first, own.count};
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
	const uint32_t sharers = a->found->sharers[here];
	if (here != there) {
		if (place < sharers)
			share.wanted = ordo_slice_of(chunks_of_server(a, there), sharers, place);
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

/* Where a rank has the sum of what it owns or holds: ReduceScatter has no other place for blocks of
 * others. */
static struct ordo_at held_at(const struct asymmetric *a, uint32_t rank, uint32_t chunk)
{
	const struct ordo_problem *problem = &a->request->problem;
	if (problem->op != ORDO_REDUCESCATTER || !a->found->holds)
		return ordo_work(a->b, rank, chunk);
	return problem->in_place
		       ? ordo_input_of(a->b, rank, chunk)
		       : ordo_at(rank, ORDO_SCRATCH, a->held + chunk - block_of(a, rank).first);
}

/* Where a rank has the sum of a piece over its server: `at` chunks behind those folded before. */
static struct ordo_at sum_at(
	const struct asymmetric *a, uint32_t rank, const struct share *share, uint32_t at)
{
	const struct ordo_problem *problem = &a->request->problem;
	if (share->rank == rank || problem->in_place || problem->op == ORDO_ALLREDUCE)
		return held_at(a, rank, share->piece.first);
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
		.own = held_at(a, rank, block.first),
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

static struct ordo_slice common(struct ordo_slice one, struct ordo_slice other)
{
	const uint32_t first = one.first > other.first ? one.first : other.first,
		       end = one.first + one.count < other.first + other.count
				     ? one.first + one.count
				     : other.first + other.count;
	return (struct ordo_slice){first, end > first ? end - first : 0};
}

/* Calls `move` for all that a rank holds of each rank of its server. */
static void for_each_held(
	const struct asymmetric *a, void (*move)(const struct asymmetric *a, uint32_t holder,
					    uint32_t owner, struct ordo_slice chunks))
{
	for (uint32_t holder = 0; holder < a->servers->nrank; holder++) {
		const uint32_t server = a->servers->server[holder];
		for (uint32_t i = 0; i < size_of(a, server); i++) {
			const uint32_t owner = member(a, server, i);
			const struct ordo_slice chunks =
				common(block_of(a, holder), real_block(a, owner));
			if (chunks.count)
				move(a, holder, owner, chunks);
		}
	}
}

static void deliver(
	const struct asymmetric *a, uint32_t holder, uint32_t owner, struct ordo_slice chunks)
{
	ordo_stream_to_peer(a->b, a->request, owner);
	ordo_copy(a->b, ordo_output_of(a->b, owner, chunks.first), held_at(a, holder, chunks.first),
		chunks.count);
}

static void collect(
	const struct asymmetric *a, uint32_t holder, uint32_t owner, struct ordo_slice chunks)
{
	ordo_stream_to_peer(a->b, a->request, holder);
	if (holder != owner)
		ordo_copy(a->b, ordo_output_of(a->b, holder, chunks.first),
			ordo_input_of(a->b, owner, chunks.first), chunks.count);
}

/* Where a rank has its own block before it is dealt out. */
static struct ordo_at block_at(const struct asymmetric *a, uint32_t rank, uint32_t chunk)
{
	if (a->found->holds)
		return ordo_output_of(a->b, rank, chunk);
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

/* A rank gets chunks from another of its server, but for its own block, if that is held there. */
static void pass_chunks(
	const struct asymmetric *a, uint32_t to, struct ordo_at from, struct ordo_slice chunks)
{
	const struct ordo_slice own = common(chunks, real_block(a, to));
	const bool skips = a->found->holds && own.count;
	const uint32_t before = skips ? own.first - chunks.first : chunks.count,
		       after = skips ? before + own.count : chunks.count;
	if (before)
		ordo_copy(a->b, ordo_output_of(a->b, to, chunks.first), from, before);
	if (after < chunks.count)
		ordo_copy(a->b, ordo_output_of(a->b, to, chunks.first + after),
			ordo_at(from.rank, from.buffer, from.slot + after), chunks.count - after);
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
			pass_chunks(a, to,
				here == there ? block_at(a, rank, chunk)
					      : ordo_output_of(a->b, rank, chunk),
				share.piece);
		}
}

static void keep_own(const struct asymmetric *a)
{
	ordo_stream_local(a->b, a->request);
	ordo_phase(a->b, "copy in", ORDO_NONE);
	for (uint32_t rank = 0; rank < a->servers->nrank; rank++) {
		const struct ordo_slice block = real_block(a, rank);
		ordo_contribute(a->b, rank, block.first, block.count);
	}
	if (!a->found->holds)
		return;
	ordo_phase(a->b, "intra-server gather", ORDO_NONE);
	for_each_held(a, collect);
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
			       (uint64_t)a->servers->nserver * a->largest;
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
	a->held = ordo_scratch(a->b, parked && a->found->holds ? a->largest : 0);
	return true;
}

static struct asymmetric asymmetric_of(const struct ordo_resolved_request *request)
{
	const struct asymmetric_servers *found = request->prepared;
	return (struct asymmetric){.request = request, .found = found, .servers = &found->servers};
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
	if (op == ORDO_REDUCESCATTER && a.found->holds) {
		ordo_phase(b, "intra-server scatter", ORDO_NONE);
		for_each_held(&a, deliver);
	}
	if (op != ORDO_REDUCESCATTER)
		gather(&a);
	free(a.folded);
}

/* Whether ranks of different numbers and servers lack links, as far as the first of each server
 * tell. */
static bool only_rails_join(
	const struct ordo_topology *topology, const struct ordo_servers *servers)
{
	for (uint32_t server = 0; topology && server < servers->nserver; server++) {
		const uint32_t first = ordo_server_member(servers, server, 0);
		for (uint32_t rank = 0; rank < servers->nrank; rank++)
			if (servers->server[rank] != server && servers->place[rank] &&
				!ordo_topology_reaches(topology, first, rank))
				return true;
	}
	return false;
}

static uint32_t smallest_of(const struct ordo_servers *servers)
{
	uint32_t smallest = ordo_server_size(servers, 0);
	for (uint32_t s = 1; s < servers->nserver; s++)
		if (ordo_server_size(servers, s) < smallest)
			smallest = ordo_server_size(servers, s);
	return smallest;
}

/* What servers own, in whole units. */
struct units {
	uint64_t total, nserver;
	uint32_t largest; /* how many ranks share in the largest server, which owns `most` */
	uint32_t most;
};

/* What one owns in which so many ranks share: rounded. */
static uint32_t units_of(const struct units *units, uint32_t sharers)
{
	const uint64_t own = units->total + units->nserver * sharers,
		       most = units->total + units->nserver * units->largest;
	return (uint32_t)((2 * own * units->most + most) / (2 * most));
}

static bool is_near(const struct units *units, uint32_t sharers)
{
	const uint64_t own = (units->total + units->nserver * sharers) * units->most,
		       found = (units->total + units->nserver * units->largest) *
			       units_of(units, sharers),
		       error = found > own ? found - own : own - found;
	return error * UNITS_ERROR <=
	       (units->total + units->nserver * units->largest) * units->most;
}

/* As few as come near: the largest owns at most UNITS_ERROR / 2, with which rounding is that near.
 * sizes: [count] how many share, in all servers or such as differ */
static struct units find_units(
	uint64_t total, uint32_t nserver, const uint32_t *sizes, uint32_t count)
{
	struct units units = {.total = total, .nserver = nserver};
	for (uint32_t i = 0; i < count; i++)
		units.largest = sizes[i] > units.largest ? sizes[i] : units.largest;
	for (uint32_t near = 0; near < count;) {
		units.most++;
		for (near = 0; near < count && is_near(&units, sizes[near]);)
			near++;
	}
	return units;
}

/* Such that every one of these numbers divides what each of the ranks of another shares out. */
static uint32_t equal_pieces(const uint32_t *sizes, uint32_t count)
{
	uint64_t K = 1;
	for (uint32_t s = 0; s < count && K <= MOST_PIECES; s++)
		for (uint32_t t = 0; t < count && K <= MOST_PIECES; t++) {
			const uint64_t parts =
				sizes[s] / ordo_common_divisor(sizes[s], K * sizes[t]);
			K *= s == t ? 1 : parts;
		}
	return (uint32_t)(K <= MOST_PIECES ? K : MOST_PIECES);
}

/* A multiple of every one of these numbers, but at most so many times the largest. */
static uint32_t common_multiple(const uint32_t *sizes, uint32_t count, uint32_t largest)
{
	const uint64_t most = (uint64_t)largest * MOST_MULTIPLE;
	uint64_t multiple = 1;
	for (uint32_t i = 0; i < count && multiple <= most; i++)
		multiple *= sizes[i] / ordo_common_divisor(sizes[i], multiple);
	return (uint32_t)(multiple <= most ? multiple : most);
}

/* Such that those who share hold equally much. */
static uint32_t equal_holdings(const struct asymmetric_servers *found)
{
	const uint32_t sharers = found->sharers[0];
	uint64_t K = 1;
	for (uint32_t s = 0; s < found->servers.nserver && K <= MOST_PIECES; s++)
		K *= sharers /
		     ordo_common_divisor(sharers, K * ordo_server_size(&found->servers, s));
	return (uint32_t)(K <= MOST_PIECES ? K : MOST_PIECES);
}

static bool have_consecutive_ranks(const struct ordo_servers *servers)
{
	for (uint32_t rank = 0; rank < servers->nrank; rank++)
		if (rank != ordo_server_member(servers, servers->server[rank], 0) +
				    servers->place[rank])
			return false;
	return true;
}

/* All ranks of every server, or, where rails alone join servers of different sizes, as many as the
 * smallest has. */
static bool choose_sharers(const struct ordo_resolved_request *request,
	struct asymmetric_servers *found, struct ordo_error *error)
{
	const struct ordo_servers *servers = &found->servers;
	const uint32_t smallest = smallest_of(servers), largest = ordo_servers_largest(servers);
	const bool rails = smallest != largest && only_rails_join(request->topology, servers);
	uint64_t total = 0;
	for (uint32_t s = 0; s < servers->nserver; s++) {
		found->sharers[s] = rails ? smallest : ordo_server_size(servers, s);
		total += found->sharers[s];
	}
	const struct units units =
		find_units(total, servers->nserver, found->sharers, servers->nserver);
	found->before[0] = 0;
	for (uint32_t s = 0; s < servers->nserver; s++)
		found->before[s + 1] = found->before[s] + units_of(&units, found->sharers[s]);
	found->holds = rails && request->problem.op != ORDO_ALLREDUCE;
	if (!found->holds || have_consecutive_ranks(servers))
		return true;
	ordo_fail(error, ORDO_USAGE, 0,
		"asymmetric: found %s on servers of %u to %u ranks that rails alone join, wanted "
		"AllReduce, or ranks of a server numbered one after another",
		ordo_operator_facts(request->problem.op)->name, smallest, largest);
	return ordo_hint(error, "packing goes over any links");
}

static bool prepare(struct ordo_resolved_request *request, struct ordo_error *error)
{
	struct ordo_arena *arena = &request->arena;
	struct asymmetric_servers *found = ordo_arena_alloc(arena, sizeof *found);
	request->prepared = found;
	if (!found)
		return ordo_fail_memory(error);
	if (!ordo_servers_make(request, arena, &found->servers, error))
		return false;
	const size_t nserver = found->servers.nserver;
	found->sharers = ordo_arena_alloc(arena, nserver * sizeof *found->sharers);
	found->before = ordo_arena_alloc(arena, (nserver + 1) * sizeof *found->before);
	return found->sharers && found->before ? choose_sharers(request, found, error)
					       : ordo_fail_memory(error);
}

/* Such that every server shares out what it has for every other without remainder. */
static uint32_t natural_chunks(const struct ordo_resolved_request *request)
{
	const struct asymmetric_servers *found = request->prepared;
	const uint32_t nserver = found->servers.nserver;
	uint32_t largest = 0;
	for (uint32_t s = 0; s < nserver; s++)
		largest = found->sharers[s] > largest ? found->sharers[s] : largest;
	if (found->holds)
		return equal_holdings(found);
	return request->problem.op == ORDO_ALLREDUCE
		       ? found->before[nserver] * common_multiple(found->sharers, nserver, largest)
		       : equal_pieces(found->sharers, nserver);
}

/* The same where nothing tells servers apart; else 0. */
static uint32_t foreseen_chunks(const struct ordo_resolved_request *request)
{
	uint32_t sizes[2], nserver;
	if (request->topology || ordo_parameter_value(request, "groups")->nlist)
		return 0;
	const uint32_t N = request->problem.nrank, count = ordo_servers_untold(N, &nserver, sizes);
	if (request->problem.op != ORDO_ALLREDUCE)
		return equal_pieces(sizes, count);
	const struct units units = find_units(N, nserver, sizes, count);
	const uint64_t all = (uint64_t)(nserver - 1) * units_of(&units, sizes[0]) +
			     units_of(&units, sizes[count - 1]);
	const uint64_t K = all * common_multiple(sizes, count, sizes[0]);
	return K < ORDO_LIMIT ? (uint32_t)K : ORDO_LIMIT;
}

/* Where nothing tells servers apart, as many ranks that their last server is as small beside the
 * others: of n ranks between two squares, at the same place between two smaller squares. */
static uint32_t fewer_ranks(const struct ordo_resolved_request *request, uint32_t nrank)
{
	uint32_t sizes[2], nserver;
	ordo_servers_untold(nrank, &nserver, sizes);
	const uint32_t size = sizes[0], fewer = (2 * size + 1) / 3, below = (size - 1) * (size - 1);
	(void)request;
	if (fewer < 2)
		return 1;
	return (fewer - 1) * (fewer - 1) +
	       ((nrank - below) * (2 * fewer - 1) + 2 * size - 2) / (2 * size - 1);
}

/* How far a chunk goes whose block is of that server. */
static uint64_t steps_of(const struct asymmetric *a, uint32_t server)
{
	uint64_t steps = a->servers->nserver > 1 || size_of(a, server) > 1;
	for (uint32_t other = 0; other < a->servers->nserver; other++)
		if (other != server && size_of(a, other) > 1)
			steps = 2;
	return steps + (a->found->holds && size_of(a, server) > a->found->sharers[server]);
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
	const uint64_t own = block_of(a, rank).count,
		       kept = common(block_of(a, rank), real_block(a, rank)).count;
	uint64_t sent = problem->op == ORDO_ALLGATHER ? 0 : ordo_nchunk(problem) - own;
	if (problem->op == ORDO_REDUCESCATTER)
		return sent + (a->found->holds ? own - kept : 0);
	/* It sends its own block to those who hold it, and of what it holds no rank its own. */
	sent += own * (S - 1) + (a->found->holds ? problem->chunks_per_block : own) - own;
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

/* Within a server a block for each server goes over every link; between them one. */
static bool closed_form(const struct ordo_resolved_request *request, struct ordo_cost *cost)
{
	const uint64_t p = request->problem.nrank;
	const struct asymmetric_servers *found = request->prepared;
	uint64_t S, G;
	if (!ordo_servers_are_equal(request, &found->servers, &S, &G) ||
		!ordo_form_has_slices(request, request->problem.nrank))
		return false;
	if (request->problem.op == ORDO_ALLGATHER)
		return ordo_form_is(cost, ORDO_COST_ROUNDS, 2, S, 0, p);
	if (request->problem.op == ORDO_REDUCESCATTER)
		return ordo_form_is(cost, ORDO_COST_ROUNDS, 2, S, p - 1, p);
	return ordo_form_is(cost, ORDO_COST_ROUNDS, 4, 2 * S, p - 1, p);
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
		.how = "In ReduceScatter, the ranks of a server divide among themselves the "
		       "blocks for another server. Each sums its share over its server and sends "
		       "one sum to the rank that owns the block, which adds one sum from every "
		       "server. AllGather takes the same way back: each block enters another "
		       "server once and is passed on inside it. AllReduce does both.",
		.when = "For servers with different numbers of ranks, to which other hierarchies "
			"do not apply. All ranks of a server have the same share of the slow "
			"links, small servers own less of an AllReduce, and every sum has one "
			"order. Where only rails join unequal servers, as many ranks of each "
			"server as the smallest has exchange data.",
		.operators = SUMMED | 1u << ORDO_ALLGATHER,
		.ranks = "any",
		.steps =
			"2; AllReduce 4; with one server, or servers of one rank, half of it; over "
			"rails between unequal servers ReduceScatter, AllGather 1 more",
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
	.foreseen_chunks = foreseen_chunks,
	.fewer_ranks = fewer_ranks,
	.build = build,
	.steps = count_steps,
	.volume = count_volume,
	.closed_form = closed_form,
};
