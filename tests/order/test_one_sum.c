/* test_one_sum.c [MOST RANKS] - sums without order: every algorithm gives one result, that of an
 * oracle which adds integers of 128 bits and knows no state; and the proof says so.
 *
 * The oracle has the definition of accumulate.h: an exact sum is the sum, rounded once; of a binned
 * one, each number loses what lies below the lowest of m bins of 28 bits, the highest of which is
 * that of the greatest number's first bit.
 */
#include "compiling.h"
#include "rig.h"
#include <ordo/compiler.h>
#include <ordo/detail/accumulate.h>
#include <ordo/detail/compare.h>
#include <ordo/detail/order.h>
#include <ordo/document.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

__extension__ typedef __int128 wide;
__extension__ typedef unsigned __int128 magnitude;

/* A float type: its fields, and the result of a sum that is too large. */
struct layout {
	int fraction, exponent; /* bits */
	uint64_t overflow, nan;
	bool has_infinity;
};

static struct layout layout_of(enum ordo_type type)
{
	switch ((int)type) {
	case ORDO_F8E4M3:
		return (struct layout){3, 4, 0x7e, 0x7f, false};
	case ORDO_F8E5M2:
		return (struct layout){2, 5, 0x7b, 0x7e, true};
	case ORDO_F16:
		return (struct layout){10, 5, 0x7c00, 0x7e00, true};
	case ORDO_BF16:
		return (struct layout){7, 8, 0x7f80, 0x7fc0, true};
	case ORDO_F32:
		return (struct layout){23, 8, 0x7f800000, 0x7fc00000, true};
	default:
		return (struct layout){52, 11, UINT64_C(0x7ff) << 52, UINT64_C(0xfff) << 51, true};
	}
}

/* A number is significand * 2^place, in units of the least subnormal. */
struct number {
	bool negative, is_nan, is_infinite;
	uint64_t significand;
	int place;
};

static struct number number_of(struct layout layout, uint64_t bits)
{
	const uint64_t most = (UINT64_C(1) << layout.exponent) - 1,
		       fraction = bits & ((UINT64_C(1) << layout.fraction) - 1),
		       exponent = bits >> layout.fraction & most;
	struct number number = {.negative = bits >> (layout.fraction + layout.exponent) & 1};
	const bool special = exponent == most && (layout.has_infinity || fraction == 7);
	number.is_nan = special && (fraction || !layout.has_infinity);
	number.is_infinite = special && !number.is_nan;
	number.significand = fraction | (uint64_t)(exponent > 0) << layout.fraction;
	number.place = exponent ? (int)exponent - 1 : 0;
	return number;
}

static int length_of(magnitude x)
{
	int length = 0;
	for (; x; x >>= 1)
		length++;
	return length;
}

/* sum * 2^place in units of the least subnormal, rounded to nearest, ties to even. */
static uint64_t round_sum(struct layout layout, wide sum, int place)
{
	const uint64_t sign = (uint64_t)(sum < 0) << (layout.fraction + layout.exponent);
	magnitude x = sum < 0 ? -(magnitude)sum : (magnitude)sum;
	int last = place + length_of(x) - layout.fraction - 1;
	if (!x)
		return 0;
	if (last < 0)
		last = 0;
	if (last > place) {
		const int dropped = last - place;
		const magnitude rest = x & (((magnitude)1 << dropped) - 1),
				half = (magnitude)1 << (dropped - 1);
		x >>= dropped;
		x += rest > half || (rest == half && (x & 1));
	} else {
		x <<= place - last;
	}
	/* Subnormals have exponent 0, as has the first row of normal numbers without its bit. */
	const magnitude bits = ((magnitude)last << layout.fraction) + x;
	return (bits < layout.overflow ? (uint64_t)bits : layout.overflow) | sign;
}

/* How many bins; 0: exact. */
static int bins_of(enum ordo_accumulation form, enum ordo_type type)
{
	if (form == ORDO_ACCUMULATE_EXACT)
		return 0;
	return (form == ORDO_ACCUMULATE_BINNED2 ? 2 : 3) + (type == ORDO_F64);
}

