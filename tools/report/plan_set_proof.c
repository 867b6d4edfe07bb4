/* plan_set_proof.c - what is proved of a plan set, in words and in JSON. */
#include "plan_set_proof.h"
#include "incomplete.h"
#include "proof.h"
#include <inttypes.h>
#include <ordo/arena.h>
#include <ordo/detail/accumulate.h>
#include <ordo/detail/compare.h>
#include <stdlib.h>
#include <string.h>

/* Trees are shown with at most so many leaves; changes, and parts of each, at most so many at a
 * time. */
enum { MOST_LEAVES = 32, MOST_CHANGES = 8, MOST_PARTS = 2 };

static bool refuse(struct call *call, int status)
{
	call->status = status;
	return false;
}

static bool refuse_memory(struct call *call)
{
	struct ordo_error error;
	ordo_fail_memory(&error);
	return refuse(call, fail(call, &error));
}

bool begin_judged(struct call *call, struct judged_set *judged, const struct ordo_plan_set *set,
	const struct arithmetic *arithmetic)
{
	struct ordo_error error;
	*judged = (struct judged_set){.set = set,
		.arithmetic = *arithmetic,
		.any_order = ordo_operator_facts(set->problem.op)->reduces &&
			     ordo_is_associative(arithmetic->type, arithmetic->reduction),
		.forest = ordo_forest_create(&error),
		.proved = true};
	judged->ranges = calloc(set->nrange, sizeof *judged->ranges);
	return (judged->forest && judged->ranges ? true : refuse_memory(call)) &&
	       can_judge(call, arithmetic, &set->problem);
}

void end_judged(struct judged_set *judged)
{
	for (uint32_t i = 0; judged->ranges && i < judged->set->nrange; i++)
		if (ordo_plan_set_first(judged->set, i) == i)
			ordo_order_destroy(judged->ranges[i].order);
	free(judged->ranges);
	ordo_forest_destroy(judged->forest);
	ordo_arena_free(&judged->arena);
	*judged = (struct judged_set){0};
}

static void report_findings(
	struct call *call, const struct ordo_schedule *schedule, const struct ordo_proof *proof)
{
	cJSON *list = cJSON_GetObjectItemCaseSensitive(call->answer, "findings");
	if (!call->json) {
		print_findings(stderr, schedule, proof);
		return;
	}
	if (!list)
		list = cJSON_AddArrayToObject(call->answer, "findings");
	for (uint32_t i = 0; i < proof->nfinding; i++) {
		struct ordo_error error;
		ordo_finding_error(schedule, &proof->findings[i], &error);
		cJSON_AddItemToArray(list, error_json(&error));
	}
}

bool judge_range(struct call *call, struct judged_set *judged, uint32_t range,
	const struct ordo_schedule *schedule, const struct ordo_verify_options *options)
{
	struct judged_range *judgement = &judged->ranges[range];
	struct ordo_error error;
	struct ordo_proof *proof = prove(call, schedule, options);
	if (!proof)
		return false;
	bool worked = true;
	judgement->proved = proof->proved;
	judgement->algorithm =
		ordo_arena_text(&judged->arena, schedule->algorithm, strlen(schedule->algorithm));
	if (proof->proved) {
		judgement->order = ordo_order_create(judged->forest, schedule, proof, &error);
		worked = judgement->order ? true : refuse(call, fail(call, &error));
	} else {
		report_findings(call, schedule, proof);
	}
	ordo_proof_destroy(proof);
	return worked && (judgement->algorithm ? true : refuse_memory(call));
}

/* Digests are there if G1 and G2 hold, and are equal for schedules that are bit-interchangeable. */
static bool same_order(const struct judged_range *one, const struct judged_range *other)
{
	return one->order && other->order && one->order->digest[0] &&
	       !strcmp(one->order->digest, other->order->digest);
}

static enum ordo_verdict verdict_of(const struct ordo_order *order, int guarantee)
{
	return guarantee == 0	? order->rank_equal
	       : guarantee == 1 ? order->run_to_run
				: order->position_invariant;
}

