/* test_compare.c - two schedules compared: the same exactly if their digests are equal and their
 * trees, printed, are; what differs differs when it runs, on an input made for it, and what is the
 * same never does.
 */
#include "compiling.h"
#include "handmade.h"
#include <ordo/arena.h>
#include <ordo/detail/compare.h>
#include <ordo/runtime.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { MOST_MEMBERS = 800 };

/* One schedule of the table. */
struct member {
	char title[160];
	struct ordo_schedule *schedule;
	struct ordo_proof *proof;
	struct ordo_order *order;
};

/* All forms of all algorithms for one operator and number of ranks, cut into several numbers of
 * chunks. */
struct crowd {
	struct ordo_forest *forest;
	struct member members[MOST_MEMBERS];
	uint32_t count;
};

static struct member *admit(struct crowd *crowd, struct ordo_schedule *schedule)
{
	struct ordo_error error = {0};
	assert_true(crowd->count < MOST_MEMBERS);
	struct member *member = &crowd->members[crowd->count++];
	member->schedule = schedule;
	member->proof = ordo_verify(member->schedule, NULL, &error);
	assert_true(member->proof && member->proof->proved);
	member->order = ordo_order_create(crowd->forest, member->schedule, member->proof, &error);
	assert_non_null(member->order);
	return member;
}

static void join(struct crowd *crowd, const struct ordo_request *request)
{
	struct ordo_error error = {0};
	struct ordo_request wish = *request;
	wish.unproved = true;
	struct ordo_schedule *schedule = ordo_compile(&wish, &error);
	if (!schedule) {
		assert_int_equal(error.code, ORDO_USAGE);
		return;
	}
	struct member *member = admit(crowd, schedule);
	snprintf(member->title, sizeof member->title, "%s %s, %u ranks, %u shards, root %u, K %u",
		ordo_operator_facts(request->problem.op)->name, request->algorithm,
		request->problem.nrank, request->problem.nshard, request->problem.root,
		schedule->problem.chunks_per_block);
}

/* One rank that adds its three shards, each chunk in an order of its own: `pattern` has a letter a
 * chunk, the shard that is added last. */
static void join_by_hand(struct crowd *crowd, const char *pattern)
{
	const uint32_t K = (uint32_t)strlen(pattern);
	const struct ordo_problem problem = {
		.op = ORDO_ALLREDUCE, .nrank = 1, .nshard = 3, .chunks_per_block = K};
	struct ordo_arena arena = {0};
	const char *lines = "rank 0\n";
	for (uint32_t chunk = 0; chunk < K; chunk++) {
		const uint32_t last = (uint32_t)(pattern[chunk] - '0');
		for (uint32_t i = 1; i <= 3; i++)
			lines = ordo_arena_format(&arena, "%s%s chunk %u input %u -> output %u\n",
				lines, i == 1 ? "LocalCopy" : "LocalReduce", chunk,
				(last + i) % 3 * K + chunk, chunk);
	}
	struct member *member = admit(crowd, handmade(&problem, 0, lines));
	snprintf(member->title, sizeof member->title, "pattern %s", pattern);
	ordo_arena_free(&arena);
}

static void join_all(
	struct crowd *crowd, const struct ordo_problem *problem, const uint32_t *chunks)
{
	struct ordo_candidates candidates;
	struct ordo_error error;
	assert_true(ordo_candidates_make(
		&candidates, &(struct ordo_request){.problem = *problem}, &error));
	for (uint32_t i = 0; i < candidates.count; i++)
		for (const uint32_t *K = chunks; *K != ORDO_NONE; K++) {
			struct ordo_request request = {
				.problem = *problem, .algorithm = candidates.items[i].algorithm};
			request.problem.chunks_per_block = *K;
			join(crowd, &request);
		}
	ordo_candidates_free(&candidates);
}

static struct crowd *gather(void)
{
	struct crowd *crowd = calloc(1, sizeof *crowd);
	assert_non_null(crowd);
	crowd->forest = ordo_forest_create(NULL);
	assert_non_null(crowd->forest);
	return crowd;
}

static void dismiss(struct crowd *crowd)
{
	for (uint32_t i = 0; i < crowd->count; i++) {
		ordo_order_destroy(crowd->members[i].order);
		ordo_proof_destroy(crowd->members[i].proof);
		ordo_schedule_destroy(crowd->members[i].schedule);
	}
	ordo_forest_destroy(crowd->forest);
	free(crowd);
}

