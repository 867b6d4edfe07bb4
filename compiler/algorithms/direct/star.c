/* star.c - one rank, the hub, deals with all others; they with nobody but it.
 *
 * A root that is not the hub sends or receives through it.
 *
 * steps   1, AllReduce 2; one more if the root is not the hub
 * volume  Broadcast, AllReduce N-1 times the vector, Scatter N-1 blocks leave the hub; Reduce the
 *         vector and Gather one block leave each rank; a root that is not the hub is spared, and
 *         the hub sends to it
 * order   one tree: the hub's own, then the others in ascending order, one after another
 * source  the flat tree of MPI implementations: Thakur, Rabenseifner and Gropp, Int. J. High
 *         Perform. Comput. Appl. 19(1), 2005
 */
#include "algorithm.h"

struct star {
	const struct ordo_problem *problem;
	uint32_t hub;
};

static struct star star_of(const struct ordo_resolved_request *request)
{
	const struct ordo_value *hub = ordo_parameter_value(request, "hub");
	return (struct star){
		&request->problem, hub->number == ORDO_NONE ? request->problem.root : hub->number};
}

/* The root of a rooted operator, if it is not the hub; ORDO_NONE otherwise. */
static uint32_t remote_root(const struct star *star)
{
	const bool remote =
		ordo_operator_facts(star->problem->op)->rooted && star->problem->root != star->hub;
	return remote ? star->problem->root : ORDO_NONE;
}

/* Every rank adds its vector to the hub's. */
static void sum_at_hub(struct ordo_builder *b, const struct star *star)
{
	const uint32_t K = star->problem->chunks_per_block;
	ordo_phase(b, "reduce", ORDO_NONE);
	ordo_contribute(b, star->hub, 0, K);
	for (uint32_t rank = 0; rank < star->problem->nrank; rank++)
		if (rank != star->hub)
			ordo_reduce(b, ordo_work(b, star->hub, 0), ordo_input_of(b, rank, 0), K);
}

/* The hub sends what lies at its work place to one rank, or to all but one. */
static void spread_from_hub(
	struct ordo_builder *b, const struct star *star, struct ordo_at from, uint32_t but)
{
	ordo_phase(b, "broadcast", ORDO_NONE);
	for (uint32_t rank = 0; rank < star->problem->nrank; rank++)
		if (rank != star->hub && rank != but)
			ordo_copy(b, ordo_output_of(b, rank, 0), from,
				star->problem->chunks_per_block);
}

static void broadcast(struct ordo_builder *b, const struct star *star)
{
	const uint32_t K = star->problem->chunks_per_block, root = star->problem->root;
	struct ordo_at from = ordo_input_of(b, root, 0);
	if (remote_root(star) != ORDO_NONE) {
		ordo_phase(b, "send to hub", ORDO_NONE);
		from = ordo_output_of(b, star->hub, 0);
		ordo_copy(b, from, ordo_input_of(b, root, 0), K);
	}
	spread_from_hub(b, star, from, root);
	ordo_stream(b, "copy", ORDO_NONE);
	ordo_contribute(b, root, 0, K);
}

static void reduce(struct ordo_builder *b, const struct star *star)
{
	sum_at_hub(b, star);
	if (remote_root(star) == ORDO_NONE)
		return;
	ordo_phase(b, "send to root", ORDO_NONE);
	ordo_copy(b, ordo_output_of(b, star->problem->root, 0), ordo_work(b, star->hub, 0),
		star->problem->chunks_per_block);
}

/* Where the hub has a block that comes from the root and is for another rank. */
static struct ordo_at at_hub(struct ordo_builder *b, const struct star *star, uint32_t block)
{
	return ordo_held(b, star->hub, block * star->problem->chunks_per_block);
}

static void scatter(struct ordo_builder *b, const struct star *star)
{
	const uint32_t K = star->problem->chunks_per_block, root = star->problem->root;
	for (uint32_t rank = 0; rank < star->problem->nrank; rank++) {
		if (rank == root)
			continue;
		if (root != star->hub) {
			ordo_phase(b, "send to hub", ORDO_NONE);
			ordo_copy(b, at_hub(b, star, rank), ordo_input_of(b, root, rank * K), K);
		}
		ordo_phase(b, "scatter", ORDO_NONE);
		ordo_copy(b, ordo_output_of(b, rank, rank * K), at_hub(b, star, rank), K);
	}
	ordo_stream(b, "copy", ORDO_NONE);
	ordo_contribute(b, root, root * K, K);
}

