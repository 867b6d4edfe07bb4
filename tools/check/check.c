/* check.c - compares the outputs of a run with the operator's reference result. */
#include "check.h"
#include "buffers.h"
#include "parallel.h"
#include <inttypes.h>
#include <ordo/detail/accumulate.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Elements evaluated at once: a few tiles fit into the first-level cache. */
enum { TILE = 2048 };

/* A tree in postfix order: leaves (shards) and additions (ORDO_NONE), evaluated on a stack of
 * tiles. */
struct postfix {
	uint32_t *steps, nstep;
	uint32_t *stack; /* of nodes, for write_postfix */
};

struct checker {
	const struct trial *trial;
	struct check *result;
	enum ordo_type accumulator;
	uint32_t *need;		      /* [nnode] tiles needed to evaluate a node */
	uint32_t *depth;	      /* [nnode] */
	uint32_t *nleaf;	      /* [nnode] */
	uint32_t most;		      /* the largest need of a chunk's tree */
	uint32_t npiece;	      /* items of work per chunk */
	struct workspace *workspaces; /* [width] */
	uint32_t width;
};

/* The memory of one thread. */
struct workspace {
	struct postfix postfix;
	uint32_t postfix_tree;
	char *tiles;  /* [most][TILE] of the accumulator */
	char *wanted; /* [TILE] elements: those of a shard, and at the end the result */
	void *exact;  /* [TILE] */
	struct check found;
};

/* NULL for an empty buffer, which may be NULL. */
static char *element(void *buffer, const struct trial *trial, uint64_t at)
{
	return buffer ? (char *)buffer + at * ordo_type_size(trial->values.type) : NULL;
}

void fill_rank(const struct trial *trial, uint32_t rank)
{
	const struct ordo_problem *problem = trial->problem;
	const struct places places = places_of(trial);
	const uint32_t noutput = ordo_output_slots(problem, rank);
	const uint64_t nbyte =
		place_in_output(&places, rank, noutput) * ordo_type_size(trial->values.type);
	/* In place, the part of the output that is no input gets PATTERN too, before the inputs are
	 * filled. */
	if (nbyte && (!problem->in_place || noutput > ordo_input_slots(problem, rank)))
		memset(trial->outputs[rank], PATTERN, nbyte);
	for (uint32_t slot = 0; slot < ordo_input_slots(problem, rank); slot++) {
		uint32_t chunk = ordo_input_chunk(problem, rank, slot),
			 shard = ordo_input_shard(problem, rank, slot);
		make_values(&trial->values, shard, place_of_chunk(&places, chunk),
			length_of_chunk(&places, chunk),
			element(trial->inputs[rank], trial, place_in_input(&places, rank, slot)));
	}
}

static void fill_item(void *closure, uint64_t item, uint32_t worker)
{
	(void)worker;
	fill_rank(closure, (uint32_t)item);
}

void fill(const struct trial *trial)
{
	struct trial copy = *trial;
	uint32_t nrank = trial->problem->nrank;
	for_each(nrank, parallel_width(nrank), fill_item, &copy);
}

static bool has_trees(const struct trial *trial)
{
	return trial->proof && ordo_operator_facts(trial->problem->op)->reduces;
}

bool has_one_order(const struct ordo_proof *proof)
{
	return proof->proved && proof->rank_equal != ORDO_DOES_NOT_HOLD &&
	       proof->run_to_run != ORDO_DOES_NOT_HOLD;
}

/* Evaluating the side that needs more tiles first takes the fewest (Sethi-Ullman): at most log2 of
 * the leaves, plus one. */
static void measure_trees(struct checker *checker)
{
	const struct ordo_trees *trees = &checker->trial->proof->trees;
	for (uint32_t i = 0; i < trees->nnode; i++) {
		uint32_t left = trees->nodes[i][0], right = trees->nodes[i][1];
		if (left == ORDO_NONE) {
			checker->need[i] = checker->nleaf[i] = 1;
			checker->depth[i] = 0;
			continue;
		}
		uint32_t a = checker->need[left], b = checker->need[right];
		checker->need[i] = a == b ? a + 1 : a > b ? a : b;
		a = checker->depth[left], b = checker->depth[right];
		checker->depth[i] = 1 + (a > b ? a : b);
		checker->nleaf[i] = checker->nleaf[left] + checker->nleaf[right];
	}
	for (uint32_t c = 0; c < ordo_nchunk(checker->trial->problem); c++) {
		uint32_t tree = checker->trial->proof->chunk_tree[c];
		if (checker->need[tree] > checker->most)
			checker->most = checker->need[tree];
		if (checker->depth[tree] > checker->result->depth)
			checker->result->depth = checker->depth[tree];
	}
}

