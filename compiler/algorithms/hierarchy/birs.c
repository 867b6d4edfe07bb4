/* birs.c - batch-invariant reduce-scatter over two kinds of links at once: every chunk in one
 * order.
 *
 * A server has R ranks, R even: column r/2, lane r mod 2. SIO links join the two ranks of a column,
 * HCCS links the ranks of a lane. In round k, three streams side by side: over SIO a rank adds its
 * part of what its neighbour will send next; over HCCS it sends the sum that its column made in
 * round k-1; locally it copies its own part of the next. In the end a rank has one sum from every
 * column and folds them in their order. With M servers each transfer carries the blocks of the M
 * ranks of the same number; M-1 pairwise rounds and a fold over the servers follow. AllReduce goes
 * back over both kinds of links at once: what arrives over HCCS goes on over SIO.
 *
 * steps   2, with several servers 3; rounds R/2 + M-1; AllReduce twice that
 * volume  ReduceScatter N-1 blocks a rank, R/2 M over SIO, (R/2-1) M over HCCS, M-1 between
 *         servers; AllReduce 2(N-1)/N of the vector
 * order   one tree: D(R) in a server and D(M) over the servers, D(N) if R = 2^k or M = 1.
 *         fold=owner, as found in the published form, begins at the owner's server and is as many
 *         trees as that makes: 3 for M = 3, 2 for 4, 5 for 5
 * scratch (R-1) M + M-1 blocks; in place and AllReduce (R/2-1) M + M-1
 * source  batch-invariant ReduceScatter (BIRS) of the HCCL collectives for A3 servers
 */
#include "algorithm.h"
#include "algorithms/direct/closed_form.h"
#include <ordo/plural.h>

struct birs {
	struct ordo_builder *b;
	const struct ordo_problem *problem;
	uint32_t servers, ranks, columns; /* M; R of each server; R/2 */
	bool by_owner;			  /* the fold over the servers begins at the owner's */
	/* scratch: sums for others; of other columns; of other servers */
	uint32_t parked, sums, partials;
	uint32_t width; /* slots for the chunks of one rank */
};

static struct birs birs_of(const struct ordo_resolved_request *request)
{
	const struct ordo_problem *problem = &request->problem;
	const uint32_t M = ordo_parameter_number(request, "servers"), N = problem->nrank,
		       K = problem->chunks_per_block;
	return (struct birs){
		.problem = problem,
		.servers = M,
		.ranks = N / M,
		.columns = N / M / 2,
		.by_owner = ordo_parameter_is(request, "fold", "owner"),
		.width = problem->op == ORDO_ALLREDUCE ? K / N + (K % N != 0) : K,
	};
}

/* The chunks for rank `local` of a server. Those of AllReduce follow each other over the
 * servers. */
static struct ordo_slice chunks_of(const struct birs *a, uint32_t server, uint32_t local)
{
	const uint32_t K = a->problem->chunks_per_block;
	if (a->problem->op == ORDO_ALLREDUCE)
		return ordo_slice_of(K, a->problem->nrank, local * a->servers + server);
	return (struct ordo_slice){(server * a->ranks + local) * K, K};
}

static uint32_t rank_of(const struct birs *a, uint32_t server, uint32_t local)
{
	return server * a->ranks + local;
}

/* The rank `k` columns further in the lane of its server. */
static uint32_t further(const struct birs *a, uint32_t local, uint32_t k)
{
	return (local + 2 * k) % a->ranks;
}

/* The place of the sum over a server, at the rank that owns it; the fold ends in the output. */
static struct ordo_at partial_at(
	const struct birs *a, uint32_t server, uint32_t local, uint32_t from_server, uint32_t chunk)
{
	const uint32_t rank = rank_of(a, server, local);
	const uint32_t item =
		a->by_owner ? (from_server + a->servers - server) % a->servers : from_server;
	if (!item)
		return ordo_output_of(a->b, rank, chunk);
	return ordo_at(rank, ORDO_SCRATCH, a->partials + (item - 1) * a->width);
}

