/* guarantees.c - reports what a schedule guarantees for an element type and a reduction. */
#include "guarantees.h"
#include "cli/inputs.h"
#include "proof.h"
#include <inttypes.h>
#include <ordo/detail/accumulate.h>
#include <ordo/detail/compare.h>
#include <string.h>

struct arithmetic usual_sums(const struct ordo_problem *problem)
{
	return (struct arithmetic){.type = ordo_usual_type(problem), .reduction = ORDO_SUM};
}

bool read_arithmetic(struct call *call, struct arithmetic *arithmetic)
{
	arithmetic->type = ORDO_F32;
	arithmetic->reduction = ORDO_SUM;
	if (arithmetic->type_name && !ordo_type_from_name(arithmetic->type_name, &arithmetic->type))
		return refuse_usage(call, NULL, "--type: found %s, wanted " ORDO_TYPE_NAMES,
			arithmetic->type_name);
	if (arithmetic->reduction_name &&
		!ordo_reduction_from_name(arithmetic->reduction_name, &arithmetic->reduction))
		return refuse_usage(call, NULL, "--op: found %s, wanted " ORDO_REDUCTION_NAMES,
			arithmetic->reduction_name);
	return true;
}

bool can_check_guarantees(
	struct call *call, struct arithmetic *arithmetic, const struct ordo_problem *problem)
{
	struct ordo_error error;
	if (!arithmetic->type_name)
		arithmetic->type = ordo_usual_type(problem);
	return (problem->op == ORDO_CUSTOM ||
		       ordo_can_reduce(problem, arithmetic->type, arithmetic->reduction, &error)) ||
	       refuse_error(call, &error);
}

bool check_guarantees(struct call *call, const struct arithmetic *arithmetic,
	const struct ordo_problem *problem, const struct ordo_proof *proof,
	const struct ordo_order *order, struct guarantee_verdicts *verdicts)
{
	struct ordo_error error;
	*verdicts = (struct guarantee_verdicts){.arithmetic = *arithmetic};
	for (int i = 0; i < ORDO_NGUARANTEE; i++) {
		const enum ordo_guarantee guarantee = (enum ordo_guarantee)i;
		const bool worked = order ? ordo_judge_guarantee(order, guarantee, arithmetic->type,
						    arithmetic->reduction, &verdicts->arena,
						    &verdicts->of[i], &error)
					  : ordo_judge_proof(problem, proof, guarantee,
						    arithmetic->type, arithmetic->reduction,
						    &verdicts->arena, &verdicts->of[i], &error);
		if (!worked)
			return refuse_error(call, &error);
	}
	return true;
}

void free_guarantee_verdicts(struct guarantee_verdicts *verdicts)
{
	ordo_arena_free(&verdicts->arena);
	*verdicts = (struct guarantee_verdicts){0};
}

const char *verdict_text(enum ordo_verdict verdict)
{
	static const char *const words[] = {[ORDO_HOLDS] = "holds",
		[ORDO_DOES_NOT_HOLD] = "does not hold",
		[ORDO_NOT_ASKED] = "not asked",
		[ORDO_NOT_APPLICABLE] = "not applicable"};
	return words[verdict];
}

enum colour verdict_colour(enum ordo_verdict verdict)
{
	return verdict == ORDO_HOLDS ? GREEN : verdict == ORDO_DOES_NOT_HOLD ? YELLOW : PLAIN;
}

/* Aligns the further lines of a text with its beginning. */
static void report_indented(const struct report *report, const char *text)
{
	for (const char *end; (end = strchr(text, '\n')); text = end + 1)
		report_text(report, "%.*s\n%26s", (int)(end - text), text, "");
	report_text(report, "%s\n", text);
}

const char *real_text(char out[32], double number)
{
	snprintf(out, 32, number > -1e6 && number < 1e6 ? "%g" : "%a", number);
	return out;
}

void report_shard_values(const struct report *report, const struct ordo_contradiction *found)
{
	const uint32_t shards[3] = {found->witness.a, found->witness.b, found->witness.c};
	const struct report values = report_list(report, "values");
	char number[32];
	for (int i = 0; i < 3; i++) {
		const struct report value = report_item(&values);
		report_text(&value, "%s%u<shard> = %s", i ? ", " : "shard ", shards[i],
			real_text(number, found->value[i]));
		report_members(&value, "%a<value>", found->value[i]);
	}
	report_text(report, ", others %s (%s %s)", real_text(number, found->rest),
		ordo_type_name(found->type), ordo_reduction_name(found->reduction));
	report_members(report, "%a<rest>", found->rest);
}