/* What does not hold of one schedule does not hold of the set. */
static enum ordo_verdict verdict_over_all(const struct judged_set *judged, int guarantee)
{
	for (uint32_t i = 0; !judged->any_order && i < judged->set->nrange; i++) {
		const enum ordo_verdict verdict = verdict_of(judged->ranges[i].order, guarantee);
		if (verdict != ORDO_HOLDS)
			return verdict;
	}
	return ORDO_HOLDS;
}

void conclude_judged(struct judged_set *judged)
{
	const uint32_t nrange = judged->set->nrange;
	for (uint32_t i = 0; i < nrange; i++) {
		judged->ranges[i] = judged->ranges[ordo_plan_set_first(judged->set, i)];
		judged->proved &= judged->ranges[i].proved;
	}
	for (uint32_t i = 0; judged->proved && i + 1 < nrange; i++)
		judged->nchange += !same_order(&judged->ranges[i], &judged->ranges[i + 1]);
	judged->constant =
		judged->proved &&
		(judged->any_order || (!judged->nchange && judged->ranges[0].order->digest[0]));
	for (int i = 0; i < 3; i++)
		judged->guarantees[i] =
			judged->proved ? verdict_over_all(judged, i) : ORDO_NOT_ASKED;
	if (judged->guarantees[2] == ORDO_HOLDS && !judged->constant)
		judged->guarantees[2] = ORDO_DOES_NOT_HOLD;
}

static bool adds(const struct judged_set *judged)
{
	return ordo_operator_facts(judged->set->problem.op)->reduces;
}

const char *sizes_text(char out[64], const struct ordo_plan_range *range)
{
	if (range->to_bytes == ORDO_ENDLESS)
		snprintf(out, 64, "%" PRIu64 "..", range->from_bytes);
	else
		snprintf(out, 64, "%" PRIu64 "..%" PRIu64, range->from_bytes, range->to_bytes);
	return out;
}

/* `dyadic`, `unnamed`, `4 orders`. */
static const char *order_text(
	char out[64], const struct judged_set *judged, const struct ordo_order *order)
{
	struct ordo_tree_name name;
	if (!order)
		return "refuted";
	if (!adds(judged))
		return "-";
	if (!order->nclass)
		return "not fixed";
	if (order->nclass > 1) {
		snprintf(out, 64, "%u orders", order->nclass);
		return out;
	}
	if (!ordo_forest_name(judged->forest, order->classes[0].tree, &name)) {
		set_incomplete();
		return "?";
	}
	ordo_tree_name_print(name, out, 64);
	return out;
}

/* How wide the widest of the table's texts is. */
struct widths {
	int sizes, schedule, algorithm, order;
};

static void widen(int *width, const char *text)
{
	const int length = (int)strlen(text);
	*width = length > *width ? length : *width;
}

static struct widths find_widths(const struct judged_set *judged)
{
	struct widths widths = {5, 8, 9, 5};
	char text[64];
	for (uint32_t i = 0; i < judged->set->nrange; i++) {
		widen(&widths.sizes, sizes_text(text, &judged->set->ranges[i]));
		widen(&widths.schedule, judged->set->ranges[i].schedule);
		widen(&widths.algorithm, judged->ranges[i].algorithm);
		widen(&widths.order, order_text(text, judged, judged->ranges[i].order));
	}
	return widths;
}

const char *time_text(char out[32], double seconds_taken)
{
	const double us = seconds_taken * 1e6;
	snprintf(out, 32,
		us < 1e4   ? "%.4g us"
		: us < 1e7 ? "%.4g ms"
			   : "%.4g s",
		us < 1e4   ? us
		: us < 1e7 ? us * 1e-3
			   : us * 1e-6);
	return out;
}