/* The place of a sum for rank (to_server, to_local), which is in the same lane. */
static struct ordo_at parked_at(const struct birs *a, uint32_t server, uint32_t local,
	uint32_t to_server, uint32_t to_local, uint32_t chunk)
{
	const uint32_t rank = rank_of(a, server, local);
	if (a->problem->op == ORDO_ALLREDUCE || a->problem->in_place)
		return ordo_work(a->b, rank, chunk);
	return ordo_at(
		rank, ORDO_SCRATCH, a->parked + (to_local / 2 * a->servers + to_server) * a->width);
}

/* Where, at rank (server, local), the sum of a column lies that is for (to_server, local). The fold
 * over the columns ends where that of column 0 is. */
static struct ordo_at column_at(const struct birs *a, uint32_t server, uint32_t local,
	uint32_t column, uint32_t to_server, uint32_t chunk)
{
	if (column)
		return ordo_at(rank_of(a, server, local), ORDO_SCRATCH,
			a->sums + ((column - 1) * a->servers + to_server) * a->width);
	if (to_server == server)
		return partial_at(a, server, local, server, chunk);
	return parked_at(a, server, local, to_server, local, chunk);
}

/* Where rank (server, local) sums up, with its SIO neighbour, what is for (to_server, to_local). */
static struct ordo_at pair_at(const struct birs *a, uint32_t server, uint32_t local,
	uint32_t to_server, uint32_t to_local, uint32_t chunk)
{
	if (to_local == local)
		return column_at(a, server, local, local / 2, to_server, chunk);
	return parked_at(a, server, local, to_server, to_local, chunk);
}

/* The i-th server, or the i-th from the last, whose part a rank of this server deals with in a
 * transfer. Of ReduceScatter transfers that follow on each other go up and down in turn: what was
 * made last is then needed first, and waited for in the name of all the rest. The own part is the
 * last to be folded. Those of AllReduce lie one after another and become one move. */
static uint32_t nth_server(const struct birs *a, uint32_t server, uint32_t i, bool down)
{
	if (a->problem->op == ORDO_ALLREDUCE)
		return i;
	return (server + (down ? a->servers - i : i + 1)) % a->servers;
}

/* A rank's own part of the pair's sum for number to_local of every server. */
static void copy_own(const struct birs *a, uint32_t server, uint32_t local, uint32_t to_local)
{
	ordo_stream(a->b, "copy", ORDO_NONE);
	for (uint32_t i = 0; i < a->servers; i++) {
		const uint32_t to = nth_server(a, server, i, true);
		const struct ordo_slice chunks = chunks_of(a, to, to_local);
		if (chunks.count)
			ordo_copy(a->b, pair_at(a, server, local, to, to_local, chunks.first),
				ordo_input_of(a->b, rank_of(a, server, local), chunks.first),
				chunks.count);
	}
}

/* Over SIO: adds to the neighbour's sum for number to_local of every server. */
static void add_to_neighbour(
	const struct birs *a, uint32_t server, uint32_t local, uint32_t to_local)
{
	ordo_stream(a->b, "sio", ORDO_NONE);
	for (uint32_t i = 0; i < a->servers; i++) {
		const uint32_t to = nth_server(a, server, i, false);
		const struct ordo_slice chunks = chunks_of(a, to, to_local);
		if (chunks.count)
			ordo_reduce(a->b, pair_at(a, server, local ^ 1, to, to_local, chunks.first),
				ordo_input_of(a->b, rank_of(a, server, local), chunks.first),
				chunks.count);
	}
}

/* Over HCCS: hands the pair's sum to the rank of the same server it is for, or that passes it
 * on. */
static void send_sum(const struct birs *a, uint32_t server, uint32_t local, uint32_t to_local)
{
	ordo_stream(a->b, "hccs", ORDO_NONE);
	for (uint32_t i = 0; i < a->servers; i++) {
		const uint32_t to = nth_server(a, server, i, true);
		const struct ordo_slice chunks = chunks_of(a, to, to_local);
		if (chunks.count)
			ordo_copy(a->b, column_at(a, server, to_local, local / 2, to, chunks.first),
				pair_at(a, server, local, to, to_local, chunks.first),
				chunks.count);
	}
}

