/* forest.c - D(V) over virtual shards for any number of ranks: each sends what it has of the tree
 * as it is.
 *
 * A rank's shards are a row of leaves of D(V). Unless V = N 2^i they are no subtree of it, so they
 * have no one sum that fits into the tree; but the largest subtrees in the row do. A rank folds
 * each of these, sends their sums to whoever adds up (of ReduceScatter the owner of a block, of
 * AllReduce of an N-th, of Reduce the root), and that one folds the rest of D(V). AllReduce deals
 * the results round.
 *
 * steps   1; AllReduce 2
 * volume  ReduceScatter (N-1) blocks for each tree of the largest forest; that is what it costs
 *         that N does not divide V evenly: at most about 2 log2(V/N) trees. AllReduce the same in
 *         N-ths, and N-1 more; Reduce n for each tree
 * order   D(V) for every chunk, whatever N: split [0,V) at the largest power of two below V
 * scratch for each tree of a forest but the largest and leaves a vector; for each tree of the
 * others a block, an N-th,
 *         or for Reduce a vector; log2(V/N) - 1 vectors to fold in
 * source  pairwise summation (the order); the dual tree summation of ReproRed (aligned subtrees for
 *         any N), here with all subtrees sent to the one who adds up
 */
#include "algorithms/direct/peers.h"
#include "program/shards.h"
#include <assert.h>
#include <ordo/arena.h>

/* Trees of all ranks, in the order of their leaves. */
struct forests {
	struct ordo_slice *leaves; /* [ntree] */
	/* [nrank + 1] a rank's trees: first[rank] .. first[rank + 1] - 1 */
	uint32_t *first;
	uint32_t *largest;    /* [nrank] which of them is folded where the result belongs */
	uint32_t *beside;     /* [ntree] which of the rank's others it is that are no leaves */
	uint32_t most_beside; /* of a rank */
};

/* What is being built. */
struct forest {
	struct ordo_builder *b;
	const struct ordo_resolved_request *request;
	const struct ordo_problem *problem;
	const struct forests *all;
	uint32_t spare;		/* to fold shards in */
	uint32_t beside;	/* vectors of a rank's trees but the largest */
	uint32_t got, got_size; /* what came from others, each with that room */
};

static void plant(struct forests *all, const struct ordo_problem *problem)
{
	uint32_t ntree = 0;
	for (uint32_t rank = 0, shard = 0; rank < problem->nrank; rank++) {
		const uint32_t end = ordo_first_shard(problem, rank + 1);
		all->first[rank] = all->largest[rank] = ntree;
		for (; shard < end; shard += all->leaves[ntree++].count) {
			all->leaves[ntree] = ordo_subtree_at(problem->nshard, shard, end);
			if (all->leaves[ntree].count > all->leaves[all->largest[rank]].count)
				all->largest[rank] = ntree;
		}
	}
	all->first[problem->nrank] = ntree;
}

static void number_others(struct forests *all, uint32_t nrank)
{
	for (uint32_t rank = 0; rank < nrank; rank++) {
		uint32_t count = 0;
		for (uint32_t tree = all->first[rank]; tree < all->first[rank + 1]; tree++) {
			all->beside[tree] = count;
			count += tree != all->largest[rank] && all->leaves[tree].count > 1;
		}
		all->most_beside = count > all->most_beside ? count : all->most_beside;
	}
}

