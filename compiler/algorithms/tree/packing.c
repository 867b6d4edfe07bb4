/* packing.c - trees for this topology, which together use its links as evenly as can be.
 *
 * From every rank (or the root) k trees to all others are packed into the links, so many on each as
 * its bandwidth allows at the bound of the wire (`ordo bound`); a block is cut into k pieces or a
 * multiple, and each goes along a tree. ReduceScatter and Reduce are that on links turned round. An
 * AllReduce on links that are as wide one way as the other packs spanning trees, each of which is
 * summed up and sent down, so that sums and results share the links; over switches, if that is
 * faster than what it is elsewhere: ReduceScatter and AllGather of the same roots. With
 * phases=apart it is these in any case, and results begin when most sums are there. With method=lp
 * sums and results share links as a linear program says, if that is faster still. Moves are
 * written as a list schedule starts them. With sums apart, additions are moves of their own, which
 * this schedule orders too.
 *
 * steps   the height of the highest tree; AllReduce twice that
 * volume  what the trees use of the links of the busiest rank
 * order   a tree for each piece
 * source  Z. Zhao et al., arXiv 2402.06787; J. Edmonds, 1973; W. T. Tutte and C. St. J. A.
 *         Nash-Williams, 1961
 */
#include "algorithm.h"
#include "algorithms/direct/places.h"
#include "arrivals.h"
#include "lanes.h"
#include "packed.h"
#include "request/fast_links.h"
#include "ways/ways.h"
#include <ordo/detail/memory_size.h>
#include <ordo/detail/packed_trees.h>
#include <ordo/divisor.h>
#include <stdio.h>
#include <stdlib.h>

extern const struct ordo_algorithm ordo_algorithm_packing;

enum {
	MOST_RANKS = 1024,
	MOST_RANKS_OF_ONE = 4096, /* with one root */
	MOST_PIECES = 4,
	USUAL_MOVES = 1 << 14,
	/* A choice by size tries more pieces while there are at most so many moves. */
	MOST_TRIED = 1 << 15,
	/* Of few trees: with one root, and with every rank a root, which takes longer. */
	FEW_TRIED = 1 << 12,
	FEW_TRIED_OF_ALL = 1 << 10,
	/* A choice tries it up to so many ranks, and up to fewer where all of them add: with more
	 * it can take minutes. */
	MOST_TRIED_RANKS = 1024,
	MOST_TRIED_ADDERS = 256,
	/* Behind one switch a direct exchange or `circulant` is as fast and compiles sooner. */
	MOST_TRIED_AT_SWITCH = 64
};

static bool applicable(const struct ordo_resolved_request *request, struct ordo_error *error)
{
	if (ordo_parameter_is(request, "method", "lp") &&
		(request->problem.op != ORDO_ALLREDUCE ||
			ordo_parameter_is(request, "shares", "even")))
		return ordo_fail(error, ORDO_USAGE, 0,
			"packing: found method=lp, which is for allreduce with shares=any");
	if (ordo_parameter_is(request, "phases", "apart") &&
		(request->problem.op != ORDO_ALLREDUCE ||
			ordo_parameter_is(request, "method", "lp")))
		return ordo_fail(error, ORDO_USAGE, 0,
			"packing: found phases=apart, which is for allreduce with method=trees");
	const bool of_one = ordo_operator_facts(request->problem.op)->rooted;
	const uint32_t most = of_one ? MOST_RANKS_OF_ONE : MOST_RANKS;
	return request->problem.nrank <= most ||
	       ordo_fail(error, ORDO_USAGE, 0, "packing: found %u ranks, wanted up to %u",
		       request->problem.nrank, most);
}

static void release(struct ordo_resolved_request *request)
{
	if (request->prepared)
		ordo_packed_free(request->prepared);
}

/* Where phases are apart, each comes out even, unless that takes too many. */
static uint32_t trees_of_root(const struct ordo_packed *packed)
{
	const uint32_t up = packed->up.k, down = packed->down.k, most = up > down ? up : down;
	if (!packed->apart || !up || !down)
		return most;
	const uint64_t both = (uint64_t)up / ordo_common_divisor(up, down) * down;
	return both <= ORDO_MOST_SPANNING ? (uint32_t)both : most;
}

