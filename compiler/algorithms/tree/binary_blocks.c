/* binary_blocks.c - every chunk summed in the dyadic order D(N), in few steps for any N.
 *
 * N is a sum of powers of two: the ranks are consecutive blocks of that many ranks, the largest
 * first. Inside a block the vector is summed by recursive halving, nearest first, so that every
 * rank of a block of size S has an S-th of its sum. Then each block adds its sum to that of the
 * next larger one, beginning with the smallest: B1 + (B2 + (B3 + ...)) is D(N). The sums go back
 * the same way.
 *
 * steps   k = floor(log2 N), and k back; between blocks no chain becomes longer, for the next
 *         smaller block has fewer steps
 * volume  at most 2n for every rank
 * order   D(N) for every chunk: split [0,N) at the largest power of two below N. Of V shards, V = N
 *         2^i: D(V)
 * source  Rabenseifner and Traeff, EuroPVM/MPI 2004 (binary blocks; there far first)
 */
#include "algorithm.h"

struct block {
	uint32_t first, size; /* ranks */
};

/* Slices are numbered so that what a rank keeps in each round is consecutive: rank `l` of a block
 * of S ranks ends with those whose number, its highest bits first, begins with the bits of l, its
 * lowest first. */
struct blocks {
	struct ordo_builder *b;
	const struct ordo_problem *problem;
	struct block of[32];
	uint32_t count;
};

static struct blocks blocks_of(const struct ordo_problem *problem)
{
	struct blocks blocks = {.problem = problem};
	for (uint32_t first = 0, size; first < problem->nrank; first += size) {
		for (size = 1; size <= (problem->nrank - first) / 2;)
			size *= 2;
		blocks.of[blocks.count++] = (struct block){first, size};
	}
	return blocks;
}

static uint32_t reversed(uint32_t l, uint32_t size)
{
	uint32_t reverse = 0;
	for (uint32_t bit = 1; bit < size; bit *= 2)
		reverse |= l & bit ? size / 2 / bit : 0;
	return reverse;
}

/* The chunks that a rank of a block keeps when it has exchanged with the ranks that differ in bits
 * below `reach`. */
static struct ordo_slice kept(const struct blocks *blocks, uint32_t l, uint32_t reach)
{
	const uint32_t K = blocks->problem->chunks_per_block, nslice = blocks->of[0].size,
		       count = nslice / reach, first = reversed(l % reach, reach) * count;
	const struct ordo_slice begin = ordo_slice_of(K, nslice, first),
				last = ordo_slice_of(K, nslice, first + count - 1);
	return (struct ordo_slice){begin.first, last.first + last.count - begin.first};
}

/* A rank's own part of what it keeps after the first round. */
static void contribute(const struct blocks *blocks)
{
	ordo_phase(blocks->b, "copy in", ORDO_NONE);
	ordo_stream(blocks->b, "copy", ORDO_NONE);
	for (uint32_t i = 0; i < blocks->count; i++)
		for (uint32_t l = 0; l < blocks->of[i].size; l++) {
			const uint32_t reach = blocks->of[i].size > 1 ? 2 : 1;
			const struct ordo_slice own = kept(blocks, l, reach);
			if (reach > 1 || blocks->count == 1)
				ordo_contribute(
					blocks->b, blocks->of[i].first + l, own.first, own.count);
		}
}

/* What `from` has of the chunks is added to what `to` has. raw: it lies in the input. */
static void add(
	const struct blocks *blocks, uint32_t to, uint32_t from, struct ordo_slice chunks, bool raw)
{
	if (chunks.count)
		ordo_reduce(blocks->b, ordo_work(blocks->b, to, chunks.first),
			raw ? ordo_input_of(blocks->b, from, chunks.first)
			    : ordo_work(blocks->b, from, chunks.first),
			chunks.count);
}

static void halve(const struct blocks *blocks)
{
	for (uint32_t mask = 1, step = 0; mask < blocks->of[0].size; mask *= 2, step++) {
		ordo_phase(blocks->b, "reduce-scatter", step);
		for (uint32_t i = 0; i < blocks->count && mask < blocks->of[i].size; i++)
			for (uint32_t l = 0; l < blocks->of[i].size; l++)
				add(blocks, blocks->of[i].first + (l ^ mask),
					blocks->of[i].first + l, kept(blocks, l ^ mask, 2 * mask),
					!step);
	}
}

/* Each rank of a block has as much as several of the next larger one. */
static void add_to_larger(const struct blocks *blocks)
{
	for (uint32_t i = blocks->count; i-- > 1;) {
		const struct block from = blocks->of[i], to = blocks->of[i - 1];
		ordo_phase(blocks->b, "inter-block reduce", blocks->count - 1 - i);
		for (uint32_t l = 0; l < to.size; l++)
			add(blocks, to.first + l, from.first + l % from.size,
				kept(blocks, l, to.size), from.size == 1);
	}
}

