/* test_hashes.c - one hash of the result for each type and reduction, whoever runs the schedule:
 * any number of threads, any interleaving, its tasks or what is folded from them, loops for any
 * instructions the CPU has. It is the one that hashes.txt has, so that any two builds of any
 * compilers agree as well.
 *
 * The elements are what is hard to add: subnormal numbers, the largest ones, signed zeros,
 * infinities, all sizes mixed. A NaN is among them where a rule says which one comes of it (half.h;
 * minima and maxima), never two that meet.
 *
 * Of sums without order (exact.h), for each form and type, the hash is that of the states that are
 * summed, and of what they are rounded to. The order of adding changes none of their bits.
 *
 * usage: test_hashes FILE [one] | test_hashes: prints what the file is to hold
 * one: only the loops that the runtime would choose; which threads meet does not depend on them.
 */
#define XXH_INLINE_ALL
#include "exchanges.h"
#include "kernels/kernels.h"
#include <inttypes.h>
#include <math.h>
#include <ordo/communicator.h>
#include <ordo/exact.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include <cmocka.h>

#define NRANK 5
#define COUNT 1009
#define HASH_SIZE 33

/* Which loops the runtime finds: the linker asks here. NOLINTBEGIN(bugprone-reserved-identifier):
 * the linker's names */
static const struct ordo_kernels *form;
const struct ordo_kernels *__wrap_ordo_kernels(void);
const struct ordo_kernels *__wrap_ordo_kernels(void)
{
	return form;
}
/* NOLINTEND(bugprone-reserved-identifier) */

static const char *file;
static struct ordo_schedule *schedule;
static unsigned char inputs[NRANK][COUNT * 32], outputs[NRANK][COUNT * 32];

/* Inputs. */

static uint64_t random_bits(uint32_t rank, uint32_t i)
{
	uint64_t bits = (i * UINT64_C(131) + rank + 1) * UINT64_C(0x9e3779b97f4a7c15);
	bits = (bits ^ bits >> 29) * UINT64_C(0xbf58476d1ce4e5b9);
	return bits ^ bits >> 32;
}

/* significand * 2^exponent, the significand at most of the type's precision, so that nothing is
 * rounded. */
static double number(
	const struct ordo_type_facts *facts, uint64_t bits, uint32_t precision, int32_t exponent)
{
	const double significand = (double)(bits >> 8 & ((UINT64_C(1) << precision) - 1));
	return ldexp(significand, exponent - (int32_t)facts->precision + 1);
}

/* Where they overflow, all ranks' elements have one sign, so that no two infinities of different
 * sign meet. Of a product all factors but one are 1 to 2, so that something is left of it, and an
 * infinity meets no zero. */
static double hard_number(
	enum ordo_type type, enum ordo_reduction reduction, uint32_t rank, uint32_t i)
{
	const struct ordo_type_facts *facts = ordo_type_facts(type);
	const uint64_t bits = random_bits(rank, i);
	const int32_t greatest = facts->greatest_exponent, least = facts->least_exponent;
	const uint32_t p = facts->precision;
	const bool one_nan =
		!facts->is_float || p < 24 || reduction == ORDO_MIN || reduction == ORDO_MAX;
	const double own_sign = bits & 1 ? -1 : 1, common_sign = i & 8 ? -1 : 1;
	if (reduction == ORDO_PROD && i % 8 && i % 8 < 7 && rank != i / 8 % NRANK)
		return own_sign * number(facts, bits | UINT64_C(1) << (p + 7), p, 0);
	switch (i % 8) {
	case 0: /* Any size that does not overflow, any sign. */
		return own_sign * number(facts, bits | 1 << 8, p, (int32_t)(bits >> 60) - 8);
	case 1: /* Subnormal. */
		return own_sign * number(facts, bits, p - 1, least);
	case 2: /* Zeros of both signs, and now and then something else. */
		return own_sign * (bits & 6 ? 0.0 : number(facts, bits, p, 0));
	case 3: /* About as large as can be. */
		return common_sign * number(facts, bits | UINT64_C(1) << (p + 7), p, greatest);
	case 4: /* About as small as can be: some are subnormal. */
		return own_sign * number(facts, bits, p, least);
	case 5: /* One infinity or two among the others. */
		return bits & 2 ? common_sign * (double)INFINITY
				: common_sign * (1 + number(facts, bits, p, 1));
	case 6: /* The last bit decides, or half of it. */
		return own_sign *
		       number(facts, bits | 1 << 8, p, (int32_t)p * (int32_t)(rank % 3) / 2);
	default:
		return one_nan && rank == i % NRANK ? (double)NAN
						    : own_sign * number(facts, bits, p, 1);
	}
}