static uint32_t natural_chunks(const struct ordo_resolved_request *request)
{
	const struct ordo_packed *packed = request->prepared;
	const enum ordo_operator op = request->problem.op;
	const uint32_t nrank = request->problem.nrank, k = trees_of_root(packed),
		       units = op == ORDO_ALLREDUCE && !packed->spanning && !packed->divided
				       ? k * nrank
				       : k,
		       blocks = op == ORDO_ALLGATHER || op == ORDO_REDUCESCATTER ? nrank : 1;
	uint32_t pieces = ordo_packing_number(request, "pieces");
	if (nrank == 1)
		return 1;
	for (; !pieces;)
		for (pieces = MOST_PIECES;
			pieces > 1 && (uint64_t)pieces * units * blocks * nrank > USUAL_MOVES;)
			pieces /= 2;
	return units * pieces;
}

/* Of each transfer the tasks, the lists and the passes, measured; with sums apart twice as many. */
static const double bytes_of_transfer = 160;

/* `pieces` and k make chunks that no estimate knows of before there are trees. */
static bool fits_in_memory(const struct ordo_resolved_request *request, struct ordo_error *error)
{
	const struct ordo_problem *problem = &request->problem;
	const enum ordo_operator op = problem->op;
	const double chunks = (double)(problem->chunks_per_block ? problem->chunks_per_block
								 : natural_chunks(request)) *
			      (op == ORDO_ALLGATHER || op == ORDO_REDUCESCATTER ? problem->nrank
										: 1),
		     transfers = chunks * (problem->nrank - 1) * (op == ORDO_ALLREDUCE ? 2 : 1),
		     bytes = transfers * bytes_of_transfer * (ordo_sums_are_apart(request) ? 2 : 1);
	char what[128];
	snprintf(what, sizeof what,
		"packing: %.0f chunks on %u ranks: a schedule of %.0f transfers", chunks,
		problem->nrank, transfers);
	return ordo_memory_allows(bytes, what, error) ||
	       ordo_hint(error, "fewer pieces or a smaller k take less; "
				"--memory-limit SIZE allows more");
}

static bool prepare(struct ordo_resolved_request *request, struct ordo_error *error)
{
	request->prepared = ordo_arena_alloc(&request->arena, sizeof(struct ordo_packed));
	return request->prepared ? ordo_packed_make(request->prepared, request, error) &&
					   fits_in_memory(request, error)
				 : ordo_fail_memory(error);
}

/* The trees of each root, taken in turn by their units. */
struct turns {
	const struct ordo_packing *packing;
	int64_t *credit; /* [ntree] */
	uint64_t *adds;	 /* [nrank] what every rank adds so far */
};

/* The next tree of a root, or of any: all units of a round come evenly spread. */
static uint32_t next_tree(struct turns *turns, uint32_t root)
{
	const struct ordo_packing *packing = turns->packing;
	uint32_t best = ORDO_NONE;
	int64_t all = 0;
	for (uint32_t tree = 0; tree < packing->ntree; tree++) {
		if (root != ORDO_NONE && packing->trees[tree].root != root)
			continue;
		all += packing->trees[tree].units;
		turns->credit[tree] += packing->trees[tree].units;
		if (best == ORDO_NONE || turns->credit[tree] > turns->credit[best])
			best = tree;
	}
	turns->credit[best] -= all;
	return best;
}

/* The root of a spanning tree is a rank that adds little. */
static void choose_root(const struct ordo_rooted_trees *rooted, uint32_t tree, uint64_t *adds,
	struct ordo_chunk_way *way, uint32_t *height)
{
	const size_t nrank = rooted->packing->nrank;
	way->root = ordo_choose_root(rooted, tree, adds);
	way->up = way->down = rooted->parents + (tree * nrank + way->root) * nrank;
	*height = 2 * rooted->heights[tree * nrank + way->root];
}

