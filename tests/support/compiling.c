/* compiling.c - compiles, counts what moves in the schedule that comes of it, and prints orders. */
#include "compiling.h"
#include "few.h"
#include "mutate.h"
#include "specimens.h"

#include <ordo/arena.h>
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
			request->problem.nrank, request->problem.root,
			request->problem.chunks_per_block,
			request->problem.in_place ? ", in place" : "", error.text);
	return schedule;
}

/* One run of a schedule that counts, for what lies in each place, how many cross-rank moves brought
 * it there one after another. */
struct course {
	const struct ordo_schedule *schedule;
	struct ordo_cells cells;
	uint32_t *depth;  /* [cell] */
	uint64_t *sent;	  /* [nrank] chunks */
	uint32_t *next;	  /* [nstream] task */
	uint32_t *tokens; /* [to][from][signal] */
	uint32_t nsignal, longest;
};

static uint32_t *tokens_at(const struct course *course, uint32_t from, uint32_t to, uint32_t signal)
{
	return &course->tokens[((size_t)to * course->schedule->problem.nrank + from) *
				       course->nsignal +
			       signal];
}

static void run_move(struct course *course, uint32_t rank, const struct ordo_task *task)
{
	const bool crosses = ordo_task_crosses(task);
	const uint32_t there = crosses ? task->peer : rank;
	for (uint32_t i = 0; i < task->count; i++) {
		uint32_t *to = &course->depth[ordo_cell(
			&course->cells, there, task->dst_buffer, task->dst + i)];
		const uint32_t brought = course->depth[ordo_cell(&course->cells, rank,
						 task->src_buffer, task->src + i)] +
					 crosses;
		*to = ordo_task_reduces(task) && *to > brought ? *to : brought;
		course->longest = *to > course->longest ? *to : course->longest;
	}
	course->sent[rank] += crosses ? task->count : 0;
}

/* false: it must wait. */
static bool run_task(struct course *course, uint32_t rank, const struct ordo_task *task)
{
	if (ordo_task_moves(task)) {
		run_move(course, rank, task);
	} else if (task->kind == ORDO_NOTIFY) {
		++*tokens_at(course, rank, task->peer, task->signal);
	} else {
		uint32_t *tokens = tokens_at(course, task->peer, rank, task->signal);
		if (!*tokens)
			return false;
		--*tokens;
	}
	return true;
}

/* Stream after stream as far as each goes, until nothing is left. */
static void run_all(struct course *course)
{
	const struct ordo_schedule *schedule = course->schedule;
	uint32_t left = schedule->ntask;
	for (bool moved = true; moved && left;) {
		moved = false;
		for (uint32_t s = 0; s < schedule->nstream; s++) {
			const struct ordo_stream *stream = &schedule->streams[s];
			for (; stream->first + course->next[s] < stream->end;
				course->next[s]++, left--) {
				if (!run_task(course, stream->rank,
					    &schedule->tasks[stream->first + course->next[s]]))
					break;
				moved = true;
			}
		}
	}
	assert_int_equal(left, 0);
}

struct measured measure(const struct ordo_schedule *schedule)
{
	const uint32_t N = schedule->problem.nrank;
	struct course course = {.schedule = schedule};
	assert_true(
		ordo_cells_make(&course.cells, &schedule->problem, schedule->scratch_slots, NULL));
	for (uint32_t t = 0; t < schedule->ntask; t++)
		if (!ordo_task_moves(&schedule->tasks[t]) &&
			schedule->tasks[t].signal >= course.nsignal)
			course.nsignal = schedule->tasks[t].signal + 1;
	course.depth = calloc((size_t)course.cells.count + 1, sizeof *course.depth);
	course.sent = calloc(N, sizeof *course.sent);
	course.next = calloc(schedule->nstream + (size_t)1, sizeof *course.next);
	course.tokens = calloc((size_t)N * N * course.nsignal + 1, sizeof *course.tokens);
	run_all(&course);
	struct measured measured = {course.longest, 0};
	for (uint32_t rank = 0; rank < N; rank++)
		measured.volume =
			course.sent[rank] > measured.volume ? course.sent[rank] : measured.volume;
	free(course.depth);
	free(course.sent);
	free(course.next);
	free(course.tokens);
	ordo_cells_free(&course.cells);
	return measured;
}

struct measured claims_of(const struct ordo_request *request)
{
	struct ordo_resolved_request resolved;
	assert_true(ordo_request_resolve(&resolved, request, NULL));
	const struct measured claims = {
		resolved.algorithm->steps(&resolved), resolved.algorithm->volume(&resolved)};
	ordo_resolved_request_destroy(&resolved);
	return claims;
}

bool claims_hold(const struct ordo_request *request)
{
	struct ordo_resolved_request resolved;
	struct ordo_error error = {0};
	const bool applies = ordo_request_resolve(&resolved, request, &error);
	if (applies) {
		struct ordo_schedule *schedule = compile_proved(request);
		const struct measured claimed = claims_of(request), measured = measure(schedule);
		if (measured.steps != claimed.steps || measured.volume != claimed.volume)
			fail_msg("%s %s, %u ranks, root %u, K %u: claims %llu steps and %llu "
				 "chunks, makes %llu and %llu",
				ordo_operator_facts(resolved.problem.op)->name, resolved.notation,
				resolved.problem.nrank, resolved.problem.root,
				resolved.problem.chunks_per_block,
				(unsigned long long)claimed.steps,
				(unsigned long long)claimed.volume,
				(unsigned long long)measured.steps,
				(unsigned long long)measured.volume);
		ordo_schedule_destroy(schedule);
	} else {
		assert_true(error.code == ORDO_USAGE || lacks_solver(&error));
	}
	ordo_resolved_request_destroy(&resolved);
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

void check_every_pair_is_needed(
	const struct ordo_schedule *schedule, const struct ordo_topology *topology)
{
	const struct ordo_verify_options options = {.topology = topology, .max_findings = 1};
	for (uint32_t task = 0; task < schedule->ntask; task += FEW ? 7 : 1) {
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

void check_everywhere(const char *algorithm, enum ordo_operator op, uint32_t nrank)
{
	const uint32_t chunks[] = {0, 1, 3, nrank + 1};
	const struct ordo_operator_facts *facts = ordo_operator_facts(op);
	for (uint32_t root = 0; root < (facts->rooted ? nrank : 1); root++)
		for (size_t k = FEW * (nrank % 2); k < sizeof chunks / sizeof *chunks; k += 1 + FEW)
			for (int in_place = 0; in_place <= facts->has_in_place; in_place++) {
				const struct ordo_request request = {
					.problem = {.op = op,
						.nrank = nrank,
						.root = root,
						.chunks_per_block = chunks[k],
						.in_place = in_place},
					.algorithm = algorithm};
				assert_true(claims_hold(&request));
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
			items[j - most] =
				ordo_arena_format(arena, "(%s+%s)", items[j - most], items[j]);
		n = most;
	}
	return items[0];
}

const char *print_linear(struct ordo_arena *arena, uint32_t first, uint32_t n)
{
	if (n == 1)
		return ordo_arena_format(arena, "%u", first);
	return ordo_arena_format(
		arena, "(%s+%u)", print_linear(arena, first, n - 1), first + n - 1);
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
	assert_string_equal(
		ordo_tree_print(&arena, &proof->trees, proof->chunk_tree[0], 100), wanted);
	ordo_arena_free(&arena);
	ordo_proof_destroy(proof);
	ordo_schedule_destroy(schedule);
}