/* A value of few, so that many are equal; any index, and now and then a NaN. */
static void put_pair(enum ordo_type type, uint32_t rank, uint32_t i)
{
	const enum ordo_type part = ordo_type_facts(type)->part;
	const uint64_t bits = random_bits(rank, i);
	const int32_t index = (int32_t)(bits >> 32);
	const double value = (double)(bits % 4) * (bits & 16 ? -1 : 1);
	const bool is_nan = ordo_type_facts(part)->is_float && bits % 64 == 63;
	ordo_element_put(type, inputs[rank], i, is_nan ? (double)NAN : value);
	memcpy(inputs[rank] + i * ordo_type_size(type) + ordo_type_size(part), &index,
		sizeof index);
}

/* Of complex numbers, their parts one by one. */
static void fill(enum ordo_type type, enum ordo_reduction reduction)
{
	const bool is_complex = ordo_type_facts(type)->kind == ORDO_COMPLEX;
	const enum ordo_type part = is_complex ? ordo_type_facts(type)->part : type;
	const struct ordo_type_facts *facts = ordo_type_facts(part);
	for (uint32_t r = 0; r < NRANK; r++)
		for (uint32_t i = 0; i < (is_complex ? 2 * COUNT : COUNT); i++) {
			const uint64_t bits = random_bits(r, i);
			if (facts->kind == ORDO_PAIR)
				put_pair(part, r, i);
			else if (facts->is_float)
				ordo_element_put(
					part, inputs[r], i, hard_number(part, reduction, r, i));
			else
				memcpy(inputs[r] + i * facts->size, &bits, facts->size);
		}
}

/* States of sums. */

static const struct sums {
	enum ordo_type type;
	uint32_t bins;
	const char *name;
} all_sums[] = {{ORDO_F8E4M3, 0, "exact"}, {ORDO_F8E5M2, 0, "exact"}, {ORDO_F16, 0, "exact"},
	{ORDO_BF16, 2, "binned(bins=2)"}, {ORDO_BF16, 3, "binned(bins=3)"},
	{ORDO_F32, 2, "binned(bins=2)"}, {ORDO_F32, 3, "binned(bins=3)"},
	{ORDO_F64, 2, "binned(bins=2)"}, {ORDO_F64, 3, "binned(bins=3)"}};
enum { NSUMS = sizeof all_sums / sizeof *all_sums };

/* A line of the table: what its elements are, and what their results are rounded to. */
struct line {
	char name[64];
	enum ordo_type type;
	enum ordo_reduction reduction;
	const struct sums *sums; /* NULL: of elements, not states */
};

static struct line line_of(enum ordo_type type, enum ordo_reduction reduction)
{
	struct line line = {.type = type, .reduction = reduction};
	snprintf(line.name, sizeof line.name, "%s %s", ordo_type_name(type),
		ordo_reduction_name(reduction));
	return line;
}

static struct line line_of_states(const struct sums *sums)
{
	struct line line = {.reduction = ORDO_SUM, .sums = sums};
	snprintf(line.name, sizeof line.name, "%s %s", ordo_type_name(sums->type), sums->name);
	assert_true(ordo_exact_type(sums->type, sums->bins, &line.type, NULL));
	return line;
}

/* Every rank has two vectors in its states. */
static void fill_states(const struct line *line)
{
	static unsigned char elements[NRANK][COUNT * 8];
	const size_t nbyte = COUNT * ordo_type_size(line->type);
	fill(line->sums->type, ORDO_SUM);
	for (uint32_t r = 0; r < NRANK; r++)
		memcpy(elements[r], inputs[r], sizeof elements[r]);
	for (uint32_t r = 0; r < NRANK; r++) {
		memset(inputs[r], 0, nbyte);
		for (uint32_t i = r; i < r + 2; i++)
			assert_true(ordo_exact_add(line->sums->type, line->type, inputs[r],
				elements[i % NRANK], COUNT, NULL));
	}
}

static void fill_line(const struct line *line)
{
	if (line->sums)
		fill_states(line);
	else
		fill(line->type, line->reduction);
}