/* What a rank keeps it copies in round 0 already: in place, the sums of others may then arrive over
 * it. */
static void play_round(const struct birs *a, uint32_t server, uint32_t local, uint32_t k)
{
	const uint32_t next = further(a, local, k + 1);
	add_to_neighbour(a, server, local, next ^ 1);
	if (k)
		send_sum(a, server, local, further(a, local, k));
	if (k + 2 < a->columns)
		copy_own(a, server, local, further(a, local, k + 2));
}

static bool has_servers(const struct birs *a)
{
	return a->servers > 1;
}

static void sum_in_servers(const struct birs *a)
{
	ordo_phase(a->b, "copy in", ORDO_NONE);
	for (uint32_t server = 0; server < a->servers; server++)
		for (uint32_t local = 0; local < a->ranks; local++) {
			copy_own(a, server, local, further(a, local, 1));
			copy_own(a, server, local, local);
		}
	for (uint32_t k = 0; k < a->columns; k++) {
		ordo_phase(
			a->b, has_servers(a) ? "intra-server reduce-scatter" : "reduce-scatter", k);
		for (uint32_t server = 0; server < a->servers; server++)
			for (uint32_t local = 0; local < a->ranks; local++)
				play_round(a, server, local, k);
	}
}

/* The stride-doubling fold of what is for (to, local), over the columns of a server. */
static void fold_columns(const struct birs *a, uint32_t server, uint32_t local, uint32_t to)
{
	const struct ordo_slice chunks = chunks_of(a, to, local);
	for (uint32_t stride = 1; chunks.count && stride < a->columns; stride *= 2)
		for (uint32_t i = 0; i + stride < a->columns; i += 2 * stride)
			ordo_reduce(a->b, column_at(a, server, local, i, to, chunks.first),
				column_at(a, server, local, i + stride, to, chunks.first),
				chunks.count);
}

/* The same over the servers. */
static void fold_servers(const struct birs *a, uint32_t server, uint32_t local)
{
	const struct ordo_slice chunks = chunks_of(a, server, local);
	const uint32_t M = a->servers, first = a->by_owner ? server : 0;
	for (uint32_t stride = 1; chunks.count && stride < M; stride *= 2)
		for (uint32_t i = 0; i + stride < M; i += 2 * stride)
			ordo_reduce(a->b,
				partial_at(a, server, local, (first + i) % M, chunks.first),
				partial_at(
					a, server, local, (first + i + stride) % M, chunks.first),
				chunks.count);
}

static void fold_all(const struct birs *a, bool servers)
{
	ordo_phase(a->b,
		servers		 ? "inter-server: local reduce"
		: has_servers(a) ? "intra-server: local reduce"
				 : "local reduce",
		ORDO_NONE);
	ordo_stream(a->b, "copy", ORDO_NONE);
	for (uint32_t server = 0; server < a->servers; server++)
		for (uint32_t local = 0; local < a->ranks; local++)
			if (servers)
				fold_servers(a, server, local);
			else
				for (uint32_t k = 1; k <= a->servers; k++)
					fold_columns(a, server, local, (server + k) % a->servers);
}

/* Between servers, always ranks of the same number: the sum over one server to the owner in
 * another, or back the owner's result. */
static void send_between(
	const struct birs *a, uint32_t server, uint32_t local, uint32_t to, bool back)
{
	const struct ordo_slice chunks = chunks_of(a, back ? server : to, local);
	const uint32_t peer = rank_of(a, to, local), rank = rank_of(a, server, local);
	if (!chunks.count)
		return;
	if (back)
		ordo_copy(a->b, ordo_output_of(a->b, peer, chunks.first),
			ordo_output_of(a->b, rank, chunks.first), chunks.count);
	else
		ordo_copy(a->b, partial_at(a, to, local, server, chunks.first),
			column_at(a, server, local, 0, to, chunks.first), chunks.count);
}

static void exchange_between(const struct birs *a, bool back)
{
	ordo_stream(a->b, "servers", ORDO_NONE);
	for (uint32_t k = 1; k < a->servers; k++) {
		ordo_phase(
			a->b, back ? "inter-server all-gather" : "inter-server reduce-scatter", k);
		for (uint32_t server = 0; server < a->servers; server++)
			for (uint32_t local = 0; local < a->ranks; local++)
				send_between(a, server, local, (server + k) % a->servers, back);
	}
}

