/* test_two_stage.c - sums in two stages: what each side of the ranks reads and writes, that the
 * bits are those of one stage, and calls that run so.
 */
#include "communicator/call.h"
#include "failing.h"
#include <ordo/compiler.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define BY_SIDES "hierarchical(mesh(fold=linear),mesh,sizes=[4,2])"
/* Every chunk has another tree. */
#define BY_RINGS "hierarchical(ring,mesh,sizes=[4,2])"

/* A schedule's folds, in one stage and in two. */
struct subject {
	struct ordo_schedule *schedule;
	struct ordo_plan_options options;
	struct ordo_collective *collective;
	struct folds staged;
};

static struct subject subject_of(
	struct ordo_problem problem, const char *algorithm, struct ordo_plan_options options)
{
	struct subject subject = {.options = options};
	struct ordo_error error = {.text = ""};
	const struct ordo_request request = {.problem = problem, .algorithm = algorithm};
	subject.schedule = ordo_compile(&request, &error);
	if (subject.schedule)
		subject.collective = ordo_collective_create(subject.schedule, &options, &error);
	struct ordo_proof *proof = subject.collective ? ordo_prove(subject.schedule, &error) : NULL;
	if (!proof || !ordo_folds_derive_two_stage(&subject.staged, &subject.collective->layout,
			      &options, proof, &error))
		fail_msg("%s: %s", algorithm, error.text);
	ordo_proof_destroy(proof);
	return subject;
}

static struct subject sum_of(
	enum ordo_operator op, uint32_t nrank, const char *algorithm, uint64_t count)
{
	return subject_of((struct ordo_problem){.op = op, .nrank = nrank}, algorithm,
		(struct ordo_plan_options){
			.type = ORDO_F32, .reduction = ORDO_SUM, .count = count});
}

static void destroy(struct subject *subject)
{
	ordo_folds_free(&subject->staged);
	ordo_collective_destroy(subject->collective);
	ordo_schedule_destroy(subject->schedule);
}

/* In the first stage a side reads its own inputs, and writes what the other side is to read and
 * what it reads itself; in the second, it reads just what was written for it, and writes its own
 * outputs. */
static void check_operand(const struct operand *operand, bool is_source, uint32_t nrank,
	bool is_second, uint32_t side)
{
	if (operand->rank == ORDO_NONE)
		return;
	const uint32_t own = nrank + NSIDE + side, shared = nrank + (is_second ? !side : side);
	if (is_source != is_second)
		assert_true(operand->rank < nrank && (operand->rank >= nrank / 2) == side);
	else
		assert_true(operand->rank == own || operand->rank == shared);
}

static void check_item(const struct subject *subject, size_t i)
{
	const struct folds *folds = &subject->staged;
	const uint32_t nrank = subject->schedule->problem.nrank, side = i % NSIDE;
	const bool is_second = i >= folds->nfirst;
	uint64_t written = 0;
	for (uint32_t f = folds->items[i].fold; f < folds->items[i].fold + folds->items[i].nfold;
		f++) {
		assert_true(folds->list[f].takes == is_second);
		for (uint32_t s = 0; s < folds->list[f].nstep; s++) {
			const struct step *step = &folds->steps[folds->list[f].first_step + s];
			for (uint32_t k = 0; k < step->nsrc; k++)
				check_operand(&folds->operands[step->src + k], true, nrank,
					is_second, side);
			for (uint32_t k = 0; k < step->ndst; k++) {
				check_operand(&folds->operands[step->dst + k], false, nrank,
					is_second, side);
				if (folds->operands[step->dst + k].rank != ORDO_NONE)
					written += folds->list[f].nelement;
			}
		}
	}
	assert_true(written == subject->options.count * (is_second ? nrank / 2 : 2));
}

static void a_side_deals_with_its_own_ranks_and_two_sums(void **unused)
{
	(void)unused;
	static const char *const algorithms[] = {"mesh", "dyadic", "tree", BY_SIDES, BY_RINGS};
	for (size_t a = 0; a < sizeof algorithms / sizeof *algorithms; a++)
		for (uint32_t nrank = 8; nrank <= 32; nrank *= 2) {
			if (nrank != 8 && strchr(algorithms[a], '['))
				continue;
			struct subject subject = sum_of(ORDO_ALLREDUCE, nrank, algorithms[a], 1237);
			assert_int_equal(subject.staged.nitem, 2 * NSIDE);
			assert_int_equal(subject.staged.nfirst, NSIDE);
			for (size_t i = 0; i < subject.staged.nitem; i++)
				check_item(&subject, i);
			destroy(&subject);
		}
}