static bool prepare(struct ordo_resolved_request *request, struct ordo_error *error)
{
	const struct ordo_problem *problem = &request->problem;
	const uint32_t N = problem->nrank;
	struct forests *all = ordo_arena_alloc(&request->arena, sizeof *all);
	size_t ntree = 0;
	if (!all)
		return ordo_fail_memory(error);
	for (uint32_t rank = 0; rank < N; rank++)
		ntree += ordo_forest_size(problem, rank);
	all->leaves = ordo_arena_alloc(&request->arena, ntree * sizeof *all->leaves);
	all->first = ordo_arena_alloc(&request->arena, ((size_t)N + 1) * sizeof *all->first);
	all->largest = ordo_arena_alloc(&request->arena, N * sizeof *all->largest);
	all->beside = ordo_arena_alloc(&request->arena, ntree * sizeof *all->beside);
	if (!all->leaves || !all->first || !all->largest || !all->beside)
		return ordo_fail_memory(error);
	plant(all, problem);
	number_others(all, N);
	request->prepared = all;
	return true;
}

static uint32_t ntree_of(const struct forests *all, uint32_t rank)
{
	return all->first[rank + 1] - all->first[rank];
}

/* The chunks that a rank adds up. */
static struct ordo_slice share_of(const struct ordo_problem *problem, uint32_t rank)
{
	const uint32_t K = problem->chunks_per_block;
	if (problem->op == ORDO_ALLREDUCE)
		return ordo_slice_of(K, problem->nrank, rank);
	if (problem->op == ORDO_REDUCE)
		return (struct ordo_slice){0, rank == problem->root ? K : 0};
	return (struct ordo_slice){rank * K, K};
}

/* Where a rank has the sum of one of its trees. */
static struct ordo_at sum_at(const struct forest *f, uint32_t rank, uint32_t tree, uint32_t chunk)
{
	const struct ordo_slice leaves = f->all->leaves[tree];
	if (leaves.count == 1)
		return ordo_shard_of(f->b, rank, leaves.first, chunk);
	if (tree == f->all->largest[rank])
		return ordo_work(f->b, rank, chunk);
	return ordo_at(rank, ORDO_SCRATCH,
		f->beside + f->all->beside[tree] * ordo_nchunk(f->problem) + chunk);
}

/* Where the sum of another rank's tree lies at the one who adds up. */
static struct ordo_at got_at(const struct forest *f, uint32_t owner, uint32_t tree)
{
	const uint32_t number = tree < f->all->first[owner] ? tree : tree - ntree_of(f->all, owner);
	return ordo_at(owner, ORDO_SCRATCH, f->got + number * f->got_size);
}

static void fold_own(const struct forest *f)
{
	ordo_phase(f->b, "reduce shards", ORDO_NONE);
	ordo_stream_local(f->b, f->request);
	for (uint32_t rank = 0; rank < f->problem->nrank; rank++)
		for (uint32_t tree = f->all->first[rank]; tree < f->all->first[rank + 1]; tree++) {
			const struct ordo_slice leaves = f->all->leaves[tree];
			if (leaves.count == 1)
				continue;
			if (tree == f->all->largest[rank])
				ordo_fold_to_work(f->b, f->problem, rank, leaves, f->spare);
			else
				ordo_fold_to(f->b, f->problem, sum_at(f, rank, tree, 0), leaves,
					f->spare);
		}
}

/* All sums of a rank, for the chunks that the owner adds up. */
static void send_sums(const struct forest *f, uint32_t owner, uint32_t rank)
{
	const struct ordo_slice share = share_of(f->problem, owner);
	if (!share.count)
		return;
	ordo_stream_to_peer(f->b, f->request, owner);
	for (uint32_t tree = f->all->first[rank]; tree < f->all->first[rank + 1]; tree++)
		ordo_copy(f->b, got_at(f, owner, tree), sum_at(f, rank, tree, share.first),
			share.count);
}

static void collect(const struct forest *f)
{
	const uint32_t N = f->problem->nrank;
	ordo_phase(f->b, f->problem->op == ORDO_REDUCE ? "gather" : "reduce-scatter", ORDO_NONE);
	for (uint32_t distance = 1; distance < N; distance++)
		for (uint32_t rank = 0; rank < N; rank++)
			send_sums(f, (rank + distance) % N, rank);
}

/* A subtree of D(V), and where its sum lies; or, if that is one of the owner's shards, the
 * shard. */