/* The results for number `of` of all servers. */
static void send_results(
	const struct birs *a, uint32_t server, uint32_t local, uint32_t to, uint32_t of)
{
	const struct ordo_slice first = chunks_of(a, 0, of),
				last = chunks_of(a, a->servers - 1, of);
	const uint32_t count = last.first + last.count - first.first;
	if (count)
		ordo_copy(a->b, ordo_output_of(a->b, rank_of(a, server, to), first.first),
			ordo_output_of(a->b, rank_of(a, server, local), first.first), count);
}

/* In round k over HCCS the own results to the rank k+1 columns further, over SIO those that came in
 * round k-1, in round 0 the own, to the neighbour. */
static void gather_in_servers(const struct birs *a)
{
	for (uint32_t k = 0; k < a->columns; k++) {
		ordo_phase(a->b, has_servers(a) ? "intra-server all-gather" : "all-gather", k);
		for (uint32_t server = 0; server < a->servers; server++)
			for (uint32_t local = 0; local < a->ranks; local++) {
				ordo_stream(a->b, "sio", ORDO_NONE);
				send_results(a, server, local, local ^ 1,
					further(a, local, a->columns - k));
				ordo_stream(a->b, "hccs", ORDO_NONE);
				if (k + 1 < a->columns)
					send_results(
						a, server, local, further(a, local, k + 1), local);
			}
	}
}

static void build(struct ordo_builder *b, const struct ordo_resolved_request *request)
{
	struct birs a = birs_of(request);
	a.b = b;
	if (request->problem.op == ORDO_REDUCESCATTER && !request->problem.in_place)
		a.parked = ordo_scratch(b, a.columns * a.servers * a.width);
	a.sums = ordo_scratch(b, (a.columns - 1) * a.servers * a.width);
	a.partials = ordo_scratch(b, (a.servers - 1) * a.width);
	sum_in_servers(&a);
	fold_all(&a, false);
	exchange_between(&a, false);
	fold_all(&a, true);
	if (request->problem.op == ORDO_ALLREDUCE) {
		exchange_between(&a, true);
		gather_in_servers(&a);
	}
}

static bool applicable(const struct ordo_resolved_request *request, struct ordo_error *error)
{
	const uint32_t M = ordo_parameter_number(request, "servers"), N = request->problem.nrank;
	if (M <= N / 4 && N % M == 0 && N / M % 2 == 0)
		return true;
	if (M == 1)
		ordo_fail(error, ORDO_USAGE, 0,
			"birs: found %u rank%s, wanted an even number, at least 4", N,
			ordo_plural(N));
	else
		ordo_fail(error, ORDO_USAGE, 0,
			"birs: found %u rank%s on %u servers, wanted an even number of ranks on "
			"each, at least 4",
			N, ordo_plural(N), M);
	return ordo_hint(error, "dyadic makes the same order for any number of ranks");
}

static uint32_t natural_chunks(const struct ordo_resolved_request *request)
{
	return request->problem.op == ORDO_ALLREDUCE ? request->problem.nrank : 1;
}

static uint64_t count_steps(const struct ordo_resolved_request *request)
{
	const uint64_t one_way = ordo_parameter_number(request, "servers") > 1 ? 3 : 2;
	return request->problem.op == ORDO_ALLREDUCE ? 2 * one_way : one_way;
}

/* Every rank sends all blocks but its own once; on the way back it sends its own to the other
 * servers, those of its number to its lane, and those of its lane to its neighbour. */
static uint64_t count_sent(const struct birs *a, uint32_t server, uint32_t local)
{
	const uint64_t K = a->problem->chunks_per_block, own = chunks_of(a, server, local).count;
	if (a->problem->op != ORDO_ALLREDUCE)
		return (a->problem->nrank - 1) * K;
	uint64_t sent = K - own + (a->servers - 1) * own;
	for (uint32_t to = 0; to < a->servers; to++) {
		sent += (a->columns - 1) * (uint64_t)chunks_of(a, to, local).count;
		for (uint32_t column = 0; column < a->columns; column++)
			sent += chunks_of(a, to, further(a, local, column)).count;
	}
	return sent;
}