/* The oracle: trees as text. */

static uint64_t common_multiple(uint64_t a, uint64_t b)
{
	uint64_t x = a, y = b;
	while (y) {
		const uint64_t rest = x % y;
		x = y;
		y = rest;
	}
	return a / x * b;
}

/* The texts of the trees of all chunks. */
static const char **print_all(struct ordo_arena *arena, const struct member *member)
{
	const uint32_t nchunk = member->order->nchunk;
	const char **texts = ordo_arena_alloc(arena, nchunk * sizeof *texts);
	assert_non_null(texts);
	for (uint32_t chunk = 0; chunk < nchunk; chunk++)
		texts[chunk] = ordo_tree_print(
			arena, &member->proof->trees, member->proof->chunk_tree[chunk], ORDO_LIMIT);
	return texts;
}

static bool is_in(const struct ordo_vector_part *part, uint64_t at, uint64_t whole)
{
	return part->begin.of * whole <= at * part->begin.whole &&
	       at * part->end.whole < part->end.of * whole;
}

/* Position by position: is every one in one part, and is that part the same exactly if the texts
 * are? */
static void check_parts(const struct member *a, const struct member *b, const char *const *of_a,
	const char *const *of_b, const struct ordo_comparison *comparison)
{
	const uint64_t whole = common_multiple(a->order->nchunk, b->order->nchunk);
	uint32_t part = 0, differing = 0;
	for (uint64_t at = 0; at < whole; at++) {
		const bool same = !strcmp(of_a[at / (whole / a->order->nchunk)],
			of_b[at / (whole / b->order->nchunk)]);
		if (part < comparison->npart && !is_in(&comparison->parts[part], at, whole))
			part++;
		if (part == comparison->npart || !is_in(&comparison->parts[part], at, whole) ||
			comparison->parts[part].same != same)
			fail_msg("%s and %s at %lu/%lu", a->title, b->title, (unsigned long)at,
				(unsigned long)whole);
	}
	assert_int_equal(part + 1, comparison->npart);
	for (part = 0; part < comparison->npart; part++) {
		const struct ordo_vector_part *one = &comparison->parts[part];
		const uint64_t at = one->begin.of * (whole / one->begin.whole);
		assert_int_equal(one->chunk[0], at / (whole / a->order->nchunk));
		assert_int_equal(one->chunk[1], at / (whole / b->order->nchunk));
		if (!one->same && !differing++)
			assert_int_equal(comparison->first, part);
		assert_true(part ? one->begin.of * one[-1].end.whole ==
					    one[-1].end.of * one->begin.whole
				 : !one->begin.of);
	}
	assert_int_equal(differing, comparison->ndiffering);
}

static bool is_same(const struct member *a, const struct member *b)
{
	struct ordo_comparison comparison;
	struct ordo_error error;
	assert_true(ordo_compare(a->order, b->order, &comparison, &error));
	const bool same = !comparison.ndiffering;
	ordo_comparison_free(&comparison);
	return same;
}

/* `differ`: some of them should. */
static void check_crowd(const struct crowd *crowd, bool differ)
{
	struct ordo_arena arena = {0};
	const char **texts[MOST_MEMBERS];
	uint32_t nsame = 0, ndifferent = 0;
	for (uint32_t i = 0; i < crowd->count; i++)
		texts[i] = print_all(&arena, &crowd->members[i]);
	for (uint32_t i = 0; i < crowd->count; i++)
		for (uint32_t j = 0; j <= i; j++) {
			const struct member *a = &crowd->members[i], *b = &crowd->members[j];
			struct ordo_comparison comparison;
			struct ordo_error error;
			assert_true(ordo_compare(a->order, b->order, &comparison, &error));
			check_parts(a, b, texts[i], texts[j], &comparison);
			const bool same = !comparison.ndiffering;
			if (same != !strcmp(a->proof->digest, b->proof->digest))
				fail_msg("%s and %s: digests %s and %s, but %s", a->title, b->title,
					a->proof->digest, b->proof->digest,
					same ? "the same" : "different");
			nsame += same;
			ndifferent += !same;
			ordo_comparison_free(&comparison);
		}
	assert_true(nsame > crowd->count);
	assert_int_equal(ndifferent != 0, differ);
	ordo_arena_free(&arena);
}