/* Calls `visit` for each line of the table. */
static void visit_lines(void visit(const struct line *line))
{
	for (int type = 0; type < ORDO_NTYPE; type++)
		for (int reduction = 0; reduction < ORDO_NREDUCTION; reduction++) {
			const struct line line =
				line_of((enum ordo_type)type, (enum ordo_reduction)reduction);
			if (ordo_has_reduction(line.type, line.reduction, NULL))
				visit(&line);
		}
	for (size_t i = 0; i < NSUMS; i++) {
		const struct line line = line_of_states(&all_sums[i]);
		visit(&line);
	}
}

/* Results. */

struct hash {
	char text[HASH_SIZE];
};

/* Of all ranks' outputs, which are spoilt for the next run; of states, also of what the first
 * rank's are rounded to. */
static struct hash hash_outputs(const struct line *line)
{
	const size_t size = COUNT * ordo_type_size(line->type);
	XXH3_state_t *state = XXH3_createState();
	assert_non_null(state);
	XXH3_128bits_reset(state);
	for (uint32_t r = 0; r < NRANK; r++)
		XXH3_128bits_update(state, outputs[r], size);
	if (line->sums) {
		static unsigned char rounded[COUNT * 8];
		assert_true(ordo_exact_round(
			line->sums->type, line->type, rounded, outputs[0], COUNT, NULL));
		XXH3_128bits_update(state, rounded, COUNT * ordo_type_size(line->sums->type));
	}
	const XXH128_hash_t digest = XXH3_128bits_digest(state);
	XXH3_freeState(state);
	memset(outputs, 0xa5, sizeof outputs);
	struct hash hash;
	snprintf(hash.text, sizeof hash.text, "%016" PRIx64 "%016" PRIx64, digest.high64,
		digest.low64);
	return hash;
}

static struct ordo_plan *make_plan(const struct line *line, uint64_t tile_bytes)
{
	const struct ordo_plan_options options = {.type = line->type,
		.reduction = line->reduction,
		.count = COUNT,
		.tile_bytes = tile_bytes};
	struct ordo_error error;
	struct ordo_plan *plan = ordo_plan_create(schedule, &options, &error);
	if (!plan)
		fail_msg("%s", error.text);
	for (uint32_t r = 0; r < NRANK; r++)
		assert_true(ordo_plan_bind(plan, r, inputs[r], outputs[r], NULL));
	return plan;
}

/* The hash that is stored. */
static struct hash wanted(const struct line *line)
{
	struct hash hash = {""};
	FILE *stored = fopen(file, "r");
	assert_non_null(stored);
	char text[128];
	const size_t length = strlen(line->name);
	while (!hash.text[0] && fgets(text, sizeof text, stored))
		if (!strncmp(text, line->name, length) && text[length] == ' ')
			snprintf(hash.text, sizeof hash.text, "%.32s", text + length + 1);
	fclose(stored);
	if (!hash.text[0])
		fail_msg("%s has no line for %s", file, line->name);
	return hash;
}

static void expect(const struct line *line, const char *who)
{
	const struct hash found = hash_outputs(line), stored = wanted(line);
	if (strcmp(found.text, stored.text) != 0)
		fail_msg("%s, %s loops, %s: %s, wanted %s", line->name, form->name, who, found.text,
			stored.text);
}

/* Runs. */

static void expect_from_threads(struct ordo_plan *plan, const struct line *line, uint32_t nthread)
{
	char who[32];
	snprintf(who, sizeof who, "%u threads", nthread);
	assert_true(ordo_plan_run_threads(plan, nthread, NULL));
	expect(line, who);
}

/* A rank's thread, with a plan or a communicator. */
struct caller {
	pthread_t thread;
	struct ordo_plan *plan;
	struct ordo_communicator *communicator;
	const struct ordo_part *part;
	uint32_t rank;
	bool worked;
};

static void *call(void *argument)
{
	struct caller *caller = argument;
	caller->worked = caller->plan ? ordo_plan_run_rank(caller->plan, caller->rank, NULL)
				      : ordo_communicator_run(caller->communicator, caller->rank,
						caller->part, NULL);
	return NULL;
}

static void expect_from_callers(struct caller *callers, const struct line *line)
{
	for (uint32_t r = 0; r < NRANK; r++)
		assert_int_equal(pthread_create(&callers[r].thread, NULL, call, &callers[r]), 0);
	for (uint32_t r = 0; r < NRANK; r++)
		pthread_join(callers[r].thread, NULL);
	for (uint32_t r = 0; r < NRANK; r++)
		assert_true(callers[r].worked);
	expect(line, callers->plan ? "a thread a rank" : "a thread a rank, on a communicator");
}