/* The sum of n numbers. bf16 is added in the bins of f32, whose unit is 2^-16 of its own. */
static uint64_t sum_of(
	enum ordo_accumulation form, enum ordo_type type, const uint64_t *bits, uint32_t n)
{
	enum { BIN = 28 };
	const struct layout layout = layout_of(type);
	const int bins = bins_of(form, type), finer = type == ORDO_BF16 ? 16 : 0;
	int top = 0, infinities[2] = {0, 0};
	bool is_nan = false;
	for (uint32_t i = 0; i < n; i++) {
		const struct number number = number_of(layout, bits[i]);
		const int end = number.place + finer + length_of(number.significand);
		is_nan |= number.is_nan;
		infinities[number.negative] |= number.is_infinite;
		if (!number.is_nan && !number.is_infinite && end > top)
			top = end;
	}
	if (is_nan || (infinities[0] && infinities[1]))
		return layout.nan;
	if (infinities[0] || infinities[1])
		return layout.overflow | (uint64_t)infinities[1]
						 << (layout.fraction + layout.exponent);
	/* The lowest place that is kept. */
	int lowest = bins ? ((top ? top - 1 : 0) / BIN - (bins - 1)) * BIN : 0;
	lowest = lowest > 0 ? lowest : 0;
	wide sum = 0;
	for (uint32_t i = 0; i < n; i++) {
		const struct number number = number_of(layout, bits[i]);
		const int up = number.place + finer - lowest;
		const wide part = up >= 0    ? (wide)number.significand << up
				  : up > -64 ? (wide)(number.significand >> -up)
					     : 0;
		sum += number.negative ? -part : part;
	}
	/* Of bf16 the unit is finer than its least subnormal; no element has bits below that. */
	if (finer && lowest < finer) {
		sum >>= finer - lowest;
		lowest = finer;
	}
	return round_sum(layout, sum, lowest - finer);
}

static const enum ordo_operator operators[] = {ORDO_ALLREDUCE, ORDO_REDUCE, ORDO_REDUCESCATTER};
enum { MOST_ALGORITHMS = 64, NFORM = 3, MOST_SHARDS = 64 };
static const char *algorithms[MOST_ALGORITHMS] = {
	"ring(directions=2)", "mesh(shots=1,fold=linear)", "hierarchical(mesh,ring)"};
static size_t nalgorithm = NFORM;
static uint32_t most_ranks = 5;

static const struct {
	enum ordo_accumulation form;
	enum ordo_type type;
} kinds[] = {{ORDO_ACCUMULATE_EXACT, ORDO_F16}, {ORDO_ACCUMULATE_BINNED2, ORDO_F32},
	{ORDO_ACCUMULATE_BINNED3, ORDO_F64}, {ORDO_ACCUMULATE_EXACT, ORDO_F8E4M3},
	{ORDO_ACCUMULATE_BINNED2, ORDO_BF16}, {ORDO_ACCUMULATE_BINNED3, ORDO_F32},
	{ORDO_ACCUMULATE_EXACT, ORDO_F8E5M2}, {ORDO_ACCUMULATE_BINNED2, ORDO_F64},
	{ORDO_ACCUMULATE_BINNED3, ORDO_BF16}};
enum { NKIND = sizeof kinds / sizeof *kinds };

static void list_algorithms(void)
{
	uint32_t count;
	const struct ordo_algorithm_facts *const *all = ordo_algorithms(&count);
	for (uint32_t i = 0; i < count && nalgorithm < MOST_ALGORITHMS; i++)
		if (all[i]->operators &
			(1u << ORDO_ALLREDUCE | 1u << ORDO_REDUCE | 1u << ORDO_REDUCESCATTER))
			algorithms[nalgorithm++] = all[i]->name;
}

static struct ordo_schedule *compile(const struct ordo_problem *problem, const char *algorithm)
{
	const struct ordo_request request = {.problem = *problem, .algorithm = algorithm};
	struct ordo_error error;
	struct ordo_schedule *schedule = ordo_compile(&request, &error);
	if (!schedule && error.code != ORDO_USAGE)
		fail_msg("%s of %u ranks by %s: %s", ordo_operator_facts(problem->op)->name,
			problem->nrank, algorithm, error.text);
	return schedule;
}

static uint64_t mix(uint64_t x)
{
	x *= UINT64_C(0x9e3779b97f4a7c15);
	x = (x ^ x >> 29) * UINT64_C(0xbf58476d1ce4e5b9);
	return x ^ x >> 32;
}

