/* guarantees.c - what a schedule guarantees for an element type and a reduction, in words and in
 * JSON. */
#include "guarantees.h"
#include <inttypes.h>
#include <ordo/detail/accumulate.h>
#include <string.h>

static bool refuse(struct call *call, int status)
{
	call->status = status;
	return false;
}

const struct arithmetic sums_of_floats = {.type = ORDO_F32, .reduction = ORDO_SUM};

bool read_arithmetic(struct call *call, struct arithmetic *arithmetic)
{
	arithmetic->type = ORDO_F32;
	arithmetic->reduction = ORDO_SUM;
	if (arithmetic->type_name && !ordo_type_from_name(arithmetic->type_name, &arithmetic->type))
		return refuse(
			call, fail_usage(call, NULL, "--type: found %s, wanted " ORDO_TYPE_NAMES,
				      arithmetic->type_name));
	if (arithmetic->reduction_name &&
		!ordo_reduction_from_name(arithmetic->reduction_name, &arithmetic->reduction))
		return refuse(
			call, fail_usage(call, NULL, "--op: found %s, wanted " ORDO_REDUCTION_NAMES,
				      arithmetic->reduction_name));
	return true;
}

bool can_judge(
	struct call *call, const struct arithmetic *arithmetic, const struct ordo_problem *problem)
{
	struct ordo_error error;
	return ordo_accumulates(problem, arithmetic->type, &error) ||
	       refuse(call, fail(call, &error));
}

bool make_judgements(struct call *call, const struct arithmetic *arithmetic,
	const struct ordo_problem *problem, const struct ordo_proof *proof,
	const struct ordo_order *order, struct judgements *judgements)
{
	struct ordo_error error;
	*judgements = (struct judgements){.arithmetic = *arithmetic};
	for (int i = 0; i < ORDO_NGUARANTEE; i++) {
		const enum ordo_guarantee guarantee = (enum ordo_guarantee)i;
		const bool worked = order ? ordo_judge_guarantee(order, guarantee, arithmetic->type,
						    arithmetic->reduction, &judgements->arena,
						    &judgements->of[i], &error)
					  : ordo_judge_proof(problem, proof, guarantee,
						    arithmetic->type, arithmetic->reduction,
						    &judgements->arena, &judgements->of[i], &error);
		if (!worked)
			return refuse(call, fail(call, &error));
	}
	return true;
}

void free_judgements(struct judgements *judgements)
{
	ordo_arena_free(&judgements->arena);
	*judgements = (struct judgements){0};
}

static const char *const words[] = {[ORDO_HOLDS] = "holds",
	[ORDO_DOES_NOT_HOLD] = "does not hold",
	[ORDO_NOT_ASKED] = "not asked",
	[ORDO_NOT_APPLICABLE] = "not applicable"};
static const enum colour colours[] = {[ORDO_HOLDS] = GREEN,
	[ORDO_DOES_NOT_HOLD] = YELLOW,
	[ORDO_NOT_ASKED] = PLAIN,
	[ORDO_NOT_APPLICABLE] = PLAIN};

/* A text of several lines goes on below its beginning. */
static void print_indented(FILE *out, const char *text)
{
	for (; *text; text++) {
		fputc(*text, out);
		if (*text == '\n')
			fprintf(out, "%26s", "");
	}
	fputc('\n', out);
}

void print_real(FILE *out, double number)
{
	fprintf(out, number > -1e6 && number < 1e6 ? "%g" : "%a", number);
}

void print_shard_values(FILE *out, const struct ordo_contradiction *found)
{
	const uint32_t shards[3] = {found->witness.a, found->witness.b, found->witness.c};
	for (int i = 0; i < 3; i++) {
		fprintf(out, "%s%u = ", i ? ", " : "shard ", shards[i]);
		print_real(out, found->value[i]);
	}
	fprintf(out, ", others ");
	print_real(out, found->rest);
	fprintf(out, " (%s %s)", ordo_type_name(found->type),
		ordo_reduction_name(found->reduction));
}