struct item {
	struct ordo_slice leaves;
	struct ordo_at at;
	bool here; /* it lies where the result belongs */
};

/* Are two neighbours among those to be added the sides of one subtree? The first has been added to
 * no left side, so it is one; and as it has a right one it is not cut off at V: that has as many
 * leaves, or ends at V. */
static bool are_siblings(uint32_t nshard, struct ordo_slice left, struct ordo_slice right)
{
	const uint64_t last = left.first + 2 * (uint64_t)left.count;
	return right.first + right.count == (last < nshard ? last : nshard);
}

/* As adding is commutative, the sum stays where the result belongs if either lies there, and no
 * shard is written. */
static struct item add(const struct forest *f, struct item left, struct item right, uint32_t count)
{
	const bool goes_right = right.here || (!left.here && left.at.buffer == ORDO_INPUT);
	const struct item to = goes_right ? right : left, from = goes_right ? left : right;
	ordo_reduce(f->b, to.at, from.at, count);
	return (struct item){
		{left.leaves.first, left.leaves.count + right.leaves.count}, to.at, to.here};
}

static struct item item_of(
	const struct forest *f, uint32_t owner, uint32_t tree, struct ordo_slice share)
{
	const struct forests *all = f->all;
	const bool own = tree >= all->first[owner] && tree < all->first[owner + 1];
	struct item item = {.leaves = all->leaves[tree], .here = tree == all->largest[owner]};
	item.at = !own	      ? got_at(f, owner, tree)
		  : item.here ? ordo_work(f->b, owner, share.first)
			      : sum_at(f, owner, tree, share.first);
	if (item.here)
		ordo_copy(f->b, item.at, sum_at(f, owner, tree, share.first), share.count);
	return item;
}

/* Trees come in the order of their leaves; whenever the last two are the sides of one, they are
 * added. What is left to be added are then the largest subtrees of a row that begins at leaf 0: at
 * most log2 V, and the last to come. */
static void fold_share(const struct forest *f, uint32_t owner, struct ordo_slice share)
{
	struct item open[33];
	uint32_t nopen = 0;
	for (uint32_t tree = 0; tree < f->all->first[f->problem->nrank]; tree++) {
		open[nopen++] = item_of(f, owner, tree, share);
		while (nopen > 1 && are_siblings(f->problem->nshard, open[nopen - 2].leaves,
					    open[nopen - 1].leaves)) {
			open[nopen - 2] = add(f, open[nopen - 2], open[nopen - 1], share.count);
			nopen--;
		}
		assert(nopen < sizeof open / sizeof *open);
	}
}

static void fold_all(const struct forest *f)
{
	ordo_phase(f->b, "local reduce", ORDO_NONE);
	ordo_stream_local(f->b, f->request);
	for (uint32_t owner = 0; owner < f->problem->nrank && !ordo_builder_failed(f->b); owner++) {
		const struct ordo_slice share = share_of(f->problem, owner);
		if (share.count)
			fold_share(f, owner, share);
	}
}

static void deal_round(const struct forest *f)
{
	const uint32_t N = f->problem->nrank;
	ordo_phase(f->b, "all-gather", ORDO_NONE);
	for (uint32_t distance = 1; distance < N; distance++)
		for (uint32_t rank = 0; rank < N; rank++) {
			const uint32_t peer = (rank + distance) % N;
			const struct ordo_slice share = share_of(f->problem, rank);
			if (!share.count)
				continue;
			ordo_stream_to_peer(f->b, f->request, peer);
			ordo_copy(f->b, ordo_output_of(f->b, peer, share.first),
				ordo_output_of(f->b, rank, share.first), share.count);
		}
}

static uint32_t largest_share(const struct ordo_problem *problem)
{
	uint32_t largest = 0;
	for (uint32_t rank = 0; rank < problem->nrank; rank++) {
		const uint32_t count = share_of(problem, rank).count;
		largest = count > largest ? count : largest;
	}
	return largest;
}

