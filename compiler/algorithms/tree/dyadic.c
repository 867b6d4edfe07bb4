/* dyadic.c - every chunk summed in the dyadic order D(N), at the bandwidth of the best and for any
 * N.
 *
 * N = 2^a m, m odd. The ranks are m groups of 2^a: rank r = g 2^a + l. In round t rank r exchanges
 * with r^2^t and keeps what is for ranks that agree with it in bit t; after a rounds it has, for
 * each rank of its own l, the sum over its group. These partial sums go to their m owners, k-th to
 * the group k further, and each owner folds the m it gets in the order of the groups. AllReduce
 * goes the same way back.
 *
 * steps   a, and one more if m > 1, in a + m-1 rounds on one port; AllReduce twice that
 * volume  ReduceScatter exactly N-1 blocks a rank; AllReduce 2(N-1)/N of the vector
 * order   D(N) for every chunk: split [0,N) at the largest power of two below N. Of V shards, V = N
 *         2^i: D(V)
 * scratch m-1 blocks; ReduceScatter out of place N/2 more
 * source  exchange by recursive halving, nearest first: Rabenseifner, ICCS 2004; the order of
 *         pairwise summation
 */
#include "algorithm.h"
#include "algorithms/direct/closed_form.h"
#include "program/shards.h"
#include <stdio.h>

/* What rank p ends up with is at position `place` of all: by its low bits in reverse, then by
 * group, so that what a rank keeps in each round is consecutive. */
struct dyadic {
	struct ordo_builder *b;
	const struct ordo_problem *problem;
	uint32_t rounds, groups; /* a, m */
	uint32_t size;		 /* of a group, 2^a */
	uint32_t parked,
		/* scratch: sums on their way, one block for each pair of ranks; sums of groups */
		partial;
	uint32_t width; /* slots for the chunks of one position */
};

/* Consecutive positions. */
typedef struct ordo_slice positions;

static struct dyadic dyadic_of(const struct ordo_problem *problem)
{
	struct dyadic d = {.problem = problem, .groups = problem->nrank, .size = 1};
	for (; d.groups % 2 == 0; d.groups /= 2) {
		d.rounds++;
		d.size *= 2;
	}
	const bool sliced = problem->op == ORDO_ALLREDUCE;
	const uint32_t K = problem->chunks_per_block, N = problem->nrank;
	d.width = sliced ? K / N + (K % N != 0) : K;
	return d;
}

static uint32_t reversed(const struct dyadic *d, uint32_t l)
{
	uint32_t reverse = 0;
	for (uint32_t t = 0; t < d->rounds; t++)
		reverse |= (l >> t & 1) << (d->rounds - 1 - t);
	return reverse;
}

static uint32_t position_of(const struct dyadic *d, uint32_t rank)
{
	return reversed(d, rank % d->size) * d->groups + rank / d->size;
}

static uint32_t rank_at(const struct dyadic *d, uint32_t position)
{
	return position % d->groups * d->size + reversed(d, position / d->groups);
}

/* What rank r keeps after t rounds: the positions of the ranks that agree with it in the t lowest
 * bits. */
static positions kept(const struct dyadic *d, uint32_t rank, uint32_t t)
{
	const uint32_t count = d->problem->nrank >> t;
	return (positions){position_of(d, rank) / count * count, count};
}

/* The chunks of some positions; of ReduceScatter, those of the first alone. */
static struct ordo_slice chunks_of(const struct dyadic *d, positions p)
{
	const uint32_t K = d->problem->chunks_per_block, N = d->problem->nrank;
	if (d->problem->op != ORDO_ALLREDUCE)
		return (struct ordo_slice){rank_at(d, p.first) * K, K};
	const struct ordo_slice first = ordo_slice_of(K, N, p.first),
				last = ordo_slice_of(K, N, p.first + p.count - 1);
	return (struct ordo_slice){first.first, last.first + last.count - first.first};
}