/* All kinds of numbers: any exponent at all, or some that are near each other; now and then what an
 * earlier shard has, with the other sign; zeros, subnormals, infinities and NaNs. */
static uint64_t bits_of(enum ordo_type type, uint32_t shard, uint32_t block, uint64_t at)
{
	const struct layout layout = layout_of(type);
	const uint64_t hash = mix(mix(mix(shard + 1) + block) + at), place = mix(block * 1000 + at);
	const int sign = layout.fraction + layout.exponent;
	const uint64_t most = (UINT64_C(1) << layout.exponent) - 1;
	uint64_t exponent = hash >> 20 & most, fraction = mix(hash) >> (64 - layout.fraction);
	if (shard && at % 4 == 1 && hash % 3 == 0)
		return bits_of(type, shard - 1, block, at) ^ UINT64_C(1) << sign;
	if (at % 4 > 1) /* near each other */
		exponent = (place % most + (hash >> 20) % (at % 4 == 2 ? 4 : 60)) % most;
	if (at % 16 < 14 && exponent == most && layout.has_infinity)
		exponent--;
	if (hash >> 55 == 0)
		exponent = fraction = 0;
	return (hash >> 50 & 1) << sign | exponent << layout.fraction | fraction;
}

static uint64_t chunk_begin(const struct rig *rig, uint32_t chunk)
{
	const uint32_t K = rig->schedule->problem.chunks_per_block;
	return ordo_chunk_begin(rig->options.count, K, chunk % K, 1);
}

static uint64_t chunk_length(const struct rig *rig, uint32_t chunk)
{
	const uint32_t K = rig->schedule->problem.chunks_per_block;
	return ordo_chunk_begin(rig->options.count, K, chunk % K + 1, 1) - chunk_begin(rig, chunk);
}

static void fill(const struct rig *rig)
{
	const struct ordo_problem *problem = &rig->schedule->problem;
	const enum ordo_type type = rig->options.type;
	const size_t size = ordo_type_size(type);
	for (uint32_t rank = 0; rank < problem->nrank; rank++) {
		if (!problem->in_place)
			memset(rig->outputs[rank], 0xee, ordo_plan_output_bytes(rig->plan, rank));
		const unsigned char *first = ordo_plan_slot(rig->plan, rank, ORDO_INPUT, 0);
		for (uint32_t slot = 0; slot < ordo_input_slots(problem, rank); slot++) {
			const uint32_t chunk = ordo_input_chunk(problem, rank, slot);
			const unsigned char *here =
				ordo_plan_slot(rig->plan, rank, ORDO_INPUT, slot);
			unsigned char *to = rig->inputs[rank] + (here - first);
			for (uint64_t e = 0; e < chunk_length(rig, chunk); e++) {
				const uint64_t bits =
					bits_of(type, ordo_input_shard(problem, rank, slot),
						chunk / problem->chunks_per_block,
						chunk_begin(rig, chunk) + e);
				memcpy(to + e * size, &bits, size); /* little-endian */
			}
		}
	}
}

static uint64_t wanted_of(const struct rig *rig, uint32_t chunk, uint64_t e)
{
	const struct ordo_problem *problem = &rig->schedule->problem;
	uint64_t bits[MOST_SHARDS];
	for (uint32_t shard = 0; shard < problem->nshard; shard++)
		bits[shard] = bits_of(rig->options.type, shard, chunk / problem->chunks_per_block,
			chunk_begin(rig, chunk) + e);
	return problem->nshard == 1
		       ? bits[0]
		       : sum_of(problem->accumulate, rig->options.type, bits, problem->nshard);
}

static void expect_results(const struct rig *rig)
{
	const struct ordo_problem *problem = &rig->schedule->problem;
	const size_t size = ordo_type_size(rig->options.type);
	for (uint32_t rank = 0; rank < problem->nrank; rank++)
		for (uint32_t slot = 0; slot < ordo_output_slots(problem, rank); slot++) {
			const uint32_t chunk = ordo_output_chunk(problem, rank, slot);
			const unsigned char *from =
				ordo_plan_slot(rig->plan, rank, ORDO_OUTPUT, slot);
			for (uint64_t e = 0; e < chunk_length(rig, chunk); e++) {
				const uint64_t wanted = wanted_of(rig, chunk, e);
				uint64_t found = 0;
				memcpy(&found, from + e * size, size);
				if (found != wanted)
					fail_msg("%s of %u ranks by %s, %s in %s: rank %u, "
						 "chunk %u, element %llu: found %llx, wanted %llx",
						ordo_operator_facts(problem->op)->name,
						problem->nrank, rig->schedule->algorithm,
						ordo_type_name(rig->options.type),
						ordo_accumulation_name(problem->accumulate), rank,
						chunk, (unsigned long long)e,
						(unsigned long long)found,
						(unsigned long long)wanted);
			}
		}
}