static void what_adds_nothing_is_the_same_if_it_comes_from_the_same_ranks(void **state)
{
	(void)state;
	static const enum ordo_operator moving[] = {
		ORDO_BROADCAST, ORDO_ALLGATHER, ORDO_SCATTER, ORDO_GATHER, ORDO_ALLTOALL};
	for (size_t op = 0; op < sizeof moving / sizeof *moving; op++)
		for (uint32_t n = 3; n <= 6; n++) {
			const uint32_t chunks[] = {0, 1, 3, ORDO_NONE};
			struct ordo_problem problem = {.op = moving[op], .nrank = n, .nshard = n};
			const bool roots =
				problem.op == ORDO_BROADCAST || problem.op == ORDO_SCATTER;
			struct crowd *crowd = gather();
			join_all(crowd, &problem, chunks);
			problem.root = n - 1;
			if (ordo_operator_facts(problem.op)->rooted)
				join_all(crowd, &problem, chunks);
			check_crowd(crowd, roots);
			dismiss(crowd);
		}
}

static const enum ordo_operator reducing[] = {ORDO_ALLREDUCE, ORDO_REDUCESCATTER, ORDO_REDUCE};

static void digests_are_equal_exactly_if_every_element_has_the_same_tree(void **state)
{
	(void)state;
	static const uint32_t sizes[] = {2, 3, 4, 5, 6, 7, 8, 9, 12, 16};
	for (size_t op = 0; op < sizeof reducing / sizeof *reducing; op++)
		for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
			const uint32_t n = sizes[i], chunks[] = {0, 1, 2, n + 1, ORDO_NONE};
			struct ordo_problem problem = {.op = reducing[op], .nrank = n, .nshard = n};
			struct crowd *crowd = gather();
			join_all(crowd, &problem, chunks);
			problem.root = n - 1;
			if (problem.op == ORDO_REDUCE)
				join_all(crowd, &problem, chunks);
			check_crowd(crowd, n > 2);
			dismiss(crowd);
		}
}

static void with_as_many_shards_any_number_of_ranks_can_be_compared(void **state)
{
	(void)state;
	for (size_t op = 0; op < 2; op++) {
		struct crowd *crowd = gather();
		const uint32_t chunks[] = {0, 3, ORDO_NONE};
		for (uint32_t n = 1; n <= 12; n += n < 4 ? 1 : 2)
			join_all(crowd,
				&(struct ordo_problem){
					.op = reducing[op], .nrank = n, .nshard = 12},
				chunks);
		check_crowd(crowd, true);
		dismiss(crowd);
	}
}

/* All patterns of up to four chunks, and some of six: every place at which one tree can give way to
 * another. */
static void however_the_vector_is_cut_the_same_elements_are_compared(void **state)
{
	(void)state;
	struct crowd *crowd = gather();
	for (uint32_t length = 1, count = 3; length <= 4; length++, count *= 3)
		for (uint32_t code = 0; code < count; code++) {
			char pattern[8] = "";
			for (uint32_t chunk = 0, rest = code; chunk < length; chunk++, rest /= 3)
				pattern[chunk] = (char)('0' + rest % 3);
			join_by_hand(crowd, pattern);
		}
	static const char *const long_ones[] = {"001122", "112200", "000111", "000000", "011220",
		"000012", "010101", "000011", "001111"};
	for (size_t i = 0; i < sizeof long_ones / sizeof *long_ones; i++)
		join_by_hand(crowd, long_ones[i]);
	check_crowd(crowd, true);
	dismiss(crowd);
}

/* Running them. */

typedef float make_value(uint32_t shard, uint64_t position, const void *closure);

/* All outputs, rank after rank, of vectors of so many elements. The caller frees them. */
static float *run(const struct ordo_schedule *schedule, uint64_t length, make_value *make,
	const void *closure, uint64_t *begin)
{
	const struct ordo_problem *problem = &schedule->problem;
	struct ordo_error error = {0};
	const struct ordo_plan_options options = {
		.type = ORDO_F32, .reduction = ORDO_SUM, .count = length / ordo_nblock(problem)};
	struct ordo_plan *plan = ordo_plan_create(schedule, &options, &error);
	assert_non_null(plan);
	float **inputs = calloc(problem->nrank, sizeof *inputs), *outputs = NULL;
	begin[0] = 0;
	for (uint32_t rank = 0; rank < problem->nrank; rank++)
		begin[rank + 1] =
			begin[rank] + ordo_plan_output_bytes(plan, rank) / sizeof *outputs;
	outputs = calloc(begin[problem->nrank] + 1, sizeof *outputs);
	for (uint32_t rank = 0; rank < problem->nrank; rank++) {
		const uint32_t first = ordo_first_shard(problem, rank),
			       last = ordo_first_shard(problem, rank + 1);
		assert_int_equal(
			ordo_plan_input_bytes(plan, rank), (last - first) * length * sizeof(float));
		inputs[rank] = malloc((last - first) * length * sizeof(float) + 1);
		for (uint32_t shard = first; shard < last; shard++)
			for (uint64_t at = 0; at < length; at++)
				inputs[rank][(shard - first) * length + at] =
					make(shard, at, closure);
		assert_true(
			ordo_plan_bind(plan, rank, inputs[rank], outputs + begin[rank], &error));
	}
	if (!ordo_plan_run_seeded(plan, 7, &error))
		fail_msg("%s", error.text);
	ordo_plan_destroy(plan);
	for (uint32_t rank = 0; rank < problem->nrank; rank++)
		free(inputs[rank]);
	free(inputs);
	return outputs;
}