static void report_element(
	const struct report *elements, const struct ordo_judgement *judgement, int i)
{
	const struct ordo_contradiction *found = &judgement->contradiction;
	const struct ordo_element *element = &found->element[i];
	const struct report one = report_item(elements);
	char number[32];
	report_text(&one,
		"%*s%s at rank %" PRIu32 "<rank>, chunk %" PRIu32 "<chunk>, offset %" PRIu64
		"<offset>%s",
		i ? 0 : 26, i ? " but " : "", real_text(number, found->result[i]), element->rank,
		element->chunk, element->offset, i ? "\n" : ",");
	report_members(&one, "%s<tree> %s<first_difference> %a<result> %0*" PRIx64 "<bits>",
		judgement->tree[i], judgement->node[i], found->result[i],
		2 * (int)ordo_type_size(found->type), found->bits[i]);
}

static void report_contradiction(
	const struct report *report, const struct ordo_judgement *judgement)
{
	const struct ordo_contradiction *found = &judgement->contradiction;
	const struct report example = report_object(report, "counterexample"),
			    elements = report_list(&example, "elements");
	report_text(&example,
		"%26sfirst difference: %s, where the other tree adds %u to %u before %u\n", "",
		judgement->node[0], found->witness.c, found->witness.a, found->witness.b);
	report_text(&example, "%26swith ", "");
	report_shard_values(&example, found);
	report_text(&example, ":\n");
	for (int i = 0; i < 2; i++)
		report_element(&elements, judgement, i);
}

/* Members only: G4 and G5, which a schedule alone cannot have, appear without text. */
static void report_verdict(const struct report *report, enum ordo_guarantee guarantee,
	const struct ordo_judgement *judgement)
{
	char title[32];
	snprintf(title, sizeof title, "%s %s", ordo_guarantee_name(guarantee),
		ordo_guarantee_title(guarantee));
	report_label(report, title);
	report_text(report,
		"%s%s<verdict>%s: ", paint(report->text, verdict_colour(judgement->verdict)),
		verdict_text(judgement->verdict), paint(report->text, PLAIN));
	if (judgement->why)
		report_members(report, "%s<why>", judgement->why);
	report_indented(
		report, judgement->why ? judgement->why : ordo_guarantee_meaning(guarantee));
	if (judgement->contradicted)
		report_contradiction(report, judgement);
}

void report_verdicts(const struct report *report, const struct guarantee_verdicts *verdicts)
{
	const bool applicable = verdicts->of[ORDO_G1].verdict != ORDO_NOT_APPLICABLE;
	report_members(report, "%s<type> %s<reduction>", ordo_type_name(verdicts->arithmetic.type),
		ordo_reduction_name(verdicts->arithmetic.reduction));
	const struct report list = report_object(report, "guarantees");
	for (int i = 0; i < ORDO_NGUARANTEE; i++) {
		const enum ordo_guarantee guarantee = (enum ordo_guarantee)i;
		struct report one = report_object(&list, ordo_guarantee_name(guarantee));
		if (!applicable || (i >= ORDO_G4 && verdicts->of[i].verdict == ORDO_NOT_ASKED))
			one.text = NULL;
		report_verdict(&one, guarantee, &verdicts->of[i]);
	}
	if (applicable && verdicts->of[ORDO_G4].verdict == ORDO_NOT_ASKED)
		report_line(report, "G4 and G5", "not asked: %s", verdicts->of[ORDO_G4].why);
	else if (!applicable)
		report_line(report, "G1 to G5", "not applicable: %s", verdicts->of[ORDO_G1].why);
}

/* G4 and G5, which compare two schedules. */

enum { MOST_LEAVES = 32 };

/* Two schedules and their orders, in one forest. */
struct match {
	const struct ordo_schedule *here;
	struct ordo_schedule *there;
	struct ordo_proof *proof; /* of the other schedule */
	struct ordo_forest *forest;
	struct ordo_order *orders[2];
	struct ordo_comparison comparison;
};