static uint64_t count_volume(const struct ordo_resolved_request *request)
{
	const struct birs a = birs_of(request);
	uint64_t most = 0;
	for (uint32_t rank = 0; rank < request->problem.nrank; rank++) {
		const uint64_t sent = count_sent(&a, rank / a.ranks, rank % a.ranks);
		most = sent > most ? sent : most;
	}
	return most;
}

/* M servers of R ranks: R/2 rounds, in which the links inside columns carry most, M blocks a round;
 * then M-1 between servers. */
static bool closed_form(const struct ordo_resolved_request *request, struct ordo_cost *cost)
{
	const uint64_t p = request->problem.nrank, M = ordo_parameter_number(request, "servers"),
		       R = p / M, rounds = R / 2 + M - 1;
	/* On one port the two kinds of links take turns. */
	const bool one_port = request->topology && request->topology->ports == 1;
	const uint64_t blocks = one_port ? p - 1 : R / 2 * M + M - 1;
	if (request->problem.op == ORDO_REDUCESCATTER)
		return ordo_form_is(cost, ORDO_COST_ROUNDS, rounds, blocks, p - 1, p);
	return ordo_form_has_slices(request, request->problem.nrank) &&
	       ordo_form_is(cost, ORDO_COST_ROUNDS, 2 * rounds, 2 * blocks, p - 1, p);
}

static const struct ordo_parameter parameters[] = {
	{.name = "servers",
		.values = "1..",
		.fallback = "1",
		.meaning = "number of servers, with equally many ranks each, numbered "
			   "server by server",
		.kind = ORDO_NUMBER,
		.least = 1,
		.most = ORDO_LIMIT},
	{.name = "fold",
		.values = "absolute|owner",
		.fallback = "absolute",
		.meaning = "the order over servers; absolute: one tree for all; owner: "
			   "starts at the owner's server, as in the published form",
		.kind = ORDO_WORD},
};

static const struct ordo_variant variants[] = {
	{.settings = ""},
	{.settings = "servers=#", .servers = true},
	{.settings = "servers=#,fold=owner", .servers = true},
	{.settings = "map=auto", .sparse = true},
};

const struct ordo_algorithm ordo_algorithm_birs = {
	.facts = {.name = "birs",
		.never_fastest = true,
		.summary = "batch-invariant sum over SIO pairs and HCCS lanes at once",
		.how = "The two ranks of a column share a fast link (SIO), and HCCS links join "
		       "the ranks of a lane. In every round a rank adds its part, over SIO, to "
		       "what its neighbour sends next, sends over HCCS the sum that its column "
		       "made in the previous round, and copies its own part for the next round. "
		       "At the end each rank holds one sum from every column and folds them in "
		       "the order of the columns.",
		.when = "For A3 servers, when the bits must not depend on the position of an "
			"element (G3). It keeps both kinds of links busy at once.",
		.operators = 1u << ORDO_REDUCESCATTER | 1u << ORDO_ALLREDUCE,
		.ranks = "even, at least 4, on each server",
		.steps = "2 in R/2 rounds; with M > 1 servers 3, M-1 rounds more; AllReduce twice "
			 "that",
		.volume = "ReduceScatter N-1 blocks; AllReduce 2(N-1)/N n",
		.order =
			"one tree: D(N) on one server, D(M) of D(R) on several; fold=owner several",
		.topologies = "a3: links r-r^1 and a full mesh per lane; servers: between ranks of "
			      "one number",
		.source = "batch-invariant ReduceScatter of HCCL for A3 servers",
		.parameters = parameters,
		.nparameter = sizeof parameters / sizeof *parameters,
		.variants = variants,
		.nvariant = sizeof variants / sizeof *variants},
	.applicable = applicable,
	.chunks = natural_chunks,
	.build = build,
	.steps = count_steps,
	.volume = count_volume,
	.closed_form = closed_form,
};
