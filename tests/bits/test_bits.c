/* test_bits.c - every transport and every interleaving of a sound schedule gives the same bits. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
/* cmocka wants those before it. */
#include "exchanges.h"
#include "few.h"
#include "random_schedule.h"
#include "rig.h"
#include <cmocka.h>
#include <ordo/compiler.h>
#include <stdlib.h>
#include <string.h>

#define NSEED 100

/* Floats of both signs and very different sizes, so that the order of a sum shows in its bits. */
static void fill_with_floats(const struct rig *rig, uint32_t rank)
{
	float *input = (float *)(void *)rig->inputs[rank];
	const uint64_t n = ordo_plan_input_bytes(rig->plan, rank) / sizeof *input;
	memset(rig->outputs[rank], 0xa5, ordo_plan_output_bytes(rig->plan, rank));
	for (uint64_t i = 0; i < n; i++) {
		uint64_t hash = (i * 131 + rank + 1) * UINT64_C(0x9e3779b97f4a7c15);
		hash = (hash ^ hash >> 29) * UINT64_C(0xbf58476d1ce4e5b9);
		input[i] = (float)((int64_t)hash >> 32) * (float)(1u << (hash & 15));
	}
}

/* All outputs one after another. The caller frees them. */
static unsigned char *run_once(
	const struct rig *rig, enum drive drive, uint64_t seed, uint64_t *nbyte)
{
	const uint32_t nrank = rig->schedule->problem.nrank;
	struct ordo_error error = {0};
	*nbyte = 0;
	for (uint32_t r = 0; r < nrank; r++) {
		fill_with_floats(rig, r);
		*nbyte += ordo_plan_output_bytes(rig->plan, r);
	}
	if (!run_plan(rig->plan, drive, seed, &error))
		fail_msg("%s", error.text);
	unsigned char *bits = malloc(*nbyte + 1), *at = bits;
	assert_non_null(bits);
	for (uint32_t r = 0; r < nrank; r++) {
		const uint64_t n = ordo_plan_output_bytes(rig->plan, r);
		memcpy(at, rig->outputs[r], n);
		at += n;
	}
	return bits;
}

static void expect_bits(
	const struct rig *rig, enum drive drive, uint64_t seed, const unsigned char *wanted)
{
	uint64_t nbyte;
	unsigned char *bits = run_once(rig, drive, seed, &nbyte);
	if (memcmp(bits, wanted, nbyte) != 0)
		fail_msg("%s of %u ranks by %s: drive %d with seed %llu gives other bits",
			ordo_operator_facts(rig->schedule->problem.op)->name,
			rig->schedule->problem.nrank, rig->schedule->algorithm, (int)drive,
			(unsigned long long)seed);
	free(bits);
}

/* One plan for all runs; another, in rounds of few elements, at the end. */
static void expect_same_bits(const struct ordo_schedule *schedule, uint64_t count, uint64_t nseed)
{
	struct ordo_plan_options options = {
		.type = ORDO_F32, .reduction = ORDO_SUM, .count = count};
	struct rig rig = rig_create(schedule, options);
	uint64_t nbyte;
	unsigned char *wanted = run_once(&rig, BY_SEED, UINT64_MAX, &nbyte);
	for (uint64_t seed = 0; seed < nseed; seed++)
		expect_bits(&rig, BY_SEED, seed, wanted);
	/* Every number of threads if there is time for all seeds, otherwise one of them. */
	const int only = nseed < NSEED ? BY_RANK_THREADS + (int)(count % (NDRIVE - BY_RANK_THREADS))
				       : NDRIVE;
	for (int drive = BY_RANK_THREADS; drive < NDRIVE; drive++)
		for (int run = 0; run < 3 && (only == NDRIVE || drive == only); run++)
			expect_bits(&rig, (enum drive)drive, 0, wanted);
	rig_destroy(&rig);
	options.tile_bytes = 64;
	rig = rig_create(schedule, options);
	expect_bits(&rig, BY_SEED, 1, wanted);
	expect_bits(&rig, BY_2_WORKERS, 0, wanted);
	rig_destroy(&rig);
	free(wanted);
}

static void random_schedules_give_the_same_bits_in_every_interleaving(void **state)
{
	(void)state;
	const struct random_shape shape = {
		.max_ranks = 6, .max_chunks = 3, .max_streams = 3, .shards = true};
	static struct random_program program;
	for (uint64_t seed = 0; seed < (FEW ? 20 : 60); seed++) {
		random_program(&program, &shape, seed);
		struct ordo_schedule *schedule = random_schedule(&program, &shape, seed);
		/* Any chunk may lie in any slot of a random schedule, so all are to be equally
		 * long. */
		expect_same_bits(
			schedule, program.problem.chunks_per_block * (1 + seed % 40), NSEED);
		ordo_schedule_destroy(schedule);
	}
}