static bool open_match(struct call *call, const char *file, const struct ordo_proof *proof,
	struct arithmetic *arithmetic, struct match *match)
{
	struct ordo_error error;
	const struct ordo_verify_options options = {0};
	match->there = open_schedule(call, file);
	if (!match->there || !can_check_guarantees(call, arithmetic, &match->there->problem))
		return false;
	match->proof = prove(call, match->there, &options);
	if (!match->proof)
		return false;
	match->forest = ordo_forest_create(&error);
	if (match->forest)
		match->orders[0] = ordo_order_create(match->forest, match->here, proof, &error);
	if (match->orders[0])
		match->orders[1] =
			ordo_order_create(match->forest, match->there, match->proof, &error);
	return (match->orders[1] && ordo_compare(match->orders[0], match->orders[1],
					    &match->comparison, &error)) ||
	       refuse_error(call, &error);
}

static void close_match(struct match *match)
{
	ordo_comparison_free(&match->comparison);
	ordo_order_destroy(match->orders[0]);
	ordo_order_destroy(match->orders[1]);
	ordo_forest_destroy(match->forest);
	ordo_proof_destroy(match->proof);
	ordo_schedule_destroy(match->there);
}

/* The first element that differs, its position in both schedules, and a witness input. */
static bool contradict(const struct match *match, const struct arithmetic *arithmetic,
	struct ordo_arena *arena, struct ordo_judgement *judgement, struct ordo_error *error)
{
	const struct ordo_vector_part *part = &match->comparison.parts[match->comparison.first];
	const struct ordo_schedule *const sides[2] = {match->here, match->there};
	struct ordo_element elements[2];
	for (int i = 0; i < 2; i++) {
		uint32_t end;
		elements[i] = (struct ordo_element){.chunk = part->chunk[i]};
		ordo_chunk_holders(&sides[i]->problem, part->chunk[i], &elements[i].rank, &end);
		judgement->tree[i] =
			ordo_forest_print(match->forest, arena, part->tree[i], MOST_LEAVES);
		if (!judgement->tree[i])
			return ordo_fail_memory(error);
	}
	judgement->contradicted = ordo_contradict(match->forest, arithmetic->type,
		ordo_accumulator(&match->here->problem, arithmetic->type), arithmetic->reduction,
		elements, part->tree, &judgement->contradiction, error);
	for (int i = 0; judgement->contradicted && i < 2; i++) {
		judgement->node[i] = ordo_forest_print(match->forest, arena,
			judgement->contradiction.witness.node[i], MOST_LEAVES);
		if (!judgement->node[i])
			return ordo_fail_memory(error);
	}
	/* The trees differ even if no input was found. */
	return judgement->contradicted || error->code == ORDO_UNDECIDED;
}

static bool check_match(
	const struct match *match, struct guarantee_verdicts *verdicts, struct ordo_error *error)
{
	const struct arithmetic *arithmetic = &verdicts->arithmetic;
	const bool same = !match->comparison.ndiffering ||
			  ordo_is_associative(arithmetic->type, arithmetic->reduction);
	for (int i = ORDO_G4; i <= ORDO_G5; i++) {
		const struct ordo_pair_judgement pair = ordo_judge_pair(
			(enum ordo_guarantee)i, match->here, match->there, same, &verdicts->arena);
		struct ordo_judgement *judgement = &verdicts->of[i];
		if (!pair.why)
			return ordo_fail_memory(error);
		*judgement = (struct ordo_judgement){.verdict = pair.verdict, .why = pair.why};
		if (pair.verdict == ORDO_DOES_NOT_HOLD &&
			!contradict(match, arithmetic, &verdicts->arena, judgement, error))
			return false;
	}
	return true;
}

bool check_guarantees_against(struct call *call, const char *file,
	const struct ordo_schedule *schedule, const struct ordo_proof *proof,
	struct guarantee_verdicts *verdicts)
{
	struct ordo_error error;
	struct match match = {.here = schedule};
	const bool worked = open_match(call, file, proof, &verdicts->arithmetic, &match) &&
			    (check_match(&match, verdicts, &error) || refuse_error(call, &error));
	close_match(&match);
	return worked;
}