static void gather(struct ordo_builder *b, const struct star *star)
{
	const uint32_t K = star->problem->chunks_per_block, root = star->problem->root;
	for (uint32_t rank = 0; rank < star->problem->nrank; rank++) {
		const struct ordo_at to = ordo_output_of(b, root, rank * K);
		if (rank == root)
			continue;
		if (root == star->hub || rank == star->hub) {
			ordo_phase(b, "gather", ORDO_NONE);
			ordo_copy(b, to, ordo_input_of(b, rank, rank * K), K);
			continue;
		}
		ordo_phase(b, "gather", ORDO_NONE);
		ordo_copy(
			b, ordo_work(b, star->hub, rank * K), ordo_input_of(b, rank, rank * K), K);
		ordo_phase(b, "send to root", ORDO_NONE);
		ordo_copy(b, to, ordo_work(b, star->hub, rank * K), K);
	}
	ordo_stream(b, "copy", ORDO_NONE);
	ordo_contribute(b, root, root * K, K);
}

static void build(struct ordo_builder *b, const struct ordo_resolved_request *request)
{
	const struct star star = star_of(request);
	ordo_stream(b, "star", ORDO_NONE);
	switch (request->problem.op) {
	case ORDO_ALLREDUCE:
		sum_at_hub(b, &star);
		spread_from_hub(b, &star, ordo_work(b, star.hub, 0), ORDO_NONE);
		return;
	case ORDO_REDUCE:
		reduce(b, &star);
		return;
	case ORDO_BROADCAST:
		broadcast(b, &star);
		return;
	case ORDO_SCATTER:
		scatter(b, &star);
		return;
	case ORDO_GATHER:
		gather(b, &star);
		return;
	case ORDO_REDUCESCATTER:
	case ORDO_ALLGATHER:
	case ORDO_ALLTOALL:
	case ORDO_CUSTOM:
		return;
	}
}

static bool applicable(const struct ordo_resolved_request *request, struct ordo_error *error)
{
	const uint32_t hub = star_of(request).hub, N = request->problem.nrank;
	return hub < N ||
	       ordo_fail(error, ORDO_USAGE, 0, "star: found hub=%u, wanted 0..%u", hub, N - 1);
}

static uint64_t count_steps(const struct ordo_resolved_request *request)
{
	const struct star star = star_of(request);
	if (request->problem.nrank == 1)
		return 0;
	if (request->problem.op == ORDO_ALLREDUCE)
		return 2;
	if (remote_root(&star) == ORDO_NONE)
		return 1;
	return request->problem.nrank == 2 && request->problem.op != ORDO_REDUCE ? 1 : 2;
}

static uint64_t count_volume(const struct ordo_resolved_request *request)
{
	const struct star star = star_of(request);
	const uint64_t K = request->problem.chunks_per_block, others = request->problem.nrank - 1;
	const bool remote = remote_root(&star) != ORDO_NONE;
	if (!others)
		return 0;
	switch (request->problem.op) {
	case ORDO_BROADCAST: /* the root sends once, the hub to all but the root */
		return remote && others > 1 ? (others - 1) * K : others * K;
	case ORDO_ALLREDUCE:
	case ORDO_SCATTER:
		return others * K;
	case ORDO_GATHER:
		return remote ? others * K : K;
	case ORDO_REDUCE:
	case ORDO_REDUCESCATTER:
	case ORDO_ALLGATHER:
	case ORDO_ALLTOALL:
	case ORDO_CUSTOM:
		break;
	}
	return K;
}

static const struct ordo_parameter parameters[] = {
	{.name = "hub",
		.values = "root|0..",
		.fallback = "root",
		.meaning = "the rank in the middle; root: the root, or 0 if the operator has none",
		.kind = ORDO_NUMBER,
		.most = ORDO_LIMIT},
};

static const struct ordo_alias aliases[] = {
	{"linear", 0, "", NULL},
	{"basic-linear", 0, "", NULL},
	{"flat-tree", 0, "", NULL},
};

const struct ordo_algorithm ordo_algorithm_star = {
	.facts = {.name = "star",
		.never_fastest = true,
		.summary = "all data passes through one rank, the hub",
		.how = "One rank, the hub, receives the data of all ranks, adds it in ascending "
		       "order of rank, and sends each rank its part of the result.",
		.when = "For a few ranks around one that has links to all others, and for small "
			"messages. All traffic goes over the links of the hub.",
		.operators = 1u << ORDO_ALLREDUCE | 1u << ORDO_REDUCE | 1u << ORDO_BROADCAST |
			     1u << ORDO_SCATTER | 1u << ORDO_GATHER,
		.ranks = "any",
		.steps = "1, AllReduce 2; one more if the root is not the hub",
		.volume = "Broadcast, AllReduce (N-1) n; Scatter N-1 blocks; Reduce n; Gather 1 "
			  "block",
		.order = "one tree: the hub, then the others in ascending order",
		.topologies = "links between the hub and every rank",
		.source = "Thakur, Rabenseifner and Gropp 2005 (the flat tree)",
		.parameters = parameters,
		.nparameter = sizeof parameters / sizeof *parameters,
		.aliases = aliases,
		.nalias = sizeof aliases / sizeof *aliases},
	.applicable = applicable,
	.build = build,
	.steps = count_steps,
	.volume = count_volume,
};