void print_ranges(FILE *out, const struct judged_set *judged, const struct range_cost *costs)
{
	const struct widths widths = find_widths(judged);
	fprintf(out, "  %-*s  %-*s  %-*s  %-*s  %s\n", widths.sizes, "bytes", widths.schedule,
		"schedule", widths.algorithm, "algorithm", widths.order, "order",
		costs ? "order digest                      cost" : "order digest");
	for (uint32_t i = 0; i < judged->set->nrange; i++) {
		const struct ordo_order *order = judged->ranges[i].order;
		char sizes[64], orders[64], first[32], last[32];
		fprintf(out, "  %-*s  %-*s  %-*s  %-*s  %-32s", widths.sizes,
			sizes_text(sizes, &judged->set->ranges[i]), widths.schedule,
			judged->set->ranges[i].schedule, widths.algorithm,
			judged->ranges[i].algorithm, widths.order,
			order_text(orders, judged, order), order ? order->digest : "");
		if (costs)
			fprintf(out, "  %s..%s%s%s", time_text(first, costs[i].first),
				time_text(last, costs[i].last), costs[i].source ? ", " : "",
				costs[i].source ? costs[i].source : "");
		fputc('\n', out);
	}
}

/* A neighbouring pair of ranges whose orders differ. */
struct change {
	const struct ordo_plan_range *range[2];
	const struct ordo_order *order[2];
	struct ordo_comparison comparison;
};

static bool compare_range(
	struct call *call, const struct judged_set *judged, uint32_t range, struct change *change)
{
	struct ordo_error error;
	*change = (struct change){
		.range = {&judged->set->ranges[range], &judged->set->ranges[range + 1]},
		.order = {judged->ranges[range].order, judged->ranges[range + 1].order}};
	/* Without a digest there is no one order to compare. */
	if (!change->order[0]->digest[0] || !change->order[1]->digest[0])
		return true;
	return ordo_compare(change->order[0], change->order[1], &change->comparison, &error)
		       ? true
		       : refuse(call, fail(call, &error));
}

static const char *tree_text(struct judged_set *judged, uint32_t tree)
{
	struct ordo_tree_name name;
	char word[64];
	const char *text = ordo_forest_print(judged->forest, &judged->arena, tree, MOST_LEAVES);
	if (!text || !ordo_forest_name(judged->forest, tree, &name)) {
		set_incomplete();
		return "?";
	}
	if (name.kind == ORDO_UNNAMED)
		return text;
	ordo_tree_name_print(name, word, sizeof word);
	const char *named = ordo_arena_format(&judged->arena, "%s, %s,", text, word);
	if (!named)
		set_incomplete();
	return named ? named : "?";
}

static const char *position_text(char out[64], struct ordo_position at)
{
	if (at.whole == 1)
		snprintf(out, 64, "%" PRIu64, at.of);
	else
		snprintf(out, 64, "%" PRIu64 "/%" PRIu64, at.of, at.whole);
	return out;
}

/* Values of an input whose bits differ between the two sides of a change. */
static bool contradict(const struct judged_set *judged, const struct change *change,
	struct ordo_contradiction *contradiction, struct ordo_error *error)
{
	const struct ordo_vector_part *part = &change->comparison.parts[change->comparison.first];
	const struct ordo_element element[2] = {{0, part->chunk[0], 0}, {0, part->chunk[1], 0}};
	return ordo_contradict(judged->forest, judged->arithmetic.type,
		ordo_accumulator(&judged->set->problem, judged->arithmetic.type),
		judged->arithmetic.reduction, element, part->tree, contradiction, error);
}

static void print_input(
	FILE *out, const struct judged_set *judged, const struct ordo_contradiction *found)
{
	const char *who =
		judged->set->problem.nshard == judged->set->problem.nrank ? "rank" : "shard";
	fprintf(out,
		"      %s %.9g from %s %u, %.9g from %u, %.9g from %u, %.9g from all others: %.9g "
		"and %.9g\n",
		ordo_type_name(found->type), found->value[0], who, found->witness.a,
		found->value[1], found->witness.b, found->value[2], found->witness.c, found->rest,
		found->result[0], found->result[1]);
}

