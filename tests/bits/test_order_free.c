/* test_order_free.c - schedules that accumulate in exact and binned form: their results are the
 * sums of exact.h, whatever the algorithm, the number of ranks and the way they run; and states are
 * elements that any schedule sums. */
#include "compiling.h"
#include "rig.h"
#include <ordo/communicator.h>
#include <ordo/compiler.h>
#include <ordo/detail/accumulate.h>
#include <ordo/exact.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const struct kind {
	enum ordo_type type;
	uint32_t bins;
	enum ordo_accumulation form;
} kinds[] = {{ORDO_F8E4M3, 0, ORDO_ACCUMULATE_EXACT}, {ORDO_F8E5M2, 0, ORDO_ACCUMULATE_EXACT},
	{ORDO_F16, 0, ORDO_ACCUMULATE_EXACT}, {ORDO_BF16, 2, ORDO_ACCUMULATE_BINNED2},
	{ORDO_BF16, 3, ORDO_ACCUMULATE_BINNED3}, {ORDO_F32, 2, ORDO_ACCUMULATE_BINNED2},
	{ORDO_F32, 3, ORDO_ACCUMULATE_BINNED3}, {ORDO_F64, 2, ORDO_ACCUMULATE_BINNED2},
	{ORDO_F64, 3, ORDO_ACCUMULATE_BINNED3}};
enum { NKIND = sizeof kinds / sizeof *kinds, NSHARD = 12, COUNT = 307, MOST_BYTES = 32 };
static const uint32_t ranks[] = {2, 3, 4, 6, 12};
static const char *const algorithms[] = {
	"ring", "mesh(shots=1,fold=linear)", "mesh", "recursive-doubling", "binomial-tree"};

static uint64_t mix(uint64_t x)
{
	x *= UINT64_C(0x9e3779b97f4a7c15);
	x = (x ^ x >> 29) * UINT64_C(0xbf58476d1ce4e5b9);
	return x ^ x >> 32;
}

/* All numbers there are, infinities and NaNs too; and of a third of the elements such that are much
 * alike. */
static void draw(const struct kind *kind, uint32_t shard, unsigned char *to)
{
	const size_t size = ordo_type_size(kind->type);
	for (uint64_t i = 0; i < COUNT; i++) {
		uint64_t bits = mix(mix(shard + 1) + i);
		if (i % 3 == 0) {
			const double value = (double)(bits % 4096) / 64 - 32;
			ordo_element_put(kind->type, to, i, value);
			continue;
		}
		memcpy(to + i * size, &bits, size);
	}
}

static enum ordo_type state_of(const struct kind *kind)
{
	enum ordo_type state;
	assert_true(ordo_exact_type(kind->type, kind->bins, &state, NULL));
	return state;
}

/* The sums of some shards, [COUNT] states. */
static void add_shards(const struct kind *kind, uint32_t first, uint32_t end, void *states)
{
	static unsigned char vector[COUNT * 8];
	memset(states, 0, COUNT * ordo_type_size(state_of(kind)));
	for (uint32_t shard = first; shard < end; shard++) {
		draw(kind, shard, vector);
		assert_true(
			ordo_exact_add(kind->type, state_of(kind), states, vector, COUNT, NULL));
	}
}

static void find_wanted(const struct kind *kind, enum ordo_reduction reduction, void *wanted)
{
	static unsigned char states[COUNT * MOST_BYTES];
	add_shards(kind, 0, NSHARD, states);
	assert_true(ordo_exact_round(kind->type, state_of(kind), wanted, states, COUNT, NULL));
	if (reduction == ORDO_AVG)
		ordo_divide_elements(kind->type, wanted, COUNT, NSHARD);
}

/* NULL: the algorithm is none for so many ranks. */
static struct ordo_schedule *compile(const struct ordo_problem *problem, const char *algorithm)
{
	const struct ordo_request request = {.problem = *problem, .algorithm = algorithm};
	struct ordo_error error;
	struct ordo_schedule *schedule = ordo_compile(&request, &error);
	if (!schedule && error.code != ORDO_USAGE)
		fail_msg("%s", error.text);
	return schedule;
}

static void expect_bits(const struct ordo_schedule *schedule, const char *algorithm,
	unsigned char *const *outputs, const void *wanted, size_t nbyte)
{
	for (uint32_t rank = 0; rank < schedule->problem.nrank; rank++)
		if (memcmp(outputs[rank], wanted, nbyte) != 0)
			fail_msg("%s on %u ranks: rank %u has other bits", algorithm,
				schedule->problem.nrank, rank);
}

/* In all ways there are; inputs are filled, and stay. */
static void run_all_ways(const struct rig *rig, const char *algorithm, const void *wanted)
{
	const size_t nbyte = COUNT * ordo_type_size(rig->options.type);
	for (int drive = 0; drive <= NDRIVE; drive++) {
		struct ordo_error error;
		for (uint32_t rank = 0; rank < rig->schedule->problem.nrank; rank++)
			memset(rig->outputs[rank], 0xee, nbyte);
		if (drive == NDRIVE)
			rig_run_folded(rig);
		else if (!run_plan(rig->plan, (enum drive)drive, (uint64_t)drive, &error))
			fail_msg("%s", error.text);
		expect_bits(rig->schedule, algorithm, rig->outputs, wanted, nbyte);
	}
}