static uint32_t reserve(struct forest *f, uint64_t count, uint32_t size)
{
	if (count * size <= ORDO_LIMIT)
		return ordo_scratch(f->b, (uint32_t)(count * size));
	ordo_builder_fail(f->b, "%llu sums of %u chunks are more scratch slots than %u",
		(unsigned long long)count, size, ORDO_LIMIT);
	return 0;
}

static void build(struct ordo_builder *b, const struct ordo_resolved_request *request)
{
	const struct forests *all = request->prepared;
	struct forest f = {.b = b, .request = request, .problem = &request->problem, .all = all};
	f.spare = ordo_fold_scratch(b, f.problem);
	f.beside = reserve(&f, all->most_beside, ordo_nchunk(f.problem));
	f.got_size = largest_share(f.problem);
	f.got = reserve(&f, all->first[f.problem->nrank], f.got_size);
	fold_own(&f);
	collect(&f);
	fold_all(&f);
	if (f.problem->op == ORDO_ALLREDUCE)
		deal_round(&f);
}

static uint32_t natural_chunks(const struct ordo_resolved_request *request)
{
	return request->problem.op == ORDO_ALLREDUCE ? request->problem.nrank : 1;
}

static uint64_t count_steps(const struct ordo_resolved_request *request)
{
	return request->problem.nrank == 1 ? 0 : request->problem.op == ORDO_ALLREDUCE ? 2 : 1;
}

/* A rank sends all that is not its own to add, once for each of its trees, and its results to all
 * others. */
static uint64_t count_sent(const struct ordo_resolved_request *request, uint32_t rank)
{
	const struct ordo_problem *problem = &request->problem;
	const uint64_t own = share_of(problem, rank).count, others = ordo_nchunk(problem) - own;
	const uint64_t results = problem->op == ORDO_ALLREDUCE ? own * (problem->nrank - 1) : 0;
	return others * ntree_of(request->prepared, rank) + results;
}

static uint64_t count_volume(const struct ordo_resolved_request *request)
{
	uint64_t most = 0;
	for (uint32_t rank = 0; rank < request->problem.nrank; rank++) {
		const uint64_t sent = count_sent(request, rank);
		most = sent > most ? sent : most;
	}
	return most;
}

static const struct ordo_parameter parameters[] = {ORDO_PEERS_STREAMS};

const struct ordo_algorithm ordo_algorithm_forest = {
	.facts = {.name = "forest",
		.summary = "one tree over virtual shards, D(V), on any number of ranks: each sends "
			   "its subtrees",
		.how = "There is one reduction tree over virtual shards, whatever N is. Every "
		       "rank computes the sums of the subtrees that consist of its own shards and "
		       "sends them to the owner of the chunk, which adds them in the order of the "
		       "tree.",
		.when = "When results must be the same on any number of ranks (G5), even where "
			"the number of shards is not N times a power of two. It sends more than "
			"the minimum: one sum for every subtree.",
		.operators = 1u << ORDO_ALLREDUCE | 1u << ORDO_REDUCE | 1u << ORDO_REDUCESCATTER,
		.ranks = "any",
		.steps = "1; AllReduce 2",
		.volume = "ReduceScatter N-1 blocks, times the trees of the largest forest: 1 if V "
			  "= N 2^i, else at most about 2 log2(V/N)",
		.order = "D(V) for every chunk, whatever N",
		.topologies = "a link between every two ranks; Reduce: from every rank to the root",
		.source = "pairwise summation (the order); ReproRed's dual tree summation "
			  "(subtrees for any N)",
		.parameters = parameters,
		.nparameter = sizeof parameters / sizeof *parameters},
	.takes_shards = true,
	.prepare = prepare,
	.chunks = natural_chunks,
	.build = build,
	.steps = count_steps,
	.volume = count_volume,
};