static bool print_change(struct call *call, FILE *out, struct judged_set *judged, uint32_t range)
{
	struct change change;
	struct ordo_error error;
	struct ordo_contradiction found;
	bool worked = compare_range(call, judged, range, &change);
	const struct ordo_comparison *comparison = &change.comparison;
	fprintf(out, "    at %" PRIu64 " bytes, from %s to %s%s\n", change.range[1]->from_bytes,
		change.range[0]->schedule, change.range[1]->schedule,
		comparison->npart ? "" : ": one of them has no one order");
	for (uint32_t i = 0, shown = 0; worked && i < comparison->npart && shown < MOST_PARTS;
		i++) {
		const struct ordo_vector_part *part = &comparison->parts[i];
		char begin[64], end[64], span[140];
		if (part->same)
			continue;
		snprintf(span, sizeof span, "[%s, %s)", position_text(begin, part->begin),
			position_text(end, part->end));
		fprintf(out, "      %s of the vector: %s by %s\n      %*s  %s by %s\n", span,
			tree_text(judged, part->tree[0]), change.range[0]->schedule,
			(int)strlen(span) + 14, "", tree_text(judged, part->tree[1]),
			change.range[1]->schedule);
		shown++;
	}
	if (comparison->ndiffering > MOST_PARTS)
		fprintf(out, "      and %u further parts\n", comparison->ndiffering - MOST_PARTS);
	if (worked && comparison->ndiffering) {
		if (contradict(judged, &change, &found, &error))
			print_input(out, judged, &found);
		else
			worked = refuse(call, fail(call, &error));
	}
	ordo_comparison_free(&change.comparison);
	return worked;
}

static void print_verdict(FILE *out, const char *title, bool holds, const char *meaning)
{
	fprintf(out, "  %-23s %s%s%s: %s\n", title, paint(out, holds ? GREEN : YELLOW),
		holds ? "holds" : "does not hold", paint(out, PLAIN), meaning);
}

/* The first schedule that a guarantee does not hold of. */
static const char *first_without(const struct judged_set *judged, int guarantee)
{
	for (uint32_t i = 0; i < judged->set->nrange; i++)
		if (verdict_of(judged->ranges[i].order, guarantee) == ORDO_DOES_NOT_HOLD)
			return judged->set->ranges[i].schedule;
	return NULL;
}

static void print_set_guarantees(FILE *out, const struct judged_set *judged)
{
	static const char *const meanings[] = {
		"every rank's copy has the same bits, by every schedule",
		"no timing changes a bit, by any schedule",
		"one order for all positions and all sizes"};
	for (int i = 0; i < 3; i++) {
		char title[32], why[320];
		const bool holds = judged->guarantees[i] == ORDO_HOLDS;
		const char *without = holds ? NULL : first_without(judged, i);
		snprintf(title, sizeof title, "%s %s", ordo_guarantee_name((enum ordo_guarantee)i),
			ordo_guarantee_title((enum ordo_guarantee)i));
		snprintf(why, sizeof why, "%s%.250s", without ? "not by the schedule " : "",
			without ? without : "the order changes with the size");
		print_verdict(out, title, holds,
			!holds		    ? why
			: judged->any_order ? "whatever the order, the bits are the same"
					    : meanings[i]);
	}
}

static bool print_changes(struct call *call, FILE *out, struct judged_set *judged)
{
	uint32_t shown = 0;
	bool worked = true;
	if (judged->any_order) {
		fprintf(out, "  %-23s %sany%s: for %s %s every order has the same bits\n", "order",
			paint(out, GREEN), paint(out, PLAIN),
			ordo_type_name(judged->arithmetic.type),
			ordo_reduction_name(judged->arithmetic.reduction));
		return true;
	}
	if (judged->constant) {
		fprintf(out,
			"  %-23s %sconstant%s over all sizes: no bit depends on which schedule a "
			"size selects\n",
			"order", paint(out, GREEN), paint(out, PLAIN));
		return true;
	}
	if (!judged->nchange) {
		fprintf(out, "  %-23s not fixed\n", "order");
		return true;
	}
	fprintf(out, "  %-23s %schanges%s with the size, and so do bits:\n", "order",
		paint(out, YELLOW), paint(out, PLAIN));
	for (uint32_t i = 0; worked && i + 1 < judged->set->nrange; i++) {
		if (same_order(&judged->ranges[i], &judged->ranges[i + 1]))
			continue;
		if (shown++ < MOST_CHANGES)
			worked = print_change(call, out, judged, i);
	}
	if (shown > MOST_CHANGES)
		fprintf(out, "    and at %u further sizes; --json has them all\n",
			shown - MOST_CHANGES);
	return worked;
}

