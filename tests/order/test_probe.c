/* test_probe.c - the trees of real runs are those of the proof: every algorithm and operator that
 * adds, in every type, on threads and by seeds.
 *
 * usage: test_probe [LAST | FIRST LAST EVERY]: these numbers of ranks; each algorithm with its
 * default parameters, and every EVERY-th of its other forms.
 */
#include "probe/agree.h"
#include "specimens.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static bool at_length;
/* Chunks of two elements or three are moved at once, longer ones in two rounds. */
static bool long_chunks;
static uint32_t first_rank = 2, last_rank = 10, every = 30;

static const enum ordo_type types[] = {ORDO_F32, ORDO_F64, ORDO_F16, ORDO_BF16};
static const struct drive drives[] = {
	{.seeded = true, .seed = 1}, {.seeded = true, .seed = 2}, {.nworker = 2}};
#define COUNT(array) (sizeof(array) / sizeof *(array))

struct bench {
	struct ordo_forest *forest;
	struct ordo_proof *proof;
	struct ordo_order *order;
	struct live live;
};

static struct bench open_bench(const struct ordo_schedule *schedule,
	const struct ordo_verify_options *options, enum ordo_type type)
{
	struct bench bench;
	const uint32_t K = schedule->problem.chunks_per_block;
	const uint64_t count =
		long_chunks ? (64 / ordo_type_size(type) + 1) * (uint64_t)K : 2 * (uint64_t)K + 1;
	assert_non_null(bench.forest = ordo_forest_create(NULL));
	assert_non_null(bench.proof = ordo_verify(schedule, options, NULL));
	bench.order = ordo_order_create(bench.forest, schedule, bench.proof, NULL);
	assert_true(open_live(&bench.live, schedule, type, count, 64, NULL));
	return bench;
}

static void close_bench(struct bench *bench)
{
	close_live(&bench->live);
	ordo_order_destroy(bench->order);
	ordo_proof_destroy(bench->proof);
	ordo_forest_destroy(bench->forest);
}

static void print_difference(const char *title, const struct bench *bench,
	const struct probe *probe, const struct difference *difference)
{
	struct ordo_arena arena = {0};
	const struct element_place place = live_place(&bench->live, difference->element);
	const char *found =
		difference->found == ORDO_NONE
			? probe->recovered.classes[probe->recovered.class_of[difference->element]]
				  .why
			: ordo_forest_print(bench->forest, &arena, difference->found, 64);
	printf("%s, rank %u, chunk %u, element %llu: found %s, wanted %s\n", title, place.rank,
		place.chunk, (unsigned long long)place.offset, found,
		ordo_forest_print(bench->forest, &arena, difference->wanted, 64));
	ordo_arena_free(&arena);
}

struct tally {
	uint32_t nform, nschedule, nprobe, failed;
	uint64_t nelement;
};

static void probe_type(const struct specimen *specimen, const struct ordo_schedule *schedule,
	enum ordo_type type, struct tally *tally)
{
	struct bench bench = open_bench(schedule, NULL, type);
	assert_non_null(bench.order);
	/* Narrow types are moved as the others are; what they add differently one way of running
	 * shows. */
	const size_t ndrive = ordo_type_size(type) < 4 ? 1 : COUNT(drives);
	for (size_t i = 0; i < ndrive; i++) {
		struct probe probe;
		struct difference difference;
		assert_true(make_probe(&probe, &bench.live, &drives[i], bench.forest, NULL));
		if (!agree_with_order(&probe, &bench.live, bench.order, &difference)) {
			print_difference(specimen->title, &bench, &probe, &difference);
			tally->failed++;
		}
		tally->nprobe++;
		tally->nelement += bench.live.first[schedule->problem.nrank];
		free_probe(&probe);
	}
	close_bench(&bench);
}

static void probe_specimen(
	const struct specimen *specimen, const struct ordo_schedule *schedule, void *closure)
{
	struct tally *tally = closure;
	const struct ordo_problem *problem = &schedule->problem;
	const bool plain =
		!strchr(specimen->algorithm, '(') && strstr(specimen->title, "natural") &&
		problem->nshard == problem->nrank && !problem->root && !problem->in_place;
	if (!ordo_operator_facts(problem->op)->reduces || (!plain && tally->nform++ % every))
		return;
	long_chunks = at_length || tally->nschedule % 4 == 0;
	tally->nschedule++;
	for (size_t t = 0; t < COUNT(types); t++)
		if (problem->nshard <= UINT64_C(1) << ordo_type_facts(types[t])->precision)
			probe_type(specimen, schedule, types[t], tally);
}

