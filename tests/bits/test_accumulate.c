/* test_accumulate.c [MOST RANKS] - schedules that accumulate in f32: each sum is made in f32 and
 * rounded once, whatever the algorithm, and all that is said of them holds. */
#include "compiling.h"
#include "half_reference.h"
#include "rig.h"
#include <math.h>
#include <ordo/communicator.h>
#include <ordo/compiler.h>
#include <ordo/detail/accumulate.h>
#include <ordo/detail/order.h>
#include <ordo/detail/replay.h>
#include <ordo/document.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const enum ordo_operator operators[] = {ORDO_ALLREDUCE, ORDO_REDUCE, ORDO_REDUCESCATTER};
/* These forms, and all algorithms that have one of the operators. */
enum { MOST_ALGORITHMS = 64, NFORM = 3 };
static const char *algorithms[MOST_ALGORITHMS] = {
	"ring(directions=2)", "mesh(shots=1,fold=linear)", "hierarchical(mesh,ring)"};
static size_t nalgorithm = NFORM;

static void list_algorithms(void)
{
	uint32_t count;
	const struct ordo_algorithm_facts *const *all = ordo_algorithms(&count);
	for (uint32_t i = 0; i < count && nalgorithm < MOST_ALGORITHMS; i++)
		if (all[i]->operators &
			(1u << ORDO_ALLREDUCE | 1u << ORDO_REDUCE | 1u << ORDO_REDUCESCATTER))
			algorithms[nalgorithm++] = all[i]->name;
}

/* One problem, by one algorithm. NULL: the algorithm does not apply. */
static struct ordo_schedule *compile(
	const struct ordo_problem *problem, const char *algorithm, bool in_f32)
{
	struct ordo_request request = {.problem = *problem, .algorithm = algorithm};
	struct ordo_error error;
	request.problem.accumulate = in_f32 ? ORDO_ACCUMULATE_F32 : ORDO_ACCUMULATE_NONE;
	struct ordo_schedule *schedule = ordo_compile(&request, &error);
	if (!schedule && error.code != ORDO_USAGE)
		fail_msg("%s of %u ranks by %s: %s", ordo_operator_facts(problem->op)->name,
			problem->nrank, algorithm, error.text);
	return schedule;
}

static uint32_t most_ranks = 9;

/* All problems of so many ranks at most, in place, with two shards a rank, or neither. */
static void visit(
	void look(const struct ordo_problem *problem, const char *algorithm, uint32_t nth))
{
	uint32_t nth = 0;
	for (uint32_t nrank = 1; nrank <= most_ranks; nrank++)
		for (int op = 0; op < 3; op++)
			for (int form = 0; form < 3; form++)
				for (size_t a = 0; a < nalgorithm; a++) {
					const struct ordo_problem problem = {.op = operators[op],
						.nrank = nrank,
						.root = operators[op] == ORDO_REDUCE ? nrank / 2
										     : 0,
						.nshard = form == 2 ? 2 * nrank : nrank,
						.in_place = form == 1};
					look(&problem, algorithms[a], nth++);
				}
}

static uint64_t mix(uint64_t x)
{
	x *= UINT64_C(0x9e3779b97f4a7c15);
	x = (x ^ x >> 29) * UINT64_C(0xbf58476d1ce4e5b9);
	return x ^ x >> 32;
}

/* Both signs, and exponents so far apart that f32, too, loses what is added in another order; for
 * products, around 1. Never zero. */
static uint16_t value_of(
	const struct ordo_plan_options *options, uint32_t shard, uint32_t chunk, uint64_t element)
{
	const uint64_t hash = mix(mix(mix(shard + 1) + chunk) + element);
	const uint16_t sign = (uint16_t)(hash & 0x8000);
	/* Now and then an infinity or a NaN, of which several may meet. */
	if (!(hash >> 40 & 0x1f) && element % 8 == 0)
		return (uint16_t)(sign | (options->type == ORDO_F16 ? 0x7c00 : 0x7f80) |
				  (hash >> 50 & 1 ? hash & 0x7f : 0));
	const uint32_t spread = options->reduction == ORDO_PROD ? 2 : 30;
	const uint32_t exponent = (uint32_t)(hash >> 32) % spread;
	if (options->type == ORDO_F16)
		return (uint16_t)(sign | (spread == 2 ? 14 + exponent : 1 + exponent % 28) << 10 |
				  (hash & 0x3ff));
	return (uint16_t)(sign | (spread == 2 ? 126 + exponent : 110 + exponent) << 7 |
			  (hash & 0x7f));
}

