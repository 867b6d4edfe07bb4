/* test_failing_proofs.c - a proof that cannot have a piece of memory ends in an error, never in a
 * verdict.
 *
 * What is judged: what the algorithms compile to and random schedules, with a shard a rank and with
 * more, as they are and with a Notify and its Wait dropped, so that they are mostly racy; each as
 * ever, with atomic reduces, and, where every rank has the same program, from one program. Every
 * proof is made once for each of its requests for memory, which is then refused.
 *
 * usage: test_failing_proofs [EVERY]: drops every so manieth pair only
 */
#include "failing.h"
#include "mutate.h"
#include "random_schedule.h"
#include <ordo/compiler.h>
#include <ordo/detail/order.h>
#include <ordo/detail/symmetry.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static uint32_t every = 5;

/* What there was to judge, and how it came out with all the memory there is. */
static struct {
	uint64_t refused;
	uint32_t racy, proved, without_order, symmetric, symmetric_racy;
} tally;

/* NULL: see error. */
typedef struct ordo_proof *judging(const void *document, struct ordo_error *error);

static struct ordo_proof *judge_whole(const void *document, struct ordo_error *error)
{
	return ordo_verify(document, NULL, error);
}

/* Tokens are counted too. */
static struct ordo_proof *judge_atomic(const void *document, struct ordo_error *error)
{
	const struct ordo_verify_options options = {
		.atomic_reduce = true, .limits = {.tokens_in_flight = 1000}, .max_findings = 1};
	return ordo_verify(document, &options, error);
}

struct symmetric {
	struct ordo_programs programs;
	struct ordo_symmetry symmetry;
	struct ordo_topology *topology;
};

static struct ordo_proof *judge_symmetric(const void *document, struct ordo_error *error)
{
	const struct symmetric *whole = document;
	const struct ordo_verify_options options = {
		.topology = whole->topology, .through_ranks = true};
	return ordo_verify_symmetric(&whole->programs, &whole->symmetry, &options, error);
}

static bool breaks(const struct ordo_proof *proof, int rule)
{
	for (uint32_t i = 0; i < proof->nfinding; i++)
		if (proof->findings[i].rule == rule)
			return true;
	return false;
}

/* Refuses one request after another. */
static void judge_without_memory(judging *judge, const void *document, const char *title)
{
	for (uint64_t k = 0;; k++) {
		struct ordo_error error = {0};
		const struct held before = failing_held();
		failing_begin(k, false);
		struct ordo_proof *proof = judge(document, &error);
		const bool refused = failing_end();
		if (refused && proof)
			fail_msg("%s, request %llu refused: %s", title, (unsigned long long)k,
				proof->proved ? "proved" : "refuted");
		if (refused && error.code != ORDO_ENVIRONMENT)
			fail_msg("%s, request %llu refused: code %d, \"%s\"", title,
				(unsigned long long)k, (int)error.code, error.text);
		ordo_proof_destroy(proof);
		assert_int_equal(failing_held().pieces, before.pieces);
		tally.refused += refused;
		if (!refused)
			return;
	}
}

static void judge_all_ways(const struct ordo_schedule *schedule, const char *title)
{
	struct ordo_proof *proof = judge_whole(schedule, NULL);
	assert_non_null(proof);
	tally.proved += proof->proved;
	tally.racy += breaks(proof, 8);
	ordo_proof_destroy(proof);
	judge_without_memory(judge_whole, schedule, title);
	if (!ordo_operator_facts(schedule->problem.op)->reduces)
		return;
	proof = judge_atomic(schedule, NULL);
	assert_non_null(proof);
	tally.without_order += proof->proved && proof->run_to_run == ORDO_DOES_NOT_HOLD;
	ordo_proof_destroy(proof);
	judge_without_memory(judge_atomic, schedule, title);
}

static void drop_pairs(const struct ordo_schedule *schedule, const char *title)
{
	static uint32_t npair;
	for (uint32_t task = 0; task < schedule->ntask; task++) {
		if (schedule->tasks[task].kind != ORDO_NOTIFY || npair++ % every)
			continue;
		char name[300], place[128];
		struct ordo_schedule *mutant = with_fault(schedule, FAULT_DROP_PAIR, task, 0);
		ordo_task_locate(schedule, task, place, sizeof place);
		snprintf(name, sizeof name, "%s without %s", title, place);
		if (mutant)
			judge_all_ways(mutant, name);
		ordo_schedule_destroy(mutant);
	}
}

static void of_what_every_algorithm_compiles_to(void **state)
{
	(void)state;
	uint32_t nalgorithm;
	const struct ordo_algorithm_facts *const *algorithms = ordo_algorithms(&nalgorithm);
	for (uint32_t i = 0; i < nalgorithm; i++)
		for (int op = 0; op < ORDO_NOPERATOR; op++)
			for (uint32_t nshard = 4; nshard <= 9; nshard += 5) {
				const struct ordo_request request = {
					.problem = {.op = (enum ordo_operator)op,
						.nrank = 4,
						.nshard = nshard},
					.algorithm = algorithms[i]->name};
				struct ordo_schedule *schedule = ordo_compile(&request, NULL);
				char title[128];
				snprintf(title, sizeof title, "%s by %s, %u shards",
					ordo_operator_facts((enum ordo_operator)op)->name,
					algorithms[i]->name, nshard);
				if (schedule) {
					judge_all_ways(schedule, title);
					drop_pairs(schedule, title);
				}
				ordo_schedule_destroy(schedule);
			}
	assert_true(
		tally.proved > 50 && tally.racy * every > 1000 && tally.refused * every > 200000);
}

