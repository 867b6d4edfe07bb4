/* test_input.c - inputs that show something: read strictly, written canonically, and true on
 * running schedules. */
#include "compiling.h"
#include <ordo/compiler.h>
#include <ordo/detail/input.h>
#include <ordo/runtime.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const char sound[] =
	"{\"schema\": \"ordo/input/1\",\n"
	" \"operator\": \"AllReduce\", \"ranks\": 4, \"chunks_per_block\": 3,\n"
	" \"type\": \"f32\", \"reduction\": \"sum\", \"count\": 10,\n"
	" \"elements\": [\n"
	"  {\"rank\": 2, \"chunk\": 0, \"offset\": 3},\n"
	"  {\"rank\": 0, \"chunk\": 2, \"offset\": 2}\n"
	" ],\n"
	" \"rest\": \"-0x1.8p+1\",\n"
	" \"values\": [\n"
	"  {\"shard\": 1, \"chunk\": 1, \"offset\": 1, \"value\": \"0x1p-149\"},\n"
	"  {\"shard\": 3, \"chunk\": 0, \"offset\": 0, \"value\": \"0x1.fffffep+127\"}\n"
	" ]}\n";

static struct ordo_input *read_sound(void)
{
	struct ordo_error error;
	struct ordo_input *input = ordo_input_read_text(sound, strlen(sound), "sound", &error);
	if (!input)
		fail_msg("%u:%u: %s", error.line, error.column, error.text);
	return input;
}

static void what_is_read_is_what_was_written(void **state)
{
	(void)state;
	struct ordo_input *input = read_sound();
	/* 10 elements in 3 chunks: 0..3, 4..6, 7..9. */
	assert_int_equal(input->elements[0].position, 3);
	assert_int_equal(input->elements[1].position, 9);
	assert_int_equal(input->values[0].position, 5);
	assert_true(ordo_input_at(input, 1, 5).real == 0x1p-149);
	assert_true(ordo_input_at(input, 1, 4).real == -3);
	assert_true(ordo_input_at(input, 0, 0).real == -3);
	assert_true(ordo_input_at(input, 3, 0).real == 0x1.fffffep+127);
	char *text = NULL;
	size_t size;
	struct ordo_error error;
	FILE *out = open_memstream(&text, &size);
	assert_true(ordo_input_print(input, out, &error));
	fclose(out);
	assert_string_equal(text, sound);
	free(text);
	ordo_input_destroy(input);
}

