/* test_few_steps.c - the algorithms that need about log2 N steps: halving-doubling,
 * recursive-doubling, rhd, nhr, nb, tree, circulant.
 *
 * Arguments: first and last number of ranks to compile everything for (1 16); above 33 ranks two
 * roots and the natural number of chunks only.
 */
#include "compiling.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static uint32_t first_nrank = 1, last_nrank = 16;

static uint32_t floor_log2(uint32_t n)
{
	uint32_t log = 0;
	while (n >> log > 1)
		log++;
	return log;
}

static uint32_t ceil_log2(uint32_t n)
{
	return floor_log2(n) + ((n & (n - 1)) != 0);
}

static bool is_power(uint32_t n)
{
	return (n & (n - 1)) == 0;
}

enum { SUMS = 1 << ORDO_ALLREDUCE | 1 << ORDO_REDUCESCATTER, GATHERS = 1 << ORDO_ALLGATHER };

/* Every operator and every parameter value of each. */
static const struct {
	const char *algorithm;
	int operators;
	bool powers_only;
} forms[] = {
	{"halving-doubling", SUMS | GATHERS | 1 << ORDO_BROADCAST | 1 << ORDO_REDUCE, true},
	{"halving-doubling(masks=near)", SUMS | GATHERS | 1 << ORDO_BROADCAST | 1 << ORDO_REDUCE,
		true},
	{"recursive-doubling", 1 << ORDO_ALLREDUCE, false},
	{"recursive-doubling(masks=near)", 1 << ORDO_ALLREDUCE, false},
	{"rhd", SUMS | GATHERS | 1 << ORDO_BROADCAST | 1 << ORDO_REDUCE, false},
	{"rhd(masks=near)", SUMS | GATHERS | 1 << ORDO_BROADCAST | 1 << ORDO_REDUCE, false},
	{"nhr",
		SUMS | GATHERS | 1 << ORDO_BROADCAST | 1 << ORDO_REDUCE | 1 << ORDO_SCATTER |
			1 << ORDO_GATHER,
		false},
	{"nhr(slices=natural)", 1 << ORDO_ALLREDUCE | 1 << ORDO_BROADCAST | 1 << ORDO_REDUCE,
		false},
	{"nhr(slices=published)", 1 << ORDO_ALLREDUCE | 1 << ORDO_BROADCAST | 1 << ORDO_REDUCE,
		false},
	{"nhr(data=small)", 1 << ORDO_ALLREDUCE | 1 << ORDO_BROADCAST | 1 << ORDO_REDUCE, false},
	{"nb", SUMS | GATHERS | 1 << ORDO_BROADCAST | 1 << ORDO_SCATTER, false},
	{"nb(slices=natural)", 1 << ORDO_ALLREDUCE | 1 << ORDO_BROADCAST, false},
	{"nb(slices=published)", 1 << ORDO_ALLREDUCE | 1 << ORDO_BROADCAST, false},
	{"tree", 1 << ORDO_ALLREDUCE | 1 << ORDO_BROADCAST | 1 << ORDO_REDUCE, false},
	{"tree(shape=double-binary)", 1 << ORDO_ALLREDUCE | 1 << ORDO_BROADCAST | 1 << ORDO_REDUCE,
		false},
	{"tree(shape=k-nomial,radix=3)",
		1 << ORDO_ALLREDUCE | 1 << ORDO_BROADCAST | 1 << ORDO_REDUCE | 1 << ORDO_SCATTER |
			1 << ORDO_GATHER,
		false},
	{"tree(shape=k-ary)",
		1 << ORDO_ALLREDUCE | 1 << ORDO_BROADCAST | 1 << ORDO_REDUCE | 1 << ORDO_SCATTER |
			1 << ORDO_GATHER,
		false},
	{"circulant", SUMS | GATHERS | 1 << ORDO_BROADCAST | 1 << ORDO_REDUCE, false},
};
enum { NFORM = sizeof forms / sizeof *forms };

static void check_form(const char *algorithm, enum ordo_operator op, uint32_t nrank)
{
	if (nrank <= 33) {
		check_everywhere(algorithm, op, nrank);
		return;
	}
	for (int i = 0; i < (ordo_operator_facts(op)->rooted ? 4 : 2); i++) {
		const struct ordo_request request = {.problem = {.op = op,
							     .nrank = nrank,
							     .root = i / 2 * (nrank / 3),
							     .in_place = i % 2},
			.algorithm = algorithm};
		assert_true(claims_hold(&request));
	}
}

