/* matching.c - chunks and links matched in time, on any network that holds together.
 *
 * Whenever a link is free it takes a chunk that its receiver lacks. What all ranks get goes on from
 * every rank that has it; what one rank gets goes on a fastest way, and waits in scratch on the
 * ranks between. ReduceScatter is AllGather on links turned round, backwards; AllReduce is both.
 *
 * steps   the longest chain of moves of one chunk; AllReduce both chains
 * volume  what the busiest rank sends, of its own and of others
 * scratch Scatter, Gather, AllToAll: a slot for each chunk that a rank passes on; sums: a slot for
 *         each that comes beside another, and the sums of ReduceScatter
 * order   a tree for each chunk
 * source  W. Won et al., TACOS, arXiv 2304.05301
 */
#include "algorithm.h"
#include "algorithms/direct/places.h"
#include "request/fast_links.h"
#include "synthesis/match/match.h"
#include <ordo/topology.h>
#include <stdlib.h>

enum {
	MOST_RANKS = 1024,
	/* A choice tries it up to so many ranks: with more, it takes seconds to compile. For what
	 * one rank gets there is often no other algorithm. */
	MOST_TRIED_RANKS = 64,
	MOST_TRIED_RANKS_OF_ONE = 256,
	/* Chunks times ranks: what all ranks get takes a move for each, what one gets a bit. */
	MOST_PLACES = 1 << 22,
	MOST_PLACES_OF_ONE = 1 << 24
};

/* Moves of one phase. */
struct phase {
	struct ordo_matched_move *moves;
	size_t nmove;
};

/* Of the problem with K chunks a block: a hierarchy asks for another K than it prepared. */
struct matched {
	struct ordo_topology *mesh; /* where the request has no topology; NULL */
	const struct ordo_topology *topology;
	uint32_t bytes, K;
	struct phase sums, copies;
};

static bool sums(enum ordo_operator op)
{
	return op == ORDO_ALLREDUCE || op == ORDO_REDUCESCATTER;
}

static bool spreads(enum ordo_operator op)
{
	return op == ORDO_ALLREDUCE || op == ORDO_ALLGATHER;
}

static bool applicable(const struct ordo_resolved_request *request, struct ordo_error *error)
{
	return request->problem.nrank <= MOST_RANKS ||
	       ordo_fail(error, ORDO_USAGE, 0, "matching: found %u ranks, wanted up to %d",
		       request->problem.nrank, MOST_RANKS);
}

/* The rank that has, or sums, a chunk. */
static uint32_t home_of(const struct ordo_problem *problem, uint32_t chunk)
{
	const uint32_t K = problem->chunks_per_block;
	if (problem->op == ORDO_ALLREDUCE)
		return chunk % problem->nrank;
	if (problem->op == ORDO_SCATTER)
		return problem->root;
	return problem->op == ORDO_ALLTOALL ? chunk / K / problem->nrank : chunk / K;
}

/* The only rank that gets it. */
static uint32_t target_of(const struct ordo_problem *problem, uint32_t chunk)
{
	const uint32_t K = problem->chunks_per_block;
	if (problem->op == ORDO_GATHER)
		return problem->root;
	return problem->op == ORDO_ALLTOALL ? chunk / K % problem->nrank : chunk / K;
}

static bool match_phase(const struct matched *matched, const struct ordo_problem *problem,
	struct phase *phase, bool backwards, struct ordo_error *error)
{
	const uint32_t nchunk = ordo_nchunk(problem),
		       own = problem->op == ORDO_ALLTOALL ? nchunk / problem->nrank : nchunk;
	const bool all = sums(problem->op) || spreads(problem->op);
	uint32_t *from = ordo_array_make(nchunk, sizeof *from, 0),
		 *to = ordo_array_make(nchunk, sizeof *to, 0);
	const struct ordo_match_wish wish = {.topology = matched->topology,
		.backwards = backwards,
		.chunk_bytes = matched->bytes / own + 1,
		.nchunk = nchunk,
		.from = from,
		.to = all ? NULL : to};
	for (uint32_t c = 0; from && to && c < nchunk; c++) {
		from[c] = home_of(problem, c);
		to[c] = target_of(problem, c);
	}
	free(phase->moves);
	*phase = (struct phase){0};
	const bool worked = from && to
				    ? ordo_match(&phase->moves, &phase->nmove, NULL, &wish, error)
				    : ordo_fail_memory(error);
	free(from);
	free(to);
	return worked;
}