static void random_schedules_do_what_their_operator_means(void **state)
{
	(void)state;
	const struct random_shape shape = {
		.max_ranks = 6, .max_chunks = 3, .max_streams = 3, .shards = false};
	static struct random_program program;
	for (uint64_t seed = 1000; seed < (FEW ? 1040 : 1100); seed++) {
		random_program(&program, &shape, seed);
		struct ordo_schedule *schedule = random_schedule(&program, &shape, seed);
		const enum ordo_type type = (enum ordo_type)(seed % ORDO_NTYPE);
		enum ordo_reduction reduction =
			(enum ordo_reduction)(seed / ORDO_NTYPE % ORDO_NREDUCTION);
		if (!ordo_has_reduction(type, reduction, NULL))
			reduction =
				ordo_type_facts(type)->kind == ORDO_PAIR ? ORDO_MAXLOC : ORDO_SUM;
		/* 7^6 is beyond the numbers that f16 and bf16 count. */
		if ((type == ORDO_F16 || type == ORDO_BF16) && reduction == ORDO_PROD)
			reduction = ORDO_SUM;
		struct rig rig = rig_create(
			schedule, (struct ordo_plan_options){.type = type,
					  .reduction = reduction,
					  .count = program.problem.chunks_per_block * (seed % 30)});
		for (uint32_t call = 0; call < 2; call++)
			for (int drive = 0; drive < NDRIVE; drive++)
				rig_run(&rig, (enum drive)drive, call, call);
		rig_destroy(&rig);
		ordo_schedule_destroy(schedule);
	}
}

/* Compiles if the algorithm applies, and runs with chunks of one and of different lengths. Returns
 * whether it does apply. */
static bool compile_and_run(const struct ordo_request *request)
{
	struct ordo_error error = {0};
	struct ordo_schedule *schedule = ordo_compile(request, &error);
	if (!schedule) {
		assert_int_equal(error.code, ORDO_USAGE);
		return false;
	}
	const uint32_t N = request->problem.nrank, K = schedule->problem.chunks_per_block;
	const uint64_t counts[] = {0, 1, N * K, N * K + 1};
	for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
		/* All seeds where there is most to interleave in least time. */
		expect_same_bits(schedule, counts[i], N <= 4 && i == 3 ? NSEED : 3);
		struct rig rig = rig_create(
			schedule, (struct ordo_plan_options){.type = ORDO_I32, .count = counts[i]});
		for (uint32_t call = 0; call < 2; call++)
			rig_run(&rig, BY_SEED, call, call);
		rig_destroy(&rig);
	}
	ordo_schedule_destroy(schedule);
	return true;
}

/* One operator of one algorithm, for all small problems. */
static uint32_t run_problems(const char *algorithm, enum ordo_operator op)
{
	const struct ordo_operator_facts *facts = ordo_operator_facts(op);
	uint32_t napplies = 0;
	for (uint32_t n = 1; n <= 5 - FEW; n++)
		for (uint32_t chunks = 0; chunks <= 2; chunks += 2)
			for (uint32_t root = 0;
				root<(facts->rooted ? n : 1); root += n> 2 ? n - 1 : 1)
				for (int in_place = 0; in_place <= facts->has_in_place;
					in_place++) {
					struct ordo_request request = {.algorithm = algorithm,
						.problem = {.op = op,
							.nrank = n,
							.root = root,
							.chunks_per_block = chunks,
							.in_place = in_place}};
					napplies += compile_and_run(&request);
				}
	return napplies;
}

static void compiled_schedules_give_the_same_bits_in_every_interleaving(void **state)
{
	(void)state;
	uint32_t nalgorithm;
	const struct ordo_algorithm_facts *const *algorithms = ordo_algorithms(&nalgorithm);
	assert_true(nalgorithm > 0);
	for (uint32_t a = 0; a < nalgorithm; a++)
		for (int op = 0; op < ORDO_NOPERATOR; op++)
			if (algorithms[a]->operators & 1u << op &&
				!run_problems(algorithms[a]->name, (enum ordo_operator)op))
				fail_msg("%s never applies to %s", algorithms[a]->name,
					ordo_operator_facts((enum ordo_operator)op)->name);
}

/* ReduceScatter of 4 shards: the first half of the vector is ((0+1)+2)+3, the second
 * ((3+2)+1)+0. By one rank, in two chunks of one block; */
static struct ordo_schedule *two_halves_by_one_rank(void)
{
	const struct ordo_problem problem = {
		.op = ORDO_REDUCESCATTER, .nrank = 1, .chunks_per_block = 2, .nshard = 4};
	struct ordo_schedule *schedule = exchange_create(problem, 0);
	exchange_stream(schedule, 0, "main");
	for (uint32_t chunk = 0; chunk < 2; chunk++)
		for (uint32_t i = 0; i < 4; i++)
			exchange_move(schedule, i ? ORDO_LOCAL_REDUCE : ORDO_LOCAL_COPY, 0, chunk,
				1, ORDO_INPUT, 2 * (chunk ? 3 - i : i) + chunk, ORDO_OUTPUT, chunk);
	return schedule;
}