bool print_judged(struct call *call, FILE *out, struct judged_set *judged)
{
	if (!judged->proved)
		return true;
	if (!adds(judged)) {
		fprintf(out,
			"  %-23s not asked: %s adds nothing, so its bits are the same at all "
			"sizes\n",
			"G1 G2 G3", ordo_operator_facts(judged->set->problem.op)->name);
		return true;
	}
	print_set_guarantees(out, judged);
	return print_changes(call, out, judged);
}

static bool add_change(struct call *call, struct judged_set *judged, uint32_t range, cJSON *list)
{
	struct change change;
	struct ordo_error error;
	struct ordo_contradiction found;
	bool worked = compare_range(call, judged, range, &change);
	cJSON *one = cJSON_CreateObject(), *schedules = cJSON_AddArrayToObject(one, "schedules"),
	      *parts = cJSON_AddArrayToObject(one, "differing");
	cJSON_AddItemToArray(list, one);
	add_count(one, "bytes", change.range[1]->from_bytes);
	for (int side = 0; side < 2; side++)
		cJSON_AddItemToArray(schedules, cJSON_CreateString(change.range[side]->schedule));
	for (uint32_t i = 0; worked && i < change.comparison.npart; i++) {
		const struct ordo_vector_part *part = &change.comparison.parts[i];
		char text[64];
		if (part->same)
			continue;
		cJSON *json = cJSON_CreateObject(), *trees;
		cJSON_AddItemToArray(parts, json);
		add_text(json, "begin", position_text(text, part->begin));
		add_text(json, "end", position_text(text, part->end));
		trees = cJSON_AddArrayToObject(json, "trees");
		for (int side = 0; side < 2; side++) {
			const char *tree = ordo_forest_print(
				judged->forest, &judged->arena, part->tree[side], MOST_LEAVES);
			cJSON_AddItemToArray(trees, cJSON_CreateString(tree ? tree : "?"));
		}
	}
	if (worked && change.comparison.ndiffering) {
		worked = contradict(judged, &change, &found, &error);
		if (worked) {
			cJSON *input = cJSON_AddObjectToObject(one, "input"),
			      *leaves = cJSON_AddObjectToObject(input, "values"),
			      *results = cJSON_AddArrayToObject(input, "results");
			const uint32_t leaf[3] = {
				found.witness.a, found.witness.b, found.witness.c};
			for (int i = 0; i < 3; i++) {
				char name[16];
				snprintf(name, sizeof name, "%" PRIu32, leaf[i]);
				add_number(leaves, name, found.value[i]);
			}
			add_number(input, "rest", found.rest);
			for (int i = 0; i < 2; i++)
				cJSON_AddItemToArray(results, cJSON_CreateNumber(found.result[i]));
		} else {
			refuse(call, fail(call, &error));
		}
	}
	ordo_comparison_free(&change.comparison);
	return worked;
}

void add_sizes(cJSON *object, const struct ordo_plan_range *range)
{
	add_count(object, "from_bytes", range->from_bytes);
	if (range->to_bytes == ORDO_ENDLESS)
		add_text(object, "to_bytes", NULL);
	else
		add_count(object, "to_bytes", range->to_bytes);
}

static void add_range(
	const struct judged_set *judged, uint32_t i, const struct range_cost *cost, cJSON *list)
{
	const struct ordo_plan_range *range = &judged->set->ranges[i];
	const struct judged_range *judgement = &judged->ranges[i];
	cJSON *one = cJSON_CreateObject();
	char text[64];
	cJSON_AddItemToArray(list, one);
	add_sizes(one, range);
	add_text(one, "schedule", range->schedule);
	add_text(one, "algorithm", judgement->algorithm);
	add_truth(one, "proved", judgement->proved);
	add_text(one, "order", order_text(text, judged, judgement->order));
	add_text(one, "order_digest",
		judgement->order && judgement->order->digest[0] ? judgement->order->digest : NULL);
	if (!cost)
		return;
	cJSON *json = cJSON_AddObjectToObject(one, "cost_seconds");
	add_number(json, "first", cost->first);
	add_number(json, "last", cost->last);
	add_text(json, "source", cost->source ? cost->source : "published");
}

