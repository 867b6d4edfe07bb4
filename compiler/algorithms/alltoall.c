/* alltoall.c - every rank has a block for every other: one partner after another, or by the binary digits of
 * the way.
 *
 * pairwise: in step k rank r sends to r+k and receives from r-k. Bruck: a block that has to go j ranks on goes
 * 2^k on in round k for every digit k of j, so that a rank has q partners instead of N-1; blocks wait in
 * scratch meanwhile.
 *
 * steps   pairwise: N-1 rounds, each block goes once; Bruck: q = ceil(log2 N) rounds, a block goes at most
 *         floor(log2 N) times
 * volume  pairwise: N-1 blocks; Bruck: the binary digits of 1..N-1 together, (N/2) log2 N blocks for N = 2^k
 * scratch pairwise none; Bruck 2N blocks
 * source  Bruck, Ho, Kipnis, Upfal and Weathersby, IEEE Trans. Parallel Distrib. Syst. 8(11), 1997
 */
#include "algorithm.h"

static bool is_bruck(const struct ordo_recipe *recipe)
{
	return ordo_recipe_is(recipe, "method", "bruck");
}

static uint32_t block(const struct ordo_problem *problem, uint32_t from, uint32_t to)
{
	return (from * problem->nrank + to) * problem->chunks_per_block;
}

static void keep_own(struct ordo_builder *b, const struct ordo_problem *problem)
{
	ordo_stream(b, "own", ORDO_NONE);
	ordo_phase(b, "own", ORDO_NONE);
	for (uint32_t rank = 0; rank < problem->nrank; rank++)
		ordo_contribute(b, rank, block(problem, rank, rank), problem->chunks_per_block);
}

static void exchange_pairwise(struct ordo_builder *b, const struct ordo_problem *problem)
{
	const uint32_t N = problem->nrank;
	ordo_stream(b, "exchange", ORDO_NONE);
	for (uint32_t step = 1; step < N; step++) {
		ordo_phase(b, "exchange", step);
		for (uint32_t rank = 0; rank < N; rank++) {
			const uint32_t peer = (rank + step) % N, chunk = block(problem, rank, peer);
			ordo_copy(b, ordo_output_of(b, peer, chunk), ordo_input_of(b, rank, chunk),
				problem->chunks_per_block);
		}
	}
}

static uint32_t count_digits(uint32_t j)
{
	return (uint32_t)__builtin_popcount(j);
}

/* Blocks on their way change between two banks of scratch with every hop: while one leaves a rank the next
 * arrives, both with the same number of ranks to go in all. A block with few hops needs no second bank. */
static uint32_t count_banks(uint32_t N)
{
	return N >= 8 ? 2 : N >= 4 ? 1 : 0;
}

/* Where the blocks are that have to go j ranks on in all and have arrived at `rank` after some hops. */
static struct ordo_at on_the_way(
	const struct ordo_problem *problem, uint32_t scratch, uint32_t rank, uint32_t j, uint32_t hops)
{
	const uint32_t bank = (hops - 1) % 2 * problem->nrank;
	return ordo_at(rank, ORDO_SCRATCH, scratch + (bank + j) * problem->chunks_per_block);
}

/* Round `digit` of one rank. The lower digits of j are behind the block, so it came from that far. */
static void send_digit(struct ordo_builder *b, const struct ordo_problem *problem, uint32_t scratch,
	uint32_t rank, uint32_t digit)
{
	const uint32_t N = problem->nrank, way = 1u << digit, peer = (rank + way) % N;
	for (uint32_t j = way; j < N; j = (j + 1) | way) {
		const uint32_t behind = j & (way - 1), hops = count_digits(behind);
		const uint32_t from = (rank + N - behind) % N, to = (from + j) % N;
		const uint32_t chunk = block(problem, from, to);
		const bool last = !(j >> digit >> 1);
		ordo_copy(b,
			last ? ordo_output_of(b, to, chunk) : on_the_way(problem, scratch, peer, j, hops + 1),
			hops ? on_the_way(problem, scratch, rank, j, hops) : ordo_input_of(b, rank, chunk),
			problem->chunks_per_block);
	}
}

static void exchange_by_digits(struct ordo_builder *b, const struct ordo_problem *problem)
{
	const uint32_t N = problem->nrank;
	const uint32_t scratch = ordo_scratch(b, count_banks(N) * N * problem->chunks_per_block);
	ordo_stream(b, "exchange", ORDO_NONE);
	for (uint32_t digit = 0; digit < 31 && 1u << digit < N; digit++) {
		ordo_phase(b, "digit", digit);
		for (uint32_t rank = 0; rank < N; rank++)
			send_digit(b, problem, scratch, rank, digit);
	}
}

static void build(struct ordo_builder *b, const struct ordo_recipe *recipe)
{
	if (is_bruck(recipe))
		exchange_by_digits(b, &recipe->problem);
	else
		exchange_pairwise(b, &recipe->problem);
	keep_own(b, &recipe->problem);
}

/* Of all numbers below N, 2^k - 1 <= N - 1 has the most binary digits set. */
static uint64_t count_steps(const struct ordo_recipe *recipe)
{
	const uint32_t N = recipe->problem.nrank;
	if (!is_bruck(recipe))
		return N > 1;
	uint64_t digits = 0;
	while (2ull << digits <= N)
		digits++;
	return digits;
}

static uint64_t count_volume(const struct ordo_recipe *recipe)
{
	const uint32_t N = recipe->problem.nrank;
	uint64_t blocks = 0;
	for (uint32_t j = 1; j < N; j++)
		blocks += is_bruck(recipe) ? count_digits(j) : 1;
	return blocks * recipe->problem.chunks_per_block;
}

static const struct ordo_parameter parameters[] = {
	{.name = "method",
		.values = "pairwise|bruck",
		.fallback = "pairwise",
		.meaning = "pairwise: each block goes once; bruck: few partners, for small data",
		.kind = ORDO_WORD},
};

const struct ordo_algorithm ordo_algorithm_alltoall = {
	.facts = {.name = "alltoall",
		.summary = "every rank with every other in turn, or by the binary digits of the way",
		.operators = 1u << ORDO_ALLTOALL,
		.ranks = "any",
		.steps = "pairwise N-1 rounds, each block goes once; bruck q rounds, a block goes at most "
			 "floor(log2 N) times",
		.volume = "pairwise N-1 blocks; bruck (N/2) log2 N blocks for N = 2^k",
		.order = "adds nothing",
		.topologies =
			"pairwise: a link between every two ranks; bruck: links to the ranks 2^k further",
		.source = "Bruck, Ho, Kipnis, Upfal and Weathersby 1997",
		.parameters = parameters,
		.nparameter = sizeof parameters / sizeof *parameters},
	.build = build,
	.steps = count_steps,
	.volume = count_volume,
};