/* Written backwards: both sides precede their addition, and the side that needs more tiles comes
 * first. */
static void write_postfix(const struct checker *checker, struct postfix *postfix, uint32_t tree)
{
	const struct ordo_trees *trees = &checker->trial->proof->trees;
	uint32_t nstack = 0, at = 2 * checker->nleaf[tree] - 1;
	postfix->nstep = at;
	postfix->stack[nstack++] = tree;
	while (nstack) {
		uint32_t node = postfix->stack[--nstack], left = trees->nodes[node][0],
			 right = trees->nodes[node][1];
		if (left == ORDO_NONE) {
			postfix->steps[--at] = right;
			continue;
		}
		postfix->steps[--at] = ORDO_NONE;
		bool left_first = checker->need[left] >= checker->need[right];
		postfix->stack[nstack++] = left_first ? left : right;
		postfix->stack[nstack++] = left_first ? right : left;
	}
}

/* Pushes a shard's elements, converted to the accumulator type. */
static void push_leaf(
	const struct checker *checker, struct workspace *workspace, char *top, size_t n)
{
	const enum ordo_type type = checker->trial->values.type;
	if (checker->accumulator == type)
		memcpy(top, workspace->wanted, n * ordo_type_size(type));
	else
		ordo_widen_elements(type, checker->accumulator, top, workspace->wanted, n);
}

/* Evaluates a tree into workspace->wanted. */
static void evaluate(
	const struct checker *checker, struct workspace *workspace, uint64_t first, size_t n)
{
	const struct values *values = &checker->trial->values;
	size_t tile = TILE * ordo_type_size(checker->accumulator), height = 0;
	for (uint32_t i = 0; i < workspace->postfix.nstep; i++) {
		uint32_t step = workspace->postfix.steps[i];
		if (step == ORDO_NONE) {
			height--;
			ordo_reduce_elements(checker->accumulator, values->reduction,
				workspace->tiles + (height - 1) * tile,
				workspace->tiles + height * tile, n);
			continue;
		}
		char *top = workspace->tiles + height++ * tile;
		make_values(values, step, first, n, workspace->wanted);
		push_leaf(checker, workspace, top, n);
		(i ? add_exact : begin_exact)(values, workspace->exact, workspace->wanted, n);
	}
	if (checker->accumulator == values->type)
		memcpy(workspace->wanted, workspace->tiles, n * ordo_type_size(values->type));
	else
		ordo_narrow_elements(
			values->type, checker->accumulator, workspace->wanted, workspace->tiles, n);
	if (values->reduction == ORDO_AVG)
		ordo_divide_elements(
			values->type, workspace->wanted, n, checker->trial->problem->nshard);
}

/* Without an order there is only the exact result, which any order gives. */
static void evaluate_exactly(
	const struct checker *checker, struct workspace *workspace, uint64_t first, size_t n)
{
	const struct values *values = &checker->trial->values;
	for (uint32_t shard = 0; shard < checker->trial->problem->nshard; shard++) {
		make_values(values, shard, first, n, workspace->wanted);
		(shard ? add_exact : begin_exact)(values, workspace->exact, workspace->wanted, n);
	}
}

static void report_difference(struct check *found, const struct trial *trial, uint32_t rank,
	uint32_t chunk, uint64_t at, const char *wanted, const char *result)
{
	size_t size = ordo_type_size(trial->values.type), i = 0;
	char hex[2][33] = {"", ""};
	while (!memcmp(wanted + i * size, result + i * size, size))
		i++;
	for (size_t byte = 0; byte < size; byte++) {
		snprintf(hex[0] + 2 * byte, 3, "%02x",
			(unsigned char)result[i * size + size - 1 - byte]);
		snprintf(hex[1] + 2 * byte, 3, "%02x",
			(unsigned char)wanted[i * size + size - 1 - byte]);
	}
	found->bits_equal = false;
	snprintf(found->text, sizeof found->text,
		"rank %u, chunk %u, element %" PRIu64 ": found bits %s, wanted %s", rank, chunk,
		at + i, hex[0], hex[1]);
}

