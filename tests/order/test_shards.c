/* test_shards.c - sums over virtual shards: one tree, one digest and the same bits on every number
 * of ranks.
 *
 * Trees are compared with D(V) written down a second time, forests with the subtrees found from the
 * top, and results of real runs on different numbers of ranks with each other.
 */
#include "algorithms/registry.h"
#include "compiling.h"
#include "program/shards.h"
#include <ordo/arena.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <ordo/detail/cost.h>
#include <ordo/runtime.h>

static const enum ordo_operator ops[] = {ORDO_ALLREDUCE, ORDO_REDUCE, ORDO_REDUCESCATTER};

static struct ordo_request request_of(
	enum ordo_operator op, uint32_t nrank, uint32_t nshard, const char *algorithm)
{
	return (struct ordo_request){.problem = {.op = op,
					     .nrank = nrank,
					     .nshard = nshard,
					     .root = op == ORDO_REDUCE ? nrank / 2 : 0},
		.algorithm = algorithm};
}

/* One tree for every chunk, as wanted; and the digest of the first schedule is that of all. */
static void check_digest(const struct ordo_request *request, const char *wanted, char digest[33])
{
	struct ordo_schedule *schedule = compile_proved(request);
	struct ordo_proof *proof = ordo_verify(schedule, NULL, NULL);
	struct ordo_arena arena = {0};
	assert_true(proof && proof->proved);
	assert_int_equal(proof->ndistinct, 1);
	assert_int_equal(proof->rank_equal, ORDO_HOLDS);
	assert_string_equal(
		ordo_tree_print(&arena, &proof->trees, proof->chunk_tree[0], 200), wanted);
	if (!*digest)
		memcpy(digest, proof->digest, sizeof proof->digest);
	if (strcmp(digest, proof->digest) != 0)
		fail_msg("%s by %s, %u ranks, %u shards: digest %s, wanted %s",
			ordo_operator_facts(request->problem.op)->name, request->algorithm,
			request->problem.nrank, request->problem.nshard, proof->digest, digest);
	ordo_arena_free(&arena);
	ordo_proof_destroy(proof);
	ordo_schedule_destroy(schedule);
}

/* `dyadic` has no Reduce; the mesh does what it does in one step. */
static void check_aligned(
	enum ordo_operator op, uint32_t V, uint32_t N, const char *wanted, char digest[33])
{
	const struct ordo_request mesh = request_of(op, N, V, "mesh"),
				  dyadic = request_of(op, N, V, "dyadic");
	check_digest(&mesh, wanted, digest);
	if (op != ORDO_REDUCE)
		check_digest(&dyadic, wanted, digest);
}

static void every_number_of_ranks_makes_the_one_tree(void **state)
{
	(void)state;
	static const uint32_t shards[] = {
		1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 15, 16, 17, 24, 48, 64, 96};
	for (size_t v = 0; v < sizeof shards / sizeof *shards; v++)
		for (size_t op = 0; op < 3; op++) {
			const uint32_t V = shards[v];
			struct ordo_arena arena = {0};
			const char *wanted = print_dyadic(&arena, 0, V);
			char digest[33] = "";
			for (uint32_t N = 1; N <= V; N++) {
				const struct ordo_request forest =
					request_of(ops[op], N, V, "forest(streams=one)");
				if (ordo_shards_align(V, N))
					check_aligned(ops[op], V, N, wanted, digest);
				if (V <= 24 || N % 10 == 3 || ordo_shards_align(V, N))
					check_digest(&forest, wanted, digest);
			}
			ordo_arena_free(&arena);
		}
}