/* One part of the sound text replaced by another, what is then said, and where. */
static const struct {
	const char *from, *to, *says;
	uint32_t line, column;
} wrongs[] = {
	{"ordo/input/1", "ordo/input/2", "schema: found \"ordo/input/2\", wanted \"ordo/input/1\"",
		1, 12},
	{"\"AllReduce\"", "\"AllGather\"", "operator: found \"AllGather\", wanted one that reduces",
		2, 14},
	{"\"AllReduce\"", "\"allreduce\"", "operator: found \"allreduce\"", 2, 14},
	{"\"ranks\": 4", "\"ranks\": 0", "ranks: found 0, wanted an integer of 1..2147483647", 2,
		36},
	{"\"ranks\": 4", "\"ranks\": 4, \"root\": 0", "root: AllReduce has no root", 2, 47},
	{"\"AllReduce\"", "\"Reduce\"", "the key \"root\" is missing", 2, 14},
	{"\"f32\"", "\"f33\"", "type: found \"f33\", wanted f16", 3, 10},
	{"\"sum\"", "\"add\"", "reduction: found \"add\", wanted sum", 3, 30},
	{"\"count\": 10", "\"count\": 0", "count: found 0", 3, 46},
	{"\"count\": 10", "\"count\": -1", "count: found -1", 3, 46},
	{"\"count\": 10", "\"cuont\": 10", "unknown key \"cuont\" in an input", 3, 37},
	{", \"count\": 10", "", "the key \"count\" is missing in an input", 1, 1},
	{", \"count\": 10", ", \"count\": 10, \"count\": 10", "duplicate key \"count\"", 3, 50},
	{"  {\"rank\": 2, \"chunk\": 0, \"offset\": 3},\n  {\"rank\": 0, \"chunk\": 2, \"offset\": "
	 "2}\n",
		"", "elements: found 0, wanted 1 or 2", 4, 14},
	{"\"elements\": [", "\"elements\": [{\"rank\": 1, \"chunk\": 0, \"offset\": 0},",
		"elements: found 3, wanted 1 or 2", 4, 14},
	{"\"rank\": 2, ", "", "the key \"rank\" is missing in an element", 5, 3},
	{"\"rank\": 2", "\"shard\": 2", "unknown key \"shard\" in an element", 5, 4},
	{"\"rank\": 2", "\"rank\": 4", "rank: found 4, but chunk 0 is an output of ranks 0..3", 5,
		12},
	{"\"chunk\": 2", "\"chunk\": 3", "chunk: found 3, wanted 0..2", 6, 24},
	{"\"offset\": 3", "\"offset\": 4", "offset: found 4, but chunk 0 has 4 elements", 5, 37},
	{"\"-0x1.8p+1\"", "\"-3\"", "rest: found \"-3\", wanted a hexadecimal number", 8, 10},
	{"\"-0x1.8p+1\"", "-3", "rest: found -3, wanted a string", 8, 10},
	{"\"0x1p-149\"", "\"0x1p-150\"", "value: found \"0x1p-150\", wanted a hexadecimal number",
		10, 50},
	{"\"0x1p-149\"", "\"0x1.000001p+0\"", "that f32 can hold", 10, 50},
	{"\"0x1p-149\"", "\"0x1p+1024\"", "that f32 can hold", 10, 50},
	{"\"0x1p-149\"", "\"inf\"", "that f32 can hold", 10, 50},
	{"\"0x1p-149\"", "\" 0x1p+0\"", "that f32 can hold", 10, 50},
	{"\"0x1p-149\"", "\"0x1p+0 \"", "that f32 can hold", 10, 50},
	{"\"0x1p-149\"", "\"0xp+0\"", "that f32 can hold", 10, 50},
	{"\"0x1p-149\"", "\"\"", "that f32 can hold", 10, 50},
	{"\"shard\": 1, \"chunk\": 1", "\"shard\": 4, \"chunk\": 1", "shard: found 4, wanted 0..3",
		10, 13},
	{"\"shard\": 3, \"chunk\": 0, \"offset\": 0", "\"shard\": 1, \"chunk\": 1, \"offset\": 1",
		"shard 1, chunk 1, offset 1 has a value already", 11, 13},
	{"\"value\": \"0x1p-149\"", "\"value\": \"0x1p-149\", \"more\": 1",
		"unknown key \"more\" in a value", 10, 62},
	{" ]}\n", " ]}\n]", "wanted nothing after the document", 13, 1},
	{" ]}\n", " ]", "found the end", 12, 3},
};

static char *replace(const char *text, const char *from, const char *to)
{
	const char *at = strstr(text, from);
	assert_non_null(at);
	/* The last bracket, where there are several. */
	while (!strcmp(from, " ]}\n") && strstr(at + 1, from))
		at = strstr(at + 1, from);
	char *out = malloc(strlen(text) + strlen(to) + 1);
	memcpy(out, text, (size_t)(at - text));
	strcpy(out + (at - text), to);
	strcat(out, at + strlen(from));
	return out;
}

static void whatever_is_wrong_is_said_with_its_place(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof wrongs / sizeof *wrongs; i++) {
		struct ordo_error error = {0};
		char *text = replace(sound, wrongs[i].from, wrongs[i].to);
		struct ordo_input *input =
			ordo_input_read_text(text, strlen(text), "wrong", &error);
		if (input || error.rule != 1 || error.line != wrongs[i].line ||
			error.column != wrongs[i].column || !strstr(error.text, wrongs[i].says))
			fail_msg("%s: %u:%u: %s, wanted %u:%u: %s", wrongs[i].to, error.line,
				error.column, input ? "read" : error.text, wrongs[i].line,
				wrongs[i].column, wrongs[i].says);
		free(text);
	}
}