static bool match(
	struct matched *matched, const struct ordo_problem *problem, struct ordo_error *error)
{
	const int most =
		sums(problem->op) || spreads(problem->op) ? MOST_PLACES : MOST_PLACES_OF_ONE;
	if ((uint64_t)ordo_nchunk(problem) * problem->nrank > (uint64_t)most)
		return ordo_fail(error, ORDO_USAGE, 0,
			"matching: found %u chunks on %u ranks, wanted a product of at most %d",
			ordo_nchunk(problem), problem->nrank, most);
	matched->K = 0;
	if ((sums(problem->op) && !match_phase(matched, problem, &matched->sums, true, error)) ||
		(problem->op != ORDO_REDUCESCATTER &&
			!match_phase(matched, problem, &matched->copies, false, error)))
		return false;
	matched->K = problem->chunks_per_block;
	return true;
}

/* The moves of both phases. NULL: see the error. */
static const struct matched *moves_of(
	const struct ordo_resolved_request *request, struct ordo_error *error)
{
	struct matched *matched = request->prepared;
	return matched->K == request->problem.chunks_per_block ||
			       match(matched, &request->problem, error)
		       ? matched
		       : NULL;
}

static uint32_t natural_chunks(const struct ordo_resolved_request *request)
{
	const uint32_t number = ordo_parameter_number(request, "pieces"),
		       pieces = number == ORDO_NONE ? 1 : number;
	return request->problem.op == ORDO_ALLREDUCE ? pieces * request->problem.nrank : pieces;
}

/* K is not set yet if the user gave none. */
static bool prepare(struct ordo_resolved_request *request, struct ordo_error *error)
{
	struct ordo_problem problem = request->problem;
	struct matched *matched = ordo_arena_alloc(&request->arena, sizeof *matched);
	request->prepared = matched;
	if (!matched)
		return ordo_fail_memory(error);
	*matched = (struct matched){.bytes = ordo_parameter_number(request, "bytes")};
	if (!problem.chunks_per_block)
		problem.chunks_per_block = natural_chunks(request);
	if (!request->topology)
		matched->mesh = ordo_topology_make("full-mesh", problem.nrank, error);
	matched->topology = request->topology ? request->topology : matched->mesh;
	return matched->topology && match(matched, &problem, error);
}

static void release(struct ordo_resolved_request *request)
{
	struct matched *matched = request->prepared;
	if (!matched)
		return;
	ordo_topology_destroy(matched->mesh);
	free(matched->sums.moves);
	free(matched->copies.moves);
}

/* The links of each two ranks that are joined, with all that is kept for them, and the ways of
 * chunks: from every rank on, or those that have come to it and when. */
static double prepared_bytes(const struct ordo_resolved_request *request)
{
	const struct ordo_topology *topology = request->topology;
	const double N = request->problem.nrank, links = 140,
		     joined = topology && !topology->nswitch ? topology->nlink : N * (N - 1);
	struct ordo_problem problem = request->problem;
	if (!problem.chunks_per_block)
		problem.chunks_per_block = natural_chunks(request);
	return links * joined +
	       (spreads(problem.op) || sums(problem.op) ? 8 : 4) * N * ordo_nchunk(&problem);
}

/* Where each chunk that goes to one rank lies, if that is in scratch. */
struct relays {
	uint32_t *slots; /* [nchunk] ORDO_NONE: in the input of its home */
	uint32_t first;	 /* scratch slot */
	uint32_t *used;	 /* [nrank] */
};