static struct ordo_proof *prove(const struct ordo_schedule *schedule, bool atomic_reduce)
{
	const struct ordo_verify_options options = {.atomic_reduce = atomic_reduce};
	struct ordo_error error;
	struct ordo_proof *proof = ordo_verify(schedule, &options, &error);
	if (!proof || !proof->proved)
		fail_msg("not proved: %s", proof ? proof->findings[0].text : error.text);
	return proof;
}

static void expect_no_order(
	const struct ordo_schedule *schedule, const struct ordo_proof *proof, enum ordo_type type)
{
	struct ordo_arena arena = {0};
	struct ordo_judgement judgement;
	assert_int_equal(proof->ndistinct, 1);
	assert_int_equal(proof->run_to_run, ORDO_HOLDS);
	assert_int_equal(proof->rank_equal, ORDO_HOLDS);
	assert_int_equal(proof->position_invariant, ORDO_HOLDS);
	for (int i = 0; i < ORDO_NGUARANTEE; i++) {
		assert_true(ordo_judge_proof(&schedule->problem, proof, (enum ordo_guarantee)i,
			type, ORDO_SUM, &arena, &judgement, NULL));
		assert_int_equal(judgement.verdict, ORDO_HOLDS);
		assert_non_null(strstr(judgement.why, "sums have no order in this form"));
	}
	ordo_arena_free(&arena);
}

static void check_schedule(const struct ordo_schedule *schedule, enum ordo_type type, uint32_t nth)
{
	const struct ordo_plan_options options = {.type = type,
		.reduction = ORDO_SUM,
		.count = schedule->problem.chunks_per_block * UINT64_C(9) + nth % 3,
		.tile_bytes = nth % 5 ? 0 : 64};
	struct rig rig = rig_create(schedule, options);
	const enum drive drives[] = {BY_SEED, (enum drive)(nth % NDRIVE)};
	for (int i = 0; i < 2; i++) {
		struct ordo_error error;
		fill(&rig);
		if (!run_plan(rig.plan, drives[i], nth, &error))
			fail_msg("%s", error.text);
		expect_results(&rig);
	}
	rig_destroy(&rig);
}

/* Kinds take turns from algorithm to algorithm, so that each has all of them over a few problems.
 */
static void check_problem(struct ordo_problem problem, uint32_t turn)
{
	char digests[NKIND][33] = {{0}};
	for (size_t a = 0; a < nalgorithm; a++)
		for (uint32_t k = 0; k < 3; k++) {
			const uint32_t kind = (uint32_t)(3 * ((a + turn) % 3) + k);
			problem.accumulate = kinds[kind].form;
			struct ordo_schedule *schedule = compile(&problem, algorithms[a]);
			if (!schedule)
				continue;
			struct ordo_proof *proof = prove(schedule, false);
			expect_no_order(schedule, proof, kinds[kind].type);
			/* One digest of a form, whatever the algorithm. */
			if (!digests[kind % 3][0])
				memcpy(digests[kind % 3], proof->digest, sizeof *digests);
			assert_string_equal(digests[kind % 3], proof->digest);
			check_schedule(schedule, kinds[kind].type, turn + (uint32_t)a);
			ordo_proof_destroy(proof);
			ordo_schedule_destroy(schedule);
		}
	if (digests[0][0])
		assert_string_not_equal(digests[0], digests[1]);
	if (digests[1][0])
		assert_string_not_equal(digests[1], digests[2]);
}

