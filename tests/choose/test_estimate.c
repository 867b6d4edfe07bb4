/* test_estimate.c - what compiling and proving is estimated to take, against what it took: every
 * algorithm, every operator it has and every variant worth trying. Bytes are those that are
 * allocated at a time, at most.
 *
 * Arguments: numbers of ranks to compile everything for, or N:K with chunks, or names of
 * topologies, in place of those below.
 */
#include <malloc.h>
#include <ordo/compiler.h>
#include <ordo/memory.h>
#include <ordo/topology.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
/* cmocka needs four of the above. */
#include <cmocka.h>

/* NOLINTBEGIN(bugprone-reserved-identifier): the linker's names */
void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *memory, size_t size);
void *__real_aligned_alloc(size_t alignment, size_t size);
void __real_free(void *memory);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *memory, size_t size);
void *__wrap_aligned_alloc(size_t alignment, size_t size);
void __wrap_free(void *memory);

static size_t held, most_held;

static void *take(void *memory)
{
	held += memory ? malloc_usable_size(memory) : 0;
	most_held = held > most_held ? held : most_held;
	return memory;
}

void *__wrap_malloc(size_t size)
{
	return take(__real_malloc(size));
}

void *__wrap_calloc(size_t count, size_t size)
{
	return take(__real_calloc(count, size));
}

void *__wrap_aligned_alloc(size_t alignment, size_t size)
{
	return take(__real_aligned_alloc(alignment, size));
}

void *__wrap_realloc(void *memory, size_t size)
{
	const size_t before = memory ? malloc_usable_size(memory) : 0;
	void *moved = __real_realloc(memory, size);
	held -= moved ? before : 0;
	return moved ? take(moved) : NULL;
}

void __wrap_free(void *memory)
{
	held -= memory ? malloc_usable_size(memory) : 0;
	__real_free(memory);
}
/* NOLINTEND(bugprone-reserved-identifier) */

/* What there is to compile: N; K, 0 for the natural one; V/N; and on what. */
struct size {
	uint32_t nrank, chunks, shards;
	const char *topology; /* NULL: a link between every two ranks */
};

static const struct size sizes[] = {{1, 0, 1, NULL}, {2, 0, 1, NULL}, {7, 0, 1, NULL},
	{16, 0, 1, NULL}, {36, 3, 1, NULL}, {16, 100, 1, NULL}, {12, 0, 5, NULL}, {12, 0, 40, NULL},
	{0, 0, 1, "torus:12x12"}};
enum { NSIZE = sizeof sizes / sizeof *sizes };

struct judgement {
	uint32_t judged, wrong;
	double least_tasks, most_tasks, least_bytes, most_bytes; /* estimate / truth */
};

static bool judge_ratio(double ratio, double *least, double *most)
{
	*least = ratio < *least ? ratio : *least;
	*most = ratio > *most ? ratio : *most;
	return ratio >= 0.5 && ratio <= 4;
}

static void judge_request(const struct ordo_request *request, struct judgement *judgement)
{
	struct ordo_estimate estimate;
	struct ordo_error error = {0};
	most_held = held;
	const size_t before = held;
	struct ordo_schedule *schedule = ordo_compile(request, &error);
	/* Less is never too much, and is not estimated. */
	const double least = 128 << 10, taken = (double)(most_held - before),
		     bytes = taken > least ? taken : least;
	if (!schedule) {
		assert_int_equal(error.code, ORDO_USAGE);
		return;
	}
	assert_true(ordo_estimate(request, &estimate, &error));
	const bool tasks_right =
		schedule->ntask == 0 || judge_ratio(estimate.tasks / schedule->ntask,
						&judgement->least_tasks, &judgement->most_tasks);
	const bool bytes_right = judge_ratio(
		estimate.bytes / bytes, &judgement->least_bytes, &judgement->most_bytes);
	judgement->judged++;
	if (!tasks_right || !bytes_right) {
		judgement->wrong++;
		print_message("%s on %u ranks by %s, K=%u, V=%u: %u tasks, estimated %.0f; %.0f "
			      "bytes, estimated %.0f\n",
			ordo_operator_facts(request->problem.op)->name, request->problem.nrank,
			request->algorithm, request->problem.chunks_per_block,
			request->problem.nshard, schedule->ntask, estimate.tasks, bytes,
			estimate.bytes);
	}
	ordo_schedule_destroy(schedule);
}

static void judge_variant(const struct ordo_algorithm_facts *facts,
	const struct ordo_variant *variant, const struct size *size,
	const struct ordo_topology *topology, struct judgement *judgement)
{
	char name[128];
	/* What is only compiled if it is named may grow otherwise. */
	if (variant->most_ranks && size->nrank > variant->most_ranks)
		return;
	const size_t before = strcspn(variant->settings, "#");
	snprintf(name, sizeof name, *variant->settings ? "%s(%.*s%s%s)" : "%s", facts->name,
		(int)before, variant->settings, variant->settings[before] ? "2" : "",
		variant->settings[before] ? variant->settings + before + 1 : "");
	for (int op = 0; op < ORDO_NOPERATOR; op++) {
		const uint32_t operators =
			variant->operators ? variant->operators : facts->operators;
		if (!(operators >> op & 1) ||
			(size->shards > 1 && !ordo_operator_facts((enum ordo_operator)op)->reduces))
			continue;
		const struct ordo_request request = {.problem = {.op = (enum ordo_operator)op,
							     .nrank = size->nrank,
							     .nshard = size->nrank * size->shards,
							     .chunks_per_block = size->chunks},
			.algorithm = name,
			.topology = topology};
		judge_request(&request, judgement);
	}
}