/* The scratch that the rank which passes on the most needs. false: no memory. */
static bool open_relays(struct relays *relays, struct ordo_builder *b,
	const struct ordo_problem *problem, const struct phase *phase)
{
	const uint32_t nchunk = ordo_nchunk(problem);
	uint32_t most = 0;
	relays->slots = ordo_array_make(nchunk, sizeof *relays->slots, 0xff);
	relays->used = ordo_array_make(problem->nrank, sizeof *relays->used, 0);
	if (!relays->slots || !relays->used)
		return false;
	for (size_t i = 0; i < phase->nmove; i++) {
		const struct ordo_matched_move *move = &phase->moves[i];
		if (move->to == target_of(problem, move->chunk))
			continue;
		relays->used[move->to]++;
		most = relays->used[move->to] > most ? relays->used[move->to] : most;
	}
	relays->first = ordo_scratch(b, most);
	for (uint32_t rank = 0; rank < problem->nrank; rank++)
		relays->used[rank] = relays->first;
	return true;
}

static void write_relays(
	struct ordo_builder *b, const struct ordo_problem *problem, const struct phase *phase)
{
	struct relays relays;
	if (!open_relays(&relays, b, problem, phase))
		ordo_builder_fail_memory(b);
	for (size_t i = 0; i < phase->nmove && !ordo_builder_failed(b); i++) {
		const struct ordo_matched_move *move = &phase->moves[i];
		uint32_t *slot = &relays.slots[move->chunk];
		const struct ordo_at from = *slot == ORDO_NONE
						    ? ordo_input_of(b, move->from, move->chunk)
						    : ordo_at(move->from, ORDO_SCRATCH, *slot);
		const bool ends = move->to == target_of(problem, move->chunk);
		*slot = ends ? ORDO_NONE : relays.used[move->to]++;
		ordo_stream(b, "to", move->to);
		ordo_copy(b,
			ends ? ordo_output_of(b, move->to, move->chunk)
			     : ordo_at(move->to, ORDO_SCRATCH, *slot),
			from, 1);
	}
	free(relays.slots);
	free(relays.used);
}

/* Every rank that others' sums come to gets its own part ready, beside the moves. */
static void contribute(struct ordo_builder *b, const struct phase *phase)
{
	ordo_stream(b, "copy", ORDO_NONE);
	ordo_phase(b, "copy in", ORDO_NONE);
	for (size_t i = 0; i < phase->nmove && !ordo_builder_failed(b); i++)
		ordo_make_ready(b, phase->moves[i].to,
			(struct ordo_slice){phase->moves[i].chunk, 1}, false);
}

/* How many sums come to a rank beside others, at most. NULL: no memory. */
static uint32_t *count_besides(const struct phase *phase, uint32_t nrank, uint32_t *most)
{
	uint32_t *counts = ordo_array_make(nrank, sizeof *counts, 0);
	*most = 0;
	for (size_t i = 0; counts && i < phase->nmove; i++) {
		const uint32_t to = phase->moves[i].to;
		counts[to] += phase->moves[i].beside;
		*most = counts[to] > *most ? counts[to] : *most;
	}
	return counts;
}

/* A sum that comes beside another of its chunk waits in scratch until it is added. */
static void write_sums(struct ordo_builder *b, const struct phase *phase, uint32_t nrank)
{
	uint32_t most, *left = count_besides(phase, nrank, &most);
	if (!left)
		ordo_builder_fail_memory(b);
	const uint32_t first = ordo_scratch(b, most);
	contribute(b, phase);
	ordo_phase(b, "reduce-scatter", ORDO_NONE);
	for (size_t i = 0; i < phase->nmove && !ordo_builder_failed(b); i++) {
		const struct ordo_matched_move *move = &phase->moves[i];
		const struct ordo_slice chunk = {move->chunk, 1};
		ordo_stream(b, "to", move->to);
		if (!move->beside) {
			ordo_add_on(b, move->to, move->from, chunk, false);
			continue;
		}
		const struct ordo_at scratch =
			ordo_at(move->to, ORDO_SCRATCH, first + --left[move->to]);
		ordo_copy(b, scratch, ordo_sum_of(b, move->from, move->chunk), 1);
		ordo_stream(b, "add", ORDO_NONE);
		ordo_reduce(b, ordo_work(b, move->to, move->chunk), scratch, 1);
	}
	free(left);
}