/* Which numbers of ranks: theory, and what dyadic says if asked for another. */
static void the_numbers_of_ranks_that_fit_are_known(void **state)
{
	(void)state;
	static const struct {
		uint32_t nshard;
		const char *nranks;
	} rows[] = {{64, "1, 2, 4, 8, 16, 32, 64"}, {96, "1, 3, 6, 12, 24, 48, 96"},
		{48, "1, 3, 6, 12, 24, 48"}, {7, "1, 7"}, {1, "1"}};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		char found[128] = "";
		for (uint32_t N = 1; N <= rows[i].nshard; N++) {
			const struct ordo_request request =
				request_of(ORDO_ALLREDUCE, N, rows[i].nshard, "dyadic");
			struct ordo_error error = {0};
			struct ordo_schedule *schedule = ordo_compile(&request, &error);
			const size_t length = strlen(found);
			if (schedule)
				snprintf(found + length, sizeof found - length, "%s%u",
					length ? ", " : "", N);
			else if (!strstr(error.text, rows[i].nranks))
				fail_msg("found \"%s\", wanted it to name %s", error.text,
					rows[i].nranks);
			ordo_schedule_destroy(schedule);
		}
		assert_string_equal(found, rows[i].nranks);
	}
}

/* From the top: a subtree that lies in the row counts, of others the sides are looked at. */
static uint32_t count_from_top(uint32_t first, uint32_t n, uint32_t begin, uint32_t end)
{
	uint32_t half = 1;
	if (first >= end || first + n <= begin)
		return 0;
	if (first >= begin && first + n <= end)
		return 1;
	while (2 * half < n)
		half *= 2;
	return count_from_top(first, half, begin, end) +
	       count_from_top(first + half, n - half, begin, end);
}

static void forests_are_the_largest_subtrees(void **state)
{
	(void)state;
	for (uint32_t V = 1; V <= 130; V++)
		for (uint32_t N = 1; N <= V; N++) {
			const struct ordo_problem problem =
				request_of(ORDO_ALLREDUCE, N, V, "").problem;
			bool single = true;
			for (uint32_t rank = 0; rank < N; rank++) {
				const uint32_t begin = ordo_first_shard(&problem, rank),
					       end = ordo_first_shard(&problem, rank + 1);
				const uint32_t size = ordo_forest_size(&problem, rank);
				assert_int_equal(size, count_from_top(0, V, begin, end));
				single &= size == 1;
			}
			assert_true(single || !ordo_shards_align(V, N));
		}
	/* The largest that there can be: nothing overflows. */
	const struct ordo_problem most = request_of(ORDO_ALLREDUCE, 3, ORDO_LIMIT, "").problem;
	for (uint32_t rank = 0; rank < 3; rank++)
		assert_int_equal(ordo_forest_size(&most, rank),
			count_from_top(0, ORDO_LIMIT, ordo_first_shard(&most, rank),
				ordo_first_shard(&most, rank + 1)));
}

/* The published prices, maximum and average, and the volume that comes of them. */
static void what_it_costs_is_known(void **state)
{
	(void)state;
	static const struct {
		uint32_t nshard, nrank, most, tenths;
	} rows[] = {{64, 3, 5, 37}, {64, 7, 4, 31}, {64, 24, 2, 17}, {1024, 3, 9, 63},
		{1024, 7, 10, 66}, {64, 8, 1, 10}, {96, 12, 1, 10}};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		for (size_t op = 0; op < 3; op++) {
			const uint32_t N = rows[i].nrank;
			const struct ordo_request request =
				request_of(ops[op], N, rows[i].nshard, "forest");
			struct ordo_shard_price price;
			assert_true(ordo_shard_price(&request, &price, NULL));
			assert_int_equal(price.most_sums, rows[i].most);
			assert_int_equal((price.sums * 20 + N) / (2 * N), rows[i].tenths);
			assert_int_equal(price.least_shards, rows[i].nshard / N);
			assert_int_equal(price.most_shards, (rows[i].nshard + N - 1) / N);
			struct ordo_schedule *schedule = compile_proved(&request);
			assert_int_equal(measure(schedule).volume, price.volume);
			ordo_schedule_destroy(schedule);
			if (ops[op] == ORDO_REDUCESCATTER) {
				assert_int_equal(price.plain_volume, N - 1);
				assert_int_equal(price.volume, (N - 1) * rows[i].most);
			}
		}
	const struct ordo_request ring = request_of(ORDO_ALLREDUCE, 7, 64, "ring");
	struct ordo_shard_price price;
	assert_true(ordo_shard_price(&ring, &price, NULL));
	assert_int_equal(price.most_sums, 1);
	assert_int_equal(price.sums, 7);
	assert_int_equal(price.volume, price.plain_volume);
}

