/* alltoall.c - every rank has a block for every other: one partner after another, or by the binary
 * digits of the way.
 *
 * pairwise: in step k rank r sends to r+k and receives from r-k. Bruck: a block that has to go j
 * ranks on goes 2^k on in round k for every digit k of j, so that a rank has q partners instead of
 * N-1; blocks wait in scratch meanwhile.
 *
 * steps   pairwise: N-1 rounds, each block goes once; Bruck: q = ceil(log2 N) rounds, a block goes
 *         at most floor(log2 N) times
 * volume  pairwise: N-1 blocks; Bruck: the binary digits of 1..N-1 together, (N/2) log2 N blocks
 *         for N = 2^k
 * scratch pairwise none; Bruck a block for every hop but the last, N (q/2 - 1) + 1 for N = 2^q
 * source  Bruck, Ho, Kipnis, Upfal and Weathersby, IEEE Trans. Parallel Distrib. Syst. 8(11), 1997
 */
#include "algorithm.h"
#include "algorithms/direct/closed_form.h"

static bool is_bruck(const struct ordo_resolved_request *request)
{
	return ordo_parameter_is(request, "method", "bruck");
}

static uint32_t block(const struct ordo_problem *problem, uint32_t from, uint32_t to)
{
	return (from * problem->nrank + to) * problem->chunks_per_block;
}

static void keep_own(struct ordo_builder *b, const struct ordo_problem *problem)
{
	ordo_stream(b, "copy", ORDO_NONE);
	ordo_phase(b, "copy in", ORDO_NONE);
	for (uint32_t rank = 0; rank < problem->nrank; rank++)
		ordo_contribute(b, rank, block(problem, rank, rank), problem->chunks_per_block);
}

static void exchange_pairwise(struct ordo_builder *b, const struct ordo_problem *problem)
{
	const uint32_t N = problem->nrank;
	ordo_stream(b, "exchange", ORDO_NONE);
	for (uint32_t step = 1; step < N; step++) {
		ordo_phase(b, "all-to-all", step);
		for (uint32_t rank = 0; rank < N; rank++) {
			const uint32_t peer = (rank + step) % N, chunk = block(problem, rank, peer);
			ordo_copy(b, ordo_output_of(b, peer, chunk), ordo_input_of(b, rank, chunk),
				problem->chunks_per_block);
		}
	}
}

/* The number of integers below N with that binary digit set. */
static uint32_t count_with(uint32_t N, uint32_t digit)
{
	const uint32_t low = N & ((2u << digit) - 1), way = 1u << digit;
	return (N >> digit >> 1 << digit) + (low > way ? low - way : 0);
}

/* What arrives in a round and goes further has scratch of its own, so that no round waits until a
 * block of an earlier one has left. */
struct bruck {
	struct ordo_builder *b;
	const struct ordo_problem *problem;
	uint32_t arrivals[32]; /* of each round: first block of scratch */
};

static struct bruck prepare_scratch(struct ordo_builder *b, const struct ordo_problem *problem)
{
	struct bruck bruck = {.b = b, .problem = problem};
	uint32_t blocks = 0;
	for (uint32_t digit = 0; digit < 31 && 1u << digit < problem->nrank; digit++) {
		const uint32_t ngo = count_with(problem->nrank, digit);
		bruck.arrivals[digit] = blocks;
		/* the others have arrived for good */
		blocks += ngo > 1u << digit ? ngo - (1u << digit) : 0;
	}
	const uint32_t scratch = ordo_scratch(b, blocks * problem->chunks_per_block);
	for (uint32_t digit = 0; digit < 32; digit++)
		bruck.arrivals[digit] = scratch + bruck.arrivals[digit] * problem->chunks_per_block;
	return bruck;
}

/* Where, at `rank`, what has to go j ranks on in all lies after the round of a digit of j but the
 * highest. The numbers with that digit set, counted in order: the first 2^digit of them have no
 * higher one. */
static struct ordo_at on_the_way(
	const struct bruck *bruck, uint32_t rank, uint32_t j, uint32_t digit)
{
	const uint32_t way = 1u << digit,
		       number = (j >> digit >> 1 << digit | (j & (way - 1))) - way;
	return ordo_at(rank, ORDO_SCRATCH,
		bruck->arrivals[digit] + number * bruck->problem->chunks_per_block);
}

/* In round `digit`, rank passes on what has to go j ranks on. The lower digits of j are behind it:
 * it came from that far, and last over the highest of them. */
static void send_digit(const struct bruck *bruck, uint32_t rank, uint32_t digit, uint32_t j)
{
	const uint32_t N = bruck->problem->nrank, behind = j & ((1u << digit) - 1);
	const uint32_t from = (rank + N - behind) % N, to = (from + j) % N,
		       peer = (rank + (1u << digit)) % N;
	const uint32_t chunk = block(bruck->problem, from, to);
	const bool last = !(j >> digit >> 1);
	ordo_copy(bruck->b,
		last ? ordo_output_of(bruck->b, to, chunk) : on_the_way(bruck, peer, j, digit),
		behind ? on_the_way(bruck, rank, j, 31 - (uint32_t)__builtin_clz(behind))
		       : ordo_input_of(bruck->b, rank, chunk),
		bruck->problem->chunks_per_block);
}