static float float_of(enum ordo_type type, uint16_t half)
{
	const uint16_t infinity = type == ORDO_F16 ? 0x7c00 : 0x7f80, magnitude = half & 0x7fff;
	if (magnitude > infinity)
		return NAN;
	if (magnitude == infinity)
		return half & 0x8000 ? -INFINITY : INFINITY;
	return (float)half_value_reference(type, half);
}

static float add(enum ordo_reduction reduction, float left, float right)
{
	if (isnan(left) || isnan(right))
		return NAN;
	switch (reduction) {
	case ORDO_SUM:
	case ORDO_AVG:
		return left + right;
	case ORDO_PROD:
		return left * right;
	case ORDO_MIN:
		return left < right ? left : right;
	case ORDO_MAX:
	case ORDO_BAND: /* not of floats, as are the others */
	case ORDO_BOR:
	case ORDO_BXOR:
	case ORDO_MINLOC:
	case ORDO_MAXLOC:
		break;
	}
	return left > right ? left : right;
}

/* What the tree is in f32. No deeper than there are shards. */
static float evaluate(const struct ordo_trees *trees, uint32_t tree,
	const struct ordo_plan_options *options, uint32_t chunk, uint64_t element)
{
	const uint32_t *node = trees->nodes[tree];
	if (node[0] == ORDO_NONE)
		return float_of(options->type, value_of(options, node[1], chunk, element));
	const float left = evaluate(trees, node[0], options, chunk, element),
		    right = evaluate(trees, node[1], options, chunk, element);
	return add(options->reduction, left, right);
}

static uint16_t round_float(enum ordo_type type, float value)
{
	uint32_t bits;
	if (isnan(value))
		return type == ORDO_F16 ? 0x7e00 : 0x7fc0;
	memcpy(&bits, &value, sizeof bits);
	return half_from_float_reference(type, bits);
}

static uint16_t wanted_of(const struct ordo_problem *problem, const struct ordo_proof *proof,
	const struct ordo_plan_options *options, uint32_t chunk, uint64_t element)
{
	/* Nothing is added to it. */
	if (problem->nshard == 1)
		return value_of(
			options, proof->trees.nodes[proof->chunk_tree[chunk]][1], chunk, element);
	const uint16_t sum = round_float(options->type,
		evaluate(&proof->trees, proof->chunk_tree[chunk], options, chunk, element));
	if (options->reduction != ORDO_AVG)
		return sum;
	return round_float(options->type,
		(float)((double)float_of(options->type, sum) / (double)problem->nshard));
}

static uint64_t chunk_length(const struct rig *rig, uint32_t chunk)
{
	const uint32_t K = rig->schedule->problem.chunks_per_block, k = chunk % K;
	return ordo_chunk_begin(rig->options.count, K, k + 1, 1) -
	       ordo_chunk_begin(rig->options.count, K, k, 1);
}

static void fill(const struct rig *rig)
{
	const struct ordo_problem *problem = &rig->schedule->problem;
	for (uint32_t rank = 0; rank < problem->nrank; rank++) {
		if (!problem->in_place)
			memset(rig->outputs[rank], 0xee, ordo_plan_output_bytes(rig->plan, rank));
		for (uint32_t slot = 0; slot < ordo_input_slots(problem, rank); slot++) {
			const uint32_t chunk = ordo_input_chunk(problem, rank, slot);
			const unsigned char *first = ordo_plan_slot(rig->plan, rank, ORDO_INPUT, 0),
					    *here = ordo_plan_slot(
						    rig->plan, rank, ORDO_INPUT, slot);
			unsigned char *to = rig->inputs[rank] + (here - first);
			for (uint64_t e = 0; e < chunk_length(rig, chunk); e++) {
				const uint16_t value = value_of(&rig->options,
					ordo_input_shard(problem, rank, slot), chunk, e);
				memcpy(to + 2 * e, &value, sizeof value);
			}
		}
	}
}