static void each_is_proved_and_keeps_its_claims(void **state)
{
	(void)state;
	for (size_t i = 0; i < NFORM; i++)
		for (uint32_t nrank = first_nrank; nrank <= last_nrank; nrank++)
			for (int op = 0; op < ORDO_NOPERATOR; op++)
				if (forms[i].operators >> op & 1 &&
					(!forms[i].powers_only || is_power(nrank)))
					check_form(
						forms[i].algorithm, (enum ordo_operator)op, nrank);
}

static struct ordo_request request_of(const char *algorithm, enum ordo_operator op, uint32_t nrank)
{
	return (struct ordo_request){.problem = {.op = op, .nrank = nrank}, .algorithm = algorithm};
}

/* The claims, against the formulas of the field. */

static void check_formula(const char *algorithm, enum ordo_operator op, uint32_t nrank,
	uint64_t steps, uint64_t volume)
{
	struct ordo_request request = request_of(algorithm, op, nrank);
	struct ordo_resolved_request resolved;
	assert_true(ordo_request_resolve(&resolved, &request, NULL));
	const uint64_t claimed_steps = resolved.algorithm->steps(&resolved),
		       claimed_volume = resolved.algorithm->volume(&resolved);
	ordo_resolved_request_destroy(&resolved);
	if (claimed_steps != steps || claimed_volume != volume)
		fail_msg("%s %s, %u ranks: claims %llu steps and %llu chunks, the formulas say "
			 "%llu and %llu",
			ordo_operator_facts(op)->name, algorithm, nrank,
			(unsigned long long)claimed_steps, (unsigned long long)claimed_volume,
			(unsigned long long)steps, (unsigned long long)volume);
}

/* The longest way of a block round the circulant graph: block j ahead goes on by the next skip if
 * it is at least that far. */
static uint32_t circulant_chain(uint32_t n)
{
	uint32_t longest = 0;
	for (uint32_t start = 0; start < n; start++) {
		uint32_t hops = 0, ahead = start;
		for (uint32_t skip = n; skip > 1;) {
			skip = (skip + 1) / 2;
			hops += ahead >= skip;
			ahead -= ahead >= skip ? skip : 0;
		}
		longest = hops > longest ? hops : longest;
	}
	return longest;
}

static void claims_follow_the_formulas(void **state)
{
	(void)state;
	static const char *const circular[] = {"nhr", "nb", "circulant"};
	for (uint32_t n = 2; n <= 40; n++) {
		const uint32_t low = floor_log2(n), q = ceil_log2(n), p = 1u << low;
		for (size_t i = 0; i < 3; i++) {
			const uint64_t steps = i < 2 ? low : circulant_chain(n);
			check_formula(circular[i], ORDO_REDUCESCATTER, n, steps, n - 1);
			check_formula(circular[i], ORDO_ALLGATHER, n, steps, n - 1);
			check_formula(circular[i], ORDO_ALLREDUCE, n, 2 * steps, 2 * (n - 1));
		}
		check_formula("nhr", ORDO_SCATTER, n, low, n - 1);
		check_formula("nb", ORDO_SCATTER, n, low, n - 1);
		check_formula("nhr(data=small)", ORDO_ALLREDUCE, n, (uint64_t)2 * low, q);
		check_formula("tree", ORDO_BROADCAST, n, low, q);
		check_formula("tree", ORDO_REDUCE, n, low, 1);
		check_formula("tree(shape=k-nomial,radix=2)", ORDO_BROADCAST, n, low, q);
		check_formula("tree(shape=k-ary,radix=2)", ORDO_BROADCAST, n, floor_log2(n),
			n > 2 ? 2 : 1);
		if (is_power(n)) {
			check_formula("halving-doubling", ORDO_REDUCESCATTER, n, q, n - 1);
			check_formula("halving-doubling", ORDO_ALLREDUCE, n, (uint64_t)2 * q,
				2 * (n - 1));
			check_formula("halving-doubling", ORDO_REDUCE, n, (uint64_t)2 * q,
				2 * (n - 1) - (n - 2) / 2);
			check_formula("rhd", ORDO_ALLREDUCE, n, (uint64_t)2 * q, 2 * (n - 1));
			check_formula("recursive-doubling", ORDO_ALLREDUCE, n, q, q);
		} else {
			check_formula("recursive-doubling", ORDO_ALLREDUCE, n,
				(uint64_t)low + 1 + (n - p > p / 2), (uint64_t)low + 1);
			check_formula(
				"rhd", ORDO_ALLREDUCE, n, (uint64_t)2 * low + 2, p + 2 * (p - 1));
			check_formula("rhd", ORDO_REDUCESCATTER, n,
				(uint64_t)low + 1 + (n - p > p / 2), n);
		}
	}
}