static void what_is_no_sum_of_two_sides_has_one_stage(void **unused)
{
	(void)unused;
	const struct {
		struct ordo_problem problem;
		const char *algorithm;
	} others[] = {{{.op = ORDO_ALLREDUCE, .nrank = 8}, "ring"},
		{{.op = ORDO_ALLREDUCE, .nrank = 8}, "mesh(fold=linear)"},
		{{.op = ORDO_ALLREDUCE, .nrank = 8}, "halving-doubling"},
		{{.op = ORDO_ALLREDUCE, .nrank = 8, .accumulate = ORDO_ACCUMULATE_F32}, "mesh"},
		{{.op = ORDO_ALLREDUCE, .nrank = 8}, "nhr"},
		{{.op = ORDO_ALLREDUCE, .nrank = 6}, "mesh"},
		{{.op = ORDO_ALLREDUCE, .nrank = 4}, "mesh"},
		{{.op = ORDO_ALLREDUCE, .nrank = 3}, "mesh"},
		{{.op = ORDO_ALLREDUCE, .nrank = 2}, "mesh"},
		{{.op = ORDO_ALLREDUCE, .nrank = 1}, "mesh"},
		{{.op = ORDO_REDUCESCATTER, .nrank = 8}, "mesh"},
		{{.op = ORDO_REDUCE, .nrank = 8}, "mesh"},
		{{.op = ORDO_REDUCE, .nrank = 8, .root = 7}, "mesh"},
		{{.op = ORDO_ALLGATHER, .nrank = 8}, "mesh"},
		{{.op = ORDO_BROADCAST, .nrank = 8}, "mesh"}};
	for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
		const enum ordo_type type = others[i].problem.accumulate ? ORDO_BF16 : ORDO_F32;
		struct subject subject = subject_of(others[i].problem, others[i].algorithm,
			(struct ordo_plan_options){
				.type = type, .reduction = ORDO_SUM, .count = 1237});
		if (subject.staged.nitem)
			fail_msg("%zu: %s in two stages", i, others[i].algorithm);
		assert_int_equal(subject.collective->staged.nitem, 0);
		assert_int_equal(subject.collective->folds.nfirst, subject.collective->folds.nitem);
		destroy(&subject);
	}
}

static void ranks_that_differ_have_one_stage(void **unused)
{
	(void)unused;
	struct subject subject = sum_of(ORDO_ALLREDUCE, 8, "mesh", 1237);
	struct ordo_error error = {.text = ""};
	struct ordo_proof *proof = ordo_prove(subject.schedule, &error);
	struct folds folds = {0};
	proof->rank_equal = ORDO_DOES_NOT_HOLD;
	assert_true(ordo_folds_derive_two_stage(
		&folds, &subject.collective->layout, &subject.options, proof, &error));
	assert_int_equal(folds.nitem, 0);
	ordo_folds_free(&folds);
	ordo_proof_destroy(proof);
	destroy(&subject);
}

/* Numbers that are hard to add, and no NaN. */
static void fill(unsigned char *buffer, size_t bytes, enum ordo_type type, uint32_t seed)
{
	uint32_t state = seed * 2654435761u + 1;
	const size_t size = ordo_type_size(type);
	for (size_t i = 0; i < bytes; i++) {
		state = state * 1664525u + 1013904223u;
		buffer[i] = (unsigned char)(state >> 24);
		/* The highest byte has the sign and most of the exponent. */
		if (i % size == size - 1 && type <= ORDO_F64)
			buffer[i] = (unsigned char)((buffer[i] & 0x81) | 0x3a);
	}
}

static void run_all_items(const struct folds *folds, const struct ends *ends)
{
	for (size_t i = 0; i < folds->nitem; i++)
		ordo_fold_item(folds, &folds->items[i], ends, false);
}