bool add_judged(struct call *call, struct judged_set *judged, const struct range_cost *costs)
{
	static const char *const words[] = {"holds", "does not hold", "not asked"};
	const struct ordo_problem *problem = &judged->set->problem;
	cJSON *answer = call->answer;
	add_text(answer, "operator", ordo_operator_facts(problem->op)->name);
	add_count(answer, "ranks", problem->nrank);
	if (ordo_operator_facts(problem->op)->rooted)
		add_count(answer, "root", problem->root);
	if (problem->nshard != problem->nrank)
		add_count(answer, "shards", problem->nshard);
	add_truth(answer, "in_place", problem->in_place);
	if (problem->accumulate_f32)
		add_text(answer, "accumulate", "f32");
	add_truth(answer, "proved", judged->proved);
	cJSON *list = cJSON_AddArrayToObject(answer, "ranges");
	for (uint32_t i = 0; i < judged->set->nrange; i++)
		add_range(judged, i, costs ? &costs[i] : NULL, list);
	if (!judged->proved)
		return true;
	cJSON *guarantees = cJSON_AddObjectToObject(answer, "guarantees");
	for (int i = 0; i < 3; i++)
		add_text(guarantees, ordo_guarantee_name((enum ordo_guarantee)i),
			words[judged->guarantees[i]]);
	add_truth(answer, "constant_order", judged->constant);
	cJSON *changes = cJSON_AddArrayToObject(answer, "changes");
	for (uint32_t i = 0; adds(judged) && !judged->any_order && i + 1 < judged->set->nrange; i++)
		if (!same_order(&judged->ranges[i], &judged->ranges[i + 1]) &&
			!add_change(call, judged, i, changes))
			return false;
	return true;
}

/* The sizes at which the order changes: "16385, 1048577 and 3 more". */
static const char *changes_text(char out[160], const struct judged_set *judged)
{
	enum { MOST = 4 };
	size_t length = 0;
	uint32_t shown = 0;
	out[0] = 0;
	for (uint32_t i = 0; i + 1 < judged->set->nrange; i++) {
		if (same_order(&judged->ranges[i], &judged->ranges[i + 1]))
			continue;
		if (shown++ < MOST)
			length += (size_t)snprintf(out + length, 160 - length, "%s%" PRIu64,
				length ? ", " : "", judged->set->ranges[i + 1].from_bytes);
	}
	if (shown > MOST)
		snprintf(out + length, 160 - length, " and %u more", shown - MOST);
	return out;
}

static bool fail_condition(
	struct call *call, const struct judged_set *judged, const char *wanted, const char *without)
{
	struct ordo_error error;
	char sizes[160];
	if (without)
		ordo_fail(&error, ORDO_REFUTED, 0, "%s is required, but does not hold of %.250s",
			wanted, without);
	else
		ordo_fail(&error, ORDO_REFUTED, 0,
			"%s is required, but the order changes at %s bytes", wanted,
			changes_text(sizes, judged));
	if (judged->set->file)
		snprintf(error.file, sizeof error.file, "%s", judged->set->file);
	return refuse(call, fail(call, &error));
}

bool set_meets_conditions(
	struct call *call, const struct judged_set *judged, const struct conditions *conditions)
{
	bool met = true;
	if (!judged->proved || !adds(judged))
		return judged->proved ? true : refuse(call, ORDO_REFUTED);
	for (int i = 0; i < 3; i++)
		if (conditions->guarantees >> i & 1 && judged->guarantees[i] != ORDO_HOLDS)
			met = fail_condition(call, judged,
				ordo_guarantee_name((enum ordo_guarantee)i),
				first_without(judged, i));
	if (conditions->constant && !judged->constant)
		met = fail_condition(call, judged, "a constant order", first_without(judged, 1));
	return met;
}