/* Where the sum over group g lies at the rank it is for. The fold ends where that of group 0 is. */
static struct ordo_at partial_at(
	const struct dyadic *d, uint32_t rank, uint32_t group, uint32_t chunk)
{
	if (!group)
		return ordo_output_of(d->b, rank, chunk);
	return ordo_at(rank, ORDO_SCRATCH, d->partial + (group - 1) * d->width);
}

/* Where a rank adds up a position. Of AllReduce, all but its own lie one after another. */
static struct ordo_at sum_at(
	const struct dyadic *d, uint32_t rank, uint32_t position, uint32_t chunk)
{
	if (position == position_of(d, rank))
		return partial_at(d, rank, rank / d->size, chunk);
	if (d->problem->op == ORDO_ALLREDUCE || d->problem->in_place)
		return ordo_work(d->b, rank, chunk);
	return ordo_at(rank, ORDO_SCRATCH, d->parked + rank_at(d, position) / 2 * d->width);
}

/* What src has of one or (AllReduce) several positions is added to what dst has, or begins it. */
static void move_sum(
	const struct dyadic *d, uint32_t dst, uint32_t src, positions p, bool raw, bool begins)
{
	const struct ordo_slice chunks = chunks_of(d, p);
	if (!chunks.count)
		return;
	const struct ordo_at to = sum_at(d, dst, p.first, chunks.first);
	const struct ordo_at from = raw ? ordo_input_of(d->b, src, chunks.first)
					: sum_at(d, src, p.first, chunks.first);
	if (begins)
		ordo_copy(d->b, to, from, chunks.count);
	else
		ordo_reduce(d->b, to, from, chunks.count);
}

/* Of ReduceScatter, every second round goes backwards: what was made last is then needed first, and
 * waited for in the name of all the rest. */
static void move_each(
	const struct dyadic *d, uint32_t dst, uint32_t src, positions p, uint32_t round)
{
	for (uint32_t i = 0; i < p.count; i++) {
		const uint32_t position = p.first + (round % 2 ? p.count - 1 - i : i);
		move_sum(d, dst, src, (positions){position, 1}, round <= 1, !round);
	}
}

/* Of AllReduce, in few moves: the position of dst itself lies apart from the others. */
static void move_all(
	const struct dyadic *d, uint32_t dst, uint32_t src, positions p, uint32_t round)
{
	const uint32_t own = position_of(d, dst), end = p.first + p.count;
	const positions parts[] = {{p.first, own - p.first}, {own, 1}, {own + 1, end - own - 1}};
	for (int i = 0; i < 3; i++)
		if (parts[i].count)
			move_sum(d, dst, src, parts[i], round <= 1, !round);
}

/* Round 0 is a rank's own contribution. */
static void move_sums(
	const struct dyadic *d, uint32_t dst, uint32_t src, positions p, uint32_t round)
{
	if (d->problem->op == ORDO_ALLREDUCE)
		move_all(d, dst, src, p, round);
	else
		move_each(d, dst, src, p, round);
}

/* Every rank's own part of what it keeps after the first round. */
static void contribute(const struct dyadic *d)
{
	ordo_phase(d->b, "copy in", ORDO_NONE);
	ordo_stream(d->b, "fold", ORDO_NONE);
	for (uint32_t rank = 0; rank < d->problem->nrank; rank++)
		move_sums(d, rank, rank,
			d->rounds ? kept(d, rank, 1) : (positions){position_of(d, rank), 1}, 0);
}

static void halve(const struct dyadic *d)
{
	ordo_stream(d->b, "exchange", ORDO_NONE);
	for (uint32_t t = 0; t < d->rounds; t++) {
		ordo_phase(d->b, "reduce-scatter", t);
		for (uint32_t rank = 0; rank < d->problem->nrank; rank++)
			move_sums(d, rank ^ 1u << t, rank, kept(d, rank ^ 1u << t, t + 1), t + 1);
	}
}

/* The k-th partner of a rank among those of its own low bits. */
static uint32_t same_in_group(const struct dyadic *d, uint32_t rank, uint32_t k)
{
	return (rank / d->size + k) % d->groups * d->size + rank % d->size;
}