enum { NRANK = 8, COUNT = 1237, BYTES = COUNT * 16 };
static unsigned char inputs[NRANK][BYTES], outputs[NRANK][BYTES], wanted[NRANK][BYTES],
	sums[NPARTIAL][BYTES];

static void check_bits(
	const char *algorithm, enum ordo_type type, enum ordo_reduction reduction, bool in_place)
{
	struct subject subject = subject_of(
		(struct ordo_problem){.op = ORDO_ALLREDUCE, .nrank = NRANK}, algorithm,
		(struct ordo_plan_options){.type = type, .reduction = reduction, .count = COUNT});
	const size_t bytes = COUNT * ordo_type_size(type);
	struct ends ends[NRANK + NPARTIAL];
	assert_int_equal(subject.staged.nitem, 2 * NSIDE);
	for (uint32_t r = 0; r < NRANK; r++) {
		fill(inputs[r], bytes, type, r);
		ends[r] = (struct ends){inputs[r], wanted[r]};
	}
	run_all_items(&subject.collective->folds, ends);
	memset(outputs, 0xee, sizeof outputs);
	for (uint32_t r = 0; r < NRANK; r++)
		ends[r].output = in_place ? inputs[r] : outputs[r];
	for (uint32_t i = 0; i < NPARTIAL; i++)
		ends[NRANK + i] = (struct ends){sums[i], sums[i]};
	run_all_items(&subject.staged, ends);
	for (uint32_t r = 0; r < NRANK; r++)
		assert_memory_equal(ends[r].output, wanted[r], bytes);
	destroy(&subject);
}

static void bits_are_those_of_one_stage(void **unused)
{
	(void)unused;
	for (enum ordo_type type = 0; type < ORDO_NTYPE; type++)
		for (enum ordo_reduction reduction = 0; reduction < ORDO_NREDUCTION; reduction++) {
			if (!ordo_has_reduction(type, reduction, NULL))
				continue;
			check_bits("mesh", type, reduction, false);
			check_bits(BY_SIDES, type, reduction, true);
			check_bits(BY_RINGS, type, reduction, false);
		}
}

/* Calls: sums of integers, which are the same in any order. */

static int64_t vectors[2][NRANK][16384];

static void run_call(
	struct ordo_communicator *communicator, const struct subject *subject, int64_t number)
{
	const uint64_t count = subject->options.count;
	struct ordo_part parts[NRANK];
	struct ordo_error error = {.text = ""};
	for (uint32_t r = 0; r < NRANK; r++) {
		parts[r] = (struct ordo_part){.collective = subject->collective,
			.input = vectors[0][r],
			.output = vectors[1][r]};
		for (uint64_t i = 0; i < count; i++)
			vectors[0][r][i] = (int64_t)i * (r + 1) + number;
	}
	if (!ordo_communicator_run_all(communicator, parts, &error))
		fail_msg("%s", error.text);
	for (uint32_t r = 0; r < NRANK; r++)
		for (uint64_t i = 0; i < count; i++)
			assert_true(vectors[1][r][i] == (int64_t)i * 36 + 8 * number);
}

/* Whatever machine this is: calls of it run in two stages. */
static struct subject staged_sum(uint64_t count)
{
	struct subject subject =
		subject_of((struct ordo_problem){.op = ORDO_ALLREDUCE, .nrank = NRANK}, "mesh",
			(struct ordo_plan_options){
				.type = ORDO_I64, .reduction = ORDO_SUM, .count = count});
	ordo_folds_free(&subject.collective->staged);
	subject.collective->staged = subject.staged;
	memset(&subject.staged, 0, sizeof subject.staged);
	return subject;
}

static struct ordo_communicator *communicator_of(uint32_t nhelper)
{
	const struct ordo_communicator_options options = {.nrank = NRANK, .nhelper = nhelper};
	struct ordo_error error = {.text = ""};
	struct ordo_communicator *communicator = ordo_communicator_create(&options, &error);
	if (!communicator)
		fail_msg("%s", error.text);
	return communicator;
}

