/* mesh.c - every rank deals with every other directly; sums are folded where they are needed.
 *
 * steps   1; two-shot AllReduce, Reduce and Broadcast 2
 * volume  what the busiest rank sends, n being the whole vector: AllReduce (N-1)n one-shot,
 *         2(N-1)/N n two-shot; ReduceScatter, AllGather, AllToAll, Scatter (N-1)/N n; Gather n/N;
 *         Reduce n; Broadcast (N-1)n one-shot, 2(N-1)/N n two-shot
 *         owners=auto, M of N ranks: (1 + (N-2)/M) n instead of 2(N-1)/N n for AllReduce
 * order   by absolute rank, the same tree for every chunk: dyadic D(N), folded F(N) or linear, as
 *         chosen; or own: the owner's part first, then the others in ascending order, N-1 trees
 *         (ranks 0 and 1 have the same)
 * source  Thakur, Rabenseifner and Gropp, Int. J. High Perform. Comput. Appl. 19(1), 2005 (the
 *         direct algorithms)
 */
#include "algorithms/direct/closed_form.h"
#include "fold.h"
#include "owners.h"
#include "peers.h"
#include "request/fast_links.h"

/* The rank's part of the vector, which the owners share. */
static struct ordo_slice part_of(const struct ordo_resolved_request *request, uint32_t rank)
{
	const struct ordo_problem *problem = &request->problem;
	const struct ordo_owners *owners = request->prepared;
	if (!owners)
		return ordo_slice_of(problem->chunks_per_block, problem->nrank, rank);
	if (owners->places[rank] == ORDO_NONE)
		return (struct ordo_slice){0, 0};
	return ordo_slice_of(problem->chunks_per_block, owners->count, owners->places[rank]);
}

/* The chunks that a rank sums, or holds and sends to the others. */
static struct ordo_slice share_of(const struct ordo_resolved_request *request, uint32_t rank)
{
	const struct ordo_problem *problem = &request->problem;
	const uint32_t K = problem->chunks_per_block;
	const struct ordo_slice all = {0, K}, none = {0, 0}, block = {rank * K, K};
	switch (problem->op) {
	case ORDO_ALLREDUCE:
		return ordo_parameter_is(request, "shots", "1") ? all : part_of(request, rank);
	case ORDO_BROADCAST:
		if (ordo_parameter_is(request, "shots", "2"))
			return part_of(request, rank);
		return rank == problem->root ? all : none;
	case ORDO_REDUCE:
		if (ordo_parameter_is(request, "shots", "2"))
			return part_of(request, rank);
		return rank == problem->root ? all : none;
	case ORDO_REDUCESCATTER:
	case ORDO_ALLGATHER:
	case ORDO_SCATTER:
	case ORDO_GATHER:
	case ORDO_ALLTOALL:
	case ORDO_CUSTOM:
		break;
	}
	return block;
}

static bool two_shots(const struct ordo_resolved_request *request)
{
	return request->problem.op == ORDO_ALLREDUCE ? !ordo_parameter_is(request, "shots", "1")
						     : ordo_parameter_is(request, "shots", "2");
}

/* The sum of a rank: item i is what rank i contributes. */
static struct ordo_fold fold_of(struct ordo_builder *b, const struct ordo_resolved_request *request,
	uint32_t owner, uint32_t scratch, uint32_t stride)
{
	const struct ordo_slice slice = share_of(request, owner);
	return (struct ordo_fold){.b = b,
		.own = ordo_work(b, owner, slice.first),
		.nitem = request->problem.nrank,
		.owner = owner,
		.count = slice.count,
		.scratch = scratch,
		.stride = stride};
}

static uint32_t largest_share(const struct ordo_resolved_request *request)
{
	uint32_t largest = 0;
	for (uint32_t rank = 0; rank < request->problem.nrank; rank++) {
		const uint32_t count = share_of(request, rank).count;
		largest = count > largest ? count : largest;
	}
	return largest;
}

/* The operator that sending the addends alone would be: with one shot, every rank gets
 * everything. */
static const char *collects_as(const struct ordo_resolved_request *request)
{
	if (request->problem.op == ORDO_REDUCE && !two_shots(request))
		return "gather";
	return request->problem.op == ORDO_ALLREDUCE && !two_shots(request) ? "all-gather"
									    : "reduce-scatter";
}