/* What a rank does in a phase. */

struct work {
	uint32_t moves, chunks;
};

static struct work work_of(const struct ordo_schedule *schedule, uint32_t rank, const char *phase)
{
	struct work work = {0, 0};
	for (uint32_t s = 0; s < schedule->nstream; s++)
		for (uint32_t t = schedule->streams[s].first; t < schedule->streams[s].end; t++) {
			const struct ordo_task *task = &schedule->tasks[t];
			if (schedule->streams[s].rank != rank ||
				!(task->kind == ORDO_SEND || task->kind == ORDO_SEND_REDUCE) ||
				strcmp(schedule->phases[task->phase], phase) != 0)
				continue;
			work.moves++;
			work.chunks += task->count;
		}
	return work;
}

static struct work work_in_step(
	const struct ordo_schedule *schedule, uint32_t rank, const char *part, uint32_t step)
{
	char phase[32];
	snprintf(phase, sizeof phase, "%s %u", part, step);
	return work_of(schedule, rank, phase);
}

static void nhr_sends_as_many_slices_a_step_as_its_formula_says(void **state)
{
	(void)state;
	static const char *const names[] = {"nhr", "nb"};
	for (int i = 0; i < 2; i++)
		for (uint32_t n = 1; n <= 33; n++) {
			const struct ordo_request request = request_of(names[i], ORDO_ALLREDUCE, n);
			struct ordo_schedule *schedule = compile_proved(&request);
			const uint32_t q = ceil_log2(n);
			assert_int_equal(schedule->nphase, n == 1 ? 1 : 2 * q);
			for (uint32_t k = 0; k < q; k++)
				for (uint32_t rank = 0; rank < n; rank++) {
					const uint32_t slices = (n - 1 + (1u << k)) / (2u << k);
					assert_int_equal(
						work_in_step(schedule, rank, "reduce-scatter", k)
							.chunks,
						slices);
					assert_int_equal(work_in_step(schedule, rank, "all-gather",
								 q - 1 - k)
								 .chunks,
						slices);
				}
			ordo_schedule_destroy(schedule);
		}
}

/* Runs of chunks that leave the ranks in a ReduceScatter, all steps together; *most: in one step of
 * one rank. */
static uint32_t count_runs(const char *algorithm, uint32_t n, uint32_t *most)
{
	const struct ordo_request request = request_of(algorithm, ORDO_ALLREDUCE, n);
	struct ordo_schedule *schedule = compile_proved(&request);
	uint32_t runs = 0;
	*most = 0;
	for (uint32_t k = 0; k < ceil_log2(n); k++)
		for (uint32_t rank = 0; rank < n; rank++) {
			const uint32_t moves =
				work_in_step(schedule, rank, "reduce-scatter", k).moves;
			runs += moves;
			*most = moves > *most ? moves : *most;
		}
	ordo_schedule_destroy(schedule);
	return runs;
}

static void renumbered_slices_of_a_step_lie_together(void **state)
{
	(void)state;
	uint32_t most, published_most;
	for (uint32_t n = 2; n <= 33; n++) {
		const uint32_t published = count_runs("nhr(slices=published)", n, &published_most);
		const uint32_t natural = count_runs("nhr(slices=natural)", n, &most);
		const uint32_t fewest = count_runs("nhr", n, &most);
		assert_true(fewest <= published && published <= natural);
		assert_true(most <= published_most);
		if (is_power(n) || n == 6 || n == 12)
			assert_int_equal(fewest, n * ceil_log2(n));
		assert_int_equal(count_runs("nb", n, &most), fewest);
	}
	count_runs("nhr(slices=published)", 15, &published_most);
	count_runs("nhr", 15, &most);
	assert_int_equal(published_most, 4);
	assert_true(most < published_most);
}