static void every_algorithm_gives_the_one_sum(void **state)
{
	(void)state;
	uint32_t turn = 0;
	for (uint32_t nrank = 1; nrank <= most_ranks; nrank++)
		for (int op = 0; op < 3; op++)
			for (int form = 0; form < 3; form++)
				check_problem((struct ordo_problem){.op = operators[op],
						      .nrank = nrank,
						      .root = op == 1 ? nrank / 2 : 0,
						      .nshard = form == 2 ? 2 * nrank : nrank,
						      .in_place = form == 1},
					turn++);
}

/* The same shards on other numbers of ranks, by other algorithms, on other topologies. */
static void shards_give_one_sum_on_any_number_of_ranks(void **state)
{
	(void)state;
	static const char *const names[] = {"ring", "mesh", "tree", "forest", "nhr", "star"};
	char digest[33] = "";
	for (uint32_t nrank = 1; nrank <= 6; nrank++) {
		const struct ordo_problem problem = {.op = ORDO_ALLREDUCE,
			.nrank = nrank,
			.nshard = 6,
			.accumulate = ORDO_ACCUMULATE_BINNED2};
		struct ordo_schedule *schedule = compile(&problem, names[nrank - 1]);
		assert_non_null(schedule);
		struct ordo_proof *proof = prove(schedule, false);
		if (!digest[0])
			memcpy(digest, proof->digest, sizeof digest);
		assert_string_equal(digest, proof->digest);
		check_schedule(schedule, ORDO_F32, nrank);
		ordo_proof_destroy(proof);
		ordo_schedule_destroy(schedule);
	}
}

/* Two schedules of other trees are interchangeable; of other forms, not to be compared. */
static void schedules_of_one_form_are_interchangeable(void **state)
{
	(void)state;
	static const struct {
		enum ordo_accumulation form;
		const char *algorithm;
	} made[] = {{ORDO_ACCUMULATE_EXACT, "ring"}, {ORDO_ACCUMULATE_EXACT, "mesh"},
		{ORDO_ACCUMULATE_BINNED2, "mesh"}};
	struct ordo_forest *forest = ordo_forest_create(NULL);
	struct ordo_order *orders[3];
	struct ordo_schedule *schedules[3];
	for (int i = 0; i < 3; i++) {
		const struct ordo_problem problem = {
			.op = ORDO_ALLREDUCE, .nrank = 5, .accumulate = made[i].form};
		schedules[i] = compile(&problem, made[i].algorithm);
		struct ordo_proof *proof = prove(schedules[i], false);
		orders[i] = ordo_order_create(forest, schedules[i], proof, NULL);
		assert_non_null(orders[i]);
		assert_int_equal(orders[i]->nclass, 1);
		ordo_proof_destroy(proof);
	}
	struct ordo_comparison comparison;
	struct ordo_error error;
	assert_true(ordo_compare(orders[0], orders[1], &comparison, &error));
	assert_int_equal(comparison.ndiffering, 0);
	ordo_comparison_free(&comparison);
	assert_false(ordo_compare(orders[1], orders[2], &comparison, &error));
	assert_string_equal(error.text, "different roundings: the first accumulates in exact, the "
					"second accumulates in binned(bins=2)");
	for (int i = 0; i < 3; i++) {
		ordo_order_destroy(orders[i]);
		ordo_schedule_destroy(schedules[i]);
	}
	ordo_forest_destroy(forest);
}