/* A block that moves in this round and in the next: sent last in this and first in the next, it is
 * waited for in the name of all others. 0: there is none. */
static uint32_t connecting(uint32_t N, uint32_t digit)
{
	return 3u << digit < N ? 3u << digit : 0;
}

static void send_digits(const struct bruck *bruck, uint32_t rank, uint32_t digit)
{
	const uint32_t N = bruck->problem->nrank, way = 1u << digit;
	const uint32_t first = digit ? connecting(N, digit - 1) : 0, last = connecting(N, digit);
	if (first)
		send_digit(bruck, rank, digit, first);
	for (uint32_t j = way; j < N; j = (j + 1) | way)
		if (j != first && j != last)
			send_digit(bruck, rank, digit, j);
	if (last)
		send_digit(bruck, rank, digit, last);
}

static void exchange_by_digits(struct ordo_builder *b, const struct ordo_problem *problem)
{
	const uint32_t N = problem->nrank;
	const struct bruck bruck = prepare_scratch(b, problem);
	ordo_stream(b, "exchange", ORDO_NONE);
	for (uint32_t digit = 0; digit < 30 && 1u << digit < N; digit++) {
		ordo_phase(b, "all-to-all", digit);
		for (uint32_t rank = 0; rank < N; rank++)
			send_digits(&bruck, rank, digit);
	}
}

static void build(struct ordo_builder *b, const struct ordo_resolved_request *request)
{
	if (is_bruck(request))
		exchange_by_digits(b, &request->problem);
	else
		exchange_pairwise(b, &request->problem);
	keep_own(b, &request->problem);
}

/* Of all numbers below N, 2^k - 1 <= N - 1 has the most binary digits set. */
static uint64_t count_steps(const struct ordo_resolved_request *request)
{
	const uint32_t N = request->problem.nrank;
	if (!is_bruck(request))
		return N > 1;
	uint64_t digits = 0;
	while (2ull << digits <= N)
		digits++;
	return digits;
}

static uint64_t count_volume(const struct ordo_resolved_request *request)
{
	const uint32_t N = request->problem.nrank;
	uint64_t blocks = is_bruck(request) ? 0 : N - 1;
	for (uint32_t j = 1; is_bruck(request) && j < N; j++)
		blocks += (uint64_t)__builtin_popcount(j);
	return blocks * request->problem.chunks_per_block;
}

static bool closed_form(const struct ordo_resolved_request *request, struct ordo_cost *cost)
{
	const uint64_t p = request->problem.nrank;
	return ordo_parameter_is(request, "method", "pairwise") &&
	       ordo_form_is(cost, ORDO_COST_TABLE, p - 1, p - 1, 0, p);
}

static const struct ordo_parameter parameters[] = {
	{.name = "method",
		.values = "pairwise|bruck",
		.fallback = "pairwise",
		.meaning = "pairwise: each block is sent once; bruck: few partners, for "
			   "small data",
		.kind = ORDO_WORD},
};

static const struct ordo_variant variants[] = {
	{.settings = ""},
	{.settings = "method=bruck"},
};

static const struct ordo_alias aliases[] = {
	{"pairwise", 1u << ORDO_ALLTOALL, "", NULL},
	{"pairwise-exchange", 1u << ORDO_ALLTOALL, "", NULL},
	{"bruck", 1u << ORDO_ALLTOALL, "method=bruck", NULL},
};

const struct ordo_algorithm ordo_algorithm_alltoall = {
	.facts = {.name = "alltoall",
		.summary = "pairwise exchange, one peer per round, or Bruck's log2 N rounds",
		.how = "Pairwise: in step k every rank sends the block for the rank k places "
		       "ahead and receives one from the rank k places back. Bruck: blocks travel "
		       "by the binary digits of their distance, so many blocks share a message "
		       "and some are sent several times.",
		.when = "Pairwise for large blocks, because it sends each block once and needs "
			"only one port; Bruck for small blocks, because it takes log2 N steps.",
		.operators = 1u << ORDO_ALLTOALL,
		.ranks = "any",
		.steps = "pairwise N-1 rounds, each block goes once; bruck q rounds, a block goes "
			 "at most floor(log2 N) times",
		.volume = "pairwise N-1 blocks; bruck (N/2) log2 N blocks for N = 2^k",
		.order = "adds nothing",
		.topologies = "pairwise: a link between every two ranks; bruck: links to the ranks "
			      "2^k further",
		.source = "Bruck, Ho, Kipnis, Upfal and Weathersby 1997",
		.parameters = parameters,
		.nparameter = sizeof parameters / sizeof *parameters,
		.variants = variants,
		.nvariant = sizeof variants / sizeof *variants,
		.aliases = aliases,
		.nalias = sizeof aliases / sizeof *aliases},
	.build = build,
	.steps = count_steps,
	.volume = count_volume,
	.closed_form = closed_form,
};