/* Every rank sends its addend of every sum to the rank that computes it. */
static void collect(struct ordo_builder *b, const struct ordo_resolved_request *request,
	uint32_t scratch, uint32_t stride)
{
	const uint32_t N = request->problem.nrank;
	ordo_phase(b, collects_as(request), ORDO_NONE);
	for (uint32_t distance = 1; distance < N; distance++)
		for (uint32_t rank = 0; rank < N; rank++) {
			const uint32_t owner = (rank + distance) % N;
			const struct ordo_slice slice = share_of(request, owner);
			if (!slice.count)
				continue;
			ordo_stream_to_peer(b, request, owner);
			const struct ordo_fold fold = fold_of(b, request, owner, scratch, stride);
			ordo_copy(b, ordo_fold_addend(&fold, rank),
				ordo_input_of(b, rank, slice.first), slice.count);
		}
}

static void fold_one(struct ordo_builder *b, const struct ordo_resolved_request *request,
	uint32_t owner, uint32_t scratch, uint32_t stride)
{
	const struct ordo_slice slice = share_of(request, owner);
	if (!slice.count)
		return;
	ordo_stream_local(b, request);
	ordo_contribute(b, owner, slice.first, slice.count);
	struct ordo_fold fold = fold_of(b, request, owner, scratch, stride);
	ordo_fold_up(&fold, ordo_parameter_value(request, "fold")->word);
}

static void sum_up(struct ordo_builder *b, const struct ordo_resolved_request *request)
{
	const uint32_t N = request->problem.nrank, stride = largest_share(request);
	if ((uint64_t)(N - 1) * stride > ORDO_LIMIT) {
		ordo_builder_fail(b,
			"%u chunks from each of %u ranks are more scratch slots than %u", stride,
			N - 1, ORDO_LIMIT);
		return;
	}
	const uint32_t scratch = ordo_scratch(b, (N - 1) * stride);
	collect(b, request, scratch, stride);
	ordo_phase(b, "local reduce", ORDO_NONE);
	for (uint32_t owner = 0; owner < N; owner++)
		fold_one(b, request, owner, scratch, stride);
}

/* Every rank sends its share to all ranks that need it. */
static void deal_round(struct ordo_builder *b, const struct ordo_resolved_request *request)
{
	const struct ordo_problem *problem = &request->problem;
	const bool summed = ordo_operator_facts(problem->op)->reduces;
	const uint32_t N = problem->nrank;
	ordo_phase(b,
		problem->op == ORDO_BROADCAST && !two_shots(request) ? "broadcast" : "all-gather",
		ORDO_NONE);
	for (uint32_t distance = 1; distance < N; distance++)
		for (uint32_t rank = 0; rank < N; rank++) {
			const uint32_t peer = (rank + distance) % N;
			const struct ordo_slice slice = share_of(request, rank);
			if (!slice.count ||
				(problem->op == ORDO_BROADCAST && peer == problem->root))
				continue;
			ordo_stream_to_peer(b, request, peer);
			ordo_copy(b, ordo_output_of(b, peer, slice.first),
				summed ? ordo_work(b, rank, slice.first)
				       : ordo_held(b, rank, slice.first),
				slice.count);
		}
}

/* The root sends every rank its share. */
static void deal_out(struct ordo_builder *b, const struct ordo_resolved_request *request)
{
	const uint32_t N = request->problem.nrank, root = request->problem.root;
	ordo_phase(b, "scatter", ORDO_NONE);
	for (uint32_t distance = 1; distance < N; distance++) {
		const uint32_t peer = (root + distance) % N;
		const struct ordo_slice slice = share_of(request, peer);
		if (!slice.count)
			continue;
		ordo_stream_to_peer(b, request, peer);
		ordo_copy(b, ordo_output_of(b, peer, slice.first),
			ordo_input_of(b, root, slice.first), slice.count);
	}
}

/* Every rank sends its block, or its share once it is summed, to the root. */
static void gather(struct ordo_builder *b, const struct ordo_resolved_request *request)
{
	const uint32_t N = request->problem.nrank, root = request->problem.root;
	ordo_phase(b, "gather", ORDO_NONE);
	for (uint32_t distance = 1; distance < N; distance++) {
		const uint32_t rank = (root + distance) % N;
		const struct ordo_slice slice = share_of(request, rank);
		if (!slice.count)
			continue;
		ordo_stream_to_peer(b, request, root);
		ordo_copy(b, ordo_output_of(b, root, slice.first),
			two_shots(request) ? ordo_work(b, rank, slice.first)
					   : ordo_input_of(b, rank, slice.first),
			slice.count);
	}
}