/* The way of a chunk, and the height of its trees in *height. */
static struct ordo_chunk_way way_of(const struct ordo_packed *packed, struct turns turns[2],
	uint32_t chunk, uint32_t root, uint32_t *height)
{
	struct ordo_chunk_way way = {.chunk = chunk, .root = root};
	*height = 0;
	for (uint32_t phase = 0; phase < 2; phase++) {
		const struct ordo_packing *packing = turns[phase].packing;
		if (!packing->ntree)
			continue;
		const uint32_t tree = next_tree(&turns[phase], way.root);
		const uint32_t *parents = packing->parents + (size_t)tree * packing->nrank;
		way.root = packing->trees[tree].root;
		*height += packing->trees[tree].height * (packed->spanning ? 2 : 1);
		if (phase || packed->spanning)
			way.down = parents;
		if (!phase || packed->spanning)
			way.up = parents;
		if (packed->rooted.parents)
			choose_root(&packed->rooted, tree, turns[phase].adds, &way, height);
	}
	return way;
}

/* The ways of all chunks, those of all roots in turn: ways[nchunk]. heights[nchunk] may be NULL.
 * false: no memory. */
static bool lay_ways(
	const struct ordo_resolved_request *request, struct ordo_chunk_way *ways, uint32_t *heights)
{
	const struct ordo_packed *packed = request->prepared;
	const struct ordo_problem *problem = &request->problem;
	const uint32_t K = problem->chunks_per_block, nrank = problem->nrank;
	const bool blocks = problem->op == ORDO_ALLGATHER || problem->op == ORDO_REDUCESCATTER;
	struct turns turns[2] = {{&packed->up, NULL, NULL}, {&packed->down, NULL, NULL}};
	bool worked = true;
	for (uint32_t phase = 0; phase < 2; phase++) {
		turns[phase].credit =
			ordo_array_make(turns[phase].packing->ntree, sizeof(int64_t), 0);
		turns[phase].adds = ordo_array_make(nrank, sizeof(uint64_t), 0);
		worked = worked && turns[phase].credit && turns[phase].adds;
	}
	for (uint32_t i = 0; worked && i < (blocks ? K * nrank : K); i++) {
		uint32_t height;
		const uint32_t root = packed->spanning || packed->divided	 ? ORDO_NONE
				      : ordo_operator_facts(problem->op)->rooted ? problem->root
										 : i % nrank;
		ways[i] = way_of(packed, turns, blocks ? root * K + i / nrank : i, root, &height);
		if (heights)
			heights[i] = height;
	}
	for (uint32_t phase = 0; phase < 2; phase++) {
		free(turns[phase].credit);
		free(turns[phase].adds);
	}
	return worked;
}

static uint32_t count_ways(const struct ordo_resolved_request *request)
{
	const enum ordo_operator op = request->problem.op;
	return request->problem.chunks_per_block *
	       (op == ORDO_ALLGATHER || op == ORDO_REDUCESCATTER ? request->problem.nrank : 1);
}

/* Every rank that adds to its own gets that ready, beside the moves. */
static void contribute(
	struct ordo_builder *b, const struct ordo_chunk_way *ways, uint32_t nway, uint32_t nrank)
{
	ordo_stream(b, "copy", ORDO_NONE);
	ordo_phase(b, "copy in", ORDO_NONE);
	for (uint32_t way = 0; way < nway; way++)
		for (uint32_t v = 0; ways[way].up && v < nrank; v++) {
			bool adds = false;
			for (uint32_t child = 0; child < nrank && !adds; child++)
				adds = ways[way].up[child] == v && child != v;
			if (adds)
				ordo_contribute(b, v, ways[way].chunk, 1);
		}
}

/* What is written apart: the scratch of sums, and where each operand lies. */
struct apart {
	struct ordo_arrivals arrivals;
	struct ordo_at *places; /* [way][nrank] by sender */
};

static bool make_apart(struct apart *apart, struct ordo_builder *b,
	const struct ordo_listed_move *moves, size_t nmove, const size_t count[2])
{
	const size_t nrank = count[1];
	uint8_t *pairs = ordo_array_make(nrank * nrank, 1, 0);
	for (size_t i = 0; pairs && i < nmove; i++)
		if (moves[i].kind == ORDO_LISTED_SUM)
			pairs[moves[i].from * nrank + moves[i].to] = 1;
	apart->places = ordo_array_make(count[0] * nrank, sizeof *apart->places, 0);
	const bool worked = pairs && apart->places &&
			    ordo_arrivals_make(&apart->arrivals, b, pairs, (uint32_t)nrank);
	free(pairs);
	return worked;
}