static void every_algorithm_adds_in_the_order_that_is_proved(void **unused)
{
	(void)unused;
	struct tally tally = {0};
	const struct specimen_range range = {
		.first_rank = first_rank, .last_rank = last_rank, .all_parameters = at_length};
	visit_specimens(&range, probe_specimen, &tally);
	printf("%u schedules of %u..%u ranks, %u probes of %llu elements\n", tally.nschedule,
		first_rank, last_rank, tally.nprobe, (unsigned long long)tally.nelement);
	assert_int_equal(tally.failed, 0);
	assert_true(tally.nschedule > 100);
}

static struct ordo_schedule *compile(enum ordo_operator op, uint32_t nrank, const char *algorithm)
{
	const struct ordo_request request = {
		.problem = {.op = op, .nrank = nrank, .nshard = nrank}, .algorithm = algorithm};
	struct ordo_schedule *schedule = ordo_compile(&request, NULL);
	assert_non_null(schedule);
	return schedule;
}

/* The trees of `made` against the proof of `claimed`. */
static bool passes_for(const struct ordo_schedule *made, const struct ordo_schedule *claimed,
	struct difference *difference)
{
	struct bench bench = open_bench(made, NULL, ORDO_F32);
	struct ordo_proof *proof = ordo_verify(claimed, NULL, NULL);
	struct ordo_order *order = ordo_order_create(bench.forest, claimed, proof, NULL);
	struct probe probe;
	assert_true(proof && order);
	assert_true(make_probe(&probe, &bench.live, &drives[1], bench.forest, NULL));
	const bool passes = agree_with_order(&probe, &bench.live, order, difference);
	free_probe(&probe);
	ordo_order_destroy(order);
	ordo_proof_destroy(proof);
	close_bench(&bench);
	return passes;
}

static void no_order_passes_for_another(void **unused)
{
	(void)unused;
	struct difference difference;
	static const char *const folds[] = {"mesh(fold=linear)", "mesh(fold=folded)"};
	uint32_t count, n = 0;
	const struct ordo_algorithm_facts *const *all = ordo_algorithms(&count);
	const char *names[64];
	struct ordo_schedule *made[64];
	assert_true(count + COUNT(folds) <= COUNT(names));
	for (uint32_t i = 0; i < count + COUNT(folds); i++) {
		const struct ordo_request request = {
			.problem = {.op = ORDO_REDUCESCATTER, .nrank = 6, .chunks_per_block = 6},
			.algorithm = i < count ? all[i]->name : folds[i - count]};
		names[n] = request.algorithm;
		made[n] = ordo_compile(&request, NULL);
		n += made[n] != NULL;
	}
	assert_true(n > 6);
	for (size_t i = 0; i < n; i++)
		for (size_t j = 0; j < n; j++) {
			struct ordo_proof *a = ordo_verify(made[i], NULL, NULL),
					  *b = ordo_verify(made[j], NULL, NULL);
			assert_true(a && b);
			if (passes_for(made[i], made[j], &difference) !=
				!strcmp(a->digest, b->digest))
				fail_msg("%s passes for %s, or not, against their digests",
					names[i], names[j]);
			ordo_proof_destroy(a);
			ordo_proof_destroy(b);
		}
	for (size_t i = 0; i < n; i++)
		ordo_schedule_destroy(made[i]);
}

/* Exchanging the inputs of two ranks' moves leaves the sums complete, but their order is
 * another. */
static void a_schedule_in_another_order_is_seen_where_it_differs(void **unused)
{
	(void)unused;
	struct ordo_schedule *schedule = compile(ORDO_ALLREDUCE, 5, "mesh(shots=1,fold=linear)");
	struct ordo_schedule *changed = ordo_schedule_copy(schedule, NULL);
	struct difference difference;
	uint32_t at[2], nat = 0;
	const struct ordo_program *program = &changed->programs[3];
	for (uint32_t t = changed->streams[program->first_stream].first;
		t < changed->streams[program->end_stream - 1].end && nat < 2; t++)
		if (changed->tasks[t].kind == ORDO_LOCAL_REDUCE &&
			changed->tasks[t].src_buffer == ORDO_SCRATCH)
			at[nat++] = t;
	assert_int_equal(nat, 2);
	const uint32_t slot = changed->tasks[at[0]].src;
	changed->tasks[at[0]].src = changed->tasks[at[1]].src;
	changed->tasks[at[1]].src = slot;
	assert_true(passes_for(schedule, schedule, &difference));
	assert_false(passes_for(changed, schedule, &difference));
	struct bench bench = open_bench(changed, NULL, ORDO_F32);
	assert_int_equal(live_place(&bench.live, difference.element).rank, 3);
	close_bench(&bench);
	ordo_schedule_destroy(changed);
	ordo_schedule_destroy(schedule);
}