static uint32_t count_moves(const struct ordo_schedule *schedule)
{
	uint32_t count = 0;
	for (uint32_t t = 0; t < schedule->ntask; t++)
		count += ordo_task_moves(&schedule->tasks[t]);
	return count;
}

/* Per row of work places, a copy for every left leaf and an addition for every but the first: what
 * comes after is what it is in place. */
static bool check_folding_is_all(const struct ordo_request *with, uint32_t each, uint32_t spare)
{
	struct ordo_cost cost;
	if (!ordo_cost_of(with, &cost, NULL))
		return false; /* the algorithm does not apply */
	const uint32_t N = with->problem.nrank;
	const bool scattered = with->problem.op == ORDO_REDUCESCATTER;
	struct ordo_request without = *with;
	without.problem.nshard = N;
	without.problem.in_place = true;
	struct ordo_schedule *folded = compile_proved(with), *plain = compile_proved(&without);
	/* What lies before, in and behind a rank's own block is apart; the first and the last have
	 * two of these. */
	const uint32_t rows = scattered ? 3 * N - 2 : N, M = ordo_nchunk(&folded->problem);
	/* All but its own block is in scratch; its place is kept free if anything follows. */
	const uint32_t parked = !scattered ? 0 : plain->scratch_slots ? N : N - 1;
	assert_int_equal(count_moves(folded), count_moves(plain) + rows * (each / 2 + each - 1));
	assert_int_equal(folded->scratch_slots, plain->scratch_slots + spare * M + parked);
	ordo_schedule_destroy(folded);
	ordo_schedule_destroy(plain);
	return true;
}

static void folding_costs_no_further_copies(void **state)
{
	(void)state;
	uint32_t count, nchecked = 0;
	const struct ordo_algorithm_facts *const *all = ordo_algorithms(&count);
	for (uint32_t a = 0; a < count; a++)
		for (uint32_t each = 2, spare = 0; each <= 8; each *= 2, spare++) {
			const struct ordo_request reduced =
				request_of(ORDO_ALLREDUCE, 6, 6 * each, all[a]->name);
			struct ordo_request scattered =
				request_of(ORDO_REDUCESCATTER, 6, 6 * each, all[a]->name);
			scattered.problem.chunks_per_block = 1;
			/* It makes the tree over shards itself. */
			if (!strcmp(all[a]->name, "forest"))
				continue;
			nchecked += check_folding_is_all(&reduced, each, spare) +
				    check_folding_is_all(&scattered, each, spare);
		}
	assert_true(nchecked > count);
}

/* Two shards on top of each other, and two on their own: nothing is kept that is not needed. */
static void forests_take_the_scratch_they_say(void **state)
{
	(void)state;
	static const struct {
		uint32_t nrank, nshard, beside, spare; /* vectors */
	} rows[] = {{2, 6, 0, 0}, {2, 14, 1, 1}, {3, 64, 3, 3}, {7, 64, 2, 2}, {8, 64, 0, 2},
		{5, 5, 0, 0}};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		const uint32_t N = rows[i].nrank;
		struct ordo_request request =
			request_of(ORDO_ALLREDUCE, N, rows[i].nshard, "forest");
		uint32_t fewest = ORDO_NONE, all = 0;
		for (uint32_t rank = 0; rank < N; rank++) {
			const uint32_t size = ordo_forest_size(&request.problem, rank);
			fewest = size < fewest ? size : fewest;
			all += size;
		}
		struct ordo_schedule *schedule = compile_proved(&request);
		assert_int_equal(schedule->scratch_slots,
			(rows[i].beside + rows[i].spare) * N + all - fewest);
		ordo_schedule_destroy(schedule);
	}
}

/* By formula or counted: as much goes over the wire, and what ranks add beforehand is added to what
 * is added. */