/* Some float of eight binades: hardly any two orders of adding many have the same sums
 * throughout. */
static float some_value(uint32_t shard, uint64_t position, const void *closure)
{
	uint64_t bits = (shard + 1) * 0x9e3779b97f4a7c15u + (position + 1) * 0xbf58476d1ce4e5b9u +
			*(const uint64_t *)closure;
	bits = (bits ^ bits >> 31) * 0x94d049bb133111ebu;
	bits ^= bits >> 29;
	return (1 + (float)(bits & 0x7fffff) / 0x800000) * (float)(1u << (bits >> 40 & 7));
}

static float contradicting(uint32_t shard, uint64_t position, const void *closure)
{
	const struct ordo_contradiction *contradiction = closure;
	const struct ordo_witness *witness = &contradiction->witness;
	const uint32_t leaves[] = {witness->a, witness->b, witness->c};
	(void)position;
	for (int i = 0; i < 3; i++)
		if (shard == leaves[i])
			return (float)contradiction->value[i];
	return (float)contradiction->rest;
}

/* Where the element lies that is so far into the vector. */
static float element_at(const struct ordo_schedule *schedule, const float *outputs,
	const uint64_t *begin, uint64_t length, uint64_t at)
{
	const struct ordo_problem *problem = &schedule->problem;
	if (problem->op == ORDO_REDUCESCATTER) {
		const uint64_t count = length / problem->nrank;
		return outputs[begin[at / count] + at % count];
	}
	return outputs[begin[problem->root] + at];
}

static uint32_t bits_of(float value)
{
	uint32_t bits;
	memcpy(&bits, &value, sizeof bits);
	return bits;
}

static void run_different(const struct crowd *crowd, const struct member *a, const struct member *b)
{
	struct ordo_error error = {0};
	struct ordo_comparison comparison;
	struct ordo_contradiction contradiction;
	const struct ordo_element elements[2] = {{0, 0, 0}, {0, 0, 0}};
	const uint64_t length = common_multiple(common_multiple(a->order->nchunk, b->order->nchunk),
		common_multiple(
			ordo_nblock(&a->schedule->problem), ordo_nblock(&b->schedule->problem)));
	uint64_t begin[2][32];
	assert_true(ordo_compare(a->order, b->order, &comparison, &error));
	const struct ordo_vector_part *part =
		&comparison.parts[comparison.ndiffering > 1 ? comparison.npart - 1
							    : comparison.first];
	while (part->same)
		part--;
	assert_true(ordo_contradict(crowd->forest, ORDO_F32, ORDO_F32, ORDO_SUM, elements,
		part->tree, &contradiction, &error));
	const uint64_t at = part->begin.of * (length / part->begin.whole);
	float *outputs[2] = {run(a->schedule, length, contradicting, &contradiction, begin[0]),
		run(b->schedule, length, contradicting, &contradiction, begin[1])};
	const uint32_t found[2] = {
		bits_of(element_at(a->schedule, outputs[0], begin[0], length, at)),
		bits_of(element_at(b->schedule, outputs[1], begin[1], length, at))};
	if (found[0] == found[1] || found[0] != contradiction.bits[0] ||
		found[1] != contradiction.bits[1])
		fail_msg("%s and %s: %08x and %08x, said to be %08lx and %08lx", a->title, b->title,
			found[0], found[1], (unsigned long)contradiction.bits[0],
			(unsigned long)contradiction.bits[1]);
	free(outputs[0]);
	free(outputs[1]);
	ordo_comparison_free(&comparison);
}