static void print_contradiction(FILE *out, const struct ordo_judgement *judgement)
{
	const struct ordo_contradiction *found = &judgement->contradiction;
	fprintf(out, "%26sfirst difference: %s, where the other adds %u to %u before %u\n", "",
		judgement->node[0], found->witness.c, found->witness.a, found->witness.b);
	fprintf(out, "%26swith ", "");
	print_shard_values(out, found);
	fprintf(out, ":\n");
	for (int i = 0; i < 2; i++) {
		const struct ordo_element *element = &found->element[i];
		fprintf(out, "%*s", i ? 0 : 26, i ? " but " : "");
		print_real(out, found->result[i]);
		fprintf(out, " at rank %" PRIu32 ", chunk %" PRIu32 ", offset %" PRIu64 "%s",
			element->rank, element->chunk, element->offset, i ? "\n" : ",");
	}
}

static void print_judgement(
	FILE *out, enum ordo_guarantee guarantee, const struct ordo_judgement *judgement)
{
	char title[32];
	snprintf(title, sizeof title, "%s %s", ordo_guarantee_name(guarantee),
		ordo_guarantee_title(guarantee));
	fprintf(out, "  %-23s %s%s%s: ", title, paint(out, colours[judgement->verdict]),
		words[judgement->verdict], paint(out, PLAIN));
	print_indented(out, judgement->why ? judgement->why : ordo_guarantee_meaning(guarantee));
	if (judgement->contradicted)
		print_contradiction(out, judgement);
}

void print_judgements(FILE *out, const struct judgements *judgements)
{
	if (judgements->of[ORDO_G1].verdict == ORDO_NOT_APPLICABLE) {
		fprintf(out, "  %-23s not applicable: %s\n", "G1 to G5",
			judgements->of[ORDO_G1].why);
		return;
	}
	for (int i = 0; i < ORDO_NGUARANTEE; i++)
		if (i < ORDO_G4)
			print_judgement(out, (enum ordo_guarantee)i, &judgements->of[i]);
	fprintf(out, "  %-23s not asked: %s\n", "G4 and G5", judgements->of[ORDO_G4].why);
}

static void add_real(cJSON *object, const char *name, double number)
{
	char text[48];
	snprintf(text, sizeof text, "%a", number);
	add_text(object, name, text);
}

static void add_bits(cJSON *object, uint64_t bits, enum ordo_type type)
{
	char text[24];
	snprintf(text, sizeof text, "%0*" PRIx64, 2 * (int)ordo_type_size(type), bits);
	add_text(object, "bits", text);
}

void add_shard_values(cJSON *object, const struct ordo_contradiction *found)
{
	const uint32_t shards[3] = {found->witness.a, found->witness.b, found->witness.c};
	cJSON *values = cJSON_AddArrayToObject(object, "values");
	for (int i = 0; i < 3; i++) {
		cJSON *value = cJSON_CreateObject();
		add_count(value, "shard", shards[i]);
		add_real(value, "value", found->value[i]);
		cJSON_AddItemToArray(values, value);
	}
	add_real(object, "rest", found->rest);
}

static void add_contradiction(cJSON *json, const struct ordo_judgement *judgement)
{
	const struct ordo_contradiction *found = &judgement->contradiction;
	cJSON *object = cJSON_AddObjectToObject(json, "counterexample"),
	      *elements = cJSON_AddArrayToObject(object, "elements");
	for (int i = 0; i < 2; i++) {
		cJSON *element = cJSON_CreateObject();
		add_count(element, "rank", found->element[i].rank);
		add_count(element, "chunk", found->element[i].chunk);
		add_count(element, "offset", found->element[i].offset);
		add_text(element, "tree", judgement->tree[i]);
		add_text(element, "first_difference", judgement->node[i]);
		add_real(element, "result", found->result[i]);
		add_bits(element, found->bits[i], found->type);
		cJSON_AddItemToArray(elements, element);
	}
	add_shard_values(object, found);
}

void add_judgements(cJSON *answer, const struct judgements *judgements)
{
	add_text(answer, "type", ordo_type_name(judgements->arithmetic.type));
	add_text(answer, "reduction", ordo_reduction_name(judgements->arithmetic.reduction));
	cJSON *list = cJSON_AddObjectToObject(answer, "guarantees");
	for (int i = 0; i < ORDO_NGUARANTEE; i++) {
		const struct ordo_judgement *judgement = &judgements->of[i];
		cJSON *one =
			cJSON_AddObjectToObject(list, ordo_guarantee_name((enum ordo_guarantee)i));
		add_text(one, "verdict", words[judgement->verdict]);
		if (judgement->why)
			add_text(one, "why", judgement->why);
		if (judgement->contradicted)
			add_contradiction(one, judgement);
	}
}