static void numbers_are_what_their_types_hold(void **state)
{
	(void)state;
	static const struct {
		const char *type, *number;
		bool good;
	} cases[] = {{"i8", "127", true}, {"i8", "128", false}, {"i8", "-128", true},
		{"i8", "-129", false}, {"f16", "0x1.ffcp+15", true}, {"f16", "0x1.ffep+15", false},
		{"bf16", "0x1.fep+127", true}, {"bf16", "0x1.ffp+127", false},
		{"i32", "2147483647", true}, {"i32", "2147483648", false},
		{"i32", "-2147483648", true}, {"i32", "-2147483649", false},
		{"i64", "9223372036854775807", true}, {"i64", "9223372036854775808", false},
		{"i64", "-9223372036854775808", true}, {"u8", "255", true}, {"u8", "256", false},
		{"u8", "-1", false}, {"u8", "0", true}, {"i32", "-0", false}, {"i32", "01", false},
		{"i32", "+1", false}, {"i32", "1.0", false}, {"i32", "0x1p+0", false},
		{"i32", "", false}, {"i32", "-", false}};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		char text[512];
		snprintf(text, sizeof text,
			"{\"values\": [], \"rest\": \"%s\", \"elements\": [{\"offset\": 0, "
			"\"chunk\": 0, \"rank\": 0}], \"count\": 1, \"reduction\": \"sum\", "
			"\"type\": \"%s\", \"chunks_per_block\": 1, \"ranks\": 1, \"operator\": "
			"\"AllReduce\", \"schema\": \"ordo/input/1\"}",
			cases[i].number, cases[i].type);
		struct ordo_error error;
		struct ordo_input *input =
			ordo_input_read_text(text, strlen(text), "cases", &error);
		if (!input != !cases[i].good)
			fail_msg("%s %s is %s", cases[i].type, cases[i].number,
				input ? "taken" : error.text);
		ordo_input_destroy(input);
	}
}

static void positions_and_chunks_are_two_ways_to_say_one_place(void **state)
{
	(void)state;
	for (uint64_t count = 1; count <= 13; count++)
		for (uint32_t K = 1; K <= 9; K++) {
			const struct ordo_problem problem = {.op = ORDO_REDUCESCATTER,
				.nrank = 3,
				.nshard = 3,
				.chunks_per_block = K};
			uint64_t position = 0;
			for (uint32_t chunk = 0; chunk < 3 * K; chunk++) {
				const uint64_t length =
					ordo_chunk_begin(count, K, chunk % K + 1, 1) -
					ordo_chunk_begin(count, K, chunk % K, 1);
				for (uint64_t offset = 0; offset < length; offset++, position++) {
					uint32_t found;
					uint64_t inside;
					ordo_chunk_at(&problem, count, position, &found, &inside);
					assert_int_equal(found, chunk);
					assert_int_equal(inside, offset);
					assert_int_equal(
						ordo_position_of(&problem, count, chunk, offset),
						position);
				}
			}
			assert_int_equal(position, 3 * count);
		}
}

static void inputs_without_sense_are_not_made(void **state)
{
	(void)state;
	struct ordo_error error;
	struct ordo_problem problem = {
		.op = ORDO_BROADCAST, .nrank = 2, .nshard = 2, .chunks_per_block = 1};
	assert_null(ordo_input_create(&problem, ORDO_F32, ORDO_SUM, 1, &error));
	assert_int_equal(error.code, ORDO_USAGE);
	problem.op = ORDO_ALLREDUCE;
	assert_null(ordo_input_create(&problem, ORDO_F32, ORDO_SUM, 0, &error));
	assert_null(ordo_input_create(&problem, ORDO_F32, ORDO_SUM, UINT64_C(1) << 32, &error));
}

static void values_are_sorted_whichever_element_comes_first(void **state)
{
	(void)state;
	struct ordo_error error;
	const struct ordo_problem problem = {
		.op = ORDO_ALLREDUCE, .nrank = 4, .nshard = 4, .chunks_per_block = 3};
	const struct ordo_contradiction contradiction = {.type = ORDO_F64,
		.element = {{0, 2, 0}, {3, 1, 0}},
		.witness = {.a = 3, .b = 0, .c = 2},
		.value = {7, 8, 9},
		.rest = 5};
	struct ordo_input *input = ordo_input_contradicting(&problem, &contradiction, &error);
	assert_non_null(input);
	assert_int_equal(input->nvalue, 6);
	for (size_t i = 0; i < 6; i++) {
		static const uint32_t shards[] = {0, 0, 2, 2, 3, 3};
		static const double values[] = {8, 8, 9, 9, 7, 7};
		assert_int_equal(input->values[i].shard, shards[i]);
		assert_int_equal(input->values[i].position, 1 + i % 2);
		assert_true(input->values[i].number.real == values[i]);
	}
	assert_true(ordo_input_at(input, 1, 1).real == 5);
	ordo_input_destroy(input);
}