/* Every rank sends every other the block it has for it. */
static void exchange(struct ordo_builder *b, const struct ordo_resolved_request *request)
{
	const uint32_t N = request->problem.nrank, K = request->problem.chunks_per_block;
	ordo_phase(b, "all-to-all", ORDO_NONE);
	for (uint32_t distance = 1; distance < N; distance++)
		for (uint32_t rank = 0; rank < N; rank++) {
			const uint32_t peer = (rank + distance) % N, chunk = (rank * N + peer) * K;
			ordo_stream_to_peer(b, request, peer);
			ordo_copy(b, ordo_output_of(b, peer, chunk), ordo_input_of(b, rank, chunk),
				K);
		}
}

/* A rank's own blocks go from its input to its output, where it has both. */
static void keep_own(struct ordo_builder *b, const struct ordo_resolved_request *request)
{
	const struct ordo_problem *problem = &request->problem;
	const uint32_t N = problem->nrank, K = problem->chunks_per_block;
	ordo_phase(b, "copy in", ORDO_NONE);
	for (uint32_t rank = 0; rank < N; rank++) {
		uint32_t chunk = problem->op == ORDO_ALLTOALL ? (rank * N + rank) * K : rank * K;
		if (problem->op == ORDO_BROADCAST)
			chunk = 0;
		if (!ordo_has_input(b, rank, chunk) || !ordo_has_output(b, rank, chunk))
			continue;
		ordo_stream_local(b, request);
		ordo_contribute(b, rank, chunk, K);
	}
}

static void build(struct ordo_builder *b, const struct ordo_resolved_request *request)
{
	switch (request->problem.op) {
	case ORDO_ALLREDUCE:
		sum_up(b, request);
		if (two_shots(request))
			deal_round(b, request);
		return;
	case ORDO_REDUCE:
	case ORDO_REDUCESCATTER:
		sum_up(b, request);
		if (two_shots(request))
			gather(b, request);
		return;
	case ORDO_BROADCAST:
		keep_own(b, request);
		if (two_shots(request))
			deal_out(b, request);
		deal_round(b, request);
		return;
	case ORDO_ALLGATHER:
		keep_own(b, request);
		deal_round(b, request);
		return;
	case ORDO_SCATTER:
		keep_own(b, request);
		deal_out(b, request);
		return;
	case ORDO_GATHER:
		keep_own(b, request);
		gather(b, request);
		return;
	case ORDO_ALLTOALL:
		keep_own(b, request);
		exchange(b, request);
		return;
	case ORDO_CUSTOM:
		return;
	}
}

static bool applicable(const struct ordo_resolved_request *request, struct ordo_error *error)
{
	const enum ordo_operator op = request->problem.op;
	const char *name = ordo_operator_facts(op)->name;
	if (ordo_parameter_is(request, "shots", "2") && op != ORDO_ALLREDUCE && op != ORDO_REDUCE &&
		op != ORDO_BROADCAST)
		return ordo_fail(error, ORDO_USAGE, 0,
			"algorithm: mesh has two shots for AllReduce, Reduce and Broadcast only, "
			"not for %s",
			name);
	if (!ordo_parameter_is(request, "fold", "dyadic") && !ordo_operator_facts(op)->reduces)
		return ordo_fail(error, ORDO_USAGE, 0,
			"algorithm: fold says how to add, and %s adds nothing", name);
	if (ordo_parameter_is(request, "fold", "own") && op == ORDO_ALLREDUCE &&
		!two_shots(request))
		return ordo_fail(error, ORDO_USAGE, 0,
			"algorithm: with shots=1 and fold=own every rank would add in an order of "
			"its own, and get other bits than the others");
	if (ordo_parameter_is(request, "owners", "auto") && !two_shots(request))
		return ordo_fail(error, ORDO_USAGE, 0,
			"algorithm: owners=auto chooses who shares the vector in two shots "
			"(AllReduce; Broadcast and Reduce with shots=2), and this mesh has one");
	return true;
}

static bool prepare(struct ordo_resolved_request *request, struct ordo_error *error)
{
	if (ordo_parameter_is(request, "owners", "all"))
		return true;
	request->prepared = ordo_owners_find(request, error);
	return request->prepared;
}

static uint32_t chunks(const struct ordo_resolved_request *request)
{
	const struct ordo_owners *owners = request->prepared;
	if (!two_shots(request))
		return 1;
	return owners ? owners->count : request->problem.nrank;
}

static uint64_t steps(const struct ordo_resolved_request *request)
{
	const uint32_t N = request->problem.nrank;
	if (N == 1)
		return 0;
	if (!two_shots(request))
		return 1;
	if (request->problem.op == ORDO_ALLREDUCE)
		return 2;
	for (uint32_t rank = 0; rank < N; rank++)
		if ((N > 2 || request->problem.op == ORDO_REDUCE) &&
			rank != request->problem.root && share_of(request, rank).count)
			return 2;
	return 1;
}