static void write_copies(struct ordo_builder *b, const struct phase *phase, bool summed)
{
	ordo_phase(b, "all-gather", ORDO_NONE);
	for (size_t i = 0; i < phase->nmove && !ordo_builder_failed(b); i++) {
		const struct ordo_matched_move *move = &phase->moves[i];
		ordo_stream(b, "to", move->to);
		ordo_pass_on(b, move->to, move->from, (struct ordo_slice){move->chunk, 1}, summed,
			false);
	}
}

static void keep_own(struct ordo_builder *b, const struct ordo_problem *problem)
{
	const uint32_t K = problem->chunks_per_block, n = problem->nrank;
	if (problem->op != ORDO_ALLTOALL) {
		ordo_keep_own(b, problem);
		return;
	}
	ordo_stream(b, "copy", ORDO_NONE);
	ordo_phase(b, "copy in", ORDO_NONE);
	for (uint32_t rank = 0; rank < n; rank++)
		ordo_contribute(b, rank, (rank * n + rank) * K, K);
}

static void build(struct ordo_builder *b, const struct ordo_resolved_request *request)
{
	static const char *const phases[] = {[ORDO_SCATTER] = "scatter",
		[ORDO_GATHER] = "gather",
		[ORDO_ALLTOALL] = "all-to-all"};
	const struct ordo_problem *problem = &request->problem;
	struct ordo_error error = {0};
	const struct matched *matched = moves_of(request, &error);
	if (!matched) {
		ordo_builder_fail(b, "%s", error.text);
		return;
	}
	keep_own(b, problem);
	if (sums(problem->op))
		write_sums(b, &matched->sums, problem->nrank);
	if (spreads(problem->op)) {
		write_copies(b, &matched->copies, sums(problem->op));
	} else if (!sums(problem->op)) {
		ordo_phase(b, phases[problem->op], ORDO_NONE);
		write_relays(b, problem, &matched->copies);
	}
}

/* The longest chain of the moves of a chunk. ORDO_UNCOUNTED: no memory. */
static uint64_t steps(const struct ordo_resolved_request *request)
{
	const struct matched *matched = moves_of(request, NULL);
	const uint32_t nchunk = ordo_nchunk(&request->problem);
	uint64_t most = 0;
	uint32_t *depths =
		ordo_array_make((size_t)nchunk * request->problem.nrank, sizeof *depths, 0);
	for (uint32_t i = 0; matched && depths && i < 2; i++) {
		const struct phase *phase = i ? &matched->copies : &matched->sums;
		for (size_t k = 0; k < phase->nmove; k++) {
			const struct ordo_matched_move *move = &phase->moves[k];
			uint32_t *to = &depths[(size_t)move->to * nchunk + move->chunk];
			const uint32_t depth =
				depths[(size_t)move->from * nchunk + move->chunk] + 1;
			*to = i || depth > *to ? depth : *to;
			most = *to > most ? *to : most;
		}
	}
	free(depths);
	return matched && depths ? most : ORDO_UNCOUNTED;
}

static uint64_t volume(const struct ordo_resolved_request *request)
{
	const struct matched *matched = moves_of(request, NULL);
	uint64_t sent[MOST_RANKS] = {0}, most = 0;
	for (uint32_t i = 0; matched && i < 2; i++) {
		const struct phase *phase = i ? &matched->copies : &matched->sums;
		for (size_t k = 0; k < phase->nmove; k++)
			sent[phase->moves[k].from]++;
	}
	for (uint32_t rank = 0; rank < request->problem.nrank; rank++)
		most = sent[rank] > most ? sent[rank] : most;
	return matched ? most : ORDO_UNCOUNTED;
}