static uint32_t nrun;

static void expect_sums(const struct kind *kind, enum ordo_reduction reduction, uint32_t nrank,
	const char *algorithm)
{
	const struct ordo_problem problem = {
		.op = ORDO_ALLREDUCE, .nrank = nrank, .nshard = NSHARD, .accumulate = kind->form};
	const size_t size = ordo_type_size(kind->type);
	static unsigned char wanted[COUNT * 8];
	struct ordo_schedule *schedule = compile(&problem, algorithm);
	if (!schedule)
		return;
	struct rig rig = rig_create(schedule, (struct ordo_plan_options){.type = kind->type,
						      .reduction = reduction,
						      .count = COUNT,
						      .tile_bytes = nrank == 4 ? 128 : 0});
	for (uint32_t shard = 0; shard < NSHARD; shard++) {
		const uint32_t each = NSHARD / nrank;
		draw(kind, shard, rig.inputs[shard / each] + shard % each * COUNT * size);
	}
	find_wanted(kind, reduction, wanted);
	run_all_ways(&rig, algorithm, wanted);
	rig_destroy(&rig);
	ordo_schedule_destroy(schedule);
	nrun++;
}

static void no_algorithm_and_no_number_of_ranks_changes_a_bit(void **unused)
{
	(void)unused;
	for (size_t r = 0; r < sizeof ranks / sizeof *ranks; r++)
		for (size_t a = 0; a < sizeof algorithms / sizeof *algorithms; a++)
			for (const struct kind *kind = kinds; kind < kinds + NKIND; kind++)
				expect_sums(kind, (r + a) % 3 ? ORDO_SUM : ORDO_AVG, ranks[r],
					algorithms[a]);
	assert_true(nrun > 15 * NKIND);
}

/* Each rank adds its part of the vectors to states, and those are summed. */
static void states_are_summed_as_elements(void **unused)
{
	(void)unused;
	static unsigned char states[COUNT * MOST_BYTES];
	for (size_t r = 0; r < sizeof ranks / sizeof *ranks; r++)
		for (const struct kind *kind = kinds; kind < kinds + NKIND; kind++) {
			const struct ordo_problem problem = {
				.op = ORDO_ALLREDUCE, .nrank = ranks[r], .nshard = ranks[r]};
			const char *algorithm = algorithms[r % 2];
			struct ordo_schedule *schedule = compile(&problem, algorithm);
			assert_non_null(schedule);
			struct rig rig = rig_create(schedule,
				(struct ordo_plan_options){.type = state_of(kind), .count = COUNT});
			for (uint32_t rank = 0; rank < ranks[r]; rank++)
				/* Parts of unequal length. */
				add_shards(kind, rank ? rank * NSHARD / ranks[r] - 1 : 0,
					rank + 1 < ranks[r] ? (rank + 1) * NSHARD / ranks[r] - 1
							    : NSHARD,
					rig.inputs[rank]);
			add_shards(kind, 0, NSHARD, states);
			run_all_ways(&rig, algorithm, states);
			rig_destroy(&rig);
			ordo_schedule_destroy(schedule);
		}
}

static void states_have_sums_only(void **unused)
{
	(void)unused;
	const struct ordo_problem problem = {.op = ORDO_ALLREDUCE, .nrank = 3, .nshard = 3},
				  exact = {.op = ORDO_ALLREDUCE,
					  .nrank = 3,
					  .nshard = 3,
					  .accumulate = ORDO_ACCUMULATE_EXACT};
	struct ordo_schedule *plain = compile(&problem, "ring"), *wide = compile(&exact, "ring");
	struct ordo_error error;
	assert_true(plain && wide);
	for (int reduction = ORDO_PROD; reduction < ORDO_NREDUCTION; reduction++) {
		const struct ordo_plan_options options = {.type = ORDO_BINNED2_F32,
			.reduction = (enum ordo_reduction)reduction,
			.count = 7};
		assert_null(ordo_collective_create(plain, &options, &error));
		assert_int_equal(error.code, ORDO_USAGE);
		assert_non_null(strstr(error.text, "wanted sum"));
	}
	const struct ordo_plan_options of_states = {.type = ORDO_EXACT_F16, .count = 7},
				       products = {.type = ORDO_F16,
					       .reduction = ORDO_PROD,
					       .count = 7};
	assert_null(ordo_collective_create(wide, &of_states, &error));
	assert_null(ordo_collective_create(wide, &products, &error));
	assert_int_equal(error.code, ORDO_USAGE);
	ordo_schedule_destroy(plain);
	ordo_schedule_destroy(wide);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(no_algorithm_and_no_number_of_ranks_changes_a_bit),
		cmocka_unit_test(states_are_summed_as_elements),
		cmocka_unit_test(states_have_sums_only),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