static void run_same(const struct member *a, const struct member *b)
{
	const uint64_t length = 3 *
				common_multiple(ordo_nblock(&a->schedule->problem),
					ordo_nblock(&b->schedule->problem)) *
				7;
	uint64_t begin[2][32];
	for (uint64_t seed = 1; seed <= 3; seed++) {
		float *outputs[2] = {run(a->schedule, length, some_value, &seed, begin[0]),
			run(b->schedule, length, some_value, &seed, begin[1])};
		for (uint64_t at = 0; at < length; at++)
			if (bits_of(element_at(a->schedule, outputs[0], begin[0], length, at)) !=
				bits_of(element_at(b->schedule, outputs[1], begin[1], length, at)))
				fail_msg("%s and %s: element %lu differs", a->title, b->title,
					(unsigned long)at);
		free(outputs[0]);
		free(outputs[1]);
	}
}

static void run_crowd(const struct crowd *crowd)
{
	uint32_t nsame = 0, ndifferent = 0, pair = 0;
	for (uint32_t i = 0; i < crowd->count; i++)
		for (uint32_t j = 0; j < i; j++) {
			const struct member *a = &crowd->members[i], *b = &crowd->members[j];
			if (pair++ % 3)
				continue;
			if (is_same(a, b)) {
				run_same(a, b);
				nsame++;
			} else {
				run_different(crowd, a, b);
				ndifferent++;
			}
		}
	assert_true(nsame && ndifferent);
}

static void what_differs_differs_when_it_runs_and_what_is_the_same_does_not(void **state)
{
	(void)state;
	for (size_t op = 0; op < sizeof reducing / sizeof *reducing; op++)
		for (uint32_t n = 3; n <= 8; n++) {
			const uint32_t chunks[] = {0, 3, ORDO_NONE};
			struct crowd *crowd = gather();
			join_all(crowd,
				&(struct ordo_problem){.op = reducing[op], .nrank = n, .nshard = n},
				chunks);
			run_crowd(crowd);
			dismiss(crowd);
		}
	struct crowd *crowd = gather();
	const uint32_t chunks[] = {0, ORDO_NONE};
	for (uint32_t n = 2; n <= 8; n += 2)
		join_all(crowd,
			&(struct ordo_problem){.op = ORDO_REDUCESCATTER, .nrank = n, .nshard = 8},
			chunks);
	run_crowd(crowd);
	dismiss(crowd);
}

static void what_is_not_comparable_is_refused(void **state)
{
	(void)state;
	struct crowd *crowd = gather();
	struct ordo_comparison comparison;
	struct ordo_error error = {0};
	join(crowd,
		&(struct ordo_request){.problem = {.op = ORDO_ALLREDUCE, .nrank = 4, .nshard = 4},
			.algorithm = "ring"});
	join(crowd, &(struct ordo_request){
			    .problem = {.op = ORDO_REDUCESCATTER, .nrank = 4, .nshard = 4},
			    .algorithm = "ring"});
	join(crowd,
		&(struct ordo_request){.problem = {.op = ORDO_ALLREDUCE, .nrank = 6, .nshard = 6},
			.algorithm = "ring"});
	assert_int_equal(crowd->count, 3);
	for (int i = 1; i < 3; i++) {
		assert_false(ordo_compare(
			crowd->members[0].order, crowd->members[i].order, &comparison, &error));
		assert_int_equal(error.code, ORDO_USAGE);
		assert_int_equal(error.rule, 0);
		ordo_comparison_free(&comparison);
	}
	/* A schedule whose ranks disagree has no one order. */
	crowd->members[0].order->rank_equal = ORDO_DOES_NOT_HOLD;
	assert_false(ordo_compare(
		crowd->members[0].order, crowd->members[0].order, &comparison, &error));
	assert_int_equal(error.code, ORDO_REFUTED);
	ordo_comparison_free(&comparison);
	dismiss(crowd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(digests_are_equal_exactly_if_every_element_has_the_same_tree),
		cmocka_unit_test(what_adds_nothing_is_the_same_if_it_comes_from_the_same_ranks),
		cmocka_unit_test(with_as_many_shards_any_number_of_ranks_can_be_compared),
		cmocka_unit_test(however_the_vector_is_cut_the_same_elements_are_compared),
		cmocka_unit_test(what_differs_differs_when_it_runs_and_what_is_the_same_does_not),
		cmocka_unit_test(what_is_not_comparable_is_refused),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
