/* compiling.c - compiles, counts what moves, and prints orders. */
#include "compiling.h"
#include "mutate.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

struct ordo_schedule *compile_proved(const struct ordo_request *request)
{
	struct ordo_error error = {0};
	struct ordo_schedule *schedule = ordo_compile(request, &error);
	if (!schedule)
		fail_msg("%s %s, %u ranks, root %u, K %u%s: %s",
			ordo_operator_facts(request->problem.op)->name, request->algorithm,
			request->problem.nrank, request->problem.root, request->problem.chunks_per_block,
			request->problem.in_place ? ", in place" : "", error.text);
	return schedule;
}

static struct measured measure_moves(const struct ordo_sequence *sequence)
{
	struct ordo_cells cells;
	assert_true(ordo_cells_make(&cells, &sequence->problem, sequence->scratch_slots, NULL));
	uint64_t *depth = calloc((size_t)cells.count + 1, sizeof *depth);
	uint64_t *sent = calloc(sequence->problem.nrank, sizeof *sent);
	struct measured measured = {0, 0};
	for (uint32_t id = 0; id < sequence->nmove; id++) {
		const struct ordo_move *move = &sequence->moves[id];
		const bool crosses = move->rank != move->peer;
		for (uint32_t i = 0; i < move->count; i++) {
			uint64_t *to = &depth[ordo_cell(&cells, move->peer, move->dst_buffer, move->dst + i)];
			uint64_t deep =
				depth[ordo_cell(&cells, move->rank, move->src_buffer, move->src + i)] +
				crosses;
			*to = move->reduces && *to > deep ? *to : deep;
			measured.steps = *to > measured.steps ? *to : measured.steps;
		}
		sent[move->rank] += crosses ? move->count : 0;
	}
	for (uint32_t rank = 0; rank < sequence->problem.nrank; rank++)
		measured.volume = sent[rank] > measured.volume ? sent[rank] : measured.volume;
	free(depth);
	free(sent);
	ordo_cells_free(&cells);
	return measured;
}

struct measured claims_of(const struct ordo_request *request)
{
	struct ordo_recipe recipe;
	assert_true(ordo_recipe_make(&recipe, request, NULL));
	const struct measured claims = {recipe.algorithm->steps(&recipe), recipe.algorithm->volume(&recipe)};
	ordo_recipe_destroy(&recipe);
	return claims;
}

struct measured measure(const struct ordo_request *request)
{
	struct ordo_recipe recipe;
	struct ordo_sequence sequence = {0};
	assert_true(ordo_recipe_make(&recipe, request, NULL));
	assert_true(ordo_build(&recipe, &sequence, NULL));
	const struct measured measured = measure_moves(&sequence);
	ordo_sequence_free(&sequence);
	ordo_recipe_destroy(&recipe);
	return measured;
}

bool claims_hold(const struct ordo_request *request)
{
	struct ordo_recipe recipe;
	struct ordo_error error = {0};
	const bool applies = ordo_recipe_make(&recipe, request, &error);
	if (applies) {
		const struct measured claimed = claims_of(request), measured = measure(request);
		const bool within = recipe.algorithm->claims_bound && measured.steps <= claimed.steps &&
				    measured.volume <= claimed.volume;
		if (!within && (measured.steps != claimed.steps || measured.volume != claimed.volume))
			fail_msg("%s %s, %u ranks, root %u, K %u: claims %llu steps and %llu chunks, makes "
				 "%llu and %llu",
				ordo_operator_facts(recipe.problem.op)->name, recipe.notation,
				recipe.problem.nrank, recipe.problem.root, recipe.problem.chunks_per_block,
				(unsigned long long)claimed.steps, (unsigned long long)claimed.volume,
				(unsigned long long)measured.steps, (unsigned long long)measured.volume);
	} else {
		assert_int_equal(error.code, ORDO_USAGE);
	}
	ordo_recipe_destroy(&recipe);
	return applies;
}