static void expect_results(
	const struct rig *rig, const struct ordo_proof *proof, const char *algorithm)
{
	const struct ordo_problem *problem = &rig->schedule->problem;
	for (uint32_t rank = 0; rank < problem->nrank; rank++)
		for (uint32_t slot = 0; slot < ordo_output_slots(problem, rank); slot++) {
			const uint32_t chunk = ordo_output_chunk(problem, rank, slot);
			const unsigned char *from =
				ordo_plan_slot(rig->plan, rank, ORDO_OUTPUT, slot);
			for (uint64_t e = 0; e < chunk_length(rig, chunk); e++) {
				const uint16_t wanted =
					wanted_of(problem, proof, &rig->options, chunk, e);
				uint16_t found;
				memcpy(&found, from + 2 * e, sizeof found);
				if (found != wanted)
					fail_msg("%s of %u ranks by %s, %s %s: rank %u, chunk %u, "
						 "element %llu: found %04x, wanted %04x",
						ordo_operator_facts(problem->op)->name,
						problem->nrank, algorithm,
						ordo_type_name(rig->options.type),
						ordo_reduction_name(rig->options.reduction), rank,
						chunk, (unsigned long long)e, found, wanted);
			}
		}
}

static struct ordo_proof *prove(const struct ordo_schedule *schedule)
{
	struct ordo_error error;
	struct ordo_proof *proof = ordo_verify(schedule, NULL, &error);
	if (!proof || !proof->proved)
		fail_msg("not proved: %s", proof ? proof->findings[0].text : error.text);
	return proof;
}

static void expect_f32_rounded_once(
	const struct ordo_problem *problem, const char *algorithm, uint32_t nth)
{
	struct ordo_schedule *schedule = compile(problem, algorithm, true);
	if (!schedule)
		return;
	struct ordo_proof *proof = prove(schedule);
	for (int type = ORDO_F16; type <= ORDO_BF16; type++) {
		const struct ordo_plan_options options = {.type = (enum ordo_type)type,
			.reduction = nth % 2 ? ORDO_SUM
					     : (enum ordo_reduction)(nth / 2 % (ORDO_AVG + 1)),
			.count = schedule->problem.chunks_per_block * UINT64_C(40) + nth % 3,
			.tile_bytes = nth % 5 ? 0 : 64};
		struct rig rig = rig_create(schedule, options);
		const enum drive drives[] = {BY_SEED, (enum drive)(nth % NDRIVE)};
		for (int i = 0; i < 2; i++) {
			struct ordo_error error;
			fill(&rig);
			if (!run_plan(rig.plan, drives[i], nth, &error))
				fail_msg("%s", error.text);
			expect_results(&rig, proof, algorithm);
		}
		rig_destroy(&rig);
	}
	ordo_proof_destroy(proof);
	ordo_schedule_destroy(schedule);
}

static void sums_are_made_in_f32_and_rounded_once(void **state)
{
	(void)state;
	visit(expect_f32_rounded_once);
}

/* What moves between ranks is what moves without; but for the digest the order is the same. */
static void expect_same_otherwise(
	const struct ordo_problem *problem, const char *algorithm, uint32_t nth)
{
	struct ordo_schedule *plain = compile(problem, algorithm, false),
			     *schedule = compile(problem, algorithm, true);
	(void)nth;
	assert_int_equal(!plain, !schedule);
	if (!plain)
		return;
	const struct measured before = measure(plain), after = measure(schedule);
	assert_int_equal(before.steps, after.steps);
	assert_int_equal(before.volume, after.volume);
	struct ordo_proof *plain_proof = prove(plain), *proof = prove(schedule);
	assert_string_not_equal(plain_proof->digest, proof->digest);
	/* Without the word it is sound as well, and has the same trees. */
	schedule->problem.accumulate = ORDO_ACCUMULATE_NONE;
	struct ordo_proof *without = prove(schedule);
	assert_string_equal(plain_proof->digest, without->digest);
	ordo_proof_destroy(without);
	ordo_proof_destroy(proof);
	ordo_proof_destroy(plain_proof);
	ordo_schedule_destroy(schedule);
	ordo_schedule_destroy(plain);
}

static void steps_volume_and_trees_are_those_without(void **state)
{
	(void)state;
	visit(expect_same_otherwise);
}

static uint32_t nkept, nrefused;