/* The chunks that one rank sends. */
static uint64_t volume_of(const struct ordo_resolved_request *request, uint32_t rank)
{
	const struct ordo_problem *problem = &request->problem;
	const uint64_t others = problem->nrank - 1, K = problem->chunks_per_block,
		       share = share_of(request, rank).count;
	const bool root = rank == problem->root;
	switch (problem->op) {
	case ORDO_ALLREDUCE:
		return two_shots(request) ? K - share + share * others : K * others;
	case ORDO_BROADCAST:
		if (two_shots(request))
			return root ? K - share + share * others : share * (others - 1);
		return root ? K * others : 0;
	case ORDO_REDUCE:
		return root ? K - share : K;
	case ORDO_GATHER:
		return root ? 0 : K;
	case ORDO_SCATTER:
		return root ? K * others : 0;
	case ORDO_REDUCESCATTER:
	case ORDO_ALLGATHER:
	case ORDO_ALLTOALL:
	case ORDO_CUSTOM:
		break;
	}
	return K * others;
}

static uint64_t volume(const struct ordo_resolved_request *request)
{
	uint64_t most = 0;
	for (uint32_t rank = 0; request->problem.nrank > 1 && rank < request->problem.nrank;
		rank++) {
		const uint64_t sent = volume_of(request, rank);
		most = sent > most ? sent : most;
	}
	return most;
}

/* With fewer links than partners the partners are served in rounds. */
static uint64_t mesh_rounds(const struct ordo_resolved_request *request)
{
	const uint32_t partners = request->problem.nrank - 1,
		       ports = request->topology ? request->topology->ports : 0;
	const uint32_t links = ordo_parameter_is(request, "streams", "one") ? 1
			       : ports && ports < partners		    ? ports
									    : partners;
	return (partners + links - 1) / links;
}

static bool closed_form(const struct ordo_resolved_request *request, struct ordo_cost *cost)
{
	const uint64_t p = request->problem.nrank, times = mesh_rounds(request);
	const enum ordo_cost_source source = times == 1 ? ORDO_COST_TABLE : ORDO_COST_ROUNDS;
	const bool slices = ordo_form_has_slices(request, request->problem.nrank);
	switch (request->problem.op) {
	case ORDO_ALLGATHER:
	case ORDO_SCATTER:
	case ORDO_GATHER:
		return ordo_form_is(cost, source, times, times, 0, p);
	case ORDO_REDUCESCATTER:
		return ordo_form_is(cost, source, times, times, p - 1, p);
	case ORDO_ALLREDUCE:
		if (ordo_parameter_is(request, "shots", "1"))
			return ordo_form_is(cost, source, times, times, p - 1, 1);
		return slices && ordo_form_is(cost, source, 2 * times, 2 * times, p - 1, p);
	case ORDO_BROADCAST:
		if (!ordo_parameter_is(request, "shots", "2"))
			return ordo_form_is(cost, ORDO_COST_ROUNDS, times, times, 0, 1);
		return slices && ordo_form_is(cost, ORDO_COST_ROUNDS, 2 * times, 2 * times, 0, p);
	case ORDO_REDUCE:
		if (!ordo_parameter_is(request, "shots", "2"))
			return ordo_form_is(cost, ORDO_COST_ROUNDS, times, times, p - 1, 1);
		return slices &&
		       ordo_form_is(cost, ORDO_COST_ROUNDS, 2 * times, 2 * times, p - 1, p);
	case ORDO_ALLTOALL:
		return ordo_form_is(cost, ORDO_COST_ROUNDS, times, times, 0, p);
	case ORDO_CUSTOM:
		break;
	}
	return false;
}

static const struct ordo_parameter parameters[] = {
	{.name = "shots",
		.values = "auto|1|2",
		.fallback = "auto",
		.meaning = "1: every rank gets all data at once; 2: each rank first gets a "
			   "share, then sends it to all others; auto: 2 for AllReduce, else "
			   "1",
		.kind = ORDO_WORD},
	{.name = "fold",
		.values = "dyadic|folded|linear|own",
		.fallback = "dyadic",
		.meaning = "the order of each sum: ((0+1)+(2+3))..., ((0+4)+(2+6))..., "
			   "((0+1)+2)+..., or own: ((r+0)+1)+...",
		.kind = ORDO_WORD},
	{.name = "owners",
		.values = "all|auto",
		.fallback = "all",
		.meaning = "the ranks that share the vector in two shots: all, or auto: "
			   "those with links to and from all others, as after the loss of a "
			   "link",
		.kind = ORDO_WORD},
	ORDO_PEERS_STREAMS,
	ORDO_LINKS_PARAMETER,
};