static void the_published_renumbering_is_as_published(void **state)
{
	(void)state;
	const struct ordo_request request = request_of("nhr(slices=published)", ORDO_ALLREDUCE, 4);
	struct ordo_schedule *schedule = compile_proved(&request);
	static const uint32_t peer[] = {3, 0, 1, 2}, first[] = {2, 0, 2, 0};
	for (uint32_t s = 0; s < schedule->nstream; s++)
		for (uint32_t t = schedule->streams[s].first; t < schedule->streams[s].end; t++) {
			const struct ordo_task *task = &schedule->tasks[t];
			const uint32_t rank = schedule->streams[s].rank;
			if (task->kind != ORDO_SEND_REDUCE ||
				strcmp(schedule->phases[task->phase], "reduce-scatter 0") != 0)
				continue;
			assert_int_equal(task->peer, peer[rank]);
			assert_int_equal(task->chunk, first[rank]);
			assert_int_equal(task->count, 2);
		}
	ordo_schedule_destroy(schedule);
}

/* Beside the published protocol, in which a rank and the peer it sends to in a step exchange an
 * acknowledgement and a data signal. Powers of two: never more, AllReduce three quarters. Else some
 * slices are sent on a step later than the others that came with them. */
static void check_pairs(const char *algorithm, enum ordo_operator op, uint32_t n)
{
	const struct ordo_request request = request_of(algorithm, op, n);
	struct ordo_schedule *schedule = compile_proved(&request);
	uint32_t pairs = 0;
	for (uint32_t t = 0; t < schedule->ntask; t++)
		pairs += schedule->tasks[t].kind == ORDO_NOTIFY;
	ordo_schedule_destroy(schedule);
	const uint32_t sends = n * ceil_log2(n);
	const uint32_t published = (op == ORDO_ALLREDUCE ? 4 : 2) * sends;
	const uint32_t most = is_power(n) ? (op == ORDO_ALLREDUCE ? 3 : 2) * sends : published + n;
	if (pairs > most)
		fail_msg("%s %s, %u ranks: %u pairs, published %u, wanted at most %u",
			ordo_operator_facts(op)->name, algorithm, n, pairs, published, most);
}

static void a_step_takes_hardly_more_pairs_than_published(void **state)
{
	(void)state;
	/* By hand: the numbers of pairs are published for these. */
	static const char *const names[] = {
		"nhr", "nb", "circulant", "halving-doubling", "halving-doubling(masks=near)"};
	for (int i = 0; i < 5; i++)
		for (uint32_t n = 3; n <= 33; n++) {
			if (i >= 3 && !is_power(n))
				continue;
			check_pairs(names[i], ORDO_REDUCESCATTER, n);
			check_pairs(names[i], ORDO_ALLGATHER, n);
			check_pairs(names[i], ORDO_ALLREDUCE, n);
		}
}

/* The orders. */

static uint32_t count_trees(const char *algorithm, uint32_t n, bool in_place)
{
	struct ordo_request request = request_of(algorithm, ORDO_REDUCESCATTER, n);
	request.problem.in_place = in_place;
	struct ordo_schedule *schedule = compile_proved(&request);
	struct ordo_proof *proof = ordo_verify(schedule, NULL, NULL);
	assert_non_null(proof);
	const uint32_t ntree = proof->ndistinct;
	ordo_proof_destroy(proof);
	ordo_schedule_destroy(schedule);
	return ntree;
}

static void reduce_scatter_has_as_many_trees_as_the_theory_says(void **state)
{
	(void)state;
	for (uint32_t n = 3; n <= 64; n++) {
		uint32_t odd = n;
		while (odd % 2 == 0)
			odd /= 2;
		const uint32_t circular = is_power(n) ? n / 2 : n;
		const bool in_place = n % 3 == 0;
		assert_int_equal(count_trees("nhr", n, in_place), circular);
		assert_int_equal(count_trees("nb", n, in_place), circular);
		assert_int_equal(count_trees("circulant", n, in_place), odd);
		assert_int_equal(count_trees("rhd", n, in_place), 1);
		assert_int_equal(count_trees("rhd(masks=near)", n, in_place), 1);
		if (is_power(n)) {
			assert_int_equal(count_trees("halving-doubling", n, in_place), 1);
			assert_int_equal(
				count_trees("halving-doubling(masks=near)", n, in_place), 1);
		}
	}
}