/* and by two, in a block each: what a rank has of its own comes first, in any case. */
static struct ordo_schedule *two_halves_by_two_ranks(void)
{
	const struct ordo_problem problem = {
		.op = ORDO_REDUCESCATTER, .nrank = 2, .chunks_per_block = 1, .nshard = 4};
	struct ordo_schedule *schedule = exchange_create(problem, 2);
	for (uint32_t rank = 0; rank < 2; rank++) {
		exchange_stream(schedule, rank, "main");
		exchange_signal(schedule, ORDO_NOTIFY, !rank, 0);
		exchange_signal(schedule, ORDO_WAIT, !rank, 0);
		/* Shards 2 and 3 to rank 0, 1 and 0 to rank 1. */
		for (uint32_t i = 0; i < 2; i++)
			exchange_move(schedule, ORDO_SEND, !rank, !rank, 1, ORDO_INPUT,
				2 * (rank ? i : 1 - i) + !rank, ORDO_SCRATCH, i);
		exchange_signal(schedule, ORDO_NOTIFY, !rank, 1);
		for (uint32_t i = 0; i < 2; i++)
			exchange_move(schedule, i ? ORDO_LOCAL_REDUCE : ORDO_LOCAL_COPY, 0, rank, 1,
				ORDO_INPUT, 2 * (rank ? 1 - i : i) + rank, ORDO_OUTPUT, 0);
		exchange_signal(schedule, ORDO_WAIT, !rank, 1);
		for (uint32_t i = 0; i < 2; i++)
			exchange_move(schedule, ORDO_LOCAL_REDUCE, 0, rank, 1, ORDO_SCRATCH, i,
				ORDO_OUTPUT, 0);
	}
	return schedule;
}

enum { NELEMENT = 20 };

/* The whole vector. Linear sums of these tell all elements of one half from those of the other. */
static void scatter(const struct ordo_schedule *schedule, uint64_t alignment, float sums[NELEMENT])
{
	static const float values[4] = {1, 0x1p30f, -0x1p30f, 3};
	const uint32_t nrank = schedule->problem.nrank;
	const struct ordo_plan_options options = {
		.type = ORDO_F32, .count = NELEMENT / nrank, .alignment = alignment};
	struct rig rig = rig_create(schedule, options);
	for (uint32_t shard = 0; shard < 4; shard++)
		for (uint32_t i = 0; i < NELEMENT; i++)
			((float *)(void *)rig.inputs[shard * nrank /
						     4])[shard % (4 / nrank) * NELEMENT + i] =
				values[shard];
	assert_true(run_plan(rig.plan, BY_SEED, 1, NULL));
	for (uint32_t rank = 0; rank < nrank; rank++)
		memcpy(sums + rank * options.count, rig.outputs[rank],
			options.count * sizeof *sums);
	rig_destroy(&rig);
}

/* A block is cut at multiples of the alignment, counted from where it begins. So schedules for
 * other numbers of ranks, which diff calls interchangeable, cut the vector at the same places
 * only if blocks are multiples of the alignment: what order.h, compare.h and FORMAT.md say. */
static void an_alignment_cuts_the_blocks_of_other_ranks_elsewhere(void **state)
{
	(void)state;
	struct ordo_schedule *one = two_halves_by_one_rank(), *two = two_halves_by_two_ranks();
	struct ordo_proof *proofs[2] = {ordo_verify(one, NULL, NULL), ordo_verify(two, NULL, NULL)};
	assert_true(proofs[0]->proved && proofs[1]->proved);
	assert_int_equal(proofs[0]->position_invariant, ORDO_DOES_NOT_HOLD);
	assert_string_equal(proofs[0]->digest, proofs[1]->digest);
	float first[NELEMENT], second[NELEMENT];
	for (uint64_t alignment = 1; alignment <= 16; alignment++) {
		scatter(one, alignment, first);
		scatter(two, alignment, second);
		assert_true(first[0] != first[NELEMENT - 1]);
		const bool divides = NELEMENT / 2 % alignment == 0;
		assert_int_equal(memcmp(first, second, sizeof first) == 0, divides);
	}
	for (int i = 0; i < 2; i++)
		ordo_proof_destroy(proofs[i]);
	ordo_schedule_destroy(one);
	ordo_schedule_destroy(two);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(random_schedules_give_the_same_bits_in_every_interleaving),
		cmocka_unit_test(random_schedules_do_what_their_operator_means),
		cmocka_unit_test(compiled_schedules_give_the_same_bits_in_every_interleaving),
		cmocka_unit_test(an_alignment_cuts_the_blocks_of_other_ranks_elsewhere),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