/* Two ranks add to a third in no fixed order, which R8 allows with atomic reductions. */
static const char unordered[] =
	"{\"schema\": \"ordo/schedule/1\",\n"
	" \"operator\": \"Reduce\", \"algorithm\": \"hand\", \"ranks\": 3, \"root\": 0,\n"
	" \"chunks_per_block\": 1, \"scratch_slots\": 1, \"in_place\": false, \"accumulate\": "
	"\"%s\",\n \"programs\": [\n"
	"  {\"rank\": 0, \"streams\": [{\"name\": \"main\", \"tasks\": [\n"
	"    {\"task\": \"LocalCopy\", \"chunk\": 0, \"src\": [\"input\", 0], \"dst\": "
	"[\"scratch\", 0]},\n"
	"    {\"task\": \"Notify\", \"peer\": 1, \"signal\": 0},\n"
	"    {\"task\": \"Notify\", \"peer\": 2, \"signal\": 0},\n"
	"    {\"task\": \"Wait\", \"peer\": 1, \"signal\": 0},\n"
	"    {\"task\": \"Wait\", \"peer\": 2, \"signal\": 0},\n"
	"    {\"task\": \"LocalCopy\", \"chunk\": 0, \"src\": [\"scratch\", 0], \"dst\": "
	"[\"output\", 0]}]}]},\n"
	"  {\"rank\": 1, \"streams\": [{\"name\": \"main\", \"tasks\": [\n"
	"    {\"task\": \"Wait\", \"peer\": 0, \"signal\": 0},\n"
	"    {\"task\": \"SendReduce\", \"peer\": 0, \"chunk\": 0, \"src\": [\"input\", 0], "
	"\"dst\": [\"scratch\", 0]},\n"
	"    {\"task\": \"Notify\", \"peer\": 0, \"signal\": 0}]}]},\n"
	"  {\"rank\": 2, \"streams\": [{\"name\": \"main\", \"tasks\": [\n"
	"    {\"task\": \"Wait\", \"peer\": 0, \"signal\": 0},\n"
	"    {\"task\": \"SendReduce\", \"peer\": 0, \"chunk\": 0, \"src\": [\"input\", 0], "
	"\"dst\": [\"scratch\", 0]},\n"
	"    {\"task\": \"Notify\", \"peer\": 0, \"signal\": 0}]}]}\n]}\n";

static void unordered_reductions_do_no_harm(void **state)
{
	(void)state;
	char digests[2][33];
	for (int i = 0; i < 2; i++) {
		char text[sizeof unordered + 32];
		snprintf(text, sizeof text, unordered, i ? "f32" : "exact");
		struct ordo_error error;
		struct ordo_schedule *schedule =
			ordo_schedule_read_text(text, strlen(text), "text", NULL, &error);
		if (!schedule)
			fail_msg("%s", error.text);
		struct ordo_proof *refuted = ordo_verify(schedule, NULL, NULL);
		assert_false(refuted->proved);
		assert_int_equal(refuted->findings[0].rule, 8);
		struct ordo_proof *proof = prove(schedule, true);
		assert_int_equal(proof->run_to_run, i ? ORDO_DOES_NOT_HOLD : ORDO_HOLDS);
		assert_int_not_equal(proof->unordered[0], ORDO_NONE);
		memcpy(digests[i], proof->digest, sizeof digests[i]);
		ordo_proof_destroy(proof);
		ordo_proof_destroy(refuted);
		ordo_schedule_destroy(schedule);
	}
	assert_string_equal(digests[1], "");
	/* It is that of any schedule for three contributions. */
	const struct ordo_problem problem = {
		.op = ORDO_REDUCE, .nrank = 3, .accumulate = ORDO_ACCUMULATE_EXACT};
	struct ordo_schedule *schedule = compile(&problem, "tree");
	struct ordo_proof *proof = prove(schedule, false);
	assert_string_equal(digests[0], proof->digest);
	ordo_proof_destroy(proof);
	ordo_schedule_destroy(schedule);
}

/* Partial sums that are rounded early, contributions that are missing or there twice: the algebra
 * proves nothing of these. */
static void rules_hold_as_for_any_sum(void **state)
{
	(void)state;
	const struct ordo_problem problem = {.op = ORDO_ALLREDUCE, .nrank = 4};
	struct ordo_schedule *plain = compile(&problem, "ring");
	plain->problem.accumulate = ORDO_ACCUMULATE_BINNED2;
	struct ordo_proof *proof = ordo_verify(plain, NULL, NULL);
	assert_false(proof->proved);
	assert_int_equal(proof->findings[0].rule, 4);
	ordo_proof_destroy(proof);
	ordo_schedule_destroy(plain);
	/* Every reduction made a copy, and every copy into scratch left out in turn. */
	struct ordo_problem exact = problem;
	exact.accumulate = ORDO_ACCUMULATE_EXACT;
	uint32_t nmutant = 0;
	struct ordo_schedule *schedule = compile(&exact, "ring");
	for (uint32_t t = 0; t < schedule->ntask; t++) {
		struct ordo_task *task = &schedule->tasks[t];
		if (!ordo_task_reduces(task))
			continue;
		const struct ordo_task before = *task;
		task->kind = task->kind == ORDO_SEND_REDUCE ? ORDO_SEND : ORDO_LOCAL_COPY;
		proof = ordo_verify(schedule, NULL, NULL);
		assert_false(proof->proved);
		ordo_proof_destroy(proof);
		*task = before;
		nmutant++;
	}
	assert_true(nmutant >= 12);
	ordo_schedule_destroy(schedule);
}