static void judge_size(struct size size, struct judgement *judgement)
{
	static const struct ordo_variant plain = {.settings = ""};
	uint32_t count;
	struct ordo_topology *topology =
		size.topology ? ordo_topology_make(size.topology, size.nrank, NULL) : NULL;
	assert_true(topology || !size.topology);
	size.nrank = topology ? topology->nrank : size.nrank;
	const struct ordo_algorithm_facts *const *algorithms = ordo_algorithms(&count);
	for (uint32_t i = 0; i < count; i++) {
		const struct ordo_algorithm_facts *facts = algorithms[i];
		for (uint32_t v = 0; v < (facts->variants ? facts->nvariant : 1); v++)
			judge_variant(facts, facts->variants ? &facts->variants[v] : &plain, &size,
				topology, judgement);
	}
	ordo_topology_destroy(topology);
}

static struct size *wanted;
static size_t nwanted;

static void estimates_are_within_a_half_and_four_times(void **state)
{
	(void)state;
	struct judgement judgement = {0, 0, 1, 1, 1, 1};
	for (size_t i = 0; i < nwanted; i++)
		judge_size(wanted[i], &judgement);
	print_message(
		"# %u requests: tasks estimated %.2f to %.2f times, bytes %.2f to %.2f times\n",
		judgement.judged, judgement.least_tasks, judgement.most_tasks,
		judgement.least_bytes, judgement.most_bytes);
	assert_true(judgement.judged > 50);
	assert_int_equal(judgement.wrong, 0);
}

static void what_is_too_large_is_refused_before_it_is_built(void **state)
{
	(void)state;
	uint32_t count;
	const struct ordo_algorithm_facts *const *algorithms = ordo_algorithms(&count);
	ordo_set_memory_limit(UINT64_C(64) << 20);
	for (uint32_t i = 0; i < count; i++)
		for (int op = 0; op < ORDO_NOPERATOR; op++) {
			const struct ordo_request request = {
				.problem = {.op = (enum ordo_operator)op,
					.nrank = 1u << 30,
					.nshard = 1u << 30},
				.algorithm = algorithms[i]->name};
			struct ordo_error error = {0};
			if (!(algorithms[i]->operators >> op & 1))
				continue;
			most_held = held;
			const size_t before = held;
			assert_null(ordo_compile(&request, &error));
			assert_true(most_held - before < 48 << 20); /* of a sample */
			if (strstr(error.text, "wanted at most 2147483647 chunks in all") ||
				strstr(error.text, "ranks, wanted up to "))
				continue;
			if (!error.too_large || error.code != ORDO_ENVIRONMENT ||
				!strstr(error.text, " tasks, takes about "))
				fail_msg("%s: %s", request.algorithm, error.text);
		}
	ordo_set_memory_limit(UINT64_MAX);
}

static void a_few_slots_more_than_there_is_memory_for_are_not_proved(void **state)
{
	(void)state;
	const struct ordo_problem problem = {
		.op = ORDO_ALLREDUCE, .nrank = 1, .nshard = 1, .chunks_per_block = 100000000};
	struct ordo_error error = {0};
	struct ordo_schedule *schedule = ordo_schedule_create(&problem, "none", NULL);
	assert_non_null(schedule);
	ordo_set_memory_limit(UINT64_C(1) << 30);
	most_held = held;
	const size_t before = held;
	assert_null(ordo_verify(schedule, NULL, &error));
	ordo_set_memory_limit(UINT64_MAX);
	assert_true(error.too_large && most_held - before < 1 << 20);
	assert_string_equal(
		error.text, "proving it takes about 2.329 GiB of memory, there is 1 GiB");
	ordo_schedule_destroy(schedule);
}

int main(int argc, char **argv)
{
	struct size asked[16];
	wanted = asked;
	for (int i = 1; i < argc && nwanted < 16; i++) {
		char *end;
		const uint32_t nrank = (uint32_t)strtoul(argv[i], &end, 10);
		const uint32_t chunks = *end == ':' ? (uint32_t)strtoul(end + 1, NULL, 10) : 0;
		asked[nwanted++] = (struct size){nrank, chunks, 1, nrank ? NULL : argv[i]};
	}
	for (size_t i = 0; argc == 1 && i < NSIZE; i++)
		asked[nwanted++] = sizes[i];
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(estimates_are_within_a_half_and_four_times),
		cmocka_unit_test(what_is_too_large_is_refused_before_it_is_built),
		cmocka_unit_test(a_few_slots_more_than_there_is_memory_for_are_not_proved),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