static void calls_of_all_lengths_run_in_two_stages(void **unused)
{
	(void)unused;
	static const uint64_t counts[] = {512, 16384, 2048, 1237, 8192};
	struct ordo_communicator *communicator = communicator_of(1);
	for (int64_t number = 0; number < 100; number++) {
		struct subject subject = staged_sum(counts[number % 5]);
		run_call(communicator, &subject, number);
		assert_true(communicator->partials.bytes >= counts[number % 5] * sizeof(int64_t));
		assert_int_equal(communicator->partials.turn, 1);
		assert_int_equal(atomic_load(&communicator->partials.taken), 0);
		/* What was read the last time is written this time. */
		run_call(communicator, &subject, -number);
		assert_int_equal(communicator->partials.turn, 0);
		destroy(&subject);
	}
	ordo_communicator_destroy(communicator);
}

static void a_call_runs_in_one_stage_while_another_has_the_sums(void **unused)
{
	(void)unused;
	struct subject subject = staged_sum(2048);
	struct ordo_communicator *communicator = communicator_of(1);
	atomic_store(&communicator->partials.taken, 1);
	for (int64_t number = 0; number < 20; number++)
		run_call(communicator, &subject, number);
	assert_int_equal(atomic_load(&communicator->partials.taken), 1);
	assert_null(communicator->partials.memory);
	ordo_communicator_destroy(communicator);
	/* Nor is it worth while where ranks have threads of their own. */
	communicator = communicator_of(0);
	run_call(communicator, &subject, 1);
	assert_null(communicator->partials.memory);
	ordo_communicator_destroy(communicator);
	destroy(&subject);
}

/* Whatever memory is missing: an error, and nothing is left. */
static void stages_that_find_no_memory_are_an_error(void **unused)
{
	(void)unused;
	struct subject subject = sum_of(ORDO_ALLREDUCE, NRANK, BY_RINGS, COUNT);
	struct ordo_error error = {.text = ""};
	struct ordo_proof *proof = ordo_prove(subject.schedule, &error);
	uint64_t nrefused = 1, nerror = 0;
	for (uint64_t after = 0; nrefused; after++) {
		struct folds folds = {0};
		const struct held before = failing_held();
		failing_begin(after, false);
		const bool worked = ordo_folds_derive_two_stage(
			&folds, &subject.collective->layout, &subject.options, proof, &error);
		nrefused = failing_end();
		assert_true(worked == !nrefused);
		nerror += error.code == ORDO_ENVIRONMENT;
		ordo_folds_free(&folds);
		assert_int_equal(failing_held().pieces, before.pieces);
	}
	assert_true(nerror > 10);
	ordo_proof_destroy(proof);
	destroy(&subject);
}

static void refuse_memory(struct ordo_problem problem, const struct ordo_plan_options *options)
{
	struct subject subject = subject_of(problem, "ring", *options);
	struct ordo_proof *proof = ordo_prove(subject.schedule, NULL);
	uint64_t nrefused = 1, nerror = 0;
	for (uint64_t after = 0; nrefused; after++) {
		struct ordo_error error = {.text = ""};
		const struct held before = failing_held();
		failing_begin(after, false);
		struct ordo_collective *collective =
			ordo_collective_fold(subject.schedule, proof, options, &error);
		nrefused = failing_end();
		assert_true(!collective == !!nrefused);
		assert_true(collective || error.code == ORDO_ENVIRONMENT);
		nerror += nrefused;
		ordo_collective_destroy(collective);
		assert_int_equal(failing_held().pieces, before.pieces);
	}
	assert_true(nerror > 10);
	ordo_proof_destroy(proof);
	destroy(&subject);
}

/* A single request is refused, and the next is granted: the fold would be made without a step. */
static void a_collective_without_memory_is_an_error(void **unused)
{
	(void)unused;
	const struct ordo_plan_options wide = {.type = ORDO_F32,
					       .reduction = ORDO_SUM,
					       .count = 50},
				       average = {.type = ORDO_BF16,
					       .reduction = ORDO_AVG,
					       .count = 50};
	refuse_memory((struct ordo_problem){.op = ORDO_ALLREDUCE, .nrank = 70}, &wide);
	/* Arrays grow now and then: with some number of ranks for any one step. */
	for (uint32_t nrank = 2; nrank < 24; nrank++)
		for (int wider = 0; wider < 2; wider++)
			refuse_memory((struct ordo_problem){.op = ORDO_ALLREDUCE,
					      .nrank = nrank,
					      .accumulate = wider ? ORDO_ACCUMULATE_F32
								  : ORDO_ACCUMULATE_NONE},
				&average);
}