static void folding_shards_costs_time_to_add(void **state)
{
	(void)state;
	/* By hand: no rule says that another algorithm adds on one rank after another. */
	static const char *const algorithms[] = {"ring", "mesh", "dyadic", "rhd"};
	for (size_t a = 0; a < sizeof algorithms / sizeof *algorithms; a++)
		for (uint32_t each = 2; each <= 8; each *= 2) {
			const struct ordo_request with = request_of(ORDO_REDUCESCATTER, 6, 6 * each,
							  algorithms[a]),
						  without = request_of(
							  ORDO_REDUCESCATTER, 6, 6, algorithms[a]);
			struct ordo_cost folded, plain;
			assert_true(ordo_cost_of(&with, &folded, NULL) &&
				    ordo_cost_of(&without, &plain, NULL));
			assert_int_equal(folded.steps, plain.steps);
			assert_int_equal(folded.wire * plain.parts, plain.wire * folded.parts);
			assert_int_equal(folded.reduced * plain.parts,
				(plain.reduced + (each - 1) * plain.parts) * folded.parts);
		}
}

static void check_claims_with_shards(const char *algorithm, bool must_apply)
{
	for (size_t op = 0; op < 3; op++)
		for (uint32_t N = 1; N <= 9; N++)
			for (uint32_t V = N; V <= 5 * N; V++)
				for (uint32_t K = 0; K <= 3; K++) {
					struct ordo_request request =
						request_of(ops[op], N, V, algorithm);
					request.problem.chunks_per_block = K;
					if (!claims_hold(&request) && must_apply)
						fail_msg("%s does not apply", algorithm);
				}
}

static void claims_hold_with_shards(void **state)
{
	(void)state;
	uint32_t count;
	const struct ordo_algorithm_facts *const *all = ordo_algorithms(&count);
	for (uint32_t a = 0; a < count; a++)
		check_claims_with_shards(all[a]->name,
			!strcmp(all[a]->name, "forest") || !strcmp(all[a]->name, "ring"));
	check_claims_with_shards("forest(streams=one)", true);
}

/* A tree over ranks with every rank replaced by the tree over its shards. */
static const char *graft(
	struct ordo_arena *arena, const struct ordo_problem *problem, const char *over_ranks)
{
	const char *result = "";
	while (*over_ranks) {
		const size_t between = strcspn(over_ranks, "0123456789");
		result = ordo_arena_format(arena, "%s%.*s", result, (int)between, over_ranks);
		over_ranks += between;
		if (!*over_ranks)
			break;
		char *after;
		const uint32_t rank = (uint32_t)strtoul(over_ranks, &after, 10);
		const uint32_t first = ordo_first_shard(problem, rank);
		result = ordo_arena_format(arena, "%s%s", result,
			print_dyadic(arena, first, ordo_first_shard(problem, rank + 1) - first));
		over_ranks = after;
	}
	return result;
}

static void check_grafted(enum ordo_operator op, uint32_t N, uint32_t V, const char *algorithm)
{
	const struct ordo_request with = request_of(op, N, V, algorithm),
				  without = request_of(op, N, N, algorithm);
	struct ordo_error error = {0};
	struct ordo_schedule *sharded = ordo_compile(&with, &error);
	if (!sharded) {
		assert_int_equal(error.code, ORDO_USAGE);
		return;
	}
	struct ordo_schedule *plain = compile_proved(&without);
	struct ordo_proof *proof = ordo_verify(sharded, NULL, NULL),
			  *of_ranks = ordo_verify(plain, NULL, NULL);
	struct ordo_arena arena = {0};
	assert_int_equal(ordo_nchunk(&sharded->problem), ordo_nchunk(&plain->problem));
	for (uint32_t chunk = 0; chunk < ordo_nchunk(&plain->problem); chunk++)
		assert_string_equal(
			ordo_tree_print(&arena, &proof->trees, proof->chunk_tree[chunk], 200),
			graft(&arena, &sharded->problem,
				ordo_tree_print(&arena, &of_ranks->trees,
					of_ranks->chunk_tree[chunk], 200)));
	ordo_arena_free(&arena);
	ordo_proof_destroy(proof);
	ordo_proof_destroy(of_ranks);
	ordo_schedule_destroy(sharded);
	ordo_schedule_destroy(plain);
}