/* What the running schedule makes of an input: the bits of its two elements. */
static void run(
	const struct ordo_schedule *schedule, const struct ordo_input *input, uint64_t *bits)
{
	const struct ordo_problem *problem = &schedule->problem;
	const size_t size = ordo_type_size(input->type);
	const struct ordo_plan_options options = {
		.type = input->type, .reduction = input->reduction, .count = input->count};
	struct ordo_error error;
	struct ordo_plan *plan = ordo_plan_create(schedule, &options, &error);
	assert_non_null(plan);
	char *inputs[16], *outputs[16];
	for (uint32_t rank = 0; rank < problem->nrank; rank++) {
		inputs[rank] = calloc(1, ordo_plan_input_bytes(plan, rank) + 1);
		outputs[rank] = calloc(1, ordo_plan_output_bytes(plan, rank) + 1);
		/* One shard a rank, one element a chunk: input slots are positions. */
		for (uint32_t slot = 0; slot < ordo_input_slots(problem, rank); slot++)
			ordo_element_put(input->type, inputs[rank], slot,
				ordo_input_at(input, rank, slot).real);
		assert_true(ordo_plan_bind(plan, rank, inputs[rank], outputs[rank], &error));
	}
	assert_true(ordo_plan_run_seeded(plan, 1, &error));
	for (int i = 0; i < 2; i++) {
		const struct ordo_output_element *element = &input->elements[i];
		const uint32_t slot =
			ordo_output_slot(problem, element->rank, (uint32_t)element->position);
		bits[i] = 0;
		memcpy(&bits[i], outputs[element->rank] + slot * size, size);
	}
	for (uint32_t rank = 0; rank < problem->nrank; rank++) {
		free(inputs[rank]);
		free(outputs[rank]);
	}
	ordo_plan_destroy(plan);
}

/* Where G3 is refuted, the running schedule has exactly the bits that the contradiction claims.
 * Returns whether it was. */
static bool check_contradiction(const struct ordo_schedule *schedule,
	const struct ordo_proof *proof, enum ordo_type type, enum ordo_reduction reduction)
{
	struct ordo_arena arena = {0};
	struct ordo_judgement judgement;
	struct ordo_error error;
	assert_true(ordo_judge_proof(
		&schedule->problem, proof, ORDO_G3, type, reduction, &arena, &judgement, &error));
	assert_int_equal(judgement.verdict, proof->position_invariant);
	ordo_arena_free(&arena);
	if (judgement.verdict == ORDO_HOLDS)
		return false;
	assert_true(judgement.contradicted);
	struct ordo_input *input =
		ordo_input_contradicting(&schedule->problem, &judgement.contradiction, &error);
	assert_non_null(input);
	uint64_t bits[2];
	run(schedule, input, bits);
	ordo_input_destroy(input);
	assert_true(bits[0] == judgement.contradiction.bits[0]);
	assert_true(bits[1] == judgement.contradiction.bits[1]);
	assert_true(bits[0] != bits[1]);
	return true;
}

static void running_schedules_have_the_bits_that_contradictions_claim(void **state)
{
	(void)state;
	static const enum ordo_operator operators[] = {
		ORDO_ALLREDUCE, ORDO_REDUCESCATTER, ORDO_REDUCE};
	uint32_t nalgorithm, refuted = 0, held = 0;
	const struct ordo_algorithm_facts *const *algorithms = ordo_algorithms(&nalgorithm);
	for (uint32_t i = 0; i < nalgorithm; i++)
		for (int op = 0; op < 3; op++)
			for (uint32_t n = 3; n <= 12; n++) {
				const struct ordo_request request = {
					.problem = {.op = operators[op], .nrank = n},
					.algorithm = algorithms[i]->name};
				struct ordo_schedule *schedule = ordo_compile(&request, NULL);
				struct ordo_proof *proof =
					schedule ? ordo_verify(schedule, NULL, NULL) : NULL;
				for (int kind = 0; proof && kind < 8; kind++) {
					const bool contradicted = check_contradiction(schedule,
						proof, (enum ordo_type)(ORDO_F16 + kind / 2),
						kind & 1 ? ORDO_PROD : ORDO_SUM);
					refuted += contradicted;
					held += !contradicted;
				}
				ordo_proof_destroy(proof);
				ordo_schedule_destroy(schedule);
			}
	assert_true(refuted > 400 && held > 400);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_read_is_what_was_written),
		cmocka_unit_test(whatever_is_wrong_is_said_with_its_place),
		cmocka_unit_test(numbers_are_what_their_types_hold),
		cmocka_unit_test(positions_and_chunks_are_two_ways_to_say_one_place),
		cmocka_unit_test(inputs_without_sense_are_not_made),
		cmocka_unit_test(values_are_sorted_whichever_element_comes_first),
		cmocka_unit_test(running_schedules_have_the_bits_that_contradictions_claim),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