uint32_t count_pairs(const struct ordo_schedule *schedule)
{
	uint32_t npair = 0;
	for (uint32_t s = 0; s < schedule->nstream; s++)
		for (uint32_t t = schedule->streams[s].first; t < schedule->streams[s].end; t++)
			npair += schedule->tasks[t].kind == ORDO_NOTIFY &&
				 schedule->tasks[t].peer != schedule->streams[s].rank;
	return npair;
}

void check_every_pair_is_needed(const struct ordo_schedule *schedule, const struct ordo_topology *topology)
{
	const struct ordo_verify_options options = {.topology = topology, .max_findings = 1};
	for (uint32_t task = 0; task < schedule->ntask; task++) {
		struct ordo_schedule *mutant = with_fault(schedule, FAULT_DROP_PAIR, task, 0);
		struct ordo_proof *proof = mutant ? ordo_verify(mutant, &options, NULL) : NULL;
		char place[128];
		ordo_task_locate(schedule, task, place, sizeof place);
		if (mutant && (!proof || proof->proved))
			fail_msg("superfluous: %s", place);
		ordo_proof_destroy(proof);
		ordo_schedule_destroy(mutant);
	}
}

static void check_form(const struct ordo_request *request)
{
	ordo_schedule_destroy(compile_proved(request));
	assert_true(claims_hold(request));
}

void check_everywhere(const char *algorithm, enum ordo_operator op, uint32_t nrank)
{
	const uint32_t chunks[] = {0, 1, 3, nrank + 1};
	const struct ordo_operator_facts *facts = ordo_operator_facts(op);
	for (uint32_t root = 0; root < (facts->rooted ? nrank : 1); root++)
		for (size_t k = 0; k < sizeof chunks / sizeof *chunks; k++)
			for (int in_place = 0; in_place <= facts->has_in_place; in_place++) {
				const struct ordo_request request = {.problem = {.op = op,
									     .nrank = nrank,
									     .root = root,
									     .chunks_per_block = chunks[k],
									     .in_place = in_place},
					.algorithm = algorithm};
				check_form(&request);
			}
}

/* D(N): split [first, first + n) at the largest power of two < n. */
const char *print_dyadic(struct ordo_arena *arena, uint32_t first, uint32_t n)
{
	uint32_t half = 1;
	while (2 * half < n)
		half *= 2;
	if (n == 1)
		return ordo_arena_format(arena, "%u", first);
	return ordo_arena_format(arena, "(%s+%s)", print_dyadic(arena, first, half),
		print_dyadic(arena, first + half, n - half));
}

/* F(N): item j goes onto item j - M, M the largest power of two < n; then n = M. */
const char *print_folded(struct ordo_arena *arena, uint32_t first, uint32_t n)
{
	const char *items[16];
	for (uint32_t i = 0; i < n; i++)
		items[i] = ordo_arena_format(arena, "%u", first + i);
	while (n > 1) {
		uint32_t most = 1;
		while (2 * most < n)
			most *= 2;
		for (uint32_t j = most; j < n; j++)
			items[j - most] = ordo_arena_format(arena, "(%s+%s)", items[j - most], items[j]);
		n = most;
	}
	return items[0];
}

const char *print_linear(struct ordo_arena *arena, uint32_t first, uint32_t n)
{
	if (n == 1)
		return ordo_arena_format(arena, "%u", first);
	return ordo_arena_format(arena, "(%s+%u)", print_linear(arena, first, n - 1), first + n - 1);
}

void check_order(const struct ordo_request *request, const char *wanted)
{
	struct ordo_schedule *schedule = compile_proved(request);
	struct ordo_proof *proof = ordo_verify(schedule, NULL, NULL);
	assert_non_null(proof);
	assert_int_equal(proof->ndistinct, 1);
	assert_int_equal(proof->rank_equal, ORDO_HOLDS);
	assert_int_equal(proof->position_invariant, ORDO_HOLDS);
	struct ordo_arena arena = {0};
	assert_string_equal(ordo_tree_print(&arena, &proof->trees, proof->chunk_tree[0], 100), wanted);
	ordo_arena_free(&arena);
	ordo_proof_destroy(proof);
	ordo_schedule_destroy(schedule);
}