static void other_algorithms_add_the_sums_of_the_ranks_in_their_order(void **state)
{
	(void)state;
	uint32_t checked = 0;
	for (uint32_t i = 0; i < ordo_registry.nalgorithm; i++) {
		const struct ordo_algorithm *algorithm = ordo_registry.algorithms[i];
		for (size_t op = 0; op < 3; op++) {
			if (algorithm->takes_shards || !(algorithm->facts.operators >> ops[op] & 1))
				continue;
			for (uint32_t N = 1; N <= 8; N++, checked++) {
				check_grafted(ops[op], N, 2 * N, algorithm->facts.name);
				check_grafted(ops[op], N, 4 * N, algorithm->facts.name);
				check_grafted(ops[op], N, 3 * N + 1, algorithm->facts.name);
			}
		}
	}
	assert_true(checked > 150);
	check_grafted(ORDO_REDUCESCATTER, 6, 15, "mesh(fold=linear)");
}

static void every_pair_is_needed(void **state)
{
	(void)state;
	static const struct {
		uint32_t nrank, nshard;
		const char *algorithm;
	} rows[] = {{2, 64, "dyadic"}, {8, 64, "dyadic"}, {6, 96, "dyadic"}, {3, 64, "forest"},
		{5, 64, "forest"}, {5, 64, "forest(streams=one)"}, {7, 10, "forest"},
		{4, 64, "ring"}};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		for (size_t op = 0; op < 3; op++) {
			const struct ordo_request request = request_of(
				ops[op], rows[i].nrank, rows[i].nshard, rows[i].algorithm);
			if (ops[op] == ORDO_REDUCE && !strcmp(rows[i].algorithm, "dyadic"))
				continue;
			struct ordo_schedule *schedule = compile_proved(&request);
			check_every_pair_is_needed(schedule, NULL);
			ordo_schedule_destroy(schedule);
		}
}

/* Real runs. Every shard is a vector of its own, whoever has it. */
enum { LENGTH = 101 };

static float value_of(uint32_t shard, uint32_t element)
{
	uint64_t hash = ((uint64_t)shard * LENGTH + element + 1) * UINT64_C(0x9e3779b97f4a7c15);
	hash = (hash ^ hash >> 29) * UINT64_C(0xbf58476d1ce4e5b9);
	return (float)((int64_t)hash >> 32) * (float)(1u << (hash & 15));
}

struct buffers {
	struct ordo_plan *plan;
	float *input[96], *output[96];
	uint64_t block_count[96];
};

static void bind(struct buffers *buffers, const struct ordo_schedule *schedule)
{
	const struct ordo_problem *problem = &schedule->problem;
	const uint32_t nblock = ordo_nblock(problem);
	struct ordo_error error = {0};
	for (uint32_t i = 0; i < nblock; i++)
		buffers->block_count[i] = ordo_slice_of(LENGTH, nblock, i).count;
	buffers->plan = ordo_plan_create(schedule,
		&(struct ordo_plan_options){.type = ORDO_F32,
			.reduction = ORDO_SUM,
			.block_count = buffers->block_count},
		&error);
	assert_non_null(buffers->plan);
	for (uint32_t rank = 0; rank < problem->nrank; rank++) {
		const uint32_t first = ordo_first_shard(problem, rank),
			       nshard = ordo_first_shard(problem, rank + 1) - first;
		const uint64_t size = ordo_plan_output_bytes(buffers->plan, rank);
		assert_int_equal(ordo_plan_input_bytes(buffers->plan, rank),
			nshard * LENGTH * sizeof(float));
		buffers->input[rank] = malloc(nshard * LENGTH * sizeof(float));
		buffers->output[rank] = malloc(size + 1);
		for (uint32_t i = 0; i < nshard * LENGTH; i++)
			buffers->input[rank][i] = value_of(first + i / LENGTH, i % LENGTH);
		memset(buffers->output[rank], 0xa5, size);
		assert_true(ordo_plan_bind(
			buffers->plan, rank, buffers->input[rank], buffers->output[rank], &error));
	}
}