static void report_bound(struct check *found, uint32_t chunk, uint64_t at)
{
	found->within_bounds = false;
	snprintf(found->text, sizeof found->text,
		"chunk %u, element %" PRIu64 ": the error exceeds the bound for rounding", chunk,
		at);
}

static void report_outlier(struct check *found, uint32_t rank, uint32_t chunk, uint64_t at)
{
	found->bits_equal = found->within_bounds = false;
	snprintf(found->text, sizeof found->text,
		"rank %u, chunk %u, element %" PRIu64
		": found a value that no order of the inputs gives",
		rank, chunk, at);
}

static void compare_bits(struct check *found, const struct trial *trial, uint32_t rank,
	uint32_t chunk, uint64_t first, size_t n, const char *wanted, const char *result)
{
	const size_t size = ordo_type_size(trial->values.type);
	if (!memcmp(wanted, result, n * size))
		return;
	if (found->bits_equal)
		report_difference(found, trial, rank, chunk, first, wanted, result);
	for (size_t i = 0; i < n; i++)
		found->wrong += memcmp(wanted + i * size, result + i * size, size) != 0;
}

/* A tree of V leaves rounds V-1 times, and is no deeper. */
static void compare_with_exact(const struct checker *checker, struct check *found, uint32_t rank,
	uint32_t chunk, uint64_t first, size_t n, const void *exact, const char *result)
{
	const struct values *values = &checker->trial->values;
	const uint32_t nshard = checker->trial->problem->nshard;
	const size_t size = ordo_type_size(values->type);
	for (size_t i = 0; i < n; i++) {
		i += compare_exact(values, checker->accumulator, exact_at(values, exact, i),
			result + i * size, n - i, nshard - 1, nshard, &found->far);
		if (i >= n)
			return;
		if (!found->wrong++)
			report_outlier(found, rank, chunk, first + i);
	}
}

/* Checks elements [first, first + n) of a chunk on all ranks that hold it. */
static void check_tile(const struct checker *checker, struct workspace *workspace, uint32_t chunk,
	uint64_t first, size_t n)
{
	const struct trial *trial = checker->trial;
	const struct ordo_problem *problem = trial->problem;
	const bool reduces = ordo_operator_facts(problem->op)->reduces,
		   ordered = !reduces || trial->proof;
	const struct places places = places_of(trial);
	uint64_t at = place_of_chunk(&places, chunk) + first;
	uint32_t rank, end;
	if (!reduces)
		make_values(&trial->values, ordo_chunk_source(problem, chunk), at, n,
			workspace->wanted);
	else
		(ordered ? evaluate : evaluate_exactly)(checker, workspace, at, n);
	for (ordo_chunk_holders(problem, chunk, &rank, &end); rank < end; rank++) {
		if (trial->is_one_rank && rank != trial->rank)
			continue;
		const char *result = element(trial->outputs[rank], trial,
			place_in_output(&places, rank, ordo_output_slot(problem, rank, chunk)) +
				first);
		workspace->found.elements += n;
		if (ordered)
			compare_bits(&workspace->found, trial, rank, chunk, first, n,
				workspace->wanted, result);
		else
			compare_with_exact(checker, &workspace->found, rank, chunk, first, n,
				workspace->exact, result);
	}
	if (!reduces || !ordered)
		return;
	uint32_t tree = trial->proof->chunk_tree[chunk];
	size_t wrong = compare_exact(&trial->values, checker->accumulator, workspace->exact,
		workspace->wanted, n, checker->depth[tree], checker->nleaf[tree],
		&workspace->found.far);
	if (wrong < n)
		report_bound(&workspace->found, chunk, first + wrong);
}