static void small_data_is_added_in_the_dyadic_order(void **state)
{
	(void)state;
	static const char *const dyadic[] = {"nhr(data=small)", "tree",
		"recursive-doubling(masks=near)", "halving-doubling(masks=near)"};
	for (uint32_t n = 1; n <= 33; n++)
		for (int i = 0; i < (is_power(n) ? 4 : 2); i++) {
			struct ordo_arena arena = {0};
			const struct ordo_request request =
				request_of(dyadic[i], ORDO_ALLREDUCE, n);
			check_order(&request, print_dyadic(&arena, 0, n));
			ordo_arena_free(&arena);
		}
}

static void far_first_adds_in_the_folded_order(void **state)
{
	(void)state;
	static const char *const folded[] = {"recursive-doubling", "halving-doubling", "rhd"};
	for (uint32_t n = 1; n <= 16; n *= 2)
		for (int i = 0; i < 3; i++) {
			struct ordo_arena arena = {0};
			const struct ordo_request request =
				request_of(folded[i], ORDO_ALLREDUCE, n);
			check_order(&request, print_folded(&arena, 0, n));
			ordo_arena_free(&arena);
		}
}

static void rhd_adds_pairs_first_whatever_the_root(void **state)
{
	(void)state;
	struct ordo_request request = request_of("rhd", ORDO_ALLREDUCE, 6);
	check_order(&request, "(((0+1)+4)+((2+3)+5))");
	request.problem.op = ORDO_REDUCE;
	for (request.problem.root = 0; request.problem.root < 6; request.problem.root++)
		check_order(&request, "(((0+1)+4)+((2+3)+5))");
}

static void two_binary_trees_have_two_orders(void **state)
{
	(void)state;
	struct ordo_request request = request_of("tree(shape=double-binary)", ORDO_ALLREDUCE, 8);
	struct ordo_schedule *schedule = compile_proved(&request);
	struct ordo_proof *proof = ordo_verify(schedule, NULL, NULL);
	assert_non_null(proof);
	assert_int_equal(proof->ndistinct, 2);
	ordo_proof_destroy(proof);
	ordo_schedule_destroy(schedule);
}

/* Does somebody add to the copied chunk, on that rank, in the phase of the copy? */
static bool adds_in_phase(
	const struct ordo_schedule *schedule, uint32_t rank, const struct ordo_task *copy)
{
	for (uint32_t i = 0; i < schedule->ntask; i++) {
		const struct ordo_task *task = &schedule->tasks[i];
		if (task->kind == ORDO_SEND_REDUCE && task->peer == rank &&
			task->chunk == copy->chunk && task->phase == copy->phase)
			return true;
	}
	return false;
}

/* Nobody copies its part before the phase in which the first is added to it. */
static void a_part_is_copied_in_the_phase_that_adds_to_it(void **state)
{
	(void)state;
	for (uint32_t n = 3; n <= 9; n++) {
		struct ordo_request request =
			request_of("tree(shape=double-binary)", ORDO_REDUCE, n);
		struct ordo_schedule *schedule = compile_proved(&request);
		uint32_t ncopy = 0;
		for (uint32_t s = 0; s < schedule->nstream; s++)
			for (uint32_t i = schedule->streams[s].first; i < schedule->streams[s].end;
				i++) {
				const struct ordo_task *copy = &schedule->tasks[i];
				if (copy->kind != ORDO_LOCAL_COPY)
					continue;
				ncopy++;
				if (!adds_in_phase(schedule, schedule->streams[s].rank, copy))
					fail_msg("%u ranks: rank %u copies chunk %u in phase %u", n,
						schedule->streams[s].rank, copy->chunk,
						copy->phase);
			}
		assert_true(ncopy > 0);
		ordo_schedule_destroy(schedule);
	}
}

/* An inner node of one tree is a leaf of the other: nobody sends a chunk down more than once, on
 * average. */