/* The sum, put together from the ranks' outputs; of AllReduce each must have all of it. */
static void take_sum(
	const struct buffers *buffers, const struct ordo_problem *problem, float sum[LENGTH])
{
	uint64_t length = 0;
	for (uint32_t rank = 0; rank < problem->nrank; rank++) {
		const uint64_t size = ordo_plan_output_bytes(buffers->plan, rank);
		if (problem->op == ORDO_ALLREDUCE && rank) {
			assert_memory_equal(buffers->output[rank], sum, size);
		} else {
			memcpy(sum + length, buffers->output[rank], size);
			length += size / sizeof *sum;
		}
	}
	assert_int_equal(length, LENGTH);
}

static void run_on(const struct ordo_request *request, float sum[LENGTH])
{
	struct ordo_schedule *schedule = compile_proved(request);
	struct ordo_error error = {0};
	struct buffers buffers;
	bind(&buffers, schedule);
	if (!ordo_plan_run_threads(buffers.plan, 2, &error))
		fail_msg("%s", error.text);
	take_sum(&buffers, &schedule->problem, sum);
	ordo_plan_destroy(buffers.plan);
	for (uint32_t rank = 0; rank < request->problem.nrank; rank++) {
		free(buffers.input[rank]);
		free(buffers.output[rank]);
	}
	ordo_schedule_destroy(schedule);
}

/* D(V) added up by itself. */
static float sum_of(uint32_t first, uint32_t n, uint32_t element)
{
	uint32_t half = 1;
	if (n == 1)
		return value_of(first, element);
	while (2 * half < n)
		half *= 2;
	const float left = sum_of(first, half, element),
		    right = sum_of(first + half, n - half, element);
	return left + right;
}

static void the_bits_are_the_same_on_every_number_of_ranks(void **state)
{
	(void)state;
	static const uint32_t shards[] = {1, 6, 13, 48, 64, 96};
	float wanted[LENGTH], sum[LENGTH];
	for (size_t v = 0; v < sizeof shards / sizeof *shards; v++) {
		const uint32_t V = shards[v];
		for (uint32_t i = 0; i < LENGTH; i++)
			wanted[i] = sum_of(0, V, i);
		for (uint32_t N = 1; N <= V; N++)
			for (size_t op = 0; op < 3; op++) {
				const struct ordo_request forest = request_of(
								  ops[op], N, V, "forest"),
							  dyadic = request_of(
								  ops[op], N, V, "dyadic");
				if (V <= 13 || N % 9 == 3 || ordo_shards_align(V, N)) {
					run_on(&forest, sum);
					assert_memory_equal(sum, wanted, sizeof sum);
				}
				if (ops[op] != ORDO_REDUCE && ordo_shards_align(V, N)) {
					run_on(&dyadic, sum);
					assert_memory_equal(sum, wanted, sizeof sum);
				}
			}
	}
	/* These inputs do tell orders apart. */
	const struct ordo_request ring = request_of(ORDO_ALLREDUCE, 8, 96, "ring");
	run_on(&ring, sum);
	assert_memory_not_equal(sum, wanted, sizeof sum);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_number_of_ranks_makes_the_one_tree),
		cmocka_unit_test(the_numbers_of_ranks_that_fit_are_known),
		cmocka_unit_test(forests_are_the_largest_subtrees),
		cmocka_unit_test(what_it_costs_is_known),
		cmocka_unit_test(folding_costs_no_further_copies),
		cmocka_unit_test(forests_take_the_scratch_they_say),
		cmocka_unit_test(folding_shards_costs_time_to_add),
		cmocka_unit_test(claims_hold_with_shards),
		cmocka_unit_test(other_algorithms_add_the_sums_of_the_ranks_in_their_order),
		cmocka_unit_test(every_pair_is_needed),
		cmocka_unit_test(the_bits_are_the_same_on_every_number_of_ranks),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