static void add_task(struct ordo_schedule *schedule, enum ordo_task_kind kind, uint32_t peer)
{
	struct ordo_task task = {.kind = kind, .phase = ORDO_NO_PHASE, .peer = peer};
	if (ordo_task_moves(&task)) {
		task.count = 1;
		task.src_buffer = ORDO_INPUT;
		task.dst_buffer = ORDO_OUTPUT;
	}
	assert_true(ordo_schedule_append(schedule, &task, NULL));
}

/* Everybody adds onto rank 0, in no order. */
static struct ordo_schedule *add_as_you_like(uint32_t nrank)
{
	const struct ordo_problem problem = {
		.op = ORDO_REDUCE, .nrank = nrank, .nshard = nrank, .chunks_per_block = 1};
	struct ordo_schedule *schedule = ordo_schedule_create(&problem, "hand", NULL);
	assert_non_null(schedule);
	for (uint32_t rank = 0; rank < nrank; rank++) {
		assert_true(ordo_schedule_begin_stream(schedule, rank, "all", NULL));
		if (!rank)
			add_task(schedule, ORDO_LOCAL_COPY, 0);
		for (uint32_t peer = 1; !rank && peer < nrank; peer++)
			add_task(schedule, ORDO_NOTIFY, peer);
		for (uint32_t peer = 1; !rank && peer < nrank; peer++)
			add_task(schedule, ORDO_WAIT, peer);
		if (!rank)
			continue;
		add_task(schedule, ORDO_WAIT, 0);
		add_task(schedule, ORDO_SEND_REDUCE, 0);
		add_task(schedule, ORDO_NOTIFY, 0);
	}
	return schedule;
}

static void where_no_order_is_fixed_every_seed_shows_one(void **unused)
{
	(void)unused;
	struct ordo_schedule *schedule = add_as_you_like(5);
	struct bench bench = open_bench(
		schedule, &(struct ordo_verify_options){.atomic_reduce = true}, ORDO_F32);
	struct probe first, probe;
	struct difference difference;
	uint32_t others = 0;
	assert_int_equal(bench.proof->run_to_run, ORDO_DOES_NOT_HOLD);
	assert_true(make_probe(
		&first, &bench.live, &(struct drive){.seeded = true}, bench.forest, NULL));
	for (uint64_t seed = 0; seed < 10; seed++) {
		assert_true(make_probe(&probe, &bench.live,
			&(struct drive){.seeded = true, .seed = seed}, bench.forest, NULL));
		assert_true(is_whole(&probe, &difference));
		const bool same = agree_with_each_other(
			&first, &probe, bench.forest, bench.live.first[5], &difference);
		assert_true(same || seed);
		others += !same;
		free_probe(&probe);
	}
	assert_true(others > 0);
	free_probe(&first);
	close_bench(&bench);
	ordo_schedule_destroy(schedule);
}

static void virtual_shards_are_the_leaves(void **unused)
{
	(void)unused;
	const struct ordo_request request = {
		.problem = {.op = ORDO_ALLREDUCE, .nrank = 3, .nshard = 12}, .algorithm = "dyadic"};
	struct ordo_schedule *schedule = ordo_compile(&request, NULL);
	assert_non_null(schedule);
	struct difference difference;
	struct bench bench = open_bench(schedule, NULL, ORDO_F64);
	assert_int_equal(live_machine(&bench.live).nleaf, 12);
	close_bench(&bench);
	assert_true(passes_for(schedule, schedule, &difference));
	ordo_schedule_destroy(schedule);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_algorithm_adds_in_the_order_that_is_proved),
		cmocka_unit_test(no_order_passes_for_another),
		cmocka_unit_test(a_schedule_in_another_order_is_seen_where_it_differs),
		cmocka_unit_test(where_no_order_is_fixed_every_seed_shows_one),
		cmocka_unit_test(virtual_shards_are_the_leaves),
	};
	if (argc == 2)
		last_rank = (uint32_t)strtoul(argv[1], NULL, 10);
	if (argc > 3) {
		at_length = true;
		first_rank = (uint32_t)strtoul(argv[1], NULL, 10);
		last_rank = (uint32_t)strtoul(argv[2], NULL, 10);
		every = (uint32_t)strtoul(argv[3], NULL, 10);
	}
	return cmocka_run_group_tests(tests, NULL, NULL);
}