static void expect_refused_if_rounded_early(
	const struct ordo_problem *problem, const char *algorithm, uint32_t nth)
{
	struct ordo_schedule *plain = compile(problem, algorithm, false);
	(void)nth;
	if (!plain)
		return;
	uint32_t noutside = 0;
	for (uint32_t t = 0; t < plain->ntask; t++)
		noutside += ordo_task_reduces(&plain->tasks[t]) &&
			    plain->tasks[t].dst_buffer != ORDO_SCRATCH;
	plain->problem.accumulate = ORDO_ACCUMULATE_F32;
	struct ordo_proof *proof = ordo_verify(plain, NULL, NULL);
	assert_non_null(proof);
	if (noutside) {
		assert_false(proof->proved);
		assert_int_equal(proof->findings[0].rule, 4);
	}
	nrefused += !proof->proved;
	nkept += proof->proved;
	ordo_proof_destroy(proof);
	ordo_schedule_destroy(plain);
}

static void what_was_compiled_without_is_refused(void **state)
{
	(void)state;
	visit(expect_refused_if_rounded_early);
	/* One rank adds nothing; and nobody adds up in scratch alone. */
	assert_true(nkept && nrefused > 5 * nkept);
}

static void equal_trees_have_equal_digests(void **state)
{
	(void)state;
	const struct ordo_problem problem = {.op = ORDO_ALLREDUCE, .nrank = 8};
	char digests[3][33];
	static const char *const same[] = {"dyadic", "mesh", "ring"};
	for (int i = 0; i < 3; i++) {
		struct ordo_schedule *schedule = compile(&problem, same[i], true);
		struct ordo_proof *proof = prove(schedule);
		memcpy(digests[i], proof->digest, sizeof digests[i]);
		ordo_proof_destroy(proof);
		ordo_schedule_destroy(schedule);
	}
	assert_string_equal(digests[0], digests[1]);
	assert_string_not_equal(digests[0], digests[2]);
}

static void no_pair_is_superfluous(void **state)
{
	(void)state;
	for (size_t a = 0; a < nalgorithm; a++) {
		const struct ordo_problem problem = {
			.op = ORDO_ALLREDUCE, .nrank = 4, .in_place = a % 2};
		struct ordo_schedule *schedule = compile(&problem, algorithms[a], true);
		if (schedule)
			check_every_pair_is_needed(schedule, NULL);
		ordo_schedule_destroy(schedule);
	}
}

/* A partial sum is copied to an output slot, and goes on from there. */
static void partial_sums_never_leave_scratch(void **state)
{
	(void)state;
	static const struct {
		uint32_t reduces, src_buffer, src, dst_buffer, dst;
	} program[] = {{0, ORDO_INPUT, 0, ORDO_SCRATCH, 0}, {1, ORDO_INPUT, 1, ORDO_SCRATCH, 0},
		{0, ORDO_SCRATCH, 0, ORDO_OUTPUT, 0}, {0, ORDO_OUTPUT, 0, ORDO_SCRATCH, 1},
		{1, ORDO_INPUT, 2, ORDO_SCRATCH, 1}, {1, ORDO_INPUT, 3, ORDO_SCRATCH, 1},
		{0, ORDO_SCRATCH, 1, ORDO_OUTPUT, 0}};
	struct ordo_sequence sequence = {.problem = {.op = ORDO_ALLREDUCE,
						 .nrank = 1,
						 .chunks_per_block = 1,
						 .nshard = 4,
						 .accumulate = ORDO_ACCUMULATE_F32},
		.scratch_slots = 2};
	const uint32_t label = ordo_label_id(&sequence, &sequence.stream_labels, "main", ORDO_NONE),
		       lane = ordo_lane_id(&sequence, 0, label);
	for (size_t i = 0; i < sizeof program / sizeof *program; i++) {
		const struct ordo_move move = {.reduces = program[i].reduces & 1,
			.src_buffer = program[i].src_buffer & 3,
			.dst_buffer = program[i].dst_buffer & 3,
			.phase = ORDO_NO_PHASE,
			.stream = lane,
			.count = 1,
			.src = program[i].src,
			.dst = program[i].dst};
		assert_true(ordo_sequence_append(&sequence, &move));
	}
	struct ordo_error error;
	struct ordo_sync_edges pairs = {0};
	const struct ordo_resolved_request resolved = {.notation = "by hand"};
	assert_true(ordo_accumulate(&sequence, &error) && ordo_merge(&sequence, &error) &&
		    ordo_order_moves(&sequence, ORDO_SEARCH_VISITS, &pairs, &error));
	assert_int_equal(sequence.scratch_slots, 3);
	struct ordo_schedule *schedule = ordo_emit(&resolved, &sequence, &pairs, &error);
	assert_non_null(schedule);
	ordo_proof_destroy(prove(schedule));
	ordo_schedule_destroy(schedule);
	free(pairs.items);
	ordo_sequence_free(&sequence);
}