static void send_partials(const struct dyadic *d)
{
	ordo_stream(d->b, "exchange", ORDO_NONE);
	for (uint32_t k = 1; k < d->groups; k++) {
		ordo_phase(d->b, "inter-group reduce-scatter", k);
		for (uint32_t rank = 0; rank < d->problem->nrank; rank++) {
			const uint32_t owner = same_in_group(d, rank, k),
				       position = position_of(d, owner);
			const struct ordo_slice chunks = chunks_of(d, (positions){position, 1});
			if (chunks.count)
				ordo_copy(d->b, partial_at(d, owner, rank / d->size, chunks.first),
					d->rounds ? sum_at(d, rank, position, chunks.first)
						  : ordo_input_of(d->b, rank, chunks.first),
					chunks.count);
		}
	}
}

static void fold(const struct dyadic *d)
{
	ordo_stream(d->b, "fold", ORDO_NONE);
	ordo_phase(d->b, "local reduce", ORDO_NONE);
	for (uint32_t rank = 0; rank < d->problem->nrank; rank++) {
		const struct ordo_slice own = chunks_of(d, (positions){position_of(d, rank), 1});
		for (uint32_t stride = 1; own.count && stride < d->groups; stride *= 2)
			for (uint32_t g = 0; g + stride < d->groups; g += 2 * stride)
				ordo_reduce(d->b, partial_at(d, rank, g, own.first),
					partial_at(d, rank, g + stride, own.first), own.count);
	}
}

static void send_result(const struct dyadic *d, uint32_t to, uint32_t from, positions p)
{
	const struct ordo_slice chunks = chunks_of(d, p);
	if (chunks.count)
		ordo_copy(d->b, ordo_output_of(d->b, to, chunks.first),
			ordo_output_of(d->b, from, chunks.first), chunks.count);
}

/* The way back. */
static void gather(const struct dyadic *d)
{
	ordo_stream(d->b, "exchange", ORDO_NONE);
	for (uint32_t k = 1; k < d->groups; k++) {
		ordo_phase(d->b, "inter-group all-gather", k);
		for (uint32_t rank = 0; rank < d->problem->nrank; rank++)
			send_result(d, same_in_group(d, rank, k), rank,
				(positions){position_of(d, rank), 1});
	}
	for (uint32_t t = d->rounds; t-- > 0;) {
		ordo_phase(d->b, "all-gather", d->rounds - 1 - t);
		for (uint32_t rank = 0; rank < d->problem->nrank; rank++)
			send_result(d, rank ^ 1u << t, rank, kept(d, rank, t + 1));
	}
}

static void build(struct ordo_builder *b, const struct ordo_resolved_request *request)
{
	struct dyadic d = dyadic_of(&request->problem);
	d.b = b;
	d.partial = ordo_scratch(b, (d.groups - 1) * d.width);
	if (d.rounds && request->problem.op == ORDO_REDUCESCATTER && !request->problem.in_place)
		d.parked = ordo_scratch(b, request->problem.nrank / 2 * d.width);
	contribute(&d);
	halve(&d);
	send_partials(&d);
	fold(&d);
	if (request->problem.op == ORDO_ALLREDUCE)
		gather(&d);
}

/* "1, 3, 6, 12" for 12 shards. */
static void list_aligned(uint32_t nshard, char *out, size_t size)
{
	size_t length = (size_t)snprintf(out, size, "1");
	uint32_t odd = nshard;
	while (odd % 2 == 0)
		odd /= 2;
	for (uint64_t n = odd > 1 ? odd : 2; n <= nshard && length < size; n *= 2)
		length += (size_t)snprintf(out + length, size - length, ", %u", (uint32_t)n);
}