static const struct ordo_variant variants[] = {
	{.settings = ""},
	{.settings = "fold=folded",
		.operators = 1u << ORDO_ALLREDUCE | 1u << ORDO_REDUCE | 1u << ORDO_REDUCESCATTER},
	{.settings = "fold=linear",
		.operators = 1u << ORDO_ALLREDUCE | 1u << ORDO_REDUCE | 1u << ORDO_REDUCESCATTER},
	{.settings = "fold=own",
		.operators = 1u << ORDO_ALLREDUCE | 1u << ORDO_REDUCE | 1u << ORDO_REDUCESCATTER},
	{.settings = "shots=1", .operators = 1u << ORDO_ALLREDUCE},
	{.settings = "shots=1,fold=folded", .operators = 1u << ORDO_ALLREDUCE},
	{.settings = "shots=1,fold=linear", .operators = 1u << ORDO_ALLREDUCE},
	{.settings = "shots=2", .operators = 1u << ORDO_BROADCAST | 1u << ORDO_REDUCE},
	{.settings = "shots=2,fold=folded", .operators = 1u << ORDO_REDUCE},
	{.settings = "shots=2,fold=linear", .operators = 1u << ORDO_REDUCE},
	{.settings = "owners=auto,links=fast", .operators = 1u << ORDO_ALLREDUCE, .slow = true},
	{.settings = "owners=auto", .operators = 1u << ORDO_ALLREDUCE, .owners = true},
	{.settings = "fold=folded,owners=auto", .operators = 1u << ORDO_ALLREDUCE, .owners = true},
	{.settings = "fold=linear,owners=auto", .operators = 1u << ORDO_ALLREDUCE, .owners = true},
	{.settings = "shots=2,owners=auto",
		.operators = 1u << ORDO_BROADCAST | 1u << ORDO_REDUCE,
		.owners = true},
};

static const struct ordo_alias aliases[] = {
	{"direct", 0, "", NULL},
	{"all-pairs", 0, "", NULL},
	{"one-shot", 1u << ORDO_ALLREDUCE, "shots=1", NULL},
	{"one-shot", 1u << ORDO_BROADCAST, "", NULL},
	{"two-shot", 1u << ORDO_ALLREDUCE, "", NULL},
	{"two-shot", 1u << ORDO_BROADCAST | 1u << ORDO_REDUCE, "shots=2", NULL},
	{"pairwise", 1u << ORDO_REDUCESCATTER, "streams=one",
		"what arrives is folded as `fold` says, not as it arrives"},
	{"linear", 1u << ORDO_ALLTOALL, "", NULL},
	{"spread-out", 1u << ORDO_ALLTOALL, "", NULL},
	{"scattered", 1u << ORDO_ALLTOALL, "", NULL},
};

const struct ordo_algorithm ordo_algorithm_mesh = {
	.facts = {.name = "mesh",
		.summary = "every rank exchanges data directly with every other",
		.how = "Every rank sends to every other rank directly and at once. In the "
		       "one-shot form each rank receives all the data and reduces it itself. In "
		       "the two-shot form each rank reduces one share and then sends the result "
		       "to all others.",
		.when = "For topologies with a link between every two ranks. It takes one or two "
			"steps, and the order of the sums (dyadic, folded or linear) can be "
			"chosen and is the same for all chunks. The two-shot form sends the least "
			"data possible; the one-shot form is for small messages.",
		.operators = (1u << ORDO_NOPERATOR) - 1,
		.ranks = "any",
		.steps = "1; two-shot AllReduce, Reduce and Broadcast 2",
		.volume = "two-shot AllReduce 2(N-1)/N n, one-shot (N-1)n; ReduceScatter, "
			  "AllGather, AllToAll (N-1)/N n",
		.order = "one tree for every chunk: dyadic, folded or linear; fold=own N-1 trees",
		.topologies =
			"a link between every two ranks that exchange something; owners=auto: "
			"some ranks with links to all others",
		.source = "Thakur, Rabenseifner and Gropp 2005",
		.parameters = parameters,
		.nparameter = sizeof parameters / sizeof *parameters,
		.variants = variants,
		.nvariant = sizeof variants / sizeof *variants,
		.aliases = aliases,
		.nalias = sizeof aliases / sizeof *aliases},
	.applicable = applicable,
	.prepare = prepare,
	.chunks = chunks,
	.build = build,
	.steps = steps,
	.volume = volume,
	.closed_form = closed_form,
};