static char *print(const struct ordo_schedule *schedule)
{
	char *text;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	assert_non_null(out);
	assert_true(ordo_schedule_print(schedule, out, NULL));
	fclose(out);
	return text;
}

static void documents_say_it(void **state)
{
	(void)state;
	const struct ordo_problem problem = {.op = ORDO_ALLREDUCE, .nrank = 3};
	struct ordo_schedule *schedule = compile(&problem, "ring", true);
	char *text = print(schedule), digests[2][33];
	assert_non_null(strstr(text, "\"in_place\": false, \"accumulate\": \"f32\",\n"));
	struct ordo_schedule *again =
		ordo_schedule_read_text(text, strlen(text), "again", NULL, NULL);
	assert_non_null(again);
	assert_int_equal(again->problem.accumulate, ORDO_ACCUMULATE_F32);
	char *text_again = print(again);
	assert_string_equal(text, text_again);
	assert_true(ordo_schedule_digest(again, digests[0], NULL));
	again->problem.accumulate = ORDO_ACCUMULATE_NONE;
	assert_true(ordo_schedule_digest(again, digests[1], NULL));
	assert_string_not_equal(digests[0], digests[1]);
	free(text_again);
	ordo_schedule_destroy(again);
	free(text);
	ordo_schedule_destroy(schedule);
}

/* One contribution and two ranks: one has its input as its output, the other's went through
 * scratch. */
static const char one_contribution[] =
	"{\"schema\": \"ordo/schedule/1\", \"operator\": \"AllReduce\", \"algorithm\": \"by "
	"hand\", \"ranks\": 2, \"shards\": 1, \"chunks_per_block\": 1, \"scratch_slots\": 1, "
	"\"in_place\": false, \"accumulate\": \"f32\", \"programs\": [{\"rank\": 0, \"streams\": "
	"[{\"name\": \"main\", \"tasks\": [{\"task\": \"Notify\", \"peer\": 1, \"signal\": 0}, "
	"{\"task\": \"Wait\", \"peer\": 1, \"signal\": 0}, {\"task\": \"LocalCopy\", \"chunk\": 0, "
	"\"src\": [\"scratch\", 0], \"dst\": [\"output\", 0]}]}]}, {\"rank\": 1, \"streams\": "
	"[{\"name\": \"main\", \"tasks\": [{\"task\": \"LocalCopy\", \"chunk\": 0, \"src\": "
	"[\"input\", 0], \"dst\": [\"output\", 0]}, {\"task\": \"Wait\", \"peer\": 0, \"signal\": "
	"0}, {\"task\": \"Send\", \"peer\": 0, \"chunk\": 0, \"src\": [\"input\", 0], \"dst\": "
	"[\"scratch\", 0]}, {\"task\": \"Notify\", \"peer\": 0, \"signal\": 0}]}]}]}";

enum { NHALF = 1 << 16 };

static void fold(const struct ordo_schedule *schedule, const struct ordo_plan_options *options,
	uint16_t *halves[3])
{
	struct ordo_error error = {0};
	struct ordo_collective *collective = ordo_collective_create(schedule, options, &error);
	struct ordo_communicator *communicator = ordo_communicator_create(
		&(struct ordo_communicator_options){.nrank = schedule->problem.nrank}, &error);
	if (!collective || !communicator)
		fail_msg("%s", error.text);
	const struct ordo_part parts[2] = {{.collective = collective, .output = halves[0]},
		{collective, halves[2], halves[1], 0}};
	if (!ordo_communicator_run_all(communicator, parts, &error))
		fail_msg("%s", error.text);
	ordo_communicator_destroy(communicator);
	ordo_collective_destroy(collective);
}