static void pass_on(
	const struct blocks *blocks, uint32_t to, uint32_t from, struct ordo_slice chunks)
{
	if (chunks.count)
		ordo_copy(blocks->b, ordo_output_of(blocks->b, to, chunks.first),
			ordo_output_of(blocks->b, from, chunks.first), chunks.count);
}

static void return_to_smaller(const struct blocks *blocks)
{
	for (uint32_t i = 1; i < blocks->count; i++) {
		const struct block from = blocks->of[i - 1], to = blocks->of[i];
		ordo_phase(blocks->b, "inter-block copy", i - 1);
		for (uint32_t l = 0; l < from.size; l++)
			pass_on(blocks, to.first + l % to.size, from.first + l,
				kept(blocks, l, from.size));
	}
}

static void gather(const struct blocks *blocks)
{
	for (uint32_t mask = blocks->of[0].size / 2, step = 0; mask; mask /= 2, step++) {
		ordo_phase(blocks->b, "all-gather", step);
		for (uint32_t i = 0; i < blocks->count && mask < blocks->of[i].size; i++)
			for (uint32_t l = 0; l < blocks->of[i].size; l++)
				pass_on(blocks, blocks->of[i].first + (l ^ mask),
					blocks->of[i].first + l, kept(blocks, l, 2 * mask));
	}
}

static void build(struct ordo_builder *b, const struct ordo_resolved_request *request)
{
	struct blocks blocks = blocks_of(&request->problem);
	blocks.b = b;
	contribute(&blocks);
	ordo_stream(b, "exchange", ORDO_NONE);
	halve(&blocks);
	add_to_larger(&blocks);
	return_to_smaller(&blocks);
	gather(&blocks);
}

/* As many chunks as the largest block has ranks. */
static uint32_t natural_chunks(const struct ordo_resolved_request *request)
{
	return blocks_of(&request->problem).of[0].size;
}

static uint64_t count_steps(const struct ordo_resolved_request *request)
{
	const struct blocks blocks = blocks_of(&request->problem);
	uint64_t k = 0;
	while (1u << k < blocks.of[0].size)
		k++;
	return 2 * k;
}

/* Halving and gathering send what the peer keeps, or has kept; between blocks a rank sends what it
 * has to the larger one, and to the smaller one. */
static uint64_t count_sent(const struct blocks *blocks, uint32_t i, uint32_t l)
{
	const uint32_t size = blocks->of[i].size;
	const uint64_t own = kept(blocks, l, size).count;
	uint64_t sent = (i ? own : 0) + (i + 1 < blocks->count ? own : 0);
	for (uint32_t mask = 1; mask < size; mask *= 2)
		sent += kept(blocks, l ^ mask, 2 * mask).count + kept(blocks, l, 2 * mask).count;
	return sent;
}

static uint64_t count_volume(const struct ordo_resolved_request *request)
{
	const struct blocks blocks = blocks_of(&request->problem);
	uint64_t most = 0;
	for (uint32_t i = 0; i < blocks.count; i++)
		for (uint32_t l = 0; l < blocks.of[i].size; l++) {
			const uint64_t sent = count_sent(&blocks, i, l);
			most = sent > most ? sent : most;
		}
	return most;
}

const struct ordo_algorithm ordo_algorithm_binary_blocks = {
	.facts = {.name = "binary-blocks",
		.never_fastest = true,
		.summary = "one tree for every chunk, D(N), in few steps for any number of ranks",
		.how = "The ranks are divided into consecutive blocks, each a power of two of "
		       "ranks, the largest first. Every block does recursive halving with the "
		       "nearest rank first. Then, starting with the smallest block, each block "
		       "adds its sum to that of the next larger block. The result goes back the "
		       "same way, and every block does recursive doubling.",
		.when = "For large messages on numbers of ranks that are not powers of two, when "
			"all chunks must be added in the dyadic order: it sends few messages, and "
			"most data moves between near ranks. dyadic sends more messages, but this "
			"algorithm waits longer where an odd number of ranks has many small "
			"blocks.",
		.operators = 1u << ORDO_ALLREDUCE,
		.ranks = "any",
		.steps = "2k, k = floor(log2 N)",
		.volume = "at most 2n",
		.order = "D(N) for every chunk; of V = N 2^i virtual shards D(V)",
		.topologies = "links to r^2^t in aligned blocks of 2^k, and between blocks",
		.source = "Rabenseifner and Traeff 2004"},
	.chunks = natural_chunks,
	.build = build,
	.steps = count_steps,
	.volume = count_volume,
};