static void write_apart(struct ordo_builder *b, uint32_t chunk, const struct ordo_listed_move *move,
	struct apart *apart)
{
	struct ordo_at *place =
		&apart->places[(size_t)move->way * apart->arrivals.nrank + move->from];
	if (move->kind == ORDO_LISTED_SUM)
		*place = ordo_arrive(
			&apart->arrivals, b, move->to, ordo_sum_of(b, move->from, chunk));
	else
		ordo_add_arrived(
			&apart->arrivals, b, ordo_work(b, move->to, chunk), move->from, *place);
}

/* apart: NULL: sums are inline */
static void write_moves(struct ordo_builder *b, const struct ordo_chunk_way *ways,
	const struct ordo_listed_move *moves, size_t nmove, struct ordo_lanes *lanes,
	struct apart *apart)
{
	for (size_t i = 0; i < nmove && !ordo_builder_failed(b); i++) {
		const struct ordo_listed_move *move = &moves[i];
		const struct ordo_chunk_way *way = &ways[move->way];
		const struct ordo_slice chunk = {way->chunk, 1};
		if (move->kind != ORDO_LISTED_ADD)
			ordo_take_lane(b, lanes, move);
		if (move->kind == ORDO_LISTED_RESULT)
			ordo_pass_on(b, move->to, move->from, chunk, way->up, false);
		else if (apart)
			write_apart(b, way->chunk, move, apart);
		else
			ordo_add_on(b, move->to, move->from, chunk, false);
	}
}

static void write_all(struct ordo_builder *b, const struct ordo_resolved_request *request,
	const struct ordo_chunk_way *ways, struct ordo_lanes *lanes)
{
	static const char *const phases[] = {[ORDO_ALLREDUCE] = "all-reduce",
		[ORDO_REDUCE] = "reduce",
		[ORDO_BROADCAST] = "broadcast",
		[ORDO_REDUCESCATTER] = "reduce-scatter",
		[ORDO_ALLGATHER] = "all-gather"};
	const uint32_t nrank = request->problem.nrank, nway = count_ways(request);
	const bool is_apart = ordo_sums_are_apart(request);
	struct ordo_listed_move *moves = NULL;
	struct apart apart = {0};
	size_t nmove = 0;
	if (ordo_packed_list(request, ways, nway, &moves, &nmove) &&
		(!is_apart || make_apart(&apart, b, moves, nmove, (const size_t[]){nway, nrank}))) {
		contribute(b, ways, nway, nrank);
		/* One phase, in which moves to one rank go as one message. */
		ordo_phase(b, phases[request->problem.op], ORDO_NONE);
		write_moves(b, ways, moves, nmove, lanes, is_apart ? &apart : NULL);
	} else {
		ordo_builder_fail_memory(b);
	}
	ordo_arrivals_free(&apart.arrivals);
	free(apart.places);
	free(moves);
}

static void build(struct ordo_builder *b, const struct ordo_resolved_request *request)
{
	struct ordo_chunk_way *ways;
	struct ordo_lanes lanes;
	if (!ordo_operator_facts(request->problem.op)->reduces || request->problem.nrank == 1)
		ordo_keep_own(b, &request->problem);
	if (request->problem.nrank == 1)
		return;
	ways = ordo_array_make(count_ways(request), sizeof *ways, 0);
	if (ordo_lanes_make(&lanes, request->prepared) && ways && lay_ways(request, ways, NULL))
		write_all(b, request, ways, &lanes);
	else
		ordo_builder_fail_memory(b);
	ordo_lanes_free(&lanes);
	free(ways);
}

/* The longest chain of moves, of which each carries on what the one before brought. */
static uint64_t longest_chain(const struct ordo_resolved_request *request,
	const struct ordo_chunk_way *ways, uint32_t nway)
{
	const size_t nrank = request->problem.nrank;
	uint32_t *chains = ordo_array_make(nway * nrank, sizeof *chains, 0);
	struct ordo_listed_move *moves = NULL;
	size_t nmove = 0;
	const bool worked = chains && ordo_packed_list(request, ways, nway, &moves, &nmove);
	uint64_t most = worked ? 0 : ORDO_UNCOUNTED;
	for (size_t i = 0; worked && i < nmove; i++) {
		uint32_t *of = chains + moves[i].way * nrank, *to = &of[moves[i].to];
		if (moves[i].kind != ORDO_LISTED_ADD && of[moves[i].from] >= *to)
			*to = of[moves[i].from] + 1;
		most = *to > most ? *to : most;
	}
	free(chains);
	free(moves);
	return most;
}