/* Nothing is added to it, so every half is as it was, signalling NaNs with the others; G1 holds. */
static void one_contribution_is_copied(void **state)
{
	(void)state;
	struct ordo_error error;
	struct ordo_schedule *schedule = ordo_schedule_read_text(
		one_contribution, strlen(one_contribution), "one contribution", NULL, &error);
	if (!schedule)
		fail_msg("%s", error.text);
	struct ordo_proof *proof = prove(schedule);
	assert_int_equal(proof->rank_equal, ORDO_HOLDS);
	ordo_proof_destroy(proof);
	static uint16_t all[NHALF], folded[2][NHALF];
	for (uint32_t i = 0; i < NHALF; i++)
		all[i] = (uint16_t)i;
	for (int type = ORDO_F16; type <= ORDO_BF16; type++)
		for (int reduction = 0; reduction <= ORDO_AVG; reduction++) {
			const struct ordo_plan_options options = {(enum ordo_type)type,
				(enum ordo_reduction)reduction, .count = NHALF};
			struct rig rig = rig_create(schedule, options);
			memcpy(rig.inputs[1], all, sizeof all);
			for (int drive = 0; drive < NDRIVE; drive++) {
				assert_true(run_plan(rig.plan, (enum drive)drive, 1, NULL));
				assert_memory_equal(rig.outputs[0], all, sizeof all);
				assert_memory_equal(rig.outputs[1], all, sizeof all);
			}
			rig_destroy(&rig);
			fold(schedule, &options, (uint16_t *[]){folded[0], folded[1], all});
			assert_memory_equal(folded[0], all, sizeof all);
			assert_memory_equal(folded[1], all, sizeof all);
		}
	ordo_schedule_destroy(schedule);
}

static void other_types_cannot_be_bound(void **state)
{
	(void)state;
	const struct ordo_problem problem = {.op = ORDO_REDUCESCATTER, .nrank = 3};
	struct ordo_schedule *schedule = compile(&problem, "mesh", true);
	for (int type = 0; type < ORDO_NTYPE; type++) {
		const struct ordo_plan_options options = {
			.type = (enum ordo_type)type, .count = 10};
		struct ordo_error error;
		struct ordo_plan *plan = ordo_plan_create(schedule, &options, &error);
		const bool may = type == ORDO_F16 || type == ORDO_BF16 || type == ORDO_F32;
		assert_int_equal(plan != NULL, may);
		assert_true(may || (error.code == ORDO_USAGE &&
					   strstr(error.text, "wanted f16, bf16 or f32")));
		ordo_plan_destroy(plan);
	}
	ordo_schedule_destroy(schedule);
}

/* Nothing else reduces, and a plan refuses what the verifier would. */
static void a_plan_reduces_into_scratch_only(void **state)
{
	(void)state;
	const struct ordo_problem problem = {.op = ORDO_ALLREDUCE, .nrank = 3};
	struct ordo_schedule *schedule = compile(&problem, "ring", false);
	schedule->problem.accumulate = ORDO_ACCUMULATE_F32;
	const struct ordo_plan_options options = {.type = ORDO_F16, .count = 10};
	struct ordo_error error;
	assert_null(ordo_plan_create(schedule, &options, &error));
	assert_int_equal(error.rule, 4);
	ordo_schedule_destroy(schedule);
}

/* f32 accumulates in f32 anyway. */
static void f32_has_the_bits_it_has_without(void **state)
{
	(void)state;
	const struct ordo_problem problem = {.op = ORDO_ALLREDUCE, .nrank = 5};
	struct ordo_schedule *schedules[] = {
		compile(&problem, "ring", false), compile(&problem, "ring", true)};
	const struct ordo_plan_options options = {.type = ORDO_F32, .count = 100};
	struct rig rigs[] = {rig_create(schedules[0], options), rig_create(schedules[1], options)};
	for (int i = 0; i < 2; i++) {
		for (uint32_t rank = 0; rank < 5; rank++)
			for (uint32_t e = 0; e < 100; e++) {
				const float value =
					ldexpf((float)(int32_t)mix(rank * 100 + e), (int)(e % 30));
				memcpy(rigs[i].inputs[rank] + sizeof value * e, &value,
					sizeof value);
			}
		assert_true(run_plan(rigs[i].plan, BY_SEED, 1, NULL));
	}
	for (uint32_t rank = 0; rank < 5; rank++)
		assert_memory_equal(rigs[0].outputs[rank], rigs[1].outputs[rank], 400);
	for (int i = 0; i < 2; i++) {
		rig_destroy(&rigs[i]);
		ordo_schedule_destroy(schedules[i]);
	}
}