/* Several streams a rank, of which many read one slot, and adds that nothing orders. */
static void of_random_schedules(void **state)
{
	(void)state;
	const struct random_shape shape = {.max_ranks = 4,
		.max_chunks = 2,
		.max_streams = 3,
		.shards = true,
		.atomic_adds = true};
	const uint32_t before = tally.racy;
	for (uint64_t seed = 1; seed <= 400; seed++) {
		static struct random_program program;
		char title[64];
		snprintf(title, sizeof title, "random schedule %u", (unsigned)seed);
		random_program(&program, &shape, seed);
		struct ordo_schedule *schedule = random_schedule(&program, &shape, seed);
		judge_all_ways(schedule, title);
		drop_pairs(schedule, title);
		ordo_schedule_destroy(schedule);
	}
	assert_true(tally.without_order > 50 && tally.racy > before + 50);
}

/* Without the same tasks of every program, counted from its beginning: these two. */
static struct ordo_schedule *drop_everywhere(
	const struct ordo_schedule *schedule, uint32_t first, uint32_t second)
{
	struct ordo_schedule *less = ordo_schedule_copy(schedule, NULL);
	assert_non_null(less);
	uint32_t kept = 0;
	for (uint32_t rank = 0; rank < less->problem.nrank; rank++) {
		const struct ordo_program *program = &less->programs[rank];
		const uint32_t begin = less->streams[program->first_stream].first;
		for (uint32_t s = program->first_stream; s < program->end_stream; s++) {
			struct ordo_stream *stream = &less->streams[s];
			const uint32_t from = stream->first, end = stream->end;
			stream->first = kept;
			for (uint32_t task = from; task < end; task++)
				if (task - begin != first && task - begin != second)
					less->tasks[kept++] = less->tasks[task];
			stream->end = kept;
		}
	}
	less->ntask = kept;
	return less;
}

/* Where, in the program of its rank, the first Wait for that Notify's signal stands; ORDO_NONE:
 * nowhere. */
static uint32_t find_wait(const struct ordo_schedule *schedule, uint32_t rank, uint32_t notify)
{
	const struct ordo_task *wanted = &schedule->tasks[notify];
	const struct ordo_program *program = &schedule->programs[wanted->peer];
	const uint32_t begin = schedule->streams[program->first_stream].first;
	for (uint32_t task = begin; task < schedule->streams[program->end_stream - 1].end; task++) {
		const struct ordo_task *found = &schedule->tasks[task];
		if (found->kind == ORDO_WAIT && found->peer == rank &&
			found->signal == wanted->signal)
			return task - begin;
	}
	return ORDO_NONE;
}

static void judge_if_symmetric(const struct ordo_schedule *schedule, const char *title)
{
	struct symmetric whole = {.programs = ordo_programs_of(schedule)};
	struct ordo_error error = {0};
	if (!ordo_symmetry_find(
		    &whole.programs, ORDO_COMPARE_ALL, NULL, NULL, &whole.symmetry, &error))
		return;
	whole.topology = ordo_topology_make("ring", schedule->problem.nrank, NULL);
	struct ordo_proof *proof = judge_symmetric(&whole, &error);
	if (!proof) {
		ordo_topology_destroy(whole.topology);
		return;
	}
	tally.symmetric += proof->proved;
	tally.symmetric_racy += breaks(proof, 8);
	ordo_proof_destroy(proof);
	judge_without_memory(judge_symmetric, &whole, title);
	ordo_topology_destroy(whole.topology);
}

/* Of rank 0's program, with the same task of every other rank. */
static void drop_symmetric_pairs(const struct ordo_schedule *schedule, const char *title)
{
	for (uint32_t task = 0; task < schedule->streams[schedule->programs[0].end_stream - 1].end;
		task++) {
		const uint32_t wait = schedule->tasks[task].kind == ORDO_NOTIFY
					      ? find_wait(schedule, 0, task)
					      : ORDO_NONE;
		if (wait == ORDO_NONE)
			continue;
		struct ordo_schedule *less = drop_everywhere(schedule, task, wait);
		judge_if_symmetric(less, title);
		ordo_schedule_destroy(less);
	}
}

static void from_one_program_of(const char *algorithm)
{
	static const uint32_t ranks[] = {3, 4, 8};
	for (int i = 0; i < 6 * ORDO_NOPERATOR; i++) {
		const enum ordo_operator op = (enum ordo_operator)(i / 6);
		/* In place, several streams read one slot; of many slots, lists of readers
		 * grow. */
		const bool in_place = i % 2 && ordo_operator_facts(op)->has_in_place;
		const struct ordo_request request = {.problem = {.op = op,
							     .nrank = ranks[i / 2 % 3],
							     .chunks_per_block = in_place ? 8 : 0,
							     .in_place = in_place},
			.algorithm = algorithm};
		struct ordo_schedule *schedule = ordo_compile(&request, NULL);
		if (!schedule)
			continue;
		judge_if_symmetric(schedule, algorithm);
		drop_symmetric_pairs(schedule, algorithm);
		ordo_schedule_destroy(schedule);
	}
}

static void from_one_program(void **state)
{
	(void)state;
	uint32_t count;
	const struct ordo_algorithm_facts *const *all = ordo_algorithms(&count);
	for (uint32_t a = 0; a < count; a++)
		from_one_program_of(all[a]->name);
	from_one_program_of("ring(directions=2)");
	from_one_program_of("mesh(shots=1)");
	assert_true(tally.symmetric > 20 && tally.symmetric_racy > 50);
}

int main(int argc, char **argv)
{
	if (argc > 1)
		every = (uint32_t)strtoul(argv[1], NULL, 10);
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(of_what_every_algorithm_compiles_to),
		cmocka_unit_test(of_random_schedules),
		cmocka_unit_test(from_one_program),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