/* With virtual shards the tree is D(V), or the ranks do not matter after all. */
static bool applicable(const struct ordo_resolved_request *request, struct ordo_error *error)
{
	const uint32_t V = request->nshard, N = request->problem.nrank;
	char fitting[512];
	if (ordo_shards_align(V, N))
		return true;
	list_aligned(V, fitting, sizeof fitting);
	ordo_fail(error, ORDO_USAGE, 0,
		"algorithm: dyadic makes the one tree D(V) of %u shards on %s ranks, found %u", V,
		fitting, N);
	return ordo_hint(error, "forest makes it on any number of ranks, and sends more");
}

static uint32_t natural_chunks(const struct ordo_resolved_request *request)
{
	return request->problem.op == ORDO_ALLREDUCE ? request->problem.nrank : 1;
}

static uint64_t count_steps(const struct ordo_resolved_request *request)
{
	const struct dyadic d = dyadic_of(&request->problem);
	const uint64_t one_way = d.rounds + (d.groups > 1);
	return request->problem.op == ORDO_ALLREDUCE ? 2 * one_way : one_way;
}

/* Every rank sends all blocks but its own once; on the way back it sends its own to the other
 * groups, and all it holds to its partners. */
static uint64_t count_sent(const struct dyadic *d, uint32_t rank)
{
	const uint64_t own = chunks_of(d, (positions){position_of(d, rank), 1}).count;
	if (d->problem->op != ORDO_ALLREDUCE)
		return (d->problem->nrank - 1) * own;
	uint64_t sent = d->problem->chunks_per_block - own + (d->groups - 1) * own;
	for (uint32_t t = 0; t < d->rounds; t++)
		sent += chunks_of(d, kept(d, rank, t + 1)).count;
	return sent;
}

static uint64_t count_volume(const struct ordo_resolved_request *request)
{
	const struct dyadic d = dyadic_of(&request->problem);
	uint64_t most = 0;
	for (uint32_t rank = 0; rank < request->problem.nrank; rank++) {
		const uint64_t sent = count_sent(&d, rank);
		most = sent > most ? sent : most;
	}
	return most;
}

/* p = 2^a m: a rounds of halving, then m-1 partners one after another. */
static bool closed_form(const struct ordo_resolved_request *request, struct ordo_cost *cost)
{
	const uint32_t p = request->problem.nrank, power = p & (~p + 1);
	return ordo_form_phases(request,
		request->problem.op == ORDO_REDUCESCATTER ? ORDO_COST_TABLE : ORDO_COST_ROUNDS,
		ordo_form_rounds(power) + p / power - 1, cost);
}

const struct ordo_algorithm ordo_algorithm_dyadic = {
	.facts = {.name = "dyadic",
		.summary = "one tree for every chunk, D(N), with the least volume",
		.how = "Let N = 2^a m with m odd. Inside aligned groups of 2^a ranks, recursive "
		       "halving exchanges with the nearest rank first, in a steps. Then the ranks "
		       "of the same position in all groups exchange their sums, and each adds "
		       "them by a stride-doubling fold. Every chunk gets the same reduction tree, "
		       "(((0+1)+(2+3))+...), as if one rank had added neighbours first.",
		.when = "When the bits must not depend on the position of an element, on the "
			"number of chunks or on which rank owns the chunk (G3), for any N, at "
			"optimal bandwidth. With --shards they do not depend on the number of "
			"ranks either (G5).",
		.operators = 1u << ORDO_REDUCESCATTER | 1u << ORDO_ALLREDUCE,
		.ranks = "any",
		.steps = "a, and 1 more if m > 1, for N = 2^a m, m odd; AllReduce twice that",
		.volume = "ReduceScatter N-1 blocks; AllReduce 2(N-1)/N n",
		.order = "D(N) for every chunk; of V = N 2^i virtual shards D(V)",
		.topologies =
			"links to r^2^t in groups of 2^a, and between the same ranks of all groups",
		.source = "Rabenseifner 2004 (the exchange); pairwise summation (the order)"},
	.applicable = applicable,
	.chunks = natural_chunks,
	.build = build,
	.steps = count_steps,
	.volume = count_volume,
	.closed_form = closed_form,
};