static const struct ordo_parameter parameters[] = {
	{.name = "pieces",
		.values = "auto|1..1024",
		.fallback = "auto",
		.meaning = "chunks of a block, for AllReduce of a rank's share of the sum; "
			   "auto: 1, or chosen by size",
		.kind = ORDO_NUMBER,
		.least = 1,
		.most = 1024,
		.fixes_chunks = true},
	{.name = "bytes",
		.values = "1..",
		.fallback = "65536",
		.meaning = "the size of a rank's larger buffer for which links are matched",
		.kind = ORDO_NUMBER,
		.least = 1,
		.most = ORDO_LIMIT},
	ORDO_LINKS_PARAMETER,
};

/* Operators whose blocks may be cut into any number of chunks. */
enum {
	SPREAD = 1 << ORDO_ALLREDUCE | 1 << ORDO_REDUCESCATTER | 1 << ORDO_ALLGATHER,
	FOR_ONE = 1 << ORDO_SCATTER | 1 << ORDO_GATHER | 1 << ORDO_ALLTOALL,
	MOST_TRIED = 1 << 10,
	/* Percent by which times jump up and down as K grows: chunks just fit, or wait. */
	UNSTEADY = 17
};

static const struct ordo_variant variants[] = {
	{.settings = "",
		.operators = SPREAD,
		.uneven = true,
		.pipelines = SPREAD,
		.may_save = UNSTEADY,
		.most_moves = MOST_TRIED,
		.most_ranks = MOST_TRIED_RANKS},
	{.settings = "",
		.operators = FOR_ONE,
		.uneven = true,
		.most_ranks = MOST_TRIED_RANKS_OF_ONE},
	{.settings = "links=fast", .slow = true, .most_ranks = MOST_TRIED_RANKS},
	{.settings = "links=paired",
		.one_way = true,
		.pipelines = SPREAD,
		.may_save = UNSTEADY,
		.most_moves = MOST_TRIED,
		.most_ranks = MOST_TRIED_RANKS},
};

const struct ordo_algorithm ordo_algorithm_matching = {
	.facts = {.name = "matching",
		.summary = "greedy matching of chunks to free links, on any connected network",
		.how = "Whenever a link is free, it takes a chunk that its receiver lacks: the "
		       "one that the fewest ranks have or, among chunks for a single rank, the "
		       "one that has farthest to go. Other ranks forward chunks for a single "
		       "rank along a fastest path. No link takes a chunk that a faster one would "
		       "bring sooner.",
		.when = "Where some ranks have no link to each other: on rings, tori and "
			"hypercubes and around failed links, with more chunks for large messages. "
			"No other algorithm makes AllToAll there. Also where links are unequal: "
			"Scatter and AllToAll between servers.",
		.operators = 1u << ORDO_ALLREDUCE | 1u << ORDO_REDUCESCATTER |
			     1u << ORDO_ALLGATHER | 1u << ORDO_SCATTER | 1u << ORDO_GATHER |
			     1u << ORDO_ALLTOALL,
		.ranks = "up to 1,024",
		.steps = "the longest chain of moves of a chunk; AllReduce both phases",
		.volume = "what the busiest rank sends, of its own and of others",
		.order = "a tree for each chunk",
		.topologies = "any in which all ranks reach each other",
		.source = "Won et al., TACOS, arXiv 2304.05301",
		.parameters = parameters,
		.nparameter = sizeof parameters / sizeof *parameters,
		.variants = variants,
		.nvariant = sizeof variants / sizeof *variants},
	.applicable = applicable,
	.prepare = prepare,
	.chunks = natural_chunks,
	.prepared_bytes = prepared_bytes,
	.build = build,
	.steps = steps,
	.volume = volume,
	.release = release,
	.around_links = "matching",
};