static void expect_from_seeds(struct ordo_plan *plan, const struct line *line)
{
	for (uint64_t seed = 0; seed < 8; seed++) {
		assert_true(ordo_plan_run_seeded(plan, seed, NULL));
		expect(line, "by seed");
	}
}

/* In one round of all tasks, and in many. */
static void expect_from_plans(const struct line *line)
{
	static const uint64_t tiles[] = {UINT64_MAX, 40};
	for (size_t i = 0; i < sizeof tiles / sizeof *tiles; i++) {
		struct ordo_plan *plan = make_plan(line, tiles[i]);
		expect_from_seeds(plan, line);
		expect_from_threads(plan, line, 1);
		expect_from_threads(plan, line, 2);
		expect_from_threads(plan, line, 8);
		struct caller callers[NRANK];
		for (uint32_t r = 0; r < NRANK; r++)
			callers[r] = (struct caller){.plan = plan, .rank = r};
		expect_from_callers(callers, line);
		ordo_plan_destroy(plan);
	}
}

/* Driven by one call, then started and waited for, by one thread and by as many as there are
 * ranks. */
static void expect_from_communicator(
	const struct ordo_collective *collective, uint32_t nhelper, const struct line *line)
{
	const struct ordo_communicator_options options = {.nrank = NRANK, .nhelper = nhelper};
	struct ordo_communicator *communicator = ordo_communicator_create(&options, NULL);
	struct ordo_part parts[NRANK];
	struct ordo_ticket tickets[NRANK];
	struct caller callers[NRANK];
	assert_non_null(communicator);
	for (uint32_t r = 0; r < NRANK; r++)
		parts[r] = (struct ordo_part){collective, inputs[r], outputs[r], 0};
	assert_true(ordo_communicator_run_all(communicator, parts, NULL));
	expect(line, "driven by one call");
	for (uint32_t r = 0; r < NRANK; r++)
		assert_true(ordo_communicator_start(communicator, r, &parts[r], &tickets[r], NULL));
	for (uint32_t r = 0; r < NRANK; r++)
		assert_true(ordo_communicator_wait(communicator, &tickets[r], NULL));
	expect(line, "started and waited for");
	for (uint32_t r = 0; r < NRANK; r++)
		callers[r] =
			(struct caller){.communicator = communicator, .part = &parts[r], .rank = r};
	expect_from_callers(callers, line);
	ordo_communicator_destroy(communicator);
}

static void expect_from_communicators(const struct line *line)
{
	const struct ordo_plan_options options = {
		.type = line->type, .reduction = line->reduction, .count = COUNT};
	struct ordo_collective *collective = ordo_collective_create(schedule, &options, NULL);
	assert_non_null(collective);
	expect_from_communicator(collective, 0, line);
	expect_from_communicator(collective, 1, line);
	expect_from_communicator(collective, 3, line);
	ordo_collective_destroy(collective);
}

static void expect_line(const struct line *line)
{
	fill_line(line);
	expect_from_plans(line);
	expect_from_communicators(line);
}

static void same_hash(void **state)
{
	form = *state;
	visit_lines(expect_line);
}

static void print_line(const struct line *line)
{
	fill_line(line);
	struct ordo_plan *plan = make_plan(line, UINT64_MAX);
	assert_true(ordo_plan_run_seeded(plan, 0, NULL));
	ordo_plan_destroy(plan);
	printf("%s %s\n", line->name, hash_outputs(line).text);
}

int main(int argc, char **argv)
{
	const struct ordo_kernels *forms[ORDO_NKERNEL_FORM];
	const uint32_t nform = ordo_kernels_all(forms, ORDO_NKERNEL_FORM);
	struct CMUnitTest tests[ORDO_NKERNEL_FORM];
	schedule = exchange_ring(NRANK, false, true);
	form = forms[0];
	if (argc < 2) {
		visit_lines(print_line);
		ordo_schedule_destroy(schedule);
		return 0;
	}
	file = argv[1];
	for (uint32_t i = 0; i < nform; i++)
		tests[i] = (struct CMUnitTest){.name = forms[i]->name,
			.test_func = same_hash,
			.initial_state = (void *)(uintptr_t)forms[i]};
	const uint32_t first = argc > 2 && !strcmp(argv[2], "one") ? nform - 1 : 0;
	const int nfailed =
		_cmocka_run_group_tests("hashes", tests + first, nform - first, NULL, NULL);
	ordo_schedule_destroy(schedule);
	return nfailed;
}