static void check_piece(void *closure, uint64_t item, uint32_t worker)
{
	struct checker *checker = closure;
	struct workspace *workspace = &checker->workspaces[worker];
	uint32_t chunk = (uint32_t)(item / checker->npiece),
		 piece = (uint32_t)(item % checker->npiece);
	uint64_t length = chunk_length(checker->trial, chunk);
	uint64_t first = ordo_chunk_begin(length, checker->npiece, piece, TILE);
	uint64_t end = ordo_chunk_begin(length, checker->npiece, piece + 1, TILE);
	if (has_trees(checker->trial)) {
		uint32_t tree = checker->trial->proof->chunk_tree[chunk];
		if (workspace->postfix_tree != tree)
			write_postfix(checker, &workspace->postfix, tree);
		workspace->postfix_tree = tree;
	}
	for (; first < end; first += TILE)
		check_tile(checker, workspace, chunk, first,
			end - first < TILE ? (size_t)(end - first) : TILE);
}

static bool create_workspace(const struct checker *checker, struct workspace *workspace)
{
	size_t nnode = checker->trial->problem->nshard * (size_t)2;
	*workspace = (struct workspace){.postfix_tree = ORDO_NONE,
		.postfix.steps = calloc(nnode, sizeof(uint32_t)),
		.postfix.stack = calloc(nnode, sizeof(uint32_t)),
		.tiles = calloc(checker->most, TILE * ordo_type_size(checker->accumulator)),
		.wanted = calloc(TILE, ordo_type_size(checker->trial->values.type)),
		.exact = calloc(TILE, EXACT_SIZE),
		.found = {.bits_equal = true, .within_bounds = true}};
	return workspace->postfix.steps && workspace->postfix.stack && workspace->tiles &&
	       workspace->wanted && workspace->exact;
}

static void free_workspace(struct workspace *workspace)
{
	free(workspace->postfix.steps);
	free(workspace->postfix.stack);
	free(workspace->tiles);
	free(workspace->wanted);
	free(workspace->exact);
}

void merge_checks(struct check *result, const struct check *found)
{
	if (result->bits_equal && result->within_bounds &&
		(!found->bits_equal || !found->within_bounds))
		memcpy(result->text, found->text, sizeof result->text);
	result->bits_equal &= found->bits_equal;
	result->within_bounds &= found->within_bounds;
	result->elements += found->elements;
	result->wrong += found->wrong;
	if (found->far.ulps > result->far.ulps)
		result->far.ulps = found->far.ulps;
	if (found->far.bounded > result->far.bounded)
		result->far.bounded = found->far.bounded;
}

static bool prepare(struct checker *checker)
{
	const struct ordo_problem *problem = checker->trial->problem;
	size_t nnode = has_trees(checker->trial) ? (size_t)checker->trial->proof->trees.nnode : 1;
	uint32_t nchunk = ordo_nchunk(problem);
	checker->npiece = nchunk < 64 ? 64 / nchunk : 1;
	checker->most = 1;
	checker->need = calloc(nnode, sizeof *checker->need);
	checker->depth = calloc(nnode, sizeof *checker->depth);
	checker->nleaf = calloc(nnode, sizeof *checker->nleaf);
	checker->width = parallel_width((uint64_t)nchunk * checker->npiece);
	checker->workspaces = calloc(checker->width, sizeof *checker->workspaces);
	if (!checker->need || !checker->depth || !checker->nleaf || !checker->workspaces)
		return false;
	if (has_trees(checker->trial))
		measure_trees(checker);
	else if (ordo_operator_facts(problem->op)->reduces)
		checker->result->depth = problem->nshard - 1;
	for (uint32_t i = 0; i < checker->width; i++)
		if (!create_workspace(checker, &checker->workspaces[i]))
			return false;
	return true;
}

bool check(const struct trial *trial, struct check *result)
{
	*result = (struct check){.bits_equal = true, .within_bounds = true};
	struct checker checker = {.trial = trial,
		.result = result,
		.accumulator = ordo_accumulator(trial->problem, trial->values.type)};
	bool ready = prepare(&checker);
	if (ready)
		for_each((uint64_t)ordo_nchunk(trial->problem) * checker.npiece, checker.width,
			check_piece, &checker);
	for (uint32_t i = 0; checker.workspaces && i < checker.width; i++) {
		if (ready)
			merge_checks(result, &checker.workspaces[i].found);
		free_workspace(&checker.workspaces[i]);
	}
	free(checker.workspaces);
	free(checker.need);
	free(checker.depth);
	free(checker.nleaf);
	return ready;
}