static void no_rank_sends_more_than_the_vector_down_two_binary_trees(void **state)
{
	(void)state;
	for (uint32_t n = 2; n <= 40; n++) {
		struct ordo_request request =
			request_of("tree(shape=double-binary)", ORDO_BROADCAST, n);
		request.problem.chunks_per_block = 4;
		struct ordo_resolved_request resolved;
		assert_true(ordo_request_resolve(&resolved, &request, NULL));
		assert_int_equal(resolved.algorithm->volume(&resolved), 4);
		assert_true(resolved.algorithm->steps(&resolved) <= ceil_log2(n) + 1);
		ordo_resolved_request_destroy(&resolved);
	}
}

/* Returns on how many numbers of ranks the algorithm applies. */
static uint32_t check_broadcast(const char *algorithm)
{
	uint32_t napplies = 0;
	for (uint32_t n = 2; n <= 17; n++) {
		struct ordo_request request = request_of(algorithm, ORDO_BROADCAST, n);
		request.problem.root = n / 3;
		struct ordo_schedule *schedule = ordo_compile(&request, NULL);
		if (!schedule)
			continue;
		uint32_t arrived[17] = {0};
		for (uint32_t t = 0; t < schedule->ntask; t++)
			if (schedule->tasks[t].kind == ORDO_SEND)
				arrived[schedule->tasks[t].peer] += schedule->tasks[t].count;
		for (uint32_t rank = 0; rank < n; rank++)
			if (arrived[rank] != (rank == request.problem.root
							     ? 0
							     : schedule->problem.chunks_per_block))
				fail_msg("%s, %u ranks: rank %u is sent %u chunks", algorithm, n,
					rank, arrived[rank]);
		ordo_schedule_destroy(schedule);
		napplies++;
	}
	return napplies;
}

/* Nobody is sent what is there already. */
static void a_broadcast_brings_everybody_everything_once(void **state)
{
	(void)state;
	uint32_t count, nchecked = 0;
	const struct ordo_algorithm_facts *const *all = ordo_algorithms(&count);
	for (uint32_t a = 0; a < count; a++)
		nchecked += check_broadcast(all[a]->name);
	assert_true(nchecked > 5 * 16);
	assert_int_equal(check_broadcast("tree(shape=double-binary)"), 16);
	assert_int_equal(check_broadcast("nhr(data=small)"), 16);
}

/* Partners that differ in one bit are neighbours there; those of nhr are not. */
static void a_hypercube_carries_what_differs_in_one_bit(void **state)
{
	(void)state;
	static const char *const carried[] = {"halving-doubling", "halving-doubling(masks=near)",
		"recursive-doubling", "recursive-doubling(masks=near)", "rhd", "tree",
		"nhr(data=small)"};
	struct ordo_topology *topology = ordo_topology_make("hypercube", 16, NULL);
	assert_non_null(topology);
	for (size_t i = 0; i < sizeof carried / sizeof *carried; i++) {
		struct ordo_request request = request_of(carried[i], ORDO_ALLREDUCE, 16);
		request.topology = topology;
		ordo_schedule_destroy(compile_proved(&request));
	}
	struct ordo_request request = request_of("nhr", ORDO_ALLREDUCE, 16);
	request.topology = topology;
	struct ordo_error error = {0};
	assert_null(ordo_compile(&request, &error));
	assert_int_equal(error.code, ORDO_USAGE);
	assert_non_null(strstr(error.text, "needs link 0-15"));
	ordo_topology_destroy(topology);
}

/* In no phase does a rank send two chunks, or receive two. */
static void check_rounds(const struct ordo_schedule *schedule)
{
	uint32_t *sends = calloc((size_t)schedule->nphase * schedule->problem.nrank, sizeof *sends),
		 *receives = calloc(
			 (size_t)schedule->nphase * schedule->problem.nrank, sizeof *receives);
	assert_true(sends && receives);
	for (uint32_t i = 0; i < schedule->nstream; i++)
		for (uint32_t t = schedule->streams[i].first; t < schedule->streams[i].end; t++) {
			const struct ordo_task *task = &schedule->tasks[t];
			if (task->kind != ORDO_SEND && task->kind != ORDO_SEND_REDUCE)
				continue;
			const size_t phase = (size_t)task->phase * schedule->problem.nrank;
			assert_int_equal(task->count, 1);
			assert_int_equal(sends[phase + schedule->streams[i].rank]++, 0);
			assert_int_equal(receives[phase + task->peer]++, 0);
		}
	free(sends);
	free(receives);
}