static void a_call_without_memory_for_the_sums_runs_in_one_stage(void **unused)
{
	(void)unused;
	struct subject subject = staged_sum(2048);
	struct ordo_communicator *communicator = communicator_of(1);
	failing_begin(0, true);
	run_call(communicator, &subject, 3);
	assert_true(failing_end() == 1);
	assert_null(communicator->partials.memory);
	run_call(communicator, &subject, 4);
	assert_non_null(communicator->partials.memory);
	ordo_communicator_destroy(communicator);
	destroy(&subject);
}

/* A call of these folds was launched by nobody, so nobody works on it but who is told to. */
static struct call_slot *begin_call(
	struct ordo_communicator *communicator, const struct subject *subject)
{
	struct call_slot *slot = &communicator->slots[0];
	run_call(communicator, subject, 7);
	memset(vectors[1], 0, sizeof vectors[1]);
	for (uint32_t i = 0; i < NPARTIAL; i++)
		slot->ends[NRANK + i] = (struct ends){sums[i], sums[i]};
	communicator->helpers.count = 1; /* as far as the bell goes */
	slot->folds = &subject->collective->staged;
	atomic_store(&slot->nunfinished, NSIDE);
	atomic_store(&slot->claims, UINT64_C(1) << 34 | (uint64_t)NSIDE << 17);
	atomic_store(&slot->state, state_of(1, LAUNCHED));
	return slot;
}

static void end_call(struct ordo_communicator *communicator, struct subject *subject)
{
	for (uint32_t r = 0; r < NRANK; r++)
		assert_true(vectors[1][r][100] == 3600 + 56);
	communicator->helpers.count = 0;
	ordo_communicator_destroy(communicator);
	destroy(subject);
}

static void who_goes_on_calls_nobody(void **unused)
{
	(void)unused;
	struct subject subject = staged_sum(COUNT);
	struct ordo_communicator *communicator = communicator_of(0);
	struct call_slot *slot = begin_call(communicator, &subject);
	assert_true(ordo_call_work(communicator, slot, 1, true, UINT32_MAX));
	assert_int_equal(atomic_load(&communicator->helpers.bell), 0);
	assert_int_equal(atomic_load(&slot->state), state_of(2, OPEN));
	end_call(communicator, &subject);
}

/* As ordo_communicator_test works: one item at a time. */
static void who_leaves_between_the_stages_calls_others(void **unused)
{
	(void)unused;
	struct subject subject = staged_sum(COUNT);
	struct ordo_communicator *communicator = communicator_of(0);
	struct call_slot *slot = begin_call(communicator, &subject);
	assert_true(ordo_call_work(communicator, slot, 1, false, 1));
	assert_int_equal(atomic_load(&communicator->helpers.bell), 0);
	assert_true(ordo_call_work(communicator, slot, 1, true, 1));
	assert_int_equal(atomic_load(&communicator->helpers.bell), 1);
	assert_int_equal(atomic_load(&slot->state), state_of(1, LAUNCHED));
	assert_true(ordo_call_work(communicator, slot, 1, false, 1));
	assert_true(ordo_call_work(communicator, slot, 1, false, 1));
	assert_int_equal(atomic_load(&slot->state), state_of(2, OPEN));
	assert_false(ordo_call_work(communicator, slot, 1, false, 1));
	end_call(communicator, &subject);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_side_deals_with_its_own_ranks_and_two_sums),
		cmocka_unit_test(what_is_no_sum_of_two_sides_has_one_stage),
		cmocka_unit_test(ranks_that_differ_have_one_stage),
		cmocka_unit_test(bits_are_those_of_one_stage),
		cmocka_unit_test(calls_of_all_lengths_run_in_two_stages),
		cmocka_unit_test(a_call_runs_in_one_stage_while_another_has_the_sums),
		cmocka_unit_test(stages_that_find_no_memory_are_an_error),
		cmocka_unit_test(a_collective_without_memory_is_an_error),
		cmocka_unit_test(a_call_without_memory_for_the_sums_runs_in_one_stage),
		cmocka_unit_test(who_goes_on_calls_nobody),
		cmocka_unit_test(who_leaves_between_the_stages_calls_others),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