static void expect_refused(enum ordo_accumulation form, enum ordo_type type,
	enum ordo_reduction reduction, const char *text, const char *hint)
{
	const struct ordo_problem problem = {.op = ORDO_ALLREDUCE, .nrank = 3, .accumulate = form};
	struct ordo_schedule *schedule = compile(&problem, "ring");
	const struct ordo_plan_options options = {.type = type, .reduction = reduction, .count = 9};
	struct ordo_error error;
	assert_null(ordo_plan_create(schedule, &options, &error));
	assert_int_equal(error.code, ORDO_USAGE);
	assert_string_equal(error.text, text);
	assert_string_equal(error.hint, hint);
	ordo_schedule_destroy(schedule);
}

static void what_a_form_has_not_is_refused_with_what_would_do(void **state)
{
	(void)state;
	expect_refused(ORDO_ACCUMULATE_EXACT, ORDO_F32, ORDO_SUM,
		"type: the schedule accumulates in exact; found f32, wanted f16, f8e4m3 or f8e5m2",
		"compile with --accumulate \"binned(bins=3)\" for f32");
	expect_refused(ORDO_ACCUMULATE_BINNED2, ORDO_F16, ORDO_SUM,
		"type: the schedule accumulates in binned(bins=2); found f16, wanted bf16, f32 or "
		"f64",
		"compile with --accumulate exact for f16");
	expect_refused(ORDO_ACCUMULATE_BINNED3, ORDO_I32, ORDO_SUM,
		"type: the schedule accumulates in binned(bins=3); found i32, wanted bf16, f32 or "
		"f64",
		"compile without --accumulate: results of i32 have the same bits in any order");
	expect_refused(ORDO_ACCUMULATE_BINNED3, ORDO_C128, ORDO_SUM,
		"type: the schedule accumulates in binned(bins=3); found c128, wanted bf16, f32 or "
		"f64",
		"a vector of c128 is one of twice as many f64");
	expect_refused(ORDO_ACCUMULATE_BINNED2, ORDO_F32, ORDO_PROD,
		"reduction: the schedule accumulates in binned(bins=2); found prod, wanted sum or "
		"avg",
		"products have no such form: compile without --accumulate");
	expect_refused(ORDO_ACCUMULATE_EXACT, ORDO_F16, ORDO_MAX,
		"reduction: the schedule accumulates in exact; found max, wanted sum or avg",
		"compile without --accumulate: minima and maxima have the same bits in any order");
}

/* The bounds are those of accumulate.h. */
static void bounds_do_not_depend_on_depth(void **state)
{
	(void)state;
	const struct ordo_tree_facts deep = {.leaves = 9, .depth = 8},
				     flat = {.leaves = 9, .depth = 4}, leaf = {.leaves = 1};
	const double exact = ordo_error_bound(ORDO_F16, ORDO_EXACT_F16, ORDO_SUM, &deep),
		     binned = ordo_error_bound(ORDO_F32, ORDO_BINNED2_F32, ORDO_SUM, &deep);
	assert_true(exact > 0x0.fffp-11 && exact <= 0x1.001p-11);
	assert_true(exact == ordo_error_bound(ORDO_F16, ORDO_EXACT_F16, ORDO_SUM, &flat));
	/* 8 * 2^-28 and 2^-24 */
	assert_true(binned > 0x1.7fffp-24 && binned < 0x1.8001p-24);
	assert_true(ordo_error_bound(ORDO_F64, ORDO_BINNED3_F64, ORDO_SUM, &leaf) == 0);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_algorithm_gives_the_one_sum),
		cmocka_unit_test(shards_give_one_sum_on_any_number_of_ranks),
		cmocka_unit_test(schedules_of_one_form_are_interchangeable),
		cmocka_unit_test(unordered_reductions_do_no_harm),
		cmocka_unit_test(rules_hold_as_for_any_sum),
		cmocka_unit_test(what_a_form_has_not_is_refused_with_what_would_do),
		cmocka_unit_test(bounds_do_not_depend_on_depth),
	};
	if (argc > 1)
		most_ranks = (uint32_t)strtoul(argv[1], NULL, 10);
	list_algorithms();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