static uint64_t steps(const struct ordo_resolved_request *request)
{
	const uint32_t nway = request->problem.nrank > 1 ? count_ways(request) : 0;
	struct ordo_chunk_way *ways = ordo_array_make(nway, sizeof *ways, 0);
	uint32_t *heights = ordo_array_make(nway, sizeof *heights, 0);
	const bool worked = ways && heights && (!nway || lay_ways(request, ways, heights));
	uint64_t most = worked ? 0 : ORDO_UNCOUNTED;
	for (uint32_t i = 0; worked && i < nway; i++)
		most = heights[i] > most ? heights[i] : most;
	if (worked && nway && ((const struct ordo_packed *)request->prepared)->apart)
		most = longest_chain(request, ways, nway);
	free(ways);
	free(heights);
	return most;
}

static uint64_t volume(const struct ordo_resolved_request *request)
{
	const uint32_t nrank = request->problem.nrank, nway = nrank > 1 ? count_ways(request) : 0;
	struct ordo_chunk_way *ways = ordo_array_make(nway, sizeof *ways, 0);
	uint64_t *sent = ordo_array_make(nrank, sizeof *sent, 0);
	const bool worked = ways && sent && (!nway || lay_ways(request, ways, NULL));
	uint64_t most = worked ? 0 : ORDO_UNCOUNTED;
	for (uint32_t i = 0; worked && i < nway; i++)
		for (uint32_t v = 0; v < nrank; v++) {
			if (v == ways[i].root)
				continue;
			if (ways[i].up)
				sent[v]++;
			if (ways[i].down)
				sent[ways[i].down[v]]++;
		}
	for (uint32_t v = 0; worked && v < nrank; v++)
		most = sent[v] > most ? sent[v] : most;
	free(ways);
	free(sent);
	return most;
}

/* Whether some number of trees reaches the bound, and can be told: not with ways that streams do
 * not name or take in turn, nor for an AllReduce that cannot have spanning trees. */
static bool find_exact(const struct ordo_resolved_request *request, int64_t *exact, bool backwards,
	struct ordo_error *error)
{
	const struct ordo_packed *packed = request->prepared;
	const enum ordo_operator op = request->problem.op;
	const uint32_t root = ordo_operator_facts(op)->rooted ? request->problem.root : ORDO_NONE;
	struct ordo_capacities graph;
	bool other_ways = false, worked = ordo_packed_graph(packed, &graph, backwards, error);
	if (!packed->names_ways)
		worked = worked && ordo_has_ways(packed->topology, &other_ways, error);
	const bool told =
		!packed->divided && !packed->apart && !packed->turns && !other_ways &&
		(op != ORDO_ALLREDUCE || packed->spanning ||
			(graph.nvertex == graph.nrank && graph.nrank <= ORDO_MOST_SPANNING_RANKS &&
				ordo_capacities_symmetric(&graph) && !packed->even));
	*exact = 0;
	if (worked && told)
		worked = op == ORDO_ALLREDUCE ? ordo_units_exact_spanning(&graph, exact, error)
					      : ordo_units_exact(&graph, root, exact, error);
	ordo_capacities_free(&graph);
	return worked;
}

bool ordo_packed_trees_of(const struct ordo_resolved_request *request,
	struct ordo_packed_trees *trees, struct ordo_error *error)
{
	const struct ordo_packed *packed = request->prepared;
	int64_t exact;
	if (request->algorithm != &ordo_algorithm_packing || request->problem.nrank == 1)
		return false;
	const bool backwards = !packed->down.k;
	const bool worked = find_exact(request, &exact, backwards, error);
	*trees = (struct ordo_packed_trees){
		backwards ? packed->up.k : packed->down.k, packed->spanning, (uint64_t)exact};
	return worked;
}