static void circulant_takes_the_fewest_rounds_and_few_orders(void **state)
{
	(void)state;
	for (uint32_t n = 2; n <= 70; n += n < 20 ? 1 : 7)
		for (uint32_t K = 1; K <= 40; K += K < 12 ? 1 : 9)
			for (int adds = 0; adds < 2; adds++) {
				struct ordo_request request = request_of(
					"circulant", adds ? ORDO_REDUCE : ORDO_BROADCAST, n);
				request.problem.chunks_per_block = K;
				request.problem.root = n / 3;
				struct ordo_schedule *schedule = compile_proved(&request);
				const uint32_t rounds = K - 1 + ceil_log2(n);
				/* the copies of a rank's own data are a phase of Broadcast's */
				assert_int_equal(schedule->nphase, rounds + !adds);
				check_rounds(schedule);
				struct ordo_proof *proof = ordo_verify(schedule, NULL, NULL);
				assert_true(proof && proof->ndistinct <= ceil_log2(n) + 1);
				ordo_proof_destroy(proof);
				ordo_schedule_destroy(schedule);
			}
}

static void refused(const char *algorithm, enum ordo_operator op, uint32_t nrank, const char *text)
{
	const struct ordo_request request = request_of(algorithm, op, nrank);
	struct ordo_error error = {0};
	assert_null(ordo_compile(&request, &error));
	assert_int_equal(error.code, ORDO_USAGE);
	assert_string_equal(error.text, text);
}

static void what_does_not_apply_is_refused(void **state)
{
	(void)state;
	refused("halving-doubling", ORDO_ALLREDUCE, 6,
		"algorithm: halving-doubling needs a power of two ranks, found 6");
	refused("tree(radix=3)", ORDO_BROADCAST, 4,
		"tree: radix is for shape=k-nomial and shape=k-ary");
	refused("nhr(data=small)", ORDO_SCATTER, 4,
		"algorithm: nhr has a form for small data for AllReduce, Reduce and Broadcast, not "
		"for Scatter");
	refused("nhr(data=small,slices=natural)", ORDO_ALLREDUCE, 4,
		"algorithm: nhr cuts small data into no slices");
	refused("nb(slices=published)", ORDO_ALLGATHER, 4,
		"algorithm: slices says how one block is cut, and AllGather has a block for every "
		"rank");
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_is_proved_and_keeps_its_claims),
		cmocka_unit_test(claims_follow_the_formulas),
		cmocka_unit_test(nhr_sends_as_many_slices_a_step_as_its_formula_says),
		cmocka_unit_test(renumbered_slices_of_a_step_lie_together),
		cmocka_unit_test(the_published_renumbering_is_as_published),
		cmocka_unit_test(a_step_takes_hardly_more_pairs_than_published),
		cmocka_unit_test(reduce_scatter_has_as_many_trees_as_the_theory_says),
		cmocka_unit_test(small_data_is_added_in_the_dyadic_order),
		cmocka_unit_test(far_first_adds_in_the_folded_order),
		cmocka_unit_test(rhd_adds_pairs_first_whatever_the_root),
		cmocka_unit_test(two_binary_trees_have_two_orders),
		cmocka_unit_test(a_part_is_copied_in_the_phase_that_adds_to_it),
		cmocka_unit_test(no_rank_sends_more_than_the_vector_down_two_binary_trees),
		cmocka_unit_test(a_broadcast_brings_everybody_everything_once),
		cmocka_unit_test(a_hypercube_carries_what_differs_in_one_bit),
		cmocka_unit_test(circulant_takes_the_fewest_rounds_and_few_orders),
		cmocka_unit_test(what_does_not_apply_is_refused),
	};
	if (argc > 2) {
		first_nrank = (uint32_t)strtoul(argv[1], NULL, 10);
		last_nrank = (uint32_t)strtoul(argv[2], NULL, 10);
	}
	return cmocka_run_group_tests(tests, NULL, NULL);
}