/* Rounded to the type: once, at the end. */
static void bounds_counterexamples_and_values_round_once(void **state)
{
	(void)state;
	struct ordo_error error;
	const struct ordo_tree_facts facts = {.leaves = 8, .depth = 3}, leaf = {.leaves = 1};
	assert_true(fabs(ordo_error_bound(ORDO_F16, ORDO_F32, ORDO_SUM, &facts) -
			    ((1 + 0x1p-11) * pow(1 + 0x1p-24, 3) - 1)) < 1e-15);
	assert_true(fabs(ordo_error_bound(ORDO_BF16, ORDO_F32, ORDO_PROD, &facts) -
			    ((1 + 0x1p-8) * pow(1 + 0x1p-24, 7) - 1)) < 1e-15);
	assert_true(ordo_error_bound(ORDO_F16, ORDO_F32, ORDO_SUM, &leaf) == 0);
	struct ordo_forest *forest = ordo_forest_create(&error);
	const uint32_t trees[2] = {
		ordo_forest_named(forest, (struct ordo_tree_name){ORDO_LINEAR, 0}, 4),
		ordo_forest_named(forest, (struct ordo_tree_name){ORDO_DYADIC, 0}, 4)};
	/* 1 + 3 * 2^-11: each is half a unit of the last place of f16, all three of f32 are not
	 * lost. */
	const double values[4] = {1, 0x1p-11, 0x1p-11, 0x1p-11};
	double result;
	assert_true(ordo_tree_evaluate(
		forest, trees[0], ORDO_F16, ORDO_F16, ORDO_SUM, values, &result, &error));
	assert_true(result == 1);
	assert_true(ordo_tree_evaluate(
		forest, trees[0], ORDO_F16, ORDO_F32, ORDO_SUM, values, &result, &error));
	assert_true(result == 1 + 0x1p-9);
	for (int type = ORDO_F16; type <= ORDO_BF16; type++) {
		const struct ordo_element elements[2] = {{0, 0, 0}, {0, 1, 0}};
		struct ordo_contradiction found;
		assert_true(ordo_contradict(forest, (enum ordo_type)type, ORDO_F32, ORDO_SUM,
			elements, trees, &found, &error));
		assert_true(found.bits[0] != found.bits[1] && isfinite(found.value[0]));
		assert_true(
			found.value[0] == ordo_type_round((enum ordo_type)type, found.value[0]));
		assert_true(
			found.value[2] == ordo_type_round((enum ordo_type)type, found.value[2]));
	}
	ordo_forest_destroy(forest);
}

static void comparable_are_those_that_round_alike(void **state)
{
	(void)state;
	const struct ordo_problem problem = {.op = ORDO_ALLREDUCE, .nrank = 4};
	assert_int_equal(ordo_accumulator(&problem, ORDO_F16), ORDO_F16);
	const struct ordo_problem f32 = {
		.op = ORDO_ALLREDUCE, .nrank = 4, .accumulate = ORDO_ACCUMULATE_F32};
	assert_int_equal(ordo_accumulator(&f32, ORDO_F16), ORDO_F32);
	assert_int_equal(ordo_accumulator(&f32, ORDO_BF16), ORDO_F32);
	assert_int_equal(ordo_accumulator(&f32, ORDO_F32), ORDO_F32);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sums_are_made_in_f32_and_rounded_once),
		cmocka_unit_test(steps_volume_and_trees_are_those_without),
		cmocka_unit_test(what_was_compiled_without_is_refused),
		cmocka_unit_test(equal_trees_have_equal_digests),
		cmocka_unit_test(no_pair_is_superfluous),
		cmocka_unit_test(partial_sums_never_leave_scratch),
		cmocka_unit_test(documents_say_it),
		cmocka_unit_test(one_contribution_is_copied),
		cmocka_unit_test(other_types_cannot_be_bound),
		cmocka_unit_test(a_plan_reduces_into_scratch_only),
		cmocka_unit_test(f32_has_the_bits_it_has_without),
		cmocka_unit_test(bounds_counterexamples_and_values_round_once),
		cmocka_unit_test(comparable_are_those_that_round_alike),
	};
	if (argc > 1)
		most_ranks = (uint32_t)strtoul(argv[1], NULL, 10);
	list_algorithms();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