static const struct ordo_parameter parameters[] = {
	{.name = "k",
		.values = "auto|1..256",
		.fallback = "auto",
		.meaning = "trees of each root; auto: the fewest that reach the bound or "
			   "come nearest to it",
		.kind = ORDO_NUMBER,
		.least = 1,
		.most = ORDO_MOST_SPANNING},
	{.name = "pieces",
		.values = "auto|1..1024",
		.fallback = "auto",
		.meaning = "chunks that follow each other along a tree; auto: up to 4, or "
			   "the fastest number for a given size",
		.kind = ORDO_NUMBER,
		.least = 1,
		.most = 1024,
		.fixes_chunks = true},
	{.name = "shares",
		.values = "any|even",
		.fallback = "any",
		.meaning = "even: the number of trees is such that the ranks at a switch "
			   "share its links evenly, because streams on one link get equal "
			   "shares",
		.kind = ORDO_WORD},
	{.name = "method",
		.values = "trees|lp",
		.fallback = "trees",
		.meaning = "lp: in an AllReduce, sums and results share every link as a linear "
			   "program says, if that is faster; needs a build with GLPK",
		.kind = ORDO_WORD},
	{.name = "paths",
		.values = "packed|turns",
		.fallback = "packed",
		.meaning = "packed: links side by side, and with via=spread all paths between two "
			   "ranks, carry what was packed into each; turns: links side by side are "
			   "one, and with via=spread chunks take the paths in turn",
		.kind = ORDO_WORD},
	{.name = "phases",
		.values = "mixed|apart",
		.fallback = "mixed",
		.meaning = "apart: an AllReduce has the sums of a ReduceScatter, listed alone, and "
			   "then the results of an AllGather, listed alone; mixed: results move as "
			   "soon as they are there",
		.kind = ORDO_WORD},
	ORDO_SUMS_PARAMETER,
	ORDO_LINKS_PARAMETER,
};

enum {
	SUMS_OF_THEM = 1u << ORDO_ALLREDUCE | 1u << ORDO_REDUCE | 1u << ORDO_REDUCESCATTER,
	ALL_OF_THEM = 1u << ORDO_ALLREDUCE | 1u << ORDO_REDUCE | 1u << ORDO_BROADCAST |
		      1u << ORDO_REDUCESCATTER | 1u << ORDO_ALLGATHER,
	ROOTED = 1u << ORDO_REDUCE | 1u << ORDO_BROADCAST
};

/* Few trees are low, and for little data faster than as many as fill the links. Where each rank is
 * the root of some and reaches all others, those of a mesh are as low. */
#define OF_ONE_ROOT .operators = ROOTED
#define SUMS_OF_ONE_ROOT .operators = 1u << ORDO_REDUCE, .adds = true
#define RESULTS_OF_ALL_ROOTS .operators = 1u << ORDO_ALLGATHER
#define OF_ALL_ROOTS RESULTS_OF_ALL_ROOTS, .sparse = true
#define SUMS_OF_ALL_ROOTS                                                                          \
	.operators = 1u << ORDO_ALLREDUCE | 1u << ORDO_REDUCESCATTER, .adds = true, .sparse = true
#define ADDS .operators = SUMS_OF_THEM, .adds = true
#define IN_PHASES .operators = 1u << ORDO_ALLREDUCE
#define ADDED_IN_PHASES IN_PHASES, .adds = true
#define SIDE_BY_SIDE IN_PHASES, .parallel = true, .unequal = true
#define VARIANT_UP_TO(moves, more, ...)                                                            \
	{                                                                                          \
		.pipelines = ALL_OF_THEM, .halves = more, .most_moves = (moves),                   \
		.most_ranks = MOST_TRIED_RANKS, .most_adders = MOST_TRIED_ADDERS,                  \
		.most_at_switch = MOST_TRIED_AT_SWITCH, .settings = __VA_ARGS__                    \
	}
#define VARIANT(...) VARIANT_UP_TO(MOST_TRIED, true, __VA_ARGS__)
#define FEW_UNLESS_LARGE(...) VARIANT_UP_TO(MOST_TRIED, false, __VA_ARGS__, .large_chunks = true)
#define FEW(moves, ...) VARIANT_UP_TO(moves, true, __VA_ARGS__, .little = true)
static const struct ordo_variant variants[] = {
	VARIANT(""),
	VARIANT("sums=apart", ADDS),
	FEW(FEW_TRIED, "k=1", OF_ONE_ROOT),
	FEW(FEW_TRIED, "k=1,sums=apart", SUMS_OF_ONE_ROOT),
	FEW(FEW_TRIED, "k=3", OF_ONE_ROOT),
	FEW(FEW_TRIED, "k=3,sums=apart", SUMS_OF_ONE_ROOT),
	FEW(FEW_TRIED_OF_ALL, "k=1", OF_ALL_ROOTS),
	FEW(FEW_TRIED_OF_ALL, "k=1,sums=apart", SUMS_OF_ALL_ROOTS),
	VARIANT("shares=even", .switched = true),
	VARIANT("shares=even,sums=apart", ADDS, .switched = true),
	VARIANT("links=fast", .slow = true),
	VARIANT("sums=apart,links=fast", ADDS, .slow = true),
	FEW(FEW_TRIED_OF_ALL, "k=1,links=fast", OF_ONE_ROOT, .slow = true),
	FEW(FEW_TRIED_OF_ALL, "k=1,links=fast", RESULTS_OF_ALL_ROOTS, .slow = true),
	FEW(FEW_TRIED_OF_ALL, "k=1,sums=apart,links=fast", ADDS, .slow = true),
	VARIANT("links=paired", .one_way = true),
	VARIANT("sums=apart,links=paired", ADDS, .one_way = true),
	VARIANT("paths=turns", .parallel = true),
	VARIANT("paths=turns,sums=apart", ADDS, .parallel = true),
	VARIANT("shares=even,paths=turns", .switched = true, .parallel = true),
	VARIANT("shares=even,paths=turns,sums=apart", ADDS, .switched = true, .parallel = true),
	VARIANT("paths=turns,links=fast", .slow = true, .parallel = true),
	VARIANT("paths=turns,sums=apart,links=fast", ADDS, .slow = true, .parallel = true),
	VARIANT("paths=turns,links=paired", .one_way = true, .parallel = true),
	VARIANT("paths=turns,sums=apart,links=paired", ADDS, .one_way = true, .parallel = true),
	VARIANT("phases=apart", SIDE_BY_SIDE),
	VARIANT("phases=apart,sums=apart", SIDE_BY_SIDE, .adds = true),
	FEW_UNLESS_LARGE("phases=apart", IN_PHASES, .uneven = true),
	FEW_UNLESS_LARGE("phases=apart,sums=apart", ADDED_IN_PHASES, .uneven = true),
	FEW_UNLESS_LARGE("phases=apart,links=fast", IN_PHASES, .slow = true),
	FEW_UNLESS_LARGE("phases=apart,sums=apart,links=fast", ADDED_IN_PHASES, .slow = true),
	VARIANT("shares=even,phases=apart", IN_PHASES, .switched = true),
	VARIANT("shares=even,phases=apart,sums=apart", ADDED_IN_PHASES, .switched = true),
};

const struct ordo_algorithm ordo_algorithm_packing = {
	.facts = {.name = "packing",
		.summary =
			"trees packed into the links of the topology, as many as its bound allows",
		.how = "Trees are packed into the links of the topology until these are full, so "
		       "that every link carries its share of the least data that any schedule "
		       "must send. Each piece of the data goes along one tree. For AllReduce, "
		       "where links are equally wide in both directions, every tree is used "
		       "twice: up for the sum and down for the result.",
		.when = "For large messages on any network: unequal links, failed links, tori, "
			"hypercubes. It comes as near to the bound of the wire as the number of "
			"pieces allows, where rings and meshes leave links idle. Not for small "
			"messages, which take one hop after another along high trees.",
		.operators = ALL_OF_THEM,
		.ranks = "up to 1,024; Broadcast and Reduce 4,096",
		.steps = "the height of the highest tree; AllReduce twice",
		.volume = "what the trees take of the busiest rank's links",
		.order = "a tree for each piece",
		.topologies = "any",
		.source = "ForestColl, Zhao et al. 2024; Edmonds 1973; Tutte, Nash-Williams 1961",
		.parameters = parameters,
		.nparameter = sizeof parameters / sizeof *parameters,
		.variants = variants,
		.nvariant = sizeof variants / sizeof *variants},
	.applicable = applicable,
	.prepare = prepare,
	.chunks = natural_chunks,
	.build = build,
	.release = release,
	.finds_ways = true,
	.around_links = "packing",
	.steps = steps,
	.volume = volume,
};
